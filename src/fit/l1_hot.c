/* SPDX-License-Identifier: BSD-3-Clause
 * l1_hot.c - products of a dense column of floats with vectors over the rows. */

#include "simd/hot.h"

enum { PARTS = 16 };

void FXI_HOT(fit_l1_sums)(double out[3], const float *x, const double *r, const double *D, size_t n)
{
    double g[PARTS] = {0}, h[PARTS] = {0}, H[PARTS] = {0};
    size_t k = 0;

    for (; k + PARTS <= n; k += PARTS)
        for (size_t p = 0; p < PARTS; p++) {
            double v = (double)x[k + p], Dv = D[k + p] * v;
            g[p] += r[k + p] * v;
            h[p] += Dv;
            H[p] += Dv * v;
        }
    for (size_t p = 0; k < n; k++, p++) {
        double v = (double)x[k], Dv = D[k] * v;
        g[p] += r[k] * v;
        h[p] += Dv;
        H[p] += Dv * v;
    }
    for (size_t p = 1; p < PARTS; p++) {
        g[0] += g[p];
        h[0] += h[p];
        H[0] += H[p];
    }
    out[0] = g[0], out[1] = h[0], out[2] = H[0];
}

void FXI_HOT(fit_l1_update)(double *restrict q, double *restrict r, double by,
                            const float *restrict x, const double *restrict D, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double v = by * (double)x[k];
        q[k] += v;
        r[k] += D[k] * v;
    }
}
