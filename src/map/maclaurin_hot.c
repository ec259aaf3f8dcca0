/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin_hot.c - a level of products: z_i *= factor y_i. */

#include "simd/hot.h"

void FXI_HOT(map_maclaurin_times)(float *z, const float *y, size_t n, float factor)
{
    size_t i = 0;

    for (; i + FXI_FSTEP <= n; i += FXI_FSTEP)
        fxi_fstore(z + i, fxi_fload(z + i) * (fxi_fload(y + i) * factor));
    for (; i < n; i++)
        z[i] *= y[i] * factor;
}
