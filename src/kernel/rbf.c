/* SPDX-License-Identifier: BSD-3-Clause
 * rbf.c - K(x, y) = exp(-gamma ||x - y||^2).
 *
 * Summed from differences, the squared distance t has a relative error (n + 2) u, which the
 * exponential turns into gamma t (n + 3) u, and adds 2 ulp of its own (exp_hot.c).
 *
 * ||x||^2 + ||y||^2 - 2 <x, y> visits only what sparse rows have in common and costs one
 * multiplication less, but cancels for close rows: with m entries the longer row, absolute error
 * of t at most (||x||^2 + ||y||^2) (2m + 3) u.  That does not matter while
 * gamma (||x||^2 + ||y||^2) <= 32 = FXI_KERNEL_NEAR: relative error of K 64 (m + 3) u, 1e-12
 * for m = 137.  panel_eval.c takes it for just these pairs: the two rows alone decide, and as the
 * three sums run in the same order, K(x, x) = 1.  For values.c, t comes from differences. */

#include "kernel/kernel.h"

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    (void)k;
    work->simd->kernel_distance2(out, p->x, p->x2, p->slot, p->zt, p->n);
}

static void finish(double *v, size_t n, const fx_kernel *k, const fxi_simd *simd)
{
    simd->kernel_exp(v, n, -k->gamma);
}

const fxi_kernel_type fxi_kernel_rbf = {
    .name = "rbf", .help = "exp(-gamma ||x - y||^2)",
    .keys = fxi_kernel_gamma_keys, .init = fxi_kernel_gamma_init,
    .panel = panel, .finish = finish, .pairs = true, .differences = true,
    .squares = true};
