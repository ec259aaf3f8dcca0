/* SPDX-License-Identifier: BSD-3-Clause
 * products.h - for tests: rows of many zeros whose targets and three classes are made of products;
 * N and COLS are the test's.  Numbers are floats, since maps round to them. */
#include "fixture.h"

static double X[N * COLS], label[N], target[N];

/* The columns from `seen` on are 0. */
static void make(size_t seen)
{
    for (size_t i = 0; i < N; i++) {
        double *x = X + i * COLS;
        for (size_t j = 0; j < COLS; j++)
            x[j] = test_below(3) ? (float)(2 * test_unit() - 1) : 0;
        for (size_t j = seen; j < COLS; j++)
            x[j] = 0;
        target[i] = x[0] * x[1] - 2 * x[2] + x[3] * x[4] * x[5] + 0.1 * test_unit();
        label[i] = target[i] < -0.5 ? 1 : target[i] < 0.4 ? 2 : 3;
    }
}

static fx_matrix sparse_rows(void)
{
    static double val[N * COLS];
    static int32_t col[N * COLS];
    static int64_t ptr[N + 1];
    size_t n = 0;

    for (size_t i = 0; i < N; i++, ptr[i] = (int64_t)n)
        for (size_t j = 0; j < COLS; j++)
            if (X[i * COLS + j] != 0) {
                val[n] = X[i * COLS + j];
                col[n++] = (int32_t)j;
            }
    return (fx_matrix){.rows = N, .cols = COLS, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
}
