/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel_machine.c - kernel machines as models: they fit, say how, are written, read and asked;
 * with the linear kernel they are the linear models.
 * Covers: perceptron.c, vectors.c */
#include "machine.h"

enum { N = 240 };

static fx_table labelled(const fx_data *d, double *label, int classes)
{
    fx_table t = fx_data_table(d);

    for (size_t i = 0; i < t.rows; i++) {
        double x = fxi_row_value(fxi_data_row(t.block, i), 0);
        label[i] = classes == 0 ? t.label[i] + x / 3 : classes == 3 && i % 3 == 0 ? 7 : t.label[i];
    }
    t.label = label;
    return t;
}

static void every_kind(void)
{
    static const struct { fx_plan plan; int classes; } cases[] = {
        {{PLAN, .model = "kernel-svm:collapse=no", .kernel = "anova:order=2"}, 2},
        {{PLAN, .model = "kernel-svm:collapse=no,calibrate=yes", .kernel = "poly:degree=2,coef0=1",
          .scale = "maxabs"},
         2},
        {{PLAN, .model = "kernel-svm:C=0.3", .kernel = "rbf:gamma=0.2", .class_weight = "balanced"},
         3},
        {{PLAN, .model = "kernel-svm:calibrate=yes", .kernel = "all-subsets", .scale = "unit-l2"},
         3},
        {{PLAN, .model = "kernel-svr:epsilon=0.3,collapse=no", .kernel = "anova:order=2"}, 0},
        {{PLAN, .model = "kernel-ridge:collapse=no", .kernel = "poly:degree=2"}, 0},
        {{PLAN, .model = "kernel-perceptron", .kernel = "anova:order=2"}, 2},
        {{PLAN, .model = "kernel-perceptron:averaged=no,budget=30", .kernel = "rbf:gamma=0.1"}, 3}};
    fx_data *d = made("pairs:n=240,d=20,nz=6,k=4");
    double label[N], weight[N];

    for (size_t i = 0; i < N; i++)
        weight[i] = (double)(i % 5) / 2;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fx_table t = labelled(d, label, cases[k].classes);
        fx_matrix block;
        double *x = NULL;
        for (int form = 0; form < 3; form++) {
            fx_table u = form == 1 ? dense_table(&block, &x, &t) : t;
            u.weight = form == 2 ? weight : NULL;
            fx_plan plan = cases[k].plan;
            plan.eval = &u;
            fx_model *m = fitted(&plan, &u, NULL);
            const fx_model_info *c = fx_model_inspect(m);
            if (!c->converged || c->support_vectors < 6)
                fprintf(stderr, "%s: support %zu, %s\n", c->spec, c->support_vectors,
                        fx_error_detail());
            CHECK(c->converged && c->classes == (size_t)cases[k].classes && !*c->map
                  && c->support_vectors > 5);
            CHECK(c->pairs == (c->classes == 3 && strstr(c->spec, "svm")));
            CHECK(!c->vectors.ptr == (form == 1));
            CHECK(c->vectors.type == (form == 1 || *c->scale ? FX_F64 : FX_F32));
            survives(m, u.block);
            by_definition(m, u.block);
            fx_metrics e = FX_INIT(fx_metrics);
            CHECK(fx_model_evaluate(&e, NULL, m, &u, NULL) == FX_OK);
            if (c->classes ? !(e.accuracy > 0.3 && e.auc > 0.6) : !(e.rmse < 1))
                fprintf(stderr, "%s: accuracy %g, auc %g, rmse %g\n", c->spec, e.accuracy, e.auc,
                        e.rmse);
            CHECK(c->classes ? e.accuracy > 0.3 && e.auc > 0.6 : e.rmse < 1);
            if (c->outputs == 1)        /* the last step is the model */
                CHECK_NEAR(c->history[c->steps - 1].metric, c->classes ? e.accuracy : e.rmse,
                           1e-6);
            CHECK(isnan(e.logloss) == !c->sigmoid && !(e.logloss > 1.1));
            fx_model_free(m);
            free(x);
            x = NULL;
        }
    }
    fx_data_free(d);
}

/* A machine with the linear kernel is the linear model: both have one optimum, and tolerances bring
 * scores within the root of twice the gap of it. */
static void linear_kernel(const char *machine, const char *linear, int classes, double tolerance)
{
    fx_data *d = made("pairs:n=240,d=20,nz=6,k=4");
    double label[N];
    fx_table t = labelled(d, label, classes);
    fx_plan plan = {PLAN, .model = machine, .kernel = "linear"}, other = {PLAN, .model = linear};
    fx_model *a = fitted(&plan, &t, NULL), *b = fitted(&other, &t, NULL);
    double *f = scores(a, &t), *g = scores(b, &t);
    const fx_model_info *p = fx_model_inspect(a), *q = fx_model_inspect(b);

    CHECK(p->outputs == q->outputs);
    CHECK_NEAR(p->objective, q->objective, 1e-7 * (1 + q->objective));
    double worst = largest_difference(f, g, N * p->outputs);
    if (worst > tolerance)
        fprintf(stderr, "%s: scores differ by %g\n", machine, worst);
    CHECK(worst <= tolerance);
    free(f);
    free(g);
    fx_model_free(a);
    fx_model_free(b);
    fx_data_free(d);
}

/* A model that keeps no vector at all. */
static void nothing_to_keep(void)
{
    fx_data *d = parsed("1 1:1\n1.05 1:2\n0.95 2:1\n");
    fx_table t = fx_data_table(d);
    fx_plan plan = {PLAN, .model = "kernel-svr:epsilon=0.2,collapse=no", .kernel = "rbf"};
    fx_model *m = fitted(&plan, &t, NULL);
    double *f = scores(m, &t);

    CHECK(fx_model_inspect(m)->support_vectors == 0 && fx_model_inspect(m)->features == 0);
    for (size_t i = 0; i < 3; i++)
        CHECK_NEAR(f[i], 1, 0.2);
    survives(m, t.block);
    free(f);
    fx_model_free(m);
    fx_data_free(d);
}

/* Rows of the same features in another order of columns and others beyond: left out, counted. */
static void new_columns(void)
{
    fx_data *d = parsed("1 1:1 4:1\n-1 1:-1\n1 1:2 2:1\n-1 2:-1 4:0.5\n");
    fx_data *x = parsed("0 1:1 3:5 9:2\n0 1:1\n");
    fx_table t = fx_data_table(d), u = fx_data_table(x);
    fx_plan plan = {PLAN, .model = "kernel-svm:collapse=no", .kernel = "rbf"};
    fx_model *m = fitted(&plan, &t, NULL);
    uint64_t unseen;
    double f[2];

    CHECK(fx_model_predict(f, &unseen, m, FX_SCORE, u.block, NULL) == FX_OK);
    CHECK(unseen == 2 && f[0] == f[1]);
    survives(m, u.block);
    fx_model_free(m);
    fx_data_free(d);
    fx_data_free(x);
}

static void rejects(void)
{
    fx_data *d = made("pairs:n=240,d=20,nz=6,k=4"), *one = parsed("1 1:1\n1 1:2\n");
    fx_table t = fx_data_table(d), u = fx_data_table(one);
    fx_plan good = {PLAN, .model = "kernel-svm:collapse=no", .kernel = "anova"};
    fx_model *m = fitted(&good, &t, NULL), *next = NULL;

    fails(FX_EINVAL, "needs a kernel", &(fx_plan){PLAN, .model = "kernel-svm"}, &t, NULL);
    fails(FX_EINVAL, "with a map take model svm",
          &(fx_plan){PLAN, .model = "kernel-svm", .kernel = "anova", .map = "rk", .features = 9},
          &t, NULL);
    fails(FX_EINVAL, "all labels are of one class", &good, &u, NULL);
    u.weight = (double[2]){0, 0};
    fails(FX_EINVAL, "weights of all 2 rows are zero", &good, &u, NULL);
    fails(FX_EINVAL, "weights of all 2 rows are zero",
          &(fx_plan){PLAN, .model = "kernel-ridge", .kernel = "anova"}, &u, NULL);
    fx_matrix none = {.rows = t.rows, .val = t.label, .type = FX_F64};
    fx_table w = {.rows = t.rows, .blocks = 1, .block = &none, .label = t.label};
    fails(FX_EINVAL, "rows have no columns", &good, &w, NULL);
    fails(FX_EINVAL, "intercept",
          &(fx_plan){PLAN, .model = "kernel-svm:intercept=none", .kernel = "anova"}, &t, NULL);
    fails(FX_EINVAL, "C=0 must be positive",
          &(fx_plan){PLAN, .model = "kernel-ridge:C=0", .kernel = "anova"}, &t, NULL);
    fails(FX_EUNSUPPORTED, "cannot start from a model",
          &(fx_plan){PLAN, .model = "kernel-svm", .kernel = "anova", .init = m}, &t, NULL);
    fails(FX_EINVAL, "init has another model",
          &(fx_plan){PLAN, .model = "kernel-perceptron", .kernel = "anova", .init = m}, &t, NULL);
    fails(FX_EINVAL, "init has another model", &(fx_plan){PLAN, .model = "svm", .init = m}, &t,
          NULL);
    fails(FX_ELIMIT, "", &(fx_plan){PLAN, .model = "kernel-ridge", .kernel = "anova"}, &t,
          &(fx_run){RUN, .max_memory = 200000});
    CHECK(fx_model_update(&next, m, &t, NULL) == FX_EUNSUPPORTED && !next);
    fx_model_free(m);
    fx_data_free(d);
    fx_data_free(one);
}

int main(void)
{
    test_init();
    every_kind();
    linear_kernel("kernel-svm:tol=1e-8,collapse=no", "svm:tol=1e-13,max-iter=100000", 2, 1e-6);
    linear_kernel("kernel-svm:tol=1e-8,collapse=no", "svm:solver=dual,tol=1e-13,max-iter=100000", 2,
                  1e-6);
    linear_kernel("kernel-svr:tol=1e-8,collapse=no", "svr:tol=1e-13,max-iter=100000", 0, 1e-6);
    linear_kernel("kernel-ridge:collapse=no", "ridge:tol=1e-20", 0, 1e-9);
    linear_kernel("kernel-perceptron", "perceptron", 2, 1e-9);
    linear_kernel("kernel-perceptron:averaged=no", "perceptron:averaged=no", 3, 1e-9);
    nothing_to_keep();
    new_columns();
    rejects();
    return 0;
}
