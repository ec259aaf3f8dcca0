/* SPDX-License-Identifier: BSD-3-Clause
 * trial.c - one fit: chooses C on validation rows, measures time, memory and file size, and scores
 * the model on rows that it has not seen.
 *
 * Memory is the peak of the whole process during the fit, minus its use before: Linux resets the
 * peak when 5 is written to /proc/self/clear_refs. */

#include "models.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------- */
uint64_t trial_memory_begin(void)
{
    malloc_trim(0);                     /* memory that earlier fits freed must not count */
    FILE *f = fopen("/proc/self/clear_refs", "w");
    bool done = f && fputs("5", f) >= 0;

    if (f && fclose(f))
        done = false;
    return done ? machine_memory("VmRSS") : 0;
}

uint64_t trial_memory_end(uint64_t before)
{
    uint64_t peak = before ? machine_memory("VmHWM") : 0;

    return peak > before ? peak - before : 0;
}

/* ---- Choosing ----------------------------------------------------------------------------- */
/* Rows of both to folds; one fold: the validation rows. */
static fx_status deal_joined(parts *p, int folds, uint64_t seed)
{
    fx_status s = parts_join(p);

    if (s)
        return s;
    fx_table t = fx_data_table(p->joined);
    if (folds > 1)
        return fx_data_folds(p->fold, t.rows, folds, p->regress ? NULL : t.label, seed);
    for (size_t i = 0; i < t.rows; i++)
        p->fold[i] = i < p->train.rows ? -1 : 0;
    return FX_OK;
}

fx_status trial_path(double *best, double *score, const fx_plan *plan, const double *C, size_t n,
                     parts *p, int folds, const char *metric)
{
    double sign = metric_falls(metric) ? -1 : 1;
    bool last = model_penalty_grows(plan->model);       /* of equals: the strongest penalty */

    *best = C[0];
    *score = NAN;
    if (n == 1)
        return FX_OK;
    fx_status s = deal_joined(p, folds, plan->seed);
    if (s)
        return s;
    fx_metrics *m = malloc(n * (size_t)folds * sizeof *m);
    if (!m)
        return FX_ENOMEM;
    fx_table t = fx_data_table(p->joined);
    fx_plan path = metric_plan(plan, metric);
    m->size = sizeof *m;
    s = fx_model_path(m, &path, C, n, &t, p->fold, folds, &cli.run);
    for (size_t i = 0; i < n && s >= 0; i++) {
        double x = metric_average(m + i * (size_t)folds, folds, metric);
        if (isnan(*score) || sign * x > sign * *score || (last && x == *score))
            *score = x, *best = C[i];
    }
    free(m);
    return s;
}

static int say_status(fx_status s)
{
    return s == FX_ENOMEM ? say_no_memory("a fit") : s < 0 ? say_failure(s) : 0;
}

int trial_choose(double *best, double *score, const fx_plan *plan, const double *C, size_t n,
                 parts *p, int folds, const char *metric)
{
    if (n > 1 && p->valid.rows == 0)
        return say_error("there are no validation rows to choose among %zu values on", n);
    return say_status(trial_path(best, score, plan, C, n, p, folds, metric));
}

int trial_cost(fx_plan *plan, char spec[FITTING_SPEC], double C)
{
    const char *model = plan->model;
    int n;

    plan->model = spec;
    if (model_penalty_grows(model))
        return factor_times(spec, model, C);
    n = snprintf(spec, FITTING_SPEC, "%s%cC=%.17g", model, strchr(model, ':') ? ',' : ':', C);
    if (n > 0 && n < FITTING_SPEC)
        return 0;
    return say_error("the model %.40s... is too long", model);
}

trial trial_none(void)
{
    return (trial){.test = {.accuracy = NAN, .auc = NAN, .logloss = NAN, .rmse = NAN,
                            .metric = NAN},
                   .train_seconds = NAN,
                   .test_seconds = NAN,
                   .C = NAN,
                   .valid = NAN};
}

/* ---- The fit ------------------------------------------------------------------------------ */
static int count(void *ctx, const void *bytes, size_t len)
{
    (void)bytes;
    *(uint64_t *)ctx += len;
    return 0;
}

fx_status trial_fit(trial *out, const fx_plan *plan, parts *p, bool all, const char *metric)
{
    fx_model *m = NULL;
    bool both = all && p->valid.rows;
    fx_status s = both ? parts_join(p) : FX_OK;

    if (s)
        return s;
    fx_table rows = both ? fx_data_table(p->joined) : p->train;
    uint64_t before = trial_memory_begin();
    double start = say_clock();
    s = fx_model_fit(&m, plan, &rows, &cli.run);
    if (s < 0)
        return s;
    out->train_seconds = say_clock() - start;
    out->memory = trial_memory_end(before);
    out->status = s;
    out->features = *fx_model_inspect(m)->map ? fx_model_inspect(m)->features : 0;
    out->bytes = 0;
    start = say_clock();
    s = metric_evaluate(&out->test, m, &p->test, metric);
    if (s >= 0) {
        out->test_seconds = say_clock() - start;
        s = fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = count, .ctx = &out->bytes},
                          m);
    }
    fx_model_free(m);
    return s;
}

int trial_run(trial *out, const fx_plan *plan, parts *p, bool all, const char *metric)
{
    return say_status(trial_fit(out, plan, p, all, metric));
}
