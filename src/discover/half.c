/* SPDX-License-Identifier: BSD-3-Clause
 * half.c - one half of the rows selects products, the other half tests them. */

#include "discover/discover.h"

enum { SUPPORT = 10 };                  /* rows that a test needs */

/* By the model without it.  The rows of a product that separates the classes are all of one class:
 * exp(-ratio / 2) is the probability of that, and the other class would be as odd. */
static double probability(const fxi_likelihood_term *t)
{
    return t->separates ? fmin(1, 2 * exp(-t->ratio / 2)) : fxi_discover_tails_ratio(t->ratio);
}

static void judge(fxi_half *h, const fxi_likelihood_term *term, const size_t *support)
{
    for (size_t k = 0; k < h->n; k++) {
        const fxi_likelihood_term *t = &term[k];
        bool sound = support[k] >= SUPPORT && !t->dependent;
        h->at[k].ratio = sound ? t->ratio : 0;
        h->at[k].p = sound ? fmin(1, (double)h->n * probability(t)) : 1;
    }
}

static fx_status test(fxi_half *h, const fxi_discover *d, const fxi_discover_split *s,
                      fxi_team *team)
{
    fxi_discover_set *set = fxi_alloc(h->n, sizeof *set);
    fxi_likelihood_term *term = fxi_alloc(h->n, sizeof *term);
    size_t *support = fxi_alloc(h->n, sizeof *support);
    fx_status st = set && term && support ? FX_OK : FX_ENOMEM;

    for (size_t k = 0; k < h->n && !st; k++)
        set[k] = h->at[k].set;
    if (!st)
        st = fxi_discover_split_test(term, support, set, h->n, d, s, true, team);
    if (!st)
        judge(h, term, support);
    fxi_free(set, term, support);
    return st;
}

fx_status fxi_discover_half(fxi_half *out, const fxi_discover *d, size_t permutation, size_t output,
                            size_t half, fxi_team *team, const fx_run *run)
{
    fxi_discover_split s;
    fx_status st = fxi_discover_split_new(&s, d, permutation, output, half);

    *out = (fxi_half){0};
    if (st)
        return st;
    st = fxi_discover_select(out, d, &s, team, run);
    if (!st && out->n)
        st = test(out, d, &s, team);
    fxi_discover_split_free(&s);
    return st;
}
