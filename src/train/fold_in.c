/* SPDX-License-Identifier: BSD-3-Clause
 * fold_in.c - fx_model_fold_in: columns that a model does not know, learnt from rows that hold them
 * while everything else stays as it is.
 *
 * The new model is a copy of the old one, wider if the rows are.  Losses are divided by what they
 * were divided by in training, so its objective is that of the training plus what these rows and
 * columns add: rows of the training have zeros there, and their losses stay. */

#include "train/train.h"

#include <stdlib.h>
#include <string.h>

/* ---- A wider model ------------------------------------------------------------------------ */

/* Copies of n numbers and `more` of them, which are `value`. */
static fx_status lengthen(const double **array, fx_model *m, size_t n, size_t more, double value)
{
    if (!*array)
        return FX_OK;
    double *to = fxi_alloc(n + more, sizeof *to);
    fx_status st = fxi_model_own(m, to);
    if (st)
        return st;
    memcpy(to, *array, n * sizeof *to);
    for (size_t j = n; j < n + more; j++)
        to[j] = value;
    *array = to;
    return FX_OK;
}

/* Columns have the names of the model, as far as it has them. */
static fx_status check_names(const fx_model_info *c, const fx_table *t)
{
    size_t n = t->cols < c->inputs ? t->cols : c->inputs;

    if (!c->name)
        return FX_OK;
    if (!t->name && t->cols > c->inputs)
        return fxi_error(FX_EINVAL,
                         "the columns of the model have names, but those of the rows, of "
                         "which there are more (%zu, not %zu), have none",
                         t->cols, c->inputs);
    for (size_t j = 0; t->name && j < n; j++)
        if (strcmp(t->name[j], c->name[j]) != 0)
            return fxi_error(FX_EINVAL,
                             "column %zu is '%.60s' in the model and '%.60s' in the rows",
                             j + (size_t)c->base, c->name[j], t->name[j]);
    return FX_OK;
}

/* Columns after those of the model are taken as they are: not scaled, and a number that is missing
 * there is 0. */
static fx_status widen(fx_model *m, const fx_table *t)
{
    fx_model_info *c = &m->c;
    size_t n = c->cols, more = t->cols > c->inputs ? t->cols - c->inputs : 0;
    fx_status st = check_names(c, t);

    if (st || !more)
        return st;
    if (c->inputs < n)
        return fxi_error(FX_EUNSUPPORTED,
                         "rows have %zu columns, the model %zu, and after them "
                         "those that tell where a number was missing: there is no place for more",
                         t->cols, c->inputs);
    if ((st = lengthen(&c->column_scale, m, n, more, 1)) || (st = lengthen(&c->fill, m, n, more, 0))
        || (c->name && (st = fxi_model_keep_texts(&c->name, m, t->name, t->cols))))
        return st;
    c->cols = c->inputs = t->cols;
    return FX_OK;
}

/* ---- New columns -------------------------------------------------------------------------- */

/* Those that the model does not know and some row of positive weight holds. */
static fx_status find_fresh(fxi_train *t)
{
    const fx_model_info *before = &t->init->c;
    size_t cols = t->m->c.cols, n = 0;

    if (!(t->fresh = fxi_alloc(cols, 1)))
        return FX_ENOMEM;
    for (size_t j = 0; j < cols; j++) {
        bool known = j < before->cols && (!before->seen || before->seen[j]);
        t->fresh[j] = t->largest[j] > 0 && !known;
        n += t->fresh[j];
    }
    return n ? FX_OK
             : fxi_error(FX_EINVAL,
                         "the model knows all columns of these rows: there is nothing to "
                         "fold in");
}

static fx_status keep_later(fxi_train *t)
{
    const fx_model_info *before = &t->init->c;
    size_t cols = t->m->c.cols;
    unsigned char *later = fxi_alloc(cols, 1);
    fx_status st = fxi_model_own(t->m, later);

    for (size_t j = 0; j < cols && !st; j++)
        later[j] = t->fresh[j] || (j < before->cols && before->later && before->later[j]);
    if (!st)
        t->m->c.later = later;
    return st;
}

/* ---- The call ----------------------------------------------------------------------------- */

static fx_status prepare(fxi_train *t, const fx_table *table, const fx_run *run)
{
    const fx_model *m = t->init;
    fx_model_info *c = &t->m->c;
    fx_table own;
    fx_status st = fxi_data_check_missing_table(table, run);

    if (st || (st = fxi_model_keep_content(t->m, &m->c)) || (st = widen(t->m, table))
        || (st = fxi_model_missing_table(&own, &t->filled, c, table, run))
        || (st = fxi_model_labels_known(&t->labels, c, &own, run))
        || (st = fxi_model_rows_table(&t->X, &t->rows, c, NULL, &own, run))
        || (st = fxi_train_seen(t, run)) || (st = find_fresh(t)) || (st = keep_later(t)))
        return st;
    t->outputs = c->outputs;
    c->rows += own.rows;
    t->threads = (size_t)fxi_parallel_threads(run, SIZE_MAX);
    if ((st = m->kind->fold_in(t, run)))
        return st;
    return fxi_fit_source(&t->source, &t->X, NULL, 0, run);
}

static void add_up(fx_model_info *c, const fx_model_info *before)
{
    c->objective += before->objective;
    c->iterations = before->iterations;
    c->converged &= before->converged;
}

fx_status fx_model_fold_in(fx_model **out, const fx_model *m, const fx_table *t, const fx_run *run)
{
    fxi_train train = {.begin = fxi_train_clock(), .init = m};
    fx_status st;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_fold_in: %s is NULL", m ? "out" : "m");
    if (!m->kind->foldable)
        return fxi_error(FX_EUNSUPPORTED, "no columns can be folded into %s; %s", m->learner->name,
                         fxi_kinds_can.fold_in);
    if ((st = m->kind->foldable(m)))
        return st;
    st = fxi_model_learner(&train.how, m->c.spec);
    train.seed = m->c.seed;
    if (!st && !(st = fxi_train_new(&train)) && !(st = prepare(&train, t, run)))
        st = m->kind->fit(&train, run);
    if (st >= 0) {
        add_up(&train.m->c, &m->c);
        *out = train.m;
        train.m = NULL;
    }
    fxi_train_close(&train);
    return st;
}
