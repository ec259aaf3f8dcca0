/* SPDX-License-Identifier: BSD-3-Clause
 * effect.c - how much a discovery changes the label, in one model for all halves: that of the
 * discoveries of its output that were not eliminated, and itself.  Each half that tested it,
 * because the other half had selected it, gives an estimate.
 *
 * The interval holds the effects that the joint test of these halves (combine.c) does not
 * reject. */

#include "discover/discover.h"

#include <stdlib.h>

/* ---- One half -------------------------------------------------------------------------------- */

static bool selected(const fxi_half *h, const fxi_discover_set *s)
{
    for (size_t k = 0; k < h->n; k++)
        if (fxi_discover_set_compare(&h->at[k].set, s) == 0)
            return true;
    return false;
}

typedef struct model {                  /* of the discoveries that remain, and room for one more */
    fxi_discover_set *set;
    fxi_likelihood_term *term;
    size_t *support, n;
} model;

static void put(fxi_effect *out, const fxi_likelihood_term *t)
{
    if (!t->dependent)
        *out = (fxi_effect){t->separates ? copysign(INFINITY, t->w) : t->w, t->error};
}

static fx_status estimate(fxi_effect *out, model *m, const fxi_half *h, const fxi_combined *c,
                          size_t n, const fxi_discover *d, const fxi_discover_split *s,
                          fxi_team *team)
{
    fx_status st = fxi_discover_split_test(m->term, m->support, m->set, m->n, d, s, false, team);

    for (size_t k = 0, kept = 0; k < n && !st; k++) {
        if (!c[k].eliminated) {
            if (selected(h, &c[k].set))
                put(&out[k], &m->term[kept]);
            kept++;
        }
    }
    for (size_t k = 0; k < n && !st; k++) {
        if (!c[k].eliminated || !selected(h, &c[k].set))
            continue;
        m->set[m->n] = c[k].set;
        if (!(st = fxi_discover_split_test(m->term, m->support, m->set, m->n + 1, d, s, false,
                                           team)))
            put(&out[k], &m->term[m->n]);
    }
    return st;
}

fx_status fxi_discover_effect(fxi_effect *out, const fxi_half *h, const fxi_combined *c, size_t n,
                              const fxi_discover *d, size_t half, fxi_team *team)
{
    model m = {.set = fxi_alloc(n + 1, sizeof *m.set), .term = fxi_alloc(n + 1, sizeof *m.term),
               .support = fxi_alloc(n + 1, sizeof *m.support)};
    fxi_discover_split s = {0};
    fx_status st = m.set && m.term && m.support ? FX_OK : FX_ENOMEM;

    for (size_t k = 0; k < n && !st; k++) {
        out[k] = (fxi_effect){NAN, NAN};
        if (!c[k].eliminated)
            m.set[m.n++] = c[k].set;
    }
    if (!st && n && !(st = fxi_discover_split_new(&s, d, 0, c->output, half)))
        st = estimate(out, &m, h, c, n, d, &s, team);
    fxi_discover_split_free(&s);
    fxi_free(m.set, m.term, m.support);
    return st;
}

/* ---- An interval ----------------------------------------------------------------------------- */

typedef struct effects {
    const fxi_effect *at;               /* [n] ascending */
    size_t n, halves;
    double alpha, *work;                /* [n] */
} effects;

/* Is the true effect x rejected by the same joint test? */
static bool rejected(const effects *e, double x)
{
    for (size_t k = 0; k < e->n; k++) {
        double z = (x - e->at[k].w) / e->at[k].error;
        e->work[k] = e->at[k].error > 0 ? fxi_discover_tails_ratio(z * z) : x == e->at[k].w;
    }
    return fxi_discover_combine_p(e->work, e->n, e->halves) < e->alpha;
}

/* The border between an effect that is not rejected and one that is; infinite where too few halves
 * have an estimate to reject anything. */
static double border(const effects *e, double inside, double outside)
{
    if (!rejected(e, outside))
        return copysign(INFINITY, outside - inside);
    for (int i = 0; i < 60; i++) {
        double x = inside + (outside - inside) / 2;
        if (rejected(e, x))
            outside = x;
        else
            inside = x;
    }
    return inside;
}

/* Beyond the last estimate the p-value only falls; between estimates it may rise again, so the
 * outermost one that is not rejected counts.  Where all are, the halves contradict each other: then
 * from the least to the largest. */
static void find_interval(fxi_combined *c, const effects *e)
{
    size_t first = 0, last = e->n;
    double widest = 0;

    c->low = e->at[0].w;
    c->high = e->at[e->n - 1].w;
    for (size_t k = 0; k < e->n; k++)
        widest = fmax(widest, e->at[k].error);
    while (first < e->n && rejected(e, e->at[first].w))
        first++;
    while (last > first && rejected(e, e->at[last - 1].w))
        last--;
    if (first == last)
        return;
    c->low = border(e, e->at[first].w, first ? e->at[first - 1].w : c->low - 40 * widest);
    c->high = border(e, e->at[last - 1].w, last < e->n ? e->at[last].w : c->high + 40 * widest);
}

static int ascending(const void *a, const void *b)
{
    const fxi_effect *x = a, *y = b;

    if (x->w != y->w)
        return x->w < y->w ? -1 : 1;
    return x->error < y->error ? -1 : x->error > y->error;
}

fx_status fxi_discover_effect_join(fxi_combined *c, fxi_effect *e, size_t n, size_t halves,
                                   double alpha)
{
    double *work = fxi_alloc(n, sizeof *work);
    size_t sound = 0;

    if (!work)
        return FX_ENOMEM;
    for (size_t k = 0; k < n; k++)
        if (!isnan(e[k].w))
            e[sound++] = e[k];
    qsort(e, sound, sizeof *e, ascending);
    c->effect = c->low = c->high = NAN;
    if (sound) {
        double a = e[(sound - 1) / 2].w, b = e[sound / 2].w;
        size_t first = 0, last = sound;
        c->effect = a == b ? a : (a + b) / 2;
        while (first < last && isinf(e[first].w))
            first++;
        while (last > first && isinf(e[last - 1].w))
            last--;
        if (first < last)               /* infinite ones do not reject any effect */
            find_interval(c, &(effects){e + first, last - first, halves, alpha, work});
    }
    free(work);
    return FX_OK;
}
