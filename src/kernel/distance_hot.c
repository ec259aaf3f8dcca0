/* SPDX-License-Identifier: BSD-3-Clause
 * distance_hot.c - sums over the differences of a row and FXI_LANES vectors.  Differences are
 * formed first: the expansion ||x||^2 - 2<x,z> + ||z||^2 would cancel for close points. */

#include "simd/hot.h"

void FXI_HOT(kernel_distance2)(double *out, const double *x, const int32_t *slot, const double *zt,
                               size_t n)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec sum[FXI_GROUP] = {0};
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int g = 0; g < FXI_GROUP; g++) {
                fxi_vec d = x[k] - fxi_load(z + g * FXI_STEP);
                sum[g] += d * d;
            }
        }
        for (int g = 0; g < FXI_GROUP; g++)
            fxi_store(out + c + g * FXI_STEP, sum[g]);
    }
}

void FXI_HOT(kernel_distance1)(double *out, const double *x, const int32_t *slot, const double *zt,
                               size_t n)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec sum[FXI_GROUP] = {0};
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int g = 0; g < FXI_GROUP; g++)
                sum[g] += fxi_abs(x[k] - fxi_load(z + g * FXI_STEP));
        }
        for (int g = 0; g < FXI_GROUP; g++)
            fxi_store(out + c + g * FXI_STEP, sum[g]);
    }
}

/* prod_k (1 + gamma^2 (x_k - z_kw)^2): the reciprocal of the kernel */
void FXI_HOT(kernel_cauchy)(double *out, const double *x, const int32_t *slot, const double *zt,
                            size_t n, double gamma)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec r[FXI_GROUP];
        for (int g = 0; g < FXI_GROUP; g++)
            r[g] = fxi_splat(1);
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int g = 0; g < FXI_GROUP; g++) {
                fxi_vec d = gamma * (x[k] - fxi_load(z + g * FXI_STEP));
                r[g] *= 1 + d * d;
            }
        }
        for (int g = 0; g < FXI_GROUP; g++)
            fxi_store(out + c + g * FXI_STEP, r[g]);
    }
}
