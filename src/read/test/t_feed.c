/* SPDX-License-Identifier: BSD-3-Clause
 * t_feed.c - what is read depends on the bytes alone: not on how they are cut into feeds (text
 * after any line end, arrays anywhere), not on where chunks end, not on threads.  The same status,
 * message, counts, spec and rows, bit for bit, of good inputs and of broken ones.
 * Covers: reader_feed.c, read.c */

#include "data/test/reading.h"

enum { CHUNK = 512 * 1024 };            /* of reader_feed.c */

typedef struct bytes { const char *at; size_t len; } bytes;
#define B(text) {text, sizeof text - 1}

typedef struct result {
    fx_status status;
    char detail[600];
    fx_data *data;
    fx_read_counts count;
    char spec[400];
} result;

static result finish(fx_reader *r, fx_status s)
{
    result out = {.status = s};

    if (!s)
        out.status = fx_data_reader_take(&out.data, r, 1, NULL);
    if (out.status)
        snprintf(out.detail, sizeof out.detail, "%s", fx_error_detail());
    out.count.size = sizeof(fx_read_counts);
    fx_data_reader_counts(&out.count, r);
    snprintf(out.spec, sizeof out.spec, "%s", fx_data_reader_spec(r));
    fx_data_reader_free(r);
    return out;
}

static void same(const result *a, const result *b, const char *spec, const char *what)
{
    if (a->status != b->status || strcmp(a->detail, b->detail)) {
        fprintf(stderr, "%s, '%.60s': %d '%s', but otherwise %d '%s'; FX_TEST_SEED=%llu\n", spec,
                what, (int)a->status, a->detail, (int)b->status, b->detail,
                (unsigned long long)test_seed);
        exit(1);
    }
    if (a->status)
        return;
    fx_table t = fx_data_table(a->data), u = fx_data_table(b->data);
    CHECK(fxi_data_check_table(&u, NULL) == FX_OK);
    reading_same(&t, &u);
    CHECK(!memcmp(&a->count, &b->count, sizeof a->count) && !strcmp(a->spec, b->spec));
}

/* ---- Text ----------------------------------------------------------------------------------- */
typedef enum way { WHOLE, THREADS, LINES, RANDOM, AGAIN, WAYS } way;

static result read_text(const char *spec, const fx_table *names, bytes text, way how)
{
    fx_reader *r = NULL;
    fx_status s;
    size_t at = 0;

    CHECK(!fx_data_reader_new(&r, spec, "x"));
    s = names ? fx_data_reader_names(r, names->name, names->cols) : FX_OK;
    while (!s && at < text.len) {
        fx_run run = {RUN, .threads = how == WHOLE || how == LINES ? 1 : 3};
        size_t left = text.len - at, n = how <= THREADS ? left : 1;
        if (how >= RANDOM)
            n = 1 + test_below(test_below(4) ? left : left < 20 ? left : 20);
        const char *feed = memchr(text.at + at + n - 1, '\n', left - n + 1);
        n = feed ? (size_t)(feed - text.at) + 1 - at : left;
        s = fx_data_reader_feed(r, text.at + at, n, &run);
        at += n;
    }
    return finish(r, s);
}

static void check_ways(const char *spec, const fx_table *names, bytes text, const char *what)
{
    result whole = read_text(spec, names, text, WHOLE);

    for (way w = THREADS; w < WAYS; w++) {
        result other = read_text(spec, names, text, w);
        same(&whole, &other, spec, what);
        fx_data_free(other.data);
    }
    if (!names && whole.data && fx_data_table(whole.data).name && fx_data_table(whole.data).cols) {
        fx_table t = fx_data_table(whole.data);
        check_ways(spec, &t, text, what);       /* by name: read as well, or refused as well */
    }
    fx_data_free(whole.data);
}

/* The text with a blank line of `pad` bytes behind its first `keep` bytes: what follows stands at
 * the end of a chunk. */
static void check_at_boundary(const char *spec, bytes text, size_t keep, size_t pad)
{
    char *all = malloc(text.len + pad);

    CHECK(all && pad);
    memcpy(all, text.at, keep);
    memset(all + keep, ' ', pad - 1);
    all[keep + pad - 1] = '\n';
    memcpy(all + keep + pad, text.at + keep, text.len - keep);
    check_ways(spec, NULL, (bytes){all, text.len + pad}, text.at);
    free(all);
}

static void check_text(const char *spec, bytes text)
{
    const char *first = memchr(text.at, '\n', text.len);
    size_t line = first ? (size_t)(first - text.at) + 1 : 0;

    check_ways(spec, NULL, text, text.at);
    if (!line || line == text.len)
        return;
    check_at_boundary(spec, text, line, CHUNK - line);          /* ends a chunk of its own */
    check_at_boundary(spec, text, line, CHUNK - line - test_below(text.len - line));
}

static void svmlight(void)
{
    static const char *const specs[] = {
        "svmlight", "svmlight:labels=auto", "svmlight:base=1,nan=drop,sort=yes",
        "svmlight:sort=yes,duplicates=sum,nan=drop,fields=ignore,labels=auto"};
    static const bytes texts[] = {
        B(""), B("\n"), B("# no rows\n\n"), B("\xef\xbb\xbf"), B("\xef\xbb\xbf" "1 1:1\n2 2:0.1\n"),
        B("1 1:1 3:2\r\n\r\n# c\r\n-1 2:1e-3 # d\r\n2"), B("1 1:1\n1 0:1\n1 5:1\n"),
        B("1:1 2:2\n5,6,7\n"), B("5,6,7\n1:1 2:2\n"), B("\n5;6\n1 1:1\n"),
        B("1:1\n\n5,6,7\n1 1:1\n"),
        B("5,6 1:1\n5,6,7\n7\n"), B("1 1:1\n5,6,7\n"), B("a\n5,6,7\n"),
        B("qid:3 1:1\n1 qid:4 2:1\n1:1\n"), B("1 1:1\n2:1\nb 1:1\n1 1:1\n"),
        B("a 1:1\n1:1\n2 1:1\n"),
        B("1:1\na 1:1\n2 1:1\n"), B("a 1:1\nb 2:1\na\nc 1:1\n"), B("id x\n1 1:1\n"),
        B("label word\n1 1:1\n"), B("1 1:1\nlabel word\n"), B("label\n1 1:1\n2 1:1\n"),
        B("label\n\n1 1:1\nx y\n"), B("1 1:1\n2 5:nan 1:1\n"), B("1 2:1 1:1\n1 2:1 2:1\n"),
        B("1 1:1\n1 1:1e154 1:1e154\n1 x\n"), B("1 1:1\n\n1 1:\0 2:1\n"),
        B("1 1:1\r1 2:1\n1 1:1\n"),
        B("1 1:1\n1 2147483648:1\n"), B("1 2147483647:1\n-1 1:1\n1 2147483647:1\n"),
        B("1 0:1 2147483647:1\n"), B("1 1:2:3\n1 4:5:6\n"),
        B("1 1:1 2:0.5\n1 1:16777217 2:0.1\n1 3:-0\n"),
        B("nan 1:1\n"), B("1 1:1\n1e999 1:1\n"), B("1 qid:1 1:1\n2 1:1\n3 qid:x\n"),
        B("1,2,3\n4,5,6\n"),
        B("1\t1:1\n2\t3\n"), B("1 1:1\n2 1:1 # \0 in a comment\n3 1:1"),
        B("1 1:1\n\r\n \t\n2 2:1 \t\r\n")};

    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            check_text(specs[k], texts[i]);
}

static void csv(void)
{
    static const char *const specs[] = {
        "csv", "csv:cat=auto", "csv:label=none,header=no", "csv:cat=a/c,weight=w,label=y,nan=drop",
        "csv:cat=auto,hash-bits=2,nan=drop", "csv:separator=tab,label=first",
        "csv:cat=+a,id=b", "csv:cat=auto,query=b,drop=a"};
    static const bytes texts[] = {
        B("\xef\xbb\xbf" "a,b,y\r\n1,2,p\r\n\r\n3,0.1,q"), B("1,2,3\n4,5,6\n"), B("a,b,y\n"),
        B("\n\na,b,y\n\n1,2,3\n \n4,5,6\n"), B("a,w,c,y\nx,1,red,p\nz,0.5,,q\n,2,\"b \"\"l\",p\n"),
        B("a,w,c,y\nx,1,red,p\nz,-1,blue,q\n"), B("a,b,y\n1,2,3\n1,2\n"),
        B("a,b,y\n1,2,3\n1,2,3,4\n"),
        B("a,b,y\n1,2,3\n1,x,3\n"), B("a,b,y\n1,2,3\n1,,3\n4,nan,3\n"),
        B("a,b,y\n1,2,3\n1,\"2,3\n"),
        B("a,b,y\n1,2,p\n1,2,3\n"), B("a,b,y\n1,2,3\n1,2,p\n"), B("a,b,y\n1,2,\n"),
        B("0,1,label\n1,2,p\n"),
        B("y\n1\n"), B("a b\n1 2\n"), B("1 1:1\n2 2:1\n"), B("a,b,y\n1,\0,3\n"),
        B("a,b,y\nx,u\rv,3\n"),
        B("a,b,y\n1e154,1e154,1\n1e154,1e154,2\nx,1,1\n"), B("39,S,50,yes\n50,T,13,no\n"),
        B("a,b,b,y\nx,1,2,3\n"), B("y=lag,b,y\n1,2,p\n3,4,q\n"), B("b=1,b,y\n1,u,p\n"),
        B("a\tb\ty\n1\t2\tp\n3\t4\tq\n"), B(",b,y\n1,2,p\n"),
        B("a,c,y\n-0,u,1\n0.1,v,2\n16777217,u,1\n")};

    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            check_text(specs[k], texts[i]);
}

static void words(void)
{
    static const char *const specs[] = {"text", "text:ngram=3,value=count",
                                        "text:label=none,hash-bits=3,value=count"};
    static const bytes texts[] = {
        B(""), B("\xef\xbb\xbf" "p The cat, the hat\r\n\r\nq caf\xc3\xa9 the\r\n"),
        B("p a b a\nq\n\n  \np b"),
        B("p a\n1 b\n"), B("1 a\np b\n"), B("p a\nq \0 b\n"), B("p a\nq b\rc\n"), B("nan a\n"),
        B("p zz zz yy\nq xx zz\np yy xx ww\n")};

    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            check_text(specs[k], texts[i]);
}

/* A line longer than a chunk, with and without an end; an error after many chunks. */
static void long_lines(void)
{
    const size_t n = CHUNK / 2;
    char *text = malloc(8 * n + 64), *p = text;

    CHECK(text);
    p += sprintf(p, "1 1:1\n-1");
    for (size_t i = 1; i <= n / 4; i++)
        p += sprintf(p, " %zu:1", i);
    size_t open = (size_t)(p - text);
    p += sprintf(p, "\n1 2:1\n");
    check_ways("svmlight", NULL, (bytes){text, open}, "long");
    check_ways("svmlight", NULL, (bytes){text, (size_t)(p - text)}, "long");
    p += sprintf(p, "1 x\n");
    check_ways("svmlight", NULL, (bytes){text, (size_t)(p - text)}, "long and broken");
    free(text);
}

/* ---- Arrays --------------------------------------------------------------------------------- */
typedef struct array { const char *member, *dict; bytes numbers; } array;

static size_t build(char *out, const array *a)
{
    size_t text = strlen(a->dict);

    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)text;
    out[9] = 0;
    memcpy(out + 10, a->dict, text);
    memcpy(out + 10 + text, a->numbers.at, a->numbers.len);
    return 10 + text + a->numbers.len;
}

static fx_status feed_cut(fx_reader *r, bytes b, way how)
{
    fx_status s = FX_OK;

    for (size_t at = 0; at < b.len && !s;) {
        fx_run run = {RUN, .threads = how == THREADS ? 3 : 1};
        size_t n = how <= THREADS ? b.len : how == LINES ? 1 : 1 + test_below(b.len - at);
        s = fx_data_reader_feed(r, b.at + at, n, &run);
        at += n;
    }
    return s;
}

static void check_arrays(const array *a, size_t n)
{
    const char *spec = a->member ? "npz" : "npy";
    result out[WAYS];

    for (way w = WHOLE; w < WAYS; w++) {
        fx_reader *r = NULL;
        fx_status s = FX_OK;
        CHECK(!fx_data_reader_new(&r, spec, "x"));
        for (size_t i = 0; i < n && !s; i++) {
            char file[400];
            bytes b = {file, build(file, &a[i])};
            s = a->member ? fx_data_reader_member(r, a[i].member) : FX_OK;
            if (!s)
                s = feed_cut(r, b, w);
        }
        out[w] = finish(r, s);
        same(&out[0], &out[w], spec, a->dict);
    }
    for (way w = WHOLE; w < WAYS; w++)
        fx_data_free(out[w].data);
}

#define DICT(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"
#define ONE "\0\0\200\77"               /* 1, -0 and NaN as <f4 */
#define MINUS "\0\0\0\200"
#define NAN4 "\0\0\300\177"

static void arrays(void)
{
    static const array npy[] = {
        {NULL, DICT("<f4", "(2, 2)"), B(ONE MINUS ONE ONE)}, {NULL, DICT("<f4", "(3,)"),
        B(ONE ONE ONE)},
        {NULL, DICT("<f4", "(2, 2)"), B(ONE ONE ONE)}, {NULL, DICT("<f4", "(2, 2)"),
        B(ONE ONE ONE ONE "x")},
        {NULL, DICT("<f4", "(2, 2)"), B(ONE ONE NAN4 ONE)}, {NULL, DICT("<f4", "(2, 2)"),
        B(ONE NAN4)},
        {NULL, DICT("<f4", "(0, 2)"), B("")}, {NULL, DICT("<f4", "(0, 2)"), B("x")},
        {NULL, DICT("<f4", "(2, 0)"), B("")}, {NULL, DICT("<f4", "()"), B(ONE)},
        {NULL, DICT(">f4", "(1,)"), B(ONE)}, {NULL, DICT("<f4", "(1, 1, 1)"), B(ONE)},
        {NULL, DICT("<f4", "(1, 2147483648000)"), B(ONE)}, {NULL, DICT("<f4", "(1"), B(ONE)},
        {NULL, DICT("|S3", "(1,)"), B("csr")}, {NULL, "", B("")}};
    static const array sparse[] = {
        {"data.npy", DICT("<f4", "(2,)"), B(ONE ONE)}, {"indices.npy", DICT("<i4", "(2,)"),
        B("\3\0\0\0\1\0\0\0")},
        {"indptr.npy", DICT("<i4", "(2,)"), B("\0\0\0\0\2\0\0\0")},
        {"shape.npy", DICT("<i4", "(2,)"), B("\1\0\0\0\4\0\0\0")},
        {"format.npy", DICT("|S3", "()"), B("csr")}, {"y.npy", DICT("<f4", "(1,)"), B(ONE)}};
    enum { MEMBERS = sizeof sparse / sizeof *sparse };

    for (size_t i = 0; i < sizeof npy / sizeof *npy; i++)
        check_arrays(&npy[i], 1);
    check_arrays(sparse, MEMBERS);
    for (size_t i = 0; i < MEMBERS; i++) {      /* one is cut short, too long, or stands twice */
        array broken[MEMBERS + 1];
        memcpy(broken, sparse, sizeof sparse);
        broken[MEMBERS] = sparse[i];
        check_arrays(broken, MEMBERS + 1);
        broken[i].numbers.len--;
        check_arrays(broken, MEMBERS);
        broken[i].numbers.len += 2;             /* and the NUL of the literal */
        check_arrays(broken, MEMBERS);
    }
}

int main(void)
{
    test_init();
    svmlight();
    csv();
    words();
    long_lines();
    arrays();
    return 0;
}
