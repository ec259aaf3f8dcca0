/* SPDX-License-Identifier: BSD-3-Clause
 * arrow_table.h - tables for tests, as Arrow batches and as the text of a CSV file. */
#ifndef FXI_TEST_ARROW_TABLE_H
#define FXI_TEST_ARROW_TABLE_H
#include "base/test.h"
#include "featcross.h"

#include <errno.h>
#include <string.h>

enum { AT_COLS = 12, AT_ROWS = 60, AT_TEXT = 24, AT_BYTES = 16 * (AT_ROWS + 8) };

typedef struct at_cell {                /* what a field is, whatever its layout */
    bool null;
    double number;
    char text[AT_TEXT];                 /* of a text, else empty */
} at_cell;

typedef struct at_column {
    char name[16], format[16];
    bool coded;                         /* by a dictionary of texts */
    at_cell cell[AT_ROWS];
    /* The layout of rows first..first + rows - 1. */
    size_t pad;                         /* values before the first */
    struct ArrowSchema schema, words_schema;
    struct ArrowArray array, words;
    const void *buffer[5], *words_buffer[3];
    unsigned char valid[AT_BYTES / 8], data[AT_BYTES], text[AT_ROWS * AT_TEXT];
    int64_t text_len[1];
    int32_t words_at[AT_ROWS + 1];
    char words_text[AT_ROWS * AT_TEXT];
} at_column;

typedef struct at_table {
    size_t rows, cols;
    at_column column[AT_COLS];
    struct ArrowSchema schema, *schemas[AT_COLS];
    struct ArrowArray array, *arrays[AT_COLS];
    const void *buffer[1];
} at_table;

static inline void at_keep_schema(struct ArrowSchema *s) { s->release = NULL; }
static inline void at_keep_array(struct ArrowArray *a) { a->release = NULL; }

/* ---- Layouts -------------------------------------------------------------------------------- */
static inline size_t at_width(const char *format)
{
    return strchr("cCb", *format)    ? 1
           : strchr("sSe", *format)  ? 2
           : strchr("iIfu", *format) ? 4
           : strchr("lLgU", *format) ? 8
                                     : 16;
}

static inline uint16_t at_half(double x)        /* of a number that is one */
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent);
    unsigned bits = x == 0
                        ? 0
                        : (unsigned)(exponent + 14) << 10 | ((unsigned)ldexp(fraction, 11) & 1023u);
    return (uint16_t)(bits | (x < 0 ? 0x8000u : 0));
}

#define AT_PUT(T) \
    do { \
        T value = (T)x; \
        memcpy(to, &value, sizeof value); \
    } while (0)
static inline void at_put_number(at_column *c, size_t at, double x)
{
    unsigned char *to = c->data + at * at_width(c->format);
    uint16_t half = at_half(x);
    int64_t whole[2];

    switch (*c->format) {
    case 'b': c->data[at / 8] = (unsigned char)(c->data[at / 8] | (x != 0) << at % 8); break;
    case 'c': AT_PUT(int8_t); break;
    case 'C': AT_PUT(uint8_t); break;
    case 's': AT_PUT(int16_t); break;
    case 'S': AT_PUT(uint16_t); break;
    case 'i': AT_PUT(int32_t); break;
    case 'I': AT_PUT(uint32_t); break;
    case 'l': AT_PUT(int64_t); break;
    case 'L': AT_PUT(uint64_t); break;
    case 'e': memcpy(to, &half, sizeof half); break;
    case 'f': AT_PUT(float); break;
    case 'g': AT_PUT(double); break;
    default:                            /* d:9,2 */
        whole[0] = llrint(100 * x);
        whole[1] = whole[0] < 0 ? -1 : 0;
        memcpy(to, whole, sizeof whole);
    }
}

/* The text of the value at `at`, after *len bytes of others. */
static inline void at_put_text(at_column *c, size_t at, const char *text, size_t *len)
{
    const int32_t n = (int32_t)strlen(text), start = (int32_t)*len;
    const int64_t end = start + n;

    memcpy(c->text + start, text, (size_t)n);
    *len += (size_t)n;
    if (*c->format == 'u')
        memcpy(c->data + 4 * (at + 1), &(int32_t){(int32_t)end}, 4);
    else if (*c->format == 'U')
        memcpy(c->data + 8 * (at + 1), &end, 8);
    else {
        int32_t view[4] = {n, 0, 0, start};
        memcpy(view + 1, text, n < 12 ? (size_t)n : n == 12 ? 12 : 4);
        memcpy(c->data + 16 * at, view, sizeof view);
    }
}

static inline void at_put_code(at_column *c, size_t at, const char *text)
{
    size_t k = 0;

    for (; k < (size_t)c->words.length; k++)
        if (!strcmp(c->words_text + AT_TEXT * k, text))
            break;
    if (k == (size_t)c->words.length) {
        strcpy(c->words_text + AT_TEXT * k, text);
        c->words.length++;
    }
    at_put_number(c, at, (double)k);
}

/* The words of a dictionary, one after the other, as format u. */
static inline void at_pack_words(at_column *c)
{
    char *to = c->words_text;

    for (size_t k = 0; k < (size_t)c->words.length; k++) {
        const size_t n = strlen(c->words_text + AT_TEXT * k);
        memmove(to, c->words_text + AT_TEXT * k, n);
        to += n;
        c->words_at[k + 1] = (int32_t)(to - c->words_text);
    }
    c->words_schema = (struct ArrowSchema){.format = "u", .release = at_keep_schema};
    c->words_buffer[1] = c->words_at;
    c->words_buffer[2] = c->words_text;
    c->words.n_buffers = 3;
    c->words.buffers = c->words_buffer;
    c->words.release = at_keep_array;
    c->schema.dictionary = &c->words_schema;
    c->array.dictionary = &c->words;
}

static inline void at_lay_column(at_column *c, size_t first, size_t rows)
{
    const bool text = strchr("uUv", *c->format) && !c->coded;
    size_t len = 0, nulls = 0;

    memset(c->valid, 0, sizeof c->valid);
    memset(c->data, 0, sizeof c->data);
    memset(c->words_at, 0, sizeof c->words_at);
    memset(c->words_text, 0, sizeof c->words_text);
    c->words = (struct ArrowArray){0};
    for (size_t k = 0; k < c->pad + rows; k++) {
        const at_cell *cell = &c->cell[k < c->pad ? first : first + k - c->pad];
        const bool null = k >= c->pad && cell->null;
        nulls += null;
        c->valid[k / 8] = (unsigned char)(c->valid[k / 8] | !null << k % 8);
        if (text)
            at_put_text(c, k, null ? "" : cell->text, &len);
        else if (c->coded)
            at_put_code(c, k, cell->text);
        else
            at_put_number(c, k, cell->number);
    }
    c->text_len[0] = (int64_t)len;
    c->schema = (struct ArrowSchema){
        .format = c->format, .name = c->name, .release = at_keep_schema};
    c->array = (struct ArrowArray){.length = (int64_t)rows,
                                   .offset = (int64_t)c->pad,
                                   .null_count = rows % 2 ? -1 : (int64_t)nulls,
                                   .n_buffers = !text               ? 2
                                                : *c->format == 'v' ? 4
                                                                    : 3,
                                   .buffers = c->buffer,
                                   .release = at_keep_array};
    c->buffer[0] = nulls ? c->valid : NULL;
    c->buffer[1] = c->data;
    c->buffer[2] = c->text;
    c->buffer[3] = c->text_len;
    if (c->coded)
        at_pack_words(c);
}

/* Rows first..first + rows - 1 as t->schema and t->array. */
static inline void at_lay(at_table *t, size_t first, size_t rows)
{
    for (size_t j = 0; j < t->cols; j++) {
        at_lay_column(&t->column[j], first, rows);
        t->schemas[j] = &t->column[j].schema;
        t->arrays[j] = &t->column[j].array;
    }
    t->schema = (struct ArrowSchema){.format = "+s",
                                     .n_children = (int64_t)t->cols,
                                     .children = t->schemas,
                                     .release = at_keep_schema};
    t->array = (struct ArrowArray){.length = (int64_t)rows,
                                   .n_buffers = 1,
                                   .buffers = t->buffer,
                                   .n_children = (int64_t)t->cols,
                                   .children = t->arrays,
                                   .release = at_keep_array};
}

static inline at_column *at_add(at_table *t, const char *name, const char *format)
{
    at_column *c = &t->column[t->cols++];

    strcpy(c->name, name);
    strcpy(c->format, format);
    return c;
}

/* ---- The same as text ----------------------------------------------------------------------- */
static inline char *at_csv(const at_table *t)   /* free() it */
{
    char *text = malloc(AT_COLS * (AT_ROWS + 1) * 2 * AT_TEXT), *p = text;

    for (size_t j = 0; j < t->cols; j++)
        p += sprintf(p, "%s%s", j ? "," : "", t->column[j].name);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->cols; j++) {
            const at_cell *c = &t->column[j].cell[i];
            p += sprintf(p, "%s", j ? "," : "\n");
            if (c->null)
                continue;
            p += c->text[0] ? sprintf(p, "%s", c->text) : sprintf(p, "%.17g", c->number);
        }
    strcpy(p, "\n");
    return text;
}

/* ---- A stream of batches -------------------------------------------------------------------- */
typedef struct at_stream {
    at_table *t;
    size_t at, batch;                   /* rows in each batch */
    size_t fail_at;                     /* fails at this row instead; SIZE_MAX: never */
    int schemas, arrays, streams;       /* given out and not yet released */
} at_stream;

static inline void at_release_schema(struct ArrowSchema *s)
{
    CHECK(--((at_stream *)s->private_data)->schemas == 0);
    s->release = NULL;
}

static inline void at_release_array(struct ArrowArray *a)
{
    CHECK(--((at_stream *)a->private_data)->arrays == 0);
    a->release = NULL;
}

static inline void at_release_stream(struct ArrowArrayStream *s)
{
    CHECK(--((at_stream *)s->private_data)->streams == 0);
    s->release = NULL;
}

static inline int at_get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    at_stream *a = s->private_data;

    at_lay(a->t, 0, 0);
    *out = a->t->schema;
    out->private_data = a;
    out->release = at_release_schema;
    a->schemas++;
    return 0;
}

static inline int at_get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    at_stream *a = s->private_data;
    const size_t left = a->t->rows - a->at, rows = left < a->batch ? left : a->batch;

    if (a->at >= a->fail_at)
        return EIO;
    *out = (struct ArrowArray){0};
    if (!left)
        return 0;
    at_lay(a->t, a->at, rows);
    a->at += rows;
    *out = a->t->array;
    out->private_data = a;
    out->release = at_release_array;
    a->arrays++;
    return 0;
}

static inline const char *at_last_error(struct ArrowArrayStream *s)
{
    (void)s;
    return "the disk is on fire";
}

static inline struct ArrowArrayStream at_stream_of(at_stream *a)
{
    a->streams = 1;
    return (struct ArrowArrayStream){.get_schema = at_get_schema,
                                     .get_next = at_get_next,
                                     .get_last_error = at_last_error,
                                     .release = at_release_stream,
                                     .private_data = a};
}
#endif
