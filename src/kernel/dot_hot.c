/* SPDX-License-Identifier: BSD-3-Clause
 * dot_hot.c - <x, z_w> for FXI_LANES vectors z_w: the sum of linear.c, in the order of the row. */

#include "simd/hot.h"

void FXI_HOT(kernel_dot)(double *out, const double *x, const int32_t *slot, const double *zt,
                         size_t n)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec sum[FXI_GROUP] = {0};
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int g = 0; g < FXI_GROUP; g++)
                sum[g] += x[k] * fxi_load(z + g * FXI_STEP);
        }
        for (int g = 0; g < FXI_GROUP; g++)
            fxi_store(out + c + g * FXI_STEP, sum[g]);
    }
}
