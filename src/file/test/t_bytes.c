/* SPDX-License-Identifier: BSD-3-Clause
 * t_bytes.c - the bytes of a model file depend on plan, rows and seed alone: not on threads, not on
 * memory, not on what was fitted before; another seed gives others.
 * Covers: dump.c, dump_header.c, src/train/each.c */
#include "model/test/built.h"
#include "train/train.h"
#include "model/test/fixture.h"

enum { N = 1100 };

static const struct {
    fx_plan plan;
    int classes;
} cases[] = {
    {{PLAN, .model = "svm:C=10"}, 2},
    {{PLAN, .model = "svm:solver=dual,max-iter=20", .map = "rk", .kernel = "anova",
      .features = 400},
     2},
    {{PLAN, .model = "svm:solver=newton,max-iter=30", .map = "rk", .kernel = "all-subsets",
      .features = 400, .scale = "unit-l2"}, 3},
    {{PLAN, .model = "svm:calibrate=yes,C=0.1", .map = "rk", .kernel = "anova", .features = 400,
      .scale = "unit-l2"}, 2},
    {{PLAN, .model = "svm-l2:calibrate=yes,C=0.1,tol=0.1", .map = "ts", .kernel = "poly:degree=2",
      .features = 400, .scale = "unit-l2"}, 3},
    {{PLAN, .model = "svm-l2:intercept=appended", .map = "rff", .kernel = "rbf", .features = 400,
      .scale = "maxabs"}, 3},
    {{PLAN, .model = "svm-l2:solver=dual,intercept=none,max-iter=20", .map = "rm",
      .kernel = "poly:degree=2", .features = 400}, 2},
    {{PLAN, .model = "logistic", .class_weight = "balanced", .map = "rk", .kernel = "anova:order=3",
      .features = 400, .scale = "unit-l2"}, 3},
    {{PLAN, .model = "logistic", .map = "explicit", .kernel = "anova"}, 2},
    {{PLAN, .model = "svm:solver=dual,max-iter=20", .map = "explicit",
      .kernel = "anova-upto:order=3"},
     2},
    {{PLAN, .model = "logistic:penalty=l1,C=0.3", .map = "rk", .kernel = "anova", .features = 400},
     3},
    {{PLAN, .model = "svm-l2:penalty=l1,C=0.3", .class_weight = "1=3\n0=0.5"}, 3},
    {{PLAN, .model = "perceptron:calibrate=yes", .map = "rk", .kernel = "anova", .features = 400},
     3},
    {{PLAN, .model = "perceptron:averaged=no", .map = "explicit",
      .kernel = "poly:degree=2,coef0=1"},
     2},
    {{PLAN, .model = "svr:max-iter=40", .map = "rk", .kernel = "anova", .features = 400}, 0},
    {{PLAN, .model = "ridge", .scale = "std", .map = "rk", .kernel = "anova", .features = 400}, 0},
    {{PLAN, .model = "kernel-svm", .kernel = "anova", .scale = "unit-l2"}, 2},
    {{PLAN, .model = "kernel-svm:calibrate=yes,C=0.1,tol=0.1", .kernel = "rbf",
      .class_weight = "balanced"}, 3},
    {{PLAN, .model = "kernel-svr:C=0.1,tol=0.1", .kernel = "poly:degree=2", .scale = "unit-l2"}, 0},
    {{PLAN, .model = "kernel-ridge", .kernel = "anova"}, 0},
    {{PLAN, .model = "kernel-perceptron:budget=100,max-iter=2", .kernel = "all-subsets"}, 3},
    {{PLAN, .model = "pca:k=4", .map = "rk", .kernel = "anova", .features = 40}, 0},
    {{PLAN, .model = "kernel-pca:k=2", .kernel = "anova"}, 0}};

static file fitted_bytes(const fx_plan *plan, const fx_table *t, const fx_run *run)
{
    fx_model *m = fitted(plan, t, run);
    file f = dumped(m);

    fx_model_free(m);
    return f;
}

/* With a limit that is hardly enough for the fit: features are made when they are visited. */
static file little(const fx_plan *plan, const fx_table *t)
{
    fx_run run = {RUN, .threads = 1, .max_memory = 100000};
    fx_model *m = NULL;
    fxi_train train;

    while (fx_model_fit(&m, plan, t, &run) == FX_ELIMIT)
        run.max_memory += run.max_memory / 10;
    CHECK(m);
    file f = dumped(m);
    fx_model_free(m);
    CHECK(fxi_train_open(&train, plan, t, &run) == FX_OK);
    CHECK(!plan->map || train.source.blocks < 3 || train.source.buffer);
    fxi_train_close(&train);
    return f;
}

static int same_file(file a, file b) { return a.len == b.len && !memcmp(a.bytes, b.bytes, a.len); }

/* b is taken over. */
static void same(const fx_plan *plan, const char *how, file a, file b)
{
    if (!same_file(a, b))
        fprintf(stderr, "%s, map %s: other bytes with %s\n", plan->model,
                plan->map ? plan->map : "-", how);
    CHECK(same_file(a, b));
    free(b.bytes);
}

int main(void)
{
    fx_data *all = made("pairs:n=1100,d=40,nz=9"), *few = made("pairs:n=600,d=40,nz=9");
    double label[N], weight[N];

    for (size_t i = 0; i < N; i++)
        weight[i] = (double)(i % 5) / 2;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fx_plan plan = cases[k].plan;
        bool machine = !strncmp(plan.model, "kernel-", 7);
        fx_table t = fx_data_table(machine ? few : all);
        for (size_t i = 0; i < t.rows; i++)
            label[i] = cases[k].classes == 3 && i % 3 == 0 ? 1 : t.label[i] > 0 ? 2 : 0;
        t.label = label;
        t.weight = k % 2 ? weight : NULL;
        plan.seed = 4;
        file first = fitted_bytes(&plan, &t, &(fx_run){RUN, .threads = 1});
        test_helped();                  /* forget who helped before */
        same(&plan, "8 threads", first, fitted_bytes(&plan, &t, &(fx_run){RUN, .threads = 8}));
        CHECK(test_helped());
        same(&plan, "little memory", first, little(&plan, &t));
        if (machine) {
            plan.cache = 1;             /* no memory to speak of */
            same(&plan, "no cache", first, fitted_bytes(&plan, &t, NULL));
            plan.cache = 0;
        }
        plan.seed = 5;
        file other = fitted_bytes(&plan, &t, NULL);
        CHECK(!same_file(first, other));
        free(other.bytes);
        free(first.bytes);
    }
    fx_data_free(all);
    fx_data_free(few);
    return 0;
}
