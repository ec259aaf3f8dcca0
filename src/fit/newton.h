/* SPDX-License-Identifier: BSD-3-Clause
 * newton.h - inside Newton's method: what rows answer, its state, and its preconditioner.
 *
 * The intercept is the last number of w and of v, that of a constant feature 1. */
#ifndef FXI_FIT_NEWTON_H
#define FXI_FIT_NEWTON_H
#include "fit/fit.h"
#include "pass/pass.h"

/* ---- What is asked of all rows (pass/pass.h), and how rows answer ------------------------------
 *
 * GRADIENT  value, gradient and more at w
 * PRODUCT   sum_i D_i <v, z_i> z_i, D_i the curvature at w
 * LINE      value, slope and curvature at w + t v, along v; v NULL: along the intercept
 * HESSIAN   counts of sum_i D_i/p_i z_i z_i' over a sample, v the units, t the rate of the sample:
 *           newton_hessian.c */
enum {
    FXI_NEWTON_FIRST = 1,               /* gradient: also sum_i D_i z_i */
    FXI_NEWTON_SQUARES = 2,             /* gradient: also sum_i D_i z_i^2 */
    FXI_NEWTON_FLAT = 4                 /* w is 0 but for the intercept */
};

/* An answer: one block of numbers about all features, then vectors, each padded to whole blocks. */
enum { FXI_ANSWER_VALUE, FXI_ANSWER_SLOPE, FXI_ANSWER_CURVE, FXI_ANSWER_SIZE };
static inline size_t fxi_answer_vectors(const fxi_question *q)
{
    return q->what == FXI_ASK_GRADIENT
               ? (size_t)1 + !!(q->flags & FXI_NEWTON_FIRST) + !!(q->flags & FXI_NEWTON_SQUARES)
               : q->what == FXI_ASK_PRODUCT;
}
/* Not of HESSIAN: fxi_fit_newton_hessian_numbers. */
static inline size_t fxi_answer_numbers(const fxi_question *q, size_t features)
{
    return FXI_SUM + fxi_answer_vectors(q) * fxi_sum_padded(features);
}
/* Vector k of an answer: the gradient or the product, then those that were asked for. */
static inline double *fxi_answer_vector(double *answer, size_t k, size_t features)
{
    return answer + FXI_SUM + k * fxi_sum_padded(features);
}

/* Some rows of a run, and what is known about them. */
typedef struct fxi_piece {
    const fx_matrix *Z;                 /* their features; NULL: not needed */
    size_t rows;
    const double *y, *c;
    double *f, *D, *q;                  /* [rows] scores by w without its intercept, c times the
                                         * curvature at w, scores by v; of rows with c > 0 */
    bool f_known, D_known, q_known;     /* else they are computed */
} fxi_piece;

/* newton_pass.c - begins the answer to q: of p->source's features; count: where to add counts, or
 * NULL.  Then adds rows of z to it; x: of all of them; first, last: as fxi_pass_answer_add. */
fx_status fxi_fit_newton_pass_begin(fxi_answer *a, const fxi_question *q, size_t features,
                                    double *count);
fx_status fxi_fit_newton_pass(fxi_answer *a, const fxi_question *q, const fxi_problem *p,
                              const fxi_source *z, const fxi_piece *x, uint64_t first, bool last);
/* What the answers take, and `each` row besides. */
bool fxi_fit_newton_pass_bytes(size_t *bytes, size_t features, size_t threads);
/* Sets D of all rows of a piece with features, unless they are known. */
void fxi_fit_newton_pass_curves(const double *w, const fxi_piece *x, const fxi_problem *p,
                                size_t features, const fxi_simd *simd);

/* newton_hessian.c - adds rows to the counts of an answer. */
size_t fxi_fit_newton_hessian_numbers(size_t features);
fx_status fxi_fit_newton_hessian_add(fxi_answer *a, const fxi_question *q, const fxi_problem *p,
                                     const fxi_source *z, const fxi_piece *x, uint64_t first);

/* newton_memory.c - rows in memory. */
typedef struct fxi_newton_memory {
    fxi_passes passes;
    const fxi_problem *p;
    fxi_answer answer;
    fxi_piece x;                        /* of all rows */
    double *w, *v;                      /* [features + 1] whose scores x.f and x.q are, and x.D at
                                         * w */
} fxi_newton_memory;
bool fxi_fit_newton_memory_bytes(size_t *bytes, size_t rows, size_t features, size_t threads);
fx_status fxi_fit_newton_memory(fxi_newton_memory *out, const fxi_problem *p, const fx_run *run);
void fxi_fit_newton_memory_free(fxi_newton_memory *a);
/* A fit whose questions `rows` answers: those of p or, if it has none, its rows in memory. */
typedef fx_status fxi_newton_fit(fxi_solution *s, const fxi_problem *p, fxi_passes *rows,
                                 const fx_run *run);
fx_status fxi_fit_newton_memory_fit(fxi_newton_fit *fit, fxi_solution *s, const fxi_problem *p,
                                   const fx_run *run);

/* ---- The method ------------------------------------------------------------------------------ */

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
    bool constant;                      /* the Hessian, of all rows, is worth its forming */
    size_t spent;                       /* products since the factorisation */
} fxi_newton;

/* newton_line.c - what passes along a line tell; w: where it begins, sums: an answer. */
typedef struct fxi_newton_point {       /* a function along a line */
    double value, slope, curve;
    double size;                        /* of the terms of slope: what rounding is relative to */
} fxi_newton_point;
typedef struct fxi_newton_lines {
    fxi_passes *rows;
    double *w, *sums;
    size_t d;
    bool regress;
} fxi_newton_lines;
uint32_t fxi_fit_newton_line_flat(const double *w, size_t d);   /* FXI_NEWTON_FLAT, or 0 */
/* At w + t v, v NULL: along the intercept; a: value, slope and curvature of the penalty at w. */
fx_status fxi_fit_newton_line_at(fxi_newton_point *at, const fxi_newton_lines *l, const double *v,
                                 double t, const double a[3]);
/* Finds t with |slope| <= small, or `level` times the sum of its terms, and where the value is not
 * above `most`; *t is where to begin and lies between low and high, which may be infinite. */
fx_status fxi_fit_newton_line(double *t, const fxi_newton_lines *l, const double *v,
                              const double a[3], double low, double high, double small,
                              double level, double most);
/* Moves the intercept of w to its minimiser, as near as `level`; from: where to begin. */
fx_status fxi_fit_newton_line_intercept(const fxi_newton_lines *l, double from, double level);

/* newton_hessian.c - a factored approximation of the Hessian at w; numbers of memory that it takes,
 * and its cost in passes. */
size_t fxi_fit_newton_hessian_size(size_t d);
size_t fxi_fit_newton_hessian_space(size_t d);  /* numbers while rows are added */
double fxi_fit_newton_hessian_cost(const fxi_newton *n);
fx_status fxi_fit_newton_hessian_make(fxi_newton *n);
void fxi_fit_newton_hessian_solve(double *x, const fxi_newton *n, const double *r);
#endif
