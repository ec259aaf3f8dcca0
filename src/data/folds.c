/* SPDX-License-Identifier: BSD-3-Clause
 * folds.c - rows dealt to folds, equally and with equal shares of every label.
 *
 * Shuffle the rows, sort them by label keeping the shuffled order within a label, then deal them
 * like cards: the p-th row goes to fold p mod folds.  A run of s consecutive rows then gives each
 * fold floor(s/folds) or ceil(s/folds) of them, and both the whole list and each label are such
 * runs.  Labels of a regression are all different: there the folds are interleaved quantiles.
 *
 * Cost: n log n and 24 n bytes. */

#include "data/data.h"

#include <math.h>
#include <stdlib.h>

typedef struct card { double label; size_t place, row; } card;

static int by_label(const void *a, const void *b)
{
    const card *x = a, *y = b;

    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

fx_status fx_data_folds(int32_t *fold, size_t n, int folds, const double *label, uint64_t seed)
{
    if (!fold)
        return fxi_error(FX_EINVAL, "no place is given for the folds");
    if (folds < 2 || (size_t)folds > n)
        return fxi_error(FX_EINVAL, "%d folds of %zu rows; there must be from 2 to as many as rows",
                         folds, n);
    for (size_t i = 0; label && i < n; i++)
        if (!isfinite(label[i]))
            return fxi_error(FX_EDOMAIN, "the label of row %zu (from 0) is %g", i, label[i]);

    card *cards = fxi_alloc(n, sizeof *cards);
    size_t *order = fxi_alloc(n, sizeof *order);
    if (!cards || !order) {
        free(cards);
        free(order);
        return FX_ENOMEM;
    }
    fxi_rng_permutation(order, n, (fxi_rng){seed, FXI_DATA_FOLDS});
    for (size_t p = 0; p < n; p++)
        cards[p] = (card){label ? label[order[p]] : 0, p, order[p]};
    if (label)
        qsort(cards, n, sizeof *cards, by_label);
    for (size_t p = 0; p < n; p++)
        fold[cards[p].row] = (int32_t)(p % (size_t)folds);
    free(cards);
    free(order);
    return FX_OK;
}
