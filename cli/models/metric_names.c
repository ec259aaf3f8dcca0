/* SPDX-License-Identifier: BSD-3-Clause
 * metric_names.c - metrics by name. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const usual[] = {"accuracy", "auc", "logloss", "rmse"};

bool metric_usual(const char *name)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!strcmp(name, usual[i]))
            return true;
    return false;
}

double metric_of(const fx_metrics *m, const char *name)
{
    return !strcmp(name, "accuracy")  ? m->accuracy
           : !strcmp(name, "auc")     ? m->auc
           : !strcmp(name, "rmse")    ? m->rmse
           : !strcmp(name, "logloss") ? m->logloss
                                      : m->metric;
}

bool metric_falls(const char *name) { return spec_line(fx_metric_describe, name).falls; }

int metric_known(const char *name)
{
    fx_description d = FX_INIT(fx_description);
    fx_status s = name ? fx_metric_describe(&d, name) : FX_OK;

    return s ? say_failure(s) : 0;
}

int metric_check(const char *who, const char *name, const training *t)
{
    int task = t->rank ? FX_TASK_RANK : t->regress ? FX_TASK_REGRESS : FX_TASK_CLASSIFY;

    if (spec_line(fx_metric_describe, name).tasks & task)
        return 0;
    return say_error("%s: there is no %s for %s", who, name,
                     t->rank      ? "rankings"
                     : t->regress ? "numbers"
                                  : "classes");
}

fx_plan metric_plan(const fx_plan *plan, const char *name)
{
    fx_plan out = *plan;

    out.eval = NULL;
    out.patience = 0;
    out.metric = metric_usual(name) ? NULL : name;
    return out;
}

fx_status metric_evaluate(fx_metrics *out, const fx_model *m, const fx_table *t, const char *name)
{
    out->size = sizeof *out;
    fx_status s = fx_model_evaluate(out, NULL, m, t, &cli.run);

    return s || !name || metric_usual(name)
               ? s
               : fx_model_evaluate_by(&out->metric, &name, 1, m, t, &cli.run);
}

double metric_average(const fx_metrics *m, int folds, const char *name)
{
    double sum = 0;

    for (int f = 0; f < folds; f++)
        sum += metric_of(&m[f], name);
    return sum / folds;
}

int metric_mean(double *mean, double *sd, const char *who, const fx_metrics *m, size_t folds,
                const char *name)
{
    double sum = 0, squares = 0, n = (double)folds;

    for (size_t f = 0; f < folds; f++) {
        double x = metric_of(&m[f], name);
        sum += x;
        squares += x * x;
    }
    *mean = sum / n;
    *sd = sqrt(fmax(0, squares - sum * *mean) / (n - 1));
    if (!isnan(sum))
        return 0;
    return say_error("%s: there is no %s for this model and these rows%s", who, name,
                     strcmp(name, "logloss") ? ""
                     : model_has(fit.model, "loss")
                         ? "; use --loss logistic"
                         : "; use --calibrate or --model " ADVISED_PROBABILITIES);
}
