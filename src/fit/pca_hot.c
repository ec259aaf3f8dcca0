/* SPDX-License-Identifier: BSD-3-Clause
 * pca_hot.c - a row and 16 vectors zt[slot][lane]: their inner products, and the row times 16
 * numbers added to the vectors; also four dense rows at once, so that the vectors are loaded
 * once. */

#include "simd/hot.h"

enum { V = FXI_LANES / FXI_STEP };      /* registers that hold 16 lanes */

void FXI_HOT(fit_pca_dot)(double *t, const double *x, const int32_t *slot, const double *zt,
                          size_t n)
{
    fxi_vec even[V], odd[V];            /* two chains of additions */
    size_t k = 0;

    for (int g = 0; g < V; g++) {
        even[g] = fxi_load(t + g * FXI_STEP);
        odd[g] = fxi_splat(0);
    }
    for (; k + 2 <= n; k += 2) {
        const double *a = fxi_lanes(zt, slot, k), *b = fxi_lanes(zt, slot, k + 1);
        for (int g = 0; g < V; g++) {
            even[g] += x[k] * fxi_load(a + g * FXI_STEP);
            odd[g] += x[k + 1] * fxi_load(b + g * FXI_STEP);
        }
    }
    for (int g = 0; g < V; g++) {
        if (k < n)
            even[g] += x[k] * fxi_load(fxi_lanes(zt, slot, k) + g * FXI_STEP);
        fxi_store(t + g * FXI_STEP, even[g] + odd[g]);
    }
}

void FXI_HOT(fit_pca_add)(double *zt, const double *x, const int32_t *slot, const double *t,
                          size_t n)
{
    fxi_vec by[V];

    for (int g = 0; g < V; g++)
        by[g] = fxi_load(t + g * FXI_STEP);
    for (size_t k = 0; k < n; k++) {
        double *z = zt + (slot ? (size_t)slot[k] : k) * FXI_LANES;
        for (int g = 0; g < V; g++)
            fxi_store(z + g * FXI_STEP, fxi_load(z + g * FXI_STEP) + x[k] * by[g]);
    }
}

void FXI_HOT(fit_pca_dots)(double *t, size_t stride, const double *x, size_t ldx, const double *zt,
                           size_t n)
{
    for (int c = 0; c < FXI_LANES; c += 2 * FXI_STEP) {
        fxi_vec sum[4][2];
        for (int r = 0; r < 4; r++) {
            sum[r][0] = fxi_load(t + (size_t)r * stride + c);
            sum[r][1] = fxi_load(t + (size_t)r * stride + c + FXI_STEP);
        }
        for (size_t k = 0; k < n; k++) {
            fxi_vec a = fxi_load(zt + k * FXI_LANES + c);
            fxi_vec b = fxi_load(zt + k * FXI_LANES + c + FXI_STEP);
            for (int r = 0; r < 4; r++) {
                fxi_vec s = fxi_splat(x[(size_t)r * ldx + k]);
                sum[r][0] += s * a;
                sum[r][1] += s * b;
            }
        }
        for (int r = 0; r < 4; r++) {
            fxi_store(t + (size_t)r * stride + c, sum[r][0]);
            fxi_store(t + (size_t)r * stride + c + FXI_STEP, sum[r][1]);
        }
    }
}

void FXI_HOT(fit_pca_adds)(double *zt, const double *x, size_t ldx, const double *t, size_t stride,
                           size_t n)
{
    for (int c = 0; c < FXI_LANES; c += 2 * FXI_STEP) {
        fxi_vec by[4][2];
        for (int r = 0; r < 4; r++) {
            by[r][0] = fxi_load(t + (size_t)r * stride + c);
            by[r][1] = fxi_load(t + (size_t)r * stride + c + FXI_STEP);
        }
        for (size_t k = 0; k < n; k++) {
            double *z = zt + k * FXI_LANES + c;
            fxi_vec a = fxi_load(z), b = fxi_load(z + FXI_STEP);
            for (int r = 0; r < 4; r++) {
                fxi_vec s = fxi_splat(x[(size_t)r * ldx + k]);
                a += s * by[r][0];
                b += s * by[r][1];
            }
            fxi_store(z, a);
            fxi_store(z + FXI_STEP, b);
        }
    }
}
