/* SPDX-License-Identifier: BSD-3-Clause
 * fit.c - a model from labelled rows: preparation (train.c), one problem per output (output.c),
 * what the kind keeps of the solutions, and what the model says about its fit. */

#include "train/train.h"

#include <stdlib.h>

typedef struct fitting {
    fxi_train *t;
    fxi_output *output;                 /* [outputs]: what is left of each fit */
} fitting;

static fx_status fit_output(void *ctx, size_t k, double *done, const fx_run *run)
{
    const fitting *f = ctx;
    const fxi_kind *kind = f->t->how.kind;
    fxi_output *o = &f->output[k];
    fx_status st = fxi_train_output_new(o, f->t, k);

    if (st)
        return st;
    o->done = done;
    if (f->t->init && kind->start)
        kind->start(o);
    if (!(st = fxi_train_output_fit(o, f->t->how.C, NULL, 0, run)))
        kind->keep(o);
    fxi_train_output_release(o);        /* others wait for the memory */
    return st;
}

fx_status fxi_train_fit(fxi_train *t, const fx_run *run)
{
    const fxi_kind *kind = t->how.kind;
    fitting f = {.t = t};
    fx_status st = kind->begin(t), summary = FX_OK;

    if (!st && !(f.output = fxi_zalloc(t->outputs, sizeof *f.output)))
        st = FX_ENOMEM;
    if (!st && !(st = fxi_train_each(t, t->outputs, fit_output, &f, run))
        && !(st = kind->finish(t, run)))
        st = fxi_train_history_keep(t->m, f.output);
    if (!st)
        summary = fxi_train_summary(t, f.output);
    for (size_t k = 0; f.output && k < t->outputs; k++)
        fxi_train_output_free(&f.output[k]);
    free(f.output);
    return st ? st : summary;
}

fx_status fx_model_fit(fx_model **out, const fx_plan *plan, const fx_table *t, const fx_run *run)
{
    fxi_train train;
    fx_status st;

    if (!out)
        return fxi_error(FX_EINVAL, "no place is given for the model");
    if ((st = fxi_train_open(&train, plan, t, run)))
        return st;
    if (train.how.calibrate)
        st = fxi_train_calibrate(&train, run);
    if (!st && (st = train.how.kind->fit(&train, run)) >= 0) {
        *out = train.m;
        train.m = NULL;
    }
    fxi_train_close(&train);
    return st;
}
