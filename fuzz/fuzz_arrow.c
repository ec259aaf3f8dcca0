/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_arrow.c - Arrow batches.  Byte 0: options; byte 1: rows; byte 2: null count and offset of
 * the batch; then columns: type, offset, length, null count, and buffers, each as long as it has to
 * be.  Contents are those of the input: codes, views and offsets of texts, which may be negative or
 * fall but do not exceed the text, since Arrow does not tell where it ends.  All rows at once, on
 * three threads, and one by one give the same. */

#include "fuzz.h"

enum { COLUMNS = 5, TEXT = 32, WORDS = 4 };

typedef struct input {
    const uint8_t *at, *end;
} input;

typedef struct table {
    struct ArrowSchema schema, column_schema[COLUMNS], word_schema, *schemas[COLUMNS];
    struct ArrowArray array, column[COLUMNS], word, *columns[COLUMNS];
    const void *buffer[COLUMNS][5], *word_buffer[3], *none[1];
    int32_t word_at[WORDS + 1];
    char text[TEXT];
    int64_t text_len;
} table;

static int next(input *in) { return in->at < in->end ? *in->at++ : 0; }

static void *bytes_of(input *in, size_t n)      /* exact: a byte too far is seen */
{
    uint8_t *to = malloc(n + !n);

    MUST(to != NULL);
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)next(in);
    return to;
}

static void keep_schema(struct ArrowSchema *s) { s->release = NULL; }
static void keep_array(struct ArrowArray *a) { a->release = NULL; }

/* Offsets of n texts: signed bytes of the input.  The last one of an array is not beyond the text;
 * an array may be one shorter. */
static void *offsets_of(input *in, size_t n, bool wide)
{
    uint8_t *to = malloc((n + 1) * (wide ? 8 : 4));

    MUST(to != NULL);
    for (size_t i = 0; i <= n; i++) {
        int64_t at = (int8_t)next(in);
        int32_t narrow = (int32_t)(at = at <= TEXT ? at : i + 1 < n && at > 120 ? 1 << 24 : TEXT);
        memcpy(to + i * (wide ? 8 : 4), wide ? (void *)&at : &narrow, wide ? 8 : 4);
    }
    return to;
}

static void make_column(table *t, size_t j, input *in, size_t rows)
{
    static const char *const format[] = {"g", "u", "c", "vu", "U", "l", "b", "e", "d:9,2", "f", "I",
                                         "n", "tsu:", "d:38,-5,64", "L", "+s"};
    static const char *const name[] = {"a", "b", "a=u", "y", "\"q\",", ""};
    const int type = next(in), offset = next(in) & 7;
    const size_t n = rows + (size_t)offset;
    struct ArrowSchema *s = &t->column_schema[j];
    struct ArrowArray *a = &t->column[j];

    *s = (struct ArrowSchema){
        .format = format[type & 15], .name = name[next(in) % 6], .release = keep_schema};
    *a = (struct ArrowArray){.offset = offset,
                             .null_count = (int8_t)next(in),
                             .n_buffers = 2,
                             .buffers = t->buffer[j],
                             .release = keep_array};
    a->length = (int64_t)rows - (next(in) == 1);
    const bool text = *s->format == 'u' || *s->format == 'U';
    t->buffer[j][0] = next(in) & 1 ? bytes_of(in, n / 8 + 1) : NULL;
    t->buffer[j][1] = text ? offsets_of(in, n, *s->format == 'U') : bytes_of(in, 16 * n);
    if (text || *s->format == 'v') {
        a->n_buffers = text ? 3 : 4;
        t->buffer[j][2] = t->text;
        t->buffer[j][3] = &t->text_len;
    }
    if (type & 16) {
        s->dictionary = &t->word_schema;
        a->dictionary = &t->word;
    }
}

static void make_table(table *t, const uint8_t *data, size_t size)
{
    input in = {data + 3, data + size};
    const size_t rows = data[1] % 12;
    size_t n = 0;

    *t = (table){.text_len = TEXT};
    for (size_t i = 0; i < TEXT; i++)
        t->text[i] = (char)next(&in);
    for (size_t i = 0; i < WORDS; i++)
        t->word_at[i + 1] = t->word_at[i] + next(&in) % (TEXT / WORDS);
    t->word_schema = (struct ArrowSchema){.format = "u", .release = keep_schema};
    t->word_buffer[1] = t->word_at;
    t->word_buffer[2] = t->text;
    t->word = (struct ArrowArray){
        .length = WORDS, .n_buffers = 3, .buffers = t->word_buffer, .release = keep_array};
    while (n < COLUMNS && in.at < in.end)
        make_column(t, n++, &in, rows);
    for (size_t j = 0; j < n; j++) {
        t->schemas[j] = &t->column_schema[j];
        t->columns[j] = &t->column[j];
    }
    t->schema = (struct ArrowSchema){
        .format = "+s", .n_children = (int64_t)n, .children = t->schemas, .release = keep_schema};
    t->array = (struct ArrowArray){.length = (int64_t)rows,
                                   .null_count = data[2] >> 7,
                                   .n_buffers = 1,
                                   .buffers = t->none,
                                   .n_children = (int64_t)n,
                                   .children = t->columns,
                                   .release = keep_array};
}

static fuzz_result fuzz_read(const char *spec, const table *t, int64_t step, int threads)
{
    const fx_run run = {.size = sizeof(fx_run), .threads = threads};
    struct ArrowArray part = t->array;
    fx_reader *r = NULL;
    fx_status s;

    MUST(fx_data_reader_new(&r, spec, "x") == FX_OK);
    s = fx_data_reader_arrow(r, &t->schema, NULL, &run);
    for (int64_t i = 0; i < t->array.length && !s; i += step) {
        part.offset = i;
        part.length = t->array.length - i < step ? t->array.length - i : step;
        s = fx_data_reader_arrow(r, &t->schema, &part, &run);
    }
    fuzz_result out = fuzz_finish(r, s);
    fuzz_check(&out);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const cat[] = {"none", "auto", "a", "all"};
    static const char *const label[] = {"last", "none", "y", "first"};
    static const char *const own[] = {"", ",weight=b", ",query=b", ",id=b"};
    char spec[160];
    table t;

    if (size < 3)
        return 0;
    snprintf(spec, sizeof spec, "csv:nan=zero,cat=%s,label=%s%s%s", cat[data[0] & 3],
             label[data[0] >> 2 & 3], own[data[0] >> 4 & 3], data[0] & 64 ? ",hash-bits=3" : "");
    make_table(&t, data, size);
    fuzz_result whole = fuzz_read(spec, &t, INT64_MAX, 1);
    fuzz_result three = fuzz_read(spec, &t, INT64_MAX, data[0] & 128 ? 3 : 1);
    fuzz_result rows = fuzz_read(spec, &t, 1, 1);
    fuzz_same(&whole, &three);
    if (whole.status != FX_EINVAL)      /* found before the rows of a batch */
        fuzz_same(&whole, &rows);
    fx_data_free(whole.data);
    fx_data_free(three.data);
    fx_data_free(rows.data);
    for (size_t j = 0; j < COLUMNS; j++) {
        free((void *)t.buffer[j][0]);
        free((void *)t.buffer[j][1]);
    }
    return 0;
}
