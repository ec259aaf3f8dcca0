/* SPDX-License-Identifier: BSD-3-Clause
 * machine.h - for tests of kernel machines: what holds of each of them. */
#ifndef FXI_MACHINE_H
#define FXI_MACHINE_H
#include "model/test/built.h"
#include "model/test/fixture.h"

static inline fx_model *read_back(const fx_model *m)
{
    file f = dumped(m);
    fx_model *back = NULL;
    fx_status s = fx_model_parse(&back, f.bytes, f.len, NULL);

    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK);
    file g = dumped(back);
    CHECK(f.len == g.len && !memcmp(f.bytes, g.bytes, f.len));
    free(f.bytes);
    free(g.bytes);
    return back;
}

/* Answers of the file are those of the fit, bit for bit, on any number of threads. */
static inline void survives(const fx_model *m, const fx_matrix *X)
{
    fx_model *back = read_back(m);

    for (fx_prediction o = FX_LABEL; o <= FX_PROBA; o++) {
        size_t width = fx_model_width(m, o);
        CHECK(width == fx_model_width(back, o));
        if (!width)
            continue;
        double *a = predicted(m, o, X, NULL),
               *b = predicted(back, o, X, &(fx_run){RUN, .threads = 3});
        CHECK(same_bits(a, b, X->rows * width));
        free(a);
        free(b);
    }
    const fx_model_info *x = fx_model_inspect(m), *y = fx_model_inspect(back);
    CHECK(x->support_vectors == y->support_vectors && x->pairs == y->pairs
          && x->vectors.rows == y->vectors.rows);
    CHECK(x->total_variance == y->total_variance);
    fx_model_free(back);
}

/* Scores are sums over vectors that all have a weight; kernel values may be floats: 1e-6. */
static inline void by_definition(const fx_model *m, const fx_matrix *X)
{
    const fx_model_info *c = fx_model_inspect(m);
    fx_kernel *k;
    fx_data *own;
    fx_matrix Y;
    fx_table t = {.rows = X->rows, .cols = X->cols, .blocks = 1, .block = X};
    double *K = malloc((X->rows * c->features + 1) * sizeof *K);
    double *S = predicted(m, FX_SCORE, X, NULL);

    CHECK(fxi_model_rows_table(&Y, &own, c, c->seen, &t, NULL) == FX_OK);
    CHECK(K && fx_kernel_parse(&k, c->kernel, *c->family ? c->family : NULL, c->base) == FX_OK);
    CHECK(c->vectors.rows == c->features && c->support_vectors == c->features
          && c->support_vectors <= c->rows);
    CHECK(fx_kernel_gram(K, c->features, k, &Y, &c->vectors, NULL) == FX_OK);
    for (size_t i = 0; i < X->rows; i++)
        for (size_t o = 0; o < c->outputs; o++) {
            double f = c->intercepts[o], size = fabs(f);
            for (size_t w = 0; w < c->features; w++) {
                double v = K[i * c->features + w] * c->weights[w * c->outputs + o];
                f += v;
                size += fabs(v);
            }
            CHECK_NEAR(S[i * c->outputs + o], f, 1e-6 * size + 1e-300);
        }
    for (size_t w = 0; w < c->features; w++) {
        double largest = 0;
        for (size_t o = 0; o < c->outputs; o++)
            largest = fmax(largest, fabs(c->weights[w * c->outputs + o]));
        CHECK(largest > 0);
    }
    fx_data_free(own);
    fx_kernel_free(k);
    free(K);
    free(S);
}

/* A table of one dense block with the same numbers; *block and *x hold it. */
static inline fx_table dense_table(fx_matrix *block, double **x, const fx_table *t)
{
    fx_table out = *t;

    *x = calloc(t->rows * t->cols, sizeof **x);
    CHECK(*x);
    for (size_t i = 0; i < t->rows; i++) {
        fxi_row r = fxi_data_row(t->block, i);
        for (size_t q = 0; q < r.n; q++)
            (*x)[i * t->cols + (size_t)fxi_row_column(r, q)] = fxi_row_value(r, q);
    }
    *block = (fx_matrix){
        .rows = t->rows, .cols = t->cols, .stride = t->cols, .type = FX_F64, .val = *x};
    out.block = block;
    return out;
}

static inline double largest_difference(const double *a, const double *b, size_t n)
{
    double d = 0;

    for (size_t i = 0; i < n; i++)
        d = fmax(d, fabs(a[i] - b[i]));
    return d;
}

static inline void fails(fx_status expected, const char *why, const fx_plan *plan,
                         const fx_table *t, const fx_run *run)
{
    fx_model *m = NULL;
    fx_status s = fx_model_fit(&m, plan, t, run);

    if (s != expected || !strstr(fx_error_detail(), why))
        fprintf(stderr, "%s: %s: %s\n", plan->model, fx_status_name(s), fx_error_detail());
    CHECK(s == expected && strstr(fx_error_detail(), why));
    fx_model_free(m);
}
#endif
