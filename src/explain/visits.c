/* SPDX-License-Identifier: BSD-3-Clause
 * visits.c - combinations and rows that come a table at a time, as often as they are asked for.
 *
 * Of rows in memory the search asks whether they hold a combination.  Here it finds more
 * combinations than are listed; one visit counts the rows of all of them, and those that too few
 * rows hold are left out.  If too few are left, more are searched for.  The list is then that of
 * the same rows in memory: the largest that enough rows hold.  Sums over rows continue from table
 * to table in the order of the rows, so that they have the same bits.
 *
 * Memory: that of a table by columns, and numbers for each column and each candidate. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 16, MORE = 8,            /* candidates per combination listed; factor per round */
       CANDIDATES = 1 << 17 };          /* no more of them */

/* ---- One visit ----------------------------------------------------------------------------- */

typedef struct visit {
    fxi_explain_visits *v;
    const fx_run *run;
    bool first;                         /* it counts the rows */
    size_t rows;
    fx_status (*use)(struct visit *w, const fx_table *t, const fxi_explain_values *values);
    /* of combinations */
    fx_combination *at;
    double *sum;                        /* or NULL */
    const fxi_explain_item *item;
    size_t n;
    /* of norms */
    double *power;                      /* [high - low + 1][c.n] */
    int low, high;
    fxi_explain_columns c;
} visit;

static fx_status take(void *to, const fx_table *given)
{
    visit *w = to;
    fxi_explain_visits *v = w->v;
    fxi_explain_values values = {0};
    fx_data *filled = NULL;
    fx_table t;
    fx_status st = given ? fxi_model_missing_table(&t, &filled, &v->m->c, given, w->run)
                         : fxi_error(FX_EINVAL, "visit: no table is given");

    if (!st && t.rows) {
        if (!v->values || !(st = fxi_explain_values_new(&values, v->m, &t, w->run)))
            st = w->use(w, &t, &values);
        w->rows += t.rows;
    }
    fxi_explain_values_free(&values);
    fx_data_free(filled);
    return st;
}

static fx_status go(visit *w)
{
    const fx_explain_options *q = w->v->q;
    fx_status st = q->visit(q->visit_ctx, take, w);

    if (st > 0)
        st = fxi_error(FX_EINVAL, "who visits the rows returned %d", (int)st);
    if (!st && !w->first && w->rows != w->v->rows)
        st = fxi_error(FX_EINVAL, "this visit has %zu rows, the first one %zu", w->rows,
                       w->v->rows);
    return st;
}

/* ---- The first ------------------------------------------------------------------------------ */

static fx_status count(visit *w, const fx_table *t, const fxi_explain_values *values)
{
    fxi_explain_visits *v = w->v;
    fxi_explain_holders h = {0};
    fx_status st = fxi_explain_support_index(&h, t, v->cols, 1, w->run);

    for (size_t j = 0; j < v->cols && !st; j++)
        v->count[j] += h.count[j];
    for (size_t j = 0; j < v->cols && !st && v->values; j++)
        v->held[j] += values->first[j + 1] - values->first[j];
    if (!st && v->values)
        fxi_explain_importance_largest(v->largest, values);
    fxi_explain_support_free(&h);
    return st;
}

void fxi_explain_visits_free(fxi_explain_visits *v)
{
    fxi_free(v->count, v->held, v->largest);
    *v = (fxi_explain_visits){0};
}

fx_status fxi_explain_visits_new(fxi_explain_visits *out, const fx_model *m,
                                 const fx_explain_options *q, const fx_run *run)
{
    fxi_explain_visits v = {.m = m, .q = q, .cols = m->c.cols,
                            .need_rows = !q->row && (q->min_support || !q->all),
                            .values = q->importance != 0};
    size_t *number = fxi_zalloc(v.cols, sizeof *number);
    visit w = {.v = &v, .run = run, .first = true, .use = count};

    v.held = fxi_zalloc(v.cols, sizeof *v.held);
    v.largest = fxi_zalloc(v.cols, sizeof *v.largest);
    fx_status st = number && v.held && v.largest ? FX_OK : FX_ENOMEM;
    v.count = number;
    if (!st && !(st = go(&w)))
        v.rows = w.rows;
    if (!st && !v.rows && v.values)
        st = fxi_error(FX_EINVAL, "importance is a mean over rows, and none are left");
    if (st)
        fxi_explain_visits_free(&v);
    else
        *out = v;
    return st;
}

/* ---- Norms of columns ----------------------------------------------------------------------- */

static fx_status add_powers(visit *w, const fx_table *t, const fxi_explain_values *values)
{
    double *power = w->power;

    (void)t;
    for (int p = w->low; p <= w->high; p++)
        for (size_t k = 0; k < w->c.n; k++, power++) {
            size_t j = w->c.column[k];
            *power = fxi_explain_importance_powers(*power, values, j, p, w->v->largest[j]);
        }
    return FX_OK;
}

static fx_status norms(void *rows, double *norm, int low, int high, fxi_explain_columns c,
                       const fx_run *run)
{
    fxi_explain_visits *v = rows;
    visit w = {.v = v, .run = run, .use = add_powers, .power = norm, .low = low, .high = high,
               .c = c};

    memset(norm, 0, (size_t)(high - low + 1) * c.n * sizeof *norm);
    fx_status st = go(&w);
    for (int p = low; p <= high && !st; p++)
        for (size_t k = 0; k < c.n; k++, norm++)
            *norm = fxi_explain_importance_norm(*norm, (double)v->rows, p, v->largest[c.column[k]]);
    return st;
}

/* ---- Combinations --------------------------------------------------------------------------- */

static fx_status add_measures(visit *w, const fx_table *t, const fxi_explain_values *values)
{
    fx_status st = fxi_explain_support(w->at, w->n, t, w->run);

    return st || !w->sum ? st
                         : fxi_explain_importance_add(w->sum, w->item, w->n, values, w->v->held,
                                                      w->run);
}

fx_status fxi_explain_visits_measure(fx_combination *at, double *sum, const fxi_explain_item *item,
                                     size_t n, fxi_explain_visits *v, const fx_run *run)
{
    visit w = {.v = v, .run = run, .use = add_measures, .at = at, .sum = sum, .item = item, .n = n};

    return go(&w);
}

/* The items as combinations, whose columns are in one array. */
static fx_status describe(fx_combination **at, size_t **column, const fxi_explain_top *top)
{
    size_t *to = fxi_alloc(top->n, FXI_EXPLAIN_DEEP * sizeof *to);

    *column = to;
    *at = fxi_zalloc(top->n, sizeof **at);
    if (!*at || !to)
        return FX_ENOMEM;
    for (size_t k = 0; k < top->n; k++) {
        const fxi_explain_item *item = &top->at[k];
        (*at)[k].order = (size_t)item->order;
        (*at)[k].column = to;
        for (int i = 0; i < item->order; i++)
            *to++ = (size_t)item->column[i];
    }
    return FX_OK;
}

/* Importance, or none if out is NULL, of those that enough rows hold; the others are left out. */
static fx_status measure(void *rows, double *out, fxi_explain_top *top, const fx_run *run)
{
    fxi_explain_visits *v = rows;
    fx_combination *at = NULL;
    size_t *column = NULL, kept = 0, need = v->q->min_support ? v->q->min_support : 1;
    fx_status st = describe(&at, &column, top);

    if (out)
        memset(out, 0, top->n * sizeof *out);
    if (!st && !(st = fxi_explain_visits_measure(at, out, top->at, top->n, v, run)) && out)
        fxi_explain_importance_end(out, top->at, top->n, (double)v->rows);
    for (size_t k = 0; k < top->n && !st; k++) {
        if (v->need_rows && at[k].support < need)
            continue;
        top->at[kept] = top->at[k];
        if (out)
            out[kept] = out[k];
        kept++;
    }
    if (!st)
        top->n = kept;
    fxi_free(at, column);
    return st;
}

/* ---- The search ----------------------------------------------------------------------------- */

/* The n largest of `candidates`; *enough: these are the n largest of all. */
static fx_status try_candidates(fxi_explain_top *top, fxi_explain_search *s,
                                const fxi_explain_terms *t, fxi_explain_columns c,
                                fxi_explain_visits *v, size_t n, bool *enough, const fx_run *run)
{
    fx_status st = fxi_explain_search_run(top, s, t, c, run);
    bool full = top->n == top->max_items;

    fxi_explain_top_sort(top);
    if (!st)
        st = measure(v, NULL, top, run);
    *enough = s->exact && (top->n >= n || !full);
    top->n = top->n < n ? top->n : n;
    return st;
}

static fx_status search_weights(fxi_explain_top *top, fxi_explain_search *s,
                                const fxi_explain_terms *t, fxi_explain_columns c,
                                fxi_explain_visits *v, const fx_run *run)
{
    const fxi_explain_search asked = *s;
    size_t n = top->max_items;
    bool enough = false;
    fx_status st = FX_OK;

    for (size_t each = FIRST; !enough && !st; each *= MORE) {
        *s = asked;
        top->n = 0;
        top->max_items = n < CANDIDATES / each ? n * each : n > CANDIDATES ? n : CANDIDATES;
        st = try_candidates(top, s, t, c, v, n, &enough, run);
        if (top->max_items >= CANDIDATES || !s->exact)
            break;
    }
    s->exact &= enough;
    return st;
}

fx_status fxi_explain_visits_search(fxi_explain_top *top, fxi_explain_search *s,
                                    const fxi_explain_terms *t, fxi_explain_columns c,
                                    fxi_explain_visits *v, const fx_run *run)
{
    const fxi_explain_measures by = {norms, measure, v};
    bool important = v->q->importance == 2;
    fx_status st = FX_OK;

    if (!v->need_rows && !important) {  /* the search asks nothing */
        st = fxi_explain_search_run(top, s, t, c, run);
        fxi_explain_top_sort(top);
        return st;
    }
    st = important ? fxi_explain_importance_search(top, s, t, c, &by, run)
                   : search_weights(top, s, t, c, v, run);
    if (!st && !s->exact)
        st = fxi_error(FX_ELIMIT, "which combinations enough rows hold cannot be found by counting "
                       "the largest: this list needs all rows in memory");
    return st;
}
