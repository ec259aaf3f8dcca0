/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_batch.c - a mini-batch: gradients of its rows or pairs summed up, then one step for each
 * number of the columns that it touches.  Nothing is done for other columns.
 *
 * Penalties are taken when a column is touched, share[column] times each, so that over an epoch
 * they are those of the objective. */

#include "fm/adagrad.h"

#include <math.h>

bool fxi_fm_adagrad_batch_bytes(size_t *bytes, const fxi_fm *fm, size_t entries, size_t threads)
{
    size_t numbers;

    return fxi_size_add(&numbers, fm->size, fm->cols)
           && fxi_size_mul(&numbers, numbers, sizeof(double))
           && fxi_fm_adagrad_rows_bytes(bytes, fm, entries, threads)
           && fxi_size_add(bytes, *bytes, numbers);
}

fx_status fxi_fm_adagrad_batch_new(fxi_fm_adagrad_batch *a, const fxi_fm_problem *p, double *v,
                                   double *sum, fxi_fm_adagrad_look look, size_t entries,
                                   const fx_run *run)
{
    fx_status st;

    *a = (fxi_fm_adagrad_batch){.p = p, .v = v, .sum = sum, .how = fxi_sized_run(run)};
    a->how.threads = sum ? fxi_parallel_threads(run, fxi_fm_adagrad_panels(p->fm)) : 1;
    if ((st = fxi_fm_adagrad_rows_new(&a->rows, p->fm, look, entries, a->how.threads)) || !sum)
        return st;
    a->G = fxi_zalloc(p->fm->size, sizeof *a->G);
    a->share = fxi_zalloc(p->fm->cols, sizeof *a->share);
    if (!a->G || !a->share) {
        fxi_fm_adagrad_batch_free(a);
        return FX_ENOMEM;
    }
    return FX_OK;
}

fx_status fxi_fm_adagrad_batch_room(fxi_fm_adagrad_batch *a, size_t entries)
{
    fxi_fm_adagrad_look look = a->rows.look;

    if (entries <= a->rows.entries)
        return FX_OK;
    fxi_fm_adagrad_rows_free(&a->rows);
    return fxi_fm_adagrad_rows_new(&a->rows, a->p->fm, look, entries, a->how.threads);
}

void fxi_fm_adagrad_batch_free(fxi_fm_adagrad_batch *a)
{
    fxi_free(a->G, a->share);
    fxi_fm_adagrad_rows_free(&a->rows);
    *a = (fxi_fm_adagrad_batch){0};
}

/* ---- Items ------------------------------------------------------------------------------- */

static size_t loser(const fxi_fm_problem *p, size_t item, uint64_t epoch)
{
    const fxi_fm_pairs *q = p->pairs;
    fxi_rng r = {p->seed, FXI_FM_LOSERS + (epoch << 32)};
    uint64_t n = q->last[item] - q->first[item];

    return q->order[q->first[item] + (size_t)fxi_rng_below(r, item, n)];
}

/* Takes as many items as are evaluated together, and returns their number.  In a pair, the loser
 * follows the winner. */
static size_t pack_items(fxi_fm_adagrad_batch *a, const fxi_fm_adagrad_block *b, size_t first,
                         size_t n, uint64_t epoch)
{
    const fxi_fm_problem *p = a->p;
    size_t max_items = p->pairs ? a->rows.max_rows / 2 : a->rows.max_rows;

    n = n < max_items ? n : max_items;
    if (b->start) {
        fxi_fm_adagrad_rows_take(&a->rows, b->x, b->col, b->start + first, n);
        return n;
    }
    a->rows.rows = 0;
    for (size_t k = first; k < first + n; k++) {
        size_t item = b->item[k], row = p->pairs ? p->pairs->winner[item] : item;
        fxi_fm_adagrad_rows_pack(&a->rows, fxi_data_row(p->X, row));
        if (p->pairs)
            fxi_fm_adagrad_rows_pack(&a->rows, fxi_data_row(p->X, loser(p, item, epoch)));
    }
    return n;
}

void fxi_fm_adagrad_batch_count(fxi_fm_adagrad_batch *a, double *count,
                                const fxi_fm_adagrad_block *b, uint64_t epoch)
{
    fxi_fm_adagrad_rows *rows = &a->rows;

    for (size_t q = 0; q < b->batches && !fxi_fm_adagrad_rows_stopped(rows); q++) {
        size_t i = fxi_fm_adagrad_block_first(b, q), end = fxi_fm_adagrad_block_first(b, q + 1);
        while (i < end) {
            i += pack_items(a, b, i, end - i, epoch);
            fxi_fm_adagrad_rows_touch(rows);
        }
        for (size_t k = 0; k < rows->listed; k++)
            count[rows->list[k]]++;
        fxi_fm_adagrad_rows_clear(rows);
    }
}

void fxi_fm_adagrad_batch_share(double *share, const double *count, double batches, size_t cols)
{
    for (size_t j = 0; j < cols; j++)
        share[j] = count[j] > 0 ? batches / count[j] : 1;       /* 1: constants */
}

/* ---- Losses ------------------------------------------------------------------------------ */

/* log(1 + exp(-y f)) of n items from item `first` at hand on, all at once, f the difference of a
 * pair (loss/logistic.c has the forms): logarithms of neighbours of equal weight are taken of their
 * product. */
static double logistic(fxi_fm_adagrad_batch *a, const double *y, const double *c, size_t first,
                       size_t n, double by)
{
    bool pairs = a->p->pairs;
    const double *f = a->rows.f + (pairs ? 2 * first : first);
    double *slopes = a->rows.by + (f - a->rows.f);
    _Alignas(64) double e[FXI_FM_ADAGRAD_ROWS] = {0};
    double m[FXI_FM_ADAGRAD_ROWS], loss = 0, product = 1, of = 0;

    for (size_t i = 0; i < n; i++) {
        m[i] = pairs ? f[2 * i] - f[2 * i + 1] : y[i] * f[i];
        e[i] = -fabs(m[i]);
    }
    a->rows.simd->kernel_exp(e, FXI_FM_ADAGRAD_ROWS, 1);
    for (size_t i = 0; i < n; i++) {
        const double over[2] = {1, e[i]}; /* no branch: signs cannot be predicted */
        double share = 1 / (1 + e[i]), slope = -by * c[i] * (over[m[i] > 0] * share);
        if (c[i] != of) {
            loss += of * log(product);
            product = 1;
            of = c[i];
        }
        product *= 1 + e[i];
        loss -= c[i] * fmin(m[i], 0);
        if (pairs) {
            slopes[2 * i] = slope;
            slopes[2 * i + 1] = -slope;
        } else {
            slopes[i] = slope * y[i];
        }
    }
    return loss + of * log(product);
}

static double other_loss(fxi_fm_adagrad_batch *a, const double *y, const double *c, size_t first,
                         size_t n, double by)
{
    const fxi_loss *l = a->p->loss;
    double loss = 0;

    for (size_t r = 0; r < n; r++) {
        double f = a->rows.f[first + r];
        loss += c[r] * fxi_fm_loss(l, y[r], f);
        a->rows.by[first + r] = by * c[r] * fxi_fm_slope(l, y[r], f);
    }
    return loss;
}

/* Adds losses of the n items at hand, a few at a time, to *sum. */
static void add_losses(double *sum, fxi_fm_adagrad_batch *a, const double *y, const double *c,
                       size_t n, double by)
{
    size_t rows = a->rows.look.max_rows, step = a->p->pairs ? rows / 2 : rows;
    bool by_margin = a->p->pairs || a->p->loss == &fxi_loss_logistic;

    for (size_t k = 0; k < n; k += step) {
        size_t some = n - k < step ? n - k : step;
        *sum += (by_margin ? logistic : other_loss)(a, y + k, c + k, k, some, by);
    }
}

double fxi_fm_adagrad_batch_add(fxi_fm_adagrad_batch *a, const fxi_fm_adagrad_block *b,
                                size_t first, size_t n, uint64_t epoch, double by)
{
    double loss = 0;

    for (size_t k = first, end = first + n, some;
         k < end && !fxi_fm_adagrad_rows_stopped(&a->rows); k += some) {
        some = pack_items(a, b, k, end - k, epoch);
        fxi_fm_adagrad_rows_score(&a->rows, a->v, by != 0);
        add_losses(&loss, a, b->y + k, b->c + k, some, by);
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
    fxi_fm_adagrad_panels_step(rows, a->v, a->sum, a->G, a->share, lr);
    for (size_t b = 0; b < fm->blocks; b++) {
        const fxi_fm_block *block = &fm->block[b];
        for (size_t s = 0; fm->how == FXI_FM_LEARNED && s < fm->rank; s++)
            step_one(a, block->lambda + s, fm->beta_lambda, lr);
        if (fm->kind == FXI_FM_SIMPLEX)
            step_theta(a, block->theta, (size_t)block->order, lr);
    }
    fxi_fm_adagrad_rows_clear(rows);
}
