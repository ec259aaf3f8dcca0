/* SPDX-License-Identifier: BSD-3-Clause
 * order.c - the entries of one row put in ascending order of their columns.
 *
 * The place in the row is the second key, so the order is total: equal columns stay in the order of
 * the file whatever qsort does, and their sum is the same everywhere.  O(n log n). */

#include "data/reader.h"

#include <stdlib.h>

struct fxi_data_entry { int64_t col; size_t at; double x; };

static int compare(const void *a, const void *b)
{
    const struct fxi_data_entry *x = a, *y = b;

    if (x->col != y->col)
        return x->col < y->col ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

fx_status fxi_data_order_row(fxi_data_order *o, void *col, int wide, void *val, fx_type type,
                             size_t n)
{
    int64_t *c64 = wide ? col : NULL;
    int32_t *c32 = wide ? NULL : col;
    double *f64 = type == FX_F64 ? val : NULL;
    float *f32 = type == FX_F64 ? NULL : val;

    if (n > o->room) {
        struct fxi_data_entry *more = fxi_realloc(o->entry, n, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        o->entry = more;
        o->room = n;
    }
    for (size_t i = 0; i < n; i++)
        o->entry[i] = (struct fxi_data_entry){c64 ? c64[i] : c32[i], i, f64 ? f64[i] : f32[i]};
    qsort(o->entry, n, sizeof *o->entry, compare);
    for (size_t i = 0; i < n; i++) {
        if (c64)
            c64[i] = o->entry[i].col;
        else
            c32[i] = (int32_t)o->entry[i].col;
        if (f64)
            f64[i] = o->entry[i].x;
        else
            f32[i] = (float)o->entry[i].x;
    }
    return FX_OK;
}

void fxi_data_order_free(fxi_data_order *o)
{
    free(o->entry);
    *o = (fxi_data_order){0};
}
