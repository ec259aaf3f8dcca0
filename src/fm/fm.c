/* SPDX-License-Identifier: BSD-3-Clause
 * fm.c - the shape of a factorization machine: which blocks, which columns they see, and where each
 * number is in one vector. */

#include "fm/fm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double fxi_fm_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Losses ------------------------------------------------------------------------------ */

static double share(const fxi_loss *l) { return l == &fxi_loss_squared ? 0.5 : 1; }

double fxi_fm_loss(const fxi_loss *l, double y, double f) { return share(l) * l->value(y, f, 0); }

double fxi_fm_slope(const fxi_loss *l, double y, double f) { return share(l) * l->slope(y, f, 0); }

double fxi_fm_bend(const fxi_loss *l, double y, double f) { return share(l) * l->curve(y, f, 0); }

double fxi_fm_curve(const fxi_loss *l)
{
    return l == &fxi_loss_squared ? 1 : l == &fxi_loss_logistic ? 0.25 : 2;
}

/* ---- Shape ------------------------------------------------------------------------------- */

/* Columns as blocks see them: front constants, the row, perhaps all of it twice. */
static bool count_columns(fxi_fm *fm, const fxi_fm_shape *shape)
{
    fm->front = shape->kind == FXI_FM_SHARED
                    ? (size_t)shape->order - 1
                    : shape->kind == FXI_FM_POWER || shape->kind == FXI_FM_UV;
    fm->twice = shape->kind == FXI_FM_UV;
    return fxi_size_add(&fm->cols, shape->given, fm->front)
           && (!fm->twice || fxi_size_mul(&fm->cols, fm->cols, 2)) && fm->cols <= INT32_MAX;
}

static fx_status make_groups(fxi_fm *fm, const fxi_fm_shape *shape)
{
    bool two = shape->kind == FXI_FM_BILINEAR || shape->kind == FXI_FM_UV;
    size_t split = shape->kind == FXI_FM_UV ? fm->cols / 2 : shape->split;

    if (!two && !shape->group)
        return FX_OK;
    if (!(fm->group = fxi_alloc(fm->cols, sizeof *fm->group)))
        return FX_ENOMEM;
    fm->groups = two ? 2 : shape->groups;
    for (size_t j = 0; j < fm->cols; j++)
        fm->group[j] = two ? j >= split : shape->group[j];
    return FX_OK;
}

/* Appends a block of order t (0: all subsets) to the vector. */
static fx_status add_block(fxi_fm *fm, int t, double beta, const char *spec)
{
    fxi_fm_block *g = &fm->block[fm->blocks];
    size_t P, lambda = fm->panels * FXI_LANES;
    fx_status st = *spec ? fx_kernel_parse(&g->kernel, spec, NULL, 0) : FX_OK;

    if (st)
        return st;
    fm->blocks++;
    g->order = t;
    g->beta = g->beta_front = beta;
    g->P = fm->size;
    if (!fxi_size_mul(&P, lambda, fm->cols) || !fxi_size_add(&g->lambda, fm->size, P)
        || !fxi_size_add(&g->theta, g->lambda, lambda)
        || !fxi_size_add(&fm->size, g->theta, fm->kind == FXI_FM_SIMPLEX ? (size_t)t : 0)
        || fm->size > SIZE_MAX / 64)
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", fm->rank, fm->cols);
    fm->size = (fm->size + 7) / 8 * 8;  /* blocks begin at 64 bytes */
    return FX_OK;
}

static fx_status add_blocks(fxi_fm *fm, const fxi_fm_shape *shape)
{
    int m = shape->order;
    char spec[64] = "";
    fx_status st = FX_OK;

    switch (shape->kind) {
    case FXI_FM_HOFM:
        for (int t = 2; t <= m && !st; t++) {
            snprintf(spec, sizeof spec, "anova:order=%d", t);
            st = add_block(fm, t, shape->beta[t - 2], spec);
        }
        return st;
    case FXI_FM_SHARED:
    case FXI_FM_SIMPLEX:
        snprintf(spec, sizeof spec, "anova%s:order=%d",
                 shape->kind == FXI_FM_SIMPLEX ? "-upto" : "", m);
        return add_block(fm, m, shape->beta[m - 2], spec);
    case FXI_FM_SUBSETS: return add_block(fm, 0, shape->beta[0], "all-subsets");
    case FXI_FM_POWER: return add_block(fm, m, shape->beta[0], "");
    default: return add_block(fm, 2, shape->beta[0], "anova:order=2");
    }
}

static fx_status check(const fxi_fm_shape *shape)
{
    bool ordered = shape->kind != FXI_FM_SUBSETS && shape->kind != FXI_FM_BILINEAR
                   && shape->kind != FXI_FM_UV;

    if (ordered && (shape->order < 2 || shape->order > FX_ORDER_MAX))
        return fxi_error(FX_EINVAL, "order %d; orders 2 to %d are offered", shape->order,
                         FX_ORDER_MAX);
    if (!shape->rank)
        return fxi_error(FX_EINVAL, "rank 0: there must be a factor");
    if (shape->rank > INT32_MAX)
        return fxi_error(FX_ESHAPE, "rank %zu is too large", shape->rank);
    if (shape->kind == FXI_FM_BILINEAR && (!shape->split || shape->split >= shape->given))
        return fxi_error(FX_EINVAL, "split=%zu of %zu columns leaves nothing on one side",
                         shape->split, shape->given);
    return FX_OK;
}

fx_status fxi_fm_new(fxi_fm *out, const fxi_fm_shape *shape)
{
    fxi_fm fm = {.kind = shape->kind, .simd = fxi_simd_get(), .given = shape->given,
                 .linear = shape->linear,
                 .intercept = shape->intercept, .how = shape->how, .rank = shape->rank,
                 .alpha = shape->alpha, .beta_lambda = shape->beta_lambda, .times = 1};
    fx_status st = check(shape);

    if (st)
        return st;
    fm.panels = shape->rank / FXI_LANES + (shape->rank % FXI_LANES > 0);
    if (!count_columns(&fm, shape))
        return fxi_error(FX_ESHAPE, "%zu columns are too many", shape->given);
    fm.w = 8;                           /* b is alone in the first 64 bytes */
    fm.size = fm.w + (fm.linear ? (fm.given + 7) / 8 * 8 : 0);
    if (!(st = make_groups(&fm, shape)))
        st = add_blocks(&fm, shape);
    if (st)
        fxi_fm_free(&fm);
    else
        *out = fm;
    return st;
}

void fxi_fm_times(fxi_fm *fm, double times)
{
    fm->times *= times;
    for (size_t g = 0; g < fm->blocks; g++) {
        fm->block[g].beta *= times;
        fm->block[g].beta_front *= times;
    }
}

void fxi_fm_free(fxi_fm *fm)
{
    for (size_t g = 0; g < fm->blocks; g++)
        fx_kernel_free(fm->block[g].kernel);
    free(fm->group);
    *fm = (fxi_fm){0};
}

/* ---- Numbers ----------------------------------------------------------------------------- */

size_t fxi_fm_at(const fxi_fm *fm, size_t block, size_t component, size_t col)
{
    return fm->block[block].P
         + (component / FXI_LANES * fm->cols + col) * FXI_LANES + component % FXI_LANES;
}

int64_t fxi_fm_given(const fxi_fm *fm, size_t j)
{
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    j = j >= half ? j - half : j;
    return j < fm->front ? -1 : (int64_t)(j - fm->front);
}

/* Where factors of a block of order t start: products of t of them are as large as those of two of
 * size sd, so that no order starts closer to its stationary point 0 than order 2 does. */
static double start_size(const fxi_fm_block *b, double sd)
{
    return b->order > 2 ? pow(sd, 2. / b->order) : sd;
}

void fxi_fm_start(double *v, const fxi_fm *fm, double sd, uint64_t seed, const unsigned char *seen)
{
    for (size_t i = 0; i < fm->size; i++)
        v[i] = 0;
    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *b = &fm->block[g];
        double size = start_size(b, sd);
        for (size_t j = 0; j < fm->cols; j++) {
            int64_t from = fxi_fm_given(fm, j);
            if ((fm->group && fm->group[j] < 0) || (seen && from >= 0 && !seen[from]))
                continue;
            for (size_t s = 0; s < fm->rank; s++)
                v[fxi_fm_at(fm, g, s, j)]
                    = size * fxi_rng_normal((fxi_rng){seed, FXI_FM_START},
                                            (g * fm->rank + s) * fm->cols + j);
        }
        for (size_t s = 0; s < fm->rank; s++)
            v[b->lambda + s] = fm->how == FXI_FM_SIGNS
                                   ? fxi_rng_sign((fxi_rng){seed, FXI_FM_LAMBDA}, g * fm->rank + s)
                                   : 1;
        for (int t = 0; fm->kind == FXI_FM_SIMPLEX && t < b->order; t++)
            v[b->theta + (size_t)t] = 1. / b->order;
        /* An empty product is 1: scores would start at the sum of lambda, where small steps of b
         * stay for a thousand epochs. */
        for (size_t s = 0; fm->kind == FXI_FM_SUBSETS && fm->intercept && s < fm->rank; s++)
            v[0] -= v[b->lambda + s];
    }
}

static double square_sum(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

double fxi_fm_norm(const fxi_fm *fm, const double *v, size_t block)
{
    return sqrt(square_sum(v + fm->block[block].P, fm->panels * fm->cols * FXI_LANES));
}

double fxi_fm_penalty(const fxi_fm *fm, const double *v)
{
    double sum = fm->linear ? fm->alpha / 2 * square_sum(v + fm->w, fm->given) : 0;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *b = &fm->block[g];
        double all = square_sum(v + b->P, fm->panels * fm->cols * FXI_LANES), front = 0;
        for (size_t h = 0; h < fm->panels && b->beta_front != b->beta; h++)
            for (size_t j = 0; j < fm->cols; j += half)
                front += square_sum(v + b->P + (h * fm->cols + j) * FXI_LANES,
                                    fm->front * FXI_LANES);
        sum += b->beta / 2 * all + (b->beta_front - b->beta) / 2 * front;
        if (fm->how == FXI_FM_LEARNED)
            sum += fm->beta_lambda / 2 * square_sum(v + b->lambda, fm->rank);
    }
    return sum;
}
