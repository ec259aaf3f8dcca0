/* SPDX-License-Identifier: BSD-3-Clause
 * reader_feed.c - bytes given to the reader's format.  Arrays go there as they come; text is cut
 * into chunks of whole lines, which the format parses side by side, and which are joined in the
 * order of the file.  Chunks of rows of an Arrow batch (arrow.c) go the same way.
 *
 * Cuts depend on the bytes alone, a chunk's result on its lines alone, and joining is done by the
 * calling thread from the first chunk to the last.  So tables, counts and messages are the same for
 * any number of threads, and the error that is reported is the first in the file.
 * Two passes over each chunk: one counts lines and marks (several GB/s), so that arrays are
 * allocated once at their final size and a memory limit is checked before they are; one parses. */

#include "read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FXI_TEXT_CHUNK                  /* fuzzing makes it small, so that joins are tested */
#define FXI_TEXT_CHUNK (512 * 1024)
#endif
enum { CHUNK = FXI_TEXT_CHUNK };        /* bytes of text, and the rest of the line they end in */

/* ---- One feed ------------------------------------------------------------------------------- */
typedef struct work {
    fx_reader *r;                       /* not changed before the join */
    fxi_read_chunk *chunk;
    size_t chunks;
} work;

static fx_status count_chunk(void *ctx, size_t i, fxi_team *team)
{
    work *w = ctx;
    fxi_read_chunk *c = &w->chunk[i];

    (void)team;
    fxi_data_text_count(&c->lines, &c->marks, c->text, c->end, w->r->mark);
    return FX_OK;
}

static fx_status parse_chunk(void *ctx, size_t i, fxi_team *team)
{
    work *w = ctx;
    fxi_read_chunk *c = &w->chunk[i];

    c->widest = -1;
    c->team = team;
    c->label = fxi_alloc(c->lines, sizeof *c->label);
    if (!c->label)
        return FX_ENOMEM;
    return c->batch ? fxi_read_arrow_rows(w->r, c) : w->r->format->parse(w->r, c);
}

static void free_chunks(work *w)
{
    for (size_t i = 0; i < w->chunks; i++) {
        fxi_read_chunk *c = &w->chunk[i];
        fxi_free((void *)c->matrix.val, (void *)c->matrix.ptr, (void *)c->matrix.col, c->label,
                 c->qid, c->weight, c->column, c->ids.text.at);
        fxi_data_classes_free(&c->classes);
        fxi_data_classes_free(&c->names);
    }
    free(w->chunk);
}

static fx_status cut(work *w, const char *p, const char *end)
{
    w->chunk = fxi_zalloc((size_t)(end - p) / CHUNK + 1, sizeof *w->chunk);
    if (!w->chunk)
        return FX_ENOMEM;
    while (p < end) {
        const char *stop = end;
        if (end - p > CHUNK) {
            stop = memchr(p + CHUNK, '\n', (size_t)(end - p) - CHUNK);
            stop = stop ? stop + 1 : end;
        }
        w->chunk[w->chunks].text = p;
        w->chunk[w->chunks++].end = stop;
        p = stop;
    }
    return FX_OK;
}

static fx_status check_memory(const work *w, const fx_run *run)
{
    size_t entries = 0, lines = 0;

    for (size_t i = 0; i < w->chunks; i++) {
        entries += w->chunk[i].marks;
        lines += w->chunk[i].lines;
    }
    return fxi_memory_check(run, 12 * entries + 24 * lines, "reading these lines");
}

/* ---- Joining -------------------------------------------------------------------------------- */
static fx_status mixed(const fx_reader *r, const char *label, uint64_t line, size_t column,
                       bool second)
{
    bool text = r->kind == FXI_LABEL_TEXT;
    char reason[256 + FXI_READ_PLACE], first[FXI_READ_PLACE];

    snprintf(reason, sizeof reason, "the label %s is %s, but %s has the %s '%s'%s", label,
             text ? "a number" : "text", fxi_read_sources_line(first, r, r->first_line, line),
             text ? "text" : "number", r->first_label,
             text && second ? "; is that line a header?" : "");
    return fxi_read_error(r, line, column, reason);
}

/* Errors in the order of the file: labels unlike those before, then what ended the chunk. */
static fx_status chunk_error(fx_reader *r, const fxi_read_chunk *c)
{
    uint64_t lines = r->count.lines;

    if (c->kind != FXI_LABEL_NONE && r->kind == FXI_LABEL_NONE) {
        r->kind = c->kind;
        r->first_line = lines + c->first_line;
        memcpy(r->first_label, c->first_label, sizeof r->first_label);
        if (c->first_alone && r->count.rows == 0) {
            char reason[256];
            snprintf(reason, sizeof reason,
                     "'%s' and no index:value pairs: this looks like CSV, not svmlight",
                     c->first_label);
            return fxi_read_error(r, r->first_line, c->first_column, reason);
        }
    }
    if (c->kind != FXI_LABEL_NONE && c->kind != r->kind)
        return mixed(r, c->first_label, lines + c->first_line, c->first_column,
                     r->count.rows + c->first_row == 1);
    if (c->mixed)
        return mixed(r, c->reason, lines + c->error_line, c->error_column,
                     r->count.rows + c->rows == 1);
    if (!c->error_line)
        return FX_OK;
    char reason[sizeof c->reason + 32];
    snprintf(reason, sizeof reason, "%s%s", c->reason,
             c->words && r->count.rows == 0 ? "; is this line a header?" : "");
    return fxi_read_error(r, lines + c->error_line, c->error_column, reason);
}

static fx_status join_labels(fx_reader *r, fxi_read_chunk *c, fxi_team *team)
{
    fx_status s = fxi_read_reserve(r, c->rows);

    if (s)
        return s;
    if (c->kind == FXI_LABEL_TEXT) {    /* the chunk's numbers become the reader's */
        double *number = fxi_alloc(c->classes.n, sizeof *number);
        if (!number)
            return FX_ENOMEM;
        for (size_t i = 0; i < c->classes.n && !s; i++) {
            const char *name = c->classes.text + c->classes.at[i];
            size_t k = 0;
            s = fxi_data_classes_add(&k, &r->classes, name, strlen(name), team);
            number[i] = (double)k;
        }
        for (size_t i = 0; i < c->rows && !s; i++)
            c->label[i] = number[(size_t)c->label[i]];
        free(number);
        if (s)
            return s;
    }
    memcpy(r->label + r->rows, c->label, c->rows * sizeof *c->label);
    if (c->qid && !r->qid) {
        r->qid = fxi_alloc(r->row_capacity, sizeof *r->qid);
        if (!r->qid)
            return FX_ENOMEM;
        for (size_t i = 0; i < r->rows; i++)
            r->qid[i] = -1;
    }
    if (r->qid)
        for (size_t i = 0; i < c->rows; i++)
            r->qid[r->rows + i] = c->qid ? c->qid[i] : -1;
    if (c->weight && !r->weight && !(r->weight = fxi_alloc(r->row_capacity, sizeof *r->weight)))
        return FX_ENOMEM;
    if (c->weight)                      /* then all chunks have weights */
        memcpy(r->weight + r->rows, c->weight, c->rows * sizeof *c->weight);
    return FX_OK;
}

static fx_status join(void *ctx, size_t i, fxi_team *team)
{
    const work *w = ctx;
    fx_reader *r = w->r;
    fxi_read_chunk *c = &w->chunk[i];
    fx_status s = chunk_error(r, c);

    r->unlabelled |= c->unlabelled;
    if (!s)
        s = fxi_read_ids_join(&r->ids, &c->ids);
    if (!s && c->rows && (c->kind != FXI_LABEL_NONE || c->weight || c->qid || r->qid))
        s = join_labels(r, c, team);
    if (s)
        return s;
    free(c->label);                     /* now, not with the last chunk: half of a row's memory */
    c->label = NULL;
    if (c->widest > r->widest) {
        r->widest = c->widest;
        r->count.widest_line = r->count.lines + c->count.widest_line;
    }
    r->zero |= c->zero;
    r->count.zero = r->zero;
    r->count.lines += c->count.lines;
    r->count.blank += c->count.blank;
    r->count.dropped += c->count.dropped;
    r->count.summed += c->count.summed;
    r->count.sorted += c->count.sorted;
    r->count.unseen += c->count.unseen;
    if (!c->rows)
        return FX_OK;
    fx_matrix m = c->matrix;
    c->matrix = (fx_matrix){0};
    return fxi_read_block(r, m);
}

/* Names get their columns in the order of the file; then rows are put in order side by side. */
static fx_status number_chunk(void *ctx, size_t i, fxi_team *team)
{
    const work *w = ctx;

    return fxi_read_names_number(w->r, &w->chunk[i], team);
}

static fx_status sort_chunk(void *ctx, size_t i, fxi_team *team)
{
    const work *w = ctx;

    return fxi_read_names_sort(w->r, &w->chunk[i], team);
}

static fx_status feed_chunks(work *w, const fx_run *run)
{
    fx_status s = check_memory(w, run);

    if (!s)
        s = fxi_parallel(w->chunks, parse_chunk, w, run);
    const bool numbered = w->r->names.used && !fxi_read_names_known(&w->r->names);
    if (!s && w->r->names.used)
        s = fxi_parallel_ordered(w->chunks, number_chunk, w, run);
    if (!s && numbered)
        s = fxi_parallel(w->chunks, sort_chunk, w, run);
    if (s && s != FX_EFORMAT)
        return s;
    /* An error ends the join at its chunk; later chunks may never have been parsed. */
    fx_status t = fxi_parallel_ordered(w->chunks, join, w, run);
    return t ? t : s;
}

fx_status fxi_read_reader_feed_chunks(fx_reader *r, fxi_read_chunk *chunk, size_t n,
                                      const fx_run *run)
{
    work w = {r, chunk, n};
    fx_status s = feed_chunks(&w, run);

    free_chunks(&w);
    return s;
}

static fx_status parse_text(fx_reader *r, const char *p, size_t len, const fx_run *run)
{
    const char *end = p + len;
    work w = {.r = r};

    if (r->format->begin) {
        fx_status s = r->format->begin(r, &p, end);
        if (s)
            return s;
    }
    if (p == end)
        return FX_OK;
    fx_status s = cut(&w, p, end);
    if (!s)
        s = fxi_parallel(w.chunks, count_chunk, &w, run);
    if (!s)
        s = feed_chunks(&w, run);
    free_chunks(&w);
    return s;
}

fx_status fxi_read_reader_feed_held(fx_reader *r, const fx_run *run)
{
    fx_status s = r->held.len ? parse_text(r, r->held.at, r->held.len, run) : FX_OK;

    free(r->held.at);
    r->held = (fxi_read_text){0};
    return s;
}

static fx_status hold(fx_reader *r, const char *bytes, size_t len)
{
    char *end = fxi_read_text_room(&r->held, len);

    if (!end)
        return FX_ENOMEM;
    memcpy(end, bytes, len);
    r->held.len += len;
    return FX_OK;
}

/* Choices made from the first lines must not depend on how they were cut: lines are held back until
 * there are enough. */
static fx_status feed_text(fx_reader *r, const char *bytes, size_t len, const fx_run *run)
{
    if (r->open_line) {
        size_t held = 0, marks = 0;     /* lines that are not yet counted */
        if (r->held.len)
            fxi_data_text_count(&held, &marks, r->held.at, r->held.at + r->held.len, r->mark);
        return fxi_error(FX_EINVAL, "%s: text must be fed in whole lines; line %llu had no end",
                         r->name, (unsigned long long)r->count.lines + held);
    }
    const char *p = bytes, *end = bytes + len;
    r->open_line = end[-1] != '\n';
    if (!r->begun && len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
        p += 3;                         /* UTF-8 byte order mark */
    r->begun = true;
    fx_status s = r->opening ? r->format->skip(r, &p, end) : FX_OK;
    /* What is left out of later files does not count, so that their bytes are those of one file. */
    r->count.bytes += r->files ? (size_t)(end - p) : len;
    if (s || p == end)
        return s;
    bool enough = !r->format->look || r->count.bytes >= r->format->look(r);
    if (!r->held.len && enough)
        return parse_text(r, p, (size_t)(end - p), run);
    s = hold(r, p, (size_t)(end - p));
    return s || !enough ? s : fxi_read_reader_feed_held(r, run);
}

fx_status fx_data_reader_feed(fx_reader *r, const void *bytes, size_t len, const fx_run *run)
{
    fx_status s = fxi_read_check(r);

    if (s)
        return s;
    if ((s = fxi_sized_run_check(run)))
        return s;
    if (!len)
        return FX_OK;
    if (!bytes)
        return fxi_error(FX_EINVAL, "%s: %zu bytes at NULL", r->name, len);
    if (r->batches)
        return fxi_error(FX_EINVAL, "%s: bytes after Arrow batches", r->name);
    s = (r->format->feed ? r->format->feed : feed_text)(r, bytes, len, run);
    return fxi_read_note(r, s);
}
