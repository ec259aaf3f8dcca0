/* SPDX-License-Identifier: BSD-3-Clause
 * l1.c - |w|_1 + sum_i c_i loss: few features have a weight, the others exactly 0.
 *
 * As long as the gap is too large: the loss becomes its second-order model at the present weights
 * (l1_model.c, one parallel pass over all columns), coordinate descent minimises model and penalty
 * roughly over the columns that may have a weight, and a search along the step that this gives
 * makes the objective fall.  Transcendental functions are needed once per row and step, not once
 * per number.
 *
 * Stopping.  theta_i = -s c_i loss'(y_i, f_i), with the largest s <= 1 such that |Z'theta| <= 1 in
 * every column (an appended intercept's too; under a free one theta sums to 0 because b is the
 * minimiser), is feasible in the dual, so P + sum_i conjugate(y_i, theta_i) is at least P - min P.
 * The best theta found counts.  When steps promise less than 1e-14 P and the gap no longer falls,
 * the fit ends; it has converged only if the gap is small enough.  solution.iterations counts
 * passes over all columns and sweeps.
 *
 * Cost of a sweep: O(numbers stored in the columns that may have a weight).  References: Yuan, Ho,
 * Lin 2012 (outer and inner loop); Yuan, Chang, Hsieh, Lin 2010 (shrinking). */

#include "fit/l1.h"

#include <float.h>
#include <math.h>
#include <string.h>


/* |w + t (u - w)|_1, the intercept's too if it is penalised. */
static double penalty(const fxi_l1 *a, double t)
{
    double sum = a->p->intercept == FXI_APPENDED ? fabs(a->w[a->d] + t * a->B) : 0;

    for (size_t j = 0; j < a->d; j++)
        sum += fabs(a->w[j] + t * (a->u[j] - a->w[j]));
    return sum;
}

/* The dual objective at theta. */
static double dual(const fxi_l1 *a)
{
    const fxi_problem *p = a->p;
    double max_slope = p->intercept == FXI_APPENDED ? fmax(1, fabs(a->g[a->d])) : 1, sum = 0;

    for (size_t j = 0; j < a->d; j++)
        max_slope = fmax(max_slope, fabs(a->g[j]));
    for (size_t i = 0; i < p->source->rows; i++)
        if (p->c[i] > 0)
            sum -= p->loss->conjugate(p->y[i], -a->r[i] / max_slope, p->c[i], p->epsilon);
    return sum;
}

/* Along the step until the objective falls; *gain: what the model promises. */
static fx_status move(fxi_l1 *a, double objective, double *gain)
{
    double fall = penalty(a, 1) - penalty(a, 0) + a->g[a->d] * a->B, t = 2, now;
    fxi_l1_line at;
    fx_status st;

    for (size_t j = 0; j < a->d; j++)
        fall += a->g[j] * (a->u[j] - a->w[j]);
    do {
        t /= 2;
        st = fxi_fit_l1_line_at(&at, a->p, a->f, a->q, t, a->run);
        now = at.value + penalty(a, t);
    } while (!st && t > 1e-15 && !(now <= objective * (1 + 4 * DBL_EPSILON) + 0.01 * t * fall));
    *gain = -fall;
    for (size_t j = 0; j < a->d; j++)           /* a weight that became 0 is exactly 0 */
        a->w[j] = t == 1 ? a->u[j] : a->w[j] + t * (a->u[j] - a->w[j]);
    a->w[a->d] += t * a->B;
    return st;
}

static fx_status iterate(fxi_l1 *a, fxi_solution *s)
{
    const fxi_problem *p = a->p;
    double best = -INFINITY, gain = INFINITY;
    fxi_l1_line loss;
    fx_status st = FX_OK;

    for (s->converged = false, s->gap = INFINITY, a->left = p->max_iter; !st;) {
        memcpy(a->u, a->w, a->d * sizeof *a->u);
        st = fxi_fit_source_scores(a->f, p->source, a->w, a->w + a->d, 1, a->run);
        if (st || (st = fxi_fit_l1_line_intercept(&loss, a->w + a->d, a->f, p, a->run))
            || (st = fxi_fit_l1_model(a)))
            break;
        a->left -= a->left > 0;
        s->objective = loss.value + penalty(a, 0);
        best = fmax(best, dual(a));
        double last = s->gap;
        s->gap = s->objective > best ? (s->objective - best) / s->objective : 0;
        s->iterations = p->max_iter - a->left;
        s->b = a->w[a->d];
        memcpy(s->w, a->w, a->d * sizeof *s->w);
        s->converged = s->gap <= p->tol;
        if (p->step)
            st = p->step(p->ctx, s);
        if (st || s->converged || a->left < 2
            || (gain <= 1e-14 * s->objective && s->gap > 0.5 * last))
            break;
        st = fxi_fit_l1_model_descend(a);
        if (!st)
            st = move(a, s->objective, &gain);
    }
    return st;
}

fx_status fxi_fit_l1(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    const fxi_source *z = p->source;
    fxi_l1 a = {.p = p, .run = run, .simd = fxi_simd_get(), .d = z->features};
    fx_run left = fxi_sized_run(run);
    size_t numbers, m = a.d + 1;
    fx_status st;

    if (!fxi_size_mul(&numbers, 5 + FXI_L1_PAST, z->rows)
        || !fxi_size_add(&numbers, numbers, (5 + 2 * FXI_L1_PAST) * m))
        return fxi_error(FX_ESHAPE, "%zu rows are too many", z->rows);
    if ((st = fxi_memory_check(run, (numbers + 1) * sizeof(double), "coordinate descent")))
        return st;
    if (left.max_memory)
        left.max_memory -= numbers * sizeof(double);
    if ((st = fxi_fit_l1_columns(&a.columns, z, &left)))
        return st;
    double *space = fxi_zalloc(numbers, sizeof *space);
    a.active = fxi_zalloc(a.d, sizeof *a.active);
    a.order = fxi_alloc(a.columns.blocks + a.columns.width, sizeof *a.order);
    if (!space || !a.active || !a.order)
        st = FX_ENOMEM;
    if (!st) {
        a.w = space, a.u = a.w + m, a.g = a.u + m, a.h = a.g + m, a.H = a.h + m;
        a.f = a.H + m, a.r = a.f + z->rows, a.D = a.r + z->rows, a.q = a.D + z->rows;
        a.slope = a.q + z->rows, a.past = a.slope + z->rows;
        memcpy(a.w, s->w, a.d * sizeof *a.w);
        a.w[a.d] = p->intercept == FXI_NONE ? 0 : s->b;
        st = iterate(&a, s);
    }
    fxi_free(space, a.active, a.order);
    fxi_fit_l1_columns_free(&a.columns);
    return st;
}
