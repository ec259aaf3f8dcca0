/* SPDX-License-Identifier: BSD-3-Clause
 * transpose.h - included by *_hot.c: a square of floats is transposed in registers, 4 x 4 inside
 * their 128-bit parts first, where shuffles are cheap, then the parts. */
#ifndef FXI_TRANSPOSE_H
#define FXI_TRANSPOSE_H
#include "simd/hot.h"

#if FXI_WIDTH == 64
#define FXI_MIX(a, b, m0, m1, m2, m3) \
    __builtin_shufflevector(a, b, m0, m1, m2, m3, m0 + 4, m1 + 4, m2 + 4, m3 + 4, m0 + 8, m1 + 8, \
                            m2 + 8, m3 + 8, m0 + 12, m1 + 12, m2 + 12, m3 + 12)
#define FXI_EVEN(a, b) \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define FXI_ODD(a, b) \
    __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#elif FXI_WIDTH == 32
#define FXI_MIX(a, b, m0, m1, m2, m3) \
    __builtin_shufflevector(a, b, m0, m1, m2, m3, m0 + 4, m1 + 4, m2 + 4, m3 + 4)
#define FXI_EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define FXI_ODD(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define FXI_MIX(a, b, m0, m1, m2, m3) __builtin_shufflevector(a, b, m0, m1, m2, m3)
#endif

/* r[i][k] := r[k][i], i, k < FXI_FSTEP */
FXI_INLINE void fxi_transpose(fxi_flt *r)
{
#if FXI_WIDTH > 8
    enum { F = FXI_FSTEP };
    for (int g = 0; g < F; g += 4) {    /* number 4q+k of four vectors to part q of r[g+k] */
        fxi_flt ab = FXI_MIX(r[g], r[g + 1], 0, F, 1, F + 1);
        fxi_flt cd = FXI_MIX(r[g + 2], r[g + 3], 0, F, 1, F + 1);
        fxi_flt ab2 = FXI_MIX(r[g], r[g + 1], 2, F + 2, 3, F + 3);
        fxi_flt cd2 = FXI_MIX(r[g + 2], r[g + 3], 2, F + 2, 3, F + 3);
        r[g] = FXI_MIX(ab, cd, 0, 1, F, F + 1);
        r[g + 1] = FXI_MIX(ab, cd, 2, 3, F + 2, F + 3);
        r[g + 2] = FXI_MIX(ab2, cd2, 0, 1, F, F + 1);
        r[g + 3] = FXI_MIX(ab2, cd2, 2, 3, F + 2, F + 3);
    }
#endif
#if FXI_WIDTH == 64
    for (int k = 0; k < 4; k++) {
        fxi_flt e = FXI_EVEN(r[k], r[k + 4]), e2 = FXI_EVEN(r[k + 8], r[k + 12]);
        fxi_flt o = FXI_ODD(r[k], r[k + 4]), o2 = FXI_ODD(r[k + 8], r[k + 12]);
        r[k] = FXI_EVEN(e, e2);
        r[k + 4] = FXI_EVEN(o, o2);
        r[k + 8] = FXI_ODD(e, e2);
        r[k + 12] = FXI_ODD(o, o2);
    }
#elif FXI_WIDTH == 32
    for (int k = 0; k < 4; k++) {
        fxi_flt e = FXI_EVEN(r[k], r[k + 4]);
        r[k + 4] = FXI_ODD(r[k], r[k + 4]);
        r[k] = e;
    }
#else
    (void)r;
#endif
}
#endif
