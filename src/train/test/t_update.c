/* SPDX-License-Identifier: BSD-3-Clause
 * t_update.c - perceptrons resume: chunks are one pass, 5 and 5 passes are 10; starts from an
 * earlier model; classes of the plan.
 * Covers: init.c, src/kind/perceptron.c, src/kind/kernel.c */
#include "model/test/fixture.h"

/* Rows [first, first + n) of a table of one block. */
static fx_data *part(const fx_table *t, size_t first, size_t n)
{
    size_t row[512];
    fx_data *d;

    for (size_t i = 0; i < n; i++)
        row[i] = first + i;
    CHECK(fx_data_select(&d, t, row, n, NULL) == FX_OK);
    return d;
}

static fx_plan plan_of(const char *model, int map)
{
    fx_plan p = {PLAN, .model = model, .seed = 4};

    if (map == 1) {
        p.map = "rk";
        p.features = 100;
    }
    p.kernel = "anova:order=2";
    return p;
}

/* Chunk after chunk is one pass over all. */
static void chunks_are_one_pass(const char *model, int map, size_t chunk)
{
    fx_data *d = made("pairs:n=370,d=24,nz=6,k=4"), *e;
    fx_table t = fx_data_table(d), u;
    fx_plan plan = plan_of(model, map);
    fx_model *whole = fitted(&plan, &t, NULL), *m, *next;

    e = part(&t, 0, chunk);
    u = fx_data_table(e);
    m = fitted(&plan, &u, NULL);
    fx_data_free(e);
    for (size_t first = chunk; first < t.rows; first += chunk) {
        e = part(&t, first, t.rows - first < chunk ? t.rows - first : chunk);
        u = fx_data_table(e);
        CHECK(fx_model_update(&next, m, &u, &(fx_run){RUN, .threads = 2}) == FX_OK);
        fx_model_free(m);
        fx_data_free(e);
        m = next;
    }
    CHECK(same_model(m, whole) && fx_model_inspect(m)->rows == t.rows);
    CHECK(fx_model_inspect(m)->vectors.rows == fx_model_inspect(whole)->vectors.rows);
    double *a = scores(m, &t), *b = scores(whole, &t);
    CHECK(same_bits(a, b, t.rows));
    free(a);
    free(b);
    fx_model_free(m);
    fx_model_free(whole);
    fx_data_free(d);
}

/* 5 and 5 passes are 10. */
static void resumes(const char *five, const char *ten, int map)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(five, map);
    fx_model *half = fitted(&plan, &t, NULL), *m, *whole;

    plan.init = half;
    m = fitted(&plan, &t, NULL);
    plan.init = NULL;
    plan.model = ten;
    whole = fitted(&plan, &t, NULL);
    CHECK(same_model(m, whole) && !same_model(half, whole));
    CHECK(fx_model_inspect(m)->iterations == 10);
    fx_model_free(m);
    fx_model_free(half);
    fx_model_free(whole);
    fx_data_free(d);
}

/* A kernel perceptron too: it knows its vectors among the rows.  Among other rows they stand above
 * all, and some may be there twice.  Other machines cannot. */
static void machine_resumes(const char *two, const char *four)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4"), *e;
    fx_table t = fx_data_table(d), u;
    fx_plan plan = {PLAN, .model = two, .kernel = "anova"};
    fx_model *half = fitted(&plan, &t, NULL), *m, *whole, *none = NULL;

    plan.init = half;
    m = fitted(&plan, &t, NULL);
    plan.init = NULL;
    plan.model = four;
    whole = fitted(&plan, &t, NULL);
    CHECK(same_model(m, whole) && fx_model_inspect(m)->iterations == 4);
    CHECK(fx_model_inspect(m)->vectors.rows == fx_model_inspect(whole)->vectors.rows);
    fx_model_free(m);
    plan.init = half;
    plan.model = two;
    e = part(&t, 1, t.rows - 1);        /* without row 0, which was a mistake */
    u = fx_data_table(e);
    m = fitted(&plan, &u, NULL);
    CHECK(fx_model_inspect(m)->vectors.rows > fx_model_inspect(whole)->vectors.rows);
    plan.init = half;
    plan.kernel = "rbf";
    CHECK(fx_model_fit(&none, &plan, &t, NULL) == FX_EINVAL && !none);
    plan.kernel = "anova";
    plan.model = "perceptron";
    CHECK(fx_model_fit(&none, &plan, &t, NULL) == FX_EINVAL && !none);
    fx_data_free(e);
    fx_model_free(m);
    fx_model_free(half);
    fx_model_free(whole);
    fx_data_free(d);
}

/* Newton started at an optimum has nothing left to do. */
static void starts_there(void)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4"), *other = made("pairs:n=200,d=25,nz=6,k=4");
    fx_table t = fx_data_table(d), u = fx_data_table(other);
    fx_plan plan = {PLAN, .model = "logistic"}, bad = {PLAN, .model = "svm"};
    fx_model *first = fitted(&plan, &t, NULL), *m;

    CHECK(fx_model_inspect(first)->iterations > 1);
    plan.init = bad.init = first;
    m = fitted(&plan, &t, NULL);
    CHECK(fx_model_inspect(m)->iterations <= 1 && fx_model_inspect(m)->converged);
    fx_model_free(m);
    CHECK(fx_model_fit(&m, &bad, &t, NULL) == FX_EUNSUPPORTED);
    CHECK(fx_model_fit(&m, &plan, &u, NULL) == FX_EINVAL);
    bad.model = "perceptron";
    CHECK(fx_model_fit(&m, &bad, &t, NULL) == FX_EINVAL);
    CHECK(fx_model_update(&m, first, &t, NULL) == FX_EUNSUPPORTED);
    fx_model_free(first);
    fx_data_free(d);
    fx_data_free(other);
}

/* A column that only later rows have counts from then on. */
static void sees_more(void)
{
    fx_data *d = parsed("1 1:1 3:0\n-1 1:-1\n"), *e = parsed("-1 1:1 3:5\n");
    fx_data *x = parsed("0 3:1\n");
    fx_table t = fx_data_table(d), u = fx_data_table(e), v = fx_data_table(x);
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "perceptron:max-iter=1"}, &t, NULL), *next;
    uint64_t unseen;
    double f;

    CHECK(fx_model_predict(&f, &unseen, m, FX_SCORE, v.block, NULL) == FX_OK && unseen == 1);
    CHECK(fx_model_update(&next, m, &u, NULL) == FX_OK);
    CHECK(fx_model_predict(&f, &unseen, next, FX_SCORE, v.block, NULL) == FX_OK && unseen == 0);
    CHECK(fx_model_inspect(next)->weights[2] < 0);
    fx_model_free(m);
    fx_model_free(next);
    fx_data_free(d);
    fx_data_free(e);
    fx_data_free(x);
}

/* Rows of one class after those of another, the plan knowing both and a third: as one pass over all
 * of them.  Numbers, and positions among names. */
static void classes_come_later(const char *model, const char *text, int names)
{
    static const double label[] = {0, 2, 2, 1}, planned[] = {1, 0, 2, 3};
    static const char *const name[] = {"a", "b", "c", "d"};
    fx_data *d = parsed(text), *e[2];
    fx_table t = fx_data_table(d), u;
    fx_plan plan = {PLAN, .model = model, .class_value = planned, .classes = 4};
    fx_model *m, *next, *whole, *none = NULL;

    t.label = label;
    t.classes = names ? 4 : 0;
    t.class_name = names ? name : NULL;
    whole = fitted(&plan, &t, NULL);
    e[0] = part(&t, 0, 1);
    e[1] = part(&t, 1, 3);
    u = fx_data_table(e[0]);
    m = fitted(&plan, &u, NULL);
    CHECK(fx_model_inspect(m)->classes == 4 && fx_model_inspect(m)->outputs == 4);
    u = fx_data_table(e[1]);
    CHECK(fx_model_update(&next, m, &u, NULL) == FX_OK);
    CHECK(!strncmp(model, "fm", 2) || same_model(next, whole));
    CHECK(!strcmp(fx_model_inspect(next)->class_name[3], names ? "d" : "3"));
    double odd[] = {0, names ? 4 : NAN};
    plan.class_value = odd;
    plan.classes = 2;
    CHECK(fx_model_fit(&none, &plan, &t, NULL) == FX_EINVAL && !none);
    plan.model = "ridge";
    plan.classes = 1;
    CHECK(fx_model_fit(&none, &plan, &t, NULL) == FX_EINVAL && !none);
    plan.model = "pca:k=1";
    CHECK(fx_model_fit(&none, &plan, &t, NULL) == FX_EINVAL && !none);
    plan.model = model;
    plan.class_value = planned;
    plan.classes = 4;
    t.weight = (const double[4]){0};    /* nothing to learn from, whatever is planned */
    CHECK(fx_model_fit(&none, &plan, &t, NULL) == FX_EINVAL && !none);
    t.weight = (const double[4]){0, 1, 1, 1};   /* class 0 has no weight that could be balanced */
    plan.class_weight = "balanced";
    fx_model *balanced = fitted(&plan, &t, NULL);
    CHECK(isfinite(fx_model_inspect(balanced)->objective));
    CHECK(isfinite(fx_model_inspect(balanced)->weights[0]));
    fx_model_free(balanced);
    fx_model_free(m);
    fx_model_free(next);
    fx_model_free(whole);
    fx_data_free(d);
    fx_data_free(e[0]);
    fx_data_free(e[1]);
}

int main(void)
{
    test_init();
    for (int map = 0; map < 2; map++) {
        chunks_are_one_pass("perceptron:max-iter=1", map, 37);
        chunks_are_one_pass("perceptron:max-iter=1,averaged=no", map, 50);
        resumes("perceptron:max-iter=5", "perceptron:max-iter=10", map);
        resumes("perceptron:max-iter=5,averaged=no", "perceptron:max-iter=10,averaged=no", map);
    }
    chunks_are_one_pass("kernel-perceptron:max-iter=1", 2, 37);
    chunks_are_one_pass("kernel-perceptron:max-iter=1,averaged=no", 2, 50);
    chunks_are_one_pass("kernel-perceptron:max-iter=1,budget=20", 2, 41);
    machine_resumes("kernel-perceptron:max-iter=2", "kernel-perceptron:max-iter=4");
    machine_resumes("kernel-perceptron:max-iter=2,averaged=no,budget=150",
                    "kernel-perceptron:max-iter=4,averaged=no,budget=150");
    starts_there();
    sees_more();
    for (int names = 0; names < 2; names++) {
        const char *text = "0 1:1 2:1\n0 2:3 3:1\n0 1:-1 3:2\n0 2:-1\n";
        classes_come_later("perceptron:max-iter=1", text, names);
        classes_come_later("fm:solver=adagrad,max-iter=1,rank=2", text, names);
    }
    return 0;
}
