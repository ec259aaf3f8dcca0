/* SPDX-License-Identifier: BSD-3-Clause
 * npy.c - dense rows from one NumPy array: two dimensions, or one, which is one column.
 *
 * Whole rows become a block as soon as there are enough of them, so memory beyond the table
 * is one block.  There are no labels. */

#include "read/read.h"

#include <string.h>

enum { BLOCK = 1 << 17 };               /* numbers in a block, or one row if it has more */

static const fx_key keys[] = {{FXI_ARRAY_KEY}, {0}};

typedef struct stream {
    fxi_read_array a;
    size_t row, limit;                  /* bytes of a row and of a full block */
    size_t rows;                        /* given to the reader */
} stream;

static fx_status open_npy(fx_reader *r, const fxi_spec *s)
{
    fx_status st = fxi_read_npy_array_keys(r, s, keys);

    return st ? st : fxi_read_state(r, sizeof(stream));
}

static void close_npy(fx_reader *r)
{
    stream *s = r->state;

    fxi_read_npy_array_free(&s->a);
}

static fx_status begin(fx_reader *r, stream *s)
{
    fxi_read_array *a = &s->a;

    if (a->kind == 'S' || a->kind == 'U')
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, 10, "text, not numbers");
    if (a->dims == 0)
        return fxi_read_npy_array_error(r, a, FX_EFORMAT, 10, "a single number, not rows");
    r->cols = a->dims == 2 ? a->shape[1] : 1;
    if (r->cols == 0)
        return fxi_read_npy_array_error(r, a, FX_EFORMAT, 10, "rows without columns");
    if (!fxi_size_mul(&s->row, r->cols, a->item))
        return fxi_read_npy_array_error(r, a, FX_EFORMAT, 10, "the shape is too large");
    s->limit = r->cols < BLOCK ? BLOCK / r->cols * s->row : s->row;
    return FX_OK;
}

/* The whole rows that have come become a block; the rest of the bytes stays. */
static fx_status flush(fx_reader *r, stream *s, fxi_team *team)
{
    fxi_read_array *a = &s->a;
    size_t rows = a->fill / s->row, rest = a->fill % s->row;
    unsigned char *tail = NULL;
    fx_matrix m = {.rows = rows, .cols = r->cols, .stride = r->cols};
    void *val;

    if (rows == 0)
        return FX_OK;
    if (rest) {
        tail = fxi_realloc(NULL, rest, 1);
        if (!tail)
            return FX_ENOMEM;
        memcpy(tail, a->raw + rows * s->row, rest);
    }
    fx_status st = fxi_read_npy_array_numbers(&val, &m.type, r, a, rows * r->cols,
                                              s->rows * r->cols, r->cols, team);
    a->raw = tail;
    a->fill = a->capacity = rest;
    if (st)
        return st;
    s->rows += rows;
    m.val = val;
    return fxi_read_block(r, m);
}

typedef struct work { fx_reader *r; const char *bytes; size_t len; } work;

/* A "parallel" loop of one part, only so that it can be cancelled. */
static fx_status consume(void *ctx, size_t part, fxi_team *team)
{
    work *w = ctx;
    stream *s = w->r->state;
    fxi_read_array *a = &s->a;
    fx_status st = FX_OK;

    (void)part;
    if (!a->ready) {
        st = fxi_read_npy_array_header(w->r, a, &w->bytes, &w->len);
        if (!st && a->ready)
            st = begin(w->r, s);
    }
    while (!st && w->len) {
        if (a->got == a->need)
            return fxi_read_npy_array_error(w->r, a, FX_EFORMAT, a->offset + a->got,
                                            "bytes after the last number");
        st = fxi_read_npy_array_fill(a, s->limit, &w->bytes, &w->len);
        if (!st && (a->fill == s->limit || a->got == a->need))
            st = flush(w->r, s, team);
        if (!st && fxi_parallel_cancelled(team))
            st = FX_ECANCELLED;
    }
    return st;
}

static fx_status feed_npy(fx_reader *r, const char *bytes, size_t len, const fx_run *run)
{
    work w = {r, bytes, len};
    fx_status s = fxi_memory_check(run, len, "this array");

    r->count.bytes += len;
    return s ? s : fxi_parallel_ordered(1, consume, &w, run);
}

static fx_status finish(void *ctx, size_t part, fxi_team *team)
{
    fx_reader *r = ctx;

    (void)part;
    return flush(r, r->state, team);
}

static fx_status take_npy(fx_reader *r, bool end, const fx_run *run)
{
    stream *s = r->state;

    if (end && r->count.bytes) {
        fx_status st = fxi_read_npy_array_end(r, &s->a);
        if (st)
            return st;
    }
    return s->a.ready ? fxi_parallel_ordered(1, finish, r, run) : FX_OK;
}

const fxi_read_format fxi_read_npy = {
    .about = {.name = "npy", .help = "NumPy's dense array", .key = keys, .dense = 1, .binary = 1},
    .open = open_npy,
    .feed = feed_npy,
    .take = take_npy,
    .close = close_npy};
