/* SPDX-License-Identifier: BSD-3-Clause
 * select.c - a copy of chosen rows of a table, as one block that owns its memory.
 *
 * The copy is dense if all blocks of the table are, else CSR: a dense row among sparse ones gives
 * its non-zeros, a sparse row all that it stores.  Numbers are copied exactly: float if all chosen
 * blocks are float.  Labels, weights, queries, class names, feature names and base come along.
 *
 * Cost: one pass over the chosen rows to count (CSR only), one to copy, in parallel. */

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

typedef struct copy {
    fxi_rows source;
    const size_t *rows;                 /* NULL: all */
    size_t n, piece;                    /* rows of the copy; of one block of the parallel loops */
    bool dense, wide;
    fx_type type;
    int64_t *ptr;                       /* CSR: [n + 1], else NULL */
    void *col, *val;
} copy;

static size_t source_row(const copy *c, size_t i) { return c->rows ? c->rows[i] : i; }

/* True if the copy stores q of r: zeros of dense rows are left out of CSR. */
static bool stored(const copy *c, fxi_row r, size_t q)
{
    return c->dense || r.col32 || r.col64 || fxi_row_value(r, q) != 0;
}

static fx_status count_rows(void *ctx, size_t block, fxi_team *team)
{
    copy *c = ctx;
    size_t first = block * c->piece, last = c->n - first < c->piece ? c->n : first + c->piece;

    for (size_t i = first; i < last && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&c->source, source_row(c, i));
        int64_t n = 0;
        if (r.col32 || r.col64)
            n = (int64_t)r.n;
        else
            for (size_t q = 0; q < r.n; q++)
                n += stored(c, r, q);
        c->ptr[i + 1] = n;
    }
    return FX_OK;
}

static fx_status copy_rows(void *ctx, size_t block, fxi_team *team)
{
    copy *c = ctx;
    size_t first = block * c->piece, last = c->n - first < c->piece ? c->n : first + c->piece;

    for (size_t i = first; i < last && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&c->source, source_row(c, i));
        size_t to = c->dense ? i * c->source.t->cols : (size_t)c->ptr[i];
        for (size_t q = 0; q < r.n; q++) {
            if (!stored(c, r, q))
                continue;
            if (c->type == FX_F64)
                ((double *)c->val)[to] = fxi_row_value(r, q);
            else
                ((float *)c->val)[to] = r.f32[q];
            if (c->wide)
                ((int64_t *)c->col)[to] = fxi_row_column(r, q);
            else if (c->col)
                ((int32_t *)c->col)[to] = (int32_t)fxi_row_column(r, q);
            to++;
        }
    }
    return FX_OK;
}

/* The n texts one after the other, following n pointers to them, in one piece of memory. */
static fx_status copy_names(const char *const **out, fx_data *d, const char *const *name, size_t n)
{
    size_t bytes;
    bool fits = fxi_size_mul(&bytes, n, sizeof *name);

    for (size_t i = 0; fits && i < n; i++)
        fits = fxi_size_add(&bytes, bytes, strlen(name[i]) + 1);
    const char **to = fxi_data_alloc(d, fits ? bytes : SIZE_MAX, 1);
    if (!to)
        return FX_ENOMEM;
    char *text = (char *)(to + n);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(name[i]) + 1;
        to[i] = memcpy(text, name[i], len);
        text += len;
    }
    *out = to;
    return FX_OK;
}

/* The numbers that belong to the chosen rows; none if there are none. */
static fx_status copy_numbers(const double **out, fx_data *d, const copy *c, const double *from)
{
    if (!from)
        return FX_OK;
    double *to = fxi_data_alloc(d, c->n, sizeof *to);
    if (!to)
        return FX_ENOMEM;
    for (size_t i = 0; i < c->n; i++)
        to[i] = from[source_row(c, i)];
    *out = to;
    return FX_OK;
}

static fx_status copy_labels(fx_data *d, const copy *c)
{
    const fx_table *t = c->source.t;
    fx_status s;

    if ((s = copy_numbers(&d->table.label, d, c, t->label))
        || (s = copy_numbers(&d->table.weight, d, c, t->weight)))
        return s;
    if (t->qid) {
        int64_t *qid = fxi_data_alloc(d, c->n, sizeof *qid);
        if (!qid)
            return FX_ENOMEM;
        for (size_t i = 0; i < c->n; i++)
            qid[i] = t->qid[source_row(c, i)];
        d->table.qid = qid;
    }
    if (t->classes && (s = copy_names(&d->table.class_name, d, t->class_name, t->classes)))
        return s;
    d->table.classes = t->classes;
    return t->name ? copy_names(&d->table.name, d, t->name, t->cols) : FX_OK;
}

/* What the copy will look like, from the blocks that are chosen. */
static fx_status plan(copy *c, bool as_double)
{
    const fx_table *t = c->source.t;

    c->wide = t->cols > INT32_MAX;
    c->dense = t->blocks > 0;
    for (size_t b = 0; b < t->blocks; b++)
        c->dense &= !t->block[b].ptr;
    c->wide &= !c->dense;
    c->type = as_double ? FX_F64 : FX_F32;
    for (size_t i = 0; i < c->n; i++) {
        size_t row = source_row(c, i);
        if (row >= t->rows)
            return fxi_error(FX_EINVAL, "row %zu (from 0) is chosen (place %zu), but there are %zu "
                                        "rows",
                             row, i, t->rows);
        if (t->block[fxi_data_rows_block(&c->source, row)].type == FX_F64)
            c->type = FX_F64;
    }
    return FX_OK;
}

/* Bytes of the arrays of rows; false if they do not fit size_t. */
static bool array_bytes(size_t *out, const copy *c, size_t numbers)
{
    size_t each = c->type == FX_F64 ? sizeof(double) : sizeof(float), rows;

    if (!c->dense)
        each += c->wide ? sizeof(int64_t) : sizeof(int32_t);
    return fxi_size_mul(out, numbers, each) && fxi_size_mul(&rows, c->n, 32)
        && fxi_size_add(out, *out, rows);
}

static fx_status fill(fx_data *d, copy *c, const fx_run *run)
{
    const fx_table *t = c->source.t;
    size_t blocks = c->n / c->piece + (c->n % c->piece != 0), numbers, bytes;
    fx_matrix *X = fxi_data_alloc(d, 1, sizeof *X);
    fx_status s = X ? FX_OK : FX_ENOMEM;

    if (!s && !c->dense) {
        if (!(c->ptr = fxi_data_alloc(d, c->n + 1, sizeof *c->ptr)))
            return FX_ENOMEM;
        c->ptr[0] = 0;
        s = fxi_parallel(blocks, count_rows, c, run);
        for (size_t i = 0; !s && i < c->n; i++)
            if (__builtin_add_overflow(c->ptr[i + 1], c->ptr[i], &c->ptr[i + 1]))
                s = fxi_error(FX_ESHAPE, "%zu chosen rows hold too many numbers", c->n);
    }
    if (s)
        return s;
    bool fits = true;
    if (c->dense)
        fits = fxi_size_mul(&numbers, c->n, t->cols);
    else
        numbers = (size_t)c->ptr[c->n];
    if (!fits || !array_bytes(&bytes, c, numbers))
        return fxi_error(FX_ESHAPE, "%zu chosen rows of %zu columns: too large", c->n, t->cols);
    if ((s = fxi_memory_check(run, bytes, "a copy of the rows")))
        return s;
    c->val = fxi_data_alloc(d, numbers, c->type == FX_F64 ? sizeof(double) : sizeof(float));
    if (!c->dense)
        c->col = fxi_data_alloc(d, numbers, c->wide ? sizeof(int64_t) : sizeof(int32_t));
    if (!c->val || (!c->dense && !c->col))
        return FX_ENOMEM;
    *X = (fx_matrix){.rows = c->n, .cols = t->cols, .stride = c->dense ? t->cols : 0,
                     .type = c->type, .wide = c->wide, .val = c->val, .ptr = c->ptr, .col = c->col};
    d->table = (fx_table){.rows = c->n, .cols = t->cols, .blocks = 1, .block = X, .base = t->base};
    if ((s = copy_labels(d, c)))
        return s;
    return fxi_parallel(blocks, copy_rows, c, run);
}

fx_status fxi_data_select(fx_data **out, const fx_table *t, const size_t *rows, size_t n,
                          bool as_double, const fx_run *run)
{
    copy c = {.rows = rows, .n = rows ? n : t->rows};
    fx_status s = fxi_data_rows(&c.source, t);

    if (s)
        return s;
    c.piece = c.source.piece;
    fx_data *d = fxi_data_new();
    s = d ? plan(&c, as_double) : FX_ENOMEM;
    if (!s)
        s = fill(d, &c, run);
    free(c.source.start);
    if (s)
        fx_data_free(d);
    else
        *out = d;
    return s;
}

fx_status fx_data_select(fx_data **out, const fx_table *t, const size_t *rows, size_t n,
                         const fx_run *run)
{
    fx_status s = fxi_data_check_missing_table(t, run);

    if (!s && !out)
        s = fxi_error(FX_EINVAL, "no place is given for the copy");
    return s ? s : fxi_data_select(out, t, rows, n, false, run);
}
