/* SPDX-License-Identifier: BSD-3-Clause
 * t_factorize.c - linear models on map rk as factorization machines.
 *
 * Maps compute in floats, so the same predictions to 1e-12 need numbers that floats hold: rows of
 * small integers, signs, 16 features (sqrt(16) = 4), weights that are multiples of 1/8.  All sums
 * and products are then exact in both.  Other draws agree to the precision of floats. */

#include "model/test/built.h"

enum { COLS = 7, ROWS = 20 };
static double x[ROWS][COLS];
static const fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};

static void compare(const fx_model *m, const fx_model *n, const fx_matrix *rows, double tol)
{
    double a[ROWS * 3], b[ROWS * 3];
    const size_t outputs = m->c.outputs;
    uint64_t unseen_a, unseen_b;

    CHECK(fx_model_predict(a, &unseen_a, m, FX_SCORE, rows, NULL) == FX_OK);
    CHECK(fx_model_predict(b, &unseen_b, n, FX_SCORE, rows, NULL) == FX_OK);
    for (size_t i = 0; i < rows->rows * outputs; i++)
        CHECK_NEAR(b[i], a[i], tol * fmax(1, fabs(a[i])));
    CHECK(unseen_a == unseen_b);
    CHECK(fx_model_width(m, FX_PROBA) == fx_model_width(n, FX_PROBA));
    CHECK(fx_model_predict(a, NULL, m, FX_LABEL, rows, NULL) == FX_OK);
    CHECK(fx_model_predict(b, NULL, n, FX_LABEL, rows, NULL) == FX_OK);
    for (size_t i = 0; i < rows->rows; i++)
        CHECK(m->c.classes == 0 || a[i] == b[i]);
}

static void once(const char *map, const char *kernel, size_t features, size_t classes,
                 const char *spec, double tol)
{
    static const char *const name[] = {"no", "perhaps", "yes"};
    static const unsigned char seen[COLS] = {1, 1, 0, 1, 1, 1, 1};
    fx_model *m = built((fx_model_info){.spec = classes ? "svm" : "ridge",
                                     .map = map,
                                     .kernel = kernel,
                                     .seed = test_u64(),
                                     .cols = COLS,
                                     .random = features,
                                     .features = features,
                                     .classes = classes,
                                     .class_name = classes ? name : NULL,
                                     .seen = seen,
                                     .low = 1}),
             *n = NULL, *back = NULL;
    double *w = (double *)(uintptr_t)m->c.weights;

    for (size_t i = 0; i < features * m->c.outputs; i++)
        w[i] = (double)test_below(17) / 8 - 1;
    for (size_t i = 0; i < m->c.outputs; i++)
        ((double *)(uintptr_t)m->c.intercepts)[i] = (double)i - 0.5;
    CHECK(fx_model_factorize(&n, m, &(fx_run){RUN, .threads = 3}) == FX_OK);
    const fx_model_info *c = fx_model_inspect(n);
    CHECK(!strncmp(c->spec, spec, strlen(spec)) && !*c->map && !*c->kernel && c->orders == 1);
    CHECK(c->factors[0].rank == features && c->factors[0].P[2 * features] == 0);
    compare(m, n, &X, tol);
    file f = dumped(n);                 /* it is a model like others */
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK);
    compare(n, back, &X, 0);
    free(f.bytes);
    fx_model_free(back);
    fx_model_free(n);
    fx_model_free(m);
}

static void rejected(const char *map, const char *kernel, const char *why)
{
    fx_model *m = built((fx_model_info){.spec = "ridge",
                                     .map = map,
                                     .kernel = kernel,
                                     .cols = COLS,
                                     .random = 16,
                                     .features = 16}),
             *keep = m, *n = keep;

    CHECK(fx_model_factorize(&n, m, NULL) == FX_EUNSUPPORTED && n == keep);
    CHECK(strstr(fx_error_detail(), why));
    fx_model_free(m);
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++)
            x[i][j] = (double)test_below(4) - 1;
    for (size_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        once("rk", "anova:order=2", 16, classes, "fm:", 1e-12);
        once("rk", "anova:order=3", 16, classes, "hofm-simplex:order=3", 1e-12);
        once("rk:projection=packed", "all-subsets", 16, classes, "all-subsets:", 1e-12);
        once("rk", "anova-upto:order=3,theta=4/1/0.25", 16, classes, "hofm-simplex:", 1e-12);
    }
    once("rk:projection=hadamard", "anova:order=4", 64, 2, "hofm-simplex:order=4", 1e-12);
    once("rk", "anova:order=1", 16, 2, "hofm-simplex:order=2", 1e-12);
    once("rk:dist=gaussian", "anova:order=2", 21, 3, "fm:", 1e-5);
    once("rk:dist=laplace", "all-subsets", 21, 0, "all-subsets:", 1e-4);
    rejected("rk:complex=yes", "anova:order=2", "complex draws");
    rejected("rm", "poly:degree=2", "only linear models on map rk");

    fx_model *m = built((fx_model_info){.spec = "ridge", .cols = COLS}), *n = NULL;
    CHECK(fx_model_factorize(&n, m, NULL) == FX_EUNSUPPORTED && !n);
    CHECK(fx_model_factorize(NULL, m, NULL) == FX_EINVAL);
    CHECK(fx_model_factorize(&n, NULL, NULL) == FX_EINVAL && !n);
    fx_model_free(m);
    m = built((fx_model_info){.spec = "ridge",
                           .map = "rk",
                           .kernel = "anova",
                           .cols = COLS,
                           .random = 16,
                           .features = 16});
    CHECK(fx_model_factorize(&n, m, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT && !n);
    fx_model_free(m);
    return 0;
}
