/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin.c - f(s) = sum of coef_n s^n, any finite series with coefficients >= 0.
 *
 * A negative coefficient is rejected: such a function of <x,y> is not positive definite in every
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

static const fx_key keys[] = {
    {"coef", NULL, FXI_LIST(0), "coefficients a0/a1/.. of the powers 0, 1, .."}, {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    (void)family, (void)base;
    if (!(k->coef = fxi_alloc(COEFS_MAX, sizeof *k->coef)))
        return FX_ENOMEM;
    return fxi_key_list(k->coef, &k->coefs, COEFS_MAX, s, keys, "coef");
}

const fxi_kernel_type fxi_kernel_maclaurin = {
    .name = "maclaurin", .help = "sum of a_n <x,y>^n, a_n >= 0",
    .keys = keys, .init = init, .of = of, .coefficient = coefficient};
