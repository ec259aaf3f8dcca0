/* SPDX-License-Identifier: BSD-3-Clause
 * dual_gap.c - how far a solution of dual coordinate descent can be from the optimum.
 *
 * The gap is the objective at w, with the best b for it, minus the dual at feasible betas.  With w
 * = sum_i beta_i z_i that is a sum over rows of terms that are never negative,
 *   c_i loss(y_i, f_i) + conjugate_i(beta_i) + beta_i f_i,      f_i = <w, z_i> + b,
 * so that nothing cancels; for an appended intercept plus 0.5 (sum beta - b)^2.
 *
 * With a free intercept the dual bounds the optimum only if betas sum to 0.  So, for the bound
 * only, the betas are balanced: those of the heavier sign are shrunk by one factor, which keeps all
 * in their domains.  The solution is not changed.  The gap is then a difference, right to about
 * 1e-15 of the objective times the square root of the rows.
 *
 * Cost: one pass over the rows, on all threads; balancing, half of one, on one. */

#include "fit/dual.h"

#include <math.h>
#include <string.h>

/* Subtracts from out[features] what balancing takes from the rows of the heavier sign. */
typedef struct balance {
    fxi_dual *d;
    double *out;
    double up, down;                    /* factors of positive and negative betas */
} balance;

static double balanced(const balance *a, double beta)
{
    return beta * (beta > 0 ? a->up : a->down);
}

static void balance_row(void *ctx, size_t i, const fxi_row *z)
{
    const balance *a = ctx;
    double beta = a->d->s->beta[i], to = balanced(a, beta);

    if (to != beta)
        fxi_fit_row_add(a->out, to - beta, *z, a->d->simd);
}

/* The dual at balanced betas: a lower bound on the objective with a free intercept. */
static fx_status bound(double *out, fxi_dual *d)
{
    const fxi_problem *p = d->p;
    balance a = {d, d->bound, 1, 1};
    double up = 0, down = 0;
    fx_status st = FX_OK;

    for (size_t i = 0; i < d->n; i++)
        *(d->s->beta[i] > 0 ? &up : &down) += fabs(d->s->beta[i]);
    *(up > down ? &a.up : &a.down) = up > down ? down / up : down > 0 ? up / down : 1;
    memcpy(a.out, d->s->w, d->features * sizeof *a.out);
    if (up != down)
        st = fxi_fit_source_rows(p->source, balance_row, &a, d->run);
    *out = 0;
    for (size_t j = 0; j < d->features; j++)
        *out -= 0.5 * a.out[j] * a.out[j];
    for (size_t i = 0; i < d->n; i++)
        if (p->c[i] > 0)
            *out -= p->loss->conjugate(p->y[i], balanced(&a, d->s->beta[i]), p->c[i], p->epsilon);
    return st;
}

/* d/db of the objective, with f as measured. */
static double slope(const fxi_dual *d, double b, fxi_team *team)
{
    enum { ROWS = 1 << 14 };
    const fxi_problem *p = d->p;
    double sum = p->intercept == FXI_APPENDED ? b : 0;

    for (size_t i = 0; i < d->n; i++) {
        if (i % ROWS == 0 && fxi_parallel_cancelled(team))
            break;                      /* fxi_parallel reports it */
        if (p->c[i] > 0)
            sum += p->c[i] * p->loss->slope(p->y[i], d->f[i] + b, p->epsilon);
    }
    return sum;
}

/* The b that minimises the objective at scores f, searched from a guess on: about 70 visits of all
 * rows. */
static fx_status best_intercept(void *dual, size_t block, fxi_team *team)
{
    const fxi_dual *d = dual;
    double from = fxi_dual_b(d), sign = slope(d, from, team), inner = from, outer = from;

    (void)block;
    for (double step = 0x1p-20; sign != 0 && step < 1e300; step *= 4) {
        outer = sign < 0 ? from + step : from - step;
        if (slope(d, outer, team) * sign <= 0)
            break;
        inner = outer;
    }
    for (int t = 0; t < 64 && inner != outer; t++) {
        double middle = 0.5 * (inner + outer);
        *(slope(d, middle, team) * sign > 0 ? &inner : &outer) = middle;
    }
    d->s->b = outer;
    return FX_OK;
}

fx_status fxi_fit_dual_gap(fxi_dual *d)
{
    const fxi_problem *p = d->p;
    fxi_solution *s = d->s;
    double zero = 0, P = 0, gap = 0, lower_bound = 0;
    size_t j = 0;
    fx_status st = FX_OK;

    while (j < d->features && s->w[j] == 0)
        j++;
    if (j == d->features)               /* at the start: no need for a pass */
        memset(d->f, 0, d->n * sizeof *d->f);
    else
        st = fxi_fit_source_scores(d->f, p->source, s->w, &zero, 1, d->run);
    if (!st && p->intercept == FXI_FREE)
        st = bound(&lower_bound, d);
    s->b = 0;
    if (!st && p->intercept != FXI_NONE)
        st = fxi_parallel_ordered(1, best_intercept, d, d->run);
    if (st)
        return st;
    for (size_t i = 0; i < d->n; i++)
        if (p->c[i] > 0) {
            P += p->c[i] * p->loss->value(p->y[i], d->f[i] + s->b, p->epsilon);
            gap += fxi_dual_residual(d, i, d->f[i] + s->b);
        }
    for (j = 0; j < d->features; j++)
        P += 0.5 * s->w[j] * s->w[j];
    if (p->intercept == FXI_APPENDED) {
        P += 0.5 * s->b * s->b;
        gap += 0.5 * (d->sum - s->b) * (d->sum - s->b);
    } else if (p->intercept == FXI_FREE)
        gap = P - lower_bound;
    s->objective = P;
    s->gap = gap > 0 ? gap / P : 0;
    s->converged = s->gap <= p->tol;
    return FX_OK;
}
