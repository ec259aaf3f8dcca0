/* SPDX-License-Identifier: BSD-3-Clause
 * fit.c - a model from labelled rows: preparation (train.c), one problem an output (output.c), and
 * what the model says about its fit. */

#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    fxi_train *t;
    double *weights, *intercepts;       /* of the model */
    fxi_output *output;                 /* [outputs]: what is left of each fit */
} fitting;

/* ---- Outputs ----------------------------------------------------------------------------- */

/* From [features] of one output into [features][outputs]. */
static void place(double *to, const double *from, size_t features, size_t outputs, size_t k)
{
    for (size_t j = 0; j < features; j++)
        to[j * outputs + k] = from[j];
}

static void keep_state(fx_model *m, const fxi_output *o)
{
    size_t d = m->c.features, k = o->number, outputs = m->c.outputs;
    double *now = m->sum, *sum = m->sum + (d + 1) * outputs;

    place(now, o->p.w, d, outputs, k);
    place(sum, o->p.sum, d, outputs, k);
    now[d * outputs + k] = o->p.b;
    sum[d * outputs + k] = o->p.sum_b;
    m->count[k] = o->p.steps;
}

static fx_status fit_output(void *ctx, size_t k, double *done, const fx_run *run)
{
    fitting *f = ctx;
    fxi_train *t = f->t;
    fxi_output *o = &f->output[k];
    fx_status st = fxi_model_output_new(o, t, k);

    if (!st) {
        o->done = done;
        fxi_model_init(o);
        st = fxi_model_output_fit(o, t->how.C, NULL, 0, run);
    }
    if (!st) {
        place(f->weights, o->s.w, t->m->c.features, t->outputs, k);
        f->intercepts[k] = o->s.b;
        if (t->m->sum)
            keep_state(t->m, o);
    }
    fxi_output rest = {.s = o->s, .step = o->step, .steps = o->steps};
    o->step = NULL;
    fxi_model_output_free(o);           /* its arrays: others wait for the memory */
    rest.s.w = rest.s.beta = NULL;
    *o = rest;
    return st;
}

/* ---- What the model says about its fit --------------------------------------------------- */

static fx_status keep_history(fx_model *m, const fxi_output *o)
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

/* How many times larger than another is the column with the largest numbers? */
static double spread(size_t *largest, const fxi_train *t)
{
    double low = DBL_MAX, high = 0;

    for (size_t j = 0; j < t->X.cols; j++) {
        double x = t->largest[j];
        if (x > high) {
            high = x;
            *largest = j;
        }
        low = x > 0 && x < low ? x : low;
    }
    return high > 0 ? high / low : 1;
}

/* What was reached, what stands in the way, and what to do. */
static fx_status not_converged(const fxi_train *t, const fxi_output *o)
{
    const fx_content *c = &t->m->c;
    size_t j = 0;
    double ratio = spread(&j, t);
    char where[128] = "";

    if (ratio > 1e3)
        snprintf(where, sizeof where, "; column %zu%s%.40s is %.1e times larger than another",
                 j + (size_t)c->base, c->name ? " " : "", c->name ? c->name[j] : "", ratio);
    return fxi_error(FX_NOT_CONVERGED, "gap %.2g after %zu iterations, above tol=%g%s: %s",
                     o->s.gap, o->s.iterations, t->how.tol, where,
                     ratio > 1e3 && !c->factors ? "scale the columns (maxabs, std)"
                     : o->s.iterations + 3 < t->how.max_iter ? "rounding allows no less; raise tol"
                     : t->how.C > 1            ? "lower C, or raise max-iter"
                                               : "raise max-iter");
}

/* Sums and largest over the outputs; the status of the worst. */
static fx_status summarise(const fxi_train *t, const fxi_output *o)
{
    fx_content *c = &t->m->c;
    size_t worst = 0;

    c->converged = 1;
    c->objective = c->gap = 0;
    c->iterations = 0;
    for (size_t k = 0; k < t->outputs; k++) {
        c->objective += o[k].s.objective;
        c->gap = o[k].s.gap < DBL_MAX ? fmax(c->gap, o[k].s.gap) : DBL_MAX; /* or not known */
        c->iterations = o[k].s.iterations > c->iterations ? o[k].s.iterations : c->iterations;
        c->converged &= o[k].s.converged;
        if (o[k].s.gap > o[worst].s.gap)
            worst = k;
    }
    return c->converged ? FX_OK : not_converged(t, &o[worst]);
}

/* ---- The call ---------------------------------------------------------------------------- */

static fx_status allocate(fitting *f)
{
    fx_model *m = f->t->m;
    size_t outputs = m->c.outputs, state;
    fx_status st;

    f->weights = fxi_alloc(m->c.features * outputs, sizeof *f->weights);
    if ((st = fxi_model_own(m, f->weights)))
        return st;
    f->intercepts = fxi_alloc(outputs, sizeof *f->intercepts);
    if ((st = fxi_model_own(m, f->intercepts)))
        return st;
    m->c.weights = f->weights;
    m->c.intercepts = f->intercepts;
    if (!f->t->how.learner->loss) {
        if (!fxi_size_mul(&state, 2 * outputs, m->c.features + 1))
            return fxi_error(FX_ESHAPE, "%zu features are too many", m->c.features);
        m->sum = fxi_zalloc(state, sizeof *m->sum);
        if ((st = fxi_model_own(m, m->sum)))
            return st;
        m->count = fxi_zalloc(outputs, sizeof *m->count);
        if ((st = fxi_model_own(m, m->count)))
            return st;
    }
    return (f->output = fxi_zalloc(outputs, sizeof *f->output)) ? FX_OK : FX_ENOMEM;
}

fx_status fxi_model_fit(fxi_train *t, const fx_run *run)
{
    fitting f = {.t = t};
    fx_status st = allocate(&f), summary = FX_OK;

    if (!st)
        st = fxi_model_each(t, t->outputs, fit_output, &f, run);
    if (!st)
        st = keep_history(t->m, f.output);
    if (!st)
        summary = summarise(t, f.output);
    for (size_t k = 0; f.output && k < t->outputs; k++)
        fxi_model_output_free(&f.output[k]);
    free(f.output);
    return st ? st : summary;
}

fx_status fx_model_fit(fx_model **out, const fx_plan *plan, const fx_table *t, const fx_run *run)
{
    fxi_train train;
    fx_status st;

    if (!out)
        return fxi_error(FX_EINVAL, "no place is given for the model");
    if ((st = fxi_model_train_open(&train, plan, t, run)))
        return st;
    if (train.how.calibrate)
        st = fxi_model_calibrate(&train, run);
    if (!st && (st = fxi_model_fit(&train, run)) >= 0) {
        *out = train.m;
        train.m = NULL;
    }
    fxi_model_train_close(&train);
    return st;
}
