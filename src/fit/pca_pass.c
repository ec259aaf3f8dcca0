/* SPDX-License-Identifier: BSD-3-Clause
 * pca_pass.c - the centred moment matrix times a block of vectors, by a pass over the rows:
 *
 *   A x = sum_i w_i t_i z_i - mean sum_i w_i t_i,   t_i = <z_i, x> - <mean, x>,   w_i = c_i / sum c
 *
 * Sparse rows stay sparse, and t_i is centred before it is multiplied: errors are of the order of
 * u |z| times the deviation, not of u |z|^2.
 *
 * 16 vectors lie side by side.  ROWS dense rows are multiplied by a chunk of features at a time,
 * which stays in the first-level cache; a sparse row by all of its features.  Blocks of rows are
 * dealt to parts of consecutive blocks, by the shape alone; each sums into its own vectors, which
 * are added in order: the same bits for any number of threads. */

#include "fit/pca.h"

#include <string.h>

enum { T = FXI_LANES, ROWS = 32, CHUNK = 128, PARTS = 16, PARTS_MIN = 4, WIDE = 1 << 20 };

typedef struct fxi_pca_space {          /* of a thread */
    double x[4][CHUNK];                 /* pieces of rows */
    int32_t slot[CHUNK];
    _Alignas(64) double t[ROWS][FXI_PCA_GROUPS][T];
} space;

typedef struct pass {
    const fxi_pca *a;
    size_t groups;                      /* 0: the mean is wanted */
    const fx_run *run;
} pass;

/* Numbers of a part. */
static size_t part_size(const fxi_pca *a, size_t groups)
{
    return groups ? groups * (a->s->features + 1) * T : a->s->features + 1;
}

static size_t groups_of(size_t count)
{
    return count > FXI_PCA_GROUPS * T ? FXI_PCA_GROUPS : (count + T - 1) / T;
}

static size_t count_parts(const fxi_source *s)
{
    size_t n = WIDE / (s->features + 1);

    n = n < PARTS_MIN ? PARTS_MIN : n > PARTS ? PARTS : n;
    return n < s->blocks || !s->blocks ? n : s->blocks;
}

static bool numbers(size_t *out, const fxi_source *s, size_t count)
{
    return fxi_size_add(out, s->features, 1)
           && fxi_size_mul(out, *out, (count_parts(s) + 1) * groups_of(count) * T);
}

bool fxi_fit_pca_pass_bytes(size_t *bytes, const fxi_source *s, size_t count)
{
    return numbers(bytes, s, count) && fxi_size_mul(bytes, *bytes, sizeof(double));
}

fx_status fxi_fit_pca_pass_open(fxi_pca *a, size_t count, const fx_run *run)
{
    size_t all, threads;

    if (a->s->features > INT32_MAX || !numbers(&all, a->s, count))
        return fxi_error(FX_ESHAPE, "%zu features are too many", a->s->features);
    a->parts = count_parts(a->s);
    a->groups = groups_of(count);
    a->simd = fxi_simd_get();
    threads = (size_t)fxi_parallel_threads(run, a->parts);
    if (!(a->part = fxi_alloc(all, sizeof *a->part))
        || !(a->at = fxi_alloc(FXI_PCA_GROUPS * T, sizeof *a->at))
        || !(a->space = fxi_alloc(threads, sizeof *a->space))
        || (a->s->buffer && !(a->buffer = fxi_alloc(threads * a->s->buffer, sizeof *a->buffer))))
        return FX_ENOMEM;
    a->X = a->part + a->parts * part_size(a, a->groups);
    return FX_OK;
}

void fxi_fit_pca_pass_close(fxi_pca *a) { fxi_free(a->part, a->at, a->space, a->buffer); }

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
    const fxi_pca *a = p->a;
    const int32_t *slot = copy_piece(to, to->x[0], r, q, n);
    size_t d = a->s->features, at = slot ? 0 : q * T;

    for (size_t g = 0; g < p->groups; g++) {
        double *t = to->t[row][g];
        if (part)
            a->simd->fit_pca_add(part + g * (d + 1) * T + at, to->x[0], slot, t, n);
        else
            a->simd->fit_pca_dot(t, to->x[0], slot, a->X + g * d * T + at, n);
    }
}

/* The same of four dense rows from r on. */
static void multiply_four(const pass *p, space *to, double *part, const fxi_row *r, size_t q,
                          size_t n, size_t row)
{
    const fxi_pca *a = p->a;
    size_t d = a->s->features, stride = FXI_PCA_GROUPS * T;

    for (size_t e = 0; e < 4; e++)
        copy_piece(to, to->x[e], r[e], q, n);
    for (size_t g = 0; g < p->groups; g++) {
        double *t = to->t[row][g];
        if (part)
            a->simd->fit_pca_adds(part + (g * (d + 1) + q) * T, to->x[0], CHUNK, t, stride, n);
        else
            a->simd->fit_pca_dots(t, stride, to->x[0], CHUNK, a->X + (g * d + q) * T, n);
    }
}

/* Numbers [q, q + CHUNK) of rows r[n], to t or, with t, to the part. */
static void multiply_rows(const pass *p, space *to, double *part, const fxi_row *r, size_t n,
                          size_t q)
{
    size_t i = 0, d = p->a->s->features, len = d - q < CHUNK ? d - q : CHUNK;

    for (; !p->a->s->sparse && i + 4 <= n; i += 4)
        multiply_four(p, to, part, r + i, q, len, i);
    for (; i < n; i++)
        if (q < r[i].n)
            multiply_piece(p, to, part, r[i], q, r[i].n - q < CHUNK ? r[i].n - q : CHUNK, i);
}

/* Both products of rows [first, first + n) of Z, which is block number b. */
static void visit_rows(const pass *p, space *to, double *part, const fx_matrix *Z, size_t b,
                       size_t first, size_t n)
{
    const fxi_pca *a = p->a;
    size_t d = a->s->features, longest = 0;
    fxi_row r[ROWS];

    for (size_t i = 0; i < n; i++) {
        r[i] = fxi_data_row(Z, first + i);
        longest = r[i].n > longest ? r[i].n : longest;
        for (size_t v = 0; v < p->groups * T; v++)
            to->t[i][v / T][v % T] = -a->at[v];
    }
    for (int again = 0; again < 2; again++) {
        for (size_t q = 0; q < longest; q += CHUNK)
            multiply_rows(p, to, again ? part : NULL, r, n, q);
        for (size_t i = 0; i < n && !again; i++) {
            double w = a->c[b * a->s->block + first + i] / a->total;
            for (size_t v = 0; v < p->groups * T; v++) {
                to->t[i][v / T][v % T] *= w;
                part[(v / T * (d + 1) + d) * T + v % T] += to->t[i][v / T][v % T];
            }
        }
    }
}

static void mean_rows(const pass *p, double *part, const fx_matrix *Z, size_t b, size_t first,
                      size_t n)
{
    const fxi_pca *a = p->a;

    for (size_t i = first; i < first + n; i++) {
        fxi_row r = fxi_data_row(Z, i);
        double w = a->c[b * a->s->block + i] / a->total;
        if (w == 0)
            continue;
        fxi_fit_row_add(part, w, r, a->simd);
        part[a->s->features] += w * fxi_fit_row_square(r, a->simd);
    }
}

/* ---- Passes ------------------------------------------------------------------------------ */
static fx_status visit_part(void *ctx, size_t k, fxi_team *team)
{
    const pass *p = ctx;
    const fxi_pca *a = p->a;
    const fxi_source *s = a->s;
    size_t thread = (size_t)fxi_parallel_thread(team), size = part_size(a, p->groups);
    double *part = a->part + k * size;
    float *buffer = s->buffer ? a->buffer + thread * s->buffer : NULL;
    fx_run how = fxi_parallel_nested(p->run, team);
    fx_status st = FX_OK;

    memset(part, 0, size * sizeof *part);
    for (size_t b = k * s->blocks / a->parts; b < (k + 1) * s->blocks / a->parts && !st; b++) {
        fx_matrix Z;
        st = fxi_fit_source_block(&Z, s, b, buffer, &how);
        for (size_t i = 0; !st && i < Z.rows && !fxi_parallel_cancelled(team); i += ROWS) {
            size_t n = Z.rows - i < ROWS ? Z.rows - i : ROWS;
            if (p->groups)
                visit_rows(p, &a->space[thread], part, &Z, b, i, n);
            else
                mean_rows(p, part, &Z, b, i, n);
        }
    }
    return st;
}

/* The sum of all parts, in the first. */
static fx_status visit(const pass *p)
{
    const fxi_pca *a = p->a;
    size_t size = part_size(a, p->groups);
    fx_run how = fxi_parallel_run(p->run, (double)a->s->numbers * (double)(p->groups * T + 1));
    fx_status st = fxi_parallel(a->parts, visit_part, (void *)p, &how);

    for (size_t k = 1; k < a->parts && !st; k++)
        a->simd->fit_add_double(a->part, 1, a->part + k * size, size);
    return st;
}

fx_status fxi_fit_pca_pass_apply(void *pca, double *Y, const double *X, size_t count,
                                 const fx_run *run)
{
    const fxi_pca *a = pca;
    size_t d = a->s->features;
    fx_status st = FX_OK;

    for (size_t first = 0; first < count && !st; first += a->groups * T) {
        size_t batch = count - first < a->groups * T ? count - first : a->groups * T;
        pass p = {a, groups_of(batch), run};
        memset(a->X, 0, p.groups * d * T * sizeof *a->X);
        memset(a->at, 0, FXI_PCA_GROUPS * T * sizeof *a->at);
        for (size_t v = 0; v < batch; v++) {
            const double *x = X + (first + v) * d;
            for (size_t j = 0; j < d; j++)
                a->X[(v / T * d + j) * T + v % T] = x[j];
            a->simd->fit_dot_double(&a->at[v], a->mean, x, d);
        }
        st = visit(&p);
        for (size_t v = 0; v < batch && !st; v++) {
            const double *part = a->part + v / T * (d + 1) * T + v % T;
            for (size_t j = 0; j < d; j++)
                Y[(first + v) * d + j] = part[j * T] - a->mean[j] * part[d * T];
        }
    }
    return st;
}

fx_status fxi_fit_pca_pass_mean(fxi_pca *a, const fx_run *run)
{
    pass p = {a, 0, run};
    fx_status st = visit(&p);

    if (st)
        return st;
    memcpy(a->mean, a->part, a->s->features * sizeof *a->mean);
    a->square = a->part[a->s->features];
    return FX_OK;
}
