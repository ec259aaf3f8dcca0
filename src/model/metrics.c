/* SPDX-License-Identifier: BSD-3-Clause
 * metrics.c - how good scores are, without a model: labels are +1 and -1, or targets.
 *
 *   accuracy  share with (score > 0) == (y > 0)       logloss   mean of log(1 + exp(-y score))
 *   auc       see metric/ranked.c                     rmse      of the scores against y
 */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>

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
                        .rmse = NAN,
                        .metric = NAN};
}

/* As two classes, of which the second one has y = 1. */
static fx_status of_classes(fx_metrics *m, const double *y, const double *score,
                            const double *weight, size_t n)
{
    double *own = fxi_alloc(n, 3 * sizeof *own);
    fx_status st;

    if (!own)
        return FX_ENOMEM;
    fxi_metric_rows r = {.n = n, .classes = 2, .y = own, .label = own + n, .log = own + 2 * n,
                         .score = score, .width = 1, .weight = weight};
    for (size_t i = 0; i < n; i++) {
        own[i] = y[i] > 0;
        own[n + i] = score[i] > 0;
        own[2 * n + i] = -fxi_loss_logistic.value(y[i], score[i], 0);
    }
    if (!(st = fxi_metric_mean_accuracy(&m->accuracy, &r, 0, NULL))
        && !(st = fxi_metric_mean_logloss(&m->logloss, &r, 0, NULL)))
        st = fxi_metric_ranked_auc(&m->auc, &r, 0, NULL);
    free(own);
    return st;
}

fx_status fx_model_metrics(fx_metrics *out, const double *y, const double *score,
                           const double *weight, size_t n, int regress)
{
    fx_metrics m = fxi_model_metrics_none(n);
    fxi_metric_rows r = {.n = n, .y = y, .label = score, .weight = weight};
    fx_status st = check(y, score, weight, n, regress);

    if (!st)
        st = out ? fxi_sized_check(out, "fx_metrics")
                 : fxi_error(FX_EINVAL, "fx_model_metrics: out is NULL");
    if (!st && !regress)
        st = of_classes(&m, y, score, weight, n);
    if (!st && !(st = fxi_metric_mean_rmse(&m.rmse, &r, 0, NULL)))
        fxi_sized_out(out, &m, sizeof m);
    return st;
}
