/* SPDX-License-Identifier: BSD-3-Clause
 * folds.c - scores of rows by fits that never saw them.
 *
 * One source serves all fits: rows of a fold get weight 0 in the fit that leaves them out.  Along a
 * path of C each fit starts from the one before.  Rows that are elsewhere are told which of them
 * are held out, and give their labels and scores (passes.c). */

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

typedef struct holding {                /* the rows of a fold */
    int32_t *row;                       /* [rows]; NULL: they are elsewhere */
    size_t rows;
    double *S;                          /* [n][rows][outputs] */
    double *numbers;                    /* [3][rows] labels, weights, scores of one fit */
} holding;

/* Scores of one fit; of rows elsewhere also their labels and weights. */
static fx_status score(const holding *h, const fxi_output *o, const fx_run *run)
{
    const fxi_train *t = o->train;

    return t->stream ? fxi_train_passes_held(h->numbers, o, h->rows)
                     : t->how.kind->score(h->numbers + 2 * h->rows, o, &o->s, h->row, h->rows, run);
}

/* All values of C for output k of the fits without fold b; scores of its rows to h->S. */
static fx_status fit_path(const holding *h, const validation *a, size_t b, size_t k,
                          const fx_run *run)
{
    const fxi_train *t = a->t;
    const int32_t *fold = t->stream ? NULL : a->f->fold;
    size_t outputs = t->outputs, rows = h->rows;
    fxi_output o;
    fx_status st = fxi_train_output_new(&o, t, k);

    o.no_history = true;
    for (size_t q = 0; q < a->f->n && !st; q++) {
        st = fxi_train_output_fit(&o, a->f->C[q], fold, (int)b, run);
        if (!st)
            st = score(h, &o, run);
        for (size_t i = 0; i < rows && !st; i++)
            h->S[(q * rows + i) * outputs + k] = h->numbers[2 * rows + i];
        double gap = o.s.gap > DBL_MIN ? o.s.gap : DBL_MIN;     /* above 0, if known */
        if (!st && (!o.s.converged || o.s.indefinite) && gap > a->worst[b].gap) {
            a->worst[b].C = a->f->C[q];
            a->worst[b].gap = gap;
        }
    }
    fxi_train_output_free(&o);
    return st;
}

/* Which rows are held out, for rows that are elsewhere. */
static fx_status mark(unsigned char **held, fxi_train *t, const int32_t *fold, size_t all, size_t b)
{
    unsigned char *bits = fxi_zalloc(all / 8 + 1, 1);

    if (!bits)
        return FX_ENOMEM;
    for (size_t i = 0; i < all; i++)
        bits[i / 8] |= (unsigned char)((fold[i] == (int32_t)b) << i % 8);
    t->stream->held = *held = bits;
    return fxi_train_passes_left(t);
}

/* Of rows in memory: their numbers, labels and weights. */
static fx_status list(holding *h, const fxi_train *t, const int32_t *fold, size_t b)
{
    double *y = h->numbers, *weight = y + h->rows;

    if (!(h->row = fxi_alloc(h->rows, sizeof *h->row)))
        return FX_ENOMEM;
    for (size_t i = 0, n = 0; n < h->rows; i++)
        if (fold[i] == (int32_t)b) {
            y[n] = t->labels.y[i];
            weight[n] = t->labels.weight[i];
            h->row[n++] = (int32_t)i;
        }
    return FX_OK;
}

static fx_status hold_out(void *ctx, size_t b, double *done, const fx_run *run)
{
    const validation *a = ctx;
    fxi_train *t = a->t;
    const int32_t *fold = a->f->fold;
    size_t all = t->stream ? (size_t)t->stream->survey.rows : t->source.rows, numbers;
    unsigned char *held = NULL;
    holding h = {0};
    fx_status st = FX_OK;

    for (size_t i = 0; i < all; i++)
        h.rows += fold[i] == (int32_t)b;
    if (!fxi_size_mul(&numbers, h.rows, t->outputs) || !fxi_size_mul(&numbers, numbers, a->f->n))
        return fxi_error(FX_ESHAPE, "%zu fits of %zu rows are too many", a->f->n, h.rows);
    h.S = fxi_alloc_within(&st, numbers, sizeof *h.S, run, "scores of the rows held out");
    if (st)
        return st;
    if (!(h.numbers = fxi_alloc(h.rows, 3 * sizeof *h.numbers)))
        st = FX_ENOMEM;
    if (!st)
        st = t->stream ? mark(&held, t, fold, all, b) : list(&h, t, fold, b);
    for (size_t k = 0; k < t->outputs && !st; k++) {
        st = fit_path(&h, a, b, k, run);
        if (done)
            *done = (double)(k + 1) / (double)t->outputs;
    }
    if (!st)
        st = a->use(a->ctx, b, &(fxi_held_rows){h.row, h.rows, h.numbers, h.numbers + h.rows, h.S},
                    run);
    if (t->stream)
        t->stream->held = NULL;
    fxi_free(h.row, h.S, h.numbers, held);
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
