/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_pca.c - principal components in the space of a kernel, exactly.
 *
 * With w_i = c_i / sum c the centred kernel of two rows and the matrix whose eigenvectors u are
 * wanted are
 *
 *   C_ij = K_ij - r_i - r_j + g,   r_i = sum_j w_j K_ij,   g = sum_i w_i r_i
 *   A_ij = sqrt(w_i w_j) C_ij,     A u = x u
 *
 * (A has the eigenvalues, other than 0, of the covariance operator of the kernel's space.)  The
 * direction of length 1 is sum_i a_i (phi(x_i) - mean), a_i = sqrt(w_i) u_i / sqrt(x), and since
 * sum_i a_i = 0 the component of a row z is
 *
 *   sum_i a_i K(x_i, z) + b,   b = - sum_i a_i r_i,
 *
 * of mean 0 and variance x over the rows.  Rounding leaves a trace of sum a; it is taken off.
 * Components beyond the rank are 0.
 *
 * The Gram matrix is made row by row in place, then turned, centred and scaled in place, in the
 * panels of pca_panels.c.  Memory: 8 n^2 bytes and what eigen.c takes.  Time: n^2/2 kernel values,
 * then 2 n^2 operations for each vector multiplied.
 *
 * Accuracy: values to 64 u times the mean of |K_ii|, the absolute error of the centred matrix.
 *
 * B. Schoelkopf, A. Smola, K. Mueller. Nonlinear component analysis as a kernel eigenvalue problem.
 * Neural Computation 10 (1998). */

#include "fit/pca.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T = FXI_LANES };

typedef struct centring {
    const fxi_pca_panels *M;
    const double *w;                    /* [wide], then zeros */
    double *r, g;                       /* [wide] */
} centring;

typedef struct copying {
    double *K;
    size_t ldk, first;                  /* column of the matrix that is its first */
    const fx_matrix *X;
} copying;

/* Row i of a matrix that is read, not computed, up to its diagonal, and the column that is its
 * mirror image. */
static fx_status copy(void *ctx, size_t i, fxi_team *team)
{
    const copying *a = ctx;
    fxi_row r = fxi_data_row(a->X, i);

    (void)team;
    for (size_t j = 0; j <= i; j++)
        a->K[i * a->ldk + j] = 0;
    for (size_t q = 0; q < r.n; q++) {
        size_t j = (size_t)fxi_row_column(r, q);
        if (j >= a->first && j - a->first <= i)
            a->K[i * a->ldk + j - a->first] = fxi_row_value(r, q);
    }
    for (size_t j = 0; j < i; j++)
        a->K[j * a->ldk + i] = a->K[i * a->ldk + j];
    return FX_OK;
}

static fx_status gram(double *K, size_t ldk, const fx_kernel *kernel, const fx_matrix *X,
                      const fx_run *run)
{
    size_t n = X->rows;
    copying a = {K, ldk, kernel->serial < 0 ? X->cols == n + 1 : (size_t)kernel->serial, X};

    return fxi_kernel_is_precomputed(kernel) ? fxi_parallel_ordered(n, copy, &a, run)
                                             : fx_kernel_gram(K, ldk, kernel, X, NULL, run);
}

/* Panel i: 16 rows, one after the other, become [wide][16]; also their r. */
static fx_status transpose_panel(void *ctx, size_t i, fxi_team *team)
{
    const centring *a = ctx;
    size_t wide = a->M->wide, n = a->M->n, rows = n - i * T < T ? n - i * T : T;
    double *A = a->M->A + i * wide * T;
    double *to = a->M->X + (size_t)fxi_parallel_thread(team) * wide * T;

    memset(to, 0, wide * T * sizeof *to);
    for (size_t e = 0; e < rows; e++) {
        a->M->simd->fit_dot_double(&a->r[i * T + e], A + e * wide, a->w, n);
        for (size_t k = 0; k < n; k++)
            to[k * T + e] = A[e * wide + k];
    }
    memcpy(A, to, wide * T * sizeof *to);
    return FX_OK;
}

static fx_status centre(void *ctx, size_t i, fxi_team *team)
{
    const centring *a = ctx;
    size_t n = a->M->n, rows = n - i * T < T ? n - i * T : T;
    double *A = a->M->A + i * a->M->wide * T, root[T];

    (void)team;
    for (size_t e = 0; e < rows; e++)
        root[e] = sqrt(a->w[i * T + e]);
    for (size_t k = 0; k < n; k++) {
        double s = sqrt(a->w[k]), off = a->g - a->r[k];
        for (size_t e = 0; e < rows; e++)
            A[k * T + e] = s * root[e] * (A[k * T + e] - a->r[i * T + e] + off);
    }
    return FX_OK;
}

/* The Gram matrix becomes A; *trace: mean of |K_ii|. */
static fx_status prepare(centring *a, double *trace, const fx_run *run)
{
    const fxi_pca_panels *M = a->M;
    fx_run how = fxi_parallel_run(run, (double)M->n * (double)M->n), limited = how;
    fx_status st;

    *trace = 0;
    for (size_t i = 0; i < M->n; i++)
        *trace += a->w[i] * fabs(M->A[i * M->wide + i]);
    if (fxi_parallel_threads(&how, M->panels) > FXI_PCA_GROUPS)
        limited.threads = FXI_PCA_GROUPS;  /* M->X has space for this many */
    if ((st = fxi_parallel(M->panels, transpose_panel, a, &limited)))
        return st;
    a->g = 0;
    for (size_t i = 0; i < M->n; i++)
        a->g += a->w[i] * a->r[i];
    return fxi_parallel(M->panels, centre, a, &how);
}

static void store_components(double *W, double *b, const double *value, double *U,
                             const centring *a, size_t k)
{
    size_t n = a->M->n;

    for (size_t c = 0; c < k; c++) {
        double *u = U + c * n, sum = 0, by = value[c] > 0 ? 1 / sqrt(value[c]) : 0;
        for (size_t i = 0; i < n; i++) {
            u[i] *= by * sqrt(a->w[i]);
            sum += u[i];
        }
        for (size_t i = 0; i < n; i++)
            u[i] -= a->w[i] * sum;
        by = fxi_fit_pca_sign(u, n);
        b[c] = 0;
        for (size_t i = 0; i < n; i++) {
            W[i * k + c] = by * u[i];
            b[c] -= W[i * k + c] * a->r[i];
        }
    }
}

/* Vectors [k][n], w and r. */
static bool numbers(size_t *out, size_t n, size_t k)
{
    size_t wide;

    return fxi_size_mul(out, n, k) && fxi_size_add(&wide, n, T) && fxi_size_mul(&wide, wide, 2)
           && fxi_size_add(out, *out, wide);
}

bool fxi_fit_kernel_pca_bytes(size_t *bytes, size_t rows, size_t k)
{
    size_t own, matrix, eigen;

    return numbers(&own, rows, k) && fxi_size_mul(&own, own, sizeof(double))
           && fxi_fit_pca_panels_bytes(&matrix, rows) && fxi_linalg_eigen_bytes(&eigen, rows, k)
           && fxi_size_add(bytes, own, matrix) && fxi_size_add(bytes, *bytes, eigen);
}

static fx_status check(double *weight, size_t n, const double *c, size_t k, const fx_run *run)
{
    size_t bytes, present = 0;

    *weight = 0;
    for (size_t i = 0; i < n; i++) {
        *weight += c[i];
        present += c[i] > 0;
    }
    if (k == 0 || k > present)
        return fxi_error(FX_EINVAL, "k is %zu; %zu rows have 1 to %zu kernel components", k,
                         present, present);
    if (!fxi_fit_kernel_pca_bytes(&bytes, n, k))
        return fxi_error(FX_ESHAPE, "a Gram matrix of %zu rows is too large", n);
    return fxi_memory_check(run, bytes, "kernel components");
}

fx_status fxi_fit_kernel_pca(double *W, double *b, double *value, double *total,
                             const fx_kernel *kernel, const fx_matrix *X, const double *c, size_t k,
                             uint64_t seed, const fx_run *run)
{
    size_t n = X->rows, all;
    fxi_pca_panels M = {0};
    fxi_eigen e = {.n = n, .k = k, .apply = fxi_fit_pca_panels_apply, .ctx = &M,
                   .start = {seed, FXI_FIT_PCA}};
    fxi_stage stage;
    fx_run how = fxi_parallel_stage(&stage, run, 0, 0.5);
    double weight, trace;
    fx_status st = check(&weight, n, c, k, run);

    if (st)
        return st;
    double *U = numbers(&all, n, k) ? fxi_zalloc(all, sizeof *U) : NULL;
    if (!U || (st = fxi_fit_pca_panels(&M, n))) {
        free(U);
        return FX_ENOMEM;
    }
    double *w = U + n * k;
    for (size_t i = 0; i < n; i++)
        w[i] = c[i] / weight;
    centring a = {.M = &M, .w = w, .r = w + M.wide};
    st = gram(M.A, M.wide, kernel, X, &how);
    how = fxi_parallel_stage(&stage, run, 0.5, 0);
    if (!st)
        st = prepare(&a, &trace, &how);
    if (!st) {
        e.noise = 64 * DBL_EPSILON * trace;
        *total = fxi_fit_pca_panels_trace(&M);
        how = fxi_parallel_stage(&stage, run, 0.5, 0.5);
        st = fxi_linalg_eigen(value, U, &e, &how);
    }
    if (st >= 0) {
        store_components(W, b, value, U, &a, k);
        *total = fxi_fit_pca_total(*total, value, k);
    }
    free(M.A);
    free(U);
    return st;
}
