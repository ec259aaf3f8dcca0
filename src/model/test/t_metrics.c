/* SPDX-License-Identifier: BSD-3-Clause
 * t_metrics.c - metrics of predictions and labels against recorded values. */
#include "fixture.h"

#include <jansson.h>

static double *numbers(json_t *a)
{
    double *x = malloc((json_array_size(a) + 1) * sizeof *x);

    CHECK(x);
    for (size_t i = 0; i < json_array_size(a); i++)
        x[i] = json_number_value(json_array_get(a, i));
    return x;
}

/* Golden values are strings of 17 digits, null where they are not defined. */
static void agrees(double got, json_t *expected, size_t n)
{
    if (!json_is_string(expected)) {
        CHECK(isnan(got));
        return;
    }
    double w = strtod(json_string_value(expected), NULL);
    CHECK_NEAR(got, w, ((double)n + 8) * 0x1p-52 * (fabs(w) + 1));
}

static void golden(void)
{
    json_error_t e;
    json_t *file = json_load_file("tests/golden/auc.json", 0, &e), *a;
    size_t i;

    CHECK(file);
    json_array_foreach(json_object_get(file, "cases"), i, a) {
        double *y = numbers(json_object_get(a, "y"));
        double *score = numbers(json_object_get(a, "scores"));
        size_t n = json_array_size(json_object_get(a, "y"));
        int regress = json_is_true(json_object_get(a, "regression"));
        fx_metrics m = FX_INIT(fx_metrics);
        CHECK(fx_model_metrics(&m, y, score, NULL, n, regress) == FX_OK && m.rows == n);
        agrees(m.auc, json_object_get(a, "auc"), n);
        agrees(m.accuracy, json_object_get(a, "accuracy"), n);
        agrees(m.logloss, json_object_get(a, "logloss"), n);
        agrees(m.rmse, json_object_get(a, "rmse"), n);
        free(y);
        free(score);
    }
    CHECK(i > 40);
    json_decref(file);
}

/* Whole weights are rows repeated; all pairs are compared one by one. */
static void weights_are_copies(void)
{
    enum { N = 60 };
    double y[N], s[N], w[N], Y[4 * N], S[4 * N];

    for (int t = 0; t < test_cases(50); t++) {
        size_t n = 1 + test_below(N), all = 0;
        double right = 0, pairs = 0;
        for (size_t i = 0; i < n; i++) {
            y[i] = test_below(2) ? 1 : -1;
            s[i] = (double)test_below(9) - 4;
            w[i] = (double)test_below(4);
            for (size_t r = 0; r < (size_t)w[i]; r++, all++) {
                Y[all] = y[i];
                S[all] = s[i];
            }
        }
        for (size_t i = 0; i < all; i++)
            for (size_t j = 0; j < all; j++)
                if (Y[i] > 0 && Y[j] < 0) {
                    pairs++;
                    right += S[i] > S[j] ? 1 : S[i] == S[j] ? 0.5 : 0;
                }
        fx_metrics a = FX_INIT(fx_metrics), b = FX_INIT(fx_metrics);
        CHECK(fx_model_metrics(&a, y, s, w, n, 0) == FX_OK);
        CHECK(fx_model_metrics(&b, Y, S, NULL, all, 0) == FX_OK);
        CHECK(pairs > 0 ? a.auc == right / pairs && b.auc == a.auc : isnan(a.auc) && isnan(b.auc));
        if (all) {
            CHECK(a.accuracy == b.accuracy);
            CHECK_NEAR(a.logloss, b.logloss, 1e-13);
            CHECK_NEAR(a.rmse, b.rmse, 1e-13);
        }
    }
}

static void rejects(void)
{
    double one = 1, zero = 0, nan_ = NAN;
    fx_metrics m = FX_INIT(fx_metrics);

    CHECK(fx_model_metrics(&m, &zero, &one, NULL, 1, 0) == FX_EINVAL);
    CHECK(fx_model_metrics(&m, &one, &nan_, NULL, 1, 0) == FX_EDOMAIN);
    CHECK(fx_model_metrics(&m, &one, &one, &nan_, 1, 1) == FX_EDOMAIN);
    CHECK(fx_model_metrics(&m, NULL, &one, NULL, 1, 0) == FX_EINVAL);
    CHECK(fx_model_metrics(NULL, &one, &one, NULL, 1, 0) == FX_EINVAL);
    CHECK(fx_model_metrics(&m, &one, &one, &zero, 1, 0) == FX_OK && isnan(m.accuracy));
}

int main(void)
{
    test_init();
    golden();
    weights_are_copies();
    rejects();
    return 0;
}
