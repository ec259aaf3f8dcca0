/* SPDX-License-Identifier: BSD-3-Clause
 * each.c - several fits on one source: in parallel, each on one thread, where features are stored
 * and memory allows; else one after the other, each on all threads.  Neither changes a result. */

#include "train/train.h"

typedef struct jobs {
    fxi_train_job *fn;
    void *ctx;
    fx_run run;
    size_t n, now;                      /* jobs; one after the other: which */
    double done;                        /* share of that one */
} jobs;

static fx_status one(void *ctx, size_t b, fxi_team *team)
{
    const jobs *j = ctx;
    fx_run how = fxi_parallel_nested(&j->run, team);

    return j->fn(j->ctx, b, NULL, &how);
}

/* Ignores `part`: the progress of a loop inside a job is not the job's share. */
static int report(void *ctx, double part)
{
    const jobs *j = ctx;

    (void)part;
    return j->run.progress(j->run.ctx, ((double)j->now + j->done) / (double)j->n);
}

void fxi_train_each_share(fxi_train *t, size_t n, const fx_run *run)
{
    int threads = fxi_parallel_threads(run, n);

    if ((uint64_t)threads > t->max_at_once)
        threads = (int)t->max_at_once;
    t->at_once = n > 1 && threads > 1 ? threads : 1;
}

fx_status fxi_train_each(fxi_train *t, size_t n, fxi_train_job *fn, void *ctx, const fx_run *run)
{
    fx_run how = fxi_sized_run(run);
    jobs j = {fn, ctx, how, n, 0, 0};
    fx_status st = FX_OK;

    fxi_train_each_share(t, n, run);
    if (t->at_once > 1) {
        how.threads = t->at_once;
        return fxi_parallel(n, one, &j, &how);
    }
    if (how.progress) {
        how.progress = report;
        how.ctx = &j;
    }
    for (; j.now < n && !st; j.now++) {
        j.done = 0;
        st = fn(ctx, j.now, &j.done, &how);
    }
    return st;
}
