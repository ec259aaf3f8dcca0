/* SPDX-License-Identifier: BSD-3-Clause
 * dense_hot.c - FXI_PROJECT_PANEL outputs of W x, every sum in the order of the columns, whatever
 * rows are computed with it, so that a row's bits depend on the row alone. */

#include "project/dense.h"
#include "simd/hot.h"

enum {
    PANEL = FXI_PROJECT_PANEL,
    ROWS = FXI_WIDTH == 64 ? 8 : 4,     /* times PAIR sums in registers */
    PAIR = 2,
    AHEAD = 12,                         /* columns: W comes from memory, in strides that */
    LINE = 16                           /* processors do not foresee; floats of a cache line */
};

FXI_INLINE void part(float *z, size_t stride, const float *w, const float *x, size_t cols,
                     size_t rows)
{
    fxi_flt sum[ROWS][PAIR] = {0};

    for (size_t j = 0; j < cols; j++, w += PANEL, x += FXI_LANES) {
        __builtin_prefetch(w + AHEAD * PANEL);
        __builtin_prefetch(w + AHEAD * PANEL + LINE);
        fxi_flt w0 = fxi_fload(w), w1 = fxi_fload(w + FXI_FSTEP);
#pragma GCC unroll 8
        for (size_t r = 0; r < ROWS; r++) {
            sum[r][0] = fxi_ffma(w0, fxi_fsplat(x[r]), sum[r][0]);
            sum[r][1] = fxi_ffma(w1, fxi_fsplat(x[r]), sum[r][1]);
        }
    }
    for (size_t r = 0; r < ROWS && r < rows; r++)
        for (size_t i = 0; i < PAIR; i++)
            fxi_fstore(z + r * stride + i * FXI_FSTEP, sum[r][i]);
}

void FXI_HOT(project_dense)(float *z, size_t stride, const float *w, const float *x, size_t cols,
                            size_t rows)
{
    for (size_t r = 0; r < rows; r += ROWS)
        for (size_t s = 0; s < PANEL; s += PAIR * FXI_FSTEP)
            part(z + r * stride + s, stride, w + s, x + r, cols, rows - r);
}

void FXI_HOT(project_dense_sparse)(float *z, const float *w, const float *x, const int64_t *col,
                                   size_t n)
{
    enum { SUMS = PANEL / FXI_FSTEP < 8 ? PANEL / FXI_FSTEP : 8 };

    for (size_t s = 0; s < PANEL; s += SUMS * FXI_FSTEP) {
        fxi_flt sum[SUMS] = {0};
        for (size_t k = 0; k < n; k++) {
            const float *wk = w + (size_t)col[k] * PANEL + s;
            if (k + AHEAD < n)
                for (size_t i = 0; i < PANEL; i += LINE)
                    __builtin_prefetch(w + (size_t)col[k + AHEAD] * PANEL + i);
#pragma GCC unroll 8
            for (size_t i = 0; i < SUMS; i++)
                sum[i] = fxi_ffma(fxi_fload(wk + i * FXI_FSTEP), fxi_fsplat(x[k]), sum[i]);
        }
        for (size_t i = 0; i < SUMS; i++)
            fxi_fstore(z + s + i * FXI_FSTEP, sum[i]);
    }
}
