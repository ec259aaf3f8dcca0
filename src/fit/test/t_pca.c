/* SPDX-License-Identifier: BSD-3-Clause
 * t_pca.c - principal components against the covariance matrix and Jacobi's rotations: any form of
 * rows, weights, formed or by passes; rank, errors, threads, memory.
 *
 * Covers: pca_hot.c, pca_moment.c, pca_pass.c */

#include "components.h"

enum { ROWS = 400, COLS = 45, K = 6 };

static double X[ROWS * COLS], c[ROWS];
static double all;                      /* variance */

/* Rows of falling deviations about a mean, two in three numbers 0 if `sparse`; some weights 0. */
static void draw(size_t rows, size_t cols, bool sparse)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            double x = test_unit() + test_unit() + test_unit() - 1;
            X[i * cols + j] = sparse && test_below(3) ? 0 : (float)(x * pow(0.9, (double)j));
        }
        c[i] = test_below(5) ? 0.1 + test_unit() : 0;
    }
}

/* Sorted values and vectors of the weighted covariance, by definition. */
static void define(double *value, double *V, size_t rows, size_t cols)
{
    static double A[COLS * COLS];
    double mean[COLS] = {0}, total = 0;

    for (size_t i = 0; i < rows; i++)
        total += c[i];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            mean[j] += c[i] / total * X[i * cols + j];
    memset(A, 0, sizeof A);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            for (size_t l = 0; l < cols; l++)
                A[j * cols + l] += c[i] / total * (X[i * cols + j] - mean[j])
                                   * (X[i * cols + l] - mean[l]);
    components_jacobi(value, V, A, cols);
}

/* Dense or sparse, float or double, narrow or wide columns. */
static fx_matrix form(int kind, size_t rows, size_t cols)
{
    static float f[ROWS * COLS];
    static double v[ROWS * COLS];
    static int64_t ptr[ROWS + 1], wide[ROWS * COLS];
    static int32_t col[ROWS * COLS];
    fx_matrix m = {.rows = rows, .cols = cols, .stride = cols, .val = kind & 1 ? (void *)f : v,
                   .type = kind & 1 ? FX_F32 : FX_F64};
    size_t n = 0;

    for (size_t i = 0; i < rows * cols; i++) {
        f[n] = (float)X[i];
        v[n] = X[i];
        col[n] = (int32_t)(i % cols);
        wide[n] = (int64_t)(i % cols);
        n += kind < 2 || X[i] != 0;
        ptr[i / cols + 1] = (int64_t)n;
    }
    if (kind >= 2) {
        m.ptr = ptr;
        m.wide = kind >= 4;
        m.col = m.wide ? (void *)wide : col;
    }
    return m;
}

static void check_forms(size_t rows, size_t cols, size_t k)
{
    static double want[COLS], V[COLS * COLS], W[COLS * COLS], first[COLS * COLS];
    static double P[ROWS * COLS];
    double b[COLS], value[COLS];

    for (int kind = 0; kind < 6; kind++) {
        if (kind % 2 == 0)
            draw(rows, cols, kind >= 2);
        define(want, V, rows, cols);
        fx_matrix m = form(kind, rows, cols);
        fxi_source s;
        CHECK(fxi_fit_source(&s, &m, NULL, 0, NULL) == FX_OK);
        CHECK(fxi_fit_pca(W, b, value, &all, &s, c, k, 1, &(fx_run){RUN, .threads = 3}) == FX_OK);
        memcpy(first, W, sizeof W);
        CHECK(fxi_fit_pca(W, b, value, &all, &s, c, k, 1, &(fx_run){RUN, .threads = 1}) == FX_OK);
        CHECK(!memcmp(W, first, cols * k * sizeof *W));
        for (size_t a = 0; a < k; a++) {
            double largest = 0, sum = 0, gap = want[0];
            CHECK_NEAR(value[a], want[a], 1e-10 * want[0]);
            for (size_t j = 0; j < cols; j++) {
                largest = fabs(W[j * k + a]) > fabs(largest) ? W[j * k + a] : largest;
                sum += W[j * k + a] * V[j * cols + a];
            }
            CHECK(largest > 0);
            for (size_t o = 0; o < cols; o++)
                gap = o == a ? gap : fmin(gap, fabs(want[o] - want[a]));
            CHECK_NEAR(fabs(sum), 1, pow(2e-10 * want[0] / gap, 2) + 1e-12);
        }
        CHECK(fxi_fit_source_scores(P, &s, W, b, k, NULL) == FX_OK);
        components_moments(P, c, rows, k, value, 1e-9);
        for (size_t a = 0; a < cols; a++)
            all -= want[a];
        CHECK_NEAR(all, 0, 1e-11 * want[0]);
        fxi_fit_source_free(&s);
    }
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)ctx > 1;
}

/* Three directions and a constant: the others have no variance and are 0. */
static void check_rank(size_t rows, size_t cols)
{
    static double W[COLS * COLS], b[COLS], value[COLS];
    fx_matrix m = {.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = X};
    fxi_source s;

    for (size_t i = 0; i < rows; i++) {
        double t[3] = {test_unit(), test_unit(), test_unit()};
        for (size_t j = 0; j < cols; j++)
            X[i * cols + j] =
                100 + t[0] * (double)(j % 2) + t[1] * (double)(j % 3) + t[2] * (j == 4);
        c[i] = 2;
    }
    CHECK(fxi_fit_source(&s, &m, NULL, 0, NULL) == FX_OK);
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, K, 1, NULL) == FX_OK);
    for (size_t a = 0; a < K; a++) {
        CHECK((value[a] > 0) == (a < 3));
        for (size_t j = 0; j < cols && a >= 3; j++)
            CHECK(W[j * K + a] == 0 && b[a] == 0);
    }
    for (size_t i = 0; i < rows; i++)   /* one row, many times */
        memcpy(X + i * cols, X, cols * sizeof *X);
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, K, 1, NULL) == FX_OK);
    for (size_t a = 0; a < K; a++)
        CHECK(value[a] == 0 && b[a] == 0 && W[a] == 0);
    CHECK(all == 0);
    fxi_fit_source_free(&s);
}

static void check_errors(void)
{
    static double W[COLS * COLS], b[COLS], value[COLS];
    fx_matrix m = {.rows = 50, .cols = 9, .stride = 9, .type = FX_F64, .val = X};
    fxi_source s;
    int calls = 0;
    size_t bytes;

    draw(50, 9, false);
    CHECK(fxi_fit_source(&s, &m, NULL, 0, NULL) == FX_OK);
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 0, 1, NULL) == FX_EINVAL);
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 10, 1, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "k is 10") && strstr(fx_error_detail(), "1 to 9"));
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 9, 1, NULL) == FX_OK);
    CHECK(fxi_fit_pca_bytes(&bytes, &s, 9, 1));
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 9, 1,
                      &(fx_run){RUN, .threads = 1, .max_memory = bytes})
          == FX_OK);
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 9, 1,
                      &(fx_run){RUN, .threads = 1, .max_memory = bytes - 1})
          == FX_ELIMIT);
    CHECK(
        fxi_fit_pca(W, b, value, &all, &s, c, 9, 1, &(fx_run){RUN, .progress = stop, .ctx = &calls})
        == FX_ECANCELLED);
    memset(c, 0, sizeof c);
    c[7] = c[8] = 1;
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 3, 1, NULL) == FX_EINVAL);
    CHECK(fxi_fit_pca(W, b, value, &all, &s, c, 2, 1, NULL) == FX_OK);
    CHECK(value[0] > 0 && value[1] == 0 && all >= value[0] && all < value[0] * (1 + 1e-9));
    fxi_fit_source_free(&s);
}

/* A map's features: stored or made on a visit, the same bits; and far more features than rows. */
static void check_map(size_t features)
{
    double *W[2], b[2][K], value[2][K];
    fx_matrix m = {.rows = ROWS, .cols = 20, .stride = 20, .type = FX_F64, .val = X};
    static double P[ROWS * K];
    fx_kernel *kernel;
    fx_map *map;

    draw(ROWS, 20, true);
    CHECK(fx_kernel_parse(&kernel, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&map, "rk", kernel, 20, features, 3, NULL, NULL) == FX_OK);
    for (int t = 0; t < 2; t++) {
        fxi_source s;
        test_helped();                  /* forget who helped before */
        CHECK(fxi_fit_source(&s, &m, map, t ? 0 : UINT64_MAX, NULL) == FX_OK);
        CHECK((W[t] = fxi_alloc(s.features * K, sizeof **W)));
        CHECK(fxi_fit_pca(W[t], b[t], value[t], &all, &s, c, K, 1, &(fx_run){RUN, .threads = 1 + t})
              == FX_OK);
        CHECK(t == 0 || test_helped());
        CHECK(fxi_fit_source_scores(P, &s, W[t], b[t], K, NULL) == FX_OK);
        components_moments(P, c, ROWS, K, value[t], 1e-9);
        CHECK(!memcmp(W[0], W[t], s.features * K * sizeof **W));
        CHECK(!memcmp(b[0], b[t], sizeof b[0]) && !memcmp(value[0], value[t], sizeof value[0]));
        fxi_fit_source_free(&s);
    }
    free(W[0]);
    free(W[1]);
    fx_map_free(map);
    fx_kernel_free(kernel);
}

int main(void)
{
    test_init();
    check_forms(ROWS, COLS, K);         /* the matrix is formed */
    check_forms(30, COLS, K);           /* by passes */
    check_forms(31, 33, 1);
    check_forms(300, 3, 3);
    check_forms(20, 45, 8);
    check_rank(ROWS, COLS);
    check_rank(20, COLS);
    check_errors();
    check_map(200);
    check_map(2000);
    return 0;
}
