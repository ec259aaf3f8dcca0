/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_epoch.c - the order of an epoch.
 *
 * Rows may be in a file, so a block of 4,096 of them is read at once.  Blocks come in a new random
 * order each epoch.  Some of them, a window, are held together, and all of their batches are
 * visited in a random order: so neighbours in the file, which may all be of one class, are apart.
 * How many blocks make a window follows from all rows alone, never from the memory at hand. */

#include "fm/adagrad.h"

#include <math.h>
#include <stdlib.h>

enum { WINDOW_AT = 12, EPOCH_AT = 32 }; /* bits of a stream: its name, the window, the epoch */

size_t fxi_fm_adagrad_epoch_window(size_t rows, size_t numbers)
{
    const double bytes = 32 << 20, entry = sizeof(double) + sizeof(int32_t);
    double each = rows ? (double)numbers / (double)rows : 1;
    double blocks = bytes / (entry * fmax(each, 1) * FXI_PASS_BLOCK);

    return blocks < 1 ? 1 : blocks > FXI_FM_ADAGRAD_WINDOW ? FXI_FM_ADAGRAD_WINDOW : (size_t)blocks;
}

void fxi_fm_adagrad_epoch_order(size_t *block, size_t blocks, uint64_t seed, uint64_t epoch)
{
    fxi_rng_permutation(block, blocks, (fxi_rng){seed, FXI_FM_BLOCKS + (epoch << EPOCH_AT)});
}

/* Batches of the window in the order of their visits; ordered: there is one block. */
static size_t *visits(const fxi_fm_adagrad_epoch *e, size_t batches)
{
    const fxi_fm_problem *p = e->batch->p;
    size_t *visit = fxi_alloc(batches, sizeof *visit);

    if (visit && !p->ordered)
        fxi_rng_permutation(visit, batches,
                            (fxi_rng){p->seed, FXI_FM_BATCHES + (e->windows << WINDOW_AT)
                                                   + (e->number << EPOCH_AT)});
    for (size_t q = 0; visit && p->ordered && q < batches; q++)
        visit[q] = q;
    return visit;
}

static double visit_batch(const fxi_fm_adagrad_epoch *e, const fxi_fm_adagrad_block *b, size_t q)
{
    size_t first = fxi_fm_adagrad_block_first(b, q);
    size_t n = fxi_fm_adagrad_block_first(b, q + 1) - first;
    double by = 1 / fxi_fm_adagrad_block_weight(b, first, n);
    double loss = fxi_fm_adagrad_batch_add(e->batch, b, first, n, e->number, by);

    fxi_fm_adagrad_batch_step(e->batch, e->lr);
    return loss;
}

static fx_status visit_window(fxi_fm_adagrad_epoch *e)
{
    size_t batches = 0, entries = 0, *visit;
    fxi_threadpool *pool = NULL;        /* of this window alone: threads must not outlive a call */
    fx_status st;

    for (size_t k = 0; k < e->blocks; k++) {
        batches += e->block[k]->batches;
        entries = e->block[k]->entries > entries ? e->block[k]->entries : entries;
    }
    fxi_team *team = e->batch->rows.team;
    if ((st = fxi_fm_adagrad_batch_room(e->batch, entries)))
        return st;
    e->batch->rows.team = team;
    if (!(visit = visits(e, batches)))
        return FX_ENOMEM;
    if (e->batch->how.threads > 1 && (st = fxi_threadpool_new(&pool, &e->batch->how))) {
        free(visit);
        return st;
    }
    e->batch->rows.pool = pool;
    for (size_t q = 0; q < batches && !fxi_fm_adagrad_rows_stopped(&e->batch->rows); q++) {
        size_t k = 0, at = visit[q];
        while (at >= e->block[k]->batches)
            at -= e->block[k++]->batches;
        e->loss += visit_batch(e, e->block[k], at);
    }
    e->batch->rows.pool = NULL;
    fxi_threadpool_free(pool);
    free(visit);
    e->windows++;
    e->blocks = 0;
    return FX_OK;
}

fx_status fxi_fm_adagrad_epoch_add(fxi_fm_adagrad_epoch *e, const fxi_fm_adagrad_block *b,
                                   bool last, fxi_team *team)
{
    e->batch->rows.team = team;
    e->block[e->blocks++] = b;
    return e->blocks == e->window || last ? visit_window(e) : FX_OK;
}
