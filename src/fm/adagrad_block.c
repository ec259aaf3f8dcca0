/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_block.c - a block of rows, as AdaGrad visits it: those with weight, shuffled by seed and
 * number of the block, cut into batches; packed, so that a batch reads one piece of memory. */

#include "fm/adagrad.h"

#include <stdlib.h>

enum { BLOCK_AT = 12 };                 /* bits of a stream: its name, the block, the epoch */

static double weight_of(const fxi_fm_problem *p, size_t item)
{
    return p->c[p->pairs ? p->pairs->winner[item] : item];
}

/* Items with weight, shuffled; or in their order. */
static fx_status choose(fxi_fm_adagrad_block *a, const fxi_fm_problem *p, size_t i, size_t end,
                        uint64_t number)
{
    size_t *weighted = fxi_alloc(end - i, sizeof *weighted);

    if (!weighted)
        return FX_ENOMEM;
    for (; i < end; i++)
        if (weight_of(p, i) > 0)
            weighted[a->n++] = i;
    if (p->ordered || !a->n) {
        a->item = weighted;
        return FX_OK;
    }
    if ((a->item = fxi_alloc(a->n, sizeof *a->item))) {
        fxi_rng_permutation(a->item, a->n,
                            (fxi_rng){p->seed, FXI_FM_BATCHES + (number << BLOCK_AT)});
        for (size_t k = 0; k < a->n; k++)
            a->item[k] = weighted[a->item[k]];
    }
    free(weighted);
    return a->item ? FX_OK : FX_ENOMEM;
}

static fx_status pack(fxi_fm_adagrad_block *a, const fx_matrix *X)
{
    size_t stored = 0;

    for (size_t k = 0; k < a->n; k++)
        stored += fxi_data_row(X, a->item[k]).n;
    a->start = fxi_alloc(a->n + 1, sizeof *a->start);
    a->x = fxi_alloc(stored + 1, sizeof *a->x);
    a->col = fxi_alloc(stored + 1, sizeof *a->col);
    if (!a->start || !a->x || !a->col)
        return FX_ENOMEM;
    a->start[0] = 0;
    for (size_t k = 0, at = 0; k < a->n; k++) {
        fxi_row r = fxi_data_row(X, a->item[k]);
        for (size_t q = 0; q < r.n; q++) {
            a->x[at] = fxi_row_value(r, q);
            a->col[at] = (int32_t)fxi_row_column(r, q);
            at += a->x[at] != 0;
        }
        a->start[k + 1] = at;
    }
    free(a->item);
    a->item = NULL;
    return FX_OK;
}

fx_status fxi_fm_adagrad_block_new(fxi_fm_adagrad_block *out, const fxi_fm_problem *p, size_t i,
                                   size_t end, uint64_t number, bool packed)
{
    fxi_fm_adagrad_block a = {0};
    fx_status st = choose(&a, p, i, end, number);

    a.batches = a.n / p->batch + (a.n % p->batch > 0);
    for (size_t row = i; row < end && !p->pairs; row++) {
        size_t n = fxi_data_row(p->X, row).n;
        a.entries = n > a.entries ? n : a.entries;
    }
    a.c = fxi_alloc(a.n, sizeof *a.c);
    a.y = fxi_alloc(a.n, sizeof *a.y);
    if (!st && (!a.c || !a.y))
        st = FX_ENOMEM;
    for (size_t k = 0; k < a.n && !st; k++) {
        a.c[k] = weight_of(p, a.item[k]);
        a.y[k] = p->pairs ? 1 : p->y[a.item[k]] - p->shift;
    }
    if (!st && packed)
        st = pack(&a, p->X);
    if (st)
        fxi_fm_adagrad_block_free(&a);
    *out = a;
    return st;
}

void fxi_fm_adagrad_block_free(fxi_fm_adagrad_block *a)
{
    fxi_free(a->c, a->y, a->start, a->x, a->col);
    free(a->item);
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
