/* SPDX-License-Identifier: BSD-3-Clause
 * path.c - cross-validation along a path of C, of rows in memory or elsewhere; the fits are those
 * of folds.c, the rows elsewhere come from passes.c. */

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

static fx_status measure(void *ctx, size_t b, const fxi_held_rows *x, const fx_run *run)
{
    const measuring *m = ctx;
    bool queries = x->row && m->t->qid;
    int64_t *qid = queries ? fxi_alloc(x->n, sizeof *qid) : NULL;
    fx_status st = queries && !qid ? FX_ENOMEM : FX_OK;

    for (size_t i = 0; i < x->n && qid; i++)
        qid[i] = m->t->qid[x->row[i]];
    for (size_t q = 0; q < m->f->n && !st; q++)
        st = fxi_model_evaluate_scores(&m->out[q * m->f->folds + b], NULL, m->metric, m->t->m, x->y,
                                       x->S + q * x->n * m->t->outputs, x->weight, qid, x->n, run);
    free(qid);
    return st;
}

fx_status fxi_train_path_check(fxi_path *p, const char *who, const fx_plan *plan, bool whence)
{
    if (!p->out || !plan || !p->C || !whence || !p->fold)
        return fxi_error(FX_EINVAL, "%s: %s is NULL", who,
                         !p->out   ? "out"
                         : !plan   ? "plan"
                         : !p->C   ? "C"
                         : !whence ? "t or ask"
                                   : "fold");
    fx_status st = fxi_sized_check(p->out, "fx_metrics");
    if (st || (st = fxi_sized_in(&p->plan, sizeof p->plan, plan, "fx_plan")))
        return st;
    if (!p->n || p->folds < 1 || p->folds > INT32_MAX)
        return fxi_error(FX_EINVAL, "%zu values of C and %d folds; there must be one of each", p->n,
                         (int)p->folds);
    for (size_t q = 0; q < p->n; q++)
        if (!(p->C[q] > (q ? p->C[q - 1] : 0) && isfinite(p->C[q])))
            return fxi_error(FX_EINVAL, "C[%zu] is %g; values must be positive and ascend", q,
                             p->C[q]);
    for (size_t i = 0; i < p->rows; i++)
        if (p->fold[i] < -1 || p->fold[i] >= (int32_t)p->folds)
            return fxi_error(FX_EINVAL, "row %zu (from 0) is in fold %d of %zu", i, (int)p->fold[i],
                             p->folds);
    if (p->plan.init)
        return fxi_error(FX_EUNSUPPORTED, "a path starts at nothing; init serves fx_model_fit");
    p->measured = p->plan.metric;
    st = p->measured ? fxi_metric_parse(&p->metric, p->plan.metric) : FX_OK;
    p->plan.metric = NULL;              /* of the folds, not of plan.eval */
    return st;
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

fx_status fxi_train_path(const fxi_path *p, fxi_train *t, const fx_run *run)
{
    fxi_folds f = {p->fold, p->folds, p->C, p->n};
    measuring m = {NULL, t, &f, p->measured ? &p->metric : NULL};
    size_t all = 0, size = p->out->size;        /* of the caller's, which may be another */
    fx_status st = FX_OK;

    if (!t->how.kind->path)
        return fxi_error(FX_EUNSUPPORTED, "a %s has no C", t->how.learner->name);
    if (m.metric)
        st = fxi_metric_check(m.metric, 1 << t->how.task, t->labels.classes,
                              t->m->c.sigmoid != NULL);
    if (!st && (!fxi_size_mul(&all, p->n, f.folds) || !(m.out = fxi_alloc(all, sizeof *m.out))))
        st = FX_ENOMEM;
    for (size_t i = 0; i < all && !st; i++)
        m.out[i].size = sizeof *m.out;
    if (!st)
        st = fxi_train_folds(t, &f, measure, &m, run);
    for (size_t i = 0; i < all && st >= 0; i++) {
        char *to = (char *)p->out + i * size;
        memcpy(to, &size, sizeof size);
        fxi_sized_out(to, &m.out[i], sizeof m.out[i]);
    }
    free(m.out);
    return st;
}

fx_status fx_model_path(fx_metrics *out, const fx_plan *plan, const double *C, size_t n,
                        const fx_table *t, const int32_t *fold, int folds, const fx_run *run)
{
    fxi_path p = {.out = out, .C = C, .n = n, .fold = fold, .rows = t ? t->rows : 0,
                  .folds = (size_t)folds};
    fxi_train train;
    int32_t *kept = NULL;
    fx_status st = fxi_train_path_check(&p, "fx_model_path", plan, t != NULL);

    if (st || (st = fxi_train_open(&train, &p.plan, t, run)))
        return st;
    if (train.m->c.missing_rows && !(st = keep_folds(&kept, &train.m->c, t, fold, run)))
        p.fold = kept;
    if (!st)
        st = fxi_train_path(&p, &train, run);
    free(kept);
    fxi_train_close(&train);
    return st;
}
