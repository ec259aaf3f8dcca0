/* SPDX-License-Identifier: BSD-3-Clause
 * dots_hot.c - inner products and squared norms of many rows, and distances from them.
 *
 * Sparse rows are short: their entries are padded with zeros to a multiple of four, so that the
 * processor predicts the end of the loop and works on several rows at once.  Norms and products are
 * sums in the same order, each term added by fxi_fma, as in fold_hot.c: ||x||^2 = <x, x> bit for
 * bit. */

#include "simd/hot.h"

enum { PAD = 4, G = FXI_LANES / FXI_STEP };

void FXI_HOT(kernel_dots)(double *out, const double *x, const int32_t *slot, const size_t *start,
                          const double *zt, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
            fxi_vec r[FXI_GROUP];
            for (int g = 0; g < FXI_GROUP; g++)
                r[g] = fxi_splat(0);
            for (size_t k = start[i]; k < start[i + 1]; k += PAD)
                for (size_t e = 0; e < PAD; e++) {
                    const double *z = zt + (size_t)slot[k + e] * FXI_LANES + c;
                    for (int g = 0; g < FXI_GROUP; g++)
                        r[g] = fxi_fma(fxi_splat(x[k + e]), fxi_load(z + g * FXI_STEP), r[g]);
                }
            for (int g = 0; g < FXI_GROUP; g++)
                fxi_store(out + i * FXI_LANES + c + g * FXI_STEP, r[g]);
        }
}

/* Two panels at a time: one alone waits for its own additions. */
FXI_INLINE void dot_panels(double *out, const double *x, const double *const *zt, size_t n,
                           const int panels)
{
    for (int c = 0; c < FXI_LANES; c += FXI_CHUNK) {
        fxi_vec r[2][FXI_GROUP];
        for (int i = 0; i < panels; i++)
            for (int g = 0; g < FXI_GROUP; g++)
                r[i][g] = fxi_splat(0);
        for (size_t k = 0; k < n; k++)
            for (int i = 0; i < panels; i++)
                for (int g = 0; g < FXI_GROUP; g++)
                    r[i][g] = fxi_fma(fxi_splat(x[k]),
                                      fxi_load(zt[i] + k * FXI_LANES + c + g * FXI_STEP), r[i][g]);
        for (int i = 0; i < panels; i++)
            for (int g = 0; g < FXI_GROUP; g++)
                fxi_store(out + i * FXI_LANES + c + g * FXI_STEP, r[i][g]);
    }
}

void FXI_HOT(kernel_dot_panels)(double *out, const double *x, const double *const *zt, size_t n,
                                size_t panels)
{
    for (; panels > 1; panels -= 2, zt += 2, out += 2 * FXI_LANES)
        dot_panels(out, x, zt, n, 2);
    if (panels)
        dot_panels(out, x, zt, n, 1);
}

/* Four rows at a time, while all of them last: one alone waits for its own additions. */
void FXI_HOT(kernel_norms)(double *out, const double *const *x, const size_t *n, size_t rows)
{
    enum { R = 4 };

    for (size_t i = 0; i < rows; i += R) {
        double sum[R] = {0};
        size_t all = i + R <= rows ? n[i] : 0;
        for (size_t r = 1; r < R && all; r++)
            if (n[i + r] < all)
                all = n[i + r];
        for (size_t k = 0; k < all; k++)
            for (size_t r = 0; r < R; r++)
                sum[r] = fxi_fma1(x[i + r][k], x[i + r][k], sum[r]);
        for (size_t r = 0; r < R && i + r < rows; r++) {
            for (size_t k = all; k < n[i + r]; k++)
                sum[r] = fxi_fma1(x[i + r][k], x[i + r][k], sum[r]);
            out[i + r] = sum[r];
        }
    }
}

void FXI_HOT(kernel_norms_lanes)(double *out, const double *zt, size_t n)
{
    for (int g = 0; g < G; g++) {
        fxi_vec r = fxi_splat(0);
        for (size_t k = 0; k < n; k++) {
            fxi_vec z = fxi_load(zt + k * FXI_LANES + g * FXI_STEP);
            r = fxi_fma(z, z, r);
        }
        fxi_store(out + g * FXI_STEP, r);
    }
}

void FXI_HOT(kernel_sides)(double *v, const double *x, const double *z, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        for (int g = 0; g < G; g++) {
            double *at = v + i * FXI_LANES + g * FXI_STEP;
            fxi_vec t = x[i] + fxi_load(z + g * FXI_STEP) - 2 * fxi_load(at);
            fxi_store(at, fxi_max(t, fxi_splat(0)));
        }
}

void FXI_HOT(kernel_inverted)(double *v, double x, const int32_t *row, const double *val, size_t n)
{
    for (size_t q = 0; q < n; q++)
        v[row[q]] = fxi_fma1(x, val[q], v[row[q]]);
}
