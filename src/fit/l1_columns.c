/* SPDX-License-Identifier: BSD-3-Clause
 * l1_columns.c - a source of rows, turned into columns.
 *
 * Features of a map that are mostly 0 become sparse columns.  Dense ones are transposed once if the
 * stored features and their copy fit into the memory limit; otherwise a block of columns at a time,
 * from the stored rows or by the map.  Either way the numbers and the blocks are the same, so
 * memory never changes a model. */

#include "fit/l1.h"

enum { WIDTH = 64,                      /* columns per block, unless a map makes them */
       BLOCKS = 16,                     /* blocks, at most */
       CHUNK = 256 };                   /* rows that a thread transposes at a time */

static size_t size_of(const fxi_columns *c) { return c->wide ? sizeof(double) : sizeof(float); }

static size_t columns_of(const fxi_columns *c, size_t block)
{
    size_t left = c->s->features - block * c->width;

    return left < c->width ? left : c->width;
}

/* ---- Sparse ------------------------------------------------------------------------------- */
/* Numbers are counted in ptr[column + 2], then put where ptr[column + 1] says. */
static void count_row(void *ctx, size_t i, const fxi_row *r)
{
    fxi_columns *c = ctx;

    (void)i;
    for (size_t q = 0; q < r->n; q++)
        c->ptr[fxi_row_column(*r, q) + 2]++;
}

static void put_row(void *ctx, size_t i, const fxi_row *r)
{
    fxi_columns *c = ctx;

    for (size_t q = 0; q < r->n; q++) {
        int64_t to = c->ptr[fxi_row_column(*r, q) + 1]++;
        c->row[to] = (int32_t)i;
        if (c->wide)
            ((double *)c->val)[to] = r->f64[q];
        else
            ((float *)c->val)[to] = r->f32[q];
    }
}

static fx_status make_sparse(fxi_columns *c, const fx_run *run)
{
    const fxi_source *s = c->s;
    size_t n = s->numbers, bytes;
    fx_status st;

    if (s->rows > INT32_MAX)
        return fxi_error(FX_ESHAPE, "%zu sparse rows are too many for an L1 penalty", s->rows);
    if (!fxi_size_mul(&bytes, n, 4 + size_of(c)))
        return fxi_error(FX_ESHAPE, "%zu numbers are too many", n);
    if ((st = fxi_memory_check(run, bytes, "a copy of the rows by columns")))
        return st;
    if (!(c->ptr = fxi_zalloc(s->features + 2, sizeof *c->ptr))
        || !(c->row = fxi_alloc(n, sizeof *c->row)) || !(c->val = fxi_alloc(n, size_of(c))))
        return FX_ENOMEM;
    st = fxi_fit_source_rows(s, count_row, c, run);
    for (size_t j = 2; j <= s->features; j++)
        c->ptr[j] += c->ptr[j - 1];
    return st ? st : fxi_fit_source_rows(s, put_row, c, run);
}

/* ---- Dense -------------------------------------------------------------------------------- */
typedef struct turning {
    const fxi_columns *c;
    fx_matrix Z;
    size_t first, n;                    /* columns first .. first + n - 1 are copied */
    char *to;
} turning;

static fx_status turn_rows(void *ctx, size_t k, fxi_team *team)
{
    const turning *a = ctx;
    size_t ld = a->c->ld, end = (k + 1) * CHUNK < a->Z.rows ? (k + 1) * CHUNK : a->Z.rows;

    for (size_t i = k * CHUNK; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(&a->Z, i);
        if (a->c->wide)
            for (size_t j = 0; j < a->n; j++)
                ((double *)(void *)a->to)[j * ld + i] = r.f64[a->first + j];
        else
            for (size_t j = 0; j < a->n; j++)
                ((float *)(void *)a->to)[j * ld + i] = r.f32[a->first + j];
    }
    return FX_OK;
}

/* Copies the columns of a block to `to`. */
static fx_status fill(char *to, const fxi_columns *c, size_t block, const fx_run *run)
{
    const fxi_source *s = c->s;
    turning a = {c, *s->X, block * c->width, columns_of(c, block), to};
    fx_run how = fxi_parallel_run(run, (double)s->rows * (double)a.n);

    if (s->map && !s->Z)
        return fxi_map_apply_columns((float *)(void *)to, c->ld, s->map, block, s->X, run);
    if (s->map)
        a.Z = (fx_matrix){
            .rows = s->rows, .cols = s->features, .stride = s->stride, .type = FX_F32, .val = s->Z};
    return fxi_parallel((s->rows + CHUNK - 1) / CHUNK, turn_rows, &a, &how);
}

static fx_status make_dense(fxi_columns *c, const fx_run *run)
{
    const fxi_source *s = c->s;
    size_t bytes, all = 0, stored = s->Z ? s->rows * s->stride * sizeof *s->Z : 0;
    size_t width = c->width < s->features ? c->width : s->features;
    uint64_t limit = fxi_sized_run(run).max_memory;
    fx_status st = FX_OK;

    if (!fxi_size_mul(&bytes, c->ld, width * size_of(c)))
        return fxi_error(FX_ESHAPE, "%zu rows are too many", s->rows);
    c->stored = fxi_size_mul(&all, c->ld * size_of(c), s->features)
                && fxi_size_add(&stored, stored, all) && !(limit && stored > limit);
    if (!c->stored && (st = fxi_memory_check(run, bytes, "a block of columns of features")))
        return st;
    if (!(c->dense = fxi_zalloc(c->stored ? all : bytes, 1)))
        return FX_ENOMEM;
    for (size_t b = 0; c->stored && b < c->blocks && !st; b++)
        st = fill((char *)c->dense + b * bytes, c, b, run);
    return st;
}

fx_status fxi_fit_l1_columns(fxi_columns *out, const fxi_source *s, const fx_run *run)
{
    fxi_columns c = {.s = s, .block_held = SIZE_MAX, .wide = !s->map && s->X->type == FX_F64};
    fx_status st;

    c.width = (s->features + BLOCKS - 1) / BLOCKS;
    c.width = s->map && !s->sparse ? s->map->width : c.width < WIDTH ? WIDTH : c.width;
    c.blocks = (s->features + c.width - 1) / c.width;
    c.ld = (s->rows + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
    st = s->sparse ? make_sparse(&c, run) : make_dense(&c, run);
    if (st)
        fxi_fit_l1_columns_free(&c);
    else
        *out = c;
    return st;
}

void fxi_fit_l1_columns_free(fxi_columns *c) { fxi_free(c->dense, c->ptr, c->row, c->val); }

fx_status fxi_fit_l1_columns_visit(fxi_columns *c, size_t block, const fx_run *run)
{
    fx_status st = FX_OK;

    if (!c->ptr && !c->stored && c->block_held != block) {
        st = fill(c->dense, c, block, run);
        c->block_held = st ? SIZE_MAX : block;
    }
    return st;
}

fxi_row fxi_fit_l1_columns_at(const fxi_columns *c, size_t j)
{
    size_t at = c->ptr ? (size_t)c->ptr[j] : (c->stored ? j : j % c->width) * c->ld;
    const void *v = (const char *)(c->ptr ? c->val : c->dense) + at * size_of(c);
    fxi_row r = {.n = c->ptr ? (size_t)c->ptr[j + 1] - at : c->s->rows};

    if (c->wide)
        r.f64 = v;
    else
        r.f32 = v;
    if (c->ptr)
        r.col32 = c->row + at;
    return r;
}
