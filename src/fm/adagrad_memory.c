/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_memory.c - AdaGrad's epochs and objectives of rows in memory.
 *
 * Blocks are packed once for all epochs if they are not too many, else whenever they are visited.
 * Pairs, and rows that are visited once in their order, are one block. */

#include "fm/adagrad.h"

#include <stdlib.h>

static const size_t KEPT = (size_t)1 << 23;     /* entries in packed blocks: 100 MB */

static bool is_kept(const fx_matrix *X) { return fxi_data_stored(X) <= KEPT; }

static bool single(const fxi_fm_problem *p) { return p->pairs || p->ordered; }

/* Block k, kept or made in `own`. */
static fx_status open_block(const fxi_fm_adagrad_block **out, fxi_fm_adagrad_block *own,
                            const fxi_fm_adagrad_memory *m, size_t k)
{
    const fxi_fm_problem *p = m->p;
    size_t i = k * m->rows, rows = p->pairs ? p->pairs->n : p->X->rows;
    size_t end = rows - i < m->rows ? rows : i + m->rows;
    bool packed = !p->pairs && (!single(p) || is_kept(p->X));

    *out = m->block && m->block[k].c ? &m->block[k] : own;
    return *out == own ? fxi_fm_adagrad_block_fill(own, p, i, end, k, packed) : FX_OK;
}

/* ---- Before the first epoch ---------------------------------------------------------------- */

/* Blocks stay, or one at a time is made. */
static fx_status keep_blocks(fxi_fm_adagrad_memory *m)
{
    const fxi_fm_adagrad_block *b;
    fx_status st = FX_OK;

    if (!single(m->p) && !is_kept(m->p->X))
        return FX_OK;
    if (!(m->block = fxi_zalloc(m->blocks, sizeof *m->block)))
        return FX_ENOMEM;
    for (size_t k = 0; k < m->blocks && !st; k++)
        st = open_block(&b, &m->block[k], m, k);
    return st;
}

/* Shares of penalties: 1 for columns that no batch touches. */
static fx_status count_batches(fxi_fm_adagrad_memory *m, uint64_t epoch, fxi_team *team)
{
    size_t cols = m->p->fm->cols;
    double *count = fxi_zalloc(cols, sizeof *count), batches = 0;
    fxi_fm_adagrad_block own = {0};
    fx_status st = count ? FX_OK : FX_ENOMEM;

    m->batch.rows.team = team;
    for (size_t k = 0; k < m->blocks && !st; k++) {
        const fxi_fm_adagrad_block *b;
        if (!(st = open_block(&b, &own, m, k))) {
            fxi_fm_adagrad_batch_count(&m->batch, count, b, epoch);
            batches += (double)b->batches;
        }
    }
    fxi_fm_adagrad_block_free(&own);
    if (!st)
        fxi_fm_adagrad_batch_share(m->batch.share, count, batches, cols);
    free(count);
    return st;
}

static fx_status look(void *ctx, size_t block, fxi_team *team)
{
    fxi_fm_adagrad_memory *m = ctx;

    (void)block;
    return count_batches(m, 0, team);
}

static fx_status prepare(fxi_fm_adagrad_memory *m, const fxi_fm_state *s)
{
    const fxi_fm_problem *p = m->p;
    double count[FXI_FM_ADAGRAD_LOOK] = {0};
    fxi_fm_adagrad_look how;
    fx_status st = keep_blocks(m);

    if (st)
        return st;
    fxi_fm_adagrad_look_add(count, p->fm, p->X, 0, p->X->rows);
    how = fxi_fm_adagrad_look_of(count, p->fm);
    if (!(m->order = fxi_alloc(m->blocks, sizeof *m->order)))
        return FX_ENOMEM;
    if (!(m->value = fxi_zalloc(m->answer.threads, sizeof *m->value)))
        return FX_ENOMEM;
    for (size_t t = 0; t < m->answer.threads; t++)
        if ((st = fxi_fm_adagrad_batch_new(&m->value[t], p, s->v, NULL, how, m->entries,
                                           NULL)))
            return st;
    st = fxi_fm_adagrad_batch_new(&m->batch, p, s->v, s->sum, how, m->entries, &m->answer.how);
    if (st || p->pairs)
        return st;                      /* of pairs, other losers have other columns */
    return fxi_parallel_ordered(1, look, m, m->run);
}

fx_status fxi_fm_adagrad_memory_new(fxi_fm_adagrad_memory *m, const fxi_fm_problem *p,
                                    const fxi_fm_state *s, const fx_run *run)
{
    size_t rows = p->X->rows, numbers = fxi_data_stored(p->X);
    double work = (double)numbers * (double)(p->fm->blocks * p->fm->rank);

    *m = (fxi_fm_adagrad_memory){.p = p, .run = run, .entries = fxi_data_rows_max(p->X, 1)};
    m->rows = !single(p) ? FXI_PASS_BLOCK : p->pairs ? p->pairs->n + 1 : rows + 1;
    m->blocks = single(p) || !rows ? 1 : (rows + FXI_PASS_BLOCK - 1) / FXI_PASS_BLOCK;
    m->window = p->window ? p->window : fxi_fm_adagrad_epoch_window(rows, numbers);
    fx_status st = fxi_pass_answer_new(&m->answer, m->rows, m->blocks, work, run);
    if (!st)
        st = prepare(m, s);
    if (st)
        fxi_fm_adagrad_memory_free(m);
    return st;
}

void fxi_fm_adagrad_memory_free(fxi_fm_adagrad_memory *m)
{
    for (size_t k = 0; m->block && k < m->blocks; k++)
        fxi_fm_adagrad_block_free(&m->block[k]);
    for (size_t t = 0; m->value && t < m->answer.threads; t++)
        fxi_fm_adagrad_batch_free(&m->value[t]);
    fxi_fm_adagrad_batch_free(&m->batch);
    fxi_pass_answer_free(&m->answer);
    fxi_free(m->block, m->order, m->value);
    *m = (fxi_fm_adagrad_memory){0};
}

bool fxi_fm_adagrad_memory_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X,
                                 size_t threads)
{
    size_t entries = fxi_data_rows_max(X, 1), numbers = fxi_data_stored(X), rows, blocks;
    size_t window = fxi_fm_adagrad_epoch_window(X->rows, numbers) * FXI_PASS_BLOCK;

    if (!is_kept(X) && window < X->rows)
        numbers = (size_t)((double)numbers / (double)X->rows * (double)window);
    return fxi_fm_adagrad_batch_bytes(bytes, fm, entries, threads)
           && fxi_fm_adagrad_rows_bytes(&rows, fm, entries, 1)
           && fxi_size_mul(&rows, rows, threads)
           && fxi_fm_adagrad_block_bytes(&blocks, X->rows, numbers)
           && fxi_size_add(bytes, *bytes, rows) && fxi_size_add(bytes, *bytes, blocks);
}

/* ---- Objectives ------------------------------------------------------------------------------ */

/* A run of rows is a block. */
static fx_status add_value(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    fxi_fm_adagrad_memory *m = ctx;
    fxi_fm_adagrad_batch *a = &m->value[fxi_parallel_thread(team)];
    fxi_fm_adagrad_block own = {0};
    const fxi_fm_adagrad_block *b;
    fx_status st = open_block(&b, &own, m, i / m->rows);

    (void)end;
    a->rows.team = team;
    if (!st) {
        sum[FXI_FM_ADAGRAD_LOSS] += fxi_fm_adagrad_batch_add(a, b, 0, b->n, 0, 0);
        sum[FXI_FM_ADAGRAD_WEIGHT] += fxi_fm_adagrad_block_weight(b, 0, b->n);
    }
    fxi_fm_adagrad_block_free(&own);
    return st;
}

fx_status fxi_fm_adagrad_memory_value(double *sum, fxi_fm_adagrad_memory *m)
{
    size_t rows = m->p->pairs ? m->p->pairs->n : m->p->X->rows;
    fx_status st = fxi_pass_answer_sums(&m->answer, FXI_FM_ADAGRAD_SUMS);

    if (!st)
        st = fxi_pass_answer_add(&m->answer, add_value, m, rows, 0, true);
    if (!st)
        fxi_pass_answer_round(sum, &m->answer);
    return st;
}

/* ---- Epochs ---------------------------------------------------------------------------------- */

typedef struct going {
    fxi_fm_adagrad_memory *m;
    fxi_fm_adagrad_epoch epoch;
} going;

static fx_status visit_blocks(void *ctx, size_t block, fxi_team *team)
{
    going *g = ctx;
    fxi_fm_adagrad_memory *m = g->m;
    fxi_fm_adagrad_block own[FXI_FM_ADAGRAD_WINDOW] = {{0}};
    fx_status st = m->p->pairs ? count_batches(m, g->epoch.number, team) : FX_OK;

    (void)block;
    for (size_t k = 0; k < m->blocks && !st && !fxi_parallel_cancelled(team); k++) {
        const fxi_fm_adagrad_block *b;
        size_t at = k % m->window;
        if (!(st = open_block(&b, &own[at], m, m->order[k])))
            st = fxi_fm_adagrad_epoch_add(&g->epoch, b, k + 1 == m->blocks, team);
    }
    for (size_t q = 0; q < FXI_FM_ADAGRAD_WINDOW; q++)
        fxi_fm_adagrad_block_free(&own[q]);
    return st;
}

fx_status fxi_fm_adagrad_memory_epoch(double *loss, fxi_fm_adagrad_memory *m, uint64_t epoch,
                                      double lr)
{
    going g = {m, {.batch = &m->batch, .number = epoch, .lr = lr, .window = m->window}};

    fxi_fm_adagrad_epoch_order(m->order, m->blocks, m->p->seed, epoch);
    fx_status st = fxi_parallel_ordered(1, visit_blocks, &g, m->run);
    *loss = g.epoch.loss;
    return st;
}
