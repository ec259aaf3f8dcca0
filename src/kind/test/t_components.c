/* SPDX-License-Identifier: BSD-3-Clause
 * t_components.c - principal components as models. */
#include "machine.h"

enum { N = 150, K = 3 };

/* Components have mean 0, the variance that the model tells, and nothing to do with one another. */
static void are_components(const fx_plan *plan, const fx_table *t)
{
    fx_model *m = fitted(plan, t, &(fx_run){RUN, .threads = 2}), *other = fitted(plan, t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    double *S = scores(m, t), total = 0;

    CHECK(same_model(m, other) && c->outputs == K && c->classes == 0 && c->variance
          && c->converged);
    CHECK(c->total_variance >= c->objective && c->total_variance < 100 * c->objective);
    CHECK(fx_model_width(m, FX_LABEL) == 0 && fx_model_width(m, FX_SCORE) == K);
    for (size_t i = 0; i < N; i++)
        total += t->weight ? t->weight[i] : 1;
    for (size_t a = 0; a < K; a++)
        for (size_t b = 0; b <= a; b++) {
            double mean = 0, product = 0, scale = sqrt(c->variance[a] * c->variance[b]);
            for (size_t i = 0; i < N; i++) {
                double w = (t->weight ? t->weight[i] : 1) / total;
                mean += w * S[i * K + a];
                product += w * S[i * K + a] * S[i * K + b];
            }
            CHECK_NEAR(mean, 0, 1e-4 * sqrt(c->variance[a]));
            CHECK_NEAR(product, a == b ? scale : 0, 1e-3 * c->variance[0]);
            CHECK(c->variance[a] > 0 && c->variance[a] <= c->variance[b]);
        }
    survives(m, t->block);
    free(S);
    fx_model_free(m);
    fx_model_free(other);
}

/* With the linear kernel both ways lead to the same components, up to their signs. */
static void agree(const fx_table *t)
{
    fx_plan plan = {PLAN, .model = "pca:k=3"},
            exact = {PLAN, .model = "kernel-pca:k=3", .kernel = "linear"};
    fx_model *a = fitted(&plan, t, NULL), *b = fitted(&exact, t, NULL);
    const fx_model_info *c = fx_model_inspect(a), *e = fx_model_inspect(b);
    double *f = scores(a, t), *g = scores(b, t);

    by_definition(b, t->block);
    for (size_t k = 0; k < K; k++) {
        double dot = 0;
        CHECK_NEAR(c->variance[k], e->variance[k], 1e-4 * c->variance[0]);
        for (size_t i = 0; i < N; i++)
            dot += f[i * K + k] * g[i * K + k];
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(f[i * K + k], dot < 0 ? -g[i * K + k] : g[i * K + k],
                       2e-2 * sqrt(c->variance[0]));
    }
    free(f);
    free(g);
    fx_model_free(a);
    fx_model_free(b);
}

static void rejects(const fx_table *t)
{
    fx_model *m, *next = NULL;
    fx_metrics e = FX_INIT(fx_metrics), path[4] = {FX_INIT(fx_metrics)};
    int32_t fold[N] = {0};
    double out[N * K], C = 1;

    fails(FX_EINVAL, "k", &(fx_plan){PLAN, .model = "pca"}, t, NULL);
    fails(FX_EINVAL, "k=0", &(fx_plan){PLAN, .model = "pca:k=0"}, t, NULL);
    fails(FX_EINVAL, "k=21 components", &(fx_plan){PLAN, .model = "pca:k=21"}, t, NULL);
    fails(FX_EINVAL, "needs a map", &(fx_plan){PLAN, .model = "pca:k=2", .kernel = "anova"}, t,
          NULL);
    fails(FX_EINVAL, "needs a kernel", &(fx_plan){PLAN, .model = "kernel-pca:k=2"}, t, NULL);
    fails(FX_EINVAL, "nothing to measure", &(fx_plan){PLAN, .model = "pca:k=2", .eval = t}, t,
          NULL);
    fails(FX_EINVAL, "no classes", &(fx_plan){PLAN, .model = "pca:k=2", .class_weight = "balanced"},
          t, NULL);
    fails(FX_ELIMIT, "", &(fx_plan){PLAN, .model = "kernel-pca:k=2", .kernel = "anova"}, t,
          &(fx_run){RUN, .max_memory = 60000});
    m = fitted(&(fx_plan){PLAN, .model = "pca:k=3"}, t, NULL);
    fails(FX_EUNSUPPORTED, "cannot start", &(fx_plan){PLAN, .model = "pca:k=3", .init = m}, t,
          NULL);
    CHECK(fx_model_predict(out, NULL, m, FX_LABEL, t->block, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "components"));
    CHECK(fx_model_predict(out, NULL, m, FX_PROBA, t->block, NULL) == FX_EUNSUPPORTED);
    CHECK(fx_model_evaluate(&e, NULL, m, t, NULL) == FX_EUNSUPPORTED);
    CHECK(fx_model_update(&next, m, t, NULL) == FX_EUNSUPPORTED);
    CHECK(fx_model_path(path, &(fx_plan){PLAN, .model = "pca:k=3"}, &C, 1, t, fold, 1, NULL)
          == FX_EUNSUPPORTED);
    fx_model_free(m);
}

int main(void)
{
    fx_data *d = made("pairs:n=150,d=20,nz=6,k=4");
    fx_table t = fx_data_table(d), dense;
    fx_matrix block;
    double weight[N], *x;

    test_init();
    t.label = NULL;
    for (size_t i = 0; i < N; i++)
        weight[i] = (double)(i % 4);
    dense = dense_table(&block, &x, &t);
    for (int weighted = 0; weighted < 2; weighted++) {
        t.weight = dense.weight = weighted ? weight : NULL;
        are_components(&(fx_plan){PLAN, .model = "pca:k=3"}, &t);
        are_components(&(fx_plan){PLAN, .model = "pca:k=3", .scale = "std"}, &dense);
        are_components(&(fx_plan){PLAN, .model = "pca:k=3", .map = "rk", .kernel = "anova:order=2",
                                  .features = 64},
                       &t);
        are_components(&(fx_plan){PLAN, .model = "kernel-pca:k=3", .kernel = "poly:degree=2"}, &t);
        are_components(&(fx_plan){PLAN, .model = "kernel-pca:k=3", .kernel = "rbf:gamma=0.1",
                                  .scale = "unit-l2"},
                       &dense);
        agree(&t);
    }
    rejects(&t);
    free(x);
    fx_data_free(d);
    return 0;
}
