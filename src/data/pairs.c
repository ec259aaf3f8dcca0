/* SPDX-License-Identifier: BSD-3-Clause
 * pairs.c - a set of numbers of pairs, for sets of links and ratings: a hash table with open
 * addressing, at most half full. */

#include "data/data.h"

#include <stdlib.h>

uint64_t *fxi_data_pairs_find(const fxi_data_pairs *p, uint64_t pair)
{
    for (uint64_t i = pair * 0x9e3779b97f4a7c15u >> 20;; i++) {
        uint64_t *slot = &p->slot[i & (p->slots - 1)];
        if (!*slot || *slot >> 1 == pair + 1)
            return slot;
    }
}

bool fxi_data_pairs_enter(fxi_data_pairs *p, uint64_t pair, bool mark)
{
    uint64_t *slot = fxi_data_pairs_find(p, pair);

    if (*slot)
        return false;
    *slot = 2 * (pair + 1) + mark;
    p->entered++;
    return true;
}

fx_status fxi_data_pairs_reserve(fxi_data_pairs *p, size_t more, const fx_run *run, fxi_team *team)
{
    const size_t before = p->slots;
    size_t need, bytes;
    fx_status s;

    if (!fxi_size_add(&need, p->entered, more) || !fxi_size_mul(&bytes, need, 4 * sizeof *p->slot))
        return fxi_error(FX_ESHAPE, "%zu pairs of nodes are too many", more);
    if ((s = fxi_memory_check(run, bytes, "a table of pairs of nodes")))
        return s;
    if (before && before / 2 >= need)
        return FX_OK;
    for (p->slots = 16; p->slots / 2 < need;)
        p->slots *= 2;
    uint64_t *old = p->slot;
    p->slot = fxi_zalloc(p->slots, sizeof *p->slot);
    for (size_t i = 0; p->slot && i < before; i++) {
        if (old[i])
            *fxi_data_pairs_find(p, (old[i] >> 1) - 1) = old[i];
        if (fxi_data_stopped(i, team)) {
            s = FX_ECANCELLED;
            break;
        }
    }
    free(old);
    return p->slot ? s : FX_ENOMEM;
}

fx_status fxi_data_pairs_shuffle(uint64_t *pair, size_t n, fxi_rng r, fxi_team *team)
{
    for (size_t i = n - 1; i > 0; i--) {        /* Fisher-Yates */
        const size_t j = (size_t)fxi_rng_below(r, i, i + 1);
        const uint64_t swap = pair[i];
        pair[i] = pair[j];
        pair[j] = swap;
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}
