/* SPDX-License-Identifier: BSD-3-Clause
 * t_sources.c - several files as one input: the tables of the joined text for every way to divide
 * its lines, headers, places in messages; an index 0 that comes late.  Covers: csv_again.c */

#include "data/test/reading.h"

/* The rows of two lots of lines as two files, `head` before each of them. */
static fx_data *read_two(const char *spec, const char *head, const char *text, size_t cut,
                         bool open_line)
{
    char part[512];
    fx_reader *r;
    fx_data *d = NULL;

    CHECK(!fx_data_reader_new(&r, spec, "a"));
    int n = snprintf(part, sizeof part, "%s%.*s", head, (int)cut, text);
    n -= open_line && n > 0;            /* without its last line end */
    CHECK(!n || !fx_data_reader_feed(r, part, (size_t)n, NULL));
    CHECK(!fx_data_reader_file(r, "b"));
    n = snprintf(part, sizeof part, "\xef\xbb\xbf%s%s", head, text + cut);
    CHECK(!fx_data_reader_feed(r, part, (size_t)n, NULL));
    CHECK(!fx_data_reader_file(r, "empty") && !fx_data_reader_take(&d, r, 1, NULL));
    fx_data_reader_free(r);
    return d;
}

static void divided(void)
{
    static const struct { const char *spec, *head, *text; } set[] = {
        {"svmlight", "", "1 1:2 3:1\n# c\n-1 2:1\n\n1 7:0.5\n-1 0:1\n"},
        {"svmlight:base=late", "", "b 1:2 3:1\na 2:1\n\nc 7:0.5\n"},
        {"csv:cat=auto", "x,city,y\n", "1,rome,no\n\n2,oslo,yes\n3,rome,maybe\n"},
        {"csv:cat=auto", "\nx,,y\n", "1,rome,no\n2,oslo,yes\n3,rome,maybe\n"},
        {"csv:cat=none", "x,\"u \"\"v\"\"\",y\n", "1,2,0\n2,3,1\n3,4,0\n"},
        {"csv:cat=auto", "", "5,2,no\n2,3,yes\n3,4,yes\n"},
        {"text:ngram=2", "", "no the cat\nyes a dog\n\nno the dog\n"}};

    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        char all[512];
        snprintf(all, sizeof all, "%s%s", set[k].head, set[k].text);
        fx_data *whole = reading_good(set[k].spec, all);
        fx_table t = fx_data_table(whole);
        for (size_t cut = 0; set[k].text[cut]; cut++)
            for (int open_line = 0; open_line < 2 && (!cut || set[k].text[cut - 1] == '\n');
                 open_line++) {
                fx_data *d = read_two(set[k].spec, set[k].head, set[k].text, cut, open_line);
                fx_table u = fx_data_table(d);
                reading_same(&t, &u);
                fx_data_free(d);
            }
        fx_data_free(whole);
    }
}

/* The second file is refused with this message. */
static void refused(const char *spec, const char *first, const char *second, const char *begins,
                    const char *holds)
{
    fx_reader *r;
    fx_data *d = NULL;

    CHECK(!fx_data_reader_new(&r, spec, "a"));
    CHECK(!fx_data_reader_feed(r, first, strlen(first), NULL));
    CHECK(!fx_data_reader_file(r, "b"));
    fx_status s = fx_data_reader_feed(r, second, strlen(second), NULL);
    if (!s)
        s = fx_data_reader_take(&d, r, 1, NULL);
    const char *said = fx_error_detail();
    if (s != FX_EFORMAT || strncmp(said, begins, strlen(begins)) || !strstr(said, holds)) {
        fprintf(stderr, "%s: status %d, '%s'; want '%s ... %s'\n", spec, (int)s, said, begins,
                holds);
        exit(1);
    }
    fx_data_reader_free(r);
}

static void places(void)
{
    refused("svmlight", "1 1:1\n\n1 2:1", "1 1:1\n1 x\n", "b:2:3: ", "");
    refused("svmlight", "1 1:1\n", "1 1:1\nyes 1:2\n", "b:2:1: ", "but line 1 of a has the number");
    refused("csv:cat=auto", "x,z,y\n1,2,3\n", "\nx,z,y\n1,2,3\n\n1,2\n", "b:5:", "2 fields");
    refused("csv:cat=auto", "x,z,y\n1,2,3\n", "x,w,y\n1,2,3\n",
            "b:1:3: ", "column 2 is 'w' here, but 'z' in a");
    refused("csv:cat=none", "x,z,y\n1,2,3\n", "x,z\n1,2\n",
            "b:1:1: ", "2 columns here, but 3 in a");
    refused("csv:cat=none", "x,z,y\n1,2,3\n", "x,z,y,u\n1,2,3,4\n", "b:1:1: ", "4 columns here");
    refused("csv:cat=none", "x,z,y\n1,2,3\n", "1,2,3\n", "b:1:1: ", "column 1 is '1' here");
    refused("csv:cat=auto", "x,z,y\n1,2,3\n", "x,z,y\n1,\"2,3\n", "b:2:", "quote");
    refused("text", "1 a\n", "1 b\nno c\n", "b:2:1: ", "line 1 of a");

    fx_reader *r;
    CHECK(!fx_data_reader_new(&r, "npy", "a"));
    CHECK(fx_data_reader_file(r, "b") == FX_EINVAL && strstr(fx_error_detail(), "only text"));
    fx_data_reader_free(r);
    CHECK(!fx_data_reader_new(&r, "csv", "a") && fx_data_reader_file(r, NULL) == FX_EINVAL);
    fx_data_reader_free(r);
}

/* base=late: tables of base 1, then one of base 0, each with the columns of its base. */
static void late_zero(void)
{
    fx_reader *r;
    fx_data *d;

    CHECK(!fx_data_reader_new(&r, "svmlight:base=late", "a"));
    CHECK(!fx_data_reader_feed(r, "1 1:2 3:4\n", 10, NULL) && !fx_data_reader_take(&d, r, 0, NULL));
    CHECK(fx_data_table(d).base == 1 && fx_data_table(d).cols == 3);
    CHECK(strstr(fx_data_reader_spec(r), "base=1"));
    fx_data_free(d);
    CHECK(!fx_data_reader_feed(r, "1 0:2 3:4\n", 10, NULL) && !fx_data_reader_take(&d, r, 0, NULL));
    fx_table t = fx_data_table(d);
    fxi_row x = reading_row(&t, 0);
    CHECK(t.base == 0 && t.cols == 4 && fxi_row_column(x, 0) == 0 && fxi_row_column(x, 1) == 3);
    CHECK(strstr(fx_data_reader_spec(r), "base=0"));
    fx_data_free(d);
    CHECK(!fx_data_reader_feed(r, "1 5:2 6:4\n", 10, NULL) && !fx_data_reader_take(&d, r, 1, NULL));
    t = fx_data_table(d);
    CHECK(t.base == 0 && t.cols == 7 && fxi_row_column(reading_row(&t, 0), 0) == 5);
    fx_data_free(d);
    fx_data_reader_free(r);
}

int main(void)
{
    test_init();
    divided();
    places();
    late_zero();
    return 0;
}
