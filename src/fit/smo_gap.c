/* SPDX-License-Identifier: BSD-3-Clause
 * smo_gap.c - intercept, objective and gap of a solution, from kernel values in double precision.
 *
 * With f = K beta and e = y - f, raising a variable gains if b < up and lowering one if b > down
 * (smo.c); so the free variables determine b.  The gap is a sum of terms >= 0, one per row:
 *   P - D = sum_i c_i loss(y_i, f_i + b) + conjugate_i(beta_i) + beta_i (f_i + b),
 * as the betas sum to 0; there is no cancellation in it. */

#include "fit/smo.h"

#include <math.h>

/* Recomputes e of all variables, which removes the rounding errors of steps with float rows. */
static fx_status residuals(fxi_smo *d)
{
    const fxi_problem *p = d->p;
    const fx_matrix *X = p->source->X;
    size_t support = 0;
    fx_status st = FX_OK;

    for (size_t k = 0; k < d->n; k++) {
        double beta = d->s->beta[d->row[k]];
        d->e[k] = 0;
        if (beta != 0) {
            d->support[support] = d->row[k];
            d->weight[support++] = beta;
        }
    }
    if (support)
        st = fxi_kernel_score(d->e, p->kernel, (fxi_row_subset){X, d->row, d->n},
                              (fxi_row_subset){X, d->support, support}, d->weight, 1, &d->run);
    for (size_t k = 0; k < d->n; k++)
        d->e[k] = p->y[d->row[k]] - d->e[k];
    return st;
}

/* The mean of the b of the free variables; without any, a number between the bounds of the
 * others. */
static double intercept(const fxi_smo *d)
{
    double sum = 0;
    size_t free = 0;

    for (size_t k = 0; k < d->n; k++)
        if (d->up[k] == d->down[k]) {
            sum += fxi_smo_up(d, k);
            free++;
        }
    if (free)
        return sum / (double)free;
    if (isinf(d->top) || isinf(d->bottom))
        return isinf(d->top) ? isinf(d->bottom) ? 0 : d->bottom : d->top;
    return 0.5 * (d->top + d->bottom);
}

fx_status fxi_fit_smo_gap(fxi_smo *d)
{
    const fxi_problem *p = d->p;
    fxi_solution *s = d->s;
    double square = 0, loss = 0, gap = 0;
    fx_status st = residuals(d);

    if (st)
        return st;
    fxi_fit_smo_step_scan(d, d->n);
    s->b = intercept(d);
    for (size_t k = 0; k < d->n; k++) {
        size_t i = (size_t)d->row[k];
        double y = p->y[i], beta = s->beta[i], f = y - d->e[k];
        double l = p->c[i] * p->loss->value(y, f + s->b, p->epsilon);
        square += beta * f;
        loss += l;
        gap += l + p->loss->conjugate(y, beta, p->c[i], p->epsilon) + beta * (f + s->b);
    }
    d->gap = gap;
    d->dual = loss + 0.5 * square - gap;
    s->objective = 0.5 * square + loss;
    if (square < 0)
        s->indefinite = s->indefinite || square < -1e-9 * loss;
    s->gap = s->indefinite ? NAN : gap > 0 && s->objective > 0 ? gap / s->objective : 0;
    return FX_OK;
}
