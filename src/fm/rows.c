/* SPDX-License-Identifier: BSD-3-Clause
 * rows.c - rows as the blocks of a model see them: with constants in front, for some models all of
 * it twice.
 *
 * Sparse rows stay sparse.  Numbers keep their type: floats are not widened. */

#include "fm/fm.h"

#include <string.h>

typedef struct row_copy {
    const fxi_fm *fm;
    const fx_matrix *X;
    size_t size;                        /* of a number */
    char *val;
    int64_t *ptr;
    int32_t *col;                       /* NULL: dense */
} row_copy;

static void put_one(const row_copy *a, char *at, size_t q)
{
    if (a->size == sizeof(float))
        ((float *)at)[q] = 1;
    else
        ((double *)at)[q] = 1;
}

static void copy_row(const row_copy *a, size_t i)
{
    const fxi_fm *fm = a->fm;
    fxi_row r = fxi_data_row(a->X, i);
    size_t half = fm->front + r.n;
    size_t first = a->col ? (size_t)a->ptr[i] : i * fm->cols;
    char *at = a->val + first * a->size;

    for (size_t q = 0; q < fm->front; q++)
        put_one(a, at, q);
    if (r.n)
        memcpy(at + fm->front * a->size, r.f32 ? (const void *)r.f32 : r.f64, r.n * a->size);
    if (fm->twice)
        memcpy(at + half * a->size, at, half * a->size);
    for (size_t q = 0; a->col && q < half; q++) {
        size_t j = q < fm->front ? q : (size_t)fxi_row_column(r, q - fm->front) + fm->front;
        a->col[first + q] = (int32_t)j;
        if (fm->twice)
            a->col[first + half + q] = (int32_t)(j + fm->cols / 2);
    }
}

static fx_status copy_rows(void *ctx, size_t b, fxi_team *team)
{
    const row_copy *a = ctx;
    size_t end = a->X->rows - b * 1024 < 1024 ? a->X->rows : (b + 1) * 1024;

    for (size_t i = b * 1024; i < end && !fxi_parallel_cancelled(team); i++)
        copy_row(a, i);
    return FX_OK;
}

fx_status fxi_fm_rows(fx_matrix *view, fx_data **own, const fxi_fm *fm, const fx_matrix *X,
                      const fx_run *run)
{
    row_copy a = {.fm = fm, .X = X, .size = X->type == FX_F32 ? sizeof(float) : sizeof(double)};
    size_t stored = X->ptr ? (size_t)(X->ptr[X->rows] - X->ptr[0]) : 0, extra, bytes;
    fx_status st;

    if (X->cols != fm->given)
        return fxi_error(FX_ESHAPE, "rows of %zu columns for a model of %zu", X->cols, fm->given);
    if (!fm->front && !fm->twice) {
        *own = NULL;
        *view = *X;
        return FX_OK;
    }
    bool fits = X->ptr ? fxi_size_mul(&extra, X->rows, fm->front)
                             && fxi_size_add(&stored, stored, extra)
                             && (!fm->twice || fxi_size_mul(&stored, stored, 2))
                       : fxi_size_mul(&stored, X->rows, fm->cols);
    if (!fits || !fxi_size_mul(&bytes, stored, a.size + (X->ptr ? sizeof *a.col : 0)))
        return fxi_error(FX_ESHAPE, "%zu rows of %zu columns are too many", X->rows, fm->cols);
    if ((st = fxi_memory_check(run, bytes, "rows with their constants")))
        return st;
    fx_data *d = fxi_data_new();
    if (!d)
        return FX_ENOMEM;
    if (!(a.val = fxi_data_alloc(d, stored, a.size))
        || (X->ptr
            && (!(a.ptr = fxi_data_alloc(d, X->rows + 1, sizeof *a.ptr))
                || !(a.col = fxi_data_alloc(d, stored, sizeof *a.col)))))
        st = FX_ENOMEM;
    for (size_t i = 0; i <= X->rows && X->ptr && !st; i++)
        a.ptr[i] = (X->ptr[i] - X->ptr[0] + (int64_t)(i * fm->front)) * (fm->twice ? 2 : 1);
    if (!st)
        st = fxi_parallel((X->rows + 1023) / 1024, copy_rows, &a, run);
    if (st) {
        fx_data_free(d);
        return st;
    }
    *view = (fx_matrix){.rows = X->rows, .cols = fm->cols, .stride = fm->cols, .type = X->type,
                        .val = a.val, .ptr = a.ptr, .col = a.col};
    *own = d;
    return FX_OK;
}
