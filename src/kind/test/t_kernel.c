/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel.c - rows of a Gram matrix give the models that the kernel itself gives. */
#include "machine.h"

enum { N = 120 };

typedef struct gram {
    double *K;
    fx_matrix block;
    fx_table t;
} gram;

/* Rows of K(row, all rows), perhaps behind their numbers, dense. */
static gram gram_of(const fx_table *t, const char *kernel, size_t serial)
{
    gram g = {calloc(N * (N + 1), sizeof *g.K), {0}, *t};
    fx_kernel *k;

    CHECK(g.K && fx_kernel_parse(&k, kernel, NULL, 1) == FX_OK);
    CHECK(fx_kernel_gram(g.K + serial, N + serial, k, t->block, NULL, NULL) == FX_OK);
    for (size_t i = 0; i < N && serial; i++)
        g.K[i * (N + 1)] = (double)(i + 1);
    g.block = (fx_matrix){
        .rows = N, .cols = N + serial, .stride = N + serial, .type = FX_F64, .val = g.K};
    g.t.cols = N + serial;
    g.t.blocks = 1;
    g.t.block = &g.block;
    g.t.base = 0;
    fx_kernel_free(k);
    return g;
}

static void is_the_same_model(const char *model, size_t serial, const char *spec, int classes)
{
    fx_data *d = made("pairs:n=120,d=12,nz=5,k=3");
    fx_table t = fx_data_table(d);
    double label[N];

    for (size_t i = 0; i < N; i++)
        label[i] = classes == 3 && i % 4 == 0 ? 5 : t.label[i];
    t.label = label;
    gram g = gram_of(&t, "anova:order=2", serial);
    g.t.block = &g.block;
    fx_plan plan = {PLAN, .model = model, .kernel = "anova:order=2"};
    fx_model *direct = fitted(&plan, &t, NULL);
    plan.kernel = spec;
    fx_model *m = fitted(&plan, &g.t, &(fx_run){RUN, .threads = 2});
    const fx_model_info *c = fx_model_inspect(m), *e = fx_model_inspect(direct);

    CHECK(!strcmp(c->kernel, serial ? "precomputed:serial=yes" : "precomputed:serial=no"));
    CHECK(c->features == N + serial && c->vectors.rows == 0);
    /* kernel values that differ in the last bits may leave a beta at 0 or not */
    CHECK(c->support_vectors <= e->support_vectors + 2
          && e->support_vectors <= c->support_vectors + 2);
    CHECK(!serial || c->weights[0] == 0);
    double *f = scores(direct, &t), *h = scores(m, &g.t);
    for (size_t i = 0; i < N * c->outputs; i++)
        CHECK_NEAR(h[i], f[i], 1e-4 * (1 + fabs(f[i])));
    survives(m, &g.block);
    free(f);
    free(h);
    fx_model_free(m);
    fx_model_free(direct);
    free(g.K);
    fx_data_free(d);
}

/* Folds and rows to measure on. */
static void has_folds_and_history(void)
{
    fx_data *d = made("pairs:n=120,d=12,nz=5,k=3");
    fx_table t = fx_data_table(d);
    gram g = gram_of(&t, "anova:order=2", 1);
    static const double C[] = {0.1, 1};
    fx_metrics a[6] = {FX_INIT(fx_metrics)}, b[6] = {FX_INIT(fx_metrics)};
    int32_t fold[N];

    g.t.block = &g.block;
    CHECK(fx_data_folds(fold, N, 3, t.label, 1) == FX_OK);
    fx_plan plan = {PLAN, .model = "kernel-svm:tol=1e-5,collapse=no", .kernel = "anova:order=2"};
    CHECK(fx_model_path(a, &plan, C, 2, &t, fold, 3, NULL) == FX_OK);
    plan.kernel = "precomputed";
    CHECK(fx_model_path(b, &plan, C, 2, &g.t, fold, 3, NULL) == FX_OK);
    for (size_t i = 0; i < 6; i++) {
        CHECK_NEAR(a[i].accuracy, b[i].accuracy, 1e-12);
        CHECK_NEAR(a[i].auc, b[i].auc, 1e-12);
    }
    plan = (fx_plan){PLAN, .model = "kernel-ridge:collapse=no", .kernel = "anova:order=2"};
    CHECK(fx_model_path(a, &plan, C, 2, &t, fold, 3, NULL) == FX_OK);
    plan.kernel = "precomputed";
    CHECK(fx_model_path(b, &plan, C, 2, &g.t, fold, 3, NULL) == FX_OK);
    for (size_t i = 0; i < 6; i++)
        CHECK_NEAR(a[i].rmse, b[i].rmse, 1e-4);
    plan.model = "kernel-svm:tol=1e-5,collapse=no";
    plan.eval = &g.t;
    fx_model *m = fitted(&plan, &g.t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    fx_metrics e = FX_INIT(fx_metrics);
    CHECK(fx_model_evaluate(&e, NULL, m, &g.t, NULL) == FX_OK);
    CHECK(c->steps > 0 && c->history[c->steps - 1].metric == e.accuracy);
    fx_model_free(m);
    free(g.K);
    fx_data_free(d);
}

static void rejects(void)
{
    fx_data *d = made("pairs:n=120,d=12,nz=5,k=3"), *raw = parsed("1 1:1 2:3\n-1 1:3\n1 1:1 2:1\n");
    fx_table t = fx_data_table(d), u = fx_data_table(raw);
    gram g = gram_of(&t, "anova:order=2", 1);
    fx_plan plan = {PLAN, .model = "kernel-svm", .kernel = "precomputed"};

    g.t.block = &g.block;
    fails(FX_ESHAPE, "3 rows have 2 columns", &plan, &u, NULL);
    g.K[5 * (N + 1)] = 9;               /* a row with another number */
    fails(FX_ESHAPE, "121 columns", &plan, &g.t, NULL);
    g.K[5 * (N + 1)] = 6;
    plan.scale = "maxabs";
    fails(FX_EINVAL, "not scaled", &plan, &g.t, NULL);
    plan.scale = NULL;
    plan.kernel = "precomputed:serial=no";
    fails(FX_ESHAPE, "serial=yes", &plan, &g.t, NULL);
    plan.kernel = "precomputed";
    plan.model = "kernel-svm:collapse=yes";
    fails(FX_EUNSUPPORTED, "collapse", &plan, &g.t, NULL);
    plan.model = "kernel-perceptron";
    fx_model *m = fitted(&plan, &g.t, NULL), *next = NULL;
    CHECK(fx_model_update(&next, m, &g.t, NULL) == FX_EUNSUPPORTED && !next);
    fx_model_free(m);
    g.K[5 * (N + 1) + 1] += 1;
    fails(FX_EDOMAIN, "symmetric", &plan, &g.t, NULL);
    g.K[5 * (N + 1) + 1] -= 1;
    for (size_t i = 0; i < N; i++)      /* no matrix of inner products */
        g.K[i * (N + 1) + 1 + i] = -1;
    plan.model = "kernel-svm";
    CHECK(fx_model_fit(&m, &plan, &g.t, NULL) == FX_NOT_CONVERGED);
    CHECK(strstr(fx_error_detail(), "not positive semidefinite"));
    survives(m, &g.block);
    fx_model_free(m);
    free(g.K);
    fx_data_free(d);
    fx_data_free(raw);
}

int main(void)
{
    test_init();
    is_the_same_model("kernel-svm:tol=1e-6,collapse=no", 0, "precomputed", 2);
    is_the_same_model("kernel-svm:tol=1e-6,collapse=no,calibrate=yes", 1, "precomputed", 3);
    is_the_same_model("kernel-svr:tol=1e-6,collapse=no", 1, "precomputed:serial=yes", 0);
    is_the_same_model("kernel-ridge:collapse=no", 1, "precomputed", 0);
    is_the_same_model("kernel-perceptron", 0, "precomputed:serial=no", 2);
    is_the_same_model("kernel-pca:k=3", 1, "precomputed", 0);
    has_folds_and_history();
    rejects();
    return 0;
}
