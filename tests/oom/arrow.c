/* SPDX-License-Identifier: BSD-3-Clause
 * arrow.c - scenarios: an Arrow batch of numbers, a dictionary and texts, alone and in a stream. */

#include "scenario.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 300, COLUMNS = 4, BATCHES = 2 };

static struct ArrowSchema word_schema, column_schema[COLUMNS], table_schema;
static struct ArrowArray words, column[COLUMNS], table;
static struct ArrowSchema *schemas[COLUMNS];
static struct ArrowArray *columns[COLUMNS];
static double age[ROWS], answer[ROWS];
static int8_t city[ROWS];
static int32_t name_at[ROWS + 1];
static char name[8 * ROWS];
static int held;                        /* given out and not released */

static void release_schema(struct ArrowSchema *s)
{
    held -= s->private_data != NULL;
    s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
    held -= a->private_data != NULL;
    a->release = NULL;
}

static void set_column(size_t j, const char *title, const char *format, int64_t buffers,
                       const void **buffer)
{
    column_schema[j] = (struct ArrowSchema){
        .name = title, .format = format, .release = release_schema};
    column[j] = (struct ArrowArray){
        .length = ROWS, .n_buffers = buffers, .buffers = buffer, .release = release_array};
    schemas[j] = &column_schema[j];
    columns[j] = &column[j];
}

static void make_table(void)
{
    static const int32_t word_at[] = {0, 5, 9};
    static const void *ages[] = {NULL, age}, *cities[] = {NULL, city}, *answers[] = {NULL, answer},
                      *names[] = {NULL, name_at, name}, *texts[] = {NULL, word_at, "ParisRome"},
                      *none[] = {NULL};
    int n = 0;

    for (int i = 0; i < ROWS; i++) {
        age[i] = i / 4.0;
        city[i] = (int8_t)(i % 2);
        answer[i] = i % 3 + 0.1;
        n += sprintf(name + n, "n%d", i % 100);
        name_at[i + 1] = n;
    }
    set_column(0, "age", "g", 2, ages);
    set_column(1, "city", "c", 2, cities);
    set_column(2, "name", "u", 3, names);
    set_column(3, "answer", "g", 2, answers);
    word_schema = (struct ArrowSchema){.format = "u", .release = release_schema};
    words = (struct ArrowArray){
        .length = 2, .n_buffers = 3, .buffers = texts, .release = release_array};
    column_schema[1].dictionary = &word_schema;
    column[1].dictionary = &words;
    table_schema = (struct ArrowSchema){
        .format = "+s", .n_children = COLUMNS, .children = schemas, .release = release_schema};
    table = (struct ArrowArray){.length = ROWS,
                                .n_buffers = 1,
                                .buffers = none,
                                .n_children = COLUMNS,
                                .children = columns,
                                .release = release_array};
}

fx_status arrow_batch(const char *spec)
{
    fx_reader *r;
    fx_data *d = MARK;

    make_table();
    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    call_begin();
    fx_status s = fx_data_reader_arrow(r, &table_schema, &table, &two);
    if (!s)
        s = fx_data_reader_take(&d, r, 1, &two);
    call_end(s);
    fx_data_reader_free(r);
    expect(table.release && table_schema.release, "the caller's array is released");
    return got_data(d, s);
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    *out = table_schema;
    out->private_data = s;
    held++;
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    int *left = s->private_data;

    *out = *left ? table : (struct ArrowArray){0};
    out->private_data = s;
    held += *left > 0;
    *left -= *left > 0;
    return 0;
}

static void release_stream(struct ArrowArrayStream *s)
{
    held--;
    s->release = NULL;
}

fx_status arrow_stream(const char *spec)
{
    int left = BATCHES;
    struct ArrowArrayStream stream = {.get_schema = get_schema, .get_next = get_next,
                                      .release = release_stream, .private_data = &left};
    fx_data *d = MARK;

    make_table();
    held = 1;
    call_begin();
    fx_status s = call_end(fx_data_arrow(&d, spec, "x", &stream, &two));
    expect(!held && !stream.release, "something of the stream is not released");
    return got_data(d, s);
}
