/* SPDX-License-Identifier: BSD-3-Clause
 * values.c - the entries of rows by columns, as prediction sees them: known to the model, scaled.
 * 12 bytes per entry. */

#include "explain/explain.h"

#include <stdlib.h>

enum { PIECE = 4096 };                  /* rows between two polls */

void fxi_explain_values_free(fxi_explain_values *v)
{
    free(v->first);
    free(v->row);
    free(v->x);
    *v = (fxi_explain_values){0};
}

typedef struct transposing {
    fxi_explain_values *v;
    const fx_matrix *X;
    bool place;                         /* second pass */
} transposing;

static fx_status transpose(void *ctx, size_t block, fxi_team *team)
{
    const transposing *a = ctx;
    fxi_explain_values *v = a->v;

    (void)block;
    for (size_t i = 0; i < v->rows; i++) {
        fxi_row r = fxi_data_row(a->X, i);
        for (size_t q = 0; q < r.n; q++) {
            size_t j = (size_t)fxi_row_column(r, q);
            double x = fxi_row_value(r, q);
            if (x == 0)
                continue;
            size_t at = v->first[j + 1]++;
            if (a->place) {
                v->row[at] = (uint32_t)i;
                v->x[at] = x;
            }
        }
        if (i % PIECE == 0 && fxi_parallel_cancelled(team))
            break;
    }
    return FX_OK;
}

static fx_status fill_values(fxi_explain_values *v, const fx_matrix *X, const fx_run *run)
{
    transposing a = {v, X, false};
    size_t total = 0, bytes;

    if (!(v->first = fxi_zalloc(v->cols + 1, sizeof *v->first)))
        return FX_ENOMEM;
    fx_status st = fxi_parallel_ordered(1, transpose, &a, run);
    for (size_t j = 0; j < v->cols; j++) {      /* counts become starts, which the second pass .. */
        size_t count = v->first[j + 1];
        v->first[j + 1] = total;        /* .. moves to the ends */
        total += count;
    }
    bytes = fxi_size_mul(&bytes, total, sizeof *v->row + sizeof *v->x) ? bytes : SIZE_MAX;
    if (!st)
        st = fxi_memory_check(run, bytes, "rows by columns (importance)");
    if (st)
        return st;
    v->row = fxi_alloc(total, sizeof *v->row);
    v->x = fxi_alloc(total, sizeof *v->x);
    a.place = true;
    return v->row && v->x ? fxi_parallel_ordered(1, transpose, &a, run) : FX_ENOMEM;
}

fx_status fxi_explain_values_new(fxi_explain_values *out, const fx_model *m, const fx_table *rows,
                                 const fx_run *run)
{
    fxi_explain_values v = {.rows = rows->rows, .cols = m->c.cols};
    fx_data *own = NULL;
    fx_matrix X;
    fx_status st = fxi_data_check_table(rows, run);

    if (!st && !rows->rows)             /* what the caller gave may have been left out */
        st = fxi_error(FX_EINVAL, "importance is a mean over rows, and none are left");
    if (!st && rows->rows > UINT32_MAX)
        st = fxi_error(FX_EUNSUPPORTED, "importance in %zu rows; up to %u are possible", rows->rows,
                       UINT32_MAX);
    if (!st && !(st = fxi_model_rows_table(&X, &own, &m->c, m->c.seen, rows, run)))
        st = fill_values(&v, &X, run);
    fx_data_free(own);
    if (st)
        fxi_explain_values_free(&v);
    else
        *out = v;
    return st;
}
