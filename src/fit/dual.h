/* SPDX-License-Identifier: BSD-3-Clause
 * dual.h - the state of dual coordinate descent, for dual*.c alone.
 *
 * The intercept is held near `center`:  b = center + rho sum,  sum = sum_i beta_i;  dual.c moves
 * the center.  In between the dual is
 *   D(beta) = -0.5 |w|^2 - center sum - 0.5 rho sum^2 - sum_i conjugate_i(beta_i). */
#ifndef FXI_DUAL_H
#define FXI_DUAL_H
#include "fit/fit.h"

typedef struct fxi_dual {
    const fxi_problem *p;
    fxi_solution *s;
    const fx_run *run;
    const fxi_simd *simd;
    size_t n, features;
    double *q;                          /* [n] |z|^2 */
    double *f;                          /* [n] scores without b at the last measurement */
    double *bound;                      /* [features] of dual_gap.c */
    unsigned char *inactive;            /* [n] 1: at a bound, not visited for now */
    size_t length, runs;                /* rows of a run; how many runs */
    size_t *order;                      /* [runs] in which a pass visits them */
    float *buffer;                      /* of the source */
    double rho, center, sum;
    double limit;                       /* rows at a bound: inactive if scores may change by this */
    double max_violation, residual;     /* of the rows of a pass; the sum of their gaps */
    double visits;                      /* rows visited since the last measurement */
    double spent;                       /* rows visited before it */
    size_t k;                           /* iteration */
} fxi_dual;

static inline double fxi_dual_b(const fxi_dual *d) { return d->center + d->rho * d->sum; }

/* c loss + conjugate + beta f >= 0: what row i adds to the gap at score f. */
static inline double fxi_dual_residual(const fxi_dual *d, size_t i, double f)
{
    const fxi_problem *p = d->p;
    double beta = d->s->beta[i], c = p->c[i];

    return c * p->loss->value(p->y[i], f, p->epsilon)
           + p->loss->conjugate(p->y[i], beta, c, p->epsilon) + beta * f;
}

fx_status fxi_fit_dual_gap(fxi_dual *d);        /* b, objective and gap of s; scores to f */
#endif
