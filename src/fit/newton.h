/* SPDX-License-Identifier: BSD-3-Clause
 * newton.h - inside Newton's method: its state, and its preconditioner.
 *
 * The intercept is the last weight, that of a constant feature 1. */
#ifndef FXI_FIT_NEWTON_H
#define FXI_FIT_NEWTON_H
#include "fit/pass.h"

typedef struct fxi_newton {
    const fxi_problem *p;
    fxi_passes *rows;
    const fx_run *run;
    const fxi_simd *simd;
    size_t d;                           /* features */
    size_t penalised;                   /* weights: d, or d + 1 */
    double *w, *g;                      /* [d+1] weights, gradient */
    double *h;                          /* [d+1] sum_i D_i z_i, the constant feature last */
    double *M;                          /* [d+1] diagonal of the Hessian */
    double *unit;                       /* [d+1] powers of two, at least the length of columns:
                                         * unit_j^2 >= sum_i D_i z_ij^2 */
    double *sums;                       /* an answer */
    double *L;                          /* newton_hessian.c: factor and scratch; NULL: too large */
    bool factored;
    size_t spent;                       /* products since the factorisation */
} fxi_newton;

/* newton_hessian.c - a factored approximation of the Hessian at w; numbers of memory that it takes,
 * and its cost in passes. */
size_t fxi_fit_newton_hessian_size(size_t d);
double fxi_fit_newton_hessian_cost(const fxi_newton *n);
fx_status fxi_fit_newton_hessian_make(fxi_newton *n);
void fxi_fit_newton_hessian_solve(double *x, const fxi_newton *n, const double *r);
#endif
