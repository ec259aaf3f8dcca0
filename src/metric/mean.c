/* SPDX-License-Identifier: BSD-3-Clause
 * mean.c - metrics that are weighted means over the rows.
 *
 *   accuracy  mean of [label == y]
 *   logloss   mean of -log p(y), from logarithms, so that it is finite
 *   rmse      root of the mean of (label - y)^2
 *
 * NaN if no row has a positive weight.  Sums are taken row by row, so rows may come in parts. */

#include "metric/metric.h"

void fxi_metric_mean_add(fxi_metric_sums *s, const fxi_metric_rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        double w = fxi_metric_weight(r, i);
        double d = r->label ? r->label[i] - r->y[i] : 0;
        s->weight += w;
        s->right += w * (d == 0);
        s->square += w * d * d;
        s->log -= r->log ? w * r->log[i] : 0;
    }
}

bool fxi_metric_mean_of(double *out, const fxi_metric *m, const fxi_metric_sums *s)
{
    fxi_metric_function *of = m->type->of;

    if (of == fxi_metric_mean_accuracy)
        *out = s->right / s->weight;
    else if (of == fxi_metric_mean_logloss)
        *out = s->log / s->weight;
    else if (of == fxi_metric_mean_rmse)
        *out = sqrt(s->square / s->weight);
    else
        return false;
    return true;
}

fx_status fxi_metric_mean_accuracy(double *out, const fxi_metric_rows *r, size_t k,
                                   const fx_run *run)
{
    fxi_metric_sums s = {0};

    (void)k, (void)run;
    fxi_metric_mean_add(&s, r);
    *out = s.right / s.weight;
    return FX_OK;
}

fx_status fxi_metric_mean_logloss(double *out, const fxi_metric_rows *r, size_t k,
                                  const fx_run *run)
{
    fxi_metric_sums s = {0};

    (void)k, (void)run;
    fxi_metric_mean_add(&s, r);
    *out = s.log / s.weight;
    return FX_OK;
}

fx_status fxi_metric_mean_rmse(double *out, const fxi_metric_rows *r, size_t k, const fx_run *run)
{
    fxi_metric_sums s = {0};

    (void)k, (void)run;
    fxi_metric_mean_add(&s, r);
    *out = sqrt(s.square / s.weight);
    return FX_OK;
}
