/* SPDX-License-Identifier: BSD-3-Clause
 * factors_init.c - where the fit of a factorization machine starts: at random factors, or from an
 * earlier model of the same shape.  adagrad resumes from its whole state, so that 5 and 5 epochs
 * are 10, bit for bit.
 *
 * Rows may have become wider: new columns, and those that the earlier model never saw, start as
 * they would without it.  In `state` b is alone in 64 bytes; the places after it hold what else
 * adagrad resumes from: b without the mean of the targets, the share of the learning
 * rate that is left, and the epochs. */

#include "kind/kind.h"

#include <string.h>

enum { OWN_B = 1, SHARE, EPOCHS };

void fxi_kind_factors_init_keep(double *state, const fxi_output *o)
{
    const fxi_fm_state *f = &((const fxi_factors_state *)o->own)->f;
    const fxi_train *t = o->train;

    if (t->fresh) {                     /* new columns change nothing else */
        const fxi_factors *before = t->init->own;
        memcpy(state + OWN_B, before->state + o->number * before->fm->size + OWN_B,
               (EPOCHS - OWN_B + 1) * sizeof *state);
        return;
    }
    state[OWN_B] = f->v[0];
    state[SHARE] = f->lr / ((const fxi_factors_keys *)t->how.own)->lr;
    state[EPOCHS] = (double)f->iterations;
}

static const fxi_fm *shape_of(const fx_model *m) { return ((const fxi_factors *)m->own)->fm; }

fx_status fxi_kind_factors_init(fxi_train *t, const fx_run *run)
{
    const fx_model *i = t->init;

    (void)run;
    if (i->kind != &fxi_kind_factors)
        return fxi_error(FX_EINVAL, "init is %s, no factorization machine", i->learner->name);
    const fxi_fm *now = shape_of(t->m), *fm = shape_of(i);
    if (fm->kind != now->kind || fm->blocks != now->blocks || fm->rank != now->rank
        || fm->block[0].order != now->block[0].order || fm->linear != now->linear
        || fm->intercept != now->intercept || (fm->how != now->how && now->how != FXI_FM_LEARNED))
        return fxi_error(FX_EINVAL,
                         "init is %s of rank %zu, now it is %s of rank %zu; model, "
                         "order, rank, linear, intercept and lambda must be the same",
                         i->learner->name, fm->rank, t->m->learner->name, now->rank);
    if (fm->given > now->given)
        return fxi_error(FX_EINVAL, "init has %zu columns, now there are %zu", fm->given,
                         now->given);
    return fxi_train_init_check(t);
}

/* True if the earlier model has learnt column `col` of a half of its blocks; constants always. */
static bool known(const fx_model_info *c, const fxi_fm *fm, size_t col)
{
    size_t j = col - fm->front;

    return col < fm->front || !c->seen || c->seen[j];
}

static size_t place(const fxi_train *t, const fxi_fm *fm, size_t col)
{
    return col < fm->front ? col : fm->front + fxi_train_place(t, col - fm->front);
}

/* Copies numbers of the earlier model to their places in the shape of now. */
static void take(double *to, const fxi_fm *now, const double *from, const fxi_train *t)
{
    const fx_model *m = t->init;
    const fxi_fm *fm = shape_of(m);
    size_t halves = fm->twice ? 2 : 1, half = fm->cols / halves, wide = now->cols / halves;

    to[0] = from[0];
    for (size_t j = 0; j < fm->given && fm->linear; j++)
        if (known(&m->c, fm, fm->front + j))
            to[now->w + fxi_train_place(t, j)] = from[fm->w + j];
    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *a = &fm->block[g], *b = &now->block[g];
        for (size_t s = 0; s < fm->rank; s += FXI_LANES)
            for (size_t h = 0; h < halves; h++)
                for (size_t j = 0; j < half; j++)
                    if (known(&m->c, fm, j))
                        memcpy(to + fxi_fm_at(now, g, s, h * wide + place(t, fm, j)),
                               from + fxi_fm_at(fm, g, s, h * half + j), FXI_LANES * sizeof *to);
        memcpy(to + b->lambda, from + a->lambda, fm->rank * sizeof *to);
        if (fm->kind == FXI_FM_SIMPLEX)
            memcpy(to + b->theta, from + a->theta, (size_t)a->order * sizeof *to);
    }
}

void fxi_kind_factors_init_start(fxi_output *o)
{
    const fxi_train *t = o->train;
    const fxi_factors_keys *keys = t->how.own;
    const fxi_fm *now = shape_of(t->m);
    fxi_factors_state *own = o->own;
    fxi_fm_state *f = &own->f;

    fxi_fm_start(f->v, now, keys->sd, t->seed, t->fresh ? t->fresh : t->m->c.seen);
    if (f->sum)
        memset(f->sum, 0, now->size * sizeof *f->sum);
    f->objective = 0;
    f->lr = keys->lr;
    f->iterations = 0;
    f->converged = f->diverged = f->rounded = false;
    if (!t->init)
        return;
    const fxi_factors *before = t->init->own;
    size_t size = before->fm->size;
    take(f->v, now, before->v + o->number * size, t);
    double b = f->v[0];
    f->v[0] = b - own->centre;
    if (!before->state || !f->sum)
        return;
    const double *state = before->state + o->number * size;
    take(f->sum, now, state, t);
    if (state[OWN_B] + own->centre == b)  /* exactly, where the targets are the same */
        f->v[0] = state[OWN_B];
    f->lr *= state[SHARE];
    f->iterations = (size_t)state[EPOCHS];
}
