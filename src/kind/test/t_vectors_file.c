/* SPDX-License-Identifier: BSD-3-Clause
 * t_vectors_file.c - files of kernel machines and components that are wrong under a good CRC. */
#include "model/test/fixture.h"
#include "file/test/hostile.h"

static fx_model *machine(const char *model, const char *kernel, const char *text)
{
    fx_data *d = parsed(text);
    fx_table t = fx_data_table(d);
    fx_model *m = fitted(&(fx_plan){PLAN, .model = model, .kernel = kernel}, &t, NULL);

    fx_data_free(d);
    return m;
}

static const char rows[] = "1 1:1 3:2\n-1 2:1\n1 1:2\n-1 2:2 3:0.5\n";
static const char classes[] = "1 1:1 3:2\n2 2:1\n3 1:2\n1 2:2 3:0.5\n2 1:-1\n3 3:-2\n";

static void check_headers(void)
{
    static const change for_svm[] = {
        {"\"kernel\":\"rbf:gamma=1\"", "\"kernel\":\"\"", "without a kernel"},
        {"\"kernel\":\"rbf:gamma=1\"", "\"kernel\":\"oracle\"", "oracle"},
        {"\"kernel\":\"rbf:gamma=1\"", "\"kernel\":\"precomputed:serial=no\"", "3 columns"},
        {"\"map\":\"\"", "\"map\":\"rk\"", "`seen` does not lie"},
        {"\"model\":\"kernel-svm:C=1,", "\"model\":\"svm:C=1,", "collapse"},
        {"\"support\":\"4\"", "\"support\":\"3\"", "4 vectors, support is 3"},
        {"\"support\":\"4\",", "", "`support` is missing"},
        {"\"vector_ptr\"", "\"vector_pit\"", "`vectors` are missing"},
        {"\"vector_ptr\":{\"dtype\":\"I64\",\"shape\":[5]",
         "\"vector_ptr\":{\"dtype\":\"I64\",\"shape\":[4]", "another shape"},
        {"\"vector_val\":{\"dtype\":\"F32\"", "\"vector_val\":{\"dtype\":\"F64\"",
         "does not lie"},
        {"\"vector_val\":{\"dtype\":\"F32\"", "\"vector_val\":{\"dtype\":\"U8\"",
         "no array of F64"},
        {"\"vector_val\":{\"dtype\":\"F32\",\"shape\":[6]",
         "\"vector_val\":{\"dtype\":\"F32\",\"shape\":[1099511627776]", "do not go together"},
        {"\"vector_col\"", "\"vector_pol\"", "`vector_col` is missing"},
        {"\"vector_col\":{\"dtype\":\"I32\"", "\"vector_col\":{\"dtype\":\"I64\"",
         "does not lie"},
        {"\"seen\"", "\"scene\"", "`seen` is missing"},
        {"\"shape\":[4,1]", "\"shape\":[1099511627776,1]", "does not lie"},
        {NULL, NULL, NULL}};
    static const change for_pairs[] = {
        {"[\\\"1\\\",\\\"2\\\",\\\"3\\\"]", "[\\\"1\\\",\\\"2\\\",\\\"3\\\",\\\"4\\\"]",
         "3 outputs, 4 classes"},
        {"[\\\"1\\\",\\\"2\\\",\\\"3\\\"]", "[\\\"1\\\",\\\"2\\\"]",
         "3 outputs, 2 classes"},
        {NULL, NULL, NULL}};
    static const change for_perceptron[] = {
        {"\"ages\"", "\"agas\"", "`ages` is missing"},
        {"\"model\":\"kernel-perceptron", "\"model\":\"perceptron", "budget"},
        {NULL, NULL, NULL}};
    static const change for_pca[] = {
        {"\"model\":\"pca:k=2\"", "\"model\":\"pca:k=3\"", "2 outputs"},
        {"\"model\":\"pca:k=2\"", "\"model\":\"ridge\"", "2 outputs"},
        {"\"model\":\"pca:k=2\"", "\"model\":\"kernel-pca:k=2\"", "`support` is missing"},
        {"\"variance\"", "\"variants\"", "`variance` is missing"},
        {"\"kernel\":\"\"", "\"kernel\":\"rbf\"", "pca:k=2 with kernel rbf"},
        {"\"total_variance\"", "\"total\"", "`total_variance` is missing"},
        {"\"total_variance\":\"", "\"total_variance\":\"-", "`total_variance` is -"},
        {NULL, NULL, NULL}};

    check_changes(machine("kernel-svm:collapse=no", "rbf", rows), for_svm);
    check_changes(machine("kernel-svm:collapse=no", "rbf", classes), for_pairs);
    check_changes(machine("kernel-perceptron", "rbf", rows), for_perceptron);
    check_changes(machine("pca:k=2", NULL, rows), for_pca);
}

/* Where an array begins. */
static unsigned char *array(const file *f, const char *name)
{
    uint64_t header;
    char text[40];
    unsigned long at = 0;

    memcpy(&header, f->bytes, 8);
    snprintf(text, sizeof text, "\"%s\":", name);
    char *copy = calloc(header + 1, 1), *p;
    CHECK(copy);
    memcpy(copy, f->bytes + 8, header);
    CHECK((p = strstr(copy, text)) && (p = strstr(p, "data_offsets\":[")));
    at = strtoul(p + sizeof "data_offsets\":[" - 1, NULL, 10);
    free(copy);
    return f->bytes + 8 + header + at;
}

static void with(file *f, const char *name, size_t at, const void *x, size_t size, const char *why)
{
    unsigned char was[8], *p = array(f, name) + at;

    memcpy(was, p, size);
    memcpy(p, x, size);
    fix_crc(f);
    rejected(f, FX_EFORMAT, why);
    memcpy(p, was, size);
}

static void check_vectors(void)
{
    fx_model *m = machine("kernel-perceptron", "rbf", rows);
    file f = dumped(m);

    with(&f, "vector_ptr", 0, &(int64_t){1}, 8, "do not go together");
    with(&f, "vector_ptr", 8, &(int64_t){-1}, 8, "");
    with(&f, "vector_ptr", 8, &(int64_t){INT64_MAX}, 8, "");
    with(&f, "vector_ptr", 8 * m->c.features, &(int64_t){1 << 20}, 8, "do not go together");
    with(&f, "vector_col", 0, &(int32_t){-1}, 4, "");
    with(&f, "vector_col", 0, &(int32_t){3}, 4, "");
    with(&f, "vector_val", 4, &(float){NAN}, 4, "");
    with(&f, "ages", 0, &(int64_t){-1}, 8, "number 0 of `ages` is negative");
    with(&f, "weights", 0, &(double){INFINITY}, 8, "not finite");
    free(f.bytes);
    fx_model_free(m);
    m = machine("pca:k=2", NULL, rows);
    f = dumped(m);
    with(&f, "variance", 8, &(double){-1}, 8, "number 1 of `variance` is -1");
    free(f.bytes);
    fx_model_free(m);
}

/* A file of groups or sets may be empty: so is the family of the model, and it reads back. */
static void check_empty_family(void)
{
    static const fx_plan plans[] = {
        {PLAN, .model = "kernel-ridge:collapse=no", .kernel = "groups:file=F", .family = ""},
        {PLAN, .model = "kernel-ridge:collapse=no", .kernel = "itemset:file=F", .family = ""},
        {PLAN, .model = "ridge", .kernel = "itemset:file=F", .family = "", .map = "rk",
         .features = 2},
        {PLAN, .model = "fm:task=regress,rank=2,tol=1", .kernel = "groups:file=F", .family = ""}};
    fx_data *d = parsed(rows);
    fx_table t = fx_data_table(d);

    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        fx_model *m = fitted(&plans[i], &t, NULL), *back = NULL;
        file f = dumped(m);
        CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK && same_model(m, back));
        fx_model_free(back);
        fx_model_free(m);
        free(f.bytes);
    }
    fx_data_free(d);
}

int main(void)
{
    test_init();
    check_headers();
    check_vectors();
    check_empty_family();
    return 0;
}
