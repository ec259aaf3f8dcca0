/* SPDX-License-Identifier: BSD-3-Clause
 * groups.c - combinations that take at most one feature from each group.
 *
 *   groups:  K = e_m(s_1 .. s_G),   s_g = sum_{j in g} x_j y_j
 *   cross:   K = product of the s_g of the named groups
 *
 * A feature in no group is a group of its own; one in several groups counts in each.  The sums are
 * formed first and then treated as the products of anova.c. */

#include "kernel/kernel.h"

/* Scratch: sums [groups + n][FXI_LANES], e [order + 1][FXI_LANES], ones [groups + n]. */
static size_t scratch(const fx_kernel *k, size_t n, bool gradient)
{
    size_t rows = k->groups->groups + n, ones = (rows + FXI_LANES - 1) / FXI_LANES;

    (void)gradient;
    return (rows + (size_t)k->order + 1 + ones) * FXI_LANES;
}

/* Sums of the groups, then one row for every entry in no group; how many rows. */
static size_t sum_groups(double *sum, const fxi_groups *t, const fxi_panel *p, bool alone)
{
    size_t rows = t->groups;

    for (size_t i = 0; i < rows * FXI_LANES; i++)
        sum[i] = 0;
    for (size_t e = 0; e < p->n; e++) {
        int64_t f = fxi_family_find(t->feature, t->features, p->col ? p->col[e] : (int64_t)e);
        const double *y = p->zt + (p->slot ? (size_t)p->slot[e] : e) * FXI_LANES;
        if (f < 0 && alone) {
            for (int w = 0; w < FXI_LANES; w++)
                sum[rows * FXI_LANES + (size_t)w] = p->x[e] * y[w];
            rows++;
        }
        for (int32_t i = f < 0 ? 0 : t->first[f]; f >= 0 && i < t->first[f + 1]; i++)
            for (int w = 0; w < FXI_LANES; w++)
                sum[(size_t)t->member[i] * FXI_LANES + (size_t)w] += p->x[e] * y[w];
    }
    return rows;
}

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    size_t max_groups = k->groups->groups + p->n, rows;
    double *sum = work->scratch, *e = sum + max_groups * FXI_LANES;
    double *ones = e + (k->order + 1) * FXI_LANES;

    rows = sum_groups(sum, k->groups, p, true);
    for (size_t i = 0; i < rows; i++)
        ones[i] = 1;
    work->simd->kernel_anova(e, ones, NULL, sum, rows, k->order);
    for (int w = 0; w < FXI_LANES; w++)
        out[w] = e[k->order * FXI_LANES + w];
}

static void panel_cross(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    const fxi_groups *t = k->groups;
    double *sum = work->scratch;

    sum_groups(sum, t, p, false);
    for (int w = 0; w < FXI_LANES; w++) {
        out[w] = 1;
        for (size_t f = 0; f < t->factors; f++)
            out[w] *= sum[(size_t)t->factor[f] * FXI_LANES + (size_t)w];
    }
}

static const fx_key keys[] = {
    {"file", "", FXI_TEXT(NULL), "file with lines `name: column ..`, one for each group"},
    {"order", "2", FXI_COUNT(1, FX_ORDER_MAX), "groups in each combination"}, {0}};
static const fx_key keys_cross[] = {
    {"file", "", FXI_TEXT(NULL), "file with the names to cross, then the lines of the groups"},
    {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    uint64_t order;
    fx_status st = fxi_key_count(&order, s, keys, "order");

    if (st)
        return st;
    if (!family)
        return fxi_error(FX_EINVAL,
                         "groups needs its groups: groups:file=F, lines `name: feature ..`");
    k->order = (int)order;
    return fxi_family_groups(&k->groups, family, base, false);
}

static fx_status init_cross(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    (void)s;
    if (!family)
        return fxi_error(FX_EINVAL,
                         "cross needs its groups: cross:file=F, first the names to cross, "
                         "then lines `name: feature ..`");
    return fxi_family_groups(&k->groups, family, base, true);
}

const fxi_kernel_type fxi_kernel_groups = {
    .name = "groups", .help = "anova over sums of groups of features",
    .keys = keys, .family = "groups", .init = init, .panel = panel, .combines = true,
    .scratch = scratch};
const fxi_kernel_type fxi_kernel_cross = {
    .name = "cross", .help = "product of the sums of the groups that `file` names first",
    .keys = keys_cross, .family = "named groups", .init = init_cross, .panel = panel_cross,
    .combines = true, .scratch = scratch};
