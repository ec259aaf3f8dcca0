/* SPDX-License-Identifier: BSD-3-Clause
 * train.c - all of a fit that comes before the first step: rows filled, joined and scaled, columns
 * seen, the map drawn, features stored if memory allows, labels and weights, rows to measure on.
 *
 * Afterwards the model has everything but the weights, so most errors are found early. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double fxi_train_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Rows -------------------------------------------------------------------------------- */

/* The scaling by which rows become X; factors go into the model. */
static fx_status scale_rows(fxi_train *t, const char *spec, const fx_table *table,
                            const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    fx_scale *scale;
    size_t cols;
    fx_status st = t->stream ? fxi_train_columns_scale(&scale, t, spec, table, run)
                             : fx_data_scale_fit(&scale, spec, table, run);

    if (st)
        return st;
    if (fxi_data_scale_none(scale)) {   /* auto has found nothing to scale */
        fx_data_scale_free(scale);
        return fxi_model_rows_join(&t->X, &t->rows, table, run);
    }
    const double *factor = fx_data_scale_columns(scale, &cols);
    st = fxi_model_keep(&c->column_scale, t->m, factor, cols * sizeof *factor);
    if (!st)
        st = fxi_model_keep_text(&c->scale, t->m, fx_data_scale_spec(scale));
    if (!st && !(st = fx_data_scale_apply(&t->rows, scale, table, run)))
        t->X = t->rows->table.block[0];
    fx_data_scale_free(scale);
    return st;
}

/* ---- Classes and rows to measure on ------------------------------------------------------ */

static fx_status keep_classes(fxi_train *t, const fx_table *table)
{
    fx_model_info *c = &t->m->c;
    size_t k = t->labels.classes;

    c->classes = k;
    fx_status st = fxi_model_outputs(c, &t->how);
    t->outputs = c->outputs;
    if (st || !k)
        return st;
    const char **name = fxi_alloc(k, sizeof *name);
    char(*text)[32] = name ? fxi_alloc(k, sizeof *text) : NULL;
    st = text ? FX_OK : FX_ENOMEM;
    for (size_t i = 0; i < k && !st; i++)
        name[i] = fxi_model_class_weight_name(text[i], &t->labels, table, i);
    if (!st)
        st = fxi_model_keep_texts(&c->class_name, t->m, name, k);
    if (!st && !table->classes)
        st = fxi_model_keep(&c->class_value, t->m, t->labels.value, k * sizeof *t->labels.value);
    free(name);
    free(text);
    return st;
}

static fx_status prepare_eval(fxi_train *t, const fx_table *eval, const fx_run *run)
{
    const fx_model_info *c = &t->m->c;
    fx_table rows;
    fx_status st = fxi_model_missing_table(&rows, &t->eval_filled, c, eval, run);
    uint64_t given = fxi_sized_run(run).max_memory, limit = given ? given / 4 : UINT64_MAX;

    if (st || (st = fxi_model_labels_known(&t->eval_labels, c, &rows, run))
        || (st = fxi_model_rows_table(&t->eval_X, &t->eval_rows, c, c->seen, &rows, run))
        || (st = fxi_fit_source(&t->eval, &t->eval_X, t->m->map, limit, run)))
        return st;
    t->eval_qid = rows.qid;
    return t->how.kind->prepare_eval ? t->how.kind->prepare_eval(t, run) : FX_OK;
}

/* Probabilities of a logistic model are the sigmoids of its scores. */
static fx_status keep_sigmoid(fx_model *m)
{
    double *ab = fxi_zalloc(m->c.outputs, 2 * sizeof *ab);
    fx_status st = fxi_model_own(m, ab);

    for (size_t k = 0; k < m->c.outputs && !st; k++)
        ab[2 * k] = -1;
    if (!st)
        m->c.sigmoid = ab;
    return st;
}

/* ---- The whole --------------------------------------------------------------------------- */

static fx_status read_labels(fxi_train *t, const fx_plan *plan, const fx_table *table,
                             const fx_run *run)
{
    if (t->how.task != FXI_NO_LABELS)
        return fxi_model_labels(&t->labels, table, t->how.task != FXI_CLASSIFY, plan, run);
    if (plan->eval)
        return fxi_error(FX_EINVAL, "%s predicts no labels: there is nothing to measure on eval",
                         t->how.learner->name);
    return fxi_model_labels_none(&t->labels, table, plan, run);
}

static fx_status prepare(fxi_train *t, const fx_plan *plan, const fx_table *given,
                         const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    const fxi_kind *kind = t->how.kind;
    fx_table own;
    const fx_table *table = &own;
    fx_status st = fxi_train_missing(&own, t, plan->missing, given, run);

    if (!st && !kind->measured && (plan->patience || plan->max_seconds != 0))
        st = fxi_error(FX_EUNSUPPORTED, "%s has no %s; %s", t->how.learner->name,
                       plan->patience ? "patience" : "limit of time", fxi_kinds_can.measure);
    if (st)
        return st;
    c->seed = plan->seed;
    c->rows = t->stream ? t->stream->survey.rows : table->rows;
    c->base = table->base;
    t->qid = table->qid;
    if ((st = read_labels(t, plan, table, run)) || (st = fxi_train_measure_resolve(t, plan))
        || (st = keep_classes(t, table))
        || (st = fxi_model_keep_text(&c->spec, t->m, t->how.spec))
        || (st = fxi_model_keep_text(&c->reader, t->m, plan->reader))
        || (st = fxi_model_keep_text(&c->remark, t->m, plan->remark))
        || (t->how.loss == &fxi_loss_logistic && c->classes && (st = keep_sigmoid(t->m))))
        return st;
    if (plan->scale && strcmp(plan->scale, "none") != 0)
        st = scale_rows(t, plan->scale, table, run);
    else
        st = fxi_model_rows_join(&t->X, &t->rows, table, run);
    if (!st && plan->split >= (c->inputs ? c->inputs : 1) && plan->split)
        st = fxi_error(FX_EINVAL, "split=%zu of %zu columns leaves nothing on one side",
                       plan->split, c->inputs);
    c->split = plan->split;
    for (int side = FX_FIRST; side <= FX_SECOND && !st; side++)
        st = fxi_model_keep_text(&c->side_reader[side], t->m, plan->side_reader[side]);
    if (!st && !(st = fxi_train_seen(t, run)))
        st = kind->prepare(t, plan, run);
    if (!st && *c->missing && t->m->kernel && fxi_kernel_is_precomputed(t->m->kernel))
        st = fxi_error(FX_EUNSUPPORTED, "missing values (%s) and a precomputed kernel: rows of a "
                       "Gram matrix have all of their values", c->missing);
    if (!st && t->init)
        st = kind->init ? kind->init(t, run)
                        : fxi_error(FX_EUNSUPPORTED, "%s cannot start from a model; %s",
                                    t->how.learner->name, fxi_kinds_can.init);
    if (!st)
        st = fxi_train_memory(t, plan, run);
    if (!st && plan->eval)
        st = prepare_eval(t, plan->eval, run);
    return st;
}

fx_status fxi_train_new(fxi_train *t)
{
    size_t own = t->how.kind->prepared;

    if (!(t->own = fxi_zalloc(1, own ? own : 1)) || !(t->m = fxi_model_new()))
        return FX_ENOMEM;
    return fxi_model_become(t->m, &t->how);
}

fx_status fxi_train_open(fxi_train *t, const fx_plan *plan, const fx_table *table,
                         const fx_run *run)
{
    return fxi_train_open_stream(t, plan, table, NULL, run);
}

fx_status fxi_train_open_stream(fxi_train *t, const fx_plan *given, const fx_table *table,
                                fxi_stream *stream, const fx_run *run)
{
    fx_plan plan;
    fx_status st;

    *t = (fxi_train){.stream = stream, .begin = fxi_train_clock()};
    if (!given)
        return fxi_error(FX_EINVAL, "no plan is given");
    if ((st = fxi_sized_in(&plan, sizeof plan, given, "fx_plan")))
        return st;
    t->seed = plan.seed;
    t->init = plan.init;
    st = fxi_model_learner(&t->how, plan.model);
    if (!st && !(st = fxi_train_new(t)))
        st = prepare(t, &plan, table, run);
    if (!st)
        t->m->c.prepared = fxi_train_clock() - t->begin;
    if (st)
        fxi_train_close(t);
    return st;
}

void fxi_train_close(fxi_train *t)
{
    if (t->own && t->how.kind->close)
        t->how.kind->close(t);
    free(t->own);
    fxi_fit_source_free(&t->source);
    fxi_fit_source_free(&t->eval);
    fx_data_free(t->filled);
    fx_data_free(t->eval_filled);
    fx_data_free(t->rows);
    fx_data_free(t->eval_rows);
    fxi_model_labels_free(&t->labels);
    fxi_model_labels_free(&t->eval_labels);
    free(t->largest);
    free(t->fresh);
    fx_model_free(t->m);
    fxi_model_learner_free(&t->how);
    *t = (fxi_train){0};
}
