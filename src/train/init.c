/* SPDX-License-Identifier: BSD-3-Clause
 * init.c - plan.init, an earlier model to start from: what must be the same whatever its kind. */

#include "train/train.h"

#include <string.h>

static bool same_texts(const char *const *a, const char *const *b, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(a[k], b[k]) != 0)
            return false;
    return true;
}

fx_status fxi_train_init_differs(const char *what, const char *before, const char *now)
{
    return fxi_error(FX_EINVAL, "init has another %s: '%.100s', now '%.100s'", what, before, now);
}

fx_status fxi_train_init_check(const fxi_train *t)
{
    const fx_model_info *i = &t->init->c, *c = &t->m->c;

    if (strcmp(i->missing, c->missing) != 0)
        return fxi_train_init_differs("way to fill missing values", *i->missing ? i->missing
                                      : "error", *c->missing ? c->missing : "error");
    if (c->cols - c->inputs != i->cols - i->inputs || (c->indicator && (c->inputs != i->inputs
        || memcmp(c->indicator, i->indicator, (c->cols - c->inputs) * sizeof *c->indicator))))
        return fxi_error(FX_EINVAL, "init has indicators of other columns: %zu of %zu, now %zu of "
                         "%zu", i->cols - i->inputs, i->inputs, c->cols - c->inputs, c->inputs);
    if (strcmp(i->map, c->map) != 0)
        return fxi_train_init_differs("map", i->map, c->map);
    if (strcmp(i->kernel, c->kernel) != 0)
        return fxi_train_init_differs("kernel", i->kernel, c->kernel);
    if (strcmp(i->family, c->family) != 0 || (*c->map && i->seed != c->seed))
        return fxi_error(FX_EINVAL, "init has another seed or family of its map");
    if (i->classes != c->classes || !same_texts(i->class_name, c->class_name, c->classes))
        return fxi_error(FX_EINVAL, "init has %zu other classes than these %zu", i->classes,
                         c->classes);
    return FX_OK;
}
