/* SPDX-License-Identifier: BSD-3-Clause
 * newton_hessian.c - a preconditioner for conjugate gradients: the Hessian of a sample of the rows,
 * factored.
 *
 * A = I + (1/m) (sum_i D_i) sum of z_i z_i' over m rows, drawn evenly in proportion to D_i, m at
 * least SAMPLE times the features: enough that the product of its inverse with the Hessian has a
 * condition number of about ((1 + sqrt(1/SAMPLE))/(1 - sqrt(1/SAMPLE)))^2 = 9.  The
 * intercept's constant feature stands behind the others; under a free one it has no penalty, and
 * solving with 0 for it is solving with what is left when it is eliminated.
 *
 * A and its factor L (A = LL') lie in panels of 16 rows, L[panel][column][16]; tiles of 16 x 16 are
 * sums of outer products of such panels, in the forming of A as in its factorisation. */

#include "fit/newton.h"

#include <math.h>
#include <string.h>

enum { T = FXI_LANES, CHUNK = 128, SAMPLE = 4, PASSES = 4, FASTER = 4 };

static size_t order(const fxi_newton *n) { return n->d + (n->p->intercept != FXI_NONE); }

size_t fxi_fit_newton_hessian_panels(size_t d) { return (d + 1 + T - 1) / T; }

size_t fxi_fit_newton_hessian_size(size_t panels)
{
    return panels * T * (panels * T + CHUNK + 1);
}

/* Rows of a sample: SAMPLE times the features, or what costs PASSES passes if that is more. */
static double sample(const fxi_newton *n)
{
    double d = (double)order(n), rows = (double)n->p->source->rows;

    return fmin(rows, fmax(SAMPLE * d, 4.0 * FASTER * PASSES * rows / d));
}

/* In passes.  A pass does few operations for each number that it loads; tiles do FASTER times as
 * many a second. */
double fxi_fit_newton_hessian_cost(const fxi_newton *n)
{
    double d = (double)order(n), rows = (double)n->p->source->rows;

    return d / (2 * FASTER * rows) * (sample(n) / 2 + d / 6);
}

typedef struct tiling {
    double *L, *z;                      /* z[panel][CHUNK][T]: rows that wait */
    size_t panels, waiting, column;
    const fxi_simd *simd;
} tiling;

static double *tile_at(const tiling *a, size_t i, size_t j)
{
    return a->L + (i * a->panels + j) * T * T;
}

/* ---- Forming ------------------------------------------------------------------------------ */
static fx_status add_panel(void *ctx, size_t k, fxi_team *team)
{
    const tiling *a = ctx;
    size_t i = a->panels - 1 - k;       /* long ones first */

    for (size_t j = 0; j <= i && !fxi_parallel_cancelled(team); j++)
        a->simd->fit_newton_tile(tile_at(a, i, j), a->z + j * CHUNK * T, a->z + i * CHUNK * T,
                                 a->waiting, 1);
    return FX_OK;
}

static fx_status flush(tiling *a, const fx_run *run)
{
    fx_status st = a->waiting ? fxi_parallel(a->panels, add_panel, a, run) : FX_OK;

    a->waiting = 0;
    return st;
}

/* Row z times `by` into the place of the next row that waits. */
static void enqueue(tiling *a, fxi_row z, double by, size_t constant, bool intercept)
{
    double *to = a->z + a->waiting++ * T;

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
            if (a->waiting == CHUNK)
                st = flush(a, &n->how);
        }
    }
    return st ? st : flush(a, &n->how);
}

/* ---- Factoring ---------------------------------------------------------------------------- */
/* Panel i of column a->column of tiles: subtract what earlier columns explain, then divide by the
 * diagonal tile, which has been factored. */
static fx_status factor_panel(void *ctx, size_t k, fxi_team *team)
{
    const tiling *a = ctx;
    size_t j = a->column, i = j + 1 + k;
    double *C = tile_at(a, i, j);
    const double *F = tile_at(a, j, j);

    (void)team;
    a->simd->fit_newton_tile(C, tile_at(a, j, 0), tile_at(a, i, 0), j * T, -1);
    for (size_t c = 0; c < T; c++)
        for (size_t r = 0; r < T; r++) {
            double v = C[c * T + r];
            for (size_t e = 0; e < c; e++)
                v -= C[e * T + r] * F[e * T + c];
            C[c * T + r] = v / F[c * T + c];
        }
    return FX_OK;
}

static bool factor_diagonal(const tiling *a, size_t j)
{
    double *C = tile_at(a, j, j);

    a->simd->fit_newton_tile(C, tile_at(a, j, 0), tile_at(a, j, 0), j * T, -1);
    for (size_t c = 0; c < T; c++)
        for (size_t r = c; r < T; r++) {
            double v = C[c * T + r];
            for (size_t e = 0; e < c; e++)
                v -= C[e * T + r] * C[e * T + c];
            if (r == c && !(v > 0))
                return false;
            C[c * T + r] = r == c ? sqrt(v) : v / C[c * T + c];
        }
    return true;
}

fx_status fxi_fit_newton_hessian_make(fxi_newton *n)
{
    size_t panels = fxi_fit_newton_hessian_panels(n->d), wide = panels * T;
    tiling a = {.L = n->L, .z = n->L + wide * wide, .panels = panels, .simd = n->simd};
    fx_status st;

    memset(n->L, 0, wide * wide * sizeof *n->L);
    for (size_t j = 0; j < wide; j++)
        tile_at(&a, j / T, j / T)[j % T * (T + 1)] = j < n->penalised || j >= order(n);
    st = form(n, &a);
    n->factored = !st;
    for (size_t j = 0; j < panels && !st && n->factored; j++) {
        a.column = j;
        n->factored = factor_diagonal(&a, j);
        if (n->factored && j + 1 < panels) {
            fx_run how = fxi_kernel_run(&n->how, (double)((panels - j - 1) * T * T * (j + 1) * T));
            st = fxi_parallel(panels - j - 1, factor_panel, &a, &how);
        }
    }
    return st;
}

/* x = A^-1 r */
void fxi_fit_newton_hessian_solve(double *x, const fxi_newton *n, const double *r)
{
    size_t panels = fxi_fit_newton_hessian_panels(n->d), d = n->penalised;
    tiling a = {.L = n->L, .panels = panels};
    double *y = n->L + panels * T * (panels * T + CHUNK);

    memset(y, 0, panels * T * sizeof *y);
    memcpy(y, r, d * sizeof *y);
    for (size_t i = 0; i < panels; i++) {
        const double *F = tile_at(&a, i, i);
        n->simd->fit_newton_lower(y + i * T, tile_at(&a, i, 0), y, i * T);
        for (size_t c = 0; c < T; c++) {
            y[i * T + c] /= F[c * T + c];
            for (size_t e = c + 1; e < T; e++)
                y[i * T + e] -= F[c * T + e] * y[i * T + c];
        }
    }
    for (size_t i = panels; i-- > 0;) {
        const double *F = tile_at(&a, i, i);
        for (size_t c = T; c-- > 0;) {
            for (size_t e = c + 1; e < T; e++)
                y[i * T + c] -= F[c * T + e] * y[i * T + e];
            y[i * T + c] /= F[c * T + c];
        }
        n->simd->fit_newton_upper(y, tile_at(&a, i, 0), y + i * T, i * T);
    }
    memcpy(x, y, d * sizeof *x);
}
