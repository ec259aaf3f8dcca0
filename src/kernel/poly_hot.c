/* SPDX-License-Identifier: BSD-3-Clause
 * poly_hot.c - (add + by v)^degree of many doubles, by repeated squaring. */

#include "simd/hot.h"

FXI_INLINE void powers(double *v, size_t n, double add, double by, int degree)
{
    for (size_t i = 0; i < n; i += FXI_STEP) {
        fxi_vec base = add + by * fxi_load(v + i), power = fxi_splat(1);
        for (int m = degree; m > 1; m >>= 1, base *= base)
            if (m & 1)
                power *= base;
        fxi_store(v + i, power * base);
    }
}

void FXI_HOT(kernel_poly)(double *v, size_t n, double add, double by, int degree)
{
    if (degree == 2)                    /* known to the compiler, most in use */
        powers(v, n, add, by, 2);
    else
        powers(v, n, add, by, degree);
}
