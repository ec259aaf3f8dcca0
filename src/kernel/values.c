/* SPDX-License-Identifier: BSD-3-Clause
 * values.c - K(p_s, X_i) and its derivatives by p_s, for many rows and vectors.
 *
 * The vectors are few and used by all rows: FXI_LANES of them at a time are copied side by side
 * once, panel by panel, and every row of X is evaluated against them (the columns of a sparse row
 * are its slots).  Rows are cut into blocks for the threads; each result depends on its row and
 * vector alone. */

#include "kernel/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 };                     /* rows in a block */

typedef struct thread_space {
    fxi_work work;
    double *x;                          /* [entries] a row in double */
    int64_t *col;                       /* [entries] sparse: its features .. */
    int32_t *slot;                      /* .. and where they are in a panel */
    double *g;                          /* [entries][FXI_LANES] its gradient */
} thread_space;

typedef struct values {
    double *V, *G;
    const fx_kernel *kernel;
    const fx_matrix *X;
    size_t vectors, panels;
    bool scatter;                       /* sparse rows are spread out: kernels of differences */
    size_t entries;                     /* most in a row */
    const double *from;                 /* the caller's P, [cols][vectors] */
    double *P;                          /* [panels][cols][FXI_LANES] */
    thread_space *space;
} values;

static fxi_panel pack_row(const values *a, thread_space *s, size_t i)
{
    fxi_row r = fxi_data_row(a->X, i);
    bool sparse = a->X->ptr && !a->scatter;

    if (a->scatter)
        memset(s->x, 0, a->X->cols * sizeof *s->x);
    for (size_t q = 0; q < r.n; q++) {
        if (a->scatter) {
            s->x[fxi_row_column(r, q)] = fxi_row_value(r, q);
            continue;
        }
        s->x[q] = fxi_row_value(r, q);
        if (sparse) {
            s->col[q] = fxi_row_column(r, q);
            s->slot[q] = (int32_t)s->col[q];
        }
    }
    return (fxi_panel){.n = a->scatter ? a->X->cols : r.n,
                       .x = s->x,
                       .col = sparse ? s->col : NULL,
                       .slot = sparse ? s->slot : NULL};
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const values *a = ctx;
    const fx_matrix *X = a->X;
    thread_space *s = &a->space[fxi_parallel_thread(team)];
    size_t end = X->rows - b * ROWS < ROWS ? X->rows : (b + 1) * ROWS;
    _Alignas(64) double out[FXI_LANES];

    s->work.team = team;
    for (size_t i = b * ROWS; i < end; i++) {
        fxi_panel p = pack_row(a, s, i);
        size_t first = X->ptr ? (size_t)(X->ptr[i] - X->ptr[0]) : i * X->cols;
        for (size_t h = 0; h < a->panels; h++) {
            if (fxi_parallel_cancelled(team))
                return FX_OK;           /* fxi_parallel reports it */
            size_t s0 = h * FXI_LANES, lanes = a->vectors - s0;
            if (lanes > FXI_LANES)
                lanes = FXI_LANES;
            p.zt = a->P + h * X->cols * FXI_LANES;
            fxi_kernel_eval(out, a->kernel, &p, &s->work);
            for (size_t w = 0; w < lanes; w++) {
                if (!isfinite(out[w]))
                    return fxi_kernel_not_finite(a->kernel, out[w], i, "vector", s0 + w);
                a->V[i * a->vectors + s0 + w] = out[w];
            }
            if (!a->G)
                continue;
            a->kernel->type->gradient(s->g, a->kernel, &p, &s->work);
            for (size_t q = 0; q < p.n; q++)
                for (size_t w = 0; w < lanes; w++) {
                    double v = s->g[q * FXI_LANES + w];
                    if (!isfinite(v))
                        return fxi_error(FX_ENUMERIC,
                                         "the gradient of %s overflows for row %zu and "
                                         "vector %zu (from 0); scale the rows",
                                         a->kernel->spec, i, s0 + w);
                    a->G[(first + q) * a->vectors + s0 + w] = v;
                }
        }
    }
    return FX_OK;
}

static void free_spaces(thread_space *space, int threads)
{
    for (int t = 0; space && t < threads; t++) {
        fxi_free(space[t].work.scratch, space[t].x, space[t].col, space[t].slot, space[t].g);
    }
    free(space);
}

static fx_status make_spaces(values *a, int threads)
{
    size_t scratch = fxi_kernel_scratch(a->kernel, a->entries, a->G != NULL);

    if (!(a->space = fxi_zalloc((size_t)threads, sizeof *a->space)))
        return FX_ENOMEM;
    for (int t = 0; t < threads; t++) {
        thread_space *s = &a->space[t];
        s->work.simd = fxi_simd_get();
        if (!(s->work.scratch = fxi_alloc(scratch, sizeof(double)))
            || !(s->x = fxi_alloc(a->entries, sizeof *s->x))
            || !(s->col = fxi_alloc(a->entries, sizeof *s->col))
            || !(s->slot = fxi_alloc(a->entries, sizeof *s->slot))
            || (a->G && !(s->g = fxi_alloc(a->entries * FXI_LANES, sizeof *s->g))))
            return FX_ENOMEM;
    }
    return FX_OK;
}

/* Rows b*ROWS.. of the caller's P to their places in all panels. */
static fx_status pack_vectors(void *ctx, size_t b, fxi_team *team)
{
    const values *a = ctx;
    size_t cols = a->X->cols, end = cols - b * ROWS < ROWS ? cols : (b + 1) * ROWS;

    (void)team;
    for (size_t j = b * ROWS; j < end; j++)
        for (size_t s = 0; s < a->vectors; s++) {
            double v = a->from[j * a->vectors + s];
            if (!isfinite(v))
                return fxi_error(FX_EDOMAIN, "P, row %zu, column %zu (from 0): %g is not a finite "
                                             "number",
                                 j, s, v);
            a->P[(s / FXI_LANES * cols + j) * FXI_LANES + s % FXI_LANES] = v;
        }
    return FX_OK;
}

static fx_status check(const double *V, const double *G, const fx_kernel *k, const double *P,
                       size_t vectors, const fx_matrix *X, const fx_run *run)
{
    fx_status st;
    size_t n;

    if (!V || !k || !P || !X)
        return fxi_error(FX_EINVAL, "fx_kernel_values: %s is NULL",
                         !V   ? "V"
                         : !k ? "k"
                         : !P ? "P"
                              : "X");
    if ((st = fxi_kernel_precomputed_reject(k, "values of a kernel")) != 0
        || (st = fxi_data_check(X, "X", run)) != 0)
        return st;
    if (G && !k->type->gradient) {
        char have[256];
        fxi_kernel_names(have, false);
        return fxi_error(FX_EUNSUPPORTED, "no gradients of %s; these have them: %s", k->spec, have);
    }
    size_t stored = fxi_data_stored(X);
    if (X->cols > INT32_MAX || !fxi_size_add(&n, vectors, FXI_LANES)
        || !fxi_size_mul(&n, n, X->cols) || !fxi_size_mul(&n, n, sizeof *P)
        || !fxi_size_mul(&n, vectors, stored > X->rows ? stored : X->rows)
        || !fxi_size_mul(&n, n, sizeof *V))
        return fxi_error(FX_ESHAPE, "%zu vectors of %zu numbers are too many", vectors, X->cols);
    return FX_OK;
}

fx_status fx_kernel_values(double *V, double *G, const fx_kernel *k, const double *P,
                           size_t vectors, const fx_matrix *X, const fx_run *run)
{
    values a = {.V = V, .G = G, .kernel = k, .X = X, .vectors = vectors, .from = P};
    fx_status st = check(V, G, k, P, vectors, X, run);

    if (st)
        return st;
    if (vectors == 0 || X->rows == 0)
        return FX_OK;
    a.panels = (vectors + FXI_LANES - 1) / FXI_LANES;
    a.scatter = X->ptr && fxi_kernel_differences(k);
    a.entries = X->cols;
    if (X->ptr && !a.scatter)
        a.entries = fxi_data_rows_max(X, 1);
    size_t blocks = (X->rows + ROWS - 1) / ROWS, panel = X->cols * FXI_LANES;
    fx_run how = fxi_parallel_run(run, (double)X->rows * (double)vectors
                                         * (double)fxi_kernel_cost(k, a.entries));
    int threads = fxi_parallel_threads(&how, blocks);
    size_t per_thread = a.entries * (G ? 20 + FXI_LANES * 8 : 20)
                        + 8 * fxi_kernel_scratch(k, a.entries, G != NULL);
    st = fxi_memory_check(run, (size_t)threads * per_thread + a.panels * panel * sizeof *a.P,
                          "scratch for kernel values");
    if (!st && !(a.P = fxi_zalloc(a.panels * panel, sizeof *a.P)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_parallel((X->cols + ROWS - 1) / ROWS, pack_vectors, &a, &how);
    if (!st)
        st = make_spaces(&a, threads);
    if (!st)
        st = fxi_parallel(blocks, block, &a, &how);
    free_spaces(a.space, threads);
    free(a.P);
    return st;
}
