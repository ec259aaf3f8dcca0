/* SPDX-License-Identifier: BSD-3-Clause
 * pack.c - a table as bytes that are quick to read again; see pack.h. */

#include "data/pack.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };               /* bytes that go to the sink at a time */

typedef struct packing {
    const fx_table *t;
    fxi_pack h;
    const fx_sink *to, *sink;           /* sink NULL: only the checksum is wanted */
    fxi_team *team;
    fxi_checksum checksum;
    size_t used;
    uint64_t put;                       /* bytes of the array so far */
    bool failed, stopped;
    unsigned char buf[PIECE];
} packing;

static void flush(packing *p)
{
    p->stopped |= fxi_parallel_cancelled(p->team);      /* fxi_parallel reports it */
    if (!p->sink)
        fxi_checksum_add(&p->checksum, p->buf, p->used);
    else if (!p->stopped)
        p->failed |= p->sink->write(p->sink->ctx, p->buf, p->used) != 0;
    p->used = 0;
}

static void put(packing *p, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;

    p->put += n;
    while (n && !p->failed && !p->stopped) {
        size_t part = PIECE - p->used < n ? PIECE - p->used : n;
        memcpy(p->buf + p->used, from, part);
        p->used += part;
        from += part;
        n -= part;
        if (p->used == PIECE)
            flush(p);
    }
}

/* An array ends. */
static void pad(packing *p)
{
    put(p, (const char[8]){0}, (size_t)(fxi_pack_padded(p->put) - p->put));
    p->put = 0;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static bool add(uint64_t *sum, uint64_t n, uint64_t each)
{
    uint64_t bytes;

    return !__builtin_mul_overflow(n, each, &bytes) && bytes <= UINT64_MAX - 8
           && !__builtin_add_overflow(*sum, fxi_pack_padded(bytes), sum);
}

bool fxi_data_pack_sizes(uint64_t size[FXI_PACK_ARRAYS], uint64_t *all, const fxi_pack *h)
{
    const struct { uint32_t flag; uint64_t n, each; } array[FXI_PACK_ARRAYS] = {
        {FXI_PACK_LABEL, h->rows, 8},
        {FXI_PACK_WEIGHT, h->rows, 8},
        {FXI_PACK_QUERY, h->rows, 8},
        {FXI_PACK_SPARSE, h->rows, 4},
        {FXI_PACK_SPARSE, h->entries, h->flags & FXI_PACK_WIDE ? 8 : 4},
        {0, h->flags & FXI_PACK_ONES ? 0 : h->entries, h->flags & FXI_PACK_DOUBLE ? 8 : 4},
        {FXI_PACK_CLASSES, h->text, 1}};

    *all = fxi_pack_padded(sizeof *h);
    for (size_t k = 0; k < FXI_PACK_ARRAYS; k++) {
        size[k] = 0;
        if ((!array[k].flag || h->flags & array[k].flag)
            && (!add(&size[k], array[k].n, array[k].each) || !add(all, size[k], 1)))
            return false;
    }
    return true;
}

/* ---- Arrays -------------------------------------------------------------------------------- */

static bool all_ones(const fx_table *t)
{
    for (size_t b = 0; b < t->blocks; b++)
        for (size_t i = 0; i < t->block[b].rows; i++) {
            fxi_row r = fxi_data_row(&t->block[b], i);
            for (size_t q = 0; q < r.n; q++)
                if (fxi_row_value(r, q) != 1)
                    return false;
        }
    return true;
}

static fx_status head(fxi_pack *h, const fx_table *t)
{
    bool dense = false;

    *h = (fxi_pack){.magic = FXI_PACK_MAGIC, .rows = t->rows, .cols = t->cols,
                    .base = (uint32_t)t->base};
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        h->flags |= X->ptr ? FXI_PACK_SPARSE : 0;
        h->flags |= X->ptr && X->wide ? FXI_PACK_WIDE : 0;
        h->flags |= X->type == FX_F64 ? FXI_PACK_DOUBLE : 0;
        dense |= !X->ptr;
        h->entries += fxi_data_stored(X);
    }
    if (dense && h->flags & FXI_PACK_SPARSE)
        return fxi_error(FX_EUNSUPPORTED, "dense and sparse rows cannot be packed together");
    if (!dense && all_ones(t))
        h->flags |= FXI_PACK_ONES;
    h->flags |= (t->label ? FXI_PACK_LABEL : 0) | (t->weight ? FXI_PACK_WEIGHT : 0)
                | (t->qid ? FXI_PACK_QUERY : 0) | (t->classes ? FXI_PACK_CLASSES : 0);
    h->classes = t->classes;
    for (size_t k = 0; k < t->classes; k++)
        h->text += strlen(t->class_name[k]) + 1;
    return FX_OK;
}

static void put_lengths(packing *p, const fx_table *t)
{
    for (size_t b = 0; b < t->blocks; b++)
        for (size_t i = 0; i < t->block[b].rows; i++)
            put(p, &(uint32_t){(uint32_t)fxi_data_row(&t->block[b], i).n}, sizeof(uint32_t));
    pad(p);
}

/* Columns and numbers of a row that are stored as they are packed are copied at once. */
static void put_row_columns(packing *p, fxi_row r, bool wide)
{
    if (wide && r.col64)
        put(p, r.col64, r.n * sizeof *r.col64);
    else if (!wide && r.col32)
        put(p, r.col32, r.n * sizeof *r.col32);
    else
        for (size_t q = 0; q < r.n; q++) {
            int64_t j = fxi_row_column(r, q);
            if (wide)
                put(p, &j, sizeof j);
            else
                put(p, &(int32_t){(int32_t)j}, sizeof(int32_t));
        }
}

static void put_row_numbers(packing *p, fxi_row r, bool doubles)
{
    if (doubles && r.f64)
        put(p, r.f64, r.n * sizeof *r.f64);
    else if (!doubles)                  /* then all rows are floats */
        put(p, r.f32, r.n * sizeof *r.f32);
    else
        for (size_t q = 0; q < r.n; q++)
            put(p, &(double){r.f32[q]}, sizeof(double));
}

static void put_rows(packing *p, const fx_table *t, void (*put_row)(packing *, fxi_row, bool),
                     bool wide)
{
    for (size_t b = 0; b < t->blocks; b++)
        for (size_t i = 0; i < t->block[b].rows; i++)
            put_row(p, fxi_data_row(&t->block[b], i), wide);
    pad(p);
}

static void put_all(packing *p)
{
    const fxi_pack *h = &p->h;
    const fx_table *t = p->t;

    put(p, h, sizeof *h);
    pad(p);
    if (t->label)
        put(p, t->label, t->rows * sizeof *t->label);
    if (t->weight)
        put(p, t->weight, t->rows * sizeof *t->weight);
    if (t->qid)
        put(p, t->qid, t->rows * sizeof *t->qid);
    pad(p);
    if (h->flags & FXI_PACK_SPARSE) {
        put_lengths(p, t);
        put_rows(p, t, put_row_columns, h->flags & FXI_PACK_WIDE);
    }
    if (!(h->flags & FXI_PACK_ONES))
        put_rows(p, t, put_row_numbers, h->flags & FXI_PACK_DOUBLE);
    for (size_t k = 0; k < t->classes; k++)
        put(p, t->class_name[k], strlen(t->class_name[k]) + 1);
    pad(p);
    flush(p);
}

static fx_status pack(void *ctx, size_t block, fxi_team *team)
{
    packing *p = ctx;

    (void)block;
    p->team = team;
    put_all(p);
    p->h.checksum = fxi_checksum_end(&p->checksum);
    p->sink = p->to;
    put_all(p);
    return p->failed ? fxi_error(FX_EOUTPUT, "the output refused a part") : FX_OK;
}

fx_status fx_data_pack(const fx_sink *sink, const fx_table *t, const fx_run *run)
{
    fx_sink to = FX_INIT(fx_sink);
    fxi_pack h;
    uint64_t size[FXI_PACK_ARRAYS];
    fx_status st = sink ? fxi_sized_in(&to, sizeof to, sink, "fx_sink") : FX_OK;

    if (!st && !to.write)
        st = fxi_error(FX_EINVAL, "no sink is given");
    if (st || (st = fxi_data_check_missing_table(t, run)) || (st = head(&h, t)))
        return st;
    for (size_t b = 0; b < t->blocks; b++)
        for (size_t i = 0; i < t->block[b].rows; i++)
            if (fxi_data_row(&t->block[b], i).n > UINT32_MAX)
                return fxi_error(FX_ESHAPE, "row %zu (from 0) has too many entries", i);
    fxi_data_pack_sizes(size, &h.bytes, &h);
    packing *p = fxi_zalloc(1, sizeof *p);
    if (!p)
        return FX_ENOMEM;
    p->t = t;
    p->h = h;
    p->to = &to;
    st = fxi_parallel_ordered(1, pack, p, run);
    free(p);
    return st;
}
