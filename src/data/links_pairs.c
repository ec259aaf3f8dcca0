/* SPDX-License-Identifier: BSD-3-Clause
 * links_pairs.c - a table of pairs of nodes: open addressing, at most half full. */

#include "data/links.h"

#include <stdlib.h>

uint64_t *fxi_data_links_pairs_find(const fxi_links *l, uint64_t pair)
{
    for (uint64_t i = pair * 0x9e3779b97f4a7c15u >> 20;; i++) {
        uint64_t *slot = &l->slot[i & (l->slots - 1)];
        if (!*slot || *slot >> 1 == pair + 1)
            return slot;
    }
}

fx_status fxi_data_links_pairs_reserve(fxi_links *l, size_t more, const fx_run *run, fxi_team *team)
{
    const size_t before = l->slots;
    size_t need, bytes;
    fx_status s;

    if (!fxi_size_add(&need, l->entered, more) || !fxi_size_mul(&bytes, need, 4 * sizeof *l->slot))
        return fxi_error(FX_ESHAPE, "%zu pairs of nodes are too many", more);
    if ((s = fxi_memory_check(run, bytes, "a table of pairs of nodes")))
        return s;
    if (before && before / 2 >= need)
        return FX_OK;
    for (l->slots = 16; l->slots / 2 < need;)
        l->slots *= 2;
    uint64_t *old = l->slot;
    l->slot = fxi_zalloc(l->slots, sizeof *l->slot);
    for (size_t i = 0; l->slot && i < before; i++) {
        if (old[i])
            *fxi_data_links_pairs_find(l, (old[i] >> 1) - 1) = old[i];
        if (fxi_data_stopped(i, team)) {
            s = FX_ECANCELLED;
            break;
        }
    }
    free(old);
    return l->slot ? s : FX_ENOMEM;
}
