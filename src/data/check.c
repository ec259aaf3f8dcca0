/* SPDX-License-Identifier: BSD-3-Clause
 * check.c - the check on entry: the caller's rows are as featcross.h requires them.  Sizes first,
 * then one loop over pieces of rows, of all blocks together, so that a table of thousands of small
 * blocks can be stopped like one of a single block.  The rows of a piece are checked together, and
 * one by one only where something is wrong. */

#include "data/data.h"
#include "simd/simd.h"

#include <math.h>
#include <stdlib.h>

enum { SHORT = 1 << 17 };               /* numbers that are checked without a poll */

static fx_status check_shape(const fx_matrix *X, const char *name)
{
    size_t n;

    if (X->type != FX_F32 && X->type != FX_F64)
        return fxi_error(FX_EINVAL, "%s has the unknown type %d", name, (int)X->type);
    if (!X->ptr) {
        if (X->rows && X->stride < X->cols)
            return fxi_error(FX_ESHAPE, "%s has a stride of %zu for %zu columns", name, X->stride,
                             X->cols);
        if (!fxi_size_mul(&n, X->rows, X->stride) || !fxi_size_mul(&n, n, sizeof(double)))
            return fxi_error(FX_ESHAPE, "%s has %zu rows of %zu numbers: too large", name, X->rows,
                             X->stride);
        if (X->rows && X->cols && !X->val)
            return fxi_error(FX_EINVAL, "%s has no values", name);
        return FX_OK;
    }
    if (X->ptr[0] < 0)
        return fxi_error(FX_EINVAL, "%s has ptr[0] = %lld", name, (long long)X->ptr[0]);
    if (X->ptr[X->rows] < X->ptr[0])
        return fxi_error(FX_EINVAL, "%s has ptr falling from %lld to %lld", name,
                         (long long)X->ptr[0], (long long)X->ptr[X->rows]);
    if (X->ptr[X->rows] > X->ptr[0] && (!X->val || !X->col))
        return fxi_error(FX_EINVAL, "%s has no %s", name, X->val ? "columns" : "values");
    return FX_OK;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static int64_t column(const fx_matrix *X, int64_t q)
{
    return X->wide ? ((const int64_t *)X->col)[q] : ((const int32_t *)X->col)[q];
}

static bool all_finite(const fx_matrix *X, size_t first, size_t n, const fxi_simd *simd)
{
    int bad = 0;

    if (X->type == FX_F32)
        simd->data_check_floats(&bad, (const float *)X->val + first, n);
    else
        simd->data_check_doubles(&bad, (const double *)X->val + first, n);
    return !bad;
}

/* True if columns of all rows ascend from 0 or more to below X->cols: they fall only from one row
 * to the next. */
static bool all_ascend(const fx_matrix *X, size_t i, size_t end, const fxi_simd *simd)
{
    int64_t first = X->ptr[i];
    size_t n = (size_t)(X->ptr[end] - first), falls = 0;

    if (X->wide)
        simd->data_check_falls_wide(&falls, (const int64_t *)X->col + first, n);
    else
        simd->data_check_falls(&falls, (const int32_t *)X->col + first, n);
    for (; i < end; i++) {
        int64_t from = X->ptr[i], to = X->ptr[i + 1];
        if (from == to)
            continue;
        if (column(X, from) < 0 || (uint64_t)column(X, to - 1) >= X->cols)
            return false;
        falls -= from > first && column(X, from) <= column(X, from - 1);
    }
    return falls == 0;
}

/* True if rows i .. end - 1 are valid; the fast check, which does not say what is wrong. */
static bool are_fine(const fx_matrix *X, size_t i, size_t end)
{
    const fxi_simd *simd = fxi_simd_get();

    if (!X->ptr) {
        bool fine = X->cols <= SHORT / (end - i);
        for (; i < end && fine; i++)
            fine = all_finite(X, i * X->stride, X->cols, simd);
        return fine;
    }
    for (size_t k = i; k < end; k++)    /* ptr is not trusted before it is checked */
        if (X->ptr[k] < X->ptr[0] || X->ptr[k + 1] < X->ptr[k] || X->ptr[k + 1] > X->ptr[X->rows])
            return false;
    size_t n = (size_t)(X->ptr[end] - X->ptr[i]);
    return n == 0
           || (n <= SHORT && all_finite(X, (size_t)X->ptr[i], n, simd)
               && all_ascend(X, i, end, simd));
}

/* Row i of X, which is row `number` of the table.  ptr is not trusted before its row is checked.
 * missing: NaN is accepted. */
static fx_status check_row(const fx_matrix *X, size_t i, size_t number, const char *name,
                           bool missing, fxi_team *team)
{
    int64_t last = -1;

    if (X->ptr && !(X->ptr[i] >= X->ptr[0] && X->ptr[i + 1] >= X->ptr[i]
                    && X->ptr[i + 1] <= X->ptr[X->rows]))
        return fxi_error(FX_EINVAL, "%s, row %zu (from 0): ptr goes from %lld to %lld; it must not "
                         "fall between %lld and %lld", name, number, (long long)X->ptr[i],
                         (long long)X->ptr[i + 1], (long long)X->ptr[0],
                         (long long)X->ptr[X->rows]);
    fxi_row r = fxi_data_row(X, i);
    for (size_t q = 0; q < r.n; q++) {
        int64_t j = fxi_row_column(r, q);
        double v = fxi_row_value(r, q);
        if (j <= last)
            return fxi_error(FX_EINVAL,
                             "%s, row %zu (from 0): column %lld after %lld; columns must increase",
                             name, number, (long long)j, (long long)last);
        if ((uint64_t)j >= X->cols)
            return fxi_error(FX_ESHAPE,
                             "%s, row %zu (from 0): column %lld, but there are %zu columns", name,
                             number, (long long)j, X->cols);
        if (!isfinite(v) && !(missing && isnan(v)))
            return fxi_error(FX_EDOMAIN,
                             "%s, row %zu, column %lld (from 0): %s is not a finite number",
                             name, number, (long long)j,
                             isnan(v) ? "NaN" : v < 0 ? "-inf" : "inf");
        if (fxi_data_stopped(q, team))
            return FX_ECANCELLED;
        last = j;
    }
    return FX_OK;
}

static fx_status check_label(const fx_table *t, size_t i)
{
    double y = t->label ? t->label[i] : 0;

    if (!isfinite(y))
        return fxi_error(FX_EDOMAIN, "the label of row %zu (from 0) is %g", i, y);
    if (t->label && t->classes && !(y >= 0 && y < (double)t->classes && y == floor(y)))
        return fxi_error(FX_EINVAL, "the label of row %zu (from 0) is %g, but there are %zu "
                                    "classes",
                         i, y, t->classes);
    if (t->qid && t->qid[i] < -1)
        return fxi_error(FX_EINVAL, "the query of row %zu (from 0) is %lld; -1 means none", i,
                         (long long)t->qid[i]);
    if (t->weight && !(t->weight[i] >= 0 && isfinite(t->weight[i])))
        return fxi_error(FX_EDOMAIN, "the weight of row %zu (from 0) is %g; it must be finite and "
                         "not below 0", i, t->weight[i]);
    return FX_OK;
}

typedef struct matrix_check {           /* needs no memory */
    const fx_matrix *X;
    const char *name;
    bool missing;
    size_t piece;
} matrix_check;

static fx_status check_matrix_piece(void *ctx, size_t p, fxi_team *team)
{
    const matrix_check *c = ctx;
    size_t i = p * c->piece, end = c->X->rows - i < c->piece ? c->X->rows : i + c->piece;
    fx_status s = FX_OK;

    if (are_fine(c->X, i, end))
        return FX_OK;
    for (; !s && i < end; i++)
        s = check_row(c->X, i, i, c->name, c->missing, team);
    return s;
}

typedef struct table_check {
    fxi_rows rows;
    bool missing;
} table_check;

static fx_status check_table_piece(void *ctx, size_t p, fxi_team *team)
{
    const table_check *c = ctx;
    const fxi_rows *r = &c->rows;
    const fx_table *t = r->t;
    size_t i = p * r->piece, end = t->rows - i < r->piece ? t->rows : i + r->piece;
    size_t b = fxi_data_rows_block(r, i);
    fx_status s = FX_OK;

    while (!s && i < end) {
        while (i >= r->start[b + 1])
            b++;
        size_t start = r->start[b], last = end < r->start[b + 1] ? end : r->start[b + 1];
        bool fine = are_fine(&t->block[b], i - start, last - start);
        for (; !s && i < last; i++) {
            if (!fine)
                s = check_row(&t->block[b], i - start, i, "the table", c->missing, team);
            if (!s)
                s = check_label(t, i);
        }
    }
    return s;
}

static fx_status check_matrix(const fx_matrix *X, const char *name, bool missing, const fx_run *run)
{
    matrix_check c = {.X = X, .name = name, .missing = missing};
    fx_status s = check_shape(X, name);

    if (s)
        return s;
    size_t pieces = fxi_data_rows_pieces(&c.piece, fxi_data_stored(X), X->rows);
    return fxi_parallel(pieces, check_matrix_piece, &c, run);
}

fx_status fxi_data_check(const fx_matrix *X, const char *name, const fx_run *run)
{
    return check_matrix(X, name, false, run);
}

fx_status fxi_data_check_missing(const fx_matrix *X, const char *name, const fx_run *run)
{
    return check_matrix(X, name, true, run);
}

/* Checks the contents of all rows; sizes were checked before. */
static fx_status check_rows(const fx_table *t, bool missing, const fx_run *run)
{
    table_check c = {.missing = missing};
    fx_status s = fxi_data_rows(&c.rows, t);

    if (s)
        return s;
    s = fxi_parallel(c.rows.pieces, check_table_piece, &c, run);
    free(c.rows.start);
    return s;
}

static fx_status check_names(const char *const *name, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!name || !name[i])
            return fxi_error(FX_EINVAL, "%s %zu of %zu is NULL", what, i, n);
    return FX_OK;
}

static fx_status check_table(const fx_table *t, bool missing, const fx_run *run)
{
    size_t rows = 0;
    fx_status s;

    if (!t || (t->blocks && !t->block))
        return fxi_error(FX_EINVAL, t ? "the table has no blocks" : "no table is given");
    if (t->base != 0 && t->base != 1)
        return fxi_error(FX_EINVAL, "the table counts columns from %d, not from 0 or 1", t->base);
    if (t->split > t->cols)
        return fxi_error(FX_EINVAL, "%zu of %zu columns are of the first side", t->split, t->cols);
    for (size_t i = 0; i < sizeof t->reserved / sizeof *t->reserved; i++)
        if (t->reserved[i])
            return fxi_error(FX_EINVAL, "reserved[%zu] of the table is not NULL", i);
    for (size_t b = 0; b < t->blocks; b++) {
        if ((s = check_shape(&t->block[b], "the table")))
            return s;
        if (t->block[b].cols != t->cols)
            return fxi_error(FX_ESHAPE, "block %zu has %zu columns, the table %zu", b,
                             t->block[b].cols, t->cols);
        if (!fxi_size_add(&rows, rows, t->block[b].rows))
            return fxi_error(FX_ESHAPE, "the blocks have too many rows");
    }
    if (rows != t->rows)
        return fxi_error(FX_ESHAPE, "the blocks have %zu rows, the table %zu", rows, t->rows);
    if ((s = check_names(t->class_name, t->classes, "class name")))
        return s;
    if (t->name && (s = check_names(t->name, t->cols, "feature name")))
        return s;
    return check_rows(t, missing, run);
}

fx_status fxi_data_check_table(const fx_table *t, const fx_run *run)
{
    return check_table(t, false, run);
}

fx_status fxi_data_check_missing_table(const fx_table *t, const fx_run *run)
{
    return check_table(t, true, run);
}
