/* SPDX-License-Identifier: BSD-3-Clause
 * eigen.h - inside the library: eigenvalues and eigenvectors of symmetric matrices. */
#ifndef FXI_LINALG_EIGEN_H
#define FXI_LINALG_EIGEN_H
#include "simd/simd.h"

/* eigen.c - the k largest eigenvalues of a positive semidefinite matrix A, of which only products
 * with vectors are known, and orthonormal eigenvectors. */
typedef struct fxi_eigen {
    size_t n, k;                        /* 1 <= k <= n */
    /* Y = A X for count vectors, one per row: Y[count][n], X[count][n]; the same bits for any
     * number of threads. */
    fx_status (*apply)(void *ctx, double *Y, const double *X, size_t count, const fx_run *run);
    void *ctx;
    fxi_rng start;                      /* where the search begins */
    double tol;                         /* stop at |A v - x v| <= tol times the largest value; 0:
                                         * 1e-10 */
    double noise;                       /* error of products with unit vectors: residuals and values
                                         * as small as this are 0 */
    size_t max_iter;                    /* restarts; 0: 300 */
} fxi_eigen;
/* value[k] descending, >= 0, 0 where they are lost in rounding; vector[k][n].  FX_NOT_CONVERGED:
 * the best that max_iter restarts gave. */
fx_status fxi_linalg_eigen(double *value, double *vector, const fxi_eigen *e, const fx_run *run);
bool fxi_linalg_eigen_bytes(size_t *bytes, size_t n, size_t k);

/* eigen_dense.c - all of the symmetric n x n matrix A (lower triangle read, all overwritten):
 * values d[n] descending, eigenvectors as rows of Z[n][n]; work[2 n]. */
fx_status fxi_linalg_eigen_dense(double *d, double *Z, double *A, double *work, size_t n,
                                 const fx_run *run);
#endif
