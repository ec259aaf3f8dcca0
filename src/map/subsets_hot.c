/* SPDX-License-Identifier: BSD-3-Clause
 * subsets_hot.c - the exponential form of prod_j (1 + w_j x_j) (random_kernel.c): the logarithms
 * that are projected, and what the exponential leaves open.
 *
 * Logarithms: q = (1 + |x|)/|1 - |x|| is at least 1 and below 2^55.  With q = 2^k m,
 * sqrt(1/2) <= m < sqrt(2), and s = (m - 1)/(m + 1), |s| < 0.172, half its logarithm is
 *   k ln(2)/2 + s + s^3/3 + .. + s^21/21,
 * whose rest is below 1e-18 s.  Relative to that of q as rounded, the error is below 2^-50:
 * negligible compared with the rounding to a float.
 *
 * Signs: features with |x_j| = 1 make the product 0 unless all their w_j x_j are 1: unless their
 * sum, `ones`, is their number; features with |x_j| > 1 turn the sign once for each w_j x_j < 0:
 * (number - `beyond`)/2 times.  Sums of at most 2^24 signs; transforms may return them with an
 * error below 1/2. */

#include "simd/hot.h"

#include <string.h>

#if FXI_WIDTH > 8
typedef float half __attribute__((vector_size(FXI_WIDTH / 2)));
typedef unsigned long long bits __attribute__((vector_size(FXI_WIDTH)));
FXI_INLINE bits bits_of(fxi_vec v) { return (bits)v; }
FXI_INLINE fxi_vec number_of(bits b) { return (fxi_vec)b; }
FXI_INLINE bits not_zero(fxi_vec v) { return (bits)(v != 0); }
FXI_INLINE void save(float *to, fxi_vec v)
{
    half h = __builtin_convertvector(v, half);

    memcpy(to, &h, sizeof h);
}
#else
typedef uint64_t bits;
FXI_INLINE bits bits_of(fxi_vec v)
{
    return (union {
               double v;
               bits b;
           }){v}
        .b;
}
FXI_INLINE fxi_vec number_of(bits b)
{
    return (union {
               bits b;
               double v;
           }){b}
        .v;
}
FXI_INLINE bits not_zero(fxi_vec v) { return v != 0 ? UINT64_MAX : 0; }
FXI_INLINE void save(float *to, fxi_vec v) { *to = (float)v; }
#endif

/* ln(q)/2 */
FXI_INLINE fxi_vec half_log(fxi_vec q)
{
    const double root_half = 0x1.6a09e667f3bcdp-1, magic = 0x1p52; /* + k: k in its last bits */
    bits k = (bits_of(q) - bits_of(fxi_splat(root_half))) >> 52;
    fxi_vec m = number_of(bits_of(q) - (k << 52)), s = (m - 1) / (m + 1), w = s * s;
    fxi_vec exponent = number_of(bits_of(fxi_splat(magic)) | k) - magic;
    fxi_vec sum = fxi_splat(1.0 / 21);

#pragma GCC unroll 10
    for (int i = 19; i >= 3; i -= 2)
        sum = sum * w + 1.0 / i;
    return exponent * 0x1.62e42fefa39efp-2 + (s * w * sum + s);
}

FXI_INLINE void save_log(float *value, const double *x)
{
    const bits top = (bits){0} + (1ULL << 63);
    fxi_vec v;

    memcpy(&v, x, sizeof v);
    fxi_vec a = fxi_abs(v), gap = fxi_abs(1 - a), log = half_log((1 + a) / gap);
    save(value, number_of((bits_of(log) | (bits_of(v) & top)) & not_zero(gap)));
}

void FXI_HOT(map_subsets_row)(float *value, const double *x, size_t n)
{
    size_t i = 0;

    for (; i + FXI_STEP <= n; i += FXI_STEP)
        save_log(value + i, x + i);
    if (i < n) {
        double last[FXI_STEP] = {0};
        float out[FXI_STEP];
        memcpy(last, x + i, (n - i) * sizeof *x);
        save_log(out, last);
        memcpy(value + i, out, (n - i) * sizeof *value);
    }
}

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
