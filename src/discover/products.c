/* SPDX-License-Identifier: BSD-3-Clause
 * products.c - the products of some sets of columns, in some rows.  Of ones and zeros, many rows
 * are equal. */

#include "discover/discover.h"

#include <stdlib.h>
#include <string.h>

void fxi_discover_products_free(fxi_products *z)
{
    fxi_free(z->ptr, z->term, z->x, z->support);
}

static fx_status grow(fxi_products *z, size_t *room, size_t entries)
{
    if (entries + z->terms < *room)     /* so there is memory also for no products */
        return FX_OK;
    size_t more = 2 * *room + z->terms + 64;
    int32_t *term = fxi_realloc(z->term, more, sizeof *term);
    if (!term)
        return FX_ENOMEM;
    z->term = term;
    double *x = fxi_realloc(z->x, more, sizeof *x);
    if (!x)
        return FX_ENOMEM;
    z->x = x;
    *room = more;
    return FX_OK;
}

/* dense: [cols] the numbers of the row. */
static size_t add_row(fxi_products *z, const fxi_discover_set *set, const double *dense, size_t at)
{
    for (size_t k = 0; k < z->terms; k++) {
        double x = 1;
        for (int32_t j = 0; j < set[k].n && x != 0; j++)
            x *= dense[set[k].column[j]];
        if (x == 0)
            continue;
        z->term[at] = (int32_t)k;
        z->x[at++] = x;
        z->support[k]++;
    }
    return at;
}

fx_status fxi_discover_products_new(fxi_products *out, const fxi_discover_set *set, size_t terms,
                                    const fx_matrix *X, const size_t *row, size_t rows,
                                    fxi_team *team)
{
    fxi_products z = {.rows = rows, .terms = terms, .ptr = fxi_zalloc(rows + 1, sizeof *z.ptr),
                      .support = fxi_zalloc(terms + 1, sizeof *z.support)};
    double *dense = fxi_zalloc(X->cols + 1, sizeof *dense);
    size_t room = 0;
    fx_status st = z.ptr && z.support && dense ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st && !fxi_data_stopped(i, team); i++) {
        fxi_row r = fxi_data_row(X, row[i]);
        if ((st = grow(&z, &room, z.ptr[i])))
            break;
        for (size_t q = 0; q < r.n; q++)
            dense[fxi_row_column(r, q)] = fxi_row_value(r, q);
        z.ptr[i + 1] = add_row(&z, set, dense, z.ptr[i]);
        for (size_t q = 0; q < r.n; q++)
            dense[fxi_row_column(r, q)] = 0;
    }
    free(dense);
    if (st)
        fxi_discover_products_free(&z);
    else
        *out = z;
    return st;
}

/* ---- Equal rows ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t hash_row(const fxi_products *z, size_t first, size_t end, double y)
{
    uint64_t h = y > 0, bits;

    for (size_t p = first; p < end; p++) {
        memcpy(&bits, &z->x[p], sizeof bits);
        h = mix(mix(h, (uint64_t)z->term[p]), bits);
    }
    return h;
}

static bool same_row(const fxi_products *z, size_t row, size_t first, size_t end)
{
    size_t n = z->ptr[row + 1] - z->ptr[row];

    return n == end - first && !memcmp(z->term + z->ptr[row], z->term + first, n * sizeof *z->term)
           && !memcmp(z->x + z->ptr[row], z->x + first, n * sizeof *z->x);
}

fx_status fxi_discover_products_merge(fxi_products *z, double *y, double *weight)
{
    size_t slots = 16, kept = 0, first = 0;

    while (slots < 2 * z->rows)
        slots *= 2;
    size_t *slot = fxi_zalloc(slots, sizeof *slot);     /* 1 + row */
    if (!slot)
        return FX_ENOMEM;
    for (size_t i = 0; i < z->rows; i++) {
        size_t end = z->ptr[i + 1], at = hash_row(z, first, end, y[i]) & (slots - 1);
        while (slot[at] && !(y[slot[at] - 1] == y[i] && same_row(z, slot[at] - 1, first, end)))
            at = (at + 1) & (slots - 1);
        if (slot[at]) {
            weight[slot[at] - 1] += weight[i];
        } else {
            size_t to = z->ptr[kept], n = end - first;
            memmove(z->term + to, z->term + first, n * sizeof *z->term);
            memmove(z->x + to, z->x + first, n * sizeof *z->x);
            y[kept] = y[i];
            weight[kept] = weight[i];
            z->ptr[kept + 1] = to + n;
            slot[at] = ++kept;
        }
        first = end;
    }
    z->rows = kept;
    free(slot);
    return FX_OK;
}
