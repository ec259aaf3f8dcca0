/* SPDX-License-Identifier: BSD-3-Clause
 * b_newton.c - ms of fits by Newton's method, and of one of their passes, on one thread and on two:
 * few sparse columns, many sparse columns, columns of doubles, features of a map stored and made at
 * each visit. */

#include "base/test.h"
#include "fit/fit.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sparse rows of `entries` ones, or dense ones (entries 0). */
static fx_matrix make(size_t rows, size_t cols, size_t entries)
{
    size_t each = entries ? entries : cols;
    double *val = fxi_alloc(rows * each, sizeof *val);
    int64_t *ptr = fxi_alloc(rows + 1, sizeof *ptr);
    int32_t *col = fxi_alloc(rows * each, sizeof *col);

    CHECK(val && ptr && col);
    for (size_t i = 0; i < rows; i++) {
        ptr[i + 1] = (int64_t)((i + 1) * each);
        for (size_t k = 0; k < each; k++) {
            val[i * each + k] = entries ? 1 : test_unit() - 0.5;
            col[i * each + k] =
                (int32_t)(k * cols / each + test_below(cols / each ? cols / each : 1));
        }
    }
    ptr[0] = 0;
    return entries ? (fx_matrix){.rows = rows, .cols = cols, .type = FX_F64, .val = val, .ptr = ptr,
                                 .col = col}
                   : (fx_matrix){.rows = rows, .cols = cols, .stride = cols, .type = FX_F64,
                                 .val = val};
}

static void measure(const char *name, const fx_matrix *X, const fx_map *map, uint64_t keep)
{
    static const fxi_loss *const loss[] = {&fxi_loss_logistic, &fxi_loss_squared_hinge,
                                           &fxi_loss_squared};
    double *y = fxi_alloc(X->rows, sizeof *y), *c = fxi_alloc(X->rows, sizeof *c);
    fxi_source z;

    CHECK(y && c && fxi_fit_source(&z, X, map, keep, NULL) == FX_OK);
    double *w = fxi_alloc(z.features, sizeof *w);
    CHECK(w);
    for (size_t i = 0; i < X->rows; i++) {
        fxi_row r = fxi_data_row(X, i);
        double f = test_unit() - 0.5;
        for (size_t q = 0; q < r.n; q++)
            f += fxi_row_value(r, q) * ((double)(fxi_row_column(r, q) % 7) - 3);
        y[i] = f > 0 ? 1 : -1;
        c[i] = 1;
    }
    for (size_t l = 0; l < 3; l++) {
        double best[2] = {1e9, 1e9};
        fxi_problem p = {.source = &z, .loss = loss[l], .y = y, .c = c, .tol = 1e-3,
                         .max_iter = 100000};
        fxi_solution s = {.w = w};
        for (int repeat = 0; repeat < 5; repeat++)
            for (int threads = 1; threads <= 2; threads++) {
                memset(w, 0, z.features * sizeof *w);
                s.iterations = 0, s.b = 0;
                double begin = now();
                CHECK(fxi_fit_newton(&s, &p, &(fx_run){RUN, .threads = threads}) == FX_OK);
                best[threads - 1] = fmin(best[threads - 1], now() - begin);
            }
        printf("%-22s %-14s %8.1f ms, 2 threads %8.1f; %4zu passes, %7.3f ms a pass\n", name,
               loss[l]->name, 1e3 * best[0], 1e3 * best[1], s.iterations,
               1e3 * best[0] / (double)s.iterations);
    }
    fxi_fit_source_free(&z);
    free(y), free(c), free(w), free((void *)X->val), free((void *)X->ptr), free((void *)X->col);
}

int main(void)
{
    fx_kernel *k;
    fx_map *m;

    test_init();
    CHECK(fx_kernel_parse(&k, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, "rk", k, 100, 1024, 1, NULL, NULL) == FX_OK);
    fx_matrix X = make(32000, 124, 14);
    measure("32000 x 124 sparse", &X, NULL, 0);
    X = make(20000, 200000, 100);
    measure("20000 x 200000 sparse", &X, NULL, 0);
    X = make(50000, 50, 0);
    measure("50000 x 50 dense", &X, NULL, 0);
    X = make(8000, 100, 0);
    measure("8000 x 1024 stored", &X, m, UINT64_MAX);
    X = make(3000, 100, 0);
    measure("3000 x 1024 made", &X, m, 0);
    fx_map_free(m);
    fx_kernel_free(k);
    return 0;
}
