/* SPDX-License-Identifier: BSD-3-Clause
 * learner.c - model specs, read by the table of models: the lines of all kinds, one kind after the
 * other. */

#include "model/model.h"

#include <stdlib.h>

/* Line i of the table and its kind; NULL: no more. */
static const fxi_learner *learner(const fxi_kind **kind, size_t i)
{
    for (const fxi_kind *const *k = fxi_kinds; *k; k++)
        for (const fxi_learner *l = (*k)->learner; l->name; l++)
            if (!i--) {
                *kind = *k;
                return l;
            }
    return NULL;
}

fx_description fxi_model_learner_line(size_t i)
{
    const fxi_kind *kind;
    const fxi_learner *l = learner(&kind, i);

    return l ? fxi_spec_describe(l->name, l->help, l->keys) : (fx_description){0};
}

/* ---- Keys --------------------------------------------------------------------------------- */

fx_status fxi_model_learner_number(double *out, const fxi_learning *l, const fxi_spec *s,
                                   const char *key)
{
    const fx_key *k = l->learner->keys;

    return fxi_key_has(k, key) ? fxi_key_number(out, s, k, key) : FX_OK;
}

fx_status fxi_model_learner_choice(int *out, const fxi_learning *l, const fxi_spec *s,
                                   const char *key)
{
    const fx_key *k = l->learner->keys;

    *out = 0;
    return fxi_key_has(k, key) ? fxi_key_choice(out, s, k, key) : FX_OK;
}

fx_status fxi_model_learner_count(size_t *out, const fxi_learning *l, const fxi_spec *s,
                                  const char *key)
{
    const fx_key *k = l->learner->keys;
    uint64_t n = 0;
    fx_status st = fxi_key_has(k, key) ? fxi_key_count(&n, s, k, key) : FX_OK;

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

fx_status fxi_model_learner_read(fxi_learning *out, size_t which, const fxi_spec *s)
{
    const fxi_kind *kind = NULL;
    const fxi_learner *l = learner(&kind, which);

    *out = (fxi_learning){.kind = kind, .learner = l, .loss = l->loss, .C = 1, .tol = 1e-3};
    if (!(out->own = fxi_zalloc(1, kind->options ? kind->options : 1)))
        return FX_ENOMEM;
    return kind->read(out, s);
}

fx_status fxi_model_learner(fxi_learning *out, const char *spec)
{
    size_t which;
    fxi_spec s;

    *out = (fxi_learning){0};
    fx_status st = fxi_spec_read(&s, &which, spec, fxi_model_learner_line, "model");
    if (st || (st = fxi_model_learner_read(out, which, &s)))
        return st;
    out->spec = out->kind->complete ? out->kind->complete(out, &s)
                                    : fxi_spec_complete(&s, out->learner->keys);
    return out->spec ? FX_OK : FX_ENOMEM;
}
