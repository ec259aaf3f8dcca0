/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_block.c - a block of rows, as AdaGrad visits it: those with weight, shuffled by seed and
 * number of the block, cut into batches; packed, so that a batch reads one piece of memory. */

#include "fm/adagrad.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_AT = 12 };                 /* bits of a stream: its name, the block, the epoch */

static double weight_of(const fxi_fm_problem *p, size_t item)
{
    return p->c[p->pairs ? p->pairs->winner[item] : item];
}

/* Items with weight, shuffled; or in their order. */
static fx_status choose(fxi_fm_adagrad_block *a, size_t *item, const fxi_fm_problem *p, size_t i,
                        size_t end, uint64_t number)
{
    size_t *order;

    a->n = 0;
    for (; i < end; i++)
        if (weight_of(p, i) > 0)
            item[a->n++] = i;
    if (p->ordered || !a->n)
        return FX_OK;
    if (!(order = fxi_alloc(a->n, sizeof *order)))
        return FX_ENOMEM;
    fxi_rng_permutation(order, a->n, (fxi_rng){p->seed, FXI_FM_BATCHES + (number << BLOCK_AT)});
    for (size_t k = 0; k < a->n; k++)
        order[k] = item[order[k]];
    memcpy(item, order, a->n * sizeof *order);
    free(order);
    return FX_OK;
}

/* Memory for rows, and for entries of those that are packed: what a block before had is used again,
 * if it is not much more, since memory that comes and goes costs as much as a pass. */
static fx_status make_room(fxi_fm_adagrad_block *a, size_t rows, size_t entries, bool packed)
{
    if (rows > a->rows_room || !a->c) {
        fxi_free(a->c, a->y, a->item, a->start);
        a->c = fxi_alloc(rows, sizeof *a->c);
        a->y = fxi_alloc(rows, sizeof *a->y);
        a->item = packed ? NULL : fxi_alloc(rows, sizeof *a->item);
        a->start = packed ? fxi_alloc(rows + 1, sizeof *a->start) : NULL;
        a->rows_room = rows;
    }
    size_t spare = a->entries_room - entries;           /* meant only if there is room enough */
    if (packed && (entries > a->entries_room || spare > entries / 4 || !a->x)) {
        fxi_free(a->x, a->col);
        a->x = fxi_alloc(entries + 1, sizeof *a->x);
        a->col = fxi_alloc(entries + 1, sizeof *a->col);
        a->entries_room = entries;
    }
    bool made = a->c && a->y && (packed ? a->start && a->x && a->col : a->item != NULL);
    return made ? FX_OK : FX_ENOMEM;
}

/* start[k + 1] is item k at first. */
static void pack(fxi_fm_adagrad_block *a, const fx_matrix *X)
{
    a->start[0] = 0;
    for (size_t k = 0, at = 0; k < a->n; k++) {
        fxi_row r = fxi_data_row(X, a->start[k + 1]);
        for (size_t q = 0; q < r.n; q++) {
            a->x[at] = fxi_row_value(r, q);
            a->col[at] = (int32_t)fxi_row_column(r, q);
            at += a->x[at] != 0;
        }
        a->start[k + 1] = at;
    }
}

fx_status fxi_fm_adagrad_block_fill(fxi_fm_adagrad_block *a, const fxi_fm_problem *p, size_t i,
                                    size_t end, uint64_t number, bool packed)
{
    size_t stored = 0;

    a->entries = 0;
    for (size_t row = i; row < end && !p->pairs; row++) {
        size_t n = fxi_data_row(p->X, row).n;
        a->entries = n > a->entries ? n : a->entries;
        stored += p->c[row] > 0 ? n : 0;
    }
    fx_status st = make_room(a, end - i, stored, packed);
    size_t *item = packed && !st ? a->start + 1 : a->item;
    if (!st)
        st = choose(a, item, p, i, end, number);
    if (st) {
        fxi_fm_adagrad_block_free(a);
        return st;
    }
    a->batches = a->n / p->batch + (a->n % p->batch > 0);
    for (size_t k = 0; k < a->n; k++) {
        a->c[k] = weight_of(p, item[k]);
        a->y[k] = p->pairs ? 1 : p->y[item[k]] - p->shift;
    }
    if (packed)
        pack(a, p->X);
    return FX_OK;
}

void fxi_fm_adagrad_block_free(fxi_fm_adagrad_block *a)
{
    fxi_free(a->c, a->y, a->item, a->start, a->x, a->col);
    *a = (fxi_fm_adagrad_block){0};
}

size_t fxi_fm_adagrad_block_first(const fxi_fm_adagrad_block *a, size_t batch)
{
    size_t more = a->n % a->batches;

    return a->n / a->batches * batch + (batch < more ? batch : more);
}

double fxi_fm_adagrad_block_weight(const fxi_fm_adagrad_block *a, size_t first, size_t n)
{
    double sum = 0;

    for (size_t k = first; k < first + n; k++)
        sum += a->c[k];
    return sum;
}

bool fxi_fm_adagrad_block_bytes(size_t *bytes, size_t rows, size_t numbers)
{
    size_t entries;

    return fxi_size_mul(bytes, rows + 1, 2 * sizeof(double) + sizeof(size_t))
           && fxi_size_mul(&entries, numbers + 1, sizeof(double) + sizeof(int32_t))
           && fxi_size_add(bytes, *bytes, entries);
}
