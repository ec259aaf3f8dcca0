/* SPDX-License-Identifier: BSD-3-Clause
 * newton_hot.c - four rows of floats beside one vector of doubles, which is loaded and stored once
 * for all four; and tiles of matrices in panels of 16 rows. */

#include "simd/hot.h"

enum { PARTS = 16 };

void FXI_HOT(fit_newton_dots)(double out[4], const float *const x[4], const double *w, size_t n)
{
    const float *a = x[0], *b = x[1], *c = x[2], *d = x[3];
    double A[PARTS] = {0}, B[PARTS] = {0}, C[PARTS] = {0}, D[PARTS] = {0};
    size_t k = 0;

    for (; k + PARTS <= n; k += PARTS)
        for (size_t p = 0; p < PARTS; p++) {
            A[p] += (double)a[k + p] * w[k + p];
            B[p] += (double)b[k + p] * w[k + p];
            C[p] += (double)c[k + p] * w[k + p];
            D[p] += (double)d[k + p] * w[k + p];
        }
    for (size_t p = 0; k < n; k++, p++) {
        A[p] += (double)a[k] * w[k];
        B[p] += (double)b[k] * w[k];
        C[p] += (double)c[k] * w[k];
        D[p] += (double)d[k] * w[k];
    }
    for (size_t p = 1; p < PARTS; p++) {
        A[0] += A[p];
        B[0] += B[p];
        C[0] += C[p];
        D[0] += D[p];
    }
    out[0] = A[0], out[1] = B[0], out[2] = C[0], out[3] = D[0];
}

void FXI_HOT(fit_newton_adds)(double *restrict w, const double by[4], const float *const x[4],
                              size_t n)
{
    const float *restrict a = x[0], *restrict b = x[1], *restrict c = x[2], *restrict d = x[3];
    double A = by[0], B = by[1], C = by[2], D = by[3];

    for (size_t k = 0; k < n; k++)
        w[k] += (A * (double)a[k] + B * (double)b[k]) + (C * (double)c[k] + D * (double)d[k]);
}

void FXI_HOT(fit_newton_squares)(double *restrict w, double by, const float *restrict x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        w[k] += by * (double)x[k] * (double)x[k];
}

/* ---- Tiles of 16 x 16 --------------------------------------------------------------------- */
enum { T = FXI_LANES, V = FXI_STEP, J = 2 * V < T ? 2 * V : T, I = FXI_WIDTH == 64 ? 8 : 4 };

/* C[i..][j..] += sign sum_k a[k][i..] b[k][j..], I x J of them in registers */
FXI_INLINE void corner(double *C, const double *a, const double *b, size_t n, double sign)
{
    fxi_vec sum[I][2];

    for (int i = 0; i < I; i++)
        sum[i][0] = sum[i][1] = fxi_splat(0);
    for (size_t k = 0; k < n; k++) {
        fxi_vec b0 = fxi_load(b + k * T), b1 = fxi_load(b + k * T + V);
        for (int i = 0; i < I; i++) {
            fxi_vec s = fxi_splat(a[k * T + (size_t)i]);
            sum[i][0] += s * b0;
            sum[i][1] += s * b1;
        }
    }
    for (int i = 0; i < I; i++) {
        fxi_store(C + i * T, fxi_load(C + i * T) + fxi_splat(sign) * sum[i][0]);
        fxi_store(C + i * T + V, fxi_load(C + i * T + V) + fxi_splat(sign) * sum[i][1]);
    }
}

void FXI_HOT(fit_newton_tile)(double *C, const double *a, const double *b, size_t n, double sign)
{
    for (int i = 0; i < T; i += I)
        for (int j = 0; j < T; j += J)
            corner(C + i * T + j, a + i, b + j, n, sign);
}

void FXI_HOT(fit_newton_lower)(double *restrict y, const double *restrict L,
                               const double *restrict x, size_t n)
{
    double sum[T] = {0};

    for (size_t k = 0; k < n; k++)
        for (size_t e = 0; e < T; e++)
            sum[e] += L[k * T + e] * x[k];
    for (size_t e = 0; e < T; e++)
        y[e] -= sum[e];
}

void FXI_HOT(fit_newton_upper)(double *restrict x, const double *restrict L,
                               const double *restrict y, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double sum = 0, part[4] = {0};
        for (size_t e = 0; e < T; e++)
            part[e % 4] += L[k * T + e] * y[e];
        for (size_t e = 0; e < 4; e++)
            sum += part[e];
        x[k] -= sum;
    }
}
