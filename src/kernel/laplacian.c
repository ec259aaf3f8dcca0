/* SPDX-License-Identifier: BSD-3-Clause
 * laplacian.c - K(x, y) = exp(-gamma ||x - y||_1).
 *
 * The distance t is summed from differences: relative error (n + 1) u, which the
 * exponential turns into gamma t (n + 1) u. */

#include "kernel/kernel.h"

#include <math.h>

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    work->simd->kernel_distance1(out, p->x, p->slot, p->zt, p->n);
    for (int w = 0; w < FXI_LANES; w++)
        out[w] = exp(-k->gamma * out[w]);
}

const fxi_kernel_type fxi_kernel_laplacian = {
    .name = "laplacian", .help = "laplacian:gamma=1   exp(-gamma ||x - y||_1)",
    .keys = fxi_kernel_gamma_keys, .init = fxi_kernel_gamma_init, .panel = panel,
    .differences = true};
