/* SPDX-License-Identifier: BSD-3-Clause
 * cholesky_hot.c - tiles of matrices in panels of 16 rows. */

#include "simd/hot.h"

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

void FXI_HOT(linalg_cholesky_tile)(double *C, const double *a, const double *b, size_t n,
                                   double sign)
{
    for (int i = 0; i < T; i += I)
        for (int j = 0; j < T; j += J)
            corner(C + i * T + j, a + i, b + j, n, sign);
}

/* C = C F'^-1, F lower triangular */
void FXI_HOT(linalg_cholesky_divide)(double *restrict C, const double *restrict F)
{
    for (size_t c = 0; c < T; c++) {
        double sum[T];
        for (size_t r = 0; r < T; r++)
            sum[r] = C[c * T + r];
        for (size_t e = 0; e < c; e++)
            for (size_t r = 0; r < T; r++)
                sum[r] -= C[e * T + r] * F[e * T + c];
        for (size_t r = 0; r < T; r++)
            C[c * T + r] = sum[r] / F[c * T + c];
    }
}

void FXI_HOT(linalg_cholesky_lower)(double *restrict y, const double *restrict L,
                               const double *restrict x, size_t n)
{
    double sum[T] = {0};

    for (size_t k = 0; k < n; k++)
        for (size_t e = 0; e < T; e++)
            sum[e] += L[k * T + e] * x[k];
    for (size_t e = 0; e < T; e++)
        y[e] -= sum[e];
}

void FXI_HOT(linalg_cholesky_upper)(double *restrict x, const double *restrict L,
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
