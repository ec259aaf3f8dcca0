/* SPDX-License-Identifier: BSD-3-Clause
 * support.c - rows that hold all columns of a combination: the search asks whether there are enough
 * of them, and they are counted at its end.
 *
 * During the search: each column has a list of its rows.  The shortest list is intersected with the
 * others until enough rows are found.  Columns that all rows have need no list.  4 bytes per entry.
 *
 * At its end, one pass: an entry counts for the combinations that its column is in, and a row holds
 * a combination when it has as many such entries as distinct columns.  Cost: the entries, and the
 * combinations that they are in. */

#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096 };                  /* steps between two polls */

/* ---- Lists of rows ----------------------------------------------------------------------- */

typedef struct listing {
    fxi_explain_holders *h;
    fxi_rows rows;
    bool place;                         /* second pass: numbers of rows are placed */
} listing;

/* In the order of rows, so that each list ascends. */
static fx_status list_piece(void *ctx, size_t b, fxi_team *team)
{
    const listing *l = ctx;
    fxi_explain_holders *h = l->h;
    size_t i = b * l->rows.piece, end = h->rows - i < l->rows.piece ? h->rows : i + l->rows.piece;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&l->rows, i);
        for (size_t q = 0; q < r.n; q++) {
            size_t j = (size_t)fxi_row_column(r, q);
            if (j >= h->cols || fxi_row_value(r, q) == 0)
                continue;
            if (!l->place)
                h->count[j]++;
            else if (h->count[j] < h->rows)
                h->row[h->first[j + 1]++] = (uint32_t)i;
        }
    }
    return FX_OK;
}

/* first[j + 1] is where the list of column j begins, and after the second pass where it ends. */
static fx_status make_lists(fxi_explain_holders *h, const fx_run *run)
{
    size_t total = 0, bytes;

    for (size_t j = 0; j < h->cols; j++) {
        h->first[j + 1] = total;
        total += h->count[j] < h->rows ? h->count[j] : 0;
    }
    bytes = fxi_size_mul(&bytes, total, sizeof *h->row) ? bytes : SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "rows of each column (support)");
    if (!st && !(h->row = fxi_alloc(total, sizeof *h->row)))
        st = FX_ENOMEM;
    return st;
}

void fxi_explain_support_free(fxi_explain_holders *h)
{
    free(h->count);
    free(h->first);
    free(h->row);
    *h = (fxi_explain_holders){0};
}

fx_status fxi_explain_support_index(fxi_explain_holders *out, const fx_table *rows, size_t cols,
                                    uint64_t need, const fx_run *run)
{
    fxi_explain_holders h = {.need = need, .rows = rows->rows, .cols = cols};
    listing l = {.h = &h};
    fx_status st = fxi_data_check_table(rows, run);

    if (!st && rows->rows > UINT32_MAX)
        st = fxi_error(FX_EUNSUPPORTED,
                       "support in %zu rows; up to %u are looked at, or none with unsupported",
                       rows->rows, UINT32_MAX);
    if (!st
        && (!(h.count = fxi_zalloc(cols, sizeof *h.count))
            || !(h.first = fxi_zalloc(cols + 1, sizeof *h.first))))
        st = FX_ENOMEM;
    if (!st && !(st = fxi_data_rows(&l.rows, rows))
        && !(st = fxi_parallel_ordered(l.rows.pieces, list_piece, &l, run)))
        st = make_lists(&h, run);
    l.place = true;
    if (!st)
        st = fxi_parallel_ordered(l.rows.pieces, list_piece, &l, run);
    free(l.rows.start);
    if (st)
        fxi_explain_support_free(&h);
    else
        *out = h;
    return st;
}

/* ---- Enough rows ------------------------------------------------------------------------- */

typedef struct list {
    const uint32_t *at, *end;
} list;

/* True if row is in the list; skips all entries before it. */
static bool find_row(list *l, uint32_t row)
{
    size_t low = 0, high = (size_t)(l->end - l->at);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->at[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    l->at += low;
    return l->at < l->end && *l->at == row;
}

/* Lists of the columns that not all rows have, the shortest first; false: one is too short. */
static bool take_lists(list *of, int *n, const fxi_explain_holders *h, const fxi_explain_item *item)
{
    *n = 0;
    for (int i = 0; i < item->order; i++) {
        size_t j = (size_t)item->column[i];
        if (h->count[j] < h->need)
            return false;
        if (h->count[j] == h->rows || (i && item->column[i] == item->column[i - 1]))
            continue;
        list l = {h->row + h->first[j], h->row + h->first[j + 1]};
        if (*n && l.end - l.at < of[0].end - of[0].at) {
            of[(*n)++] = of[0];
            of[0] = l;
        } else
            of[(*n)++] = l;
    }
    return true;
}

bool fxi_explain_support_enough(fxi_explain_top *t, const fxi_explain_item *item)
{
    const fxi_explain_holders *h = t->holders;
    list of[FXI_EXPLAIN_DEEP];
    uint64_t found = 0;
    size_t steps = 0;
    int n;

    if (h->rows < h->need || !take_lists(of, &n, h, item))
        return false;
    if (n < 2)
        return true;
    for (; of[0].at < of[0].end && found < h->need; of[0].at++) {
        bool all = true;
        for (int i = 1; i < n && all; i++)
            all = find_row(&of[i], *of[0].at);
        found += all;
        if (++steps % PIECE == 0 && t->team && fxi_parallel_cancelled(t->team))
            break;                      /* the whole call ends */
    }
    t->row_steps += (double)steps;
    return found >= h->need;
}

/* ---- How many ---------------------------------------------------------------------------- */

typedef struct counting {
    fx_combination *at;
    size_t n, cols;                     /* cols: beyond the last column of any */
    size_t *first;                      /* [cols + 2] into `in` */
    int32_t *in;                        /* combinations of a column */
    int32_t *distinct;                  /* [n] columns */
    fxi_rows rows;
    uint64_t *support;                  /* [threads][n] */
    int32_t *present;                   /* [threads][n] columns of it in this row; 0 between rows */
} counting;

static bool is_repeat(const fx_combination *c, size_t i)
{
    return i && c->column[i] == c->column[i - 1];
}

/* Which combinations each column is in: counted, then placed. */
static fx_status index_columns(counting *a)
{
    for (size_t k = 0; k < a->n; k++)
        for (size_t i = 0; i < a->at[k].order; i++)
            a->cols = a->at[k].column[i] >= a->cols ? a->at[k].column[i] + 1 : a->cols;
    a->first = fxi_zalloc(a->cols + 2, sizeof *a->first);
    a->distinct = fxi_zalloc(a->n, sizeof *a->distinct);
    if (!a->first || !a->distinct)
        return FX_ENOMEM;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < a->n; k++)
            for (size_t i = 0; i < a->at[k].order; i++) {
                size_t j = a->at[k].column[i];
                if (is_repeat(&a->at[k], i))
                    continue;
                if (pass)
                    a->in[a->first[j + 1]++] = (int32_t)k;
                else {
                    a->first[j + 2]++;
                    a->distinct[k]++;
                }
            }
        for (size_t j = 0; j <= a->cols && !pass; j++)
            a->first[j + 1] += a->first[j];
        if (!pass && !(a->in = fxi_alloc(a->first[a->cols + 1], sizeof *a->in)))
            return FX_ENOMEM;
    }
    return FX_OK;
}

static fx_status count_piece(void *ctx, size_t b, fxi_team *team)
{
    const counting *a = ctx;
    size_t thread = (size_t)fxi_parallel_thread(team), n = a->rows.t->rows;
    size_t i = b * a->rows.piece, end = n - i < a->rows.piece ? n : i + a->rows.piece;
    uint64_t *support = a->support + thread * a->n;
    int32_t *present = a->present + thread * a->n;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&a->rows, i);
        for (int pass = 0; pass < 2; pass++)
            for (size_t q = 0; q < r.n; q++) {
                size_t j = (size_t)fxi_row_column(r, q);
                if (j >= a->cols || fxi_row_value(r, q) == 0)
                    continue;
                for (size_t e = a->first[j]; e < a->first[j + 1]; e++) {
                    int32_t k = a->in[e];
                    if (pass)
                        present[k] = 0;
                    else
                        support[k] += ++present[k] == a->distinct[k];
                }
            }
    }
    return FX_OK;
}

fx_status fxi_explain_support(fx_combination *at, size_t n, const fx_table *rows, const fx_run *run)
{
    counting a = {.at = at, .n = n};
    fx_status st = n > INT32_MAX ? fxi_error(FX_ESHAPE, "%zu combinations are too many", n)
                                 : fxi_data_check_table(rows, run);

    if (!st && !(st = fxi_data_rows(&a.rows, rows)))
        st = index_columns(&a);
    size_t threads = st ? 1 : (size_t)fxi_parallel_threads(run, a.rows.pieces);
    if (!st) {
        a.support = fxi_zalloc(threads * n, sizeof *a.support);
        a.present = fxi_zalloc(threads * n, sizeof *a.present);
        st = a.support && a.present ? fxi_parallel(a.rows.pieces, count_piece, &a, run) : FX_ENOMEM;
    }
    for (size_t k = 0; k < n && !st; k++)
        for (size_t i = 0; i < threads; i++)
            at[k].support += a.support[i * n + k];
    free(a.first);
    free(a.in);
    free(a.distinct);
    free(a.rows.start);
    free(a.support);
    free(a.present);
    return st;
}
