/* SPDX-License-Identifier: BSD-3-Clause
 * fit_factors.c - a factorization machine from labelled rows: what comes before the first step
 * beside what every fit has (train.c), its outputs, what is kept of them, and what is said of it.
 *
 * Memory: rows with their constants where the kind has some, the numbers of each output thrice (as
 * solvers and as users have them, adagrad's sums), and what is under way (output_factors.c). */

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Before ------------------------------------------------------------------------------ */

/* The range of the targets, of earlier rows too. */
static void keep_range(fxi_train *t)
{
    fx_content *c = &t->m->c;

    for (size_t i = 0; i < t->X.rows && t->how.clip; i++)
        if (t->labels.weight[i] > 0) {
            c->low = fmin(c->low, t->labels.y[i]);
            c->high = fmax(c->high, t->labels.y[i]);
        }
}

fx_status fxi_model_fit_factors_rows(fxi_train *t, const fx_run *run)
{
    fx_status st = fxi_model_factors_new(t->m, &t->how);

    if (!st)
        st = fxi_fm_rows(&t->laid, &t->laid_own, t->m->fm, &t->X, run);
    keep_range(t);
    return st;
}

fx_status fxi_model_fit_factors_prepare(fxi_train *t, const fx_plan *plan, const fx_table *table,
                                        const fx_run *run)
{
    fx_content *c = &t->m->c;
    fx_status st;

    if (plan->map)
        return fxi_error(FX_EUNSUPPORTED, "%s learns its own features: there is no map %s with it",
                         t->how.learner->name, plan->map);
    if (t->X.rows > INT32_MAX)
        return fxi_error(FX_EUNSUPPORTED, "%zu rows are too many for %s", t->X.rows,
                         t->how.learner->name);
    t->qid = table->qid;
    t->eval_qid = plan->eval ? plan->eval->qid : NULL;
    c->features = c->cols;
    if ((st = fxi_model_measure_resolve(t, plan))
        || (plan->kernel && (st = fxi_model_factors_groups_keep(t->m, plan, &t->how))))
        return st;
    return fxi_model_fit_factors_rows(t, run);
}

bool fxi_model_fit_factors_bytes(size_t *bytes, const fxi_train *t)
{
    size_t each;

    return fxi_size_mul(&each, t->m->fm->size, 3 * sizeof(double))
           && fxi_size_mul(bytes, each, t->outputs);
}

fx_status fxi_model_fit_factors_check(const fxi_train *t, const fx_run *run)
{
    size_t kept, each, bytes;

    if (!fxi_model_fit_factors_bytes(&kept, t) || !fxi_model_output_factors_bytes(&each, t)
        || !fxi_size_add(&bytes, kept, each))
        bytes = SIZE_MAX;
    return fxi_memory_check(run, bytes, "a factorization machine");
}

/* ---- Outputs ----------------------------------------------------------------------------- */

typedef struct fitting {
    fxi_train *t;
    fxi_output *output;                 /* [outputs]: what is left of each fit */
} fitting;

/* Its numbers become the model's. */
static void keep_numbers(fx_model *m, const fxi_output *o)
{
    size_t size = m->fm->size;
    double *v = m->v + o->number * size;

    memcpy(v, o->f.v, size * sizeof *v);
    if (m->fm->intercept)
        v[0] += o->centre;
    if (!m->state)
        return;
    double *state = m->state + o->number * size;
    memcpy(state, o->f.sum, size * sizeof *state);
    fxi_model_init_factors_keep(state, o);
}

static fx_status fit_output(void *ctx, size_t k, double *done, const fx_run *run)
{
    const fitting *f = ctx;
    fxi_output *o = &f->output[k];
    fx_status st = fxi_model_output_new(o, f->t, k);

    if (!st) {
        o->done = done;
        st = fxi_model_output_fit(o, 1, NULL, 0, run);
    }
    if (!st)
        keep_numbers(f->t->m, o);
    fxi_output rest = {.s = o->s, .f = o->f, .ran = o->ran, .late = o->late,
                       .zeros = o->zeros, .step = o->step, .steps = o->steps};
    rest.f.v = rest.f.sum = NULL;
    o->step = NULL;
    fxi_model_output_free(o);           /* its arrays: others wait for the memory */
    *o = rest;
    return st;
}

/* ---- What is said of it ------------------------------------------------------------------ */

/* The column of the largest values, as fitted. */
static size_t widest(const fxi_train *t)
{
    size_t j = 0;

    for (size_t i = 1; i < t->X.cols; i++)
        if (t->largest[i] > t->largest[j])
            j = i;
    return j;
}

/* What may help: products of columns want these in one range. */
static void advise(char what[160], const fxi_train *t, const char *else_do)
{
    const fx_content *c = &t->m->c;
    size_t j = widest(t);
    const char *name = c->name && t->X.cols ? c->name[j] : "", *gap = *name ? " " : "";

    if (!t->X.cols)
        snprintf(what, 160, "%s", else_do);
    else if (t->largest[j] > 10)
        snprintf(what, 160, "column %zu%s%.40s is %.2g: scale it (maxabs, std) or %s",
                 j + (size_t)c->base, gap, name, t->largest[j], else_do);
    else
        snprintf(what, 160, "%s; the largest value is %.2g, in column %zu%s%.40s", else_do,
                 t->largest[j], j + (size_t)c->base, gap, name);
}

/* Sums over the outputs; the status of the worst. */
static fx_status summarise(const fxi_train *t, const fxi_output *o)
{
    fx_content *c = &t->m->c;
    const fxi_output *worst = NULL;
    char what[160];

    c->converged = 1;
    c->gap = NAN;
    c->objective = 0;
    c->iterations = 0;
    for (size_t k = 0; k < t->outputs; k++) {
        c->objective += o[k].f.objective;
        c->iterations = o[k].f.iterations > c->iterations ? o[k].f.iterations : c->iterations;
        c->converged &= o[k].f.converged && !o[k].f.diverged;
        if (!o[k].f.converged && (!worst || o[k].f.diverged > worst->f.diverged))
            worst = &o[k];
    }
    if (!worst)
        return FX_OK;
    if (worst->f.diverged) {
        advise(what, t, "lower lr");
        return fxi_error(FX_DIVERGED,
                         "diverged after epoch %zu, even with the learning rate %g of "
                         "lr=%g; the model is that of the last good epoch: %s",
                         worst->f.iterations, worst->f.lr, t->how.lr, what);
    }
    if (worst->f.rounded) {
        advise(what, t, "raise beta-lambda or beta");
        return fxi_error(FX_NOT_CONVERGED,
                         "after %zu iterations rounding errors raise the "
                         "objective; the model is that of the last iteration, with objective %g: "
                         "%s",
                         worst->ran, worst->f.objective, what);
    }
    if (worst->late)
        return fxi_error(FX_NOT_CONVERGED,
                         "the limit of %g seconds came after %zu iterations, at "
                         "objective %g: raise it",
                         t->max_seconds, worst->ran, worst->f.objective);
    if (worst->zeros > 0) {
        advise(what, t, "take another solver");
        return fxi_error(FX_NOT_CONVERGED,
                         "after %zu iterations steps are small, but the objective "
                         "%g is above that of scores 0, %g: %s",
                         worst->ran, worst->f.objective, worst->zeros, what);
    }
    if (t->X.cols && t->largest[widest(t)] > 1e3)
        advise(what, t, "raise max-iter");
    else
        snprintf(what, sizeof what, "raise max-iter");
    return fxi_error(FX_NOT_CONVERGED,
                     "after %zu iterations an iteration still changes the "
                     "objective %g by more than tol=%g of it: %s",
                     worst->ran, worst->f.objective, t->how.tol, what);
}

fx_status fxi_model_fit_factors(fxi_train *t, const fx_run *run)
{
    fx_model *m = t->m;
    fitting f = {.t = t};
    size_t all;
    fx_status st, summary = FX_OK;

    m->v = fxi_alloc(fxi_size_mul(&all, t->outputs, m->fm->size) ? all : SIZE_MAX, sizeof *m->v);
    st = fxi_model_own(m, m->v);
    if (!st && t->how.solver == FXI_ADAGRAD) {
        m->state = fxi_alloc(all, sizeof *m->state);
        st = fxi_model_own(m, m->state);
    }
    if (!st && !(f.output = fxi_zalloc(t->outputs, sizeof *f.output)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_model_each(t, t->outputs, fit_output, &f, run);
    if (!st)
        st = fxi_model_factors_keep(m);
    if (!st)
        st = fxi_model_history_keep(m, f.output);
    if (!st)
        summary = summarise(t, f.output);
    for (size_t k = 0; f.output && k < t->outputs; k++)
        fxi_model_output_free(&f.output[k]);
    free(f.output);
    return st ? st : summary;
}
