/* SPDX-License-Identifier: BSD-3-Clause
 * t_golden.c - models that earlier versions wrote give the answers that they gave then.
 *
 * Raw rows: at most 30 products of doubles are added in an order that may differ from then: 1e-12
 * of the size of the sum.  Maps compute in floats, with elementary functions and orders of their
 * own for every instruction set: 1e-5 of it, 160 u.  Kernels of tens of numbers, up to 100, in
 * doubles: 1e-10, and factorization machines alike.
 * Covers: parse.c, header.c */

#include "model/test/built.h"

#include <dirent.h>
#include <jansson.h>

static const char directory[] = "tests/golden/models";

static file contents(const char *path)
{
    file f = {0};
    char piece[4096];
    FILE *in = fopen(path, "rb");

    CHECK(in);
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
        to_file(&f, piece, n);
    fclose(in);
    return f;
}

typedef struct golden_rows {
    fx_matrix X;
    double *val;
    int32_t *col;
    int64_t *ptr;
} golden_rows;

static golden_rows rows_of(const json_t *rows)
{
    size_t n = json_array_size(rows), all = 0, at = 0, cols = 0;
    golden_rows a = {.ptr = calloc(n + 1, sizeof *a.ptr)};

    for (size_t i = 0; i < n; i++)
        all += json_array_size(json_array_get(rows, i));
    a.val = calloc(all + 1, sizeof *a.val);
    a.col = calloc(all + 1, sizeof *a.col);
    CHECK(a.ptr && a.val && a.col);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(rows, i);
        for (size_t q = 0; q < json_array_size(row); q++, at++) {
            const json_t *pair = json_array_get(row, q);
            a.col[at] = (int32_t)json_integer_value(json_array_get(pair, 0));
            const json_t *x = json_array_get(pair, 1);
            a.val[at] = json_is_null(x) ? NAN : json_number_value(x);
            if (cols <= (size_t)a.col[at])
                cols = (size_t)a.col[at] + 1;
        }
        a.ptr[i + 1] = (int64_t)at;
    }
    a.X = (fx_matrix){
        .rows = n, .cols = cols, .type = FX_F64, .val = a.val, .ptr = a.ptr, .col = a.col};
    return a;
}

static void check_answers(const fx_model *m, const golden_rows *a, const json_t *root,
                          fx_prediction what, const char *key, double tolerance)
{
    const json_t *expected = json_object_get(root, key);
    size_t width = fx_model_width(m, what), n = a->X.rows;
    double *out = calloc(n * width + 1, sizeof *out);
    uint64_t unseen = 99;

    CHECK(out && !expected == !width && json_array_size(expected) == (width ? n : 0));
    if (!width) {
        free(out);
        return;
    }
    CHECK(fx_model_predict(out, &unseen, m, what, &a->X, NULL) == FX_OK);
    CHECK(unseen == (uint64_t)json_integer_value(json_object_get(root, "unseen")));
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(expected, i);
        CHECK(json_array_size(row) == width);
        for (size_t k = 0; k < width; k++)
            CHECK_NEAR(out[i * width + k], json_number_value(json_array_get(row, k)), tolerance);
    }
    free(out);
}

static void check_model(const char *name)
{
    char path[512];
    json_error_t e;
    fx_model *m = NULL;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    file f = contents(path);
    fx_status s = fx_model_parse(&m, f.bytes, f.len, NULL);
    if (s)
        fprintf(stderr, "%s: %s\n", path, fx_error_detail());
    CHECK(s == FX_OK);
    snprintf(path, sizeof path, "%s/%.*s.json", directory, (int)strlen(name) - 3, name);
    json_t *root = json_load_file(path, 0, &e);
    CHECK(root);

    golden_rows a = rows_of(json_object_get(root, "rows"));
    double size = 1, tolerance = *m->c.map                          ? 1e-5
                                 : m->c.vectors.cols || m->c.orders ? 1e-10
                                                                    : 1e-12;
    for (size_t i = 0; i < m->c.features * m->c.outputs; i++)
        size += fabs(m->c.weights[i]);
    check_answers(m, &a, root, FX_LABEL, "labels", m->c.classes ? 0 : tolerance * size);
    check_answers(m, &a, root, FX_SCORE, "scores", tolerance * size);
    check_answers(m, &a, root, FX_PROBA, "probabilities", tolerance * size);
    file again = dumped(m);             /* while this version writes the format of the file */
    CHECK(again.len == f.len && !memcmp(again.bytes, f.bytes, f.len));
    json_decref(root);
    fx_model_free(m);
    free(again.bytes);
    free(f.bytes);
    free(a.val);
    free(a.col);
    free(a.ptr);
}

int main(void)
{
    DIR *d = opendir(directory);
    size_t models = 0;

    test_init();
    CHECK(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (len > 3 && !strcmp(e->d_name + len - 3, ".fx")) {
            check_model(e->d_name);
            models++;
        }
    }
    closedir(d);
    CHECK(models >= 48);
    return 0;
}
