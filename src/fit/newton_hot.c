/* SPDX-License-Identifier: BSD-3-Clause
 * newton_hot.c - four rows of floats at once with one vector of doubles, which is loaded and stored
 * once for all four.  A row's inner product is the same in each of the four places: fxi_fma1 says
 * how a term is rounded. */

#include "simd/hot.h"

enum { PARTS = 16 };

void FXI_HOT(fit_newton_dots)(double out[4], const float *const x[4], const double *w, size_t n)
{
    const float *a = x[0], *b = x[1], *c = x[2], *d = x[3];
    double A[PARTS] = {0}, B[PARTS] = {0}, C[PARTS] = {0}, D[PARTS] = {0};
    size_t k = 0;

    for (; k + PARTS <= n; k += PARTS)
        for (size_t p = 0; p < PARTS; p++) {
            A[p] = fxi_fma1((double)a[k + p], w[k + p], A[p]);
            B[p] = fxi_fma1((double)b[k + p], w[k + p], B[p]);
            C[p] = fxi_fma1((double)c[k + p], w[k + p], C[p]);
            D[p] = fxi_fma1((double)d[k + p], w[k + p], D[p]);
        }
    for (size_t p = 0; k < n; k++, p++) {
        A[p] = fxi_fma1((double)a[k], w[k], A[p]);
        B[p] = fxi_fma1((double)b[k], w[k], B[p]);
        C[p] = fxi_fma1((double)c[k], w[k], C[p]);
        D[p] = fxi_fma1((double)d[k], w[k], D[p]);
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

void FXI_HOT(fit_newton_squares)(double *restrict w, const double by[4], const float *const x[4],
                                 size_t n)
{
    const float *restrict a = x[0], *restrict b = x[1], *restrict c = x[2], *restrict d = x[3];
    double A = by[0], B = by[1], C = by[2], D = by[3];

    for (size_t k = 0; k < n; k++) {
        double p = (double)a[k], q = (double)b[k], r = (double)c[k], s = (double)d[k];
        w[k] += (A * p * p + B * q * q) + (C * r * r + D * s * s);
    }
}
