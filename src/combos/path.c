/* SPDX-License-Identifier: BSD-3-Clause
 * path.c - fits over all products of columns along a path of C, each from the weights of the one
 * before, with what every step found.
 *
 * The combinations of all steps are kept in a set of their own, which knows equal columns: one that
 * comes back later, or under a smaller set, has the number that it had. */

#include "combos/combos.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, ORDER = 2 };
#define SPAN 100.0
#define TOL 1e-6

typedef struct entry {
    size_t combination;
    double weight;
} entry;

typedef struct path {
    fx_combos_path a;                   /* first: what the caller sees */
    double *C, *intercept, *objective, *gap;
    size_t *first, *number;             /* [steps + 1], [first[steps]] */
    double *weight;                     /* [first[steps]] */
    fx_combination *at;
    size_t *column, *tie, *tie_first;
} path;

typedef struct making {
    path *p;
    fxi_combos_problem problem;
    fxi_combos fit;
    fxi_combos_set all;                 /* what had a weight in some step */
    entry *entry;                       /* [entries] of all steps */
    size_t entries, room;
    size_t uncertified;                 /* steps */
    double tol;
    fx_combos_options o;
} making;

void fx_combos_path_free(fx_combos_path *given)
{
    path *p = (path *)given;

    if (p)
        fxi_free(p->C, p->intercept, p->objective, p->gap, p->first, p->number, p->weight, p->at,
                 p->column, p->tie, p->tie_first, p);
}

/* ---- What is asked --------------------------------------------------------------------------- */

static const fxi_loss *const losses[] = {&fxi_loss_squared_hinge, &fxi_loss_logistic,
                                         &fxi_loss_squared};

static fx_status read_loss(const fxi_loss **out, const char *name)
{
    const char *const names[] = {losses[0]->name, losses[1]->name, losses[2]->name};
    const char *nearest = fx_nearest(name, names, 3);

    for (int k = 0; k < 3; k++)
        if (strcmp(name, names[k]) == 0) {
            *out = losses[k];
            return FX_OK;
        }
    return fxi_error(FX_EINVAL, "loss '%s' is not one of %s, %s, %s%s%s%s", name, names[0],
                     names[1], names[2], nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

static fx_status read_costs(const fx_combos_options *o)
{
    if (!(o->span == 0 || (o->span > 1 && isfinite(o->span))))
        return fxi_error(FX_EINVAL, "span %.9g; it must be above 1", o->span);
    if (!(o->tol >= 0 && o->tol < 1))
        return fxi_error(FX_EINVAL, "tol %.9g; it must be above 0 and below 1", o->tol);
    if (o->C && !o->steps)
        return fxi_error(FX_EINVAL, "C is given, but no steps");
    for (size_t k = 0; o->C && k < o->steps; k++)
        if (!(o->C[k] > 0 && isfinite(o->C[k])) || (k && !(o->C[k] > o->C[k - 1])))
            return fxi_error(FX_EINVAL,
                             "C[%zu] is %.9g; the path must be finite, above 0 and "
                             "ascending",
                             k, o->C[k]);
    return FX_OK;
}

static fx_status read_options(making *m, const fx_combos_options *given)
{
    fx_combos_options *o = &m->o;
    fx_status st = given ? fxi_sized_in(o, sizeof *o, given, "fx_combos_options") : FX_OK;

    if (st || (st = read_costs(o))
        || (st = read_loss(&m->problem.loss, o->loss ? o->loss : losses[0]->name)))
        return st;
    size_t least = o->least ? o->least : 1, order = o->order        ? o->order
                                                    : least > ORDER ? least
                                                                    : ORDER;
    if (order > FX_ORDER_MAX || least > order)
        return fxi_error(FX_EINVAL, "combinations of %zu to %zu columns; %s", least, order,
                         least > order ? "least must not be above order"
                                       : "at most 16 are offered");
    m->problem.least = (int)least;
    m->problem.order = (int)order;
    m->problem.group = o->group;
    m->problem.intercept = !o->no_intercept;
    m->tol = o->tol > 0 ? o->tol : TOL;
    return FX_OK;
}

static fx_status check_rows(const making *m, const double *y, const double *weight)
{
    size_t rows = m->problem.X->rows;

    for (size_t i = 0; i < rows; i++) {
        if (!(m->problem.loss->regress ? isfinite(y[i]) : fabs(y[i]) == 1))
            return fxi_error(FX_EINVAL, "y of row %zu (from 0) is %.9g; %s takes %s", i, y[i],
                             m->problem.loss->name,
                             m->problem.loss->regress ? "finite numbers" : "-1 and 1");
        if (weight && !(weight[i] >= 0 && isfinite(weight[i])))
            return fxi_error(FX_EINVAL, "weight of row %zu (from 0) is %.9g", i, weight[i]);
    }
    return FX_OK;
}

/* ---- The path of C --------------------------------------------------------------------------- */

static fx_status allocate(path *p, size_t steps)
{
    p->C = fxi_zalloc(steps, sizeof *p->C);
    p->intercept = fxi_zalloc(steps, sizeof *p->intercept);
    p->objective = fxi_zalloc(steps, sizeof *p->objective);
    p->gap = fxi_zalloc(steps, sizeof *p->gap);
    p->first = fxi_zalloc(steps + 1, sizeof *p->first);
    p->a = (fx_combos_path){.C = p->C,
                            .intercept = p->intercept,
                            .objective = p->objective,
                            .gap = p->gap,
                            .first = p->first};
    return p->C && p->intercept && p->objective && p->gap && p->first ? FX_OK : FX_ENOMEM;
}

/* *steps: how many there will be at most. */
static fx_status costs(size_t *steps, making *m, const fx_run *run)
{
    const fx_combos_options *o = &m->o;
    double first, span = o->span > 0 ? o->span : SPAN;
    fx_status st;

    *steps = o->steps ? o->steps : STEPS;
    if ((st = allocate(m->p, *steps)))
        return st;
    if (o->C) {
        memcpy(m->p->C, o->C, *steps * sizeof *o->C);
        return FX_OK;
    }
    if ((st = fxi_combos_fit_first(&first, &m->fit, run)))
        return st;
    if (!isfinite(first))
        return fxi_error(FX_EDOMAIN, "no combination has a weight, whatever C is, as the labels do "
                                     "not depend on any; a path of C needs its first");
    for (size_t k = 0; k < *steps; k++)
        m->p->C[k] = first * pow(span, *steps > 1 ? (double)k / (double)(*steps - 1) : 0);
    return FX_OK;
}

/* ---- A step ---------------------------------------------------------------------------------- */

static fx_status add_entry(making *m, const fxi_combos_member *z)
{
    bool fresh;
    fx_status st = fxi_combos_set_add(&fresh, &m->all, &z->set);

    if (st)
        return st;
    if (m->entries == m->room) {
        size_t room = m->room ? 2 * m->room : 256;
        entry *more = fxi_realloc(m->entry, room, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        m->entry = more;
        m->room = room;
    }
    m->entry[m->entries++] = (entry){m->all.last, z->w};
    return FX_OK;
}

static int by_combination(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    return x->combination < y->combination ? -1 : x->combination > y->combination;
}

static fx_status record(making *m, size_t k)
{
    path *p = m->p;
    size_t from = m->entries;
    fx_status st = FX_OK;

    for (size_t i = 0; i < m->fit.set.n && !st; i++)
        if (m->fit.set.at[i].w != 0)
            st = add_entry(m, &m->fit.set.at[i]);
    if (st)
        return st;
    if (m->entries > from)
        qsort(m->entry + from, m->entries - from, sizeof *m->entry, by_combination);
    p->intercept[k] = m->fit.b;
    p->objective[k] = m->fit.objective;
    p->gap[k] = m->fit.gap;
    p->first[k + 1] = m->entries;
    p->a.steps = k + 1;
    p->a.searches += m->fit.rounds;
    m->uncertified += !m->fit.certified;
    if (!isfinite(m->fit.objective) || !isfinite(m->fit.b))
        return fxi_error(FX_ENUMERIC, "at C = %.9g the intercept is %g and the objective %g",
                         p->C[k], m->fit.b, m->fit.objective);
    return FX_OK;
}

static fx_status walk_path(making *m, const fx_run *run)
{
    size_t steps;
    fx_status st = costs(&steps, m, run);

    for (size_t k = 0; k < steps && !st; k++) {
        fxi_stage stage;
        double share = 1 / (double)steps, next = k + 1 < steps ? m->p->C[k + 1] : 0;
        fx_run how = fxi_parallel_stage(&stage, run, (double)k * share, share);
        if ((st = fxi_combos_fit(&m->fit, m->p->C[k], next, m->tol, &how)) || (st = record(m, k)))
            return st;
        if (m->o.max_weights && m->entries - m->p->first[k] >= m->o.max_weights)
            break;
    }
    return st;
}

/* ---- The result ------------------------------------------------------------------------------ */

static fx_status list_weights(making *m)
{
    path *p = m->p;

    p->number = fxi_alloc(m->entries, sizeof *p->number);
    p->weight = fxi_alloc(m->entries, sizeof *p->weight);
    if (!p->number || !p->weight)
        return FX_ENOMEM;
    for (size_t i = 0; i < m->entries; i++) {
        p->number[i] = m->entry[i].combination;
        p->weight[i] = m->entry[i].weight;
    }
    p->a.combination = p->number;
    p->a.weight = p->weight;
    return FX_OK;
}

/* Columns, rows, and weights of the last step. */
static fx_status list_combinations(making *m)
{
    path *p = m->p;
    size_t n = m->all.n, columns = 0;

    for (size_t i = 0; i < n; i++)
        columns += (size_t)m->all.at[i].set.n;
    p->at = fxi_zalloc(n, sizeof *p->at);
    p->column = fxi_alloc(columns, sizeof *p->column);
    if (!p->at || !p->column)
        return FX_ENOMEM;
    size_t *to = p->column;
    for (size_t i = 0; i < n; i++) {
        const fxi_combos_member *z = &m->all.at[i];
        fxi_combos_columns_of(to, &m->fit.columns, &z->set);
        p->at[i] = (fx_combination){.order = (size_t)z->set.n, .column = to, .support = z->rows};
        to += z->set.n;
    }
    for (size_t i = p->a.steps ? p->first[p->a.steps - 1] : 0; i < m->entries; i++)
        p->at[p->number[i]].weight = p->weight[i];
    p->a.n = n;
    p->a.at = p->at;
    return FX_OK;
}

static fx_status list_ties(making *m)
{
    path *p = m->p;
    size_t cols = m->fit.columns.cols, n = 0, room = 0;
    int32_t *item = fxi_alloc(cols, sizeof *item);

    p->tie_first = fxi_zalloc(m->all.n + 1, sizeof *p->tie_first);
    if (!item || !p->tie_first) {
        free(item);
        return FX_ENOMEM;
    }
    for (size_t i = 0; i < m->all.n; i++) {
        size_t own = fxi_combos_set_ties(item, &m->all, &m->all.at[i]);
        if (n + own > room || !p->tie) {
            room = 2 * (n + own);
            size_t *more = fxi_realloc(p->tie, room, sizeof *more);
            if (!more) {
                free(item);
                return FX_ENOMEM;
            }
            p->tie = more;
        }
        for (size_t k = 0; k < own; k++)
            p->tie[n++] = (size_t)m->fit.columns.column[item[k]];
        p->tie_first[i + 1] = n;
    }
    free(item);
    p->a.tie_first = p->tie_first;
    p->a.tie = p->tie;
    return FX_OK;
}

static fx_status make_path(making *m, const fx_run *run)
{
    fx_status st = fxi_combos_fit_new(&m->fit, &m->problem, run);

    if (st)
        return st;
    if (!(st = fxi_combos_set_new(&m->all, &m->fit.columns, run)) && !(st = walk_path(m, run))
        && !(st = list_weights(m)) && !(st = list_combinations(m)))
        st = list_ties(m);
    m->p->a.examined = fxi_combos_search_nodes(m->fit.search);
    fxi_combos_set_free(&m->all);
    fxi_combos_fit_free(&m->fit);
    return st;
}

fx_status fx_combos_path_new(fx_combos_path **out, const fx_combos_options *options,
                             const fx_matrix *X, const double *y, const double *weight,
                             const fx_run *run)
{
    making m = {.o = {.size = sizeof m.o}};
    double *ones = NULL;
    fx_status st = read_options(&m, options);

    if (!st && (!out || !X || !y))
        st = fxi_error(FX_EINVAL, "fx_combos_path_new: %s is NULL", !out ? "out" : X ? "y" : "X");
    if (st || (st = fxi_data_check(X, "X", run)))
        return st;
    m.problem.X = X;
    m.problem.y = y;
    if ((st = check_rows(&m, y, weight)))
        return st;
    if (!weight && !(ones = fxi_alloc(X->rows, sizeof *ones)))
        return FX_ENOMEM;
    for (size_t i = 0; ones && i < X->rows; i++)
        ones[i] = 1;
    m.problem.weight = weight ? weight : ones;
    if (!(m.p = fxi_zalloc(1, sizeof *m.p)))
        st = FX_ENOMEM;
    else
        st = make_path(&m, run);
    fxi_free(ones, m.entry);
    if (st) {
        if (m.p)
            fx_combos_path_free(&m.p->a);
        return st;
    }
    *out = &m.p->a;
    return m.uncertified ? fxi_error(FX_NOT_CONVERGED, "%zu of %zu steps have a gap above tol=%g",
                                     m.uncertified, m.p->a.steps, m.tol)
                         : FX_OK;
}
