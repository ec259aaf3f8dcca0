/* SPDX-License-Identifier: BSD-3-Clause
 * t_fit.c - every linear model and solver: optimum, pipeline, history, threads, messages,
 * cancellation.
 * Covers: train.c, history.c, src/model/learner.c, src/model/class_weight.c, src/kind/linear.c */
#include "model/test/fixture.h"

#include <time.h>

static const char *const specs[] = {
    "svm", "svm:solver=newton", "svm:solver=dual", "svm-l2:solver=dual", "svm-l2:solver=newton",
    "svm-l2:penalty=l1,C=0.1", "logistic", "logistic:penalty=l1,C=0.1", "svr", "ridge",
    "logistic:penalty=l1,C=0.1,solver=proximal",
    "perceptron", "perceptron:averaged=no", "svm:intercept=none", "logistic:intercept=appended"};
enum { SPECS = sizeof specs / sizeof *specs };

static fx_plan with_map(const char *model)
{
    return (fx_plan){PLAN,
                     .model = model,
                     .scale = "unit-l2",
                     .map = "rk",
                     .kernel = "anova:order=2",
                     .features = 100,
                     .seed = 5};
}

static int of_targets(const char *spec) { return !strcmp(spec, "svr") || !strcmp(spec, "ridge"); }

/* ---- Pipelines --------------------------------------------------------------------------- */

/* Scaling and mapping by hand, then an inner product. */
static void is_a_pipeline(const char *scale_spec)
{
    fx_data *d = made("pairs:n=150,d=30,nz=8"), *scaled;
    fx_table t = fx_data_table(d), u;
    fx_plan plan = with_map("svm-l2");
    plan.scale = scale_spec;
    fx_model *m = fitted(&plan, &t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    double *S = scores(m, &t);
    fx_scale *scale;
    fx_kernel *k;
    fx_map *map;

    CHECK(c->rows == 150 && c->cols == 30 && c->random == 100 && c->outputs == 1
          && c->classes == 2);
    CHECK(!strcmp(c->class_name[0], "-1") && c->class_value[1] == 1 && c->converged && c->steps);
    CHECK(!strcmp(c->scale, scale_spec) && !c->column_scale == !strncmp(scale_spec, "unit", 4));
    CHECK(fx_data_scale_fit(&scale, scale_spec, &t, NULL) == FX_OK);
    CHECK(fx_data_scale_apply(&scaled, scale, &t, NULL) == FX_OK);
    u = fx_data_table(scaled);
    CHECK(fx_kernel_parse(&k, c->kernel, NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&map, c->map, k, 30, 100, 5, NULL, NULL) == FX_OK);
    float *Z = malloc(150 * c->features * sizeof *Z);
    CHECK(Z && fx_map_apply(Z, c->features, FX_F32, map, u.block, NULL) == FX_OK);
    for (size_t i = 0; i < 150; i++) {
        double f = c->intercepts[0], size = fabs(f);
        for (size_t j = 0; j < c->features; j++) {
            f += (double)Z[i * c->features + j] * c->weights[j];
            size += fabs((double)Z[i * c->features + j] * c->weights[j]);
        }
        CHECK_NEAR(S[i], f, 70 * 0x1p-24 * size);       /* sums of 64 floats, weights rounded */
    }
    free(Z);
    free(S);
    fx_map_free(map);
    fx_kernel_free(k);
    fx_data_scale_free(scale);
    fx_data_free(scaled);
    fx_model_free(m);
    fx_data_free(d);
}

/* Threads, another fit: the same bits, of predictions too.  t_bytes.c has more plans. */
static void is_reproducible(void)
{
    fx_data *d = made("pairs:n=2000,d=40,nz=10");
    fx_table t = fx_data_table(d);
    double label[2000];

    for (size_t i = 0; i < t.rows; i++)
        label[i] = t.label[i] > 0 ? 7 : (double)(i % 2);
    for (size_t s = 0; s < SPECS; s++) {
        const fx_run runs[] = {{RUN, .threads = 2}, {RUN, .threads = 8}};
        fx_plan plan = with_map(specs[s]);
        plan.features = s % 2 ? 100 : 300;
        t.label = s % 3 == 0 ? label : fx_data_table(d).label;
        fx_model *m = fitted(&plan, &t, &(fx_run){RUN, .threads = 1}), *other;
        CHECK(!test_helped());
        double *a = scores(m, &t);
        for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
            other = fitted(&plan, &t, &runs[r]);
            CHECK(test_helped() && same_model(m, other));
            double *b = predicted(other, FX_SCORE, t.block, &runs[r]);
            CHECK(test_helped());
            CHECK(same_bits(a, b, t.rows * fx_model_width(m, FX_SCORE)));
            free(b);
            fx_model_free(other);
        }
        free(a);
        fx_model_free(m);
    }
    fx_data_free(d);
}

/* Blocks one below the other are one block. */
static void joins_blocks(void)
{
    fx_data *d = made("pairs:n=90,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d), cut = t;
    fx_matrix part[2] = {t.block[0], t.block[0]};

    part[0].rows = 31;
    part[1].rows = 59;
    part[1].ptr += 31;
    cut.blocks = 2;
    cut.block = part;
    for (int map = 0; map < 2; map++) {
        fx_plan plan = map ? with_map("logistic")
                           : (fx_plan){PLAN, .model = "logistic", .eval = &cut};
        fx_model *a = fitted(&plan, &t, NULL), *b = fitted(&plan, &cut, NULL);
        CHECK(same_model(a, b));
        fx_model_free(a);
        fx_model_free(b);
    }
    fx_data_free(d);
}

/* ---- Weights ----------------------------------------------------------------------------- */

/* Two fits to a gap of tol: how far apart may scores be?  As in t_path.c. */
static void near_scores(const fx_model *a, const fx_model *b, const fx_table *t, double tol,
                        double norm)
{
    double *f = scores(a, t), *g = scores(b, t);
    const fx_model_info *c = fx_model_inspect(a);
    double off = 2 * norm * sqrt(2 * tol * c->objective);

    for (size_t i = 0; i < t->rows * c->outputs; i++)
        CHECK_NEAR(f[i], g[i], off);
    free(f);
    free(g);
}

/* Weight 3 is the row three times, weight 0 none; class weights are weights of rows. */
static void weights_are_copies(const char *model)
{
    fx_data *d = made("pairs:n=120,d=24,nz=6,k=4"), *copies;
    fx_table t = fx_data_table(d), u;
    double weight[120];
    size_t row[360], n = 0;
    int targets = of_targets(model);

    for (size_t i = 0; i < 120; i++) {
        weight[i] = (double)(i % 4);
        for (size_t r = 0; r < i % 4; r++)
            row[n++] = i;
    }
    CHECK(fx_data_select(&copies, &t, row, n, NULL) == FX_OK);
    u = fx_data_table(copies);
    t.weight = weight;
    char spec[100];
    snprintf(spec, sizeof spec, "%s%sintercept=appended,tol=1e-9,max-iter=1000000", model,
             strchr(model, ':') ? "," : ":");
    fx_plan plan = {PLAN, .model = spec};
    fx_model *a = fitted(&plan, &t, NULL), *b = fitted(&plan, &u, NULL);
    near_scores(a, b, &t, 1e-9, 4);
    fx_model_free(a);
    fx_model_free(b);
    if (!targets) {
        fx_table v = fx_data_table(d);
        plan.class_weight = "1=2.5\n-1=0.5";
        a = fitted(&plan, &v, NULL);
        plan.class_weight = NULL;
        for (size_t i = 0; i < 120; i++)
            weight[i] = v.label[i] > 0 ? 2.5 : 0.5;
        v.weight = weight;
        b = fitted(&plan, &v, NULL);
        CHECK(same_model(a, b));
        fx_model_free(a);
        fx_model_free(b);
    }
    fx_data_free(copies);
    fx_data_free(d);
}

static void balances(void)
{
    fx_data *d = made("pairs:n=90,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[90], weight[90];

    for (size_t i = 0; i < 90; i++) {
        label[i] = i < 60 ? 1 : i < 80 ? 2 : 5;
        weight[i] = 90.0 / (3 * (i < 60 ? 60 : i < 80 ? 20 : 10));
    }
    t.label = label;
    fx_plan plan = {PLAN, .model = "logistic", .class_weight = "balanced"};
    fx_model *a = fitted(&plan, &t, NULL);
    t.weight = weight;
    plan.class_weight = NULL;
    fx_model *b = fitted(&plan, &t, NULL);
    CHECK(same_model(a, b));
    fx_model_free(a);
    fx_model_free(b);
    fx_data_free(d);
}

/* ---- Classes ----------------------------------------------------------------------------- */

/* Three classes are three fits of one class against the rest. */
static void is_one_against_the_rest(const char *model)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[200], one[200];

    for (size_t i = 0; i < 200; i++)
        label[i] = t.label[i] > 0 ? 10 : (double)(i % 2) - 3;
    t.label = label;
    fx_model *m = fitted(&(fx_plan){PLAN, .model = model}, &t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(c->classes == 3 && c->outputs == 3 && !strcmp(c->class_name[0], "-3"));
    t.label = one;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 200; i++)
            one[i] = label[i] == c->class_value[k];
        fx_model *b = fitted(&(fx_plan){PLAN, .model = model}, &t, NULL);
        for (size_t j = 0; j < 24; j++)
            CHECK(c->weights[j * 3 + k] == fx_model_inspect(b)->weights[j]);
        CHECK(c->intercepts[k] == fx_model_inspect(b)->intercepts[0]);
        fx_model_free(b);
    }
    fx_model_free(m);
    fx_data_free(d);
}

/* Labels {0,1}, {-1,1}, {1,2} and text are one problem; so are rows in another order. */
static void names_do_not_matter(void)
{
    static const char *const text[] = {"no", "yes"};
    static const double two[][2] = {{0, 1}, {-1, 1}, {1, 2}, {0, 1}};
    fx_data *d = made("pairs:n=100,d=24,nz=6,k=4"), *e;
    fx_table t = fx_data_table(d), shuffled;
    const double *y = t.label;
    double label[100], *first = NULL, tol = 1e-8;
    size_t order[100];
    fx_plan plan = {PLAN, .model = "svm-l2:tol=1e-8,intercept=appended"};

    for (int form = 0; form < 4; form++) {
        for (size_t i = 0; i < 100; i++)
            label[i] = two[form][y[i] > 0];
        t.label = label;
        t.classes = form == 3 ? 2 : 0;
        t.class_name = form == 3 ? text : NULL;
        fx_model *m = fitted(&plan, &t, NULL);
        double *f = scores(m, &t);
        CHECK(!strcmp(fx_model_inspect(m)->class_name[1], form == 3   ? "yes"
                                                         : form == 2 ? "2"
                                                                     : "1"));
        if (first)
            CHECK(same_bits(f, first, 100));
        else
            first = malloc(sizeof label), memcpy(first, f, sizeof label);
        free(f);
        fx_data_shuffle(order, 100, 9);
        CHECK(fx_data_select(&e, &t, order, 100, NULL) == FX_OK);
        shuffled = fx_data_table(e);
        fx_model *other = fitted(&plan, &shuffled, NULL);
        CHECK(!strcmp(fx_model_inspect(m)->class_name[0], fx_model_inspect(other)->class_name[0]));
        near_scores(m, other, &t, tol, 4);
        fx_model_free(m);
        fx_model_free(other);
        fx_data_free(e);
    }
    free(first);
    fx_data_free(d);
}

/* 99 to 1 and hardly any weight on the loss: the free intercept says the majority. */
static void finds_the_majority(void)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    double label[200];

    for (int rare = 0; rare < 2; rare++)
        for (size_t s = 0; s < SPECS; s++) {
            if (strncmp(specs[s], "svm", 3) != 0 && strncmp(specs[s], "logistic", 8) != 0)
                continue;
            if (strstr(specs[s], "intercept"))
                continue;
            char spec[100];
            int name = (int)strcspn(specs[s], ",");
            snprintf(spec, sizeof spec, "%.*s%cC=1e-6", name, specs[s],
                     specs[s][name]          ? ','
                     : strchr(specs[s], ':') ? ','
                                             : ':');
            for (size_t i = 0; i < 200; i++)
                label[i] = i % 100 == 50 ? rare : !rare;
            t.label = label;
            fx_model *m = fitted(&(fx_plan){PLAN, .model = spec}, &t, NULL);
            double *l = predicted(m, FX_LABEL, t.block, NULL);
            for (size_t i = 0; i < 200; i++)
                CHECK(l[i] == !rare);
            free(l);
            fx_model_free(m);
        }
    fx_data_free(d);
}

/* ---- Faults and remarks ------------------------------------------------------------------ */

static void fails(const fx_plan *plan, const fx_table *t, fx_status expected, const char *detail)
{
    fx_model *m = NULL;
    fx_status s = fx_model_fit(&m, plan, t, NULL);

    if (s != expected || (detail && !strstr(fx_error_detail(), detail)))
        fprintf(stderr, "%s: %s: %s, want %s\n", plan->model, fx_status_name(s), fx_error_detail(),
                detail);
    CHECK(s == expected && !m && (!detail || strstr(fx_error_detail(), detail)));
}

static void rejects(void)
{
    fx_data *d = parsed("1 1:1\n2 1:2\n"), *one = parsed("3 1:1\n3 1:2\n");
    fx_data *text = parsed("a 1:1\nb 1:2\n");
    fx_table t = fx_data_table(d), same = fx_data_table(one), words = fx_data_table(text), u = t;
    double bad[] = {NAN, 1}, zero[] = {0, 0};
    fx_plan plan = {PLAN, .model = "svm"};

    fails(&(fx_plan){.size = sizeof(fx_plan)}, &t, FX_EINVAL, "model");
    fails(&(fx_plan){PLAN, .model = "svn"}, &t, FX_EINVAL, "svm-l2");
    fails(&(fx_plan){PLAN, .model = "svm:C=0"}, &t, FX_EINVAL, "C=0");
    fails(&(fx_plan){PLAN, .model = "svm:max-iter=0"}, &t, FX_EINVAL, "max-iter");
    fails(&(fx_plan){PLAN, .model = "svm:kernel=rbf"}, &t, FX_EINVAL, "kernel");
    fails(&(fx_plan){PLAN, .model = "svm:penalty=l1"}, &t, FX_EINVAL, "use one of l2");
    fails(&(fx_plan){PLAN, .model = "svm:solver=cd"}, &t, FX_EINVAL, "auto|dual|newton");
    fails(&(fx_plan){PLAN, .model = "logistic:solver=dual"}, &t, FX_EUNSUPPORTED, "solver=newton");
    fails(&(fx_plan){PLAN, .model = "logistic:solver=cd"}, &t, FX_EUNSUPPORTED,
          "penalty=l1 (solver=cd|proximal)");
    fails(&(fx_plan){PLAN, .model = "svr:epsilon=-1"}, &t, FX_EINVAL, "epsilon");
    fails(&(fx_plan){PLAN, .model = "perceptron:C=1"}, &t, FX_EINVAL, "averaged");
    fails(&(fx_plan){PLAN, .model = "svm", .map = "rk"}, &t, FX_EINVAL, "kernel");
    fails(&(fx_plan){PLAN, .model = "svm", .map = "rk", .kernel = "rbf", .features = 4}, &t,
          FX_EUNSUPPORTED, "rff");
    fails(&(fx_plan){PLAN, .model = "svm", .scale = "big"}, &t, FX_EINVAL, "maxabs");
    fails(&plan, &same, FX_EINVAL, "3: 2 rows");
    fails(&(fx_plan){PLAN, .model = "ridge"}, &words, FX_EINVAL, "numbers");
    fails(&(fx_plan){PLAN, .model = "svm", .class_weight = "7=2"}, &t, FX_EINVAL, "1, 2");
    fails(&(fx_plan){PLAN, .model = "svm", .class_weight = "1"}, &t, FX_EINVAL, "CLASS=WEIGHT");
    fails(&(fx_plan){PLAN, .model = "svm", .class_weight = "1=-1"}, &t, FX_EINVAL, "1=-1");
    fails(&(fx_plan){PLAN, .model = "ridge", .class_weight = "balanced"}, &t, FX_EINVAL, "classes");
    u.label = bad;
    fails(&plan, &u, FX_EDOMAIN, "nan");
    u.label = NULL;
    fails(&plan, &u, FX_EINVAL, "labels");
    u = t;
    u.weight = zero;
    fails(&plan, &u, FX_EINVAL, "weights of all 2 rows are zero");
    u.rows = u.blocks = 0;
    fails(&plan, &u, FX_EINVAL, "rows");
    CHECK(fx_model_fit(NULL, &plan, &t, NULL) == FX_EINVAL);
    fx_data_free(d);
    fx_data_free(one);
    fx_data_free(text);
}

/* What stands in the way is named; a model comes all the same. */
static void suggests_what_to_change(void)
{
    fx_data *d = parsed("1 1:1 2:1e6\n2 1:2 2:3e5\n1 1:0.5 2:7e5\n2 1:3 2:8e5\n1 1:2 2:2e5\n");
    fx_table t = fx_data_table(d);
    fx_model *m = NULL;

    static const char *const short_of[] = {
        "svm:max-iter=2,tol=1e-9", "svm:solver=dual,max-iter=2",
        "svm:solver=newton,max-iter=2,tol=1e-9", "svm-l2:solver=dual,max-iter=2,tol=1e-9",
        "svm-l2:max-iter=1,tol=1e-9", "logistic:max-iter=1,tol=1e-9",
        "svm-l2:penalty=l1,max-iter=1,tol=1e-9", "logistic:penalty=l1,max-iter=1,tol=1e-9",
        "svr:max-iter=2,tol=1e-9", "ridge:max-iter=1,tol=1e-15"};
    for (size_t s = 0; s < sizeof short_of / sizeof *short_of; s++)
        for (int map = 0; map < 2; map++) {
            fx_plan plan = {PLAN, .model = short_of[s], .map = map ? "explicit" : NULL,
                            .kernel = map ? "anova-upto" : NULL};
            fx_status st = fx_model_fit(&m, &plan, &t, NULL);
            CHECK(st == FX_NOT_CONVERGED && m && !fx_model_inspect(m)->converged);
            CHECK(strstr(fx_error_detail(), "gap ") && strstr(fx_error_detail(), "tol=")
                  && strstr(fx_error_detail(), "column 2 is")
                  && strstr(fx_error_detail(), "maxabs"));
            fx_model_free(m);
        }
    CHECK(fx_model_fit(
              &m, &(fx_plan){PLAN, .model = "svm:max-iter=2,tol=1e-9,C=1e4", .scale = "maxabs"}, &t,
              NULL)
          == FX_NOT_CONVERGED);
    CHECK(strstr(fx_error_detail(), "lower C"));
    fx_model_free(m);
    fx_data_free(d);
}

/* The last step of the history is the model, and its metric that of the rows to measure on. */
static void keeps_a_history(void)
{
    fx_data *d = made("pairs:n=200,d=24,nz=6,k=4"), *e = made("pairs:n=77,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d), v = fx_data_table(e);

    for (size_t s = 0; s < SPECS; s++) {
        fx_plan plan = with_map(specs[s]);
        plan.eval = &v;
        fx_model *m = fitted(&plan, &t, NULL);
        const fx_model_info *c = fx_model_inspect(m);
        fx_metrics expected = FX_INIT(fx_metrics);
        CHECK(fx_model_evaluate(&expected, NULL, m, &v, NULL) == FX_OK && c->steps > 0);
        double last = c->history[c->steps - 1].metric;
        if (of_targets(specs[s]))
            CHECK_NEAR(last, expected.rmse, 1e-4 * expected.rmse);
        else
            CHECK_NEAR(last, expected.accuracy,
                       1.5 / 77); /* features here in doubles, there floats */
        for (size_t i = 1; i < c->steps; i++)
            CHECK(c->history[i].seconds >= c->history[i - 1].seconds
                  && c->history[i].iteration > c->history[i - 1].iteration);
        fx_model_free(m);
    }
    fx_data_free(d);
    fx_data_free(e);
}

typedef struct stopping {
    struct timespec cancelled_at;
    int calls;
} stopping;

static int stop(void *ctx, double done)
{
    stopping *s = ctx;

    CHECK(done >= 0 && done <= 1);
    if (++s->calls < 4)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &s->cancelled_at);
    return 1;
}

static void can_be_stopped(void)
{
    fx_data *d = made("pairs:n=6000,d=100,nz=20");
    fx_table t = fx_data_table(d);
    double slow = getenv("FX_TEST_SLOW") ? atof(getenv("FX_TEST_SLOW")) : 1;
    double label[6000];

    for (size_t i = 0; i < 6000; i++)
        label[i] = (double)(i % 3);
    for (int three = 0; three < 2; three++)
        for (size_t s = 0; s < SPECS; s++) {
            char spec[120];
            snprintf(spec, sizeof spec, "%s%s%s", specs[s], strchr(specs[s], ':') ? "," : ":",
                     strstr(specs[s], "perceptron") ? "max-iter=1000000"
                                                    : "tol=1e-15,max-iter=1000000");
            fx_plan plan = with_map(spec);
            plan.features = 1000;
            stopping ctx = {.calls = 0};
            fx_run run = {RUN, .threads = 2, .progress = stop, .ctx = &ctx};
            fx_model *m = NULL;
            struct timespec now;
            if (three)
                t.label = label;
            fx_status st = fx_model_fit(&m, &plan, &t, &run);
            clock_gettime(CLOCK_MONOTONIC, &now);
            double took = (double)(now.tv_sec - ctx.cancelled_at.tv_sec)
                          + 1e-9 * (double)(now.tv_nsec - ctx.cancelled_at.tv_nsec);
            if (st >= 0) {              /* done before it was cancelled */
                fx_model_free(m);
                continue;
            }
            CHECK(st == FX_ECANCELLED && !m);
            if (took > 0.1 * slow)
                fprintf(stderr, "%s: stopped after %g s\n", spec, took);
            CHECK(took < 0.1 * slow * 3);       /* a busy machine */
        }
    fx_data_free(d);
}

int main(void)
{
    test_init();
    is_a_pipeline("unit-l2");
    is_a_pipeline("maxabs");
    is_reproducible();
    joins_blocks();
    weights_are_copies("svm");
    weights_are_copies("svm-l2:solver=dual");
    weights_are_copies("svm-l2:solver=newton");
    weights_are_copies("logistic");
    weights_are_copies("svr");
    weights_are_copies("ridge");
    balances();
    is_one_against_the_rest("svm");
    is_one_against_the_rest("logistic");
    is_one_against_the_rest("perceptron");
    names_do_not_matter();
    finds_the_majority();
    rejects();
    suggests_what_to_change();
    keeps_a_history();
    can_be_stopped();
    return 0;
}
