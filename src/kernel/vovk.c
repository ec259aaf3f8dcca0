/* SPDX-License-Identifier: BSD-3-Clause
 * vovk.c - Vovk's polynomial, f(s) = 1 + s + .. + s^(degree-1), and its limit 1/(1 - s).
 *
 * The finite sum is summed (Horner), not divided out: at s = 1 it is `degree`.  The infinite one
 * is defined for |s| < 1 only and NaN elsewhere, which the caller reports with the pair. */

#include "kernel/kernel.h"

#include <math.h>

enum { DEGREE_MAX = 1024 };

static double of(const fx_kernel *k, double s)
{
    double sum = 0;

    for (int i = 0; i < k->order; i++)
        sum = sum * s + 1;
    return sum;
}

static double of_inf(const fx_kernel *k, double s)
{
    (void)k;
    return fabs(s) < 1 ? 1 / (1 - s) : NAN;
}

static double coefficient(const fx_kernel *k, int n) { return n < k->order; }

static double coefficient_inf(const fx_kernel *k, int n)
{
    (void)k, (void)n;
    return 1;
}

static const fx_key keys[] = {
    {"degree", "3", FXI_COUNT(1, DEGREE_MAX), "number of powers, from 0 on"}, {0}};
static const fx_key no_keys[] = {{0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    uint64_t degree = 0;
    fx_status st = fxi_key_count(&degree, s, keys, "degree");

    (void)family, (void)base;
    k->order = (int)degree;
    return st;
}

const fxi_kernel_type fxi_kernel_vovk = {
    .name = "vovk", .help = "sum of <x,y>^n for n < degree", .keys = keys,
    .init = init, .of = of, .coefficient = coefficient};
const fxi_kernel_type fxi_kernel_vovk_inf = {
    .name = "vovk-inf", .help = "1/(1 - <x,y>), for |<x,y>| < 1", .keys = no_keys,
    .of = of_inf, .coefficient = coefficient_inf};
