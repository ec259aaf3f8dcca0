/* SPDX-License-Identifier: BSD-3-Clause
 * cd_linear.c - coordinate descent on the linear term: the derivative by w_j is x_j, whatever w. */

#include "fm/cd.h"

static void build(const fxi_fm_descent *d, size_t first, size_t last)
{
    (void)d, (void)first, (void)last;
}

static void sums(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c)
{
    sum[0] = sum[1] = 0;
    for (size_t q = 0; q < c->n; q++) {
        double g = d->scale[c->row[q]] * (c->x ? c->x[q] : 1);
        sum[0] += d->slope[c->row[q]] * g;
        sum[1] += g * g;
    }
}

static void step(double *to, fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *sum)
{
    double p = *fxi_fm_cd_factor(d, c->j), beta = fxi_fm_cd_beta(d, c->j);
    double curve = d->mu * sum[1] / d->W + beta;

    *to = curve > 0 ? p - (sum[0] / d->W + beta * p) / curve : p;
}

static void move(fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p, const double *to)
{
    for (size_t q = 0; q < c->n; q++)
        d->r[c->row[q]] += (*to - *p) * d->scale[c->row[q]] * (c->x ? c->x[q] : 1);
    fxi_fm_cd_lanes_slopes(d, c->row, c->n);
}

const fxi_fm_cd_model fxi_fm_cd_linear = {
    .lanes = 1, .build = build, .sums = sums, .step = step, .move = move};
