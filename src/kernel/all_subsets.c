/* SPDX-License-Identifier: BSD-3-Clause
 * all_subsets.c - K(x, y) = prod_j (1 + x_j y_j) = 1 + e_1 + e_2 + ..: every set of features.
 *
 * One factor per common non-zero.  Each factor is rounded twice and multiplied in once, and the
 * rounding of x_j y_j weighs at most as much as its share of 1 + |x_j y_j|, so
 *   |error| <= 3 n u / (1 - 3 n u) prod (1 + |x_j y_j|).
 * The gradient x_j prod_{i != j} (1 + x_i p_i) comes from prefix and suffix products: dividing by
 * the factor, as it is often printed, fails where the factor is zero. */

#include "kernel/kernel.h"

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    (void)k;
    work->simd->kernel_subsets(out, p->x, p->slot, p->zt, p->n);
}

static void gradient(double *g, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    (void)k;
    work->simd->kernel_subsets_without(g, p->x, p->slot, p->zt, p->n);
}

static const fx_key keys[] = {{0}};
const fxi_kernel_type fxi_kernel_all_subsets = {
    .name = "all-subsets", .help = "product of (1 + x_j y_j): every combination",
    .keys = keys, .panel = panel, .combines = true, .gradient = gradient};
