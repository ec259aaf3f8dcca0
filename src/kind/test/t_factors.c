/* SPDX-License-Identifier: BSD-3-Clause
 * t_factors.c - factorization machines as models: every kind and task fitted, predicted, written
 * and read; targets centred and clipped; groups; what is refused.
 * Covers: factors_groups.c, factors_numbers.c */

#include "factors.h"

/* Every kind, task and solver: better than the constant, and the same bytes for any threads. */
static void check_kinds(rows *r)
{
    static const char *const kinds[] = {"fm:", "hofm:order=4,", "hofm-shared:order=3,",
                                        "hofm-simplex:order=3,", "all-subsets:", "poly-net:",
                                        "poly-net-uv:", "bilinear:split=3,",
                                        "fm:linear=no,intercept=none,lambda=learned,",
                                        "hofm:lambda=signs,"};
    static const char *const tasks[] = {"task=classify", "task=regress", "task=rank"};
    static const char *const solvers[] = {"cd", "adagrad", "lbfgs"};
    static const struct {
        int classes, task;
    } cases[] = {{2, 0}, {3, 0}, {0, 1}, {0, 2}};
    char spec[160];

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t c = 0; c < 4; c++) {
            const char *solver = solvers[cases[c].task == 2 ? 1 : (k + c) % 3];
            fx_plan plan = {PLAN, .model = spec, .seed = k, .scale = k % 2 ? "maxabs" : NULL};
            snprintf(spec, sizeof spec, "%s%s,rank=%d,max-iter=8,sd=0.1,solver=%s", kinds[k],
                     tasks[cases[c].task], 3 + (int)(k % 2) * 14, solver);
            labelled(r, cases[c].classes);
            r->t.qid = cases[c].task == 2 ? r->qid : NULL;
            r->t.weight = c % 2 ? r->weight : NULL;
            fx_model *m = fitted(&plan, &r->t, &(fx_run){RUN, .threads = 1});
            fx_model *other = fitted(&plan, &r->t, &(fx_run){RUN, .threads = 3});
            CHECK(same_factors(m, other));
            CHECK(m->c.classes == (size_t)cases[c].classes);
            CHECK(m->c.outputs == (cases[c].classes == 3 ? 3 : 1));
            CHECK((m->c.sigmoid != NULL) == (cases[c].task == 0));
            if (!plan.scale)
                check_model(m, r);
            fx_metrics e = FX_INIT(fx_metrics);
            CHECK(fx_model_evaluate(&e, NULL, m, &r->t, NULL) == FX_OK);
            CHECK(cases[c].task == 0   ? e.accuracy > 0.4 && e.logloss < 1.2
                  : cases[c].task == 1 ? e.rmse < 1.5
                                       : e.auc > 0.5 && isnan(e.rmse));
            fx_model_free(m);
            fx_model_free(other);
        }
    r->t.qid = NULL;
    r->t.weight = NULL;
}

/* Dense rows score as sparse ones do; columns never seen, and those beyond, change nothing; rows
 * without columns have a constant. */
static void check_rows(rows *r)
{
    fx_plan plan = {PLAN, .model = "hofm-shared:order=3,rank=3,sd=0.3,max-iter=3"};
    fx_model *m = fitted(&plan, labelled(r, 3), NULL);
    double *f = scores(m, &r->t), x[COLS], g[3];
    uint64_t unseen;

    for (size_t i = 0; i < ROWS; i += 7) {
        int64_t n = r->ptr[i + 1] - r->ptr[i], ptr[] = {0, n + 1};
        double val[COLS + 1];
        int64_t col[COLS + 1];
        memset(x, 0, sizeof x);
        for (int64_t q = 0; q < n; q++) {
            x[r->col[r->ptr[i] + q]] = val[q] = r->val[r->ptr[i] + q];
            col[q] = r->col[r->ptr[i] + q];
        }
        val[n] = 1e9;
        col[n] = 20;
        x[5] = -1e9;
        fx_matrix dense = {.rows = 1, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
        fx_matrix wide = {.rows = 1, .cols = 21, .type = FX_F64, .wide = 1, .val = val, .ptr = ptr,
                          .col = col};
        CHECK(fx_model_predict(g, &unseen, m, FX_SCORE, &wide, NULL) == FX_OK && unseen == 1);
        CHECK(same_bits(g, f + 3 * i, 3));
        CHECK(fx_model_predict(g, &unseen, m, FX_SCORE, &dense, NULL) == FX_OK && unseen == 1);
        for (size_t k = 0; k < 3; k++)
            CHECK_NEAR(g[k], f[3 * i + k], 1e-12);
    }
    free(f);
    fx_model_free(m);
    int64_t none[ROWS + 1] = {0};
    fx_matrix X = {.rows = ROWS, .cols = 0, .type = FX_F64, .ptr = none};
    fx_table t = {.rows = ROWS, .cols = 0, .blocks = 1, .block = &X, .label = r->label};
    plan.model = "fm:task=regress,max-iter=2";
    m = fitted(&plan, &t, NULL);
    f = scores(m, &t);
    CHECK(f[0] == m->c.intercepts[0] && f[0] == f[1]);
    free(f);
    fx_model_free(m);
}

/* ---- Targets ----------------------------------------------------------------------------- */

static void check_targets(rows *r)
{
    static const char *const solvers[] = {"lbfgs", "adagrad", "auto"};
    char spec[96];
    double range[2] = {INFINITY, -INFINITY};

    for (size_t k = 0; k < 3; k++) {    /* a constant is added to predictions alone */
        fx_plan plan = {PLAN, .model = spec};
        snprintf(spec, sizeof spec, "fm:task=regress,rank=3,max-iter=5,solver=%s", solvers[k]);
        fx_model *a = fitted(&plan, labelled(r, 0), NULL);
        for (size_t i = 0; i < ROWS; i++)
            r->label[i] += 1e6;
        fx_model *b = fitted(&plan, &r->t, NULL);
        double *f = scores(a, &r->t), *g = scores(b, &r->t);
        for (size_t i = 0; i < ROWS; i++)
            CHECK_NEAR(g[i] - f[i], 1e6, 1e-6);
        free(f);
        free(g);
        fx_model_free(a);
        fx_model_free(b);
    }
    labelled(r, 0);
    for (size_t i = 0; i < ROWS; i++) {
        range[0] = fmin(range[0], r->label[i]);
        range[1] = fmax(range[1], r->label[i]);
    }
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=3,max-iter=5,clip=train,sd=1"};
    fx_model *m = fitted(&plan, &r->t, NULL);
    CHECK(m->c.low == range[0] && m->c.high == range[1]);
    check_model(m, r);
    double far[COLS] = {9, 9, -9, 9, 9, 0, 9}, score, label;
    fx_matrix x = {.rows = 1, .cols = COLS, .stride = COLS, .type = FX_F64, .val = far};
    CHECK(fx_model_predict(&score, NULL, m, FX_SCORE, &x, NULL) == FX_OK);
    CHECK(fx_model_predict(&label, NULL, m, FX_LABEL, &x, NULL) == FX_OK);
    CHECK(fabs(score) > 10 && label == (score > 0 ? range[1] : range[0]));
    fx_metrics e = FX_INIT(fx_metrics);
    fx_table one = {.rows = 1, .cols = COLS, .blocks = 1, .block = &x, .label = &label};
    CHECK(fx_model_evaluate(&e, NULL, m, &one, NULL) == FX_OK && e.rmse == 0);
    fx_model_free(m);
}

/* ---- Groups ------------------------------------------------------------------------------ */

/* Columns of one group are never combined: a row of these alone has a linear score. */
static void check_groups(rows *r)
{
    fx_plan plan = {PLAN, .model = "hofm:order=3,task=regress,rank=3,sd=0.5,max-iter=3,linear=no",
                    .kernel = "groups:file=g", .family = "a: 0 1 2\nb: 3 4\n"};
    fx_model *m = fitted(&plan, labelled(r, 0), NULL), *again = read_back(m);
    double x[COLS] = {1, 2, 3}, f;
    fx_matrix X = {.rows = 1, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};

    CHECK(!strcmp(m->c.kernel, "groups:file=g,order=3")
          && ((const fxi_factors *)again->own)->fm->groups == 4);
    CHECK(fx_model_predict(&f, NULL, again, FX_SCORE, &X, NULL) == FX_OK);
    CHECK(f == m->c.intercepts[0]);
    x[3] = 1;
    CHECK(fx_model_predict(&f, NULL, again, FX_SCORE, &X, NULL) == FX_OK);
    CHECK(f != m->c.intercepts[0]);
    fx_model_free(m);
    fx_model_free(again);

    plan = (fx_plan){PLAN, .model = "fm:task=regress,linear=no,sd=0.5,max-iter=3",
                     .kernel = "cross:file=g",
                     .family = "a b\na: 0 1\nb: 3\nc: 4\n"};
    m = fitted(&plan, &r->t, NULL);
    double y[COLS] = {0, 0, 1, 2, 3, 0, 4};     /* b and what takes no part */
    X.val = y;
    const fxi_fm *fm = ((const fxi_factors *)m->own)->fm;
    CHECK(fm->groups == 2 && fm->group[6] == -1);
    CHECK(fx_model_predict(&f, NULL, m, FX_SCORE, &X, NULL) == FX_OK && f == m->c.intercepts[0]);
    fx_model_free(m);
}

/* ---- What is refused --------------------------------------------------------------------- */

static void fails(const fx_plan *plan, const fx_table *t, fx_status expected, const char *why)
{
    fx_model *m = NULL;
    fx_status s = fx_model_fit(&m, plan, t, NULL);

    if (s != expected || !strstr(fx_error_detail(), why)) {
        fprintf(stderr, "%s: status %d: %s; expected: %s\n", plan->model, (int)s, fx_error_detail(),
                why);
        CHECK(!"another answer");
    }
    CHECK(!m);
}

static void check_full_sink(rows *r)
{
    static const struct { const char *spec; fx_status status; const char *why; } cases[] = {
        {"fm:rank=0", FX_EINVAL, "rank=0"}, {"hofm:order=1", FX_EINVAL, "order=1"},
        {"hofm:order=17", FX_EINVAL, "order=17"}, {"fm:beta=-1", FX_EINVAL, "beta=-1"},
        {"hofm:beta=1/-2", FX_EINVAL, "beta=1/-2 has -2"}, {"fm:lr=0", FX_EINVAL, "lr=0"},
        {"fm:alpha=-1", FX_EINVAL, "alpha=-1"}, {"fm:batch=0", FX_EINVAL, "batch=0"},
        {"poly-net:degree=1", FX_EINVAL, "degree=1"}, {"fm:order=3", FX_EINVAL, "order"},
        {"fm:loss=logistic,task=regress", FX_EINVAL, "squared"},
        {"fm:loss=squared,task=rank", FX_EINVAL, "logistic"},
        {"fm:task=rank,solver=cd", FX_EUNSUPPORTED, "adagrad"},
        {"fm:task=rank,solver=lbfgs", FX_EUNSUPPORTED, "adagrad"},
        {"fm:clip=train", FX_EINVAL, "clip"}, {"fm:task=regress,clip=2/1", FX_EINVAL, "clip=2/1"},
        {"fm:task=regress,clip=1", FX_EINVAL, "clip=1"},
        {"fm:task=regress,clip=1/inf", FX_EINVAL, "clip=1/inf"}, {"bilinear", FX_EINVAL, "split"},
        {"bilinear:split=7", FX_EINVAL, "split=7"}, {"fm:sd=-1", FX_EINVAL, "sd=-1"}};
    fx_plan plan = {PLAN, .model = "fm"};
    double zero[ROWS] = {0};

    labelled(r, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan.model = cases[i].spec;
        fails(&plan, &r->t, cases[i].status, cases[i].why);
    }
    plan = (fx_plan){PLAN, .model = "fm", .map = "rk", .kernel = "anova:order=2", .features = 8};
    fails(&plan, &r->t, FX_EUNSUPPORTED, "map rk");
    plan = (fx_plan){PLAN, .model = "fm", .kernel = "anova:order=2"};
    fails(&plan, &r->t, FX_EUNSUPPORTED, "groups");
    plan = (fx_plan){PLAN, .model = "fm", .kernel = "groups:file=g", .family = "a: 0 1\nb: 1 2\n"};
    fails(&plan, &r->t, FX_EINVAL, "column 1");
    plan.kernel = "groups:file=g,order=3";
    fails(&plan, &r->t, FX_EINVAL, "order 3");
    plan = (fx_plan){PLAN, .model = "all-subsets", .kernel = "groups:file=g", .family = "a: 0 1\n"};
    fails(&plan, &r->t, FX_EUNSUPPORTED, "fm and hofm");
    plan = (fx_plan){PLAN, .model = "fm", .patience = 2};
    fails(&plan, &r->t, FX_EINVAL, "eval");
    plan = (fx_plan){PLAN, .model = "fm", .eval = &r->t, .metric = "f2"};
    fails(&plan, &r->t, FX_EINVAL, "'f1'");
    plan.metric = "rmse";
    fails(&plan, &r->t, FX_EINVAL, "rmse");
    plan = (fx_plan){PLAN, .model = "fm:loss=squared-hinge", .eval = &r->t, .metric = "logloss"};
    fails(&plan, &r->t, FX_EINVAL, "logloss");
    plan = (fx_plan){PLAN, .model = "fm", .max_seconds = -1};
    fails(&plan, &r->t, FX_EINVAL, "max_seconds");
    plan = (fx_plan){PLAN, .model = "svm", .patience = 2};
    fails(&plan, &r->t, FX_EUNSUPPORTED, "patience");
    plan = (fx_plan){PLAN, .model = "svm", .max_seconds = 1};
    fails(&plan, &r->t, FX_EUNSUPPORTED, "time");
    plan = (fx_plan){PLAN, .model = "fm:task=rank"};
    r->t.label = zero;
    fails(&plan, &r->t, FX_EINVAL, "no two rows");
    r->t.label = r->label;
    plan.model = "fm:task=regress";
    r->t.weight = zero;
    fails(&plan, &r->t, FX_EINVAL, "rows are zero");
    r->t.weight = NULL;
    fx_model *m = NULL;
    CHECK(fx_model_fit(&m, &plan, &r->t, &(fx_run){RUN, .max_memory = 5000}) == FX_ELIMIT && !m);
}

int main(void)
{
    static rows r;

    test_init();
    make_rows(&r);
    check_kinds(&r);
    check_rows(&r);
    check_targets(&r);
    check_groups(&r);
    check_full_sink(&r);
    return 0;
}
