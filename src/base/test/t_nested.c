/* SPDX-License-Identifier: BSD-3-Clause
 * t_nested.c - the runs of calls within a block: one thread or the caller's, its limit of memory,
 * stopped when it is; and the progress of a stage as a share of the whole call.
 *
 * Covers: parallel.c */

#include "base/base.h"
#include "base/test.h"

#include <time.h>

static int stopped(void *ctx, double done)
{
    (void)done;
    return *(int *)ctx;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const fx_run *run = ctx;
    fx_run how = fxi_parallel_nested(run, team), alone = fxi_parallel_alone(run, team);
    time_t end = time(NULL) + 10;

    (void)b;
    CHECK(how.threads == 1 && how.max_memory == (run ? run->max_memory : 0));
    CHECK(alone.threads == (run ? run->threads : 0) && alone.max_memory == how.max_memory);
    CHECK(!how.progress(how.ctx, 0));
    if (!run)
        return FX_OK;
    *(int *)run->ctx = 1;               /* the caller is polled 20 times a second */
    while (!how.progress(how.ctx, 0) && time(NULL) < end)
        ;
    CHECK(how.progress(how.ctx, 0) && alone.progress(alone.ctx, 0));
    return FX_OK;
}

static int note(void *ctx, double done)
{
    *(double *)ctx = done;
    return 0;
}

static void stages(void)
{
    double done = -1;
    fx_run run = {RUN, .threads = 3, .max_memory = 5, .progress = note, .ctx = &done};
    fxi_stage stage;
    fx_run how = fxi_parallel_stage(&stage, &run, 0.25, 0.5);

    CHECK(how.threads == 3 && how.max_memory == 5);
    CHECK(!how.progress(how.ctx, 0.5) && done == 0.5);
    how = fxi_parallel_stage(&stage, &run, 0.75, 0.5);
    CHECK(!how.progress(how.ctx, 1) && done == 1);      /* never beyond the end */
    how = fxi_parallel_stage(&stage, &run, 0, 0);
    stage.from = 0.125;
    CHECK(!how.progress(how.ctx, 1) && done == 0.125);
    CHECK(!fxi_parallel_stage(&stage, NULL, 0, 1).progress);
}

int main(void)
{
    int stop = 0;
    fx_run run = {RUN, .threads = 2, .max_memory = 12345, .progress = stopped, .ctx = &stop};

    test_init();
    stages();
    CHECK(fxi_parallel_ordered(1, block, NULL, NULL) == FX_OK);
    CHECK(fxi_parallel_ordered(1, block, &run, &run) == FX_ECANCELLED);
    return 0;
}
