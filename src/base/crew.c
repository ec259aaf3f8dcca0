/* SPDX-License-Identifier: BSD-3-Clause
 * crew.c - threads that live for one fit and are given work every few microseconds.
 *
 * fxi_parallel starts threads for each call, which costs more than the work of one column.  Here
 * helpers are started once and wait: they look at their word for some microseconds, then let others
 * run between looks, then sleep.  Handing out work is one store for each member, and about one
 * journey of a cache line there and back.
 *
 * Chunks are cut into one range for each member, in order, so that a member meets the same rows in
 * every run; whoever has finished takes from the ranges of others.  A word holds the number of the
 * run and how many chunks of the range are left; a chunk is taken by exchanging the word.  So the
 * caller does all of the work itself where no helper could be started or none is scheduled, and a
 * helper that looks late finds either nothing or the run that is under way.  What fn reads is
 * published by the store of the words and stays until the last chunk taken has been counted. */

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* Looks before others are let run, and before sleep: some microseconds, some hundred. */
enum { SPIN = 2000, YIELD = 2400, LEFT_BITS = 32 };

typedef struct member {
    _Alignas(64) atomic_uint_least64_t word;
    fxi_crew *crew;
    int number;
    pthread_t id;
} member;

struct fxi_crew {
    _Alignas(64) atomic_size_t done;    /* chunks that helpers have finished */
    _Alignas(64) fxi_crew_chunk *fn;    /* of the run under way, as is what follows */
    void *ctx;
    size_t chunks;
    uint64_t number;
    atomic_int asleep;
    atomic_bool over;
    pthread_mutex_t lock;               /* of falling asleep and waking */
    pthread_cond_t wake;
    int members, started;               /* with the caller; helpers */
    member *member;
};

static void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static size_t first_of(const fxi_crew *crew, int k)
{
    return crew->chunks * (size_t)k / (size_t)crew->members;
}

/* A chunk of member k's range?  Its number to *chunk. */
static bool take(fxi_crew *crew, int k, size_t *chunk)
{
    atomic_uint_least64_t *at = &crew->member[k].word;
    uint64_t word = atomic_load_explicit(at, memory_order_relaxed);

    while (word & UINT32_MAX)
        if (atomic_compare_exchange_weak(at, &word, word - 1)) {
            *chunk = first_of(crew, k + 1) - (size_t)(word & UINT32_MAX);
            return true;
        }
    return false;
}

/* All that is left to be taken, one's own first; how many chunks that were. */
static size_t work(fxi_crew *crew, int own)
{
    size_t chunk, n = 0;

    for (int k = 0; k < crew->members; k++)
        while (take(crew, (own + k) % crew->members, &chunk)) {
            crew->fn(crew->ctx, chunk, own);
            n++;
        }
    return n;
}

static void sleep_until(fxi_crew *crew, const atomic_uint_least64_t *word, uint64_t seen)
{
    pthread_mutex_lock(&crew->lock);
    crew->asleep++;
    while (*word == seen && !crew->over)
        pthread_cond_wait(&crew->wake, &crew->lock);
    crew->asleep--;
    pthread_mutex_unlock(&crew->lock);
}

static void *help(void *arg)
{
    member *me = arg;
    fxi_crew *crew = me->crew;
    uint64_t seen = 0;

    for (int looks = 0; !atomic_load_explicit(&crew->over, memory_order_relaxed);) {
        uint64_t word = atomic_load_explicit(&me->word, memory_order_acquire);
        if (word >> LEFT_BITS != seen >> LEFT_BITS) {
            size_t n = work(crew, me->number);
            if (n)
                crew->done += n;
            seen = word;
            looks = 0;
        } else if (looks++ < SPIN)
            relax();
        else if (looks < YIELD)
            sched_yield();
        else
            sleep_until(crew, &me->word, word);
    }
    return NULL;
}

fx_status fxi_crew_new(fxi_crew **out, const fx_run *run)
{
    fxi_crew *crew = fxi_zalloc(1, sizeof *crew);
    int members = fxi_parallel_threads(run, SIZE_MAX);

    if (!crew)
        return FX_ENOMEM;
    if (!(crew->member = fxi_zalloc((size_t)members, sizeof *crew->member))) {
        free(crew);
        return FX_ENOMEM;
    }
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    crew->members = members;
    for (int k = 0; k < members; k++) {
        crew->member[k].crew = crew;
        crew->member[k].number = k;
    }
    while (crew->started < members - 1) { /* no thread: fewer hands, same result */
        member *m = &crew->member[crew->started + 1];
        if (pthread_create(&m->id, NULL, help, m))
            break;
        crew->started++;
    }
    *out = crew;
    return FX_OK;
}

int fxi_crew_members(const fxi_crew *crew) { return crew->started + 1; }

void fxi_crew_run(fxi_crew *crew, size_t chunks, fxi_crew_chunk *fn, void *ctx)
{
    if (!crew->started || chunks < 2 || chunks > UINT32_MAX) {
        for (size_t c = 0; c < chunks; c++)
            fn(ctx, c, 0);
        return;
    }
    crew->fn = fn;
    crew->ctx = ctx;
    crew->chunks = chunks;
    crew->number++;
    atomic_store_explicit(&crew->done, 0, memory_order_relaxed);
    for (int k = crew->members; k-- > 0;) {
        uint64_t left = first_of(crew, k + 1) - first_of(crew, k);
        /* The last store and the look at asleep must not change places. */
        atomic_store_explicit(&crew->member[k].word, crew->number << LEFT_BITS | left,
                              k ? memory_order_release : memory_order_seq_cst);
    }
    if (crew->asleep) {
        pthread_mutex_lock(&crew->lock);
        pthread_cond_broadcast(&crew->wake);
        pthread_mutex_unlock(&crew->lock);
    }
    size_t left = chunks - work(crew, 0);
    for (int looks = 0; crew->done != left; looks++)
        if (looks < SPIN)
            relax();
        else
            sched_yield();
}

void fxi_crew_free(fxi_crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->over = true;
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
    for (int k = 1; k <= crew->started; k++)
        pthread_join(crew->member[k].id, NULL);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
    free(crew->member);
    free(crew);
}
