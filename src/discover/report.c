/* SPDX-License-Identifier: BSD-3-Clause
 * report.c - what fx_discover found, as the caller sees it: discoveries in order, sets that the
 * data cannot tell from them, means of the labels, and how the search ended. */

#include "discover/discover.h"

#include <stdlib.h>

typedef struct discovery {
    fx_discovery d;
    fx_model *m;                        /* how rows were read: names, classes, scaling */
    fx_discovered *at;
    size_t *columns;                    /* of all sets */
    double *mean;
    fx_column_set *same;
} discovery;

/* ---- Order ----------------------------------------------------------------------------------- */

/* What was eliminated comes last; families come by their most significant member. */
static int in_order(const void *a, const void *b)
{
    const fxi_combined *x = a, *y = b;

    if (x->eliminated != y->eliminated)
        return x->eliminated ? 1 : -1;
    if (x->family != y->family)
        return x->family < y->family ? -1 : 1;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return x->output != y->output ? (x->output < y->output ? -1 : 1)
                                  : fxi_discover_set_compare(&x->set, &y->set);
}

static int by_significance(const void *a, const void *b)
{
    const fxi_combined *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return x->ratio != y->ratio ? (x->ratio > y->ratio ? -1 : 1) : in_order(a, b);
}

static void sort_found(fxi_combined *found, size_t n)
{
    qsort(found, n, sizeof *found, by_significance);
    fxi_discover_family(found, n);
    qsort(found, n, sizeof *found, in_order);
}

/* ---- The list -------------------------------------------------------------------------------- */

static fx_column_set put_set(size_t **next, const fxi_discover_set *s)
{
    fx_column_set out = {(size_t)s->n, *next};

    for (int32_t k = 0; k < s->n; k++)
        (*next)[k] = (size_t)s->column[k];
    *next += s->n;
    return out;
}

/* The product of the scales of the columns of s: effects are on scaled products. */
static double scale_of(const fxi_discover *d, const fxi_discover_set *s)
{
    const double *factor = d->train.m->c.column_scale;
    double x = 1;

    for (int32_t k = 0; k < s->n && factor; k++)
        x *= factor[s->column[k]];
    return x;
}

static fx_status write_list(discovery *out, const fxi_discover *d, const fxi_combined *found,
                            size_t n, fxi_discover_set *const *same, const size_t *sames)
{
    size_t all = n, sets = 0;

    for (size_t k = 0; k < n; k++)
        all += sames[k];
    out->columns = fxi_alloc(all * FX_ORDER_MAX + 1, sizeof *out->columns);
    out->same = fxi_alloc(all + 1, sizeof *out->same);
    out->at = fxi_zalloc(n + 1, sizeof *out->at);
    if (!out->columns || !out->same || !out->at)
        return FX_ENOMEM;
    size_t *next = out->columns;
    for (size_t k = 0; k < n; k++) {
        const fxi_combined *c = &found[k];
        double scale = scale_of(d, &c->set);
        fx_column_set set = put_set(&next, &c->set);
        out->at[k] = (fx_discovered){
            .order = set.order, .column = set.column, .output = c->output, .support = c->support,
            .mean = c->mean, .binary = c->binary,
            .effect = c->effect * scale, .low = c->low * scale, .high = c->high * scale, .p = c->p,
            .frequency = c->frequency, .adds = c->adds, .family = c->family,
            .eliminated = c->eliminated, .sames = sames[k], .same = out->same + sets};
        for (size_t i = 0; i < sames[k]; i++)
            out->same[sets++] = put_set(&next, &same[k][i]);
    }
    out->d.n = n;
    out->d.at = out->at;
    return FX_OK;
}

static fx_status list(discovery *out, const fxi_discover *d, const fxi_combined *found, size_t n,
                      fxi_team *team)
{
    fxi_discover_set **same = fxi_zalloc(n + 1, sizeof *same);
    size_t *sames = fxi_zalloc(n + 1, sizeof *sames);
    fx_status st = same && sames ? FX_OK : FX_ENOMEM;

    for (size_t k = 0; k < n && !st; k++)
        st = fxi_discover_same(&same[k], &sames[k], &found[k].set, d, team);
    if (!st)
        st = write_list(out, d, found, n, same, sames);
    for (size_t k = 0; k < n && same; k++)
        free(same[k]);
    fxi_free(same, sames);
    return st;
}

/* ---- The rows and the search ----------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Shares of classes, or the mean target. */
static fx_status find_means(discovery *out, const fxi_discover *d)
{
    double *mean = fxi_zalloc(d->outputs, sizeof *mean), all = 0;

    if (!mean)
        return FX_ENOMEM;
    for (size_t i = 0; i < d->rows; i++) {
        double weight = d->train.labels.weight[d->row[i]], y = d->train.labels.y[d->row[i]];
        all += weight;
        for (size_t k = 0; k < d->outputs; k++) {
            double sign = fxi_discover_sign(d, k, y);
            mean[k] += weight * (d->o.regress ? sign : sign > 0);
        }
    }
    for (size_t k = 0; k < d->outputs; k++)
        mean[k] /= all;
    out->d.mean = out->mean = mean;
    return FX_OK;
}

/* What the halves say of the search: the median C where paths ended, the largest gap. */
static fx_status describe_search(fx_discovery *out, const fxi_discover *d, const fxi_half *half)
{
    size_t n = d->outputs * d->halves;
    double *C = fxi_alloc(n, sizeof *C);

    if (!C)
        return FX_ENOMEM;
    out->certified = 1;
    for (size_t b = 0; b < n; b++) {
        C[b] = half[b].C;
        out->gap = fmax(out->gap, half[b].gap);
        out->certified &= half[b].certified;
        out->nodes += half[b].nodes;
    }
    qsort(C, n, sizeof *C, ascending);
    out->C = (C[(n - 1) / 2] + C[n / 2]) / 2;
    free(C);
    return FX_OK;
}

static void describe(fx_discovery *out, const fxi_discover *d, uint64_t nulls)
{
    for (int t = 1; t <= d->o.order; t++) {
        double products = 1;
        for (int i = 0; i < t; i++)
            products *= fmax(0, (double)d->train.X.cols - i) / (i + 1);
        out->products += products;
    }
    out->rows = d->rows;
    out->order = (size_t)d->o.order;
    out->alpha = d->o.alpha;
    out->select = d->o.select;
    out->halves = d->halves;
    out->permutations = d->o.permutations;
    out->null_found = nulls;
    if (out->permutations)
        fx_discover_binomial(&out->null_low, &out->null_high, nulls, out->permutations);
}

/* ---- Both ------------------------------------------------------------------------------------ */

void fx_discovery_free(fx_discovery *d)
{
    discovery *own = (discovery *)d;

    if (!own)
        return;
    fx_model_free(own->m);
    fxi_free(own->at, own->columns, own->same, own->mean, own);
}

fx_status fxi_discover_report(fx_discovery **out, fxi_discover *d, fxi_combined *found, size_t n,
                              const fxi_half *half, uint64_t nulls, fxi_team *team)
{
    discovery *own = fxi_zalloc(1, sizeof *own);
    fx_status st;

    if (!own)
        return FX_ENOMEM;
    sort_found(found, n);
    if ((st = list(own, d, found, n, team)) || (st = find_means(own, d))
        || (st = describe_search(&own->d, d, half))) {
        fx_discovery_free(&own->d);
        return st;
    }
    describe(&own->d, d, nulls);
    own->m = d->train.m;
    d->train.m = NULL;
    own->d.info = fx_model_inspect(own->m);
    *out = &own->d;
    return FX_OK;
}
