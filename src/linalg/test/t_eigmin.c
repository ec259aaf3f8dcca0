/* SPDX-License-Identifier: BSD-3-Clause
 * t_eigmin.c - eigmin.c on matrices whose spectrum is known. */

#include "base/test.h"
#include "featcross_extra.h"
#include "featcross.h"

#include <float.h>
#include <string.h>

enum { N = 120 };

/* What eigmin.c promises; 10 for the handful of roundings of each of the n reflections. */
static double bound(const double *A, size_t lda, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double a = i >= j ? A[i * lda + j] : A[j * lda + i];
            sum += a * a;
        }
    return 10 * (double)n * DBL_EPSILON / 2 * sqrt(sum);
}

static void expect(const double *A, size_t lda, size_t n, double want)
{
    double got = NAN;

    CHECK(fx_linalg_eigmin(&got, A, lda, n, NULL) == FX_OK);
    CHECK_NEAR(got, want, bound(A, lda, n));
}

/* A = Q diag(x) Q', Q a product of three random reflections, in long double, rounded once. */
static void with_spectrum(double *A, size_t lda, const double *x, size_t n)
{
    static long double B[N][N];

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            B[i][j] = i == j ? x[i] : 0;
    for (int times = 0; times < 3; times++) {
        long double v[N], p[N], vv = 0, vp = 0;
        for (size_t i = 0; i < n; i++) {
            v[i] = test_unit() - 0.5;
            vv += v[i] * v[i];
        }
        for (size_t i = 0; i < n; i++) {
            p[i] = 0;
            for (size_t j = 0; j < n; j++)
                p[i] += B[i][j] * v[j];
            vp += v[i] * p[i];
        }
        for (size_t i = 0; i < n; i++)  /* H = I - 2 v v'/vv */
            for (size_t j = 0; j < n; j++)
                B[i][j] += -2 * (v[i] * p[j] + p[i] * v[j]) / vv + 4 * v[i] * v[j] * vp / (vv * vv);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < lda; j++)
            A[i * lda + j] = j <= i ? (double)B[i][j] : NAN;    /* the rest is never read */
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static double A[N * (N + 3)], G[N * N], x[N];

    test_init();
    for (int c = 0, cases = test_cases(60); c < cases; c++) {
        size_t n = 1 + test_below(c % 2 ? 8 : N), lda = n + test_below(4);
        double smallest = INFINITY, scale = pow(10, (double)test_below(600) - 300);
        int kind = (int)test_below(3);  /* any signs; ten decades, positive; many equal */
        for (size_t i = 0; i < n; i++) {
            x[i] = kind == 0 ? test_unit() - 0.5 : kind == 1 ? pow(10, -10 * test_unit())
                                                               : (double)test_below(2);
            smallest = fmin(smallest, x[i]);
        }
        with_spectrum(A, lda, x, n);
        expect(A, lda, n, smallest);
        double one, scaled;             /* exact under a power of two, near otherwise */
        CHECK(fx_linalg_eigmin(&one, A, lda, n, NULL) == FX_OK);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                G[i * n + j] = ldexp(A[i * lda + j], 500);
        CHECK(fx_linalg_eigmin(&scaled, G, n, n, NULL) == FX_OK && scaled == ldexp(one, 500));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                G[i * n + j] = A[i * lda + j] * scale;
        CHECK(fx_linalg_eigmin(&scaled, G, n, n, NULL) == FX_OK);
        CHECK_NEAR(scaled / scale, one, 2 * bound(A, lda, n));
    }

    memset(A, 0, sizeof A);             /* second differences: 2 - 2 cos(pi/(n+1)) */
    for (size_t i = 0; i < N; i++) {
        A[i * N + i] = 2;
        if (i)
            A[i * N + i - 1] = -1;
    }
    expect(A, N, N, 4 * pow(sin(acos(-1) / (2 * (N + 1))), 2));
    for (size_t i = 0; i < N; i++)      /* nearly so already: a reflection must not cancel */
        for (size_t j = 0; j + 1 < i; j++)
            A[i * N + j] = 1e-12;
    double near = 4 * pow(sin(acos(-1) / (2 * (N + 1))), 2), e12;
    CHECK(fx_linalg_eigmin(&e12, A, N, N, NULL) == FX_OK);
    CHECK_NEAR(e12, near, bound(A, N, N) + 1e-12 * N);  /* eigenvalues move by |E| at most */
    memset(A, 0, sizeof A);             /* zero; then diagonal: exact */
    expect(A, N, N, 0);
    for (size_t i = 0; i < N; i++)
        A[i * N + i] = (double)((i * 37) % N) + 1;
    double got;
    CHECK(fx_linalg_eigmin(&got, A, N, N, NULL) == FX_OK && got == 1);

    for (size_t i = 0; i < N; i++)      /* a Gram matrix of rank 5: 0 */
        for (size_t j = 0; j < 5; j++)
            x[j] = 0, A[i * 5 + j] = test_unit() - 0.3;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            G[i * N + j] = 0;
            for (size_t k = 0; k < 5; k++)
                G[i * N + j] += A[i * 5 + k] * A[j * 5 + k];
        }
    expect(G, N, N, 0);
    double two[] = {1, NAN, 3, 1};      /* [1 3; 3 1]: 4 and -2 */
    expect(two, 2, 2, -2);
    double tiny[] = {4.9e-324}, huge[] = {DBL_MAX, 0, DBL_MAX, DBL_MAX};
    CHECK(fx_linalg_eigmin(&got, tiny, 1, 1, NULL) == FX_OK && got == 4.9e-324);
    CHECK(fx_linalg_eigmin(&got, huge, 2, 2, NULL) == FX_OK);
    CHECK_NEAR(got / DBL_MAX, 0, 10 * 2 * DBL_EPSILON);
    huge[0] = huge[3] = -DBL_MAX;       /* 0 and -2 DBL_MAX */
    got = 7;
    CHECK(fx_linalg_eigmin(&got, huge, 2, 2, NULL) == FX_ENUMERIC && got == 7);

    A[0] = NAN;
    CHECK(fx_linalg_eigmin(&got, A, N, N, NULL) == FX_EDOMAIN && got == 7);
    two[2] = INFINITY;
    CHECK(fx_linalg_eigmin(&got, two, 2, 2, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "row 1, column 0"));
    CHECK(fx_linalg_eigmin(&got, G, N, 0, NULL) == FX_EINVAL);
    CHECK(fx_linalg_eigmin(&got, NULL, N, N, NULL) == FX_EINVAL);
    CHECK(fx_linalg_eigmin(NULL, G, N, N, NULL) == FX_EINVAL);
    CHECK(fx_linalg_eigmin(&got, G, N - 1, N, NULL) == FX_ESHAPE);
    CHECK(fx_linalg_eigmin(&got, G, SIZE_MAX, SIZE_MAX / 2, NULL) == FX_ESHAPE);
    CHECK(fx_linalg_eigmin(&got, G, N, N, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT
          && got == 7);

    enum { BIG = 1500 };                /* many times the 50 ms after which it is asked */
    double *B = calloc((size_t)BIG * BIG, sizeof *B);
    CHECK(B);
    for (size_t i = 0; i < (size_t)BIG * BIG; i++)
        B[i] = test_unit();
    CHECK(fx_linalg_eigmin(&got, B, BIG, BIG, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    CHECK(got == 7);
    free(B);
    return 0;
}
