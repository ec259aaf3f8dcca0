/* SPDX-License-Identifier: BSD-3-Clause
 * check.c - the check at the library's door: what the caller hands over is what featcross.h asks
 * for.  One pass over the numbers, in pieces of a few milliseconds. */

#include "data/data.h"

#include <math.h>

enum { PIECE = 1 << 21 };               /* numbers that one block of the loop looks at */

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
    for (size_t i = 0; i < X->rows; i++)
        if (X->ptr[i + 1] < X->ptr[i])
            return fxi_error(FX_EINVAL, "%s has ptr falling from %lld to %lld at row %zu", name,
                             (long long)X->ptr[i], (long long)X->ptr[i + 1], i);
    if (X->ptr[X->rows] > X->ptr[0] && (!X->val || !X->col))
        return fxi_error(FX_EINVAL, "%s has no %s", name, X->val ? "columns" : "values");
    return FX_OK;
}

static fx_status check_row(const fx_matrix *X, size_t i, const char *name)
{
    fxi_row r = fxi_data_row(X, i);
    int64_t last = -1;

    for (size_t q = 0; q < r.n; q++) {
        int64_t j = fxi_row_column(r, q);
        double v = fxi_row_value(r, q);
        if (j <= last)
            return fxi_error(FX_EINVAL, "%s, row %zu: column %lld after %lld; columns must increase",
                             name, i, (long long)j, (long long)last);
        if ((uint64_t)j >= X->cols)
            return fxi_error(FX_ESHAPE, "%s, row %zu: column %lld, but there are %zu columns", name,
                             i, (long long)j, X->cols);
        if (!isfinite(v))
            return fxi_error(FX_EDOMAIN, "%s, row %zu, column %lld: %g is not a finite number",
                             name, i, (long long)j, v);
        last = j;
    }
    return FX_OK;
}

typedef struct checking {
    const fx_matrix *X;
    const char *name;
    size_t piece;                       /* rows in a block of the loop */
} checking;

static fx_status check_piece(void *ctx, size_t b, fxi_team *team)
{
    const checking *c = ctx;
    size_t left = c->X->rows - b * c->piece, end = b * c->piece + (left < c->piece ? left : c->piece);
    fx_status s = FX_OK;

    (void)team;
    for (size_t i = b * c->piece; !s && i < end; i++)
        s = check_row(c->X, i, c->name);
    return s;
}

fx_status fxi_data_check(const fx_matrix *X, const char *name, const fx_run *run)
{
    fx_status s = check_shape(X, name);

    if (s || X->rows == 0)
        return s;
    size_t each = X->ptr ? (size_t)(X->ptr[X->rows] - X->ptr[0]) / X->rows : X->cols;
    checking c = {X, name, PIECE / (each + 1) + 1};
    return fxi_parallel((X->rows - 1) / c.piece + 1, check_piece, &c, run);
}

static fx_status check_names(const char *const *name, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!name || !name[i])
            return fxi_error(FX_EINVAL, "%s %zu of %zu is NULL", what, i, n);
    return FX_OK;
}

static fx_status check_labels(const fx_table *t)
{
    for (size_t i = 0; t->label && i < t->rows; i++) {
        double y = t->label[i];
        if (!isfinite(y))
            return fxi_error(FX_EDOMAIN, "the label of row %zu is %g", i, y);
        if (t->classes && !(y >= 0 && y < (double)t->classes && y == floor(y)))
            return fxi_error(FX_EINVAL, "the label of row %zu is %g, but there are %zu classes", i,
                             y, t->classes);
    }
    return FX_OK;
}

fx_status fxi_data_check_table(const fx_table *t, const fx_run *run)
{
    size_t rows = 0;
    fx_status s;

    if (!t || (t->blocks && !t->block))
        return fxi_error(FX_EINVAL, t ? "the table has no blocks" : "no table is given");
    if (t->base != 0 && t->base != 1)
        return fxi_error(FX_EINVAL, "the table counts columns from %d, not from 0 or 1", t->base);
    for (size_t b = 0; b < t->blocks; b++) {
        if ((s = fxi_data_check(&t->block[b], "the table", run)))
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
    return check_labels(t);
}
