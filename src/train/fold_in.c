/* SPDX-License-Identifier: BSD-3-Clause
 * fold_in.c - fx_model_fold_in: columns that a model does not know, learnt from rows that hold them
 * while everything else stays as it is.
 *
 * The new model is a copy of the old one, wider if the rows are.  Losses are divided by what they
 * were divided by in training, so its objective is that of the training plus what these rows and
 * columns add: rows of the training have zeros there, and their losses stay. */

#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A wider model ------------------------------------------------------------------------ */

/* Where rows and model know their sides, new columns of the first one come before all of the second
 * one. */
static fx_status place_sides(fxi_train *t, const fx_table *table)
{
    const fx_model_info *c = &t->init->c;

    if (!c->split || !table->split || c->split == table->split)
        return FX_OK;
    if (table->split < c->split || table->cols - table->split < c->inputs - c->split)
        return fxi_error(FX_EINVAL,
                         "rows of %zu and %zu columns of the two sides; the model has %zu "
                         "and %zu",
                         table->split, table->cols - table->split, c->split, c->inputs - c->split);
    if (*c->kernel)
        return fxi_error(FX_EUNSUPPORTED, "groups are of columns by their numbers: no column can "
                         "be put before those of the second side");
    t->split = c->split;
    t->inserted = table->split - c->split;
    return FX_OK;
}

/* The spec, in which bilinear has the columns of its first side. */
static fx_status read_spec(fxi_train *t)
{
    const fx_model *m = t->init;
    const char *text = m->c.spec;
    fxi_spec s;
    char split[24], *own = NULL;
    fx_status st = FX_OK;

    if (t->inserted && fxi_key_has(m->learner->keys, "split")) {
        snprintf(split, sizeof split, "%zu", t->split + t->inserted);
        if ((st = fxi_spec_parse(&s, text, strlen(text))))
            return st;
        fxi_spec_set(&s, "split", split);
        if (!(text = own = fxi_spec_complete(&s, m->learner->keys)))
            return FX_ENOMEM;
    }
    st = fxi_model_learner(&t->how, text);
    free(own);
    return st;
}

/* The n numbers of the model's columns at their places among `wide`; the others are `value`. */
static fx_status spread(const double **array, fxi_train *t, size_t n, size_t wide, double value)
{
    if (!*array)
        return FX_OK;
    double *to = fxi_alloc(wide, sizeof *to);
    fx_status st = fxi_model_own(t->m, to);
    if (st)
        return st;
    for (size_t j = 0; j < wide; j++)
        to[j] = value;
    for (size_t j = 0; j < n; j++)
        to[fxi_train_place(t, j)] = (*array)[j];
    *array = to;
    return FX_OK;
}

/* Columns have the names of the model, as far as it has them. */
static fx_status check_names(const fxi_train *t, const fx_table *table)
{
    const fx_model_info *c = &t->init->c;

    if (!c->name)
        return FX_OK;
    if (!table->name && table->cols > c->inputs)
        return fxi_error(FX_EINVAL,
                         "the columns of the model have names, but those of the rows, of "
                         "which there are more (%zu, not %zu), have none",
                         table->cols, c->inputs);
    for (size_t j = 0; table->name && j < c->inputs; j++) {
        const size_t i = fxi_train_place(t, j);
        if (i < table->cols && strcmp(table->name[i], c->name[j]) != 0)
            return fxi_error(FX_EINVAL,
                             "column %zu is '%.60s' in the model and '%.60s' in the rows",
                             j + (size_t)c->base, c->name[j], table->name[i]);
    }
    return FX_OK;
}

/* Further columns are taken as they are: not scaled, and a number that is missing there is 0. */
static fx_status widen(fxi_train *t, const fx_table *table)
{
    fx_model_info *c = &t->m->c;
    size_t n = c->cols, wide = table->cols;
    fx_status st = check_names(t, table);

    if (st || wide <= c->inputs)
        return st;
    if (c->inputs < n)
        return fxi_error(FX_EUNSUPPORTED,
                         "rows have %zu columns, the model %zu, and after them "
                         "those that tell where a number was missing: there is no place for more",
                         table->cols, c->inputs);
    if ((st = spread(&c->column_scale, t, n, wide, 1)) || (st = spread(&c->fill, t, n, wide, 0))
        || (c->name && (st = fxi_model_keep_texts(&c->name, t->m, table->name, wide))))
        return st;
    c->cols = c->inputs = wide;
    c->split += t->inserted;
    return fxi_model_keep_text(&c->spec, t->m, t->how.spec);
}

/* ---- New columns -------------------------------------------------------------------------- */

/* Those that the model does not know and some row of positive weight holds. */
static fx_status find_fresh(fxi_train *t)
{
    const fx_model_info *before = &t->init->c;
    size_t cols = t->m->c.cols;

    if (!(t->fresh = fxi_alloc(cols, 1)))
        return FX_ENOMEM;
    for (size_t j = 0; j < cols; j++)
        t->fresh[j] = t->largest[j] > 0;
    for (size_t j = 0; j < before->cols; j++)
        if (!before->seen || before->seen[j])
            t->fresh[fxi_train_place(t, j)] = 0;
    return memchr(t->fresh, 1, cols)
               ? FX_OK
               : fxi_error(FX_EINVAL, "the model knows all columns of these rows: there is nothing "
                           "to fold in");
}

static fx_status keep_later(fxi_train *t)
{
    const fx_model_info *before = &t->init->c;
    size_t cols = t->m->c.cols;
    unsigned char *later = fxi_alloc(cols, 1);
    fx_status st = fxi_model_own(t->m, later);

    if (st)
        return st;
    memcpy(later, t->fresh, cols);
    for (size_t j = 0; j < before->cols && before->later; j++)
        later[fxi_train_place(t, j)] |= before->later[j];
    t->m->c.later = later;
    return FX_OK;
}

/* ---- The call ----------------------------------------------------------------------------- */

static fx_status prepare(fxi_train *t, const fx_table *table, const fx_run *run)
{
    const fx_model *m = t->init;
    fx_model_info *c = &t->m->c;
    fx_table own;
    fx_status st = fxi_model_keep_content(t->m, &m->c);

    if (st || (st = widen(t, table))
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
    train.seed = m->c.seed;
    if (!(st = fxi_data_check_missing_table(t, run)) && !(st = place_sides(&train, t))
        && !(st = read_spec(&train)) && !(st = fxi_train_new(&train))
        && !(st = prepare(&train, t, run)))
        st = m->kind->fit(&train, run);
    if (st >= 0) {
        add_up(&train.m->c, &m->c);
        *out = train.m;
        train.m = NULL;
    }
    fxi_train_close(&train);
    return st;
}
