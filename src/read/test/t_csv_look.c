/* SPDX-License-Identifier: BSD-3-Clause
 * t_csv_look.c - columns by what the first rows hold: missing numbers, words among numbers, decimal
 * commas; columns that are left out, that give queries and that identify rows.
 * Covers: ids.c, text.c, csv_field.c */

#include "data/test/reading.h"

#include <math.h>

static void check_names(const fx_table *t, const char *const *name, size_t n)
{
    CHECK(t->cols == n);
    for (size_t j = 0; j < n; j++)
        CHECK(!strcmp(t->name[j], name[j]));
}

/* A number that is missing, wherever it stands, makes no category of its column. */
static void missing(void)
{
    static const char *const words[] = {"NA",   "",     "nan", "NaN",  "null", "NULL",
                                        "none", "None", "?",   "N/A",  "n/a",  "#N/A",
                                        "<NA>", "\"NA\"", " NA ", "\"\""};
    static const char *const both[] = {"a", "b"};
    char text[256];

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (int at = 0; at < 3; at++) {
            snprintf(text, sizeof text, "a,b,y\n%s,1,0\n%s,2,1\n%s,3,0\n", at == 0 ? words[w] : "5",
                     at == 1 ? words[w] : "6", at == 2 ? words[w] : "7");
            fx_data *d = reading_good("csv:cat=auto,nan=keep", text);
            fx_table t = fx_data_table(d);
            check_names(&t, both, 2);
            CHECK(!t.block[0].ptr && t.block[0].type == FX_F32);
            for (int i = 0; i < 3; i++)
                CHECK(i == at ? isnan(reading_at(d, (size_t)i, 0))
                              : reading_at(d, (size_t)i, 0) == 5 + i);
            fx_data_free(d);
            d = reading_good("csv:cat=auto,nan=zero", text);
            CHECK(reading_at(d, (size_t)at, 0) == 0 && reading_at(d, (size_t)at, 1) == at + 1);
            fx_data_free(d);
            reading_bad("csv:cat=auto", text, at ? at == 1 ? "x:3:" : "x:4:" : "x:2:",
                        "a missing number (use nan=zero, or nan=keep and plan.missing)");
        }
    fx_data *d = reading_good("csv:cat=auto,nan=keep,na=-/x%2Fy", "a,y\n-,1\nx/y,2\n7,3\n");
    CHECK(isnan(reading_at(d, 0, 0)) && isnan(reading_at(d, 1, 0)) && reading_at(d, 2, 0) == 7);
    fx_data_free(d);
    d = reading_good("csv:cat=auto,nan=keep", "a,b,y\nNA,1,1\nNA,2,2\n");     /* nothing else */
    CHECK(fx_data_table(d).cols == 2 && isnan(reading_at(d, 1, 0)));
    fx_data_free(d);
}

/* In a column of categories such words are values; an empty field is none, or one of its own. */
static void categories(void)
{
    static const char text[] = "c,a,y\nred,1,1\n,2,2\n?,NA,1\nblue,3,2\n";
    static const char *const plain[] = {"a", "c=red", "c=?", "c=blue"};
    static const char *const own[] = {"a", "c=red", "c=NA", "c=?", "c=blue"};
    fx_data *d = reading_good("csv:cat=auto,nan=keep", text);
    fx_table t = fx_data_table(d);

    check_names(&t, plain, 4);
    CHECK(isnan(reading_at(d, 2, 0)) && reading_row(&t, 1).n == 1);
    fx_data_free(d);
    d = reading_good("csv:cat=auto,nan=category", text);
    t = fx_data_table(d);
    check_names(&t, own, 5);
    CHECK(isnan(reading_at(d, 2, 0)) && reading_at(d, 1, 2) == 1);
    fx_data_free(d);
}

/* Words and numbers in one column, within the first rows. */
static void mixed(void)
{
    static const char *const words[] = {"b", "a=x", "a=y", "a=5"};

    reading_bad("csv:cat=auto", "a,b,y\n1,1,1\n2,2,1\nn/k,3,2\n", "x:4:1: ",
                "'n/k' is not a number, but the column 'a' has 2 numbers in its first rows: use "
                "cat=+a if all its fields are categories, na=n%2Fk if that means a missing number");
    reading_bad("csv:cat=auto", "a b,y\n1,1\n2,1\nx y,2\nx y,2\nz,2\n3,1\n4,1\n", "x:4:1: ",
                "'x y', 'z' are not numbers, but the column 'a b' has 4 numbers in its first rows: "
                "use cat=+'a b' if all its fields are categories, na='x y'/z if these words mean "
                "missing numbers");
    reading_bad("csv:cat=auto", "a,y\n1,1\nu,1\nv,2\nw,2\nx,2\n3,1\n4,1\n5,1\n6,1\n", "x:3:1: ",
                "'u', 'v', 'w' and others are not numbers");
    reading_bad("csv:cat=auto", "a,y\n1,1\nit's,1\n", "x:3:1: ", "has 1 number in its first rows: "
                "use cat=+a if all its fields are categories, na='it%27s' if that");
    reading_bad("csv:cat=auto", "a,b,y\nx,1,1\n2,2,1\n", "x:2:1: ", "cat=+a");  /* as many */
    reading_bad("csv:cat=auto,separator=semicolon", "a;b;y\n3,5;1;1\n4,5;2;1\n", "x:2:1: ",
                "'3,5' in the column 'a': use decimal=comma if");
    reading_bad("csv:cat=auto", "a,b,y\n1,p,1\n2,\"p\nq\",1\n3,p,2\n", "x:3:3: ", "a quote that");
    reading_bad_bytes("csv:cat=auto", "a,y\n1,1\n\0,1\n", 12, "x:3:1: ", "a NUL byte");
    fx_data *d = reading_good("csv:cat=auto", "a,b,y\nx,1,1\ny,2,1\n5,2,1\n");  /* mostly words */
    fx_table t = fx_data_table(d);
    check_names(&t, words, 4);
    fx_data_free(d);
    d = reading_good("csv:cat=+a", "a,b,y\n1,1,1\n2,2,1\nn/k,3,2\n");
    CHECK(fx_data_table(d).cols == 4);
    fx_data_free(d);
    d = reading_good("csv:cat=auto,separator=semicolon,decimal=comma",
                     "a;b;y\n3,5;1;1\n-4,25;2;1\n");
    CHECK(reading_at(d, 0, 0) == 3.5 && reading_at(d, 1, 0) == -4.25 && reading_at(d, 1, 1) == 2);
    fx_data_free(d);
    d = reading_good("csv:decimal=comma", "a,b,y\n\"3,5\",1,1\n");
    CHECK(reading_at(d, 0, 0) == 3.5);
    fx_data_free(d);
}

/* Beyond the first MiB a word is an error where it stands. */
static void later(void)
{
    enum { ROWS = 200000 };
    char *text = malloc(16 * ROWS), *p = text;

    CHECK(text);
    p += sprintf(p, "a,b,y\n");
    for (int i = 0; i < ROWS; i++)
        p += sprintf(p, "%d,%d,%d\n", i, i % 7, i % 2);
    p += sprintf(p, "seven,1,1\n");
    reading_bad("csv:cat=auto", text, "x:200002:1: ",
                "'seven' is not a number (use cat=+a, or na=seven if it is missing)");
    free(text);
}

/* Reads text that is cut behind its first line end from `cut` on. */
static fx_status read_cut(fx_data **out, const char *spec, const char *text, size_t cut)
{
    fx_reader *r = NULL;
    size_t len = strlen(text), first = (size_t)(strchr(text + cut, '\n') + 1 - text);

    CHECK(!fx_data_reader_new(&r, spec, "x"));
    fx_status s = fx_data_reader_feed(r, text, first, NULL);
    if (!s)
        s = fx_data_reader_feed(r, text + first, len - first, NULL);
    if (!s)
        s = fx_data_reader_take(out, r, 1, NULL);
    fx_data_reader_free(r);
    return s;
}

/* The first MiB is that of the input, also behind a byte order mark and blank lines: what its cut
 * shows to the reader at first makes no difference. */
static void first_bytes(void)
{
    enum { MIB = 1 << 20, MORE = 64 };
    char *text = malloc(MIB + MORE);
    fx_data *d = NULL;

    CHECK(text);
    strcpy(text, "\xef\xbb\xbf" "a,y\n");
    for (size_t n = strlen(text); n < MIB; n += 4)
        strcpy(text + n, "1,2\n");
    text[MIB - 1] = '\n';               /* the row before ends at the MiB, one begins there */
    memcpy(text + MIB, "word,1\n5,2\n", 12);
    for (size_t cut = MIB - 2; cut <= MIB + 6; cut += 4) {
        CHECK(read_cut(&d, "csv:cat=auto", text, cut) == FX_EFORMAT);
        CHECK(strstr(fx_error_detail(), "'word' is not a number (use cat=+a"));
    }
    memset(text, '\n', MIB + 8);
    strcpy(text + MIB + 8, "a,y\nword,1\n5,2\n6,1\n");
    for (size_t cut = MIB - 4; cut < MIB + 24; cut++) {
        CHECK(!read_cut(&d, "csv:cat=auto", text, cut));
        CHECK(fx_data_table(d).cols == 3);      /* by the first row alone */
        fx_data_free(d);
    }
    free(text);
}

/* Lines that are held back are counted in the message. */
static void open_line(void)
{
    fx_reader *r = NULL;

    CHECK(!fx_data_reader_new(&r, "csv:cat=auto", "x"));
    CHECK(!fx_data_reader_feed(r, "a,y\n1,2\n3,4", 11, NULL));
    CHECK(fx_data_reader_feed(r, "5,6\n", 4, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "line 3 had no end"));
    fx_data_reader_free(r);
}

/* NA, the value of an empty category, may be longer than the text it is read from. */
static void shorter(void)
{
    char head[128], name[128], spec[192];
    const char *given[] = {name};

    for (int len = 56; len < 68; len++) {
        fx_reader *r = NULL;
        fx_data *d = NULL;
        snprintf(head, sizeof head, "%0*d,b\n", len, 7);
        snprintf(name, sizeof name, "%0*d=NA", len, 7);
        snprintf(spec, sizeof spec, "csv:label=none,cat=%0*d/b,nan=category,header=yes", len, 7);
        CHECK(!fx_data_reader_new(&r, spec, "x") && !fx_data_reader_names(r, given, 1));
        CHECK(!fx_data_reader_feed(r, head, strlen(head), NULL));
        CHECK(!fx_data_reader_feed(r, ",", 1, NULL) && !fx_data_reader_take(&d, r, 1, NULL));
        CHECK(reading_at(d, 0, 0) == 1);
        fx_data_free(d);
        fx_data_reader_free(r);
    }
}

static void columns(void)
{
    static const char text[] = "key,a,b,q,y\n\"r \"\"1\"\"\",1,x,7,1\n,2,y,7,0\nr3,3,x,abc,1\n";
    static const char *const features[] = {"a", "b=x", "b=y"};
    static const char *const all[] = {"key=r1", "a=1", "y"};
    fx_data *d = reading_good("csv:cat=auto,id=key,query=q", text);
    fx_table t = fx_data_table(d);

    check_names(&t, features, 3);
    CHECK(!strcmp(t.id[0], "r \"1\"") && !strcmp(t.id[1], "") && !strcmp(t.id[2], "r3"));
    CHECK(t.qid[0] == 7 && t.qid[1] == 7 && t.qid[2] > 7);
    fx_data_free(d);
    d = reading_good("csv:cat=auto,drop=key/q/b", text);
    t = fx_data_table(d);
    check_names(&t, features, 1);
    CHECK(!t.id && !t.qid && !t.block[0].ptr);
    fx_data_free(d);
    d = reading_good("csv:cat=all,label=none", "key,a\nr1,1\n");
    t = fx_data_table(d);
    check_names(&t, all, 2);
    fx_data_free(d);
    reading_bad("csv:drop=zz", "a,y\n1,1\n", "x:1:1: ", "'zz'");
    reading_bad("csv:query=zz", "a,y\n1,1\n", "x:1:1: ", "'zz'");
    reading_bad("csv:id=zz", "a,y\n1,1\n", "x:1:1: ", "'zz'");
    reading_bad("csv:query=q", "a,q,y\n1,,1\n", "x:2:3: ", "no query");
    reading_bad("csv:id=q", "a,q,q,y\n1,1,1,1\n", "x:1:1: ", "two columns are named 'q'");
    fx_reader *r;
    CHECK(fx_data_reader_new(&r, "csv:cat=+", "x") == FX_EINVAL);
}

int main(void)
{
    missing();
    categories();
    mixed();
    later();
    first_bytes();
    open_line();
    shorter();
    columns();
    return 0;
}
