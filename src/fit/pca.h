/* SPDX-License-Identifier: BSD-3-Clause
 * pca.h - inside pca.c, kernel_pca.c and what they share. */
#ifndef FXI_FIT_PCA_H
#define FXI_FIT_PCA_H
#include "fit/fit.h"
#include "linalg/eigen.h"

enum { FXI_PCA_GROUPS = 4 };            /* of FXI_LANES vectors that are multiplied at a time */

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

/* pca_pass.c - the same product by passes over a source, centred, never stored. */
typedef struct fxi_pca {
    const fxi_source *s;
    const double *c;
    double total;                       /* of c */
    double *mean;                       /* [features rounded up to FXI_LANES], then zeros */
    double square;                      /* mean of |z|^2 */
    size_t parts;                       /* in which blocks are summed */
    size_t groups;                      /* of FXI_LANES vectors at a time, at most */
    double *part;                       /* [parts][groups][features + 1][FXI_LANES] */
    double *X;                          /* [groups][features][FXI_LANES] */
    double *at;                         /* [FXI_PCA_GROUPS][FXI_LANES] <mean, X> */
    float *buffer;                      /* [threads][s->buffer] */
    struct fxi_pca_space *space;        /* [threads] */
    const fxi_simd *simd;
} fxi_pca;
bool fxi_fit_pca_pass_bytes(size_t *bytes, const fxi_source *s, size_t count);
/* Allocates memory for `count` vectors at a time. */
fx_status fxi_fit_pca_pass_open(fxi_pca *a, size_t count, const fx_run *run);
void fxi_fit_pca_pass_close(fxi_pca *a);
fx_status fxi_fit_pca_pass_apply(void *pca, double *Y, const double *X, size_t count,
                                 const fx_run *run);
/* mean, square */
fx_status fxi_fit_pca_pass_mean(fxi_pca *a, const fx_run *run);

/* pca_moment.c - sum_i c_i (z_i - mean)(z_i - mean)' / total, into panels. */
bool fxi_fit_pca_moment_bytes(size_t *bytes, size_t features);
fx_status fxi_fit_pca_moment(fxi_pca_panels *M, const fxi_pca *a, const fx_run *run);

/* pca.c - 1 or -1: with it the largest of v[n] is positive. */
double fxi_fit_pca_sign(const double *v, size_t n);
/* The sum of all variances: `all` corrected for rounding, at least the sum over components, 0 if
 * that is 0. */
double fxi_fit_pca_total(double all, const double *value, size_t k);
#endif
