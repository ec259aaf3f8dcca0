/* SPDX-License-Identifier: BSD-3-Clause
 * score.c - scores by a fit that is under way: of rows held out, or to be measured on.
 *
 * A kernel machine is asked through the rows that it has weights for; where those are rows of a
 * Gram matrix, through its columns. */

#include "model/model.h"

#include <stdlib.h>

/* b + sum over rows of training of beta_i K(x_i, x) */
static fx_status by_kernel(double *f, const fxi_train *t, const fxi_solution *s, fxi_row_subset x,
                           const fx_run *run)
{
    size_t n = 0, rows = t->source.rows;
    int32_t *row = fxi_alloc(rows, sizeof *row);
    double *beta = fxi_alloc(rows, sizeof *beta);
    fx_status st = row && beta ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st; i++)
        if (s->beta[i] != 0) {
            row[n] = (int32_t)i;
            beta[n++] = s->beta[i];
        }
    if (!st)
        st = fxi_kernel_score(f, t->m->kernel, x, (fxi_row_subset){&t->X, row, n}, beta, 1, run);
    for (size_t i = 0; i < x.n && !st; i++)
        f[i] += s->b;
    free(row);
    free(beta);
    return st;
}

/* Scores of all rows of the source, of which those of x are wanted. */
static fx_status by_features(double *f, const fxi_source *source, const double *w, double b,
                             fxi_row_subset x, const fx_run *run)
{
    double *all = x.row ? fxi_alloc(source->rows, sizeof *all) : f;
    fx_status st = all ? fxi_fit_source_scores(all, source, w, &b, 1, run) : FX_ENOMEM;

    if (!x.row)
        return st;
    for (size_t i = 0; i < x.n && !st; i++)
        f[i] = all[x.row[i]];
    free(all);
    return st;
}

fx_status fxi_model_score(double *f, const fxi_train *t, const fxi_solution *s,
                          const fxi_source *source, fxi_row_subset x, const fx_run *run)
{
    if (!t->how.learner->kernel)
        return by_features(f, source, s->w, s->b, x, run);
    if (!fxi_model_kernel_is_given(&t->m->c))
        return by_kernel(f, t, s, x, run);
    double *w = fxi_zalloc(source->features, sizeof *w);
    if (!w)
        return FX_ENOMEM;
    for (size_t i = 0; i < t->source.rows; i++)
        w[i + t->serial] = s->beta[i];
    fx_status st = by_features(f, source, w, s->b, x, run);
    free(w);
    return st;
}
