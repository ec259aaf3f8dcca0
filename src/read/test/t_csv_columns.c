/* SPDX-License-Identifier: BSD-3-Clause
 * t_csv_columns.c - what columns of a CSV file are: categories, numbers, weights; names that are
 * given; the spec that is resolved; errors.  Covers: csv_names.c, csv_resolve.c, reader_spec.c */

#include "data/test/reading.h"

#include <time.h>

static const char people[] = "age,city,w,colour,label\n"
                             "31,Paris,1,red,yes\n"
                             "42,\"New, York\",0.5,,no\n"
                             "0,Paris,2,\"dark \"\"red\"\"\",yes\n";

static void check_names(const fx_table *t, const char *const *name, size_t n)
{
    CHECK(t->cols == n);
    for (size_t j = 0; j < n; j++)
        CHECK(!strcmp(t->name[j], name[j]));
}

static void categories(void)
{
    static const char *const all[] = {"age", "w", "city=Paris", "colour=red", "city=New, York",
                                      "colour=dark \"red\""};
    fx_data *d = reading_good("csv:cat=auto", people);
    fx_table t = fx_data_table(d);

    check_names(&t, all, 6);
    CHECK(t.rows == 3 && t.classes == 2 && t.label[0] == 1 && t.block[0].ptr && !t.weight);
    CHECK(reading_at(d, 0, 0) == 31 && reading_at(d, 0, 2) == 1 && reading_at(d, 0, 3) == 1);
    CHECK(reading_row(&t, 0).n == 4 && reading_row(&t, 1).n == 3 && reading_row(&t, 2).n == 3);
    CHECK(reading_at(d, 1, 4) == 1 && reading_at(d, 2, 2) == 1 && reading_at(d, 2, 5) == 1);
    fx_data *e = reading_good("csv:cat=colour/city,weight=none", people);
    fx_table u = fx_data_table(e);
    reading_same(&t, &u);
    fx_data_free(e);
    fx_data_free(d);

    static const char *const subset[] = {"age", "city=Paris", "city=New, York"};
    d = reading_good("csv:cat=city,num=age,weight=w,label=label", people);
    t = fx_data_table(d);
    check_names(&t, subset, 3);
    CHECK(t.weight[0] == 1 && t.weight[1] == 0.5 && t.weight[2] == 2);
    fx_data_free(d);

    d = reading_good("csv:num=age,weight=w,label=none", people);        /* dense */
    t = fx_data_table(d);
    check_names(&t, subset, 1);
    CHECK(!t.block[0].ptr && t.weight[2] == 2 && !t.label && reading_at(d, 1, 0) == 42);
    fx_data_free(d);

    static const char *const numbered[] = {"c1", "c2=x", "c2=y"};
    d = reading_good("csv:cat=c2,header=no,label=last", "1,x,5\n2,y,6\n");
    t = fx_data_table(d);
    check_names(&t, numbered, 3);
    CHECK(t.label[1] == 6);
    fx_data_free(d);

    /* any name */
    d = reading_good("csv:label=%6Cast,cat=x%2Fy/z", "last,x/y,z,last?\n1,a,b,5\n");
    t = fx_data_table(d);
    CHECK(t.cols == 3 && t.label[0] == 1 && !strcmp(t.name[1], "x/y=a"));
    fx_data_free(d);

    /* pandas writes its index so */
    d = reading_good("csv:cat=auto", ",city,y\n0,Rome,1\n1,Oslo,2\n");
    t = fx_data_table(d);
    static const char *const by_position[] = {"c1", "city=Rome", "city=Oslo"};
    check_names(&t, by_position, 3);
    fx_data_free(d);

    d = reading_good("csv:query=u,cat=u/i", "u,i,y\n7,x,3\n7,z,2\n9,x,1\n");    /* u is both */
    t = fx_data_table(d);
    static const char *const both[] = {"u=7", "i=x", "i=z", "u=9"};
    check_names(&t, both, 4);
    CHECK(t.qid[0] == 7 && t.qid[1] == 7 && t.qid[2] == 9);
    fx_data_free(d);

    d = reading_good("csv:query=u,cat=all", "u,i,y\n7,x,3\n"); /* all others */
    t = fx_data_table(d);
    CHECK(t.cols == 1 && t.qid[0] == 7);
    fx_data_free(d);

    d = reading_good("csv:cat=auto", "a,b,y\n1,2,3\n");  /* numbers alone: as ever */
    t = fx_data_table(d);
    CHECK(!t.block[0].ptr && t.cols == 2 && !strcmp(t.name[1], "b"));
    fx_data_free(d);
}

static void faults(void)
{
    static const struct { const char *spec, *text, *begins, *holds; } bad[] = {
        {"csv", "a,b,y\n1,Paris,2\n", "x:2:3: ", "(use cat=+b, or na=Paris if"},
        {"csv:cat=auto", "a,b,y\n1,2,2\n1,Paris,2\n", "x:3:3: ", "cat=+b if all its"},
        {"csv:cat=a", "a,b,y\nu,Paris,2\n", "x:2:3: ", "(use cat=+b, or"},
        {"csv:header=no", "1,Paris,2\n", "x:1:3: ", "(use cat=+c2"},
        {"csv:cat=z", "a,b,y\n1,2,2\n", "x:1:1: ", "no feature column is named 'z'"},
        {"csv:cat=y", "a,b,y\n1,2,2\n", "x:1:1: ", "'y' is the label, so it cannot be a category"},
        {"csv:drop=y", "a,b,y\n1,2,2\n", "x:1:1: ", "is the label, so it cannot be left out"},
        {"csv:id=y", "a,b,y\n1,2,2\n", "x:1:1: ", "so it cannot be the identifier of rows"},
        {"csv:id=a,query=a", "a,b,y\n1,2,2\n", "x:1:1: ",
         "'a' is the query, so it cannot be the identifier of rows"},
        {"csv:num=a,cat=all", "a,b,y\n1,2,2\n", "x:1:1: ",
         "'a' is a category, so it cannot be a number"},
        {"csv:drop=a,cat=a", "a,b,y\n1,2,2\n", "x:1:1: ",
         "'a' is left out, so it cannot be a category"},
        {"csv:cat=a/zz", "a,b,y\n1,2,2\n", "x:1:1: ", "'zz'"},
        {"csv:num=a/b,cat=b", "a,b,y\n1,2,2\n", "x:1:1: ", "'b'"},
        {"csv:weight=w", "a,b,y\n1,2,2\n", "x:1:1: ", "'w'"},
        {"csv:weight=a,num=a", "a,b,y\n1,2,2\n", "x:1:1: ", "'a'"},
        {"csv:query=q,cat=q", "q,y\n,2\n", "x:2:1: ", "no query"},
        {"csv:weight=a", "a,y\n1,2\n", "x:1:1: ", "no features"},
        {"csv:weight=w", "a,w,y\n1,-1,2\n", "x:2:3: ", "the weight -1 is not"},
        {"csv:weight=w", "a,w,y\n1,nan,2\n", "x:2:3: ", "the weight nan is not"},
        {"csv:weight=w,nan=drop", "a,w,y\n1,,2\n", "x:2:3: ", "no weight"},
        {"csv:weight=w", "a,w,y\n1,heavy,2\n", "x:2:3: ", "'heavy' is not a number"},
        {"csv:cat=a", "a,b,b,y\nx,1,2,2\n", "x:1:1: ", "two columns are named 'b'"},
        {"csv:cat=auto", "a,b,y\nx,1,2\ny,\"1,2\n", "x:3:3: ", "quote"},
        {"csv:cat=auto", "a,b,y\nx,1,2\nz\r,1,2\n", "x:3:2: ", "carriage return"},
        {"csv:cat=auto", "39,State,50,yes\n50,Self,13,no\n", "x:1:1: ", "header"},
        {"csv:cat=auto", "usual,proper,a\nusual,other,b\n", "x:1:1: ", "header"},
        {"csv:cat=auto,header=yes", "a,b,y\n", "x: ", "no rows"},
        {"csv:cat=auto", "a,b,y\nx,1\n", "x:2:4: ", "2 fields, line 1 has 3"},
        /* one name for two features */
        {"csv:cat=b", "b=1,b,y\n5,1,3\n", "x:1:1: ", "'b=1' is named like a value of the category "
         "'b'"},
        {"csv:cat=auto", "b=1,b,y\n5,x,3\n", "x:1:1: ", "'b=1' is named like"},
        {"csv:cat=auto,hash-bits=4", "b=1,b,y\n5,x,3\n", "x:1:1: ", "'b=1' is named like"},
        {"csv:cat=a/a=b", "a,a=b,y\nb=c,c,3\n", "x:1:1: ", "'a=b' is named like"},
        {"csv:cat=c", "c,c,y\nu,v,3\n", "x:1:1: ", "two columns are named 'c'"},
        {"csv:cat=auto", "c,c,y\nu,1,3\n", "x:1:1: ", "two columns are named 'c'"},
        {"csv:hash-bits=4", "c,c,y\n1,1,3\n", "x:1:1: ", "two columns are named 'c'"},
        {"csv:weight=w", "a,w,w,y\n1,1,1,3\n", "x:1:1: ", "two columns are named 'w'"},
        {"csv:label=y", "a,y,y\n1,1,1\n", "x:1:1: ", "'y' (use label=first or label=last)"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        reading_bad(bad[i].spec, bad[i].text, bad[i].begins, bad[i].holds);
    fx_reader *r;
    CHECK(fx_data_reader_new(&r, "csv:cat=", "x") == FX_EINVAL);
    CHECK(fx_data_reader_new(&r, "csv:hash-bits=25", "x") == FX_EINVAL);
}

/* Reads text with the columns that are given. */
static fx_status given(fx_data **out, fx_read_counts *count, const char *spec,
                       const char *const *name, size_t n, const char *text)
{
    fx_reader *r = NULL;

    CHECK(!fx_data_reader_new(&r, spec, "x"));
    CHECK(!fx_data_reader_names(r, name, n));
    fx_status s = fx_data_reader_feed(r, text, strlen(text), NULL);
    if (!s)
        s = fx_data_reader_take(out, r, 1, NULL);
    count->size = sizeof(fx_read_counts);
    fx_data_reader_counts(count, r);
    fx_data_reader_free(r);
    return s;
}

static void given_names(void)
{
    static const char *const name[] = {"age", "city=Paris", "w", "city=Rome"};
    static const char *const number[] = {"a", "b", "c"};
    fx_read_counts count = FX_INIT(fx_read_counts);
    fx_data *d = NULL;

    /* Another order, another city, no label, a column that nobody knows. */
    static const char other[] = "w,city,age,extra\n1,Rome,30,x\n2,Oslo,0,\n3,Paris,5,7\n";
    static const char *const specs[] = {"csv:cat=auto,label=label",
                                        "csv:cat=city,label=label,header=yes",
                                        "csv:cat=city,label=label,weight=gone"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        CHECK(!given(&d, &count, specs[i], name, 4, other));
        fx_table t = fx_data_table(d);
        CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
        check_names(&t, name, 4);
        CHECK(!t.weight && reading_at(d, 0, 0) == 30 && reading_at(d, 0, 3) == 1);
        CHECK(reading_at(d, 1, 2) == 2 && reading_row(&t, 1).n == 1 && reading_at(d, 2, 1) == 1);
        CHECK(!t.label && count.unseen == 3);   /* Oslo, and two fields of extra */
        fx_data_free(d);
    }

    /* Numbers alone: dense, by name, with and without a label. */
    CHECK(!given(&d, &count, "csv:label=y", number, 3, "c,y,a,b\n3,9,1,2.1\n6,8,4,5\n"));
    fx_table t = fx_data_table(d);
    check_names(&t, number, 3);
    CHECK(!t.block[0].ptr && t.label[0] == 9 && t.block[0].type == FX_F64);
    for (int j = 0; j < 3; j++)
        CHECK(reading_at(d, 1, j) == j + 4);
    fx_data_free(d);
    CHECK(!given(&d, &count, "csv:label=last", number, 3, "c,a,b\n3,1,2\n"));
    t = fx_data_table(d);
    CHECK(!t.label && reading_at(d, 0, 0) == 1 && reading_at(d, 0, 2) == 3);
    fx_data_free(d);

    static const struct { const char *spec, *text, *holds; } bad[] = {
        {"csv:label=y", "a,b,y\n1,2,3\n", "x:1:1: no column is named 'c'"},
        {"csv:label=y", "a,b,c,a,y\n1,2,3,4,5\n", "x:1:1: two columns are named 'a'"},
        {"csv:label=y", "a,b,c,y\n1,z,3,4\n", "x:2:3: 'z' is not a number"},
        {"csv:label=y,header=yes", "u,v,y\n1,z,3\n", "x:1:1: no column is named 'a'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        d = NULL;
        CHECK(given(&d, &count, bad[i].spec, number, 3, bad[i].text) == FX_EFORMAT && !d);
        CHECK(strstr(fx_error_detail(), bad[i].holds));
    }
    CHECK(given(&d, &count, "csv:cat=auto,label=y", name + 1, 1, "u,v,y\n1,2,3\n") == FX_EFORMAT);
    CHECK(strstr(fx_error_detail(), "none of these columns is known"));
}

/* Which column of the file a given name belongs to. */
static void owners(void)
{
    typedef const char *names[4];
    static const struct {
        names name;
        const char *spec, *text, *holds;        /* holds NULL: read as */
        double x[3];                            /* the first row */
        int labels, dense;
        uint64_t unseen;
    } c[] = {
        /* a number whose name holds an equals sign, beside a label of the name before it */
        {{"y=lag", "b"}, "csv:cat=auto,label=last", "y=lag,b,y\n5,2,no\n", NULL, {5, 2}, 1, 1, 0},
        {{"y=lag", "b"}, "csv:cat=auto,label=first", "y,b,y=lag\nno,2,5\n", NULL, {5, 2}, 1, 1, 0},
        {{"y=lag", "b"}, "csv:cat=auto,label=last", "b,y=lag\n2,5\n", NULL, {5, 2}, 0, 1, 0},
        {{"y=lag", "b"}, "csv:cat=auto,label=none", "y=lag,b,y\n5,2,no\n", NULL, {5, 2}, 0, 1, 1},
        {{"y=lag", "b"}, "csv:cat=none,label=last", "y=lag,b,y\n5,2,no\n", NULL, {5, 2}, 1, 1, 0},
        {{"y=lag", "b"}, "csv:cat=y,label=none", "y=lag,b,y\n5,2,no\n", NULL, {5, 2}, 0, 1, 1},
        {{"y=lag", "b"}, "csv:cat=auto,label=last", "b,y\n2,lag\n", NULL, {1, 2}, 0, 0, 0},
        {{"y=lag", "b"}, "csv:cat=none,label=last", "b,y\n2,1\n", "no column is named 'y=lag'",
         {0}, 0, 0, 0},
        {{"y=lag", "b"}, "csv:cat=c,label=last", "b,y\n2,1\n", "no column is named 'y=lag'", {0},
         0, 0, 0},
        {{"y=lag", "y=no"}, "csv:cat=auto,label=none", "y=lag,y\n5,no\n", "'y=lag' is named like",
         {0}, 0, 0, 0},
        /* categories that are not among the names */
        {{"a", "b"}, "csv:cat=z,label=y", "a,b,z,y\n1,2,u,3\n", NULL, {1, 2}, 1, 1, 1},
        {{"a", "b"}, "csv:cat=a,label=y", "a,b,y\n1,2,3\n", "no column is named 'a'", {0}, 0, 0, 0},
        {{"z=u"}, "csv:cat=z/q,label=y", "q,y\n1,3\n", "none of these columns is known", {0}, 0, 0,
         0},
        /* values with separators and equals signs; empty names and values */
        {{"c=a=b", "c=u,v", "c="}, "csv:cat=auto,label=none", "c\na=b\n", NULL, {1}, 0, 0, 0},
        {{"c=a=b", "c=u,v", "c="}, "csv:cat=c,label=none", "c\n\"u,v\"\n", NULL, {0, 1}, 0, 0, 0},
        {{"c=d=a", "c=d"}, "csv:cat=c=d,label=none", "c=d\na\n", "no column is named 'c=d'", {0}, 0,
         0, 0},
        {{"=u", "b"}, "csv:cat=auto,label=y", ",b,y\nu,2,3\n", NULL, {1, 2}, 1, 0, 0},
        {{"", "b"}, "csv:cat=auto,label=y", ",b,y\n7,2,3\n", NULL, {7, 2}, 1, 1, 0},
        {{"", "b"}, "csv:cat=auto,label=y", ",,b,y\n7,7,2,3\n", "two columns are named ''", {0}, 0,
         0, 0},
        /* a feature that is called like the label: their places tell them apart */
        {{"b", "y"}, "csv:cat=none,label=last", "b,y,y\n1,2,9\n", NULL, {1, 2}, 1, 1, 0},
        {{"y", "b"}, "csv:cat=none,label=first", "y,y,b\n9,1,2\n", NULL, {1, 2}, 1, 1, 0},
        {{"b", "y"}, "csv:cat=none,label=last", "b,y\n1,2\n", NULL, {1, 2}, 0, 1, 0},
        {{"b", "y"}, "csv:cat=none,label=y", "b,y,y\n1,2,9\n", "two columns are named 'y'", {0}, 0,
         0, 0},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        size_t n = 0;
        fx_read_counts count = FX_INIT(fx_read_counts);
        fx_data *d = NULL;
        while (n < 4 && c[i].name[n])
            n++;
        fx_status s = given(&d, &count, c[i].spec, c[i].name, n, c[i].text);
        if (s != (c[i].holds ? FX_EFORMAT : FX_OK)
            || (s && !strstr(fx_error_detail(), c[i].holds))) {
            fprintf(stderr, "%s '%s': %d %s\n", c[i].spec, c[i].text, (int)s,
                    s ? fx_error_detail() : "");
            exit(1);
        }
        if (s)
            continue;
        fx_table t = fx_data_table(d);
        CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
        check_names(&t, c[i].name, n);
        CHECK(!t.label == !c[i].labels && (t.block[0].ptr == NULL) == c[i].dense);
        CHECK(count.unseen == c[i].unseen);
        for (size_t j = 0; j < n && j < 3; j++)
            CHECK(reading_at(d, 0, (int64_t)j) == c[i].x[j]);
        fx_data_free(d);
    }
}

static void given_faults(void)
{
    static const char *const name[] = {"a", "b", "a", NULL};
    fx_reader *r = NULL;

    CHECK(!fx_data_reader_new(&r, "svmlight", "x"));
    CHECK(fx_data_reader_names(r, name, 2) == FX_EINVAL);
    fx_data_reader_free(r);
    CHECK(!fx_data_reader_new(&r, "csv", "x"));
    CHECK(fx_data_reader_names(r, name, 4) == FX_EINVAL && fx_data_reader_names(r, NULL, 1));
    CHECK(fx_data_reader_names(r, name, 0) == FX_EINVAL && !fx_data_reader_names(r, name, 2));
    CHECK(fx_data_reader_names(r, name, 2) == FX_EINVAL);
    fx_data_reader_free(r);
    CHECK(!fx_data_reader_new(&r, "csv", "x"));
    CHECK(fx_data_reader_names(r, name, 3) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "two columns are named 'a'"));
    fx_data_reader_free(r);
    CHECK(!fx_data_reader_new(&r, "csv:hash-bits=3", "x"));
    CHECK(fx_data_reader_names(r, name, 2) == FX_ESHAPE);
    fx_data_reader_free(r);
    CHECK(!fx_data_reader_new(&r, "csv", "x") && !fx_data_reader_feed(r, "1,2\n", 4, NULL));
    CHECK(fx_data_reader_names(r, name, 2) == FX_EINVAL);
    fx_data_reader_free(r);
    CHECK(fx_data_reader_names(NULL, name, 2) == FX_EINVAL);
}

static void resolved(const char *spec, const char *text, const char *holds)
{
    fx_reader *r = NULL;
    fx_data *d;

    CHECK(!fx_data_reader_new(&r, spec, "x") && !fx_data_reader_feed(r, text, strlen(text), NULL));
    CHECK(!fx_data_reader_take(&d, r, 1, NULL));
    if (!strstr(fx_data_reader_spec(r), holds))
        fprintf(stderr, "'%s' lacks '%s'\n", fx_data_reader_spec(r), holds);
    CHECK(strstr(fx_data_reader_spec(r), holds));
    fx_data_free(d);
    d = reading_good(fx_data_reader_spec(r), text);
    fx_data_free(d);
    fx_data_reader_free(r);
}

static void specs(void)
{
    resolved("csv:cat=auto", people, "label=label,header=yes,nan=error,cat=city/colour,num=auto,");
    resolved("csv", "a,b,y\n1,2,3\n", "csv:separator=comma,label=y,header=yes,nan=error,cat=none,");
    resolved("csv:cat=auto", "1,2,3\n", "label=last,header=no,nan=error,cat=none,num=auto");
    resolved("csv:cat=auto", "a/b,b,first\nx,2,3\n",
            "label=%66irst,header=yes,nan=error,cat=a%2Fb,");
    resolved("csv:cat=auto", "auto,b,y\nx,2,3\n", "cat=%61uto,");
    resolved("csv", "b,y,y\n1,2,3\n", "label=last,header=yes,");      /* y is two columns */
    resolved("csv:label=first", "y,y,b\n1,2,3\n", "label=first,header=yes,");
    resolved("csv:cat=auto", "\"c,d\",(e),100%\nx,2,3\n", "label=100%25,header=yes,nan=error,"
            "cat=c%2Cd,");
    resolved("csv:label=%28e%29,num=c%2cd,weight=100%", "\"c,d\",(e),100%\n1,2,3\n",
            "label=%28e%29,header=yes,nan=error,cat=none,num=c%2cd,weight=100%,");
    resolved("svmlight", "1 0:1\n", "svmlight:base=0,sort=no");
    resolved("svmlight:sort=yes", "1 2:1\n", "svmlight:base=1,sort=yes");
    resolved("text:ngram=2", "1 a b\n", "text:ngram=2,value=binary,label=first,hash-bits=0");
}

/* Names are looked up by hash: time grows with the columns, not with their square. */
static void wide(void)
{
    enum { COLS = 100000, NAME = 16 };
    char *text = malloc(3 * COLS * NAME), *spec = malloc(2 * COLS * NAME), *p = text, *q = spec;
    char (*name)[NAME] = malloc(COLS * sizeof *name);
    const char **names = malloc(COLS * sizeof *names);
    fx_read_counts count = FX_INIT(fx_read_counts);
    fx_data *d = NULL;
    time_t start = time(NULL);

    CHECK(text && spec && name && names);
    q += sprintf(q, "csv:label=none,header=yes,cat=");
    for (int j = 0; j < COLS; j++) {
        p += sprintf(p, "%sc%d", j ? "," : "", j);
        q += sprintf(q, "%sc%d", j ? "/" : "", j);
        sprintf(name[j], "c%d=u", j);
        names[j] = name[j];
    }
    *p++ = '\n';
    for (int j = 0; j < COLS; j++)
        p += sprintf(p, "%su", j ? "," : "");
    CHECK(!given(&d, &count, spec, names, COLS, text));
    CHECK(fx_data_table(d).cols == COLS && reading_at(d, 0, COLS - 1) == 1);
    fx_data_free(d);
    d = reading_good(spec, text);
    CHECK(fx_data_table(d).cols == COLS);
    fx_data_free(d);
    memset(text, '=', COLS * NAME);     /* a value, of which every = could end a column's name */
    memcpy(text, "c,d\n", 4);
    strcpy(text + COLS * NAME, ",1\n");
    memcpy(spec, "c=", 2);
    memcpy(spec + 2, text + 4, COLS * NAME - 4);
    spec[COLS * NAME - 2] = '\0';
    CHECK(!given(&d, &count, "csv:label=none,cat=c", (const char *[]){spec, "d"}, 2, text));
    CHECK(reading_at(d, 0, 0) == 1);
    fx_data_free(d);
    CHECK(time(NULL) - start < 30);     /* milliseconds; the square takes minutes */
    free(text);
    free(spec);
    free(name);
    free(names);
}

int main(void)
{
    wide();
    categories();
    faults();
    given_names();
    owners();
    given_faults();
    specs();
    return 0;
}
