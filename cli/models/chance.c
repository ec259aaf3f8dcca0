/* SPDX-License-Identifier: BSD-3-Clause
 * chance.c - decides whether the best of several held-out scores could be chance, for train and
 * compare.
 *
 * Suppose that the labels have nothing to do with the columns.  Predictions for n held-out rows are
 * then fixed before the labels of these rows are drawn, and only by chance can they be better than
 * a constant answer: the most common class, or the mean.  With z the normal quantile that is
 * exceeded with probability ALPHA / looks, chance gains at most (doc/math.md#chance)
 *
 *   accuracy        min(z sqrt(p (1 - p) / n), log(looks / ALPHA) / (n log(p / q))) above the
 *                   constant's, where p >= q are the shares of the two most common classes
 *   squared error   a share z^2 / n below the constant's
 *   AUC             z sqrt((n + 1) / (12 m (n - m))) above 1/2 for a class of m rows; of several
 *                   classes, the mean of these
 *
 * In cross-validation, a row that is held out in one fold is trained on in the others.  The
 * influence of row i on row j equals that of j on i, so a sum over all pairs has up to twice the
 * variance.  Therefore n is halved.
 *
 * By the union bound any of the scores looked at is above its limit with probability ALPHA at most,
 * as far as sums over n rows are normal.  Of classes, accuracy and AUC both count as looks. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 0.05                      /* that noise passes for something learned */

/* The z that a normal number exceeds with this probability, by bisection. */
static double quantile(double probability)
{
    double low = 0, high = 40;

    for (int i = 0; i < 60; i++) {
        double z = (low + high) / 2;
        if (erfc(z / sqrt(2)) / 2 > probability)
            low = z;
        else
            high = z;
    }
    return high;
}

static double weight_of(const fx_table *t, size_t i) { return t->weight ? t->weight[i] : 1; }

/* The effective number of rows: n rows of equal weight would give as much information. */
static double equal_rows(const fx_table *t, double n)
{
    double sum = 0, square = 0;

    for (size_t i = 0; i < t->rows; i++) {
        sum += weight_of(t, i);
        square += weight_of(t, i) * weight_of(t, i);
    }
    return square > 0 ? fmax(1, n * sum * sum / square / (double)t->rows) : fmax(1, n);
}

static void set_margins(chance *c, const labelled *y, const fx_table *t, double n, double tail)
{
    double all = 0, p = 0, q = 0, auc = 0, classes = 0;

    for (size_t i = 0; i < t->rows; i++)
        all += weight_of(t, i);
    for (size_t i = 0; i < t->rows;) {
        double share = 0, label = y[i].label;
        for (; i < t->rows && y[i].label == label; i++)
            share += weight_of(t, y[i].row) / all;
        double m = fmin(fmax(share * n, 1), fmax(n - 1, 1));
        auc += sqrt((n + 1) / (12 * m * fmax(n - m, 1)));
        classes++;
        q = fmax(q, fmin(p, share));
        p = fmax(p, share);
    }
    c->accuracy = c->z * sqrt(p * (1 - p) / n);
    if (p > q && q > 0)
        c->accuracy = fmin(c->accuracy, log(1 / tail) / log(p / q) / n);
    c->auc = c->z * auc / fmax(classes, 1);
}

int chance_init(chance *c, const fx_table *t, double n, size_t looks, bool crossed, bool regress)
{
    labelled *y = NULL;
    double tail = ALPHA / (double)(regress ? looks : 2 * looks); /* accuracy and AUC */

    *c = (chance){.regress = regress, .z = quantile(tail)};
    c->rows = equal_rows(t, crossed ? n / 2 : n);
    if (regress)
        return 0;
    if (!(y = malloc((t->rows ? t->rows : 1) * sizeof *y)))
        return say_no_memory("labels");
    for (size_t i = 0; i < t->rows; i++)
        y[i] = (labelled){t->label[i], i};
    qsort(y, t->rows, sizeof *y, ascending_labels);
    set_margins(c, y, t, c->rows, tail);
    free(y);
    return 0;
}

bool chance_beaten(const chance *c, double constant, double score)
{
    return c->regress ? score < constant * sqrt(fmax(0, 1 - c->z * c->z / c->rows))
                      : score > constant + c->accuracy;
}

bool chance_beaten_auc(const chance *c, double auc) { return auc > 0.5 + c->auc; }

/* ---- The constant answer -------------------------------------------------------------------- */
int chance_blind(blind_rows *b, const fx_table *t)
{
    *b = (blind_rows){.table = *t, .ptr = calloc(t->rows + 1, sizeof *b->ptr)};
    b->block = (fx_matrix){.rows = t->rows, .cols = t->cols, .type = FX_F32, .ptr = b->ptr};
    b->table.block = &b->block;
    b->table.blocks = 1;
    return b->ptr ? 0 : say_no_memory("rows without entries");
}
