/* SPDX-License-Identifier: BSD-3-Clause
 * cd_shared.c - coordinate descent: the coordinates that affect all rows, in blocks of rows on the
 * thread pool; and the linear term, column by column.
 *
 * Lambdas of eight components are eight numbers whose derivatives K_s do not depend on them: a
 * column with an entry in every row (cd_lanes.c). */

#include "fm/cd.h"

#include <string.h>

enum { L = FXI_FM_CD_LANES, N = FXI_FM_CD_PIECE };

static void clear_parts(fxi_fm_descent *d) { memset(d->part, 0, d->R.blocks * sizeof *d->part); }

static double add_parts(const fxi_fm_descent *d, int k)
{
    double sum = 0;

    for (size_t b = 0; b < d->R.blocks; b++)
        sum += d->part[b].sum[k];
    return sum;
}

/* r of rows first..last-1, at most a piece, have changed. */
static void changed(const fxi_fm_descent *d, size_t first, size_t last)
{
    int32_t row[N];

    for (size_t i = first; i < last; i++)
        row[i - first] = (int32_t)i;
    fxi_fm_cd_lanes_slopes(d, row, last - first);
}

/* ---- Scores ------------------------------------------------------------------------------- */

static void start_span(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    const fxi_fm *fm = d->fm;
    const double *v = d->v;

    (void)b;
    for (size_t i = first; i < last; i++) {
        size_t at = (size_t)d->R.pick[i];
        double f = v[0], sigma = sqrt(d->p->c[at]), y = d->p->y[at];
        for (size_t q = d->R.ptr[i]; q < d->R.ptr[i + 1] && fm->linear; q++) {
            size_t j = (size_t)d->R.col[q];
            if (j >= fm->front && j < fm->front + fm->given)
                f += v[fm->w + j - fm->front] * (d->R.x ? d->R.x[q] : 1);
        }
        d->scale[i] = d->loss == FXI_FM_CD_SQUARED ? sigma : sigma * y;
        d->r[i] = d->scale[i] * f
                  - (d->loss == FXI_FM_CD_SQUARED ? sigma * y
                     : d->loss == FXI_FM_CD_HINGE ? sigma
                                                  : 0);
    }
    changed(d, first, last);
}

void fxi_fm_cd_shared_start(fxi_fm_descent *d) { fxi_fm_cd_sweep_rows(d, start_span); }

/* Derivatives by lambda of a piece of rows to G, their numbers to row. */
static void values(double *G, int32_t *row, const fxi_fm_descent *d, size_t first, size_t last)
{
    d->model->values(G, d, first, last);
    for (size_t i = first; i < last; i++, G += L) {
        row[i - first] = (int32_t)i;
        for (int s = 0; s < L; s++)
            G[s] *= d->scale[i];
    }
}

/* r of all rows by shift, times values. */
static void shift_span(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    _Alignas(64) double G[N * L], by[L];
    int32_t row[N];

    (void)b;
    memcpy(by, d->shift, sizeof by);
    values(G, row, d, first, last);
    d->simd->fm_cd_add(d->r, G, row, by, last - first);
    fxi_fm_cd_lanes_slopes(d, row, last - first);
}

void fxi_fm_cd_shared_add(fxi_fm_descent *d)
{
    memcpy(d->shift, d->lambda, sizeof d->shift);
    fxi_fm_cd_sweep_rows(d, shift_span);
}

static void loss_span(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        double r = d->r[i], low = r < 0 ? r : 0, sigma = fabs(d->scale[i]);
        d->part[b].sum[0] += d->loss == FXI_FM_CD_SQUARED ? r * r / 2
                             : d->loss == FXI_FM_CD_HINGE
                                 ? low * low
                                 : sigma * sigma * fxi_loss_logistic.value(1, r / sigma, 0);
    }
}

double fxi_fm_cd_shared_loss(fxi_fm_descent *d)
{
    clear_parts(d);
    fxi_fm_cd_sweep_rows(d, loss_span);
    return add_parts(d, 0);
}

/* ---- Steps -------------------------------------------------------------------------------- */

static void intercept_sums(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        d->part[b].sum[0] += d->slope[i] * d->scale[i];
        d->part[b].sum[1] += d->scale[i] * d->scale[i];
    }
}

static void intercept_move(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    (void)b;
    for (size_t i = first; i < last; i++)
        d->r[i] += d->shift[0] * d->scale[i];
    changed(d, first, last);
}

void fxi_fm_cd_shared_intercept(fxi_fm_descent *d)
{
    clear_parts(d);
    fxi_fm_cd_sweep_rows(d, intercept_sums);
    double step = -add_parts(d, 0) / (d->mu * add_parts(d, 1));
    if (step == 0 || !isfinite(step) || d->stop)
        return;
    d->v[0] += step;
    d->shift[0] = step;
    fxi_fm_cd_sweep_rows(d, intercept_move);
}

static void lambda_sums(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    _Alignas(64) double G[N * L];
    int32_t row[N];

    values(G, row, d, first, last);
    d->simd->fm_cd_sums(d->part[b].sum, G, row, d->slope, last - first);
}

void fxi_fm_cd_shared_lambda(fxi_fm_descent *d, double *lambda)
{
    static const double one[L] = {1, 1, 1, 1, 1, 1, 1, 1};
    _Alignas(64) double sum[FXI_FM_CD_SUMS], to[L];

    clear_parts(d);
    fxi_fm_cd_sweep_rows(d, lambda_sums);
    for (int k = 0; k < FXI_FM_CD_SUMS; k++)
        sum[k] = add_parts(d, k);
    if (d->stop)
        return;
    fxi_fm_cd_lanes_solve(to, d, d->lambda, one, d->fm->beta_lambda, sum);
    for (int s = 0; s < L; s++) {
        d->shift[s] = to[s] - d->lambda[s];
        d->lambda[s] = to[s];
    }
    for (int s = d->from; s < d->upto; s++)
        lambda[s] = to[s];
    fxi_fm_cd_sweep_rows(d, shift_span);
}

/* ---- The linear term: the derivative by w_j is x_j, whatever w ------------------------------- */

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
