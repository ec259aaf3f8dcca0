/* SPDX-License-Identifier: BSD-3-Clause
 * laplacian.c - K(x, y) = exp(-gamma ||x - y||_1).
 *
 * The distance t is summed from differences: relative error (n + 1) u, which the
 * exponential turns into gamma t (n + 2) u, and adds 2 ulp of its own (exp_hot.c). */

#include "kernel/kernel.h"

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    (void)k;
    work->simd->kernel_distance1(out, p->x, p->x2, p->slot, p->zt, p->n);
}

static void finish(double *v, size_t n, const fx_kernel *k, const fxi_simd *simd)
{
    simd->kernel_exp(v, n, -k->gamma);
}

const fxi_kernel_type fxi_kernel_laplacian = {
    .name = "laplacian", .help = "exp(-gamma ||x - y||_1)",
    .keys = fxi_kernel_gamma_keys, .init = fxi_kernel_gamma_init,
    .panel = panel, .finish = finish, .pairs = true, .differences = true};
