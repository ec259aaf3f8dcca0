/* SPDX-License-Identifier: BSD-3-Clause
 * sum.c - sums of vectors that are the same in any order and any tree; see sum.h. */

#include "linalg/sum.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 40, LOWEST = -24 };      /* bits of a place; top: 2^-1040 is the last place kept */
enum { EMPTY = -1000, BROKEN = 1000 };  /* tops of blocks without numbers; with one not finite */

void fxi_linalg_sum_clear(fxi_sum *a, size_t blocks)
{
    memset(a, 0, blocks * sizeof *a);
    for (size_t k = 0; k < blocks; k++)
        a[k].top = EMPTY;
}

/* The same numbers in the units of a larger top: what is below them is dropped. */
static void lift(fxi_sum *a, int64_t top)
{
    int64_t by = top - a->top;

    for (int64_t k = FXI_SUM_LIMBS - 1; k >= 0 && a->top != EMPTY; k--) /* of which all are 0 */
        if (k >= by)
            memcpy(a->limb[k], a->limb[k - by], sizeof a->limb[k]);
        else
            memset(a->limb[k], 0, sizeof a->limb[k]);
    a->top = top;
}

static void spoil(fxi_sum *a)
{
    memset(a->limb, 0, sizeof a->limb);
    a->top = BROKEN;
}

/* The top for numbers whose largest has these bits, without the sign. */
static int64_t top_of(uint64_t bits)
{
    int64_t exponent = (int64_t)(bits >> 52) - 1022;    /* |x| < 2^exponent */

    if (bits == 0)
        return EMPTY;
    if (exponent > 1024)
        return BROKEN;
    int64_t top = (exponent + WIDTH * 64) / WIDTH - 64; /* rounded down */
    return top < LOWEST ? LOWEST : top;
}

static void add_block(fxi_sum *a, const double *x, size_t n, const fxi_simd *simd)
{
    uint64_t bits;

    simd->linalg_sum_largest(&bits, x, n);
    int64_t top = top_of(bits);
    if (top == EMPTY || a->top == BROKEN)
        return;
    if (top == BROKEN) {
        spoil(a);
        return;
    }
    if (top > a->top)
        lift(a, top);
    simd->linalg_sum_cut(a->limb[0], x, ldexp(1, (int)(-WIDTH * a->top)), n);
}

void fxi_linalg_sum_add(fxi_sum *a, const double *x, size_t n)
{
    const fxi_simd *simd = fxi_simd_get();

    for (; n; a++) {
        size_t part = n < FXI_SUM ? n : FXI_SUM;
        add_block(a, x, part, simd);
        x += part;
        n -= part;
    }
}

static void merge_block(fxi_sum *a, const fxi_sum *b)
{
    if (b->top == EMPTY || a->top == BROKEN)
        return;
    if (a->top == EMPTY || b->top == BROKEN) {
        *a = *b;
        return;
    }
    if (b->top > a->top)
        lift(a, b->top);
    int64_t by = a->top - b->top;
    for (int64_t k = by; k < FXI_SUM_LIMBS; k++)
        for (size_t i = 0; i < FXI_SUM; i++)
            a->limb[k][i] = (int64_t)((uint64_t)a->limb[k][i] + (uint64_t)b->limb[k - by][i]);
}

bool fxi_linalg_sum_possible(const fxi_sum *a, size_t blocks)
{
    const int64_t most = (int64_t)1 << 62, highest = 1024 / WIDTH + 1;
    bool good = true;

    for (size_t k = 0; k < blocks; k++) {
        good &= a[k].top == EMPTY || a[k].top == BROKEN
                || (a[k].top >= LOWEST && a[k].top <= highest);
        for (size_t i = 0; i < FXI_SUM_LIMBS * FXI_SUM; i++)
            good &= a[k].limb[i / FXI_SUM][i % FXI_SUM] <= most
                    && a[k].limb[i / FXI_SUM][i % FXI_SUM] >= -most;
    }
    return good;
}

void fxi_linalg_sum_merge(fxi_sum *a, const fxi_sum *b, size_t blocks)
{
    for (size_t k = 0; k < blocks; k++)
        merge_block(a + k, b + k);
}

/* a 2^80 + b 2^40 + c, within a unit in the last place: carried, so that two of three are short. */
static double join(int64_t a, int64_t b, int64_t c)
{
    const int64_t half = (int64_t)1 << (WIDTH - 1), unit = 2 * half;
    int64_t up = (c + half) >> WIDTH;

    c -= up * unit;
    b += up;
    up = (b + half) >> WIDTH;
    b -= up * unit;
    return (double)(a + up) * 0x1p80 + ((double)b * 0x1p40 + (double)c);
}

void fxi_linalg_sum_round(double *x, const fxi_sum *a, size_t n)
{
    for (size_t k = 0; k < fxi_sum_blocks(n); k++) {
        bool counts = a[k].top != EMPTY && a[k].top != BROKEN;
        double unit = counts ? ldexp(1, (int)(WIDTH * (a[k].top - 2))) : 0;
        size_t first = k * FXI_SUM, part = n - first < FXI_SUM ? n - first : FXI_SUM;
        for (size_t i = 0; i < part; i++)
            x[first + i] =
                counts ? unit * join(a[k].limb[0][i], a[k].limb[1][i], a[k].limb[2][i])
                       : (a[k].top == EMPTY ? 0 : NAN);
    }
}
