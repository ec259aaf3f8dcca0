/* SPDX-License-Identifier: BSD-3-Clause
 * update.c - a perceptron, or a factorization machine by adagrad, that is trained on more rows.
 *
 * The new model is a copy of the old one with one more pass over the new rows, in their order: the
 * passes of chunk after chunk are one pass over all of them, bit for bit.  Rows are scaled as the
 * model says; columns that are new to it, but within its width, count as seen from now on. */

#include "train/train.h"

#include <stdlib.h>
#include <string.h>

/* All but weights, state, seen columns and the history. */
static fx_status copy_model(fx_model *to, const fx_model *from, const fx_run *run)
{
    const fx_content *c = &from->c;
    const char *const *texts[] = {&c->spec, &c->scale, &c->map, &c->kernel, &c->family, &c->reader};
    const char **places[] = {&to->c.spec, &to->c.scale, &to->c.map, &to->c.kernel, &to->c.family,
                             &to->c.reader};
    fx_status st = FX_OK;

    to->c = *c;
    to->c.seen = NULL;
    to->c.vectors = (fx_matrix){0};
    to->c.block = NULL;
    to->c.blocks = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !st; i++) {
        *places[i] = "";
        st = fxi_model_keep_text(places[i], to, *texts[i]);
    }
    if (st || (st = fxi_model_keep_texts(&to->c.class_name, to, c->class_name, c->classes))
        || (st = fxi_model_keep_texts(&to->c.name, to, c->name, c->cols))
        || (st = fxi_model_keep(&to->c.class_value, to, c->class_value,
                                c->classes * sizeof *c->class_value))
        || (st = fxi_model_keep(&to->c.sigmoid, to, c->sigmoid,
                                c->outputs * 2 * sizeof *c->sigmoid))
        || (st = fxi_model_keep(&to->c.factors, to, c->factors, c->cols * sizeof *c->factors)))
        return st;
    return from->kernel ? fxi_model_ready(to, run) : FX_OK;
}

static fx_status prepare(fxi_train *t, const fx_model *m, const fx_table *table, const fx_run *run)
{
    fx_data *joined = NULL;
    fx_scale *scale = NULL;
    uint64_t unseen = 0;
    fx_matrix X;
    fx_status st = fxi_data_check_table(table, run);

    if (!st)
        st = fxi_model_labels_known(&t->labels, &m->c, table, run);
    if (!st)
        st = copy_model(t->m, m, run);
    if (!st)
        st = fxi_model_rows_join(&X, &joined, table, run);
    if (!st && !X.ptr && X.cols != m->c.cols)
        st = fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", X.cols, m->c.cols);
    if (!st)
        st = fxi_model_rows_scale(&scale, &m->c);
    if (!st)
        st = fxi_model_rows(&t->X, &t->rows, &unseen, m->c.cols, NULL, scale, &X, 0, X.rows, run);
    fx_data_scale_free(scale);
    if (st || t->rows)
        fx_data_free(joined);
    else
        t->rows = joined;
    if (!st)
        st = fxi_train_seen(t, run);
    if (st)
        return st;
    t->qid = table->qid;
    t->outputs = m->c.outputs;
    t->m->c.rows += table->rows;
    if (m->kind->update && (st = m->kind->update(t, run)))
        return st;
    return fxi_fit_source(&t->source, &t->X, t->m->map, 0, run);        /* one visit: not stored */
}

fx_status fx_model_update(fx_model **out, const fx_model *m, const fx_table *t, const fx_run *run)
{
    fxi_train train = {.begin = fxi_train_clock(), .init = m};
    fx_status st;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_update: %s is NULL", m ? "out" : "m");
    if (!m->kind->updatable || !m->kind->updatable(m))
        return fxi_error(FX_EUNSUPPORTED,
                         "%s cannot be updated; perceptrons can, but not of a "
                         "precomputed kernel, and factorization machines with solver=adagrad",
                         m->c.spec);
    st = fxi_model_learner(&train.how, m->c.spec);
    train.how.max_iter = 1;
    train.single_pass = true;
    train.seed = m->c.seed;
    if (!st)
        st = fxi_train_new(&train);
    if (!st)
        st = prepare(&train, m, t, run);
    if (!st)
        st = m->kind->fit(&train, run);
    if (st >= 0) {
        *out = train.m;
        train.m = NULL;
    }
    fxi_train_close(&train);
    return st;
}
