/* SPDX-License-Identifier: BSD-3-Clause
 * explain.c - which combinations of columns a model gives the largest weights, or which decide the
 * score of one row.
 *
 * Every supported model is one sum over components of products of columns (explain.h), so one
 * search serves them all; no table of pairs is made.  For a row the same sum is searched with
 * factors times the row's numbers, over its columns only.
 *
 * Accuracy: a weight is a sum over S components in doubles, |error| <= (S + t) u sum_s |product|.
 * Features of a map are floats, so contributions of a model on a map sum to its score only up to
 * that error; `rest` has the difference.  doc/math.md#explain */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>

enum { TOP = 20 };
static const double WORK = 5e10;        /* about ten seconds of one processor, or less */

typedef struct explanation {
    fx_explanation a;                   /* first: what the caller sees */
    fx_combination *at;
    size_t *column;
    double *importance;
} explanation;

void fx_explanation_free(fx_explanation *given)
{
    explanation *e = (explanation *)given;

    if (e)
        fxi_free(e->at, e->column, e->importance, e);
}

/* ---- Progress of many loops as of one ---------------------------------------------------- */

typedef struct passing {
    fx_run run;
    double done;                        /* share of the effort: the search may end before */
} passing;

static int pass_on(void *ctx, double done)
{
    const passing *p = ctx;

    (void)done;
    return p->run.progress(p->run.ctx, p->done);
}

/* ---- The answer -------------------------------------------------------------------------- */

static fx_status check(const fx_model *m, const fx_explain_options *q)
{
    if (!m)
        return fxi_error(FX_EINVAL, "no model is given");
    if (q->table && q->visit)
        return fxi_error(FX_EINVAL, "rows are given twice: by table and by visit");
    if ((q->min_support || q->all) && !q->table && !q->visit)
        return fxi_error(FX_EINVAL, "%s needs rows", q->min_support ? "min_support" : "all");
    if (q->importance < 0 || q->importance > 2)
        return fxi_error(FX_EINVAL, "importance %d; it is 0, 1 or 2", q->importance);
    if (q->importance && !q->visit && (!q->table || !q->table->rows))
        return fxi_error(FX_EINVAL, "importance is a mean over rows, and none are given");
    if (q->importance == 2 && q->row)
        return fxi_error(FX_EINVAL, "combinations of one row are listed by their contributions to "
                                    "it, not by importance");
    if (m->c.cols > INT32_MAX)
        return fxi_error(FX_EUNSUPPORTED, "%zu columns; up to %d are explained", m->c.cols,
                         INT32_MAX);
    if (q->row && q->row->rows != 1)
        return fxi_error(FX_ESHAPE, "%zu rows are given; one is explained at a time", q->row->rows);
    if (!(q->max_work >= 0))
        return fxi_error(FX_EINVAL, "max_work %g; it must not be below 0", q->max_work);
    if (q->order > FXI_EXPLAIN_DEEP)
        return fxi_error(FX_EUNSUPPORTED, "combinations of %zu columns; up to %d are listed",
                         q->order, FXI_EXPLAIN_DEEP);
    return FX_OK;
}

/* A row that the model leaves out has no score to explain. */
static fx_status check_row(const fx_model *m, const fx_matrix *row)
{
    fxi_missing how = fxi_model_missing(&m->c);

    if (how.how != FXI_MISSING_DROP)
        return FX_OK;
    fx_status st = fxi_data_check_missing(row, "row", NULL);
    if (!st && fxi_data_missing_in(&how, fxi_data_row(row, 0)))
        st = fxi_error(FX_EDOMAIN, "the row has missing values; the model leaves such rows out");
    return st;
}

/* Columns that the model has seen and, if support is required, that enough rows have. */
static fx_status all_columns(fxi_explain_columns *out, size_t **own, const fx_model_info *c,
                             const fxi_explain_holders *h)
{
    size_t *column = *own = fxi_alloc(c->cols, sizeof *column), n = 0;

    if (!column)
        return FX_ENOMEM;
    for (size_t j = 0; j < c->cols; j++)
        if ((!c->seen || c->seen[j]) && (!h || h->count[j] >= h->need))
            column[n++] = j;
    *out = (fxi_explain_columns){n, column, NULL};
    return FX_OK;
}

static double product_of(const fxi_explain_item *item, fxi_explain_columns c)
{
    double product = 1;
    size_t at = 0;

    for (int i = 0; i < item->order; i++) {
        while (c.column[at] != (size_t)item->column[i])
            at++;
        product *= c.x[at];
    }
    return product;
}

static fx_status fill(explanation *e, fxi_explain_top *top, fxi_explain_columns c)
{
    size_t columns = 0;

    for (size_t k = 0; k < top->n; k++)
        columns += (size_t)top->at[k].order;
    e->at = fxi_zalloc(top->n, sizeof *e->at);
    e->column = fxi_alloc(columns, sizeof *e->column);
    if (!e->at || !e->column)
        return FX_ENOMEM;
    size_t *to = e->column;
    for (size_t k = 0; k < top->n; k++) {
        const fxi_explain_item *item = &top->at[k];
        fx_combination *at = &e->at[k];
        at->order = (size_t)item->order;
        at->column = to;
        at->weight = c.x ? item->weight / product_of(item, c) : item->weight;
        at->contribution = c.x ? item->weight : 0;
        for (int i = 0; i < item->order; i++)
            *to++ = (size_t)item->column[i];
    }
    e->a.n = top->n;
    e->a.at = e->at;
    return FX_OK;
}

/* What is known of the rows, in one of two ways. */
typedef struct known_rows {
    fxi_explain_holders h;              /* of a table: which rows have a column */
    fxi_explain_values v;               /* .. their entries */
    fxi_explain_visits visits;
} known_rows;

static fx_status know_rows(known_rows *k, const fx_model *m, const fx_explain_options *q,
                           const fx_run *run)
{
    uint64_t need = q->min_support ? q->min_support : 1;
    bool rows = q->table && !q->row && (q->min_support || !q->all);
    fx_status st = rows ? fxi_explain_support_index(&k->h, q->table, m->c.cols, need, run) : FX_OK;

    if (!st && q->table && q->importance)
        st = fxi_explain_values_new(&k->v, m, q->table, run);
    if (!st && q->visit)
        st = fxi_explain_visits_new(&k->visits, m, q, run);
    if (!st && k->visits.need_rows)     /* without lists */
        k->h = (fxi_explain_holders){.need = need, .rows = k->visits.rows, .cols = m->c.cols,
                                     .count = k->visits.count};
    return st;
}

static void forget_rows(known_rows *k)
{
    if (k->visits.need_rows)
        k->h.count = NULL;              /* those of the visits */
    fxi_explain_support_free(&k->h);
    fxi_explain_values_free(&k->v);
    fxi_explain_visits_free(&k->visits);
}

/* The list, sorted. */
static fx_status search(fxi_explain_top *top, fxi_explain_search *s, const fxi_explain_terms *t,
                        fxi_explain_columns c, known_rows *k, const fx_explain_options *q,
                        const fx_run *run)
{
    const fxi_explain_measures by = fxi_explain_importance_by(&k->v);

    if (q->visit && !q->row)
        return fxi_explain_visits_search(top, s, t, c, &k->visits, run);
    if (q->importance == 2)
        return fxi_explain_importance_search(top, s, t, c, &by, run);
    fx_status st = fxi_explain_search_run(top, s, t, c, run);
    fxi_explain_top_sort(top);
    return st;
}

/* Rows that hold the combinations, and their importance. */
static fx_status measure(explanation *e, fxi_explain_top *top, known_rows *k,
                         const fx_explain_options *q, const fx_run *run)
{
    fx_status st = FX_OK;

    for (size_t i = 0; i < top->n; i++) /* those of a row are not yet those of the model */
        top->at[i].weight = e->at[i].weight;
    if (q->importance && !(e->importance = fxi_zalloc(top->n, sizeof *e->importance)))
        return FX_ENOMEM;
    e->a.importance = e->importance;
    if (q->visit) {
        st = fxi_explain_visits_measure(e->at, e->importance, top->at, top->n, &k->visits, run);
        if (!st && q->importance)
            fxi_explain_importance_end(e->importance, top->at, top->n, (double)k->visits.rows);
        return st;
    }
    if (q->table)
        st = fxi_explain_support(e->at, e->a.n, q->table, run);
    return st || !q->importance
               ? st
               : fxi_explain_importance(e->importance, top->at, top->n, &k->v, run);
}

static fx_status answer(explanation *e, const fx_model *m, const fx_explain_options *q,
                        const fxi_explain_terms *t, double *done, const fx_run *run)
{
    fxi_explain_top top = {.max_items = q->top ? q->top : TOP};
    fxi_explain_search s = {.order = q->order, .effort = q->max_work > 0 ? q->max_work : WORK,
                            .done = done};
    fxi_explain_row row = {0};
    fxi_explain_columns c = {0};
    known_rows known = {0};
    size_t *own = NULL;
    fx_status st = know_rows(&known, m, q, run);

    top.holders = known.h.row ? &known.h : NULL;
    if (!st)
        st = q->row ? fxi_explain_row_new(&row, m, t->output, q->row, run)
                    : all_columns(&c, &own, &m->c, known.h.count ? &known.h : NULL);

    if (!st && !isfinite(t->constant))
        st = fxi_error(FX_ENUMERIC, "what holds no column is %g", t->constant);
    if (q->row)
        c = (fxi_explain_columns){row.n, row.column, row.x};
    if (!st && !(st = search(&top, &s, t, c, &known, q, run)))
        st = fill(e, &top, c);
    if (!st)
        st = measure(e, &top, &known, q, run);
    e->a.output = t->output;
    e->a.exact = s.exact;
    e->a.missed = s.bound;
    e->a.constant = t->constant;
    e->a.unseen = (size_t)row.unseen;
    if (q->row) {
        e->a.score = e->a.rest = row.score;
        e->a.rest -= t->constant;
        for (size_t k = 0; k < e->a.n && !st; k++)
            e->a.rest -= e->at[k].contribution;
    }
    fxi_explain_row_free(&row);
    forget_rows(&known);
    free(own);
    free(top.at);
    return st;
}

fx_status fx_model_explain(fx_explanation **out, const fx_model *m,
                           const fx_explain_options *options, const fx_run *run)
{
    fx_run how = fxi_sized_run(run);
    passing p = {how, 0};
    fxi_explain_terms t;
    fx_explain_options q = FX_INIT(fx_explain_options);
    fx_status st = FX_OK;

    if (!out)
        return fxi_error(FX_EINVAL, "no place is given for the explanation");
    if (options)
        st = fxi_sized_in(&q, sizeof q, options, "fx_explain_options");
    if (!st)
        st = check(m, &q);

    if (st)
        return st;
    if (how.progress) {
        how.progress = pass_on;
        how.ctx = &p;
    }
    explanation *e = fxi_zalloc(1, sizeof *e);
    if (!e)
        return FX_ENOMEM;
    size_t output;
    fx_table table;
    fx_data *filled = NULL;
    if (q.row)
        st = check_row(m, q.row);
    if (!st && q.table && !(st = fxi_model_missing_table(&table, &filled, &m->c, q.table, &how)))
        q.table = &table;
    if (!st && !(st = fxi_explain_output(&output, m, &q, &how))) {
        if (!(st = fxi_explain_terms_new(&t, m, output, &how)))
            st = answer(e, m, &q, &t, &p.done, &how);
        fxi_explain_terms_free(&t);
    }
    fx_data_free(filled);
    if (st)
        fx_explanation_free(&e->a);
    else
        *out = &e->a;
    return st;
}
