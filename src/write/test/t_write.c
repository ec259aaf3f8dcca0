/* SPDX-License-Identifier: BSD-3-Clause
 * t_write.c - random tables written, taken apart again by hand, and compared with their twin.
 * Covers: csv.c, npy.c, npz.c, precomputed.c, svmlight.c */

#include "data/test/random_table.h"
#include "data/test/reading.h"

enum { CAP = 1 << 22, MEMBERS = 8 };

typedef struct capture {
    char *bytes;                        /* CAP */
    size_t len, largest, calls, reject;  /* refuse: the call that fails, 0: none */
    size_t members;
    struct { char name[32]; uint64_t size; size_t start; } member[MEMBERS];
} capture;

static int take(void *ctx, const void *bytes, size_t len)
{
    capture *c = ctx;

    CHECK(c->len + len < CAP);
    memcpy(c->bytes + c->len, bytes, len);
    c->len += len;
    c->bytes[c->len] = '\0';
    c->largest = len > c->largest ? len : c->largest;
    return ++c->calls == c->reject;
}

static int announce(void *ctx, const char *name, uint64_t size)
{
    capture *c = ctx;

    CHECK(c->members < MEMBERS && strlen(name) < 32);
    strcpy(c->member[c->members].name, name);
    c->member[c->members].size = size;
    c->member[c->members++].start = c->len;
    return ++c->calls == c->reject;
}

static fx_status put(capture *c, const char *spec, const fx_table *t)
{
    fx_sink sink = {.size = sizeof(fx_sink), .write = take, .member = announce, .ctx = c};

    *c = (capture){.bytes = c->bytes, .reject = c->reject};
    c->bytes[0] = '\0';
    return fx_data_write(&sink, spec, t, NULL);
}

/* Text at *p, which must be there. */
static void eat(const char **p, const char *text)
{
    if (strncmp(*p, text, strlen(text))) {
        fprintf(stderr, "expected '%s' at '%.40s'\n", text, *p);
        exit(1);
    }
    *p += strlen(text);
}

static double number(const char **p)
{
    char *end;
    double x = strtod(*p, &end);

    CHECK(end > *p);
    *p = end;
    return x;
}

static void label(const char **p, const random_table *r, size_t i)
{
    if (r->t.label && r->t.classes)
        eat(p, rt_classes[(int)r->label[i]]);
    else
        CHECK(number(p) == (r->t.label ? r->label[i] : 0));
}

static void svmlight(capture *c, const random_table *r, int base)
{
    const char *p = c->bytes;

    CHECK(put(c, base ? "svmlight" : "svmlight:base=0", &r->t) == FX_OK);
    for (size_t i = 0; i < r->t.rows; i++) {
        label(&p, r, i);
        if (r->t.qid && r->qid[i] >= 0) {
            eat(&p, " qid:");
            CHECK(number(&p) == (double)r->qid[i]);
        }
        for (size_t j = 0; j < r->t.cols; j++)
            if (r->sparse[i] ? r->stored[i][j] : r->x[i][j] != 0) {
                eat(&p, " ");
                CHECK(number(&p) == (double)j + base);
                eat(&p, ":");
                CHECK(number(&p) == r->x[i][j]);
            }
        eat(&p, "\n");
    }
    CHECK(p == c->bytes + c->len);
}

static void precomputed(capture *c, const random_table *r)
{
    const char *p = c->bytes;

    CHECK(put(c, "precomputed", &r->t) == FX_OK);
    for (size_t i = 0; i < r->t.rows; i++) {
        label(&p, r, i);
        eat(&p, " 0:");
        CHECK(number(&p) == (double)i + 1);
        for (size_t j = 0; j < r->t.cols; j++) {
            eat(&p, " ");
            CHECK(number(&p) == (double)j + 1);
            eat(&p, ":");
            CHECK(number(&p) == r->x[i][j]);
        }
        eat(&p, "\n");
    }
    CHECK(p == c->bytes + c->len);
}

static void csv(capture *c, const random_table *r, const char *separator)
{
    static const char *const quoted_csv[] = {"a", "b c", "\"d,e\"", "\"f\"\"g\"", "", "x\ty",
                                             "\" z\"", "u=1", "\"v \""};
    static const char *const quoted_tsv[] = {"a", "b c", "d,e", "\"f\"\"g\"", "", "\"x\ty\"",
                                             "\" z\"", "u=1", "\"v \""};
    const char *p = c->bytes;
    char plain[32];

    CHECK(put(c, *separator == ',' ? "csv" : "tsv", &r->t) == FX_OK);
    for (size_t j = 0; j < r->t.cols; j++) {
        snprintf(plain, sizeof plain, "x%zu", j + 1);
        eat(&p, j ? separator : "");
        eat(&p, !r->t.name ? plain : *separator == ',' ? quoted_csv[j] : quoted_tsv[j]);
    }
    if (r->t.weight) {
        eat(&p, r->t.cols ? separator : "");
        eat(&p, "weight");
    }
    if (r->t.label) {
        eat(&p, r->t.cols || r->t.weight ? separator : "");
        eat(&p, "label");
    }
    eat(&p, "\n");
    for (size_t i = 0; i < r->t.rows; i++) {
        for (size_t j = 0; j < r->t.cols; j++) {
            eat(&p, j ? separator : "");
            CHECK(number(&p) == r->x[i][j]);
        }
        if (r->t.weight) {
            eat(&p, r->t.cols ? separator : "");
            CHECK(number(&p) == r->weight[i]);
        }
        if (r->t.label) {
            eat(&p, r->t.cols || r->t.weight ? separator : "");
            label(&p, r, i);
        }
        eat(&p, "\n");
    }
    CHECK(p == c->bytes + c->len);
}

/* The header that must stand at p; returns where the numbers begin. */
static const char *array(const char *p, const char *descr, const char *shape)
{
    char expected[160];
    size_t len = (size_t)(unsigned char)p[8] + 256u * (unsigned char)p[9];

    CHECK(!memcmp(p, "\x93NUMPY\x01\x00", 8) && (len + 10) % 64 == 0 && p[len + 9] == '\n');
    snprintf(expected, sizeof expected, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
             descr, shape);
    CHECK(!strncmp(p + 10, expected, strlen(expected)));
    for (const char *q = p + 10 + strlen(expected); q < p + len + 9; q++)
        CHECK(*q == ' ');
    return p + len + 10;
}

static double real(const char **p, bool f64)
{
    double x;
    float f;

    memcpy(&x, *p, sizeof x);
    memcpy(&f, *p, sizeof f);
    *p += f64 ? 8 : 4;
    return f64 ? x : f;
}

static bool any_double(const fx_table *t)
{
    for (size_t b = 0; b < t->blocks; b++)
        if (t->block[b].type == FX_F64)
            return true;
    return false;
}

static void npy(capture *c, const random_table *r)
{
    bool f64 = any_double(&r->t);
    char shape[64];

    CHECK(put(c, "npy", &r->t) == FX_OK);
    snprintf(shape, sizeof shape, "%zu, %zu", r->t.rows, r->t.cols);
    const char *p = array(c->bytes, f64 ? "<f8" : "<f4", shape);
    for (size_t i = 0; i < r->t.rows; i++)
        for (size_t j = 0; j < r->t.cols; j++)
            CHECK(real(&p, f64) == r->x[i][j]);
    CHECK(p == c->bytes + c->len);
}

static void npz(capture *c, random_table *r)
{
    static const char *const names[] = {"indices.npy", "indptr.npy", "format.npy", "shape.npy",
                                        "data.npy", "labels.npy"};
    bool f64 = any_double(&r->t);
    char shape[64];
    const char *at[6];
    int32_t index, ptr = 0;

    if (r->t.label && r->t.classes) {
        CHECK(put(c, "npz", &r->t) == FX_EUNSUPPORTED && c->calls == 0);
        r->t.classes = 0;
    }
    CHECK(put(c, "npz", &r->t) == FX_OK && c->members == (r->t.label ? 6 : 5));
    for (size_t i = 0; i < c->members; i++) {   /* announced sizes are exact */
        size_t end = i + 1 < c->members ? c->member[i + 1].start : c->len;
        CHECK(!strcmp(c->member[i].name, names[i]));
        CHECK(c->member[i].size == end - c->member[i].start);
        at[i] = c->bytes + c->member[i].start;
    }
    size_t stored = 0;
    for (size_t i = 0; i < r->t.rows; i++)
        for (size_t j = 0; j < r->t.cols; j++)
            stored += r->sparse[i] ? r->stored[i][j] : r->x[i][j] != 0;
    snprintf(shape, sizeof shape, "%zu,", stored);
    const char *col = array(at[0], "<i4", shape), *val = array(at[4], f64 ? "<f8" : "<f4", shape);
    snprintf(shape, sizeof shape, "%zu,", r->t.rows + 1);
    const char *indptr = array(at[1], "<i4", shape);
    CHECK(!memcmp(array(at[2], "|S3", ""), "csr", 3));
    int64_t size[2];
    memcpy(size, array(at[3], "<i8", "2,"), sizeof size);
    CHECK(size[0] == (int64_t)r->t.rows && size[1] == (int64_t)r->t.cols);
    for (size_t i = 0; i < r->t.rows; i++) {
        memcpy(&index, indptr + 4 * i, 4);
        CHECK(index == ptr);
        for (size_t j = 0; j < r->t.cols; j++)
            if (r->sparse[i] ? r->stored[i][j] : r->x[i][j] != 0) {
                memcpy(&index, col + 4 * ptr++, 4);
                CHECK(index == (int32_t)j && real(&val, f64) == r->x[i][j]);
            }
    }
    memcpy(&index, indptr + 4 * r->t.rows, 4);
    CHECK(index == ptr && (size_t)ptr == stored);
    if (r->t.label) {
        snprintf(shape, sizeof shape, "%zu,", r->t.rows);
        const char *y = array(at[5], "<f8", shape);
        for (size_t i = 0; i < r->t.rows; i++)
            CHECK(real(&y, true) == r->label[i]);
    }
}

/* Written and read again: the same rows, labels, queries, classes and names. */
static void round_trip(capture *c, const random_table *r, const char *write, const char *read)
{
    fx_table t = r->t;
    bool text = *write != 's';

    if (t.rows == 0 || t.cols == 0 || (text && !t.label))
        return;
    CHECK(put(c, write, &t) == FX_OK);
    char spec[64];
    snprintf(spec, sizeof spec, "%s%s", read, text && t.weight ? ",weight=weight" : "");
    fx_data *back = reading_good_bytes(spec, c->bytes, c->len);
    fx_table got = fx_data_table(back);
    CHECK(!got.weight == !(text && t.weight));
    for (size_t i = 0; got.weight && i < t.rows; i++)
        CHECK(got.weight[i] == t.weight[i]);
    bool queries = false;
    CHECK(got.rows == t.rows && got.cols <= t.cols && !got.classes == !(t.label && t.classes));
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t j = 0; j < t.cols; j++)
            CHECK(reading_at(back, i, (int64_t)j) == r->x[i][j]);
        if (t.label && t.classes)
            CHECK(!strcmp(got.class_name[(int)got.label[i]], t.class_name[(int)t.label[i]]));
        else
            CHECK(got.label[i] == (t.label ? t.label[i] : 0));
        queries |= t.qid && t.qid[i] >= 0;
    }
    CHECK(!got.qid == !(queries && !text));
    for (size_t i = 0; got.qid && i < t.rows; i++)
        CHECK(got.qid[i] == t.qid[i]);
    for (size_t j = 0; text && t.name && j < t.cols; j++) {
        char place[32];                 /* what a column without a name is called */
        snprintf(place, sizeof place, "c%zu", j + 1);
        CHECK(got.cols == t.cols && !strcmp(got.name[j], *t.name[j] ? t.name[j] : place));
    }
    fx_data_free(back);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static int forget(void *ctx, const void *bytes, size_t len)
{
    (void)ctx, (void)bytes;
    return len > 1 << 16;
}

/* Do the bytes differ from those of before?  *last, *len: these, then the new ones. */
static bool changes(capture *c, const char *format, const fx_table *t, char last[4096], size_t *len)
{
    CHECK(put(c, format, t) == FX_OK && c->len < 4096);
    bool differ = c->len != *len || memcmp(c->bytes, last, *len);
    memcpy(last, c->bytes, *len = c->len);
    return differ;
}

/* What a description promises shows in the bytes. */
static void promises(capture *c)
{
    double x[2 * 40] = {1, 0, 2}, y[] = {5, 6}, z[] = {7, 8};
    fx_matrix X = {.rows = 2, .cols = 1, .stride = 40, .type = FX_F64, .val = x};
    fx_description d = FX_INIT(fx_description);
    char last[4096];

    for (size_t i = 0; fx_data_write_format(i); i++) {
        fx_table t = {.rows = 2, .cols = 1, .blocks = 1, .block = &X, .base = 1, .label = y};
        size_t len = 0, zeros;
        X.cols = 1;
        CHECK(fx_data_write_describe(&d, fx_data_write_format(i)) == FX_OK);
        CHECK(changes(c, d.name, &t, last, &len));
        CHECK((c->members > 0) == d.members && (memchr(c->bytes, 0, len) != NULL) == d.binary);
        CHECK((strstr(c->bytes, "5 0:1 1:1") == c->bytes) == d.precomputed);
        t.label = z;
        CHECK(changes(c, d.name, &t, last, &len) == d.labels);
        t.weight = y;
        changes(c, d.name, &t, last, &len);
        t.weight = z;
        CHECK(changes(c, d.name, &t, last, &len) == d.weights);
        zeros = len;
        t.cols = X.cols = 40;
        changes(c, d.name, &t, last, &len);
        CHECK((len > zeros + 78) == d.dense);
    }
}

int main(void)
{
    static random_table r;
    capture c = {.bytes = malloc(CAP)};

    test_init();
    CHECK(c.bytes);
    for (int i = 0, n = test_cases(500); i < n; i++) {
        random_table_fill(&r, i % 3, i / 3 % 3);
        svmlight(&c, &r, i % 2);
        precomputed(&c, &r);
        csv(&c, &r, ",");
        csv(&c, &r, "\t");
        npy(&c, &r);
        round_trip(&c, &r, "svmlight", "svmlight:base=1");
        round_trip(&c, &r, "svmlight:base=0", "svmlight:base=0");
        round_trip(&c, &r, "csv", "csv:header=yes");
        round_trip(&c, &r, "tsv", "csv:header=yes,separator=tab");
        npz(&c, &r);
    }

    promises(&c);

    /* By the letter. */
    double x[] = {0.5, 0, -3, 1e-7}, y[] = {1, -1};
    int64_t q[] = {7, -1};
    fx_matrix X = {.rows = 2, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fx_table t = {.rows = 2, .cols = 2, .blocks = 1, .block = &X, .label = y, .qid = q, .base = 1};
    CHECK(put(&c, "svmlight", &t) == FX_OK);
    CHECK(!strcmp(c.bytes, "1 qid:7 1:0.5\n-1 1:-3 2:1e-7\n"));
    q[1] = 999999999999999999;
    CHECK(put(&c, "svmlight", &t) == FX_OK && strstr(c.bytes, "qid:999999999999999999 "));
    q[1]++;
    CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED && c.calls == 0);
    q[1] = -2;
    CHECK(put(&c, "svmlight", &t) == FX_EINVAL
          && strstr(fx_error_detail(), "row 1 (from 0) is -2"));
    q[1] = -1;
    CHECK(put(&c, "precomputed", &t) == FX_OK);
    CHECK(!strcmp(c.bytes, "1 0:1 1:0.5 2:0\n-1 0:2 1:-3 2:1e-7\n"));
    CHECK(put(&c, "csv", &t) == FX_OK && !strcmp(c.bytes, "x1,x2,label\n0.5,0,1\n-3,1e-7,-1\n"));

    /* A refusing sink, at every call it can refuse. */
    static const char *const specs[] = {"svmlight", "csv", "tsv", "npy", "npz", "precomputed"};
    for (size_t f = 0; f < 6; f++)
        for (size_t k = 1;; k++) {
            c.reject = k;
            fx_status s = put(&c, specs[f], &t);
            if (s == FX_OK) {
                CHECK(k > 1);
                break;
            }
            CHECK(s == FX_EOUTPUT && c.calls == k);     /* and no call after it */
        }
    c.reject = 0;

    /* Texts longer than the buffer, in pieces of at most 64 KiB. */
    char *longest = malloc(200001);
    CHECK(longest);
    memset(longest, 'k', 200000);
    longest[200000] = '\0';
    longest[100000] = '"';
    const char *class_name[] = {"other", longest}, *name[] = {longest, "b"};
    t.classes = 2, t.class_name = class_name, t.name = name, y[0] = 1, y[1] = 0, t.qid = NULL;
    CHECK(put(&c, "svmlight", &t) == FX_OK && c.largest <= 1 << 16 && c.calls >= 4);
    CHECK(!memcmp(c.bytes, longest, 200000));
    CHECK(!strcmp(c.bytes + 200000, " 1:0.5\nother 1:-3 2:1e-7\n"));
    CHECK(put(&c, "csv", &t) == FX_OK && c.len == 2 * 200003     /* quoted */
                                             + strlen(",b,label\n0.5,0,\n-3,1e-7,other\n"));
    class_name[0] = "two words";
    c.calls = 0;
    CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "two words"));
    CHECK(put(&c, "precomputed", &t) == FX_EUNSUPPORTED && c.calls == 0);
    class_name[0] = "";
    CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED);
    CHECK(put(&c, "csv", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "empty"));
    class_name[0] = "\xef\xbb\xbf" "a";
    CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED);
    CHECK(put(&c, "csv", &t) == FX_OK && strstr(c.bytes, "1e-7,\"\xef\xbb\xbf" "a\"\n"));
    class_name[0] = "a\nb";
    CHECK(put(&c, "csv", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "class name 'a"));
    class_name[0] = "a", name[1] = "b\r";
    CHECK(put(&c, "tsv", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "feature name 'b"));
    CHECK(put(&c, "tsv:header=no", &t) == FX_OK);
    static const char *const numbers[] = {"1", "-2.5e3", "nan", "Infinity"};
    for (int i = 0; i < 4; i++) {       /* a reader would take these for numbers */
        class_name[0] = numbers[i], name[1] = "b";
        CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "a number"));
        CHECK(put(&c, "csv", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "a number"));
        class_name[0] = "a", name[0] = "", name[1] = numbers[i];
        CHECK(put(&c, "csv", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "header=no"));
        CHECK(put(&c, "csv:header=no", &t) == FX_OK);
        name[0] = longest;
        CHECK(put(&c, "csv", &t) == FX_OK);
    }
    free(longest);

    /* A comma in the first label, and nothing after it: CSV to our reader. */
    double zero[] = {0, 0, 1, 2};
    X.val = zero, class_name[0] = "a,b", class_name[1] = "c;d", t.name = NULL;
    CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED && strstr(fx_error_detail(), "'c;d'"));
    y[0] = 0, t.qid = q;
    CHECK(put(&c, "svmlight", &t) == FX_OK && !strcmp(c.bytes, "a,b qid:7\na,b 1:1 2:2\n"));
    zero[1] = 1, t.qid = NULL;
    CHECK(put(&c, "svmlight", &t) == FX_OK && !strcmp(c.bytes, "a,b 2:1\na,b 1:1 2:2\n"));
    X.val = x, y[0] = 1;

    /* Nothing, and nonsense. */
    fx_table empty = {.base = 1};
    CHECK(put(&c, "svmlight", &empty) == FX_OK && c.len == 0);
    CHECK(put(&c, "npy", &empty) == FX_OK && c.len == 128);
    CHECK(put(&c, "npz", &empty) == FX_OK && c.members == 5);
    t.classes = 0, t.name = NULL;
    fx_sink sink = {.size = sizeof(fx_sink), .write = take, .ctx = &c}, none = FX_INIT(fx_sink);
    CHECK(fx_data_write(&sink, "npz", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_write(&none, "csv", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_write(NULL, "csv", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_write(&sink, NULL, &t, NULL) == FX_EINVAL);
    CHECK(fx_data_write(&sink, "csv", NULL, NULL) == FX_EINVAL);
    CHECK(fx_data_write(&sink, "xml", &t, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "xml") && strstr(fx_error_detail(), "precomputed"));
    CHECK(fx_data_write(&sink, "svmlight:base=2", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_write(&sink, "csv:base=1", &t, NULL) == FX_EINVAL);
    int64_t ptr[] = {0, 1, 1}, col[] = {FX_INDEX_MAX};
    X = (fx_matrix){.rows = 2, .cols = (size_t)FX_INDEX_MAX + 1, .type = FX_F64, .wide = 1,
                    .val = x, .ptr = ptr, .col = col};
    t.cols = X.cols;
    CHECK(put(&c, "svmlight:base=0", &t) == FX_OK && !strcmp(c.bytes, "1 2147483647:0.5\n0\n"));
    CHECK(put(&c, "svmlight", &t) == FX_EUNSUPPORTED);
    for (int wide = 0; wide < 2; wide++) {      /* npz: 64 bits where 32 do not suffice */
        X.cols = t.cols = (size_t)INT32_MAX + (size_t)wide;
        col[0] = INT32_MAX - 1 + wide;
        t.label = NULL;
        CHECK(put(&c, "npz", &t) == FX_OK && c.members == 5);
        const char *at[] = {c.bytes + c.member[0].start, c.bytes + c.member[1].start};
        const char *indices = array(at[0], wide ? "<i8" : "<i4", "1,");
        const char *indptr = array(at[1], wide ? "<i8" : "<i4", "3,");
        int64_t index64[3] = {0};
        int32_t index32[3] = {0};
        CHECK(c.member[0].size == (size_t)(indices - at[0]) + (wide ? 8 : 4));
        CHECK(c.member[1].size == (size_t)(indptr - at[1]) + (wide ? 24 : 12));
        memcpy(index64, indices, 8);
        memcpy(index32, indices, 4);
        CHECK(wide ? index64[0] == col[0] : index32[0] == col[0]);
        memcpy(index64, indptr, wide ? 24 : 12);
        memcpy(index32, indptr, 12);
        CHECK(wide ? index64[1] == 1 && index64[2] == 1 : index32[1] == 1 && index32[2] == 1);
    }

    /* Stopped: a table that takes much longer than 50 ms. */
    enum { ROWS = 2000, COLS = 10000 };
    float *ones = malloc((size_t)ROWS * COLS * sizeof *ones);
    CHECK(ones);
    for (size_t i = 0; i < (size_t)ROWS * COLS; i++)
        ones[i] = 0.1f;
    sink = (fx_sink){.size = sizeof(fx_sink), .write = forget};
    for (size_t rows = 1; rows <= ROWS; rows += ROWS - 1) {     /* one long row, or many */
        size_t cols = (size_t)ROWS * COLS / rows;
        X = (fx_matrix){.rows = rows, .cols = cols, .stride = cols, .val = ones};
        t = (fx_table){.rows = rows, .cols = cols, .blocks = 1, .block = &X};
        CHECK(fx_data_write(&sink, "svmlight", &t, &(fx_run){RUN, .progress = stop})
              == FX_ECANCELLED);
    }
    free(ones);
    free(c.bytes);
    return 0;
}
