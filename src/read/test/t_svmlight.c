/* SPDX-License-Identifier: BSD-3-Clause
 * t_svmlight.c - each odd or broken input and what it must give; random rows against a plain parser
 * over strtod; threads and cuts that must change nothing.
 * Covers: svmlight_error.c, values.c, order.c */

#include "data/test/reading.h"
#include "read/read.h"

#include <locale.h>

/* ---- Accepted ------------------------------------------------------------------------------- */
static void shapes(void)
{
    fx_data *d = reading_good("svmlight", "\xef\xbb\xbf+1 1:2 3:-0.5\r\n\r\n \t\n# all comment\n"
                                          "-1\t2:1e2   4:0 # end 9:9\n  2 qid:43 \n1");
    fx_table t = fx_data_table(d);

    CHECK(t.rows == 4 && t.cols == 4 && t.base == 1 && !t.classes && !t.name);
    CHECK(reading_at(d, 0, 0) == 2 && reading_at(d, 0, 2) == -0.5);
    CHECK(reading_at(d, 1, 1) == 100 && reading_stored(d) == 4);        /* the zero is kept */
    CHECK(reading_row(&t, 2).n == 0 && reading_row(&t, 3).n == 0);
    CHECK(t.label[0] == 1 && t.label[1] == -1 && t.label[2] == 2 && t.label[3] == 1);
    CHECK(t.qid && t.qid[0] == -1 && t.qid[2] == 43 && t.qid[3] == -1);
    fx_data_free(d);

    d = reading_good("svmlight", "1 qid:999999999999999999 000000000000000001:1\n");
    CHECK(fx_data_table(d).qid[0] == 999999999999999999 && fx_data_table(d).cols == 1);
    fx_data_free(d);

    d = reading_good("svmlight", "1\n1   \n-1 qid:43\n");     /* rows of zeros, no columns */
    t = fx_data_table(d);
    CHECK(t.rows == 3 && t.cols == 0 && reading_stored(d) == 0);
    fx_data_free(d);

    d = reading_good("svmlight", "1 1:1 2:1#tight\n2#c\n");
    CHECK(reading_at(d, 0, 1) == 1 && fx_data_table(d).label[1] == 2);
    fx_data_free(d);
}

static void bases(void)
{
    fx_data *d = reading_good("svmlight", "1 2:5 7:1\n1 0:3 2147483647:2\n");
    fx_table t = fx_data_table(d);

    CHECK(t.base == 0 && t.cols == 2147483648u);
    CHECK(reading_at(d, 0, 2) == 5 && reading_at(d, 1, 0) == 3);
    CHECK(reading_at(d, 1, 2147483647) == 2);
    fx_data_free(d);
    d = reading_good("svmlight:base=0", "1 2:5 7:1\n");
    t = fx_data_table(d);
    CHECK(t.base == 0 && t.cols == 8 && reading_at(d, 0, 7) == 1);
    fx_data_free(d);
    d = reading_good("svmlight:base=1", "1 2:5 2147483647:1\n");
    t = fx_data_table(d);
    CHECK(t.base == 1 && t.cols == 2147483647u && reading_at(d, 0, 1) == 5);
    fx_data_free(d);
    reading_bad("svmlight:base=1", "1 1:1\n1 0:3\n", "x:2:3: ", "index 0");

    /* Entries left out by nan=drop still say where indices begin and end. */
    d = reading_good("svmlight:nan=drop", "1 0:nan 3:1\n1 2:1 9:inf\n");
    t = fx_data_table(d);
    CHECK(t.base == 0 && t.cols == 10 && reading_at(d, 0, 3) == 1 && reading_at(d, 1, 2) == 1);
    fx_data_free(d);
    d = reading_good("svmlight:nan=drop,sort=yes", "1 7:nan 3:1 2:1\n");
    t = fx_data_table(d);
    CHECK(t.base == 1 && t.cols == 7 && reading_stored(d) == 2);
    fx_data_free(d);
}

static void labels(void)
{
    fx_data *d = reading_good("svmlight", "no 1:1\nyes\nb,a 2:1\nno 1:2\nN\xc3\xb6 1:1\n");
    fx_table t = fx_data_table(d);
    const char *expected[] = {"N\xc3\xb6", "b,a", "no", "yes"};  /* sorted bytewise */
    const double label[] = {2, 3, 1, 2, 0};

    CHECK(t.classes == 4);
    for (size_t i = 0; i < 4; i++)
        CHECK(!strcmp(t.class_name[i], expected[i]));
    for (size_t i = 0; i < 5; i++)
        CHECK(t.label[i] == label[i]);
    fx_data_free(d);

    reading_bad("svmlight", "rating 0:1\n5 0:1\n3 1:1\n", "x:2:1: ", "header");
    reading_bad("svmlight", "a 1:1\nb 1:1\n3 1:1\n", "x:3:1: ", "line 1 has the text 'a'");
    reading_bad("svmlight", "1 1:1\n\n two 1:1\n", "x:3:2: ", "two is text");
    reading_bad("svmlight", "label f1 f2\n1 1:1\n", "x:1:7: ", "header");
    reading_bad("svmlight", "3:1 4:1\n", "x:1:1: ", "no label");
    reading_bad("svmlight", "qid:3 4:1\n", "x:1:1: ", "no label");
    reading_bad_bytes("svmlight", "a\0b 1:1\n", 8, "x:1:2: ", "NUL");
}

static void options(void)
{
    fx_data *d = reading_good("svmlight:sort=yes", "1 5:1 2:2 9:3\n0 1:1 2:1\n");
    CHECK(reading_at(d, 0, 1) == 2 && reading_at(d, 0, 4) == 1 && reading_at(d, 0, 8) == 3);
    fx_data_free(d);
    d = reading_good("svmlight:duplicates=sum", "1 2:1 2:0.1 2:0.2 5:1\n");
    CHECK(reading_at(d, 0, 1) == 1 + 0.1 + 0.2 && reading_stored(d) == 2);
    fx_data_free(d);
    d = reading_good("svmlight:sort=yes,duplicates=sum", "1 5:1 2:1 5:0.1 2:3 5:1\n");
    CHECK(reading_at(d, 0, 1) == 4 && reading_at(d, 0, 4) == 1 + 0.1 + 1 && reading_stored(d) == 2);
    fx_data_free(d);
    d = reading_good("svmlight:nan=drop", "1 1:nan 2:1e999 3:-inf 4:1.797e308 5:7\n");
    CHECK(reading_stored(d) == 1 && reading_at(d, 0, 4) == 7);
    fx_data_free(d);
    d = reading_good("svmlight:fields=ignore", "1 0:3:0.5 1:7:2\n0 2:1\n");
    CHECK(reading_at(d, 0, 2) == 0.5 && reading_at(d, 0, 6) == 2 && reading_at(d, 1, 1) == 1);
    fx_data_free(d);
    /* A sum that is no float, with floats behind it. */
    d = reading_good("svmlight:sort=yes,duplicates=sum", "1 2:16777216 3:7 4:9 2:1\n2 1:3\n");
    CHECK(reading_at(d, 0, 1) == 16777217 && reading_at(d, 0, 2) == 7 && reading_at(d, 0, 3) == 9);
    CHECK(reading_at(d, 1, 0) == 3 && reading_stored(d) == 4);
    fx_data_free(d);
    /* Equal indices are added in the order of the file: (2^53 + 1) + 1 is 2^53, 2^53 + (1 + 1)
     * is not. */
    d = reading_good("svmlight:sort=yes,duplicates=sum",
                     "1 5:9007199254740992 2:1 5:1 5:1\n1 5:1 5:1 2:1 5:9007199254740992\n");
    CHECK(reading_at(d, 0, 4) == 0x1p53 && reading_at(d, 1, 4) == 0x1p53 + 2);
    fx_data_free(d);
    reading_bad("svmlight:sort=yes", "1 5:1 2:2 10:7 5:3\n", "x:1:16: ", "index 5 stands twice");
    reading_bad("svmlight:sort=yes", "1 2:2 5:1 5:3 x\n", "x:1:11: ", "index 5 stands twice");
    reading_bad("svmlight:sort=yes,nan=drop", "1 5:nan 5:1 2:2 50:7 5:3\n", "x:1:22: ", "twice");
    reading_bad("svmlight:sort=yes,fields=ignore", "1 1:5:1 3:2:2 1:5:6 4:2:3\n", "x:1:21: ",
                "index 2 stands twice");
    reading_bad("svmlight:duplicates=sum", "1 1:1e154 1:1e154 \n", "x:1:11: ", "sum");
    reading_bad("svmlight:sort=yes,duplicates=sum", "1 3:1e154 1:2 3:1e154 \n", "x:1:15: ", "sum");
    reading_bad("svmlight:duplicates=sum", "1 2:1 1:1\n", "x:1:7: ", "index 1 after 2");
}

/* ---- Refused, with the place --------------------------------------------------------------- */
static void faults(void)
{
    static const struct { const char *text, *begins, *holds; } bad[] = {
        {"", "x: ", "no rows"},
        {"\n# nothing\n\n", "x: ", "no rows"},
        {"1 15:1 12:1\n", "x:1:8: ", "index 12 after 15; indices must increase (use sort=yes)"},
        {"1 1:1\n1 3:1 3:2\n", "x:2:7: ", "twice"},
        {"1 -3:1\n", "x:1:3: ", "negative"},
        {"1 2147483648:1\n", "x:1:3: ", "exceeds 2147483647"},
        {"1 1:1 4294967296:1\n", "x:1:7: ", "exceeds 2147483647"},
        {"1 100000000000000000000:1\n", "x:1:3: ", "exceeds 2147483647"},
        {"1 999999999999999999:1\n", "x:1:3: ", "index 999999999999999999 exceeds"},
        {"1 1000000000000000000:1\n", "x:1:3: ", "the index in '1000000000000000000:1' exceeds"},
        {"1 18446744073709551617:1\n", "x:1:3: ", "exceeds"},
        {"1 qid:1000000000000000000 1:1\n", "x:1:3: ", "below 1e18"},
        {"1 3:\n", "x:1:5: ", "no value after '3:'"},
        {"1 3: 4:1\n", "x:1:5: ", "no value"},
        {"1 3\n", "x:1:3: ", "expected index:value, found '3'"},
        {"1 :5\n", "x:1:3: ", "no index"},
        {"1 4:.\n", "x:1:5: ", "'.' is not a number"},
        {"1 8.-0.02\n", "x:1:3: ", "expected index:value"},
        {"1 1:1 5:1.2abc\n", "x:1:9: ", "'1.2abc' is not a number"},
        {"1 1:1,5\n", "x:1:5: ", "not a number"},
        {"1 1:0x10\n", "x:1:5: ", "not a number"},
        {"1 1:--1\n", "x:1:5: ", "not a number"},
        {"1 1:nan\n", "x:1:5: ", "nan=zero"},
        {"1 1:inf\n", "x:1:5: ", "not a finite"},
        {"1 1:1e999\n", "x:1:5: ", "not a finite"},
        {"1 1:1.797e308\n", "x:1:5: ", "range"},
        {"nan 1:1\n", "x:1:1: ", "label"},
        {"1\ninf 1:1\n", "x:2:1: ", "label"},
        {"1e999 1:1\n", "x:1:1: ", "label"},
        {"-1.797e308 1:1\n", "x:1:1: ", "label"},
        {"1,2,3.5\n4,5,6\n", "x:1:1: ", "looks like CSV"},
        {"a;b;c\n4;5;6\n", "x:1:1: ", "looks like CSV"},
        {"1, 2, 3\n", "x:1:4: ", "looks like CSV"},
        {"1\t2\t3\n", "x:1:3: ", "tab-separated"},
        {"1 0:3:1 2:4:1\n", "x:1:3: ", "field-aware"},
        {"1 1:1:1\n", "x:1:3: ", "field-aware"},
        {"1 qid:x 1:1\n", "x:1:3: ", "qid"},
        {"1 qid:-1 1:1\n", "x:1:3: ", "qid"},
        {"1 1:1\r2 1:1\r", "x:1:6: ", "carriage return"},
        {"1\r2\r", "x:1:2: ", "carriage return"},
        {"1 a\r2:1\n", "x:1:4: ", "carriage return"},
        {"1 1:1\n1 \001:1\n", "x:2:3: ", "expected index:value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        reading_bad("svmlight", bad[i].text, bad[i].begins, bad[i].holds);
    reading_bad_bytes("svmlight", "1 1:1\0 2:1\n", 11, "x:1:6: ", "NUL");
    reading_bad_bytes("svmlight", "1 1:1 2\0:1\n", 11, "x:1:8: ", "NUL");
    reading_bad("svmlight:nan=drop", "nan 1:1\n", "x:1:1: ", "label");
    reading_bad("svmlight:fields=ignore", "1 1:2:3:4\n", "x:1:3: ", "field-aware");
}

/* ---- Large, random, cut, threaded ----------------------------------------------------------- */
static void large(void)
{
    const size_t size = 50 << 20;       /* a label of 1 MB; then a line of 50 MB */
    char *text = malloc(size + 64), *p = text + (1 << 20);

    CHECK(text != NULL);
    memset(text, 'a', 1 << 20);
    p += sprintf(p, " 1:1\nb");
    size_t n = 0;
    while (p < text + size - (20 << 20))
        p += sprintf(p, " %zu:0.5", ++n);
    p += sprintf(p, " #");
    memset(p, 'c', (size_t)(text + size - p));
    fx_data *d = reading_good_bytes("svmlight", text, size);
    fx_table t = fx_data_table(d);
    CHECK(n > 1000000 && t.rows == 2 && t.cols == n && reading_row(&t, 1).n == n);
    CHECK(strlen(t.class_name[0]) == 1 << 20 && !strcmp(t.class_name[1], "b"));
    fx_data_free(d);
    free(text);
}

static void many_classes(void)          /* a table of classes that is slow is quadratic here */
{
    const size_t n = 200000;
    char *text = malloc(n * 12), *p = text;

    CHECK(text != NULL);
    for (size_t i = 0; i < n; i++)
        p += sprintf(p, "c%06zu\n", (i * 7919) % n);
    fx_data *d = reading_good_bytes("svmlight", text, (size_t)(p - text));
    fx_table t = fx_data_table(d);
    CHECK(t.classes == n);
    for (size_t i = 0; i < n; i++)
        CHECK(t.label[i] == (double)((i * 7919) % n));
    fx_data_free(d);
    free(text);
}

typedef struct entry { long index; double x; } entry;

/* The definition, row by row: numbers by strtod, indices by strtol. */
static void plain_row(entry *e, size_t *n, double *label, char *line)
{
    char *p = line;

    *label = strtod(p, &p);
    for (*n = 0;; ++*n) {
        while (*p == ' ')
            p++;
        if (*p == '\n' || *p == '#')
            return;
        e[*n].index = strtol(p, &p, 10);
        e[*n].x = strtod(p + 1, &p);
    }
}

static char *random_text(size_t rows, size_t *len)
{
    char *text = malloc(rows * 420 + 1), *p = text;
    int digits = (int)test_below(18);

    CHECK(text != NULL);
    for (size_t i = 0; i < rows; i++) {
        p += sprintf(p, "%.*g", 1 + (int)test_below(17), test_unit() * 10 - 5);
        long j = 0;
        for (size_t q = test_below(12); q-- > 0;) {
            j += 1 + (long)test_below(i % 7 ? 30 : 100000);
            if (test_below(3))
                p += sprintf(p, " %ld:%zu", j, test_below(12));
            else
                p += sprintf(p, " %ld:%.*g", j, 1 + digits, ldexp(test_unit() - 0.5,
                                                                  (int)test_below(40) - 20));
        }
        p += sprintf(p, test_below(9) ? "\n" : " # %zu:1\n", i);
    }
    *len = (size_t)(p - text);
    return text;
}

static void random_rows(size_t rows)
{
    size_t len, i = 0;
    char *text = random_text(rows, &len);
    fx_data *d = reading_good_bytes("svmlight", text, len);
    fx_table t = fx_data_table(d);
    entry e[16];

    CHECK(t.rows == rows);
    for (char *p = text; p < text + len; p = strchr(p, '\n') + 1, i++) {
        size_t n;
        double label;
        plain_row(e, &n, &label, p);
        fxi_row r = reading_row(&t, i);
        CHECK(r.n == n && t.label[i] == label);
        for (size_t q = 0; q < n; q++)
            CHECK(fxi_row_column(r, q) == e[q].index - 1 && fxi_row_value(r, q) == e[q].x);
    }

    for (int threads = 2; threads <= 8; threads += 3) { /* the same blocks, bit for bit */
        fx_run run = {RUN, .threads = threads};
        fx_data *other;
        CHECK(!fx_data_parse(&other, "svmlight", "x", text, len, &run));
        CHECK(test_helped() || len < 1 << 20);          /* one chunk */
        fx_table o = fx_data_table(other);
        CHECK(o.blocks == t.blocks);
        for (size_t b = 0; b < t.blocks; b++)
            CHECK(o.block[b].rows == t.block[b].rows && o.block[b].type == t.block[b].type);
        reading_same(&o, &t);
        fx_data_free(other);
    }
    for (int cuts = 0; cuts < 3; cuts++) {              /* fed in pieces */
        fx_reader *r;
        fx_data *other;
        CHECK(!fx_data_reader_new(&r, "svmlight", "x"));
        for (size_t at = 0; at < len;) {
            const char *feed = memchr(text + at + test_below(len - at), '\n', len);
            size_t next = (size_t)(feed - text) + 1;
            CHECK(!fx_data_reader_feed(r, text + at, next - at, NULL));
            at = next;
        }
        CHECK(!fx_data_reader_take(&other, r, 1, NULL));
        fx_table o = fx_data_table(other);
        reading_same(&o, &t);
        CHECK(r->count.rows == rows && r->count.bytes == len);
        fx_data_free(other);
        fx_data_reader_free(r);
    }
    fx_data_free(d);
    free(text);
}

/* An error far inside a large text: the same line whatever the threads, and the first one. */
static void far_fault(void)
{
    size_t len;
    char *text = random_text(30000, &len), *p = text, detail[2][512];

    for (int i = 0; i < 22222; i++)
        p = strchr(p, '\n') + 1;
    memcpy(p, "1 x", 3);
    memcpy(strchr(p + 90000, '\n') + 1, "1 y", 3);
    for (int k = 0; k < 2; k++) {
        fx_run run = {RUN, .threads = k ? 8 : 1};
        fx_data *d;
        CHECK(fx_data_parse(&d, "svmlight", "x", text, len, &run) == FX_EFORMAT);
        strcpy(detail[k], fx_error_detail());
    }
    CHECK(!strncmp(detail[0], "x:22223:3: ", 11) && !strcmp(detail[0], detail[1]));
    free(text);
}

/* labels=auto: rows without a label, and tables without labels then. */
static void bare(void)
{
    fx_data *d = reading_good("svmlight:labels=auto", "3:1 5:2\n\nqid:7 1:4\n");
    fx_table t = fx_data_table(d);

    CHECK(t.rows == 2 && t.cols == 5 && !t.label && t.qid[0] == -1 && t.qid[1] == 7);
    CHECK(reading_at(d, 0, 2) == 1 && reading_at(d, 0, 4) == 2 && reading_at(d, 1, 0) == 4);
    fx_data_free(d);

    d = reading_good("svmlight:labels=auto", "yes 1:1\n2:1\nno 3:1\n");    /* some are enough */
    t = fx_data_table(d);
    CHECK(t.rows == 3 && !t.label && !t.classes && !t.class_name && reading_at(d, 1, 1) == 1);
    fx_data_free(d);

    d = reading_good("svmlight:labels=auto", "yes 1:1\nno 3:1\n");          /* all have one */
    CHECK(fx_data_table(d).label && fx_data_table(d).classes == 2);
    fx_data_free(d);

    reading_bad("svmlight", "3:1 5:2\n", "x:1:1: ", "no label");
    reading_bad("svmlight:labels=auto", "3:1 3:2\n", "x:1:5: ", "twice");
    reading_bad("svmlight:labels=auto,sort=yes", "3:1 2:1 3:2\n", "x:1:9: ", "twice");
    reading_bad("svmlight:labels=auto", "1 1:1\nx 1:1\n", "x:2:1: ", "label");
}

int main(void)
{
    test_init();
    shapes();
    bases();
    labels();
    options();
    faults();
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        shapes(), options();
    else
        printf("skipped: no locale de_DE.UTF-8 (Debian's package locales)\n");
    setlocale(LC_ALL, "C");
    for (int i = 0, n = test_cases(5); i < n; i++)
        random_rows(1 + test_below(100));
    random_rows(20000);
    far_fault();
    many_classes();
    large();
    bare();
    return 0;
}
