/* SPDX-License-Identifier: BSD-3-Clause
 * newton_hessian.c - a preconditioner for conjugate gradients: the Hessian of a sample of the rows,
 * factored.
 *
 * A = I + (1/m) (sum_i D_i) sum of z_i z_i' over m rows, drawn evenly in proportion to D_i, m at
 * least SAMPLE times the features: enough that the product of its inverse with the Hessian has a
 * condition number of about ((1 + sqrt(1/SAMPLE))/(1 - sqrt(1/SAMPLE)))^2 = 9.  The intercept's
 * constant feature is the last one.  A free intercept has no penalty, and solving with 0 in its
 * place is the same as solving with the matrix from which it was eliminated.
 *
 * A is stored in panels of 16 rows, as in linalg/cholesky.h; its tiles of 16 x 16 are sums of outer
 * products of panels, in the forming of A as in its factorisation. */

#include "fit/newton.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

enum { T = FXI_TILE, CHUNK = 128, SAMPLE = 4, PASSES = 4, SPEEDUP = 4 };

static size_t order(const fxi_newton *n) { return n->d + (n->p->intercept != FXI_NONE); }

size_t fxi_fit_newton_hessian_size(size_t d)
{
    size_t square = 0;

    fxi_linalg_cholesky_size(&square, d + 1);
    return square + fxi_cholesky_panels(d + 1) * T * CHUNK;
}

/* Rows of a sample: SAMPLE times the features, or what costs PASSES passes if that is more. */
static double sample(const fxi_newton *n)
{
    double d = (double)order(n), rows = (double)n->p->source->rows;

    return fmin(rows, fmax(SAMPLE * d, 4.0 * SPEEDUP * PASSES * rows / d));
}

/* In passes.  A pass does few operations for each number that it loads; tiles do SPEEDUP times as
 * many per second. */
double fxi_fit_newton_hessian_cost(const fxi_newton *n)
{
    double d = (double)order(n), rows = (double)n->p->source->rows;

    return d / (2 * SPEEDUP * rows) * (sample(n) / 2 + d / 6);
}

typedef struct tiling {
    double *L, *z;                      /* z[panel][CHUNK][T]: rows that wait */
    size_t panels, pending;
    const fxi_simd *simd;
} tiling;

/* ---- Forming ------------------------------------------------------------------------------ */
static fx_status add_panel(void *ctx, size_t k, fxi_team *team)
{
    const tiling *a = ctx;
    size_t i = a->panels - 1 - k;       /* long ones first */

    for (size_t j = 0; j <= i && !fxi_parallel_cancelled(team); j++)
        a->simd->linalg_cholesky_tile(fxi_cholesky_at(a->L, i, j), a->z + j * CHUNK * T,
                                      a->z + i * CHUNK * T, a->pending, 1);
    return FX_OK;
}

static fx_status flush(tiling *a, const fx_run *run)
{
    fx_status st = a->pending ? fxi_parallel(a->panels, add_panel, a, run) : FX_OK;

    a->pending = 0;
    return st;
}

/* Row z times `by` into the place of the next pending row. */
static void enqueue(tiling *a, fxi_row z, double by, size_t constant, bool intercept)
{
    double *to = a->z + a->pending++ * T;

    for (size_t k = 0; k < a->panels; k++)
        memset(to + k * CHUNK * T, 0, T * sizeof *to);
    for (size_t q = 0; q < z.n; q++) {
        size_t j = (size_t)fxi_row_column(z, q);
        to[j / T * CHUNK * T + j % T] = by * fxi_row_value(z, q);
    }
    if (intercept)
        to[constant / T * CHUNK * T + constant % T] = by;
}

static fx_status form(fxi_newton *n, tiling *a)
{
    const fxi_source *s = n->p->source;
    size_t active = 0;
    double m = sample(n), total = 0, seen = 0;
    fx_status st = FX_OK;

    for (size_t i = 0; i < s->rows; i++) {
        active += n->D[i] > 0;
        total += n->D[i];
    }
    for (size_t b = 0; b < s->blocks && !st; b++) {
        fx_matrix Z;
        st = fxi_fit_source_block(&Z, s, b, n->buffer, &n->how);
        for (size_t r = 0; r < Z.rows && !st; r++) {
            double D = n->D[b * s->block + r], times = floor(seen / total * m);
            seen += D;
            times = floor(seen / total * m) - times;
            if (m < (double)active)
                D = times * (total / m);
            if (!(D > 0))
                continue;
            enqueue(a, fxi_data_row(&Z, r), sqrt(D), n->d, n->p->intercept != FXI_NONE);
            if (a->pending == CHUNK)
                st = flush(a, &n->how);
        }
    }
    return st ? st : flush(a, &n->how);
}

fx_status fxi_fit_newton_hessian_make(fxi_newton *n)
{
    size_t panels = fxi_cholesky_panels(n->d + 1), square = 0;
    tiling a = {.panels = panels, .simd = n->simd, .L = n->L};
    fx_status st;

    fxi_linalg_cholesky_size(&square, n->d + 1);
    a.z = n->L + square;
    memset(n->L, 0, square * sizeof *n->L);
    for (size_t j = 0; j <= n->d; j++)
        fxi_cholesky_at(n->L, j / T, j / T)[j % T * (T + 1)] = j < n->penalised || j >= order(n);
    n->factored = false;
    if ((st = form(n, &a)))
        return st;
    st = fxi_linalg_cholesky(n->L, n->d + 1, &n->how);
    n->factored = !st;
    return st == FX_ENUMERIC ? FX_OK : st; /* the diagonal is used instead */
}

/* x = A^-1 r.  Short enough not to be stopped. */
void fxi_fit_newton_hessian_solve(double *x, const fxi_newton *n, const double *r)
{
    size_t square = 0, d = n->penalised;
    double *y = n->L;

    fxi_linalg_cholesky_size(&square, n->d + 1);
    y += square;                        /* has rows only while the Hessian is formed */
    memset(y, 0, (n->d + 1) * sizeof *y);
    memcpy(y, r, d * sizeof *y);
    fxi_linalg_cholesky_solve(y, n->L, n->d + 1, NULL);
    memcpy(x, y, d * sizeof *x);
}
