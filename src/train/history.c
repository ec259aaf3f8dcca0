/* SPDX-License-Identifier: BSD-3-Clause
 * history.c - the steps of a fit, each measured on plan.eval: accuracy of this output, over the
 * rows that it tells apart, or the root mean square error. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fx_status measure(double *out, fxi_output *o, const fxi_solution *now)
{
    const fxi_train *t = o->train;
    const fxi_labels *l = &t->eval_labels;
    double sum = 0, total = 0;

    *out = NAN;
    if (!t->eval.rows)
        return FX_OK;
    if (!o->score && !(o->score = fxi_alloc(t->eval.rows, sizeof *o->score)))
        return FX_ENOMEM;
    fx_status st = t->how.kind->score(o->score, o, now, NULL, t->eval.rows, o->run);
    if (st)
        return st;
    for (size_t i = 0; i < t->eval.rows; i++) {
        double f = o->score[i], y = l->y[i], w = l->weight[i];
        double sign = l->classes ? fxi_model_pairs_sign(&t->m->c, o->number, (size_t)y) : 1;
        if (sign == 0)
            continue;
        sum += w * (l->classes ? (f > 0) == (sign > 0) : (f - y) * (f - y));
        total += w;
    }
    *out = l->classes ? sum / total : sqrt(sum / total);
    return FX_OK;
}

fx_status fxi_train_history(fxi_output *o, const fxi_solution *now)
{
    double tol = o->train->how.tol, metric;
    fx_status st;

    if (o->no_history)
        return FX_OK;
    if ((st = measure(&metric, o, now))
        || (st = fxi_train_history_add(o, &(fx_step){.iteration = now->iterations,
                                                     .objective = now->objective,
                                                     .gap = now->gap,
                                                     .metric = metric})))
        return st;
    double progress = log(now->gap) / log(tol);  /* from 1 to tol; NaN and beyond: not shown */
    if (o->done && progress > *o->done && progress < 1)
        *o->done = progress;
    return FX_OK;
}

fx_status fxi_train_history_add(fxi_output *o, const fx_step *step)
{
    if (o->steps == o->capacity) {
        size_t capacity = o->capacity ? 2 * o->capacity : 16;
        fx_step *more = fxi_realloc(o->step, capacity, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        o->step = more;
        o->capacity = capacity;
    }
    fx_step *last = &o->step[o->steps++];
    *last = *step;
    last->output = o->number;
    last->seconds = fxi_train_clock() - o->train->begin;
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
