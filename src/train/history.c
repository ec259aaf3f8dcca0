/* SPDX-License-Identifier: BSD-3-Clause
 * history.c - the steps of a fit, each measured on plan.eval by plan.metric (measure.c). */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fx_status measure(double *out, fxi_output *o, const fxi_solution *now)
{
    const fxi_train *t = o->train;
    fx_status st;

    *out = NAN;
    if (!t->eval.rows)
        return FX_OK;
    if ((st = fxi_train_measure_new(o))
        || (st = t->how.kind->score(o->score, o, now, NULL, t->eval.rows, o->run)))
        return st;
    return fxi_train_measure(out, o);
}

fx_status fxi_train_history(fxi_output *o, const fxi_solution *now)
{
    double metric, progress;
    fx_step *shown = fxi_sized_run(o->run).step;
    fx_status st;

    if (o->no_history)
        return FX_OK;
    if ((st = measure(&metric, o, now)))
        return st;
    if (o->steps == o->capacity) {
        size_t capacity = o->capacity ? 2 * o->capacity : 16;
        fx_step *more = fxi_realloc(o->step, capacity, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        o->step = more;
        o->capacity = capacity;
    }
    const fx_step step = {.output = o->number, .iteration = now->iterations,
                          .objective = now->objective, .gap = now->gap, .metric = metric,
                          .seconds = fxi_train_clock() - o->train->begin};
    o->step[o->steps++] = step;
    if (shown)
        *shown = step;
    progress = log(now->gap)
               / log(o->train->how.tol); /* from 1 to tol; NaN and beyond: not shown */
    if (o->done && progress > *o->done && progress < 1)
        *o->done = progress;
    return FX_OK;
}

fx_status fxi_train_history_keep(fx_model *m, const fxi_output *o)
{
    size_t n = 0;

    for (size_t k = 0; k < m->c.outputs; k++)
        n += o[k].steps;
    fx_step *step = fxi_alloc(n, sizeof *step);
    fx_status st = fxi_model_own(m, step);
    if (st)
        return st;
    m->c.history = step;
    m->c.steps = n;
    for (size_t k = 0; k < m->c.outputs; k++, step += o->steps, o++)
        if (o->steps)
            memcpy(step, o->step, o->steps * sizeof *step);
    return FX_OK;
}
