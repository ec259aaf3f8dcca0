/* SPDX-License-Identifier: BSD-3-Clause
 * factors_pass.c - rows that come in parts answer what a factorization machine asks of all rows. */

#include "kind/kind.h"

#include <stdlib.h>
#include <string.h>

/* Of lbfgs theta of hofm-simplex has steps of its own, with numbers for each row; pairs to be
 * ranked have rows anywhere. */
bool fxi_kind_factors_pass_streams(const fxi_learning *how)
{
    const fxi_factors_keys *o = how->own;

    return o->solver == FXI_FM_ADAGRAD ? how->task != FXI_RANK
                                       : o->solver == FXI_FM_LBFGS
                                             && o->shape.kind != FXI_FM_SIMPLEX;
}

bool fxi_kind_factors_pass_states(const fxi_learning *how)
{
    return ((const fxi_factors_keys *)how->own)->solver == FXI_FM_ADAGRAD;
}

size_t fxi_kind_factors_pass_numbers(const fxi_train *t)
{
    const fxi_fm *fm = ((const fxi_factors *)t->m->own)->fm;
    size_t numbers;

    fxi_train_passes_sparse(&numbers, t);
    return (numbers + (size_t)t->stream->survey.rows * fm->front) * (fm->twice ? 2 : 1);
}

/* A vector in a message is not aligned as rows need it. */
static fx_status keep_vector(fxi_factors_fit *own, const fxi_question *q, size_t size)
{
    if (!own->v && !(own->v = fxi_alloc(size, sizeof *own->v)))
        return FX_ENOMEM;
    memcpy(own->v, q->w, size * sizeof *own->v);
    return FX_OK;
}

fx_status fxi_kind_factors_pass_asked(fxi_answer *a, const fxi_question *q, const fxi_train *t)
{
    const fxi_fm *fm = ((const fxi_factors *)t->m->own)->fm;
    const fxi_survey *s = &t->stream->survey;
    fxi_factors_fit *own = t->own;
    bool adagrad = q->what != FXI_ASK_FM;
    fx_status st = adagrad ? fxi_fm_adagrad_pass_begin(a, q, fm)
                           : fxi_fm_gradient_pass_begin(a, q, fm);

    if (st || t->stream->ask)           /* answers are only added up here */
        return st;
    a->run = adagrad ? FXI_PASS_BLOCK
                     : fxi_fm_gradient_pass_run(fm, (size_t)s->rows,
                                                fxi_kind_factors_pass_numbers(t), s->sparse);
    fxi_fm_adagrad_pass_free(own->held);
    own->held = NULL;
    return q->w ? keep_vector(t->own, q, fm->size) : FX_OK;
}

fx_status fxi_kind_factors_pass_answer(fxi_answer *a, const fxi_question *q, const fxi_part *x)
{
    const fxi_train *t = x->train;
    const fxi_fm *fm = ((const fxi_factors *)t->m->own)->fm;
    fxi_question aligned = *q;
    fx_matrix X;
    fx_data *own = NULL;
    fx_status st = fxi_fm_rows(&X, &own, fm, &x->X, t->stream->run);
    const fxi_factors_keys *keys = t->how.own;
    fxi_factors_fit *fit = t->own;
    fxi_fm_problem p = {.fm = fm, .X = &X, .loss = t->how.loss, .y = x->y, .c = x->c,
                        .batch = keys->batch, .seed = t->seed,
                        .window = fxi_fm_adagrad_epoch_window((size_t)x->all,
                                                        fxi_kind_factors_pass_numbers(t))};

    aligned.w = q->w ? fit->v : NULL;
    if (!st && q->what != FXI_ASK_FM)
        st = fxi_fm_adagrad_pass(a, &aligned, &p, x->first, x->all, &fit->held);
    else if (!st)
        st = fxi_fm_gradient_pass(a, &aligned, &p, x->first, x->first + x->X.rows == x->all,
                                  t->stream->run);
    fx_data_free(own);
    return st;
}

fx_status fxi_kind_factors_pass_scores(double *f, const fxi_question *q, const fxi_part *x,
                                       const fx_run *run)
{
    const fxi_fm *fm = ((const fxi_factors *)x->train->m->own)->fm;
    fx_matrix X;
    fx_data *own = NULL;

    if (q->ws != fm->size || !q->v || q->vs != 1)
        return fxi_error(FX_EFORMAT, "%zu numbers of a model that has %zu", q->ws, fm->size);
    fx_status st = fxi_fm_rows(&X, &own, fm, &x->X, run);
    if (!st)
        st = fxi_fm_score(f, fm, q->w, (fxi_row_subset){&X, NULL, X.rows}, run);
    for (size_t i = 0; i < x->X.rows && !st; i++)
        f[i] += *q->v;
    fx_data_free(own);
    return st;
}

void fxi_kind_factors_pass_order(size_t *block, size_t blocks, const fxi_question *q,
                                 const fxi_train *t)
{
    fxi_fm_adagrad_epoch_order(block, blocks, t->seed, fxi_fm_adagrad_pass_epoch(q));
}
