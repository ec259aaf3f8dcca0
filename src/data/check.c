/* SPDX-License-Identifier: BSD-3-Clause
 * check.c - the check on entry: the caller's rows are as featcross.h requires them.  Sizes first,
 * then one loop over pieces of rows, of all blocks together, so that a table of thousands of small
 * blocks can be stopped like one of a single block.  One pass. */

#include "data/data.h"

#include <math.h>
#include <stdlib.h>

enum { SHORT = 1 << 16 };               /* numbers of a row that is checked without a poll */

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

/* True if all numbers are finite: for any other number, 0 v is NaN.  Four sums, because each
 * addition has to wait for the one before it. */
#define ALL_FINITE(v, n) \
    double sum[4] = {0}; \
    size_t q = 0; \
    for (; q + 4 <= (n); q += 4) \
        for (size_t k = 0; k < 4; k++) \
            sum[k] += 0 * (double)(v)[q + k]; \
    for (; q < (n); q++) \
        sum[0] += 0 * (double)(v)[q]; \
    return sum[0] + sum[1] + sum[2] + sum[3] == 0

static bool finite_floats(const float *v, size_t n) { ALL_FINITE(v, n); }
static bool finite_doubles(const double *v, size_t n) { ALL_FINITE(v, n); }

/* True if columns ascend from 0 or more to below `cols`. */
#define ASCENDING(col, n, cols) \
    bool rising = true; \
    for (size_t q = 1; q < (n); q++) \
        rising &= (col)[q] > (col)[q - 1]; \
    return rising && (col)[0] >= 0 && (uint64_t)(col)[(n)-1] < (cols)

static bool ascending32(const int32_t *col, size_t n, size_t cols) { ASCENDING(col, n, cols); }
static bool ascending64(const int64_t *col, size_t n, size_t cols) { ASCENDING(col, n, cols); }

/* True if the row is valid; the fast check, which does not say what is wrong. */
static bool is_fine(fxi_row r, size_t cols)
{
    if (r.n == 0)
        return true;
    return (r.f32 ? finite_floats(r.f32, r.n) : finite_doubles(r.f64, r.n))
           && (!r.col32 || ascending32(r.col32, r.n, cols))
           && (!r.col64 || ascending64(r.col64, r.n, cols));
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
    if (r.n <= SHORT && is_fine(r, X->cols))
        return FX_OK;
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
        return fxi_error(FX_EINVAL, "the label of row %zu (from 0) is %g, but there are %zu classes",
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

    for (; !s && i < end; i++) {
        while (i >= r->start[b + 1])
            b++;
        s = check_row(&t->block[b], i - r->start[b], i, "the table", c->missing, team);
        if (!s)
            s = check_label(t, i);
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
