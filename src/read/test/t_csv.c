/* SPDX-License-Identifier: BSD-3-Clause
 * t_csv.c - headers, labels, separators, quotes, errors with their place; random tables against
 * strtod; threads and cuts that must change nothing.  Covers: csv_header.c, csv_field.c */

#include "data/test/reading.h"
#include "read/read.h"

static void headers(void)
{
    fx_data *d = reading_good("csv", "\xef\xbb\xbf\n\"a \"\"b\"\" ,c\", x ,y\r\n"
                                     "1,2,3\r\n\r\n-4,5e-1,6");
    fx_table t = fx_data_table(d);

    CHECK(t.rows == 2 && t.cols == 2 && t.base == 0 && t.classes == 0 && !t.qid);
    CHECK(!strcmp(t.name[0], "a \"b\" ,c") && !strcmp(t.name[1], "x"));
    CHECK(t.label[0] == 3 && t.label[1] == 6);
    CHECK(reading_at(d, 0, 0) == 1 && reading_at(d, 1, 0) == -4 && reading_at(d, 1, 1) == 0.5);
    CHECK(t.block[0].type == FX_F32 && !t.block[0].ptr);
    fx_data_free(d);

    d = reading_good("csv:label=x", "a,x,y\n1,2,3\n");
    t = fx_data_table(d);
    CHECK(t.cols == 2 && !strcmp(t.name[0], "a") && !strcmp(t.name[1], "y") && t.label[0] == 2);
    fx_data_free(d);

    d = reading_good("csv:label=2,header=yes", "1,2\n3,4\n");   /* names may be numbers */
    t = fx_data_table(d);
    CHECK(t.rows == 1 && !strcmp(t.name[0], "1") && t.label[0] == 4);
    fx_data_free(d);

    d = reading_good("csv", "5.1,3.5,setosa\n4.9,3,virginica\n"); /* a text label is no header */
    t = fx_data_table(d);
    CHECK(t.rows == 2 && t.cols == 2 && !t.name && t.classes == 2 && t.label[1] == 1);
    CHECK(t.block[0].type == FX_F64);
    fx_data_free(d);

    static const char *const rows[] = {"0,2,y\n", "1,2,3\n", "0,01,y\n", "0.0,1,y\n", "2,3,y\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {   /* not the numbers of columns */
        d = reading_good("csv", rows[i]);
        CHECK(fx_data_table(d).rows == 1 && !fx_data_table(d).name);
        fx_data_free(d);
    }
    d = reading_good("csv:header=no", "0,1,label\n5,6,cat\n");
    CHECK(fx_data_table(d).rows == 2 && fx_data_table(d).classes == 2);
    fx_data_free(d);
    d = reading_good("csv:header=yes", "0,1,label\n5,6,cat\n");
    CHECK(fx_data_table(d).rows == 1 && !strcmp(fx_data_table(d).name[1], "1"));
    fx_data_free(d);

    d = reading_good("csv:separator=tab,label=none", "a b\tc\n1\t 2\n");
    t = fx_data_table(d);
    CHECK(t.cols == 2 && !t.label && !strcmp(t.name[0], "a b") && reading_at(d, 0, 1) == 2);
    fx_data_free(d);

    d = reading_good("csv:separator=semicolon,label=first", "\"no, \"\"really\"\"\"; \"1.5\" ;2\n");
    t = fx_data_table(d);
    CHECK(t.classes == 1 && !strcmp(t.class_name[0], "no, \"really\""));
    CHECK(reading_at(d, 0, 0) == 1.5 && reading_at(d, 0, 1) == 2);
    fx_data_free(d);

    d = reading_good("csv:nan=drop", "a,b,c,y\n,nan,1e999,1\n7, ,-inf,2\n");
    CHECK(reading_at(d, 0, 0) == 0 && reading_at(d, 1, 0) == 7 && reading_stored(d) == 6);
    fx_data_free(d);
}

static void faults(void)
{
    static const struct { const char *spec, *text, *begins, *holds; } bad[] = {
        {"csv", "", "x: ", "no rows"},
        {"csv", "a,b\n", "x: ", "no rows"},
        {"csv", "1,2\n3\n", "x:2:2: ", "1 fields, line 1 has 2"},
        {"csv", "1,2\n\n3,4,5\n", "x:3:5: ", "more than the 2 fields of line 1"},
        {"csv", "1,2\n3,4,\n", "x:2:5: ", "more than"},
        {"csv", "1,2,3\n1,,3\n", "x:2:3: ", "empty field"},
        {"csv", "1,2\n1,\n", "x:2:3: ", "no label"},
        {"csv:nan=drop", "1,2\n1,\n", "x:2:3: ", "no label"},
        {"csv:nan=drop", "1,2\n1,nan\n", "x:2:3: ", "label"},
        {"csv", "1,2\nnan,2\n", "x:2:1: ",
         "'nan' in the column 'c1' is a missing number (use nan=zero"},
        {"csv", "1,2\n1.797e308,2\n", "x:2:1: ", "range"},
        {"csv", "1,2\n1x,2\n", "x:2:1: ", "'1x' is not a number"},
        {"csv", "1,2\n1.5 3,2\n", "x:2:1: ", "not a number"},
        {"csv", "1,2\n\"1,2\n", "x:2:1: ", "quote"},
        {"csv", "\"a,b\n1,2\n", "x:1:1: ", "quote"},
        {"csv", "1,2\n1,\"a\"b\n", "x:2:3: ", "quote"},
        {"csv", "1,2\n1,a\n", "x:2:3: ", "a is text"},
        {"csv", "2,1,y\n1,2,3\n", "x:2:5: ", "header"},
        {"csv", "0,1,label\n5,6,cat\n", "x:1:1: ", "header=yes or header=no"},
        {"csv", "1,2,label\n5,6,cat\n", "x:1:1: ", "header=yes or header=no"},
        {"csv:label=first", "y,0,1,2,3,4,5,6,7,8,9,10\n", "x:1:1: ", "header=yes or header=no"},
        {"csv", "0,y\n5,cat\n", "x:1:1: ", "header=yes or header=no"},
        {"csv", "1 3:1 17:0.5\n-1 4:1\n", "x:1:3: ", "looks like svmlight"},
        {"csv", "1\n2\n", "x:1:1: ", "label=none"},
        {"csv", "1;2\n", "x:1:1: ", "separator=semicolon"},
        {"csv:label=z", "a,b\n1,2\n", "x:1:1: ", "no column is named 'z'"},
        {"csv:header=no", "a,b\n1,2\n", "x:1:1: ", "'a' is not a number"},
        {"csv", "1,2\r3,4\r", "x:1:4: ", "carriage return"},
        {"csv", "1,2\n1\r,2\n", "x:2:2: ", "carriage return"},
        {"csv", "3,a\n1,b\rc\n", "x:2:4: ", "carriage return"},
        {"csv", "1.5,a\n1,\"b\"\"\rc\"\n", "x:2:7: ", "carriage return"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        reading_bad(bad[i].spec, bad[i].text, bad[i].begins, bad[i].holds);
    reading_bad_bytes("csv", "1,2\n1\0,2\n", 9, "x:2:2: ", "NUL");
    reading_bad_bytes("csv", "ab,c\0d\n1,2\n", 11, "x:1:5: ", "NUL");
    fx_reader *r;
    CHECK(fx_data_reader_new(&r, "csv:label=z,header=no", "x") == FX_EINVAL);
}

static void random_table(size_t rows, size_t cols)
{
    char *text = malloc(rows * (cols + 1) * 26 + cols * 8 + 64), *p = text;
    double *expected = malloc(rows * (cols + 1) * sizeof *expected);

    CHECK(text && expected);
    for (size_t j = 0; j <= cols; j++)
        p += sprintf(p, "%sf%zu", j ? "," : "", j);
    for (size_t i = 0; i < rows * (cols + 1); i++) {
        double x = test_below(3) ? (double)test_below(100) : ldexp(test_unit() - 0.5, 10);
        char *q = p + sprintf(p, "%s", i % (cols + 1) ? "," : "\n");
        p = q + sprintf(q, "%.*g", 1 + (int)test_below(17), x);
        expected[i] = strtod(q, NULL);
    }
    *p++ = '\n';
    fx_data *d = reading_good_bytes("csv", text, (size_t)(p - text)), *other;
    fx_table t = fx_data_table(d);
    CHECK(t.rows == rows && t.cols == cols && !strcmp(t.name[cols - 1], "f0") == (cols == 1));
    for (size_t i = 0; i < rows; i++) {
        fxi_row r = reading_row(&t, i);
        for (size_t j = 0; j < cols; j++)
            CHECK(fxi_row_value(r, j) == expected[i * (cols + 1) + j]);
        CHECK(t.label[i] == expected[i * (cols + 1) + cols]);
    }
    fx_run run = {RUN, .threads = 3};
    fx_reader *r;
    CHECK(!fx_data_reader_new(&r, "csv", "x"));
    const char *cut = strchr(text + test_below((size_t)(p - text) - 1), '\n') + 1;
    CHECK(!fx_data_reader_feed(r, text, (size_t)(cut - text), &run));
    CHECK(!fx_data_reader_feed(r, cut, (size_t)(p - cut), &run));
    CHECK(!fx_data_reader_take(&other, r, 1, NULL));
    fx_table o = fx_data_table(other);
    reading_same(&o, &t);
    CHECK(r->count.lines == rows + 1);
    fx_data_reader_free(r);
    fx_data_free(other);
    fx_data_free(d);
    free(text);
    free(expected);
}

int main(void)
{
    test_init();
    headers();
    faults();
    for (int i = 0, n = test_cases(20); i < n; i++)
        random_table(1 + test_below(50), 1 + test_below(9));
    random_table(20000, 9);             /* several chunks */
    return 0;
}
