/* SPDX-License-Identifier: BSD-3-Clause
 * apply.c - rows through a map: features to the caller's memory, or straight into scores.
 *
 * Rows are cut into tiles of at most FXI_LANES; a tile is prepared once, then its features are made
 * block by block in a buffer that stays in the cache, and stored or multiplied with weights there:
 * memory does not depend on the number of rows or features.  Tiles are the same for any number of
 * threads; a scorer computes the tiles of a chunk on its own thread. */

#include "map/map.h"

#include <math.h>
#include <string.h>

typedef struct thread_space {
    double *x;                          /* entries of a tile */
    int64_t *col;
    void *space;                        /* the map's */
    float *z;                           /* [width * FXI_LANES] a block of features */
    double *score;                      /* [outputs][FXI_LANES] */
} thread_space;

typedef struct application {
    const fx_map *m;
    const fx_matrix *X;
    void *Z;                            /* features wanted, or NULL */
    size_t ldz;
    fx_type type;
    float *T;                           /* columns of one block wanted, [width][ldz], or NULL */
    size_t from, to;                    /* blocks */
    double *S;                          /* scores wanted, or NULL */
    const float *W;                     /* [outputs][padded] */
    size_t outputs, padded;
    size_t entries;                     /* most in a tile */
    thread_space *space;                /* [threads] */
} application;

static void pack_numbers(const application *a, double *x, fxi_row row)
{
    int bad;                            /* checked on entry */

    if (row.f32)
        a->m->simd->map_widen(x, &bad, row.f32, row.n);
    else
        memcpy(x, row.f64, row.n * sizeof *x);
}

static void pack_tile(fxi_tile *t, const application *a, thread_space *s, size_t first,
                      fxi_team *team)
{
    const fx_matrix *X = a->X;
    size_t rows = X->rows - first < a->m->rows ? X->rows - first : a->m->rows, n = 0;

    *t = (fxi_tile){.rows = rows, .cols = X->cols, .col = X->ptr ? s->col : NULL, .team = team};
    for (size_t r = 0; r < rows && !fxi_tile_stopped_long(t, a->entries); r++) {
        fxi_row row = fxi_data_row(X, first + r);
        t->first[r] = n;
        if (!X->ptr) {
            pack_numbers(a, s->x + n, row);
            n += row.n;
            continue;
        }
        for (size_t q = 0; q < row.n; q++) {
            double v = fxi_row_value(row, q);
            if (v == 0)
                continue;
            s->x[n] = v;
            s->col[n++] = fxi_row_column(row, q);
        }
    }
    for (size_t r = rows; r <= FXI_LANES; r++)
        t->first[r] = n;
}

static void store(const application *a, const float *z, bool lanes, int *bad, size_t row,
                  size_t rows, size_t feature, size_t n)
{
    const fxi_simd *simd = a->m->simd;
    size_t at = row * a->ldz + feature;

    if (lanes && a->type == FX_F32) {
        simd->map_store((float *)a->Z + at, a->ldz, bad, z, n, rows);
        return;
    }
    if (lanes) {
        simd->map_store_double((double *)a->Z + at, a->ldz, bad, z, n, rows);
        return;
    }
    for (size_t r = 0; r < rows; r++, at += a->ldz, z += a->m->width)
        if (a->type == FX_F32)
            simd->map_copy((float *)a->Z + at, bad, z, n);
        else
            simd->map_widen((double *)a->Z + at, bad, z, n);
}

/* Columns instead of rows: T[feature of the block][row]. */
static void store_columns(const application *a, const float *z, bool lanes, int *bad, size_t row,
                          size_t rows, size_t n)
{
    for (size_t q = 0; q < n; q++)
        for (size_t r = 0; r < rows; r++) {
            float v = lanes ? z[q * FXI_LANES + r] : z[r * a->m->width + q];
            a->T[q * a->ldz + row + r] = v;
            if (!isfinite(v))
                *bad = 1;
        }
}

/* A single row is scored with the same bits as among others. */
static void add_scores(const application *a, thread_space *s, const float *z, bool lanes, int *bad,
                       size_t rows, size_t feature, size_t n)
{
    for (size_t c = 0; c < a->outputs; c++) {
        const float *w = a->W + c * a->padded + feature;
        if (lanes)
            a->m->simd->map_score(s->score + c * FXI_LANES, bad, z, w, n);
        else if (a->m->lanes)
            a->m->simd->map_score_row(s->score + c * FXI_LANES, bad, z, w, n);
        else
            for (size_t r = 0; r < rows; r++)
                a->m->simd->map_dot(s->score + c * FXI_LANES + r, bad, z + r * a->m->width, w, n);
    }
}

/* A block holds a number that is not finite: the error names its row, if the row is the
 * caller's. */
static fx_status find_bad(const application *a, const float *z, bool lanes, size_t row, size_t rows,
                          size_t feature, size_t n)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t q = 0; q < n; q++)
            if (!isfinite(lanes ? z[q * FXI_LANES + r] : z[r * a->m->width + q]))
                return fxi_error(FX_ENUMERIC,
                                 "%s: feature %zu of row %zu (from 0) is beyond the range of "
                                 "floats; scale the rows",
                                 a->m->spec, feature + q, row + r);
    return FX_OK;
}

/* Number of blocks that are made before they are scored: the buffer holds FXI_LANES blocks of a
 * single row.  Sums of FXI_MAP_TERMS products start again with each block, so the width must be a
 * multiple of that. */
static size_t group_of(const application *a, const fxi_tile *t)
{
    const fx_map *m = a->m;

    return a->S && m->lanes && t->rows == 1 && m->width % FXI_MAP_TERMS == 0 ? FXI_LANES : 1;
}

static fx_status apply_tile(const application *a, thread_space *s, size_t tile, fxi_team *team)
{
    const fx_map *m = a->m;
    size_t row = tile * m->rows;
    fx_status st = FX_OK;
    fxi_tile t;

    pack_tile(&t, a, s, row, team);
    if (fxi_parallel_cancelled(team))
        return FX_OK;                   /* fxi_parallel reports it */
    bool lanes = fxi_map_lanes(m, &t);
    m->type->prepare(s->space, m, &t, s->x);
    if (fxi_parallel_cancelled(team))
        return FX_OK;
    if (a->S)
        memset(s->score, 0, a->outputs * FXI_LANES * sizeof *s->score);
    size_t group = group_of(a, &t);
    for (size_t block = a->from, last; block < a->to && !st; block = last) {
        last = a->to - block < group ? a->to : block + group;
        size_t feature = block * m->width, left = m->features - feature;
        size_t n = left < (last - block) * m->width ? left : (last - block) * m->width;
        int bad = 0;
        for (size_t b = block; b < last && !fxi_parallel_cancelled(team); b++)
            m->type->block(s->z + (b - block) * m->width, m, s->space, b);
        if (fxi_parallel_cancelled(team))
            return FX_OK;
        if (a->S)
            add_scores(a, s, s->z, lanes, &bad, t.rows, feature, n);
        else if (a->T)
            store_columns(a, s->z, lanes, &bad, row, t.rows, n);
        else
            store(a, s->z, lanes, &bad, row, t.rows, feature, n);
        if (bad)
            st = find_bad(a, s->z, lanes, row, t.rows, feature, n);
    }
    for (size_t r = 0; a->S && r < t.rows; r++)
        for (size_t c = 0; c < a->outputs; c++) {
            double score = a->S[(row + r) * a->outputs + c] = s->score[c * FXI_LANES + r];
            if (!st && !isfinite(score))        /* of finite features and weights */
                st = fxi_error(FX_ENUMERIC,
                               "%s: score %zu of row %zu (from 0) is beyond the range of floats; "
                               "scale the rows or the weights",
                               m->spec, c, row + r);
        }
    return st;
}

static fx_status tile(void *ctx, size_t b, fxi_team *team)
{
    const application *a = ctx;

    return apply_tile(a, &a->space[fxi_parallel_thread(team)], b, team);
}

static size_t tiles_of(const application *a) { return (a->X->rows + a->m->rows - 1) / a->m->rows; }

/* Numbers of a block of features. */
static size_t block_size(const fx_map *m) { return m->width * (m->lanes ? FXI_LANES : m->rows); }

/* a->space, and with it a->entries. */
static fx_status make_spaces(application *a, int threads, fxi_scratch *scratch, const fx_run *run)
{
    const fx_map *m = a->m;
    size_t bytes, all;

    a->entries = fxi_data_rows_max(a->X, m->rows);
    bytes = m->type->space(m, a->entries);
    all = bytes + 16 * a->entries + 4 * block_size(m) + 8 * a->outputs * FXI_LANES;
    fx_status st = fxi_memory_check(run, (size_t)threads * all, "scratch for the map");
    if (st)
        return st;
    if (!(a->space = fxi_scratch_take(scratch, (size_t)threads, sizeof *a->space)))
        return FX_ENOMEM;
    for (thread_space *s = a->space; s < a->space + threads; s++) {
        if (!(s->x = fxi_scratch_take(scratch, a->entries, sizeof *s->x))
            || !(s->col = fxi_scratch_take(scratch, a->X->ptr ? a->entries : 0, sizeof *s->col))
            || !(s->space = fxi_scratch_take(scratch, bytes, 1))
            || !(s->z = fxi_scratch_take(scratch, block_size(m), sizeof *s->z))
            || !(s->score = fxi_scratch_take(scratch, a->outputs * FXI_LANES, sizeof *s->score)))
            return FX_ENOMEM;
        /* rows that a tile does not have are scored, too, so they are numbers; one row is alone */
        memset(s->z, 0, (a->X->rows == 1 ? m->width : block_size(m)) * sizeof *s->z);
    }
    return FX_OK;
}

static fx_status run_tiles(application *a, const fx_run *run)
{
    const fx_map *m = a->m;
    fx_status st = fxi_data_check(a->X, "X", run);
    fxi_scratch scratch = {0};

    if (st)
        return st;
    if (a->X->cols != m->cols)
        return fxi_error(FX_ESHAPE, "X has %zu columns, the map %zu", a->X->cols, m->cols);
    if (a->X->rows == 0 || m->features == 0)
        return FX_OK;
    /* at least one operation an entry and feature: small calls stay on one thread */
    fx_run how = fxi_parallel_run(run, (double)a->X->rows * (double)m->width
                                           * (double)(a->to - a->from));
    st = make_spaces(a, fxi_parallel_threads(&how, tiles_of(a)), &scratch, run);
    if (!st)
        st = fxi_parallel(tiles_of(a), tile, a, &how);
    fxi_scratch_free(&scratch);
    return st;
}

fx_status fx_map_apply(void *Z, size_t ldz, fx_type type, const fx_map *m, const fx_matrix *X,
                       const fx_run *run)
{
    application a = {.m = m, .X = X, .Z = Z, .ldz = ldz, .type = type, .to = m ? m->blocks : 0};

    if (!Z || !m || !X)
        return fxi_error(FX_EINVAL, "fx_map_apply: %s is NULL", !Z ? "Z" : !m ? "m" : "X");
    if (type != FX_F32 && type != FX_F64)
        return fxi_error(FX_EINVAL, "fx_map_apply: type %d is neither FX_F32 nor FX_F64",
                         (int)type);
    if (ldz < m->features)
        return fxi_error(FX_ESHAPE, "ldz %zu is less than the map's %zu features", ldz,
                         m->features);
    return run_tiles(&a, run);
}

static application scoring(double *S, const fxi_map_scorer *s, const fx_matrix *X)
{
    return (application){.m = s->m,
                         .X = X,
                         .S = S,
                         .W = s->w,
                         .outputs = s->outputs,
                         .padded = s->padded,
                         .to = s->m->blocks};
}

fx_status fxi_map_apply_scores(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                               const fx_run *run)
{
    application a = scoring(S, s, X);

    return run_tiles(&a, run);
}

fx_status fxi_map_apply_tiles(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                              fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    application a = scoring(S, s, X);
    fx_status st = make_spaces(&a, 1, scratch, run);

    for (size_t b = 0; b < tiles_of(&a) && !st && !fxi_parallel_cancelled(team); b++)
        st = apply_tile(&a, a.space, b, team);
    return st;
}

fx_status fxi_map_apply_columns(float *T, size_t ldt, const fx_map *m, size_t block,
                                const fx_matrix *X, const fx_run *run)
{
    application a = {.m = m, .X = X, .T = T, .ldz = ldt, .from = block, .to = block + 1};

    return run_tiles(&a, run);
}
