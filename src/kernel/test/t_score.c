/* SPDX-License-Identifier: BSD-3-Clause
 * t_score.c - weighted sums of kernel values against the sums of fx_kernel_gram's numbers.
 *
 * Covers: score_hot.c */

#include "kernel/test/golden.h"

#include <float.h>

enum { N = 700, D = 17 };

static double X[N * D], G[N * N], csr[N * D];
static int32_t col[N * D];
static int64_t ptr[N + 1];

static void compare(const fx_kernel *k, const fx_matrix *A, const fx_matrix *B, size_t nx,
                    size_t nz, size_t outputs)
{
    int32_t x[N], z[N];
    double *W = malloc(nz * outputs * sizeof *W + 1), *S = malloc(nx * outputs * sizeof *S);
    double *T = malloc(nx * outputs * sizeof *T);

    CHECK(W && S && T);
    for (size_t i = 0; i < nx; i++)
        x[i] = (int32_t)test_below(N);
    for (size_t i = 0; i < nz; i++)
        z[i] = (int32_t)test_below(N);
    for (size_t i = 0; i < nz * outputs; i++)
        W[i] = test_unit() - 0.5;
    CHECK(fxi_kernel_score(S, k, (fxi_row_subset){A, x, nx}, (fxi_row_subset){B, z, nz}, W, outputs,
                           &(fx_run){RUN, .threads = 1})
          == FX_OK);
    CHECK(fxi_kernel_score(T, k, (fxi_row_subset){A, x, nx}, (fxi_row_subset){B, z, nz}, W, outputs,
                           &(fx_run){RUN, .threads = 3})
          == FX_OK);
    CHECK(test_helped() || nx < 600);
    CHECK(!memcmp(S, T, nx * outputs * sizeof *S));
    for (size_t i = 0; i < nx; i++)
        for (size_t c = 0; c < outputs; c++) {
            double sum = 0, size = 0;
            for (size_t w = 0; w < nz; w++) {
                double v = G[(size_t)x[i] * N + (size_t)z[w]] * W[w * outputs + c];
                sum += v;
                size += fabs(v);
            }
            CHECK_NEAR(S[i * outputs + c], sum, (2 * (double)nz + 2) * DBL_EPSILON / 2 * size);
        }
    if (nx > 1) {                       /* a row alone: the same bits */
        CHECK(fxi_kernel_score(T, k, (fxi_row_subset){A, x + nx - 1, 1}, (fxi_row_subset){B, z, nz},
                               W, outputs, NULL)
              == FX_OK);
        CHECK(!memcmp(S + (nx - 1) * outputs, T, outputs * sizeof *S));
    }
    free(W);
    free(S);
    free(T);
}

static void sums(void)
{
    static const char *const specs[] = {"poly:degree=2", "anova:order=3", "rbf:gamma=0.3"};
    static const size_t sizes[][3] = {{1, 1, 1}, {5, 40, 1}, {700, 33, 1}, {600, 100, 3},
                                      {20, 700, 45}, {3, 0, 2}, {515, 16, 8}};
    fx_matrix A = {.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = X};
    fx_matrix B = {.rows = N, .cols = D, .type = FX_F64, .val = csr, .ptr = ptr, .col = col};

    for (size_t s = 0; s < 3; s++) {
        fx_kernel *k = NULL;
        CHECK(fx_kernel_parse(&k, specs[s], NULL, 0) == FX_OK);
        CHECK(fx_kernel_gram(G, N, k, &A, NULL, NULL) == FX_OK);
        for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++)
            for (int f = 0; f < 4; f++)
                compare(k, f & 1 ? &A : &B, f & 2 ? &A : &B, sizes[c][0], sizes[c][1], sizes[c][2]);
        fx_kernel_free(k);
    }
}

static void rejections(void)
{
    double x[2] = {1, 1e200}, W[2] = {1, 1}, S[2];
    fx_matrix A = {.rows = 2, .cols = 1, .stride = 1, .type = FX_F64, .val = x}, B = A;
    fx_kernel *k = NULL, *p = NULL;
    int32_t last = 1;

    CHECK(fx_kernel_parse(&k, "poly", NULL, 0) == FX_OK);
    CHECK(fxi_kernel_score(S, k, (fxi_row_subset){&A, &last, 1}, (fxi_row_subset){&A, NULL, 2}, W,
                           1, NULL)
          == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "row 1 and vector 0"));
    B.cols = 0;
    CHECK(fxi_kernel_score(S, k, (fxi_row_subset){&A, NULL, 1}, (fxi_row_subset){&B, NULL, 2}, W, 1,
                           NULL)
          == FX_ESHAPE);
    CHECK(fxi_kernel_score(S, k, (fxi_row_subset){&A, NULL, 1}, (fxi_row_subset){&A, NULL, 1}, W, 1,
                           &(fx_run){RUN, .max_memory = 10})
          == FX_ELIMIT);
    fx_kernel_free(k);
    /* lanes without a vector: what the kernel is there does not matter, even if it overflows */
    CHECK(fx_kernel_parse(&p, "poly:degree=2,coef0=1e200", NULL, 0) == FX_OK);
    double one = -1, big = 1e200;
    fx_matrix U = {.rows = 1, .cols = 1, .stride = 1, .type = FX_F64, .val = &one}, V = U;
    V.val = &big;
    CHECK(fxi_kernel_score(S, p, (fxi_row_subset){&U, NULL, 1}, (fxi_row_subset){&V, NULL, 1}, W, 1,
                           NULL)
          == FX_OK);
    CHECK(S[0] == 0);
    float f, *row[1] = {&f};
    CHECK(
        fxi_kernel_rows(row, p, (fxi_row_subset){&U, NULL, 1}, (fxi_row_subset){&V, NULL, 1}, NULL)
        == FX_OK);
    CHECK(f == 0);
    fx_kernel_free(p);
}

int main(void)
{
    size_t n = 0;

    test_init();
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++)
            if ((X[i * D + j] = test_below(3) ? 0 : test_unit() - 0.3) != 0) {
                csr[n] = X[i * D + j];
                col[n++] = (int32_t)j;
            }
        ptr[i + 1] = (int64_t)n;
    }
    golden_targets(sums);
    rejections();
    return 0;
}
