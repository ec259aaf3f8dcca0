/* SPDX-License-Identifier: BSD-3-Clause
 * sum.h - inside the library: sums of vectors that are the same in any order and any tree.
 *
 * Numbers are in blocks of 64.  A block counts in units of 2^(40 top), 2^(40 (top - 1)) and
 * 2^(40 (top - 2)), where `top` is the smallest with |x| < 2^(40 top + 39) for all numbers x that
 * were added to any of the 64 sums.  A number is cut at these fixed places, whatever else is in the
 * sum, so a block depends only on the set of numbers: top is a maximum, and the counts are sums of
 * integers.  Nothing is carried: a carry out of places that a later, larger top drops would depend
 * on the order.
 *
 *   |error| <= n 2^-80 max|x|
 *
 * over the n numbers of a sum, the maximum being over the whole block; n <= 2^23.  24 bytes a
 * number.  What is below 2^-1040 counts as 0.  If a number is not finite, all sums of its block are
 * NaN. */
#ifndef FXI_LINALG_SUM_H
#define FXI_LINALG_SUM_H
#include "base/base.h"
#include "simd/simd.h"

enum { FXI_SUM = 64, FXI_SUM_LIMBS = 3 };

typedef struct fxi_sum {
    int64_t top;
    int64_t limb[FXI_SUM_LIMBS][FXI_SUM];
} fxi_sum;

static inline size_t fxi_sum_blocks(size_t n) { return n / FXI_SUM + (n % FXI_SUM > 0); }
/* n rounded up to whole blocks */
static inline size_t fxi_sum_padded(size_t n) { return fxi_sum_blocks(n) * FXI_SUM; }

void fxi_linalg_sum_clear(fxi_sum *a, size_t blocks);
void fxi_linalg_sum_add(fxi_sum *a, const double *x, size_t n); /* to fxi_sum_blocks(n) */
void fxi_linalg_sum_merge(fxi_sum *a, const fxi_sum *b, size_t blocks);   /* a += b */
/* False if no numbers give this: a was read from somewhere. */
bool fxi_linalg_sum_possible(const fxi_sum *a, size_t blocks);
void fxi_linalg_sum_round(double *x, const fxi_sum *a, size_t n);
#endif
