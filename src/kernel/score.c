/* SPDX-License-Identifier: BSD-3-Clause
 * score.c - weighted sums of kernel values: S[i][c] = sum_w K(x_i, z_w) W[w][c].
 *
 * A tile of rows x is evaluated against all vectors z, panel by panel (panel.c); each panel's
 * values are multiplied with its weights while they are in the cache, so memory is a tile a
 * thread.  Sums are in double and in an order that depends on z.n and outputs alone: for one output
 * each lane has its own sum and they are added at the end, else the vectors follow one another.  A
 * value that is not finite makes its sum infinite or NaN, whatever its weight; only then is it
 * searched. |error| <= (n + 1) u sum |K W| beside the errors of K, n = z.n. */

#include "kernel/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 512 };
enum { SUMS = 1 << 19 };                /* of a tile: the loop between two polls is 16 times that */

typedef struct score {
    double *S;
    const double *W;
    size_t outputs;
    size_t width;                       /* sums of a row: a lane each, or outputs rounded up */
    double *sum;                        /* [threads][tile][width] */
    double *weight;                     /* [threads][FXI_LANES][width], or [threads][FXI_LANES] */
    fxi_panels p;
} score;

/* The weights of vectors j.., 0 for lanes and outputs that are not there. */
static void pack_weights(double *to, const score *a, size_t j, size_t lanes)
{
    size_t width = a->outputs == 1 ? 1 : a->width;

    memset(to, 0, FXI_LANES * width * sizeof *to);
    for (size_t w = 0; w < lanes; w++)
        memcpy(to + w * width, a->W + (j + w) * a->outputs, a->outputs * sizeof *to);
}

static fx_status find_bad(const fxi_panels *p, const double *v, size_t i0, size_t n, size_t j,
                          size_t lanes)
{
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < lanes; w++)
            if (!isfinite(v[i * FXI_LANES + w]))
                return fxi_kernel_not_finite(p->kernel, v[i * FXI_LANES + w],
                                             fxi_row_subset_at(p->x, i0 + i), "vector",
                                             fxi_row_subset_at(p->z, j + w));
    return FX_OK;
}

/* All panels beside a tile, values added to its sums; or, where `sum` is NULL, looked at one by
 * one.  FX_ECANCELLED, without a detail, if the call is to stop. */
static fx_status panels(const score *a, fxi_space *s, size_t i0, size_t n, double *sum,
                        double *weight)
{
    const fxi_panels *p = &a->p;
    fx_status st = FX_OK;

    for (size_t j = 0; j < p->z.n && !st; j += FXI_LANES) {
        size_t lanes = p->z.n - j < FXI_LANES ? p->z.n - j : FXI_LANES;
        if (!fxi_kernel_panel_pack(p, s, j, lanes)
            || !fxi_kernel_panel_eval(s->out, p, s, i0, 0, n))
            return FX_ECANCELLED;
        if (!sum) {
            st = find_bad(p, s->out, i0, n, j, lanes);
            continue;
        }
        if (lanes < FXI_LANES)          /* no vector stands there */
            for (size_t i = 0; i < n; i++)
                memset(s->out + i * FXI_LANES + lanes, 0, (FXI_LANES - lanes) * sizeof *s->out);
        pack_weights(weight, a, j, lanes);
        if (a->outputs == 1)
            s->work.simd->kernel_score_one(sum, s->out, weight, n);
        else
            s->work.simd->kernel_score_many(sum, s->out, weight, n, a->width);
    }
    return st;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const score *a = ctx;
    const fxi_panels *p = &a->p;
    fxi_space *s = fxi_kernel_panel_space(p, team);
    size_t thread = (size_t)fxi_parallel_thread(team);
    size_t i0 = b * p->tile, n = p->x.n - i0 < p->tile ? p->x.n - i0 : p->tile;
    double *sum = a->sum + thread * p->tile * a->width, check = 0;
    double *weight = a->weight + thread * FXI_LANES * a->width;
    fx_status st = FX_ECANCELLED;

    memset(sum, 0, n * a->width * sizeof *sum);
    if (fxi_kernel_panel_eval_tile(p, s, i0, n))
        st = panels(a, s, i0, n, sum, weight);
    for (size_t i = 0; i < n * a->width && !st; i++)
        check += sum[i] * 0;            /* NaN for good if a value was not finite */
    if (check != 0)
        st = panels(a, s, i0, n, NULL, NULL);
    if (st)
        return st == FX_ECANCELLED ? FX_OK : st;        /* fxi_parallel reports a stop */
    for (size_t i = 0; i < n; i++) {
        const double *from = sum + i * a->width;
        double *to = a->S + (i0 + i) * a->outputs;
        memcpy(to, from, a->outputs * sizeof *to);
        for (size_t w = 1; a->outputs == 1 && w < FXI_LANES; w++)
            *to += from[w];
    }
    return FX_OK;
}

fx_status fxi_kernel_score(double *S, const fx_kernel *k, fxi_row_subset x, fxi_row_subset z,
                           const double *W, size_t outputs, const fx_run *run)
{
    score a = {.S = S, .W = W, .outputs = outputs};
    size_t bytes;

    if (x.n == 0 || outputs == 0)
        return FX_OK;
    if (z.n == 0) {
        memset(S, 0, x.n * outputs * sizeof *S);
        return FX_OK;
    }
    if (fxi_kernel_is_precomputed(k))
        return fxi_kernel_precomputed_score(S, k, x, z, W, outputs, run);
    if (x.X->cols != z.X->cols)
        return fxi_error(FX_ESHAPE, "rows of %zu columns beside vectors of %zu", x.X->cols,
                         z.X->cols);
    a.p = (fxi_panels){.kernel = k, .x = x, .z = z, .tile = fxi_kernel_panel_tile(x.X, TILE)};
    if (x.n < a.p.tile)
        a.p.tile = x.n;
    a.width = outputs == 1 ? FXI_LANES : (outputs + 7) / 8 * 8;
    if (a.p.tile > SUMS / a.width)      /* many outputs: a stop shall not wait for all rows */
        a.p.tile = SUMS / a.width ? SUMS / a.width : 1;
    size_t blocks = (x.n + a.p.tile - 1) / a.p.tile;
    fx_run how = fxi_parallel_run(run, (double)x.n * (double)z.n
                                           * (fxi_kernel_panel_work(k, x.X) + (double)outputs));
    size_t threads = (size_t)fxi_parallel_threads(&how, blocks);
    if (!fxi_size_mul(&bytes, (a.p.tile + FXI_LANES) * threads * sizeof(double), a.width))
        bytes = SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "sums of kernel values");
    if (!st)
        st = fxi_kernel_panel_open(&a.p, (int)threads, 1, "scratch for sums of kernel values", run);
    if (!st
        && (!(a.sum = fxi_alloc(threads * a.p.tile * a.width, sizeof *a.sum))
            || !(a.weight = fxi_alloc(threads * FXI_LANES * a.width, sizeof *a.weight))))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_parallel(blocks, block, &a, &how);
    fxi_kernel_panel_close(&a.p);
    free(a.sum);
    free(a.weight);
    return st;
}
