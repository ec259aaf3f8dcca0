/* SPDX-License-Identifier: BSD-3-Clause
 * t_factors_fit.c - how factorization machines are fitted: weights, starts from other models,
 * updates, early stopping, limits of time, divergence, paths, rankings.
 * Covers: factors_init.c, factors_output.c, factors_summary.c */

#include "factors.h"

/* ---- Weights ----------------------------------------------------------------------------- */

/* A row of weight 3 is three rows, and one of weight 0 is none (adagrad: in one batch). */
static const fxi_factors *own(const fx_model *m) { return m->own; }

static void check_weights_of(rows *r, const char *task, const char *solver)
{
    char spec[128];
    fx_plan plan = {PLAN, .model = spec};
    double weight[ROWS];
    size_t row[3 * ROWS], n = 0;
    fx_data *d;

    snprintf(spec, sizeof spec, "hofm-simplex:%s,rank=2,max-iter=5,sd=0.1,batch=500,solver=%s",
             task, solver);
    labelled(r, strstr(task, "regress") ? 0 : 3);
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = (double)(i % 3 == 2 ? 3 : i % 3);
        for (size_t k = 0; k < (size_t)weight[i]; k++)
            row[n++] = i;
    }
    CHECK(fx_data_select(&d, &r->t, row, n, NULL) == FX_OK);
    fx_table thrice = fx_data_table(d);
    r->t.weight = weight;
    fx_model *a = fitted(&plan, &r->t, NULL), *b = fitted(&plan, &thrice, NULL);
    double *f = scores(a, &r->t), *g = scores(b, &r->t);
    for (size_t i = 0; i < ROWS * a->c.outputs; i++)
        CHECK_NEAR(f[i], g[i], 1e-8);
    CHECK_NEAR(a->c.objective, b->c.objective, 1e-10);
    free(f);
    free(g);
    fx_model_free(a);
    fx_model_free(b);
    fx_data_free(d);
    r->t.weight = NULL;
}

static void check_weights(rows *r)
{
    static const char *const solvers[] = {"cd", "adagrad", "lbfgs"};
    static const char *const tasks[] = {"task=regress", "loss=logistic", "loss=squared-hinge"};
    double weight[ROWS];

    for (size_t k = 0; k < 9; k++)
        check_weights_of(r, tasks[k / 3], solvers[k % 3]);
    labelled(r, 2);                     /* class 1 twice, by the row or by its class */
    for (size_t k = 0; k < 3; k++) {
        char spec[64];
        fx_plan plan = {PLAN, .model = spec};
        snprintf(spec, sizeof spec, "fm:rank=2,max-iter=5,solver=%s", solvers[k]);
        for (size_t i = 0; i < ROWS; i++)
            weight[i] = r->label[i] > 0 ? 2 : 1;
        r->t.weight = weight;
        fx_model *a = fitted(&plan, &r->t, NULL);
        r->t.weight = NULL;
        plan.class_weight = "1=2";
        fx_model *b = fitted(&plan, &r->t, NULL);
        CHECK(same_factors(a, b));
        fx_model_free(a);
        fx_model_free(b);
    }
}

/* ---- Starts and updates ------------------------------------------------------------------ */

static void check_init(rows *r)
{
    static const struct { const char *kind; int classes; } cases[] = {
        {"fm:task=regress,", 0}, {"hofm:order=3,", 3}, {"fm:task=rank,", 0},
        {"hofm-simplex:task=regress,lambda=learned,", 0}, {"poly-net-uv:", 2}};
    char spec[128], longer[128];

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fx_plan plan = {PLAN, .model = spec, .seed = 5};
        snprintf(spec, sizeof spec, "%ssolver=adagrad,rank=2,batch=7,tol=0,max-iter=5",
                 cases[k].kind);
        snprintf(longer, sizeof longer, "%ssolver=adagrad,rank=2,batch=7,tol=0,max-iter=10",
                 cases[k].kind);
        labelled(r, cases[k].classes);
        r->t.qid = strstr(spec, "rank,") ? r->qid : NULL;
        fx_model *five = fitted(&plan, &r->t, NULL), *same = read_back(five);
        plan.init = same;
        fx_model *more = fitted(&plan, &r->t, NULL);
        plan = (fx_plan){PLAN, .model = longer, .seed = 5};
        fx_model *ten = fitted(&plan, &r->t, NULL);
        CHECK(same_factors(more, ten) && more->c.iterations == 10);
        CHECK(same_bits(own(more)->state, own(ten)->state, ten->c.outputs * own(ten)->fm->size));
        fx_model_free(five);
        fx_model_free(same);
        fx_model_free(more);
        fx_model_free(ten);
    }
    r->t.qid = NULL;
}

/* From a solution the next one is not worse, also where columns have come in addition. */
static void check_wider(rows *r)
{
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=3,solver=lbfgs,max-iter=40"};
    fx_matrix wide = r->X;
    fx_table t = *labelled(r, 0);
    int32_t col[ROWS * COLS];

    memcpy(col, r->col, sizeof col);
    for (size_t i = 0; i < ROWS; i++)   /* the last column becomes column 5 or 9 */
        for (int64_t q = r->ptr[i]; q < r->ptr[i + 1]; q++)
            col[q] = col[q] == COLS - 1 ? 9 : col[q];
    wide.col = col;
    wide.cols = 10;
    t.block = &wide;
    t.cols = 10;
    fx_model *before = fitted(&plan, &r->t, NULL);
    plan.init = before;
    plan.model = "fm:task=regress,rank=3,solver=lbfgs,max-iter=1";
    fx_model *again = fitted(&plan, &r->t, NULL), *wider = fitted(&plan, &t, NULL);
    CHECK(again->c.objective <= before->c.objective * (1 + 1e-12));
    CHECK(wider->c.cols == 10 && wider->c.objective < 3 * before->c.objective + 1);
    plan.init = wider;
    fx_model *m = NULL;
    CHECK(fx_model_fit(&m, &plan, &r->t, NULL) == FX_EINVAL && !m);
    CHECK(strstr(fx_error_detail(), "10 columns"));
    plan.init = before;
    plan.model = "fm:task=regress,rank=4";
    CHECK(fx_model_fit(&m, &plan, &r->t, NULL) == FX_EINVAL && !m);
    plan.model = "ridge";
    CHECK(fx_model_fit(&m, &plan, &r->t, NULL) == FX_EINVAL && !m);
    fx_model_free(before);
    fx_model_free(again);
    fx_model_free(wider);
}

static void check_update(rows *r)
{
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=2,solver=adagrad,max-iter=3,clip=train"};
    fx_model *first = fitted(&plan, labelled(r, 0), NULL), *a = NULL, *b = NULL;
    fx_table t = r->t;
    double high[ROWS];

    for (size_t i = 0; i < ROWS; i++)
        high[i] = r->label[i] + 100;
    t.label = high;
    CHECK(fx_model_update(&a, first, &t, NULL) == FX_OK);
    CHECK(fx_model_update(&b, first, &t, &(fx_run){RUN, .threads = 2}) == FX_OK);
    CHECK(same_factors(a, b) && !same_factors(a, first) && a->c.iterations == 4);
    CHECK(a->c.low == first->c.low && a->c.high > first->c.high && a->c.rows == 2 * ROWS);
    check_model(a, r);
    fx_model_free(a);
    fx_model_free(b);
    fx_model_free(first);
    first = fitted(&plan, &r->t, NULL);
    CHECK(fx_model_update(&a, first, &t, &(fx_run){RUN, .max_memory = 3000}) == FX_ELIMIT);
    CHECK(fx_model_update(&a, first, NULL, NULL) == FX_EINVAL);
    fx_model_free(first);
    plan.model = "fm:task=regress,rank=2,solver=lbfgs";
    first = fitted(&plan, &r->t, NULL);
    CHECK(fx_model_update(&a, first, &t, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "adagrad"));
    fx_model_free(first);
}

/* Mean loss after 50 epochs: of all rows at once, or of ten chunks in turn. */
static double chunked(rows *r, uint64_t seed, bool chunks)
{
    fx_plan plan = {PLAN,
                    .model = "fm:task=regress,rank=4,solver=adagrad,max-iter=50,tol=0,batch=6,"
                             "sd=0.3,beta=0.01",
                    .seed = seed};
    fx_metrics found = FX_INIT(fx_metrics);
    fx_model *m = NULL;

    labelled(r, 0);
    if (chunks)
        plan.model = "fm:task=regress,rank=4,solver=adagrad,max-iter=1,batch=6,sd=0.3,beta=0.01";
    else
        m = fitted(&plan, &r->t, NULL);
    for (size_t k = 0; chunks && k < 10 * 50; k++) {
        fx_matrix X = r->X;
        X.rows = ROWS / 10;
        X.ptr += k % 10 * X.rows;
        fx_table t = {.rows = X.rows, .cols = COLS, .blocks = 1, .block = &X,
                      .label = r->label + k % 10 * X.rows};
        fx_model *next = NULL;
        CHECK((k ? fx_model_update(&next, m, &t, NULL) : fx_model_fit(&next, &plan, &t, NULL))
              >= 0);
        fx_model_free(m);
        m = next;
    }
    CHECK(fx_model_evaluate(&found, NULL, m, &r->t, NULL) == FX_OK);
    fx_model_free(m);
    return found.rmse * found.rmse;
}

/* Chunks lead where all rows together do.  Two ways may end in two minima: the best of three. */
static void check_chunks(rows *r)
{
    double full = INFINITY, parts = INFINITY;

    for (uint64_t seed = 1; seed < 4; seed++) {
        full = fmin(full, chunked(r, seed, false));
        parts = fmin(parts, chunked(r, seed, true));
    }
    CHECK(parts <= 1.1 * full);         /* 0.88 to 1.04 over 14 sets of 60 rows */
}

/* At an optimum there is nothing left to do. */
static void check_optimum(rows *r)
{
    static const char *const solvers[] = {"cd", "lbfgs"};
    char spec[96];

    for (size_t k = 0; k < 2; k++) {
        fx_plan plan = {PLAN, .model = spec};
        snprintf(spec, sizeof spec,
                 "fm:task=regress,rank=2,sd=0.1,max-iter=2000,tol=1e-7,solver=%s", solvers[k]);
        fx_model *m = fitted(&plan, labelled(r, 0), NULL);
        plan.init = m;
        fx_model *again = fitted(&plan, &r->t, NULL);
        CHECK(m->c.converged && again->c.converged && again->c.iterations <= 1 + 10 * k);
        CHECK(again->c.objective <= m->c.objective * (1 + 1e-12));
        fx_model_free(m);
        fx_model_free(again);
    }
}

/* ---- When it stops ----------------------------------------------------------------------- */

/* Rows to measure on with other targets: the metric gets worse as the fit gets better. */
static void check_patience(rows *r)
{
    static const char *const metrics[] = {"accuracy", "auc", "logloss", "rmse"};
    rows other = *r;

    make_rows(&other);
    for (size_t k = 0; k < 8; k++) {
        bool targets = k % 4 == 3, ada = k > 3;
        char spec[128];
        const char *form = "fm:task=%s,rank=8,sd=0.3,beta=0,alpha=0,tol=0,solver=%s,max-iter=%d";
        fx_plan plan = {PLAN, .model = spec, .eval = &other.t, .metric = metrics[k % 4],
                        .patience = 3};
        labelled(r, targets ? 0 : 2);
        for (size_t i = 0; i < ROWS; i++)
            other.label[i] = targets ? test_unit() : test_below(2) ? 1 : -1;
        snprintf(spec, sizeof spec, form, targets ? "regress" : "classify",
                 ada ? "adagrad" : "lbfgs", 60);
        fx_model *m = fitted(&plan, &r->t, NULL);
        const fx_model_info *c = fx_model_inspect(m);
        size_t best = 0;
        for (size_t i = 1; i < c->steps; i++) {
            double a = c->history[i].metric, b = c->history[best].metric;
            if (k % 4 > 1 ? a < b : a > b)
                best = i;
        }
        CHECK(c->steps < 60 && c->steps == best + 4 && c->converged);
        CHECK(c->iterations == c->history[best].iteration);
        plan = (fx_plan){PLAN, .model = spec};
        snprintf(spec, sizeof spec, form, targets ? "regress" : "classify",
                 ada ? "adagrad" : "lbfgs", (int)c->iterations);
        fx_model *same_iterations = fitted(&plan, &r->t, NULL);
        CHECK(same_factors(m, same_iterations));
        CHECK(!ada || same_bits(own(m)->state, own(same_iterations)->state, own(m)->fm->size));
        fx_model_free(m);
        fx_model_free(same_iterations);
    }
}

/* Rows to measure on that the metric is not defined for. */
static void check_undefined(rows *r)
{
    rows other = *r;
    fx_plan plan = {PLAN, .model = "fm:rank=2", .eval = &other.t, .metric = "auc", .patience = 2};
    fx_model *m = NULL;

    make_rows(&other);
    for (size_t i = 0; i < ROWS; i++)
        other.label[i] = 1;
    CHECK(fx_model_fit(&m, &plan, labelled(r, 2), NULL) == FX_EINVAL && !m);
    CHECK(strstr(fx_error_detail(), "not defined"));
}

static void check_time(rows *r)
{
    static const char *const model[] = {"fm:solver=adagrad,tol=0,max-iter=1000000",
                                        "fm:solver=cd,beta=1e-9,tol=0,max-iter=1000000",
                                        "fm:solver=lbfgs,beta=1e-9,tol=0,max-iter=1000000"};

    for (size_t k = 0; k < sizeof model / sizeof *model; k++) {
        fx_plan plan = {PLAN, .model = model[k], .max_seconds = 0.002};
        fx_model *m = NULL;
        CHECK(fx_model_fit(&m, &plan, labelled(r, 3), NULL) == FX_NOT_CONVERGED);
        CHECK(strstr(fx_error_detail(), "0.002 seconds") && !m->c.converged);
        const fx_step *last = m->c.history + m->c.steps - 1;
        CHECK(m->c.steps > 0 && last->seconds >= 0.002);
        for (const fx_step *step = m->c.history; step < last; step++)
            CHECK(step->output < last->output || step->seconds < 0.002);
        fx_model_free(m);
    }
}

static void check_diverged(rows *r)
{
    fx_plan plan = {PLAN, .model = "fm:task=regress,solver=adagrad,lr=1e6,max-iter=3"};
    fx_model *m = NULL;

    for (size_t q = 0; q < ROWS * COLS; q++)
        if (r->col[q] == 2)
            r->val[q] *= 1.3e9;
    fx_status s = fx_model_fit(&m, &plan, labelled(r, 0), NULL);
    CHECK(s == FX_DIVERGED && strstr(fx_error_detail(), "lr=1e+06"));
    CHECK(strstr(fx_error_detail(), "column 2 is ") && strstr(fx_error_detail(), "scale it"));
    double *f = scores(m, &r->t);
    for (size_t i = 0; i < ROWS; i++)
        CHECK(isfinite(f[i]));
    free(f);
    double guarded = m->c.objective;
    fx_model_free(m);
    m = NULL;
    plan.model = "fm:task=regress,solver=adagrad,lr=1e6,max-iter=3,guard=no";
    s = fx_model_fit(&m, &plan, labelled(r, 0), NULL);  /* nothing is undone */
    CHECK(s > FX_OK && m->c.iterations == 3 && m->c.objective > 1e6 * guarded);
    fx_model_free(m);
    for (size_t q = 0; q < ROWS * COLS; q++)
        if (r->col[q] == 2)
            r->val[q] /= 1.3e9;
}

/* ---- Paths ------------------------------------------------------------------------------- */

/* Held-out metrics are those of fits without the rows. */
static void check_path(rows *r)
{
    fx_plan plan = {PLAN,
                    .model = "fm:task=regress,rank=2,solver=lbfgs,tol=0,max-iter=5,beta=0.02"};
    double factors[] = {0.5, 4}, weight[ROWS];
    int32_t fold[ROWS];
    fx_metrics got[4] = {FX_INIT(fx_metrics)}, expected = FX_INIT(fx_metrics);

    labelled(r, 0);
    for (size_t i = 0; i < ROWS; i++)
        fold[i] = (int32_t)(i % 2);
    CHECK(fx_model_path(got, &plan, factors, 2, &r->t, fold, 2, NULL) >= 0);
    plan.model = "fm:task=regress,rank=2,solver=lbfgs,tol=0,max-iter=5,beta=0.08";
    for (size_t i = 0; i < ROWS; i++)
        weight[i] = i % 2 == 0;
    r->t.weight = weight;
    fx_model *m = fitted(&plan, &r->t, NULL);
    for (size_t i = 0; i < ROWS; i++)
        weight[i] = i % 2 == 1;
    CHECK(fx_model_evaluate(&expected, NULL, m, &r->t, NULL) == FX_OK);
    CHECK_NEAR(got[2 + 1].rmse, expected.rmse, 1e-12);
    r->t.weight = NULL;
    fx_model_free(m);
}

/* The share of right pairs, counted one by one. */
static void check_ranking(rows *r)
{
    fx_plan plan = {PLAN, .model = "fm:task=rank,rank=2,max-iter=3"};
    double right = 0, all = 0;
    fx_metrics e = FX_INIT(fx_metrics);

    labelled(r, 3);
    r->t.qid = r->qid;
    r->t.weight = r->weight;
    fx_model *m = fitted(&plan, &r->t, NULL);
    double *f = scores(m, &r->t);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < ROWS; k++)
            if (r->qid[i] == r->qid[k] && r->label[i] > r->label[k]) {
                double w = r->weight[i] * r->weight[k];
                right += w * (f[i] > f[k] ? 1 : f[i] == f[k] ? 0.5 : 0);
                all += w;
            }
    CHECK(fx_model_evaluate(&e, NULL, m, &r->t, NULL) == FX_OK);
    CHECK_NEAR(e.auc, right / all, 1e-14);
    CHECK(m->c.classes == 0 && isnan(e.accuracy) && isnan(e.rmse));
    r->t.qid = NULL;                    /* two labels, one query: the area under the ROC curve */
    labelled(r, 2);
    CHECK(fx_model_evaluate(&e, NULL, m, &r->t, NULL) == FX_OK);
    fxi_metric_rows two = {.n = ROWS, .classes = 2, .y = r->label, .score = f, .width = 1,
                           .weight = r->weight};
    CHECK(fxi_metric_ranked_auc(&all, &two, 0, NULL) == FX_OK);
    CHECK_NEAR(e.auc, all, 1e-14);
    free(f);
    fx_model_free(m);
    r->t.qid = NULL;
    r->t.weight = NULL;
}

/* A column of 1e9 beside others: small steps far above what scores of 0 would cost are no end. */
static void check_zeros(void)
{
    double x[16][2], y[16];
    fx_matrix X = {.rows = 16, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fx_table t = {.rows = 16, .cols = 2, .blocks = 1, .block = &X, .label = y};
    fx_plan plan = {PLAN, .model = "fm:solver=cd,tol=1"};
    fx_model *m = NULL;

    for (int i = 0; i < 16; i++) {
        x[i][0] = 1e9 + i;
        x[i][1] = 1;
        y[i] = i % 2;
    }
    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_NOT_CONVERGED);
    CHECK(strstr(fx_error_detail(), "scores 0") && strstr(fx_error_detail(), "column 0 is 1e+09"));
    CHECK(!fx_model_inspect(m)->converged && isfinite(fx_model_inspect(m)->objective));
    fx_model_free(m);
}

/* Equal targets: scores 0, after centring, are the optimum. */
static void check_equal(rows *r)
{
    static const double target[] = {0, 0.1, 1e9};
    static const char *const model[] = {"fm:task=regress", "hofm:order=3,task=regress",
                                        "fm:task=regress,solver=lbfgs"};

    for (size_t k = 0; k < 9; k++) {
        fx_plan plan = {PLAN, .model = model[k / 3]};
        fx_model *m = NULL;
        for (size_t i = 0; i < ROWS; i++)
            r->label[i] = target[k % 3];
        CHECK(fx_model_fit(&m, &plan, &r->t, NULL) == FX_OK);
        CHECK(fx_model_inspect(m)->converged);
        fx_model_free(m);
    }
}

int main(void)
{
    static rows r;

    test_init();
    make_rows(&r);
    check_weights(&r);
    check_init(&r);
    check_wider(&r);
    check_update(&r);
    check_chunks(&r);
    check_optimum(&r);
    check_patience(&r);
    check_undefined(&r);
    check_time(&r);
    check_diverged(&r);
    check_zeros();
    check_equal(&r);
    check_path(&r);
    check_ranking(&r);
    return 0;
}
