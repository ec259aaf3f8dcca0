/* SPDX-License-Identifier: BSD-3-Clause
 * l1_model.c - the quadratic model of the loss at the present weights; coordinate descent on it.
 *
 *   m(u, B) = sum_i r_i q_i + D_i q_i^2 / 2 + penalty,   q_i = <z_i, u - w> + B
 *
 * r_i + D_i <z_i, u - w> is kept up to date, so a coordinate costs one inner product with its
 * column, and two updates if it moves.  The step B of the intercept is a separate number: with h_j
 * = sum_i D_i z_ij no vector has to be updated for it.  A free intercept is the minimiser at every
 * u, which turns the second derivative of coordinate j into H_j - h_j^2/d, d = sum_i D_i. */

#include "fit/l1.h"

#include <math.h>
#include <string.h>

enum { PARTS = 64, SWEEPS = 100 };

/* ---- The model ---------------------------------------------------------------------------- */
static fx_status measure_rows(void *ctx, size_t k, fxi_team *team)
{
    fxi_l1 *a = ctx;
    const fxi_problem *p = a->p;
    size_t rows = p->source->rows;

    for (size_t i = k * rows / PARTS; i < (k + 1) * rows / PARTS; i++) {
        double c = p->c[i];
        a->r[i] = c > 0 ? c * p->loss->slope(p->y[i], a->f[i], p->epsilon) : 0;
        a->D[i] = c > 0 ? c * p->loss->curve(p->y[i], a->f[i], p->epsilon) : 0;
        if (fxi_data_stopped(i, team))
            return FX_OK;
    }
    return FX_OK;
}

static fx_status measure_column(void *ctx, size_t k, fxi_team *team)
{
    fxi_l1 *a = ctx;
    size_t j = a->first + k;
    fxi_row z = fxi_fit_l1_columns_at(&a->columns, j);
    double o[3] = {0};

    (void)team;
    if (z.f32 && !z.col32)
        a->simd->fit_l1_sums(o, z.f32, a->r, a->D, z.n);
    else
        for (size_t q = 0; q < z.n; q++) {
            double v = fxi_row_value(z, q);
            int64_t i = fxi_row_column(z, q);
            o[0] += a->r[i] * v;
            o[1] += a->D[i] * v;
            o[2] += a->D[i] * v * v;
        }
    a->g[j] = o[0];
    a->h[j] = o[1];
    a->H[j] = o[2];
    return FX_OK;
}

fx_status fxi_fit_l1_model(fxi_l1 *a)
{
    size_t rows = a->p->source->rows, d = a->d;
    fx_run how = fxi_parallel_run(a->run, 20.0 * (double)rows);
    fx_status st = fxi_parallel(PARTS, measure_rows, a, &how);

    a->g[d] = a->h[d] = a->B = 0;
    for (size_t i = 0; i < rows && !st; i++) {
        a->g[d] += a->r[i];
        a->h[d] += a->D[i];
    }
    for (size_t b = 0; b < a->columns.blocks && !st; b++) {
        size_t width = a->columns.width, left = d - b * width, n = left < width ? left : width;
        how = fxi_parallel_run(a->run, (double)rows * (double)n);
        a->first = b * a->columns.width;
        st = fxi_fit_l1_columns_visit(&a->columns, b, a->run);
        if (!st)
            st = fxi_parallel(n, measure_column, a, &how);
    }
    for (size_t j = 0; j < d && a->p->intercept == FXI_FREE && a->h[d] > 0; j++)
        a->H[j] = fmax(a->H[j] - a->h[j] * (a->h[j] / a->h[d]), 1e-12 * a->H[j]);
    return st;
}

/* ---- Coordinate descent ------------------------------------------------------------------- */
/* How far the slope G of the smooth part is from the slopes that the penalty has at u. */
static double violated(double u, double G)
{
    return u > 0 ? fabs(G + 1) : u < 0 ? fabs(G - 1) : fmax(fabs(G) - 1, 0);
}

/* The minimiser of G (v - u) + H (v - u)^2 / 2 + |v|. */
static double minimiser(double u, double G, double H)
{
    double v = u - G / H;

    return v > 1 / H ? v - 1 / H : v < -1 / H ? v + 1 / H : 0;
}

static void move_intercept(fxi_l1 *a)
{
    double b = a->w[a->d], d = a->h[a->d];

    if (!(d > 0))
        return;
    if (a->p->intercept == FXI_FREE)
        a->B = -a->sum / d;
    else if (a->p->intercept == FXI_APPENDED)
        a->B = minimiser(b + a->B, a->sum + a->B * d, d) - b;
}

/* Updates coordinate j, then the intercept; returns the violation found. */
static double visit_column(fxi_l1 *a, size_t j, double margin)
{
    fxi_row z = fxi_fit_l1_columns_at(&a->columns, j);
    double G = fxi_fit_row_dot(z, a->r, a->simd) + a->B * a->h[j], H = a->H[j] + 1e-12;
    double u = minimiser(a->u[j], G, H), by = u - a->u[j];
    double violation = violated(a->u[j], G);

    if (a->u[j] == 0 && fabs(G) < 1 - margin)
        a->active[j] = false;
    if (by == 0)
        return violation;
    a->u[j] = u;
    a->sum += by * a->h[j];
    if (z.f32 && !z.col32)
        a->simd->fit_l1_update(a->q, a->r, by, z.f32, a->D, z.n);
    else
        for (size_t k = 0; k < z.n; k++) {
            double v = by * fxi_row_value(z, k);
            int64_t i = fxi_row_column(z, k);
            a->q[i] += v;
            a->r[i] += a->D[i] * v;
        }
    move_intercept(a);
    return violation;
}

/* All active columns, in an order that is the same for all sweeps on one model, so that every sweep
 * is the same affine map. */
static fx_status sweep(fxi_l1 *a, double *total, double *largest, fxi_team *team)
{
    fxi_rng seed = {a->p->seed, FXI_FIT_BLOCKS};
    fxi_rng rng = {fxi_rng_bits(seed, a->models), FXI_FIT_BLOCKS};
    fx_run how = fxi_parallel_alone(a->run, team);
    double margin = fmin(*largest, 1);
    size_t width = a->columns.width, *order = a->order + a->columns.blocks;

    *total = *largest = 0;
    fxi_rng_permutation(a->order, a->columns.blocks, rng);
    for (size_t k = 0; k < a->columns.blocks; k++) {
        size_t b = a->order[k], first = b * width, n = a->d - first < width ? a->d - first : width;
        bool any = memchr(a->active + first, 1, n) != NULL;
        fx_status st = any ? fxi_fit_l1_columns_visit(&a->columns, b, &how) : FX_OK;
        if (st)
            return st;
        if (any)
            fxi_rng_permutation(order, n, (fxi_rng){fxi_rng_bits(rng, b), FXI_FIT_COLUMNS});
        for (size_t q = 0; any && q < n; q++) {
            if (!a->active[first + order[q]])
                continue;
            if (fxi_parallel_cancelled(team))
                return FX_OK;
            double v = visit_column(a, first + order[q], margin);
            *total += v;
            *largest = fmax(*largest, v);
        }
    }
    return FX_OK;
}

static fx_status descend(void *ctx, size_t block, fxi_team *team)
{
    fxi_l1 *a = ctx;
    double start = 0, largest = 0, total = INFINITY;
    fx_status st = FX_OK;

    (void)block;
    for (size_t j = 0; j < a->d; j++) {
        double v = violated(a->w[j], a->g[j]);
        start += v;
        largest = fmax(largest, v);
    }
    for (size_t j = 0; j < a->d; j++)
        a->active[j] = a->w[j] != 0 || fabs(a->g[j]) >= 1 - fmin(largest, 1);
    memcpy(a->u, a->w, a->d * sizeof *a->u);
    memset(a->q, 0, a->p->source->rows * sizeof *a->q);
    a->sum = a->g[a->d];
    memcpy(a->slope, a->r, a->p->source->rows * sizeof *a->r);
    move_intercept(a);
    fxi_fit_l1_extrapolate(a, 0);
    size_t max_sweeps = a->left < SWEEPS ? a->left : SWEEPS, k = 0;
    for (; k < max_sweeps && total > 0.1 * start && !st && !fxi_parallel_cancelled(team); k++) {
        st = sweep(a, &total, &largest, team);
        fxi_fit_l1_extrapolate(a, k + 1);
    }
    a->left -= k;
    a->models++;
    for (size_t i = 0; i < a->p->source->rows; i++)
        a->q[i] += a->B;
    return st;
}

fx_status fxi_fit_l1_model_descend(fxi_l1 *a)
{
    return fxi_parallel_ordered(1, descend, a, a->run);
}
