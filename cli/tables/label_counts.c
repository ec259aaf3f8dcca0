/* SPDX-License-Identifier: BSD-3-Clause
 * label_counts.c - how many rows have which label, of rows that may come in batches.
 *
 * Labels are in a hash table, until they are sorted.  More than MANY are no classes for any model:
 * further ones are counted together, so that the memory does not grow with the rows. */

#include "tables.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = (1 << 16) + 1 };

/* The slot of a label, or the free one where it belongs. */
static label_count *slot(const label_counts *c, double label)
{
    uint64_t bits;

    memcpy(&bits, &label, sizeof bits);
    size_t i = (size_t)(bits * 0x9e3779b97f4a7c15u >> 20) & (c->slots - 1);
    while (c->at[i].rows && c->at[i].label != label)
        i = (i + 1) & (c->slots - 1);
    return &c->at[i];
}

static bool grow(label_counts *c)
{
    label_counts more = {.n = c->n, .slots = c->slots ? 2 * c->slots : 64};

    if (!(more.at = calloc(more.slots, sizeof *more.at)))
        return false;
    for (size_t i = 0; i < c->slots; i++)
        if (c->at[i].rows)
            *slot(&more, c->at[i].label) = c->at[i];
    free(c->at);
    *c = more;
    return true;
}

int label_counts_add(label_counts *c, const fx_table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        double label = t->label[i] + 0.0;       /* -0 is 0 */
        if (2 * c->n >= c->slots && !grow(c))
            return say_no_memory("labels");
        label_count *at = slot(c, label);
        if (!at->rows && c->n >= MANY)
            at = slot(c, label = INFINITY);
        c->n += !at->rows;
        at->label = label;
        at->rows++;
    }
    return 0;
}

static int by_label(const void *a, const void *b)
{
    return ascending_doubles(&((const label_count *)a)->label, &((const label_count *)b)->label);
}

void label_counts_sort(label_counts *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->slots; i++)
        if (c->at[i].rows)
            c->at[n++] = c->at[i];
    c->slots = 0;
    if (n)
        qsort(c->at, n, sizeof *c->at, by_label);
}

size_t label_counts_find(const label_counts *c, double label)
{
    const label_count key = {label + 0.0, 0};
    const label_count *at = bsearch(&key, c->at, c->n, sizeof key, by_label);

    return at ? (size_t)(at - c->at) : c->n - 1;
}

void label_counts_free(label_counts *c)
{
    free(c->at);
    *c = (label_counts){0};
}
