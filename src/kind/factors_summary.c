/* SPDX-License-Identifier: BSD-3-Clause
 * factors_summary.c - what a factorization machine reports about its fit and, if the stopping rule
 * was not reached, the objective and what to change. */

#include "kind/kind.h"

#include <math.h>
#include <stdio.h>

/* The column of the largest values, as fitted. */
static size_t widest(const fxi_train *t)
{
    size_t j = 0;

    for (size_t i = 1; i < t->X.cols; i++)
        if (t->largest[i] > t->largest[j])
            j = i;
    return j;
}

/* What may help: products of columns need columns of similar ranges. */
static void suggest(char what[160], const fxi_train *t, const char *otherwise)
{
    const fx_model_info *c = &t->m->c;
    size_t j = widest(t);
    const char *name = c->name && t->X.cols ? c->name[j] : "", *gap = *name ? " " : "";

    if (!t->X.cols)
        snprintf(what, 160, "%s", otherwise);
    else if (t->largest[j] > 10)
        snprintf(what, 160, "column %zu%s%.40s is %.2g: scale it (maxabs, std) or %s",
                 j + (size_t)c->base, gap, name, t->largest[j], otherwise);
    else
        snprintf(what, 160, "%s; the largest value is %.2g, in column %zu%s%.40s", otherwise,
                 t->largest[j], j + (size_t)c->base, gap, name);
}

/* Of the worst output; FX_OK for the single pass of an update, which need not converge. */
fx_status fxi_kind_factors_summary(const fxi_train *t, const fxi_output *o)
{
    const fxi_factors_state *worst = o->own;
    char what[160];

    if (worst->f.converged)
        return FX_OK;
    if (worst->f.diverged) {
        suggest(what, t, "lower lr");
        return fxi_error(FX_DIVERGED,
                         "diverged after epoch %zu, even with the learning rate %g of "
                         "lr=%g; the model is that of the last good epoch: %s",
                         worst->f.iterations, worst->f.lr,
                         ((const fxi_factors_keys *)t->how.own)->lr, what);
    }
    if (worst->f.rounded) {
        suggest(what, t, "raise beta-lambda or beta");
        return fxi_error(FX_NOT_CONVERGED,
                         "after %zu iterations rounding errors raise the objective; the model is "
                         "that of the last iteration, with objective %g: %s",
                         worst->iterations, worst->f.objective, what);
    }
    if (worst->timed_out)
        return fxi_error(FX_NOT_CONVERGED,
                         "the limit of %g seconds came after %zu iterations, at "
                         "objective %g: raise it",
                         ((const fxi_factors_fit *)t->own)->max_seconds, worst->iterations,
                         worst->f.objective);
    if (t->fresh)
        return fxi_error(FX_NOT_CONVERGED,
                         "after %zu visits to new columns that share rows, a visit still lowers "
                         "the objective %g by more than tol=%g of it; the model is that of the "
                         "last visit",
                         worst->f.iterations, worst->f.objective, t->how.tol);
    if (worst->above_zeros) {
        suggest(what, t, "take another solver");
        return fxi_error(FX_NOT_CONVERGED,
                         "after %zu iterations steps are small, but the objective "
                         "%g is above that of scores 0, %g: %s",
                         worst->iterations, worst->f.objective, worst->zeros, what);
    }
    if (t->X.cols && t->largest[widest(t)] > 1e3)
        suggest(what, t, "raise max-iter");
    else
        snprintf(what, sizeof what, "raise max-iter");
    return fxi_error(FX_NOT_CONVERGED,
                     "after %zu iterations an iteration still changes the "
                     "objective %g by more than tol=%g of it: %s",
                     worst->iterations, worst->f.objective, t->how.tol, what);
}

fx_status fxi_kind_factors_summary_fold(const fxi_train *t, double C, size_t fold, double gap)
{
    (void)gap;
    return fxi_error(FX_NOT_CONVERGED,
                     "beta times %g without fold %zu: tol=%g not met after "
                     "%zu iterations: raise max-iter", C, fold, t->how.tol, t->how.max_iter);
}
