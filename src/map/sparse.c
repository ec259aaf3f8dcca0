/* SPDX-License-Identifier: BSD-3-Clause
 * sparse.c - features of sparse rows where most of them are 0: stored, or multiplied with weights,
 * without the zeros.  Cost: the features that are not 0. */

#include "map/map.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 64 };                    /* rows */

typedef struct crossing {
    const fx_map *m;
    const fx_matrix *X;
    const int64_t *ptr;                 /* rows wanted, or scores */
    float *val;                         /* of all rows, or one row of each thread */
    int32_t *col;
    double *S;
    const double *W;
    size_t outputs, max_features;       /* features of a row; the scratch of a thread */
} crossing;

bool fxi_map_sparse(const fx_map *m, const fx_matrix *X) { return m->type->sparse && X->ptr; }

void fxi_map_sparse_count(int64_t *ptr, const fx_map *m, const fx_matrix *X)
{
    ptr[0] = 0;
    for (size_t i = 0; i < X->rows; i++)
        ptr[i + 1] = ptr[i] + (int64_t)m->type->sparse(NULL, NULL, m, fxi_data_row(X, i));
}

static fx_status make_row(float *val, int32_t *col, size_t *n, const crossing *a, size_t i)
{
    *n = a->m->type->sparse(val, col, a->m, fxi_data_row(a->X, i));
    for (size_t q = 0; q < *n; q++)
        if (!isfinite(val[q]))
            return fxi_error(FX_ENUMERIC,
                             "%s: feature %d of row %zu (from 0) is beyond the range of floats; "
                             "scale the rows", a->m->spec, col[q], i);
    return FX_OK;
}

/* All scores of a row together: their weights lie side by side. */
static fx_status score_row(double *S, const crossing *a, const float *val, const int32_t *col,
                           size_t n, size_t i)
{
    size_t outputs = a->outputs;

    if (outputs == 1) {
        double sum = 0;
        for (size_t q = 0; q < n; q++)
            sum += (double)val[q] * a->W[col[q]];
        *S = sum;
    } else {
        memset(S, 0, outputs * sizeof *S);
        for (size_t q = 0; q < n; q++)
            for (size_t c = 0; c < outputs; c++)
                S[c] += (double)val[q] * a->W[(size_t)col[q] * outputs + c];
    }
    for (size_t c = 0; c < outputs; c++)
        if (!isfinite(S[c]))
            return fxi_error(FX_ENUMERIC, "%s: score %zu of row %zu (from 0) is %g", a->m->spec, c,
                             i, S[c]);
    return FX_OK;
}

/* Rows [i, end); at: the scratch of this thread, for scores. */
static fx_status cross_rows(const crossing *a, size_t i, size_t end, size_t at, fxi_team *team)
{
    fx_status st = FX_OK;
    size_t n;

    for (; i < end && !st && !fxi_parallel_cancelled(team); i++) {
        size_t to = a->S ? at : (size_t)a->ptr[i];
        st = make_row(a->val + to, a->col + to, &n, a, i);
        if (a->S && !st)
            st = score_row(a->S + i * a->outputs, a, a->val + to, a->col + to, n, i);
    }
    return st;
}

static fx_status chunk(void *ctx, size_t b, fxi_team *team)
{
    const crossing *a = ctx;
    size_t end = (b + 1) * CHUNK < a->X->rows ? (b + 1) * CHUNK : a->X->rows;

    return cross_rows(a, b * CHUNK, end, (size_t)fxi_parallel_thread(team) * a->max_features, team);
}

fx_status fxi_map_sparse_rows(float *val, int32_t *col, const int64_t *ptr, const fx_map *m,
                              const fx_matrix *X, const fx_run *run)
{
    crossing a = {.m = m, .X = X, .ptr = ptr, .val = val, .col = col};
    fx_run how = fxi_parallel_run(run, (double)ptr[X->rows]);

    return fxi_parallel((X->rows + CHUNK - 1) / CHUNK, chunk, &a, &how);
}

/* Features of the longest row, and of all. */
static void count_features(size_t *longest, size_t *all, const fx_map *m, const fx_matrix *X)
{
    *longest = 1;
    *all = 0;
    for (size_t i = 0; i < X->rows; i++) {
        size_t n = m->type->sparse(NULL, NULL, m, fxi_data_row(X, i));
        *longest = n > *longest ? n : *longest;
        *all += n;
    }
}

static fx_status make_scratch(crossing *a, size_t threads, fxi_scratch *scratch, const fx_run *run)
{
    size_t bytes;
    fx_status st;

    if (!fxi_size_mul(&bytes, threads * sizeof(double), a->max_features))
        return fxi_error(FX_ESHAPE, "%zu features in a row are too many", a->max_features);
    if ((st = fxi_memory_check(run, bytes, "features of a row")))
        return st;
    a->val = fxi_scratch_take(scratch, threads * a->max_features, sizeof *a->val);
    a->col = fxi_scratch_take(scratch, threads * a->max_features, sizeof *a->col);
    return a->val && a->col ? FX_OK : FX_ENOMEM;
}

fx_status fxi_map_sparse_chunk(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                               fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    crossing a = {.m = s->m, .X = X, .S = S, .W = s->W, .outputs = s->outputs};
    size_t all;

    count_features(&a.max_features, &all, s->m, X);
    fx_status st = make_scratch(&a, 1, scratch, run);
    return st ? st : cross_rows(&a, 0, X->rows, 0, team);
}

fx_status fxi_map_sparse_scores(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                                const fx_run *run)
{
    crossing a = {.m = s->m, .X = X, .S = S, .W = s->W, .outputs = s->outputs};
    size_t chunks = (X->rows + CHUNK - 1) / CHUNK, all;
    fx_status st = fxi_data_check(X, "X", run);
    fxi_scratch scratch = {0};

    if (st)
        return st;
    if (X->cols != s->m->cols)
        return fxi_error(FX_ESHAPE, "X has %zu columns, the map %zu", X->cols, s->m->cols);
    count_features(&a.max_features, &all, s->m, X);
    fx_run how = fxi_parallel_run(run, (double)all * (double)s->outputs);
    size_t threads = (size_t)fxi_parallel_threads(&how, chunks ? chunks : 1);
    st = make_scratch(&a, threads, &scratch, run);
    if (!st)
        st = fxi_parallel(chunks, chunk, &a, &how);
    fxi_scratch_free(&scratch);
    return st;
}
