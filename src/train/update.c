/* SPDX-License-Identifier: BSD-3-Clause
 * update.c - fx_model_update: trains a model on more rows, if its kind is updatable.
 *
 * The new model is a copy of the old one with one more pass over the new rows, in their order:
 * passes over one chunk after the other equal one pass over all of them, bit for bit.  Rows are
 * scaled as in the model; columns that are new to it, but within its width, count as seen from now
 * on. */

#include "train/train.h"

#include <stdlib.h>
#include <string.h>

static fx_status prepare(fxi_train *t, const fx_model *m, const fx_table *table, const fx_run *run)
{
    fx_table own;
    fx_status st = fxi_model_missing_table(&own, &t->filled, &m->c, table, run);

    table = &own;
    if (st || (st = fxi_model_labels_known(&t->labels, &m->c, table, run))
        || (st = fxi_model_keep_content(t->m, &m->c))
        || (m->kernel && (st = fxi_model_ready(t->m, run)))
        || (st = fxi_model_rows_table(&t->X, &t->rows, &m->c, NULL, table, run))
        || (st = fxi_train_seen(t, run)))
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
        return fxi_error(FX_EUNSUPPORTED, "%s cannot be updated; %s", m->c.spec,
                         fxi_kinds_can.update);
    st = fxi_model_learner(&train.how, m->c.spec);
    train.how.max_iter = 1;
    train.seed = m->c.seed;
    if (!st && !(st = fxi_train_new(&train)) && !(st = prepare(&train, m, t, run)))
        st = m->kind->fit(&train, run);
    if (st >= 0) {
        *out = train.m;
        train.m = NULL;
    }
    fxi_train_close(&train);
    return st;
}
