/* SPDX-License-Identifier: BSD-3-Clause
 * exp_hot.c - exp(by v) of many doubles.
 *
 * y = by v is k log 2 + r with an integer k and |r| <= 0.35: log 2 is taken off in two parts, the
 * first with so few digits that its product with k is exact.  exp(r) is its Taylor series up to
 * r^13 (what is left out is below 5e-18), and 2^k goes into the exponent, in two factors because
 * 2^k itself may be no double.  Within 2 ulp of exp(y); inf above, through the denormal numbers
 * to 0 below, NaN for NaN.
 *
 * AVX-512 looks up 16 numbers at the cost of one addition: there k counts sixteenths of log 2, 2^k
 * is 2^(k mod 16 / 16) from a table times a power of two, |r| <= 0.022 and the series ends with r^7
 * (what is left out is below 2e-18). */

#include "simd/hot.h"

#if defined __AVX512F__
#include <immintrin.h>
#endif

#define BIG 0x1.8p52                    /* adding it rounds to an integer */

#if defined __AVX512F__
FXI_INLINE fxi_vec exponential(fxi_vec y)
{
    static const _Alignas(64) double root[16] = {       /* 2^(i/16) */
        0x1p+0,               0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
        0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
        0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
        0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
    __m512d in = _mm512_min_pd(_mm512_set1_pd(720), /* y if y is NaN */
                               _mm512_max_pd(_mm512_set1_pd(-760), (__m512d)y));
    fxi_vec big = (fxi_vec)in * 0x1.71547652b82fep+4 + BIG, k = big - BIG;
    fxi_vec r = (fxi_vec)in - k * 0x1.62e42feep-5;
    r -= k * 0x1.a39ef35793c76p-37;
    fxi_vec p = r * (1 / 5040.) + 1 / 720.;
    p = r * p + 1 / 120.;
    p = r * p + 1 / 24.;
    p = r * p + 1 / 6.;
    p = r * p + 0.5;
    fxi_vec t = (fxi_vec)_mm512_permutex2var_pd(_mm512_load_pd(root), (__m512i)big,
                                                _mm512_load_pd(root + 8));
    t += t * (r + r * r * p);
    return (fxi_vec)_mm512_scalef_pd((__m512d)t, (__m512d)(k * 0.0625)); /* rounds k/16 down */
}
#else
#if FXI_WIDTH > 8
FXI_INLINE fxi_vec smaller(double a, fxi_vec b)         /* b if b is NaN */
{
    fxi_bits less = a < b;

    return (fxi_vec)(((fxi_bits)fxi_splat(a) & less) | ((fxi_bits)b & ~less));
}
#else
typedef int64_t fxi_bits;
FXI_INLINE fxi_vec smaller(double a, fxi_vec b) { return a < b ? a : b; }
#endif

/* p 2^k, k = big - BIG */
FXI_INLINE fxi_bits bits_of(fxi_vec v)
{
    fxi_bits b;

    __builtin_memcpy(&b, &v, sizeof b);
    return b;
}
FXI_INLINE fxi_vec power(fxi_bits k)    /* 2^k */
{
    fxi_bits b = (k + 1023) << 52;
    fxi_vec v;

    __builtin_memcpy(&v, &b, sizeof v);
    return v;
}
FXI_INLINE fxi_vec scaled(fxi_vec p, fxi_vec big)
{
    fxi_bits k = bits_of(big) & 0xfff;  /* modulo 4096 */
    fxi_bits part = ((k + 2048) & 0xfff) >> 1;          /* (k + 2048) / 2 */

    k = ((k + 2048) & 0xfff) - 2048;
    part -= 1024;
    return p * power(part) * power(k - part);
}

FXI_INLINE fxi_vec exponential(fxi_vec y)
{
    y = smaller(720, fxi_max(fxi_splat(-760), y));
    fxi_vec big = y * 0x1.71547652b82fep+0 + BIG, k = big - BIG;
    fxi_vec r = y - k * 0x1.62e42feep-1;
    r -= k * 0x1.a39ef35793c76p-33;
    fxi_vec p = r * (1 / 6227020800.) + 1 / 479001600.;
    p = r * p + 1 / 39916800.;
    p = r * p + 1 / 3628800.;
    p = r * p + 1 / 362880.;
    p = r * p + 1 / 40320.;
    p = r * p + 1 / 5040.;
    p = r * p + 1 / 720.;
    p = r * p + 1 / 120.;
    p = r * p + 1 / 24.;
    p = r * p + 1 / 6.;
    p = r * p + 0.5;
    return scaled(1 + (r + r * r * p), big);
}
#endif

void FXI_HOT(kernel_exp)(double *v, size_t n, double by)
{
    for (size_t i = 0; i < n; i += FXI_STEP)
        fxi_store(v + i, exponential(by * fxi_load(v + i)));
}
