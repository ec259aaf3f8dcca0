/* SPDX-License-Identifier: BSD-3-Clause
 * golden.h - the cases of tests/golden, and a vector in every form that a row can take. */
#ifndef GOLDEN_H
#define GOLDEN_H
#include "base/test.h"
#include "kernel/kernel.h"

#include <jansson.h>
#include <string.h>

enum { GOLDEN_DIM = 1024 };

static inline json_t *golden_cases(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);

    if (!root)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    CHECK(root);
    return root;
}

/* {"dim", "dense"} or {"dim", "idx", "val"} to x[0..dim). */
static inline size_t golden_vector(double *x, json_t *v)
{
    size_t dim = (size_t)json_integer_value(json_object_get(v, "dim"));
    json_t *dense = json_object_get(v, "dense"), *idx = json_object_get(v, "idx");

    CHECK(dim <= GOLDEN_DIM);
    memset(x, 0, dim * sizeof *x);
    for (size_t i = 0; i < json_array_size(dense ? dense : idx); i++)
        x[dense ? i : (size_t)json_integer_value(json_array_get(idx, i))]
            = json_number_value(json_array_get(dense ? dense : json_object_get(v, "val"), i));
    return dim;
}

/* One row as a matrix: dense or CSR, float or double, 32- or 64-bit columns. */
typedef struct golden_row {
    double f64[GOLDEN_DIM];
    float f32[GOLDEN_DIM];
    int32_t col32[GOLDEN_DIM];
    int64_t col64[GOLDEN_DIM], ptr[2];
    fx_matrix matrix;
} golden_row;
enum { GOLDEN_SPARSE = 1, GOLDEN_FLOAT = 2, GOLDEN_WIDE = 4, GOLDEN_FORMS = 8 };

/* A list of sets as the text of an itemset file, indices from 0; valid until the next call. */
static inline char *golden_family(json_t *sets)
{
    static char out[8192];
    size_t n = 0;

    out[0] = '\0';                      /* a family may be empty */
    for (size_t i = 0; i < json_array_size(sets); i++) {
        json_t *set = json_array_get(sets, i);
        for (size_t j = 0; j < json_array_size(set); j++)
            n += (size_t)snprintf(out + n, sizeof out - n, "%d ",
                                  (int)json_integer_value(json_array_get(set, j)));
        n += (size_t)snprintf(out + n, sizeof out - n, json_array_size(set) ? "\n" : "{}\n");
    }
    return out;
}

static inline fx_matrix *golden_form(golden_row *r, const double *x, size_t dim, int form)
{
    size_t n = 0;

    for (size_t j = 0; j < dim; j++)
        if (!(form & GOLDEN_SPARSE) || x[j] != 0) {
            r->f64[n] = x[j];
            r->f32[n] = (float)x[j];
            r->col32[n] = (int32_t)j;
            r->col64[n++] = (int64_t)j;
        }
    r->ptr[0] = 0;
    r->ptr[1] = (int64_t)n;
    r->matrix = (fx_matrix){.rows = 1, .cols = dim, .stride = dim,
                            .type = form & GOLDEN_FLOAT ? FX_F32 : FX_F64,
                            .wide = !!(form & GOLDEN_WIDE)};
    r->matrix.val = form & GOLDEN_FLOAT ? (const void *)r->f32 : r->f64;
    if (form & GOLDEN_SPARSE) {
        r->matrix.ptr = r->ptr;
        r->matrix.col = form & GOLDEN_WIDE ? (const void *)r->col64 : r->col32;
    }
    return &r->matrix;
}

/* Run f on every instruction set that this machine has. */
static inline void golden_targets(void (*f)(void))
{
    for (const fxi_simd *s = fxi_simd_targets; s->name; s++)
        if (s->supported()) {
            setenv("FX_TARGET", s->name, 1);
            CHECK(!strcmp(fx_simd_target(), s->name));
            f();
        }
    unsetenv("FX_TARGET");
}
#endif
