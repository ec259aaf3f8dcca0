/* SPDX-License-Identifier: BSD-3-Clause
 * fit.c - what solvers share. */

#include "fit/fit.h"

static int poll_team(void *ctx, double done)
{
    (void)done;
    return fxi_parallel_cancelled(ctx);
}

fx_run fxi_fit_nested(const fx_run *run, fxi_team *team)
{
    return (fx_run){
        .threads = 1, .max_memory = run ? run->max_memory : 0, .progress = poll_team, .ctx = team};
}
