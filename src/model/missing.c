/* SPDX-License-Identifier: BSD-3-Clause
 * missing.c - a table with missing values as a model sees it: filled, wider by its indicators, or
 * without the rows that it leaves out.  data/missing.c says how. */

#include "model/model.h"

#include <stdlib.h>

fxi_missing fxi_model_missing(const fx_model_info *c)
{
    fxi_missing m = {.how = FXI_MISSING_ERROR};

    if (*c->missing)                    /* one of the specs: train and file check it */
        fxi_data_missing_read(&m, c->missing);
    m.inputs = c->inputs;
    m.fill = c->fill;
    m.indicator = c->indicator;
    m.indicators = c->cols - c->inputs;
    return m;
}

static fx_status leave_out(fx_table *out, fx_data **own, const fxi_missing *m, const fx_table *t,
                           const fx_run *run)
{
    size_t *row, n;
    fx_status st = fxi_data_missing_rows(&row, &n, m, t, run);

    if (st)
        return st;
    if (n < t->rows && !(st = fxi_data_select(own, t, row, n, false, run)))
        *out = (*own)->table;
    free(row);
    return st;
}

typedef struct filling {
    fx_matrix *view;
    const fxi_missing *m;
    const fx_matrix *X;
    fxi_scratch memory;
    const fx_run *run;
} filling;

static fx_status fill(void *ctx, size_t b, fxi_team *team)
{
    filling *f = ctx;
    uint64_t beyond = 0;

    (void)b;
    return fxi_data_missing_fill(f->view, &beyond, f->m, f->X, &f->memory, f->run, team);
}

/* One block, in memory of *own; labels and the like stay the caller's. */
static fx_status fill_table(fx_table *out, fx_data **own, const fxi_missing *m, const fx_table *t,
                            const fx_run *run)
{
    filling f = {.m = m, .run = run};
    fx_data *d = NULL;
    fx_matrix X;
    fx_status st = fxi_model_rows_join(&X, &d, t, run);

    if (!st && !d && !(d = fxi_data_new()))
        st = FX_ENOMEM;
    if (!st && !(f.view = fxi_data_alloc(d, 1, sizeof *f.view)))
        st = FX_ENOMEM;
    f.X = &X;
    if (!st)
        st = fxi_parallel_ordered(1, fill, &f, run);
    if (!st)
        st = fxi_model_rows_own(d, &f.memory);
    fxi_scratch_free(&f.memory);
    if (st) {
        fx_data_free(d);
        return st;
    }
    out->cols = f.view->cols;
    out->blocks = 1;
    out->block = f.view;
    *own = d;
    return FX_OK;
}

fx_status fxi_model_missing_table(fx_table *out, fx_data **own, const fx_model_info *c,
                                  const fx_table *t, const fx_run *run)
{
    fxi_missing m = fxi_model_missing(c);
    fx_status st = m.how ? fxi_data_check_missing_table(t, run) : fxi_data_check_table(t, run);

    if (st)
        return st;
    *own = NULL;
    *out = *t;
    if (!m.how)
        return FX_OK;
    for (size_t b = 0; b < t->blocks; b++)
        if (!t->block[b].ptr && t->cols != c->inputs)
            return fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", t->cols,
                             c->inputs);
    if (m.indicators)
        out->name = c->name;
    return m.how == FXI_MISSING_DROP ? leave_out(out, own, &m, t, run)
                                     : fill_table(out, own, &m, t, run);
}
