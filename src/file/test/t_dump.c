/* SPDX-License-Identifier: BSD-3-Clause
 * t_dump.c - what is written is read again: the same content, the same bytes; headers are JSON in
 * the form that Jansson writes, which is what the first files have; a refusing sink.
 * Covers: dump_header.c */

#include "model/test/built.h"
#include "kind/kind.h"

#include <jansson.h>

static fxi_online *online(const fx_model *m) { return m->own; }

static const char *const words[] = {"", "a \"quoted\"\n name", "gr\303\266\303\237e", "z"};
static const char *const raw[] = {"caf\xe9", "caf\xe9\xff", "\x80", "\xc3\xa9"};
static const char *const digits[] = {"-1.5", "0", "10", "1e300"};
static const double values[] = {-1.5, 0, 10, 1e300};

static bool same_numbers(const double *a, const double *b, size_t n)
{
    return !a == !b && (!a || !memcmp(a, b, n * sizeof *a));
}

static bool same_texts(const char *const *a, const char *const *b, size_t n)
{
    bool same = !a == !b;

    for (size_t i = 0; same && a && i < n; i++)
        same = !strcmp(a[i], b[i]);
    return same;
}

static void check_same(const fx_model *m, const fx_model *back)
{
    const fx_model_info *a = &m->c, *b = &back->c;

    CHECK(same_texts((const char *[]){a->spec, a->scale, a->map, a->kernel, a->family, a->reader,
                                      a->remark, a->side_reader[0], a->side_reader[1]},
                     (const char *[]){b->spec, b->scale, b->map, b->kernel, b->family, b->reader,
                                      b->remark, b->side_reader[0], b->side_reader[1]},
                     9));
    CHECK(a->split == b->split && a->seed == b->seed && a->cols == b->cols && a->random == b->random
          && a->features == b->features && a->outputs == b->outputs && a->classes == b->classes
          && a->base == b->base && a->rows == b->rows && a->iterations == b->iterations
          && a->converged == b->converged && a->version == b->version);
    CHECK(!memcmp(&a->objective, &b->objective, sizeof(double)));
    CHECK(a->gap == b->gap || (isnan(a->gap) && isnan(b->gap)));
    CHECK(same_texts(a->class_name, b->class_name, a->classes));
    CHECK(same_numbers(a->class_value, b->class_value, a->classes));
    CHECK(same_texts(a->name, b->name, a->cols));
    CHECK(same_numbers(a->weights, b->weights, a->features * a->outputs));
    CHECK(same_numbers(a->intercepts, b->intercepts, a->outputs));
    CHECK(same_numbers(a->sigmoid, b->sigmoid, 2 * a->outputs));
    CHECK(same_numbers(a->column_scale, b->column_scale, a->cols));
    CHECK(m->kind == back->kind && m->task == back->task);
    if (m->kind == &fxi_kind_perceptron) {
        CHECK(same_numbers(online(m)->sum, online(back)->sum, 2 * (a->features + 1) * a->outputs));
        CHECK(!memcmp(online(m)->count, online(back)->count, a->outputs * sizeof(uint64_t)));
    }
    CHECK(!a->seen == !b->seen && (!a->seen || !memcmp(a->seen, b->seen, a->cols)));
    CHECK(b->steps == 0 && !b->history && !back->kernel == !m->kernel && !back->map == !m->map);
}

/* Text of JSON is what Jansson makes of it, but for spaces behind. */
static json_t *canonical(const char *text, size_t len)
{
    json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    char *again = json_dumps(j, JSON_COMPACT);

    CHECK(again && !strncmp(text, again, strlen(again)));
    for (size_t i = strlen(again); i < len; i++)
        CHECK(text[i] == ' ');
    free(again);
    return j;
}

static void check_header(const file *f)
{
    static const char *const lists[] = {"names", "classes"};
    uint64_t len;

    memcpy(&len, f->bytes, 8);
    json_t *j = canonical((const char *)f->bytes + 8, len);
    for (size_t i = 0; i < 2; i++) {
        const json_t *s = json_object_get(json_object_get(j, "__metadata__"), lists[i]);
        if (s)
            json_decref(canonical(json_string_value(s), json_string_length(s)));
    }
    json_decref(j);
}

static void check_round(fx_model *m)
{
    fx_model *back = NULL;
    file f = dumped(m);

    check_header(&f);
    fx_status s = fx_model_parse(&back, f.bytes, f.len, NULL);

    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK);
    check_same(m, back);
    file again = dumped(back);
    CHECK(again.len == f.len && !memcmp(again.bytes, f.bytes, f.len));
    fx_model_free(back);
    fx_model_free(m);
    free(again.bytes);
    free(f.bytes);
}

static double *positive(fx_model *m, size_t n)
{
    double *x = owned(m, fxi_alloc(n, sizeof *x));

    for (size_t i = 0; i < n; i++)
        x[i] = 0.1 + test_unit();
    return x;
}

static unsigned char *all_but(fx_model *m, size_t j)
{
    unsigned char *seen = owned(m, fxi_alloc(m->c.cols, 1));

    memset(seen, 1, m->c.cols);
    seen[j] = 0;
    return seen;
}

static void check_rounds(void)
{
    fx_model *m = built((fx_model_info){.spec = "svr:C=1",
                                     .cols = 5,
                                     .objective = 1.0 / 3,
                                     .gap = NAN,
                                     .rows = 7,
                                     .seed = UINT64_MAX});
    check_round(m);

    m = built((fx_model_info){.spec = "logistic:C=0.1",
                           .scale = "std",
                           .cols = 4,
                           .classes = 4,
                           .class_name = words,
                           .name = words,
                           .base = 1,
                           .converged = 1,
                           .reader = "csv:label=first",
                           .remark = "nothing was learned",
                           .split = 2,
                           .side_reader = {"csv:cat=a", "csv"}});
    m->c.column_scale = positive(m, 4);
    m->c.seen = all_but(m, 3);
    m->c.sigmoid = numbers(m, 8);
    check_round(m);

    m = built((fx_model_info){.spec = "perceptron",
                           .scale = "unit-l2",
                           .cols = 9,
                           .classes = 4,
                           .class_name = digits,
                           .class_value = values,
                           .iterations = 1u << 31});
    online(m)->sum = numbers(m, 80);
    online(m)->count = owned(m, fxi_alloc(4, sizeof(uint64_t)));
    for (size_t i = 0; i < 4; i++)
        online(m)->count[i] = test_u64() >> 1;
    check_round(m);

    m = built((fx_model_info){.spec = "svm:C=1",
                           .cols = 4,
                           .classes = 4,
                           .class_name = raw,
                           .name = raw,
                           .reader = "csv:label=caf\xe9"});
    check_round(m);

    m = built((fx_model_info){.spec = "ridge:C=1", .cols = 4, .remark = "caf\xe9"});
    check_round(m);

    m = built((fx_model_info){.spec = "svr:C=1",
                           .map = "rk",
                           .kernel = "anova:order=2",
                           .cols = 30,
                           .random = 64,
                           .features = 64,
                           .seed = 12,
                           .objective = -0.0});
    m->c.seen = all_but(m, 0);
    check_round(m);

    m = built((fx_model_info){.spec = "ridge:C=1",
                           .map = "explicit",
                           .kernel = "all-subsets",
                           .cols = 4,
                           .random = 0,
                           .features = 16});
    check_round(m);

    m = built((fx_model_info){.spec = "svr:C=1",
                           .map = "rk",
                           .kernel = "itemset:file=a.txt",
                           .family = "1 2\n2 3\n",
                           .base = 1,
                           .cols = 3,
                           .random = 10,
                           .features = 10});
    check_round(m);

    /* Every byte in names, as UTF-8 and as bytes. */
    char every[2][256], *name[2] = {every[0], every[1]};
    for (int k = 0; k < 2; k++)
        for (int c = 1; c < 257; c++)
            every[k][c - 1] = (char)(c < (k ? 256 : 128) ? c : 0);
    for (size_t k = 1; k < 3; k++) {
        m = built((fx_model_info){.spec = "svr:C=1",
                               .cols = k,
                               .reader = every[k - 1],
                               .name = (const char *const *)name});
        check_round(m);
    }

    m = built((fx_model_info){.spec = "svr:C=1", .cols = 0}); /* rows without features */
    check_round(m);
}

/* A list of all columns as seen says no more than none. */
static void check_all_seen(void)
{
    fx_model *m = built((fx_model_info){.spec = "ridge:C=1", .cols = 11}), *back = NULL;
    file without = dumped(m);
    unsigned char *seen = all_but(m, 0);

    seen[0] = 1;
    m->c.seen = seen;
    file with = dumped(m);
    CHECK(with.len == without.len && !memcmp(with.bytes, without.bytes, with.len));
    CHECK(fx_model_parse(&back, with.bytes, with.len, NULL) == FX_OK && !back->c.seen);
    fx_model_free(back);
    fx_model_free(m);
    free(with.bytes);
    free(without.bytes);
}

typedef struct sink_limit {
    size_t calls, max_calls;
} sink_limit;

static int reject(void *ctx, const void *bytes, size_t len)
{
    sink_limit *r = ctx;

    (void)bytes, (void)len;
    return ++r->calls > r->max_calls;
}

static void check_full_sink(void)
{
    fx_model *m = built((fx_model_info){.spec = "svr:C=1", .cols = 5});
    fx_status s = FX_EOUTPUT;
    size_t max_calls = 0;

    for (; s; max_calls++) {
        sink_limit r = {.max_calls = max_calls};
        s = fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = reject, .ctx = &r}, m);
        CHECK(!s || (s == FX_EOUTPUT && r.calls == max_calls + 1));
    }
    CHECK(max_calls == 5);              /* header, weights, intercepts, CRC */
    CHECK(fx_model_dump(NULL, m) == FX_EINVAL);
    CHECK(fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = reject}, NULL) == FX_EINVAL);
    fx_model_free(m);
}

/* What could not be read again is not written.  A gigabyte is counted: not under sanitizers. */
static void check_large(void)
{
    enum { N = 64, LONG = 17 << 20 };
    const char *name[N];
    char *text = malloc(LONG + 1);
    sink_limit r = {0};

    CHECK(text);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    for (size_t i = 0; i < N; i++)
        name[i] = text;
    fx_model *m = built((fx_model_info){.spec = "svr:C=1", .cols = N, .name = name});
    CHECK(fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = reject, .ctx = &r}, m)
              == FX_EUNSUPPORTED
          && !r.calls);
    CHECK(strstr(fx_error_detail(), "bytes, the limit is 1073741824; give its columns shorter"));
    fx_model_free(m);
    free(text);
}

int main(void)
{
    test_init();
    check_rounds();
    check_all_seen();
    check_full_sink();
    if (!getenv("FX_TEST_SLOW"))
        check_large();
    return 0;
}
