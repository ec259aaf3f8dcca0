/* SPDX-License-Identifier: BSD-3-Clause
 * sum_hot.c - numbers cut at fixed places and counted; every operation is exact, so contraction
 * changes nothing. */

#include "simd/hot.h"

#include <string.h>

#define MAGIC 0x1.8p52                  /* y + MAGIC ends in the nearest integer to y, |y| < 2^51 */
#define UNIT  0x1p40
enum { BLOCK = 64 };

static inline int64_t bits_of(double x)
{
    int64_t b;

    memcpy(&b, &x, sizeof b);
    return b;
}

void FXI_HOT(linalg_sum_largest)(uint64_t *bits, const double *x, size_t n)
{
    int64_t most = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t b = bits_of(x[i]) & INT64_MAX;
        most = b > most ? b : most;
    }
    *bits = (uint64_t)most;
}

void FXI_HOT(linalg_sum_cut)(int64_t *restrict limb, const double *restrict x, double scale,
                               size_t n)
{
    int64_t *restrict c0 = limb, *restrict c1 = limb + BLOCK, *restrict c2 = limb + 2 * BLOCK;
    const int64_t zero = bits_of(MAGIC);

    for (size_t i = 0; i < n; i++) {
        double y = x[i] * scale, u0 = y + MAGIC;
        double y1 = (y - (u0 - MAGIC)) * UNIT, u1 = y1 + MAGIC;
        double y2 = (y1 - (u1 - MAGIC)) * UNIT, u2 = y2 + MAGIC;
        c0[i] += bits_of(u0) - zero;
        c1[i] += bits_of(u1) - zero;
        c2[i] += bits_of(u2) - zero;
    }
}
