/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel_ridge.c - kernel ridge regression: the optimality conditions, with kernel values
 * computed on their own; the linear model's solution for the linear kernel; hard cases. */

#include "fit/test/fitting.h"

enum { N = 150, COLS = 6 };

static double X[N * COLS], y[N], c[N], K[N * N];

static void make(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 3 + test_unit();
        for (size_t j = 0; j < COLS; j++) {
            X[i * COLS + j] = test_below(3) ? test_unit() - 0.3 : 0;
            y[i] += X[i * COLS + j] * (double)j;
        }
        c[i] = test_below(5) ? 0.1 + 3 * test_unit() : 0;
    }
    c[0] = 1;
}

static fx_kernel *kernel(const char *spec)
{
    fx_kernel *k;

    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
    return k;
}

static fx_matrix sparse(size_t n)
{
    static double val[N * COLS];
    static int32_t col[N * COLS];
    static int64_t ptr[N + 1];
    size_t at = 0;

    for (size_t i = 0; i < n; i++, ptr[i] = (int64_t)at)
        for (size_t j = 0; j < COLS; j++)
            if (X[i * COLS + j] != 0) {
                val[at] = X[i * COLS + j];
                col[at++] = (int32_t)j;
            }
    return (fx_matrix){.rows = n, .cols = COLS, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
}

static fxi_solution run(double *beta, const fx_matrix *rows, const fx_kernel *k, int threads)
{
    fxi_source z = fitting_source(rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_squared, y, c, FXI_FREE, 1e-9);
    fxi_solution s = {.beta = beta};

    p.kernel = k;
    for (size_t i = 0; i < rows->rows; i++)
        beta[i] = NAN;
    CHECK(fxi_fit_kernel_ridge(&s, &p, &(fx_run){RUN, .threads = threads}) == FX_OK);
    return s;
}

/* beta_i = 2 c_i r_i and sum beta = 0 are necessary and sufficient. */
static void test_conditions(const char *spec, size_t n)
{
    fx_kernel *k = kernel(spec);
    fx_matrix form[2] = {fitting_dense(X, n, COLS), sparse(n)};
    double beta[N], twin[N], sum = 0, P = 0, size = 0;

    CHECK(fx_kernel_gram(K, n, k, form, NULL, NULL) == FX_OK);
    fxi_solution s = run(beta, form, k, 1), t = run(twin, form, k, 3);
    CHECK(memcmp(beta, twin, n * sizeof *beta) == 0 && s.b == t.b && s.gap == t.gap);
    CHECK(s.converged && s.gap >= 0 && s.gap <= 1e-9);
    for (size_t i = 0; i < n; i++) {
        double f = s.b;
        for (size_t j = 0; j < n; j++)
            f += K[i * n + j] * beta[j];
        CHECK(c[i] > 0 || beta[i] == 0);
        CHECK_NEAR(beta[i], 2 * c[i] * (y[i] - f), 1e-9 * (1 + fabs(y[i])));
        sum += beta[i];
        size += fabs(beta[i]);
        P += 0.5 * beta[i] * (f - s.b) + c[i] * (y[i] - f) * (y[i] - f);
    }
    CHECK_NEAR(sum, 0, 1e-14 * size);
    CHECK_NEAR(s.objective, P, 1e-10 * P);
    t = run(twin, &form[1], k, 1);
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(twin[i], beta[i], 1e-8 * (1 + fabs(beta[i])));
    CHECK_NEAR(t.b, s.b, 1e-8 * (1 + fabs(s.b)));
    fx_kernel_free(k);
}

static void test_linear(void)
{
    fx_kernel *k = kernel("linear");
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_squared, y, c, FXI_FREE, 1e-20);
    double beta[N];
    fxi_solution s = run(beta, &rows, k, 0);
    fitting want = fitting_run(fxi_fit_newton, &p, NULL);

    for (size_t j = 0; j < COLS; j++) {
        double w = 0;
        for (size_t i = 0; i < N; i++)
            w += beta[i] * X[i * COLS + j];
        CHECK_NEAR(w, want.w[j], 1e-8);
    }
    CHECK_NEAR(s.b, want.b, 1e-8);
    CHECK_NEAR(s.objective, want.objective, 1e-9 * want.objective);
    free(want.w);
    fx_kernel_free(k);
}

/* The same of a matrix that was computed before, with and without a column of serial numbers. */
static void test_precomputed(void)
{
    static double G[N * (N + 1)];
    fx_kernel *k = kernel("rbf:gamma=0.5");
    fx_matrix rows = fitting_dense(X, N, COLS);
    double want[N], beta[N];
    fxi_solution s = run(want, &rows, k, 1);

    for (size_t serial = 0; serial < 2; serial++) {
        fx_kernel *given = kernel(serial ? "precomputed:serial=yes" : "precomputed:serial=no");
        size_t cols = N + serial;
        CHECK(fx_kernel_gram(G + serial, cols, k, &rows, NULL, NULL) == FX_OK);
        for (size_t i = 0; i < N && serial; i++)
            G[i * cols] = (double)(i + 1);
        fx_matrix square = fitting_dense(G, N, cols);
        fxi_solution t = run(beta, &square, given, 3);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(beta[i], want[i], 1e-10 * (1 + fabs(want[i])));
        CHECK_NEAR(t.b, s.b, 1e-10);
        fx_kernel_free(given);
    }
    fx_kernel_free(k);
}

/* K = -I and C = 10: A = -0.95 I has no factor, nor with a little added. */
static void test_indefinite(void)
{
    enum { M = 20 };
    static double G[M * M];
    fx_kernel *given = kernel("precomputed:serial=no");
    fx_matrix square = fitting_dense(G, M, M);
    fxi_source z = fitting_source(&square, NULL, 0);
    double ten[M], beta[M];
    fxi_problem p = fitting_problem(&z, &fxi_loss_squared, y, ten, FXI_FREE, 1e-3);
    fxi_solution s = {.beta = beta};

    p.kernel = given;
    for (size_t i = 0; i < M; i++) {
        G[i * (M + 1)] = -1;
        ten[i] = 10;
    }
    CHECK(fxi_fit_kernel_ridge(&s, &p, NULL) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "positive semidefinite"));
    fx_kernel_free(given);
}

/* One fit with all c equal to C. */
static fx_status hard(fxi_solution *s, const char *spec, size_t n, double C, const fx_run *how)
{
    fx_kernel *k = kernel(spec);
    fx_matrix rows = fitting_dense(X, n, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_squared, y, c, FXI_FREE, 1e-3);

    p.kernel = k;
    for (size_t i = 0; i < n; i++)
        c[i] = C;
    fx_status st = fxi_fit_kernel_ridge(s, &p, how);
    fx_kernel_free(k);
    return st;
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 15, 16, 17, 33, N};
    double beta[N];
    fxi_solution s = {.beta = beta};
    size_t bytes;

    test_init();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        make(sizes[k]);
        test_conditions("linear", sizes[k]);
        test_conditions("anova:order=2", sizes[k]);
        test_conditions("poly:degree=2,coef0=1,gamma=0.5", sizes[k]);
        test_conditions("rbf:gamma=0.5", sizes[k]);
    }
    test_linear();
    test_precomputed();
    test_indefinite();
    /* K of rank 6 and 27 with huge C: an end, with a finite solution and an honest gap. */
    CHECK(hard(&s, "linear", N, 1e12, NULL) == FX_OK && isfinite(s.objective) && s.gap >= 0);
    CHECK(s.converged == (s.gap <= 1e-3));
    CHECK(hard(&s, "poly:degree=2,coef0=1,gamma=1", N, 1e12, NULL) == FX_OK);
    for (size_t i = 0; i < N; i++)
        y[i] = 0.1;                     /* nothing to learn */
    CHECK(hard(&s, "rbf:gamma=1", N, 1, NULL) == FX_OK && s.converged);
    CHECK_NEAR(s.b, 0.1, 1e-15);
    /* rows equal but for the label, C so large that they must not share a score */
    memset(X, 0, sizeof X);
    y[0] = 1;
    CHECK(hard(&s, "rbf:gamma=1", N, 1e300, NULL) == FX_OK && isfinite(s.b));
    CHECK(hard(&s, "rbf:gamma=1", N, 0, NULL) == FX_OK && s.converged);        /* no rows */
    CHECK(s.b == 0 && s.objective == 0 && s.gap == 0 && beta[0] == 0);
    CHECK(fxi_fit_kernel_ridge_bytes(&bytes, 10000) && bytes > 400000000 && bytes < 402000000);
    CHECK(!fxi_fit_kernel_ridge_bytes(&bytes, SIZE_MAX / 2));
    CHECK(hard(&s, "rbf:gamma=1", N, 1, &(fx_run){RUN, .max_memory = 10000}) == FX_ELIMIT);
    CHECK(hard(&s, "rbf:gamma=1", N, 1, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    return 0;
}
