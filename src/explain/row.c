/* SPDX-License-Identifier: BSD-3-Clause
 * row.c - one row as prediction sees it: columns that the model knows, scaled, no zeros. */

#include "explain/explain.h"

#include <stdlib.h>

void fxi_explain_row_free(fxi_explain_row *r)
{
    free(r->column);
    free(r->x);
    *r = (fxi_explain_row){0};
}

static fx_status copy(fxi_explain_row *out, const fx_matrix *X)
{
    fxi_row r = fxi_data_row(X, 0);

    out->column = fxi_alloc(r.n, sizeof *out->column);
    out->x = fxi_alloc(r.n, sizeof *out->x);
    if (!out->column || !out->x)
        return FX_ENOMEM;
    for (size_t q = 0; q < r.n; q++)
        if (fxi_row_value(r, q) != 0) {
            out->column[out->n] = (size_t)fxi_row_column(r, q);
            out->x[out->n++] = fxi_row_value(r, q);
        }
    return FX_OK;
}

fx_status fxi_explain_row_new(fxi_explain_row *out, const fx_model *m, size_t output,
                              const fx_matrix *row, const fx_run *run)
{
    const fx_model_info *c = &m->c;
    fx_data *own = NULL, *filled = NULL;
    fx_matrix X;
    fx_table t = {.rows = 1, .cols = row->cols, .blocks = 1, .block = row}, f;

    *out = (fxi_explain_row){0};
    double *score = fxi_alloc(c->outputs, sizeof *score);
    fx_status st = score ? fx_model_predict(score, &out->unseen, m, FX_SCORE, row, run) : FX_ENOMEM;
    if (!st)
        out->score = score[output];
    free(score);
    if (!st && !(st = fxi_model_missing_table(&f, &filled, c, &t, run))
        && !(st = fxi_model_rows_table(&X, &own, c, c->seen, &f, run)))
        st = copy(out, &X);
    fx_data_free(own);
    fx_data_free(filled);
    if (st)
        fxi_explain_row_free(out);
    return st;
}
