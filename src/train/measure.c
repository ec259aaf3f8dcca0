/* SPDX-License-Identifier: BSD-3-Clause
 * measure.c - plan.metric: the scores of one output on plan.eval, measured after every iteration,
 * and which of two measurements is better.
 *
 * An output of classes is measured as one of two classes: score > 0 predicts the second.  With
 * logistic loss its probability is 1 / (1 + exp(-score)).  Targets are clipped as
 * predictions are. */

#include "train/train.h"

#include <math.h>

fx_status fxi_train_measure_resolve(fxi_train *t, const fx_plan *plan)
{
    static const char *const usual[] = {[FXI_CLASSIFY] = "accuracy", [FXI_REGRESS] = "rmse",
                                        [FXI_RANK] = "auc", [FXI_NO_LABELS] = NULL};
    fxi_task task = t->how.task;
    const char *name = plan->metric ? plan->metric : usual[task];
    fx_status st = name ? fxi_metric_parse(&t->metric, name) : FX_OK;

    if (st)
        return st;
    if (task == FXI_NO_LABELS && name)
        return fxi_error(FX_EINVAL, "%s predicts no labels: there is no metric %s of it",
                         t->how.learner->name, name);
    if (name
        && (st = fxi_metric_check(&t->metric, 1 << task, t->labels.classes,
                                  t->how.loss == &fxi_loss_logistic)))
        return st;
    if (!plan->eval && (plan->metric || plan->patience))
        return fxi_error(FX_EINVAL, "%s needs rows to measure on (eval)",
                         plan->metric ? "a metric" : "patience");
    if (!(plan->max_seconds >= 0))
        return fxi_error(FX_EINVAL, "max_seconds is %g", plan->max_seconds);
    return FX_OK;
}

bool fxi_train_measure_better(const fxi_train *t, double a, double b)
{
    return !isnan(a) && (isnan(b) || (t->metric.type->falls ? a < b : a > b));
}

/* Allocates scores, followed by labels or targets, weights, predictions and logarithms.  A row of
 * neither class of a pair gets weight 0 for its output. */
fx_status fxi_train_measure_new(fxi_output *o)
{
    const fxi_train *t = o->train;
    const fxi_labels *l = &t->eval_labels;
    size_t n = t->eval.rows;

    if (o->score)
        return FX_OK;
    if (!(o->score = fxi_alloc(n, 5 * sizeof *o->score)))
        return FX_ENOMEM;
    double *y = o->score + n, *weight = y + n;
    for (size_t i = 0; i < n; i++) {
        double sign = l->classes ? fxi_model_pairs_sign(&t->m->c, o->number, (size_t)l->y[i]) : 1;
        y[i] = l->classes ? sign > 0 : l->y[i];
        weight[i] = sign != 0 ? l->weight[i] : 0;
    }
    return FX_OK;
}

fx_status fxi_train_measure(double *out, const fxi_output *o)
{
    const fxi_train *t = o->train;
    size_t n = t->eval.rows;
    double *y = o->score + n, *weight = y + n, *label = weight + n, *log = label + n;
    bool classes = t->eval_labels.classes > 0;
    const fxi_metric_rows r = {.n = n, .classes = classes ? 2 : 0, .y = y, .label = label,
                               .score = o->score, .width = 1, .log = log, .weight = weight,
                               .qid = t->eval_qid};

    for (size_t i = 0; i < n; i++) {
        double f = o->score[i];
        label[i] = classes ? f > 0 : fxi_model_predict_clip(&t->m->c, f);
        log[i] = classes ? -fxi_loss_logistic.value(2 * y[i] - 1, f, 0) : 0;
    }
    return fxi_metric_of(out, &t->metric, &r, o->run);
}
