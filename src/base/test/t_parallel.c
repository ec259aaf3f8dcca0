/* SPDX-License-Identifier: BSD-3-Clause
 * t_parallel.c - every block once, the same result for any number of threads, the first failure
 * wins, progress and cancellation in time, fork.  (Threads that cannot be started: tests/oom.)
 *
 * Times are promises about this code, not about a busy machine's scheduler, so a timed check may
 * try TRIES times and must hold once. */

#include "base/base.h"
#include "base/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 200, TRIES = 8 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(long milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

typedef struct square {
    double out[BLOCKS];
    atomic_int calls[BLOCKS];
    int threads;
} square;

static fx_status square_block(void *ctx, size_t block, fxi_team *team)
{
    square *s = ctx;
    int thread = fxi_parallel_thread(team);

    CHECK(thread >= 0 && thread < s->threads);
    s->calls[block]++;
    s->out[block] = sqrt((double)block) * (double)(block + 1);
    return FX_OK;
}

static void same_for_any_threads(void)
{
    static square s, one;

    for (int t = 1; t <= 8; t++) {
        memset(&s, 0, sizeof s);
        s.threads = t;
        fx_run run = {RUN, .threads = t};
        CHECK(fxi_parallel_threads(&run, BLOCKS) == t);
        CHECK(fxi_parallel_threads(&run, 3) == (t < 3 ? t : 3));
        CHECK(fxi_parallel(BLOCKS, square_block, &s, &run) == FX_OK);
        for (size_t b = 0; b < BLOCKS; b++)
            CHECK(s.calls[b] == 1);
        if (t == 1)
            one = s;
        CHECK(!memcmp(s.out, one.out, sizeof s.out));
    }
    memset(&s, 0, sizeof s);
    s.threads = fxi_parallel_threads(NULL, BLOCKS);
    CHECK(s.threads >= 1);
    CHECK(fxi_parallel(0, square_block, &s, NULL) == FX_OK && s.calls[0] == 0);
    CHECK(fxi_parallel(BLOCKS, square_block, &s, NULL) == FX_OK);
    CHECK(!memcmp(s.out, one.out, sizeof s.out));
    CHECK(fxi_parallel_threads(&(fx_run){RUN, .threads = 1 << 30}, SIZE_MAX) == 1024);
}

static fx_status fails(void *ctx, size_t block, fxi_team *team)
{
    const size_t *first = ctx;

    (void)team;
    if (block == *first)
        nap(2);                     /* a later failure is met first */
    if (block >= *first && block % 3 == *first % 3)
        return fxi_error(block == *first ? FX_EDOMAIN : FX_ESHAPE, "block %zu", block);
    return FX_OK;
}

static void first_failure_wins(void)
{
    for (int threads = 1; threads <= 8; threads++)
        for (size_t first = 0; first < BLOCKS; first += 13) {
            char want[32];
            snprintf(want, sizeof want, "block %zu", first);
            CHECK(fxi_parallel(BLOCKS, fails, &first, &(fx_run){RUN, .threads = threads})
                  == FX_EDOMAIN);
            CHECK(!strcmp(fx_error_detail(), want));
        }
}

/* Progress: times between calls, the thread that calls, what it is told. */
typedef struct watch {
    pthread_t caller;
    double started, last, widest, stop_after, stopped, share;
    int calls;
} watch;

static int watching(void *ctx, double done)
{
    watch *w = ctx;
    double t = now();

    CHECK(pthread_equal(w->caller, pthread_self()));
    CHECK(done >= w->share && done <= 1);
    w->share = done;
    w->widest = fmax(w->widest, t - w->last);
    w->last = t;
    w->calls++;
    if (t - w->started < w->stop_after)
        return 0;
    if (w->stopped == 0)
        w->stopped = t;
    return 1;
}

static fx_status slow(void *ctx, size_t block, fxi_team *team)
{
    const double *seconds = ctx;

    (void)block;
    for (double end = now() + *seconds; now() < end && !fxi_parallel_cancelled(team);)
        nap(2);
    return FX_OK;
}

static watch watched(size_t blocks, double seconds, int threads, double stop_after, fx_status want)
{
    watch w = {.caller = pthread_self(), .started = now(), .last = now(),
               .stop_after = stop_after};

    fx_status s = fxi_parallel(blocks, slow, &seconds,
                               &(fx_run){RUN, .threads = threads, .progress = watching, .ctx = &w});
    CHECK(s == want);
    w.widest = fmax(w.widest, now() - w.last);
    return w;
}

/* The caller's block ends at once, another thread's goes on: the caller waits, and still asks. */
static fx_status uneven(void *ctx, size_t block, fxi_team *team)
{
    atomic_int *entered = ctx;

    (void)block;
    atomic_fetch_add(entered, 1);
    for (double end = now() + 5; atomic_load(entered) < 2 && now() < end;)
        nap(1);                         /* both threads have a block */
    if (fxi_parallel_thread(team) != 0)
        nap(400);
    return FX_OK;
}

static void progress_while_waiting(void)
{
    int held = 0;

    for (int i = 0; i < TRIES && !held; i++) {
        watch w = {.caller = pthread_self(), .started = now(), .last = now(), .stop_after = 1e9};
        atomic_int entered = 0;
        CHECK(fxi_parallel(2, uneven, &entered,
                           &(fx_run){RUN, .threads = 2, .progress = watching, .ctx = &w})
              == FX_OK);
        held = w.calls >= 3 && w.widest < 0.2;
    }
    CHECK(held);
}

static void progress_in_time(void)
{
    static const struct { size_t blocks; double seconds; int threads; } cases[] = {
        {1, 0.4, 1},                    /* one long block that polls */
        {100, 0.004, 1},                /* many short ones */
        {100, 0.008, 2},
        {3, 0.2, 2}};                   /* the caller waits for another thread's block */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int held = 0;
        for (int i = 0; i < TRIES && !held; i++) {
            watch w = watched(cases[c].blocks, cases[c].seconds, cases[c].threads, 1e9, FX_OK);
            held = w.calls >= 2 && w.widest < 0.1;
        }
        CHECK(held);
    }
}

static void cancelled_in_time(void)
{
    for (int threads = 1; threads <= 4; threads *= 2) {
        int held = 0;
        for (int i = 0; i < TRIES && !held; i++) {
            watch w = watched(1000, 0.5, threads, 0.1, FX_ECANCELLED);
            CHECK(strstr(fx_error_detail(), "of 1000 parts"));
            held = w.stopped > 0 && now() - w.stopped < 0.1;
        }
        CHECK(held);
    }
}

static fx_status in_order(void *ctx, size_t block, fxi_team *team)
{
    size_t *next = ctx;

    CHECK(block == (*next)++ && fxi_parallel_thread(team) == 0);
    return block == 150 ? fxi_error(FX_EDOMAIN, "here") : FX_OK;
}

static void ordered(void)
{
    size_t next = 0;

    CHECK(fxi_parallel_ordered(100, in_order, &next, &(fx_run){RUN, .threads = 8}) == FX_OK);
    CHECK(next == 100);
    next = 0;
    CHECK(fxi_parallel_ordered(BLOCKS, in_order, &next, NULL) == FX_EDOMAIN && next == 151);
}

/* Nothing survives a call, so a child forked afterwards (or from a host with threads of its own)
 * can run one too. */
static void after_fork(void)
{
    static square s;
    fx_run run = {RUN, .threads = s.threads = 4};

    CHECK(fxi_parallel(BLOCKS, square_block, &s, &run) == FX_OK);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        bool done = fxi_parallel(BLOCKS, square_block, &s, &run) == FX_OK;
        _exit(done && s.calls[BLOCKS - 1] == 2 ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A call inside a block: the inner loop has its own team. */
static fx_status nested(void *ctx, size_t block, fxi_team *team)
{
    square *s = ctx;

    (void)team;
    memset(&s[block], 0, sizeof *s);
    s[block].threads = 2;
    return fxi_parallel(BLOCKS, square_block, &s[block], &(fx_run){RUN, .threads = 2});
}

int main(void)
{
    static square s[4];

    test_init();
    same_for_any_threads();
    first_failure_wins();
    ordered();
    progress_while_waiting();
    progress_in_time();
    cancelled_in_time();
    after_fork();
    CHECK(fxi_parallel(4, nested, s, &(fx_run){RUN, .threads = 2}) == FX_OK);
    for (size_t b = 0; b < BLOCKS; b++)
        CHECK(s[3].calls[b] == 1 && s[3].out[b] == s[0].out[b]);
    return 0;
}
