/* SPDX-License-Identifier: BSD-3-Clause
 * split.c - rows that are fitted, held out and tested.
 *
 * A split deals the rows to ten groups, each with its share of every class: the first five are one
 * half, the others the other.  Each half selects once and tests once.  Of the half that selects,
 * four groups are fitted, and the fifth decides where the path ends. */

#include "discover/discover.h"

#include <stdlib.h>

enum { GROUPS = 10, HALF = GROUPS / 2, HELD = HALF - 1 };

void fxi_discover_split_free(fxi_discover_split *s) { fxi_free(s->label, s->row); }

/* Labels go to other rows, all orders being equally likely. */
static fx_status permute(double *label, const fxi_discover *d, size_t permutation)
{
    size_t *order = fxi_alloc(d->rows, sizeof *order);

    if (!order)
        return FX_ENOMEM;
    fx_data_shuffle(order, d->rows,
                    fxi_rng_bits((fxi_rng){d->o.seed, FXI_DISCOVER_PERMUTE}, permutation));
    for (size_t i = 0; i < d->rows; i++)
        label[d->row[i]] = d->train.labels.y[d->row[permutation ? order[i] : i]];
    free(order);
    return FX_OK;
}

/* The rows of groups [first, first + n), after those so far. */
static size_t take(fxi_discover_split *s, const fxi_discover *d, const int32_t *group, size_t at,
                   int32_t first, int32_t n)
{
    for (size_t i = 0; i < d->rows; i++)
        if (group[i] >= first && group[i] < first + n)
            s->row[at++] = d->row[i];
    return at;
}

static fx_status deal(fxi_discover_split *s, const fxi_discover *d, size_t half)
{
    uint64_t seed = fxi_rng_bits((fxi_rng){d->o.seed, FXI_DISCOVER_SPLIT}, half / 2);
    int32_t first = half % 2 ? HALF : 0, *group = fxi_alloc(d->rows, sizeof *group);
    double *label = fxi_alloc(d->rows, sizeof *label);
    fx_status st = group && label ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < d->rows && !st; i++)
        label[i] = s->label[d->row[i]];
    if (!st)
        st = fx_data_folds(group, d->rows, GROUPS, d->o.regress ? NULL : label, seed);
    if (!st) {
        s->fits = take(s, d, group, 0, first, HELD);
        s->helds = take(s, d, group, s->fits, first + HELD, 1) - s->fits;
        s->tests = take(s, d, group, s->fits + s->helds, HALF - first, HALF) - s->fits - s->helds;
        s->held = s->row + s->fits;
        s->test = s->held + s->helds;
    }
    fxi_free(group, label);
    return st;
}

fx_status fxi_discover_split_new(fxi_discover_split *out, const fxi_discover *d, size_t permutation,
                                 size_t output, size_t half)
{
    fxi_discover_split s = {.label = fxi_zalloc(d->train.X.rows, sizeof *s.label),
                            .row = fxi_alloc(d->rows, sizeof *s.row)};
    fx_status st = s.label && s.row ? permute(s.label, d, permutation) : FX_ENOMEM;

    if (!st)
        st = deal(&s, d, half);
    for (size_t i = 0; i < d->rows && !st; i++)
        s.label[d->row[i]] = fxi_discover_sign(d, output, s.label[d->row[i]]);
    if (st)
        fxi_discover_split_free(&s);
    else
        *out = s;
    return st;
}

fx_status fxi_discover_split_test(fxi_likelihood_term *term, size_t *support,
                                  const fxi_discover_set *set, size_t n, const fxi_discover *d,
                                  const fxi_discover_split *s, bool ratios, fxi_team *team)
{
    const fxi_likelihood_rows rows = {&d->train.X, s->label, d->train.labels.weight, s->test,
                                      s->tests, d->o.regress};
    double deviance;
    fxi_likelihood m;
    fx_status st = fxi_discover_likelihood_new(&m, set, n, &rows, team);

    if (st)
        return st;
    for (size_t k = 0; k < n; k++)
        support[k] = m.z.support[k];
    st = fxi_discover_likelihood(term, &deviance, &m, ratios, team);
    fxi_discover_likelihood_free(&m);
    return st;
}
