/* SPDX-License-Identifier: BSD-3-Clause
 * t_measure.c - metrics of one output by their definitions, which of two is better, and which
 * metric goes with which task. */
#include "base/test.h"
#include "train/train.h"

#include <string.h>

enum { N = 50 };

/* The weighted mean of what each row adds; rmse is its root. */
static double by_definition(int metric, const double *y, const double *f, const double *w)
{
    double sum = 0, total = 0;

    for (size_t i = 0; i < N; i++) {
        double clipped = fmin(1.5, fmax(-1, f[i]));
        sum += w[i]
               * (metric == FXI_METRIC_ACCURACY  ? (f[i] > 0) == (y[i] > 0)
                  : metric == FXI_METRIC_LOGLOSS ? log1p(exp(-y[i] * f[i]))
                                                 : (clipped - y[i]) * (clipped - y[i]));
        total += w[i];
    }
    return metric == FXI_METRIC_RMSE ? sqrt(sum / total) : sum / total;
}

static double area(const double *y, const double *f, const double *w)
{
    double right = 0, all = 0;

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (y[i] > 0 && y[j] < 0) {
                right += w[i] * w[j] * (f[i] > f[j] ? 1 : f[i] == f[j] ? 0.5 : 0);
                all += w[i] * w[j];
            }
    return right / all;
}

/* Sums of N positive terms, in any order: 1e-13 is above 2 N u. */
static void measures(void)
{
    double w[N], label[N];
    fx_model m = {.c = {.classes = 2, .outputs = 1, .low = -1, .high = 1.5}};
    fxi_train t = {.m = &m, .eval = {.rows = N}, .eval_labels = {2, label, w, NULL}};

    for (t.metric = FXI_METRIC_ACCURACY; t.metric <= FXI_METRIC_RMSE; t.metric++) {
        fxi_output o = {.train = &t};
        double got;
        t.eval_labels.classes = m.c.classes = t.metric == FXI_METRIC_RMSE ? 0 : 2;
        for (size_t i = 0; i < N; i++) {
            w[i] = (double)test_below(3) + (i < 2);
            label[i] = m.c.classes ? (double)(i < 2 ? i : test_below(2)) : 4 * test_unit() - 2;
        }
        CHECK(fxi_train_measure_new(&o) == FX_OK && o.score);
        const double *y = o.score + N;
        for (size_t i = 0; i < N; i++) {
            CHECK(y[i] == (m.c.classes ? 2 * label[i] - 1 : label[i]));
            o.score[i] = (double)test_below(9) / 2 - 2;
        }
        CHECK(fxi_train_measure(&got, &o) == FX_OK);
        CHECK_NEAR(got,
                   t.metric == FXI_METRIC_AUC ? area(y, o.score, w)
                                              : by_definition(t.metric, y, o.score, w),
                   1e-13);
        bool less = t.metric == FXI_METRIC_LOGLOSS || t.metric == FXI_METRIC_RMSE;
        CHECK(fxi_train_measure_better(&t, 1, 2) == less);
        CHECK(fxi_train_measure_better(&t, 2, 1) == !less && !fxi_train_measure_better(&t, 1, 1));
        CHECK(fxi_train_measure_better(&t, 1, NAN) && !fxi_train_measure_better(&t, NAN, 1));
        free(o.score);
    }
}

static void resolves(void)
{
    static const char *const names[] = {"accuracy", "auc", "logloss", "rmse"};
    static const struct { const char *spec, *fits; int metric; } cases[] = {
        {"fm:loss=logistic", "accuracy auc logloss", FXI_METRIC_ACCURACY},
        {"fm:loss=squared", "accuracy auc", FXI_METRIC_ACCURACY},
        {"fm:task=regress", "rmse", FXI_METRIC_RMSE}, {"fm:task=rank", "auc", FXI_METRIC_AUC}};
    fx_table eval = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fxi_train t = {0};
        CHECK(fxi_model_learner(&t.how, cases[i].spec) == FX_OK);
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .max_seconds = 2}) == FX_OK);
        CHECK(t.metric == cases[i].metric);
        for (int k = 0; k < 4; k++) {
            fx_plan plan = {PLAN, .metric = names[k], .eval = &eval, .patience = 5};
            fx_status st = fxi_train_measure_resolve(&t, &plan);
            CHECK(st == (strstr(cases[i].fits, names[k]) ? FX_OK : FX_EINVAL));
            CHECK(st || t.metric == k);
        }
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .patience = 1}) == FX_EINVAL);
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .max_seconds = -1}) == FX_EINVAL);
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .metric = "f1", .eval = &eval})
              == FX_EINVAL);
        fxi_model_learner_free(&t.how);
    }
}

int main(void)
{
    test_init();
    measures();
    resolves();
    return 0;
}
