/* SPDX-License-Identifier: BSD-3-Clause
 * random_kernel_exponent.c - what a row gives to all-subsets as the exponential of projections
 * (random_kernel.c has the formulas): the values to project, and the logarithm of what remains.
 *
 * That logarithm is taken of a product, one for a row.  The product is formed in the order of the
 * entries, and a 0 contributes exactly 1: a row has the same bits dense and sparse. */

#include "map/random_kernel.h"

#include <math.h>

typedef struct product {
    double mantissa;
    int exponent;
} product;

/* The mantissa is left alone while no factor can bring it out of range: factors are at least 2^-53
 * and may be as large as a double. */
static void times(product *p, double by)
{
    int e;

    p->mantissa *= by;
    if (p->mantissa >= 0x1p-900 && p->mantissa <= 1)
        return;
    p->mantissa = frexp(p->mantissa, &e);
    p->exponent += e;
}

static double logarithm(product p) { return log(p.mantissa) + p.exponent * log(2); }

/* Set 0: logarithms.  Numbers: the product, and how many features are at and beyond 1. */
static void set_real(fxi_rk_space *s, const fx_map *m, const fxi_rk *k, size_t row)
{
    size_t first = s->tile->first[row], end = s->tile->first[row + 1], ones = 0, beyond = 0;
    product p = {1, 0};

    m->simd->map_subsets_row(s->value[0] + first, s->x + first, end - first);
    for (size_t e = first; e < end; e++) {
        double a = fabs(s->x[e]), gap = fabs(1 - a);
        times(&p, gap > 0 ? gap * (1 + a) : 4);         /* under a square root: 4 is 2 */
        ones += gap == 0;
        beyond += a > 1;
    }
    s->number[row] = (float)(0.5 * logarithm(p) + log(k->scale));
    s->number[FXI_LANES + row] = (float)ones;
    s->number[2 * FXI_LANES + row] = (float)beyond;
    s->ones |= ones > 0;
    s->beyond |= beyond > 0;
}

/* Sets B, C, E: half sums and differences of ln|1 + w x| and of its angle at s1 = 1 and -1. */
static void set_complex(fxi_rk_space *s, const fxi_rk *k, size_t row)
{
    product p = {1, 0};

    for (size_t e = s->tile->first[row]; e < s->tile->first[row + 1]; e++) {
        double y = s->x[e] * 0.70710678118654752440;
        double up = (1 + y) * (1 + y) + y * y, down = (1 - y) * (1 - y) + y * y;
        double plus = atan2(y, 1 + y), minus = atan2(y, 1 - y);
        s->value[0][e] = (float)(0.25 * log(up / down));
        s->value[1][e] = (float)((plus + minus) / 2);
        s->value[2][e] = (float)((plus - minus) / 2);
        times(&p, up * down);
    }
    s->number[row] = (float)(0.25 * logarithm(p) + log(k->scale));
}

void fxi_map_random_kernel_exponent(fxi_rk_space *s, const fx_map *m, size_t row)
{
    const fxi_rk *k = m->state;

    if (k->complex)
        set_complex(s, k, row);
    else
        set_real(s, m, k, row);
}

void fxi_map_random_kernel_exponent_signs(fxi_rk_space *s)
{
    for (size_t e = 0; e < s->tile->first[s->tile->rows]; e++) {
        double x = s->x[e], a = fabs(x);
        s->value[1][e] = (float)(a == 1 ? x : 0);
        s->value[2][e] = (float)(a > 1 ? copysign(1, x) : 0);
    }
}
