/* SPDX-License-Identifier: BSD-3-Clause
 * evaluate.c - a model measured on labelled rows, by metrics of metric/metric.def.
 *
 * Labels are those that predict gives, targets clipped where the model clips; scores of pairs of
 * classes are summed for each class; the probability of the true class is formed from logarithms,
 * so that its logarithm is finite. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 10 };               /* rows */

/* ---- From scores to what metrics need ------------------------------------------------------ */
static fx_status predict_piece(void *ctx, size_t b, fxi_team *team)
{
    fxi_evaluation *e = ctx;
    const fx_model_info *c = e->c;
    size_t i = b * PIECE, last = e->n - i < PIECE ? e->n : i + PIECE;

    for (; i < last && !fxi_parallel_cancelled(team); i++) {
        const double *s = e->score + i * c->outputs;
        e->label[i] = fxi_model_predict_label(c, s, e->work, team);
        if (e->log)
            e->log[i] = fxi_model_predict_log(c, s, (size_t)e->y[i], e->work, team);
        if (e->sum)
            fxi_model_pairs_sum(e->sum + i * c->classes, c, s);
    }
    return FX_OK;
}

void fxi_model_evaluate_close(fxi_evaluation *e) { fxi_free(e->work, e->label, e->log, e->sum); }

fx_status fxi_model_evaluate_open(fxi_evaluation *e, fxi_metric_rows *r, const fx_model *m,
                                  const double *y, const double *score, const double *weight,
                                  const int64_t *qid, size_t n, const fx_run *run)
{
    const fx_model_info *c = &m->c;
    bool summed = c->pairs && c->classes > 2;
    fx_status st = FX_OK;

    *e = (fxi_evaluation){.c = c, .y = y, .score = score, .n = n};
    *r = (fxi_metric_rows){.n = n, .classes = c->classes, .y = y, .score = score,
                           .width = summed ? c->classes : c->outputs, .weight = weight,
                           .qid = qid};
    if (m->task == FXI_RANK)
        return FX_OK;
    if (summed)
        r->score = e->sum = fxi_alloc_within(&st, n, c->classes * sizeof *e->sum, run,
                                             "scores of classes");
    if (!st && (!(e->work = fxi_alloc(fxi_model_predict_workspace(c), sizeof *e->work))
                || !(r->label = e->label = fxi_alloc(n, sizeof *e->label))
                || (c->sigmoid && !(r->log = e->log = fxi_alloc(n, sizeof *e->log)))))
        st = FX_ENOMEM;
    return st ? st : fxi_parallel_ordered((n + PIECE - 1) / PIECE, predict_piece, e, run);
}

/* ---- All usual metrics ---------------------------------------------------------------------- */
static fx_status usual(fx_metrics *m, const fxi_metric_rows *r, fxi_task task, const fx_run *run)
{
    fx_status st = FX_OK;

    if (task == FXI_CLASSIFY)
        st = fxi_metric_mean_accuracy(&m->accuracy, r, 0, run);
    if (!st && r->log)
        st = fxi_metric_mean_logloss(&m->logloss, r, 0, run);
    if (!st && task == FXI_REGRESS)
        st = fxi_metric_mean_rmse(&m->rmse, r, 0, run);
    return st || task == FXI_REGRESS ? st : fxi_metric_ranked_auc(&m->auc, r, 0, run);
}

fx_status fxi_model_evaluate_scores(fx_metrics *out, double *confusion, const fxi_metric *metric,
                                    const fx_model *model, const double *y, const double *score,
                                    const double *weight, const int64_t *qid, size_t n,
                                    const fx_run *run)
{
    size_t classes = model->c.classes;
    fx_metrics m = fxi_model_metrics_none(n);
    fxi_metric_rows r;
    fxi_evaluation e;
    fx_status st = fxi_model_evaluate_open(&e, &r, model, y, score, weight, qid, n, run);

    if (!st)
        st = usual(&m, &r, model->task, run);
    if (!st && metric)
        st = fxi_metric_of(&m.metric, metric, &r, run);
    if (!st && confusion)
        memset(confusion, 0, classes * classes * sizeof *confusion);
    for (size_t i = 0; i < n && !st && confusion; i++)
        confusion[(size_t)y[i] * classes + (size_t)e.label[i]] += weight[i];
    if (!st)
        fxi_sized_out(out, &m, sizeof m);
    fxi_model_evaluate_close(&e);
    return st;
}

/* ---- On a table ----------------------------------------------------------------------------- */
fx_status fx_model_evaluate(fx_metrics *out, double *confusion, const fx_model *m,
                            const fx_table *t, const fx_run *run)
{
    fx_evaluator e;
    fx_status st;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_evaluate: %s is NULL", m ? "out" : "m");
    if ((st = fxi_model_evaluator_open(&e, m, t ? t->rows : 0, run)))
        return st;
    if (!(st = fxi_model_evaluator_check(out, confusion, &e))
        && !(st = fx_model_evaluator_add(&e, t, run)))
        st = fx_model_evaluator_metrics(out, confusion, &e, run);
    fxi_model_evaluator_close(&e);
    return st;
}

fx_status fx_model_evaluate_by(double *out, const char *const *name, size_t n, const fx_model *m,
                               const fx_table *t, const fx_run *run)
{
    fx_evaluator e;
    fx_status st;

    if (!out || !name || !m || !t)
        return fxi_error(FX_EINVAL, "fx_model_evaluate_by: %s is NULL",
                         !out    ? "out"
                         : !name ? "name"
                         : !m    ? "m"
                                 : "t");
    if ((st = fxi_model_evaluator_open(&e, m, t->rows, run)))
        return st;
    fxi_metric *metric = fxi_alloc(n, sizeof *metric);
    st = metric ? fxi_model_evaluator_named(metric, name, n, &e) : FX_ENOMEM;
    if (!st && !(st = fx_model_evaluator_add(&e, t, run)))
        st = fx_model_evaluator_by(out, name, n, &e, run);
    free(metric);
    fxi_model_evaluator_close(&e);
    return st;
}
