/* SPDX-License-Identifier: BSD-3-Clause
 * subsets_hot.c - what the exponential form of prod_j (1 + w_j x_j) leaves open (random_kernel.c):
 *
 *   features with |x_j| = 1 make the product 0 unless all their w_j x_j are 1: unless their sum,
 *   `ones`, is their number; features with |x_j| > 1 turn the sign once for each w_j x_j < 0:
 *   (number - `beyond`)/2 times.
 *
 * Sums of at most 2^24 signs; transforms may return them with an error below 1/2. */

#include "simd/hot.h"

void FXI_HOT(map_subsets_signs)(float *z, const float *ones, const float *beyond,
                                const float *ones_number, const float *beyond_number, size_t n)
{
    for (size_t i = 0; i < n; i += FXI_LANES)
        for (int w = 0; w < FXI_LANES; w++) {
            float left = ones_number[w] - ones[i + (size_t)w];
            int turns = (int)((beyond_number[w] - beyond[i + (size_t)w]) * 0.5f + 0.25f);
            float v = turns & 1 ? -z[i + (size_t)w] : z[i + (size_t)w];
            z[i + (size_t)w] = left < 1 ? v : 0;
        }
}
