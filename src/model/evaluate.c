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
typedef struct evaluation {
    const fx_model_info *c;
    const double *y, *score;
    size_t n;
    double *work;                       /* of one row */
    double *label, *log, *sum;          /* [n] predicted; [n] or NULL; [n][classes] or NULL */
} evaluation;

static fx_status predict_piece(void *ctx, size_t b, fxi_team *team)
{
    evaluation *e = ctx;
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

static void close_evaluation(evaluation *e) { fxi_free(e->work, e->label, e->log, e->sum); }

static fx_status open_evaluation(evaluation *e, fxi_metric_rows *r, const fx_model *m,
                                 const double *y, const double *score, const double *weight,
                                 const int64_t *qid, size_t n, const fx_run *run)
{
    const fx_model_info *c = &m->c;
    bool summed = c->pairs && c->classes > 2;
    fx_status st = FX_OK;

    *e = (evaluation){.c = c, .y = y, .score = score, .n = n};
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
    evaluation e;
    fx_status st = open_evaluation(&e, &r, model, y, score, weight, qid, n, run);

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
    close_evaluation(&e);
    return st;
}

/* ---- On a table ----------------------------------------------------------------------------- */
/* Scores of all blocks of t, one below the other. */
static fx_status score_table(double *score, const fx_model *m, const fx_table *t, const fx_run *run)
{
    fx_scorer s;
    fx_status st = fxi_model_scorer_open(&s, m, t->rows, run);

    for (size_t b = 0; b < t->blocks && !st; b++) {
        st = fx_scorer_predict(score, NULL, &s, FX_SCORE, &t->block[b], run);
        score += t->block[b].rows * m->c.outputs;
    }
    fxi_model_scorer_close(&s);
    return st;
}

/* Rows that the model leaves out, whose scores are NaN, go; how many remain. */
static size_t leave_out(double *score, fxi_labels *l, int64_t *qid, size_t outputs, size_t rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows; i++) {
        if (isnan(score[i * outputs]))
            continue;
        memmove(score + n * outputs, score + i * outputs, outputs * sizeof *score);
        l->y[n] = l->y[i];
        l->weight[n] = l->weight[i];
        if (qid)
            qid[n] = qid[i];
        n++;
    }
    return n;
}

typedef struct labelled {               /* rows with the scores that a model gives them */
    fxi_labels l;
    double *score;
    int64_t *qid;                       /* or NULL */
    size_t n;
} labelled;

static void free_labelled(labelled *x)
{
    free(x->score);
    free(x->qid);
    fxi_model_labels_free(&x->l);
}

static fx_status score_labelled(labelled *x, const fx_model *m, const fx_table *t,
                                const fx_run *run)
{
    size_t outputs = m->c.outputs;
    fx_status st;

    *x = (labelled){0};
    if (!fx_model_width(m, FX_LABEL))
        return fxi_error(FX_EUNSUPPORTED, "%s predicts no labels that could be compared",
                         m->c.spec);
    if ((st = *m->c.missing ? fxi_data_check_missing_table(t, run) : fxi_data_check_table(t, run))
        || (st = fxi_model_labels_known(&x->l, &m->c, t, run)))
        return st;
    x->score = fxi_alloc_within(&st, t->rows, outputs * sizeof *x->score, run,
                                "scores of the rows");
    if (!st && t->qid) {
        if ((x->qid = fxi_alloc(t->rows, sizeof *x->qid)))
            memcpy(x->qid, t->qid, t->rows * sizeof *x->qid);
        else
            st = FX_ENOMEM;
    }
    if (!st && !(st = score_table(x->score, m, t, run)))
        x->n = leave_out(x->score, &x->l, x->qid, outputs, t->rows);
    return st;
}

fx_status fx_model_evaluate(fx_metrics *out, double *confusion, const fx_model *m,
                            const fx_table *t, const fx_run *run)
{
    labelled x = {0};
    fx_status st;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_evaluate: %s is NULL", m ? "out" : "m");
    if (confusion && !m->c.classes)
        return fxi_error(FX_EINVAL, "%s has no classes that could be confused", m->c.spec);
    if (!(st = fxi_sized_check(out, "fx_metrics")) && !(st = score_labelled(&x, m, t, run)))
        st = fxi_model_evaluate_scores(out, confusion, NULL, m, x.l.y, x.score, x.l.weight, x.qid,
                                       x.n, run);
    free_labelled(&x);
    return st;
}

/* ---- Metrics by name ------------------------------------------------------------------------ */
static fx_status parse(fxi_metric *metric, const char *const *name, size_t n, const fx_model *m)
{
    fx_status st = FX_OK;

    for (size_t i = 0; i < n && !st; i++)
        if (!(st = fxi_metric_parse(&metric[i], name[i])))
            st = fxi_metric_check(&metric[i], 1 << m->task, m->c.classes, m->c.sigmoid != NULL);
    return st;
}

static fx_status measure(double *out, const fxi_metric *metric, size_t n, const fx_model *m,
                         const fx_table *t, const fx_run *run)
{
    labelled x;
    evaluation e = {0};
    fxi_metric_rows r;
    fx_status st = score_labelled(&x, m, t, run);

    if (!st)
        st = open_evaluation(&e, &r, m, x.l.y, x.score, x.l.weight, x.qid, x.n, run);
    for (size_t i = 0; i < n && !st; i++)
        st = fxi_metric_of(&out[i], &metric[i], &r, run);
    close_evaluation(&e);
    free_labelled(&x);
    return st;
}

fx_status fx_model_evaluate_by(double *out, const char *const *name, size_t n, const fx_model *m,
                               const fx_table *t, const fx_run *run)
{
    if (!out || !name || !m || !t)
        return fxi_error(FX_EINVAL, "fx_model_evaluate_by: %s is NULL",
                         !out    ? "out"
                         : !name ? "name"
                         : !m    ? "m"
                                 : "t");
    if (!fx_model_width(m, FX_LABEL))
        return fxi_error(FX_EUNSUPPORTED, "%s predicts no labels that could be compared",
                         m->c.spec);
    fxi_metric *metric = fxi_alloc(n, sizeof *metric);
    fx_status st = metric ? parse(metric, name, n, m) : FX_ENOMEM;
    if (!st)
        st = measure(out, metric, n, m, t, run);
    free(metric);
    return st;
}
