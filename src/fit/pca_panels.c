/* SPDX-License-Identifier: BSD-3-Clause
 * pca_panels.c - products of a symmetric matrix with a block of vectors.
 *
 * Rows lie in panels of 16, so that 16 rows times 16 vectors are a tile of sums that stays in
 * registers (newton_hot.c); a panel is loaded once for FXI_PCA_GROUPS * 16 vectors. */

#include "fit/pca.h"

#include <string.h>

enum { T = FXI_LANES, CHUNK = 512 };    /* rows of a panel that wait in the cache */

typedef struct product {
    const fxi_pca_panels *m;
    double *Y;
    size_t count;
} product;

static bool numbers(size_t *out, size_t n)
{
    size_t wide;

    return fxi_size_add(&wide, n, T - 1) && fxi_size_mul(out, wide - wide % T, wide - wide % T)
           && fxi_size_add(out, *out, wide * FXI_PCA_GROUPS * T);
}

bool fxi_fit_pca_panels_bytes(size_t *bytes, size_t n)
{
    return numbers(bytes, n) && fxi_size_mul(bytes, *bytes, sizeof(double));
}

fx_status fxi_fit_pca_panels(fxi_pca_panels *out, size_t n)
{
    size_t all, panels = (n + T - 1) / T;

    if (!numbers(&all, n))
        return fxi_error(FX_ESHAPE, "a matrix of %zu rows is too large", n);
    *out = (fxi_pca_panels){n, panels, panels * T, fxi_alloc(all, sizeof *out->A), NULL,
                            fxi_simd_get()};
    if (!out->A)
        return FX_ENOMEM;
    out->X = out->A + out->wide * out->wide;
    return FX_OK;
}

static fx_status panel(void *ctx, size_t i, fxi_team *team)
{
    const product *p = ctx;
    const fxi_pca_panels *m = p->m;
    _Alignas(64) double C[FXI_PCA_GROUPS][T * T] = {{0}};
    const double *A = m->A + i * m->wide * T;

    for (size_t k = 0; k < m->wide && !fxi_parallel_cancelled(team); k += CHUNK) {
        size_t len = m->wide - k < CHUNK ? m->wide - k : CHUNK;
        for (size_t g = 0; g * T < p->count; g++)
            m->simd->linalg_cholesky_tile(C[g], A + k * T, m->X + (g * m->wide + k) * T, len, 1);
    }
    for (size_t v = 0; v < p->count; v++)
        for (size_t r = 0; r < T && i * T + r < m->n; r++)
            p->Y[v * m->n + i * T + r] = C[v / T][r * T + v % T];
    return FX_OK;
}

fx_status fxi_fit_pca_panels_apply(void *panels, double *Y, const double *X, size_t count,
                                   const fx_run *run)
{
    fxi_pca_panels *m = panels;
    fx_status st = FX_OK;

    for (size_t first = 0; first < count && !st; first += FXI_PCA_GROUPS * T) {
        product p = {m, Y + first * m->n, count - first};
        if (p.count > FXI_PCA_GROUPS * T)
            p.count = FXI_PCA_GROUPS * T;
        memset(m->X, 0, FXI_PCA_GROUPS * m->wide * T * sizeof *m->X);
        for (size_t v = 0; v < p.count; v++)
            for (size_t i = 0; i < m->n; i++)
                m->X[(v / T * m->wide + i) * T + v % T] = X[(first + v) * m->n + i];
        fx_run how = fxi_parallel_run(run, (double)m->n * (double)m->n * (double)p.count);
        st = fxi_parallel(m->panels, panel, &p, &how);
    }
    return st;
}

double fxi_fit_pca_panels_trace(const fxi_pca_panels *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->n; i++)
        sum += m->A[(i / T * m->wide + i) * T + i % T];
    return sum;
}
