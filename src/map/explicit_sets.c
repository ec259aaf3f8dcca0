/* SPDX-License-Identifier: BSD-3-Clause
 * explicit_sets.c - the explicit expansion of a family of sets: a column for each set, the empty
 * set first, then in the order of a walk through the family's tree, which is lexicographic.
 *
 * A node multiplies its feature to the product of the node above.  The subtree of a feature that is
 * 0 is skipped. */

#include "map/explicit.h"

#include <stdlib.h>
#include <string.h>

enum { DEEP = FXI_EXPLICIT_ORDERS };

fx_status fxi_map_explicit_sets(fx_map *m, fxi_expansion *e)
{
    const fxi_tree *t = m->kernel->tree;

    if (t->depth >= DEEP)
        return fxi_error(FX_EUNSUPPORTED, "explicit: a set of %zu columns; at most %d are offered",
                         t->depth, DEEP - 1);
    if (!(e->first = fxi_alloc(t->nodes + 1, sizeof *e->first)))
        return FX_ENOMEM;
    e->tree = t;
    e->first[0] = t->empty;
    for (size_t v = 0; v < t->nodes; v++)
        e->first[v + 1] = e->first[v] + t->ends[v];
    m->features = (size_t)e->first[t->nodes];
    return FX_OK;
}

static bool zeros(const float *x, size_t lanes)
{
    size_t w = 0;

    while (w < lanes && x[w] == 0)
        w++;
    return w == lanes;
}

void fxi_map_explicit_sets_block(float *z, const fx_map *m, const float *x, size_t at, size_t end,
                                 size_t lanes)
{
    const fxi_expansion *e = m->state;
    const fxi_tree *t = e->tree;
    float product[DEEP][FXI_LANES];

    memset(z, 0, (end - at) * lanes * sizeof *z);
    for (size_t w = 0; w < lanes; w++)
        product[0][w] = 1;
    if (t->empty && at == 0)
        memcpy(z, product[0], lanes * sizeof *z);
    for (size_t v = 0; v < t->nodes && (size_t)e->first[v] < end;) {
        size_t j = (size_t)t->feature[t->use[v]], next = (size_t)t->next[v];
        float *own = product[t->level[v]];
        const float *above = product[t->level[v] - 1], *by = x + j * lanes;
        if ((size_t)e->first[next] <= at || j >= m->cols || zeros(by, lanes)) {
            v = next;
            continue;
        }
        for (size_t w = 0; w < lanes; w++)
            own[w] = above[w] * by[w];
        if (t->ends[v] && (size_t)e->first[v] >= at)
            memcpy(z + ((size_t)e->first[v] - at) * lanes, own, lanes * sizeof *z);
        v++;
    }
}

/* The number of column j in a row, or r.n. */
static size_t position(fxi_row r, int64_t j)
{
    size_t low = 0, high = r.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fxi_row_column(r, middle) < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r.n && fxi_row_column(r, low) == j ? low : r.n;
}

size_t fxi_map_explicit_sets_row(float *val, int32_t *col, const fx_map *m, fxi_row r)
{
    const fxi_expansion *e = m->state;
    const fxi_tree *t = e->tree;
    float product[DEEP] = {1};
    size_t n = 0;

    if (t->empty && val) {
        val[n] = 1;
        col[n] = 0;
    }
    n += t->empty != 0;
    for (size_t v = 0; v < t->nodes;) {
        size_t q = position(r, t->feature[t->use[v]]);
        if (q == r.n) {
            v = (size_t)t->next[v];
            continue;
        }
        product[t->level[v]] = product[t->level[v] - 1] * (float)fxi_row_value(r, q);
        if (t->ends[v] && val) {
            val[n] = product[t->level[v]];
            col[n] = e->first[v];
        }
        n += t->ends[v] != 0;
        v++;
    }
    return n;
}
