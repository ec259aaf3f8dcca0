/* SPDX-License-Identifier: BSD-3-Clause
 * seen.c - which columns training sees: those that are not 0 in some row of positive weight; and
 * the largest number of each, which shows whether scales differ. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    const fx_matrix *X;
    const double *weight;
    double *largest;
    size_t piece;
} scan;

static fx_status scan_piece(void *ctx, size_t b, fxi_team *team)
{
    const scan *s = ctx;
    size_t i = b * s->piece, last = s->X->rows - i < s->piece ? s->X->rows : i + s->piece;

    for (; i < last && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(s->X, i);
        for (size_t q = 0; q < r.n && s->weight[i] > 0; q++) {
            double x = fabs(fxi_row_value(r, q)), *max = s->largest + fxi_row_column(r, q);
            *max = x > *max ? x : *max;
        }
    }
    return FX_OK;
}

fx_status fxi_train_seen(fxi_train *t, const fx_run *run)
{
    const fx_model_info *before = t->init && t->init->kind->columns ? &t->init->c : NULL;
    fx_model_info *c = &t->m->c;
    fx_table table = {.rows = t->X.rows, .cols = t->X.cols, .blocks = 1, .block = &t->X};
    fxi_rows rows = {.start = NULL};
    size_t bytes = fxi_size_mul(&bytes, c->cols, sizeof *t->largest + 1) ? bytes : SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "columns seen");
    unsigned char *seen = st ? NULL : fxi_alloc(c->cols, 1);

    if (!st)
        st = fxi_model_own(t->m, seen);
    if (!st && !(t->largest = fxi_zalloc(c->cols, sizeof *t->largest)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_data_rows(&rows, &table);
    if (!st) {
        scan s = {&t->X, t->labels.weight, t->largest, rows.piece};
        st = fxi_parallel_ordered(rows.pieces, scan_piece, &s, run);
    }
    free(rows.start);
    if (st)
        return st;
    bool widens = before && (before->cols == c->cols || t->init->kind->widens);
    size_t known = widens ? before->cols : 0;
    for (size_t j = 0; j < c->cols; j++)
        seen[j] = t->largest[j] > 0;
    for (size_t j = 0; j < known; j++)
        seen[fxi_train_place(t, j)] |= !before->seen || before->seen[j];
    c->seen = memchr(seen, 0, c->cols) ? seen : NULL;
    return FX_OK;
}
