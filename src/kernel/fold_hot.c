/* SPDX-License-Identifier: BSD-3-Clause
 * fold_hot.c - sums and products over the entries of a row beside FXI_LANES vectors, in the order
 * of the row: one loop, and a step for each kernel.
 *
 *   dot        sum x_k z_k               subsets  prod (1 + x_k z_k)
 *   distance2  sum (x_k - z_k)^2         cauchy   prod (1 + gamma^2 (x_k - z_k)^2)
 *   distance1  sum |x_k - z_k|
 *
 * Differences are formed first: ||x||^2 - 2<x,z> + ||z||^2 would cancel for close points. */

#include "simd/hot.h"

typedef fxi_vec step(fxi_vec so_far, double x, fxi_vec z, double gamma);

FXI_INLINE fxi_vec add_product(fxi_vec sum, double x, fxi_vec z, double gamma)
{
    (void)gamma;
    return sum + x * z;
}

FXI_INLINE fxi_vec add_square(fxi_vec sum, double x, fxi_vec z, double gamma)
{
    fxi_vec d = x - z;

    (void)gamma;
    return sum + d * d;
}

FXI_INLINE fxi_vec add_distance(fxi_vec sum, double x, fxi_vec z, double gamma)
{
    (void)gamma;
    return sum + fxi_abs(x - z);
}

FXI_INLINE fxi_vec times_factor(fxi_vec product, double x, fxi_vec z, double gamma)
{
    (void)gamma;
    return product * (1 + x * z);
}

FXI_INLINE fxi_vec times_cauchy(fxi_vec product, double x, fxi_vec z, double gamma)
{
    fxi_vec d = gamma * (x - z);

    return product * (1 + d * d);
}

/* `next` is a constant at every call, so that it is inlined. */
FXI_INLINE void fold(double *out, const double *x, const int32_t *slot, const double *zt, size_t n,
                     double start, step *next, double gamma)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec r[FXI_GROUP];
        for (int g = 0; g < FXI_GROUP; g++)
            r[g] = fxi_splat(start);
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int g = 0; g < FXI_GROUP; g++)
                r[g] = next(r[g], x[k], fxi_load(z + g * FXI_STEP), gamma);
        }
        for (int g = 0; g < FXI_GROUP; g++)
            fxi_store(out + c + g * FXI_STEP, r[g]);
    }
}

void FXI_HOT(kernel_dot)(double *out, const double *x, const int32_t *slot, const double *zt,
                         size_t n)
{
    fold(out, x, slot, zt, n, 0, add_product, 0);
}

void FXI_HOT(kernel_subsets)(double *out, const double *x, const int32_t *slot, const double *zt,
                             size_t n)
{
    fold(out, x, slot, zt, n, 1, times_factor, 0);
}

void FXI_HOT(kernel_distance2)(double *out, const double *x, const int32_t *slot, const double *zt,
                               size_t n)
{
    fold(out, x, slot, zt, n, 0, add_square, 0);
}

void FXI_HOT(kernel_distance1)(double *out, const double *x, const int32_t *slot, const double *zt,
                               size_t n)
{
    fold(out, x, slot, zt, n, 0, add_distance, 0);
}

void FXI_HOT(kernel_cauchy)(double *out, const double *x, const int32_t *slot, const double *zt,
                            size_t n, double gamma)
{
    fold(out, x, slot, zt, n, 1, times_cauchy, gamma);
}
