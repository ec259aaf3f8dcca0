/* SPDX-License-Identifier: BSD-3-Clause
 * write.c - a table into a sink: the list of formats, the walk over the rows, the buffer.
 *
 * Bytes leave in pieces of 64 KiB, in order, from the calling thread; between rows and between
 * pieces the progress callback may stop the call.  After a failure the sink holds a part that the
 * caller must throw away.  Numbers are the shortest decimals that read back as the same double, so
 * that a table survives text unchanged. */

#include "write/write.h"

#include <stdlib.h>
#include <string.h>

static const fxi_write_format *const formats[] = {
    &fxi_write_svmlight, &fxi_write_csv, &fxi_write_tsv, &fxi_write_npy,
    &fxi_write_npz, &fxi_write_precomputed};
enum { FORMATS = sizeof formats / sizeof *formats };

static fx_description line(size_t i)
{
    return i < FORMATS ? fxi_spec_counted(formats[i]->about) : (fx_description){0};
}

const char *fx_data_write_format(size_t i) { return line(i).name; }

fx_status fx_data_write_describe(fx_description *out, const char *spec)
{
    fxi_spec s;
    size_t which;

    if (!out)
        return fxi_error(FX_EINVAL, "fx_data_write_describe: out is NULL");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (!st && !(st = fxi_spec_read(&s, &which, spec, line, "format to write")))
        fxi_spec_give(out, line(which));
    return st;
}

bool fxi_write_is_number(const char *text)
{
    const char *end = text + strlen(text);
    double x;

    return fxi_decimal_read(&x, text, end) == end;
}

fx_status fxi_write_flush(fxi_writer *w)
{
    size_t n = w->used;

    w->used = 0;
    if (w->team && fxi_parallel_cancelled(w->team))
        return FX_ECANCELLED;
    if (n && w->sink->write(w->sink->ctx, w->buf, n))
        return fxi_error(FX_EOUTPUT, "the output refused %zu bytes", n);
    return FX_OK;
}

fx_status fxi_write_reserve(fxi_writer *w)
{
    return sizeof w->buf - w->used < FXI_WRITE_TOKEN ? fxi_write_flush(w) : FX_OK;
}

fx_status fxi_write_bytes(fxi_writer *w, const void *bytes, size_t len)
{
    const char *p = bytes;

    while (len) {
        size_t n = sizeof w->buf - w->used;
        if (n > len)
            n = len;
        memcpy(w->buf + w->used, p, n);
        w->used += n;
        p += n;
        len -= n;
        fx_status s = w->used == sizeof w->buf ? fxi_write_flush(w) : FX_OK;
        if (s)
            return s;
    }
    return FX_OK;
}

void fxi_write_integer(fxi_writer *w, uint64_t u)
{
    char rev[20];
    int n = 0;

    do
        rev[n++] = (char)('0' + u % 10);
    while (u /= 10);
    while (n)
        w->buf[w->used++] = rev[--n];
}

typedef struct writing {
    const fxi_write_format *format;
    fxi_writer *w;
    fxi_rows rows;
    size_t pieces;                      /* of one pass, at least 1 */
} writing;

/* Block b is a piece of rows in pass b / pieces. */
static fx_status write_piece(void *ctx, size_t block, fxi_team *team)
{
    writing *x = ctx;
    size_t pass = block / x->pieces, first = block % x->pieces * x->rows.piece;
    size_t n = x->rows.t->rows, last = n - first < x->rows.piece ? n : first + x->rows.piece;
    fx_status s = FX_OK;

    x->w->team = team;
    if (first == 0 && x->format->before)
        s = x->format->before(x->w, pass);
    for (size_t i = first; !s && i < last && !fxi_parallel_cancelled(team); i++)
        s = x->format->row(x->w, pass, i, fxi_data_rows_at(&x->rows, i));
    return s;
}

fx_status fx_data_write(const fx_sink *given, const char *spec, const fx_table *t,
                        const fx_run *run)
{
    fx_sink sink = FX_INIT(fx_sink);
    fxi_spec parsed;
    size_t which;

    fx_status s = fxi_spec_read(&parsed, &which, spec, line, "format to write");
    if (!s)
        s = fxi_data_check_table(t, run);
    if (!s && given)
        s = fxi_sized_in(&sink, sizeof sink, given, "fx_sink");
    if (!s && !sink.write)
        s = fxi_error(FX_EINVAL, "no sink is given");
    if (s)
        return s;

    writing x = {.format = formats[which], .w = fxi_zalloc(1, sizeof *x.w)};
    if (!x.w)
        return FX_ENOMEM;
    x.w->sink = &sink;
    x.w->t = t;
    for (size_t b = 0; b < t->blocks; b++)
        if (t->block[b].type == FX_F64)
            x.w->type = FX_F64;
    if (x.format->start)
        s = x.format->start(x.w, &parsed, x.format->about.key);
    if (!s)
        s = fxi_data_rows(&x.rows, t);
    if (!s) {
        x.pieces = x.rows.pieces ? x.rows.pieces : 1;
        s = fxi_parallel_ordered(x.pieces * x.format->passes, write_piece, &x, run);
        x.w->team = NULL;
        if (!s)
            s = fxi_write_flush(x.w);
        free(x.rows.start);
    }
    free(x.w);
    return s;
}
