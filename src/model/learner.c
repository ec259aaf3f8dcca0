/* SPDX-License-Identifier: BSD-3-Clause
 * learner.c - model specs, read by the table of models: the lines of all kinds, one kind after the
 * other. */

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { LEARNERS = 64 };

/* Line i of the table and its kind; NULL: no more. */
static const fxi_learner *line(const fxi_kind **kind, size_t i)
{
    for (const fxi_kind *const *k = fxi_kinds; *k; k++)
        for (const fxi_learner *l = (*k)->learner; l->name; l++)
            if (!i--) {
                *kind = *k;
                return l;
            }
    return NULL;
}

const char *fxi_model_learner_help(size_t i)
{
    const fxi_kind *kind;
    const fxi_learner *l = line(&kind, i);

    return l ? l->help : NULL;
}

/* ---- Keys --------------------------------------------------------------------------------- */

fx_status fxi_model_learner_positive(double *out, const fxi_learning *l, const fxi_spec *s,
                                     const char *key)
{
    fx_status st = fxi_spec_number(out, s, l->learner->keys, key);

    if (!st && !(*out > 0))
        st = fxi_error(FX_EINVAL, "%s: %s=%g must be positive", l->learner->name, key, *out);
    return st;
}

fx_status fxi_model_learner_epsilon(double *out, const fxi_learning *l, const fxi_spec *s)
{
    fx_status st = fxi_spec_number(out, s, l->learner->keys, "epsilon");

    if (!st && *out < 0)
        st = fxi_error(FX_EINVAL, "%s: epsilon=%g is negative", l->learner->name, *out);
    return st;
}

static bool has(const fxi_learning *l, const char *key)
{
    const fxi_spec_key *k = l->learner->keys;

    while (k->name && strcmp(k->name, key) != 0)
        k++;
    return k->name != NULL;
}

fx_status fxi_model_learner_choice(int *out, const fxi_learning *l, const fxi_spec *s,
                                   const char *key)
{
    *out = 0;
    return has(l, key) ? fxi_spec_choice(out, s, l->learner->keys, key) : FX_OK;
}

fx_status fxi_model_learner_count(size_t *out, const fxi_learning *l, const fxi_spec *s,
                                  const char *key, uint64_t low)
{
    uint64_t n = 0;
    fx_status st = has(l, key) ? fxi_spec_count(&n, s, l->learner->keys, key, low, INT32_MAX)
                               : FX_OK;

    *out = (size_t)n;
    return st;
}

/* ---- Specs -------------------------------------------------------------------------------- */

void fxi_model_learner_free(fxi_learning *l)
{
    free(l->spec);
    free(l->own);
    *l = (fxi_learning){0};
}

fx_status fxi_model_learner(fxi_learning *out, const char *spec)
{
    const char *names[LEARNERS + 1] = {0};
    const fxi_kind *kind = NULL;
    size_t which;
    fxi_spec s;

    *out = (fxi_learning){.C = 1, .tol = 1e-3};
    for (size_t i = 0; i < LEARNERS && line(&kind, i); i++)
        names[i] = line(&kind, i)->name;
    fx_status st = fxi_data_spec(&s, &which, spec, names, "model");
    if (st)
        return st;
    out->learner = line(&kind, which);
    out->kind = kind;
    out->loss = out->learner->loss;
    if (!(out->own = fxi_zalloc(1, kind->options ? kind->options : 1)))
        return FX_ENOMEM;
    if ((st = fxi_spec_check(&s, out->learner->keys)) || (st = kind->read(out, &s))
        || (out->spec = kind->complete ? kind->complete(out, &s)
                                       : fxi_spec_complete(&s, out->learner->keys)))
        return st;
    return FX_ENOMEM;
}
