/* SPDX-License-Identifier: BSD-3-Clause
 * pca_pass.c - what rows answer: sums for their mean, and the centred moment matrix times a block
 * of vectors,
 *
 *   A x = sum_i w_i t_i z_i - mean sum_i w_i t_i,   t_i = <z_i, x> - <mean, x>,   w_i = c_i / sum c
 *
 * Sparse rows stay sparse, and t_i is centred before it is multiplied: errors are of the order of
 * u |z| times the deviation, not of u |z|^2.
 *
 * 16 vectors lie side by side.  ROWS dense rows are multiplied by a chunk of features at a time,
 * which stays in the first-level cache; a sparse row by all of its features. */

#include "fit/pca.h"

#include <stdlib.h>
#include <string.h>

enum { T = FXI_LANES, ROWS = 32, CHUNK = 128 };
enum { DENSE = 512 };                   /* rows of a run */
enum { SUMS = 16, FAR = 4 };            /* adding up 16 vectors costs as much as so many entries
                                         * more in a column: runs of sparse rows are longer, less
                                         * so beyond a block */

typedef struct space {                  /* of a thread */
    double x[4][CHUNK];                 /* pieces of rows */
    int32_t slot[CHUNK];
    _Alignas(64) double t[ROWS][FXI_PCA_GROUPS][T];
} space;

typedef struct pass {
    fxi_answer *a;
    const fxi_question *q;
    const fxi_source *z;
    const double *c;
    size_t d, groups;                   /* groups of vectors; 0: the mean is wanted */
    double *X;                          /* [groups][d][T] vectors .. */
    double at[FXI_PCA_GROUPS * T];      /* .. and <mean, X> */
    float *buffer;                      /* [threads][z->buffer] */
    space *space;                       /* [threads] */
    const fxi_simd *simd;
} pass;

size_t fxi_fit_pca_pass_run(size_t rows, size_t features, size_t numbers, bool sparse)
{
    size_t d = features < SIZE_MAX / SUMS ? features : SIZE_MAX / SUMS;
    size_t run = fxi_pass_run(rows, SUMS * d, numbers, sparse);
    size_t far = fxi_pass_run(rows, FAR * d, numbers, sparse);

    if (!sparse)
        return DENSE;
    return run <= FXI_PASS_BLOCK ? run : far > FXI_PASS_BLOCK ? far : FXI_PASS_BLOCK;
}

bool fxi_fit_pca_pass_numbers(size_t *out, fxi_ask what, size_t features, size_t vectors)
{
    if (features >= SIZE_MAX / 1024)
        return false;
    if (what == FXI_ASK_MOMENT)
        return fxi_fit_pca_moment_numbers(out, features);
    *out = what == FXI_ASK_SPREAD ? fxi_pca_groups(vectors) * (features + 1) * T
                                  : FXI_SUM + 2 * fxi_sum_padded(features);
    return true;
}

fx_status fxi_fit_pca_pass_begin(fxi_answer *a, const fxi_question *q, size_t features,
                                 double *count)
{
    size_t numbers, vectors = features ? q->vs / features : 0;

    if (features > INT32_MAX || !fxi_fit_pca_pass_numbers(&numbers, q->what, features, vectors))
        return fxi_error(FX_ESHAPE, "%zu features are too many", features);
    return q->what == FXI_ASK_MOMENT ? fxi_pass_answer_counts(a, numbers, count)
                                     : fxi_pass_answer_sums(a, numbers);
}

/* ---- Rows -------------------------------------------------------------------------------- */

/* Numbers [q, q + n) of row r as doubles, and their columns if it is sparse. */
static const int32_t *copy_piece(space *to, double *x, fxi_row r, size_t q, size_t n)
{
    if (r.f32)
        for (size_t k = 0; k < n; k++)
            x[k] = r.f32[q + k];
    else
        memcpy(x, r.f64 + q, n * sizeof *x);
    if (!r.col32 && !r.col64)
        return NULL;
    for (size_t k = 0; k < n; k++)
        to->slot[k] = (int32_t)fxi_row_column(r, q + k);
    return to->slot;
}

/* A piece of row r times X, to t; or, with t, to the part. */
static void multiply_piece(const pass *p, space *to, double *part, fxi_row r, size_t q, size_t n,
                           size_t row)
{
    const int32_t *slot = copy_piece(to, to->x[0], r, q, n);
    size_t d = p->d, at = slot ? 0 : q * T;

    for (size_t g = 0; g < p->groups; g++) {
        double *t = to->t[row][g];
        if (part)
            p->simd->fit_pca_add(part + g * (d + 1) * T + at, to->x[0], slot, t, n);
        else
            p->simd->fit_pca_dot(t, to->x[0], slot, p->X + g * d * T + at, n);
    }
}

/* The same of four dense rows from r on. */
static void multiply_four(const pass *p, space *to, double *part, const fxi_row *r, size_t q,
                          size_t n, size_t row)
{
    size_t d = p->d, stride = FXI_PCA_GROUPS * T;

    for (size_t e = 0; e < 4; e++)
        copy_piece(to, to->x[e], r[e], q, n);
    for (size_t g = 0; g < p->groups; g++) {
        double *t = to->t[row][g];
        if (part)
            p->simd->fit_pca_adds(part + (g * (d + 1) + q) * T, to->x[0], CHUNK, t, stride, n);
        else
            p->simd->fit_pca_dots(t, stride, to->x[0], CHUNK, p->X + (g * d + q) * T, n);
    }
}

/* Numbers [q, q + CHUNK) of rows r[n], to t or, with t, to the part. */
static void multiply_rows(const pass *p, space *to, double *part, const fxi_row *r, size_t n,
                          size_t q)
{
    size_t i = 0, d = p->d, len = d - q < CHUNK ? d - q : CHUNK;

    for (; !p->z->sparse && i + 4 <= n; i += 4)
        multiply_four(p, to, part, r + i, q, len, i);
    for (; i < n; i++)
        if (q < r[i].n)
            multiply_piece(p, to, part, r[i], q, r[i].n - q < CHUNK ? r[i].n - q : CHUNK, i);
}

/* Both products of rows [first, first + n) of Z, c of these. */
static void visit_rows(const pass *p, space *to, double *part, const fx_matrix *Z, const double *c,
                       size_t first, size_t n)
{
    size_t d = p->d, longest = 0;
    fxi_row r[ROWS];

    for (size_t i = 0; i < n; i++) {
        r[i] = fxi_data_row(Z, first + i);
        longest = r[i].n > longest ? r[i].n : longest;
        for (size_t v = 0; v < p->groups * T; v++)
            to->t[i][v / T][v % T] = -p->at[v];
    }
    for (int again = 0; again < 2; again++) {
        for (size_t q = 0; q < longest; q += CHUNK)
            multiply_rows(p, to, again ? part : NULL, r, n, q);
        for (size_t i = 0; i < n && !again; i++) {
            double w = c[first + i] / p->q->t;
            for (size_t v = 0; v < p->groups * T; v++) {
                to->t[i][v / T][v % T] *= w;
                part[(v / T * (d + 1) + d) * T + v % T] += to->t[i][v / T][v % T];
            }
        }
    }
}

static void add_square(double *sum, double by, fxi_row r)
{
    bool dense = !r.col32 && !r.col64;

    for (size_t q = 0; q < r.n && dense && r.f32; q++)
        sum[q] += by * (double)r.f32[q] * (double)r.f32[q];
    for (size_t q = 0; q < r.n && dense && !r.f32; q++)
        sum[q] += by * r.f64[q] * r.f64[q];
    for (size_t q = 0; q < r.n && !dense; q++) {
        double x = fxi_row_value(r, q);
        sum[fxi_row_column(r, q)] += by * x * x;
    }
}

static void mean_rows(const pass *p, double *sum, const fx_matrix *Z, const double *c, size_t first,
                      size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        fxi_row r = fxi_data_row(Z, i);
        if (!(c[i] > 0))
            continue;
        sum[FXI_MEAN_TOTAL] += c[i];
        sum[FXI_MEAN_ROWS]++;
        fxi_fit_row_add(fxi_mean_vector(sum, 0, p->d), c[i], r, p->simd);
        add_square(fxi_mean_vector(sum, 1, p->d), c[i], r);
    }
}

/* ---- A pass --------------------------------------------------------------------------------- */

static fx_status add_rows(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    const pass *p = ctx;
    size_t thread = (size_t)fxi_parallel_thread(team);
    size_t piece = p->z->piece < p->a->run ? p->z->piece : p->a->run;
    float *buffer = p->z->buffer ? p->buffer + thread * p->z->buffer : NULL;
    fx_run how = fxi_parallel_nested(&p->a->how, team);
    fx_status st = FX_OK;

    for (; i < end && !st; i += piece) {
        fx_matrix Z;
        st = fxi_fit_source_run(&Z, p->z, i, end - i < piece ? end - i : piece, buffer, &how);
        for (size_t r = 0; !st && r < Z.rows && !fxi_parallel_cancelled(team); r += ROWS) {
            size_t n = Z.rows - r < ROWS ? Z.rows - r : ROWS;
            if (p->groups)
                visit_rows(p, &p->space[thread], sum, &Z, p->c + i, r, n);
            else
                mean_rows(p, sum, &Z, p->c + i, r, n);
        }
    }
    return st;
}

/* Vectors side by side. */
static void pack(pass *p)
{
    size_t d = p->d, n = p->q->vs / d;

    memset(p->X, 0, p->groups * d * T * sizeof *p->X);
    for (size_t v = 0; v < n; v++) {
        const double *x = p->q->v + v * d;
        for (size_t j = 0; j < d; j++)
            p->X[(v / T * d + j) * T + v % T] = x[j];
        p->simd->fit_dot_double(&p->at[v], p->q->w, x, d);
    }
}

fx_status fxi_fit_pca_pass(fxi_answer *a, const fxi_question *q, const fxi_source *z,
                           const double *c, uint64_t first, bool last)
{
    pass p = {.a = a, .q = q, .z = z, .c = c, .d = z->features, .simd = fxi_simd_get()};
    fx_status st = FX_ENOMEM;

    if (q->what == FXI_ASK_MOMENT)
        return fxi_fit_pca_moment_add(a, q, z, c);
    if (q->what == FXI_ASK_SPREAD)
        p.groups = fxi_pca_groups(q->vs / p.d);
    p.buffer = z->buffer ? fxi_alloc(a->threads * z->buffer, sizeof *p.buffer) : NULL;
    p.space = p.groups ? fxi_alloc(a->threads, sizeof *p.space) : NULL;
    p.X = p.groups ? fxi_alloc(p.groups * p.d * T, sizeof *p.X) : NULL;
    if ((p.buffer || !z->buffer) && ((p.space && p.X) || !p.groups)) {
        if (p.groups)
            pack(&p);
        st = fxi_pass_answer_add(a, add_rows, &p, z->rows, first, last);
    }
    fxi_free(p.buffer, p.space, p.X);
    return st;
}
