/* SPDX-License-Identifier: BSD-3-Clause
 * data.c - tables that own their memory, rows, and the check at the library's door. */

#include "data/data.h"

#include <math.h>
#include <stdlib.h>

fx_data *fxi_data_new(void) { return fxi_zalloc(1, sizeof(fx_data)); }

fx_status fxi_data_own(fx_data *d, void *p)
{
    if (!p)
        return FX_ENOMEM;
    if ((d->owns & (d->owns - 1)) == 0) {       /* room for the next power of two */
        void **more = fxi_realloc(d->owned, d->owns ? 2 * d->owns : 1, sizeof *more);
        if (!more) {
            free(p);
            return FX_ENOMEM;
        }
        d->owned = more;
    }
    d->owned[d->owns++] = p;
    return FX_OK;
}

void fx_data_free(fx_data *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->owns; i++)
        free(d->owned[i]);
    free(d->owned);
    free(d);
}

fx_table fx_data_table(const fx_data *d) { return d->table; }

const char *fx_data_planted(const fx_data *d) { return d->planted ? d->planted : ""; }

fxi_row fxi_data_row(const fx_matrix *X, size_t i)
{
    size_t first = X->ptr ? (size_t)X->ptr[i] : i * X->stride;
    fxi_row r = {.n = X->ptr ? (size_t)X->ptr[i + 1] - first : X->cols};

    if (X->type == FX_F32)
        r.f32 = (const float *)X->val + first;
    else
        r.f64 = (const double *)X->val + first;
    if (X->ptr && X->wide)
        r.col64 = (const int64_t *)X->col + first;
    else if (X->ptr)
        r.col32 = (const int32_t *)X->col + first;
    return r;
}

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

fx_status fxi_data_check(const fx_matrix *X, const char *name)
{
    fx_status s = check_shape(X, name);

    if (s)
        return s;
    for (size_t i = 0; i < X->rows; i++) {
        fxi_row r = fxi_data_row(X, i);
        int64_t last = -1;
        for (size_t q = 0; q < r.n; q++) {
            int64_t j = fxi_row_column(r, q);
            double v = fxi_row_value(r, q);
            if (j <= last)
                return fxi_error(FX_EINVAL, "%s, row %zu: column %lld after %lld; columns must increase", name,
                                 i, (long long)j, (long long)last);
            if ((uint64_t)j >= X->cols)
                return fxi_error(FX_ESHAPE, "%s, row %zu: column %lld, but there are %zu columns",
                                 name, i, (long long)j, X->cols);
            if (!isfinite(v))
                return fxi_error(FX_EDOMAIN, "%s, row %zu, column %lld: %g is not a finite number",
                                 name, i, (long long)j, v);
            last = j;
        }
    }
    return FX_OK;
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

fx_status fxi_data_check_table(const fx_table *t)
{
    size_t rows = 0;
    fx_status s;

    if (!t || (t->blocks && !t->block))
        return fxi_error(FX_EINVAL, t ? "the table has no blocks" : "no table is given");
    if (t->base != 0 && t->base != 1)
        return fxi_error(FX_EINVAL, "the table counts columns from %d, not from 0 or 1", t->base);
    for (size_t b = 0; b < t->blocks; b++) {
        if ((s = fxi_data_check(&t->block[b], "the table")))
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
