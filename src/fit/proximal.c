/* SPDX-License-Identifier: BSD-3-Clause
 * proximal.c - losses with a kink, in value (hinge, epsilon-insensitive) or in slope (squared
 * hinge), by Newton's method: the method of multipliers.
 *
 * The kink is rounded off over a width of 1/k, and the betas of the last round give the slope
 * of the part that rounding takes away:
 *
 *   min over w, b of  0.5 |w|^2 + sum_i c_i h(f_i - beta_i/(c_i k)),
 *   h(t) = min_s loss(s) + k (s - t)^2/2,
 *
 * solved by newton.c, then beta_i = -c_i h'.  The rounds converge to the solution of the original
 * problem for any k; with a larger k there are fewer rounds, but each is harder.  It takes a few
 * hundred passes for any scale of the columns and any C, where coordinate descent may need 100,000.
 * With scores, targets and epsilon multiplied by k one rounded loss is enough: h(t) = h_1(k t)/k,
 * with y' = k y + beta/c, c' = k c and w' = k w (y = +1 or -1 is the required margin; it only
 * grows).  The squared hinge m^2 has h = m^2 k/(2 + k) and, with m^2/2 as its h_1,
 * c' = k c 2/(2 + k).
 *
 * k at first.  With many rows per feature, one row more or less inside the parabola changes the
 * Hessian little, and k may be large.  With more features than rows each row has its own direction,
 * in which the curvature jumps from 1 to 1 + c k |z|^2 when the row enters the parabola: steps end
 * at the next row.  Then k starts so that the mean of c k |z|^2 is SOFT.  This takes more rounds of
 * a few passes each, and most rows are on their final side before k is large.  The same is done for
 * the squared hinge, which comes here after newton.c has stalled.
 *
 * With a free intercept the mean of the targets is subtracted first, so that no digits are lost
 * however far they are from 0.
 *
 * Gap.  With v = sum_i beta_i z_i, f_i = <w, z_i> + b and w, b any at all
 *
 *   P - min P <= sum_i (c_i loss(y_i, f_i) + conjugate_i(beta_i) + beta_i f_i) + 0.5 |w - v|^2
 *
 * (appended: + 0.5 (b - sum beta)^2), a sum of terms that are never negative.  With a free
 * intercept this requires sum beta = 0, else |sum beta| |b - best b| is missing; newton.c balances
 * the slopes, which are the betas, up to rounding, so the missing term is rounding too.  The
 * largest dual and the smallest objective of all rounds count.
 *
 * Cost: that of newton.c and one pass per round.  Memory: 24 bytes per row, 16 per feature, and
 * newton.c's.
 *
 * Rockafellar (1976), Augmented Lagrangians and applications of the proximal point algorithm in
 * convex programming. */

#include "fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FIRST = 3, GROW = 3, INNER = 1e-4;  /* k; its growth; gap of a round */
static const double SOFT = 10;          /* k times the mean of c |z|^2, where k begins low */
static const double LAST = 1e6;         /* k grows to this: beyond, y' keeps too little of beta/c */
enum { IDLE = 8 };                      /* rounds without gain: rounding allows no more */

typedef struct rounds {
    const fxi_problem *p;
    fxi_problem q;                      /* the rounded one */
    double unit, center;                /* what targets are measured in and from */
    double k, share;                    /* of the rounded loss; c', over k c */
    double *y, *c, *f;                  /* [rows] of q; scores without intercept */
    double *w, *neg_loss_gradient;      /* [features] of q: weights; sum of beta z */
    double b;                           /* seen from the center */
    double max_dual;                    /* largest dual so far */
    double *factor;                     /* of the last round's Hessian, or NULL */
} rounds;

/* Margins count from 0 in units of 1, targets from their mean in their mean distance from it. */
static void measure_targets(rounds *a)
{
    const fxi_problem *p = a->p;
    double sum = 0, all = 0, off = 0;

    a->unit = 1;
    if (!p->loss->regress)
        return;
    for (size_t i = 0; i < p->source->rows; i++) {
        sum += p->c[i] * p->y[i];
        all += p->c[i];
    }
    double mean = all > 0 ? sum / all : 0;
    for (size_t i = 0; i < p->source->rows; i++)
        off += p->c[i] * fabs(p->y[i] - mean);
    if (off > 0)
        a->unit = off / all;
    if (p->intercept == FXI_FREE)
        a->center = mean;
}

/* The rounded problem solved from where w, b are, betas taken over; scores to f. */
static fx_status round_once(rounds *a, fxi_solution *s, const fx_run *run)
{
    const fxi_problem *p = a->p;
    size_t n = p->source->rows, d = p->source->features;
    fxi_solution in = {.w = a->w,
                       .b = a->k * a->b,
                       .neg_loss_gradient = a->neg_loss_gradient,
                       .factor = &a->factor};
    double zero = 0;
    fx_status st;

    a->share = p->loss->curve ? 2 / (2 + a->k) : 1;
    for (size_t i = 0; i < n; i++) {
        a->c[i] = a->k * (a->share * p->c[i]);
        a->y[i] = a->k * (p->y[i] - a->center);
        if (p->c[i] > 0)
            a->y[i] += s->beta[i] / p->c[i];
    }
    for (size_t j = 0; j < d; j++)
        a->w[j] *= a->k;
    a->q.epsilon = a->k * p->epsilon;
    a->q.max_iter = p->max_iter > s->iterations + 1 ? p->max_iter - s->iterations - 1 : 1;
    if ((st = fxi_fit_newton(&in, &a->q, run))
        || (st = fxi_fit_source_scores(a->f, p->source, a->w, &zero, 1, run)))
        return st;
    s->iterations += in.iterations + 1;
    for (size_t i = 0; i < n; i++) {
        double slope = a->q.loss->slope(a->y[i], a->f[i] + in.b, a->q.epsilon);
        s->beta[i] = p->c[i] > 0 ? -(a->share * p->c[i]) * slope : 0;
        a->f[i] /= a->k;
    }
    for (size_t j = 0; j < d; j++) {
        a->w[j] /= a->k;
        a->neg_loss_gradient[j] /= a->k;
    }
    a->b = in.b / a->k;
    return FX_OK;
}

/* Objective and gap; w, b are taken over if they are the best so far. */
static void measure(rounds *a, fxi_solution *s)
{
    const fxi_problem *p = a->p;
    double P = p->intercept == FXI_APPENDED ? 0.5 * a->b * a->b : 0, gap = 0, sum = 0;

    for (size_t i = 0; i < p->source->rows; i++)
        if (p->c[i] > 0) {
            double y = p->y[i] - a->center, f = a->f[i] + a->b, beta = s->beta[i];
            double loss = p->c[i] * p->loss->value(y, f, p->epsilon);
            P += loss;
            gap += loss + p->loss->conjugate(y, beta, p->c[i], p->epsilon) + beta * f;
            sum += beta;
        }
    for (size_t j = 0; j < p->source->features; j++) {
        P += 0.5 * a->w[j] * a->w[j];
        gap += 0.5 * (a->w[j] - a->neg_loss_gradient[j]) * (a->w[j] - a->neg_loss_gradient[j]);
    }
    if (p->intercept == FXI_APPENDED)
        gap += 0.5 * (a->b - sum) * (a->b - sum);
    a->max_dual = fmax(a->max_dual, P - gap);
    if (P < s->objective) {
        s->objective = P;
        s->b = a->center + a->b;
        memcpy(s->w, a->w, p->source->features * sizeof *s->w);
    }
    s->gap = fmin(gap, s->objective - a->max_dual);
    s->gap = s->gap > 0 ? s->gap / s->objective : 0;
    s->converged = s->gap <= p->tol;
}

typedef struct weighing {
    const fxi_problem *p;
    const fxi_simd *simd;
    double sum;                         /* of c |z|^2 */
    size_t rows;
} weighing;

static void weigh_row(void *ctx, size_t i, const fxi_row *z)
{
    weighing *a = ctx;

    a->sum += a->p->c[i] * fxi_fit_row_square(*z, a->simd);
    a->rows += a->p->c[i] > 0;
}

/* Sets k so that the rounded part is as wide as rows are long; one pass. */
static fx_status widen_rounding(rounds *a, const fx_run *run)
{
    weighing w = {.p = a->p, .simd = fxi_simd_get()};
    fx_status st = fxi_fit_source_rows(a->p->source, weigh_row, &w, run);

    if (w.sum > 0)
        a->k = fmin(a->k, SOFT * (double)w.rows / w.sum);
    return st;
}

static fx_status solve(rounds *a, fxi_solution *s, const fx_run *run)
{
    const fxi_problem *p = a->p;
    double best = INFINITY;
    bool wide = p->source->features > p->source->rows;
    fx_status st = wide || p->loss->curve ? widen_rounding(a, run) : FX_OK;

    for (int idle = 0; !st && idle < IDLE;) {
        if ((st = round_once(a, s, run)))
            break;
        measure(a, s);
        if (p->step && (st = p->step(p->ctx, s)))
            break;
        if (s->converged || s->iterations + 3 > p->max_iter)
            break;
        if (a->k * a->unit >= FIRST) {
            idle = s->gap < 0.9 * best ? 0 : idle + 1;
            best = fmin(best, s->gap);
            if (idle)                   /* k times the error of a round was taken into the betas */
                a->q.tol *= 0.1;
        }
        a->k *= a->k * a->unit < LAST ? GROW : 1;
    }
    return st;
}

fx_status fxi_fit_proximal(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    size_t n = p->source->rows, d = p->source->features, numbers, more;
    rounds a = {.p = p, .q = *p, .max_dual = -INFINITY};
    fx_status st;

    if (!fxi_size_mul(&numbers, 3, n) || !fxi_size_mul(&more, 2, d)
        || !fxi_size_add(&numbers, numbers, more))
        return fxi_error(FX_ESHAPE, "%zu rows of %zu features are too many", n, d);
    if ((st = fxi_memory_check(run, numbers * sizeof(double), "the method of multipliers")))
        return st;
    if (!(a.y = fxi_zalloc(numbers, sizeof *a.y)))
        return FX_ENOMEM;
    a.c = a.y + n, a.f = a.c + n, a.w = a.f + n, a.neg_loss_gradient = a.w + d;
    a.q.loss = p->loss->rounded;
    a.q.y = a.y;
    a.q.c = a.c;
    a.q.tol = fmin(INNER, 0.1 * p->tol);
    a.q.step = NULL;
    measure_targets(&a);
    a.k = FIRST / a.unit;
    for (size_t i = 0; i < n; i++)      /* into their domains: a step of no length */
        s->beta[i] = p->c[i] > 0
                         ? p->loss->step(p->y[i], s->beta[i], 0, HUGE_VAL, p->c[i], p->epsilon)
                         : 0;
    memcpy(a.w, s->w, d * sizeof *a.w);
    a.b = p->intercept == FXI_NONE ? 0 : s->b - a.center;
    if (s->iterations == 0)
        s->objective = INFINITY;        /* else from another solver: keep it unless improved */
    st = solve(&a, s, run);
    free(a.y);
    free(a.factor);
    return st;
}
