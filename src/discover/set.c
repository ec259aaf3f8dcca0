/* SPDX-License-Identifier: BSD-3-Clause
 * set.c - sets of columns. */

#include "discover/discover.h"

int fxi_discover_set_compare(const void *a, const void *b)
{
    const fxi_discover_set *s = a, *t = b;

    if (s->n != t->n)
        return s->n < t->n ? -1 : 1;
    for (int32_t k = 0; k < s->n; k++)
        if (s->column[k] != t->column[k])
            return s->column[k] < t->column[k] ? -1 : 1;
    return 0;
}

bool fxi_discover_set_within(const fxi_discover_set *part, const fxi_discover_set *whole)
{
    int32_t k = 0;

    for (int32_t i = 0; i < whole->n && k < part->n; i++)
        k += whole->column[i] == part->column[k];
    return k == part->n;
}

fxi_discover_set fxi_discover_set_part(const fxi_discover_set *s, uint32_t mask)
{
    fxi_discover_set part = {0};

    for (int32_t k = 0; k < s->n; k++)
        if (mask >> k & 1)
            part.column[part.n++] = s->column[k];
    return part;
}
