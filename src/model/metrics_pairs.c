/* SPDX-License-Identifier: BSD-3-Clause
 * metrics_pairs.c - how well scores rank: the share of pairs of rows of one query, with different
 * labels, whose scores are in the order of the labels; ties count half.  A pair weighs the product
 * of its weights.  For two labels and one query this is the area under the ROC curve.
 *
 * Rows are sorted by query and score; going up, a tree of partial sums over the labels (Fenwick
 * 1994) knows the weight below any label.  Cost: n log n. */

#include "data/data.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

typedef struct counting {
    double *auc;
    const double *y, *score, *weight;   /* weight NULL: all 1 */
    const int64_t *qid;                 /* NULL: one query */
    size_t n;
    fxi_data_item *item;                /* [n], then scratch of the sort */
    size_t *level;                      /* [n] of the label among all, from 1 */
    double *tree, *at;                  /* [n + 1] sums of weights; weight of a level itself */
    size_t levels;
    double right, all;
} counting;

static double weight_of(const counting *c, size_t i) { return c->weight ? c->weight[i] : 1; }

/* By query, then score, then label: three stable sorts. */
static fx_status sort(counting *c, fxi_team *team)
{
    fxi_data_item *item = c->item;
    size_t n = c->n;
    fx_status st;

    for (size_t i = 0; i < n; i++) {
        item[i].key.col = fxi_data_sort_number(c->y[i]);
        item[i].with.number = i;
    }
    if ((st = fxi_data_sort(item, item + n, n, fxi_data_sort_ascending, team)))
        return st;
    for (size_t k = 0; k < n; k++) {
        c->levels += !k || item[k].key.col != item[k - 1].key.col;
        c->level[item[k].with.number] = c->levels;
    }
    for (size_t k = 0; k < n; k++)
        item[k].key.col = fxi_data_sort_number(c->score[item[k].with.number]);
    if ((st = fxi_data_sort(item, item + n, n, fxi_data_sort_ascending, team)) || !c->qid)
        return st;
    for (size_t k = 0; k < n; k++)
        item[k].key.col = c->qid[item[k].with.number];
    return fxi_data_sort(item, item + n, n, fxi_data_sort_ascending, team);
}

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
        size_t i = c->item[k].with.number;
        if (k > first && c->level[i] != c->level[c->item[k - 1].with.number]) {
            lower += same;
            same = 0;
        }
        c->right += weight_of(c, i) * (below(c, c->level[i]) + lower / 2);
        same += weight_of(c, i);
    }
}

static void add(counting *c, size_t first, size_t last, double *seen)
{
    for (size_t k = first; k < last; k++) {
        size_t i = c->item[k].with.number, level = c->level[i];
        double w = weight_of(c, i);
        c->all += w * (*seen - c->at[level]);
        c->at[level] += w;
        *seen += w;
        for (size_t l = level; l <= c->levels; l += l & -l)
            c->tree[l] += w;
    }
}

static void clear(counting *c, size_t first, size_t last)
{
    for (size_t k = first; k < last; k++) {
        size_t level = c->level[c->item[k].with.number];
        c->at[level] = 0;
        for (size_t l = level; l <= c->levels; l += l & -l)
            c->tree[l] = 0;
    }
}

static bool same_query(const counting *c, size_t k, size_t h)
{
    const int64_t *qid = c->qid;

    return !qid || qid[c->item[k].with.number] == qid[c->item[h].with.number];
}

static void count_query(counting *c, size_t first, size_t last, fxi_team *team)
{
    double seen = 0;

    for (size_t k = first, end; k < last && !fxi_parallel_cancelled(team); k = end) {
        double f = c->score[c->item[k].with.number];
        for (end = k; end < last && c->score[c->item[end].with.number] == f; end++)
            ;
        count_ordered(c, k, end);
        add(c, k, end, &seen);
    }
    clear(c, first, last);
}

static fx_status count(void *ctx, size_t block, fxi_team *team)
{
    counting *c = ctx;
    fx_status st = sort(c, team);

    (void)block;
    for (size_t k = 0, end; k < c->n && !st; k = end) {
        for (end = k; end < c->n && same_query(c, k, end); end++)
            ;
        count_query(c, k, end, team);
    }
    if (!st)
        *c->auc = c->all > 0 ? c->right / c->all : NAN;
    return st;
}

fx_status fxi_model_metrics_pairs(double *auc, const double *y, const double *score,
                                  const double *weight, const int64_t *qid, size_t n,
                                  const fx_run *run)
{
    counting c = {.auc = auc, .y = y, .score = score, .weight = weight, .qid = qid, .n = n};
    size_t bytes = fxi_size_mul(&bytes, n + 1, 2 * sizeof *c.item + 3 * sizeof *c.tree) ? bytes
                                                                                        : SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "scores in order");

    if (st)
        return st;
    c.item = fxi_alloc(n + n / 2, sizeof *c.item);
    c.level = fxi_alloc(n, sizeof *c.level);
    c.tree = fxi_zalloc(n + 1, sizeof *c.tree);
    c.at = fxi_zalloc(n + 1, sizeof *c.at);
    st = c.item && c.level && c.tree && c.at ? fxi_parallel_ordered(1, count, &c, run) : FX_ENOMEM;
    free(c.item);
    free(c.level);
    free(c.tree);
    free(c.at);
    return st;
}
