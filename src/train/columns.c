/* SPDX-License-Identifier: BSD-3-Clause
 * columns.c - means and deviations of columns, of rows that come in parts: what fills missing
 * numbers, and scaling by std.
 *
 * The one who asks finds them by passes and puts them into the setup of later requests. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Missing numbers ------------------------------------------------------------------------- */

bool fxi_train_columns_holes(const char *missing)
{
    return missing && strcmp(missing, "error") != 0 && strcmp(missing, "drop") != 0;
}

fx_status fxi_train_columns_fill(fxi_missing *out, int64_t **own, const fxi_stream *s,
                                 const char *spec)
{
    const fxi_survey *v = &s->survey;
    fx_status st = fxi_data_missing_read(out, spec);

    *own = NULL;
    if (st)
        return st;
    out->inputs = v->cols;
    out->fill = s->fill;
    if (!out->marked)
        return FX_OK;
    if (!(*own = fxi_alloc(v->cols, sizeof **own)))
        return FX_ENOMEM;
    for (size_t j = 0; j < v->cols; j++)
        if (v->missing[j] > 0)
            (*own)[out->indicators++] = (int64_t)j;
    out->indicator = *own;
    return FX_OK;
}

/* What fills, asked for if it is not known. */
static fx_status know_fill(const fxi_train *t, const fx_run *run)
{
    fxi_stream *s = t->stream;
    size_t cols = s->survey.cols;
    fx_status st = FX_OK;

    if (s->fill)
        return FX_OK;
    if (!s->ask)
        return fxi_error(FX_EFORMAT, "request: nothing that fills missing values");
    double *fill = fxi_alloc_within(&st, cols, sizeof *fill, run, "means of columns");
    for (size_t j = 0; j < cols && !st; j++)
        fill[j] = fxi_train_survey_largest(&s->survey, j);
    if (!st)
        st = fxi_data_columns_means(fill, fill, cols, fxi_train_passes_columns,
                                    (void *)(uintptr_t)t, run);
    if (st)
        free(fill);
    else
        s->fill = fill;
    return st;
}

fx_status fxi_train_columns_missing(fxi_missing_found *out, const fxi_train *t,
                                    const fxi_missing *how, const fx_run *run)
{
    const fxi_survey *v = &t->stream->survey;
    fxi_missing_found f = {0};
    fx_status st = how->how == FXI_MISSING_MEAN ? know_fill(t, run) : FX_OK;

    if (st)
        return st;
    *out = f;
    if (!v->holes)
        return FX_OK;
    for (size_t j = 0; j < v->cols; j++) {
        f.columns += v->missing[j] > 0;
        f.values += (uint64_t)v->missing[j];
    }
    if (how->how == FXI_MISSING_MEAN && !(f.fill = fxi_alloc(v->cols, sizeof *f.fill)))
        return FX_ENOMEM;
    if (!(f.column = fxi_alloc(f.columns, sizeof *f.column))) {
        free(f.fill);
        return FX_ENOMEM;
    }
    if (f.fill)
        memcpy(f.fill, t->stream->fill, v->cols * sizeof *f.fill);
    for (size_t j = 0, n = 0; j < v->cols; j++)
        if (v->missing[j] > 0)
            f.column[n++] = (int64_t)j;
    *out = f;
    return FX_OK;
}

/* ---- Scaling --------------------------------------------------------------------------------- */

/* The range of column j once missing numbers are filled; floats are filled by floats. */
static void filled_range(double *low, double *high, const fxi_stream *s, const fxi_missing *m,
                         size_t j)
{
    const fxi_survey *v = &s->survey;
    double fill = m->fill ? m->fill[j] : 0;

    *low = v->low[j];
    *high = v->high[j];
    if (!v->holes || !(v->missing[j] > 0))
        return;
    fill = v->doubles ? fill : (double)(float)fill;
    *low = fmin(*low, fill);
    *high = fmax(*high, fill);
}

static fx_status fit_std(fx_scale **out, const fxi_train *t, const fx_run *run)
{
    const fx_model_info *c = &t->m->c;
    const fxi_missing m = fxi_model_missing(c);
    fx_status st = FX_OK;
    double *low = fxi_alloc_within(&st, c->cols, 2 * sizeof *low, run, "fitting a scaling");

    if (st)
        return st;
    for (size_t j = 0; j < c->cols; j++) {
        double *high = low + c->cols;
        if (j < c->inputs)
            filled_range(&low[j], &high[j], t->stream, &m, j);
        else {                          /* an indicator; dense rows store its zeros, too */
            low[j] = t->stream->survey.sparse;
            high[j] = 1;
        }
    }
    st = fxi_data_scale_std(out, low, low + c->cols, c->cols, fxi_train_passes_columns,
                            (void *)(uintptr_t)t, run);
    free(low);
    return st;
}

/* Other scalings than std follow from the table that stands for all rows. */
fx_status fxi_train_columns_scale(fx_scale **out, const fxi_train *t, const char *by,
                                  const fx_table *table, const fx_run *run)
{
    fxi_stream *s = t->stream;
    size_t cols = t->m->c.cols, factors;
    fx_status st;

    if (strcmp(by, "std") != 0)
        return fx_data_scale_fit(out, by, table, run);
    if (s->factor)
        return s->factors == cols ? fx_data_scale_restore(out, "std", s->factor, cols)
                                  : fxi_error(FX_EFORMAT, "request: %zu factors of %zu columns",
                                              s->factors, cols);
    if (!s->ask)
        return fxi_error(FX_EFORMAT, "request: a scaling without factors");
    if ((st = fit_std(out, t, run)))
        return st;
    const double *factor = fx_data_scale_columns(*out, &factors);
    if (!(s->factor = fxi_alloc(factors, sizeof *factor))) {
        fx_data_scale_free(*out);
        return FX_ENOMEM;
    }
    memcpy(s->factor, factor, factors * sizeof *factor);
    s->factors = factors;
    return FX_OK;
}
