/* SPDX-License-Identifier: BSD-3-Clause
 * fold_hot.c - sums and products over the entries of a row and FXI_LANES vectors, in the order of
 * the row: one loop, with a step for each kernel.
 *
 *   dot        sum x_k z_k               subsets  prod (1 + x_k z_k)
 *   distance2  sum (x_k - z_k)^2         cauchy   prod (1 + gamma^2 (x_k - z_k)^2)
 *   distance1  sum |x_k - z_k|
 *
 * A second row with the same slots is computed at the same time, because one row alone waits for
 * its own additions.  Every lane of every row has its own sum, rounded as fxi_fma says, so a row
 * gives the same bits alone or paired with another.
 *
 * Differences are formed first: ||x||^2 - 2<x,z> + ||z||^2 cancels for close points (rbf.c says
 * when that does not matter). */

#include "simd/hot.h"

typedef fxi_vec step(fxi_vec so_far, double x, fxi_vec z, double gamma);

FXI_INLINE fxi_vec add_product(fxi_vec sum, double x, fxi_vec z, double gamma)
{
    (void)gamma;
    return fxi_fma(fxi_splat(x), z, sum);
}

FXI_INLINE fxi_vec add_square(fxi_vec sum, double x, fxi_vec z, double gamma)
{
    fxi_vec d = x - z;

    (void)gamma;
    return fxi_fma(d, d, sum);
}

FXI_INLINE fxi_vec add_distance(fxi_vec sum, double x, fxi_vec z, double gamma)
{
    (void)gamma;
    return sum + fxi_abs(x - z);
}

FXI_INLINE fxi_vec times_factor(fxi_vec product, double x, fxi_vec z, double gamma)
{
    (void)gamma;
    return product * fxi_fma(fxi_splat(x), z, fxi_splat(1));
}

FXI_INLINE fxi_vec times_cauchy(fxi_vec product, double x, fxi_vec z, double gamma)
{
    fxi_vec d = gamma * (x - z);

    return product * fxi_fma(d, d, fxi_splat(1));
}

/* Otherwise gcc reads v from memory once per row, and these loads take the most time. */
#if defined __AVX2__
#define KEEP(v) __asm__("" : "+v"(v))
#else
#define KEEP(v) (void)(v)
#endif

/* `next` and `rows` are constants at every call, so that r lives in registers. */
FXI_INLINE void fold_rows(double *out, const double *const *x, const int rows, const int32_t *slot,
                          const double *zt, size_t n, double start, step *next, double gamma)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec r[2][FXI_GROUP];
        for (int i = 0; i < rows; i++)
            for (int g = 0; g < FXI_GROUP; g++)
                r[i][g] = fxi_splat(start);
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            size_t at = rows > 1 && slot ? (size_t)slot[k] : k;
            for (int g = 0; g < FXI_GROUP; g++) {
                fxi_vec v = fxi_load(z + g * FXI_STEP);
                KEEP(v);
                for (int i = 0; i < rows; i++)
                    r[i][g] = next(r[i][g], x[i][at], v, gamma);
            }
        }
        for (int i = 0; i < rows; i++)
            for (int g = 0; g < FXI_GROUP; g++)
                fxi_store(out + i * FXI_LANES + c + g * FXI_STEP, r[i][g]);
    }
}

FXI_INLINE void fold(double *out, const double *x, const double *x2, const int32_t *slot,
                     const double *zt, size_t n, double start, step *next, double gamma)
{
    const double *const both[] = {x, x2};

    if (x2 && slot)
        fold_rows(out, both, 2, slot, zt, n, start, next, gamma);
    else if (x2)
        fold_rows(out, both, 2, NULL, zt, n, start, next, gamma);
    else if (slot)
        fold_rows(out, &x, 1, slot, zt, n, start, next, gamma);
    else
        fold_rows(out, &x, 1, NULL, zt, n, start, next, gamma);
}

void FXI_HOT(kernel_dot)(double *out, const double *x, const double *x2, const int32_t *slot,
                         const double *zt, size_t n)
{
    fold(out, x, x2, slot, zt, n, 0, add_product, 0);
}

void FXI_HOT(kernel_subsets)(double *out, const double *x, const int32_t *slot, const double *zt,
                             size_t n)
{
    fold(out, x, NULL, slot, zt, n, 1, times_factor, 0);
}

void FXI_HOT(kernel_distance2)(double *out, const double *x, const double *x2, const int32_t *slot,
                               const double *zt, size_t n)
{
    fold(out, x, x2, slot, zt, n, 0, add_square, 0);
}

void FXI_HOT(kernel_distance1)(double *out, const double *x, const double *x2, const int32_t *slot,
                               const double *zt, size_t n)
{
    fold(out, x, x2, slot, zt, n, 0, add_distance, 0);
}

void FXI_HOT(kernel_cauchy)(double *out, const double *x, const double *x2, const int32_t *slot,
                            const double *zt, size_t n, double gamma)
{
    fold(out, x, x2, slot, zt, n, 1, times_cauchy, gamma);
}
