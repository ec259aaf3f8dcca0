/* SPDX-License-Identifier: BSD-3-Clause
 * pass_rows.c - answers that need no model: sums of weights of each class, sums of columns, a
 * sample of the rows. */

#include "train/pass.h"

#include <stdlib.h>

/* ---- Weights of classes ---------------------------------------------------------------------- */

fx_status fxi_train_pass_rows_weights(fx_pass *p, const fx_table *t, uint64_t first)
{
    const fxi_survey *s = &p->stream.survey;
    double *y = fxi_alloc(t->rows, 2 * sizeof *y), *weight = y ? y + t->rows : NULL;

    if (!y)
        return FX_ENOMEM;
    for (size_t i = 0; i < t->rows; i++) {
        weight[i] = fxi_train_pass_held(p, first + i) ? 0 : t->weight ? t->weight[i] : 1;
        bool absent = !t->label || (t->weight && t->weight[i] == 0);
        const char *name = s->texts && !absent ? t->class_name[(size_t)t->label[i]] : NULL;
        size_t at = absent ? 0 : fxi_train_survey_class(s, name, t->label[i] + 0.0);
        y[i] = at < s->classes ? (double)at : 0;
    }
    fx_status st = fxi_model_class_weight_sums(p->answer.exact, y, weight, t->rows, s->classes);
    free(y);
    p->answer.rows += t->rows;
    return st;
}

/* ---- Columns --------------------------------------------------------------------------------- */

fx_status fxi_train_pass_rows_columns_begin(size_t *numbers, fx_pass *p)
{
    const fxi_question *q = &p->request.q;
    fx_status st = FX_OK;

    if (!p->columns)
        st = fxi_train_columns_fill(&p->missing, &p->columns, &p->stream, p->plan.missing);
    if (st)
        return st;
    size_t cols = p->missing.inputs + (q->flags ? 0 : p->missing.indicators);
    if (!q->w || q->ws != cols || (q->v && q->vs != 2 * cols))
        return fxi_error(FX_EFORMAT, "request: %zu columns of %zu", q->ws, cols);
    *numbers = fxi_data_columns_numbers(cols);
    return FX_OK;
}

/* Of the rows as they are, or filled. */
fx_status fxi_train_pass_rows_columns(fx_pass *p, const fx_table *given)
{
    const fxi_question *q = &p->request.q;
    fxi_column_sums a = {.cols = q->ws, .unit = q->w, .mean = q->v, .missing = q->flags != 0};
    fx_data *doubles = NULL, *filled = NULL;
    fx_table t = *given;
    fx_status st = FX_OK;

    if (!a.missing && p->stream.survey.holes) {
        if (p->stream.survey.doubles && !(st = fxi_data_select(&doubles, given, NULL, 0, true,
                                                                &p->run)))
            t = doubles->table;
        if (!st)
            st = fxi_data_fill_table(&t, &filled, &p->missing, doubles ? &doubles->table : given,
                                     &p->run);
    }
    if (!st)
        st = fxi_data_columns_add(p->answer.exact, &a, &t, &p->run);
    fx_data_free(filled);
    fx_data_free(doubles);
    p->answer.rows += t.rows;
    return st;
}

/* ---- A sample -------------------------------------------------------------------------------- */

fx_status fxi_train_pass_rows_sample(fx_pass *p, const fx_table *t, uint64_t first)
{
    const fxi_request *r = &p->request;
    size_t from = 0, n = 0;

    while (from < r->rows && r->row[from] < first)
        from++;
    while (from + n < r->rows && r->row[from + n] < first + t->rows)
        n++;
    if (!n)
        return FX_OK;
    if (p->samples == r->rows)
        return fxi_error(FX_EINVAL, "rows from %llu (from 0) on were added twice",
                         (unsigned long long)first);
    size_t *row = fxi_alloc(n, sizeof *row);
    if (!row)
        return FX_ENOMEM;
    for (size_t k = 0; k < n; k++)
        row[k] = (size_t)(r->row[from + k] - first);
    fxi_sampled *to = &p->sample[p->samples];
    fx_status st = fxi_data_select(&to->rows, t, row, n, false, &p->run);
    to->first = r->row[from];
    p->samples += !st;
    free(row);
    return st;
}
