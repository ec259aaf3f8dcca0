/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_row.c - one row of any model, by row.c: its score, and what the slope of its loss adds to
 * a gradient. */

#include "fm/adagrad.h"

#include <string.h>

/* What a panel adds to df/dtheta; its value was computed last. */
static void add_orders(double *theta, const fxi_fm_workspace *workspace, const double *lambda,
                       int m)
{
    const double *e = fxi_fm_row_orders(workspace);

    for (int t = 1; t <= m; t++)
        for (int w = 0; w < FXI_LANES; w++)
            theta[t - 1] += lambda[w] * e[t * FXI_LANES + w];
}

void fxi_fm_adagrad_row_score(fxi_fm_adagrad_rows *a, size_t r, const double *v, bool learn)
{
    const fxi_fm *fm = a->fm;
    bool simplex = fm->kind == FXI_FM_SIMPLEX;
    size_t first = fxi_fm_adagrad_first(a, r), n = fxi_fm_adagrad_first(a, r + 1) - first;
    size_t kernels = fm->blocks * fm->panels;

    fxi_fm_row(a->workspace, (fxi_row){.n = n, .f64 = a->x + first, .col32 = a->col + first});
    memset(a->theta[r], 0, sizeof a->theta[r]);
    for (size_t s = 0; s < kernels; s++) {
        size_t b = s / fm->panels, h = s % fm->panels;
        const double *lambda = v + fm->block[b].lambda + h * FXI_LANES;
        double *K = a->K + (r * kernels + s) * FXI_LANES;
        if (!learn || simplex)
            fxi_fm_row_value(K, a->workspace, v, b, h, a->team);
        if (learn && simplex)
            add_orders(a->theta[r], a->workspace, lambda, fm->block[b].order);
        if (learn)
            fxi_fm_row_gradient(K, fxi_fm_adagrad_pending(a, s, r), a->workspace, v, b, h, a->team);
        for (int w = 0; w < FXI_LANES; w++)
            a->f[r] += lambda[w] * K[w];
    }
}

void fxi_fm_adagrad_row_accumulate(const fxi_fm_adagrad_rows *a, double *G, size_t r,
                                   const double *v)
{
    const fxi_fm *fm = a->fm;
    size_t first = fxi_fm_adagrad_first(a, r), n = fxi_fm_adagrad_first(a, r + 1) - first;
    size_t kernels = fm->blocks * fm->panels;

    for (size_t s = 0; s < kernels; s++) {
        size_t b = s / fm->panels, h = s % fm->panels, lambda = fm->block[b].lambda + h * FXI_LANES;
        const double *K = a->K + (r * kernels + s) * FXI_LANES;
        _Alignas(64) double by[FXI_LANES];
        for (size_t w = 0; w < FXI_LANES; w++)
            by[w] = a->by[r] * v[lambda + w];
        a->simd->fm_add(G + fm->block[b].P + h * fm->cols * FXI_LANES, a->col + first,
                        fxi_fm_adagrad_pending(a, s, r), by, n);
        size_t learned = fm->how != FXI_FM_LEARNED              ? 0
                         : fm->rank - h * FXI_LANES < FXI_LANES ? fm->rank - h * FXI_LANES
                                                                : FXI_LANES;
        for (size_t w = 0; w < learned; w++)
            G[lambda + w] += a->by[r] * K[w];
    }
    for (int t = 0; fm->kind == FXI_FM_SIMPLEX && t < fm->block[0].order; t++)
        G[fm->block[0].theta + (size_t)t] += a->by[r] * a->theta[r][t];
}
