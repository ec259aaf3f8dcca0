/* SPDX-License-Identifier: BSD-3-Clause
 * hits.c - the best of the sets that a search finds: a heap with the worst first.  Sets are in a
 * strict order, so the best of several lists do not depend on how they were divided. */

#include "combos/combos.h"

#include <stdlib.h>

int fxi_combos_hits_compare(const fxi_combo *a, const fxi_combo *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int32_t k = 0; k < a->n; k++)
        if (a->item[k] != b->item[k])
            return a->item[k] < b->item[k] ? -1 : 1;
    return 0;
}

bool fxi_combos_hits_better(const fxi_combos_hit *a, const fxi_combos_hit *b)
{
    return a->score != b->score ? a->score > b->score
                                : fxi_combos_hits_compare(&a->set, &b->set) < 0;
}

static void swap(fxi_combos_hit *a, fxi_combos_hit *b)
{
    fxi_combos_hit t = *a;

    *a = *b;
    *b = t;
}

static void sink(fxi_combos_hits *h)
{
    for (size_t k = 0, c; (c = 2 * k + 1) < h->n; k = c) {
        c += c + 1 < h->n && fxi_combos_hits_better(&h->at[c], &h->at[c + 1]);
        if (!fxi_combos_hits_better(&h->at[k], &h->at[c]))
            return;
        swap(&h->at[k], &h->at[c]);
    }
}

fx_status fxi_combos_hits_add(fxi_combos_hits *h, const fxi_combos_hit *hit)
{
    if (h->n == h->most) {
        if (h->n && fxi_combos_hits_better(hit, &h->at[0])) {
            h->at[0] = *hit;
            sink(h);
        }
        return FX_OK;
    }
    if (h->n == h->room) {
        size_t room = h->room ? 2 * h->room : 64;
        fxi_combos_hit *more = fxi_realloc(h->at, room, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        h->at = more;
        h->room = room;
    }
    h->at[h->n] = *hit;
    for (size_t k = h->n++; k && fxi_combos_hits_better(&h->at[(k - 1) / 2], &h->at[k]);
         k = (k - 1) / 2)
        swap(&h->at[k], &h->at[(k - 1) / 2]);
    return FX_OK;
}

static int best_first(const void *a, const void *b)
{
    return fxi_combos_hits_better(a, b) ? -1 : fxi_combos_hits_better(b, a);
}

void fxi_combos_hits_sort(fxi_combos_hits *h)
{
    if (h->n)
        qsort(h->at, h->n, sizeof *h->at, best_first);
}
