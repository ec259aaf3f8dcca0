/* SPDX-License-Identifier: BSD-3-Clause
 * rows.c - rows as a model expects them: its width, the columns it knows, scaled.
 *
 * A column that training never saw has no weight, but a map would give it random features.  So it
 * is left out, and so are columns beyond the model's.  That comes before scaling, so that such an
 * entry changes nothing, not even the norm of its row.  Rows are copied only if something is left
 * out or scaled, and their columns only if something is left out. */

#include "model/model.h"

fx_matrix fxi_model_rows_of(const fx_matrix *X, size_t first, size_t n)
{
    fx_matrix v = *X;

    v.rows = n;
    if (X->ptr)
        v.ptr += first;
    else
        v.val = (const char *)X->val + first * X->stride * (X->type == FX_F32 ? 4 : 8);
    return v;
}

typedef struct filtering {
    fx_matrix X;
    size_t cols;
    const unsigned char *seen;
    bool any;                           /* true if anything, zeros included, is left out */
    uint64_t left_out;                  /* numbers other than 0 that are left out */
} filtering;

static bool is_retained(const filtering *l, fxi_row r, size_t q)
{
    size_t j = (size_t)fxi_row_column(r, q);

    return j < l->cols && (!l->seen || l->seen[j]);
}

static void count(filtering *l, fxi_team *team)
{
    for (size_t i = 0; i < l->X.rows && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(&l->X, i);
        for (size_t q = 0; q < r.n; q++)
            if (!is_retained(l, r, q)) {
                l->any = true;
                l->left_out += fxi_row_value(r, q) != 0;
            }
    }
}

/* Numbers of a row as doubles, all or (l->any) those that are retained, dense rows with zeros
 * instead of the others, and their columns (NULL: they stay where they are); how many. */
static size_t copy_row(double *val, int64_t *col, const filtering *l, fxi_row r)
{
    size_t to = 0;

    for (size_t q = 0; q < r.n; q++) {
        bool keep = !l->any || is_retained(l, r, q);
        if (!keep && l->X.ptr)
            continue;
        val[to] = keep ? fxi_row_value(r, q) : 0;
        if (col)
            col[to] = fxi_row_column(r, q);
        to++;
    }
    return to;
}

/* A copy in doubles, scaled. */
static fx_status copy(fx_matrix *view, const filtering *l, const fx_scale *scale,
                      fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    const fx_matrix *X = &l->X;
    bool columns = l->any && X->ptr;    /* they change */
    size_t n = fxi_data_stored(X), to = 0;
    size_t bytes = fxi_size_mul(&bytes, n, columns ? 16 : 8) ? bytes : SIZE_MAX;
    fx_status st = fxi_memory_check(
        run, bytes, l->any ? "rows without columns that are new" : "a copy of the rows");
    double *val = st ? NULL : fxi_scratch_take(scratch, n, sizeof *val);
    int64_t *ptr = val ? fxi_scratch_take(scratch, X->ptr ? X->rows + 1 : 0, sizeof *ptr) : NULL;
    int64_t *col = ptr ? fxi_scratch_take(scratch, columns ? n : 0, sizeof *col) : NULL;

    if (st || !col)
        return st ? st : FX_ENOMEM;
    *view = (fx_matrix){.rows = X->rows, .cols = l->cols, .type = FX_F64, .val = val};
    if (columns) {
        view->wide = 1;
        view->col = col;
    } else if (X->ptr) {
        view->wide = X->wide;
        view->col = n ? (const char *)X->col + (size_t)X->ptr[0] * (X->wide ? 8 : 4) : X->col;
    } else
        view->stride = X->cols;
    if (X->ptr) {
        view->ptr = ptr;
        ptr[0] = 0;
    }
    for (size_t i = 0; i < X->rows && !st && !fxi_parallel_cancelled(team); i++) {
        double *x = val + to;
        to += copy_row(x, columns ? col + to : NULL, l, fxi_data_row(X, i));
        if (X->ptr)
            ptr[i + 1] = (int64_t)to;
        if (scale)
            st = fxi_data_scale_row(x, scale, fxi_data_row(view, i), i);
    }
    return st;
}

fx_status fxi_model_rows(fx_matrix *view, uint64_t *unseen, const fx_model_info *c,
                         const unsigned char *seen, const fx_scale *scale, const fx_matrix *X,
                         size_t first, size_t n, fxi_scratch *scratch, const fx_run *run,
                         fxi_team *team)
{
    filtering l = {.X = fxi_model_rows_of(X, first, n), .cols = c->cols, .seen = seen};
    fx_status st = FX_OK;

    if (seen || X->cols > c->cols)
        count(&l, team);
    *view = l.X;
    view->cols = c->cols;
    if (l.any || scale)
        st = copy(view, &l, scale, scratch, run, team);
    *unseen += l.left_out;
    return st;
}

fx_status fxi_model_rows_filled(fx_matrix *view, uint64_t *unseen, const fx_model_info *c,
                                const fxi_missing *missing, const fx_scale *scale,
                                const fx_matrix *X, size_t first, size_t n, fxi_scratch *scratch,
                                const fx_run *run, fxi_team *team)
{
    fx_matrix part, filled;

    if (missing->how) {
        part = fxi_model_rows_of(X, first, n);
        fx_status st = fxi_data_missing_fill(&filled, unseen, missing, &part, scratch, run, team);
        if (st)
            return st;
        X = &filled;
        first = 0;
    }
    return fxi_model_rows(view, unseen, c, c->seen, scale, X, first, n, scratch, run, team);
}

/* "none" is no scaling. */
fx_status fxi_model_rows_scale(fx_scale **out, const fx_model_info *c)
{
    fx_scale *s = NULL;
    fx_status st = *c->scale
                       ? fx_data_scale_restore(&s, c->scale, c->column_scale,
                                               c->column_scale ? c->cols : 0)
                       : FX_OK;

    if (s && fxi_data_scale_none(s)) {
        fx_data_scale_free(s);
        s = NULL;
    }
    *out = s;
    return st;
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

typedef struct preparing {
    fx_matrix *view;
    const fx_model_info *c;
    const unsigned char *seen;
    const fx_scale *scale;
    const fx_matrix *X;
    fxi_scratch memory;
    const fx_run *run;
} preparing;

static fx_status prepare(void *ctx, size_t b, fxi_team *team)
{
    preparing *p = ctx;
    uint64_t unseen = 0;

    (void)b;
    return fxi_model_rows(p->view, &unseen, p->c, p->seen, p->scale, p->X, 0, p->X->rows,
                          &p->memory, p->run, team);
}

/* d gets what is in scratch. */
static fx_status hand_over(fx_data *d, fxi_scratch *scratch)
{
    fx_status st = FX_OK;

    for (void *p; !st && (p = fxi_scratch_release(scratch));)
        st = fxi_data_own(d, p);
    return st;
}

fx_status fxi_model_rows_table(fx_matrix *view, fx_data **own, const fx_model_info *c,
                               const unsigned char *seen, const fx_table *t, const fx_run *run)
{
    preparing p = {.view = view, .c = c, .seen = seen, .run = run};
    fx_data *d = NULL;
    fx_scale *scale = NULL;
    fx_matrix X;
    fx_status st = fxi_model_rows_join(&X, &d, t, run);

    *own = NULL;
    p.X = &X;
    if (!st && !X.ptr && X.cols != c->cols)
        st = fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", X.cols, c->cols);
    if (!st && !(st = fxi_model_rows_scale(&scale, c))) {
        p.scale = scale;
        st = fxi_parallel_ordered(1, prepare, &p, run);
    }
    fx_data_scale_free(scale);
    if (!st && p.memory.block && !d && !(d = fxi_data_new()))
        st = FX_ENOMEM;
    if (!st)
        st = hand_over(d, &p.memory);
    fxi_scratch_free(&p.memory);
    if (st)
        fx_data_free(d);
    else
        *own = d;
    return st;
}
