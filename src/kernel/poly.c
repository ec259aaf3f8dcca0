/* SPDX-License-Identifier: BSD-3-Clause
 * poly.c - f(s) = (coef0 + gamma s)^degree; coef0 = 0 is the homogeneous kernel.
 *
 * Powers by repeated squaring: relative error at most 2 degree u beyond that of the base. */

#include "kernel/kernel.h"

enum { DEGREE_MAX = 64 };

static double of(const fx_kernel *k, double s)
{
    double base = k->coef0 + k->gamma * s, power = 1;

    for (int m = k->order; m; m >>= 1, base *= base)
        if (m & 1)
            power *= base;
    return power;
}

static void finish(double *v, size_t n, const fx_kernel *k, const fxi_simd *simd)
{
    simd->kernel_poly(v, n, k->coef0, k->gamma, k->order);
}

/* C(degree, n) coef0^(degree - n) gamma^n */
static double coefficient(const fx_kernel *k, int n)
{
    double a = n <= k->order;

    for (int i = 0; i < k->order && a > 0; i++)
        a *= i < n ? k->gamma * (k->order - i) / (n - i) : k->coef0;
    return a;
}

static const fxi_spec_key keys[] = {
    {"degree", "2", NULL}, {"coef0", "1", NULL}, {"gamma", "1", NULL}, {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    uint64_t degree;
    fx_status st = fxi_spec_count(&degree, s, keys, "degree", 1, DEGREE_MAX);

    (void)family, (void)base;
    if (st || (st = fxi_kernel_positive(&k->gamma, s, keys, "gamma")) != 0
        || (st = fxi_spec_number(&k->coef0, s, keys, "coef0")) != 0)
        return st;
    if (k->coef0 < 0)
        return fxi_error(FX_EINVAL, "poly: coef0=%g is negative: not positive definite", k->coef0);
    k->order = (int)degree;
    return FX_OK;
}

const fxi_kernel_type fxi_kernel_poly = {
    .name = "poly", .help = "poly:degree=2,coef0=1,gamma=1   (coef0 + gamma <x,y>)^degree",
    .keys = keys, .init = init, .of = of, .finish = finish,
    .coefficient = coefficient};
