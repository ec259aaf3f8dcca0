/* SPDX-License-Identifier: BSD-3-Clause
 * t_found.c - products that are found: the model's numbers against the definition of the problem,
 * over all products one by one; files, threads, classes, folds, an eval set; what is refused.
 *
 * Covers: found.c */

#include "model/test/built.h"

enum { N = 120, D = 190, NZ = 12 };     /* 190 over 3 and fewer: 1,143,325 products */

typedef struct data {
    double x[N * D], y[N], weight[N];
    fx_matrix X;
    fx_table t;
} data;

static void make(data *s, size_t classes)
{
    memset(s->x, 0, sizeof s->x);
    for (size_t i = 0; i < N; i++) {
        double *x = s->x + i * D;
        for (size_t k = 0; k < NZ; k++)
            x[test_below(D)] = 1;
        x[3] = (double)test_below(2);
        x[7] = (double)test_below(2);
        x[150] = test_unit();
        size_t class = x[3] * x[7] > 0 ? 1 : x[150] > 0.7 ? 2 : 0;
        s->y[i] = (double)(test_below(12) ? class % classes : test_below(classes));
        s->weight[i] = 1 + (double)test_below(2);
    }
    s->X = (fx_matrix){.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = s->x};
    s->t = (fx_table){.rows = N, .cols = D, .blocks = 1, .block = &s->X, .label = s->y,
                      .weight = s->weight};
}

#define FOUND PLAN, .model = "logistic:penalty=l1,C=0.4,tol=1e-6", .map = "explicit", \
    .kernel = "anova-upto:order=3"

/* Of output k, class k against the rest or, of two classes, the second. */
static double sign(const data *s, const fx_model_info *c, size_t i, size_t k)
{
    return s->y[i] == (double)(c->outputs == 1 ? 1 : k) ? 1 : -1;
}

/* |w|_1 + C sum c loss from the combinations that explain lists, and -c loss' of the rows. */
static double objective(double *theta, const data *s, const fx_model *m, size_t k)
{
    const fx_model_info *c = fx_model_inspect(m);
    fx_explanation *e;
    double f[N], sum = 0;

    CHECK(fx_model_explain(&e, m, &(fx_explain_options){.size = sizeof(fx_explain_options),
                                                        .top = 10000,
                                                        .output_from_1 = k + 1}, NULL) == FX_OK);
    CHECK(e->exact && e->n);
    for (size_t i = 0; i < N; i++)
        f[i] = e->constant;
    for (size_t q = 0; q < e->n; q++) {
        sum += fabs(e->at[q].weight);
        for (size_t i = 0; i < N; i++) {
            double x = 1;
            for (size_t j = 0; j < e->at[q].order; j++)
                x *= s->x[i * D + e->at[q].column[j]];
            f[i] += e->at[q].weight * x;
        }
    }
    fx_explanation_free(e);
    for (size_t i = 0; i < N; i++) {
        double y = sign(s, c, i, k);
        sum += 0.4 * s->weight[i] * log1p(exp(-y * f[i]));
        theta[i] = 0.4 * s->weight[i] * y / (1 + exp(y * f[i]));
    }
    return sum;
}

/* The largest slope of any product of up to three columns. */
static double largest(const data *s, const double *theta)
{
    double best = 0;

    for (size_t a = 0; a < D; a++)
        for (size_t b = a; b < D; b++) {
            double pair[N], live = 0;
            for (size_t i = 0; i < N; i++)
                live += fabs(pair[i] = theta[i] * s->x[i * D + a] * (b > a ? s->x[i * D + b] : 1));
            for (size_t c = b; c < D && live > best; c = c == b && b == a ? D : c + 1) {
                double sum = 0;
                for (size_t i = 0; i < N; i++)
                    sum += pair[i] * (c > b ? s->x[i * D + c] : 1);
                best = fmax(best, fabs(sum));
            }
        }
    return best;
}

static void test_optimum(size_t classes)
{
    static data s;
    fx_model *m, *again;
    double theta[N], sum = 0;

    make(&s, classes);
    fx_plan plan = {FOUND};
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_OK);
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(!strcmp(c->kernel, "itemset:file=found") && !strcmp(c->map, "explicit") && c->converged);
    CHECK(c->gap <= 1e-6 && c->features < 200);
    for (size_t k = 0; k < c->outputs; k++) {
        sum += objective(theta, &s, m, k);
        double big = largest(&s, theta), total = 0;
        CHECK(big <= 1 + 1e-3);         /* a slope of 1 + v brings a gap of about v |w|_1 */
        for (size_t i = 0; i < N; i++)
            total += theta[i];
        CHECK_NEAR(total, 0, 1e-9);
    }
    CHECK_NEAR(sum, c->objective, 1e-9 * sum);

    /* threads, a file */
    fx_run run = {RUN, .threads = 2};
    CHECK(fx_model_fit(&again, &plan, &s.t, &run) == FX_OK);
    file a = dumped(m), b = dumped(again);
    CHECK(a.len == b.len && !memcmp(a.bytes, b.bytes, a.len));
    fx_model_free(again);
    CHECK(fx_model_parse(&again, a.bytes, a.len, NULL) == FX_OK);
    double S[2][3 * N];
    CHECK(fx_model_predict(S[0], NULL, m, FX_SCORE, &s.X, NULL) == FX_OK);
    CHECK(fx_model_predict(S[1], NULL, again, FX_SCORE, &s.X, NULL) == FX_OK);
    CHECK(!memcmp(S[0], S[1], N * c->outputs * sizeof *S[0]));
    fx_model_free(m);
    fx_model_free(again);
    free(a.bytes);
    free(b.bytes);
}

/* Held-out scores of a path are those of fits without the fold. */
static void test_folds(void)
{
    static data s, without;
    int32_t fold[N];
    double C[2] = {0.1, 0.4};
    fx_metrics got[2] = {FX_INIT(fx_metrics)}, want = FX_INIT(fx_metrics);
    fx_plan plan = {FOUND};
    fx_model *m;

    make(&s, 2);
    for (size_t i = 0; i < N; i++)
        fold[i] = i % 3 ? -1 : 0;
    CHECK(fx_model_path(got, &plan, C, 2, &s.t, fold, 1, NULL) == FX_OK);
    without = s;
    for (size_t i = 0; i < N; i += 3)
        without.weight[i] = 0;
    without.X.val = without.x;
    without.t.block = &without.X;
    without.t.weight = without.weight;
    without.t.label = without.y;
    CHECK(fx_model_fit(&m, &plan, &without.t, NULL) == FX_OK);
    for (size_t i = 0; i < N; i++)
        without.weight[i] = i % 3 ? 0 : s.weight[i];
    CHECK(fx_model_evaluate(&want, NULL, m, &without.t, NULL) == FX_OK);
    CHECK_NEAR(got[1].logloss, want.logloss, 1e-3);
    CHECK_NEAR(got[1].auc, want.auc, 0.01);
    fx_model_free(m);
}

static void test_eval(void)
{
    static data s;
    fx_plan plan = {FOUND};
    fx_metrics want = FX_INIT(fx_metrics);
    fx_model *m;

    make(&s, 2);
    s.t.weight = NULL;
    plan.eval = &s.t;
    plan.metric = "accuracy";
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_OK);
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(fx_model_evaluate(&want, NULL, m, &s.t, NULL) == FX_OK);
    CHECK(c->steps && c->history[c->steps - 1].metric == want.accuracy);
    CHECK(c->history[c->steps - 1].gap == c->gap);
    fx_model_free(m);
}

/* So strong a penalty that no product has a weight; exactly three columns a product. */
static void test_none(void)
{
    static data s;
    fx_plan plan = {FOUND};
    double score[N];
    fx_model *m;

    make(&s, 2);
    plan.model = "svm-l2:penalty=l1,C=1e-5";
    plan.kernel = "anova:order=3";
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_OK);
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(c->features == 1 && c->weights[0] == 0 && !strcmp(c->family, "0 1 2\n"));
    CHECK(fx_model_predict(score, NULL, m, FX_SCORE, &s.X, NULL) == FX_OK);
    CHECK(score[0] == c->intercepts[0] && score[N - 1] == score[0]);
    fx_model_free(m);
    plan.model = "svm-l2:penalty=l1,C=1";
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_OK);
    c = fx_model_inspect(m);
    for (const char *p = c->family; *p; p = strchr(p, '\n') + 1) {
        size_t spaces = 0;
        for (const char *q = p; *q != '\n'; q++)
            spaces += *q == ' ';
        CHECK(spaces == 2);
    }
    fx_model_free(m);
}

/* max-iter bounds the products that are looked at; the model says how good it is. */
static void test_not_converged(void)
{
    static data s;
    fx_plan plan = {FOUND};
    fx_model *m;

    make(&s, 2);
    plan.model = "svm-l2:penalty=l1,C=1,tol=1e-9,max-iter=1";
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_NOT_CONVERGED);
    CHECK(strstr(fx_error_detail(), "max-iter"));
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(!c->converged && c->gap > 1e-9 && c->iterations >= 1);
    fx_model_free(m);
}

static void refused(const data *s, fx_plan plan, fx_status want, const char *part)
{
    fx_model *m = NULL;

    CHECK(fx_model_fit(&m, &plan, &s->t, NULL) == want && !m);
    CHECK(strstr(fx_error_detail(), part));
}

static void test_refused(void)
{
    static data s;
    fx_model *m;
    fx_plan plan = {FOUND};

    make(&s, 2);
    plan.model = "logistic:penalty=l1,intercept=appended";
    refused(&s, plan, FX_EUNSUPPORTED, "1.143e+06 products of 190 columns are more than 1048576");
    plan = (fx_plan){FOUND};
    plan.kernel = "anova-upto:order=3,theta=1/1/2";
    refused(&s, plan, FX_EUNSUPPORTED, "not offered with theta");
    plan = (fx_plan){FOUND};
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_OK);
    plan.init = m;
    refused(&s, plan, FX_EUNSUPPORTED, "cannot start from a model");
    fx_model_free(m);
    s.x[5] = 2;
    plan.init = NULL;
    refused(&s, plan, FX_EDOMAIN, "row 0 (from 0) has 2 in column 5");
    plan.scale = "maxabs";
    CHECK(fx_model_fit(&m, &plan, &s.t, NULL) == FX_OK);
    fx_model_free(m);
}

int main(void)
{
    test_init();
    test_optimum(2);
    test_optimum(3);
    test_folds();
    test_eval();
    test_none();
    test_not_converged();
    test_refused();
    return 0;
}
