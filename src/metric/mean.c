/* SPDX-License-Identifier: BSD-3-Clause
 * mean.c - metrics that are weighted means over the rows.
 *
 *   accuracy  mean of [label == y]
 *   logloss   mean of -log p(y), from logarithms, so that it is finite
 *   rmse      root of the mean of (label - y)^2
 *
 * NaN if no row has a positive weight. */

#include "metric/metric.h"

fx_status fxi_metric_mean_accuracy(double *out, const fxi_metric_rows *r, size_t k,
                                   const fx_run *run)
{
    double sum = 0, total = 0;

    (void)k, (void)run;
    for (size_t i = 0; i < r->n; i++) {
        sum += fxi_metric_weight(r, i) * (r->label[i] == r->y[i]);
        total += fxi_metric_weight(r, i);
    }
    *out = sum / total;
    return FX_OK;
}

fx_status fxi_metric_mean_logloss(double *out, const fxi_metric_rows *r, size_t k,
                                  const fx_run *run)
{
    double sum = 0, total = 0;

    (void)k, (void)run;
    for (size_t i = 0; i < r->n; i++) {
        sum -= fxi_metric_weight(r, i) * r->log[i];
        total += fxi_metric_weight(r, i);
    }
    *out = sum / total;
    return FX_OK;
}

fx_status fxi_metric_mean_rmse(double *out, const fxi_metric_rows *r, size_t k, const fx_run *run)
{
    double sum = 0, total = 0;

    (void)k, (void)run;
    for (size_t i = 0; i < r->n; i++) {
        double d = r->label[i] - r->y[i];
        sum += fxi_metric_weight(r, i) * d * d;
        total += fxi_metric_weight(r, i);
    }
    *out = sqrt(sum / total);
    return FX_OK;
}
