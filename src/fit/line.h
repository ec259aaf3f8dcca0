/* SPDX-License-Identifier: BSD-3-Clause
 * line.h - inside solvers: the objective along a line of scores. */
#ifndef FXI_FIT_LINE_H
#define FXI_FIT_LINE_H
#include "fit/fit.h"

/* line.c - sum_i c_i loss(y_i, f_i + t q_i) + a[0] + a[1] t + a[2] t^2 / 2; q NULL: all 1 */
typedef struct fxi_line {
    double value, slope, curve;
    double size;                        /* of the terms of slope: what rounding is relative to */
} fxi_line;
fx_status fxi_fit_line_at(fxi_line *out, const fxi_problem *p, const double *f, const double *q,
                          const double a[3], double t, const fx_run *run);
/* Finds t where |slope| <= small |slope at 0|, or rounding hides it, and where the value is not
 * above that at 0; starts from *t. */
fx_status fxi_fit_line_search(double *t, fxi_line *at, const fxi_problem *p, const double *f,
                              const double *q, const double a[3], double small, const fx_run *run);
/* Moves a free intercept *b to its minimiser, and the scores f with it; *at: the line there. */
fx_status fxi_fit_line_intercept(fxi_line *at, double *b, double *f, const fxi_problem *p,
                                 const double a[3], const fx_run *run);
#endif
