/* SPDX-License-Identifier: BSD-3-Clause
 * t_missing.c - a model of rows with missing values equals the one of rows that were filled by
 * hand, whatever its kind; so do all calls that take rows.
 * Covers: src/model/missing.c, init.c */

#include "model/test/fixture.h"

enum { N = 90, D = 6, WIDE = D + 2 };   /* columns 1 and 4 have missing values */
typedef struct rows {                   /* of one layout */
    double x[N * WIDE], label[N], weight[N];
    float f[N * WIDE];
    int64_t ptr[N + 1], qid[N];
    int32_t col[N * WIDE];
    fx_matrix X;
    fx_table t;
} rows;
typedef struct layout {
    bool sparse, floats, classes, weights;
} layout;

static double data[N][D];               /* NaN: missing */

static void draw(void)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) {
            data[i][j] = test_below(3) ? floor(test_unit() * 16) / 8 - 0.5 : 0;
            if ((j == 1 || j == 4) && test_below(5) == 0)
                data[i][j] = NAN;
        }
}

static double target(size_t i)
{
    double x = 0.3 * data[i][0] + data[i][2] * data[i][3];

    return x + (isnan(data[i][1]) ? 0.5 : data[i][1]) - (isnan(data[i][4]) ? 0.25 : 0);
}

/* Row i of `from`, as it is or (c) as the model of c fills it, at the end of the table. */
static void add_row(rows *r, layout l, size_t i, const fx_model_info *c)
{
    const size_t n = r->t.rows, cols = c ? c->cols : D;
    size_t at = l.sparse ? (size_t)r->ptr[n] : n * cols;

    for (size_t j = 0; j < cols; j++) {
        bool extra = j >= D;
        double x = data[i][extra ? (size_t)c->indicator[j - D] : j];
        if (l.sparse && (extra ? !isnan(x) : x == 0))
            continue;
        if (extra)
            x = isnan(x);
        else if (c && isnan(x))
            x = c->fill ? c->fill[j] : 0;
        r->x[at] = x;
        r->f[at] = (float)x;
        r->col[at++] = (int32_t)j;
    }
    r->ptr[n + 1] = (int64_t)at;
    r->label[n] = l.classes ? target(i) > 0.9 : target(i);
    r->weight[n] = (double)(i % 4) / 2;
    r->qid[n] = (int64_t)(i / 10);
    r->t.rows++;
    r->X = (fx_matrix){.rows = r->t.rows, .cols = cols, .stride = l.sparse ? 0 : cols,
                       .type = l.floats ? FX_F32 : FX_F64,
                       .val = l.floats ? (const void *)r->f : r->x,
                       .ptr = l.sparse ? r->ptr : NULL, .col = l.sparse ? r->col : NULL};
    r->t = (fx_table){.rows = r->t.rows, .cols = cols, .blocks = 1, .block = &r->X,
                      .label = r->label, .weight = l.weights ? r->weight : NULL, .qid = r->qid};
}

static bool lost(size_t i) { return isnan(data[i][1]) || isnan(data[i][4]); }

/* All rows from `first` on; without those that have lost a number. */
static void add_rows(rows *r, layout l, size_t first, size_t end, bool drop, const fx_model_info *c)
{
    r->t.rows = 0;
    r->ptr[0] = 0;
    for (size_t i = first; i < end; i++)
        if (!drop || !lost(i))
            add_row(r, l, i, c);
}

/* ---- Fits and predictions ---------------------------------------------------------------- */

/* Predictions of rows with missing values are those of filled rows by the other model; all at once,
 * by threads, one by one. */
static void same_predictions(const fx_model *m, const fx_model *by_hand, layout l, bool drop)
{
    static rows given, filled;
    const fx_prediction what[] = {FX_SCORE, FX_LABEL, FX_PROBA};
    fx_scorer *s = NULL;

    add_rows(&given, l, 0, N, false, NULL);
    add_rows(&filled, l, 0, N, false, fx_model_inspect(m));
    CHECK(fx_scorer_new(&s, m, NULL) == FX_OK);
    for (size_t k = 0; k < 3; k++) {
        size_t width = fx_model_width(m, what[k]);
        double one[8], out[8 * N];
        uint64_t unseen = 9;
        if (!width || (what[k] == FX_PROBA && !fx_model_inspect(m)->sigmoid))
            continue;
        double *want = predicted(by_hand, what[k], &filled.X, NULL);
        double *got = predicted(m, what[k], &given.X, NULL);
        double *threads = predicted(m, what[k], &given.X, &(fx_run){RUN, .threads = 3});
        CHECK(width <= 8);
        CHECK(fx_scorer_predict(out, &unseen, s, what[k], &given.X, NULL) == FX_OK);
        CHECK(unseen == 0);
        for (size_t i = 0; i < N; i++) {
            fx_matrix row = given.X;
            row.rows = 1;
            if (l.sparse)
                row.ptr += i;
            else
                row.val = (const char *)row.val + i * D * (l.floats ? 4 : 8);
            CHECK(fx_scorer_predict(one, NULL, s, what[k], &row, NULL) == FX_OK);
            for (size_t q = 0; q < width; q++) {
                double x = got[i * width + q];
                CHECK(drop && lost(i) ? isnan(x) : x == want[i * width + q]);
                CHECK(!memcmp(&x, &one[q], sizeof x) && !memcmp(&x, &out[i * width + q], sizeof x));
                CHECK(!memcmp(&x, &threads[i * width + q], sizeof x));
            }
        }
        free(want);
        free(got);
        free(threads);
    }
    fx_scorer_free(s);
}

static void same_metrics(const fx_model *m, const fx_model *by_hand, layout l, bool drop)
{
    static rows given, filled;
    fx_metrics a = FX_INIT(fx_metrics), b = FX_INIT(fx_metrics);
    double confusion[2][4];
    int classes = fx_model_inspect(m)->classes > 0;

    if (!fx_model_width(m, FX_LABEL))
        return;
    add_rows(&given, l, 0, N, false, NULL);
    add_rows(&filled, l, 0, N, drop, fx_model_inspect(m));
    CHECK(fx_model_evaluate(&a, classes ? confusion[0] : NULL, m, &given.t, NULL) == FX_OK);
    CHECK(fx_model_evaluate(&b, classes ? confusion[1] : NULL, by_hand, &filled.t, NULL) == FX_OK);
    CHECK(a.rows == filled.t.rows && !memcmp(&a, &b, sizeof a));
    CHECK(!classes || !memcmp(confusion[0], confusion[1], sizeof confusion[0]));
}

static int to_text(void *ctx, const void *bytes, size_t len)
{
    char **at = ctx;

    memcpy(*at, bytes, len);
    *at += len;
    return 0;
}

/* A model file gives it back. */
static void same_file(const fx_model *m, const fx_model *by_hand, layout l, bool drop)
{
    static char bytes[1 << 20];
    const fx_model_info *c = fx_model_inspect(m), *d;
    char *end = bytes;
    fx_model *again = NULL;

    CHECK(fx_model_dump(&(fx_sink){sizeof(fx_sink), .write = to_text, .ctx = &end}, m) == FX_OK);
    CHECK(fx_model_parse(&again, bytes, (size_t)(end - bytes), NULL) == FX_OK);
    d = fx_model_inspect(again);
    CHECK(!strcmp(c->missing, d->missing) && c->inputs == d->inputs && c->cols == d->cols);
    CHECK(!c->fill == !d->fill && (!c->fill || same_bits(c->fill, d->fill, c->inputs)));
    CHECK(c->cols == c->inputs
          || !memcmp(c->indicator, d->indicator, (c->cols - c->inputs) * sizeof *c->indicator));
    CHECK(c->missing_values == d->missing_values && c->missing_cols == d->missing_cols
          && c->missing_rows == d->missing_rows);
    same_predictions(again, by_hand, l, drop);
    fx_model_free(again);
}

static const struct { fx_plan plan; layout l; } cases[] = {
    {{PLAN, .model = "logistic", .scale = "std"}, {false, false, true, true}},
    {{PLAN, .model = "logistic"}, {true, true, true, false}},
    {{PLAN, .model = "svm:calibrate=yes", .scale = "unit-l2"}, {true, false, true, false}},
    {{PLAN, .model = "ridge", .scale = "maxabs"}, {false, true, false, true}},
    {{PLAN, .model = "ridge", .map = "rk", .kernel = "anova:order=2", .features = 64, .seed = 3},
     {false, true, false, false}},
    {{PLAN, .model = "perceptron", .seed = 1}, {true, false, true, true}},
    {{PLAN, .model = "kernel-svm", .kernel = "poly:degree=2"}, {false, true, true, false}},
    {{PLAN, .model = "kernel-svm:calibrate=yes", .kernel = "rbf:gamma=0.5"},
     {true, true, true, false}},
    {{PLAN, .model = "kernel-ridge", .kernel = "anova:order=2"}, {true, false, false, true}},
    {{PLAN, .model = "kernel-perceptron", .kernel = "rbf:gamma=1", .seed = 2},
     {false, false, true, false}},
    {{PLAN, .model = "fm:rank=3,max-iter=20,task=regress", .seed = 1}, {false, false, false, true}},
    {{PLAN, .model = "hofm:rank=2,order=3,solver=adagrad,max-iter=10,task=classify", .seed = 1},
     {true, true, true, false}},
    {{PLAN, .model = "pca:k=2", .scale = "std"}, {false, false, false, false}},
    {{PLAN, .model = "kernel-pca:k=2", .kernel = "rbf:gamma=1"}, {true, false, false, false}},
};
static const char *const specs[] = {"zero", "mean", "median", "drop", "zero,indicator",
                                    "mean,indicator", "median,indicator"};

static fx_model *fit_raw(size_t k, const char *spec)
{
    static rows given;
    fx_plan plan = cases[k].plan;

    plan.missing = spec;
    add_rows(&given, cases[k].l, 0, N, false, NULL);
    return fitted(&plan, &given.t, NULL);
}

static void one_fit(size_t k, const char *spec)
{
    static rows filled;
    bool drop = !strcmp(spec, "drop"), marked = strchr(spec, ',');
    layout l = cases[k].l;
    fx_model *m = fit_raw(k, spec);
    const fx_model_info *c = fx_model_inspect(m);
    size_t values = 0, dropped = 0;

    for (size_t i = 0; i < N; i++) {
        values += (!l.weights || i % 4) * (size_t)(isnan(data[i][1]) + isnan(data[i][4]));
        dropped += lost(i);
    }
    CHECK(!strcmp(c->missing, spec) && c->inputs == D && c->cols == (marked ? WIDE : D));
    CHECK(c->missing_values == values && c->missing_cols == 2);
    CHECK(c->missing_rows == (drop ? dropped : 0) && c->rows == N - c->missing_rows);
    CHECK(!c->indicator == !marked && (!marked || (c->indicator[0] == 1 && c->indicator[1] == 4)));
    add_rows(&filled, l, 0, N, drop, c);
    fx_model *by_hand = fitted(&cases[k].plan, &filled.t, NULL);
    CHECK(same_model(m, by_hand));
    CHECK(!*fx_model_inspect(by_hand)->missing && fx_model_inspect(by_hand)->inputs == c->cols);
    same_predictions(m, by_hand, l, drop);
    same_metrics(m, by_hand, l, drop);
    same_file(m, by_hand, l, drop);
    fx_model_free(m);
    fx_model_free(by_hand);
}

/* ---- Other calls that take rows ---------------------------------------------------------- */

static void path(const char *spec)
{
    static const double C[] = {0.1, 1};
    static rows given, filled;
    const layout l = {false, false, true, true};
    bool drop = !strcmp(spec, "drop");
    fx_plan plan = {PLAN, .model = "logistic", .missing = spec}, plain = plan;
    fx_metrics a[6] = {FX_INIT(fx_metrics)}, b[6] = {FX_INIT(fx_metrics)};
    int32_t fold[N], kept[N];
    fx_model *m;

    plain.missing = NULL;
    add_rows(&given, l, 0, N, false, NULL);
    m = fitted(&plan, &given.t, NULL);
    add_rows(&filled, l, 0, N, drop, fx_model_inspect(m));
    for (size_t i = 0, n = 0; i < N; i++) {
        fold[i] = (int32_t)(i % 7 % 3);
        if (!drop || !lost(i))
            kept[n++] = fold[i];
    }
    CHECK(fx_model_path(a, &plan, C, 2, &given.t, fold, 3, NULL) == FX_OK);
    CHECK(fx_model_path(b, &plain, C, 2, &filled.t, kept, 3, NULL) == FX_OK);
    CHECK(!memcmp(a, b, sizeof a));
    fx_model_free(m);
}

/* Rows to measure on, more rows, an earlier model. */
static void more_rows(const char *spec, const char *model, bool classes)
{
    static rows given, filled, eval, eval_filled;
    const layout l = {true, false, classes, false};
    bool drop = !strcmp(spec, "drop");
    fx_plan plan = {PLAN, .model = model, .seed = 1, .missing = spec, .eval = &eval.t};
    fx_plan plain = plan;
    fx_model *m, *by_hand, *a = NULL, *b = NULL;

    add_rows(&given, l, 0, 60, false, NULL);
    add_rows(&eval, l, 60, N, false, NULL);
    m = fitted(&plan, &given.t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    add_rows(&filled, l, 0, 60, drop, c);
    add_rows(&eval_filled, l, 60, N, drop, c);
    plain.missing = NULL;
    plain.eval = &eval_filled.t;
    by_hand = fitted(&plain, &filled.t, NULL);
    CHECK(same_model(m, by_hand));
    CHECK(c->steps == 5 && c->steps == fx_model_inspect(by_hand)->steps);
    for (size_t i = 0; i < c->steps; i++)
        CHECK(c->history[i].metric == fx_model_inspect(by_hand)->history[i].metric);
    CHECK(fx_model_update(&a, m, &eval.t, NULL) >= 0);
    CHECK(fx_model_update(&b, by_hand, &eval_filled.t, NULL) >= 0);
    CHECK(same_model(a, b) && !same_model(a, m));
    CHECK(fx_model_inspect(a)->rows == fx_model_inspect(b)->rows);
    same_predictions(a, b, l, drop);
    fx_model_free(a);
    fx_model_free(b);
    /* going on */
    plan.eval = plain.eval = NULL;
    plan.init = m;
    plain.init = by_hand;
    a = fitted(&plan, &given.t, NULL);
    b = fitted(&plain, &filled.t, NULL);
    CHECK(same_model(a, b));
    fx_model_free(a);
    fx_model_free(b);
    a = NULL;
    plan.missing = NULL;
    CHECK(fx_model_fit(&a, &plan, &filled.t, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "missing values") && strstr(fx_error_detail(), spec));
    fx_model_free(m);
    fx_model_free(by_hand);
}

/* Indicators of other columns cannot go on. */
static void other_indicators(void)
{
    static rows a, b;
    const layout l = {false, false, true, false};
    fx_plan plan = {PLAN, .model = "perceptron", .missing = "zero,indicator"};
    fx_model *out = NULL;

    add_rows(&a, l, 0, N, false, NULL);
    add_rows(&b, l, 0, N, false, NULL);
    for (size_t i = 0; i < N; i++) {
        b.x[i * D] = b.x[i * D + 1];    /* missing in column 0 instead of 1 */
        b.x[i * D + 1] = 0;
    }
    fx_model *m = fitted(&plan, &a.t, NULL);
    plan.init = m;
    CHECK(fx_model_fit(&out, &plan, &b.t, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "indicators of other columns"));
    fx_model_free(m);
}

/* ---- Names, explanations, other forms ---------------------------------------------------- */

static void names(void)
{
    static rows given, filled;
    static const char *const name[D] = {"a", "b", "b=missing", "c", "d", "d=other"};
    const layout l = {false, false, true, false};
    fx_plan plan = {PLAN, .model = "logistic", .scale = "maxabs", .missing = "mean,indicator"};
    fx_explain_options q = {sizeof q, .top = 20}, q2 = q;
    fx_explanation *e = NULL, *by_hand = NULL;
    double row[D];
    fx_matrix X = {.rows = 1, .cols = D, .stride = D, .type = FX_F64, .val = row}, Y;

    add_rows(&given, l, 0, N, false, NULL);
    given.t.name = name;
    fx_model *m = fitted(&plan, &given.t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(c->cols == WIDE && !strcmp(c->name[1], "b") && !strcmp(c->name[5], "d=other"));
    CHECK(!strcmp(c->name[6], "b=missing=missing") && !strcmp(c->name[7], "d=missing"));
    add_rows(&filled, l, 0, N, false, c);
    plan.missing = NULL;
    fx_model *other = fitted(&plan, &filled.t, NULL);
    for (int one = 0; one < 2; one++) { /* of the model with rows to count, of a row */
        q.table = one ? NULL : &given.t;
        q2.table = one ? NULL : &filled.t;
        memcpy(row, data[0], sizeof row);
        row[1] = NAN;
        double twin[WIDE];
        memcpy(twin, row, sizeof row);
        twin[1] = c->fill[1];
        twin[4] = isnan(row[4]) ? c->fill[4] : row[4];
        twin[6] = 1;
        twin[7] = isnan(row[4]);
        Y = (fx_matrix){.rows = 1, .cols = WIDE, .stride = WIDE, .type = FX_F64, .val = twin};
        q.row = one ? &X : NULL;
        q2.row = one ? &Y : NULL;
        CHECK(fx_model_explain(&e, m, &q, NULL) == FX_OK);
        CHECK(fx_model_explain(&by_hand, other, &q2, NULL) == FX_OK);
        CHECK(e->n == by_hand->n && e->n > 1 && e->score == by_hand->score);
        bool found = false;
        for (size_t k = 0; k < e->n; k++) {
            CHECK(e->at[k].column[0] == by_hand->at[k].column[0]);
            CHECK(e->at[k].weight == by_hand->at[k].weight);
            CHECK(e->at[k].contribution == by_hand->at[k].contribution);
            CHECK(e->at[k].support == by_hand->at[k].support);
            found |= e->at[k].column[0] == 6;
        }
        CHECK(found);
        fx_explanation_free(e);
        fx_explanation_free(by_hand);
    }
    fx_model_free(m);
    fx_model_free(other);
    /* a row that is left out is not explained */
    plan.missing = "drop";
    m = fitted(&plan, &given.t, NULL);
    q = (fx_explain_options){sizeof q, .row = &X};
    CHECK(fx_model_explain(&e, m, &q, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "leaves such rows out"));
    fx_model_free(m);
}

static void other_forms(void)
{
    const size_t rk = 4, fm = 10;
    static char text[1 << 16];
    char *end = text;
    fx_sink sink = {sizeof sink, .write = to_text, .ctx = &end};

    CHECK(!strcmp(cases[rk].plan.map, "rk") && !strncmp(cases[fm].plan.model, "fm", 2));
    fx_model *m = fit_raw(rk, "mean,indicator"), *f = NULL;
    CHECK(fx_model_factorize(&f, m, NULL) == FX_OK);
    static rows given;
    add_rows(&given, cases[rk].l, 0, N, false, NULL);
    double *a = scores(m, &given.t), *b = scores(f, &given.t);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(b[i], a[i], 1e-5 * (1 + fabs(a[i])));        /* a map's features are floats */
    free(a);
    free(b);
    fx_model_free(m);
    fx_model_free(f);
    m = fit_raw(fm, "mean");
    CHECK(fx_model_export(&sink, m, "libfm") == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "cannot fill missing values (mean)"));
    fx_model_free(m);
    m = fit_raw(fm, "zero,indicator");
    CHECK(fx_model_export(&sink, m, "libfm") == FX_EUNSUPPORTED);
    fx_model_free(m);
}

static void refused(void)
{
    static rows given;
    const layout l = {false, false, true, false};
    fx_plan plan = {PLAN, .model = "logistic"};
    fx_model *m = NULL;
    double out[N];

    add_rows(&given, l, 0, N, false, NULL);
    for (int i = 0; i < 2; i++, plan.missing = "error") {
        CHECK(fx_model_fit(&m, &plan, &given.t, NULL) == FX_EDOMAIN);
        CHECK(strstr(fx_error_detail(), "NaN"));
    }
    plan.missing = "category";
    CHECK(fx_model_fit(&m, &plan, &given.t, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "'category'") && strstr(fx_error_detail(), "median,indicator"));
    plan.missing = "mean";
    CHECK(fx_model_fit(&m, &plan, NULL, NULL) == FX_EINVAL);
    given.x[3] = INFINITY;
    CHECK(fx_model_fit(&m, &plan, &given.t, NULL) == FX_EDOMAIN);
    add_rows(&given, l, 0, N, false, NULL);
    m = fitted(&plan, &given.t, NULL);
    given.x[3] = -INFINITY;
    CHECK(fx_model_predict(out, NULL, m, FX_LABEL, &given.X, NULL) == FX_EDOMAIN);
    given.X.cols = 5;
    CHECK(fx_model_predict(out, NULL, m, FX_LABEL, &given.X, NULL) == FX_ESHAPE);
    fx_model_free(m);
    m = NULL;
    add_rows(&given, l, 0, N, false, NULL);
    for (size_t i = 0; i < N; i++)
        given.x[i * D + 2] = NAN;
    plan.missing = "drop";
    CHECK(fx_model_fit(&m, &plan, &given.t, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "all 90 rows have missing values"));
    plan = (fx_plan){PLAN, .model = "kernel-ridge", .kernel = "precomputed", .missing = "mean"};
    static double gram[36], y[6] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < 36; i++)
        gram[i] = i % 7 == 0;
    fx_matrix G = {.rows = 6, .cols = 6, .stride = 6, .type = FX_F64, .val = gram};
    fx_table t = {.rows = 6, .cols = 6, .blocks = 1, .block = &G, .label = y};
    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "Gram matrix"));
}

/* A column that training never saw stays left out; sparse rows may be wider than the model. */
static void wider_rows(void)
{
    static rows given;
    const layout l = {true, false, true, false};
    double val[] = {1, NAN, 2, NAN, 5}, a[1], b[1], plain[] = {1, NAN};
    int32_t col[] = {0, 1, 6, 7, 9};
    int64_t ptr[] = {0, 5}, ptr2[] = {0, 2};
    fx_matrix X = {.rows = 1, .cols = 10, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    fx_matrix Y = {.rows = 1, .cols = D, .type = FX_F64, .val = plain, .ptr = ptr2, .col = col};

    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        fx_plan plan = {PLAN, .model = "logistic", .scale = "unit-l2", .missing = specs[s]};
        uint64_t unseen = 0;
        add_rows(&given, l, 0, N, false, NULL);
        fx_model *m = fitted(&plan, &given.t, NULL);
        CHECK(fx_model_predict(a, &unseen, m, FX_SCORE, &X, NULL) == FX_OK && unseen == 3);
        CHECK(fx_model_predict(b, &unseen, m, FX_SCORE, &Y, NULL) == FX_OK && unseen == 0);
        CHECK(!memcmp(a, b, sizeof a) && isnan(a[0]) == !strcmp(specs[s], "drop"));
        fx_model_free(m);
    }
}

int main(void)
{
    test_init();
    draw();
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            one_fit(k, specs[s]);
        path(specs[s]);
        more_rows(specs[s], "fm:rank=2,solver=adagrad,max-iter=5,task=classify", true);
        more_rows(specs[s], "fm:rank=2,solver=adagrad,max-iter=5,task=rank", false);
    }
    other_indicators();
    names();
    other_forms();
    refused();
    wider_rows();
    return 0;
}
