/* SPDX-License-Identifier: BSD-3-Clause
 * source.c - rows of features in blocks: as they are, mapped and stored, or mapped when visited.
 *
 * A block is about 1 MiB, which stays in a second-level cache while a solver works on it. */

#include "fit/fit.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 18, BLOCK_MIN = FXI_LANES, BLOCK_MAX = 1 << 12 };   /* numbers; rows */

/* Rows of a block: a multiple of FXI_LANES, so that tiles of a map are never cut. */
static size_t block_rows(size_t numbers, size_t rows)
{
    size_t each = numbers / (rows ? rows : 1), n = BLOCK / (each ? each : 1);

    n = n / FXI_LANES * FXI_LANES;
    return n < BLOCK_MIN ? BLOCK_MIN : n > BLOCK_MAX ? BLOCK_MAX : n;
}

/* The largest power of two that is not above it. */
static size_t piece_rows(size_t block)
{
    size_t n = BLOCK_MIN;

    while (2 * n <= block)
        n *= 2;
    return n;
}

/* At most n of the source's rows, whatever they are. */
static fx_matrix rows_of(const fx_matrix *X, size_t first, size_t n, const fxi_source *s)
{
    size_t left = s->rows - first;
    fx_matrix v = *X;

    v.rows = left < n ? left : n;
    if (X->ptr)
        v.ptr += first;
    else
        v.val = (const char *)X->val + first * X->stride * (X->type == FX_F32 ? 4 : 8);
    return v;
}

/* ---- Dense features of a map ---------------------------------------------------------------- */
static fx_status open_dense(fxi_source *s, uint64_t keep, const fx_run *run)
{
    size_t numbers;

    if (!fxi_size_add(&s->stride, s->features, FXI_LANES - 1))
        return fxi_error(FX_ESHAPE, "%zu features are too many", s->features);
    s->stride -= s->stride % FXI_LANES;
    if (!fxi_size_mul(&numbers, s->rows, s->stride))
        return fxi_error(FX_ESHAPE, "%zu rows of %zu features are too many", s->rows, s->stride);
    s->numbers = s->rows * s->features;
    s->block = block_rows(numbers, s->rows);
    if (numbers > keep / sizeof *s->Z)
        return fxi_size_mul(&s->buffer, s->block, s->stride)
                   ? FX_OK
                   : fxi_error(FX_ESHAPE, "%zu features are too many", s->features);
    if (!(s->Z = fxi_alloc(numbers, sizeof *s->Z)))
        return FX_ENOMEM;
    fx_status st = fx_map_apply(s->Z, s->stride, FX_F32, s->map, s->X, run);
    size_t padding = s->stride - s->features;   /* only that: clearing all of Z could not be
                                                 * cancelled */
    for (size_t i = 0; i < s->rows && padding && !st; i++)
        memset(s->Z + i * s->stride + s->features, 0, padding * sizeof *s->Z);
    return st;
}

/* ---- Sparse features of a map ---------------------------------------------------------------- */

/* The floats that n features of `rows` rows take: offsets, columns, numbers. */
static size_t csr_floats(size_t rows, size_t n) { return 2 * (rows + 1) + 2 * n; }

static fx_status cross(fx_matrix *out, const fxi_source *s, float *buffer, const fx_matrix *X,
                       const fx_run *run)
{
    int64_t *ptr = (int64_t *)(void *)buffer;
    int32_t *col = (int32_t *)(ptr + X->rows + 1);

    fxi_map_sparse_count(ptr, s->map, X);
    float *val = (float *)(void *)(col + ptr[X->rows]);
    *out = (fx_matrix){
        .rows = X->rows, .cols = s->features, .type = FX_F32, .val = val, .ptr = ptr, .col = col};
    return fxi_map_sparse_rows(val, col, ptr, s->map, X, run);
}

/* Features that are not 0, in all rows, and the largest number in a block or piece. */
static size_t count(size_t *most, const fxi_source *s, size_t block, size_t piece)
{
    size_t all = 0, in_block = 0, in_piece = 0;

    *most = 0;
    for (size_t i = 0; i < s->rows; i++) {
        size_t n = s->map->type->sparse(NULL, NULL, s->map, fxi_data_row(s->X, i));
        in_block = i % block ? in_block + n : n;
        in_piece = i % piece ? in_piece + n : n;
        *most = in_block > *most ? in_block : *most;
        *most = in_piece > *most ? in_piece : *most;
        all += n;
    }
    return all;
}

static fx_status open_sparse(fxi_source *s, size_t all, uint64_t keep, const fx_run *run)
{
    size_t most;

    s->sparse = true;
    s->numbers = all;
    s->block = block_rows(all, s->rows);
    count(&most, s, s->block, piece_rows(s->block));
    if (csr_floats(s->rows, all) > keep / sizeof(float)) {
        s->buffer = csr_floats(s->block, most);
        return FX_OK;
    }
    float *buffer = fxi_alloc(csr_floats(s->rows, all), sizeof *buffer);
    fx_status st = buffer ? cross(&s->crossed, s, buffer, s->X, run) : FX_ENOMEM;
    if (st) {
        free(buffer);
        s->crossed.ptr = NULL;
    }
    return st;
}

/* Less than a quarter: 8 bytes a number that is not 0, not 4. */
bool fxi_fit_source_sparse(uint64_t numbers, uint64_t rows, size_t features)
{
    return numbers / (rows ? rows : 1) <= features / 4;
}

/* ---- Any ------------------------------------------------------------------------------------- */
/* Of features of a map, all: those that are not 0 if they are sparse, else 0. */
static fx_status make(fxi_source *out, const fxi_source *given, size_t all, uint64_t keep,
                      const fx_run *run)
{
    fxi_source s = *given;
    fx_status st = FX_OK;

    if (s.map)
        st = s.sparse ? open_sparse(&s, all, keep, run) : open_dense(&s, keep, run);
    else {
        s.numbers = all;
        s.block = block_rows(all, s.rows);
    }
    if (st) {
        fxi_fit_source_free(&s);
        return st;
    }
    s.blocks = (s.rows + s.block - 1) / s.block;
    s.piece = piece_rows(s.block);
    *out = s;
    return FX_OK;
}

static fxi_source begin(const fx_matrix *X, const fx_map *map)
{
    return (fxi_source){.X = X, .map = map, .rows = X->rows,
                        .features = map ? fx_map_features(map) : X->cols,
                        .sparse = map ? fxi_map_sparse(map, X) : X->ptr != NULL};
}

fx_status fxi_fit_source(fxi_source *out, const fx_matrix *X, const fx_map *map, uint64_t keep,
                         const fx_run *run)
{
    fxi_source s = begin(X, map);
    size_t most, all = !map ? fxi_data_stored(X) : s.sparse ? count(&most, &s, 1, 1) : 0;

    s.sparse &= !map || fxi_fit_source_sparse(all, X->rows, s.features);
    return make(out, &s, all, keep, run);
}

fx_status fxi_fit_source_part(fxi_source *out, const fx_matrix *X, const fx_map *map, bool sparse,
                              const fx_run *run)
{
    fxi_source s = begin(X, map);
    size_t most;

    s.sparse &= sparse;
    return make(out, &s, !map ? fxi_data_stored(X) : s.sparse ? count(&most, &s, 1, 1) : 0, 0, run);
}

void fxi_fit_source_free(fxi_source *s)
{
    free(s->Z);
    free((void *)s->crossed.ptr);
    s->Z = NULL;
    s->crossed.ptr = NULL;
}

size_t fxi_fit_source_bytes(const fxi_source *s)
{
    return sizeof(float)
           * (s->Z             ? s->rows * s->stride
              : s->crossed.ptr ? csr_floats(s->rows, s->numbers)
                               : 0);
}

fx_status fxi_fit_source_run(fx_matrix *out, const fxi_source *s, size_t first, size_t n,
                             float *buffer, const fx_run *run)
{
    fx_matrix X = rows_of(s->crossed.ptr ? &s->crossed : s->X, first, n, s);

    if (!s->map || s->crossed.ptr) {
        *out = X;
        return FX_OK;
    }
    if (s->sparse)
        return cross(out, s, buffer, &X, run);
    *out = (fx_matrix){.rows = X.rows,
                       .cols = s->features,
                       .stride = s->stride,
                       .type = FX_F32,
                       .val = s->Z ? s->Z + first * s->stride : buffer};
    return s->Z ? FX_OK : fx_map_apply(buffer, s->stride, FX_F32, s->map, &X, run);
}

fx_status fxi_fit_source_block(fx_matrix *out, const fxi_source *s, size_t b, float *buffer,
                               const fx_run *run)
{
    return fxi_fit_source_run(out, s, b * s->block, s->block, buffer, run);
}

/* ---- Rows, one by one --------------------------------------------------------------------- */
typedef struct walk {
    const fxi_source *s;
    fxi_source_row *fn;
    void *ctx;
    float *buffer;
    const fx_run *run;
} walk;

static fx_status walk_block(void *ctx, size_t b, fxi_team *team)
{
    const walk *a = ctx;
    fx_run how = fxi_parallel_alone(a->run, team);
    size_t poll = a->s->block < 64 ? 1 : 64;    /* short rows take less than reading a clock */
    fx_matrix Z;
    fx_status st = fxi_fit_source_block(&Z, a->s, b, a->buffer, &how);

    for (size_t r = 0; !st && r < Z.rows && !(r % poll == 0 && fxi_parallel_cancelled(team)); r++) {
        fxi_row z = fxi_data_row(&Z, r);
        a->fn(a->ctx, b * a->s->block + r, &z);
    }
    return st;
}

fx_status fxi_fit_source_rows(const fxi_source *s, fxi_source_row *fn, void *ctx, const fx_run *run)
{
    walk a = {s, fn, ctx, fxi_alloc(s->buffer, sizeof *a.buffer), run};
    fx_status st = a.buffer ? fxi_parallel_ordered(s->blocks, walk_block, &a, run) : FX_ENOMEM;

    free(a.buffer);
    return st;
}

/* ---- Scores ------------------------------------------------------------------------------- */
typedef struct scoring {
    double *f;
    const fxi_source *s;
    const double *W, *b;                /* W[outputs][features] */
    size_t outputs;
    float *buffer;                      /* [threads][s->buffer] */
    const fx_run *run;
    const fxi_simd *simd;
} scoring;

static fx_status score_block(void *ctx, size_t b, fxi_team *team)
{
    const scoring *a = ctx;
    const fxi_source *s = a->s;
    fx_run how = fxi_parallel_nested(a->run, team);
    float *buffer = s->buffer ? a->buffer + (size_t)fxi_parallel_thread(team) * s->buffer : NULL;
    fx_matrix Z;
    fx_status st = fxi_fit_source_block(&Z, s, b, buffer, &how);

    for (size_t i = 0; i < Z.rows && !st && !fxi_parallel_cancelled(team); i++)
        for (size_t c = 0; c < a->outputs; c++)
            a->f[(b * s->block + i) * a->outputs + c] =
                fxi_fit_row_dot(fxi_data_row(&Z, i), a->W + c * s->features, a->simd) + a->b[c];
    return st;
}

fx_status fxi_fit_source_scores(double *f, const fxi_source *s, const double *W, const double *b,
                                size_t outputs, const fx_run *run)
{
    fx_run how = fxi_parallel_run(run, (double)s->rows * (double)s->features * (double)outputs);
    size_t threads = (size_t)fxi_parallel_threads(&how, s->blocks);
    scoring a = {f, s, NULL, b, outputs, NULL, run, fxi_simd_get()};
    fx_status st = FX_ENOMEM;
    double *transposed = fxi_alloc(s->features * outputs, sizeof *transposed);

    if (transposed
        && (!s->buffer || (a.buffer = fxi_alloc(threads * s->buffer, sizeof *a.buffer)))) {
        for (size_t c = 0; c < outputs; c++)
            for (size_t j = 0; j < s->features; j++)
                transposed[c * s->features + j] = W[j * outputs + c];
        a.W = transposed;
        st = fxi_parallel(s->blocks, score_block, &a, &how);
    }
    free(transposed);
    free(a.buffer);
    return st;
}
