/* SPDX-License-Identifier: BSD-3-Clause
 * t_collapse.c - collapsed kernel machines answer as before, from rows and from files; when they
 * collapse by themselves, and when they refuse.
 * Covers: collapse_weights.c */
#include "model/test/built.h"

enum { N = 240, COLS = 7 };
#include "model/test/products.h"

static fx_model *fit(const char *model, const char *collapse, const char *kernel,
                     const fx_matrix *rows, int threads)
{
    bool regress = strcmp(model, "kernel-svm") != 0;
    fx_table t = {.rows = rows->rows, .cols = rows->cols, .blocks = 1, .block = rows,
                  .label = regress ? target : label};
    char spec[64];

    snprintf(spec, sizeof spec, "%s:C=1,collapse=%s", model, collapse);
    return fitted(&(fx_plan){PLAN, .model = spec, .kernel = kernel}, &t,
                  &(fx_run){RUN, .threads = threads});
}

/* Scores of a and b are near; of b's file they are the same. */
static void compare(const fx_model *a, const fx_model *b, const fx_matrix *rows)
{
    size_t n = rows->rows * fx_model_inspect(a)->outputs;
    double *s = predicted(a, FX_SCORE, rows, NULL), *u = predicted(b, FX_SCORE, rows, NULL);
    double *l = predicted(a, FX_LABEL, rows, NULL), *m = predicted(b, FX_LABEL, rows, NULL);
    fx_model *back;

    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(u[i], s[i], 2e-6 * fmax(1, fabs(s[i])));
    for (size_t i = 0; i < rows->rows; i++)
        CHECK_NEAR(m[i], l[i], fx_model_inspect(a)->classes ? 0 : 1e-5);
    file f = dumped(b);
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK);
    double *v = predicted(back, FX_SCORE, rows, NULL);
    CHECK(same_bits(u, v, n) && same_model(b, back));
    CHECK(fx_model_inspect(back)->support_vectors == fx_model_inspect(a)->support_vectors);
    fx_model_free(back);
    free(f.bytes);
    free(s), free(u), free(v), free(l), free(m);
}

static void test_equal(const char *model, const char *kernel, const fx_matrix *rows)
{
    fx_model *a = fit(model, "no", kernel, rows, 1), *b = fit(model, "yes", kernel, rows, 1);
    fx_model *c = fit(model, "yes", kernel, rows, 3);
    const fx_model_info *x = fx_model_inspect(a), *y = fx_model_inspect(b);
    fx_matrix dense = {.rows = N, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X};

    CHECK(x->vectors.rows == x->support_vectors && !*x->map && y->vectors.rows == 0);
    CHECK(y->support_vectors == x->support_vectors && !strcmp(y->map, "explicit")
          && !strcmp(y->kernel, x->kernel));
    CHECK(y->random == y->features && y->outputs == x->outputs && y->pairs == x->pairs);
    CHECK(y->objective == x->objective && y->gap == x->gap
          && !strncmp(y->spec, model, strlen(model)));
    CHECK(same_model(b, c));
    compare(a, b, rows);
    compare(a, b, &dense);
    fx_model_free(a), fx_model_free(b), fx_model_free(c);
}

static void test_auto(const fx_matrix *rows)
{
    fx_model *m = fit("kernel-ridge", "auto", "anova:order=2", rows, 0);

    CHECK(!strcmp(fx_model_inspect(m)->map, "explicit"));        /* 21 columns, 240 vectors */
    CHECK(fx_model_inspect(m)->features == COLS * (COLS - 1) / 2);
    fx_model_free(m);
    m = fit("kernel-ridge", "auto", "rbf:gamma=1", rows, 0);    /* no such map */
    CHECK(!*fx_model_inspect(m)->map && fx_model_inspect(m)->vectors.rows == N);
    fx_model_free(m);
    if (rows->ptr)                      /* a sparse row has few combinations */
        return;
    fx_matrix few = *rows;
    few.rows = 4;                       /* 35 columns beside 4 vectors */
    m = fit("kernel-ridge", "auto", "anova:order=3", &few, 0);
    CHECK(!*fx_model_inspect(m)->map && fx_model_inspect(m)->vectors.rows == 4);
    fx_model_free(m);
}

/* Targets depend on digits of a column that floats do not have; whatever their size. */
static void test_inexact(double size)
{
    static double x[40 * 2], y[40];
    fx_matrix rows = {.rows = 40, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fx_table t = {.rows = 40, .cols = 2, .blocks = 1, .block = &rows, .label = y};

    for (size_t i = 0; i < 40; i++) {
        x[2 * i] = 1 + 1e-9 * (double)i, x[2 * i + 1] = 1;
        y[i] = size * ((double)(i % 5) + (double)i);
    }
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "kernel-ridge:C=1e16", .kernel = "linear"}, &t,
                         NULL);
    CHECK(!*fx_model_inspect(m)->map && fx_model_inspect(m)->vectors.rows == 40);
    fx_model_free(m);
}

static void test_rejections(const fx_matrix *rows)
{
    fx_table t = {.rows = N, .cols = COLS, .blocks = 1, .block = rows, .label = target};
    fx_model *m = NULL;
    fx_plan plan = {PLAN, .model = "kernel-ridge:collapse=yes", .kernel = "rbf:gamma=1"};

    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_EUNSUPPORTED && !m);
    plan.kernel = "poly:degree=3,coef0=1,gamma=1";
    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_EUNSUPPORTED && !m);
    plan.kernel = "anova:order=9";      /* of 7 columns: nothing */
    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_EUNSUPPORTED && !m);
    fx_matrix square = {.rows = COLS, .cols = COLS, .stride = COLS, .type = FX_F64};
    fx_table given = {.rows = COLS, .cols = COLS, .blocks = 1, .block = &square, .label = target};
    double one[COLS * COLS] = {0};
    for (size_t i = 0; i < COLS; i++)
        one[i * (COLS + 1)] = 1;
    square.val = one;
    plan.kernel = "precomputed";
    CHECK(fx_model_fit(&m, &plan, &given, NULL) == FX_EUNSUPPORTED && !m);
    /* 500 columns make 20 million triples; the rows themselves need little */
    static double wide[3 * 500];
    fx_matrix w = {.rows = 3, .cols = 500, .stride = 500, .type = FX_F64, .val = wide};
    fx_table few = {.rows = 3, .cols = 500, .blocks = 1, .block = &w, .label = target};
    for (size_t i = 0; i < 1500; i++)
        wide[i] = test_unit();
    plan.kernel = "anova:order=3";
    CHECK(fx_model_fit(&m, &plan, &few, &(fx_run){RUN, .max_memory = 50000000}) == FX_ELIMIT && !m);
    plan.model = "kernel-ridge:collapse=auto";
    CHECK(fx_model_fit(&m, &plan, &few, &(fx_run){RUN, .max_memory = 50000000}) == FX_OK);
    CHECK(fx_model_inspect(m)->vectors.rows == 3);
    fx_model_free(m);
}

int main(void)
{
    static const char *const kernels[] = {
        "linear", "poly:degree=2,coef0=1,gamma=0.5", "poly:degree=2,coef0=0,gamma=1",
        "anova:order=2", "anova:order=3", "anova-upto:order=3", "all-subsets"};
    static const char *const models[] = {"kernel-svm", "kernel-ridge", "kernel-svr"};

    test_init();
    make(COLS);
    fx_matrix form[2] = {{.rows = N, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X},
                         sparse_rows()};
    for (size_t f = 0; f < 2; f++) {
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            for (size_t m = 0; m < sizeof models / sizeof *models; m++)
                test_equal(models[m], kernels[k], &form[f]);
        test_auto(&form[f]);
        test_rejections(&form[f]);
    }
    test_inexact(1);
    test_inexact(1e-9);
    test_inexact(1e9);
    return 0;
}
