/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_ask.c - AdaGrad's questions to rows that are elsewhere; adagrad.h has their numbers. */

#include "fm/adagrad.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = FXI_FM_ADAGRAD_HEAD, LOOK = FXI_FM_ADAGRAD_LOOK };

static fx_status ask_counts(fxi_fm_adagrad_asking *a)
{
    const fxi_fm *fm = a->p->fm;
    fxi_passes *passes = a->p->passes;
    const double *count = a->answer;
    fx_status st = passes->ask(passes, a->answer, &(fxi_question){.what = FXI_ASK_FM_COUNT});

    if (st)
        return st;
    a->look = fxi_fm_adagrad_look_of(count, fm);
    fxi_fm_adagrad_batch_share(a->own + HEAD + fm->size, count + LOOK + 1, count[LOOK], fm->cols);
    return FX_OK;
}

fx_status fxi_fm_adagrad_ask(fxi_fm_adagrad_asking *a, const fxi_fm_problem *p)
{
    const fxi_fm *fm = p->fm;
    size_t counts = fxi_fm_adagrad_numbers(fm, FXI_ASK_FM_COUNT);
    size_t state = fxi_fm_adagrad_numbers(fm, FXI_ASK_FM_EPOCH);

    *a = (fxi_fm_adagrad_asking){.p = p};
    a->own = fxi_zalloc(HEAD + fm->size + fm->cols, sizeof *a->own);
    a->answer = fxi_alloc(counts > state ? counts : state, sizeof *a->answer);
    return a->own && a->answer ? ask_counts(a) : FX_ENOMEM;
}

void fxi_fm_adagrad_ask_free(fxi_fm_adagrad_asking *a) { fxi_free(a->own, a->answer); }

fx_status fxi_fm_adagrad_ask_value(double *sum, fxi_fm_adagrad_asking *a, const double *v)
{
    fxi_passes *passes = a->p->passes;
    const fxi_question q = {FXI_ASK_FM_VALUE, .flags = fxi_fm_adagrad_look_flags(&a->look),
                            .t = a->p->shift, .w = v, .ws = a->p->fm->size};

    return passes->ask(passes, sum, &q);
}

fx_status fxi_fm_adagrad_ask_epoch(double *loss, fxi_fm_adagrad_asking *a, fxi_fm_state *s,
                                   uint64_t epoch)
{
    const fxi_fm *fm = a->p->fm;
    fxi_passes *passes = a->p->passes;
    const fxi_question q = {FXI_ASK_FM_EPOCH, .flags = fxi_fm_adagrad_look_flags(&a->look),
                            .t = s->lr, .w = s->v, .ws = fm->size, .v = a->own,
                            .vs = HEAD + fm->size + fm->cols};

    a->own[FXI_FM_ADAGRAD_EPOCH] = (double)epoch;
    a->own[FXI_FM_ADAGRAD_SHIFT] = a->p->shift;
    a->own[FXI_FM_ADAGRAD_TIMES] = fm->times;
    memcpy(a->own + HEAD, s->sum, fm->size * sizeof *s->sum);
    fx_status st = passes->ask(passes, a->answer, &q);
    if (st)
        return st;
    *loss = a->answer[0];
    memcpy(s->v, a->answer + HEAD, fm->size * sizeof *s->v);
    memcpy(s->sum, a->answer + HEAD + fxi_fm_adagrad_room(fm), fm->size * sizeof *s->sum);
    return FX_OK;
}
