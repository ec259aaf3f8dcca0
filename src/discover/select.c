/* SPDX-License-Identifier: BSD-3-Clause
 * select.c - a path of C over all products, from the first weight on, until enough products have
 * weights or the loss on rows that the path does not see no longer falls.
 *
 * These rows belong to the half on which products are selected: the other half decides nothing but
 * the tests. */

#include "discover/discover.h"

#include <stdlib.h>

enum { STEPS = 99, PATIENCE = 5 };
#define LAST 100.0                      /* the last C of a path, in units of the first */
#define TOL  1e-4                       /* gap of a step */

typedef struct path {
    const fxi_discover *d;
    const fxi_discover_split *s;
    fx_data *rows;                      /* fitted ones, and their labels and weights */
    double *y, *weight;
    fxi_combos fit;
    bool open;
    double end;                         /* on the clock; 0: any time */
    fxi_team *team;
} path;

static void close_path(path *p)
{
    if (p->open)
        fxi_combos_fit_free(&p->fit);
    fx_data_free(p->rows);
    fxi_free(p->y, p->weight);
}

/* *alike: there is nothing to learn, as all labels are the same. */
static fx_status open_path(path *p, bool *alike, const fx_run *run)
{
    const fxi_discover *d = p->d;
    const fxi_discover_split *s = p->s;
    const fx_matrix *X = &d->train.X;
    fx_table t = {.rows = X->rows, .cols = X->cols, .blocks = 1, .block = X};
    fx_status st = fx_data_select(&p->rows, &t, s->row, s->fits, run);

    if (st)
        return st;
    p->y = fxi_alloc(s->fits, sizeof *p->y);
    p->weight = fxi_alloc(s->fits, sizeof *p->weight);
    if (!p->y || !p->weight)
        return FX_ENOMEM;
    *alike = true;
    for (size_t i = 0; i < s->fits; i++) {
        p->y[i] = s->label[s->row[i]];
        p->weight[i] = d->train.labels.weight[s->row[i]];
        *alike &= p->y[i] == p->y[0];
    }
    if (*alike)
        return FX_OK;
    fxi_combos_problem problem = {.X = p->rows->table.block, .loss = d->loss, .y = p->y,
                                  .weight = p->weight, .least = 1, .order = d->o.order,
                                  .intercept = true};
    if (!(st = fxi_combos_fit_new(&p->fit, &problem, run)))
        p->open = true;
    return st;
}

static fxi_discover_set columns_of(const fxi_combos *fit, const fxi_combo *items)
{
    fxi_discover_set s = {.n = items->n};

    for (int32_t k = 0; k < s.n; k++) { /* insertion: there are few */
        int32_t column = fit->columns.column[items->item[k]], at = k;
        for (; at > 0 && s.column[at - 1] > column; at--)
            s.column[at] = s.column[at - 1];
        s.column[at] = column;
    }
    return s;
}

typedef struct weighted { fxi_discover_set set; double w; } weighted;

static int heavier(const void *a, const void *b)
{
    const weighted *x = a, *y = b;

    if (fabs(x->w) != fabs(y->w))
        return fabs(x->w) > fabs(y->w) ? -1 : 1;
    return fxi_discover_set_compare(&x->set, &y->set);
}

/* Products with a weight, the heaviest first. */
static fx_status list_weights(weighted **out, size_t *n, const fxi_combos *fit)
{
    weighted *list = fxi_alloc(fit->set.n + 1, sizeof *list);

    if (!list)
        return FX_ENOMEM;
    *n = 0;
    for (size_t k = 0; k < fit->set.n; k++)
        if (fit->set.at[k].w != 0)
            list[(*n)++] = (weighted){columns_of(fit, &fit->set.at[k].set), fit->set.at[k].w};
    qsort(list, *n, sizeof *list, heavier);
    *out = list;
    return FX_OK;
}

/* Of the rows that the path does not see. */
static fx_status held_loss(double *loss, const path *p, const weighted *list, size_t n)
{
    const fxi_discover_split *s = p->s;
    fxi_discover_set *set = fxi_alloc(n + 1, sizeof *set);
    fxi_products z;

    if (!set)
        return FX_ENOMEM;
    for (size_t k = 0; k < n; k++)
        set[k] = list[k].set;
    fx_status st = fxi_discover_products_new(&z, set, n, &p->d->train.X, s->held, s->helds,
                                             p->team);
    free(set);
    if (st)
        return st;
    *loss = 0;
    for (size_t i = 0; i < s->helds; i++) {
        double f = p->fit.b;
        for (size_t q = z.ptr[i]; q < z.ptr[i + 1]; q++)
            f += list[z.term[q]].w * z.x[q];
        *loss += p->d->train.labels.weight[s->held[i]]
                 * p->d->loss->value(s->label[s->held[i]], f, 0);
    }
    fxi_discover_products_free(&z);
    return FX_OK;
}

static fx_status keep(fxi_half *h, const path *p, const weighted *list, size_t n)
{
    h->n = n < p->d->o.select ? n : p->d->o.select;
    if (!(h->at = fxi_zalloc(h->n + 1, sizeof *h->at)))
        return FX_ENOMEM;
    for (size_t k = 0; k < h->n; k++)
        h->at[k].set = list[k].set;
    return FX_OK;
}

static fx_status walk(fxi_half *h, path *p, const fx_run *run)
{
    double first, least = INFINITY, loss = 0;
    fx_status st = fxi_combos_fit_first(&first, &p->fit, run);
    weighted *list = NULL;
    size_t n = 0, risen = 0;

    for (int step = 0; step < STEPS && !st && first < INFINITY && risen < PATIENCE; step++) {
        double C = first * pow(LAST, (double)step / (STEPS - 1)),
               next = first * pow(LAST, (double)(step + 1) / (STEPS - 1));
        if (p->end > 0 && fxi_train_clock() > p->end) {
            h->certified = false;
            break;
        }
        if ((st = fxi_combos_fit(&p->fit, C, next, TOL, run)))
            break;
        free(list);
        list = NULL;
        h->C = C;
        h->gap = fmax(h->gap, p->fit.gap);
        h->certified &= p->fit.certified;
        if ((st = list_weights(&list, &n, &p->fit)) || n >= p->d->o.select
            || (st = held_loss(&loss, p, list, n)))
            break;
        risen = loss < least ? 0 : risen + 1;
        least = fmin(least, loss);
    }
    h->nodes = fxi_combos_search_nodes(p->fit.search);
    if (!st)
        st = keep(h, p, list, n);
    free(list);
    return st;
}

fx_status fxi_discover_select(fxi_half *h, const fxi_discover *d, const fxi_discover_split *s,
                              fxi_team *team, const fx_run *run)
{
    path p = {.d = d, .s = s, .team = team,
              .end = d->seconds > 0 ? fxi_train_clock() + d->seconds : 0};
    bool alike;
    fx_status st = open_path(&p, &alike, run);

    h->certified = true;
    if (!st && !alike)
        st = walk(h, &p, run);
    close_path(&p);
    return st;
}
