/* SPDX-License-Identifier: BSD-3-Clause
 * t_eigen.c - eigen_dense.c and eigen.c on matrices whose spectrum is known: any multiplicity, any
 * rank, all vectors wanted; the same bits for any threads.
 *
 * Covers: eigen_dense.c */

#include "base/test.h"
#include "linalg/eigen.h"

#include <float.h>
#include <string.h>

enum { N = 300 };

typedef struct product {
    const double *A;
    size_t n, vectors;                  /* multiplied so far */
} product;

static fx_status multiply(void *ctx, double *Y, const double *X, size_t count, const fx_run *run)
{
    product *p = ctx;

    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < p->n; i++) {
            double sum = 0;
            for (size_t j = 0; j < p->n; j++)
                sum += p->A[i * p->n + j] * X[c * p->n + j];
            Y[c * p->n + i] = sum;
        }
    p->vectors += count;
    return run && run->progress && run->progress(run->ctx, 0) ? fxi_error(FX_ECANCELLED, "stopped")
                                                              : FX_OK;
}

/* A = Q diag(x) Q', Q a product of three random reflections I - 2 v v'/v'v. */
static void with_spectrum(double *A, const double *x, size_t n)
{
    static double v[N], p[N];

    memset(A, 0, n * n * sizeof *A);
    for (size_t i = 0; i < n; i++)
        A[i * n + i] = x[i];
    for (int times = 0; times < 3; times++) {
        double vv = 0, vp = 0;
        for (size_t i = 0; i < n; i++) {
            v[i] = test_unit() - 0.5;
            vv += v[i] * v[i];
        }
        for (size_t i = 0; i < n; i++) {
            p[i] = 0;
            for (size_t j = 0; j < n; j++)
                p[i] += A[i * n + j] * v[j];
            vp += v[i] * p[i];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                A[i * n + j] += -2 * (v[i] * p[j] + p[i] * v[j]) / vv
                                + 4 * v[i] * v[j] * vp / (vv * vv);
    }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Rows of Z are orthonormal, and A z = d z. */
static void check_pairs(const double *A, size_t n, const double *d, const double *Z, size_t k,
                        double tol)
{
    for (size_t a = 0; a < k; a++) {
        double square = 0;
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += Z[a * n + i] * Z[b * n + i];
            CHECK_NEAR(sum, a == b, 40 * (double)n * DBL_EPSILON);
        }
        for (size_t i = 0; i < n; i++) {
            double r = -d[a] * Z[a * n + i];
            for (size_t j = 0; j < n; j++)
                r += A[i * n + j] * Z[a * n + j];
            square += r * r;
        }
        CHECK_NEAR(sqrt(square), 0, tol);
    }
}

static void check_dense(void)
{
    static double A[60 * 60], copy[60 * 60], Z[60 * 60], x[60], d[60], work[120];

    for (int c = 0, cases = test_cases(60); c < cases; c++) {
        size_t n = 1 + test_below(60);
        int kind = c % 4;               /* any signs; twelve decades; many equal; all 0 */
        double scale = pow(10, (double)test_below(200) - 100), max_abs = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = scale * (kind == 0 ? test_unit() - 0.5 : kind == 1 ? pow(10, -12 * test_unit())
                            : kind == 2 ? (double)test_below(2) : 0);
            max_abs = fmax(max_abs, fabs(x[i]));
        }
        with_spectrum(A, x, n);
        memcpy(copy, A, sizeof copy);
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                copy[i * n + j] = NAN;  /* never read */
        CHECK(fxi_linalg_eigen_dense(d, Z, copy, work, n, NULL) == FX_OK);
        qsort(x, n, sizeof *x, descending);
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR(d[i], x[i], 20 * (double)n * DBL_EPSILON * max_abs);
        check_pairs(A, n, d, Z, n, 20 * (double)n * DBL_EPSILON * max_abs);
    }
    A[0] = NAN;
    CHECK(fxi_linalg_eigen_dense(d, Z, A, work, 3, NULL) == FX_ENUMERIC);
}

static void spectrum(double *x, size_t n, int kind)
{
    for (size_t i = 0; i < n; i++)
        x[i] = kind == 0   ? pow(0.8, (double)i)                /* as a smooth kernel's */
               : kind == 1 ? 1 + (double)(i < n / 3)            /* two values, many times */
               : kind == 2 ? (i < 4 ? 4 - (double)i : 0)        /* rank 4 */
               : kind == 3 ? 1 + 1e-3 * test_unit()             /* close together */
               : kind == 4 ? 0 : i == 0 ? 1e6 : test_unit();    /* zero; one far away */
}

static void check_largest(void)
{
    static double A[N * N], x[N], value[N], again[N], V[N * N], W[N * N];
    size_t sizes[][2] = {{1, 1}, {7, 3}, {64, 64}, {65, 1}, {65, 65}, {203, 6}, {N, 1}, {N, 12},
                         {203, 60}};

    for (size_t c = 0; c < 6 * sizeof sizes / sizeof *sizes; c++) {
        size_t n = sizes[c / 6][0], k = sizes[c / 6][1];
        product p = {A, n, 0};
        fxi_eigen e = {.n = n, .k = k, .apply = multiply, .ctx = &p, .start = {test_u64(), 7}};
        spectrum(x, n, (int)(c % 6));
        with_spectrum(A, x, n);
        CHECK(fxi_linalg_eigen(value, V, &e, &(fx_run){RUN, .threads = 1}) == FX_OK);
        qsort(x, n, sizeof *x, descending);
        double tol = (2e-10 + 20 * (double)n * DBL_EPSILON) * x[0];
        for (size_t i = 0; i < k; i++) {
            CHECK_NEAR(value[i], x[i], tol);
            CHECK(value[i] >= 0 && (c % 6 != 2 || i < 4 || value[i] == 0));
        }
        check_pairs(A, n, value, V, k, tol);
        CHECK(fxi_linalg_eigen(again, W, &e, &(fx_run){RUN, .threads = 3}) == FX_OK);
        CHECK(!memcmp(value, again, k * sizeof *value) && !memcmp(V, W, k * n * sizeof *V));
    }
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)ctx > 3;
}

int main(void)
{
    static double A[N * N], x[N], value[N], V[N * N];
    product p = {A, N, 0};
    fxi_eigen e = {.n = N, .k = 5, .apply = multiply, .ctx = &p};
    size_t bytes;
    int calls = 0;

    test_init();
    check_dense();
    check_largest();
    spectrum(x, N, 3);
    with_spectrum(A, x, N);
    e.max_iter = 1;                     /* usable all the same */
    CHECK(fxi_linalg_eigen(value, V, &e, NULL) == FX_NOT_CONVERGED);
    check_pairs(A, N, value, V, 5, 1e-3);
    e.max_iter = 0;
    value[0] = 7;
    CHECK(fxi_linalg_eigen(value, V, &e, &(fx_run){RUN, .progress = stop, .ctx = &calls})
          == FX_ECANCELLED && value[0] == 7);
    e.noise = 10;                       /* nothing here is larger */
    CHECK(fxi_linalg_eigen(value, V, &e, NULL) == FX_OK && value[0] == 0);
    e.k = N + 1;
    CHECK(fxi_linalg_eigen(value, V, &e, NULL) == FX_EINVAL);
    CHECK(fxi_linalg_eigen_bytes(&bytes, 1000, 10) && bytes >= 2 * 1000 * 10 * sizeof(double));
    CHECK(!fxi_linalg_eigen_bytes(&bytes, SIZE_MAX / 4, 10));
    CHECK(!fxi_linalg_eigen_bytes(&bytes, 10, SIZE_MAX / 4));
    return 0;
}
