/* SPDX-License-Identifier: BSD-3-Clause
 * t_evaluate.c - accuracy, auc, logloss and the confusion matrix, computed by hand from labels,
 * scores and probabilities. */
#include "fixture.h"

/* Every metric by its name: those that evaluate gives are the same, others are numbers, and those
 * of other tasks are refused; F1 by the confusion matrix. */
static void by_name(const fx_model *m, const fx_table *t, const fx_metrics *e,
                    const double *confusion, size_t classes)
{
    const char *name;
    double macro = 0, got;

    for (size_t k = 0; k < classes; k++) {
        double rows = 0, predicted = 0;
        for (size_t i = 0; i < classes; i++) {
            rows += confusion[k * classes + i];
            predicted += confusion[i * classes + k];
        }
        macro += 2 * confusion[k * classes + k] / (rows + predicted) / (double)classes;
    }
    for (size_t i = 0; (name = fx_metric_name(i)); i++) {
        fx_description d = FX_INIT(fx_description);
        CHECK(fx_metric_describe(&d, name) == FX_OK);
        bool fits = (d.tasks & (classes ? FX_TASK_CLASSIFY : FX_TASK_REGRESS))
                    && (!d.probabilities || fx_model_inspect(m)->sigmoid)
                    && (!d.two_classes || classes == 2);
        got = 77;
        fx_status st = fx_model_evaluate_by(&got, &name, 1, m, t, NULL);
        CHECK(st == (fits ? FX_OK : FX_EINVAL));
        CHECK(fits ? got >= 0 && got < 77 : got == 77);
        if (!strcmp(name, "f1-macro") && fits)
            CHECK_NEAR(got, macro, 1e-14);
        if (!strcmp(name, "recall") && fits)
            CHECK(got == confusion[3] / (confusion[2] + confusion[3]));
    }
    const char *const names[] = {classes ? "accuracy" : "rmse", classes ? "auc" : "rmse"};
    double two[2];
    CHECK(fx_model_evaluate_by(two, names, 2, m, t, NULL) == FX_OK);
    CHECK(two[0] == (classes ? e->accuracy : e->rmse) && two[1] == (classes ? e->auc : e->rmse));
    CHECK(fx_model_evaluate_by(two, names, 0, m, t, NULL) == FX_OK);
    CHECK(fx_model_evaluate_by(NULL, names, 2, m, t, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluate_by(two, NULL, 2, m, t, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluate_by(two, names, 2, NULL, t, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluate_by(two, names, 2, m, NULL, NULL) == FX_EINVAL);
}

/* By hand from labels, scores and probabilities. */
static void by_definition(const char *model, int classes)
{
    fx_data *d = made("pairs:n=300,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double *label = malloc(t.rows * sizeof *label), weight[300], confusion[9], seen = 0;

    CHECK(label);
    for (size_t i = 0; i < t.rows; i++) {
        label[i] = (double)(t.label[i] > 0) + (classes == 3 && i % 3 == 0);
        weight[i] = (double)(i % 4);
    }
    t.label = label;
    t.weight = weight;
    fx_model *m = fitted(&(fx_plan){PLAN, .model = model}, &t, NULL);
    double *l = predicted(m, FX_LABEL, t.block, NULL), right = 0, total = 0, loss = 0, rmse = 0;
    size_t k = fx_model_width(m, FX_PROBA);
    double *p = k ? predicted(m, FX_PROBA, t.block, NULL) : NULL;
    fx_metrics got = FX_INIT(fx_metrics);
    CHECK(fx_model_evaluate(&got, classes ? confusion : NULL, m, &t, NULL) == FX_OK);
    for (size_t i = 0; i < t.rows; i++) {
        right += weight[i] * (l[i] == label[i]);
        total += weight[i];
        rmse += weight[i] * (l[i] - label[i]) * (l[i] - label[i]);
        if (p)
            loss -= weight[i] * log(p[i * k + (size_t)label[i]]);
    }
    CHECK(got.rows == 300);
    if (classes) {
        CHECK(got.accuracy == right / total && isnan(got.rmse));
        for (int a = 0; a < classes * classes; a++)
            seen += confusion[a];
        CHECK(seen == total && got.auc > 0.5 && got.auc <= 1);
        right = 0;
        for (int a = 0; a < classes; a++)
            right += confusion[a * classes + a];
        CHECK(got.accuracy == right / total);
    } else {
        CHECK(isnan(got.accuracy) && isnan(got.auc));
        CHECK_NEAR(got.rmse, sqrt(rmse / total), 1e-12);
    }
    if (p)
        CHECK_NEAR(got.logloss, loss / total, 1e-12 * total);
    else
        CHECK(isnan(got.logloss));
    by_name(m, &t, &got, confusion, (size_t)classes);
    free(l);
    free(p);
    free(label);
    fx_model_free(m);
    fx_data_free(d);
}

/* Labels of other forms find their class; unknown ones do not. */
static void labels(void)
{
    fx_data *numbers = parsed("1 1:1\n-1 1:-1\n1 1:2\n-1 1:-2\n");
    fx_data *text = parsed("no 1:1\nyes 1:-1\nno 1:2\nyes 1:-2\n");
    fx_data *mixed = parsed("b 1:1\na 1:-1\nb 1:2\na 1:-2\n");
    const char *const names[] = {"1", "b"};     /* text all the same */
    fx_data *same = parsed("+1.0 1:1\n-1e0 1:-3\n"), *other = parsed("2 1:1\n");
    fx_data *one = parsed("1 1:-1\n");
    fx_table n = fx_data_table(numbers), s = fx_data_table(text), a = fx_data_table(mixed);
    fx_table t = fx_data_table(same), u = fx_data_table(other), v = fx_data_table(one);
    fx_plan plan = {PLAN, .model = "svm"};
    a.class_name = names;
    fx_model *m = fitted(&plan, &n, NULL), *words = fitted(&plan, &s, NULL);
    fx_model *both = fitted(&plan, &a, NULL);
    fx_metrics got = FX_INIT(fx_metrics);

    CHECK(fx_model_evaluate(&got, NULL, m, &t, NULL) == FX_OK && got.accuracy == 1);
    CHECK(fx_model_evaluate(&got, NULL, m, &u, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "is 2") && strstr(fx_error_detail(), "-1, 1"));
    CHECK(fx_model_evaluate(&got, NULL, words, &s, NULL) == FX_OK && got.accuracy == 1);
    CHECK(fx_model_evaluate(&got, NULL, words, &n, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluate(&got, NULL, both, &v, NULL) == FX_OK && got.accuracy == 1);
    CHECK(isnan(got.auc));
    v.label = NULL;
    CHECK(fx_model_evaluate(&got, NULL, both, &v, NULL) == FX_EINVAL);
    fx_model_free(m);
    fx_model_free(words);
    fx_model_free(both);
    fx_data_free(numbers);
    fx_data_free(text);
    fx_data_free(mixed);
    fx_data_free(same);
    fx_data_free(other);
    fx_data_free(one);
}

int main(void)
{
    test_init();
    by_definition("svm", 2);
    by_definition("logistic", 2);
    by_definition("logistic", 3);
    by_definition("svm-l2", 3);
    by_definition("ridge", 0);
    labels();
    return 0;
}
