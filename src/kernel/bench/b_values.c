/* SPDX-License-Identifier: BSD-3-Clause
 * b_values.c - one thread: values and gradients of many rows and vectors, nanoseconds for each
 * stored number and vector, beside the reverse-mode table written plainly. */

#include "base/test.h"
#include "kernel/kernel.h"

#include <time.h>

enum { ROWS = 2000, COLS = 1000, NZ = 20, VECTORS = 32 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void plain(double *g, const double *x, const int32_t *col, const double *P, int s, int m)
{
    double a[NZ + 1][FX_ORDER_MAX + 2] = {{1}}, b[FX_ORDER_MAX + 2] = {0};

    for (int j = 0; j < NZ; j++) {
        double z = x[j] * P[col[j] * VECTORS + s];
        a[j + 1][0] = 1;
        for (int t = 1; t <= m; t++)
            a[j + 1][t] = a[j][t] + z * a[j][t - 1];
    }
    b[m] = 1;
    for (int j = NZ; j-- > 0;) {
        double z = x[j] * P[col[j] * VECTORS + s], sum = 0;
        for (int t = 1; t <= m; t++) {
            sum += b[t] * a[j][t - 1];
            b[t] += z * b[t + 1];
        }
        g[j * VECTORS + s] = x[j] * sum;
    }
}

int main(void)
{
    size_t n = (size_t)ROWS * NZ;
    double *val = fxi_alloc(n, sizeof *val), *P = fxi_alloc(COLS * VECTORS, sizeof *P);
    double *V = fxi_alloc(ROWS * VECTORS, sizeof *V), *G = fxi_alloc(n * VECTORS, sizeof *G);
    int32_t *col = fxi_alloc(n, sizeof *col);
    int64_t *ptr = fxi_alloc(ROWS + 1, sizeof *ptr);
    fx_matrix X = {.rows = ROWS, .cols = COLS, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    fx_run one = {.size = sizeof(fx_run), .threads = 1};

    test_init();
    for (size_t i = 0; i < n; i++) {
        val[i] = test_unit();
        col[i] = (int32_t)(i % NZ * (COLS / NZ) + test_below(COLS / NZ));
    }
    for (size_t i = 0; i <= ROWS; i++)
        ptr[i] = (int64_t)(i * NZ);
    for (size_t i = 0; i < COLS * VECTORS; i++)
        P[i] = test_unit() - 0.5;
    printf("# target %s, %d rows of %d non-zeros, %d vectors, one thread, ns\n", fx_simd_target(),
           ROWS, NZ, VECTORS);
    printf("# order\tvalues\twith gradients\ttable, plain\tratio\n");
    for (int m = 1; m <= 8; m++) {
        double values = 1e9, both = 1e9, table = 1e9;
        fx_kernel *k = NULL;
        char spec[32];
        snprintf(spec, sizeof spec, "anova:order=%d", m);
        if (fx_kernel_parse(&k, spec, NULL, 0))
            return 1;
        for (int run = 0; run < 5; run++) {
            double t0 = now();
            if (fx_kernel_values(V, NULL, k, P, VECTORS, &X, &one))
                return 1;
            double t1 = now();
            if (fx_kernel_values(V, G, k, P, VECTORS, &X, &one))
                return 1;
            double t2 = now();
            for (size_t i = 0; i < ROWS; i++)
                for (int s = 0; s < VECTORS; s++)
                    plain(G + i * NZ * VECTORS, val + i * NZ, col + i * NZ, P, s, m);
            double t3 = now();
            values = fmin(values, t1 - t0);
            both = fmin(both, t2 - t1);
            table = fmin(table, t3 - t2);
        }
        double each = 1e9 / ((double)n * VECTORS);
        printf("%d\t%.2f\t%.2f\t%.2f\t%.1f\n", m, values * each, both * each, table * each,
               table / both);
        fx_kernel_free(k);
    }
    free(val), free(P), free(V), free(G), free(col), free(ptr);
    return 0;
}
