/* SPDX-License-Identifier: BSD-3-Clause
 * t_weight.c - a row of weight 0 is absent; rows in another order make the same model; for every
 * loss and solver.
 * Covers: fit.c, calibrate.c, src/kind/linear.c, src/kind/perceptron.c */
#include "model/test/fixture.h"

enum { N = 150 };
static const double TOL = 1e-9;

static const char *const specs[] = {
    "svm:", "svm:solver=dual,", "svm:solver=newton,", "svm-l2:solver=dual,",
    "svm-l2:solver=newton,", "svm-l2:penalty=l1,C=0.2,", "logistic:", "logistic:penalty=l1,C=0.2,",
    "svr:", "svr:solver=dual,", "svr:solver=newton,", "ridge:"};
enum { SPECS = sizeof specs / sizeof *specs };

/* The rows of t, and before every third of them another one of weight 0. */
static fx_data *without_zero_weights(fx_table *out, const fx_table *t, double *weight)
{
    size_t row[2 * N], n = 0;
    fx_data *d;

    for (size_t i = 0; i < t->rows; i++) {
        if (i % 3 == 0) {
            weight[n] = 0;
            row[n++] = (i * 7 + 1) % t->rows;
        }
        weight[n] = 1;
        row[n++] = i;
    }
    CHECK(fx_data_select(&d, t, row, n, NULL) == FX_OK);
    *out = fx_data_table(d);
    out->weight = weight;
    return d;
}

static double objective_gap(const fx_model *a, const fx_model *b)
{
    double x = fx_model_inspect(a)->objective, y = fx_model_inspect(b)->objective;

    return fabs(x - y) / x;
}

static void nothing_weighs_nothing(const char *start, const char *intercept)
{
    fx_data *d = made("pairs:n=150,d=24,nz=6,k=4"), *e, *f;
    fx_table t = fx_data_table(d), u, v;
    double weight[2 * N];
    size_t order[N];
    char spec[120];

    snprintf(spec, sizeof spec, "%sintercept=%s,tol=1e-9,max-iter=1000000", start, intercept);
    fx_plan plan = {PLAN, .model = spec};
    e = without_zero_weights(&u, &t, weight);
    fx_data_shuffle(order, N, 4);
    CHECK(fx_data_select(&f, &t, order, N, NULL) == FX_OK);
    v = fx_data_table(f);
    fx_model *a = fitted(&plan, &t, NULL), *b = fitted(&plan, &u, NULL);
    fx_model *c = fitted(&plan, &v, NULL);
    if (objective_gap(a, b) > 2 * TOL || objective_gap(a, c) > 2 * TOL)
        fprintf(stderr, "%s: objectives differ by %g, %g\n", spec, objective_gap(a, b),
                objective_gap(a, c));
    CHECK(objective_gap(a, b) <= 2 * TOL && objective_gap(a, c) <= 2 * TOL);
    CHECK(fx_model_inspect(a)->converged && fx_model_inspect(b)->converged);
    fx_model_free(a);
    fx_model_free(b);
    fx_model_free(c);
    fx_data_free(d);
    fx_data_free(e);
    fx_data_free(f);
}

/* What looks at rows one by one does not see rows of weight 0 at all: the same bits. */
static void is_never_read(const char *spec)
{
    fx_data *d = made("pairs:n=150,d=24,nz=6,k=4"), *e;
    fx_table t = fx_data_table(d), u;
    double weight[2 * N], label[2 * N];
    fx_plan plan = {PLAN, .model = spec, .seed = 8};

    e = without_zero_weights(&u, &t, weight);
    for (size_t i = 0; i < u.rows; i++)
        label[i] = weight[i] > 0 ? u.label[i] : 77;     /* nor is their label a class */
    u.label = label;
    fx_model *a = fitted(&plan, &t, NULL), *b = fitted(&plan, &u, NULL);
    const fx_model_info *x = fx_model_inspect(a), *y = fx_model_inspect(b);
    CHECK(same_model(a, b) && x->classes == 2 && y->classes == 2);
    CHECK(!x->sigmoid == !y->sigmoid && (!x->sigmoid || same_bits(x->sigmoid, y->sigmoid, 2)));
    fx_model_free(a);
    fx_model_free(b);
    fx_data_free(d);
    fx_data_free(e);
}

/* Newton's method, the method of multipliers and L1 from their own result: there at once. */
static void starts_at_the_end(const char *start)
{
    fx_data *d = made("pairs:n=150,d=24,nz=6,k=4");
    fx_table t = fx_data_table(d);
    char spec[120];

    snprintf(spec, sizeof spec, "%stol=1e-6,max-iter=100000", start);
    fx_plan plan = {PLAN, .model = spec};
    fx_model *a = fitted(&plan, &t, NULL);
    plan.init = a;
    fx_model *b = fitted(&plan, &t, NULL);
    const fx_model_info *x = fx_model_inspect(a), *y = fx_model_inspect(b);
    CHECK(y->converged && y->iterations <= x->iterations && objective_gap(a, b) <= 2e-6);
    fx_model_free(a);
    fx_model_free(b);
    fx_data_free(d);
}

int main(void)
{
    static const char *const intercept[] = {"free", "appended", "none"};

    for (size_t s = 0; s < SPECS; s++)
        for (size_t k = 0; k < 3; k++)
            nothing_weighs_nothing(specs[s], intercept[k]);
    is_never_read("perceptron");
    is_never_read("perceptron:averaged=no,intercept=none");
    is_never_read("perceptron:calibrate=yes");
    starts_at_the_end("svm:solver=newton,");
    starts_at_the_end("svm-l2:");
    starts_at_the_end("svm-l2:penalty=l1,");
    starts_at_the_end("logistic:");
    starts_at_the_end("logistic:penalty=l1,");
    starts_at_the_end("ridge:");
    return 0;
}
