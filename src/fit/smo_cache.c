/* SPDX-License-Identifier: BSD-3-Clause
 * smo_cache.c - rows of the kernel matrix over the active variables, as floats, in a pool of fixed
 * size; least recently used rows are evicted first.
 *
 * The pool only decides when a row is computed: a number depends on its two variables alone, so the
 * solution does not depend on the cache. */

#include "fit/smo.h"

#include <string.h>

static void set_stride(fxi_smo *d)
{
    d->stride = fxi_smo_round(d->m ? d->m : 1);
    d->slots = d->floats / d->stride;
    if (d->slots > d->m)
        d->slots = d->m;
}

void fxi_fit_smo_cache_start(fxi_smo *d)
{
    set_stride(d);
    d->used = 0;
    for (size_t k = 0; k < d->n; k++)
        d->slot[k] = -1;
}

/* ---- Rows ------------------------------------------------------------------------------------ */
/* n slots: those that are free, then those of the least recently used rows, which are evicted. */
static void evict_lru(size_t *out, fxi_smo *d, size_t n)
{
    size_t old = d->used, got = 0, evicted;

    while (got < n && d->used < d->slots)
        out[got++] = d->used++;
    evicted = n - got;
    out += got;
    got = 0;
    for (size_t s = 0; s < old && evicted; s++) {
        uint64_t stamp = d->stamp[s];
        size_t k;
        if (stamp == d->clock || (got == evicted && stamp >= d->stamp[out[evicted - 1]]))
            continue;
        for (k = got < evicted ? got++ : evicted - 1; k > 0 && d->stamp[out[k - 1]] > stamp; k--)
            out[k] = out[k - 1];
        out[k] = s;
    }
    for (size_t k = 0; k < evicted; k++)
        d->slot[d->owner[out[k]]] = -1;
}

/* A kernel takes FXI_LANES rows in the time of one: where all fit into the pool, adds missing rows
 * until a panel is full. */
static size_t pad_to_panel(int32_t *which, const fxi_smo *d, size_t n)
{
    size_t first = (size_t)which[n - 1] + 1, free_slots = d->slots - d->used, old = n;

    for (size_t q = 0; q < d->m && d->slots == d->m && n % FXI_LANES && n < free_slots; q++) {
        size_t k = (first + q) % d->m, r = 0;
        while (r < old && (size_t)which[r] != k)
            r++;
        if (d->slot[k] < 0 && r == old)
            which[n++] = (int32_t)k;
    }
    return n;
}

fx_status fxi_fit_smo_cache(const float **out, fxi_smo *d, const size_t *at, size_t n)
{
    size_t missing = 0, where[FXI_SMO_SET];
    int32_t which[FXI_SMO_SET], rows[FXI_SMO_SET];
    float *to[FXI_SMO_SET];
    const fx_matrix *X = d->p->source->X;
    fx_status st = FX_OK;

    d->clock++;
    for (size_t q = 0; q < n; q++)
        if (d->slot[at[q]] >= 0)
            d->stamp[d->slot[at[q]]] = d->clock;
        else
            which[missing++] = (int32_t)at[q];
    if (missing)
        missing = pad_to_panel(which, d, missing);
    evict_lru(where, d, missing);
    for (size_t q = 0; q < missing; q++) {
        to[q] = d->pool + where[q] * d->stride;
        rows[q] = d->row[which[q]];
        d->owner[where[q]] = which[q];
        d->stamp[where[q]] = d->clock;
        d->slot[which[q]] = (int32_t)where[q];
    }
    if (missing)
        st = fxi_kernel_rows(to, d->p->kernel, (fxi_row_subset){X, d->row, d->m},
                             (fxi_row_subset){X, rows, missing}, &d->run);
    for (size_t q = 0; q < n; q++)
        out[q] = d->pool + (size_t)d->slot[at[q]] * d->stride;
    return st;
}

/* ---- Other active variables ------------------------------------------------------------------ */
static void move(fxi_smo *d, size_t to, size_t from, int32_t owner)
{
    d->owner[to] = owner;
    d->stamp[to] = d->stamp[from];
    d->slot[owner] = (int32_t)to;
}

/* Rows of those that stay, without the others' columns, closer together: a number never moves to a
 * later place. */
fx_status fxi_fit_smo_cache_shrink(fxi_smo *d, const int32_t *to, size_t m)
{
    size_t retained = 0, old = d->stride, before = d->m;

    for (size_t k = 0; k < before; k++)
        d->slot[k] = -1;
    d->m = m;
    set_stride(d);
    for (size_t s = 0; s < d->used; s++) {
        const float *a = d->pool + s * old;
        float *b = d->pool + retained * d->stride;
        if (to[d->owner[s]] < 0)
            continue;
        if (fxi_parallel_cancelled(d->team))
            return FX_ECANCELLED;
        for (size_t k = 0; k < before; k++) {
            float v = a[k];             /* written on, unless it stays: no branch */
            *b = v;
            b += to[k] >= 0;
        }
        move(d, retained++, s, to[d->owner[s]]);
    }
    d->used = retained;
    return FX_OK;
}

/* Rows get the columns of variables m.. that join; where not all fit any longer, the
 * least recently used are evicted. */
fx_status fxi_fit_smo_cache_grow(fxi_smo *d, size_t m)
{
    size_t old = d->stride, before = d->m, retained = 0;
    const fx_matrix *X = d->p->source->X;
    float *to[FXI_SMO_SET];
    int32_t rows[FXI_SMO_SET];
    uint64_t min_stamp = 0;
    fx_status st = FX_OK;

    d->m = m;
    set_stride(d);
    if (d->used > d->slots) {           /* stamps of rows are at most the clock */
        uint64_t low = 0, high = d->clock;
        while (low < high) {            /* the smallest that lets enough go */
            uint64_t mid = low + (high - low) / 2;
            size_t stay = 0;
            for (size_t s = 0; s < d->used; s++)
                stay += d->stamp[s] > mid;
            if (stay <= d->slots)
                high = mid;
            else
                low = mid + 1;
        }
        min_stamp = low + 1;
    }
    for (size_t s = 0; s < d->used; s++) {
        int32_t owner = d->owner[s];
        d->slot[owner] = -1;
        if (d->stamp[s] < min_stamp)
            continue;
        if (fxi_parallel_cancelled(d->team))
            return FX_ECANCELLED;
        memmove(d->pool + retained * old, d->pool + s * old, before * sizeof *d->pool);
        move(d, retained++, s, owner);
    }
    d->used = retained;
    for (size_t s = retained; s-- > 0 && !fxi_parallel_cancelled(d->team);)
        memmove(d->pool + s * d->stride, d->pool + s * old, before * sizeof *d->pool);
    for (size_t s = 0; s < retained && !st; s += FXI_SMO_SET) {
        size_t n = retained - s < FXI_SMO_SET ? retained - s : FXI_SMO_SET;
        for (size_t q = 0; q < n; q++) {
            to[q] = d->pool + (s + q) * d->stride + before;
            rows[q] = d->row[d->owner[s + q]];
        }
        st = fxi_kernel_rows(to, d->p->kernel, (fxi_row_subset){X, d->row + before, m - before},
                             (fxi_row_subset){X, rows, n}, &d->run);
    }
    return st;
}
