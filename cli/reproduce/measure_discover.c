/* SPDX-License-Identifier: BSD-3-Clause
 * measure_discover.c - measure `discover`: what fx_discover finds with its defaults.
 *
 * Columns of a case beyond the usual ones: order, the largest product (default 3); labels=shuffled:
 * each seed gives the labels to other rows, so that they mean nothing.
 *
 * found      discoveries that are not eliminated
 * any        1: there are some
 * power      share of the planted sets that are among them
 * first      share of the planted sets of which no other discovery has a smaller p
 * nested     discoveries that are part of a planted set, or hold one
 * others     discoveries that are neither
 * certified  1: every path was proven optimal
 * seconds    of the processor, by all threads */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {"found", "any", "power", "first", "nested", "others",
                                      "certified", "seconds", NULL};
static const char *const options[] = {NULL};
enum { ORDER_DEFAULT = 3 };

/* ---- Planted sets -------------------------------------------------------------------------- */
typedef struct planted { size_t n, column[FX_ORDER_MAX]; } planted; /* from 0, ascending */

/* The next line of *at; false: there is none. */
static bool next_planted(planted *s, const char **at)
{
    char *end = (char *)*at;

    *s = (planted){0};
    while (**at && *end != '\n' && s->n < FX_ORDER_MAX) {
        s->column[s->n++] = (size_t)strtoull(*at, &end, 10) - 1;
        *at = end;
    }
    *at += **at == '\n';
    return s->n > 0;
}

static bool within(const size_t *a, size_t n, const size_t *b, size_t m)
{
    size_t k = 0;

    for (size_t i = 0; i < m && k < n; i++)
        k += b[i] == a[k];
    return k == n;
}

/* How many planted sets hold the discovery, or are held by it; *same: one is equal. */
static size_t related(bool *same, const fx_discovered *a, const char *text)
{
    size_t n = 0;
    planted s;

    *same = false;
    while (next_planted(&s, &text)) {
        bool part = within(a->column, a->order, s.column, s.n),
             whole = within(s.column, s.n, a->column, a->order);
        *same |= part && whole;
        n += part || whole;
    }
    return n;
}

typedef struct counts { double found, equal, first, nested, others; } counts;

static counts count(const fx_discovery *d, const char *text)
{
    counts c = {0};
    double best = INFINITY;             /* p of what is not planted */
    bool same;

    for (size_t k = 0; k < d->n && !d->at[k].eliminated; k++) {
        size_t sets = related(&same, &d->at[k], text);
        c.found++;
        c.equal += same;
        c.nested += sets && !same;
        c.others += !sets;
        best = same ? best : fmin(best, d->at[k].p);
    }
    for (size_t k = 0; k < d->n && !d->at[k].eliminated; k++)
        c.first += related(&same, &d->at[k], text) && same && d->at[k].p <= best;
    return c;
}

/* ---- A case ---------------------------------------------------------------------------------- */
static int order_of(double *order, const recipe *r, size_t cell)
{
    int status = recipe_number(order, r, cell, "order", ORDER_DEFAULT);

    if (!status && !(*order >= 1 && *order <= FX_ORDER_MAX && *order == floor(*order)))
        return recipe_error(r, recipe_field(r, cell, "order"), "order: 1 to %d", FX_ORDER_MAX);
    return status;
}

static int emit(const measure_context *l, const fx_discovery *d, const char *text, double seconds)
{
    counts c = count(d, text);
    double sets = 0;

    for (planted one; next_planted(&one, &text);)
        sets++;
    if (sets == 0)
        return l->emit(l->ctx, (const double[]){c.found, c.found > 0, NAN, NAN, NAN, NAN,
                                                d->certified, seconds});
    return l->emit(l->ctx, (const double[]){c.found, c.found > 0, c.equal / sets, c.first / sets,
                                            c.nested, c.others, d->certified, seconds});
}

/* [rows] labels of t in another order; NULL: no memory. */
static double *shuffled(const fx_table *t, uint64_t seed)
{
    size_t *order = malloc(t->rows * sizeof *order);
    double *label = malloc(t->rows * sizeof *label);

    if (order && label) {
        fx_data_shuffle(order, t->rows, seed);
        for (size_t i = 0; i < t->rows; i++)
            label[i] = t->label[order[i]];
    }
    free(order);
    return label;
}

static int run(const measure_context *l, size_t cell)
{
    fx_discover_options o = {.size = sizeof o, .seed = l->seed};
    fx_discovery *d = NULL;
    double order, *label = NULL;
    parts *p = NULL;
    int status;

    if ((status = order_of(&order, l->r, cell))
        || (status = datasets_get(&p, l->sets, recipe_field(l->r, cell, "data"), l->seed)))
        return status;
    o.order = (int)order;
    o.regress = p->regress;
    fx_table t = p->train;
    if (recipe_field(l->r, cell, "labels") && !(t.label = label = shuffled(&t, l->seed)))
        return say_no_memory("labels");
    double start = measure_clock();
    fx_status s = fx_discover(&d, &o, &t, &cli.run);
    status = s ? say_failure(s)
               : emit(l, d, label ? "" : fx_data_planted(p->data[0]), measure_clock() - start);
    fx_discovery_free(d);
    free(label);
    return status;
}

static int check(const recipe *r)
{
    double order;
    int status = 0;

    for (size_t cell = 0; cell < r->cells && !status; cell++) {
        const char *labels = recipe_field(r, cell, "labels");
        status = labels && strcmp(labels, "shuffled")
                     ? recipe_error(r, labels, "labels %s: it may be shuffled", labels)
                     : order_of(&order, r, cell);
    }
    return status;
}

const measure measure_discover = {.name = "discover",
                                  .summary = "what discover finds: planted sets, or anything "
                                             "in shuffled labels",
                                  .columns = columns, .options = options, .run = run,
                                  .check = check};
