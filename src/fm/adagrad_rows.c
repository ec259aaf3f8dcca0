/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_rows.c - a few rows at a time: packed, scored, and what their scores' slopes add to a
 * gradient.
 *
 * Derivatives are computed together with the scores and stay in the cache until the slopes are
 * known.  Sums of ANOVA kernels of short rows go through adagrad_panels.c, all rows at once; all
 * other rows go through row.c one by one. */

#include "fm/adagrad.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------ */

/* Where sums are pending, more rows are visited together; but not if they are long, since nobody
 * polls meanwhile. */
static size_t many(size_t rows)
{
    return rows > 2 ? FXI_FM_ADAGRAD_MANY / FXI_FM_ADAGRAD_ROWS * rows : rows;
}

static size_t table_of(size_t entries)
{
    return (entries + 1) * (FXI_FM_ADAGRAD_ORDER - 1) * FXI_LANES;
}

bool fxi_fm_adagrad_rows_bytes(size_t *bytes, const fxi_fm *fm, size_t entries, size_t threads)
{
    size_t kernels = fm->blocks * fm->panels * FXI_LANES * sizeof(double), columns, own, work;
    size_t rows = fxi_fm_adagrad_look_rows(fm, entries), pending = rows * (entries + 1);
    size_t parts = fxi_fm_adagrad_panels(fm) * many(rows) * sizeof(double);

    pending = many(rows) > pending ? many(rows) : pending;
    if (!fxi_fm_adagrad_look_fast(fm, entries))
        work = fxi_fm_row_bytes(fm, entries) + rows * kernels;
    else if (!fxi_size_mul(&work, table_of(entries) * sizeof(double), threads)
             || !fxi_size_add(&work, work, parts))
        return false;
    return fxi_size_mul(bytes, kernels, pending) && fxi_size_add(bytes, *bytes, work)
           && fxi_size_mul(&own, many(rows) * (entries + 1), sizeof(double) + sizeof(int32_t))
           && fxi_size_add(bytes, *bytes, own)
           && fxi_size_mul(&columns, fm->cols + 2 * fm->front, sizeof(int32_t) + 1)
           && fxi_size_add(bytes, *bytes, columns);
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
                                  fxi_fm_adagrad_look look, size_t entries, int threads)
{
    size_t kernels = fm->blocks * fm->panels * FXI_LANES, numbers;
    fx_status st = FX_OK;

    *a = (fxi_fm_adagrad_rows){.fm = fm, .simd = fxi_simd_get(), .look = look, .entries = entries};
    a->together = look.ones && fm->linear && fm->front == 0 && !fm->twice;
    a->short_sums = look.subtracts && fm->blocks == 1;  /* of order 2 */
    a->max_rows = a->short_sums ? many(look.max_rows) : look.max_rows;
    a->capacity = a->short_sums ? a->max_rows : a->max_rows * (entries + 1);
    if (!fxi_size_mul(&numbers, kernels, a->capacity))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", fm->rank, fm->cols);
    a->own_start = fxi_zalloc(a->max_rows + 1, sizeof *a->own_start);
    a->own_x = fxi_alloc(a->max_rows * (entries + 1), sizeof *a->own_x);
    a->own_col = fxi_alloc(a->max_rows * (entries + 1), sizeof *a->own_col);
    a->g = fxi_alloc(numbers, sizeof *a->g);
    a->touched = fxi_zalloc(fm->cols, sizeof *a->touched);
    a->list = fxi_alloc(fm->cols + 1, sizeof *a->list);
    a->front = fxi_alloc(2 * fm->front, sizeof *a->front);
    if (a->touched && a->front)
        find_constants(a);
    bool made = a->own_start && a->own_x && a->own_col && a->g && a->touched && a->list && a->front;
    if (made && look.fast) {
        a->part = fxi_alloc(fxi_fm_adagrad_panels(fm) * a->max_rows, sizeof *a->part);
        a->table_size = a->short_sums ? 0 : table_of(entries);
        a->table = fxi_alloc((size_t)threads * a->table_size, sizeof *a->table);
        made = a->part && a->table;
    } else if (made) {
        a->K = fxi_alloc(a->max_rows * kernels, sizeof *a->K);
        a->theta = fxi_alloc(a->max_rows, sizeof *a->theta);
        made = a->K && a->theta;
        st = made ? fxi_fm_row_workspace(&a->workspace, fm, entries, &a->scratch) : FX_OK;
    }
    if (!made || st)
        fxi_fm_adagrad_rows_free(a);
    return made ? st : FX_ENOMEM;
}

void fxi_fm_adagrad_rows_free(fxi_fm_adagrad_rows *a)
{
    fxi_free(a->own_start, a->own_x, a->own_col, a->g, a->table, a->part);
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

/* ---- Linear terms ------------------------------------------------------------------------ */

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

/* ---- Rows of any model, one by one -------------------------------------------------------- */

/* What a panel adds to df/dtheta; its value was computed last. */
static void add_orders(double *theta, const fxi_fm_workspace *workspace, const double *lambda,
                       int m)
{
    const double *e = fxi_fm_row_orders(workspace);

    for (int t = 1; t <= m; t++)
        for (int w = 0; w < FXI_LANES; w++)
            theta[t - 1] += lambda[w] * e[t * FXI_LANES + w];
}

/* Adds all but the linear term to f[r]. */
static void score_row(fxi_fm_adagrad_rows *a, size_t r, const double *v, bool learn)
{
    const fxi_fm *fm = a->fm;
    bool simplex = fm->kind == FXI_FM_SIMPLEX;
    size_t first = fxi_fm_adagrad_first(a, r), n = fxi_fm_adagrad_first(a, r + 1) - first;
    size_t kernels = fm->blocks * fm->panels;

    fxi_fm_row(a->workspace, (fxi_row){.n = n, .f64 = a->x + first, .col32 = a->col + first});
    memset(a->theta[r], 0, sizeof a->theta[r]);
    for (size_t s = 0; s < kernels; s++) {
        size_t b = s / fm->panels, h = s % fm->panels;
        const double *lambda = v + fm->block[b].lambda + h * FXI_LANES;
        double *K = a->K + (r * kernels + s) * FXI_LANES;
        if (!learn || simplex)
            fxi_fm_row_value(K, a->workspace, v, b, h, a->team);
        if (learn && simplex)
            add_orders(a->theta[r], a->workspace, lambda, fm->block[b].order);
        if (learn)
            fxi_fm_row_gradient(K, fxi_fm_adagrad_pending(a, s, r), a->workspace, v, b, h, a->team);
        for (int w = 0; w < FXI_LANES; w++)
            a->f[r] += lambda[w] * K[w];
    }
}

/* Adds the same of by[r] df_r/dv to G. */
static void accumulate_row(const fxi_fm_adagrad_rows *a, double *G, size_t r, const double *v)
{
    const fxi_fm *fm = a->fm;
    size_t first = fxi_fm_adagrad_first(a, r), n = fxi_fm_adagrad_first(a, r + 1) - first;
    size_t kernels = fm->blocks * fm->panels;

    for (size_t s = 0; s < kernels; s++) {
        size_t b = s / fm->panels, h = s % fm->panels, lambda = fm->block[b].lambda + h * FXI_LANES;
        const double *K = a->K + (r * kernels + s) * FXI_LANES;
        _Alignas(64) double by[FXI_LANES];
        for (size_t w = 0; w < FXI_LANES; w++)
            by[w] = a->by[r] * v[lambda + w];
        a->simd->fm_add(G + fm->block[b].P + h * fm->cols * FXI_LANES, a->col + first,
                        fxi_fm_adagrad_pending(a, s, r), by, n);
        size_t learned = fm->how != FXI_FM_LEARNED              ? 0
                         : fm->rank - h * FXI_LANES < FXI_LANES ? fm->rank - h * FXI_LANES
                                                                : FXI_LANES;
        for (size_t w = 0; w < learned; w++)
            G[lambda + w] += a->by[r] * K[w];
    }
    for (int t = 0; fm->kind == FXI_FM_SIMPLEX && t < fm->block[0].order; t++)
        G[fm->block[0].theta + (size_t)t] += a->by[r] * a->theta[r][t];
}

/* ---- All terms ---------------------------------------------------------------------------- */

void fxi_fm_adagrad_rows_score(fxi_fm_adagrad_rows *a, const double *v, bool learn)
{
    score_linear(a, v);
    if (a->look.fast)
        fxi_fm_adagrad_panels_score(a, v, learn);
    for (size_t r = 0; !a->look.fast && r < a->rows; r++)
        score_row(a, r, v, learn);
}

void fxi_fm_adagrad_rows_accumulate(fxi_fm_adagrad_rows *a, double *G, const double *v)
{
    accumulate_linear(a, G);
    if (a->look.fast)
        fxi_fm_adagrad_panels_accumulate(a, G, v);
    for (size_t r = 0; !a->look.fast && r < a->rows; r++)
        accumulate_row(a, G, r, v);
}
