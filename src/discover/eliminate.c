/* SPDX-License-Identifier: BSD-3-Clause
 * eliminate.c - backward elimination among the discoveries of one output, on all rows: while some
 * add nothing to the model of all that are left, at level alpha divided by their number, the least
 * significant is taken out.  So a pair goes that was only found because it is part of a triple.
 *
 * Taking discoveries out makes no new ones: the bound on false discoveries stays. */

#include "discover/discover.h"

#include <stdlib.h>

enum { ALL_PARTS = 5 };                 /* columns of the largest set of which all parts are
                                         * fitted */

typedef struct rows {
    const fxi_discover *d;
    double *label;                      /* [rows of X] signs or targets */
    double nothing;                     /* deviance of the intercept alone */
    fxi_team *team;
} rows;

static fx_status fit(fxi_likelihood_term *term, double *deviance, const fxi_discover_set *set,
                     size_t n, const rows *r)
{
    const fxi_discover *d = r->d;
    const fxi_likelihood_rows all = {&d->train.X, r->label, d->train.labels.weight, d->row,
                                     d->rows, d->o.regress};
    fxi_likelihood m;
    fx_status st = fxi_discover_likelihood_new(&m, set, n, &all, r->team);

    if (!st) {
        st = fxi_discover_likelihood(term, deviance, &m, true, r->team);
        fxi_discover_likelihood_free(&m);
    }
    return st;
}

/* ---- What a product adds to its parts -------------------------------------------------------- */

static size_t list_parts(fxi_discover_set *part, const fxi_discover_set *s)
{
    uint32_t whole = (1u << s->n) - 1;
    size_t n = 0;

    for (uint32_t mask = 1; mask < whole; mask++) {
        int ones = __builtin_popcount(mask);
        if (s->n <= ALL_PARTS || ones == 1 || ones == s->n - 1)
            part[n++] = fxi_discover_set_part(s, mask);
    }
    return n;
}

/* The share of the deviance that it explains and its parts do not. */
static fx_status find_adds(fxi_combined *c, const rows *r)
{
    fxi_discover_set list[2 * FX_ORDER_MAX + 1];        /* of 5 columns: 30 parts */
    size_t n = list_parts(list, &c->set);
    double parts, whole;
    fx_status st = fit(NULL, &parts, list, n, r);

    list[n] = c->set;
    if (!st && !(st = fit(NULL, &whole, list, n + 1, r)))
        c->adds = r->nothing > 0 ? fmax(0, parts - whole) / r->nothing : 0;
    return st;
}

/* ---- Elimination ----------------------------------------------------------------------------- */

/* The one to take out, of c[left[n]], or n: the last of those with the least ratio.  One that
 * depends on those before, which are more significant, has a ratio of 0. */
static size_t weakest(const fxi_likelihood_term *term, size_t n, double alpha)
{
    double ratio = INFINITY;
    size_t which = n;

    for (size_t k = 0; k < n; k++)
        if (term[k].ratio <= ratio) {
            ratio = term[k].ratio;
            which = k;
        }
    return which < n && fxi_discover_tails_ratio(ratio) > alpha / (double)n ? which : n;
}

static fx_status eliminate(fxi_combined *c, size_t n, const rows *r)
{
    fxi_discover_set *set = fxi_alloc(n, sizeof *set);
    fxi_likelihood_term *term = fxi_alloc(n, sizeof *term);
    size_t *left = fxi_alloc(n, sizeof *left), kept = n;
    fx_status st = set && term && left ? FX_OK : FX_ENOMEM;
    double deviance;

    for (size_t k = 0; k < n && !st; k++) {
        left[k] = k;
        set[k] = c[k].set;
    }
    while (kept && !st) {
        if ((st = fit(term, &deviance, set, kept, r)))
            break;
        size_t k = weakest(term, kept, r->d->o.alpha);
        if (k == kept)
            break;
        c[left[k]].eliminated = true;
        for (kept--; k < kept; k++) {
            left[k] = left[k + 1];
            set[k] = set[k + 1];
        }
    }
    fxi_free(set, term, left);
    return st;
}

/* ---- Rows that hold a discovery -------------------------------------------------------------- */

static fx_status find_rows(fxi_combined *c, size_t n, const rows *r)
{
    const fxi_discover *d = r->d;
    fxi_discover_set *set = fxi_alloc(n, sizeof *set);
    double *all = fxi_zalloc(n, sizeof *all);
    fxi_products z = {0};
    fx_status st = set && all ? FX_OK : FX_ENOMEM;

    for (size_t k = 0; k < n && !st; k++) {
        set[k] = c[k].set;
        c[k].binary = true;
    }
    if (!st)
        st = fxi_discover_products_new(&z, set, n, &d->train.X, d->row, d->rows, r->team);
    for (size_t i = 0; i < d->rows && !st; i++)
        for (size_t q = z.ptr[i]; q < z.ptr[i + 1]; q++) {
            fxi_combined *to = &c[z.term[q]];
            double y = r->label[d->row[i]], weight = d->train.labels.weight[d->row[i]];
            to->binary &= z.x[q] == 1;
            to->mean += weight * (d->o.regress ? y : y > 0);
            all[z.term[q]] += weight;
        }
    for (size_t k = 0; k < n && !st; k++) {
        c[k].support = z.support[k];
        c[k].mean /= all[k] > 0 ? all[k] : 1;
    }
    fxi_discover_products_free(&z);
    fxi_free(set, all);
    return st;
}

/* ---- All of it ------------------------------------------------------------------------------- */

fx_status fxi_discover_eliminate(fxi_combined *c, size_t n, const fxi_discover *d, fxi_team *team)
{
    rows r = {.d = d, .label = fxi_zalloc(d->train.X.rows, sizeof *r.label), .team = team};
    fx_status st = r.label ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < d->rows && !st && n; i++)
        r.label[d->row[i]] = fxi_discover_sign(d, c->output, d->train.labels.y[d->row[i]]);
    if (!st && n && !(st = find_rows(c, n, &r)) && !(st = eliminate(c, n, &r)))
        st = fit(NULL, &r.nothing, NULL, 0, &r);
    for (size_t k = 0; k < n && !st; k++)
        st = find_adds(&c[k], &r);
    free(r.label);
    return st;
}
