/* SPDX-License-Identifier: BSD-3-Clause
 * links_draw.c - links in two random halves, and pairs that are not links.
 *
 * Pairs are drawn without replacement, each equally probable: by trying, as long as half of all
 * pairs are left, else from a list of what is left.  So n draws cost O(n + links) on average,
 * whatever the number of pairs.  Those for training are drawn first: the other parts know them. */

#include "data/links.h"

#include <stdlib.h>

/* A random pair, each equally probable; within A by its ordered twin. */
static uint64_t any_pair(const fxi_links *l, fxi_rng r, uint64_t i)
{
    const uint64_t n = l->B->rows;

    if (!l->within)
        return fxi_rng_below(r, i, l->pairs);
    const uint64_t k = fxi_rng_below(r, i, 2 * l->pairs), a = k / (n - 1), j = k % (n - 1);
    const uint64_t b = j + (j >= a);
    return a < b ? a * n + b : b * n + a;
}

static fx_status draw_by_trying(uint64_t *out, size_t n, fxi_links *l, fxi_rng r, bool mark,
                                fxi_team *team)
{
    for (uint64_t i = 0, k = 0; k < n; i++) {
        const uint64_t pair = any_pair(l, r, i);
        if (fxi_data_pairs_enter(&l->known, pair, mark))
            out[k++] = pair;
        if (fxi_data_stopped((size_t)i, team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

static fx_status list_others(uint64_t *left, const fxi_links *l, fxi_team *team)
{
    const size_t n = l->B->rows;

    for (size_t a = 0, k = 0; a < l->A->rows; a++)
        for (size_t b = l->within ? a + 1 : 0; b < n; b++) {
            const uint64_t pair = (uint64_t)a * n + b;
            if (!*fxi_data_pairs_find(&l->known, pair))
                left[k++] = pair;
            if (fxi_data_stopped((size_t)pair, team))
                return FX_ECANCELLED;
        }
    return FX_OK;
}

static fx_status draw_from_list(uint64_t *out, size_t n, fxi_links *l, fxi_rng r, bool mark,
                                const fx_run *run, fxi_team *team)
{
    const size_t many = (size_t)(l->pairs - l->known.entered);
    fx_status s = fxi_memory_check(run, many * sizeof(uint64_t), "a list of pairs of nodes");
    uint64_t *left = s ? NULL : fxi_alloc(many, sizeof *left);

    if (!s)
        s = left ? list_others(left, l, team) : FX_ENOMEM;
    for (size_t i = 0; i < n && !s; i++) {      /* Fisher-Yates, as far as requested */
        const size_t j = i + (size_t)fxi_rng_below(r, i, many - i);
        out[i] = left[j];
        left[j] = left[i];
        fxi_data_pairs_enter(&l->known, out[i], mark);
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    free(left);
    return s;
}

/* n pairs that are not in the table yet, into it and to out. */
static fx_status draw(uint64_t *out, size_t n, fxi_links *l, fxi_rng r, bool mark,
                      const fx_run *run, fxi_team *team)
{
    fx_status s = fxi_data_pairs_reserve(&l->known, n, run, team);

    if (s)
        return s;
    return l->known.entered + n > l->pairs / 2 ? draw_from_list(out, n, l, r, mark, run, team)
                                         : draw_by_trying(out, n, l, r, mark, team);
}

fx_status fxi_data_links_draw(fxi_links *l, size_t for_each, size_t for_held, uint64_t seed,
                              const fx_run *run, fxi_team *team)
{
    const size_t P = l->links, train = l->train = P / 2;
    size_t n, held, all;
    fx_status s = fxi_data_pairs_shuffle(l->link, P, (fxi_rng){seed, FXI_DATA_LINKS}, team);

    if (s)
        return s;
    for (size_t i = 0; i < train; i++)
        *fxi_data_pairs_find(&l->known, l->link[i]) |= 1;
    if (!fxi_size_mul(&n, train, for_each) || !fxi_size_mul(&held, P - train, for_held)
        || !fxi_size_add(&all, n, held) || all > l->pairs - P)
        return fxi_error(FX_EINVAL,
                         "links: %zu other pairs for each of %zu links are wanted, but "
                         "only %llu pairs have no link",
                         for_each > for_held ? for_each : for_held, P,
                         (unsigned long long)(l->pairs - P));
    if ((s = fxi_memory_check(run, all * sizeof *l->drawn, "pairs of nodes")))
        return s;
    if (!(l->drawn = fxi_alloc(all, sizeof *l->drawn)))
        return FX_ENOMEM;
    s = draw(l->drawn, n, l, (fxi_rng){seed, FXI_DATA_LINKS_TRAIN}, true, run, team);
    return s ? s
             : draw(l->drawn + n, held, l, (fxi_rng){seed, FXI_DATA_LINKS_HELD}, false, run, team);
}
