/* SPDX-License-Identifier: BSD-3-Clause
 * discovery_words.c - what discover found, in words. */

#include "discovery_print.h"

#include <math.h>
#include <stdlib.h>

enum { LISTED = 3 };                    /* other sets that are named */

static void add_set(strbuf *t, const fx_model_info *c, const size_t *column, size_t order,
                    const char *between)
{
    for (size_t q = 0; q < order; q++) {
        strbuf_add(t, "%s", q ? between : "");
        if (c->name)
            strbuf_add(t, "%s", c->name[column[q]]);
        else
            strbuf_add(t, "%zu", column[q] + (size_t)c->base);
    }
}

static char *taken(strbuf *t)
{
    if (t->failed)
        strbuf_free(t);
    return t->s;
}

char *discovery_words_set(const fx_model_info *c, const size_t *column, size_t order)
{
    strbuf t = {0};

    add_set(&t, c, column, order, " x ");
    return taken(&t);
}

char *discovery_words_same(const fx_model_info *c, const fx_discovered *a)
{
    strbuf t = {0};

    strbuf_add(&t, "%s", a->sames ? "in the same rows: " : "");
    for (size_t k = 0; k < a->sames && k < LISTED; k++) {
        strbuf_add(&t, "%s", k ? ", " : "");
        add_set(&t, c, a->same[k].column, a->same[k].order, " x ");
    }
    if (a->sames > LISTED)
        strbuf_add(&t, ", and %zu more", a->sames - LISTED);
    return taken(&t);
}

const char *discovery_words_class(const fx_model_info *c, size_t number)
{
    return c->classes ? c->class_name[c->classes == 2 ? 1 : number] : "";
}

/* ---- Sentences ------------------------------------------------------------------------------- */

static void count(size_t *kept, size_t *families, const fx_discovery *d)
{
    *kept = *families = 0;
    for (size_t k = 0; k < d->n && !d->at[k].eliminated; k++) {
        ++*kept;
        *families = d->at[k].family + 1 > *families ? d->at[k].family + 1 : *families;
    }
}

char *discovery_words_sentence(const discovered *x)
{
    const fx_discovery *d = x->d;
    size_t kept, families;
    strbuf t = {0};

    count(&kept, &families, d);
    if (!kept)
        strbuf_add(&t, "Nothing was found at this level: of the %.0f products of 1 to %zu of %zu "
                       "columns, none is associated with the label",
                   d->products, d->order, d->info->cols);
    else
        strbuf_add(&t, "Of the %.0f products of 1 to %zu of %zu columns, %zu %s associated with "
                       "the label",
                   d->products, d->order, d->info->cols, kept, kept == 1 ? "is" : "are");
    strbuf_add(&t, " in %zu rows at a family-wise error rate of %g (multi-split tests: %zu halves, "
                   "each tested what the other half had selected by an L1 path over all products; "
                   "%s likelihood ratios, Bonferroni's correction, joined by quantiles).",
               d->rows, d->alpha, d->halves, x->regress ? "normal" : "binomial");
    if (kept && families < kept)
        strbuf_add(&t, " They form %zu famil%s of nested products.", families,
                   families == 1 ? "y" : "ies");
    return taken(&t);
}

char *discovery_words_caution(const discovered *x)
{
    const fx_discovery *d = x->d;
    size_t kept, families;
    strbuf t = {0};

    count(&kept, &families, d);
    if (kept)
        strbuf_add(&t, "Not guaranteed: that nothing was missed; that a product is not listed for "
                       "a larger one that was missed, such as a pair for a triple; that an "
                       "association is a cause.");
    else
        strbuf_add(&t, "Not guaranteed: that there is nothing. Weak effects, and products that few "
                       "rows hold, need more rows.");
    if (!d->certified)
        strbuf_add(&t, " The search was not complete: some paths ended before they were proven "
                       "optimal over all products (--max-seconds).");
    return taken(&t);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void set_class(rule *r, strbuf *then, const fx_discovery *d, const fx_discovered *a)
{
    const fx_model_info *c = d->info;
    double share = a->mean, all = d->mean[a->output];
    bool positive = a->effect > 0;

    if (positive)
        strbuf_add(then, "%s", discovery_words_class(c, a->output));
    else if (c->classes == 2)
        strbuf_add(then, "%s", c->class_name[0]);
    else
        strbuf_add(then, "not %s", discovery_words_class(c, a->output));
    r->confidence = positive ? share : 1 - share;
    r->lift = r->confidence / (positive ? all : 1 - all);
}

bool discovery_words_rule(rule *out, const discovered *x, const fx_discovered *a)
{
    strbuf when = {0}, then = {0};

    *out = (rule){0};
    if (!a->binary)
        return false;
    add_set(&when, x->d->info, a->column, a->order, " and ");
    if (x->regress) {
        out->confidence = a->mean;
        out->lift = a->mean - x->d->mean[0];
        strbuf_add(&then, "%s", out->lift > 0 ? "larger" : "smaller");
    } else {
        set_class(out, &then, x->d, a);
    }
    out->when = taken(&when);
    out->then = taken(&then);
    return true;
}
