/* SPDX-License-Identifier: BSD-3-Clause
 * factors_groups.c - plan.kernel of a factorization machine: which columns are never in
 * one combination.
 *
 * groups: a column in no line is a group of its own.  cross: columns of no group that is crossed
 * take no part.  The order is the model's; it is written into the kernel's spec. */

#include "kind/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order_of(const fxi_learning *how)
{
    return ((const fxi_factors_keys *)how->own)->shape.order;
}

fx_status fxi_kind_factors_groups_keep(fx_model *m, const fx_plan *plan, const fxi_learning *how)
{
    const char *spec = plan->kernel;
    fx_kernel *kernel = NULL;
    const char *order;
    size_t len;
    char *ordered = NULL;
    fx_status st = fx_spec_get(&order, &len, spec, "order");

    if (st)
        return st;
    if (!fxi_spec_named(spec, "groups") && !fxi_spec_named(spec, "cross"))
        return fxi_error(FX_EUNSUPPORTED,
                         "%s has a kernel of its own; of others it takes groups:file= and "
                         "cross:file=, not %s",
                         how->learner->name, spec);
    if (fxi_spec_named(spec, "groups") && !order) {
        size_t n = strlen(spec) + 16;
        if (!(ordered = fxi_alloc(n, 1)))
            return FX_ENOMEM;
        snprintf(ordered, n, "%s%corder=%d", spec, strchr(spec, ':') ? ',' : ':', order_of(how));
    }
    st = fx_kernel_parse(&kernel, ordered ? ordered : spec, plan->family, m->c.base);
    if (!st && !(st = fxi_model_keep_text(&m->c.kernel, m, fx_kernel_spec(kernel))))
        st = fxi_model_keep_text(&m->c.family, m, plan->family);
    fx_kernel_free(kernel);
    free(ordered);
    return st;
}

/* ---- Columns ----------------------------------------------------------------------------- */

static fx_status in_two(const fx_model_info *c, size_t j)
{
    return fxi_error(FX_EINVAL,
                     "column %zu%s%.60s is in several groups; a factorization machine "
                     "needs groups that share none",
                     j + (size_t)c->base, c->name ? " " : "", c->name ? c->name[j] : "");
}

/* The number of a group among those that are crossed, or -1; of groups: itself. */
static int32_t number_of(const fxi_groups *g, int32_t member)
{
    if (!g->factors)
        return member;
    for (size_t f = 0; f < g->factors; f++)
        if (g->factor[f] == member)
            return (int32_t)f;
    return -1;
}

/* A column may be in groups that are not crossed: these do not count. */
static fx_status group_of(int32_t *out, const fxi_groups *g, const fx_model_info *c, size_t j)
{
    int64_t f = fxi_family_find(g->feature, g->features, (int64_t)j);

    *out = -1;
    for (int32_t i = f < 0 ? 0 : g->first[f]; f >= 0 && i < g->first[f + 1]; i++) {
        int32_t n = number_of(g, g->member[i]);
        if (n >= 0 && *out >= 0 && n != *out)
            return in_two(c, j);
        *out = n >= 0 ? n : *out;
    }
    return FX_OK;
}

static fx_status number_columns(int32_t *group, size_t *groups, const fxi_groups *g,
                                const fx_model_info *c)
{
    size_t n = g->factors ? g->factors : g->groups;
    fx_status st = FX_OK;

    for (size_t f = 0; f < g->factors; f++)
        if (number_of(g, g->factor[f]) != (int32_t)f)
            return fxi_error(FX_EINVAL, "a group is crossed with itself; a factorization machine "
                                        "takes one column of each");
    for (size_t j = 0; j < c->cols && !st; j++) {
        st = group_of(&group[j], g, c, j);
        if (!st && group[j] < 0 && !g->factors)
            group[j] = (int32_t)n++;
    }
    *groups = n;
    return st;
}

fx_status fxi_kind_factors_groups(int32_t **out, size_t *groups, const fx_model_info *c,
                                  const fxi_learning *how)
{
    fx_kernel *kernel = NULL;
    int32_t *group = NULL;
    fx_status st;

    if (((const fxi_factors_keys *)how->own)->shape.kind != FXI_FM_HOFM)
        return fxi_error(FX_EUNSUPPORTED, "%s has no groups; fm and hofm have", how->learner->name);
    if (c->cols > INT32_MAX / 2)
        return fxi_error(FX_ESHAPE, "%zu columns are too many for groups", c->cols);
    if ((st = fx_kernel_parse(&kernel, c->kernel, c->family, c->base)))
        return st;
    if (!kernel->groups)
        st = fxi_error(FX_EUNSUPPORTED, "%s with kernel %s", how->learner->name, c->kernel);
    else if (kernel->type == &fxi_kernel_groups && kernel->order != order_of(how))
        st = fxi_error(FX_EINVAL, "%s is of order %d, the model of order %d", c->kernel,
                       kernel->order, order_of(how));
    if (!st && !(group = fxi_alloc(c->cols, sizeof *group)))
        st = FX_ENOMEM;
    if (!st)
        st = number_columns(group, groups, kernel->groups, c);
    fx_kernel_free(kernel);
    if (st)
        free(group);
    else
        *out = group;
    return st;
}
