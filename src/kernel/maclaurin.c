/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin.c - f(s) = sum of coef_n s^n, any finite series with coefficients >= 0.
 *
 * A negative coefficient is refused: such a function of <x,y> is not positive definite in every
 * dimension (I. Schoenberg, Positive definite functions on spheres, 1942). */

#include "kernel/kernel.h"

enum { COEFS_MAX = 64 };

static double of(const fx_kernel *k, double s)
{
    double sum = 0;

    for (size_t n = k->coefs; n-- > 0;)
        sum = sum * s + k->coef[n];
    return sum;
}

static double coefficient(const fx_kernel *k, int n)
{
    return (size_t)n < k->coefs ? k->coef[n] : 0;
}

static const fxi_spec_key keys[] = {{"coef", NULL, NULL}, {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    (void)family, (void)base;
    if (!(k->coef = fxi_alloc(COEFS_MAX, sizeof *k->coef)))
        return FX_ENOMEM;
    fx_status st = fxi_spec_list(k->coef, &k->coefs, COEFS_MAX, s, keys, "coef");
    for (size_t n = 0; !st && n < k->coefs; n++)
        if (k->coef[n] < 0)
            return fxi_error(FX_EINVAL,
                             "maclaurin: coefficient %g of power %zu is negative: not "
                             "positive definite",
                             k->coef[n], n);
    return st;
}

const fxi_kernel_type fxi_kernel_maclaurin = {
    .name = "maclaurin", .help = "maclaurin:coef=a0/a1/..   sum of a_n <x,y>^n, a_n >= 0",
    .keys = keys, .init = init, .of = of, .coefficient = coefficient};
