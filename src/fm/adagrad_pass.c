/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_pass.c - rows that come in parts answer AdaGrad's questions; adagrad.h has their numbers.
 *
 * Counts and objectives are sums over blocks, in any order.  The blocks of an epoch come in its
 * order, and those of a window are held, packed, until all of them are there. */

#include "fm/adagrad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = FXI_FM_ADAGRAD_HEAD, LOOK = FXI_FM_ADAGRAD_LOOK, BLOCK = FXI_PASS_BLOCK };

struct fxi_fm_adagrad_held {
    fxi_fm fm;                          /* a view, with the penalties of the question */
    fxi_fm_problem p;                   /* without rows */
    fxi_fm_adagrad_batch batch;
    fxi_fm_adagrad_epoch epoch;
    fxi_fm_adagrad_block block[FXI_FM_ADAGRAD_WINDOW];
};

static bool fits(const fxi_question *q, const fxi_fm *fm)
{
    const fxi_fm_adagrad_look read = fxi_fm_adagrad_look_read(q->flags);
    size_t own = HEAD + fm->size + fm->cols;
    bool look = fxi_fm_adagrad_look_fits(&read, fm);

    switch (q->what) {
    case FXI_ASK_FM_COUNT: return true;
    case FXI_ASK_FM_VALUE: return look && q->ws == fm->size;
    case FXI_ASK_FM_EPOCH:
        return look && q->ws == fm->size && q->vs == own && q->v[FXI_FM_ADAGRAD_EPOCH] >= 1
               && q->v[FXI_FM_ADAGRAD_EPOCH] < 0x1p32 && q->v[FXI_FM_ADAGRAD_TIMES] > 0;
    default: return false;
    }
}

uint64_t fxi_fm_adagrad_pass_epoch(const fxi_question *q)
{
    return (uint64_t)q->v[FXI_FM_ADAGRAD_EPOCH];
}

fx_status fxi_fm_adagrad_pass_begin(fxi_answer *a, const fxi_question *q, const fxi_fm *fm)
{
    size_t numbers = fxi_fm_adagrad_numbers(fm, q->what), each = fm->size * sizeof(double);
    fx_status st;

    if (!fits(q, fm))
        return fxi_error(FX_EFORMAT, "question %d does not fit a factorization machine of %zu "
                         "numbers", (int)q->what, fm->size);
    if (q->what == FXI_ASK_FM_COUNT)
        return fxi_pass_answer_counts(a, numbers, NULL);
    if (q->what == FXI_ASK_FM_VALUE)
        return fxi_pass_answer_sums(a, numbers);
    if ((st = fxi_pass_answer_state(a, numbers)))
        return st;
    memcpy(a->count + HEAD, q->w, each);
    memcpy(a->count + HEAD + fxi_fm_adagrad_room(fm), q->v + HEAD, each);
    return FX_OK;
}

/* ---- Counts and objectives ------------------------------------------------------------------- */

typedef struct part {
    fxi_answer *answer;
    const fxi_question *q;
    fxi_fm_problem p;
    uint64_t first;                     /* number of its first row */
    size_t entries;                     /* most in a row */
    fxi_fm_adagrad_batch *batch;        /* [threads] */
} part;

static fx_status open_block(fxi_fm_adagrad_block *b, const part *x, size_t i)
{
    size_t rows = x->p.X->rows, end = rows - i < BLOCK ? rows : i + BLOCK;

    return fxi_fm_adagrad_block_fill(b, &x->p, i, end, (x->first + i) / BLOCK, true);
}

static fx_status count_block(void *ctx, size_t k, fxi_team *team)
{
    const part *x = ctx;
    double *count = x->answer->count;
    size_t i = k * BLOCK, end = x->p.X->rows - i < BLOCK ? x->p.X->rows : i + BLOCK;
    fxi_fm_adagrad_block b = {0};
    fx_status st = open_block(&b, x, i);

    x->batch->rows.team = team;
    if (st)
        return st;
    fxi_fm_adagrad_look_add(count, x->p.fm, x->p.X, i, end);
    count[LOOK] += (double)b.batches;
    fxi_fm_adagrad_batch_count(x->batch, count + LOOK + 1, &b, 0);
    fxi_fm_adagrad_block_free(&b);
    return FX_OK;
}

static fx_status add_value(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    const part *x = ctx;
    fxi_fm_adagrad_batch *a = &x->batch[fxi_parallel_thread(team)];
    fxi_fm_adagrad_block b = {0};
    fx_status st = open_block(&b, x, i);

    (void)end;
    a->rows.team = team;
    if (st)
        return st;
    sum[FXI_FM_ADAGRAD_LOSS] += fxi_fm_adagrad_batch_add(a, &b, 0, b.n, 0, 0);
    sum[FXI_FM_ADAGRAD_WEIGHT] += fxi_fm_adagrad_block_weight(&b, 0, b.n);
    fxi_fm_adagrad_block_free(&b);
    return FX_OK;
}

static fx_status add_part(part *x, uint64_t all)
{
    fxi_answer *a = x->answer;
    bool counts = x->q->what == FXI_ASK_FM_COUNT;
    size_t rows = x->p.X->rows, threads = counts ? 1 : a->threads;
    fxi_fm_adagrad_look look = counts ? (fxi_fm_adagrad_look){.max_rows = 2}
                                      : fxi_fm_adagrad_look_read(x->q->flags);
    double *v = (double *)(uintptr_t)x->q->w;   /* it is only read */
    fx_status st = FX_OK;

    if (!(x->batch = fxi_zalloc(threads, sizeof *x->batch)))
        return FX_ENOMEM;
    for (size_t t = 0; t < threads && !st; t++)
        st = fxi_fm_adagrad_batch_new(&x->batch[t], &x->p, v, NULL, look, x->entries, NULL);
    if (!st && counts) {
        st = fxi_parallel_ordered((rows + BLOCK - 1) / BLOCK, count_block, x, &a->how);
        a->rows += rows;
    } else if (!st) {
        st = fxi_pass_answer_add(a, add_value, x, rows, x->first, x->first + rows == all);
    }
    for (size_t t = 0; t < threads; t++)
        fxi_fm_adagrad_batch_free(&x->batch[t]);
    free(x->batch);
    return st;
}

/* ---- An epoch -------------------------------------------------------------------------------- */

static fx_status hold(fxi_fm_adagrad_held **out, const part *x)
{
    const fxi_fm *fm = x->p.fm;
    double *v = x->answer->count + HEAD, *sum = v + fxi_fm_adagrad_room(fm);
    fxi_fm_adagrad_held *h = fxi_zalloc(1, sizeof *h);

    if (!h)
        return FX_ENOMEM;
    *out = h;
    h->fm = *fm;
    fxi_fm_times(&h->fm, x->q->v[FXI_FM_ADAGRAD_TIMES]);
    h->p = x->p;
    h->p.fm = &h->fm;
    h->p.X = NULL;
    h->p.y = h->p.c = NULL;
    h->epoch = (fxi_fm_adagrad_epoch){.batch = &h->batch, .lr = x->q->t, .window = x->p.window,
                                      .number = fxi_fm_adagrad_pass_epoch(x->q)};
    fx_status st = fxi_fm_adagrad_batch_new(&h->batch, &h->p, v, sum,
                                            fxi_fm_adagrad_look_read(x->q->flags), x->entries,
                                            &x->answer->how);
    if (!st)
        memcpy(h->batch.share, x->q->v + HEAD + fm->size, fm->cols * sizeof *h->batch.share);
    return st;
}

/* Memory of the blocks, which they keep from one window to the next. */
static size_t bytes_of(const fxi_fm_adagrad_held *h)
{
    size_t all = 0, bytes;

    for (size_t k = 0; k < FXI_FM_ADAGRAD_WINDOW; k++) {
        const fxi_fm_adagrad_block *b = &h->block[k];
        all += fxi_fm_adagrad_block_bytes(&bytes, b->rows_room, b->entries_room) ? bytes : 0;
    }
    return all;
}

void fxi_fm_adagrad_pass_free(fxi_fm_adagrad_held *held)
{
    if (!held)
        return;
    for (size_t k = 0; k < FXI_FM_ADAGRAD_WINDOW; k++)
        fxi_fm_adagrad_block_free(&held->block[k]);
    fxi_fm_adagrad_batch_free(&held->batch);
    free(held);
}

typedef struct visiting { part *x; fxi_fm_adagrad_held *h; uint64_t all; } visiting;

static fx_status visit_block(void *ctx, size_t k, fxi_team *team)
{
    const visiting *g = ctx;
    fxi_fm_adagrad_held *h = g->h;
    fxi_answer *a = g->x->answer;
    size_t rows = g->x->p.X->rows - k * BLOCK;
    fxi_fm_adagrad_block *b = &h->block[h->epoch.blocks];
    fx_status st = open_block(b, g->x, k * BLOCK);

    if (st)
        return st;
    if ((st = fxi_memory_check(&a->how, bytes_of(h), "rows whose batches are visited together")))
        return st;
    a->rows += rows < BLOCK ? rows : BLOCK;
    st = fxi_fm_adagrad_epoch_add(&h->epoch, b, a->rows == g->all, team);
    a->count[0] = h->epoch.loss;
    return st;
}

fx_status fxi_fm_adagrad_pass(fxi_answer *a, const fxi_question *q, const fxi_fm_problem *p,
                              uint64_t first, uint64_t all, fxi_fm_adagrad_held **held)
{
    part x = {.answer = a, .q = q, .p = *p, .first = first, .entries = fxi_data_rows_max(p->X, 1)};
    fx_status st = FX_OK;

    if (q->what == FXI_ASK_FM_VALUE)
        x.p.shift = q->t;
    if (q->what != FXI_ASK_FM_EPOCH)
        return add_part(&x, all);
    x.p.shift = q->v[FXI_FM_ADAGRAD_SHIFT];
    if (!*held)
        st = hold(held, &x);
    visiting g = {&x, *held, all};
    return st ? st : fxi_parallel_ordered((p->X->rows + BLOCK - 1) / BLOCK, visit_block, &g,
                                          &a->how);
}

bool fxi_fm_adagrad_pass_bytes(size_t *bytes, const fxi_fm *fm, size_t rows, size_t numbers,
                               size_t threads)
{
    size_t window = fxi_fm_adagrad_epoch_window(rows, numbers) * BLOCK, held, states;
    size_t some = window < rows ? window : rows;
    double each = rows ? (double)numbers / (double)rows : 0;

    /* v and sum: the last good ones, in a question (where they are with share), a request, a pass,
     * its answer; and the gradient of a batch */
    return fxi_size_add(&states, fm->size, fm->cols)
           && fxi_size_mul(&states, states, 12 * sizeof(double))
           && fxi_fm_adagrad_block_bytes(&held, some, (size_t)(each * (double)some))
           && fxi_fm_adagrad_rows_bytes(bytes, fm, (size_t)each + 1, threads)
           && fxi_size_add(bytes, *bytes, states) && fxi_size_add(bytes, *bytes, held);
}
