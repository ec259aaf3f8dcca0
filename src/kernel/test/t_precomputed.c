/* SPDX-License-Identifier: BSD-3-Clause
 * t_precomputed.c - reading a Gram matrix: all forms, with and without serial numbers; a check. */

#include "base/test.h"
#include "kernel/kernel.h"

#include <float.h>
#include <string.h>

enum { N = 130 };

static double G[N][N], dense[N * (N + 1)], csr[N * (N + 1)];
static float dense32[N * (N + 1)], csr32[N * (N + 1)];
static int32_t col[N * (N + 1)];
static int64_t ptr[N + 1];

/* The matrix behind `before` columns of serial numbers, dense or CSR (zeros left out), in floats or
 * doubles. */
static fx_matrix form(size_t before, bool sparse, bool f32)
{
    size_t cols = N + before, n = 0;

    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < cols; j++) {
            double v = j < before ? (double)i + 1 : G[i][j - before];
            dense[i * cols + j] = v;
            dense32[i * cols + j] = (float)v;
            if (v != 0) {
                csr[n] = v;
                csr32[n] = (float)v;
                col[n++] = (int32_t)j;
            }
        }
        ptr[i + 1] = (int64_t)n;
    }
    return (fx_matrix){.rows = N,
                       .cols = cols,
                       .stride = cols,
                       .type = f32 ? FX_F32 : FX_F64,
                       .val = sparse ? (f32 ? (const void *)csr32 : csr)
                                     : (f32 ? (const void *)dense32 : dense),
                       .ptr = sparse ? ptr : NULL,
                       .col = sparse ? col : NULL};
}

static void reading(const char *spec, size_t before, bool sparse, bool f32)
{
    enum { Z = 7, X = 90 };
    static float row[Z][X];
    float *K[Z];
    int32_t x[X], z[Z];
    double W[Z * 2], S[X * 2], d[X];
    fx_kernel *k = NULL;
    fx_matrix A = form(before, sparse, f32);

    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK && fxi_kernel_is_precomputed(k));
    CHECK(fxi_kernel_precomputed_check(k, &A, NULL) == FX_OK);
    for (int i = 0; i < X; i++)
        x[i] = (int32_t)test_below(N);
    for (int w = 0; w < Z; w++) {
        z[w] = (int32_t)test_below(N);
        K[w] = row[w];
        W[2 * w] = 1, W[2 * w + 1] = test_unit();
    }
    fxi_row_subset a = {&A, x, X}, b = {&A, z, Z}, none = {NULL, z, Z};
    CHECK(fxi_kernel_rows(K, k, a, b, NULL) == FX_OK);
    CHECK(fxi_kernel_rows_diagonal(d, k, a, NULL) == FX_OK);
    CHECK(fxi_kernel_score(S, k, a, none, W, 2, NULL) == FX_OK);
    for (int i = 0; i < X; i++) {
        double sum[2] = {0};
        for (int w = 0; w < Z; w++) {
            double v = f32 ? (double)(float)G[x[i]][z[w]] : G[x[i]][z[w]];
            CHECK(row[w][i] == (float)G[z[w]][x[i]]);
            sum[0] += v * W[2 * w];
            sum[1] += v * W[2 * w + 1];
        }
        CHECK(S[2 * i] == sum[0] && S[2 * i + 1] == sum[1]);
        CHECK(d[i] == (f32 ? (double)(float)G[x[i]][x[i]] : G[x[i]][x[i]]));
    }
    CHECK(fxi_kernel_rows_bytes(k, &A, NULL) == 0);
    fx_kernel_free(k);
}

static void rejections(void)
{
    fx_kernel *k = NULL, *other = NULL;
    fx_matrix A = form(0, false, false);
    double out[4];

    CHECK(fx_kernel_parse(&other, "poly(precomputed)", NULL, 0) == FX_EINVAL);
    CHECK(fx_kernel_parse(&other, "precomputed:serial=1", NULL, 0) == FX_EINVAL);
    CHECK(fx_kernel_parse(&k, "precomputed", NULL, 0) == FX_OK);
    CHECK(!strcmp(fx_kernel_spec(k), "precomputed:serial=auto"));
    CHECK(fx_kernel_gram(out, 2, k, &A, NULL, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "a Gram matrix already"));
    CHECK(fx_kernel_values(out, NULL, k, out, 1, &A, NULL) == FX_EUNSUPPORTED);
    dense[5 * N + 3] += 1e-7 * fabs(dense[5 * N + 3]);
    CHECK(fxi_kernel_precomputed_check(k, &A, NULL) == FX_OK);
    dense[5 * N + 3] += 1;
    CHECK(fxi_kernel_precomputed_check(k, &A, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "row 5 and row 3"));
    A.rows--;                           /* N - 1 rows: the first column is taken for the numbers */
    CHECK(fxi_kernel_precomputed_check(k, &A, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "serial number"));
    A.rows--;
    CHECK(fxi_kernel_precomputed_check(k, &A, NULL) == FX_ESHAPE);
    int32_t beyond = N;
    fxi_row_subset x = {&A, NULL, 2}, z = {&A, &beyond, 1};
    double W[1] = {1};
    CHECK(fxi_kernel_score(out, k, x, z, W, 1, NULL) == FX_ESHAPE);
    CHECK(strstr(fx_error_detail(), "row 130"));
    fx_kernel_free(k);
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            G[i][j] = G[j][i] = test_below(5) ? test_unit() - 0.2 : 0;
    for (int f = 0; f < 4; f++) {
        reading("precomputed", 0, f & 1, f & 2);
        reading("precomputed", 1, f & 1, f & 2);
        reading("precomputed:serial=no", 0, f & 1, f & 2);
        reading("precomputed:serial=yes", 1, f & 1, f & 2);
    }
    rejections();
    return 0;
}
