/* SPDX-License-Identifier: BSD-3-Clause
 * pairs.c - how well scores rank: the share of pairs of rows of one query, with different labels,
 * whose scores are in the order of the labels; ties count half.  A pair weighs the product of its
 * weights.  For two labels and one query this is the area under the ROC curve.
 *
 * Rows are sorted by query and score (queries.c); going up, a tree of partial sums over the labels
 * (Fenwick 1994) knows the weight below any label.  Cost: n log n. */

#include "metric/queries.h"

#include <stdlib.h>

typedef struct counting {
    const fxi_metric_rows *r;
    fxi_metric_queries q;
    double *tree, *at;                  /* [n + 1] sums of weights; weight of a level itself */
    double right, all;
} counting;

static double below(const counting *c, size_t level)
{
    double sum = 0;

    for (size_t l = level - 1; l; l -= l & -l)
        sum += c->tree[l];
    return sum;
}

/* Adds the pairs that rows [first, last), which have one score, form with the query's rows of lower
 * scores and with one another (ties). */
static void count_ordered(counting *c, size_t first, size_t last)
{
    double lower = 0, same = 0;         /* weights in here of lower labels, of this one */

    for (size_t k = first; k < last; k++) {
        size_t i = c->q.item[k].with.number;
        if (k > first && c->q.level[i] != c->q.level[c->q.item[k - 1].with.number]) {
            lower += same;
            same = 0;
        }
        c->right += fxi_metric_weight(c->r, i) * (below(c, c->q.level[i]) + lower / 2);
        same += fxi_metric_weight(c->r, i);
    }
}

static void add(counting *c, size_t first, size_t last, double *seen)
{
    for (size_t k = first; k < last; k++) {
        size_t i = c->q.item[k].with.number, level = c->q.level[i];
        double w = fxi_metric_weight(c->r, i);
        c->all += w * (*seen - c->at[level]);
        c->at[level] += w;
        *seen += w;
        for (size_t l = level; l <= c->q.levels; l += l & -l)
            c->tree[l] += w;
    }
}

static void clear(counting *c, size_t first, size_t last)
{
    for (size_t k = first; k < last; k++) {
        size_t level = c->q.level[c->q.item[k].with.number];
        c->at[level] = 0;
        for (size_t l = level; l <= c->q.levels; l += l & -l)
            c->tree[l] = 0;
    }
}

static fx_status count_query(void *ctx, size_t first, size_t last, fxi_team *team)
{
    counting *c = ctx;
    double seen = 0;

    for (size_t k = first, end; k < last && !fxi_parallel_cancelled(team); k = end) {
        end = fxi_metric_queries_tied(&c->q, k, last);
        count_ordered(c, k, end);
        add(c, k, end, &seen);
    }
    clear(c, first, last);
    return FX_OK;
}

fx_status fxi_metric_pairs(double *out, const fxi_metric_rows *r, size_t k, const fx_run *run)
{
    counting c = {.r = r};
    fx_status st = fxi_metric_queries_new(&c.q, r, r->score, 2 * sizeof *c.tree, run);

    (void)k;
    if (!st && (!(c.tree = fxi_zalloc(r->n + 1, sizeof *c.tree))
                || !(c.at = fxi_zalloc(r->n + 1, sizeof *c.at))))
        st = FX_ENOMEM;
    if (!st && !(st = fxi_metric_queries_each(&c.q, count_query, &c, run)))
        *out = c.all > 0 ? c.right / c.all : NAN;
    fxi_metric_queries_free(&c.q);
    free(c.tree);
    free(c.at);
    return st;
}
