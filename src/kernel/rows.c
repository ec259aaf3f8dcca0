/* SPDX-License-Identifier: BSD-3-Clause
 * rows.c - rows of a Gram matrix in floats, for solvers that cache some of them.
 *
 * The few requested rows z become panels; the many rows x stream past them, one tile per parallel
 * block (panel.c).  FXI_LANES rows cost hardly more than one, so callers request as many at a time
 * as they can use.  A value is a double until it is rounded once, to a float.
 *
 * Scratch is of the order of threads times a tile (fxi_kernel_rows_bytes); nothing else is
 * allocated, and on one thread a call costs little but the kernel itself. */

#include "kernel/panel.h"

#include <math.h>

enum { TILE = 512 };

typedef struct rows {
    float *const *K;
    fxi_panels p;
} rows;

/* The first number of the tile that is no finite float, if there is one (other lanes may hold
 * anything). */
static fx_status find_bad(const fxi_panels *p, const double *v, size_t i0, size_t n, size_t j,
                          size_t lanes)
{
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < lanes; w++) {
            double k = v[i * FXI_LANES + w];
            size_t a = fxi_row_subset_at(p->x, i0 + i), b = fxi_row_subset_at(p->z, j + w);
            if (!isfinite(k))
                return fxi_kernel_not_finite(p->kernel, k, a, "row", b);
            if (!isfinite((float)k))
                return fxi_error(FX_ENUMERIC,
                                 "%s is %g for row %zu and row %zu (from 0), too large for a "
                                 "float; scale the rows",
                                 p->kernel->spec, k, a, b);
        }
    return FX_OK;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const rows *a = ctx;
    const fxi_panels *p = &a->p;
    fxi_space *s = fxi_kernel_panel_space(p, team);
    size_t i0 = b * p->tile, n = p->x.n - i0 < p->tile ? p->x.n - i0 : p->tile;
    fx_status st = FX_OK;

    if (!fxi_kernel_panel_eval_tile(p, s, i0, n))
        return FX_OK;                   /* fxi_parallel reports a stop, here and below */
    for (size_t j = 0; j < p->z.n && !st; j += FXI_LANES) {
        size_t lanes = p->z.n - j < FXI_LANES ? p->z.n - j : FXI_LANES;
        int bad = 0;
        if (!fxi_kernel_panel_pack(p, s, j, lanes)
            || !fxi_kernel_panel_eval(s->out, p, s, i0, 0, n))
            return FX_OK;
        s->work.simd->kernel_rows(a->K + j, i0, &bad, s->out, n, lanes);
        if (bad)
            st = find_bad(p, s->out, i0, n, j, lanes);
    }
    return st;
}

fx_status fxi_kernel_rows(float *const *K, const fx_kernel *k, fxi_row_subset x, fxi_row_subset z,
                          const fx_run *run)
{
    rows a = {.K = K};

    if (x.n == 0 || z.n == 0)
        return FX_OK;
    if (fxi_kernel_is_precomputed(k))
        return fxi_kernel_precomputed_rows(K, k, x, z, run);
    if (x.X->cols != z.X->cols)
        return fxi_error(FX_ESHAPE, "rows of %zu and of %zu columns", x.X->cols, z.X->cols);
    a.p = (fxi_panels){.kernel = k, .x = x, .z = z, .tile = fxi_kernel_panel_tile(x.X, TILE)};
    size_t blocks = (x.n + a.p.tile - 1) / a.p.tile;
    double pairs = (double)x.n * (double)(z.n + FXI_LANES - z.n % FXI_LANES);
    fx_run how = fxi_parallel_run(run, pairs * fxi_kernel_panel_work(k, x.X));
    fx_status st = fxi_kernel_panel_open(&a.p, fxi_parallel_threads(&how, blocks), 1,
                                         "scratch for rows of a Gram matrix", run);
    if (!st)
        st = fxi_parallel(blocks, block, &a, &how);
    fxi_kernel_panel_close(&a.p);
    return st;
}

size_t fxi_kernel_rows_bytes(const fx_kernel *k, const fx_matrix *X, const fx_run *run)
{
    size_t blocks = X->rows / fxi_kernel_panel_tile(X, TILE) + 1, per_thread;

    if (fxi_kernel_is_precomputed(k))
        return 0;
    per_thread = fxi_kernel_panel_bytes(k, X, TILE, 1);
    return per_thread * (size_t)fxi_parallel_threads(run, blocks);
}

/* ---- The diagonal --------------------------------------------------------------------------- */

typedef struct diagonal {
    double *d;
    fxi_panels p;
} diagonal;

/* Panels of FXI_LANES rows against themselves: only the diagonal of the square is stored. */
static fx_status square(void *ctx, size_t b, fxi_team *team)
{
    const diagonal *a = ctx;
    const fxi_panels *p = &a->p;
    fxi_space *s = fxi_kernel_panel_space(p, team);
    size_t i0 = b * p->tile, n = p->x.n - i0 < p->tile ? p->x.n - i0 : p->tile;

    if (!fxi_kernel_panel_eval_tile(p, s, i0, n) || !fxi_kernel_panel_pack(p, s, i0, n)
        || !fxi_kernel_panel_eval(s->out, p, s, i0, 0, n))
        return FX_OK;
    for (size_t i = 0; i < n; i++) {
        double v = s->out[i * FXI_LANES + i];
        size_t row = fxi_row_subset_at(p->x, i0 + i);
        if (!isfinite(v))
            return fxi_kernel_not_finite(p->kernel, v, row, "row", row);
        a->d[i0 + i] = v;
    }
    return FX_OK;
}

fx_status fxi_kernel_rows_diagonal(double *d, const fx_kernel *k, fxi_row_subset x,
                                   const fx_run *run)
{
    diagonal a = {.d = d, .p = {.kernel = k, .x = x, .z = x, .tile = FXI_LANES}};

    if (x.n == 0)
        return FX_OK;
    if (fxi_kernel_is_precomputed(k))
        return fxi_kernel_precomputed_diagonal(d, k, x, run);
    size_t blocks = (x.n + FXI_LANES - 1) / FXI_LANES;
    fx_run how = fxi_parallel_run(run, (double)x.n * FXI_LANES * fxi_kernel_panel_work(k, x.X));
    fx_status st = fxi_kernel_panel_open(&a.p, fxi_parallel_threads(&how, blocks), 1,
                                         "scratch for the diagonal of a Gram matrix", run);
    if (!st)
        st = fxi_parallel(blocks, square, &a, &how);
    fxi_kernel_panel_close(&a.p);
    return st;
}
