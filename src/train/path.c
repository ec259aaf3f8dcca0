/* SPDX-License-Identifier: BSD-3-Clause
 * path.c - cross-validation along a path of C; the fits are those of folds.c. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct measuring {
    fx_metrics *out;                    /* [n][folds] */
    const fxi_train *t;
    const fxi_folds *f;
    const fxi_metric *metric;           /* or NULL */
} measuring;

static fx_status measure(void *ctx, size_t b, const int32_t *row, size_t rows, const double *S,
                         const fx_run *run)
{
    const measuring *m = ctx;
    const fxi_labels *l = &m->t->labels;
    double *y = fxi_alloc(2 * rows, sizeof *y), *weight = y ? y + rows : NULL;
    int64_t *qid = m->t->qid ? fxi_alloc(rows, sizeof *qid) : NULL;
    fx_status st = y && !qid == !m->t->qid ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st; i++) {
        y[i] = l->y[row[i]];
        weight[i] = l->weight[row[i]];
        if (qid)
            qid[i] = m->t->qid[row[i]];
    }
    for (size_t q = 0; q < m->f->n && !st; q++)
        st = fxi_model_evaluate_scores(&m->out[q * m->f->folds + b], NULL, m->metric, m->t->m, y,
                                       S + q * rows * m->t->outputs, weight, qid, rows, run);
    free(y);
    free(qid);
    return st;
}

static fx_status check(fx_plan *own, const fx_metrics *out, const fx_plan *plan, const double *C,
                       size_t n, const fx_table *t, const int32_t *fold, int folds)
{
    if (!out || !plan || !C || !t || !fold)
        return fxi_error(FX_EINVAL, "fx_model_path: %s is NULL",
                         !out    ? "out"
                         : !plan ? "plan"
                         : !C    ? "C"
                         : !t    ? "t"
                                 : "fold");
    fx_status st = fxi_sized_check(out, "fx_metrics");
    if (st || (st = fxi_sized_in(own, sizeof *own, plan, "fx_plan")))
        return st;
    if (!n || folds < 1)
        return fxi_error(FX_EINVAL, "%zu values of C and %d folds; there must be one of each", n,
                         folds);
    for (size_t q = 0; q < n; q++)
        if (!(C[q] > (q ? C[q - 1] : 0) && isfinite(C[q])))
            return fxi_error(FX_EINVAL, "C[%zu] is %g; values must be positive and ascend", q,
                             C[q]);
    for (size_t i = 0; i < t->rows; i++)
        if (fold[i] < -1 || fold[i] >= folds)
            return fxi_error(FX_EINVAL, "row %zu (from 0) is in fold %d of %d", i, (int)fold[i],
                             folds);
    if (own->init)
        return fxi_error(FX_EUNSUPPORTED, "a path starts at nothing; init serves fx_model_fit");
    return FX_OK;
}

/* The folds of the rows that training has, if it leaves some out. */
static fx_status keep_folds(int32_t **out, const fx_model_info *c, const fx_table *t,
                            const int32_t *fold, const fx_run *run)
{
    fxi_missing m = fxi_model_missing(c);
    size_t *row, n;
    fx_status st = fxi_data_missing_rows(&row, &n, &m, t, run);

    if (st)
        return st;
    int32_t *kept = fxi_alloc(n, sizeof *kept);
    for (size_t i = 0; kept && i < n; i++)
        kept[i] = fold[row[i]];
    free(row);
    *out = kept;
    return kept ? FX_OK : FX_ENOMEM;
}

fx_status fx_model_path(fx_metrics *out, const fx_plan *given, const double *C, size_t n,
                        const fx_table *t, const int32_t *fold, int folds, const fx_run *run)
{
    fxi_folds f = {fold, (size_t)folds, C, n};
    fx_plan plan;
    fxi_metric metric;
    fx_status st = check(&plan, out, given, C, n, t, fold, folds);
    fxi_train train;
    int32_t *kept = NULL;
    size_t all = 0;

    if (!st && plan.metric)
        st = fxi_metric_parse(&metric, plan.metric);
    if (st)
        return st;
    measuring m = {NULL, &train, &f, plan.metric ? &metric : NULL};
    plan.metric = NULL;                 /* of the folds, not of plan.eval */
    if ((st = fxi_train_open(&train, &plan, t, run)))
        return st;
    if (train.m->c.missing_rows && !(st = keep_folds(&kept, &train.m->c, t, fold, run)))
        f.fold = kept;
    if (!st && !train.how.kind->path)
        st = fxi_error(FX_EUNSUPPORTED, "a %s has no C", train.how.learner->name);
    if (!st && m.metric)
        st = fxi_metric_check(m.metric, 1 << train.how.task, train.labels.classes,
                              train.m->c.sigmoid != NULL);
    if (!st && (!fxi_size_mul(&all, n, f.folds) || !(m.out = fxi_alloc(all, sizeof *m.out))))
        st = FX_ENOMEM;
    for (size_t i = 0; i < all && !st; i++)
        m.out[i].size = sizeof *m.out;
    if (!st)
        st = fxi_train_folds(&train, &f, measure, &m, run);
    size_t size = out->size;            /* of the caller's, which may be another */
    for (size_t i = 0; i < n * f.folds && st >= 0; i++) {
        char *to = (char *)out + i * size;
        memcpy(to, &size, sizeof size);
        fxi_sized_out(to, &m.out[i], sizeof m.out[i]);
    }
    free(m.out);
    free(kept);
    fxi_train_close(&train);
    return st;
}
