/* SPDX-License-Identifier: BSD-3-Clause
 * fit.c - a model from labelled rows: preparation (train.c), one problem an output (output.c), what
 * is kept of the solutions, and what the model says about its fit (summary.c). */

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    fxi_train *t;
    double *intercepts;                 /* of the model */
    fxi_machine all;                    /* [n][outputs], and what perceptrons go on from */
    size_t n;                           /* features or, of a kernel machine, rows */
    fxi_output *output;                 /* [outputs]: what is left of each fit */
} fitting;

/* ---- Outputs ----------------------------------------------------------------------------- */

/* From [n] of one output into [n][outputs]. */
static void place(double *to, const double *from, size_t n, size_t outputs, size_t k)
{
    for (size_t j = 0; j < n; j++)
        to[j * outputs + k] = from[j];
}

static void keep_state(const fitting *f, const fxi_output *o)
{
    size_t n = f->n, k = o->number, outputs = f->t->outputs;
    bool kernel = f->t->how.learner->kernel;
    double *now = f->all.sum, *sum = f->all.sum + (n + 1) * outputs;

    place(now, kernel ? o->q.w : o->p.w, n, outputs, k);
    place(sum, kernel ? o->q.sum : o->p.sum, n, outputs, k);
    now[n * outputs + k] = kernel ? o->q.b : o->p.b;
    sum[n * outputs + k] = kernel ? o->q.sum_b : o->p.sum_b;
    f->t->m->count[k] = kernel ? o->q.steps : o->p.steps;
    for (size_t i = 0; kernel && i < n; i++)
        f->all.age[i * outputs + k] = o->q.age[i];
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
        place(f->all.weights, t->how.learner->kernel ? o->s.beta : o->s.w, f->n, t->outputs, k);
        f->intercepts[k] = o->s.b;
        if (f->all.sum)
            keep_state(f, o);
    }
    fxi_output rest = {.s = o->s, .step = o->step, .steps = o->steps};
    o->step = NULL;
    fxi_model_output_free(o);           /* its arrays: others wait for the memory */
    rest.s.w = rest.s.beta = NULL;
    *o = rest;
    return st;
}

/* ---- The call ---------------------------------------------------------------------------- */

static fx_status allocate(fitting *f)
{
    fx_model *m = f->t->m;
    size_t outputs = m->c.outputs, state, all;
    bool kernel = f->t->how.learner->kernel;
    fx_status st;

    f->n = kernel ? f->t->source.rows : m->c.features;
    f->intercepts = fxi_alloc(outputs, sizeof *f->intercepts);
    if ((st = fxi_model_own(m, f->intercepts)))
        return st;
    m->c.intercepts = f->intercepts;
    if (!fxi_size_mul(&all, f->n, outputs) || !fxi_size_mul(&state, 2 * outputs, f->n + 1))
        return fxi_error(FX_ESHAPE, "%zu weights of %zu outputs are too many", f->n, outputs);
    if (!(f->all.weights = fxi_alloc(all, sizeof *f->all.weights)))
        return fxi_error(FX_ENOMEM, "out of memory: %zu weights for each of %zu %s", f->n, outputs,
                         m->c.pairs ? "pairs of classes" : "outputs");
    if (f->t->how.learner->kind == FXI_ONLINE) {
        m->count = fxi_zalloc(outputs, sizeof *m->count);
        if ((st = fxi_model_own(m, m->count)))
            return st;
        if (!(f->all.sum = fxi_zalloc(state, sizeof *f->all.sum))
            || (kernel && !(f->all.age = fxi_zalloc(all, sizeof *f->all.age))))
            return FX_ENOMEM;
    }
    return (f->output = fxi_zalloc(outputs, sizeof *f->output)) ? FX_OK : FX_ENOMEM;
}

/* What was fitted becomes the model's. */
static fx_status keep_weights(fitting *f, const fx_run *run)
{
    fx_model *m = f->t->m;
    fxi_machine *all = &f->all;

    if (f->t->how.learner->kernel)
        return fxi_model_vectors(f->t, all, run);
    m->c.weights = all->weights;
    m->sum = all->sum;
    all->weights = all->sum = NULL;
    fx_status st = fxi_model_own(m, (double *)(uintptr_t)m->c.weights);
    if (m->sum && !st)
        st = fxi_model_own(m, m->sum);
    else if (st)
        free(m->sum);
    return st;
}

fx_status fxi_model_fit(fxi_train *t, const fx_run *run)
{
    fitting f = {.t = t};
    fx_status st, summary = FX_OK;

    if (t->how.learner->kind == FXI_COMPONENTS)
        return fxi_model_components(t, run);
    if (t->how.learner->kind == FXI_FACTORS)
        return fxi_model_fit_factors(t, run);
    if (!(st = allocate(&f)))
        st = fxi_model_each(t, t->outputs, fit_output, &f, run);
    if (!st)
        st = keep_weights(&f, run);
    if (!st)
        st = fxi_model_collapse(t, run);
    if (!st)
        st = fxi_model_history_keep(t->m, f.output);
    if (!st)
        summary = fxi_model_summary(t, f.output);
    for (size_t k = 0; f.output && k < t->outputs; k++)
        fxi_model_output_free(&f.output[k]);
    free(f.output);
    free(f.all.weights);
    free(f.all.sum);
    free(f.all.age);
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
