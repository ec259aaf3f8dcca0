/* SPDX-License-Identifier: BSD-3-Clause
 * t_threadpool.c - every chunk once in every run, the same sums for any number of threads, also
 * after a pause in which workers have gone to sleep; runs of no and of one chunk. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>
#include <time.h>

enum { CHUNKS = 37, RUNS = 2000 };

typedef struct job {
    double x[CHUNKS], part[CHUNKS];
    int calls[CHUNKS];
    atomic_int wrong;
    int threads;
    double by;
} job;

static void add(void *ctx, size_t c, int worker)
{
    job *a = ctx;

    if (worker < 0 || worker >= a->threads || c >= CHUNKS)
        a->wrong++;
    a->calls[c]++;
    a->part[c] = a->x[c] * a->by;
    a->x[c] += 1. / (double)(c + 3);
}

static double work(int threads)
{
    static job a;
    fxi_threadpool *pool;
    fx_run run = {RUN, .threads = threads};
    double sum = 0;

    memset(&a, 0, sizeof a);
    a.threads = threads;
    CHECK(fxi_threadpool_new(&pool, &run) == FX_OK);
    for (int r = 0; r < RUNS; r++) {
        size_t chunks = (size_t)r % (CHUNKS + 1);
        a.by = 1 + sum * 1e-9;          /* what a run reads was written by the caller before it */
        if (r % 500 == 499)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        fxi_threadpool_run(pool, chunks, add, &a);
        for (size_t c = 0; c < chunks; c++)
            sum += a.part[c];
    }
    for (size_t c = 0; c < CHUNKS; c++) {
        int want = 0;
        for (int r = 0; r < RUNS; r++)
            want += (size_t)r % (CHUNKS + 1) > c;
        CHECK(a.calls[c] == want);
    }
    CHECK(a.wrong == 0);
    fxi_threadpool_free(pool);
    return sum;
}

int main(void)
{
    double one = work(1);

    CHECK(one > 0);
    for (int t = 2; t <= 5; t++)
        CHECK(work(t) == one);
    fxi_threadpool_free(NULL);
    return 0;
}
