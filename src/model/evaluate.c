/* SPDX-License-Identifier: BSD-3-Clause
 * evaluate.c - a model measured on labelled rows.
 *
 * Accuracy is of the labels that predict gives; auc of the scores (of pairs of classes: summed for
 * each class), for several classes the mean over those classes for which it is defined; logloss
 * the mean of -log of the probability of the true class, formed from logarithms so that it is
 * finite; rmse of targets, clipped where the model clips; auc of rankings: metrics_pairs.c. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 10 };               /* rows */

/* score: [n][width], one for each class or for the second of two. */
static fx_status mean_auc(double *out, size_t width, const double *y, const double *score,
                          const double *weight, size_t n, const fx_run *run)
{
    double sum = 0, auc;
    size_t defined = 0;
    fx_status st = FX_OK;

    for (size_t k = 0; k < width && !st; k++) {
        double positive = width > 1 ? (double)k : 1;
        st = fxi_model_metrics_auc(&auc, y, positive, score + k, width, weight, n, run);
        if (!st && !isnan(auc)) {
            sum += auc;
            defined++;
        }
    }
    *out = defined ? sum / (double)defined : NAN;
    return st;
}

typedef struct summing {
    double *sum;
    const double *score;
    const fx_model_info *c;
} summing;

static fx_status sum_row(void *ctx, size_t i, fxi_team *team)
{
    const summing *s = ctx;

    (void)team;
    fxi_model_pairs_sum(s->sum + i * s->c->classes, s->c, s->score + i * s->c->outputs);
    return FX_OK;
}

/* Of pairs of classes: by the sums of scores of each class. */
static fx_status auc_of(double *out, const fx_model_info *c, const double *y, const double *score,
                        const double *weight, size_t n, const fx_run *run)
{
    fx_status st = FX_OK;

    if (!c->pairs)
        return mean_auc(out, c->outputs, y, score, weight, n, run);
    double *sum = fxi_alloc_within(&st, n, c->classes * sizeof *sum, run, "scores of classes");
    if (!st)
        st = fxi_parallel(n, sum_row, &(summing){sum, score, c}, run);
    if (!st)
        st = mean_auc(out, c->classes, y, sum, weight, n, run);
    free(sum);
    return st;
}

typedef struct evaluation {
    const fx_model_info *c;
    const double *y, *score, *weight;
    size_t n;
    double *work, *label;               /* [n] predicted */
    double correct, loss, total;
} evaluation;

static fx_status evaluate_piece(void *ctx, size_t b, fxi_team *team)
{
    evaluation *j = ctx;
    const fx_model_info *c = j->c;
    size_t i = b * PIECE, last = j->n - i < PIECE ? j->n : i + PIECE;

    for (; i < last && !fxi_parallel_cancelled(team); i++) {
        const double *s = j->score + i * c->outputs;
        j->label[i] = fxi_model_predict_label(c, s, j->work, team);
        j->correct += j->weight[i] * (j->label[i] == j->y[i]);
        j->total += j->weight[i];
        if (c->sigmoid)
            j->loss -= j->weight[i] * fxi_model_predict_log(c, s, (size_t)j->y[i], j->work, team);
    }
    return FX_OK;
}

/* Predictions are clipped where the model says so. */
static fx_status evaluate_targets(fx_metrics *out, const fx_model_info *c, const double *y,
                                  const double *score, const double *weight, size_t n)
{
    double *label = fxi_alloc(n, sizeof *label);

    for (size_t i = 0; i < n && label; i++)
        label[i] = fxi_model_predict_clip(c, score[i]);
    fx_status st = label ? fx_model_metrics(out, y, label, weight, n, 1) : FX_ENOMEM;
    free(label);
    return st;
}

fx_status fxi_model_evaluate_scores(fx_metrics *out, double *confusion, const fx_model *model,
                                    const double *y, const double *score, const double *weight,
                                    const int64_t *qid, size_t n, const fx_run *run)
{
    const fx_model_info *c = &model->c;
    fx_metrics m = fxi_model_metrics_none(n);
    evaluation j = {.c = c, .y = y, .score = score, .weight = weight, .n = n};
    fx_status st;

    if (!c->classes) {
        st = model->task == FXI_RANK
                 ? fxi_model_metrics_pairs(&m.auc, y, score, weight, qid, n, run)
                 : evaluate_targets(&m, c, y, score, weight, n);
        if (!st)
            fxi_sized_out(out, &m, sizeof m);
        return st;
    }
    j.work = fxi_alloc(fxi_model_predict_workspace(c), sizeof *j.work);
    j.label = fxi_alloc(n, sizeof *j.label);
    st = j.work && j.label ? auc_of(&m.auc, c, y, score, weight, n, run) : FX_ENOMEM;
    if (!st)
        st = fxi_parallel_ordered((n + PIECE - 1) / PIECE, evaluate_piece, &j, run);
    if (!st && confusion)
        memset(confusion, 0, c->classes * c->classes * sizeof *confusion);
    for (size_t i = 0; i < n && !st && confusion; i++)
        confusion[(size_t)y[i] * c->classes + (size_t)j.label[i]] += weight[i];
    if (j.total > 0) {
        m.accuracy = j.correct / j.total;
        m.logloss = c->sigmoid ? j.loss / j.total : NAN;
    }
    if (!st)
        fxi_sized_out(out, &m, sizeof m);
    free(j.work);
    free(j.label);
    return st;
}

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

fx_status fx_model_evaluate(fx_metrics *out, double *confusion, const fx_model *m,
                            const fx_table *t, const fx_run *run)
{
    fxi_labels l = {0};
    int64_t *qid = NULL;
    double *score;
    fx_status st;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_evaluate: %s is NULL", m ? "out" : "m");
    if (confusion && !m->c.classes)
        return fxi_error(FX_EINVAL, "%s has no classes that could be confused", m->c.spec);
    if (!fx_model_width(m, FX_LABEL))
        return fxi_error(FX_EUNSUPPORTED, "%s predicts no labels that could be compared",
                         m->c.spec);
    if ((st = fxi_sized_check(out, "fx_metrics"))
        || (st = *m->c.missing ? fxi_data_check_missing_table(t, run)
                               : fxi_data_check_table(t, run))
        || (st = fxi_model_labels_known(&l, &m->c, t, run)))
        return st;
    score = fxi_alloc_within(&st, t->rows, m->c.outputs * sizeof *score, run, "scores of the rows");
    if (!st && t->qid) {
        if ((qid = fxi_alloc(t->rows, sizeof *qid)))
            memcpy(qid, t->qid, t->rows * sizeof *qid);
        else
            st = FX_ENOMEM;
    }
    if (!st && !(st = score_table(score, m, t, run))) {
        size_t n = leave_out(score, &l, qid, m->c.outputs, t->rows);
        st = fxi_model_evaluate_scores(out, confusion, m, l.y, score, l.weight, qid, n, run);
    }
    free(score);
    free(qid);
    fxi_model_labels_free(&l);
    return st;
}
