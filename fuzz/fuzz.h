/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz.h - what the targets share: conditions that no input may break.
 *
 * A target reads options from the first bytes of its input, reads the rest in ways that must give
 * the same, checks the table, and writes text again, which must read back as the same table.
 * Only the public interface is used. */
#ifndef FX_FUZZ_H
#define FX_FUZZ_H
#include "featcross.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) do { if (!(condition)) { \
    fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
    abort(); } } while (0)

typedef struct fuzz_result {            /* of reading one input in one way */
    fx_status status;
    fx_data *data;                      /* NULL if it failed */
    fx_read_counts count;
    char detail[600];
} fuzz_result;

static inline fuzz_result fuzz_finish(fx_reader *r, fx_status s)
{
    fuzz_result out = {.status = s};

    if (!s)
        out.status = fx_data_reader_take(&out.data, r, 1, NULL);
    out.count.size = sizeof out.count;
    fx_data_reader_counts(&out.count, r);
    if (out.status) {
        MUST(out.status < 0 && !out.data && fx_error_detail()[0]);
        snprintf(out.detail, sizeof out.detail, "%s", fx_error_detail());
    }
    fx_data_reader_free(r);
    return out;
}

static inline double fuzz_value(const fx_matrix *m, size_t at)
{
    return m->type == FX_F32 ? (double)((const float *)m->val)[at] : ((const double *)m->val)[at];
}

static inline int64_t fuzz_column(const fx_matrix *m, size_t at)
{
    return m->wide ? ((const int64_t *)m->col)[at] : ((const int32_t *)m->col)[at];
}

static inline void fuzz_check_block(const fx_matrix *m)
{
    if (m->ptr)
        MUST(m->ptr[0] >= 0);
    else
        MUST(m->stride >= m->cols);
    for (size_t i = 0; i < m->rows; i++) {
        size_t first = m->ptr ? (size_t)m->ptr[i] : i * m->stride;
        size_t end = m->ptr ? (size_t)m->ptr[i + 1] : first + m->cols;
        MUST(end >= first);
        for (size_t q = first; q < end; q++) {
            MUST(isfinite(fuzz_value(m, q)));
            if (m->ptr) {
                MUST(fuzz_column(m, q) >= 0 && (uint64_t)fuzz_column(m, q) < m->cols);
                MUST(q == first || fuzz_column(m, q - 1) < fuzz_column(m, q));
            }
        }
    }
}

/* The table is what featcross.h promises. */
static inline void fuzz_check(const fuzz_result *r)
{
    if (r->status)
        return;
    fx_table t = fx_data_table(r->data);
    size_t rows = 0;

    for (size_t b = 0; b < t.blocks; b++) {
        MUST(t.block[b].cols == t.cols);
        fuzz_check_block(&t.block[b]);
        rows += t.block[b].rows;
    }
    MUST(rows == t.rows && rows == r->count.rows && rows > 0 && (t.base == 0 || t.base == 1));
    for (size_t i = 0; t.label && i < rows; i++) {
        MUST(isfinite(t.label[i]));
        MUST(!t.classes || (t.label[i] >= 0 && t.label[i] < (double)t.classes));
    }
    for (size_t c = 1; c < t.classes; c++)
        MUST(strcmp(t.class_name[c - 1], t.class_name[c]) < 0);
    for (size_t i = 0; t.qid && i < rows; i++)
        MUST(t.qid[i] >= -1);
    for (size_t i = 0; t.weight && i < rows; i++)
        MUST(t.weight[i] >= 0 && isfinite(t.weight[i]));
    for (size_t j = 0; t.name && j < t.cols; j++)
        MUST(t.name[j] != NULL);
}

static inline const fx_matrix *fuzz_row(const fx_table *t, size_t *i)
{
    const fx_matrix *m = t->block;

    for (; *i >= m->rows; m++)
        *i -= m->rows;
    return m;
}

static inline void fuzz_same_row(const fx_table *a, const fx_table *b, size_t row)
{
    size_t i = row, j = row;
    const fx_matrix *x = fuzz_row(a, &i), *y = fuzz_row(b, &j);

    MUST(!x->ptr == !y->ptr);
    size_t first = x->ptr ? (size_t)x->ptr[i] : i * x->stride;
    size_t other = y->ptr ? (size_t)y->ptr[j] : j * y->stride;
    size_t n = x->ptr ? (size_t)x->ptr[i + 1] - first : x->cols;
    MUST(n == (y->ptr ? (size_t)y->ptr[j + 1] - other : y->cols));
    for (size_t q = 0; q < n; q++) {
        MUST(fuzz_value(x, first + q) == fuzz_value(y, other + q));
        MUST(!signbit(fuzz_value(x, first + q)) == !signbit(fuzz_value(y, other + q)));
        MUST(!x->ptr || fuzz_column(x, first + q) == fuzz_column(y, other + q));
    }
    MUST(!a->label || a->label[row] == b->label[row]);
    MUST(!a->qid || a->qid[row] == b->qid[row]);
    MUST(!a->weight || !b->weight || a->weight[row] == b->weight[row]);
}

/* Two ways of reading one input: the same table or the same message. */
static inline void fuzz_same(const fuzz_result *r, const fuzz_result *o)
{
    if (r->status != o->status || strcmp(r->detail, o->detail))
        fprintf(stderr, "%d '%s'\n%d '%s'\n", (int)r->status, r->detail, (int)o->status,
                o->detail);
    MUST(r->status == o->status && !strcmp(r->detail, o->detail));
    if (!r->status) {
        fx_table a = fx_data_table(r->data), b = fx_data_table(o->data);
        MUST(a.rows == b.rows && a.cols == b.cols && a.base == b.base && a.classes == b.classes);
        MUST(!a.label == !b.label && !a.qid == !b.qid && !a.name == !b.name);
        MUST(!a.weight == !b.weight);
        for (size_t i = 0; i < a.rows && i < 64; i++)
            fuzz_same_row(&a, &b, i);
        for (size_t c = 0; c < a.classes; c++)
            MUST(!strcmp(a.class_name[c], b.class_name[c]));
        for (size_t j = 0; a.name && j < a.cols; j++)
            MUST(!strcmp(a.name[j], b.name[j]));
        MUST(!memcmp(&r->count, &o->count, sizeof r->count));
    }
}

typedef struct fuzz_names { const char *const *name; size_t n; } fuzz_names;   /* n 0: none */

/* Text in one feed, cut behind the first line end from `cut` on, or (0) line by line. */
static inline fuzz_result fuzz_cut(const char *spec, fuzz_names names, const char *text, size_t len,
                                   size_t cut, int threads)
{
    const fx_run run = {.size = sizeof(fx_run), .threads = threads};
    fx_reader *r = NULL;
    fx_status s = FX_OK;

    MUST(fx_data_reader_new(&r, spec, "x") == FX_OK);
    if (names.n)
        s = fx_data_reader_names(r, names.name, names.n);
    for (size_t at = 0; at < len && !s;) {
        size_t from = at < cut ? cut : cut ? len : at;
        const char *feed = from < len ? memchr(text + from, '\n', len - from) : NULL;
        size_t end = feed ? (size_t)(feed - text) + 1 : len;
        s = fx_data_reader_feed(r, text + at, end - at, &run);
        at = end;
    }
    fuzz_result out = fuzz_finish(r, s);
    fuzz_check(&out);
    return out;
}

/* Text at once on one thread; in two pieces, on three threads if told so (ten times slower); line
 * by line: the same. */
static inline fuzz_result fuzz_text(const char *spec, fuzz_names names, const char *text,
                                    size_t len, size_t cut, bool threads)
{
    fuzz_result whole = fuzz_cut(spec, names, text, len, len, 1);
    fuzz_result two = fuzz_cut(spec, names, text, len, cut, threads ? 3 : 1);
    fuzz_result lines = fuzz_cut(spec, names, text, len, 0, 1);

    fuzz_same(&whole, &two);
    fuzz_same(&whole, &lines);
    fx_data_free(two.data);
    fx_data_free(lines.data);
    return whole;
}

/* The same text, the columns that were found given by name: a well-formed table or a refusal. */
static inline fuzz_result fuzz_named(const fuzz_result *r, const char *spec, const char *text,
                                     size_t len, size_t cut)
{
    fx_table t = fx_data_table(r->data);

    return fuzz_text(spec, (fuzz_names){t.name, t.cols}, text, len, cut, false);
}

typedef struct fuzz_file { char *bytes; size_t len; } fuzz_file;

static inline int fuzz_write(void *ctx, const void *bytes, size_t len)
{
    fuzz_file *f = ctx;

    f->bytes = realloc(f->bytes, f->len + len);
    MUST(f->bytes != NULL);
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
    return 0;
}

/* What was read is written and read again: the same rows, or a refusal to write them. */
static inline void fuzz_again(const fuzz_result *r, const char *write, const char *read)
{
    fuzz_file file = {NULL, 0};
    fx_sink sink = {.size = sizeof(fx_sink), .write = fuzz_write, .ctx = &file};
    fx_data *d = NULL;

    if (r->status)
        return;
    fx_table a = fx_data_table(r->data);
    fx_status s = fx_data_write(&sink, write, &a, NULL);
    MUST(s == FX_OK || s == FX_EUNSUPPORTED);
    if (!s) {
        s = fx_data_parse(&d, read, "x", file.bytes, file.len, NULL);
        if (s)
            fprintf(stderr, "%s\n%.*s", fx_error_detail(), (int)file.len, file.bytes);
        MUST(s == FX_OK);
        fx_table b = fx_data_table(d);
        MUST(a.rows == b.rows && b.cols <= a.cols && a.classes == b.classes);
        for (size_t i = 0; i < a.rows && i < 64; i++)
            fuzz_same_row(&b, &a, i);   /* columns without entries at the end are not written */
        for (size_t c = 0; c < a.classes; c++)
            MUST(!strcmp(a.class_name[c], b.class_name[c]));
        for (size_t j = 0; a.name && b.name && j < b.cols; j++)
            MUST(!strcmp(a.name[j], b.name[j]));
    }
    fx_data_free(d);
    free(file.bytes);
}
#endif
