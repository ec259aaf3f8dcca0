/* SPDX-License-Identifier: BSD-3-Clause
 * linear.c - K(x, y) = <x, y>.
 *
 * Summed in the order of the row: |error| <= n u sum |x_j y_j| with u = 2^-53 and n the number of
 * common non-zeros. */

#include "kernel/kernel.h"

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    (void)k;
    work->simd->kernel_dot(out, p->x, p->x2, p->slot, p->zt, p->n);
}

static void gradient(double *g, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    (void)k, (void)work;
    for (size_t e = 0; e < p->n; e++)
        for (int w = 0; w < FXI_LANES; w++)
            g[e * FXI_LANES + (size_t)w] = p->x[e];
}

static const fx_key keys[] = {{0}};
const fxi_kernel_type fxi_kernel_linear = {.name = "linear", .help = "<x,y>",
                                           .keys = keys, .panel = panel, .combines = true,
                                           .pairs = true, .products = true, .gradient = gradient};
