/* SPDX-License-Identifier: BSD-3-Clause
 * summary.c - what a model reports about its fit. */

#include "train/train.h"

#include <float.h>
#include <math.h>

/* True if output a is further from convergence than b. */
static bool worse(const fxi_output *a, const fxi_output *b)
{
    if (a->s.indefinite != b->s.indefinite || a->s.converged != b->s.converged)
        return a->s.indefinite > b->s.indefinite || (!a->s.converged && !b->s.indefinite);
    return a->s.gap > b->s.gap;
}

/* Sums and largest over the outputs; the status of the worst. */
fx_status fxi_train_summary(const fxi_train *t, const fxi_output *o)
{
    fx_model_info *c = &t->m->c;
    size_t worst = 0;

    c->converged = 1;
    c->objective = c->gap = 0;
    c->iterations = 0;
    for (size_t k = 0; k < t->outputs; k++) {
        c->objective += o[k].s.objective;
        c->gap = o[k].s.gap < 0         ? NAN
                 : o[k].s.gap < DBL_MAX ? fmax(c->gap, o[k].s.gap)
                                        : DBL_MAX;      /* or not known */
        c->iterations = o[k].s.iterations > c->iterations ? o[k].s.iterations : c->iterations;
        c->converged &= o[k].s.converged && !o[k].s.indefinite;
        if (worse(&o[k], &o[worst]))
            worst = k;
    }
    return c->converged ? FX_OK : t->how.kind->not_converged(t, &o[worst]);
}
