/* SPDX-License-Identifier: BSD-3-Clause
 * oom.c - every public function survives every failing allocation.
 *
 * A scenario prepares its arguments, calls one public function between begin() and end(), and
 * releases everything.  It is run once to learn its result, then with the n-th allocation failing,
 * n = 1, 2, .. until the call no longer reaches the n-th; then the same with all from the n-th on,
 * and with the n-th thread not starting.  Each time: the call gives FX_ENOMEM with a detail and
 * untouched outputs, or the result of the undisturbed run (fewer threads are no failure), and
 * nothing is left allocated.  Under AddressSanitizer this is also a test of every error path.
 *
 * One line of the table below a function and kind; complete.py checks that none is missing. */

#include "featcross.h"
#include "wrap.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a scenario uses ----------------------------------------------------------------- */
static wrap_what failing;
static long failing_at;
static bool reached;                    /* did the call meet the failure? */
static uint64_t result;                 /* hash of what the call gave out */
static const char *problem;
static const fx_run two = {.threads = 2};

static void begin(void) { wrap_fail(failing, failing_at); }

static fx_status end(fx_status s)
{
    reached = wrap_failed();
    wrap_fail(WRAP_NOTHING, 0);
    if (s == FX_ENOMEM && !strstr(fx_error_detail(), "out of memory"))
        problem = "the detail does not say that memory ran out";
    return s;
}

static void expect(bool holds, const char *what)
{
    if (!holds && !problem)
        problem = what;
}

/* Preparation runs undisturbed, so it must not fail. */
static void prepared(fx_status s, const char *what)
{
    if (s < 0) {
        fprintf(stderr, "cannot prepare %s: %s\n", what, fx_error_detail());
        exit(1);
    }
}

static void hash(const void *p, size_t n)
{
    const unsigned char *bytes = p;

    for (size_t i = 0; i < n; i++)
        result = (result ^ bytes[i]) * 0x100000001b3u;
}

static void hash_text(const char *s) { hash(s, strlen(s) + 1); }

static void hash_table(const fx_table *t)
{
    hash(&t->rows, sizeof t->rows);
    hash(&t->cols, sizeof t->cols);
    hash(&t->classes, sizeof t->classes);
    if (t->label)
        hash(t->label, t->rows * sizeof *t->label);
    if (t->qid)
        hash(t->qid, t->rows * sizeof *t->qid);
    if (t->weight)
        hash(t->weight, t->rows * sizeof *t->weight);
    for (size_t i = 0; i < t->classes; i++)
        hash_text(t->class_name[i]);
    for (size_t j = 0; t->name && j < t->cols; j++)
        hash_text(t->name[j]);
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        size_t size = X->type == FX_F32 ? sizeof(float) : sizeof(double);
        if (X->ptr) {
            size_t first = (size_t)X->ptr[0], n = (size_t)X->ptr[X->rows] - first;
            hash(X->ptr, (X->rows + 1) * sizeof *X->ptr);
            hash((const char *)X->val + first * size, n * size);
            size = X->wide ? sizeof(int64_t) : sizeof(int32_t);
            hash((const char *)X->col + first * size, n * size);
        } else {
            for (size_t i = 0; i < X->rows; i++)
                hash((const char *)X->val + i * X->stride * size, X->cols * size);
        }
    }
}

/* An output that a failing call must leave as it was. */
#define MARK ((void *)(uintptr_t)0x5a5a5a5a)

static fx_status got_data(fx_data *d, fx_status s)
{
    if (s < 0)
        expect(d == MARK, "an output changed although the call failed");
    else {
        fx_table t = fx_data_table(d);
        hash_table(&t);
        hash_text(fx_data_planted(d));
        fx_data_free(d);
    }
    return s;
}

/* Text labels, integers and fractions, qid, comments. */
static const char *svmlight(size_t rows)
{
    static char text[1 << 20];
    static size_t written;

    if (rows != written)
        for (size_t i = 0, n = 0; i < rows; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s qid:%zu %zu:1 %zu:%g # row\n",
                                  i % 3 ? "yes" : "no", i / 10, i % 7 + 1, i % 11 + 10,
                                  (double)(i % 1000) / 7);
    written = rows;
    return text;
}

enum { FEW = 300, MANY = 20000 };       /* rows of text: one piece; several, for several threads */

static const char csv[] = "a,b,label\n1,2.5,x\n3,4,y\n,0.1,x\n";
static const char people[] = "age,city,w,y\n31,Paris,1,2\n42,Rome,0.5,3\n0.1,Paris,2,4\n"
                             "7,Oslo,1,5\n";
static const char lines[] = "pos the cat sat on the mat\nneg the dog\npos a cat the cat sat\n";

/* What a spec can read. */
static const char *text_of(const char *spec)
{
    return !strncmp(spec, "text", 4)                  ? lines
           : strstr(spec, "cat=") || strstr(spec, "age") ? people
           : !strncmp(spec, "csv", 3)                 ? csv
                                                      : svmlight(FEW);
}

static fx_data *parsed(const char *spec, const char *text)
{
    fx_data *d;

    prepared(fx_data_parse(&d, spec, "text", text, strlen(text), NULL), spec);
    return d;
}

static fx_data *made(const char *spec)
{
    fx_data *d;

    prepared(fx_data_make(&d, spec, 1, NULL), spec);
    return d;
}

/* A file in memory, in members as npz has them; others have one without a name. */
typedef struct memory {
    char bytes[1 << 18];
    size_t len, members, start[8];
    char name[8][32];
} memory;
static memory file;

static int to_memory(void *ctx, const void *bytes, size_t len)
{
    memory *m = ctx;

    if (len > sizeof m->bytes - m->len)
        return 1;
    memcpy(m->bytes + m->len, bytes, len);
    m->len += len;
    return 0;
}

static int new_member(void *ctx, const char *name, uint64_t size)
{
    memory *m = ctx;

    (void)size;
    if (m->members == 8)
        return 1;
    m->start[m->members] = m->len;
    snprintf(m->name[m->members++], sizeof m->name[0], "%s", name);
    return 0;
}

static fx_status write_file(const char *spec, const fx_table *t, const fx_run *run)
{
    const fx_sink sink = {to_memory, new_member, &file};

    file.len = file.members = 0;
    return fx_data_write(&sink, spec, t, run);
}

/* ---- The scenarios ------------------------------------------------------------------------ */
static fx_status parse(const char *spec)
{
    const char *text = strcmp(spec, "svmlight") ? text_of(spec) : svmlight(MANY);
    fx_data *d = MARK;

    begin();
    fx_status s = end(fx_data_parse(&d, spec, "text", text, strlen(text), &two));
    return got_data(d, s);
}

static fx_status parse_npy(const char *spec)
{
    fx_data *source = made("dense-positive:n=50,d=6"), *d = MARK;
    fx_table t = fx_data_table(source);

    prepared(write_file(spec, &t, NULL), spec);
    begin();
    fx_status s = end(fx_data_parse(&d, spec, "x.npy", file.bytes, file.len, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status reader_new(const char *spec)
{
    fx_reader *r = MARK;

    begin();
    fx_status s = end(fx_data_reader_new(&r, spec, "x"));
    if (s < 0)
        expect((void *)r == MARK, "the reader changed although the call failed");
    else
        fx_data_reader_free(r);
    return s;
}

static fx_status reader_feed(const char *spec)
{
    const char *text = text_of(spec);
    fx_reader *r;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    begin();
    fx_status s = end(fx_data_reader_feed(r, text, strlen(text), &two));
    if (s >= 0) {
        fx_reading count = fx_data_reader_count(r);
        hash(&count.rows, sizeof count.rows);
        hash(&count.entries, sizeof count.entries);
    }
    fx_data_reader_free(r);
    return s;
}

/* Names, and reading by them. */
static fx_status reader_names(const char *spec)
{
    static const char *const name[] = {"age", "city=Paris", "city=Bonn", "the cat", "cat"};
    const bool numbers = !strcmp(spec, "csv:num=age");
    const char *text = text_of(spec);
    fx_reader *r;
    fx_data *d = MARK;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    begin();
    fx_status s = fx_data_reader_names(r, *spec == 't' ? name + 3 : name,
                                       numbers ? 1 : *spec == 't' ? 2 : 3);
    if (!s)
        s = fx_data_reader_feed(r, text, strlen(text), &two);
    if (!s)
        s = fx_data_reader_take(&d, r, 1, &two);
    end(s);
    fx_data_reader_free(r);
    return got_data(d, s);
}

static fx_status reader_take(const char *spec)
{
    const char *text = text_of(spec);
    fx_reader *r;
    fx_data *d = MARK;

    prepared(fx_data_reader_new(&r, spec, "x"), spec);
    prepared(fx_data_reader_feed(r, text, strlen(text), NULL), spec);
    begin();
    fx_status s = end(fx_data_reader_take(&d, r, 1, &two));
    fx_data_reader_free(r);
    return got_data(d, s);
}

/* All members fed, the take, or one member's announcement is what may fail. */
static fx_status npz(bool members_only)
{
    fx_data *source = made("pairs:n=40,d=30,nz=5,k=2"), *d = MARK;
    fx_table t = fx_data_table(source);
    fx_reader *r;
    fx_status s = FX_OK;

    prepared(write_file("npz", &t, NULL), "npz");
    fx_data_free(source);
    prepared(fx_data_reader_new(&r, "npz", "x.npz"), "npz");
    begin();
    for (size_t m = 0; m < file.members && s >= 0; m++) {
        size_t stop = m + 1 < file.members ? file.start[m + 1] : file.len;
        s = fx_data_reader_member(r, file.name[m]);
        if (s >= 0)
            s = fx_data_reader_feed(r, file.bytes + file.start[m], stop - file.start[m], NULL);
        if (members_only)
            break;
    }
    if (s >= 0 && !members_only)
        s = fx_data_reader_take(&d, r, 1, &two);
    end(s);
    fx_data_reader_free(r);
    return members_only ? s : got_data(d, s);
}

static fx_status reader_member(const char *spec) { return npz(spec[0] == 'm'); }

static fx_status written(const char *spec)
{
    fx_data *d = strcmp(spec, "svmlight") ? made("pairs:n=40,d=30,nz=5,k=2")
                                          : parsed("svmlight", svmlight(FEW));
    fx_table t = fx_data_table(d);

    begin();
    fx_status s = end(write_file(spec, &t, &two));
    if (s >= 0)
        hash(file.bytes, file.len);
    fx_data_free(d);
    return s;
}

static fx_status select_rows(const char *spec)
{
    static const size_t rows[] = {3, 1, 39, 3, 0};
    fx_data *source = made(spec), *d = MARK;
    fx_table t = fx_data_table(source);

    begin();
    fx_status s = end(fx_data_select(&d, &t, rows, 5, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status select_all(const char *spec)
{
    fx_data *source = parsed(spec, svmlight(FEW)), *d = MARK;
    fx_table t = fx_data_table(source);

    begin();
    fx_status s = end(fx_data_select(&d, &t, NULL, 0, &two));
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status folds(const char *spec)
{
    static const double label[10] = {0, 1, 0, 1, 2, 2, 0, 1, 0, 0};
    int32_t fold[10], before[10];

    memset(before, 0x5a, sizeof before);
    memcpy(fold, before, sizeof fold);
    begin();
    fx_status s = end(fx_data_folds(fold, 10, 3, spec[0] == 'l' ? label : NULL, 7));
    if (s < 0)
        expect(!memcmp(fold, before, sizeof fold), "folds changed although the call failed");
    else
        hash(fold, sizeof fold);
    return s;
}

static fx_status got_scale(fx_scale *scale, fx_status s)
{
    size_t cols = 0;

    if (s < 0)
        expect((void *)scale == MARK, "the scale changed although the call failed");
    else {
        const double *factor = fx_data_scale_factors(scale, &cols);
        if (factor)
            hash(factor, cols * sizeof *factor);
        hash_text(fx_data_scale_spec(scale));
        fx_data_scale_free(scale);
    }
    return s;
}

static fx_status scale_fit(const char *spec)
{
    fx_data *source = made("pairs:n=40,d=30,nz=5,k=2");
    fx_table t = fx_data_table(source);
    fx_scale *scale = MARK;

    begin();
    fx_status s = end(fx_data_scale_fit(&scale, spec, &t, &two));
    fx_data_free(source);
    return got_scale(scale, s);
}

static fx_status scale_restore(const char *spec)
{
    static const double factor[3] = {1, 2, 3};
    fx_scale *scale = MARK;

    begin();
    fx_status s = end(fx_data_scale_restore(&scale, spec, factor, 3));
    return got_scale(scale, s);
}

static fx_status scale_apply(const char *spec)
{
    fx_data *source = made("pairs:n=40,d=30,nz=5,k=2"), *d = MARK;
    fx_table t = fx_data_table(source);
    fx_scale *scale;

    prepared(fx_data_scale_fit(&scale, spec, &t, NULL), spec);
    begin();
    fx_status s = end(fx_data_scale_apply(&d, scale, &t, &two));
    fx_data_scale_free(scale);
    fx_data_free(source);
    return got_data(d, s);
}

static fx_status movielens(const char *part)
{
#define NO_GENRES "|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0"
    fx_data *d = MARK;

    begin();
    fx_status s = end(fx_data_movielens(&d, part, 1, "1\t1\t5\n2\t2\t5\n1\t2\t3\n2\t3\t5\n",
                                        "1|24|M|smith|1\n2|33|F|baker|N\n",
                                        "1|A|01-Jan-1990||" NO_GENRES "\n2|B|||" NO_GENRES "\n"
                                        "3|C|01-Jan-1999||" NO_GENRES "\n", NULL));
    return got_data(d, s);
}

static fx_status make(const char *spec)
{
    fx_data *d = MARK;

    begin();
    fx_status s = end(fx_data_make(&d, spec, 5, &two));
    return got_data(d, s);
}

static const char *family_of(const char *spec)
{
    if (strstr(spec, "itemset"))
        return "0 1\n1 2 3\n{}\n# none\n5\n";
    if (strstr(spec, "groups"))
        return "user: 0 1 2\nitem: 3 4\n";
    return strstr(spec, "cross") ? "user item\nuser: 0 1 2\nitem: 3 4\n" : NULL;
}

static fx_kernel *kernel_of(const char *spec)
{
    fx_kernel *k;

    prepared(fx_kernel_parse(&k, spec, family_of(spec), 0), spec);
    return k;
}

static fx_status kernel_parse(const char *spec)
{
    fx_kernel *k = MARK;

    begin();
    fx_status s = end(fx_kernel_parse(&k, spec, family_of(spec), 0));
    if (s < 0)
        expect((void *)k == MARK, "the kernel changed although the call failed");
    else {
        hash_text(fx_kernel_spec(k));
        fx_kernel_free(k);
    }
    return s;
}

enum { ROWS = 300 };                     /* several blocks, so several threads */

static fx_status gram_of(const char *spec, const char *rows)
{
    static double K[ROWS * ROWS], before[ROWS * ROWS];
    fx_data *d = made(rows);
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);

    memset(before, 0x5a, sizeof before);
    memcpy(K, before, sizeof K);
    begin();
    fx_status s = end(fx_kernel_gram(K, ROWS, k, t.block, NULL, &two));
    if (s < 0)
        expect(!memcmp(K, before, sizeof K), "the Gram matrix changed although the call failed");
    else
        hash(K, sizeof K);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status gram_sparse(const char *spec)
{
    return gram_of(spec, "pairs:n=300,d=60,nz=20,k=4");
}
static fx_status gram_dense(const char *spec) { return gram_of(spec, "dense-positive:n=300,d=20"); }

/* A map of 40 features of rows of 20 columns. */
static fx_map *map_of(const char *spec, const fx_kernel *k)
{
    fx_map *m = NULL;

    prepared(fx_map_parse(&m, spec, k, 20, 40, 1, NULL, NULL), spec);
    return m;
}

/* spec: map, a blank, kernel; the first part to name. */
static fx_kernel *split(char name[96], const char *spec)
{
    const char *blank = strchr(spec, ' ');

    snprintf(name, 96, "%.*s", (int)(blank - spec), spec);
    return kernel_of(blank + 1);
}

static fx_status map_parse(const char *spec)
{
    char name[96];
    fx_kernel *k = split(name, spec);
    fx_data *d = made("dense-positive:n=30,d=20");
    fx_table t = fx_data_table(d);
    fx_map *m = MARK;

    begin();
    fx_status s = end(fx_map_parse(&m, name, k, 20, 40, 1, t.block, &two));
    if (s < 0)
        expect((void *)m == MARK, "the map changed although the call failed");
    else {
        hash_text(fx_map_spec(m));
        fx_map_free(m);
    }
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status through_map(const char *spec, bool score)
{
    static double out[ROWS * 2000], before[ROWS * 2000], W[2000];
    char name[96];
    fx_kernel *k = split(name, spec);
    fx_data *d = made("pairs:n=300,d=20,nz=8,k=4");
    fx_table t = fx_data_table(d);
    fx_map *m = map_of(name, k);

    memset(before, 0x5a, sizeof before);
    memcpy(out, before, sizeof out);
    begin();
    fx_status s = end(score ? fx_map_score(out, m, W, 1, t.block, &two)
                            : fx_map_apply(out, fx_map_features(m), FX_F64, m, t.block, &two));
    if (s < 0)
        expect(!memcmp(out, before, sizeof out), "features changed although the call failed");
    else
        hash(out, sizeof out);
    fx_map_free(m);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status map_apply(const char *spec) { return through_map(spec, false); }
static fx_status map_score(const char *spec) { return through_map(spec, true); }

/* spec: the kernel. */
static fx_status variance_of(const char *spec)
{
    enum { PAIRS = 40 };
    double V[PAIRS], before[PAIRS];
    size_t pair[2 * PAIRS];
    fx_data *d = made("dense-positive:n=300,d=20");
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);
    fx_map *m = map_of("rk:projection=hadamard", k);

    memset(before, 0x5a, sizeof before);
    memcpy(V, before, sizeof V);
    for (size_t q = 0; q < 2 * PAIRS; q++)
        pair[q] = q * 7 % ROWS;
    begin();
    fx_status s = end(fx_map_variance(V, m, t.block, pair, PAIRS, &two));
    if (s < 0)
        expect(!memcmp(V, before, sizeof V), "variances changed although the call failed");
    else
        hash(V, sizeof V);
    fx_map_free(m);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status bound_of(const char *spec)
{
    fx_kernel *k = kernel_of(spec);
    fx_map *m = map_of("rk:projection=packed", k);
    fx_bound b[FX_BOUND_MAX];
    size_t n = 0;

    begin();
    fx_status s = end(fx_map_bound(b, &n, m, 1, 0.1, 0.1, 0));
    hash(&n, sizeof n);
    hash(&b[0].features, sizeof b[0].features);
    fx_map_free(m);
    fx_kernel_free(k);
    return s;
}

static fx_status error_of(const char *spec)
{
    fx_data *d = made("pairs:n=300,d=20,nz=8,k=4");
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);
    fx_map *m = map_of("rk:projection=packed", k);
    fx_error e, before;

    memset(&before, 0x5a, sizeof before);
    memcpy(&e, &before, sizeof e);
    begin();
    fx_status s = end(fx_map_error(&e, m, t.block, 50, 1, &two));
    if (s < 0)
        expect(!memcmp(&e, &before, sizeof e), "the error changed although the call failed");
    else
        hash(&e, sizeof e);
    fx_map_free(m);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

static fx_status values(const char *spec)
{
    enum { VECTORS = 3, COLS = 20 };
    static double V[ROWS * VECTORS], G[ROWS * COLS * VECTORS], P[COLS * VECTORS];
    fx_data *d = made("dense-positive:n=300,d=20");
    fx_table t = fx_data_table(d);
    fx_kernel *k = kernel_of(spec);
    bool untouched = true;

    for (size_t i = 0; i < COLS * VECTORS; i++)
        P[i] = (double)(i % 5) - 2;
    memset(V, 0x5a, sizeof V);
    memset(G, 0x5a, sizeof G);
    begin();
    fx_status s = end(fx_kernel_values(V, G, k, P, VECTORS, t.block, &two));
    for (size_t i = 0; i < sizeof V; i++)
        untouched &= ((const char *)V)[i] == 0x5a;
    for (size_t i = 0; i < sizeof G; i++)
        untouched &= ((const char *)G)[i] == 0x5a;
    if (s < 0)
        expect(untouched, "values or gradients changed although the call failed");
    else
        hash(V, sizeof V), hash(G, sizeof G);
    fx_kernel_free(k);
    fx_data_free(d);
    return s;
}

/* ---- Models: spec is the model, perhaps a blank and a map -------------------------------- */

static fx_plan plan_of(char model[96], const char *spec)
{
    const char *map = strchr(spec, ' ');
    fx_plan p = {.model = model, .scale = "maxabs", .class_weight = "balanced", .seed = 1};

    snprintf(model, 96, "%.*s", (int)strcspn(spec, " "), spec);
    if (strstr(model, "ridge") || strstr(model, "svr") || strstr(model, "pca"))
        p.class_weight = NULL;
    if (strstr(model, "kernel-"))
        p.kernel = "anova:order=2";
    if (map) {
        p.map = map + 1;
        p.kernel = "anova:order=2";
        p.features = 16;
    }
    return p;
}

static const char model_rows[] = "no 1:1 3:2\nyes 2:1\nno 1:2 3:1\nyes 2:2 3:0.5\nno 1:3\nyes 2:3\n"
                                 "maybe 3:3\nmaybe 3:4 4:1\nno 1:1\nyes 2:2\nmaybe 3:2\nno 1:4\n";

/* Text labels, or numbers for models of targets. */
static fx_data *rows_for(const char *spec)
{
    int targets = strstr(spec, "ridge") || strstr(spec, "svr");

    return parsed("svmlight", targets ? "1 1:1\n2 1:2\n2.5 1:3\n" : model_rows);
}

static fx_status got_model(fx_model *m, fx_status s)
{
    if (s < 0)
        expect((void *)m == MARK, "the model changed although the call failed");
    else {
        fx_content c = fx_model_content(m);
        hash_text(c.spec);
        hash_text(c.map);
        hash(c.weights, c.features * c.outputs * sizeof *c.weights);
        hash(c.intercepts, c.outputs * sizeof *c.intercepts);
        if (c.sigmoid)
            hash(c.sigmoid, 2 * c.outputs * sizeof *c.sigmoid);
        for (size_t k = 0; k < c.classes; k++)
            hash_text(c.class_name[k]);
        fx_model_free(m);
    }
    return s;
}

static fx_model *model_of(const char *spec, const fx_table *t)
{
    char model[96];
    fx_plan plan = plan_of(model, spec);
    fx_model *m;

    prepared(fx_model_fit(&m, &plan, t, NULL), spec);
    return m;
}

static fx_status model_fit(const char *spec)
{
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    fx_model *m = MARK;

    plan.eval = strstr(spec, "pca") ? NULL : &t;
    begin();
    fx_status s = end(fx_model_fit(&m, &plan, &t, &two));
    fx_data_free(d);
    return got_model(m, s);
}

/* Seconds differ from call to call. */
static fx_status model_estimate(const char *spec)
{
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    fx_estimate e = {-1, 7};

    begin();
    fx_status s = end(fx_model_estimate(&e, &plan, &t, &two));
    fx_data_free(d);
    if (s < 0)
        expect(e.seconds == -1 && e.bytes == 7, "an output changed although the call failed");
    else
        hash(&e.bytes, sizeof e.bytes);
    return s;
}

static fx_status model_update(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *first = model_of(spec, &t), *m = MARK;

    begin();
    fx_status s = end(fx_model_update(&m, first, &t, &two));
    fx_model_free(first);
    fx_data_free(d);
    return got_model(m, s);
}

static fx_status model_predict(const char *spec)
{
    fx_data *d = rows_for(spec), *other = parsed("svmlight", "0 1:1 4:2 9:1\n0 2:1\n");
    fx_table t = fx_data_table(d), x = fx_data_table(other);
    fx_model *m = model_of(spec, &t);
    fx_output what = fx_model_width(m, FX_PROBA)   ? FX_PROBA
                     : fx_model_width(m, FX_LABEL) ? FX_LABEL
                                                   : FX_SCORE;
    double out[6] = {0};
    uint64_t unseen = 77;

    begin();
    fx_status s = end(fx_model_predict(out, &unseen, m, what, x.block, &two));
    if (s < 0)
        expect(unseen == 77 && out[0] == 0, "results changed although the call failed");
    else
        hash(out, sizeof out);
    fx_model_free(m);
    fx_data_free(other);
    fx_data_free(d);
    return s;
}

static fx_status got_metrics(const fx_metrics *m, size_t n, fx_status s)
{
    for (size_t i = 0; i < n; i++)
        if (s < 0)
            expect(m[i].rows == 77, "metrics changed although the call failed");
        else
            hash(&m[i], sizeof m[i]);
    return s;
}

static fx_status model_metrics(const char *spec)
{
    static const double y[] = {1, -1, 1}, score[] = {0.5, 0.1, -1};
    fx_metrics m = {.rows = 77};

    (void)spec;
    begin();
    fx_status s = end(fx_model_metrics(&m, y, score, NULL, 3, 0));
    return got_metrics(&m, 1, s);
}

static fx_status model_evaluate(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    fx_metrics got = {.rows = 77};

    begin();
    fx_status s = end(fx_model_evaluate(&got, NULL, m, &t, &two));
    fx_model_free(m);
    fx_data_free(d);
    return got_metrics(&got, 1, s);
}

static fx_status model_path(const char *spec)
{
    static const double C[] = {0.1, 1};
    static const int32_t fold[] = {0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0};
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    fx_metrics got[4] = {{.rows = 77}, {.rows = 77}, {.rows = 77}, {.rows = 77}};

    begin();
    fx_status s = end(fx_model_path(got, &plan, C, 2, &t, fold, 2, &two));
    fx_data_free(d);
    return got_metrics(got, 4, s);
}

static fx_status eigmin(const char *spec)
{
    enum { N = 20 };
    double A[N * N], out = 0x1.5a5ap0;

    (void)spec;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            A[i * N + j] = 1 / (double)(i + j + 1);
    begin();
    fx_status s = end(fx_linalg_eigmin(&out, A, N, N, &two));
    if (s < 0)
        expect(out == 0x1.5a5ap0, "the eigenvalue changed although the call failed");
    else
        hash(&out, sizeof out);
    return s;
}

/* From a table with names, or with a map. */
static fx_model *to_be_written(const char *spec)
{
    fx_data *d = strcmp(spec, "csv") ? made("pairs:n=40,d=9,nz=4,k=2")
                                     : parsed("csv:nan=drop", csv);
    fx_table t = fx_data_table(d);
    fx_plan plan = {.model = "svm", .features = 10};
    fx_model *m;

    if (!strcmp(spec, "rk"))
        plan.map = "rk", plan.kernel = "anova:order=2";
    else if (strstr(spec, "kernel-"))
        plan.model = spec, plan.kernel = "anova:order=2";
    else
        plan.scale = "std";
    prepared(fx_model_fit(&m, &plan, &t, NULL), spec);
    fx_data_free(d);
    return m;
}

static fx_status model_dump(const char *spec)
{
    fx_model *m = to_be_written(spec);
    const fx_sink sink = {to_memory, NULL, &file};

    file.len = 0;
    json_malloc_t was_malloc;           /* Jansson's allocations fail too; not in parsing, where */
    json_free_t was_free;               /* it takes some failures for errors in the text */
    json_get_alloc_funcs(&was_malloc, &was_free);
    json_set_alloc_funcs(malloc, free);
    begin();
    fx_status s = end(fx_model_dump(&sink, m));
    json_set_alloc_funcs(was_malloc, was_free);
    if (s >= 0)
        hash(file.bytes, file.len);
    fx_model_free(m);
    return s;
}

static fx_status model_parse(const char *spec)
{
    fx_model *m = to_be_written(spec), *back = MARK;
    const fx_sink sink = {to_memory, NULL, &file};

    file.len = 0;
    prepared(fx_model_dump(&sink, m), spec);
    fx_model_free(m);
    begin();
    fx_status s = end(fx_model_parse(&back, file.bytes, file.len, &two));
    if (s < 0)
        expect((void *)back == MARK, "the model changed although the call failed");
    else {
        fx_content c = fx_model_content(back);
        hash(c.weights, c.features * c.outputs * sizeof *c.weights);
        hash_text(c.class_name[1]);
        fx_model_free(back);
    }
    return s;
}

/* clang-format off */
static const struct { const char *function; fx_status (*run)(const char *spec); const char *spec; }
scenarios[] = {
    {"fx_data_parse", parse, "svmlight"},
    {"fx_data_parse", parse, "svmlight:base=1,sort=yes,duplicates=sum,nan=drop"},
    {"fx_data_parse", parse, "csv:nan=drop"},
    {"fx_data_parse", parse, "csv:cat=auto"},
    {"fx_data_parse", parse, "csv:cat=city,num=age,weight=w,hash-bits=2"},
    {"fx_data_parse", parse, "text:ngram=2"},
    {"fx_data_parse", parse_npy, "npy"},
    {"fx_data_reader_new", reader_new, "svmlight"},
    {"fx_data_reader_new", reader_new, "csv"},
    {"fx_data_reader_new", reader_new, "text:hash-bits=4"},
    {"fx_data_reader_new", reader_new, "npy"},
    {"fx_data_reader_new", reader_new, "npz"},
    {"fx_data_reader_feed", reader_feed, "svmlight"},
    {"fx_data_reader_feed", reader_feed, "csv:nan=drop"},
    {"fx_data_reader_feed", reader_feed, "csv:cat=auto,weight=w"},
    {"fx_data_reader_feed", reader_feed, "text:value=count,hash-bits=3"},
    {"fx_data_reader_names", reader_names, "csv:cat=city,num=age"},
    {"fx_data_reader_names", reader_names, "csv:num=age"},
    {"fx_data_reader_names", reader_names, "text:ngram=2"},
    {"fx_data_reader_take", reader_take, "svmlight"},
    {"fx_data_reader_take", reader_take, "csv:cat=auto,weight=w"},
    {"fx_data_reader_take", reader_take, "text:value=count,hash-bits=3"},
    {"fx_data_reader_take", reader_take, "csv:nan=drop"},
    {"fx_data_reader_member", reader_member, "member"},
    {"fx_data_reader_member", reader_member, "whole"},
    {"fx_data_write", written, "svmlight"},
    {"fx_data_write", written, "csv"},
    {"fx_data_write", written, "npy"},
    {"fx_data_write", written, "npz"},
    {"fx_data_write", written, "precomputed"},
    {"fx_data_select", select_rows, "pairs:n=40,d=30,nz=5,k=2"},
    {"fx_data_select", select_rows, "dense-positive:n=40,d=6"},
    {"fx_data_select", select_all, "svmlight"},
    {"fx_data_folds", folds, "labels"},
    {"fx_data_folds", folds, "none"},
    {"fx_data_scale_fit", scale_fit, "none"},
    {"fx_data_scale_fit", scale_fit, "maxabs"},
    {"fx_data_scale_fit", scale_fit, "std"},
    {"fx_data_scale_fit", scale_fit, "unit-l2"},
    {"fx_data_scale_restore", scale_restore, "maxabs"},
    {"fx_data_scale_apply", scale_apply, "maxabs"},
    {"fx_data_scale_apply", scale_apply, "unit-l1"},
    {"fx_data_make", make, "pairs:n=40,d=30,nz=5,k=2"},
    {"fx_data_make", make, "triples:n=40,d=30,nz=8,k=4"},
    {"fx_data_make", make, "parity:n=40,d=6,k=2"},
    {"fx_data_make", make, "fields:n=40,fields=3,levels=4"},
    {"fx_data_make", make, "dense-positive:n=40,d=6"},
    {"fx_data_movielens", movielens, "all"},
    {"fx_data_movielens", movielens, "test"},
    {"fx_kernel_parse", kernel_parse, "anova-upto:order=3,theta=1/2/3"},
    {"fx_kernel_parse", kernel_parse, "poly:degree=2(exp(rbf:gamma=0.5))"},
    {"fx_kernel_parse", kernel_parse, "itemset:file=F"},
    {"fx_kernel_parse", kernel_parse, "groups:file=F,order=2"},
    {"fx_kernel_parse", kernel_parse, "cross:file=F"},
    {"fx_kernel_gram", gram_sparse, "linear"},
    {"fx_kernel_gram", gram_dense, "linear"},
    {"fx_kernel_gram", gram_sparse, "anova:order=3"},
    {"fx_kernel_gram", gram_dense, "anova:order=3"},
    {"fx_kernel_gram", gram_sparse, "all-subsets"},
    {"fx_kernel_gram", gram_sparse, "rbf:gamma=0.5"},
    {"fx_kernel_gram", gram_sparse, "laplacian:gamma=0.5"},
    {"fx_kernel_gram", gram_dense, "cauchy:gamma=0.5"},
    {"fx_kernel_gram", gram_dense, "itemset:file=F"},
    {"fx_kernel_gram", gram_dense, "groups:file=F,order=2"},
    {"fx_kernel_gram", gram_dense, "cross:file=F"},
    {"fx_kernel_gram", gram_dense, "poly:degree=2(exp(rbf:gamma=0.5))"},
    {"fx_kernel_values", values, "linear"},
    {"fx_kernel_values", values, "anova:order=3"},
    {"fx_kernel_values", values, "anova-upto:order=3"},
    {"fx_kernel_values", values, "all-subsets"},
    {"fx_map_parse", map_parse, "rk:complex=auto anova:order=2"},
    {"fx_map_parse", map_parse, "rk:complex=yes,projection=packed all-subsets"},
    {"fx_map_parse", map_parse, "rk:dist=gaussian itemset:file=F"},
    {"fx_map_parse", map_parse, "rm:orders=allocated exp"},
    {"fx_map_parse", map_parse, "rm:h01=yes poly:degree=3(rbf)"},
    {"fx_map_parse", map_parse, "rff rbf"},
    {"fx_map_parse", map_parse, "jl linear"},
    {"fx_map_parse", map_parse, "sparse-jl anova:order=2"},
    {"fx_map_parse", map_parse, "explicit poly"},
    {"fx_map_apply", map_apply, "rk anova:order=3"},
    {"fx_map_apply", map_apply, "rk:projection=packed all-subsets"},
    {"fx_map_apply", map_apply, "rm poly:degree=3"},
    {"fx_map_apply", map_apply, "sparse-jl anova:order=2"},
    {"fx_map_apply", map_apply, "explicit anova:order=2"},
    {"fx_map_score", map_score, "rk anova:order=2"},
    {"fx_map_variance", variance_of, "anova:order=2"},
    {"fx_map_variance", variance_of, "all-subsets"},
    {"fx_map_variance", variance_of, "itemset:file=F"},
    {"fx_map_variance", variance_of, "groups:file=F,order=2"},
    {"fx_map_bound", bound_of, "anova:order=2"},
    {"fx_map_error", error_of, "anova:order=2"},
    {"fx_model_fit", model_fit, "svm"},
    {"fx_model_fit", model_fit, "svm:calibrate=yes rk"},
    {"fx_model_fit", model_fit, "logistic rk"},
    {"fx_model_fit", model_fit, "svm-l2:penalty=l1"},
    {"fx_model_fit", model_fit, "svr"},
    {"fx_model_fit", model_fit, "ridge"},
    {"fx_model_fit", model_fit, "perceptron rk"},
    {"fx_model_fit", model_fit, "pca:k=2 rk"},
    {"fx_model_fit", model_fit, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_fit", model_fit, "kernel-svm:collapse=yes"},
    {"fx_model_fit", model_fit, "kernel-svr:collapse=no"},
    {"fx_model_fit", model_fit, "kernel-ridge:collapse=no"},
    {"fx_model_fit", model_fit, "kernel-perceptron"},
    {"fx_model_fit", model_fit, "kernel-pca:k=2"},
    {"fx_model_estimate", model_estimate, "kernel-svm"},
    {"fx_model_estimate", model_estimate, "kernel-pca:k=2"},
    {"fx_model_update", model_update, "perceptron rk"},
    {"fx_model_update", model_update, "kernel-perceptron:budget=4"},
    {"fx_model_predict", model_predict, "logistic rk"},
    {"fx_model_predict", model_predict, "svm"},
    {"fx_model_predict", model_predict, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_predict", model_predict, "kernel-pca:k=2"},
    {"fx_model_metrics", model_metrics, ""},
    {"fx_model_evaluate", model_evaluate, "logistic"},
    {"fx_model_evaluate", model_evaluate, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_path", model_path, "logistic"},
    {"fx_model_path", model_path, "svm rk"},
    {"fx_model_path", model_path, "kernel-svm"},
    {"fx_model_dump", model_dump, "csv"},
    {"fx_model_dump", model_dump, "rk"},
    {"fx_model_dump", model_dump, "kernel-perceptron"},
    {"fx_model_parse", model_parse, "csv"},
    {"fx_model_parse", model_parse, "rk"},
    {"fx_model_parse", model_parse, "kernel-perceptron"},
    {"fx_linalg_eigmin", eigmin, ""},
};
/* clang-format on */

/* One run; false when the failure was not reached. */
static bool once(size_t i, wrap_what what, long n, uint64_t want)
{
    static const char *kinds[] = {"nothing", "allocation", "allocations from", "thread"};
    long live = wrap_live();

    failing = what;
    failing_at = n;
    result = 0xcbf29ce484222325u;
    problem = NULL;
    fx_status s = scenarios[i].run(scenarios[i].spec);
    if (s != FX_OK && s != FX_ENOMEM)
        problem = "neither FX_OK nor FX_ENOMEM";
    if (s == FX_ENOMEM && (!reached || what == WRAP_THREAD))
        problem = "FX_ENOMEM without a failing allocation";
    if (s == FX_OK && want && result != want)
        problem = "another result than the undisturbed run";
    if (wrap_live() != live)
        problem = "memory is left behind";
    if (problem) {
        fprintf(stderr, "%s %s, failing %s %ld: %s (status %s: %s)\n", scenarios[i].function,
                scenarios[i].spec, kinds[what], n, problem, fx_status_name(s), fx_error_detail());
        exit(1);
    }
    return reached;
}

int main(void)
{
    size_t count = sizeof scenarios / sizeof *scenarios;
    long failures[WRAP_THREAD + 1] = {0};

    for (size_t i = 0; i < count; i++) {
        once(i, WRAP_NOTHING, 0, 0);
        uint64_t want = result;
        for (wrap_what what = WRAP_ONE; what <= WRAP_THREAD; what++)
            for (long n = 1; once(i, what, n, want); n++)
                failures[what]++;
    }
    printf("%zu scenarios; survived: %ld failing allocations, %ld times none from the n-th on, "
           "%ld threads that did not start\n",
           count, failures[WRAP_ONE], failures[WRAP_ALL_FROM], failures[WRAP_THREAD]);
    return failures[WRAP_ONE] && failures[WRAP_ALL_FROM] && failures[WRAP_THREAD] ? 0 : 1;
}
