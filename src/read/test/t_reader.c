/* SPDX-License-Identifier: BSD-3-Clause
 * t_reader.c - several takes, what is resolved by the first, counts, misuse, limits,
 * cancellation.  Covers: parse.c */

#include "data/test/reading.h"

#include <sys/resource.h>

static fx_reader *open_reader(const char *spec)
{
    fx_reader *r;

    CHECK(!fx_data_reader_new(&r, spec, "x"));
    return r;
}

static fx_status feed(fx_reader *r, const char *text)
{
    return fx_data_reader_feed(r, text, strlen(text), NULL);
}

static fx_status take(fx_data **d, fx_reader *r, int end)
{
    return fx_data_reader_take(d, r, end, NULL);
}

static void rejected(const char *spec, const char *holds)
{
    fx_reader *r = NULL;
    fx_status s = fx_data_reader_new(&r, spec, "x");

    CHECK(s == FX_EINVAL && !r && strstr(fx_error_detail(), holds));
}

static void specs(void)
{
    rejected("arff", "svmlight, csv, text, npy, npz");
    rejected("", "name");
    rejected("svmlight:bas=1", "base, sort, duplicates, nan, fields, labels");
    rejected("svmlight:base=2", "auto|0|1");
    rejected("csv:separator=pipe", "comma|tab|semicolon");
    rejected("npy:x=1", "nan");
    rejected("csv(svmlight)", "brackets");
}

static void counts(void)
{
    fx_reader *r = open_reader("svmlight:sort=yes,duplicates=sum,nan=drop");

    CHECK(!feed(r, "1 2:1 1:1\n\n# c\n1 7:nan 3:1 3:1\n") && !feed(r, "1 9:1 5:2 9:4\n1"));
    fx_read_counts c = FX_INIT(fx_read_counts);
    fx_data_reader_counts(&c, r);
    CHECK(c.bytes == 46 && c.lines == 6 && c.rows == 4 && c.blank == 2);
    CHECK(c.entries == 5 && c.dropped == 1 && c.summed == 2 && c.sorted == 2);
    CHECK(c.widest_line == 5);
    fx_data_reader_free(r);
}

/* The same counts when rows stand in many chunks, threads and feeds. */
static void many_counts(void)
{
    enum { ROWS = 60000 };
    static const char svm[] = "1 7:1 2:inf 4:1 4:1\n# c\n\n", csv[] = "1,,nan,3\n\n";
    char *text = malloc(ROWS * sizeof svm + 64);

    CHECK(text);
    for (size_t i = 0; i < ROWS; i++)
        memcpy(text + i * (sizeof svm - 1), svm, sizeof svm - 1);
    size_t len = ROWS * (sizeof svm - 1), third = len / 3 / (sizeof svm - 1) * (sizeof svm - 1);
    memcpy(text + 50000 * (sizeof svm - 1), "1 8:1", 5);
    for (int threads = 1; threads <= 3; threads += 2)
        for (int feeds = 1; feeds <= 2; feeds++) {
            fx_reader *r = open_reader("svmlight:sort=yes,duplicates=sum,nan=drop");
            fx_run run = {RUN, .threads = threads};
            size_t first = feeds == 2 ? third : len;
            CHECK(!fx_data_reader_feed(r, text, first, &run));
            CHECK(!fx_data_reader_feed(r, text + first, len - first, &run));
            CHECK(test_helped() == (threads > 1));
            fx_read_counts c = FX_INIT(fx_read_counts);
            fx_data_reader_counts(&c, r);
            CHECK(c.bytes == len && c.lines == 3 * ROWS && c.rows == ROWS && c.blank == 2 * ROWS);
            CHECK(c.dropped == ROWS && c.summed == ROWS && c.sorted == ROWS);
            CHECK(c.entries == 2 * ROWS && c.widest_line == 150001);
            fx_data_reader_free(r);
        }

    fx_reader *r = open_reader("csv:nan=drop");
    size_t at = (size_t)sprintf(text, "\n\na,b,c,y\n");
    for (size_t i = 0; i < ROWS; i++, at += sizeof csv - 1)
        memcpy(text + at, csv, sizeof csv - 1);
    CHECK(!fx_data_reader_feed(r, text, at, NULL));
    fx_read_counts c = FX_INIT(fx_read_counts);
    fx_data_reader_counts(&c, r);
    CHECK(c.bytes == at && c.lines == 2 * ROWS + 3 && c.rows == ROWS && c.blank == ROWS + 2);
    CHECK(c.dropped == 2 * ROWS && c.entries == 3 * ROWS && c.summed == 0 && c.sorted == 0);
    fx_data_reader_free(r);
    free(text);
}

/* A line is taken for a header only where one can stand: the first row, and words. */
static void header_hints(void)
{
    static const struct { const char *first, *then; bool hint; } cases[] = {
        {"", "rating 0:1\n5 0:1\n", true},     {"rating 0:1\n", "5 0:1\n", true},
        {"a 1:1\nb 1:1\n", "3 1:1\n", false},  {"", "a 1:1\nb 1:1\n3 1:1\n", false},
        {"", "3 1:1\na 1:1\n", false},         {"3 1:1\n", "a 1:1\n", false},
        {"", "label f1 f2\n1 1:1\n", true},    {"# c\n\n", "label f1 f2\n", true},
        {"a 1:1\n", "label f1 f2\n", false},   {"", "a 1:1\nlabel f1 f2\n", false},
        {"", "1 f1 f2\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_reader *r = open_reader("svmlight");
        CHECK(!feed(r, cases[i].first) && feed(r, cases[i].then) == FX_EFORMAT);
        CHECK(!strstr(fx_error_detail(), "header") == !cases[i].hint);
        fx_data_reader_free(r);
    }
}

static void takes(void)
{
    fx_reader *r = open_reader("svmlight");
    fx_data *a, *b, *c, *e;

    CHECK(!take(&e, r, 0));              /* nothing yet: nothing is resolved */
    CHECK(fx_data_table(e).rows == 0 && fx_data_table(e).blocks == 0);
    CHECK(!feed(r, "b 0:1 4:2\n") && !feed(r, "a 3:1\nb\n") && !take(&a, r, 0));
    CHECK(!feed(r, "c 2:5 9:1\n") && !take(&b, r, 0));
    CHECK(!take(&c, r, 1));              /* the end, no more rows: fine */
    fx_table t = fx_data_table(a);
    CHECK(t.rows == 3 && t.cols == 5 && t.base == 0 && t.classes == 2 && t.blocks == 2);
    CHECK(t.label[0] == 1 && t.label[1] == 0 && t.label[2] == 1 && reading_at(a, 1, 3) == 1);
    t = fx_data_table(b);
    CHECK(t.rows == 1 && t.cols == 10 && t.base == 0 && t.classes == 1 && reading_at(b, 0, 2) == 5);
    CHECK(fx_data_table(c).rows == 0);
    fx_data_reader_free(r);             /* tables outlive their reader */
    CHECK(reading_at(a, 0, 4) == 2);
    fx_data_free(a), fx_data_free(b), fx_data_free(c), fx_data_free(e);

    r = open_reader("svmlight");        /* 1-based after the first take: a 0 comes too late */
    CHECK(!feed(r, "1 1:1\n") && !take(&a, r, 0));
    CHECK(fx_data_table(a).base == 1 && fx_data_table(a).cols == 1);
    CHECK(feed(r, "\n1 2:1\n1 0:1\n") == FX_EFORMAT && !strncmp(fx_error_detail(), "x:4:3: ", 7));
    CHECK(feed(r, "1 1:1\n") == FX_EINVAL && take(&b, r, 1) == FX_EINVAL);
    fx_data_free(a);
    fx_data_reader_free(r);

    r = open_reader("svmlight");        /* the kind of the labels holds for the whole input */
    CHECK(!feed(r, "1 1:1\n") && !take(&a, r, 0));
    CHECK(feed(r, "yes 1:1\n") == FX_EFORMAT && strstr(fx_error_detail(), "line 1"));
    fx_data_free(a);
    fx_data_reader_free(r);

    r = open_reader("svmlight");        /* queries: -1 where a row has none */
    CHECK(!feed(r, "1 1:1\n") && !feed(r, "1 qid:0 1:1\n1 qid:7\n") && !feed(r, "1\n"));
    CHECK(!take(&a, r, 0) && !feed(r, "1\n") && !take(&b, r, 1));
    t = fx_data_table(a);
    CHECK(t.qid[0] == -1 && t.qid[1] == 0 && t.qid[2] == 7 && t.qid[3] == -1);
    CHECK(!fx_data_table(b).qid);
    fx_data_free(a), fx_data_free(b);
    fx_data_reader_free(r);

    r = open_reader("csv");             /* names in every table */
    CHECK(!feed(r, "\n") && !feed(r, "u,y\n") && !feed(r, "1,2\n"));
    CHECK(!take(&a, r, 0) && !feed(r, "3,4\n") && !take(&b, r, 1));
    CHECK(!strcmp(fx_data_table(a).name[0], "u") && !strcmp(fx_data_table(b).name[0], "u"));
    CHECK(feed(r, "1\n") == FX_EFORMAT && !strncmp(fx_error_detail(), "x:5:2: ", 7));
    fx_data_free(a), fx_data_free(b);
    fx_data_reader_free(r);
}

static void misuse(void)
{
    fx_reader *r = open_reader("svmlight");
    char name[5000];
    fx_data *d = NULL;

    CHECK(!feed(r, "1 1:1") && feed(r, "2 1:1\n") == FX_EINVAL);        /* a line in two pieces */
    fx_data_reader_free(r);
    fx_data_reader_free(NULL);
    CHECK(fx_data_reader_feed(NULL, "1", 1, NULL) == FX_EINVAL);
    CHECK(fx_data_reader_new(NULL, "csv", "x") == FX_EINVAL);
    CHECK(fx_data_parse(&d, "csv", "x", NULL, 3, NULL) == FX_EINVAL);
    CHECK(fx_data_parse(&d, "svmlight", "x", NULL, 0, NULL) == FX_EFORMAT);
    CHECK(fx_data_reader_new(&r, "csv", NULL) == FX_EINVAL);
    r = open_reader("csv");
    CHECK(fx_data_reader_member(r, "x.npy") == FX_EINVAL);
    fx_data_reader_free(r);
    memset(name, 'd', sizeof name);     /* the end of a long name, the place and the reason */
    strcpy(name + sizeof name - 7, "/f.svm");
    CHECK(fx_data_parse(&d, "svmlight", name, "1 x", 3, NULL) == FX_EFORMAT);
    CHECK(strstr(fx_error_detail(), "/f.svm:1:3: expected index:value, found 'x'"));
    CHECK(!strncmp(fx_error_detail(), "...", 3) && !d);
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)ctx;
}

static void limits(void)
{
    const size_t size = 48 << 20;       /* longer than the 50 ms from call to call */
    char *text = malloc(size + 1);
    int calls = 0;
    fx_run small = {RUN, .max_memory = 1000000},
           stopped = {RUN, .threads = 1, .progress = stop, .ctx = &calls};
    fx_data *d = NULL;

    CHECK(text != NULL);
    for (size_t i = 0; i < size; i += 16)
        memcpy(text + i, "1 1:0.123456 \t\n" "\n", 16);
    CHECK(fx_data_parse(&d, "svmlight", "x", text, 1 << 20, &small) == FX_ELIMIT && !d);
    CHECK(fx_data_parse(&d, "svmlight", "x", text, 1 << 14, &small) == FX_OK);
    fx_data_free(d);
    d = NULL;
    fx_status s = fx_data_parse(&d, "svmlight", "x", text, size, &stopped);
    CHECK(calls ? s == FX_ECANCELLED && !d : s == FX_OK);     /* a fast machine may finish */
    fx_data_free(d);
    free(text);
}

/* Memory goes by the bytes that are there, not by columns that they claim: with little address
 * space these are read, or refused for what they lack.  (Sanitizers need it for themselves.) */
static void claims(void)
{
    static const char column[] = "\x93NUMPY\1\0\x4b\0{'descr': '<f4', 'fortran_order': False, "
                                 "'shape': (1, 1000000000000)}      \0\0\0\0";
    fx_data *d = NULL;
    fx_scale *scale = NULL;
    const fx_run run = {RUN, .threads = 1, .max_memory = 1 << 20};
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    struct rlimit old, little = {(rlim_t)1 << 28, 0};
    CHECK(!getrlimit(RLIMIT_AS, &old));
    little.rlim_max = old.rlim_max;
    CHECK(!setrlimit(RLIMIT_AS, &little));
#endif
    CHECK(!fx_data_parse(&d, "svmlight", "x", "1 2147483647:1\n", 15, &run));
    fx_table t = fx_data_table(d);
    CHECK(t.cols == INT32_MAX && reading_stored(d) == 1);
    CHECK(fx_data_scale_fit(&scale, "maxabs", &t, &run) == FX_ELIMIT && !scale);
    CHECK(strstr(fx_error_detail(), "needs 51539607528 bytes, the limit is 1048576"));
    CHECK(!fx_data_scale_fit(&scale, "unit-l2", &t, &run));
    fx_data_scale_free(scale);
    fx_data_free(d);
    d = NULL;
    CHECK(fx_data_parse(&d, "npy", "x", column, sizeof column - 1, &run) == FX_EFORMAT && !d);
    CHECK(strstr(fx_error_detail(), "ends after 4 of 4000000000000 bytes"));
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    CHECK(!setrlimit(RLIMIT_AS, &old));
#endif
}

/* Millions of classes: entering, sorting and renumbering them can be stopped. */
static void many_classes(void)
{
    const size_t n = 1500000;
    char *text = malloc(n * 10 + 1), *p = text;
    int calls = 0;
    fx_run stopped = {RUN, .threads = 1, .progress = stop, .ctx = &calls};
    fx_data *d = NULL;

    CHECK(text);
    for (size_t i = 0; i < n; i++)
        p += sprintf(p, "c%07zu\n", (i * 7919) % n);
    fx_reader *r = open_reader("svmlight");
    CHECK(!fx_data_reader_feed(r, text, (size_t)(p - text), NULL));
    CHECK(fx_data_reader_take(&d, r, 1, &stopped) == FX_ECANCELLED && !d && calls == 1);
    CHECK(take(&d, r, 1) == FX_EINVAL); /* it can only be freed */
    fx_data_reader_free(r);
    free(text);
}

/* What a description promises: names, members, lines, rows with all columns. */
static void promises(void)
{
    static const char *const rows[] = {"1 1:2\n", "1,2\n", "1 a\n", "", ""}; /* of each format */
    static const char *const name = "a";
    fx_description d = FX_INIT(fx_description);
    fx_data *data;

    for (size_t i = 0; fx_data_reader_format(i); i++) {
        CHECK(fx_data_reader_describe(&d, fx_data_reader_format(i)) == FX_OK);
        fx_reader *r = open_reader(d.name);
        CHECK((fx_data_reader_names(r, &name, 1) == FX_OK) == d.names);
        fx_data_reader_free(r);
        r = open_reader(d.name);
        CHECK((fx_data_reader_member(r, "x.npy") == FX_OK) == d.members);
        fx_data_reader_free(r);
        r = open_reader(d.name);
        data = NULL;
        CHECK((feed(r, rows[i]) || take(&data, r, 1)) == d.binary);
        CHECK(d.binary || (fx_data_table(data).block->ptr == NULL) == d.dense);
        fx_data_free(data);
        fx_data_reader_free(r);
    }
    CHECK(fx_data_reader_describe(&d, "npy") == FX_OK && d.dense);
    CHECK(fx_data_reader_describe(&d, "npz") == FX_OK && !d.dense);
}

int main(void)
{
    test_init();
    specs();
    promises();
    counts();
    many_counts();
    header_hints();
    takes();
    misuse();
    limits();
    claims();
    many_classes();
    return 0;
}
