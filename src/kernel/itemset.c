/* SPDX-License-Identifier: BSD-3-Clause
 * itemset.c - K(x, y) = sum over the sets V of a family of prod_{j in V} x_j y_j.
 *
 * One walk over the prefix tree of the family (family.c): a node multiplies its feature to the
 * product of the node above, and adds it where a set ends.  The subtree of a feature that is zero
 * in the row is skipped.  A set of m features costs at most m + 1 roundings of products and one
 * per later addition: |error| <= (2m + number of sets) u sum |prod|. */

#include "kernel/kernel.h"

#include <string.h>

/* Scratch: z [features][FXI_LANES], stack [depth + 1][FXI_LANES], live [features]. */
static size_t scratch(const fx_kernel *k, size_t n, bool gradient)
{
    (void)n, (void)gradient;
    size_t live = (k->tree->features + FXI_LANES - 1) / FXI_LANES;
    return (k->tree->features + k->tree->depth + 1 + live) * FXI_LANES;
}

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    const fxi_tree *t = k->tree;
    double *z = work->scratch, *stack = z + t->features * FXI_LANES;
    double *live = stack + (t->depth + 1) * FXI_LANES;

    memset(live, 0, t->features * sizeof *live);
    for (size_t e = 0; e < p->n; e++) {
        int64_t f = fxi_family_find(t->feature, t->features, p->col ? p->col[e] : (int64_t)e);
        if (f < 0 || p->x[e] == 0)
            continue;
        const double *y = p->zt + (p->slot ? (size_t)p->slot[e] : e) * FXI_LANES;
        for (int w = 0; w < FXI_LANES; w++)
            z[(size_t)f * FXI_LANES + (size_t)w] = p->x[e] * y[w];
        live[f] = 1;
    }
    for (int w = 0; w < FXI_LANES; w++) {
        out[w] = t->empty;
        stack[w] = 1;
    }
    for (size_t v = 0; v < t->nodes;) {
        if (live[t->use[v]] == 0) {
            v = (size_t)t->next[v];
            continue;
        }
        double *product = stack + (size_t)t->level[v] * FXI_LANES;
        const double *above = product - FXI_LANES, *by = z + (size_t)t->use[v] * FXI_LANES;
        for (int w = 0; w < FXI_LANES; w++)
            product[w] = above[w] * by[w];
        if (t->ends[v])
            for (int w = 0; w < FXI_LANES; w++)
                out[w] += product[w];
        v++;
    }
}

static const fx_key keys[] = {
    {"file", "", FXI_TEXT(NULL), "file with one set of columns a line"}, {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    (void)s;
    if (!family)
        return fxi_error(FX_EINVAL, "itemset needs a family: itemset:file=F, one set a line");
    return fxi_family_tree(&k->tree, family, base);
}

const fxi_kernel_type fxi_kernel_itemset = {
    .name = "itemset", .help = "sum over the sets in `file` of prod x_j y_j",
    .keys = keys, .family = "sets", .init = init, .panel = panel, .combines = true,
    .scratch = scratch};
