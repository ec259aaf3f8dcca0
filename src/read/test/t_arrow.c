/* SPDX-License-Identifier: BSD-3-Clause
 * t_arrow.c - rows of Arrow batches are those of the CSV file with the same columns, in all
 * layouts, cut anywhere; what is released, and what is refused.
 * Covers: arrow_batch.c, arrow_rows.c, arrow_values.c, csv_row.c, reader_arrow.c */

#include "data/test/reading.h"
#include "read/test/arrow_table.h"

/* ---- The same as CSV ------------------------------------------------------------------------ */
static const char *const number_formats[] = {"b", "c", "C", "s", "S", "i", "I", "l", "L", "e",
                                             "f", "g", "d:9,2"};
static const char *const text_formats[] = {"u", "U", "vu", "c", "I", "l"};
enum { NUMBERS = 13, TEXTS = 6 };

static void fill_numbers(at_column *c, size_t rows, bool nulls)
{
    for (size_t i = 0; i < rows; i++) {
        at_cell *cell = &c->cell[i];
        cell->null = nulls && test_below(4) == 0;
        cell->number = (double)test_below(2);
        if (*c->format != 'b' && test_below(3))
            cell->number = (double)test_below(100);
        if (strchr("csileflgd", *c->format) && test_below(2))
            cell->number = -cell->number;
        if (strchr("efgd", *c->format) && test_below(2))
            cell->number /= 4;
        if (*c->format == 'g' && test_below(3) == 0)
            cell->number = test_unit();
        cell->number += 0;              /* -0 is no whole number */
    }
}

static void fill_texts(at_column *c, size_t rows, bool nulls, bool numbers)
{
    static const char *const words[] = {"Paris", "Rome", "a b", "Oslo-and-Bergen", "NA", "x=y",
                                        "twelve bytes"};

    c->coded = strchr("cIl", *c->format) != NULL;
    for (size_t i = 0; i < rows; i++) {
        at_cell *cell = &c->cell[i];
        cell->null = nulls && test_below(5) == 0;
        if (numbers)
            snprintf(cell->text, sizeof cell->text, "%.6g", (double)test_below(50) / 8);
        else
            strcpy(cell->text, words[test_below(7)]);
    }
}

static at_table *random_table(bool numbers_only, bool text_label)
{
    at_table *t = calloc(1, sizeof *t);
    char name[16];

    t->rows = 1 + test_below(AT_ROWS);
    for (size_t j = 0; j < 8; j++) {
        sprintf(name, "c%zu", j);
        bool text = !numbers_only && test_below(2);
        at_column *c = at_add(
            t, name, text ? text_formats[test_below(TEXTS)] : number_formats[test_below(NUMBERS)]);
        c->pad = test_below(3) * test_below(4);
        if (text)
            fill_texts(c, t->rows, true, false);
        else
            fill_numbers(c, t->rows, true);
    }
    fill_numbers(at_add(t, "w", "C"), t->rows, false);
    fill_texts(at_add(t, "who", "vu"), t->rows, true, false);
    fill_texts(at_add(t, "q", "I"), t->rows, false, true);
    at_column *y = at_add(t, "y",
                          text_label ? text_formats[test_below(TEXTS)]
                                     : number_formats[1 + test_below(NUMBERS - 1)]);
    if (text_label)
        fill_texts(y, t->rows, false, false);
    else
        fill_numbers(y, t->rows, false);
    return t;
}

/* The spec of the columns that are texts; the guess of a CSV file sees only the fields. */
static void resolved_spec(char *spec, const at_table *t, const char *keys)
{
    size_t n = (size_t)sprintf(spec, "csv:label=y,%s,cat=", keys), first = n;

    for (size_t j = 0; j < 8; j++)
        if ((t->column[j].coded || strchr("uUv", *t->column[j].format))
            && !strstr(keys, t->column[j].name))
            n += (size_t)sprintf(spec + n, "%s%s", n > first ? "/" : "", t->column[j].name);
    if (n == first)
        strcpy(spec + n, "none");
}

static fx_data *read_batches(const char *spec, at_table *t, size_t batch, int threads,
                             const char *const *name, size_t names)
{
    fx_run run = {RUN, .threads = threads};
    fx_reader *r = NULL;
    fx_data *d = NULL;

    CHECK(fx_data_reader_new(&r, spec, "t") == FX_OK);
    if (names)
        CHECK(fx_data_reader_names(r, name, names) == FX_OK);
    for (size_t i = 0; i < t->rows; i += batch) {
        at_lay(t, i, t->rows - i < batch ? t->rows - i : batch);
        fx_status s = fx_data_reader_arrow(r, &t->schema, &t->array, &run);
        if (s) {
            fprintf(stderr, "%s: %s\n", spec, fx_error_detail());
            exit(1);
        }
    }
    CHECK(fx_data_reader_take(&d, r, 1, &run) == FX_OK);
    fx_data_reader_free(r);
    return d;
}

static fx_data *read_stream(const char *spec, at_table *t, size_t batch)
{
    at_stream a = {.t = t, .batch = batch, .fail_at = SIZE_MAX};
    struct ArrowArrayStream stream = at_stream_of(&a);
    fx_data *d = NULL;

    CHECK(fx_data_arrow(&d, spec, "t", &stream, NULL) == FX_OK);
    CHECK(!stream.release && !a.schemas && !a.arrays && !a.streams);
    return d;
}

static void same(fx_data *d, const char *spec, const char *text)
{
    fx_data *e = reading_good(spec, text);
    fx_table t = fx_data_table(d), u = fx_data_table(e);

    reading_same(&t, &u);
    fx_data_free(d);
    fx_data_free(e);
}

static void like_csv(void)
{
    static const char *const keys[] = {"nan=keep", "nan=zero,weight=w", "nan=category,id=who",
                                       "nan=keep,query=q,drop=who/c3", "nan=zero,hash-bits=3"};
    char spec[256];

    for (int k = 0; k < test_cases(400); k++) {
        const bool dense = test_below(3) == 0;
        at_table *t = random_table(dense, test_below(2));
        const char *more = dense ? "nan=keep,drop=who/q" : keys[test_below(5)];
        resolved_spec(spec, t, more);
        if (!strstr(more, "who"))
            strcat(spec, strstr(spec, "cat=none") ? "" : "/who");
        if (strstr(spec, "cat=none") && !strstr(more, "who"))
            strcat(spec, ",drop=who");
        char *text = at_csv(t);
        same(read_batches(spec, t, 1 + test_below(t->rows), 1, NULL, 0), spec, text);
        same(read_batches(spec, t, t->rows, 3, NULL, 0), spec, text);
        same(read_stream(spec, t, 1 + test_below(t->rows)), spec, text);
        free(text);
        free(t);
    }
}

/* Types say what is a category, and the spec says it afterwards; names come from a model. */
static void by_types(void)
{
    static const char *const name[] = {"city=Oslo", "age", "city=Rome"};
    at_table *t = calloc(1, sizeof *t);
    fx_reader *r = NULL;

    t->rows = 4;
    at_column *city = at_add(t, "city", "c"), *age = at_add(t, "age", "i"),
              *y = at_add(t, "last", "u");
    fill_texts(city, 4, false, true);   /* texts, although all are numbers */
    fill_numbers(age, 4, false);
    fill_texts(y, 4, false, false);
    CHECK(fx_data_reader_new(&r, "csv:cat=auto", "t") == FX_OK);
    at_lay(t, 0, 4);
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_OK);
    fx_data *d = NULL;
    CHECK(fx_data_reader_take(&d, r, 1, NULL) == FX_OK);
    CHECK(strstr(fx_data_reader_spec(r), "cat=city") && fx_data_table(d).block[0].ptr);
    CHECK(strstr(fx_data_reader_spec(r), "header=yes")
          && strstr(fx_data_reader_spec(r), "label=%6Cast"));
    fx_data_free(d);
    fx_data_reader_free(r);

    for (size_t i = 0; i < 4; i++)
        strcpy(city->cell[i].text, i == 2 ? "Mars" : i % 2 ? "Rome" : "Oslo");
    d = read_batches("csv:label=last,cat=city", t, 3, 1, name, 3);
    CHECK(reading_at(d, 0, 0) == 1 && reading_at(d, 3, 2) == 1 && reading_at(d, 3, 0) == 0);
    CHECK(reading_at(d, 2, 1) == age->cell[2].number
          && reading_row(&(fx_table){.block = fx_data_table(d).block}, 2).n <= 1);
    fx_data_free(d);
    free(t);
}

/* The extremes of each type, against the definitions of the formats. */
static void extremes(void)
{
    static const unsigned char halves[] = {0x01, 0x00, 0xff, 0x7b, 0x00, 0x80, 0x00, 0x3c};
    static const double want[] = {0x1p-24, 65504, 0, 1};
    at_table *t = calloc(1, sizeof *t);

    t->rows = 4;
    at_column *a = at_add(t, "a", "e"), *b = at_add(t, "b", "d:38,20"), *c = at_add(t, "c", "L");
    at_lay(t, 0, 4);
    memcpy(a->data, halves, sizeof halves);
    memset(b->data, 0xff, 16);          /* -1 / 10^20 */
    b->data[16] = 5;
    memset(b->data + 32, 0xff, 15);     /* 2^127 - 1 */
    b->data[47] = 0x7f;
    uint64_t big = ((uint64_t)1 << 53) - 1;
    memcpy(c->data + 8, &big, 8);
    fx_reader *r = NULL;
    fx_data *d = NULL;
    CHECK(fx_data_reader_new(&r, "csv:label=none", "t") == FX_OK);
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_OK);
    CHECK(fx_data_reader_take(&d, r, 1, NULL) == FX_OK);
    for (size_t i = 0; i < 4; i++)
        CHECK(reading_at(d, i, 0) == want[i]);
    CHECK(reading_at(d, 0, 1) == -1e-20 && reading_at(d, 1, 1) == 5e-20
          && reading_at(d, 2, 1) == 1701411834604692317.31687303715884105727
          && reading_at(d, 3, 1) == 0);
    CHECK(reading_at(d, 1, 2) == 0x1p53 - 1);
    fx_data_free(d);
    fx_data_reader_free(r);
    free(t);
}

/* ---- What is refused ------------------------------------------------------------------------ */
static at_table *small_table(void)
{
    at_table *t = calloc(1, sizeof *t);

    t->rows = 4;
    fill_numbers(at_add(t, "age", "l"), 4, false);
    fill_texts(at_add(t, "city", "u"), 4, false, false);
    fill_texts(at_add(t, "town", "c"), 4, false, false);
    fill_texts(at_add(t, "view", "vu"), 4, false, false);
    strcpy(t->column[3].cell[1].text, "more than twelve bytes");
    strcpy(t->column[1].cell[0].text, "Paris");
    fill_numbers(at_add(t, "y", "g"), 4, false);
    for (size_t i = 0; i < 4; i++)
        t->column[0].cell[i].number = 1 + (double)i;
    at_lay(t, 0, 4);
    return t;
}

static void refused(at_table *t, fx_status want, const char *holds)
{
    fx_reader *r = NULL;

    CHECK(fx_data_reader_new(&r, "csv:cat=auto", "t") == FX_OK);
    fx_status s = fx_data_reader_arrow(r, &t->schema, &t->array, NULL);
    if (s != want || !strstr(fx_error_detail(), holds)) {
        fprintf(stderr, "status %d: '%s'; want %d, '%s'\n", (int)s, s ? fx_error_detail() : "",
                (int)want, holds);
        exit(1);
    }
    CHECK(!strncmp(fx_error_detail(), "t: ", 3));
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_EINVAL);   /* it has failed */
    fx_data_reader_free(r);
    free(t);
}

#define REFUSED(change, status, holds) \
    do { \
        at_table *t = small_table(); \
        at_column *age = &t->column[0], *city = age + 1, *town = age + 2, *view = age + 3; \
        (void)age, (void)city, (void)town, (void)view; \
        change; \
        refused(t, status, holds); \
    } while (0)

static void lies(void)
{
    REFUSED(t->schema.release = NULL, FX_EINVAL, "schema is released");
    REFUSED(t->array.release = NULL, FX_EINVAL, "batch is released");
    REFUSED(t->schema.format = "g", FX_EINVAL, "has the format 'g'");
    REFUSED(t->schema.format = NULL, FX_EINVAL, "has the format ''");
    REFUSED(t->schema.n_children = -1, FX_EINVAL, "-1 columns");
    REFUSED(t->schema.children = NULL, FX_EINVAL, "columns");
    REFUSED(t->schemas[1] = NULL, FX_EINVAL, "no column 1");
    REFUSED(t->array.n_children = 2, FX_EINVAL, "2 columns, unlike its schema");
    REFUSED(t->array.children = NULL, FX_EINVAL, "unlike its schema");
    REFUSED(t->arrays[0] = NULL, FX_EINVAL, "'age' is missing or released");
    REFUSED(age->array.release = NULL, FX_EINVAL, "'age' is missing or released");
    REFUSED(t->array.length = -1, FX_EINVAL, "-1 rows");
    REFUSED(t->array.length = 5, FX_EINVAL, "'age' has only 4 values");
    REFUSED(t->array.offset = 1, FX_EINVAL, "'age' has only 4 values");
    REFUSED(t->array.offset = INT64_MAX, FX_EINVAL, "'age' has only 4 values");
    REFUSED(age->array.length = -7, FX_EINVAL, "impossible length");
    REFUSED(age->array.offset = -1, FX_EINVAL, "impossible length");
    REFUSED(age->array.offset = INT64_MAX, FX_EINVAL, "too large");
    REFUSED(age->array.null_count = 5, FX_EINVAL, "impossible length");
    REFUSED(age->array.null_count = 2, FX_EINVAL, "2 nulls, but no buffer");
    REFUSED(age->buffer[1] = NULL, FX_EINVAL, "no buffer of them");
    REFUSED(age->array.buffers = NULL, FX_EINVAL, "no buffer of them");
    REFUSED(age->array.n_buffers = 1, FX_EINVAL, "only 1 buffers");
    REFUSED(t->array.null_count = 1, FX_EINVAL, "null");
    REFUSED((t->array.null_count = -1, t->buffer[0] = "\x0b"), FX_EINVAL, "row 2 (from 0)");
    REFUSED(city->array.n_buffers = 2, FX_EINVAL, "only 2 buffers");
    REFUSED(city->buffer[2] = NULL, FX_EFORMAT, "row 0 (from 0): a text that is outside");
    REFUSED(((int32_t *)(void *)city->data)[2] = -1, FX_EFORMAT, "row 1 (from 0): a text");
    REFUSED(((int32_t *)(void *)city->data)[3] = 1, FX_EFORMAT, "row 2 (from 0): a text");
    REFUSED(((int32_t *)(void *)city->data)[1] = 1 << 30, FX_EFORMAT, "row 0 (from 0): a text");
    REFUSED(((int32_t *)(void *)city->data)[4] = 1, FX_EFORMAT, "row 0 (from 0): a text");
    REFUSED(view->array.n_buffers = 2, FX_EINVAL, "only 2 buffers");
    REFUSED(view->buffer[3] = NULL, FX_EINVAL, "without their lengths");
    REFUSED(view->text_len[0] = 3, FX_EFORMAT,
            "a text that is outside of its buffer, in the "
            "column 'view'");
    REFUSED(((int32_t *)(void *)view->data)[6] = 7, FX_EFORMAT, "row 1 (from 0): a text");
    REFUSED(((int32_t *)(void *)view->data)[7] = -9, FX_EFORMAT, "row 1 (from 0): a text");
    REFUSED(((int32_t *)(void *)view->data)[12] = -1, FX_EFORMAT, "row 3 (from 0): a text");
    REFUSED(town->data[2] = 100, FX_EFORMAT, "row 2 (from 0): a code that is not in");
    REFUSED(town->data[1] = 0xff, FX_EFORMAT, "row 1 (from 0): a code that is not in");
    REFUSED(town->array.dictionary = NULL, FX_EINVAL, "'town' has no dictionary");
    REFUSED(town->words.length = -1, FX_EINVAL, "'town' has no dictionary");
    REFUSED(town->words_buffer[1] = NULL, FX_EINVAL, "no buffer of them");
    REFUSED(town->words_schema.format = NULL, FX_EINVAL, "dictionary without a format");
    REFUSED(town->words_schema.dictionary = &t->schema, FX_EUNSUPPORTED, "'town'");
    REFUSED(strcpy(town->format, "g"), FX_EINVAL, "no whole numbers");
}

static void unsuitable(void)
{
    static const struct { const char *format, *holds; } types[] = {
        {"tsu:", "'age' has the Arrow type tsu: (a time stamp)"}, {"tdD", "a date"},
        {"ttu", "a time"}, {"tDs", "a duration"}, {"tiM", "an interval"}, {"z", "bytes"},
        {"vz", "bytes"}, {"w:42", "bytes"}, {"+s", "nested"}, {"+l", "nested"}, {"+r", "runs"},
        {"d:9,2,256", "a decimal number of more"}, {"d:9", "a decimal"}, {"d:9,99", "a decimal"},
        {"d:9,-99999999999999999999", "a decimal"},
        {"?", "an unknown type"}, {"", "an unknown type"}, {"ix", "an unknown type"}};
    int64_t big = (int64_t)1 << 53;

    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        REFUSED(age->schema.format = types[k].format, FX_EUNSUPPORTED, types[k].holds);
    REFUSED(memcpy(age->data + 8, &big, 8), FX_EFORMAT,
            "row 1 (from 0): 9007199254740992 in the column 'age' is a whole number of 2^53");
    REFUSED((age->valid[0] = 0xb, age->buffer[0] = age->valid, age->array.null_count = -1),
            FX_EFORMAT, "row 2 (from 0): an empty field in the column 'age' is a missing number");
    REFUSED(memcpy(t->column[4].data + 16, &(double){INFINITY}, 8), FX_EFORMAT,
            "row 2 (from 0): the label inf");
    REFUSED((t->column[4].valid[0] = 7, t->column[4].buffer[0] = t->column[4].valid,
             t->column[4].array.null_count = 1),
            FX_EFORMAT, "row 3 (from 0): no label");
    REFUSED(city->text[1] = 0, FX_EFORMAT, "row 0 (from 0): a NUL byte");
    REFUSED(city->name[1] = '\r', FX_EFORMAT, "t: a carriage return");
    REFUSED(strcpy(city->name, "age"), FX_EFORMAT, "t: two columns are named 'age'");
}

/* Of rows with errors in several columns, the first row is reported, whatever the threads do. */
static void first_error(void)
{
    for (int threads = 1; threads < 4; threads++) {
        at_table *t = small_table();
        fx_run run = {RUN, .threads = threads};
        fx_reader *r = NULL;
        t->column[2].data[1] = 77;
        t->column[0].array.null_count = -1;
        t->column[0].valid[0] = 3;
        t->column[0].buffer[0] = t->column[0].valid;
        CHECK(fx_data_reader_new(&r, "csv:cat=auto", "t") == FX_OK);
        CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, &run) == FX_EFORMAT);
        CHECK(strstr(fx_error_detail(), "t: row 1 (from 0): a code"));
        fx_data_reader_free(r);
        free(t);
    }
}

/* Batches alone, of the same columns, to a csv reader. */
static void mixtures(void)
{
    at_table *t = small_table();
    fx_reader *r = NULL;
    fx_data *d = NULL;

    CHECK(fx_data_reader_new(&r, "csv:cat=auto", "t") == FX_OK);
    CHECK(fx_data_reader_arrow(r, &t->schema, NULL, NULL) == FX_OK);
    CHECK(fx_data_reader_take(&d, r, 0, NULL) == FX_OK);        /* columns, no rows */
    CHECK(fx_data_table(d).rows == 0 && fx_data_table(d).cols == 1);
    fx_data_free(d);
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_OK);
    CHECK(fx_data_reader_feed(r, "1\n", 2, NULL) == FX_EINVAL);
    CHECK(fx_data_reader_file(r, "x") == FX_EINVAL);
    strcpy(t->column[1].name, "country");
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "column 1 (from 0) is 'country' here, but 'city'"));
    fx_data_reader_free(r);

    CHECK(fx_data_reader_new(&r, "csv", "t") == FX_OK);
    CHECK(fx_data_reader_feed(r, "a,b\n1,2\n", 8, NULL) == FX_OK);
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_EINVAL);
    fx_data_reader_free(r);
    CHECK(fx_data_reader_new(&r, "svmlight", "t") == FX_OK);
    CHECK(fx_data_reader_arrow(r, &t->schema, &t->array, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "csv reader"));
    fx_data_reader_free(r);
    free(t);
}

/* ---- Streams -------------------------------------------------------------------------------- */
static void stream_fails(at_stream a, const char *spec, fx_status want, const char *holds)
{
    struct ArrowArrayStream stream = at_stream_of(&a);
    fx_data *d = NULL;

    CHECK(fx_data_arrow(&d, spec, "t", &stream, NULL) == want);
    CHECK(strstr(fx_error_detail(), holds) && !d);
    CHECK(!stream.release && !a.schemas && !a.arrays && !a.streams);
    CHECK(fx_data_arrow(&d, spec, "t", &stream, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "released"));
}

static void streams(void)
{
    at_table *t = small_table();
    const at_stream a = {.t = t, .batch = 3, .fail_at = SIZE_MAX};

    stream_fails((at_stream){.t = t, .batch = 3, .fail_at = 3}, "csv:cat=auto", FX_EFORMAT,
                 "t: the Arrow stream failed: the disk is on fire");
    stream_fails(a, "csv:cat=auto,label=z", FX_EFORMAT, "t: no column is named 'z'");
    stream_fails(a, "csv:nonsense", FX_EINVAL, "nonsense");
    stream_fails(a, "csv:cat=auto,label=y,weight=city", FX_EFORMAT, "is not a number");
    t->rows = 0;
    stream_fails(a, "csv:cat=auto", FX_EFORMAT, "t: no rows");
    CHECK(fx_data_arrow(NULL, "csv", "t", NULL, NULL) == FX_EINVAL);
    free(t);
}

int main(void)
{
    test_init();
    like_csv();
    by_types();
    extremes();
    lies();
    unsuitable();
    first_error();
    mixtures();
    streams();
    return 0;
}
