/* SPDX-License-Identifier: BSD-3-Clause
 * missing.c - plan.missing: what fills missing values is learnt from the rows of training and put
 * into the model, with its columns and their names; then the rows are filled by it. */

#include "train/train.h"

static fx_status keep_names(fx_model *m, const fx_table *t, const fx_run *run)
{
    fx_model_info *c = &m->c;
    fxi_missing how = fxi_model_missing(c);
    const char *const *name = t->name;
    fx_data *memory = NULL;
    fx_status st = FX_OK;

    if (name && how.indicators) {
        if (!(memory = fxi_data_new()))
            return FX_ENOMEM;
        st = fxi_data_fill_names(&name, memory, &how, t->name, run);
    }
    if (!st)
        st = fxi_model_keep_texts(&c->name, m, name, c->cols);
    fx_data_free(memory);
    return st;
}

/* Counts, fill values and indicators, into the model. */
static fx_status learn(fxi_train *train, const fxi_missing *how, const fx_table *t,
                       const fx_run *run)
{
    fx_model *m = train->m;
    fx_model_info *c = &m->c;
    fxi_missing_found found;
    const double *indicator = NULL;
    fx_status st = train->stream ? fxi_train_columns_missing(&found, train, how, run)
                                 : fxi_data_missing_fit(&found, how, t, run);

    if (st)
        return st;
    c->missing_values = found.values;
    c->missing_cols = found.columns;
    st = fxi_model_keep(&c->fill, m, found.fill, t->cols * sizeof *found.fill);
    if (!st && how->marked && found.columns) {
        st = fxi_model_keep(&indicator, m, (const void *)found.column,
                            found.columns * sizeof *found.column);
        c->indicator = (const void *)indicator;
        if (!st && !fxi_size_add(&c->cols, c->cols, found.columns))
            st = fxi_error(FX_ESHAPE, "%zu columns and %zu indicators: too many", c->inputs,
                           found.columns);
    }
    fxi_data_missing_free(&found);
    return st;
}

fx_status fxi_train_missing(fx_table *out, fxi_train *t, const char *spec, const fx_table *table,
                            const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    fxi_missing how;
    fx_status st = fxi_data_missing_read(&how, spec);

    if (!st)
        st = how.how ? fxi_data_check_missing_table(table, run) : fxi_data_check_table(table, run);
    if (st)
        return st;
    c->cols = c->inputs = table->cols;
    c->missing = how.spec;
    *out = *table;
    if (how.how) {
        if ((st = learn(t, &how, table, run)))
            return st;
        how = fxi_model_missing(c);
        if ((st = fxi_data_fill_table(out, &t->filled, &how, table, run)))
            return st;
    }
    c->missing_rows = table->rows - out->rows;
    if (table->rows && !out->rows)
        return fxi_error(FX_EINVAL, "all %zu rows have missing values, so drop leaves none to "
                         "learn from", table->rows);
    if ((st = keep_names(t->m, table, run)))
        return st;
    out->name = c->name;
    return FX_OK;
}
