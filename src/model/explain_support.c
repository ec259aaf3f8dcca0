/* SPDX-License-Identifier: BSD-3-Clause
 * explain_support.c - how many rows hold all columns of a combination.
 *
 * One pass: an entry finds the combinations that its column is in, and one is held when as many
 * entries found it as it has distinct columns.  Cost: the entries, and the combinations that they
 * find. */

#include "model/explain.h"

#include <stdlib.h>
#include <string.h>

typedef struct counting {
    fx_combination *at;
    size_t n, cols;                     /* cols: beyond the last column of any */
    size_t *first;                      /* [cols + 2] into `in` */
    int32_t *in;                        /* combinations of a column */
    int32_t *distinct;                  /* [n] columns */
    fxi_rows rows;
    uint64_t *support;                  /* [threads][n] */
    int32_t *met;                       /* [threads][n] columns in this row; 0 between rows */
} counting;

static bool again(const fx_combination *c, size_t i)
{
    return i && c->column[i] == c->column[i - 1];
}

/* Which combinations each column is in: counted, then placed. */
static fx_status index_columns(counting *a)
{
    for (size_t k = 0; k < a->n; k++)
        for (size_t i = 0; i < a->at[k].order; i++)
            a->cols = a->at[k].column[i] >= a->cols ? a->at[k].column[i] + 1 : a->cols;
    a->first = fxi_zalloc(a->cols + 2, sizeof *a->first);
    a->distinct = fxi_zalloc(a->n, sizeof *a->distinct);
    if (!a->first || !a->distinct)
        return FX_ENOMEM;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < a->n; k++)
            for (size_t i = 0; i < a->at[k].order; i++) {
                size_t j = a->at[k].column[i];
                if (again(&a->at[k], i))
                    continue;
                if (pass)
                    a->in[a->first[j + 1]++] = (int32_t)k;
                else {
                    a->first[j + 2]++;
                    a->distinct[k]++;
                }
            }
        for (size_t j = 0; j <= a->cols && !pass; j++)
            a->first[j + 1] += a->first[j];
        if (!pass && !(a->in = fxi_alloc(a->first[a->cols + 1], sizeof *a->in)))
            return FX_ENOMEM;
    }
    return FX_OK;
}

static fx_status count_piece(void *ctx, size_t b, fxi_team *team)
{
    const counting *a = ctx;
    size_t thread = (size_t)fxi_parallel_thread(team), first = b * a->rows.piece;
    size_t left = a->rows.t->rows - first;
    size_t end = left < a->rows.piece ? a->rows.t->rows : first + a->rows.piece;
    uint64_t *support = a->support + thread * a->n;
    int32_t *met = a->met + thread * a->n;

    for (size_t i = first; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&a->rows, i);
        for (int pass = 0; pass < 2; pass++)
            for (size_t q = 0; q < r.n; q++) {
                size_t j = (size_t)fxi_row_column(r, q);
                if (j >= a->cols || fxi_row_value(r, q) == 0)
                    continue;
                for (size_t e = a->first[j]; e < a->first[j + 1]; e++) {
                    int32_t k = a->in[e];
                    if (pass)
                        met[k] = 0;
                    else
                        support[k] += ++met[k] == a->distinct[k];
                }
            }
    }
    return FX_OK;
}

fx_status fxi_model_explain_support(fx_combination *at, size_t n, const fx_table *rows,
                                    const fx_run *run)
{
    counting a = {.at = at, .n = n};
    fx_status st = n > INT32_MAX ? fxi_error(FX_ESHAPE, "%zu combinations are too many", n)
                                 : fxi_data_check_table(rows, run);

    if (!st)
        st = fxi_data_rows(&a.rows, rows);
    if (!st)
        st = index_columns(&a);
    size_t threads = st ? 1 : (size_t)fxi_parallel_threads(run, a.rows.pieces);
    if (!st) {
        a.support = fxi_zalloc(threads * n, sizeof *a.support);
        a.met = fxi_zalloc(threads * n, sizeof *a.met);
        st = a.support && a.met ? fxi_parallel(a.rows.pieces, count_piece, &a, run) : FX_ENOMEM;
    }
    for (size_t k = 0; k < n && !st; k++)
        for (size_t i = 0; i < threads; i++)
            at[k].support += a.support[i * n + k];
    free(a.first);
    free(a.in);
    free(a.distinct);
    free(a.rows.start);
    free(a.support);
    free(a.met);
    return st;
}
