/* SPDX-License-Identifier: BSD-3-Clause
 * project.c - making projections, and the numbers that they are drawn from. */

#include "project/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double fxi_project_draw(fxi_law law, fxi_rng r, uint64_t i)
{
    switch (law) {
    case FXI_LAW_SIGN: return fxi_rng_sign(r, i);
    case FXI_LAW_GAUSSIAN: return fxi_rng_normal(r, i);
    case FXI_LAW_UNIFORM: return (2 * fxi_rng_uniform(r, i) - 1) * sqrt(3);
    case FXI_LAW_LAPLACE: return fxi_rng_laplace(r, i) * sqrt(0.5);
    case FXI_LAW_CAUCHY: return fxi_rng_cauchy(r, i);
    }
    return 0;
}

fxi_rng fxi_project_rng(const fxi_project *p, int use, uint64_t block)
{
    /* The top bit keeps clear of the streams of data/data.h. */
    return (fxi_rng){p->seed, (uint64_t)1 << 63 | p->stream << 36 | (uint64_t)use << 32 | block};
}

fx_status fxi_project_new(fxi_project *p, const fx_run *run)
{
    fx_status st;

    p->simd = fxi_simd_get();
    p->state = NULL;
    if (p->like < p->rows)
        p->like = p->rows;
    if ((st = p->type->init(p, run)) != 0)
        fxi_project_free(p);
    return st;
}

fx_status fxi_project_times(fxi_project *out, const fxi_project *a, const fxi_project *b,
                            const fx_run *run)
{
    fx_status st;

    *out = *a;
    out->state = NULL;
    if ((st = a->type->times(out, a, b, run)) != 0)
        fxi_project_free(out);
    return st;
}

void fxi_project_free(fxi_project *p)
{
    if (p && p->type)
        p->type->free(p);
    if (p)
        memset(p, 0, sizeof *p);
}
