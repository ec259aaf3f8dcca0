/* SPDX-License-Identifier: BSD-3-Clause
 * pca.c - principal components of a source's features.
 *
 * The directions are eigenvectors of the weighted covariance matrix
 *
 *   A = sum_i w_i (z_i - mean)(z_i - mean)',   w_i = c_i / sum c,
 *
 * found by eigen.c.  A of few features is formed once (pca_moment.c): D^2/2 multiply-adds per row.
 * Otherwise A is never formed: a product with a block of vectors takes two passes over each row's
 * numbers (pca_pass.c), so that nothing grows as D^2 and sparse rows stay sparse.  The choice
 * depends on the shape of the rows alone: the matrix pays if it costs less than about 32 passes.
 *
 * k may exceed the rank, but not the number of features or rows: the remaining directions have no
 * variance and are returned as zeros.
 *
 * Accuracy: that of eigen.c, residuals of 1e-10 of the largest variance; nothing is resolved below
 * 64 u |z| times the deviation of the rows. */

#include "fit/pca.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PAYS = 2048 };                   /* operations of 32 passes of 16 vectors, a number */

static bool formed(const fxi_source *s)
{
    double d = (double)s->features, n = (double)s->rows;

    return n >= d && d * d * n <= PAYS * (s->numbers ? (double)s->numbers : n * d);
}

double fxi_fit_pca_sign(const double *v, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(v[i]));
    for (size_t i = 0; i < n; i++)      /* the first of those that rounding may exchange */
        if (fabs(v[i]) >= (1 - 1e-6) * largest)
            return v[i] < 0 ? -1 : 1;
    return 1;
}

double fxi_fit_pca_total(double all, const double *value, size_t k)
{
    double held = 0;

    for (size_t c = 0; c < k; c++)
        held += value[c];
    return isfinite(all) && (held > all || held == 0) ? held : all;
}

/* Vectors [k][features] and the mean. */
static bool numbers(size_t *out, size_t features, size_t k)
{
    return fxi_size_add(out, k, 1) && fxi_size_mul(out, *out, features)
           && fxi_size_add(out, *out, FXI_LANES);
}

bool fxi_fit_pca_bytes(size_t *bytes, const fxi_source *s, size_t k)
{
    size_t own, matrix = 0, pass, eigen;

    return numbers(&own, s->features, k) && fxi_size_mul(&own, own, sizeof(double))
           && (!formed(s) || fxi_fit_pca_moment_bytes(&matrix, s->features))
           && fxi_fit_pca_pass_bytes(&pass, s, formed(s) ? 1 : 2 * k + 4)
           && fxi_linalg_eigen_bytes(&eigen, s->features, k) && fxi_size_add(bytes, own, matrix)
           && fxi_size_add(bytes, *bytes, pass) && fxi_size_add(bytes, *bytes, eigen);
}

/* W, b of the eigenvectors V. */
static void store_components(double *W, double *b, const double *value, const double *V,
                             const fxi_pca *a, size_t k)
{
    size_t d = a->s->features;

    for (size_t c = 0; c < k; c++) {
        const double *v = V + c * d;
        double by = fxi_fit_pca_sign(v, d), at;
        a->simd->fit_dot_double(&at, a->mean, v, d);
        b[c] = value[c] > 0 ? -by * at : 0;
        for (size_t j = 0; j < d; j++)
            W[j * k + c] = value[c] > 0 ? by * v[j] : 0;
    }
}

static fx_status search(double *W, double *b, double *value, double *total, fxi_pca *a, double *V,
                        size_t k, uint64_t seed, const fx_run *run)
{
    fxi_pca_panels M = {0};
    fxi_eigen e = {.n = a->s->features, .k = k, .apply = fxi_fit_pca_pass_apply, .ctx = a,
                   .start = {seed, FXI_FIT_PCA}};
    fxi_stage stage;
    fx_run how = fxi_parallel_stage(&stage, run, 0, 0.1);
    fx_status st = fxi_fit_pca_pass_mean(a, &how);
    double mean2;

    if (st)
        return st;
    a->simd->fit_dot_double(&mean2, a->mean, a->mean, a->s->features);
    *total = fmax(a->square - mean2, DBL_EPSILON * a->square);
    e.noise = 64 * DBL_EPSILON * sqrt(a->square * *total);
    how = fxi_parallel_stage(&stage, run, 0.1, 0);
    if (formed(a->s)) {
        if (!(st = fxi_fit_pca_panels(&M, a->s->features)))
            st = fxi_fit_pca_moment(&M, a, &how);
        if (!st)
            *total = fxi_fit_pca_panels_trace(&M);
        e.apply = fxi_fit_pca_panels_apply;
        e.ctx = &M;
    }
    how = fxi_parallel_stage(&stage, run, 0.1, 0.9);
    if (!st)
        st = fxi_linalg_eigen(value, V, &e, &how);
    free(M.A);
    if (st >= 0) {
        store_components(W, b, value, V, a, k);
        *total = fxi_fit_pca_total(*total, value, k);
    }
    return st;
}

static fx_status check(fxi_pca *a, size_t k, const fx_run *run)
{
    size_t bytes, present = 0;

    for (size_t i = 0; i < a->s->rows; i++) {
        a->total += a->c[i];
        present += a->c[i] > 0;
    }
    if (k == 0 || k > a->s->features || k > present)
        return fxi_error(FX_EINVAL, "k is %zu; %zu rows of %zu features have 1 to %zu components",
                         k, present, a->s->features,
                         present < a->s->features ? present : a->s->features);
    if (!fxi_fit_pca_bytes(&bytes, a->s, k))
        return fxi_error(FX_ESHAPE, "%zu components of %zu features are too many", k,
                         a->s->features);
    return fxi_memory_check(run, bytes, "principal components");
}

fx_status fxi_fit_pca(double *W, double *b, double *value, double *total, const fxi_source *s,
                      const double *c, size_t k, uint64_t seed, const fx_run *run)
{
    fxi_pca a = {.s = s, .c = c};
    size_t all, d = s->features;
    fx_status st = check(&a, k, run);

    if (st)
        return st;
    double *V = numbers(&all, d, k) ? fxi_zalloc(all, sizeof *V) : NULL;
    if (!V)
        return FX_ENOMEM;
    a.mean = V + k * d;
    if (!(st = fxi_fit_pca_pass_open(&a, formed(s) ? 1 : 2 * k + 4, run)))
        st = search(W, b, value, total, &a, V, k, seed, run);
    fxi_fit_pca_pass_close(&a);
    free(V);
    return st;
}
