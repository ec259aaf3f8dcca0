/* SPDX-License-Identifier: BSD-3-Clause
 * t_robust.c - rows and plans at the edge of what can be computed: an error, or a model of finite
 * numbers.
 * Covers: weights.c, linear.c, perceptron.c */
#include "model/test/fixture.h"

static const char *const specs[] = {
    "svm", "svm:solver=dual", "svm:solver=newton", "svm-l2:solver=dual", "svm-l2:solver=newton",
    "svm-l2:penalty=l1", "logistic", "logistic:penalty=l1",
    "logistic:penalty=l1,solver=proximal", "ridge:penalty=l1", "svr", "svr:solver=newton", "ridge",
    "perceptron", "perceptron:averaged=no", "svm:intercept=none", "svm-l2:intercept=appended",
    "svm:calibrate=yes"};
enum { SPECS = sizeof specs / sizeof *specs };

static int all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

/* Whatever comes of the fit, it says so, and what it gives can be used. */
static fx_status fits(const fx_plan *plan, const fx_table *t, const char *what)
{
    fx_model *m = NULL;
    fx_status s = fx_model_fit(&m, plan, t, NULL);

    CHECK((s >= 0) == (m != NULL));
    if (!m) {
        CHECK(*fx_error_detail() && s != FX_ENOMEM);
        return s;
    }
    const fx_model_info *c = fx_model_inspect(m);
    int good = all_finite(c->weights, c->features * c->outputs)
               && all_finite(c->intercepts, c->outputs) && isfinite(c->objective)
               && isfinite(c->gap) && c->gap >= 0
               && (!c->sigmoid || all_finite(c->sigmoid, 2 * c->outputs))
               && (s == 0) == c->converged;
    if (!good)
        fprintf(stderr, "%s, %s: %s: objective %g, gap %g, intercept %g\n", what, plan->model,
                fx_status_name(s), c->objective, c->gap, c->intercepts[0]);
    CHECK(good);
    double *out = malloc(t->rows * (c->outputs + c->classes + 1) * sizeof *out);
    for (int k = 0; k < 3 && out; k++) {
        fx_status p = fx_model_predict(out, NULL, m, (fx_prediction)k, t->block, NULL);
        CHECK(p == FX_OK ? all_finite(out, t->rows * fx_model_width(m, (fx_prediction)k))
                         : p == FX_ENUMERIC || p == FX_EUNSUPPORTED);
    }
    free(out);
    fx_model_free(m);
    return s;
}

/* Every model on these rows; with which map, which scaling? */
static void every_model(const char *text, const char *keys)
{
    fx_data *d = parsed(text);
    fx_table t = fx_data_table(d);
    static const fx_plan pipes[] = {
        {.scale = NULL}, {.scale = "std"}, {.scale = "unit-l2", .map = "rk", .kernel = "anova"},
        {.map = "explicit", .kernel = "poly:degree=2,coef0=1"}};

    for (size_t s = 0; s < SPECS; s++)
        for (size_t k = 0; k < sizeof pipes / sizeof *pipes; k++) {
            char spec[100];
            int perceptron = !strncmp(specs[s], "perc", 4);
            fx_plan plan = pipes[k];
            if (perceptron && *keys)
                continue;
            if (plan.map && !t.cols)
                continue;
            snprintf(spec, sizeof spec, "%s%s%s%s", specs[s], strchr(specs[s], ':') ? "," : ":",
                     perceptron ? "max-iter=3" : "max-iter=100", keys);
            plan.model = spec;
            plan.features = plan.map ? 20 : 0;
            fits(&plan, &t, text);
        }
    fx_data_free(d);
}

int main(void)
{
    static const char *const rows[] = {
        "1 1:1e9 2:1\n2 1:2e9 2:3\n1 1:3e9 2:2\n2 1:1.5e9 2:2\n1 1:4e9\n2 1:3.5e9 2:1\n",
        "1 1:1e150 2:1\n2 1:-1e150 2:3\n1 1:3e150 2:2\n2 1:1e149 2:2\n1 2:4\n2 1:2 2:1\n",
        "1 1:1e-150 2:1e-160\n2 1:-1e-150\n1 1:3e-150 2:2e-150\n2 1:1e-149\n",
        "1 1:5 2:1\n2 1:5 2:3\n1 1:5 2:2\n2 1:5 2:2\n",             /* constant */
        "1 1:5\n2 1:5\n1 1:5\n2 1:5\n",
        "1 1:0 2:1\n2 1:0 2:3\n1 1:0 2:2 9:0\n2 2:2\n",             /* zeros */
        "1 1:0\n2 1:0\n1 1:0\n2 3:0\n",
        "1\n2\n1\n2\n",                                             /* no columns */
        "1 1:1 2:1\n2 1:1 2:1\n1 1:1 2:1\n2 1:1 2:1\n1 1:1 2:1\n",  /* duplicates */
        "1e150 1:1\n-1e150 1:2\n1e150 1:3\n-1e150 1:4\n",           /* labels */
        "1 1:1\n2 1:2\n", "1 1:1\n", "0 1:3\n0 1:4\n"};
    static const char *const keys[] = {"", ",C=1e-300", ",C=1e300", ",C=1e-8", ",C=1e8,tol=1e-12"};

    test_init();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            every_model(rows[r], keys[k]);
    return 0;
}
