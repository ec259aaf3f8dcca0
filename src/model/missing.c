/* SPDX-License-Identifier: BSD-3-Clause
 * missing.c - a table with missing values as a model sees it: filled, wider by its indicators, or
 * without the rows that it leaves out.  data/missing.c says how. */

#include "model/model.h"

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

fx_status fxi_model_missing_fill(fx_table *out, fx_data **own, const fx_model_info *c,
                                 const fx_table *t, const fx_run *run)
{
    fxi_missing m = fxi_model_missing(c);
    fx_status st = FX_OK;

    *own = NULL;
    *out = *t;
    for (size_t b = 0; b < t->blocks && m.how; b++)
        if (!t->block[b].ptr && t->cols != c->inputs)
            return fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", t->cols,
                             c->inputs);
    if (m.how)
        st = fxi_data_fill_table(out, own, &m, t, run);
    if (!st && m.indicators)
        out->name = c->name;
    return st;
}

fx_status fxi_model_missing_table(fx_table *out, fx_data **own, const fx_model_info *c,
                                  const fx_table *t, const fx_run *run)
{
    fx_status st = fxi_model_missing(c).how ? fxi_data_check_missing_table(t, run)
                                            : fxi_data_check_table(t, run);

    return st ? st : fxi_model_missing_fill(out, own, c, t, run);
}
