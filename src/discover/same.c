/* SPDX-License-Identifier: BSD-3-Clause
 * same.c - other sets of columns with the same product in all rows, where numbers are ones: the
 * data cannot tell them apart.
 *
 * Such a set holds only columns that are 1 wherever the product is.  Of these, all sets of at most
 * `order` columns are tried, up to TRIED of them, the small ones first: a set is the same if as
 * many rows hold it. */

#include "discover/discover.h"

#include <stdlib.h>
#include <string.h>

enum { TRIED = 256, PIECE = 4096 };

/* count[j]: rows that hold the set and column j.  *rows: rows that hold it.  False: a number is
 * neither 0 nor 1. */
static bool count_company(size_t *count, size_t *rows, const fxi_discover_set *s,
                          const fxi_discover *d, unsigned char *has, fxi_team *team)
{
    *rows = 0;
    for (size_t i = 0; i < d->rows && !fxi_data_stopped(i, team); i++) {
        fxi_row r = fxi_data_row(&d->train.X, d->row[i]);
        bool held = true;
        for (size_t q = 0; q < r.n; q++)
            has[fxi_row_column(r, q)] = fxi_row_value(r, q) != 0;
        for (int32_t k = 0; k < s->n; k++)
            held &= has[s->column[k]];
        for (size_t q = 0; q < r.n; q++) {
            double x = fxi_row_value(r, q);
            if (x != 0 && x != 1)
                return false;
            count[fxi_row_column(r, q)] += held && x == 1;
            has[fxi_row_column(r, q)] = 0;
        }
        *rows += held;
    }
    return true;
}

/* Sets of `size` of the columns, but s itself, after list[n]. */
static size_t list_sets(fxi_discover_set *list, size_t n, const int32_t *column, size_t columns,
                        int32_t size, const fxi_discover_set *s)
{
    int32_t at[FX_ORDER_MAX];

    for (int32_t k = 0; k < size; k++)
        at[k] = k;
    for (int32_t k = 0; (size_t)size <= columns && k >= 0 && n < TRIED;) {
        fxi_discover_set t = {.n = size};
        for (int32_t i = 0; i < size; i++)
            t.column[i] = column[at[i]];
        if (fxi_discover_set_compare(&t, s) != 0)
            list[n++] = t;
        for (k = size - 1; k >= 0 && (size_t)at[k] + (size_t)(size - k) == columns; k--) {}
        if (k < 0)
            break;
        at[k]++;
        for (int32_t i = k + 1; i < size; i++)
            at[i] = at[i - 1] + 1;
    }
    return n;
}

static fx_status count_rows(size_t *support, const fxi_discover_set *list, size_t n,
                            const fxi_discover *d, fxi_team *team)
{
    fx_status st = FX_OK;

    memset(support, 0, n * sizeof *support);
    for (size_t first = 0; first < d->rows && !st; first += PIECE) {
        size_t rows = d->rows - first < PIECE ? d->rows - first : PIECE;
        fxi_products z;
        if ((st = fxi_discover_products_new(&z, list, n, &d->train.X, d->row + first, rows, team)))
            break;
        for (size_t k = 0; k < n; k++)
            support[k] += z.support[k];
        fxi_discover_products_free(&z);
    }
    return st;
}

fx_status fxi_discover_same(fxi_discover_set **out, size_t *n, const fxi_discover_set *s,
                            const fxi_discover *d, fxi_team *team)
{
    size_t cols = d->train.X.cols, columns = 0, tried = 0, rows;
    size_t *count = fxi_zalloc(cols, sizeof *count), *support = fxi_alloc(TRIED, sizeof *support);
    unsigned char *has = fxi_zalloc(cols, 1);
    int32_t *column = fxi_alloc(cols, sizeof *column);
    fxi_discover_set *list = fxi_alloc(TRIED, sizeof *list);
    fx_status st = count && support && has && column && list ? FX_OK : FX_ENOMEM;

    *n = 0;
    if (!st && count_company(count, &rows, s, d, has, team)) {
        for (size_t j = 0; j < cols; j++)
            if (count[j] == rows)
                column[columns++] = (int32_t)j;
        for (int32_t size = 1; size <= d->o.order; size++)
            tried = list_sets(list, tried, column, columns, size, s);
        st = tried ? count_rows(support, list, tried, d, team) : FX_OK;
        for (size_t k = 0; k < tried && !st; k++)
            if (support[k] == rows)
                list[(*n)++] = list[k];
    }
    fxi_free(count, support, has, column);
    if (st)
        free(list);
    else
        *out = list;
    return st;
}
