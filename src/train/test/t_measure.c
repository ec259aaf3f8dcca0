/* SPDX-License-Identifier: BSD-3-Clause
 * t_measure.c - metrics of one output by their definitions, which of two is better, and which
 * metric goes with which task. */
#include "base/test.h"
#include "train/train.h"

#include <string.h>

enum { N = 50 };
enum { ACCURACY, LOGLOSS, RMSE, AUC, F1 };
static const char *const names[] = {"accuracy", "logloss", "rmse", "auc", "f1"};

/* The weighted mean of what each row adds; rmse is its root. */
static double mean(int metric, const double *y, const double *f, const double *w)
{
    double sum = 0, total = 0;

    for (size_t i = 0; i < N; i++) {
        double clipped = fmin(1.5, fmax(-1, f[i]));
        sum += w[i]
               * (metric == ACCURACY  ? (f[i] > 0) == (y[i] > 0)
                  : metric == LOGLOSS ? log1p(exp(-(2 * y[i] - 1) * f[i]))
                                      : (clipped - y[i]) * (clipped - y[i]));
        total += w[i];
    }
    return metric == RMSE ? sqrt(sum / total) : sum / total;
}

static double area(const double *y, const double *f, const double *w)
{
    double right = 0, all = 0;

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            if (y[i] > 0 && !(y[j] > 0)) {
                right += w[i] * w[j] * (f[i] > f[j] ? 1 : f[i] == f[j] ? 0.5 : 0);
                all += w[i] * w[j];
            }
    return right / all;
}

static double f1(const double *y, const double *f, const double *w)
{
    double both = 0, either = 0;

    for (size_t i = 0; i < N; i++) {
        both += 2 * w[i] * (y[i] > 0 && f[i] > 0);
        either += w[i] * ((y[i] > 0) + (f[i] > 0));
    }
    return both / either;
}

/* Sums of N positive terms, in any order: 1e-13 is above 2 N u. */
static void measures(void)
{
    double w[N], label[N];
    fx_model m = {.c = {.classes = 2, .outputs = 1, .low = -1, .high = 1.5}};
    fxi_train t = {.m = &m, .eval = {.rows = N}, .eval_labels = {2, label, w, NULL, NULL}};

    for (int metric = ACCURACY; metric <= F1; metric++) {
        fxi_output o = {.train = &t};
        double got;
        CHECK(fxi_metric_parse(&t.metric, names[metric]) == FX_OK);
        t.eval_labels.classes = m.c.classes = metric == RMSE ? 0 : 2;
        for (size_t i = 0; i < N; i++) {
            w[i] = (double)test_below(3) + (i < 2);
            label[i] = m.c.classes ? (double)(i < 2 ? i : test_below(2)) : 4 * test_unit() - 2;
        }
        CHECK(fxi_train_measure_new(&o) == FX_OK && o.score);
        const double *y = label;
        for (size_t i = 0; i < N; i++)
            o.score[i] = (double)test_below(9) / 2 - 2;
        CHECK(fxi_train_measure(&got, &o) == FX_OK);
        CHECK_NEAR(got,
                   metric == AUC  ? area(y, o.score, w)
                   : metric == F1 ? f1(y, o.score, w)
                                  : mean(metric, y, o.score, w),
                   1e-13);
        bool less = metric == LOGLOSS || metric == RMSE;
        CHECK(fxi_train_measure_better(&t, 1, 2) == less);
        CHECK(fxi_train_measure_better(&t, 2, 1) == !less && !fxi_train_measure_better(&t, 1, 1));
        CHECK(fxi_train_measure_better(&t, 1, NAN) && !fxi_train_measure_better(&t, NAN, 1));
        free(o.score);
    }
}

/* Of pairs of classes, rows of a third class do not count. */
static void pairs(void)
{
    double w[] = {1, 1, 1, 1}, label[] = {0, 1, 2, 2}, got;
    fx_model m = {.c = {.classes = 3, .outputs = 3, .pairs = 1}};
    fxi_train t = {.m = &m, .eval = {.rows = 4}, .eval_labels = {3, label, w, NULL, NULL}};
    fxi_output o = {.train = &t};

    CHECK(fxi_metric_parse(&t.metric, "accuracy") == FX_OK);
    CHECK(fxi_train_measure_new(&o) == FX_OK);
    for (size_t i = 0; i < 4; i++)
        o.score[i] = -1;                /* output 0: class 0, which is right for one of two */
    CHECK(fxi_train_measure(&got, &o) == FX_OK && got == 0.5);
    free(o.score);
}

static void resolves(void)
{
    static const struct { const char *spec, *usual; int task; bool probabilities; } cases[] = {
        {"fm:loss=logistic", "accuracy", FX_TASK_CLASSIFY, true},
        {"fm:loss=squared", "accuracy", FX_TASK_CLASSIFY, false},
        {"svm", "accuracy", FX_TASK_CLASSIFY, false},
        {"fm:task=regress", "rmse", FX_TASK_REGRESS, false},
        {"fm:task=rank", "auc", FX_TASK_RANK, false}};
    fx_table eval = {0};
    const char *name;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fxi_train t = {0};
        CHECK(fxi_model_learner(&t.how, cases[i].spec) == FX_OK);
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .max_seconds = 2}) == FX_OK);
        CHECK(!strcmp(t.metric.type->name, cases[i].usual));
        for (size_t k = 0; (name = fx_metric_name(k)); k++) {
            fx_description d = FX_INIT(fx_description);
            CHECK(fx_metric_describe(&d, name) == FX_OK);
            bool fits = (d.tasks & cases[i].task) && (!d.probabilities || cases[i].probabilities);
            for (t.labels.classes = 2; t.labels.classes < 4; t.labels.classes++) {
                fx_plan plan = {PLAN, .metric = name, .eval = &eval, .patience = 5};
                bool two = !d.two_classes || t.labels.classes == 2;
                fx_status st = fxi_train_measure_resolve(&t, &plan);
                CHECK(st == (fits && two ? FX_OK : FX_EINVAL));
                CHECK(st || !strcmp(t.metric.type->name, name));
            }
        }
        t.labels.classes = 0;
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .patience = 1}) == FX_EINVAL);
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .max_seconds = -1}) == FX_EINVAL);
        CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .metric = "f2", .eval = &eval})
              == FX_EINVAL);
        fxi_model_learner_free(&t.how);
    }
    fxi_train t = {0};
    CHECK(fxi_model_learner(&t.how, "pca:k=2") == FX_OK);
    CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN}) == FX_OK);
    CHECK(fxi_train_measure_resolve(&t, &(fx_plan){PLAN, .metric = "rmse"}) == FX_EINVAL);
    fxi_model_learner_free(&t.how);
}

int main(void)
{
    test_init();
    measures();
    pairs();
    resolves();
    return 0;
}
