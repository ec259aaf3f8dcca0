/* SPDX-License-Identifier: BSD-3-Clause
 * exp.c - f(s) = exp(gamma s): all powers, weighted gamma^n/n!.
 *
 * The rounding of gamma s is amplified by |gamma s|: relative error about (4 + |gamma s|) u, of
 * which 4 u are the exponential's (exp_hot.c). */

#include "kernel/kernel.h"

#include <math.h>

static double of(const fx_kernel *k, double s) { return exp(k->gamma * s); }

static void finish(double *v, size_t n, const fx_kernel *k, const fxi_simd *simd)
{
    simd->kernel_exp(v, n, k->gamma);
}

static double coefficient(const fx_kernel *k, int n)
{
    double a = 1;

    for (int i = 1; i <= n; i++)
        a *= k->gamma / i;
    return a;
}

const fxi_kernel_type fxi_kernel_exp = {
    .name = "exp", .help = "exp(gamma <x,y>)", .keys = fxi_kernel_gamma_keys,
    .init = fxi_kernel_gamma_init,
    .of = of, .finish = finish, .coefficient = coefficient};
