/* SPDX-License-Identifier: BSD-3-Clause
 * t_path.c - cross-validation along C equals fits without the fold.
 * Covers: folds.c, output.c, src/kind/features.c */
#include "model/test/fixture.h"

enum { N = 240, FOLDS = 3 };
static const double C[] = {0.01, 0.3, 5};

/* The objective P is 1-strongly convex: with a gap of tol P, weights are within sqrt(2 tol P) of
 * the optimum, two such fits within twice that, and scores of rows of norm NORM within NORM times
 * that. */
enum { NORM = 4 };
static double distance(const fx_model *m, double tol)
{
    return 2 * NORM * sqrt(2 * tol * fx_model_inspect(m)->objective);
}

/* Share of the weight of rows whose label such a distance may change. */
static double near_zero(const fx_model *m, const fx_table *t, double off)
{
    double *f = scores(m, t), near = 0, all = 0;

    for (size_t i = 0; i < t->rows; i++) {
        near += t->weight[i] * (fabs(f[i]) <= off);
        all += t->weight[i];
    }
    free(f);
    return near / all + 1e-12;
}

/* Each fold by hand: fit on the other rows, measured on its own. */
static void is_cross_validation(const char *model, double tol, int classes, int map)
{
    fx_data *d = made("pairs:n=240,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[N], weight[N];
    int32_t fold[N];
    fx_metrics out[3 * FOLDS] = {FX_INIT(fx_metrics)}, again[3 * FOLDS] = {FX_INIT(fx_metrics)};
    fx_metrics expected = FX_INIT(fx_metrics);
    char spec[100];

    for (size_t i = 0; i < N; i++) {
        label[i] = classes ? (double)(t.label[i] > 0) + (classes == 3 && i % 3 == 0)
                           : t.label[i] + test_unit();
        weight[i] = 1 + (double)(i % 2);
    }
    t.label = label;
    t.weight = weight;
    CHECK(fx_data_folds(fold, N, FOLDS, classes ? label : NULL, 1) == FX_OK);
    fold[0] = -1;                       /* in every fit, never measured */
    fx_plan plan = {PLAN, .model = model, .seed = 1};
    if (map == 1) {
        plan.map = "rk";
        plan.features = 60;
    }
    plan.kernel = "anova:order=2";
    CHECK(fx_model_path(out, &plan, C, 3, &t, fold, FOLDS, NULL) == FX_OK);
    CHECK(fx_model_path(again, &plan, C, 3, &t, fold, FOLDS,
                        &(fx_run){RUN, .threads = 3, .max_memory = 700000})
          == FX_OK);
    CHECK(!memcmp(out, again, sizeof out));
    for (size_t q = 0; q < 3; q++)
        for (int f = 0; f < FOLDS; f++) {
            size_t train[N], test[N], n = 0, n_test = 0;
            fx_data *a, *b;
            for (size_t i = 0; i < N; i++)
                if (fold[i] == f)
                    test[n_test++] = i;
                else
                    train[n++] = i;
            CHECK(fx_data_select(&a, &t, train, n, NULL) == FX_OK);
            CHECK(fx_data_select(&b, &t, test, n_test, NULL) == FX_OK);
            fx_table u = fx_data_table(a), v = fx_data_table(b);
            snprintf(spec, sizeof spec, "%s,C=%g", model, C[q]);
            plan.model = spec;
            fx_model *m = fitted(&plan, &u, NULL);
            plan.model = model;
            CHECK(fx_model_evaluate(&expected, NULL, m, &v, NULL) == FX_OK);
            const fx_metrics *got = &out[q * FOLDS + (size_t)f];
            CHECK(got->rows == n_test);
            double off = distance(m, tol), unsure = near_zero(m, &v, off);
            if (classes == 2 || (classes && !plan.map && strstr(model, "kernel"))) {
                CHECK_NEAR(got->accuracy, expected.accuracy, unsure);
                CHECK_NEAR(got->auc, expected.auc, 0.02);
            } else if (classes)
                CHECK_NEAR(got->logloss, expected.logloss, 2 * off);
            else
                CHECK_NEAR(got->rmse, expected.rmse, off);
            fx_model_free(m);
            fx_data_free(a);
            fx_data_free(b);
        }
    fx_data_free(d);
}

static void rejects(void)
{
    fx_data *d = parsed("1 1:1\n2 1:2\n1 1:3\n2 1:4\n");
    fx_table t = fx_data_table(d);
    int32_t fold[] = {0, 0, 1, 1}, lacks[] = {0, 1, 0, 1}, wrong[] = {0, 0, 1, 2};
    fx_plan plan = {PLAN, .model = "logistic"}, online = {PLAN, .model = "perceptron"};
    fx_metrics out[6] = {FX_INIT(fx_metrics)};
    double down[] = {2, 1};

    CHECK(fx_model_path(out, &plan, C, 3, &t, fold, 2, NULL) == FX_OK && out[0].rows == 2);
    CHECK(fx_model_path(out, &plan, C, 3, &t, lacks, 2, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "fold 0"));
    CHECK(fx_model_path(out, &plan, C, 3, &t, wrong, 2, NULL) == FX_EINVAL);
    CHECK(fx_model_path(out, &plan, down, 2, &t, fold, 2, NULL) == FX_EINVAL);
    CHECK(fx_model_path(out, &plan, C, 0, &t, fold, 2, NULL) == FX_EINVAL);
    CHECK(fx_model_path(out, &online, C, 3, &t, fold, 2, NULL) == FX_EUNSUPPORTED);
    CHECK(fx_model_path(NULL, &plan, C, 3, &t, fold, 2, NULL) == FX_EINVAL);
    fx_data_free(d);
}

/* plan.metric is measured on the held-out rows, of any kind of model. */
static void metrics(void)
{
    fx_data *d = made("pairs:n=200,d=10,nz=4,k=3");
    fx_table t = fx_data_table(d);
    static const char *const names[] = {"accuracy", "auc", "f1-macro"};
    int32_t fold[200];

    for (size_t i = 0; i < 200; i++)
        fold[i] = (int32_t)(i % 2);
    for (int k = 0; k < 3; k++) {
        fx_plan plan = {PLAN, .model = "svm", .metric = names[k]};
        fx_metrics out[2] = {FX_INIT(fx_metrics)};
        CHECK(fx_model_path(out, &plan, C, 1, &t, fold, 2, NULL) >= 0);
        for (int f = 0; f < 2; f++)
            CHECK(k == 2 ? out[f].metric > 0 && out[f].metric <= 1
                         : out[f].metric == (k ? out[f].auc : out[f].accuracy));
        plan.metric = NULL;
        CHECK(fx_model_path(out, &plan, C, 1, &t, fold, 2, NULL) >= 0 && isnan(out[0].metric));
        plan.metric = "rmse";
        CHECK(fx_model_path(out, &plan, C, 1, &t, fold, 2, NULL) == FX_EINVAL);
        plan.metric = "logloss";
        CHECK(fx_model_path(out, &plan, C, 1, &t, fold, 2, NULL) == FX_EINVAL);
        plan.metric = "acuracy";
        CHECK(fx_model_path(out, &plan, C, 1, &t, fold, 2, NULL) == FX_EINVAL);
    }
    fx_data_free(d);
}

int main(void)
{
    test_init();
    is_cross_validation("svm:intercept=none,tol=1e-6,max-iter=100000", 1e-6, 2, 0);
    is_cross_validation("svm-l2:solver=dual,intercept=appended,tol=1e-6,max-iter=100000", 1e-6, 2,
                        0);
    is_cross_validation("logistic:intercept=none,tol=1e-8", 1e-8, 3, 0);
    is_cross_validation("logistic:intercept=appended,tol=1e-8", 1e-8, 3, 1);
    is_cross_validation("ridge:intercept=none,tol=1e-8", 1e-8, 0, 1);
    /* tol bounds a violation of the optimality conditions: the gap is far smaller than 1e-5 */
    is_cross_validation("kernel-svm:tol=1e-4,collapse=no", 1e-5, 2, 2);
    is_cross_validation("kernel-svm:tol=1e-4,collapse=no", 1e-5, 3, 2);
    is_cross_validation("kernel-svr:tol=1e-4,collapse=no", 1e-5, 0, 2);
    is_cross_validation("kernel-ridge:collapse=no", 1e-8, 0, 2);
    rejects();
    metrics();
    return 0;
}
