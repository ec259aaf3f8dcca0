/* SPDX-License-Identifier: BSD-3-Clause
 * threadpool.c - threads that are given work every few microseconds, for a fit or a part of one.
 *
 * fxi_parallel starts threads for each call, which costs more than the work of one column.  Here
 * workers are started once.  Idle workers spin on an atomic word for a few microseconds, then
 * yield, then block on a condition variable.  Handing out work is one store for each worker, and
 * about one round trip of a cache line.
 *
 * Chunks are cut into one range for each worker, in order, so that a worker has the same rows in
 * every run; a worker that has finished takes from the ranges of others.  A word holds the number
 * of the run and how many chunks of the range are left; a chunk is taken by exchanging the word.
 * So the caller does all of the work itself if no worker could be started or none is scheduled, and
 * a late worker finds either nothing or the run in progress.  What fn reads is published by the
 * store of the words and stays until the last chunk taken has been counted. */

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* Spins before yielding (a few microseconds), and before sleeping (a few hundred). */
enum { SPIN = 2000, YIELD = 2400, LEFT_BITS = 32 };

typedef struct worker {
    _Alignas(64) atomic_uint_least64_t word;
    fxi_threadpool *pool;
    int number;
    pthread_t id;
} worker;

struct fxi_threadpool {
    _Alignas(64) atomic_size_t done;    /* chunks that helpers have finished */
    _Alignas(64) fxi_threadpool_chunk *fn;    /* of the run in progress, like what follows */
    void *ctx;
    size_t chunks;
    uint64_t number;
    atomic_int asleep;
    atomic_bool over;
    pthread_mutex_t lock;               /* of falling asleep and waking */
    pthread_cond_t wake;
    int workers, started;               /* with the caller; helpers */
    worker *worker;
};

static void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static size_t first_of(const fxi_threadpool *pool, int k)
{
    return pool->chunks * (size_t)k / (size_t)pool->workers;
}

/* Takes a chunk of worker k's range, its number to *chunk; false if none is left. */
static bool take(fxi_threadpool *pool, int k, size_t *chunk)
{
    atomic_uint_least64_t *at = &pool->worker[k].word;
    uint64_t word = atomic_load_explicit(at, memory_order_relaxed);

    while (word & UINT32_MAX)
        if (atomic_compare_exchange_weak(at, &word, word - 1)) {
            *chunk = first_of(pool, k + 1) - (size_t)(word & UINT32_MAX);
            return true;
        }
    return false;
}

/* Runs all chunks that are left, the worker's own first; returns how many it ran. */
static size_t work(fxi_threadpool *pool, int own)
{
    size_t chunk, n = 0;

    for (int k = 0; k < pool->workers; k++)
        while (take(pool, (own + k) % pool->workers, &chunk)) {
            pool->fn(pool->ctx, chunk, own);
            n++;
        }
    return n;
}

static void sleep_until(fxi_threadpool *pool, const atomic_uint_least64_t *word, uint64_t seen)
{
    pthread_mutex_lock(&pool->lock);
    pool->asleep++;
    while (*word == seen && !pool->over)
        pthread_cond_wait(&pool->wake, &pool->lock);
    pool->asleep--;
    pthread_mutex_unlock(&pool->lock);
}

static void *help(void *arg)
{
    worker *me = arg;
    fxi_threadpool *pool = me->pool;
    uint64_t seen = 0;

    for (int spins = 0; !atomic_load_explicit(&pool->over, memory_order_relaxed);) {
        uint64_t word = atomic_load_explicit(&me->word, memory_order_acquire);
        if (word >> LEFT_BITS != seen >> LEFT_BITS) {
            size_t n = work(pool, me->number);
            if (n)
                pool->done += n;
            seen = word;
            spins = 0;
        } else if (spins++ < SPIN)
            relax();
        else if (spins < YIELD)
            sched_yield();
        else
            sleep_until(pool, &me->word, word);
    }
    return NULL;
}

fx_status fxi_threadpool_new(fxi_threadpool **out, const fx_run *run)
{
    fxi_threadpool *pool = fxi_zalloc(1, sizeof *pool);
    int workers = fxi_parallel_threads(run, SIZE_MAX);

    if (!pool)
        return FX_ENOMEM;
    if (!(pool->worker = fxi_zalloc((size_t)workers, sizeof *pool->worker))) {
        free(pool);
        return FX_ENOMEM;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->workers = workers;
    for (int k = 0; k < workers; k++) {
        pool->worker[k].pool = pool;
        pool->worker[k].number = k;
    }
    while (pool->started < workers - 1) { /* no thread: fewer workers, same result */
        worker *m = &pool->worker[pool->started + 1];
        if (pthread_create(&m->id, NULL, help, m))
            break;
        pool->started++;
    }
    *out = pool;
    return FX_OK;
}

int fxi_threadpool_workers(const fxi_threadpool *pool) { return pool->started + 1; }

void fxi_threadpool_run(fxi_threadpool *pool, size_t chunks, fxi_threadpool_chunk *fn, void *ctx)
{
    if (!pool->started || chunks < 2 || chunks > UINT32_MAX) {
        for (size_t c = 0; c < chunks; c++)
            fn(ctx, c, 0);
        return;
    }
    pool->fn = fn;
    pool->ctx = ctx;
    pool->chunks = chunks;
    pool->number++;
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    for (int k = pool->workers; k-- > 0;) {
        uint64_t left = first_of(pool, k + 1) - first_of(pool, k);
        /* The last store must not be reordered with the load of asleep. */
        atomic_store_explicit(&pool->worker[k].word, pool->number << LEFT_BITS | left,
                              k ? memory_order_release : memory_order_seq_cst);
    }
    if (pool->asleep) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    size_t left = chunks - work(pool, 0);
    for (int spins = 0; pool->done != left; spins++)
        if (spins < SPIN)
            relax();
        else
            sched_yield();
}

void fxi_threadpool_free(fxi_threadpool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->over = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 1; k <= pool->started; k++)
        pthread_join(pool->worker[k].id, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool->worker);
    free(pool);
}
