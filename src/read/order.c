/* SPDX-License-Identifier: BSD-3-Clause
 * order.c - the entries of one row put in ascending order of their columns.
 *
 * Equal columns stay in the order of the file, so that their sum is the same everywhere. */

#include "read/read.h"

#include <stdlib.h>

fx_status fxi_read_order_row(fxi_read_order *o, void *col, int wide, void *val, fx_type type,
                             size_t n, fxi_team *team)
{
    int64_t *c64 = wide ? col : NULL;
    int32_t *c32 = wide ? NULL : col;
    double *f64 = type == FX_F64 ? val : NULL;
    float *f32 = type == FX_F64 ? NULL : val;

    if (n > o->capacity) {
        size_t items;
        if (!fxi_size_add(&items, n, n / 2))
            return fxi_error(FX_ENOMEM, "a row of %zu entries", n);
        fxi_data_item *more = fxi_realloc(o->item, items, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        o->item = more;
        o->capacity = n;
    }
    fxi_data_item *item = o->item;
    for (size_t i = 0; i < n; i++) {
        item[i].key.col = c64 ? c64[i] : c32[i];
        item[i].with.x = f64 ? f64[i] : f32[i];
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    fx_status s = fxi_data_sort(item, item + n, n, fxi_data_sort_ascending, team);
    for (size_t i = 0; i < n && !s; i++) {
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
        if (c64)
            c64[i] = item[i].key.col;
        else
            c32[i] = (int32_t)item[i].key.col;
        if (f64)
            f64[i] = item[i].with.x;
        else
            f32[i] = (float)item[i].with.x;
    }
    return s;
}

void fxi_read_order_free(fxi_read_order *o)
{
    free(o->item);
    *o = (fxi_read_order){0};
}
