/* SPDX-License-Identifier: BSD-3-Clause
 * measure_history.c - measure `history`: the path of a fit: one record for each iteration that is
 * shown, and iteration 0 for the start, which all solvers share for a given seed.
 *
 * Objectives are those of all rows at the end of the iteration.  If the objective is not a number,
 * or above that of the start, the fit has diverged.
 *
 * Columns of a case beyond the usual ones: seconds, the time that a fit may take; only=time: one
 * record, without an objective, of what an iteration takes.  This is the time of a fit minus that
 * of a fit with a single iteration, which needs the same setup, divided by the number of the other
 * iterations.  It is measured on one thread in processor time, as the minimum over several fits, as
 * in measure_time.c.  Options, where models and data do not say otherwise: iterations=N, rows=N to
 * train on. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* epoch_seconds: with only=time alone, and its `seconds` are those of the processor. */
static const char *const columns[] = {"iteration", "seconds", "objective", "epoch_seconds",
                                      "diverged", NULL};
static const char *const options[] = {"iterations", "rows", NULL};
enum { TURNS = 3 };                     /* fits that are timed, of which the shortest counts */

/* ---- Specs -------------------------------------------------------------------------------- */
/* spec with that key and no other value of it. */
static int with(char out[FITTING_SPEC], const char *spec, const char *key, const char *value)
{
    if ((size_t)snprintf(out, FITTING_SPEC, "%s", spec) < FITTING_SPEC
        && spec_set(out, FITTING_SPEC, key, value))
        return 0;
    return say_error("the model %.40s... is too long", spec);
}

/* ---- Fits --------------------------------------------------------------------------------- */
typedef struct walk {
    const measure_context *l;
    fx_plan plan;
    const fx_table *rows;
    double start;                       /* objective before the first iteration */
    fx_step *step;                      /* [n] of the long fit; free() it */
    size_t n;
    int threads;
    bool diverged;
} walk;

static int fit_rows(fx_model **out, fx_status *s, const walk *w, const char *model, double seconds)
{
    fx_run run = cli.run;
    fx_plan plan = w->plan;

    run.threads = w->threads;
    plan.model = model;
    plan.max_seconds = seconds;
    *s = fx_model_fit(out, &plan, w->rows, &run);
    return *s < 0 ? say_failure(*s) : 0;
}

/* Uses an epoch that changes nothing, because solvers do not record the start. */
static int start_of(walk *w)
{
    char adagrad[FITTING_SPEC], still[FITTING_SPEC], once[FITTING_SPEC];
    fx_model *m = NULL;
    fx_status s;
    int status = with(adagrad, w->plan.model, "solver", "adagrad");

    if (!status && !(status = with(still, adagrad, "lr", "1e-200"))
        && !(status = with(once, still, "max-iter", "1")))
        status = fit_rows(&m, &s, w, once, 0);
    if (!status)
        w->start = fx_model_inspect(m)->objective;
    fx_model_free(m);
    return status;
}

static int long_fit(walk *w)
{
    fx_model *m = NULL;
    fx_status s;
    int status = fit_rows(&m, &s, w, w->plan.model, w->plan.max_seconds);

    if (status)
        return status;
    const fx_model_info *c = fx_model_inspect(m);
    if (c->outputs != 1) {
        status = say_error("%s has %zu outputs, and one path is looked at", w->plan.model,
                           c->outputs);
    } else if (!(w->step = malloc((c->steps + 1) * sizeof *w->step))) {
        status = say_no_memory("history");
    } else {
        if (c->steps)
            memcpy(w->step, c->history, c->steps * sizeof *w->step);
        w->n = c->steps;
        w->diverged = s == FX_DIVERGED;
    }
    fx_model_free(m);
    return status;
}

/* ---- The path ----------------------------------------------------------------------------- */
static int emit(const walk *w, size_t iteration, double seconds, double objective, bool diverged)
{
    return w->l->emit(w->l->ctx, (const double[]){(double)iteration, seconds,
                                                  isfinite(objective) ? objective : NAN, NAN,
                                                  diverged});
}

/* The iteration to show after this one: up to 16 each, 55 of 1,000. */
static size_t next_of(const walk *w, size_t iteration)
{
    size_t step = 1 + iteration / 16;

    return iteration + step < w->n ? iteration + step : w->n;
}

static int follow(const walk *w)
{
    int status = emit(w, 0, 0, w->start, false);

    for (size_t t = 1; t <= w->n && !status; t = t == w->n ? t + 1 : next_of(w, t)) {
        double objective = w->step[t - 1].objective;
        status = emit(w, t, w->step[t - 1].seconds, objective, !(objective <= w->start));
        if (!isfinite(objective))
            return status;
    }
    return status || !w->diverged
               ? status
               : emit(w, w->n + 1, w->n ? w->step[w->n - 1].seconds : 0, NAN, true);
}

static int walk_of(walk *w)
{
    int status;

    return (status = start_of(w)) || (status = long_fit(w)) ? status : follow(w);
}

/* ---- Time --------------------------------------------------------------------------------- */
static int time_fit(double *seconds, walk *w, const char *model)
{
    int status = 0;

    *seconds = INFINITY;
    for (int i = 0; i < TURNS && !status; i++) {
        fx_model *m = NULL;
        fx_status s;
        double start = measure_clock();
        status = fit_rows(&m, &s, w, model, 0);
        *seconds = fmin(*seconds, measure_clock() - start);
        if (!status) {
            w->n = fx_model_inspect(m)->steps;
            w->diverged = s == FX_DIVERGED;
        }
        fx_model_free(m);
    }
    return status;
}

static int take_time(walk *w)
{
    char single[FITTING_SPEC];
    double one, all;
    int status;

    w->threads = 1;
    if ((status = with(single, w->plan.model, "max-iter", "1"))
        || (status = time_fit(&one, w, single)) || (status = time_fit(&all, w, w->plan.model)))
        return status;
    /* Of tiny fits the setup alone may take longer in one of the two. */
    double each = w->n > 1 ? fmax(0, all - one) / (double)(w->n - 1) : NAN;
    return w->l->emit(w->l->ctx, (const double[]){(double)w->n, all, NAN, each, w->diverged});
}

/* ---- A case ------------------------------------------------------------------------------- */
/* A field with an option of the recipe as one key more. */
static int complete(char out[FITTING_SPEC], const measure_context *l, size_t cell,
                    const char *column, const char *key, const char *option)
{
    const char *field = recipe_field(l->r, cell, column);
    const char *value = recipe_set(l->r, option, NULL);

    if (value && !spec_get(field, key).p)
        return with(out, field, key, value);
    if ((size_t)snprintf(out, FITTING_SPEC, "%s", field) < FITTING_SPEC)
        return 0;
    return say_error("%s: case %zu: %s is too long", l->r->name, cell + 1, column);
}

static int run(const measure_context *l, size_t cell)
{
    char data[FITTING_SPEC], model[FITTING_SPEC];
    walk w = {.l = l,
              .plan = {.size = sizeof(fx_plan),
                       .model = model,
                       .scale = recipe_field(l->r, cell, "scale"),
                       .seed = l->seed},
              .threads = (int)cli.threads};
    bool timed = recipe_field(l->r, cell, "only");
    parts *p = NULL;
    int status;

    if ((status = complete(data, l, cell, "data", "rows", "rows"))
        || (status = complete(model, l, cell, "model", "max-iter", "iterations"))
        || (status = datasets_get(&p, l->sets, data, l->seed))
        || (status = recipe_number(&w.plan.max_seconds, l->r, cell, "seconds", 0)))
        return status;
    w.rows = &p->train;
    status = timed ? take_time(&w) : walk_of(&w);
    free(w.step);
    return status;
}

static int check(const recipe *r)
{
    for (size_t cell = 0; cell < r->cells; cell++) {
        const char *model = recipe_field(r, cell, "model");
        double seconds;
        if (!model || !model_about(model).measured)
            return recipe_error(r, model ? model : recipe_field(r, cell, "data"),
                                "the model of a history is a factorization machine");
        const char *only = recipe_field(r, cell, "only");
        if (only && strcmp(only, "time"))
            return recipe_error(r, only, "only %s: it may be time", only);
        int status = recipe_number(&seconds, r, cell, "seconds", 0);
        if (status)
            return status;
    }
    return 0;
}

const measure measure_history = {.name = "history",
                                 .summary = "objective and seconds along the iterations of a "
                                            "factorization machine's fit",
                                 .columns = columns, .options = options, .run = run,
                                 .check = check};
