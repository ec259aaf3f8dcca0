/* SPDX-License-Identifier: BSD-3-Clause
 * measure.c - plan.metric: the scores of one output on plan.eval, measured after every iteration,
 * and which of two measurements is better.
 *
 *   accuracy  share with (score > 0) == (y > 0)       auc    see metrics.c; rank: metrics_pairs.c
 *   logloss   mean of log(1 + exp(-y score))          rmse   of targets, clipped as predictions are
 */

#include "train/train.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"accuracy", "auc", "logloss", "rmse"};

fx_status fxi_train_measure_resolve(fxi_train *t, const fx_plan *plan)
{
    static const struct { const char *name, *metrics; int metric; } tasks[] = {
        [FXI_CLASSIFY] = {"classify", "accuracy, auc and, with loss=logistic, logloss",
                          FXI_METRIC_ACCURACY},
        [FXI_REGRESS] = {"regress", "rmse", FXI_METRIC_RMSE},
        [FXI_RANK] = {"rank", "auc", FXI_METRIC_AUC},
        [FXI_NO_LABELS] = {"regress", "rmse", FXI_METRIC_RMSE}};
    fxi_task task = t->how.task;
    int given = plan->metric ? 0 : tasks[task].metric;

    while (plan->metric && given < 4 && strcmp(plan->metric, names[given]) != 0)
        given++;
    if (given == 4)
        return fxi_error(FX_EINVAL, "metric '%.40s' is not one of accuracy, auc, logloss, rmse",
                         plan->metric);
    bool logistic = t->how.loss == &fxi_loss_logistic;
    if (given != tasks[task].metric
        && !(task == FXI_CLASSIFY
             && (given == FXI_METRIC_AUC || (given == FXI_METRIC_LOGLOSS && logistic))))
        return fxi_error(FX_EINVAL, "metric %s does not go with task=%s, whose metrics are %s",
                         plan->metric, tasks[task].name, tasks[task].metrics);
    if (!plan->eval && (plan->metric || plan->patience))
        return fxi_error(FX_EINVAL, "%s needs rows to measure on (eval)",
                         plan->metric ? "a metric" : "patience");
    if (!(plan->max_seconds >= 0))
        return fxi_error(FX_EINVAL, "max_seconds is %g", plan->max_seconds);
    t->metric = given;
    return FX_OK;
}

bool fxi_train_measure_better(const fxi_train *t, double a, double b)
{
    bool less = t->metric == FXI_METRIC_LOGLOSS || t->metric == FXI_METRIC_RMSE;

    return !isnan(a) && (isnan(b) || (less ? a < b : a > b));
}

/* Allocates scores, followed by +1 and -1 or targets. */
fx_status fxi_train_measure_new(fxi_output *o)
{
    const fxi_train *t = o->train;
    const fxi_labels *l = &t->eval_labels;
    size_t n = t->eval.rows;

    if (o->score)
        return FX_OK;
    if (!(o->score = fxi_alloc(n, 2 * sizeof *o->score)))
        return FX_ENOMEM;
    for (size_t i = 0; i < n; i++)
        o->score[n + i] = l->classes ? fxi_model_pairs_sign(&t->m->c, o->number, (size_t)l->y[i])
                                     : l->y[i];
    return FX_OK;
}

/* A weighted mean over the rows; a pair of classes has nothing to do with rows of others. */
static double mean(const fxi_output *o, const double *y)
{
    const fxi_train *t = o->train;
    const fx_model_info *c = &t->m->c;
    double sum = 0, total = 0;

    for (size_t i = 0; i < t->eval.rows; i++) {
        double f = o->score[i], w = t->eval_labels.weight[i], x;
        if (t->eval_labels.classes && y[i] == 0)
            continue;
        if (t->metric == FXI_METRIC_RMSE) {
            x = fxi_model_predict_clip(c, f) - y[i];
            x *= x;
        } else
            x = t->metric == FXI_METRIC_LOGLOSS ? fxi_loss_logistic.value(y[i], f, 0)
                                                : (f > 0) == (y[i] > 0);
        sum += w * x;
        total += w;
    }
    return t->metric == FXI_METRIC_RMSE ? sqrt(sum / total) : sum / total;
}

fx_status fxi_train_measure(double *out, const fxi_output *o)
{
    const fxi_train *t = o->train;
    const double *weight = t->eval_labels.weight;
    size_t n = t->eval.rows;
    const double *y = o->score + n;

    if (t->metric == FXI_METRIC_AUC)
        return t->how.task == FXI_RANK
                   ? fxi_model_metrics_pairs(out, y, o->score, weight, t->eval_qid, n, o->run)
                   : fxi_model_metrics_auc(out, y, 1, o->score, 1, weight, n, o->run);
    *out = mean(o, y);
    return FX_OK;
}
