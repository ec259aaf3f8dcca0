/* SPDX-License-Identifier: BSD-3-Clause
 * t_evaluator.c - rows in batches give the metrics of one table with all of them, bit for bit:
 * classes, targets, rankings, pairs of classes, text labels, weights and queries that begin late,
 * rows left out; rows that were scored elsewhere; what exceeds the memory is refused with what all
 * rows need; metrics that are sums need none. */
#include "fixture.h"

enum { ROWS = 300 };

static fx_table rows_of(const fx_table *t, fx_matrix *X, size_t first, size_t n)
{
    fx_table part = *t;

    *X = t->block[0];
    X->rows = n;
    X->ptr += first;
    part.rows = n;
    part.block = X;
    part.label += first;
    part.weight = t->weight ? t->weight + first : NULL;
    part.qid = t->qid ? t->qid + first : NULL;
    return part;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* The next rows, by themselves or with scores that were computed before. */
static fx_status add(fx_evaluator *e, const fx_model *m, const fx_table *t, bool scored)
{
    if (!scored)
        return fx_model_evaluator_add(e, t, NULL);
    double *score = calloc(t->rows * fx_model_width(m, FX_SCORE), sizeof *score);
    CHECK(fx_model_predict(score, NULL, m, FX_SCORE, t->block, NULL) == FX_OK);
    fx_status s = fx_model_evaluator_add_scored(e, t, score, NULL);
    free(score);
    return s;
}

/* Batches of `step` rows. */
static void in_batches(const fx_model *m, const fx_table *t, size_t step, const char *const *name,
                       size_t names)
{
    fx_metrics whole = FX_INIT(fx_metrics), got = FX_INIT(fx_metrics);
    size_t classes = fx_model_inspect(m)->classes;
    double expected[9], confusion[9], value[8], by[8];
    fx_evaluator *e = NULL;
    fx_matrix X;

    CHECK(fx_model_evaluate(&whole, classes ? expected : NULL, m, t, NULL) == FX_OK);
    CHECK(fx_model_evaluate_by(value, name, names, m, t, NULL) == FX_OK);
    CHECK(fx_model_evaluator_new(&e, m, NULL) == FX_OK);
    for (size_t i = 0; i < t->rows; i += step) {
        fx_table part = rows_of(t, &X, i, t->rows - i < step ? t->rows - i : step);
        CHECK(add(e, m, &part, i / step % 2) == FX_OK);
    }
    CHECK(fx_model_evaluator_metrics(&got, classes ? confusion : NULL, e, NULL) == FX_OK);
    CHECK(fx_model_evaluator_by(by, name, names, e, NULL) == FX_OK);
    CHECK(got.rows == t->rows && got.rows == whole.rows && same(got.accuracy, whole.accuracy));
    CHECK(same(got.auc, whole.auc) && same(got.logloss, whole.logloss));
    CHECK(same(got.rmse, whole.rmse) && isnan(got.metric));
    for (size_t k = 0; k < classes * classes; k++)
        CHECK(confusion[k] == expected[k]);
    for (size_t k = 0; k < names; k++)
        CHECK(same(by[k], value[k]));
    fx_model_evaluator_free(e);
}

static void tasks(const char *model, int classes)
{
    static const char *const of_classes[] = {"f1-macro", "average-precision", "accuracy", "auc"};
    static const char *const of_targets[] = {"rmse"}, *const of_ranks[] = {"ndcg@3", "auc"};
    bool rank = strstr(model, "rank");
    fx_data *d = made("pairs:n=300,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[ROWS], weight[ROWS];
    int64_t qid[ROWS];

    for (size_t i = 0; i < ROWS; i++) {
        label[i] = (double)(t.label[i] > 0) + (classes == 3 && i % 3 == 0);
        weight[i] = 0.1 * (double)(i % 4);
        qid[i] = (int64_t)i / 7;
    }
    t.label = label;
    t.weight = rank ? NULL : weight;
    t.qid = rank ? qid : NULL;
    fx_model *m = fitted(&(fx_plan){PLAN, .model = model,
                                     .kernel = strstr(model, "kernel") ? "poly:degree=2" : NULL},
                         &t, NULL);
    for (size_t step = 1; step <= ROWS; step = step == 1 ? 64 : 3 * step)
        in_batches(m, &t, step, classes ? of_classes : rank ? of_ranks : of_targets,
                   classes ? 4 : rank ? 2 : 1);
    fx_model_free(m);
    fx_data_free(d);
}

/* A batch may have other classes, or none of those before; weights and queries may begin late. */
static void batches_differ(void)
{
    fx_data *train = parsed("b 1:1\na 1:-1\nc 1:2 2:1\na 1:-2\n");
    fx_data *first = parsed("c 1:3\nc 1:1\n"), *second = parsed("a 1:-3\nb 2:1\n");
    fx_table t = fx_data_table(train), one = fx_data_table(first), two = fx_data_table(second);
    static const double weight[] = {2, 0.5};
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "logistic"}, &t, NULL);
    fx_metrics got = FX_INIT(fx_metrics);
    double confusion[9], rows[3] = {0};
    fx_evaluator *e = NULL;

    two.weight = weight;
    CHECK(fx_model_evaluator_new(&e, m, NULL) == FX_OK);
    CHECK(fx_model_evaluator_metrics(&got, confusion, e, NULL) == FX_OK && got.rows == 0);
    CHECK(isnan(got.accuracy) && isnan(got.auc) && isnan(got.logloss) && confusion[0] == 0);
    CHECK(fx_model_evaluator_add(e, &one, NULL) == FX_OK);
    CHECK(fx_model_evaluator_add(e, &two, NULL) == FX_OK);
    CHECK(fx_model_evaluator_metrics(&got, confusion, e, NULL) == FX_OK && got.rows == 4);
    for (size_t k = 0; k < 9; k++)
        rows[k / 3] += confusion[k];
    CHECK(rows[0] == 2 && rows[1] == 0.5 && rows[2] == 2);
    one.label = NULL;
    CHECK(fx_model_evaluator_add(e, &one, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_metrics(&got, NULL, e, NULL) == FX_OK && got.rows == 4);
    fx_model_evaluator_free(e);
    fx_model_free(m);
    fx_data_free(train);
    fx_data_free(first);
    fx_data_free(second);
}

/* Scores that are given are taken, whatever the model would say. */
static void given_scores(void)
{
    fx_data *d = made("pairs:n=300,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d);
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "ridge"}, &t, NULL);
    fx_metrics got = FX_INIT(fx_metrics);
    fx_evaluator *e = NULL;

    CHECK(fx_model_evaluator_new(&e, m, NULL) == FX_OK);
    CHECK(fx_model_evaluator_add_scored(e, &t, t.label, NULL) == FX_OK);
    CHECK(fx_model_evaluator_metrics(&got, NULL, e, NULL) == FX_OK);
    CHECK(got.rows == 300 && got.rmse == 0);
    fx_model_evaluator_free(e);
    fx_model_free(m);
    fx_data_free(d);
}

/* Asking for too much says what all rows need; just that much does. */
static void limit(void)
{
    fx_data *d = made("pairs:n=3000,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d);
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "logistic"}, &t, NULL);
    fx_metrics got = FX_INIT(fx_metrics);
    size_t need = 3000 * (3 * 8 + 24);
    fx_matrix X;
    char said[64];

    snprintf(said, sizeof said, "3000 rows needs %zu bytes", need);
    for (int enough = 0; enough < 2; enough++) {
        fx_run run = {.size = sizeof run, .max_memory = need - !enough};
        fx_evaluator *e = NULL;
        CHECK(fx_model_evaluator_new(&e, m, &run) == FX_OK);
        for (size_t i = 0; i < t.rows; i += 100) {
            fx_table part = rows_of(&t, &X, i, 100);
            CHECK(fx_model_evaluator_add(e, &part, &run) == FX_OK);
        }
        fx_status st = fx_model_evaluator_metrics(&got, NULL, e, &run);
        CHECK(st == (enough ? FX_OK : FX_ELIMIT));
        CHECK(enough || strstr(fx_error_detail(), said));
        fx_model_evaluator_free(e);
    }
    fx_model_free(m);
    fx_data_free(d);
}

/* Sums are the same if nothing else is kept, within a limit that holds no rows. */
static void only_sums(const char *model, int classes)
{
    static const char *const name[] = {"accuracy", "f1-macro", "recall-micro", "precision-macro"};
    fx_data *d = made("pairs:n=3000,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[3000], weight[3000], want[4], got[4], confusion[2][9];
    fx_run run = {.size = sizeof run, .max_memory = 16384};
    fx_metrics m[2] = {FX_INIT(fx_metrics), FX_INIT(fx_metrics)};
    const char *auc = "auc", *wrong = "rmse";
    fx_evaluator *e = NULL;
    fx_matrix X;

    for (size_t i = 0; i < t.rows; i++) {
        label[i] = (double)(t.label[i] > 0) + (classes == 3 && i % 3 == 0);
        weight[i] = 0.1 * (double)(i % 4);
    }
    t.label = label;
    t.weight = weight;
    fx_model *of = fitted(&(fx_plan){PLAN, .model = model}, &t, NULL);
    CHECK(fx_model_evaluate(&m[0], confusion[0], of, &t, NULL) == FX_OK);
    CHECK(fx_model_evaluate_by(want, name, 4, of, &t, NULL) == FX_OK);
    CHECK(fx_model_evaluator_new(&e, of, &run) == FX_OK);
    CHECK(fx_model_evaluator_only(e, &wrong, 1) == FX_EINVAL);
    CHECK(fx_model_evaluator_only(e, &auc, 1) == FX_OK);        /* needs them; nothing is changed */
    CHECK(fx_model_evaluator_only(e, name, 4) == FX_OK);
    CHECK(fx_model_evaluator_only(e, name, 4) == FX_EINVAL);
    for (size_t i = 0; i < t.rows; i += 100) {
        fx_table part = rows_of(&t, &X, i, 100);
        CHECK(fx_model_evaluator_add(e, &part, &run) == FX_OK);
    }
    CHECK(fx_model_evaluator_metrics(&m[1], confusion[1], e, &run) == FX_OK);
    CHECK(m[1].rows == 3000 && m[1].accuracy == m[0].accuracy && same(m[1].logloss, m[0].logloss));
    CHECK(isnan(m[1].auc) && isnan(m[1].rmse) && m[0].auc > 0);
    CHECK(!memcmp(confusion[0], confusion[1], (size_t)(classes * classes) * sizeof(double)));
    CHECK(fx_model_evaluator_by(got, name, 4, e, &run) == FX_OK && !memcmp(got, want, sizeof got));
    CHECK(fx_model_evaluator_by(got, &auc, 1, e, &run) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "auc was not among"));
    fx_model_evaluator_free(e);
    fx_model_free(of);
    fx_data_free(d);
}

static void rejects(void)
{
    fx_data *d = made("pairs:n=300,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d);
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "ridge"}, &t, NULL);
    fx_model *pca = fitted(&(fx_plan){PLAN, .model = "pca:k=2"}, &t, NULL);
    fx_metrics got = FX_INIT(fx_metrics);
    const char *auc = "auc";
    double value;
    fx_evaluator *e = NULL;

    CHECK(fx_model_evaluator_new(&e, pca, NULL) == FX_EUNSUPPORTED && !e);
    CHECK(fx_model_evaluator_new(NULL, m, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_new(&e, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_new(&e, m, NULL) == FX_OK);
    CHECK(fx_model_evaluator_add(e, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_add(NULL, &t, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_add_scored(e, &t, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_add_scored(e, NULL, &value, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_add_scored(NULL, &t, &value, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_add(e, &t, NULL) == FX_OK);
    CHECK(fx_model_evaluator_metrics(&got, &value, e, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_metrics(NULL, NULL, e, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_metrics(&got, NULL, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_by(&value, &auc, 1, e, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_by(NULL, &auc, 1, e, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_by(&value, NULL, 1, e, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_by(&value, &auc, 1, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_evaluator_only(e, &auc, 1) == FX_EINVAL);    /* rows were added */
    CHECK(fx_model_evaluator_only(NULL, &auc, 1) == FX_EINVAL);
    CHECK(fx_model_evaluator_only(e, NULL, 1) == FX_EINVAL);
    fx_model_evaluator_free(e);
    fx_model_evaluator_free(NULL);
    fx_model_free(m);
    fx_model_free(pca);
    fx_data_free(d);
}

int main(void)
{
    test_init();
    tasks("svm", 2);
    tasks("logistic", 2);
    tasks("logistic", 3);
    tasks("kernel-svm:collapse=no", 3);
    tasks("kernel-svm:calibrate=yes,collapse=no", 3);
    tasks("ridge", 0);
    tasks("fm:task=rank,rank=2,max-iter=3,tol=1", 0);
    batches_differ();
    given_scores();
    limit();
    only_sums("logistic", 2);
    only_sums("svm-l2", 3);
    rejects();
    return 0;
}
