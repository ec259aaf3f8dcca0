/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_rows.c - a few rows at a time: packed, scored, and what their scores' slopes add to a
 * gradient.
 *
 * Derivatives are computed together with the scores and stay in the cache until the slopes are
 * known.  Sums of ANOVA kernels of short rows go through adagrad_hot.c, all rows and panels of a
 * block at once; all other terms go through adagrad_row.c. */

#include "fm/adagrad.h"

#include <math.h>

/* ---- Memory ------------------------------------------------------------------------------ */

bool fxi_fm_adagrad_rows_bytes(size_t *bytes, const fxi_fm *fm, size_t entries)
{
    size_t kernels = fm->blocks * fm->panels * FXI_LANES * sizeof(double);
    size_t max_rows = fxi_fm_adagrad_look_rows(fm, entries), capacity = max_rows * (entries + 1);
    size_t columns;
    size_t table = (entries + 1) * (FXI_FM_ADAGRAD_ORDER - 1) * FXI_LANES * sizeof(double);

    return fxi_size_mul(bytes, kernels + sizeof(double) + sizeof(int32_t), capacity)
           && fxi_size_mul(&columns, fm->cols + 2 * fm->front, sizeof(int32_t) + 1)
           && fxi_size_add(bytes, *bytes, columns)
           && fxi_size_add(
               bytes, *bytes,
               fxi_fm_adagrad_look_fast(fm, entries)
                   ? table
                   : fxi_fm_row_bytes(fm, entries) + max_rows * kernels);
}

/* Every row has them, so they are marked as touched only once. */
static void find_constants(fxi_fm_adagrad_rows *a)
{
    for (size_t half = 0; half < (a->fm->twice ? 2 : 1); half++)
        for (size_t j = 0; j < a->fm->front; j++) {
            a->front[a->fronts] = (int32_t)(half * (a->fm->cols / 2) + j);
            a->touched[a->front[a->fronts++]] = 1;
        }
}

fx_status fxi_fm_adagrad_rows_new(fxi_fm_adagrad_rows *a, const fxi_fm *fm,
                                  fxi_fm_adagrad_look look, size_t entries)
{
    size_t kernels = fm->blocks * fm->panels * FXI_LANES, numbers;
    fx_status st = FX_OK;

    *a = (fxi_fm_adagrad_rows){.fm = fm, .simd = fxi_simd_get(), .look = look, .entries = entries};
    a->together = look.ones && fm->linear && fm->front == 0 && !fm->twice;
    a->capacity = look.max_rows * (entries + 1);
    if (!fxi_size_mul(&numbers, kernels, a->capacity))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", fm->rank, fm->cols);
    a->own_start = fxi_zalloc(look.max_rows + 1, sizeof *a->own_start);
    a->own_x = fxi_alloc(a->capacity, sizeof *a->own_x);
    a->own_col = fxi_alloc(a->capacity, sizeof *a->own_col);
    a->g = fxi_alloc(numbers, sizeof *a->g);
    a->touched = fxi_zalloc(fm->cols, sizeof *a->touched);
    a->list = fxi_alloc(fm->cols + 1, sizeof *a->list);
    a->front = fxi_alloc(2 * fm->front, sizeof *a->front);
    if (a->touched && a->front)
        find_constants(a);
    bool made = a->own_start && a->own_x && a->own_col && a->g && a->touched && a->list && a->front;
    if (made && look.fast) {
        made = (a->table = fxi_alloc((entries + 1) * (FXI_FM_ADAGRAD_ORDER - 1) * FXI_LANES,
                                     sizeof *a->table));
    } else if (made) {
        a->K = fxi_alloc(look.max_rows * kernels, sizeof *a->K);
        a->theta = fxi_alloc(look.max_rows, sizeof *a->theta);
        made = a->K && a->theta;
        st = made ? fxi_fm_row_workspace(&a->workspace, fm, entries, &a->scratch) : FX_OK;
    }
    if (!made || st)
        fxi_fm_adagrad_rows_free(a);
    return made ? st : FX_ENOMEM;
}

void fxi_fm_adagrad_rows_free(fxi_fm_adagrad_rows *a)
{
    fxi_free(a->own_start, a->own_x, a->own_col, a->g, a->table);
    fxi_scratch_free(&a->scratch);
    fxi_free(a->K, a->theta, a->touched, a->list, a->front);
    *a = (fxi_fm_adagrad_rows){0};
}

/* ---- Laying out -------------------------------------------------------------------------- */

static void count_work(fxi_fm_adagrad_rows *a, size_t entries)
{
    a->since += entries * a->fm->panels * a->fm->blocks;
}

void fxi_fm_adagrad_rows_pack(fxi_fm_adagrad_rows *a, fxi_row r)
{
    size_t first = a->own_start[a->rows], n = first;

    for (size_t q = 0; q < r.n; q++) {
        a->own_x[n] = fxi_row_value(r, q);
        a->own_col[n] = (int32_t)fxi_row_column(r, q);
        n += a->own_x[n] != 0;
    }
    a->own_start[++a->rows] = n;
    a->start = a->own_start;
    a->x = a->own_x;
    a->col = a->own_col;
    count_work(a, n - first + 1);
}

void fxi_fm_adagrad_rows_take(fxi_fm_adagrad_rows *a, const double *x, const int32_t *col,
                              const size_t *start, size_t n)
{
    a->x = x + start[0];
    a->col = col + start[0];
    a->start = start;
    a->rows = n;
    count_work(a, start[n] - start[0] + n);
}

/* Without a branch: a column that is known already is overwritten by the next one. */
void fxi_fm_adagrad_rows_touch(fxi_fm_adagrad_rows *a)
{
    const int32_t *col = a->col;
    int32_t *list = a->list;
    unsigned char *touched = a->touched;
    size_t listed = a->listed, n = fxi_fm_adagrad_first(a, a->rows);

    for (size_t k = 0; k < n; k++) {
        int32_t j = col[k];
        list[listed] = j;
        listed += !touched[j];
        touched[j] = 1;
    }
    a->listed = listed;
}

void fxi_fm_adagrad_rows_clear(fxi_fm_adagrad_rows *a)
{
    for (size_t q = 0; q < a->listed; q++)
        a->touched[a->list[q]] = 0;
    a->listed = 0;
}

bool fxi_fm_adagrad_rows_stopped(fxi_fm_adagrad_rows *a)
{
    enum { WORK = 65536 };              /* about a millisecond */

    if (a->since < WORK)
        return false;
    a->since = 0;
    return fxi_parallel_cancelled(a->team);
}

/* ---- Both ways --------------------------------------------------------------------------- */

/* The position of the weight of column j, or 0: it has none. */
static size_t weight_at(const fxi_fm *fm, int32_t j, size_t half)
{
    return (size_t)j >= fm->front && (size_t)j < half ? fm->w + (size_t)j - fm->front : 0;
}

static void score_linear(fxi_fm_adagrad_rows *a, const double *v)
{
    const fxi_fm *fm = a->fm;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols, at;

    for (size_t r = 0; r < a->rows; r++) {
        double sum = v[0];
        size_t first = fxi_fm_adagrad_first(a, r), end = fxi_fm_adagrad_first(a, r + 1);
        for (size_t k = first; fm->linear && !a->together && k < end; k++)
            if ((at = weight_at(fm, a->col[k], half)))
                sum += v[at] * a->x[k];
        a->f[r] = sum;
    }
}

static void accumulate_linear(const fxi_fm_adagrad_rows *a, double *G)
{
    const fxi_fm *fm = a->fm;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols, at;

    for (size_t r = 0; r < a->rows; r++) {
        if (fm->intercept)
            G[0] += a->by[r];
        size_t first = fxi_fm_adagrad_first(a, r), end = fxi_fm_adagrad_first(a, r + 1);
        for (size_t k = first; fm->linear && !a->together && k < end; k++)
            if ((at = weight_at(fm, a->col[k], half)))
                G[at] += a->by[r] * a->x[k];
    }
}

static void score_block(fxi_fm_adagrad_rows *a, size_t b, const double *v, bool learn)
{
    const fxi_fm *fm = a->fm;
    const fxi_fm_block *block = &fm->block[b];
    double *g = learn ? fxi_fm_adagrad_pending(a, b * fm->panels, 0) : NULL;

    if (block->order == 2 && a->look.subtracts)
        a->simd->fm_adagrad_score_two(a->f, g, a->capacity, a->look.ones ? NULL : a->x, a->col,
                                      a->start, a->rows, v + block->P, fm->cols, v + block->lambda,
                                      fm->panels, a->together ? v + fm->w : NULL);
    else
        a->simd->fm_adagrad_score(a->f, g, a->capacity, a->table, a->x, a->col, a->start, a->rows,
                                  v + block->P, fm->cols, v + block->lambda, fm->panels,
                                  block->order);
}

static void accumulate_block(fxi_fm_adagrad_rows *a, double *G, size_t b, const double *v)
{
    const fxi_fm *fm = a->fm;
    const fxi_fm_block *block = &fm->block[b];
    const double *g = fxi_fm_adagrad_pending(a, b * fm->panels, 0);

    if (block->order == 2 && a->look.subtracts)
        a->simd->fm_adagrad_accumulate_two(
            G + block->P, g, a->capacity, a->look.ones ? NULL : a->x, a->col, a->start, a->by,
            a->rows, v + block->P, fm->cols, v + block->lambda, fm->panels,
            a->together ? G + fm->w : NULL);
    else
        a->simd->fm_adagrad_accumulate(G + block->P, fm->cols, g, a->capacity, a->x, a->col,
                                       a->start, a->by, a->rows, fm->panels);
}

void fxi_fm_adagrad_rows_score(fxi_fm_adagrad_rows *a, const double *v, bool learn)
{
    score_linear(a, v);
    for (size_t b = 0; a->look.fast && b < a->fm->blocks; b++)
        score_block(a, b, v, learn);
    for (size_t r = 0; !a->look.fast && r < a->rows; r++)
        fxi_fm_adagrad_row_score(a, r, v, learn);
}

void fxi_fm_adagrad_rows_accumulate(fxi_fm_adagrad_rows *a, double *G, const double *v)
{
    accumulate_linear(a, G);
    for (size_t b = 0; a->look.fast && b < a->fm->blocks; b++)
        accumulate_block(a, G, b, v);
    for (size_t r = 0; !a->look.fast && r < a->rows; r++)
        fxi_fm_adagrad_row_accumulate(a, G, r, v);
}
