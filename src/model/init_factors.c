/* SPDX-License-Identifier: BSD-3-Clause
 * init_factors.c - where the fit of a factorization machine starts: at random factors, or from an
 * earlier model of the same shape; of adagrad with all that it remembers, so that 5 and 5 epochs
 * are 10, bit for bit.
 *
 * Rows may have become wider: new columns, and those that the earlier model never saw, start as
 * they would without it.  In m->state the places behind that of b, which stands alone in 64 bytes,
 * hold what else adagrad goes on from: b without the mean of the targets, the share of the learning
 * rate that is left, and the epochs. */

#include "model/model.h"

#include <string.h>

enum { OWN_B = 1, SHARE, EPOCHS };

void fxi_model_init_factors_keep(double *state, const fxi_output *o)
{
    state[OWN_B] = o->f.v[0];
    state[SHARE] = o->f.lr / o->train->how.lr;
    state[EPOCHS] = (double)o->f.iterations;
}

fx_status fxi_model_init_factors_check(const fxi_train *t)
{
    const fx_model *i = t->init;
    const fxi_fm *now = t->m->fm, *fm = i->fm;

    if (!fm)
        return fxi_error(FX_EINVAL, "init is %.*s, no factorization machine",
                         (int)strcspn(i->c.spec, ":"), i->c.spec);
    if (fm->kind != now->kind || fm->blocks != now->blocks || fm->rank != now->rank
        || fm->block[0].order != now->block[0].order || fm->linear != now->linear
        || fm->intercept != now->intercept || (fm->how != now->how && now->how != FXI_FM_LEARNED))
        return fxi_error(FX_EINVAL, "init is %.*s of rank %zu, now it is %.*s of rank %zu; model, "
                         "order, rank, linear, intercept and lambda must be the same",
                         (int)strcspn(i->c.spec, ":"), i->c.spec, fm->rank,
                         (int)strcspn(t->m->c.spec, ":"), t->m->c.spec, now->rank);
    if (fm->given > now->given)
        return fxi_error(FX_EINVAL, "init has %zu columns, now there are %zu", fm->given,
                         now->given);
    return FX_OK;
}

/* Has the earlier model learnt this column, as blocks see it, of a half?  Constants always. */
static bool known(const fx_content *c, const fxi_fm *fm, size_t col)
{
    size_t j = col - fm->front;

    return col < fm->front || !c->seen || c->seen[j];
}

/* Numbers of the earlier model's shape to the places where they stand now. */
static void take(double *to, const fxi_fm *now, const double *from, const fx_model *m)
{
    const fxi_fm *fm = m->fm;
    size_t halves = fm->twice ? 2 : 1, half = fm->cols / halves, wide = now->cols / halves;

    to[0] = from[0];
    for (size_t j = 0; j < fm->given && fm->linear; j++)
        if (known(&m->c, fm, fm->front + j))
            to[now->w + j] = from[fm->w + j];
    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *a = &fm->block[g], *b = &now->block[g];
        for (size_t s = 0; s < fm->rank; s++)
            for (size_t h = 0; h < halves; h++)
                for (size_t j = 0; j < half; j++)
                    if (known(&m->c, fm, j))
                        to[fxi_fm_at(now, g, s, h * wide + j)]
                            = from[fxi_fm_at(fm, g, s, h * half + j)];
        memcpy(to + b->lambda, from + a->lambda, fm->rank * sizeof *to);
        if (fm->kind == FXI_FM_SIMPLEX)
            memcpy(to + b->theta, from + a->theta, (size_t)a->order * sizeof *to);
    }
}

void fxi_model_init_factors(fxi_output *o)
{
    const fxi_train *t = o->train;
    const fx_model *m = t->init;
    const fxi_fm *now = t->m->fm;
    fxi_fm_state *f = &o->f;

    fxi_fm_start(f->v, now, t->how.sd, t->seed, t->m->c.seen);
    if (f->sum)
        memset(f->sum, 0, now->size * sizeof *f->sum);
    f->objective = 0;
    f->lr = t->how.lr;
    f->iterations = 0;
    f->converged = f->diverged = f->rounded = false;
    if (!m)
        return;
    take(f->v, now, m->v + o->number * m->fm->size, m);
    double b = f->v[0];
    f->v[0] = b - o->centre;
    if (!m->state || !f->sum)
        return;
    const double *state = m->state + o->number * m->fm->size;
    take(f->sum, now, state, m);
    if (state[OWN_B] + o->centre == b)  /* exactly, where the targets are the same */
        f->v[0] = state[OWN_B];
    f->lr *= state[SHARE];
    f->iterations = (size_t)state[EPOCHS];
}
