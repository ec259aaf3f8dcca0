/* SPDX-License-Identifier: BSD-3-Clause
 * newton.h - inside Newton's method: its state, and passes over the features.
 *
 * The intercept is the last weight, that of a constant feature 1. */
#ifndef FXI_FIT_NEWTON_H
#define FXI_FIT_NEWTON_H
#include "fit/line.h"

enum { FXI_NEWTON_PARTS = 16 };         /* partial sums that are formed in parallel */

typedef struct fxi_newton {
    const fxi_problem *p;
    fx_run how;                         /* threads for a pass */
    const fxi_simd *simd;
    size_t d;                           /* features */
    size_t penalised;                   /* weights: d, or d + 1 */
    size_t parts;
    double *w, *g;                      /* [d+1] weights, gradient */
    double *h;                          /* [d+1] sum_i D_i z_i, the constant feature last */
    double *M;                          /* [d+1] diagonal of the Hessian */
    double *f;                          /* [rows] scores, intercept included */
    double *D;                          /* [rows] c_i curve_i */
    double *q;                          /* [rows] scores of a vector of weights */
    double *move;                       /* [rows] scores of the step */
    double *part;                       /* [parts][3][d+1] */
    double *L;                          /* newton_hessian.c: factor and scratch; NULL: too large */
    bool factored;
    size_t spent;                       /* products since the factorisation */
    float *buffer;                      /* [threads][source->buffer] */
} fxi_newton;

/* newton_pass.c - one visit of each row that is needed; rows with c = 0 never are. */
fx_status fxi_fit_newton_pass_scores(double *f, fxi_newton *n, const double *v);
fx_status fxi_fit_newton_pass_gradient(fxi_newton *n);          /* g, h, M, D at w, f */
/* q_i = <v, z_i> and out = sum_i D_i q_i z_i over rows with D_i > 0 */
fx_status fxi_fit_newton_pass_product(double *out, fxi_newton *n, const double *v);
/* q_i of the others */
fx_status fxi_fit_newton_pass_others(double *q, fxi_newton *n, const double *v);

/* newton_hessian.c - a factored approximation of the Hessian; numbers of memory that it takes, and
 * its cost in passes. */
size_t fxi_fit_newton_hessian_size(size_t d);
double fxi_fit_newton_hessian_cost(const fxi_newton *n);
fx_status fxi_fit_newton_hessian_make(fxi_newton *n);
void fxi_fit_newton_hessian_solve(double *x, const fxi_newton *n, const double *r);
#endif
