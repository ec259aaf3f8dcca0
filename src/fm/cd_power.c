/* SPDX-License-Identifier: BSD-3-Clause
 * cd_power.c - coordinate descent on powers h^m of linear forms h = <p, x>, one component at a
 * time: E[row] is h.
 *
 * A score is a polynomial of degree m in a coordinate, so there is no exact step.  The step is that
 * of Newton with the curvature of the loss and, by its absolute value, that of h^m; then cd_sweep.c
 * halves it until the objective does not rise, which is summed as differences. */

#include "fm/cd.h"

static double power(double h, int m)
{
    double v = 1;

    for (int t = 0; t < m; t++)
        v *= h;
    return v;
}

static double form(const fxi_fm_descent *d, size_t i)
{
    const fxi_fm_cd_rows *R = &d->R;
    double h = 0;

    for (size_t q = R->ptr[i]; q < R->ptr[i + 1]; q++)
        h += *fxi_fm_cd_factor(d, (size_t)R->col[q]) * (R->x ? R->x[q] : 1);
    return h;
}

static void build(const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        d->E[i] = form(d, i);
}

static void values(double *out, const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        for (int s = 0; s < FXI_FM_CD_LANES; s++)
            *out++ = s ? 0 : power(form(d, i), d->m);
}

static void sums(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c)
{
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t q = 0; q < c->n; q++) {
        size_t i = (size_t)c->row[q];
        double x = c->x ? c->x[q] : 1, low = d->scale[i] * d->m * power(d->E[i], d->m - 2);
        double g = low * d->E[i] * x;
        sum[0] += d->slope[i] * g;
        sum[1] += g * g;
        sum[2] += d->slope[i] * low * (d->m - 1) * x * x;
    }
}

static void step(double *to, fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *sum)
{
    double p = *fxi_fm_cd_factor(d, c->j), beta = fxi_fm_cd_beta(d, c->j), by = *d->lambda;
    double curve = (d->mu * by * by * sum[1] + fabs(by * sum[2])) / d->W + beta;

    *to = curve > 0 ? p - (by * sum[0] / d->W + beta * p) / curve : p;
}

/* What a step adds to r, lambda included. */
static double shift(const fxi_fm_descent *d, size_t i, double by)
{
    return *d->lambda * d->scale[i] * (power(d->E[i] + by, d->m) - power(d->E[i], d->m));
}

static double rise(const fxi_fm_descent *d, const fxi_fm_cd_column *c, double length)
{
    double sum = 0;

    for (size_t q = 0; q < c->n; q++) {
        size_t i = (size_t)c->row[q];
        double by = shift(d, i, length * (c->x ? c->x[q] : 1)), r = d->r[i];
        double was = r < 0 ? r : 0, is = r + by < 0 ? r + by : 0, sigma = fabs(d->scale[i]);
        switch (d->loss) {
        case FXI_FM_CD_SQUARED: sum += by * (r + by / 2); break;
        case FXI_FM_CD_HINGE: sum += (is - was) * (is + was); break;
        default:
            sum += sigma * sigma
                   * (fxi_loss_logistic.value(1, (r + by) / sigma, 0)
                      - fxi_loss_logistic.value(1, r / sigma, 0));
        }
    }
    return sum;
}

static void move(fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p, const double *to)
{
    for (size_t q = 0; q < c->n; q++) {
        size_t i = (size_t)c->row[q];
        double by = (*to - *p) * (c->x ? c->x[q] : 1);
        d->r[i] += shift(d, i, by);
        d->E[i] += by;
    }
    fxi_fm_cd_lanes_slopes(d, c->row, c->n);
}

const fxi_fm_cd_model fxi_fm_cd_power = {1, build, values, sums, step, move, rise, NULL};
