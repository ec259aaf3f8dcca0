/* SPDX-License-Identifier: BSD-3-Clause
 * pca.h - inside pca.c, kernel_pca.c and what they share; what rows answer. */
#ifndef FXI_FIT_PCA_H
#define FXI_FIT_PCA_H
#include "fit/fit.h"
#include "linalg/eigen.h"
#include "pass/pass.h"

/* ---- What is asked of all rows (pass/pass.h), and how rows answer ------------------------------
 *
 * MEAN    the sum of all c_i, the number of rows with c_i > 0; sum_i c_i z_i, sum_i c_i z_i^2
 * SPREAD  A times vectors v, A = sum_i w_i (z_i - mean)(z_i - mean)', w_i = c_i / total; w: the
 *         mean, t: the total
 * MOMENT  counts of A, v: the units; w, t: likewise */
enum { FXI_PCA_GROUPS = 4 };            /* of FXI_LANES vectors that are multiplied at a time */
static inline size_t fxi_pca_groups(size_t vectors)
{
    return (vectors + FXI_LANES - 1) / FXI_LANES;
}

/* The answer to MEAN: a block of numbers, then two vectors, each padded to whole blocks. */
enum { FXI_MEAN_TOTAL, FXI_MEAN_ROWS };
static inline double *fxi_mean_vector(double *answer, size_t k, size_t features)
{
    return answer + FXI_SUM + k * fxi_sum_padded(features);
}

/* pca_pass.c - rows of a run, by the data alone; numbers, sparse: as of a source. */
size_t fxi_fit_pca_pass_run(size_t rows, size_t features, size_t numbers, bool sparse);
/* Numbers of an answer, of SPREAD for this many vectors; false: too many. */
bool fxi_fit_pca_pass_numbers(size_t *out, fxi_ask what, size_t features, size_t vectors);
/* Begins the answer to q; count: where to add counts, or NULL.  Then adds rows of z to it, c: of
 * these; first, last: as fxi_pass_answer_add. */
fx_status fxi_fit_pca_pass_begin(fxi_answer *a, const fxi_question *q, size_t features,
                                 double *count);
fx_status fxi_fit_pca_pass(fxi_answer *a, const fxi_question *q, const fxi_source *z,
                           const double *c, uint64_t first, bool last);

/* pca_moment.c - numbers of counts; adds rows to them. */
bool fxi_fit_pca_moment_numbers(size_t *out, size_t features);
fx_status fxi_fit_pca_moment_add(fxi_answer *a, const fxi_question *q, const fxi_source *z,
                                 const double *c);

/* ---- The matrix ------------------------------------------------------------------------------ */
/* pca_panels.c - a symmetric matrix of n rows, in panels A[panels][wide][FXI_LANES] of FXI_LANES
 * rows each, padded with zeros: wide = panels * FXI_LANES. */
typedef struct fxi_pca_panels {
    size_t n, panels, wide;
    double *A;
    double *X;                          /* [FXI_PCA_GROUPS][wide][FXI_LANES] */
    const fxi_simd *simd;
} fxi_pca_panels;
/* false: too large.  Allocates nothing. */
bool fxi_fit_pca_panels_bytes(size_t *bytes, size_t n);
/* A is not set.  free() A. */
fx_status fxi_fit_pca_panels(fxi_pca_panels *out, size_t n);
fx_status fxi_fit_pca_panels_apply(void *panels, double *Y, const double *X, size_t count,
                                   const fx_run *run);
double fxi_fit_pca_panels_trace(const fxi_pca_panels *panels);

/* pca_moment.c - the powers of two of which A is counted in units, from the sums of an answer to
 * MEAN, mean and total; the matrix, from its counts. */
void fxi_fit_pca_moment_units(double *unit, const double *mean, double *sums, double total,
                              size_t features);
void fxi_fit_pca_moment(fxi_pca_panels *M, const double *counts, const double *unit);

/* pca.c - 1 or -1: with it the largest of v[n] is positive. */
double fxi_fit_pca_sign(const double *v, size_t n);
/* The sum of all variances: `all` corrected for rounding, at least the sum over components, 0 if
 * that is 0. */
double fxi_fit_pca_total(double all, const double *value, size_t k);
#endif
