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

static const fx_key keys[] = {
    {"degree", "2", FXI_COUNT(1, DEGREE_MAX), "power"},
    {"coef0", "1", FXI_NUMBER(0, INFINITY), "constant; 0: combinations of `degree` columns alone"},
    {"gamma", "1", FXI_POSITIVE, "factor of <x,y>"}, {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    uint64_t degree;
    fx_status st = fxi_key_count(&degree, s, keys, "degree");

    (void)family, (void)base;
    if (st || (st = fxi_key_number(&k->gamma, s, keys, "gamma")) != 0)
        return st;
    k->order = (int)degree;
    return fxi_key_number(&k->coef0, s, keys, "coef0");
}

const fxi_kernel_type fxi_kernel_poly = {
    .name = "poly", .help = "(coef0 + gamma <x,y>)^degree",
    .keys = keys, .init = init, .of = of, .finish = finish,
    .coefficient = coefficient};
