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

double fxi_model_learner_number(const fxi_learning *l, const fxi_spec *s, const char *key,
                                double otherwise)
{
    if (fxi_key_has(l->learner->keys, key))
        fxi_key_number(&otherwise, s, l->learner->keys, key);
    return otherwise;
}

int fxi_model_learner_choice(const fxi_learning *l, const fxi_spec *s, const char *key)
{
    int which = 0;

    if (fxi_key_has(l->learner->keys, key))
        fxi_key_choice(&which, s, l->learner->keys, key);
    return which;
}

size_t fxi_model_learner_count(const fxi_learning *l, const fxi_spec *s, const char *key)
{
    uint64_t n = 0;

    if (fxi_key_has(l->learner->keys, key))
        fxi_key_count(&n, s, l->learner->keys, key);
    return (size_t)n;
}

/* Values were checked by fxi_spec_read; a key without a default may still be missing. */
static fx_status check_missing(const fxi_spec *s, const fx_key *keys)
{
    const char *text;
    size_t len;
    fx_status st = FX_OK;

    for (const fx_key *k = keys; k->name && !st; k++)
        st = fxi_key_text(&text, &len, s, keys, k->name);
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

    *out = (fxi_learning){.kind = kind, .learner = l, .loss = l->loss};
    fx_status st = check_missing(s, l->keys);
    if (st)
        return st;
    if (!(out->own = fxi_zalloc(1, kind->options ? kind->options : 1)))
        return FX_ENOMEM;
    out->task = l->loss && l->loss->regress ? FXI_REGRESS : FXI_CLASSIFY;
    out->C = fxi_model_learner_number(out, s, "C", 1);
    out->tol = fxi_model_learner_number(out, s, "tol", 1e-3);
    out->max_iter = fxi_model_learner_count(out, s, "max-iter");
    out->intercept = (fxi_intercept)fxi_model_learner_choice(out, s, "intercept");
    out->calibrate = fxi_model_learner_choice(out, s, "calibrate");
    return kind->read(out, s);
}

fx_status fxi_model_learner_expand(char **out, const char **sets, const char *spec)
{
    static const fxi_spec_alias alias[] = {{"lasso", "ridge", "penalty=l1"}, {0}};

    return fxi_spec_expand(out, sets, spec, alias);
}

static fx_status read_complete(fxi_learning *out, const char *spec)
{
    size_t which;
    fxi_spec s;
    fx_status st = fxi_spec_read(&s, &which, spec, fxi_model_learner_line, "model");

    if (st || (st = fxi_model_learner_read(out, which, &s)))
        return st;
    out->spec = out->kind->complete ? out->kind->complete(out, &s)
                                    : fxi_spec_complete(&s, out->learner->keys);
    return out->spec ? FX_OK : FX_ENOMEM;
}

fx_status fxi_model_learner(fxi_learning *out, const char *spec)
{
    const char *sets;
    char *expanded;
    fx_status st = fxi_model_learner_expand(&expanded, &sets, spec);

    *out = (fxi_learning){0};
    if (!st)
        st = read_complete(out, expanded ? expanded : spec);
    free(expanded);
    return st;
}
