/* SPDX-License-Identifier: BSD-3-Clause
 * t_cholesky.c - cholesky.c against A = LL' and Ax = r; the same bits for any threads.
 *
 * Covers: cholesky_hot.c */

#include "base/test.h"
#include "linalg/cholesky.h"

#include <float.h>
#include <string.h>

static double *at(const double *A, size_t i, size_t j)
{
    return fxi_cholesky_at(A, i / FXI_TILE, j / FXI_TILE) + j % FXI_TILE * FXI_TILE + i % FXI_TILE;
}

static double element(const double *A, size_t i, size_t j)
{
    return i >= j ? *at(A, i, j) : *at(A, j, i);
}

static double *space(size_t n)
{
    size_t numbers;
    double *A;

    CHECK(fxi_linalg_cholesky_size(&numbers, n));
    CHECK((A = fxi_alloc(numbers, sizeof *A)));
    for (size_t i = 0; i < numbers; i++)
        A[i] = NAN;                     /* what is not A must not matter */
    return A;
}

/* B B' + shift I in its lower triangle, B of n x 7 */
static double *make(size_t n, double shift)
{
    double *A = space(n), *B = calloc(n * 7, sizeof *B);

    CHECK(B);
    for (size_t i = 0; i < n * 7; i++)
        B[i] = test_unit() - 0.5;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? shift : 0;
            for (size_t k = 0; k < 7; k++)
                sum += B[i * 7 + k] * B[j * 7 + k];
            *at(A, i, j) = sum;
        }
    free(B);
    return A;
}

static double *copy(const double *A, size_t n)
{
    double *to = space(n);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            *at(to, i, j) = *at(A, i, j);
    return to;
}

static void test_definition(size_t n)
{
    double *A = make(n, 0.1), *L = copy(A, n), *twin = copy(A, n), u = DBL_EPSILON / 2;
    double *x = fxi_alloc(fxi_cholesky_panels(n) * FXI_TILE, sizeof *x);
    double *r = fxi_alloc(n, sizeof *r);

    CHECK(x && r);
    CHECK(fxi_linalg_cholesky(L, n, &(fx_run){RUN, .threads = 1}) == FX_OK);
    CHECK(fxi_linalg_cholesky(twin, n, &(fx_run){RUN, .threads = 3}) == FX_OK);
    CHECK(test_helped() || n < 200);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0, size = 0;
            CHECK(*at(L, i, j) == *at(twin, i, j));
            for (size_t k = 0; k <= j; k++) {
                sum += *at(L, i, k) * *at(L, j, k);
                size += fabs(*at(L, i, k) * *at(L, j, k));
            }
            CHECK_NEAR(sum, *at(A, i, j), 2 * (double)(n + 1) * u * size); /* theirs and ours */
        }
    for (size_t i = 0; i < n; i++)
        x[i] = r[i] = test_unit() - 0.5;
    CHECK(fxi_linalg_cholesky_solve(x, L, n, NULL) == FX_OK);
    for (size_t i = 0; i < n; i++) {    /* (A + E) x = r, |E| <= 3 (n + 1) u |L||L'| */
        double sum = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            double length = 0;
            sum += element(A, i, j) * x[j];
            for (size_t k = 0; k <= (i < j ? i : j); k++)
                length += fabs(*at(L, i, k) * *at(L, j, k));
            size += length * fabs(x[j]);
        }
        CHECK_NEAR(sum, r[i], 4 * (double)(n + 1) * u * size);
    }
    free(A), free(L), free(twin), free(x), free(r);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 15, 16, 17, 100, 127, 128, 129, 300};
    size_t numbers;

    test_init();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k], bad = test_below(n);
        test_definition(n);
        double *A = make(n, 0.1);       /* a pivot below 0, or not a number */
        *at(A, bad, bad) = k % 2 ? -1 : NAN;
        CHECK(fxi_linalg_cholesky(A, n, NULL) == FX_ENUMERIC);
        CHECK(strstr(fx_error_detail(), "not positive definite"));
        free(A);
    }
    double *one = space(1);
    *one = 9;
    CHECK(fxi_linalg_cholesky(one, 1, NULL) == FX_OK && *one == 3);
    free(one);
    double *A = make(300, -1);          /* of rank 7, less 1 */
    CHECK(fxi_linalg_cholesky(A, 300, NULL) == FX_ENUMERIC);
    free(A);
    A = make(300, 1);
    CHECK(fxi_linalg_cholesky(A, 300, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    free(A);
    CHECK(fxi_linalg_cholesky(NULL, 0, NULL) == FX_OK && fxi_linalg_cholesky_size(&numbers, 0));
    CHECK(numbers == 0 && !fxi_linalg_cholesky_size(&numbers, SIZE_MAX / 2));
    return 0;
}
