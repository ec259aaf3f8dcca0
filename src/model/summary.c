/* SPDX-License-Identifier: BSD-3-Clause
 * summary.c - what a model says about its fit and, where the stopping rule was not met, what was
 * reached, what stands in the way, and what to do. */

#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* How many times larger than another is the column with the largest numbers? */
static double spread(size_t *largest, const fxi_train *t)
{
    double low = DBL_MAX, high = 0;

    for (size_t j = 0; j < t->X.cols; j++) {
        double x = t->largest[j];
        if (x > high) {
            high = x;
            *largest = j;
        }
        low = x > 0 && x < low ? x : low;
    }
    return high > 0 ? high / low : 1;
}

/* What to do about passes that were too few.  Of the solvers auto is the one that goes over to
 * another where one gets nowhere.  unlike: columns are of very different sizes. */
static const char *more_passes(const fxi_train *t, bool unlike)
{
    const fxi_learner *l = t->how.learner;
    bool alone = l->loss && !l->kernel && !t->how.l1
              && (t->how.solver == FXI_DUAL || (t->how.solver == FXI_NEWTON && !l->loss->curve));

    if (unlike)
        return alone ? "use solver=auto, or scale the columns (maxabs, std)"
                     : "scale the columns (maxabs, std)";
    if (alone)
        return "use solver=auto, or raise max-iter";
    return t->how.C > 1 ? "lower C, or raise max-iter" : "raise max-iter";
}

static fx_status not_converged(const fxi_train *t, const fxi_output *o)
{
    const fx_content *c = &t->m->c;
    size_t j = 0;
    bool ridge = t->how.learner->loss == &fxi_loss_squared && t->how.learner->kernel;
    bool smo = t->how.learner->kernel && !ridge;
    double ratio = fxi_model_kernel_is_given(c) ? 1 : spread(&j, t);
    char where[128] = "";

    if (o->s.indefinite)
        return fxi_error(FX_NOT_CONVERGED, "%s is not positive semidefinite on these rows: after "
                         "%zu steps the model is usable, but no optimum is defined; %s",
                         c->kernel, o->s.iterations,
                         fxi_model_kernel_is_given(c) ? "add a number to the diagonal of the matrix"
                                                  : "take another kernel or other coefficients");
    if (ratio > 1e3)
        snprintf(where, sizeof where, "; column %zu%s%.40s is %.1e times larger than another",
                 j + (size_t)c->base, c->name ? " " : "", c->name ? c->name[j] : "", ratio);
    return fxi_error(FX_NOT_CONVERGED, "gap %.2g after %zu %s, %s tol=%g%s: %s",
                     o->s.gap, o->s.iterations, smo ? "steps" : "iterations",
                     smo ? "and optimality violated by more than" : "above", t->how.tol, where,
                     ridge ? "the matrix is too near a singular one; lower C"
                     : o->s.iterations + 3 < t->how.max_iter && !(ratio > 1e3)
                         ? "rounding allows no less; raise tol"
                         : more_passes(t, ratio > 1e3 && !c->factors));
}

/* Is a further from its aim than b? */
static bool worse(const fxi_output *a, const fxi_output *b)
{
    if (a->s.indefinite != b->s.indefinite || a->s.converged != b->s.converged)
        return a->s.indefinite > b->s.indefinite || (!a->s.converged && !b->s.indefinite);
    return a->s.gap > b->s.gap;
}

/* Sums and largest over the outputs; the status of the worst. */
fx_status fxi_model_summary(const fxi_train *t, const fxi_output *o)
{
    fx_content *c = &t->m->c;
    size_t worst = 0;

    c->converged = 1;
    c->objective = c->gap = 0;
    c->iterations = 0;
    for (size_t k = 0; k < t->outputs; k++) {
        c->objective += o[k].s.objective;
        c->gap = o[k].s.gap < DBL_MAX ? fmax(c->gap, o[k].s.gap) : DBL_MAX; /* or not known */
        c->iterations = o[k].s.iterations > c->iterations ? o[k].s.iterations : c->iterations;
        c->converged &= o[k].s.converged && !o[k].s.indefinite;
        if (worse(&o[k], &o[worst]))
            worst = k;
    }
    return c->converged ? FX_OK : not_converged(t, &o[worst]);
}
