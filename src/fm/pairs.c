/* SPDX-License-Identifier: BSD-3-Clause
 * pairs.c - which rows should score above which: those of one query with a larger label.
 *
 * Rows with weight are sorted by query and label; the rows below a row are then those from the
 * first of its query to the first of its label.  O(n log n), and no pair is stored. */

#include "data/data.h"
#include "fm/fm.h"

#include <stdlib.h>

typedef struct pairing {
    fxi_fm_pairs p;
    const double *y, *c;
    const int64_t *qid;
    size_t rows;
    fxi_data_item *item;                /* [rows], and space to sort */
} pairing;

static int64_t query_of(const pairing *a, size_t row) { return a->qid ? a->qid[row] : 0; }

/* Finds, among the n sorted rows, those that win against another row. */
static void find(pairing *a, size_t n)
{
    fxi_fm_pairs *p = &a->p;
    size_t *row = p->order;

    for (size_t i = 0, query = 0, label = 0; i < n; i++) {
        row[i] = a->item[i].with.number;
        if (query_of(a, row[i]) != query_of(a, row[query]))
            query = label = i;
        if (a->y[row[i]] != a->y[row[label]])
            label = i;
        if (label > query) {
            p->winner[p->n] = row[i];
            p->first[p->n] = query;
            p->last[p->n++] = label;
        }
    }
}

static fx_status sort(void *ctx, size_t block, fxi_team *team)
{
    pairing *a = ctx;
    fxi_data_item *item = a->item, *scratch = item + a->rows;
    size_t n = 0;
    fx_status st;

    (void)block;
    for (size_t i = 0; i < a->rows; i++)
        if (a->c[i] > 0) {
            item[n].key.col = fxi_data_sort_number(a->y[i]);
            item[n++].with.number = i;
        }
    if ((st = fxi_data_sort(item, scratch, n, fxi_data_sort_ascending, team)))
        return st;
    for (size_t i = 0; i < n; i++)
        item[i].key.col = query_of(a, item[i].with.number);
    if ((st = fxi_data_sort(item, scratch, n, fxi_data_sort_ascending, team)))
        return st;
    find(a, n);
    return a->p.n ? FX_OK
                  : fxi_error(FX_EINVAL, "no two rows of a query differ in their labels");
}

fx_status fxi_fm_pairs_new(fxi_fm_pairs *out, const double *y, const double *c, const int64_t *qid,
                           size_t rows, const fx_run *run)
{
    pairing a = {.y = y, .c = c, .qid = qid, .rows = rows};
    fx_status st = FX_ENOMEM;

    a.item = fxi_alloc(rows + rows / 2, sizeof *a.item);
    a.p.winner = fxi_alloc(rows, sizeof *a.p.winner);
    a.p.first = fxi_alloc(rows, sizeof *a.p.first);
    a.p.last = fxi_alloc(rows, sizeof *a.p.last);
    a.p.order = fxi_alloc(rows, sizeof *a.p.order);
    if (a.item && a.p.winner && a.p.first && a.p.last && a.p.order)
        st = fxi_parallel_ordered(1, sort, &a, run);
    free(a.item);
    if (st)
        fxi_fm_pairs_free(&a.p);
    else
        *out = a.p;
    return st;
}

void fxi_fm_pairs_free(fxi_fm_pairs *p)
{
    fxi_free(p->winner, p->first, p->last, p->order);
    *p = (fxi_fm_pairs){0};
}
