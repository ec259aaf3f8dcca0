/* SPDX-License-Identifier: BSD-3-Clause
 * metrics.c - how good scores are, by definitions that anyone can repeat.
 *
 *   accuracy  share with (score > 0) == (y > 0)
 *   auc       share of pairs (positive, negative) in the right order, ties one half: by sorting
 *   logloss   mean of log(1 + exp(-y score))
 *   rmse      root of the mean of (y - score)^2
 *
 * Means are weighted; a pair weighs the product of its weights.  With weights that are whole
 * numbers auc is a quotient of two exact sums while n^2 < 2^53.  Cost: n log n. */

#include "data/data.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranking {
    double *auc;
    const double *y, *score, *weight;
    double positive;
    size_t n, stride;
    fxi_data_item *item;
} ranking;

/* Scores ascending, with weights: > 0 of positives, < 0 of negatives. */
static fx_status rank(void *ctx, size_t block, fxi_team *team)
{
    ranking *r = ctx;
    double below = 0, right = 0, all = 0;
    fx_status st;

    (void)block;
    for (size_t i = 0; i < r->n; i++) {
        double w = r->weight ? r->weight[i] : 1;
        r->item[i].key.col = fxi_data_sort_number(r->score[i * r->stride]);
        r->item[i].with.x = r->y[i] == r->positive ? w : -w;
    }
    if ((st = fxi_data_sort(r->item, r->item + r->n, r->n, fxi_data_sort_ascending, team)))
        return st;
    for (size_t i = 0, end; i < r->n; i = end) {
        double positive = 0, negative = 0;
        for (end = i; end < r->n && r->item[end].key.col == r->item[i].key.col; end++)
            if (r->item[end].with.x > 0)
                positive += r->item[end].with.x;
            else
                negative -= r->item[end].with.x;
        right += positive * (below + negative / 2);
        below += negative;
        all += positive;
    }
    *r->auc = all > 0 && below > 0 ? right / (all * below) : NAN;
    return FX_OK;
}

fx_status fxi_model_metrics_auc(double *auc, const double *y, double positive, const double *score,
                                size_t stride, const double *weight, size_t n, const fx_run *run)
{
    ranking r = {auc, y, score, weight, positive, n, stride, NULL};
    fx_status st = FX_OK;

    r.item = fxi_alloc_within(&st, n + n / 2, sizeof *r.item, run, "scores in order");
    if (!st)
        st = fxi_parallel_ordered(1, rank, &r, run);
    free(r.item);
    return st;
}

static fx_status check(const double *y, const double *score, const double *weight, size_t n,
                       int regress)
{
    if (n && (!y || !score))
        return fxi_error(FX_EINVAL, "fx_model_metrics: %s is NULL", y ? "score" : "y");
    for (size_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        if (!isfinite(score[i]) || !isfinite(y[i]))
            return fxi_error(FX_EDOMAIN, "row %zu (from 0): label %g, score %g", i, y[i], score[i]);
        if (!regress && y[i] != 1 && y[i] != -1)
            return fxi_error(FX_EINVAL, "row %zu (from 0): label %g is neither 1 nor -1", i, y[i]);
        if (!(w >= 0 && isfinite(w)))
            return fxi_error(FX_EDOMAIN, "row %zu (from 0): weight %g", i, w);
    }
    return FX_OK;
}

fx_metrics fxi_model_metrics_none(size_t rows)
{
    return (fx_metrics){.size = sizeof(fx_metrics),
                        .rows = rows,
                        .accuracy = NAN,
                        .auc = NAN,
                        .logloss = NAN,
                        .rmse = NAN};
}

fx_status fx_model_metrics(fx_metrics *out, const double *y, const double *score,
                           const double *weight, size_t n, int regress)
{
    fx_metrics m = fxi_model_metrics_none(n);
    double right = 0, loss = 0, square = 0, total = 0;
    fx_status st = check(y, score, weight, n, regress);

    if (!st)
        st = out ? fxi_sized_check(out, "fx_metrics")
                 : fxi_error(FX_EINVAL, "fx_model_metrics: out is NULL");
    if (!st && !regress)
        st = fxi_model_metrics_auc(&m.auc, y, 1, score, 1, weight, n, NULL);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        right += w * ((score[i] > 0) == (y[i] > 0));
        loss += regress ? 0 : w * fxi_loss_logistic.value(y[i], score[i], 0);
        square += w * (y[i] - score[i]) * (y[i] - score[i]);
        total += w;
    }
    if (total > 0) {
        m.rmse = sqrt(square / total);
        if (!regress) {
            m.accuracy = right / total;
            m.logloss = loss / total;
        }
    }
    fxi_sized_out(out, &m, sizeof m);
    return FX_OK;
}
