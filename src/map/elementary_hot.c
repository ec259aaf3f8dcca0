/* SPDX-License-Identifier: BSD-3-Clause
 * elementary_hot.c - sines, cosines and exponentials of many floats at once, 64-byte aligned, n a
 * multiple of FXI_LANES.
 *
 * A projection is a float that may be large, so the argument is reduced in double, where neither
 * the multiple of the period nor the added constant costs digits; what is left goes through a
 * short minimax polynomial in floats.
 *
 * Angles: t = z/(2 pi) less its nearest integer.  Both functions are sin(2 pi w) of some
 * |w| <= 1/4: cos has w = 1/4 - |t|, sin has w = +-min(|t|, 1/2 - |t|), so that one odd polynomial
 * serves and nothing is swapped.  Absolute error, for scale 1,
 *
 *   2e-7 + 2e-16 |z|:    0.94e-7 rounding t to float where the slope is largest, 0.8e-8
 *                         the polynomial, 1.6e-7 its evaluation where the slope is 0
 *
 * and at most 1 + 1e-6 in absolute value for any finite z; NaN for others.
 *
 * Exponential: y = (z + c) log2 e = k + f, |f| <= 1/2, 2^f by a polynomial.  Relative error 2e-7
 * for |z|, |c| <= 2^49 (beyond, they are taken for 2^49), to inf above and through the denormal
 * numbers (halved digits) to 0 below. */

#include "simd/hot.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

enum { HALVES = FXI_FSTEP / FXI_STEP }; /* fxi_vec that one fxi_flt widens to */

/* Floats to doubles and back.  The compiler's own conversion of 16 floats takes twice as many steps
 * as the processor's. */
#if defined __AVX512F__
FXI_INLINE void widen(fxi_vec out[HALVES], fxi_flt v)
{
    out[0] = (fxi_vec)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v));
    out[1] = (fxi_vec)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)v, 1));
}
FXI_INLINE fxi_flt narrow(const fxi_vec v[HALVES])
{
    __m512 a = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)v[0]));

    return (fxi_flt)_mm512_insertf32x8(a, _mm512_cvtpd_ps((__m512d)v[1]), 1);
}
#elif FXI_WIDTH > 8
typedef float half __attribute__((vector_size(FXI_WIDTH / 2)));
#if FXI_WIDTH == 32
#define LOW  0, 1, 2, 3
#define HIGH 4, 5, 6, 7
#else
#define LOW  0, 1
#define HIGH 2, 3
#endif

FXI_INLINE void widen(fxi_vec out[HALVES], fxi_flt v)
{
    half a = __builtin_shufflevector(v, v, LOW), b = __builtin_shufflevector(v, v, HIGH);

    out[0] = __builtin_convertvector(a, fxi_vec);
    out[1] = __builtin_convertvector(b, fxi_vec);
}
FXI_INLINE fxi_flt narrow(const fxi_vec v[HALVES])
{
    half a = __builtin_convertvector(v[0], half), b = __builtin_convertvector(v[1], half);

    return __builtin_shufflevector(a, b, LOW, HIGH);
}
#else
FXI_INLINE void widen(fxi_vec out[HALVES], fxi_flt v) { out[0] = v; }
FXI_INLINE fxi_flt narrow(const fxi_vec v[HALVES]) { return (float)v[0]; }
#endif

#if FXI_WIDTH > 8
FXI_INLINE fxi_flt absolute(fxi_flt v) { return (fxi_flt)((fxi_int)v & INT32_MAX); }
FXI_INLINE fxi_flt with_sign(fxi_flt v, fxi_flt sign) /* v >= 0 */
{
    return (fxi_flt)((fxi_int)v | ((fxi_int)sign & INT32_MIN));
}
#else
FXI_INLINE fxi_flt absolute(fxi_flt v) { return __builtin_fabsf(v); }
FXI_INLINE fxi_flt with_sign(fxi_flt v, fxi_flt sign) { return __builtin_copysignf(v, sign); }
#endif

/* Of a number and NaN: the second. */
#if defined __AVX512F__
FXI_INLINE fxi_flt smaller(fxi_flt a, fxi_flt b) { return (fxi_flt)_mm512_min_ps(a, b); }
FXI_INLINE fxi_flt larger(fxi_flt a, fxi_flt b) { return (fxi_flt)_mm512_max_ps(a, b); }
#elif defined __AVX2__
FXI_INLINE fxi_flt smaller(fxi_flt a, fxi_flt b) { return (fxi_flt)_mm256_min_ps(a, b); }
FXI_INLINE fxi_flt larger(fxi_flt a, fxi_flt b) { return (fxi_flt)_mm256_max_ps(a, b); }
#elif FXI_WIDTH > 8
FXI_INLINE fxi_flt smaller(fxi_flt a, fxi_flt b)
{
    fxi_int less = a < b;

    return (fxi_flt)(((fxi_int)a & less) | ((fxi_int)b & ~less));
}
FXI_INLINE fxi_flt larger(fxi_flt a, fxi_flt b) { return -smaller(-a, -b); }
#else
FXI_INLINE fxi_flt smaller(fxi_flt a, fxi_flt b) { return a < b ? a : b; }
FXI_INLINE fxi_flt larger(fxi_flt a, fxi_flt b) { return a > b ? a : b; }
#endif

/* Nearest integer of |v| <= 2^51: the sum is rounded to an integer. */
FXI_INLINE fxi_vec nearest(fxi_vec v) { return (v + 0x1.8p52) - 0x1.8p52; }

/* (z + b)/(2 pi) less its nearest integer; b may be NULL. */
FXI_INLINE fxi_flt turns(const float *z, const float *b)
{
    fxi_vec t[HALVES], more[HALVES];

    widen(t, fxi_fload(z));
    if (b)
        widen(more, fxi_fload(b));
    for (int h = 0; h < HALVES; h++) {
        if (b)
            t[h] += more[h];
        t[h] *= 0x1.45f306dc9c883p-3;                   /* 1/(2 pi) */
        t[h] -= nearest(t[h]);
    }
    return narrow(t);
}

/* |turns|; not above 1/2, which it may be where floats are further than 2 pi apart. */
FXI_INLINE fxi_flt distance(fxi_flt t) { return smaller(fxi_fsplat(0.5f), absolute(t)); }

/* scale sin(2 pi w), |w| <= 1/4 */
FXI_INLINE fxi_flt sine(fxi_flt w, float scale)
{
    fxi_flt u = w * w, p = u * 0x1.3912a8p+5f - 0x1.31fbf4p+6f;

    p = u * p + 0x1.466504p+6f;
    p = u * p - 0x1.4abba2p+5f;
    p = u * p + 0x1.921fb4p+2f;
    return w * p * scale;
}

void FXI_HOT(map_sincos)(float *c, float *s, const float *z, size_t n, float scale)
{
    for (size_t i = 0; i < n; i += FXI_FSTEP) {
        fxi_flt t = turns(z + i, NULL), a = distance(t);
        fxi_fstore(c + i, sine(0.25f - a, scale));
        fxi_fstore(s + i, sine(with_sign(smaller(a, 0.5f - a), t), scale));
    }
}

void FXI_HOT(map_cos)(float *z, const float *b, size_t n, float scale)
{
    for (size_t i = 0; i < n; i += FXI_FSTEP)
        fxi_fstore(z + i, sine(0.25f - distance(turns(z + i, b + i)), scale));
}

/* p 2^k, 1/2 < p < 2, k an integer of any size.  2^k itself may be no float: two factors. */
#if defined __AVX512F__
FXI_INLINE fxi_flt scaled(fxi_flt p, fxi_flt k) { return (fxi_flt)_mm512_scalef_ps(p, k); }
#else
#if FXI_WIDTH > 8
FXI_INLINE fxi_int integer(fxi_flt v) { return __builtin_convertvector(v, fxi_int); }
FXI_INLINE fxi_flt power(fxi_int k) { return (fxi_flt)((k + 127) << 23); }
#else
FXI_INLINE fxi_int integer(fxi_flt v) { return (fxi_int)v; }
FXI_INLINE fxi_flt power(fxi_int k)
{
    return (union { fxi_int bits; fxi_flt value; }){(k + 127) << 23}.value;
}
#endif
FXI_INLINE fxi_flt scaled(fxi_flt p, fxi_flt k)
{
    fxi_int e = integer(larger(smaller(k, fxi_fsplat(254)), fxi_fsplat(-252))), part = e >> 1;

    return p * power(part) * power(e - part);
}
#endif

/* v, not beyond 2^49: a sum of two is then still split exactly */
FXI_INLINE fxi_flt bounded(const float *v)
{
    return larger(fxi_fsplat(-0x1p49f), smaller(fxi_fsplat(0x1p49f), fxi_fload(v)));
}

void FXI_HOT(map_exp)(float *z, const float *c, size_t n)
{
    const double log2e = 0x1.71547652b82fep+0;
    _Alignas(64) double add[FXI_LANES];

    for (int w = 0; w < FXI_LANES; w += FXI_FSTEP) {
        fxi_vec v[HALVES];
        widen(v, bounded(c + w));
        for (int h = 0; h < HALVES; h++)
            fxi_store(add + w + h * FXI_STEP, v[h]);
    }
    for (size_t i = 0; i < n; i += FXI_FSTEP) {
        fxi_vec f[HALVES], k[HALVES];
        widen(f, bounded(z + i));
        for (int h = 0; h < HALVES; h++) {
            f[h] = (f[h] + fxi_load(add + i % FXI_LANES + h * FXI_STEP)) * log2e;
            k[h] = nearest(f[h]);
            f[h] -= k[h];
        }
        fxi_flt t = narrow(f), p = t * 0x1.41fbbcp-13f + 0x1.5f3e52p-10f;
        p = t * p + 0x1.3b2d4cp-7f;
        p = t * p + 0x1.c6aee8p-5f;
        p = t * p + 0x1.ebfbdcp-3f;
        p = t * p + 0x1.62e430p-1f;
        p = t * p + 1;
        fxi_fstore(z + i, scaled(p, narrow(k)));
    }
}

void FXI_HOT(map_multiply)(float *z, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i += FXI_FSTEP)
        fxi_fstore(z + i, fxi_fload(z + i) * fxi_fload(y + i));
}

void FXI_HOT(map_scale)(float *z, size_t n, float by)
{
    for (size_t i = 0; i < n; i += FXI_FSTEP)
        fxi_fstore(z + i, fxi_fload(z + i) * by);
}
