/* SPDX-License-Identifier: BSD-3-Clause
 * describe.c - what a model spec promises: tasks, needs, and what can be done with the model. */

#include "model/model.h"

#include <stdlib.h>

static void describe(fx_description *d, const fxi_learning *l)
{
    bool classes = l->task == FXI_CLASSIFY;

    d->kind = l->kind->name;
    d->loss = l->loss ? l->loss->name : NULL;
    d->task = d->tasks = l->task == FXI_NO_LABELS ? 0 : 1 << l->task;
    d->labels = l->task != FXI_NO_LABELS;
    d->probabilities = classes && (l->calibrate || l->loss == &fxi_loss_logistic);
    d->explainable = l->kind->terms != NULL;
    d->combines = l->kind->combines;
    d->mistakes = l->kind->mistakes;
    d->measured = l->kind->measured;
    d->path = l->kind->path;
    d->pairs = l->kind->pairs && classes;
    d->on_map = l->learner->on_map;
    d->kernel = l->kind->kernel;
    d->map = l->kind->map;
    d->updatable = l->kind->updatable != NULL;
    d->streamable = l->kind->streams && l->kind->streams(l);
    d->divisible = d->streamable && !(l->kind->states && l->kind->states(l));
    if (l->kind->describe)
        l->kind->describe(d, l);
}

/* A required key may be missing, because a description does not depend on its value. */
static fx_status describe_spec(fx_description *out, const char *spec, const char *sets)
{
    fxi_learning l = {0};
    size_t which;
    fxi_spec s;
    fx_status st = fxi_spec_read(&s, &which, spec, fxi_model_learner_line, "model");

    if (st)
        return st;
    fx_description d = fxi_model_learner_line(which);
    for (size_t i = 0; i < d.keys; i++)
        if (!d.key[i].fallback && fxi_spec_at(&s, d.key[i].name) == s.keys)
            fxi_spec_set(&s, d.key[i].name, "1");
    if (!(st = fxi_model_learner_read(&l, which, &s))) {
        describe(&d, &l);
        d.sets = sets;
        fxi_spec_give(out, d);
    }
    fxi_model_learner_free(&l);
    return st;
}

fx_status fx_model_describe(fx_description *out, const char *spec)
{
    const char *sets;
    char *expanded;

    if (!out)
        return fxi_error(FX_EINVAL, "fx_model_describe: out is NULL");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (st || (st = fxi_model_learner_expand(&expanded, &sets, spec)))
        return st;
    st = describe_spec(out, expanded ? expanded : spec, sets);
    free(expanded);
    return st;
}
