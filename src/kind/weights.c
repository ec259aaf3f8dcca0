/* SPDX-License-Identifier: BSD-3-Clause
 * weights.c - what kinds share that fit a weight for each feature or row: memory, one output's
 * problem, and the message if it did not converge. */

#include "kind/kind.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------ */

bool fxi_kind_weights_of_rows(const fx_model *m) { return m->kernel && !m->map; }

bool fxi_kind_weights_bytes(size_t *each, size_t *all, const fxi_train *t, size_t numbers,
                            size_t solver)
{
    bool of_rows = fxi_kind_weights_of_rows(t->m);
    size_t n = of_rows ? t->X.rows : t->m->c.features, rows, wide, outputs;

    return fxi_size_mul(&rows, t->X.rows, 10 * sizeof(double))
           && fxi_size_mul(&wide, of_rows ? 0 : n, 6 * sizeof(double))
           && fxi_size_add(each, rows, wide) && fxi_size_add(each, *each, solver)
           && fxi_size_mul(all, n, numbers * sizeof(double)) && fxi_size_mul(all, *all, t->outputs)
           && fxi_size_mul(&outputs, t->outputs, sizeof(fxi_output))
           && fxi_size_add(all, *all, outputs);
}

fx_status fxi_kind_weights_begin(fxi_train *t)
{
    fx_model *m = t->m;
    fxi_weights *w = t->own;
    size_t n = fxi_kind_weights_of_rows(m) ? t->source.rows : m->c.features;
    size_t outputs = m->c.outputs, all;
    fx_status st;

    w->n = n;
    w->intercepts = fxi_zalloc(outputs, sizeof *w->intercepts);
    if ((st = fxi_model_own(m, w->intercepts)))
        return st;
    m->c.intercepts = w->intercepts;
    if (!fxi_size_mul(&all, n, outputs))
        return fxi_error(FX_ESHAPE, "%zu weights of %zu outputs are too many", n, outputs);
    if (!(w->weights = fxi_alloc(all, sizeof *w->weights)))
        return fxi_error(FX_ENOMEM, "out of memory: %zu weights for each of %zu %s", n, outputs,
                         m->c.pairs ? "pairs of classes" : "outputs");
    return FX_OK;
}

void fxi_kind_weights_close(fxi_train *t)
{
    fxi_weights *w = t->own;

    free(w->weights);
    free(w->sum);
    free(w->age);
}

void fxi_kind_weights_place(double *to, const double *from, size_t n, size_t outputs, size_t k)
{
    for (size_t j = 0; j < n; j++)
        to[j * outputs + k] = from[j];
}

void fxi_kind_weights_take(double *to, const double *from, size_t n, size_t outputs, size_t k)
{
    for (size_t j = 0; j < n; j++)
        to[j] = from[j * outputs + k];
}

/* ---- One output --------------------------------------------------------------------------- */

static fx_status record(void *ctx, const fxi_solution *now) { return fxi_train_history(ctx, now); }

fxi_problem fxi_kind_weights_problem(fxi_output *o, double C)
{
    const fxi_train *t = o->train;
    const fxi_learning *how = &t->how;

    for (size_t i = 0; i < t->source.rows; i++)
        o->c[i] *= C;
    return (fxi_problem){.source = &t->source, .loss = how->loss, .y = o->y, .c = o->c,
                         .intercept = how->intercept, .tol = how->tol, .max_iter = how->max_iter,
                         .seed = t->seed, .step = record, .ctx = o};
}

fx_status fxi_kind_weights_finite(const fxi_output *o, const double *w, size_t n)
{
    bool floats = o->train->m->map;     /* maps score in floats */
    size_t j = 0;

    while (j < n && isfinite(floats ? (double)(float)w[j] : w[j]))
        j++;
    if (j < n)
        return fxi_error(FX_ENUMERIC, "output %zu, weight %zu is %g; scale the rows or take C "
                         "nearer 1", o->number, j, w[j]);
    if (!isfinite(o->s.b) || !isfinite(o->s.objective))
        return fxi_error(FX_ENUMERIC, "output %zu ends with intercept %g and objective %g; scale "
                         "the rows or take C nearer 1", o->number, o->s.b, o->s.objective);
    return FX_OK;
}

/* Rows of a Gram matrix are scored through their columns. */
fx_status fxi_kind_weights_score(double *f, const fxi_output *o, const fxi_solution *now,
                                 const int32_t *row, size_t n, const fx_run *run)
{
    const fxi_train *t = o->train;

    if (!fxi_kind_weights_of_rows(t->m))
        return fxi_kind_features_score(f, o, now->w, now->b, row, n, run);
    if (!fxi_kind_kernel_given(t->m))
        return fxi_kind_vectors_score(f, t, now, (fxi_row_subset){row ? &t->X : &t->eval_X, row, n},
                                      run);
    double *w = fxi_zalloc(t->source.features, sizeof *w);
    if (!w)
        return FX_ENOMEM;
    memcpy(w + ((const fxi_machine *)t->own)->serial, now->beta, t->source.rows * sizeof *w);
    fx_status st = fxi_kind_features_score(f, o, w, now->b, row, n, run);
    free(w);
    return st;
}

void fxi_kind_weights_keep(fxi_output *o)
{
    const fxi_weights *w = o->train->own;

    fxi_kind_weights_place(w->weights, o->s.w ? o->s.w : o->s.beta, w->n, o->train->outputs,
                           o->number);
    w->intercepts[o->number] = o->s.b;
}

/* ---- The model ---------------------------------------------------------------------------- */

fx_status fxi_kind_weights_finish(fxi_train *t, const fx_run *run)
{
    fxi_weights *w = t->own;
    double *weights = w->weights;

    if (fxi_kind_weights_of_rows(t->m))
        return fxi_kind_vectors_finish(t, run);
    w->weights = NULL;
    t->m->c.weights = weights;
    return fxi_model_own(t->m, weights);
}

/* ---- Not converged ------------------------------------------------------------------------ */

double fxi_kind_weights_spread(char where[128], const fxi_train *t)
{
    const fx_model_info *c = &t->m->c;
    double low = DBL_MAX, high = 0;
    size_t j = 0;

    *where = '\0';
    for (size_t i = 0; i < t->X.cols; i++) {
        double x = t->largest[i];
        if (x > high) {
            high = x;
            j = i;
        }
        low = x > 0 && x < low ? x : low;
    }
    double ratio = high > 0 ? high / low : 1;
    if (ratio > FXI_KIND_MAX_SPREAD)
        snprintf(where, 128, "; column %zu%s%.40s is %.1e times larger than another",
                 j + (size_t)c->base, c->name ? " " : "", c->name ? c->name[j] : "", ratio);
    return ratio;
}

const char *fxi_kind_weights_suggest(const fxi_train *t, const fxi_output *o, bool unscaled,
                                     bool alone)
{
    if (o->s.iterations + 3 < t->how.max_iter && !unscaled)
        return "rounding allows no less; raise tol";
    if (unscaled && !t->m->c.column_scale)
        return alone ? "use solver=auto, or scale the columns (maxabs, std)"
                     : "scale the columns (maxabs, std)";
    if (alone)
        return "use solver=auto, or raise max-iter";
    return t->how.C > 1 ? "lower C, or raise max-iter" : "raise max-iter";
}

fx_status fxi_kind_weights_fold(const fxi_train *t, double C, size_t fold, double gap)
{
    return fxi_error(FX_NOT_CONVERGED,
                     "C=%g without fold %zu: gap %.2g, tol=%g not met: lower "
                     "C, scale the columns, or raise max-iter", C, fold, gap, t->how.tol);
}
