/* SPDX-License-Identifier: BSD-3-Clause
 * ranked.c - metrics of a class against the rest by the order of scores.
 *
 *   auc                share of pairs (positive, negative) in the right order, ties one half
 *   average precision  sum over the different scores, descending, of the share of the positives
 *                      that has this score times the precision of all rows of this score or more
 *
 * A pair weighs the product of its weights.  With weights that are whole numbers auc is a quotient
 * of two exact sums while n^2 < 2^53.  Rows of equal scores count as a group, so that the order of
 * rows has no effect.  Several classes: the mean over those that have positives (auc: negatives,
 * too); NaN if there is none.  Cost: n log n for each class. */

#include "data/data.h"
#include "metric/metric.h"

#include <stdlib.h>

typedef double measure(const fxi_data_item *item, size_t n);

typedef struct ranking {
    const fxi_metric_rows *rows;
    measure *of;
    double sum;
    size_t defined;                     /* classes */
    fxi_data_item *item;                /* [n], then scratch of the sort */
} ranking;

/* Scores ascending, with weights: > 0 of positives, < 0 of negatives. */
static double auc(const fxi_data_item *item, size_t n)
{
    double below = 0, right = 0, all = 0;

    for (size_t i = 0, end; i < n; i = end) {
        double positive = 0, negative = 0;
        for (end = i; end < n && item[end].key.col == item[i].key.col; end++)
            if (item[end].with.x > 0)
                positive += item[end].with.x;
            else
                negative -= item[end].with.x;
        right += positive * (below + negative / 2);
        below += negative;
        all += positive;
    }
    return all > 0 && below > 0 ? right / (all * below) : NAN;
}

/* The same, from the largest score on. */
static double average_precision(const fxi_data_item *item, size_t n)
{
    double positives = 0, all = 0, sum = 0;     /* of this score or more */

    for (size_t end = n, i; end > 0; end = i) {
        double positive = 0;
        for (i = end; i > 0 && item[i - 1].key.col == item[end - 1].key.col; i--) {
            positive += fmax(item[i - 1].with.x, 0);
            all += fabs(item[i - 1].with.x);
        }
        positives += positive;
        if (positive > 0)
            sum += positive * (positives / all);
    }
    return positives > 0 ? sum / positives : NAN;
}

static fx_status rank(void *ctx, size_t class, fxi_team *team)
{
    ranking *g = ctx;
    const fxi_metric_rows *r = g->rows;
    double positive = r->width > 1 ? (double)class : 1;
    fx_status st;

    for (size_t i = 0; i < r->n; i++) {
        double w = fxi_metric_weight(r, i);
        g->item[i].key.col = fxi_data_sort_number(r->score[i * r->width + class]);
        g->item[i].with.x = r->y[i] == positive ? w : -w;
    }
    if ((st = fxi_data_sort(g->item, g->item + r->n, r->n, fxi_data_sort_ascending, team)))
        return st;
    double x = g->of(g->item, r->n);
    if (!isnan(x)) {
        g->sum += x;
        g->defined++;
    }
    return FX_OK;
}

static fx_status mean(double *out, const fxi_metric_rows *r, measure *of, const fx_run *run)
{
    ranking g = {.rows = r, .of = of};
    fx_status st = FX_OK;

    g.item = fxi_alloc_within(&st, r->n + r->n / 2, sizeof *g.item, run, "scores in order");
    if (!st)
        st = fxi_parallel_ordered(r->width, rank, &g, run);
    if (!st)
        *out = g.defined ? g.sum / (double)g.defined : NAN;
    free(g.item);
    return st;
}

fx_status fxi_metric_ranked_auc(double *out, const fxi_metric_rows *r, size_t k, const fx_run *run)
{
    return r->classes ? mean(out, r, auc, run) : fxi_metric_pairs(out, r, k, run);
}

fx_status fxi_metric_ranked_precision(double *out, const fxi_metric_rows *r, size_t k,
                                      const fx_run *run)
{
    (void)k;
    return mean(out, r, average_precision, run);
}
