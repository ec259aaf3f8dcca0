/* SPDX-License-Identifier: BSD-3-Clause
 * cauchy.c - K(x, y) = prod_j 1/(1 + gamma^2 (x_j - y_j)^2).
 *
 * The denominators are multiplied and divided out once: relative error at most about 6 n u.  If the
 * product overflows, the kernel is below the smallest double: 0. */

#include "kernel/kernel.h"

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    work->simd->kernel_cauchy(out, p->x, p->x2, p->slot, p->zt, p->n, k->gamma);
}

static void finish(double *v, size_t n, const fx_kernel *k, const fxi_simd *simd)
{
    (void)k, (void)simd;
    for (size_t i = 0; i < n; i++)
        v[i] = 1 / v[i];
}

const fxi_kernel_type fxi_kernel_cauchy = {
    .name = "cauchy", .help = "product of 1/(1 + gamma^2 (x_j - y_j)^2)",
    .keys = fxi_kernel_gamma_keys, .init = fxi_kernel_gamma_init,
    .panel = panel, .finish = finish, .pairs = true, .differences = true};
