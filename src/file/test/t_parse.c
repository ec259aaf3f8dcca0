/* SPDX-License-Identifier: BSD-3-Clause
 * t_parse.c - files that are cut, damaged, newer, something else, or wrong under a good CRC.
 * Covers: array.c, header.c */

#include "hostile.h"
#include "kind/kind.h"

static const char *const words[] = {"a", "b", "c"};
static const char *const signs[] = {"-1", "1"};
static const double sign_values[] = {-1, 1};

static fx_model *plain(void)
{
    fx_model *m = built((fx_model_info){.spec = "svm:C=1",
                                     .scale = "maxabs",
                                     .cols = 3,
                                     .classes = 2,
                                     .class_name = signs,
                                     .class_value = sign_values,
                                     .name = words});
    double *factor = owned(m, fxi_alloc(3, sizeof *factor));
    unsigned char *seen = owned(m, fxi_alloc(3, 1));

    for (int j = 0; j < 3; j++)
        factor[j] = j + 0.5, seen[j] = j != 1;
    m->c.column_scale = factor;
    m->c.seen = seen;
    m->c.sigmoid = numbers(m, 2);
    return m;
}

static fx_model *mapped(void)
{
    return built((fx_model_info){.spec = "logistic",
                              .cols = 6,
                              .classes = 3,
                              .class_name = words,
                              .map = "rk:projection=packed",
                              .kernel = "anova:order=2",
                              .random = 8,
                              .features = 8,
                              .seed = 5});
}

static fx_model *perceptron(void)
{
    fx_model *m = built(
        (fx_model_info){.spec = "perceptron", .cols = 2, .classes = 2, .class_name = words});

    fxi_online *own = m->own;
    own->sum = numbers(m, 6);
    own->count = owned(m, fxi_zalloc(1, sizeof *own->count));
    return m;
}

static void check_damage(fx_model *m)
{
    file f = dumped(m);
    size_t len = f.len;

    for (f.len = 0; f.len < len; f.len++)
        rejected(&f, FX_EFORMAT,
                 f.len < 8 ? "not a featcross model" : "the file is truncated or damaged");
    f.len = len;
    for (size_t i = 0; i < len; i++) {
        unsigned char was = f.bytes[i], bit = (unsigned char)(1u << test_below(8));
        for (int k = 0; k < 2; k++) {
            f.bytes[i] = was ^ (k ? 0xff : bit);
            rejected(&f, FX_EFORMAT,
                     i >= 8 && i < 8 + strlen("{\"__metadata__\":{\"format\"")
                         ? "not a featcross model"
                         : "");
        }
        f.bytes[i] = was;
    }
    to_file(&f, "1234", 4);
    rejected(&f, FX_EFORMAT, "truncated or damaged");
    fix_crc(&f);
    rejected(&f, FX_EFORMAT, "arrays that no model of this format has");
    fx_model_free(m);
    free(f.bytes);
}

static void check_hostile(void)
{
    static const change for_plain[] = {
        {"featcross", "fastcross", "not a featcross model"},
        {"\"format_version\":\"1\"", "\"format_version\":\"5\"",
         "written by a newer version (format 5; this library reads 4)"},
        {"\"format_version\":\"1\"", "\"format_version\":\"0\"", "format 0"},
        {"\"format_version\":\"1\"", "\"format_version\":\"99999999999999999999\"", "no number"},
        {"\"format_version\":\"1\"", "\"format_version\":1", "is no string"},
        {"\"seed\":\"0\"", "\"seed\":\"-1\"", "`seed` is no number"},
        {"\"seed\":\"0\"", "\"seed\":\"00\"", "`seed` is no number"},
        {"\"seed\":\"0\"", "\"seed\":\"\"", "`seed` is no number"},
        {"\"seed\":\"0\"", "\"seed\":\"18446744073709551616\"", "`seed` is no number"},
        {"\"seed\":\"0\",", "", "`seed` is missing"},
        {"\"seed\":\"0\"", "\"seed\":\"0\",\"seed\":\"0\"", "duplicate key `seed`"},
        {"\"seed\":\"0\"", "\"seed\":\"0\\u0000\"", "no JSON"},
        {"\"seed\":\"0\"", "\"seed\":\"0\xff\"", "no JSON"},
        {"\"seed\":\"0\"", "\"seed\":\"\\ud800\"", "no JSON"},
        {"\"base\":\"0\"", "\"base\":\"2\"", "`base` is no number up to 1"},
        {"\"gap\":\"0\"", "\"gap\":\"0x\"", "`gap` is no number"},
        {"\"converged\":\"no\"", "\"converged\":\"maybe\"", "neither no nor yes"},
        {"\"cols\":\"3\"", "\"cols\":\"1099511627776\"", "`cols` is no number up to"},
        {"\"cols\":\"3\"", "\"cols\":\"4\"", "3 names for 4 columns"},
        {"[\\\"a\\\",", "[", "2 names for 3 columns"},
        {"[\\\"a\\\",", "[1,", "`names` is no list of strings"},
        {"[\\\"a\\\",", "[{},", "`names` is no list of strings"},
        {"[\\\"a\\\",\\\"b\\\",\\\"c\\\"]", "{}", "`names` is no list of strings"},
        {"[\\\"a\\\",", "[\\\"a\\\",,",
         "`names` of the model is no JSON: expected a value at byte 5 of 14"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[\\\"1\\\",\\\"-1\\\"]", "class 1 is out of order"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[\\\"1\\\",\\\"1\\\"]", "class 1 is out of order"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[\\\"-1\\\",\\\"1.0\\\"]", "shortest form"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[\\\"-1\\\",\\\"inf\\\"]", "class 1"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[\\\"1\\\"]", "classes: there are 1"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[]", "classes: there are 0"},
        {"[\\\"-1\\\",\\\"1\\\"]", "[\\\"1\\\",\\\"2\\\",\\\"3\\\"]", "1 outputs, 3 classes"},
        {"\"class_type\":\"number\"", "\"class_type\":\"none\"", "neither text nor number"},
        {"\"text\":\"utf-8\"", "\"text\":\"ebcdic\"", "neither utf-8 nor bytes"},
        {"\"model\":\"svm:C=1\"", "\"model\":\"svm:C=0\"", "must be positive"},
        {"\"model\":\"svm:C=1\"", "\"model\":\"oracle\"", "oracle"},
        {"\"model\":\"svm:C=1\"", "\"model\":\"svr\"", "svr with 2 classes"},
        {"\"model\":\"svm:C=1\"", "\"model\":\"perceptron\"", "`sums` is missing"},
        {"\"scale\":\"maxabs\"", "\"scale\":\"\"", "with factors"},
        {"\"scale\":\"maxabs\"", "\"scale\":\"unit-l2\"", "no factors"},
        {"\"scale\":\"maxabs\"", "\"scale\":\"metric\"", "metric"},
        {"\"shape\":[3,1]", "\"shape\":[3]", "`weights` has no shape"},
        {"\"shape\":[3,1]", "\"shape\":[3,1.0]", "`weights` has no shape"},
        {"\"shape\":[3,1]", "\"shape\":[-3,1]", "`weights` has no shape"},
        {"\"shape\":[3,1]", "\"shape\":[4611686018427387904,1]", "4611686018427387904 weights"},
        {"\"shape\":[3,1]", "\"shape\":[3,4611686018427387904]", "outputs, 2 classes"},
        {"\"shape\":[1,2]", "\"shape\":[2,1]", "`sigmoid` has another shape"},
        {"\"dtype\":\"F64\"", "\"dtype\":\"F32\"", "`weights` is no array of F64"},
        {"\"dtype\":\"F64\"", "\"dtype\":64", "`weights` is no array of F64"},
        {"\"data_offsets\":[0,24]", "\"data_offsets\":[8,32]", "`weights` does not lie"},
        {"\"data_offsets\":[0,24]", "\"data_offsets\":[0,32]", "`weights` does not lie"},
        {"\"data_offsets\":[0,24]", "\"data_offsets\":[0,-1]", "`weights` does not lie"},
        {"\"data_offsets\":[0,24]", "\"data_offsets\":[0,99999999999999999999]", "no JSON"},
        {"\"intercepts\"", "\"interception\"", "`intercepts` is missing"},
        {"\"crc\"", "\"CRC\"", "`crc` is missing"},
        {"\"crc\"", "\"more\":{},\"crc\"", "arrays that no model"},
        {"\"crc\":", "\"crc\":[],\"x\":", "`crc` is no array"},
        {NULL, NULL, NULL}};
    static const change for_mapped[] = {
        {"\"map\":\"rk:", "\"map\":\"xx:", "xx"},
        {"\"map\":\"rk:projection=packed\"", "\"map\":\"\"", "8 weights, 6 columns"},
        {"\"kernel\":\"anova:order=2\"", "\"kernel\":\"\"", "model: "},
        {"\"kernel\":\"anova:order=2\"", "\"kernel\":\"rbf:gamma=1\"", "serves"},
        {"\"random\":\"8\"", "\"random\":\"2147483647\"", "2147483647 random features"},
        {"\"random\":\"8\"", "\"random\":\"1099511627776\"", "`random` is no number up to"},
        {"\"random\":\"8\"", "\"random\":\"7\"", "makes 7 features"},
        {"\"random\":\"8\"", "\"random\":\"0\"", "0 features"},
        {"\"cols\":\"6\"", "\"cols\":\"60\"", "`seen` has another shape"},
        {"\"cols\":\"6\"", "\"cols\":\"5\"", "number 5 of `seen` is 1"},
        {"\"seen\"", "\"scene\"", "`seen` is missing"},
        {"[\\\"a\\\",\\\"b\\\",\\\"c\\\"]", "[\\\"a\\\",\\\"c\\\",\\\"b\\\"]",
         "class 2 is out of order"},
        {"\"text\":\"utf-8\",\"model\":\"logistic\"", "\"text\":\"bytes\",\"model\":\"\xc4\x80\"",
         "`model` holds a character that is no byte"},
        {"rk:projection=packed\",\"kernel\":\"anova:order=2",
         "explicit\",\"kernel\":\"all-subsets", "explicit makes 64 features"},
        {NULL, NULL, NULL}};
    static const change for_perceptron[] = {
        {"\"sums\"", "\"some\"", "`sums` is missing"},
        {"\"model\":\"perceptron\"", "\"model\":\"svm\"", "`crc` does not lie where it should"},
        {NULL, NULL, NULL}};

    check_changes(plain(), for_plain);
    check_changes(mapped(), for_mapped);
    check_changes(perceptron(), for_perceptron);
}

/* Numbers of the arrays, under a good CRC. */
static void check_numbers(void)
{
    fx_model *m = plain();
    file f = dumped(m);
    uint64_t header;
    unsigned char *data;
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    static const struct { size_t at; const char *why; } where[] = {
        {0, "number 0 of `weights`"}, {24, "`intercepts`"}, {40, "number 1 of `sigmoid`"},
        {64, "number 2 of `factors`"}};

    memcpy(&header, f.bytes, 8);
    data = f.bytes + 8 + header;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            double was;
            memcpy(&was, data + where[i].at, 8);
            memcpy(data + where[i].at, &wrong[k], 8);
            fix_crc(&f);
            rejected(&f, FX_EFORMAT, where[i].why);
            memcpy(data + where[i].at, &was, 8);
        }
    memcpy(data + 64, &(double){-1}, 8);
    fix_crc(&f);
    rejected(&f, FX_EFORMAT, "positive");
    memcpy(data + 64, &(double){1}, 8);
    data[72] = 2;
    fix_crc(&f);
    rejected(&f, FX_EFORMAT, "number 0 of `seen` is 2");
    fx_model_free(m);
    free(f.bytes);

    m = perceptron();
    ((fxi_online *)m->own)->count[0] = (uint64_t)1 << 63;
    f = dumped(m);
    rejected(&f, FX_EFORMAT, "negative");
    fx_model_free(m);
    free(f.bytes);
}

static void check_others(void)
{
    static const char other[] =
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  ";
    file f = {0};
    fx_model *m = plain(), *back = NULL;

    to_file(&f, &(uint64_t){sizeof other - 1}, 8);
    to_file(&f, other, sizeof other - 1);
    to_file(&f, "\0\0\0\0", 4);
    rejected(&f, FX_EFORMAT, "not a featcross model");
    fix_crc(&f);
    rejected(&f, FX_EFORMAT, "not a featcross model");
    f.len = 0;
    to_file(&f, "1 1:0.5 2:1\n-1 1:1\n", 19);
    rejected(&f, FX_EFORMAT, "not a featcross model");
    free(f.bytes);

    f = dumped(m);
    fx_run small = {RUN, .max_memory = f.len - 1};
    CHECK(fx_model_parse(&back, f.bytes, f.len, &small) == FX_ELIMIT && !back);
    CHECK(fx_model_parse(NULL, f.bytes, f.len, NULL) == FX_EINVAL);
    CHECK(fx_model_parse(&back, NULL, 0, NULL) == FX_EINVAL);
    free(f.bytes);
    fx_model_free(m);

    m = built((fx_model_info){.spec = "ridge",
                           .cols = 300,
                           .map = "rk:projection=packed",
                           .kernel = "anova:order=2",
                           .random = 4000,
                           .features = 4000});
    f = dumped(m);
    small.max_memory = 60000;           /* enough for weights, not for 4000 x 300 signs */
    CHECK(fx_model_parse(&back, f.bytes, f.len, &small) == FX_ELIMIT && !back);
    CHECK(strstr(fx_error_detail(), "packed projection"));
    free(f.bytes);
    fx_model_free(m);
}

/* Headers that are valid, but need more memory than may be had. */
static void check_large(void)
{
    enum { N = 1 << 20 };
    char *key = malloc(2 * N + 100), *at = key;
    fx_model *m = plain(), *back = NULL;
    file f = dumped(m);

    CHECK(key);
    at += sprintf(at, "\"seed\":\"0\",\"x\":[0");
    for (size_t i = 0; i < N; i++)
        *at++ = ',', *at++ = '0';
    strcpy(at, "]");
    file g = edited(&f, "\"seed\":\"0\"", key);
    CHECK(fx_model_parse(&back, g.bytes, g.len, &(fx_run){RUN, .max_memory = 8 * N}) == FX_ELIMIT);
    CHECK(strstr(fx_error_detail(), "the header of the model needs 16") && !back);
    CHECK(fx_model_parse(&back, g.bytes, g.len, NULL) == FX_OK); /* other keys are ignored */
    fx_model_free(back);
    fx_model_free(m);
    free(key);
    free(f.bytes);
    free(g.bytes);
}

typedef struct visits { size_t calls, end; } visits;

static int stop_at(void *ctx, double done)
{
    visits *v = ctx;

    (void)done;
    return ++v->calls == v->end;
}

/* The sum of all bytes, the header and each array can be stopped. */
static void check_cancelled(void)
{
    fx_model *m = plain(), *back = NULL;
    file f = dumped(m);
    visits all = {0}, v = {0};

    CHECK(fx_model_parse(&back, f.bytes, f.len, &(fx_run){RUN, .progress = stop_at, .ctx = &all})
          == FX_OK);
    fx_model_free(back);
    CHECK(all.calls >= 6);              /* bytes, weights, bias, factors, .. */
    for (size_t end = 1; end <= all.calls; end++) {
        v = (visits){.end = end};
        back = NULL;
        CHECK(fx_model_parse(&back, f.bytes, f.len, &(fx_run){RUN, .progress = stop_at, .ctx = &v})
              == FX_ECANCELLED);
        CHECK(!back && v.calls == end);
    }
    fx_model_free(m);
    free(f.bytes);
}

int main(void)
{
    test_init();
    check_cancelled();
    check_damage(plain());
    check_damage(mapped());
    check_damage(perceptron());
    check_hostile();
    check_numbers();
    check_others();
    check_large();
    return 0;
}
