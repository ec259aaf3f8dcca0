/* SPDX-License-Identifier: BSD-3-Clause
 * t_predict.c - labels, scores and probabilities follow from one another; columns that training
 * never saw are left out; rows in any form and number give the same.
 * Covers: rows.c, src/kind/features.c, src/train/seen.c */
#include "fixture.h"

static fx_plan plan_of(const char *model, int map, const char *scale)
{
    fx_plan p = {PLAN, .model = model, .scale = scale, .seed = 2};

    if (map) {
        p.map = "rk";
        p.kernel = "all-subsets";
        p.features = 70;
    }
    return p;
}

/* Columns that training did not see, within and beyond the width, change nothing. */
static void leaves_out_what_is_new(int map, const char *scale)
{
    fx_data *d = parsed("1 1:1 2:3 6:2\n-1 1:2 3:-1\n1 2:1 3:2 6:1\n-1 1:0.5 3:1 7:0\n");
    fx_data *x = parsed("0 1:1 3:2\n0 2:0.3 6:1\n0 6:7\n0\n");
    fx_data *y = parsed("0 1:1 3:2 4:9 5:-3\n0 2:0.3 6:1 7:2 100000:1e9\n0 6:7 8:3\n0 5:1\n");
    fx_data *z = parsed("0 1:1 3:2 5:0\n0 2:0.3\n");
    fx_table t = fx_data_table(d), a = fx_data_table(x), b = fx_data_table(y), c = fx_data_table(z);
    fx_plan plan = plan_of("logistic", map, scale);
    fx_model *m = fitted(&plan, &t, NULL);
    const unsigned char *seen = fx_model_inspect(m)->seen, expected[] = {1, 1, 1, 0, 0, 1, 0};
    double f[4], g[4], p[8];
    uint64_t unseen = 99;

    CHECK(fx_model_inspect(m)->cols == 7 && seen && !memcmp(seen, expected, 7));
    CHECK(fx_model_predict(f, &unseen, m, FX_SCORE, a.block, NULL) == FX_OK && unseen == 0);
    CHECK(fx_model_predict(g, &unseen, m, FX_SCORE, b.block, NULL) == FX_OK && unseen == 6);
    CHECK(same_bits(f, g, 4));
    CHECK(fx_model_predict(g, &unseen, m, FX_SCORE, c.block, NULL) == FX_OK && unseen == 0);
    CHECK(f[0] == g[0]);
    CHECK(fx_model_predict(p, NULL, m, FX_PROBA, b.block, NULL) == FX_OK);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(p[2 * i + 1], 1 / (1 + exp(-f[i])), 1e-15);
    fx_model_free(m);
    fx_data_free(d);
    fx_data_free(x);
    fx_data_free(y);
    fx_data_free(z);
}

/* Dense rows, floats and doubles, 64-bit columns, one row at a time: scores as of sparse ones. */
static void form_does_not_matter(int map, const char *scale)
{
    fx_data *d = made("pairs:n=700,d=33,nz=7");
    fx_table t = fx_data_table(d);
    const fx_matrix *X = t.block;
    double label[700], *dense = calloc(700 * 40, sizeof *dense);
    float *floats = calloc(700 * 40, sizeof *floats);
    int64_t *wide = malloc((size_t)X->ptr[700] * sizeof *wide);

    CHECK(dense && floats && wide && !X->wide && X->ptr[0] == 0);
    for (size_t i = 0; i < 700; i++) {
        label[i] = (double)(i % 3);
        for (int64_t q = X->ptr[i]; q < X->ptr[i + 1]; q++) {
            int32_t j = ((const int32_t *)X->col)[q];
            double v = X->type == FX_F32 ? (double)((const float *)X->val)[q]
                                         : ((const double *)X->val)[q];
            wide[q] = j;
            dense[i * 40 + (size_t)j] = v;
            floats[i * 40 + (size_t)j] = (float)v;
        }
    }
    t.label = label;
    fx_plan plan = plan_of("svm-l2", map, scale);
    fx_model *m = fitted(&plan, &t, NULL);
    double *f = scores(m, &t), one[3];
    fx_matrix forms[] = {{.rows = 700, .cols = 33, .stride = 40, .type = FX_F64, .val = dense},
                         {.rows = 700, .cols = 33, .stride = 40, .type = FX_F32, .val = floats},
                         *X};
    forms[2].wide = 1;
    forms[2].col = wide;
    for (size_t k = 0; k < 3; k++) {
        double *g = predicted(m, FX_SCORE, &forms[k], &(fx_run){RUN, .threads = 3});
        for (size_t i = 0; i < 3 * 700; i++)    /* floats hold these numbers exactly, or nearly */
            CHECK_NEAR(g[i], f[i], 1e-5 * (1 + fabs(f[i])));
        free(g);
    }
    for (size_t i = 0; i < 700; i += 13) {
        fx_matrix row = *X;
        row.rows = 1;
        row.ptr += i;
        CHECK(fx_model_predict(one, NULL, m, FX_SCORE, &row, NULL) == FX_OK);
        CHECK(same_bits(one, f + 3 * i, 3));
    }
    forms[0].cols = 32;
    CHECK(fx_model_predict(f, NULL, m, FX_SCORE, &forms[0], NULL) == FX_ESHAPE);
    free(f);
    free(dense);
    free(floats);
    free(wide);
    fx_model_free(m);
    fx_data_free(d);
}

/* Labels follow the sign or the largest score where there are no probabilities. */
static void labels_follow_scores(void)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[200];

    for (size_t k = 2; k < 5; k++) {
        for (size_t i = 0; i < 200; i++)
            label[i] = (double)(i % k);
        t.label = label;
        fx_model *m = fitted(&(fx_plan){PLAN, .model = "svm"}, &t, NULL);
        size_t outputs = fx_model_width(m, FX_SCORE);
        CHECK(outputs == (k == 2 ? 1 : k) && fx_model_width(m, FX_LABEL) == 1);
        double *f = scores(m, &t), *l = predicted(m, FX_LABEL, t.block, NULL);
        for (size_t i = 0; i < 200; i++) {
            size_t best = 0;
            for (size_t c = 1; c < outputs; c++)
                best = f[i * outputs + c] > f[i * outputs + best] ? c : best;
            CHECK(l[i] == (double)(k == 2 ? f[i] > 0 : best));
        }
        free(f);
        free(l);
        fx_model_free(m);
    }
    fx_data_free(d);
}

/* Scores so far out that every sigmoid is 0 or 1: still probabilities. */
static void far_out(void)
{
    fx_data *d = parsed("1 1:1\n2 2:1\n3 3:1\n1 1:2\n2 2:2\n3 3:2\n");
    fx_table t = fx_data_table(d);
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "logistic:C=10"}, &t, NULL);
    double x[] = {-1e5, -2e5, -1e5, 1e5, 2e5, 3e5, 0, 0, 0}, p[9], l[3];
    fx_matrix X = {.rows = 3, .cols = 3, .stride = 3, .type = FX_F64, .val = x};

    CHECK(fx_model_predict(p, NULL, m, FX_PROBA, &X, NULL) == FX_OK);
    CHECK(fx_model_predict(l, NULL, m, FX_LABEL, &X, NULL) == FX_OK);
    for (size_t i = 0; i < 3; i++) {
        CHECK_NEAR(p[3 * i] + p[3 * i + 1] + p[3 * i + 2], 1, 1e-15);
        for (size_t k = 0; k < 3; k++)
            CHECK(p[3 * i + k] <= p[3 * i + (size_t)l[i]]);
    }
    x[0] = 1e308;
    x[1] = -1e308;
    CHECK(fx_model_predict(p, NULL, m, FX_SCORE, &X, NULL) <= 0);
    x[0] = NAN;
    CHECK(fx_model_predict(p, NULL, m, FX_SCORE, &X, NULL) == FX_EDOMAIN);
    CHECK(fx_model_predict(NULL, NULL, m, FX_SCORE, t.block, NULL) == FX_EINVAL);
    CHECK(fx_model_predict(p, NULL, NULL, FX_SCORE, t.block, NULL) == FX_EINVAL);
    CHECK(fx_model_predict(p, NULL, m, (fx_prediction)3, t.block, NULL) == FX_EINVAL);
    X.rows = 0;
    CHECK(fx_model_predict(NULL, NULL, m, FX_LABEL, &X, NULL) == FX_OK);
    fx_model_free(m);
    fx_data_free(d);
}

int main(void)
{
    static const char *const scale[] = {NULL, "maxabs", "std", "unit-l1", "unit-l2"};

    test_init();
    for (int map = 0; map < 2; map++)
        for (size_t s = 0; s < 5; s++) {
            leaves_out_what_is_new(map, scale[s]);
            form_does_not_matter(map, scale[s]);
        }
    labels_follow_scores();
    far_out();
    return 0;
}
