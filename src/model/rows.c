/* SPDX-License-Identifier: BSD-3-Clause
 * rows.c - rows as a model expects them: its width, the columns it knows, scaled.
 *
 * A column that training never saw has no weight of its own, but a map would give it random
 * features: it is left out, and so are columns beyond the model's.  That comes before scaling, so
 * that such an entry changes nothing, not even the norm of its row.  Rows are copied only if
 * something is left out or scaled. */

#include "model/model.h"

#include <stdlib.h>

static fx_matrix rows_of(const fx_matrix *X, size_t first, size_t n)
{
    fx_matrix v = *X;

    v.rows = n;
    if (X->ptr)
        v.ptr += first;
    else
        v.val = (const char *)X->val + first * X->stride * (X->type == FX_F32 ? 4 : 8);
    return v;
}

static bool is_retained(size_t cols, const unsigned char *seen, fxi_row r, size_t q)
{
    size_t j = (size_t)fxi_row_column(r, q);

    return j < cols && (!seen || seen[j]);
}

static size_t stored(const fx_matrix *X)
{
    return X->ptr ? (size_t)(X->ptr[X->rows] - X->ptr[0]) : X->rows * X->cols;
}

typedef struct filtering {
    fx_matrix X;
    size_t cols;
    const unsigned char *seen;
    bool any;                           /* true if anything, zeros included, is left out */
    uint64_t left_out;                  /* numbers other than 0 that are left out */
    double *val;                        /* what is retained */
    int64_t *ptr, *col;
} filtering;

static fx_status count(void *ctx, size_t b, fxi_team *team)
{
    filtering *l = ctx;

    (void)b;
    for (size_t i = 0; i < l->X.rows && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(&l->X, i);
        for (size_t q = 0; q < r.n; q++)
            if (!is_retained(l->cols, l->seen, r, q)) {
                l->any = true;
                l->left_out += fxi_row_value(r, q) != 0;
            }
    }
    return FX_OK;
}

/* The numbers that are retained, as doubles; dense rows get zeros instead of the others. */
static fx_status copy(void *ctx, size_t b, fxi_team *team)
{
    filtering *l = ctx;
    size_t to = 0;

    (void)b;
    for (size_t i = 0; i < l->X.rows && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(&l->X, i);
        for (size_t q = 0; q < r.n; q++) {
            bool keep = is_retained(l->cols, l->seen, r, q);
            if (!keep && l->col)
                continue;
            l->val[to] = keep ? fxi_row_value(r, q) : 0;
            if (l->col)
                l->col[to] = fxi_row_column(r, q);
            to++;
        }
        if (l->ptr)
            l->ptr[i + 1] = (int64_t)to;
    }
    return FX_OK;
}

static fx_status filter(fx_data *d, filtering *l, const fx_run *run)
{
    const fx_matrix *X = &l->X;
    size_t n = stored(X), bytes = fxi_size_mul(&bytes, n, X->ptr ? 16 : 8) ? bytes : SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "rows without columns that are new");
    fx_matrix *Y = st ? NULL : fxi_alloc(1, sizeof *Y);

    if (st || (st = fxi_data_own(d, Y)))
        return st;
    l->val = fxi_alloc(n, sizeof *l->val);
    st = fxi_data_own(d, l->val);
    if (!st && X->ptr) {
        l->ptr = fxi_zalloc(X->rows + 1, sizeof *l->ptr);
        if (!(st = fxi_data_own(d, l->ptr))) {
            l->col = fxi_alloc(n, sizeof *l->col);
            st = fxi_data_own(d, l->col);
        }
    }
    const fx_matrix view = {.rows = X->rows, .cols = l->cols, .stride = X->ptr ? 0 : l->cols,
                            .type = FX_F64, .wide = 1, .val = l->val, .ptr = l->ptr,
                            .col = l->col};
    *Y = view;
    d->table = (fx_table){.rows = Y->rows, .cols = l->cols, .blocks = 1, .block = Y};
    return st ? st : fxi_parallel_ordered(1, copy, l, run);
}

fx_status fxi_model_rows(fx_matrix *view, fx_data **own, uint64_t *unseen, size_t cols,
                         const unsigned char *seen, const fx_scale *scale, const fx_matrix *X,
                         size_t first, size_t n, const fx_run *run)
{
    filtering l = {.X = rows_of(X, first, n), .cols = cols, .seen = seen};
    fx_data *subset = NULL, *scaled = NULL;
    fx_matrix v = l.X;
    fx_status st = FX_OK;

    if (seen || X->cols > cols)
        st = fxi_parallel_ordered(1, count, &l, run);
    if (!st && l.any) {
        if (!(subset = fxi_data_new()))
            return FX_ENOMEM;
        if (!(st = filter(subset, &l, run)))
            v = subset->table.block[0];
    }
    v.cols = cols;
    if (!st && scale) {
        fx_table t = {.rows = n, .cols = cols, .blocks = 1, .block = &v};
        st = fx_data_scale_apply(&scaled, scale, &t, run);
    }
    if (st || scaled) {
        fx_data_free(subset);
        subset = scaled;
    }
    if (st)
        return st;
    *own = subset;
    *view = scaled ? scaled->table.block[0] : v;
    *unseen += l.left_out;
    return FX_OK;
}

fx_status fxi_model_rows_scale(fx_scale **out, const fx_model_info *c)
{
    *out = NULL;
    return *c->scale ? fx_data_scale_restore(out, c->scale, c->column_scale,
                                             c->column_scale ? c->cols : 0)
                     : FX_OK;
}

fx_status fxi_model_rows_join(fx_matrix *view, fx_data **own, const fx_table *t, const fx_run *run)
{
    fx_data *d = NULL;

    if (t->blocks != 1) {
        fx_status st = fxi_data_select(&d, t, NULL, 0, false, run);
        if (st)
            return st;
    }
    *own = d;
    *view = d ? d->table.block[0] : t->block[0];
    return FX_OK;
}

fx_status fxi_model_rows_table(fx_matrix *view, fx_data **own, const fx_model_info *c,
                               const unsigned char *seen, const fx_table *t, const fx_run *run)
{
    fx_data *joined = NULL;
    fx_scale *scale = NULL;
    uint64_t unseen = 0;
    fx_matrix X;
    fx_status st = fxi_model_rows_join(&X, &joined, t, run);

    *own = NULL;
    if (!st && !X.ptr && X.cols != c->cols)
        st = fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", X.cols, c->cols);
    if (!st && !(st = fxi_model_rows_scale(&scale, c)))
        st = fxi_model_rows(view, own, &unseen, c->cols, seen, scale, &X, 0, X.rows, run);
    fx_data_scale_free(scale);
    if (st || *own)
        fx_data_free(joined);
    else
        *own = joined;
    return st;
}
