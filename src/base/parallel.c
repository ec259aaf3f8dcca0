/* SPDX-License-Identifier: BSD-3-Clause
 * parallel.c - one loop over blocks, on threads that live for the call.
 *
 * Threads take the next block number from a counter; what a block computes depends on its number
 * alone, so results are the same for any number of threads, and no thread outlives the call, so a
 * fork is safe.  Blocks are handed out in ascending order, so when block b fails every block before
 * it has been started and will finish: the smallest failing number is the one that a single thread
 * would have reached first.
 *
 * The calling thread is thread 0: it works like the others and alone reports progress. */

#define _GNU_SOURCE                     /* sched_getaffinity */
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 1024, DETAIL = 512 };

typedef struct shared {
    fxi_block *fn;
    void *ctx;
    fx_run run;
    size_t blocks;
    atomic_size_t next, done;
    atomic_size_t limit;                /* blocks from here on are not started */
    atomic_bool cancelled;
    pthread_mutex_t lock;               /* of what follows */
    pthread_cond_t left;
    int working;                        /* threads other than the caller's */
    fx_status status;                   /* of block `failed` */
    size_t failed;
    char *detail;                       /* [DETAIL] */
} shared;

struct fxi_team {
    shared *all;
    int thread;
    double polled;                      /* thread 0: time of the last call of progress; 0: not
                                         * called yet, so many short calls leave no gap */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool fxi_parallel_cancelled(fxi_team *team)
{
    shared *all = team->all;

    if (team->thread == 0 && all->run.progress) {
        double t = now();
        if (t - team->polled > 0.05) {
            team->polled = t;
            if (all->run.progress(all->run.ctx, (double)all->done / (double)all->blocks))
                all->cancelled = true;
        }
    }
    return all->cancelled;
}

int fxi_parallel_thread(const fxi_team *team) { return team->thread; }

int fxi_parallel_threads(const fx_run *run, size_t blocks)
{
    int n = fxi_sized_run(run).threads;
    cpu_set_t set;

    if (blocks <= 1)                    /* without a system call */
        return (int)blocks;
    if (n <= 0)
        n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    if (n > THREADS_MAX)
        n = THREADS_MAX;
    return (size_t)n > blocks ? (int)blocks : n;
}

fx_run fxi_parallel_run(const fx_run *run, double work)
{
    fx_run how = fxi_sized_run(run);

    if (work < 1e6)
        how.threads = 1;
    return how;
}

static int poll_team(void *ctx, double done)
{
    (void)done;
    return fxi_parallel_cancelled(ctx);
}

fx_run fxi_parallel_alone(const fx_run *run, fxi_team *team)
{
    fx_run how = fxi_sized_run(run);

    how.progress = poll_team;
    how.ctx = team;
    if (team->thread)                   /* steps are for the thread that calls progress */
        how.step = NULL;
    return how;
}

fx_run fxi_parallel_nested(const fx_run *run, fxi_team *team)
{
    fx_run how = fxi_parallel_alone(run, team);

    how.threads = 1;
    return how;
}

static int report_stage(void *ctx, double done)
{
    const fxi_stage *s = ctx;

    return s->run.progress(s->run.ctx, fmin(1, s->from + s->share * done));
}

fx_run fxi_parallel_stage(fxi_stage *stage, const fx_run *run, double from, double share)
{
    fx_run how = fxi_sized_run(run);

    *stage = (fxi_stage){how, from, share};
    if (how.progress) {
        how.progress = report_stage;
        how.ctx = stage;
    }
    return how;
}

static void record(shared *all, size_t block, fx_status s)
{
    pthread_mutex_lock(&all->lock);
    if (block < all->failed) {
        all->failed = block;
        all->status = s;
        snprintf(all->detail, DETAIL, "%s", fx_error_detail());
        all->limit = block;
    }
    pthread_mutex_unlock(&all->lock);
}

static void work(fxi_team *team)
{
    shared *all = team->all;

    for (;;) {
        if (fxi_parallel_cancelled(team))
            return;
        size_t block = all->next++;
        if (block >= all->limit)
            return;
        fx_status s = all->fn(all->ctx, block, team);
        if (s < 0)
            record(all, block, s);
        all->done++;
    }
}

static void *thread_main(void *arg)
{
    fxi_team *team = arg;
    shared *all = team->all;

    work(team);
    pthread_mutex_lock(&all->lock);
    all->working--;
    pthread_cond_signal(&all->left);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Wait for the others, still calling progress. */
static void finish(fxi_team *team)
{
    shared *all = team->all;

    pthread_mutex_lock(&all->lock);
    while (all->working) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 50000000;
        if (t.tv_nsec >= 1000000000) {
            t.tv_nsec -= 1000000000;
            t.tv_sec++;
        }
        pthread_cond_timedwait(&all->left, &all->lock, &t);
        pthread_mutex_unlock(&all->lock);
        fxi_parallel_cancelled(team);
        pthread_mutex_lock(&all->lock);
    }
    pthread_mutex_unlock(&all->lock);
}

/* Starts threads; no memory or no thread: fewer workers, same result. */
static int start(pthread_t *id, fxi_team *team, int threads, shared *all)
{
    int started = 0;

    while (started < threads - 1) {
        team[started] = (fxi_team){all, started + 1, 0};
        pthread_mutex_lock(&all->lock);
        all->working++;
        pthread_mutex_unlock(&all->lock);
        if (pthread_create(&id[started], NULL, thread_main, &team[started])) {
            pthread_mutex_lock(&all->lock);
            all->working--;
            pthread_mutex_unlock(&all->lock);
            break;
        }
        started++;
    }
    return started;
}

/* The calling thread and others. */
static void work_together(fxi_team *caller, int threads)
{
    shared *all = caller->all;
    fxi_team *team = fxi_alloc((size_t)threads, sizeof *team);
    pthread_t *id = fxi_alloc((size_t)threads, sizeof *id);
    int started = team && id ? start(id, team, threads, all) : 0;

    work(caller);
    finish(caller);
    for (int i = 0; i < started; i++)
        pthread_join(id[i], NULL);
    free(team);
    free(id);
}

fx_status fxi_parallel(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run)
{
    int threads = fxi_parallel_threads(run, blocks);
    char detail[DETAIL];                /* not zeroed: many calls are of microseconds */
    shared all = {.fn = fn, .ctx = ctx, .run = fxi_sized_run(run), .blocks = blocks,
                  .limit = blocks, .lock = PTHREAD_MUTEX_INITIALIZER,
                  .left = PTHREAD_COND_INITIALIZER, .failed = SIZE_MAX, .detail = detail};
    fxi_team caller = {&all, 0, 0};
    fx_status st = fxi_sized_run_check(run);

    if (st || blocks == 0)
        return st;
    if (threads > 1)
        work_together(&caller, threads);
    else
        work(&caller);
    pthread_cond_destroy(&all.left);
    pthread_mutex_destroy(&all.lock);
    if (all.cancelled)
        return fxi_error(FX_ECANCELLED, "stopped after %zu of %zu parts", (size_t)all.done, blocks);
    if (all.failed != SIZE_MAX)
        return fxi_error(all.status, "%s", detail);
    return FX_OK;
}

fx_status fxi_parallel_ordered(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run)
{
    fx_run one = fxi_sized_run(run);

    one.threads = 1;
    return fxi_parallel(blocks, fn, ctx, &one);
}
