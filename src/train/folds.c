/* SPDX-License-Identifier: BSD-3-Clause
 * folds.c - scores of rows by fits that never saw them.
 *
 * One source serves all fits: rows of a fold get weight 0 in the fit that leaves them out.  Along a
 * path of C each fit starts from the one before. */

#include "train/train.h"

#include <float.h>
#include <stdlib.h>

typedef struct validation {
    fxi_train *t;
    const fxi_folds *f;
    fxi_folds_use *use;
    void *ctx;
    struct {                            /* [folds] of fits that did not converge */
        double C, gap;
    } * worst;
} validation;

/* All values of C for output k of the fits without fold b; scores of its rows to
 * S[n][rows][outputs]. */
static fx_status fit_path(double *S, double *f, const validation *a, size_t b, size_t k,
                          const int32_t *row, size_t rows, const fx_run *run)
{
    const fxi_train *t = a->t;
    size_t outputs = t->outputs;
    fxi_output o;
    fx_status st = fxi_train_output_new(&o, t, k);

    o.no_history = true;
    for (size_t q = 0; q < a->f->n && !st; q++) {
        st = fxi_train_output_fit(&o, a->f->C[q], a->f->fold, (int)b, run);
        if (!st)
            st = t->how.kind->score(f, &o, &o.s, row, rows, run);
        for (size_t i = 0; i < rows && !st; i++)
            S[(q * rows + i) * outputs + k] = f[i];
        double gap = o.s.gap > DBL_MIN ? o.s.gap : DBL_MIN;     /* above 0, if known */
        if (!st && (!o.s.converged || o.s.indefinite) && gap > a->worst[b].gap) {
            a->worst[b].C = a->f->C[q];
            a->worst[b].gap = gap;
        }
    }
    fxi_train_output_free(&o);
    return st;
}

static fx_status hold_out(void *ctx, size_t b, double *done, const fx_run *run)
{
    const validation *a = ctx;
    const fxi_train *t = a->t;
    size_t rows = 0, numbers;
    fx_status st = FX_OK;

    for (size_t i = 0; i < t->source.rows; i++)
        rows += a->f->fold[i] == (int32_t)b;
    if (!fxi_size_mul(&numbers, rows, t->outputs) || !fxi_size_mul(&numbers, numbers, a->f->n))
        return fxi_error(FX_ESHAPE, "%zu fits of %zu rows are too many", a->f->n, rows);
    double *S = fxi_alloc_within(&st, numbers, sizeof *S, run, "scores of the rows held out");
    if (st)
        return st;
    int32_t *row = fxi_alloc(rows, sizeof *row);
    double *f = fxi_alloc(rows, sizeof *f);
    st = row && f ? FX_OK : FX_ENOMEM;
    for (size_t i = 0, n = 0; i < t->source.rows && !st; i++)
        if (a->f->fold[i] == (int32_t)b)
            row[n++] = (int32_t)i;
    for (size_t k = 0; k < t->outputs && !st; k++) {
        st = fit_path(S, f, a, b, k, row, rows, run);
        if (done)
            *done = (double)(k + 1) / (double)t->outputs;
    }
    if (!st)
        st = a->use(a->ctx, b, row, rows, S, run);
    free(row);
    free(S);
    free(f);
    return st;
}

fx_status fxi_train_folds(fxi_train *t, const fxi_folds *f, fxi_folds_use *use, void *ctx,
                          const fx_run *run)
{
    validation a = {t, f, use, ctx, NULL};
    size_t worst = 0;

    if (!(a.worst = fxi_zalloc(f->folds, sizeof *a.worst)))
        return FX_ENOMEM;
    fx_status st = fxi_train_each(t, f->folds, hold_out, &a, run);
    for (size_t b = 1; b < f->folds; b++)
        if (a.worst[b].gap > a.worst[worst].gap)
            worst = b;
    if (!st && a.worst[worst].gap > 0)
        st = t->how.kind->fold_not_converged(t, a.worst[worst].C, worst, a.worst[worst].gap);
    free(a.worst);
    return st;
}
