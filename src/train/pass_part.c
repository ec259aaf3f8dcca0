/* SPDX-License-Identifier: BSD-3-Clause
 * pass_part.c - a part of the rows, prepared as rows to predict are: missing numbers filled, labels
 * among the classes, rows scaled; and as the solver of one output sees it. */

#include "train/pass.h"

#include <stdlib.h>

void fxi_train_pass_part_close(fxi_part *x)
{
    fxi_fit_source_free(&x->z);
    fxi_model_labels_free(&x->labels);
    fx_data_free(x->doubles);
    fx_data_free(x->filled);
    fx_data_free(x->scaled);
    free(x->y);
}

/* Targets, or signs of one class against the others or of a pair, and weights of the output's
 * rows. */
static void set_labels(fxi_part *x, double C)
{
    const fxi_train *t = x->train;
    const fx_model_info *c = &t->m->c;
    const double *label = x->labels.y, *weight = x->labels.weight;
    const double *class_weight = t->labels.class_weight;
    const double second = c->outputs > 1 ? (double)x->output : 1;
    const double sign[2] = {-1, 1};
    double *y = x->y, *by = x->c;

    for (size_t i = 0; i < x->X.rows; i++) {
        y[i] = label[i];
        by[i] = weight[i] * C;
    }
    if (!x->labels.classes)
        return;
    for (size_t i = 0; i < x->X.rows; i++) {
        y[i] = sign[label[i] == second];        /* no jump that depends on the label */
        if (class_weight)
            by[i] = weight[i] * class_weight[(size_t)label[i]] * C;
    }
    for (size_t i = 0; i < x->X.rows && c->pairs; i++) {
        y[i] = fxi_model_pairs_sign(c, x->output, (size_t)label[i]);
        by[i] = y[i] != 0 ? by[i] : 0;
    }
}

/* As absent as rows of weight 0. */
static void hold_out(fxi_part *x, const fx_pass *p)
{
    for (size_t i = 0; i < x->X.rows && p->request.held_bytes; i++)
        x->c[i] = fxi_train_pass_held(p, x->first + i) ? 0 : x->c[i];
}

fx_status fxi_train_pass_part_open(fxi_part *x, const fx_pass *p, const fx_table *given)
{
    const fxi_train *t = &p->train;
    fx_table table = *given;
    size_t numbers;
    fx_status st;

    if (p->stream.survey.doubles) {     /* as all rows in one block would be */
        if ((st = fxi_data_select(&x->doubles, given, NULL, 0, true, &p->run)))
            return st;
        table = x->doubles->table;
    }
    const fx_table rows = table;
    if ((st = fxi_model_missing_fill(&table, &x->filled, &t->m->c, &rows, &p->run)))
        return st;
    st = t->how.task == FXI_NO_LABELS
             ? fxi_model_labels_none(&x->labels, &table, &p->plan, &p->run)
             : fxi_model_labels_known(&x->labels, &t->m->c, &table, &p->run);
    if (st
        || (st = fxi_model_rows_table(&x->X, &x->scaled, &t->m->c, NULL, &table, &p->run))
        || (st = fxi_fit_source_part(&x->z, &x->X, t->m->map,
                                     fxi_train_passes_sparse(&numbers, t), &p->run)))
        return st;
    if (!(x->y = fxi_alloc(x->X.rows, 2 * sizeof *x->y)))
        return FX_ENOMEM;
    x->c = x->y + x->X.rows;
    set_labels(x, p->request.C);
    hold_out(x, p);
    return FX_OK;
}
