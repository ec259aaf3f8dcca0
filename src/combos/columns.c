/* SPDX-License-Identifier: BSD-3-Clause
 * columns.c - the numbers of all rows, by rows and by columns, columns ranked by how many rows hold
 * them. */

#include "combos/combos.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 256 };                   /* items of a block of the norms */
enum { POLL = 64 };                     /* rows or items between two polls */
#define PAIRS 1e9                       /* pairs of numbers that the norms may cost */

static double at(const double *x, size_t q) { return x ? x[q] : 1; }
static bool cancelled(size_t i, fxi_team *team)
{
    return i % POLL == 0 && fxi_parallel_cancelled(team);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* How often each column is not 0; what kind of numbers there are. */
static fx_status count(fxi_combos_columns *c, size_t *times, const fx_matrix *X, fxi_team *team)
{
    c->binary = true;
    for (size_t i = 0; i < X->rows && !cancelled(i, team); i++) {
        fxi_row r = fxi_data_row(X, i);
        for (size_t q = 0; q < r.n; q++) {
            double x = fxi_row_value(r, q);
            if (x == 0)
                continue;
            if (fabs(x) > 1)
                return fxi_error(
                    FX_EDOMAIN,
                    "row %zu (from 0) has %.9g in column %lld; products of "
                    "any columns need numbers from -1 to 1, as scale=maxabs makes them",
                    i, x, (long long)fxi_row_column(r, q));
            times[fxi_row_column(r, q)]++;
            c->numbers++;
            c->binary &= x == 1;
            c->signs |= x < 0;
        }
    }
    return FX_OK;
}

typedef struct ranked {
    size_t times;
    int32_t column;
} ranked;

static int rarer(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->times != y->times)
        return x->times < y->times ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* rank[column]; fills column and start. */
static fx_status rank_columns(fxi_combos_columns *c, int32_t *rank, const size_t *times)
{
    ranked *order = fxi_alloc(c->cols, sizeof *order);

    if (!order)
        return FX_ENOMEM;
    for (size_t j = 0; j < c->cols; j++)
        order[j] = (ranked){times[j], (int32_t)j};
    qsort(order, c->cols, sizeof *order, rarer);
    c->start[0] = 0;
    for (size_t k = 0; k < c->cols; k++) {
        c->column[k] = order[k].column;
        rank[order[k].column] = (int32_t)k;
        c->start[k + 1] = c->start[k] + order[k].times;
    }
    free(order);
    return FX_OK;
}

/* By columns first: rows then come in their order, and reading these gives rows of ascending
 * items. */
static fx_status fill(fxi_combos_columns *c, const int32_t *rank, const fx_matrix *X,
                      fxi_team *team)
{
    size_t *to = fxi_zalloc((c->cols > c->rows ? c->cols : c->rows) + 1, sizeof *to);

    if (!to)
        return FX_ENOMEM;
    memcpy(to, c->start, c->cols * sizeof *to);
    for (size_t i = 0; i < c->rows && !cancelled(i, team); i++) {
        fxi_row r = fxi_data_row(X, i);
        c->ptr[i + 1] = c->ptr[i];
        for (size_t q = 0; q < r.n; q++) {
            double x = fxi_row_value(r, q);
            if (x == 0)
                continue;
            size_t k = to[rank[fxi_row_column(r, q)]]++;
            c->row[k] = (int32_t)i;
            if (c->x)
                c->x[k] = x;
            c->ptr[i + 1]++;
        }
    }
    memcpy(to, c->ptr, c->rows * sizeof *to);
    for (size_t k = 0; k < c->cols && !cancelled(k, team); k++)
        for (size_t q = c->start[k]; q < c->start[k + 1]; q++) {
            size_t p = to[c->row[q]]++;
            c->item[p] = (int32_t)k;
            if (c->val)
                c->val[p] = c->x[q];
        }
    free(to);
    return FX_OK;
}

/* ---- Norms ----------------------------------------------------------------------------------- */

typedef struct norms {
    fxi_combos_columns *c;
    double *sum;                        /* [threads][cols] */
} norms;

static fx_status find_norms(void *ctx, size_t block, fxi_team *team)
{
    norms *n = ctx;
    fxi_combos_columns *c = n->c;
    double *sum = n->sum + (size_t)fxi_parallel_thread(team) * c->cols;
    size_t end = (block + 1) * PIECE < c->cols ? (block + 1) * PIECE : c->cols;

    for (size_t k = block * PIECE; k < end && !fxi_parallel_cancelled(team); k++) {
        double largest = 0;
        memset(sum + k, 0, (c->cols - k) * sizeof *sum);
        for (size_t q = c->start[k]; q < c->start[k + 1]; q++) {
            size_t i = (size_t)c->row[q];
            for (size_t p = c->ptr[i + 1]; p-- > c->ptr[i] && (size_t)c->item[p] > k;) {
                double u = at(c->val, p) * at(c->x, q);
                sum[c->item[p]] += u * u;
            }
        }
        for (size_t l = k + 1; l < c->cols; l++)
            largest = fmax(largest, sum[l]);
        c->norm[k] = sqrt(largest);
    }
    return FX_OK;
}

/* Norms of pairs take all pairs of numbers in a row; where that is too much, those of columns are
 * bounds, as no number is above 1. */
static fx_status norms_of(fxi_combos_columns *c, const fx_run *run)
{
    double pairs = 0;

    for (size_t i = 0; i < c->rows; i++)
        pairs += 0.5 * (double)(c->ptr[i + 1] - c->ptr[i]) * (double)(c->ptr[i + 1] - c->ptr[i]);
    if (pairs > PAIRS) {
        for (size_t k = 0; k < c->cols; k++) {
            double sum = 0;
            for (size_t q = c->start[k]; q < c->start[k + 1]; q++)
                sum += at(c->x, q) * at(c->x, q);
            c->norm[k] = sqrt(sum);
        }
        return FX_OK;
    }
    fx_run how = fxi_parallel_run(run, pairs);
    size_t blocks = (c->cols + PIECE - 1) / PIECE;
    norms n = {c, NULL};
    fx_status st = FX_OK;
    n.sum = fxi_alloc_within(&st, (size_t)fxi_parallel_threads(&how, blocks) * c->cols,
                             sizeof *n.sum, run, "norms of products");
    if (n.sum)
        st = fxi_parallel(blocks, find_norms, &n, &how);
    free(n.sum);
    return st;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static fx_status allocate(fxi_combos_columns *c, const fx_run *run)
{
    size_t bytes = c->numbers * (2 * sizeof *c->item + (c->binary ? 0 : 2 * sizeof *c->val))
                   + (c->rows + 1) * sizeof *c->ptr;
    fx_status st = fxi_memory_check(run, bytes, "rows and columns of products");

    if (st)
        return st;
    c->bytes = bytes;
    c->ptr = fxi_zalloc(c->rows + 1, sizeof *c->ptr);
    c->item = fxi_alloc(c->numbers, sizeof *c->item);
    c->row = fxi_alloc(c->numbers, sizeof *c->row);
    c->norm = fxi_zalloc(c->cols, sizeof *c->norm);
    c->val = c->binary ? NULL : fxi_alloc(c->numbers, sizeof *c->val);
    c->x = c->binary ? NULL : fxi_alloc(c->numbers, sizeof *c->x);
    return c->ptr && c->item && c->row && c->norm && (c->binary || (c->val && c->x)) ? FX_OK
                                                                                     : FX_ENOMEM;
}

typedef struct reading {
    fxi_combos_columns *c;
    size_t *times;                      /* [cols] */
    int32_t *rank;                      /* [cols] */
    const fx_matrix *X;
    const fx_run *run;
} reading;

static fx_status read_block(void *ctx, size_t block, fxi_team *team)
{
    const reading *r = ctx;
    fxi_combos_columns *c = r->c;
    fx_run run = fxi_parallel_alone(r->run, team);
    fx_status st = count(c, r->times, r->X, team);

    (void)block;
    if (!st && c->numbers > INT32_MAX)
        st = fxi_error(FX_EUNSUPPORTED,
                       "%zu numbers other than 0; products of any columns are "
                       "found among at most 2^31 - 1",
                       c->numbers);
    if (st || fxi_parallel_cancelled(team) || (st = rank_columns(c, r->rank, r->times))
        || (st = allocate(c, &run)) || (st = fill(c, r->rank, r->X, team))
        || fxi_parallel_cancelled(team))
        return st;
    return norms_of(c, &run);
}

fx_status fxi_combos_columns_new(fxi_combos_columns *out, const fx_matrix *X, const fx_run *run)
{
    fxi_combos_columns c = {.rows = X->rows, .cols = X->cols};
    reading r = {&c, NULL, NULL, X, run};
    fx_status st = FX_ENOMEM;

    if (X->rows > INT32_MAX || X->cols > INT32_MAX)
        return fxi_error(FX_EUNSUPPORTED,
                         "%zu rows x %zu columns; products of any columns are "
                         "found in at most 2^31 - 1 rows and columns",
                         X->rows, X->cols);
    r.times = fxi_zalloc(X->cols, sizeof *r.times);
    r.rank = fxi_alloc(X->cols, sizeof *r.rank);
    c.column = fxi_alloc(X->cols, sizeof *c.column);
    c.start = fxi_zalloc(X->cols + 1, sizeof *c.start);
    if (r.times && r.rank && c.column && c.start)
        st = fxi_parallel_ordered(1, read_block, &r, run);
    fxi_free(r.times, r.rank);
    if (st)
        fxi_combos_columns_free(&c);
    else
        *out = c;
    return st;
}

void fxi_combos_columns_free(fxi_combos_columns *c)
{
    fxi_free(c->column, c->ptr, c->item, c->val, c->start, c->row, c->x, c->norm);
}

void fxi_combos_columns_of(size_t *to, const fxi_combos_columns *c, const fxi_combo *set)
{
    for (int32_t n = 0; n < set->n; n++) {      /* in its place among those before */
        size_t j = (size_t)c->column[set->item[n]];
        int32_t k = n;
        for (; k && to[k - 1] > j; k--)
            to[k] = to[k - 1];
        to[k] = j;
    }
}
