/* SPDX-License-Identifier: BSD-3-Clause
 * t_metric.c - the table of metrics: names, numbers behind @, which task has which, and means of
 * weighted rows (mean.c) against their definitions.
 * Covers: mean.c */
#include "base/test.h"
#include "metric/metric.h"

#include <string.h>

static void names(void)
{
    fx_description d = FX_INIT(fx_description);
    const char *name;
    fxi_metric m;

    for (size_t i = 0; (name = fx_metric_name(i)); i++) {
        CHECK(fxi_metric_parse(&m, name) == FX_OK && !strcmp(m.type->name, name));
        CHECK(m.k == (strchr(name, '@') ? 10 : SIZE_MAX));
        CHECK(fx_metric_describe(&d, name) == FX_OK && !strcmp(d.name, name) && *d.help);
        CHECK(d.tasks == m.type->tasks && d.falls == m.type->falls && d.keys == 0);
        CHECK(d.probabilities == !strcmp(name, "logloss"));
        CHECK(d.falls == (!strcmp(name, "logloss") || !strcmp(name, "rmse")));
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(fx_metric_name(j), name) != 0);
    }
    CHECK(fxi_metric_parse(&m, "ndcg@3") == FX_OK && m.k == 3 && !strcmp(m.type->name, "ndcg@10"));
    CHECK(fxi_metric_parse(&m, "recall@1000") == FX_OK && m.k == 1000);
    CHECK(fx_metric_describe(&d, "precision@7") == FX_OK && d.tasks == FX_TASK_RANK);
    CHECK(fx_metric_describe(&d, NULL) == FX_EINVAL && fx_metric_describe(NULL, "f1") == FX_EINVAL);
}

static void rejected(const char *name, const char *said)
{
    fxi_metric m = {0};

    CHECK(fxi_metric_parse(&m, name) == FX_EINVAL && !m.type);
    if (!strstr(fx_error_detail(), said))
        fprintf(stderr, "'%s' should say '%s'\n", fx_error_detail(), said);
    CHECK(strstr(fx_error_detail(), said));
}

static void rejects(void)
{
    rejected("acuracy", "recall@10; did you mean 'accuracy'?");
    rejected("ndgc@5", "did you mean 'ndcg@5'?");
    rejected("f1-marco", "did you mean 'f1-macro'?");
    rejected("f1@10", "no metric 'f1@10'");
    rejected("", "no metric ''");
    rejected("accuracy ", "no metric 'accuracy '");
    rejected("ndcg@", "whole number");
    rejected("ndcg@0", "whole number");
    rejected("ndcg@-1", "whole number");
    rejected("ndcg@1x", "whole number");
    rejected("ndcg@99999999999999999999999", "whole number");
    rejected(NULL, "no metric is named");
}

static fx_status checked(const char *name, int task, size_t classes, bool probabilities)
{
    fxi_metric m;

    CHECK(fxi_metric_parse(&m, name) == FX_OK);
    return fxi_metric_check(&m, task, classes, probabilities);
}

static void tasks(void)
{
    CHECK(!checked("rmse", FX_TASK_REGRESS, 0, false) && !checked("auc", FX_TASK_RANK, 0, false));
    CHECK(checked("ndcg", FX_TASK_REGRESS, 0, false) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "task=regress, whose metrics are rmse"));
    CHECK(checked("rmse", FX_TASK_CLASSIFY, 2, true) == FX_EINVAL);
    CHECK(checked("f1", FX_TASK_CLASSIFY, 3, true) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "f1-macro or f1-micro"));
    CHECK(!checked("f1", FX_TASK_CLASSIFY, 2, true) && !checked("f1", FX_TASK_CLASSIFY, 0, true));
    CHECK(!checked("f1-macro", FX_TASK_CLASSIFY, 3, true));
    CHECK(!checked("logloss", FX_TASK_CLASSIFY, 3, true));
    CHECK(checked("logloss", FX_TASK_CLASSIFY, 3, false) == FX_EINVAL);
}

/* Whole weights are rows repeated. */
static void means(void)
{
    enum { N = 30 };
    static const char *const names[] = {"accuracy", "logloss", "rmse"};
    double y[N], label[N], log[N], w[N];

    for (int t = 0; t < test_cases(100); t++) {
        double sum[3] = {0}, total = 0;
        for (size_t i = 0; i < N; i++) {
            y[i] = (double)test_below(3);
            label[i] = (double)test_below(3);
            log[i] = -(double)test_below(64) / 8;
            w[i] = (double)test_below(4);
            for (size_t c = 0; c < (size_t)w[i]; c++, total++) {
                sum[0] += label[i] == y[i];
                sum[1] -= log[i];
                sum[2] += (label[i] - y[i]) * (label[i] - y[i]);
            }
        }
        fxi_metric_rows r = {.n = N, .classes = 3, .y = y, .label = label, .log = log, .weight = w};
        for (int k = 0; k < 3; k++) {
            fxi_metric m;
            double got, want = sum[k] / total;
            CHECK(fxi_metric_parse(&m, names[k]) == FX_OK);
            CHECK(fxi_metric_of(&got, &m, &r, NULL) == FX_OK);
            CHECK(got == (k == 2 ? sqrt(want) : want) || !(total > 0));
        }
    }
    double got;
    CHECK(fxi_metric_mean_accuracy(&got, &(fxi_metric_rows){0}, 0, NULL) == FX_OK && isnan(got));
}

int main(void)
{
    test_init();
    names();
    rejects();
    tasks();
    means();
    return 0;
}
