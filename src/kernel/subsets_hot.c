/* SPDX-License-Identifier: BSD-3-Clause
 * subsets_hot.c - prod_k (1 + x_k z_kw) with each entry left out in turn, for FXI_LANES vectors, by
 * prefix and suffix products: no division, so factors that are exactly zero need no special case.
 * The whole product is in fold_hot.c. */

#include "simd/hot.h"

/* g[k*FXI_LANES + w] = x_k prod_{i != k} (1 + x_i z_iw) */
void FXI_HOT(kernel_subsets_without)(double *g, const double *x, const int32_t *slot,
                                     const double *zt, size_t n)
{
    for (int w = 0; w < FXI_LANES; w += FXI_STEP) {
        fxi_vec prefix = fxi_splat(1), suffix = fxi_splat(1);
        for (size_t k = 0; k < n; k++) {
            fxi_store(g + k * FXI_LANES + (size_t)w, x[k] * prefix);
            prefix *= 1 + x[k] * fxi_load(fxi_lanes(zt, slot, k) + w);
        }
        for (size_t k = n; k-- > 0;) {
            double *at = g + k * FXI_LANES + (size_t)w;
            fxi_store(at, fxi_load(at) * suffix);
            suffix *= 1 + x[k] * fxi_load(fxi_lanes(zt, slot, k) + w);
        }
    }
}
