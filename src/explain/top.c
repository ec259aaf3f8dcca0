/* SPDX-License-Identifier: BSD-3-Clause
 * top.c - the n largest combinations: a heap, the smallest on top. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>

int fxi_explain_top_compare(const void *first, const void *second)
{
    const fxi_explain_item *a = first, *b = second;
    double x = fabs(a->weight), y = fabs(b->weight);

    if (x != y)
        return x > y ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    for (int i = 0; i < a->order; i++)
        if (a->column[i] != b->column[i])
            return a->column[i] < b->column[i] ? -1 : 1;
    return 0;
}

static void sink(fxi_explain_top *t, size_t i, const fxi_explain_item *item)
{
    for (size_t c; (c = 2 * i + 1) < t->n; i = c) {
        if (c + 1 < t->n && fxi_explain_top_compare(&t->at[c + 1], &t->at[c]) > 0)
            c++;
        if (fxi_explain_top_compare(item, &t->at[c]) >= 0)
            break;
        t->at[i] = t->at[c];
    }
    t->at[i] = *item;
}

static fx_status grow(fxi_explain_top *t)
{
    size_t capacity = t->capacity ? 2 * t->capacity : 16;
    fxi_explain_item *at = fxi_realloc(t->at, capacity < t->max_items ? capacity : t->max_items,
                                       sizeof *at);

    if (!at)
        return FX_ENOMEM;
    t->at = at;
    t->capacity = capacity < t->max_items ? capacity : t->max_items;
    return FX_OK;
}

static fx_status insert(fxi_explain_top *t, const fxi_explain_item *item)
{
    size_t i = t->n;

    if (t->n == t->max_items) {
        if (t->max_items && fxi_explain_top_compare(item, &t->at[0]) < 0)
            sink(t, 0, item);
        return FX_OK;
    }
    if (t->n == t->capacity && grow(t))
        return FX_ENOMEM;
    for (t->n++; i && fxi_explain_top_compare(item, &t->at[(i - 1) / 2]) > 0; i = (i - 1) / 2)
        t->at[i] = t->at[(i - 1) / 2];
    t->at[i] = *item;
    return FX_OK;
}

static fx_status push(fxi_explain_top *t, const fxi_explain_item *item)
{
    bool full = t->n == t->max_items;

    if (full && (!t->max_items || fxi_explain_top_compare(item, &t->at[0]) >= 0))
        return FX_OK;
    return t->holders && !fxi_explain_support_enough(t, item) ? FX_OK : insert(t, item);
}

fx_status fxi_explain_top_offer(fxi_explain_top *t, const fxi_explain_item *item)
{
    if (item->weight == 0 || fabs(item->weight) < fxi_explain_min_weight(t))
        return FX_OK;
    if (!isfinite(item->weight))
        return fxi_error(FX_ENUMERIC, "the weight of a combination with column %d is %g",
                         (int)item->column[0], item->weight);
    return push(t, item);
}

fx_status fxi_explain_top_add(fxi_explain_top *t, const fxi_explain_item *item)
{
    if (t->n == t->max_items && fxi_explain_top_compare(item, &t->at[0]) >= 0)
        return FX_OK;
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].weight == item->weight && !fxi_explain_top_compare(&t->at[i], item))
            return FX_OK;
    return push(t, item);
}

void fxi_explain_top_sort(fxi_explain_top *t)
{
    if (t->n)
        qsort(t->at, t->n, sizeof *t->at, fxi_explain_top_compare);
}

fx_status fxi_explain_top_merge(fxi_explain_top *t, fxi_explain_top *b)
{
    size_t old = t->n, unique = 0;
    fx_status st = FX_OK;

    fxi_explain_top_sort(t);      /* a sorted list is searched by bisection .. */
    fxi_explain_top_sort(b);
    for (size_t i = 0; i < b->n; i++) {
        const fxi_explain_item *item = &b->at[i];
        bool repeated = unique && !fxi_explain_top_compare(item, &b->at[unique - 1]);
        if (!repeated
            && !(old && bsearch(item, t->at, old, sizeof *t->at, fxi_explain_top_compare)))
            b->at[unique++] = *item;
    }
    for (size_t i = 0; i < old / 2; i++) { /* .. and a heap backwards */
        fxi_explain_item swap = t->at[i];
        t->at[i] = t->at[old - 1 - i];
        t->at[old - 1 - i] = swap;
    }
    for (size_t i = 0; i < unique && !st; i++)
        st = insert(t, &b->at[i]);      /* its support was checked when b took it */
    b->n = 0;
    return st;
}
