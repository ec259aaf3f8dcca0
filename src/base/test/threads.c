/* SPDX-License-Identifier: BSD-3-Clause
 * threads.c - makes threads work in tests, whose rows are few.  Linked into every unit test, with
 * the linker's --wrap around the functions that give out work:
 *
 *   fxi_parallel_run   leaves a number of threads that was asked for as it is
 *   fxi_parallel       the caller's first block waits until another thread has begun one
 *   fxi_threadpool_run       the same, once for each question test_helped()
 *
 * So a test that compares 1 with 3 threads compares just that; test_helped() proves it.  Waiting
 * ends after ten seconds: then no thread could be started, and test_helped() says so. */

#include "base/base.h"
#include "base/test.h"

#include <sched.h>
#include <time.h>

static atomic_bool helped, pool_helped;

bool test_helped(void)
{
    pool_helped = false;
    return atomic_exchange(&helped, false);
}

static void wait_for(const atomic_bool *other)
{
    static atomic_bool in_vain;         /* once is enough: the test is about to fail */
    const time_t end = time(NULL) + 10;

    while (!*other && !in_vain) {
        sched_yield();
        in_vain = time(NULL) >= end;
    }
}

fx_run __real_fxi_parallel_run(const fx_run *run, double work);
fx_run __wrap_fxi_parallel_run(const fx_run *run, double work);
fx_run __wrap_fxi_parallel_run(const fx_run *run, double work)
{
    fx_run own = fxi_sized_run(run);

    return own.threads > 1 ? own : __real_fxi_parallel_run(run, work);
}

typedef struct loop {
    fxi_block *fn;
    fxi_threadpool_chunk *chunk;
    void *ctx;
    bool several, asked;                /* threads there are; threads that the test asked for */
    atomic_bool other;                  /* one that is not the caller's is at work */
} loop;

static void arrive(loop *l, int thread)
{
    if (thread) {
        l->other = true;
        if (l->asked)
            helped = true;
    } else if (l->several)
        wait_for(&l->other);
}

static fx_status block_of(void *ctx, size_t block, fxi_team *team)
{
    loop *l = ctx;

    arrive(l, fxi_parallel_thread(team));
    return l->fn(l->ctx, block, team);
}

fx_status __real_fxi_parallel(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run);
fx_status __wrap_fxi_parallel(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run);
fx_status __wrap_fxi_parallel(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run)
{
    loop l = {.fn = fn, .ctx = ctx, .several = fxi_parallel_threads(run, blocks) > 1,
              .asked = run && run->threads > 1};

    return __real_fxi_parallel(blocks, block_of, &l, run);
}

static void chunk_of(void *ctx, size_t chunk, int worker)
{
    loop *l = ctx;

    if (worker)
        pool_helped = true;
    arrive(l, worker);
    l->chunk(l->ctx, chunk, worker);
}

void __real_fxi_threadpool_run(fxi_threadpool *pool, size_t chunks, fxi_threadpool_chunk *fn,
                               void *ctx);
void __wrap_fxi_threadpool_run(fxi_threadpool *pool, size_t chunks, fxi_threadpool_chunk *fn,
                               void *ctx);
void __wrap_fxi_threadpool_run(fxi_threadpool *pool, size_t chunks, fxi_threadpool_chunk *fn,
                               void *ctx)
{
    loop l = {.chunk = fn, .ctx = ctx, .asked = true,
              .several = chunks > 1 && fxi_threadpool_workers(pool) > 1 && !pool_helped};

    __real_fxi_threadpool_run(pool, chunks, chunk_of, &l);
}
