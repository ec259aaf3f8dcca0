/* SPDX-License-Identifier: BSD-3-Clause
 * t_linear.c - solver=auto: it converges where rows are few and features many, whatever the loss,
 * to the optimum of every other solver; it goes over to another where one stalls, after the same
 * counts for any threads; what is said where a solver alone does not get there. */
#include "model/test/fixture.h"

#include <math.h>

typedef struct rows {
    double *value, *label, *target;
    int64_t *ptr;
    int32_t *col;
    fx_matrix X;
} rows;

static double normal(void)
{
    double u = test_unit(), v = test_unit();

    return sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * v);
}

/* n rows of nz numbers, at random places if nz < d: 1 if mean is, else normal ones around it, times
 * the scales of their columns, which are up to 10^decades apart.  `wrong` is a share of labels. */
static rows make(size_t n, size_t d, size_t nz, double mean, double decades, double wrong)
{
    rows r = {malloc(n * nz * 8), malloc(n * 8), malloc(n * 8), malloc((n + 1) * 8),
              malloc(n * nz * 4), {0}};
    double *w = malloc(2 * d * sizeof *w), *scale = w + d, sum = 0, squares = 0;

    CHECK(r.value && r.label && r.target && r.ptr && r.col && w);
    for (size_t j = 0; j < d; j++) {
        w[j] = normal();
        scale[j] = pow(10, decades * test_unit() - decades / 2);
    }
    for (size_t i = 0; i < n; i++) {
        double f = 0;
        r.ptr[i] = (int64_t)(i * nz);
        for (size_t k = 0; k < nz; k++) {
            size_t j = k * d / nz + (nz < d ? test_below(d / nz) : 0), at = i * nz + k;
            r.value[at] = (mean == 1 ? 1 : mean + normal()) * scale[j];
            r.col[at] = (int32_t)j;
            f += r.value[at] * w[j];
        }
        r.target[i] = f;
        sum += f;
        squares += f * f;
    }
    r.ptr[n] = (int64_t)(n * nz);
    double m = sum / (double)n, sd = sqrt(squares / (double)n - m * m);
    for (size_t i = 0; i < n; i++) {
        r.target[i] = (r.target[i] - m) / sd;
        r.label[i] = (r.target[i] > 0) != (test_unit() < wrong);
    }
    r.X = (fx_matrix){
        .rows = n, .cols = d, .type = FX_F64, .val = r.value, .ptr = r.ptr, .col = r.col};
    free(w);
    return r;
}

static void free_rows(rows *r)
{
    free(r->value), free(r->label), free(r->target), free(r->ptr), free(r->col);
}

static fx_model *solved(const rows *r, const char *model, const char *more, int threads)
{
    int targets = !strncmp(model, "svr", 3) || !strncmp(model, "ridge", 5);
    fx_table t = {.rows = r->X.rows, .cols = r->X.cols, .blocks = 1, .block = &r->X,
                  .label = targets ? r->target : r->label};
    char spec[128];

    snprintf(spec, sizeof spec, "%s%s", model, more);
    return fitted(&(fx_plan){PLAN, .model = spec}, &t, &(fx_run){RUN, .threads = threads});
}

/* Converged, at the optimum that a tighter gap proves; the same for any threads. */
static void ends(const rows *r, const char *model, const char *more, double optimum)
{
    fx_model *m = solved(r, model, more, 1), *other = solved(r, model, more, 3);
    CHECK(test_helped() || r->X.rows <= 256);   /* so few are not divided */
    const fx_model_info *c = fx_model_inspect(m);

    if (!c->converged)
        fprintf(stderr, "%s%s: gap %g\n", model, more, c->gap);
    CHECK(c->converged && c->gap <= 1e-3 && c->iterations <= 1000 && same_model(m, other));
    CHECK(c->objective >= optimum * (1 - 1e-4) && c->objective <= optimum / (1 - 1e-3));
    fx_model_free(m);
    fx_model_free(other);
}

static double best(const rows *r, const char *model, const char *more)
{
    fx_model *m = solved(r, model, more, 1);
    double objective = fx_model_inspect(m)->objective;

    CHECK(fx_model_inspect(m)->converged);
    fx_model_free(m);
    return objective;
}

/* 300 rows of 400 ones in 20,000 columns: the dual solver is quick. */
static void few_rows(void)
{
    static const char *const models[] = {"svm:C=100", "svm-l2:C=100", "svr:C=100", "ridge:C=100"};
    rows r = make(300, 20000, 400, 1, 0, 0.1);

    for (size_t k = 0; k < 4; k++) {
        double optimum = best(&r, models[k], ",solver=dual,tol=1e-4,max-iter=100000");
        ends(&r, models[k], "", optimum);
        ends(&r, models[k], ",solver=newton", optimum);
    }
    ends(&r, "svm-l2:C=100", ",intercept=none",
         best(&r, "svm-l2:C=100", ",intercept=none,solver=dual,tol=1e-4"));
    ends(&r, "logistic:C=100", "", best(&r, "logistic:C=100", ",tol=1e-4"));
    free_rows(&r);
}

/* Numbers far from 0: the dual solver stalls, and the method of multipliers ends it. */
static void takes_over_from_dual(void)
{
    static const char *const models[] = {"svm:C=100", "svm-l2:C=100", "svr:C=100"};
    rows r = make(60, 1000, 1000, 10, 0, 0.1);

    for (size_t k = 0; k < 3; k++) {
        fx_model *m = solved(&r, models[k], ",solver=dual", 1);
        CHECK(!fx_model_inspect(m)->converged && strstr(fx_error_detail(), "use solver=auto"));
        fx_model_free(m);
        ends(&r, models[k], "", best(&r, models[k], ",tol=1e-5"));
    }
    free_rows(&r);
}

/* Columns of unlike scales, large C, not more features than rows: Newton's method stalls. */
static void takes_over_from_newton(void)
{
    rows r = make(300, 250, 250, 0, 4, 0);

    ends(&r, "svm-l2:C=100", ",intercept=none",
         best(&r, "svm-l2:C=100", ",intercept=none,tol=1e-5,max-iter=100000"));
    free_rows(&r);
}

int main(void)
{
    test_init();
    few_rows();
    takes_over_from_dual();
    takes_over_from_newton();
    return 0;
}
