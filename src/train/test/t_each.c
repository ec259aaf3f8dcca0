/* SPDX-License-Identifier: BSD-3-Clause
 * t_each.c - every job runs once, in parallel or in turn; progress is the share of all jobs; the
 * first failure ends it. */
#include "base/test.h"
#include "train/train.h"

enum { JOBS = 7 };

typedef struct calls {
    _Atomic int ran[JOBS];
    size_t failing;                     /* JOBS: none */
    double last;
    int reports;
} calls;

static fx_status job(void *ctx, size_t k, double *done, const fx_run *run)
{
    calls *c = ctx;

    c->ran[k]++;
    if (done && run->progress) {        /* in turn: the job tells its share */
        *done = 0.5;
        run->progress(run->ctx, 0.25);
        CHECK(c->last == ((double)k + 0.5) / JOBS);
    }
    return k == c->failing ? fxi_error(FX_EINVAL, "job %zu", k) : FX_OK;
}

static int report(void *ctx, double part)
{
    calls *c = ctx;

    c->last = part;
    c->reports++;
    return 0;
}

int main(void)
{
    test_init();
    for (uint64_t allowed = 1; allowed <= 3; allowed++)
        for (size_t failing = JOBS - 3; failing <= JOBS; failing++) {
            fxi_train t = {.max_at_once = allowed};
            calls c = {.failing = failing};
            fx_run run = {RUN, .threads = 3, .progress = report, .ctx = &c};
            fx_status st = fxi_train_each(&t, JOBS, job, &c, &run);
            CHECK(st == (failing < JOBS ? FX_EINVAL : FX_OK) && t.at_once == (int)allowed);
            for (size_t k = 0; k < JOBS; k++)
                CHECK(c.ran[k] == 1 || (k > failing && c.ran[k] == 0));
            CHECK(allowed > 1
                  || (c.reports == (int)(failing < JOBS ? failing + 1 : JOBS)
                      && (failing + 1 >= JOBS || !c.ran[failing + 1])));
            CHECK(fxi_train_each(&t, 1, job, &(calls){.failing = JOBS}, NULL) == FX_OK);
            CHECK(t.at_once == 1);
        }
    return 0;
}
