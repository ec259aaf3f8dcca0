/* SPDX-License-Identifier: BSD-3-Clause
 * scratch.c - memory for the duration of a call, reused by the next one.
 *
 * Pieces are cut off a block, one after the other, and released all at once.  If a call needed
 * several blocks, they are freed when it ends, and the next call begins with one of their size:
 * from then on calls like it allocate nothing.  Memory is zeroed when it is allocated, not when it
 * is taken again.
 *
 * A pool has one scratch for each thread that is inside at the same time.  They form a list that
 * only grows: a thread takes the one it had before, else any that is free, else adds one. */

#include "base/base.h"

#include <stdlib.h>

enum { ALIGNED = 64, SMALLEST = 4096 };

struct fxi_scratch_block {
    _Alignas(ALIGNED) fxi_scratch_block *older;
    size_t size;                        /* bytes that follow this struct */
};

static bool add_block(fxi_scratch *s, size_t bytes)
{
    fxi_scratch_block *b;
    size_t size = bytes < s->wanted ? s->wanted : bytes, all;

    size = size < SMALLEST ? SMALLEST : size;
    if (!fxi_size_add(&all, size, sizeof *b))
        all = SIZE_MAX;
    if (!(b = fxi_zalloc(all, 1)))
        return false;
    b->older = s->block;
    b->size = size;
    s->block = b;
    s->wanted = 0;
    s->total += size;
    s->used = 0;
    return true;
}

void *fxi_scratch_take(fxi_scratch *s, size_t n, size_t size)
{
    size_t bytes;

    if (!fxi_size_mul(&bytes, n, size) || !fxi_size_add(&bytes, bytes, ALIGNED - 1))
        return fxi_alloc(SIZE_MAX, 1);  /* sets the error */
    bytes &= ~(size_t)(ALIGNED - 1);
    if ((!s->block || s->block->size - s->used < bytes) && !add_block(s, bytes))
        return NULL;
    s->used += bytes;
    return (char *)(s->block + 1) + s->used - bytes;
}

void fxi_scratch_free(fxi_scratch *s)
{
    while (s->block) {
        fxi_scratch_block *b = s->block;
        s->block = b->older;
        free(b);
    }
    s->total = s->used = 0;
}

void fxi_scratch_reset(fxi_scratch *s)
{
    size_t total = s->total;

    s->used = 0;
    if (!s->block || !s->block->older)
        return;
    fxi_scratch_free(s);
    s->wanted = total;
}

void *fxi_scratch_release(fxi_scratch *s)
{
    fxi_scratch_block *b = s->block;

    if (b)
        s->block = b->older;
    return b;
}

/* ---- Pools ------------------------------------------------------------------------------- */

struct fxi_scratch_pool {
    _Atomic(fxi_scratch *) first;
};

static _Thread_local char self;         /* its address tells threads apart */

fxi_scratch_pool *fxi_scratch_pool_new(void) { return fxi_zalloc(1, sizeof(fxi_scratch_pool)); }

void fxi_scratch_pool_free(fxi_scratch_pool *pool)
{
    fxi_scratch *s = pool ? pool->first : NULL;

    while (s) {
        fxi_scratch *next = s->next;
        fxi_scratch_free(s);
        free(s);
        s = next;
    }
    free(pool);
}

static bool occupy(fxi_scratch *s) { return !s->busy && !atomic_exchange(&s->busy, true); }

fxi_scratch *fxi_scratch_enter(fxi_scratch_pool *pool)
{
    fxi_scratch *first = pool->first, *s;

    for (s = first; s; s = s->next)
        if (s->thread == &self && occupy(s))
            return s;
    for (s = first; s; s = s->next)
        if (occupy(s)) {
            s->thread = &self;
            return s;
        }
    if (!(s = fxi_zalloc(1, sizeof *s)))
        return NULL;
    s->busy = true;
    s->thread = &self;
    s->next = first;
    while (!atomic_compare_exchange_weak(&pool->first, &s->next, s))
        ;
    return s;
}

void fxi_scratch_leave(fxi_scratch *s)
{
    if (!s)
        return;
    fxi_scratch_reset(s);
    s->busy = false;
}
