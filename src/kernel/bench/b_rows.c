/* SPDX-License-Identifier: BSD-3-Clause
 * b_rows.c - one thread: nanoseconds a pair of fxi_kernel_rows (16 and 64 rows at a time beside
 * all), fxi_kernel_score and fx_kernel_gram, on sparse rows like those of data sets and on dense
 * ones. */

#include "base/test.h"
#include "kernel/kernel.h"

#include <string.h>
#include <time.h>

enum { MAX_ROWS = 64 };

static const fx_run one = {.size = sizeof(fx_run), .threads = 1};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const char *name, const fx_matrix *X, const char *spec)
{
    size_t n = X->rows, g = n < 2000 ? n : 2000;
    float *K[MAX_ROWS];
    int32_t row[MAX_ROWS];
    double best[4] = {1e9, 1e9, 1e9, 1e9}, *S = fxi_alloc(n, sizeof *S);
    double *G = fxi_alloc(g * g, sizeof *G);
    fx_kernel *k = NULL;
    fx_matrix part = *X, other = *X;    /* another view: no pair is spared for symmetry */

    part.rows = other.rows = g;
    if (!S || !G || fx_kernel_parse(&k, spec, NULL, 0))
        exit(1);
    for (size_t w = 0; w < MAX_ROWS; w++) {
        K[w] = fxi_alloc(n, sizeof *K[w]);
        row[w] = (int32_t)test_below(n);
    }
    for (int run = 0; run < 9; run++)
        for (int what = 0; what < 4; what++) {
            size_t z = what == 0 ? 16 : 64;
            double t = now();
            fx_status st = what < 2 ? fxi_kernel_rows(K, k, (fxi_row_subset){X, NULL, n},
                                                      (fxi_row_subset){X, row, z}, &one)
                           : what == 2
                               ? fxi_kernel_score(S, k, (fxi_row_subset){X, NULL, 1000},
                                                  (fxi_row_subset){X, NULL, 2000}, S, 1, &one)
                               : fx_kernel_gram(G, g, k, &part, &other, &one);
            if (st)
                exit(1);
            t = (now() - t) * 1e9;
            double pairs = what < 2 ? (double)(z * n) : what == 2 ? 2e6 : (double)(g * g);
            best[what] = fmin(best[what], t / pairs);
            memset(S, 0, n * sizeof *S);
        }
    printf("%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", name, spec, best[0], best[1], best[2], best[3]);
    for (size_t w = 0; w < MAX_ROWS; w++)
        free(K[w]);
    free(S);
    free(G);
    fx_kernel_free(k);
}

/* n rows, `each` ones in d columns: one in every d/each-th part, low columns more often. */
static fx_matrix sparse(size_t n, size_t d, size_t each)
{
    int64_t *ptr = fxi_alloc(n + 1, sizeof *ptr);
    int32_t *col = fxi_alloc(n * each, sizeof *col);
    float *val = fxi_alloc(n * each, sizeof *val);

    ptr[0] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t q = 0; q < each; q++) {
            size_t low = q * d / each, width = (q + 1) * d / each - low;
            double u = test_unit();
            col[i * each + q] = (int32_t)(low + (size_t)(u * u * (double)width));
            val[i * each + q] = 1;
        }
        ptr[i + 1] = (int64_t)((i + 1) * each);
    }
    return (fx_matrix){.rows = n, .cols = d, .type = FX_F32, .val = val, .ptr = ptr, .col = col};
}

static fx_matrix dense(size_t n, size_t d, bool f32)
{
    double *x = fxi_alloc(n * d, sizeof *x);
    float *y = fxi_alloc(n * d, sizeof *y);

    for (size_t i = 0; i < n * d; i++)
        x[i] = test_unit(), y[i] = (float)x[i];
    return (fx_matrix){.rows = n,
                       .cols = d,
                       .stride = d,
                       .type = f32 ? FX_F32 : FX_F64,
                       .val = f32 ? (void *)y : x};
}

int main(void)
{
    static const char *const specs[] = {"linear", "poly:degree=2", "poly:degree=3",
                                        "anova:order=2", "rbf:gamma=0.05", "laplacian:gamma=0.05"};

    test_init();
    fx_matrix X[] = {sparse(20000, 78, 7), sparse(20000, 123, 14), sparse(20000, 20000, 50),
                     dense(20000, 78, false), dense(20000, 78, true), dense(5000, 500, false)};
    static const char *const names[]
        = {"d=78, 7 ones", "d=123, 14 ones", "d=20000, 50 ones", "dense 78", "floats 78",
           "dense 500"};
    printf("# target %s, one thread, ns a pair\n# rows\tkernel\trows_16\trows_64\tscore\tgram\n",
           fx_simd_target());
    for (size_t x = 0; x < sizeof X / sizeof *X; x++)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
            measure(names[x], &X[x], specs[s]);
    return 0;
}
