/* SPDX-License-Identifier: BSD-3-Clause
 * t_fit.c - the run of a call within a block: one thread, the caller's limit of memory, and it is
 * stopped when the caller is. */

#include "base/test.h"
#include "fit/fit.h"

#include <time.h>

static int stopped(void *ctx, double done)
{
    (void)done;
    return *(int *)ctx;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const fx_run *run = ctx;
    fx_run how = fxi_fit_nested(run, team);
    time_t end = time(NULL) + 10;

    (void)b;
    CHECK(how.threads == 1 && how.max_memory == (run ? run->max_memory : 0));
    CHECK(!how.progress(how.ctx, 0));
    if (!run)
        return FX_OK;
    *(int *)run->ctx = 1;               /* the caller is polled 20 times a second */
    while (!how.progress(how.ctx, 0) && time(NULL) < end)
        ;
    CHECK(how.progress(how.ctx, 0));
    return FX_OK;
}

int main(void)
{
    int stop = 0;
    fx_run run = {.threads = 2, .max_memory = 12345, .progress = stopped, .ctx = &stop};

    test_init();
    CHECK(fxi_parallel_ordered(1, block, NULL, NULL) == FX_OK);
    CHECK(fxi_parallel_ordered(1, block, &run, &run) == FX_ECANCELLED);
    return 0;
}
