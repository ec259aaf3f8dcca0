/* SPDX-License-Identifier: BSD-3-Clause
 * pca.c - principal components of a source's features.
 *
 * The directions are eigenvectors of the weighted covariance matrix
 *
 *   A = sum_i w_i (z_i - mean)(z_i - mean)',   w_i = c_i / sum c,
 *
 * found by eigen.c.  All that is known of the rows comes from passes over them (pca.h).  A of
 * few features is formed once (pca_moment.c): D^2/2 multiply-adds per row.  Otherwise A is never
 * formed: a product with a block of vectors takes two visits of each row's numbers (pca_pass.c), so
 * that nothing grows as D^2 and sparse rows stay sparse.  The choice depends on the shape of the
 * rows alone: the matrix pays if it costs less than about 32 passes.
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

typedef struct search {
    fxi_passes *rows;
    fx_run *how;                        /* of passes over rows in memory; or NULL */
    size_t d, k;
    double total, square;               /* of c; mean of |z|^2 */
    double *V, *mean, *unit;            /* [k][d] vectors, [d], [d] */
    double *sums;                       /* an answer */
    const fxi_simd *simd;
} search;

/* numbers: stored in sparse rows, or 0 */
static bool formed(size_t rows, size_t features, size_t numbers)
{
    double d = (double)features, n = (double)rows;

    return n >= d && d * d * n <= PAYS * (numbers ? (double)numbers : n * d);
}

static bool forms(const search *a)
{
    return formed(a->rows->rows, a->d, a->rows->numbers);
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

/* Vectors that a search multiplies at a time, at most. */
static size_t at_once(size_t k)
{
    size_t most = FXI_PCA_GROUPS * FXI_LANES;

    return 2 * k + 4 < most ? fxi_pca_groups(2 * k + 4) * FXI_LANES : most;
}

/* Doubles: vectors, mean and units; the longest answer. */
static bool count(size_t *own, size_t *sums, size_t features, size_t k, bool form)
{
    size_t mean;

    return fxi_size_add(own, k, 2) && fxi_size_mul(own, *own, features)
           && fxi_fit_pca_pass_numbers(&mean, FXI_ASK_MEAN, features, 0)
           && fxi_fit_pca_pass_numbers(sums, form ? FXI_ASK_MOMENT : FXI_ASK_SPREAD, features,
                                       at_once(k))
           && (*sums = *sums > mean ? *sums : mean);
}

bool fxi_fit_pca_bytes(size_t *bytes, const fxi_source *s, size_t k, size_t threads)
{
    bool form = formed(s->rows, s->features, s->numbers);
    size_t own, sums, matrix = 0, pass, eigen;

    return count(&own, &sums, s->features, k, form) && fxi_size_mul(&own, own, sizeof(double))
           && (!form || fxi_fit_pca_panels_bytes(&matrix, s->features))
           && fxi_pass_answer_bytes(&pass, form ? FXI_SUM + 2 * fxi_sum_padded(s->features) : sums,
                                    threads)
           && fxi_size_mul(&sums, sums, sizeof(double)) && fxi_size_add(bytes, own, sums)
           && fxi_linalg_eigen_bytes(&eigen, s->features, k) && fxi_size_add(bytes, *bytes, matrix)
           && fxi_size_add(bytes, *bytes, pass) && fxi_size_add(bytes, *bytes, eigen);
}

/* ---- Passes --------------------------------------------------------------------------------- */

/* run: its progress is that of the pass. */
static fx_status ask(const search *a, const fxi_question *q, const fx_run *run)
{
    double vectors = q->what == FXI_ASK_SPREAD ? (double)q->vs : (double)a->d;

    if (a->how)
        *a->how = fxi_parallel_run(run, (double)a->rows->rows * vectors);
    return a->rows->ask(a->rows, a->sums, q);
}

/* Total, mean and square; FX_EINVAL if there are not k directions. */
static fx_status find_mean(search *a, const fx_run *run)
{
    const fxi_question q = {.what = FXI_ASK_MEAN};
    fx_status st = ask(a, &q, run);

    if (st)
        return st;
    size_t d = a->d, present = (size_t)a->sums[FXI_MEAN_ROWS];
    const double *sum = fxi_mean_vector(a->sums, 0, d), *square = fxi_mean_vector(a->sums, 1, d);
    if (a->k > present)
        return fxi_error(FX_EINVAL, "k is %zu; %zu rows of %zu features have 1 to %zu components",
                         a->k, present, d, present);
    a->total = a->sums[FXI_MEAN_TOTAL];
    for (size_t j = 0; j < d; j++) {
        a->mean[j] = sum[j] / a->total;
        a->square += square[j] / a->total;
    }
    fxi_fit_pca_moment_units(a->unit, a->mean, a->sums, a->total, d);
    return FX_OK;
}

static fx_status multiply(void *ctx, double *Y, const double *X, size_t vectors, const fx_run *run)
{
    const search *a = ctx;
    const size_t d = a->d, T = FXI_LANES, most = at_once(a->k);
    fx_status st = FX_OK;

    for (size_t first = 0, n; first < vectors && !st; first += n) {
        n = vectors - first < most ? vectors - first : most;
        st = ask(a, &(fxi_question){.what = FXI_ASK_SPREAD, .t = a->total, .w = a->mean, .ws = d,
                                    .v = X + first * d, .vs = n * d}, run);
        for (size_t v = 0; v < n && !st; v++) {
            const double *sum = a->sums + v / T * (d + 1) * T + v % T;
            for (size_t j = 0; j < d; j++)
                Y[(first + v) * d + j] = sum[j * T] - a->mean[j] * sum[d * T];
        }
    }
    return st;
}

static fx_status form(fxi_pca_panels *M, const search *a, const fx_run *run)
{
    fx_status st = ask(a, &(fxi_question){.what = FXI_ASK_MOMENT, .t = a->total, .w = a->mean,
                                          .ws = a->d, .v = a->unit, .vs = a->d}, run);

    if (!st && !(st = fxi_fit_pca_panels(M, a->d)))
        fxi_fit_pca_moment(M, a->sums, a->unit);
    return st;
}

/* ---- The search ----------------------------------------------------------------------------- */

/* W, b of the eigenvectors V. */
static void store_components(double *W, double *b, const double *value, const search *a)
{
    size_t d = a->d, k = a->k;

    for (size_t c = 0; c < k; c++) {
        const double *v = a->V + c * d;
        double by = fxi_fit_pca_sign(v, d), at;
        a->simd->fit_dot_double(&at, a->mean, v, d);
        b[c] = value[c] > 0 ? -by * at : 0;
        for (size_t j = 0; j < d; j++)
            W[j * k + c] = value[c] > 0 ? by * v[j] : 0;
    }
}

static fx_status find(double *value, double *total, search *a, uint64_t seed, const fx_run *run)
{
    fxi_pca_panels M = {0};
    fxi_eigen e = {.n = a->d, .k = a->k, .apply = multiply, .ctx = a, .start = {seed, FXI_FIT_PCA}};
    fxi_stage stage;
    fx_run how = fxi_parallel_stage(&stage, run, 0, 0.1);
    fx_status st = find_mean(a, &how);
    double mean2;

    if (st)
        return st;
    a->simd->fit_dot_double(&mean2, a->mean, a->mean, a->d);
    *total = fmax(a->square - mean2, DBL_EPSILON * a->square);
    e.noise = 64 * DBL_EPSILON * sqrt(a->square * *total);
    how = fxi_parallel_stage(&stage, run, 0.1, 0);
    if (forms(a)) {
        if (!(st = form(&M, a, &how)))
            *total = fxi_fit_pca_panels_trace(&M);
        e.apply = fxi_fit_pca_panels_apply;
        e.ctx = &M;
    }
    how = fxi_parallel_stage(&stage, run, 0.1, 0.9);
    if (!st)
        st = fxi_linalg_eigen(value, a->V, &e, &how);
    free(M.A);
    return st;
}

static fx_status search_by(double *W, double *b, double *value, double *total, search *a,
                           uint64_t seed, const fx_run *run)
{
    size_t own, sums;
    fx_status st = FX_ENOMEM;

    a->d = a->rows->features;
    a->simd = fxi_simd_get();
    if (a->k == 0 || a->k > a->d)
        return fxi_error(FX_EINVAL, "k is %zu; %zu features have 1 to %zu components", a->k, a->d,
                         a->d);
    if (!count(&own, &sums, a->d, a->k, forms(a)))
        return fxi_error(FX_ESHAPE, "%zu components of %zu features are too many", a->k, a->d);
    a->V = fxi_zalloc(own, sizeof *a->V);
    a->sums = fxi_alloc(sums, sizeof *a->sums);
    if (a->V && a->sums) {
        a->mean = a->V + a->k * a->d;
        a->unit = a->mean + a->d;
        st = find(value, total, a, seed, run);
    }
    if (st >= 0) {
        store_components(W, b, value, a);
        *total = fxi_fit_pca_total(*total, value, a->k);
    }
    fxi_free(a->V, a->sums);
    return st;
}

fx_status fxi_fit_pca_by(double *W, double *b, double *value, double *total, fxi_passes *rows,
                         size_t k, uint64_t seed, const fx_run *run)
{
    return search_by(W, b, value, total, &(search){.rows = rows, .k = k}, seed, run);
}

/* ---- Rows in memory -------------------------------------------------------------------------- */

typedef struct memory {
    fxi_passes passes;
    const fxi_source *source;
    const double *c;
    fxi_answer answer;
} memory;

static fx_status answer(fxi_passes *passes, double *numbers, const fxi_question *q)
{
    memory *a = (memory *)passes;
    fx_status st = fxi_fit_pca_pass_begin(&a->answer, q, a->passes.features, numbers);

    if (!st)
        st = fxi_fit_pca_pass(&a->answer, q, a->source, a->c, 0, true);
    if (!st)
        fxi_pass_answer_round(numbers, &a->answer);
    return st;
}

static fx_status open_memory(memory *out, const fxi_source *s, const double *c,
                             const fx_run *run)
{
    size_t rows = fxi_fit_pca_pass_run(s->rows, s->features, s->numbers, s->sparse);

    *out = (memory){.passes = {s->rows, s->features, answer, s->sparse ? s->numbers : 0},
                            .source = s, .c = c};
    return fxi_pass_answer_new(&out->answer, rows, s->rows / rows + 1,
                               (double)s->rows * (double)s->features * FXI_PCA_GROUPS * FXI_LANES,
                               run);
}

fx_status fxi_fit_pca(double *W, double *b, double *value, double *total, const fxi_source *s,
                      const double *c, size_t k, uint64_t seed, const fx_run *run)
{
    memory rows;
    search a = {.rows = &rows.passes, .how = &rows.answer.how, .k = k};
    size_t bytes;
    fx_status st = open_memory(&rows, s, c, run);

    if (!st && k <= s->features && fxi_fit_pca_bytes(&bytes, s, k, rows.answer.threads))
        st = fxi_memory_check(run, bytes, "principal components");
    if (!st)
        st = search_by(W, b, value, total, &a, seed, run);
    fxi_pass_answer_free(&rows.answer);
    return st;
}
