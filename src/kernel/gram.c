/* SPDX-License-Identifier: BSD-3-Clause
 * gram.c - K(X_i, Z_j) for all pairs of rows.
 *
 * The work is cut into blocks, a tile of rows of X by a run of rows of Z, which is
 * evaluated against the tile panel by panel (panel.c).  When Z is X only pairs j <= i are evaluated
 * and each is written twice. A number depends on its own pair alone, and blocks are the same for
 * any number of threads. */

#include "kernel/panel.h"

#include <math.h>

enum { TILE = 256, RUN = 512 };         /* rows of X, rows of Z in a block */
enum { WIDE = 4 };                      /* panels of K that are gathered before they are stored */

typedef struct gram {
    double *K;
    size_t ldk;
    fxi_panels p;
    bool same;
    size_t runs;                        /* runs of rows of Z */
} gram;

/* Values of rows from..rows-1 of the tile with rows j..j+n-1 of Z go to K, and their mirror images
 * when Z is X: lane by lane, so that both are written along rows of K. */
static fx_status store(const gram *g, const fxi_space *s, size_t i0, size_t from, size_t rows,
                       size_t j, size_t n)
{
    size_t panel = g->p.tile * FXI_LANES;

    for (size_t i = from; i < rows; i++) {
        size_t keep = g->same && i0 + i + 1 - j < n ? i0 + i + 1 - j : n;
        double *k = g->K + (i0 + i) * g->ldk + j;
        for (size_t at = 0; at < keep; at += FXI_LANES) {
            const double *v = s->out + at / FXI_LANES * panel + i * FXI_LANES;
            for (size_t w = 0; w < FXI_LANES && at + w < keep; w++) {
                if (!isfinite(v[w]))
                    return fxi_kernel_not_finite(g->p.kernel, v[w], i0 + i, "row", j + at + w);
                k[at + w] = v[w];
            }
        }
    }
    for (size_t w = 0; g->same && w < n; w++) {
        double *k = g->K + (j + w) * g->ldk + i0;
        const double *v = s->out + w / FXI_LANES * panel + w % FXI_LANES;
        for (size_t i = i0 + from < j + w ? j + w - i0 : from; i < rows; i++)
            k[i] = v[i * FXI_LANES];
    }
    return FX_OK;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const gram *g = ctx;
    const fxi_panels *p = &g->p;
    fxi_space *s = fxi_kernel_panel_space(p, team);
    size_t i0 = b / g->runs * p->tile, j0 = b % g->runs * RUN;
    size_t rows = p->x.n - i0 < p->tile ? p->x.n - i0 : p->tile;
    size_t end = p->z.n - j0 < RUN ? p->z.n : j0 + RUN;
    fx_status st = FX_OK;

    if (g->same && end > i0 + rows)
        end = i0 + rows;                /* nothing above the diagonal */
    if (j0 >= end || !fxi_kernel_panel_eval_tile(p, s, i0, rows))
        return FX_OK;                   /* fxi_parallel reports a stop, here and below */
    for (size_t j = j0; !st && j < end; j += WIDE * FXI_LANES) {
        size_t n = end - j < WIDE * FXI_LANES ? end - j : WIDE * FXI_LANES;
        for (size_t at = 0; at < n; at += FXI_LANES) {
            size_t from = g->same && j + at > i0 ? j + at - i0 : 0;
            if (!fxi_kernel_panel_pack(p, s, j + at, n - at < FXI_LANES ? n - at : FXI_LANES)
                || !fxi_kernel_panel_eval(s->out + at * p->tile, p, s, i0, from, rows))
                return FX_OK;
        }
        st = store(g, s, i0, g->same && j > i0 ? j - i0 : 0, rows, j, n);
    }
    return st;
}

static fx_status check(const double *K, size_t ldk, const fx_kernel *k, const fx_matrix *X,
                       const fx_matrix *Z, const fx_run *run)
{
    fx_status st;
    size_t n;

    if (!K || !k || !X)
        return fxi_error(FX_EINVAL, "fx_kernel_gram: %s is NULL", !K ? "K" : !k ? "k" : "X");
    if ((st = fxi_kernel_precomputed_reject(k, "a Gram matrix")) != 0
        || (st = fxi_data_check(X, "X", run)) != 0
        || (Z != X && (st = fxi_data_check(Z, "Z", run)) != 0))
        return st;
    if (X->cols != Z->cols)
        return fxi_error(FX_ESHAPE, "X has %zu columns, Z has %zu", X->cols, Z->cols);
    if (X->rows && ldk < Z->rows)
        return fxi_error(FX_ESHAPE, "ldk is %zu for %zu columns of K", ldk, Z->rows);
    if (!fxi_size_mul(&n, X->rows, ldk) || !fxi_size_mul(&n, n, sizeof *K))
        return fxi_error(FX_ESHAPE, "K of %zu x %zu numbers is too large", X->rows, ldk);
    return FX_OK;
}

fx_status fx_kernel_gram(double *K, size_t ldk, const fx_kernel *k, const fx_matrix *X,
                         const fx_matrix *Z, const fx_run *run)
{
    gram g = {.K = K, .ldk = ldk, .same = !Z};
    fx_status st = check(K, ldk, k, X, Z ? Z : X, run);

    if (st)
        return st;
    Z = Z ? Z : X;
    if (X->rows == 0 || Z->rows == 0)
        return FX_OK;
    g.p = (fxi_panels){.kernel = k,
                       .x = {X, NULL, X->rows},
                       .z = {Z, NULL, Z->rows},
                       .tile = fxi_kernel_panel_tile(X, TILE)};
    g.runs = (Z->rows + RUN - 1) / RUN;
    size_t blocks = (X->rows + g.p.tile - 1) / g.p.tile * g.runs;
    fx_run how = fxi_parallel_run(run, (double)X->rows * (double)Z->rows
                                           * (double)fxi_kernel_cost(k, fxi_data_rows_max(X, 1)));
    st = fxi_kernel_panel_open(&g.p, fxi_parallel_threads(&how, blocks), WIDE,
                               "scratch for the Gram matrix", run);
    if (!st)
        st = fxi_parallel(blocks, block, &g, &how);
    fxi_kernel_panel_close(&g.p);
    return st;
}
