/* SPDX-License-Identifier: BSD-3-Clause
 * cholesky.c - the factorisation A = LL', which overwrites A, and solving with it.
 *
 * Columns are finished in blocks of WIDE panels, from the left.  A panel of rows is updated once
 * for each block: the contribution of all columns before the block is subtracted, CHUNK panels of
 * them at a time, so that the block's own panels come from the second-level cache; then the block's
 * tiles are divided by its factored diagonal tiles, from the left again.  Panels of rows are
 * independent of each other, except those of the diagonal block, which come first and, because they
 * are short, one by one.
 *
 * Cost: n^3/6 multiply-adds; a solution 2 n^2/2.  Accuracy: LL' = A + E with
 * |E| <= (n + 1) u |L||L'|, number by number, u = 2^-53.
 * References: Higham 2002, chapter 10. */

#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

enum { T = FXI_TILE, WIDE = 8, CHUNK = 16, SMALL = 1 << 22 };

typedef struct factoring {
    double *A;
    size_t begin, end;                  /* panels of the diagonal block */
    size_t first;                       /* panel of block 0 of a loop */
    const fxi_simd *simd;
} factoring;

bool fxi_linalg_cholesky_size(size_t *numbers, size_t n)
{
    size_t panels = fxi_cholesky_panels(n);

    return fxi_size_mul(numbers, panels, panels + 1) && fxi_size_mul(numbers, *numbers, T * T / 2);
}

/* The tiles of panel i in the block, from the left; false: a pivot is not positive. */
static bool finish(const factoring *a, size_t i)
{
    size_t end = i < a->end ? i : a->end;

    for (size_t j = a->begin; j < end; j++) {
        double *C = fxi_cholesky_at(a->A, i, j);
        a->simd->linalg_cholesky_tile(C, fxi_cholesky_at(a->A, j, a->begin),
                                      fxi_cholesky_at(a->A, i, a->begin), (j - a->begin) * T, -1);
        a->simd->linalg_cholesky_divide(C, fxi_cholesky_at(a->A, j, j));
    }
    if (i >= a->end)
        return true;
    double *C = fxi_cholesky_at(a->A, i, i);
    const double *left = fxi_cholesky_at(a->A, i, a->begin);
    a->simd->linalg_cholesky_tile(C, left, left, (i - a->begin) * T, -1);
    for (size_t c = 0; c < T; c++)
        for (size_t r = c; r < T; r++) {
            double v = C[c * T + r];
            for (size_t e = 0; e < c; e++)
                v -= C[e * T + r] * C[e * T + c];
            if (r == c && !(v > 0 && v < INFINITY))
                return false;
            C[c * T + r] = r == c ? sqrt(v) : v / C[c * T + c];
        }
    return true;
}

static fx_status update_panel(void *ctx, size_t k, fxi_team *team)
{
    const factoring *a = ctx;
    size_t i = a->first + k, end = i < a->end ? i + 1 : a->end;

    for (size_t from = 0; from < a->begin; from += CHUNK) {
        size_t n = a->begin - from < CHUNK ? a->begin - from : CHUNK;
        if (fxi_parallel_cancelled(team))
            return FX_OK;
        for (size_t j = a->begin; j < end; j++)
            a->simd->linalg_cholesky_tile(fxi_cholesky_at(a->A, i, j),
                                          fxi_cholesky_at(a->A, j, from),
                                          fxi_cholesky_at(a->A, i, from), n * T, -1);
    }
    if (i >= a->end)
        finish(a, i);
    return FX_OK;
}

/* Updates panels [first, last) by the block, on one thread if there is little to do. */
static fx_status update_panels(factoring *a, size_t first, size_t last, const fx_run *run)
{
    fx_run how = fxi_sized_run(run);

    if ((last - first) * (a->end - a->begin) * a->end < SMALL / (T * T * T))
        how.threads = 1;
    a->first = first;
    return fxi_parallel(last - first, update_panel, a, &how);
}

fx_status fxi_linalg_cholesky(double *A, size_t n, const fx_run *run)
{
    factoring a = {.A = A, .simd = fxi_simd_get()};
    size_t panels = fxi_cholesky_panels(n);
    fx_status st = FX_OK;

    for (size_t r = n; r < panels * T; r++) {
        double *row = fxi_cholesky_at(A, panels - 1, 0) + r % T;
        for (size_t c = 0; c < panels * T; c++)
            row[c * T] = c == r;
    }
    for (; a.begin < panels && !st; a.begin = a.end) {
        a.end = panels - a.begin < WIDE ? panels : a.begin + WIDE;
        st = update_panels(&a, a.begin, a.end, run);
        for (size_t i = a.begin; i < a.end && !st; i++)
            if (!finish(&a, i))
                st = fxi_error(FX_ENUMERIC,
                               "the matrix of %zu rows is not positive definite (rows %zu to %zu)",
                               n, i * T, i * T + T - 1 < n ? i * T + T - 1 : n - 1);
        if (!st)
            st = update_panels(&a, a.end, panels, run);
    }
    return st;
}

/* ---- Solving ------------------------------------------------------------------------------ */
typedef struct solving {
    double *x;
    const double *L;
    size_t panels;
    const fxi_simd *simd;
} solving;

/* Blocks 0.. are the panels downwards, with L; the others upwards, with L'. */
static fx_status substitute(void *ctx, size_t k, fxi_team *team)
{
    const solving *s = ctx;
    bool down = k < s->panels;
    size_t i = down ? k : 2 * s->panels - 1 - k;
    const double *L = fxi_cholesky_at(s->L, i, 0), *F = fxi_cholesky_at(s->L, i, i);
    double *x = s->x + i * T;

    (void)team;
    if (down)
        s->simd->linalg_cholesky_lower(x, L, s->x, i * T);
    for (size_t q = 0; q < T; q++) {
        size_t c = down ? q : T - 1 - q;
        for (size_t e = c + 1; !down && e < T; e++)
            x[c] -= F[c * T + e] * x[e];
        x[c] /= F[c * T + c];
        for (size_t e = c + 1; down && e < T; e++)
            x[e] -= F[c * T + e] * x[c];
    }
    if (!down)
        s->simd->linalg_cholesky_upper(s->x, L, x, i * T);
    return FX_OK;
}

fx_status fxi_linalg_cholesky_solve(double *x, const double *L, size_t n, const fx_run *run)
{
    solving s = {x, L, fxi_cholesky_panels(n), fxi_simd_get()};

    memset(x + n, 0, (s.panels * T - n) * sizeof *x);
    return fxi_parallel_ordered(2 * s.panels, substitute, &s, run);
}
