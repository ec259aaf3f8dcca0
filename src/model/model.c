/* SPDX-License-Identifier: BSD-3-Clause
 * model.c - a model's memory, its outputs, and what is made of its specs. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>

fx_model *fxi_model_new(void)
{
    fx_model *m = fxi_zalloc(1, sizeof *m);

    if (m) {
        fx_model_info *c = &m->c;
        c->spec = c->scale = c->map = c->kernel = c->family = c->reader = "";
        c->missing = c->remark = c->side_reader[0] = c->side_reader[1] = "";
        c->version = FX_VERSION;
        c->low = INFINITY;              /* not clipped */
        c->high = -INFINITY;
    }
    return m;
}

fx_status fxi_model_own(fx_model *m, void *p)
{
    void **more = p ? fxi_realloc(m->owned, m->owns + 1, sizeof *more) : NULL;

    if (!more) {
        free(p);
        return FX_ENOMEM;
    }
    m->owned = more;
    m->owned[m->owns++] = p;
    return FX_OK;
}

/* Nothing else of a model that is finished ever changes. */
fx_model *fxi_model_share(const fx_model *m)
{
    fx_model *same = (fx_model *)m;

    atomic_fetch_add(&same->shared, 1);
    return same;
}

void fx_model_free(fx_model *m)
{
    if (!m || atomic_fetch_sub(&m->shared, 1) > 0)
        return;
    fx_map_free(m->map);
    fx_kernel_free(m->kernel);
    if (m->own && m->kind->free)
        m->kind->free(m);
    free(m->own);
    for (size_t i = 0; i < m->owns; i++)
        free(m->owned[i]);
    free(m->owned);
    free(m);
}

const char *fx_model_name(size_t i) { return fxi_model_learner_line(i).name; }
const fx_model_info *fx_model_inspect(const fx_model *m) { return &m->c; }

size_t fx_model_width(const fx_model *m, fx_prediction what)
{
    switch (what) {
    case FX_LABEL: return m->task != FXI_NO_LABELS;
    case FX_SCORE: return m->c.outputs;
    case FX_PROBA: return m->c.sigmoid ? m->c.classes : 0;
    }
    return 0;
}

fx_status fxi_model_become(fx_model *m, const fxi_learning *how)
{
    m->kind = how->kind;
    m->learner = how->learner;
    m->task = how->task;
    return (m->own = fxi_zalloc(1, how->kind->numbers ? how->kind->numbers : 1)) ? FX_OK
                                                                                 : FX_ENOMEM;
}

fx_status fxi_model_outputs(fx_model_info *c, const fxi_learning *how)
{
    c->pairs = c->classes > 2 && how->kind->pairs;
    c->outputs = how->components ? how->components : c->classes > 2 ? c->classes : 1;
    if (c->pairs && !fxi_model_pairs(&c->outputs, c->classes))
        return fxi_error(FX_ESHAPE, "%zu classes have too many pairs", c->classes);
    return FX_OK;
}

fx_status fxi_model_ready(fx_model *m, const fx_run *run)
{
    const fx_model_info *c = &m->c;
    fx_status st = FX_OK;

    if (!*c->map && !*c->kernel)
        return FX_OK;
    if (!m->kernel)
        st = fx_kernel_parse(&m->kernel, c->kernel, c->family, c->base);
    if (st || !*c->map)
        return st;
    if (!m->map)
        st = fx_map_parse(&m->map, c->map, m->kernel, c->cols, c->random, c->seed, NULL, run);
    if (!st && fx_map_features(m->map) != c->features)
        st = fxi_error(FX_ESHAPE, "%s makes %zu features, the model has weights for %zu", c->map,
                       fx_map_features(m->map), c->features);
    return st;
}
