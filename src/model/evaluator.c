/* SPDX-License-Identifier: BSD-3-Clause
 * evaluator.c - a model measured on rows that come in batches.
 *
 * Of rows that were added there remain sums, of which the means are made (metric/mean.c), and the
 * numbers that are needed in order at the end: labels, predictions, scores, weights, queries.  All
 * metrics of targets are means, so of targets nothing remains, and nothing of classes if only means
 * and counts are wanted.  Sums are taken row by row, so batches make no difference. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORTED = 24 };                   /* bytes a row while scores are sorted (metric/ranked.c) */
enum { CONFUSED = 64 };                 /* classes whose matrix is kept instead of the rows */

/* ---- Making --------------------------------------------------------------------------------- */
fx_status fxi_model_evaluator_open(fx_evaluator *e, const fx_model *m, size_t rows,
                                   const fx_run *run)
{
    bool summed = m->c.pairs && m->c.classes > 2;
    fx_status st;

    if (!fx_model_width(m, FX_LABEL))
        return fxi_error(FX_EUNSUPPORTED, "%s predicts no labels that could be compared",
                         m->c.spec);
    *e = (fx_evaluator){.m = m, .width = summed ? m->c.classes : m->c.outputs,
                        .kept = m->task != FXI_REGRESS};
    if ((st = fxi_model_scorer_open(&e->scorer, m, rows, run)))
        fxi_model_scorer_close(&e->scorer);
    return st;
}

void fxi_model_evaluator_close(fx_evaluator *e)
{
    fxi_model_scorer_close(&e->scorer);
    fxi_free(e->y, e->label, e->score, e->weight, e->qid, e->count, e->confusion);
}

fx_status fx_model_evaluator_new(fx_evaluator **out, const fx_model *m, const fx_run *run)
{
    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_new: %s is NULL", m ? "out" : "m");
    fx_status st = fxi_sized_run_check(run);
    if (st)
        return st;
    fx_evaluator *e = fxi_alloc(1, sizeof *e);
    if (!e)
        return FX_ENOMEM;
    if ((st = fxi_model_evaluator_open(e, m, SIZE_MAX, run))) {
        free(e);
        return st;
    }
    fxi_model_share(m);
    *out = e;
    return FX_OK;
}

/* True if all of them are means or counts of classes. */
static bool summed(const fx_evaluator *e, const fxi_metric *metric, size_t n,
                   const fxi_metric_count *count)
{
    bool all = true;
    double x;

    for (size_t i = 0; i < n; i++)
        all &= fxi_metric_mean_of(&x, &metric[i], &e->sums)
               || fxi_metric_counts_of(&x, &metric[i], count, e->m->c.classes);
    return all;
}

fx_status fx_model_evaluator_only(fx_evaluator *e, const char *const *name, size_t n)
{
    if (!e || !name)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_only: %s is NULL", e ? "name" : "e");
    if (e->n || e->count)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_only: rows were added before, or it was "
                         "said before what is wanted");
    size_t classes = e->m->c.classes, cells = classes <= CONFUSED ? classes * classes : 0;
    fxi_metric *metric = fxi_alloc(n, sizeof *metric);
    fxi_metric_count *count = fxi_zalloc(classes, sizeof *count);
    double *confusion = fxi_zalloc(cells, sizeof *confusion);
    fx_status st = metric && count && confusion ? fxi_model_evaluator_named(metric, name, n, e)
                                                : FX_ENOMEM;

    if (!st && e->m->task == FXI_CLASSIFY && summed(e, metric, n, count)) {
        e->kept = false;
        e->count = count;
        count = NULL;
        if (cells) {
            e->confusion = confusion;
            confusion = NULL;
        }
    }
    fxi_free(metric, count, confusion);
    return st;
}

void fx_model_evaluator_free(fx_evaluator *e)
{
    if (!e)
        return;
    fxi_model_evaluator_close(e);
    fx_model_free((fx_model *)e->m);
    free(e);
}

/* ---- Rows ----------------------------------------------------------------------------------- */
typedef struct batch {                  /* rows with the scores that the model gives them */
    fxi_labels l;
    double *score;                      /* [n][outputs] */
    int64_t *qid;                       /* or NULL */
    size_t n;
} batch;

static void free_batch(batch *x)
{
    free(x->score);
    free(x->qid);
    fxi_model_labels_free(&x->l);
}

/* Rows that the model leaves out, whose scores are NaN, go; how many remain. */
static size_t leave_out(batch *x, size_t outputs, size_t rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows; i++) {
        if (isnan(x->score[i * outputs]))
            continue;
        memmove(x->score + n * outputs, x->score + i * outputs, outputs * sizeof *x->score);
        x->l.y[n] = x->l.y[i];
        x->l.weight[n] = x->l.weight[i];
        if (x->qid)
            x->qid[n] = x->qid[i];
        n++;
    }
    return n;
}

/* score: of the rows; NULL: not yet known. */
static fx_status score_batch(batch *x, const fx_evaluator *e, const fx_table *t,
                             const double *score, const fx_run *run)
{
    const fx_model_info *c = &e->m->c;
    size_t row = 0;
    fx_status st;

    *x = (batch){0};
    if ((st = *c->missing ? fxi_data_check_missing_table(t, run) : fxi_data_check_table(t, run))
        || (st = fxi_model_labels_known(&x->l, c, t, run)))
        return st;
    x->score = fxi_alloc_within(&st, t->rows, c->outputs * sizeof *x->score, run,
                                "scores of the rows");
    if (!st && t->qid) {
        if ((x->qid = fxi_alloc(t->rows, sizeof *x->qid)))
            memcpy(x->qid, t->qid, t->rows * sizeof *x->qid);
        else
            st = FX_ENOMEM;
    }
    if (!st && score)
        memcpy(x->score, score, t->rows * c->outputs * sizeof *score);
    for (size_t b = 0; b < t->blocks && !st && !score; row += t->block[b++].rows)
        st = fx_scorer_predict(x->score + row * c->outputs, NULL, &e->scorer, FX_SCORE,
                               &t->block[b], run);
    if (!st)
        x->n = leave_out(x, c->outputs, t->rows);
    return st;
}

/* ---- What remains of them ------------------------------------------------------------------- */
/* Bytes that n rows take, and their metrics. */
static size_t bytes_of(const fx_evaluator *e, size_t n)
{
    size_t numbers = 2 + e->width + e->weighted + e->queried, bytes;

    return fxi_size_mul(&bytes, n, 8 * numbers + SORTED) ? bytes : SIZE_MAX;
}

/* The array grows to e->capacity items. */
static bool grow(void **array, size_t capacity, size_t size)
{
    void *more = fxi_realloc(*array, capacity, size);

    if (more)
        *array = more;
    return more;
}

static fx_status reserve(fx_evaluator *e, const fx_table *t)
{
    size_t need = e->n + t->rows, capacity = e->capacity;

    if (need > capacity) {
        capacity = need + need / 2;
        if (!grow((void **)&e->y, capacity, sizeof *e->y)
            || !grow((void **)&e->score, capacity, e->width * sizeof *e->score)
            || (e->m->task == FXI_CLASSIFY
                && !grow((void **)&e->label, capacity, sizeof *e->label))
            || (e->weight && !grow((void **)&e->weight, capacity, sizeof *e->weight))
            || (e->qid && !grow((void **)&e->qid, capacity, sizeof *e->qid)))
            return FX_ENOMEM;
        e->capacity = capacity;
    }
    if (t->weight && !e->weight) {      /* rows before had none */
        if (!grow((void **)&e->weight, capacity, sizeof *e->weight))
            return FX_ENOMEM;
        for (size_t i = 0; i < e->n; i++)
            e->weight[i] = 1;
    }
    if (t->qid && !e->qid) {
        if (!grow((void **)&e->qid, capacity, sizeof *e->qid))
            return FX_ENOMEM;
        for (size_t i = 0; i < e->n; i++)
            e->qid[i] = -1;
    }
    return FX_OK;
}

static void keep(fx_evaluator *e, const fxi_metric_rows *r)
{
    memcpy(e->y + e->n, r->y, r->n * sizeof *e->y);
    memcpy(e->score + e->n * e->width, r->score, r->n * e->width * sizeof *e->score);
    if (e->label)
        memcpy(e->label + e->n, r->label, r->n * sizeof *e->label);
    if (e->weight)
        memcpy(e->weight + e->n, r->weight, r->n * sizeof *e->weight);
    for (size_t i = 0; i < r->n && e->qid; i++)
        e->qid[e->n + i] = r->qid ? r->qid[i] : -1;
}

static void count(fx_evaluator *e, const fxi_metric_rows *r)
{
    fxi_metric_counts_add(e->count, r);
    for (size_t i = 0; i < r->n && e->confusion; i++)
        e->confusion[(size_t)r->y[i] * r->classes + (size_t)r->label[i]] += fxi_metric_weight(r, i);
}

static fx_status add(fx_evaluator *e, const fx_table *t, const double *score, const fx_run *run)
{
    batch x;
    fxi_evaluation p = {0};
    fxi_metric_rows r;
    fx_status st = score_batch(&x, e, t, score, run);

    if (!st)
        st = fxi_model_evaluate_open(&p, &r, e->m, x.l.y, x.score, x.l.weight, x.qid, x.n, run);
    if (!st && e->kept)
        st = reserve(e, t);
    if (!st) {
        fxi_metric_mean_add(&e->sums, &r);
        if (e->kept)
            keep(e, &r);
        else if (e->count)
            count(e, &r);
        e->n += x.n;
    }
    fxi_model_evaluate_close(&p);
    free_batch(&x);
    return st;
}

static fx_status add_within(fx_evaluator *e, const fx_table *t, const double *score,
                            const fx_run *run)
{
    uint64_t limit = fxi_sized_run(run).max_memory;
    e->weighted |= t->weight != NULL;
    e->queried |= t->qid != NULL;
    if (e->kept && limit && bytes_of(e, e->n + t->rows) > limit)
        e->limit = limit;
    if (!e->limit)
        return add(e, t, score, run);
    e->n += t->rows;                    /* to say how much memory would do */
    return FX_OK;
}

fx_status fx_model_evaluator_add(fx_evaluator *e, const fx_table *t, const fx_run *run)
{
    if (!e || !t)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_add: %s is NULL", e ? "t" : "e");
    return add_within(e, t, NULL, run);
}

fx_status fx_model_evaluator_add_scored(fx_evaluator *e, const fx_table *t, const double *score,
                                        const fx_run *run)
{
    if (!e || !t || !score)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_add_scored: %s is NULL",
                         !e   ? "e"
                         : !t ? "t"
                              : "score");
    return add_within(e, t, score, run);
}

/* ---- Metrics -------------------------------------------------------------------------------- */
fx_status fxi_model_evaluator_check(const fx_metrics *out, const double *confusion,
                                    const fx_evaluator *e)
{
    if (confusion && !e->m->c.classes)
        return fxi_error(FX_EINVAL, "%s has no classes that could be confused", e->m->c.spec);
    return fxi_sized_check(out, "fx_metrics");
}

static fx_status complete(fxi_metric_rows *r, const fx_evaluator *e)
{
    *r = (fxi_metric_rows){.n = e->n, .classes = e->m->c.classes, .y = e->y, .label = e->label,
                           .score = e->score, .width = e->width, .weight = e->weight,
                           .qid = e->qid};
    if (e->limit)
        return fxi_error(FX_ELIMIT, "the evaluation of %zu rows needs %zu bytes, the limit is %llu",
                         e->n, bytes_of(e, e->n), (unsigned long long)e->limit);
    return FX_OK;
}

fx_status fx_model_evaluator_metrics(fx_metrics *out, double *confusion, const fx_evaluator *e,
                                     const fx_run *run)
{
    fxi_metric_rows r;

    if (!out || !e)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_metrics: %s is NULL", e ? "out" : "e");
    fx_status st = fxi_model_evaluator_check(out, confusion, e);
    if (!st)
        st = complete(&r, e);
    if (!st && confusion && e->count && !e->confusion)
        st = fxi_error(FX_EUNSUPPORTED, "a confusion matrix of %zu classes needs the rows",
                       e->m->c.classes);
    if (st)
        return st;
    fx_metrics m = fxi_model_metrics_none(e->n);
    size_t classes = e->m->c.classes;
    if (classes)
        m.accuracy = e->sums.right / e->sums.weight;
    if (e->m->c.sigmoid)
        m.logloss = e->sums.log / e->sums.weight;
    if (e->kept)
        st = fxi_metric_ranked_auc(&m.auc, &r, 0, run);
    else if (!classes)
        m.rmse = sqrt(e->sums.square / e->sums.weight);
    if (st)
        return st;
    if (confusion && e->confusion)
        memcpy(confusion, e->confusion, classes * classes * sizeof *confusion);
    else if (confusion)
        memset(confusion, 0, classes * classes * sizeof *confusion);
    for (size_t i = 0; i < e->n && confusion && e->kept; i++)
        confusion[(size_t)e->y[i] * classes + (size_t)e->label[i]] += fxi_metric_weight(&r, i);
    fxi_sized_out(out, &m, sizeof m);
    return FX_OK;
}

fx_status fxi_model_evaluator_named(fxi_metric *metric, const char *const *name, size_t n,
                                    const fx_evaluator *e)
{
    fx_status st = FX_OK;

    for (size_t i = 0; i < n && !st; i++)
        if (!(st = fxi_metric_parse(&metric[i], name[i])))
            st = fxi_metric_check(&metric[i], 1 << e->m->task, e->m->c.classes,
                                  e->m->c.sigmoid != NULL);
    return st;
}

fx_status fx_model_evaluator_by(double *out, const char *const *name, size_t n,
                                const fx_evaluator *e, const fx_run *run)
{
    fxi_metric_rows r;

    if (!out || !name || !e)
        return fxi_error(FX_EINVAL, "fx_model_evaluator_by: %s is NULL",
                         !out ? "out" : !name ? "name" : "e");
    fxi_metric *metric = fxi_alloc(n, sizeof *metric);
    fx_status st = metric ? fxi_model_evaluator_named(metric, name, n, e) : FX_ENOMEM;
    if (!st)
        st = complete(&r, e);
    for (size_t i = 0; i < n && !st; i++) {
        bool done = fxi_metric_mean_of(&out[i], &metric[i], &e->sums)
                    || (e->count
                        && fxi_metric_counts_of(&out[i], &metric[i], e->count, r.classes));
        if (!done && e->count)
            st = fxi_error(FX_EINVAL, "%s was not among the metrics that are wanted", name[i]);
        else if (!done)
            st = fxi_metric_of(&out[i], &metric[i], &r, run);
    }
    free(metric);
    return st;
}
