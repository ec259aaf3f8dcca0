/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_batch.c - a mini-batch: gradients of its rows or pairs summed up, then one step for each
 * number of the columns that it touches.  Nothing is done for other columns.
 *
 * Penalties are taken when a column is touched, share[column] times each, so that over an epoch
 * they are those of the objective. */

#include "fm/adagrad.h"

#include <math.h>

bool fxi_fm_adagrad_batch_bytes(size_t *bytes, const fxi_fm *fm, size_t entries)
{
    size_t numbers;

    return fxi_size_add(&numbers, fm->size, fm->cols)
           && fxi_size_mul(&numbers, numbers, sizeof(double))
           && fxi_fm_adagrad_rows_bytes(bytes, fm, entries) && fxi_size_add(bytes, *bytes, numbers);
}

fx_status fxi_fm_adagrad_batch_new(fxi_fm_adagrad_batch *a, const fxi_fm_problem *p, double *v,
                                   double *sum, size_t entries)
{
    fx_status st;

    *a = (fxi_fm_adagrad_batch){.p = p, .v = v, .sum = sum};
    if ((st = fxi_fm_adagrad_rows_new(&a->rows, p->fm, p->X, entries)))
        return st;
    a->G = fxi_zalloc(p->fm->size, sizeof *a->G);
    a->share = fxi_zalloc(p->fm->cols, sizeof *a->share);
    if (!a->G || !a->share) {
        fxi_fm_adagrad_batch_free(a);
        return FX_ENOMEM;
    }
    return FX_OK;
}

void fxi_fm_adagrad_batch_free(fxi_fm_adagrad_batch *a)
{
    fxi_free(a->G, a->share, a->c, a->y, a->start, a->x, a->col);
    fxi_fm_adagrad_rows_free(&a->rows);
    *a = (fxi_fm_adagrad_batch){0};
}

/* ---- Items ------------------------------------------------------------------------------- */

static size_t row_of(const fxi_fm_problem *p, size_t item)
{
    return p->pairs ? p->pairs->winner[item] : item;
}

static size_t loser(const fxi_fm_problem *p, size_t item, uint64_t epoch)
{
    const fxi_fm_pairs *q = p->pairs;
    fxi_rng r = {p->seed, FXI_FM_LOSERS + (epoch << 32)};
    uint64_t n = q->last[item] - q->first[item];

    return q->order[q->first[item] + (size_t)fxi_rng_below(r, item, n)];
}

static double weight_of(const fxi_fm_adagrad_batch *a, const size_t *item)
{
    return a->cached_items ? a->c[item - a->cached_items] : a->p->c[row_of(a->p, *item)];
}

static double label_of(const fxi_fm_adagrad_batch *a, const size_t *item)
{
    return a->cached_items ? a->y[item - a->cached_items] : a->p->pairs ? 1 : a->p->y[*item];
}

double fxi_fm_adagrad_batch_weight(const fxi_fm_adagrad_batch *a, const size_t *item, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += weight_of(a, item + i);
    return sum;
}

/* Takes as many items as are evaluated together, and returns their number.  In a pair, the loser
 * follows the winner. */
static size_t pack_items(fxi_fm_adagrad_batch *a, const size_t *item, size_t n, uint64_t epoch)
{
    const fxi_fm_problem *p = a->p;
    size_t max_items = p->pairs ? a->rows.max_rows / 2 : a->rows.max_rows;

    n = n < max_items ? n : max_items;
    if (a->start) {
        fxi_fm_adagrad_rows_take(&a->rows, a->x, a->col, a->start + (item - a->cached_items), n);
        return n;
    }
    a->rows.rows = 0;
    for (size_t i = 0; i < n; i++) {
        fxi_fm_adagrad_rows_pack(&a->rows, row_of(p, item[i]));
        if (p->pairs)
            fxi_fm_adagrad_rows_pack(&a->rows, loser(p, item[i], epoch));
    }
    return n;
}

void fxi_fm_adagrad_batch_touch(fxi_fm_adagrad_batch *a, const size_t *item, size_t n,
                                uint64_t epoch)
{
    for (size_t i = 0; i < n && !fxi_fm_adagrad_rows_stopped(&a->rows);) {
        i += pack_items(a, item + i, n - i, epoch);
        fxi_fm_adagrad_rows_touch(&a->rows);
    }
}

/* ---- The cache --------------------------------------------------------------------------- */

bool fxi_fm_adagrad_batch_cacheable(const fx_matrix *X, size_t *bytes)
{
    const size_t max_entries = (size_t)1 << 23; /* 100 MB */
    size_t stored;

    if (X->ptr)
        stored = (size_t)(X->ptr[X->rows] - X->ptr[0]);
    else if (!fxi_size_mul(&stored, X->rows, X->cols))
        return false;
    *bytes = (X->rows + 1) * sizeof(size_t) + (stored + 1) * (sizeof(double) + sizeof(int32_t));
    return stored <= max_entries;
}

static fx_status pack_rows(fxi_fm_adagrad_batch *a, const size_t *item, size_t n)
{
    const fx_matrix *X = a->p->X;
    size_t stored = 0;

    for (size_t i = 0; i < n; i++)
        stored += fxi_data_row(X, item[i]).n;
    a->start = fxi_alloc(n + 1, sizeof *a->start);
    a->x = fxi_alloc(stored + 1, sizeof *a->x);
    a->col = fxi_alloc(stored + 1, sizeof *a->col);
    if (!a->start || !a->x || !a->col)
        return FX_ENOMEM;
    a->start[0] = 0;
    for (size_t i = 0, at = 0; i < n; i++) {
        fxi_row r = fxi_data_row(X, item[i]);
        for (size_t q = 0; q < r.n; q++) {
            a->x[at] = fxi_row_value(r, q);
            a->col[at] = (int32_t)fxi_row_column(r, q);
            at += a->x[at] != 0;
        }
        a->start[i + 1] = at;
    }
    return FX_OK;
}

fx_status fxi_fm_adagrad_batch_cache(fxi_fm_adagrad_batch *a, const size_t *item, size_t n)
{
    size_t bytes;
    double *c = fxi_alloc(n, sizeof *c), *y = fxi_alloc(n, sizeof *y);

    for (size_t i = 0; c && y && i < n; i++) {
        c[i] = weight_of(a, item + i);
        y[i] = label_of(a, item + i);
    }
    a->c = c;
    a->y = y;
    a->cached_items = item;
    if (!c || !y)
        return FX_ENOMEM;
    /* losers change, so pairs are packed when they are read */
    return a->p->pairs || !fxi_fm_adagrad_batch_cacheable(a->p->X, &bytes) ? FX_OK
                                                                           : pack_rows(a, item, n);
}

/* ---- Losses ------------------------------------------------------------------------------ */

/* log(1 + exp(-y f)) of all at once, f the difference of a pair (loss/logistic.c has the forms):
 * logarithms of neighbours of equal weight are taken of their product. */
static double logistic(fxi_fm_adagrad_batch *a, const size_t *item, size_t n, double by)
{
    const double *f = a->rows.f;
    _Alignas(64) double e[FXI_FM_ADAGRAD_ROWS] = {0};
    double m[FXI_FM_ADAGRAD_ROWS], loss = 0, product = 1, of = 0;
    bool pairs = a->p->pairs;

    for (size_t i = 0; i < n; i++) {
        m[i] = pairs ? f[2 * i] - f[2 * i + 1] : label_of(a, item + i) * f[i];
        e[i] = -fabs(m[i]);
    }
    a->rows.simd->kernel_exp(e, FXI_FM_ADAGRAD_ROWS, 1);
    for (size_t i = 0; i < n; i++) {
        const double over[2] = {1, e[i]}; /* no branch: signs cannot be predicted */
        double c = weight_of(a, item + i), share = 1 / (1 + e[i]);
        double slope = -by * c * (over[m[i] > 0] * share);
        if (c != of) {
            loss += of * log(product);
            product = 1;
            of = c;
        }
        product *= 1 + e[i];
        loss -= c * fmin(m[i], 0);
        if (pairs) {
            a->rows.by[2 * i] = slope;
            a->rows.by[2 * i + 1] = -slope;
        } else {
            a->rows.by[i] = slope * label_of(a, item + i);
        }
    }
    return loss + of * log(product);
}

static double other_loss(fxi_fm_adagrad_batch *a, const size_t *item, size_t n, double by)
{
    const fxi_loss *l = a->p->loss;
    double loss = 0;

    for (size_t r = 0; r < n; r++) {
        double y = label_of(a, item + r), c = weight_of(a, item + r), f = a->rows.f[r];
        loss += c * fxi_fm_loss(l, y, f);
        a->rows.by[r] = by * c * fxi_fm_slope(l, y, f);
    }
    return loss;
}

double fxi_fm_adagrad_batch_add(fxi_fm_adagrad_batch *a, const size_t *item, size_t n,
                                uint64_t epoch, double by)
{
    bool by_margin = a->p->pairs || a->p->loss == &fxi_loss_logistic;
    double loss = 0;

    for (size_t i = 0, count; i < n && !fxi_fm_adagrad_rows_stopped(&a->rows); i += count) {
        count = pack_items(a, item + i, n - i, epoch);
        fxi_fm_adagrad_rows_score(&a->rows, a->v, by != 0);
        loss += by_margin ? logistic(a, item + i, count, by) : other_loss(a, item + i, count, by);
        if (by != 0) {
            fxi_fm_adagrad_rows_touch(&a->rows);
            fxi_fm_adagrad_rows_accumulate(&a->rows, a->G, a->v);
        }
    }
    return loss;
}

/* ---- Steps ------------------------------------------------------------------------------- */

static void step_one(fxi_fm_adagrad_batch *a, size_t at, double penalty, double lr)
{
    double g = a->G[at] + penalty * a->v[at];

    a->G[at] = 0;
    if (fabs(g) < FXI_FM_ADAGRAD_SMALL)
        return;
    a->sum[at] += g * g;
    a->v[at] -= lr * g / sqrt(a->sum[at] + FXI_FM_ADAGRAD_EPSILON);
    if (fabs(a->v[at]) < FXI_FM_TINY)
        a->v[at] = 0;
}

/* Theta has one rate for all orders, so that its projected steps stop where the objective does not
 * fall along the simplex. */
static void step_theta(fxi_fm_adagrad_batch *a, size_t theta, size_t m, double lr)
{
    double sum = 0;

    for (size_t t = theta; t < theta + m; t++)
        sum += a->G[t] * a->G[t];
    for (size_t t = theta; t < theta + m; t++) {
        a->sum[t] += sum;
        a->v[t] -= lr * a->G[t] / sqrt(a->sum[t] + FXI_FM_ADAGRAD_EPSILON);
        a->G[t] = 0;
    }
    fxi_fm_simplex_project(a->v + theta, m);
}

void fxi_fm_adagrad_batch_step(fxi_fm_adagrad_batch *a, double lr)
{
    const fxi_fm *fm = a->p->fm;
    fxi_fm_adagrad_rows *rows = &a->rows;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    if (a->p->pairs)
        a->G[0] = 0;                    /* entries that both rows of a pair have cancel */
    step_one(a, 0, 0, lr);
    for (size_t q = 0; fm->linear && q < rows->listed; q++) {
        size_t j = (size_t)rows->list[q];
        if (j < half)
            step_one(a, fm->w + j - fm->front, fm->alpha * a->share[j], lr);
    }
    for (size_t b = 0; b < fm->blocks; b++) {
        const fxi_fm_block *block = &fm->block[b];
        for (size_t h = 0; h < fm->panels; h++) {
            size_t at = block->P + h * fm->cols * FXI_LANES;
            rows->simd->fm_adagrad(a->v + at, a->sum + at, a->G + at, rows->list, rows->listed,
                                   a->share, block->beta, lr);
            rows->simd->fm_adagrad(a->v + at, a->sum + at, a->G + at, rows->front, rows->fronts,
                                   a->share, block->beta_front, lr);
        }
        for (size_t s = 0; fm->how == FXI_FM_LEARNED && s < fm->rank; s++)
            step_one(a, block->lambda + s, fm->beta_lambda, lr);
        if (fm->kind == FXI_FM_SIMPLEX)
            step_theta(a, block->theta, (size_t)block->order, lr);
    }
    fxi_fm_adagrad_rows_clear(rows);
}
