/* SPDX-License-Identifier: BSD-3-Clause
 * t_passes.c - fits on rows that come in parts: the same file as that of a fit in memory, however
 * rows are divided, for sparse and dense rows, texts and numbers as labels, weights, maps; what is
 * refused; parts that are not those of the pass before.
 *
 * Covers: survey.c */

#include "model/test/fixture.h"

#include <math.h>

enum { N = 2 * 4096 + 777, COLS = 23 };

typedef struct rows {
    double *val, *label, *weight;
    float *floats;
    int64_t *ptr;
    int32_t *col;
    const char *class_name[4];
    bool sparse, texts, weighted;
    size_t classes;                     /* 0: targets */
} rows;

/* Classes appear late, and so do the last columns. */
static rows make(bool sparse, size_t classes, bool texts, bool weighted)
{
    rows r = {.sparse = sparse, .texts = texts, .weighted = weighted, .classes = classes,
              .class_name = {"a", "bee", "c c", "d"}};
    size_t n = 0;

    r.val = malloc(N * COLS * sizeof *r.val);
    r.floats = malloc(N * COLS * sizeof *r.floats);
    r.label = malloc(N * sizeof *r.label);
    r.weight = malloc(N * sizeof *r.weight);
    r.ptr = malloc((N + 1) * sizeof *r.ptr);
    r.col = malloc(N * COLS * sizeof *r.col);
    CHECK(r.val && r.floats && r.label && r.weight && r.ptr && r.col);
    r.ptr[0] = 0;
    for (size_t i = 0; i < N; i++) {
        double f = 0;
        for (size_t j = 0; j < COLS; j++) {
            double x = (double)(float)(3 * test_unit() - 1.2);
            if (sparse && (test_below(3) || (i < 5000 && j > COLS - 4)))
                continue;
            f += x * ((double)(j % 5) - 2);
            r.floats[n] = (float)x;
            r.val[n] = x;
            r.col[n++] = (int32_t)j;
        }
        r.ptr[i + 1] = (int64_t)n;
        f += test_unit();
        r.label[i] = !classes ? f
                     : classes == 2 ? (double)(f > 0) : fmod(floor(fabs(f)), (double)classes);
        if (i < 4500 && classes > 2 && r.label[i] == 1)
            r.label[i] = 2;
        r.weight[i] = test_below(5) ? 0.1 + test_unit() : 0;
    }
    return r;
}

static void free_rows(rows *r)
{
    free(r->val), free(r->label), free(r->weight), free(r->floats), free(r->ptr), free(r->col);
}

/* Rows first..first + n - 1, as floats or doubles, as wide as they are. */
static fx_table table_of(const rows *r, fx_matrix *X, size_t first, size_t n, bool floats)
{
    size_t cols = COLS;

    if (r->sparse) {
        cols = 0;
        for (int64_t q = r->ptr[first]; q < r->ptr[first + n]; q++)
            cols = (size_t)r->col[q] + 1 > cols ? (size_t)r->col[q] + 1 : cols;
    }
    *X = (fx_matrix){.rows = n, .cols = cols, .stride = r->sparse ? 0 : COLS,
                     .type = floats ? FX_F32 : FX_F64,
                     .val = floats ? (const void *)r->floats : (const void *)r->val,
                     .ptr = r->sparse ? r->ptr + first : NULL, .col = r->sparse ? r->col : NULL};
    if (!r->sparse)
        X->val = (const char *)X->val + first * COLS * (floats ? 4 : 8);
    return (fx_table){.rows = n, .cols = cols, .blocks = 1, .block = X, .label = r->label + first,
                      .classes = r->texts ? r->classes : 0,
                      .class_name = r->texts ? r->class_name : NULL,
                      .weight = r->weighted ? r->weight + first : NULL, .base = 1};
}

typedef struct bringing {
    const rows *r;
    size_t blocks;                      /* of a part */
    bool floats;                        /* all but the last part */
    size_t skip;                        /* rows that are left out from the second pass on */
    uint64_t passes;
} bringing;

static fx_status bring(void *ctx, fx_pass *pass)
{
    bringing *b = ctx;
    fx_status s = FX_OK;
    size_t all = N - (fx_model_passes_number(pass) ? b->skip : 0);

    CHECK(fx_model_passes_number(pass) == b->passes);
    b->passes++;
    for (size_t first = 0, n; first < all && !s; first += n) {
        fx_matrix X;
        n = b->blocks * FX_PASS_BLOCK < all - first ? b->blocks * FX_PASS_BLOCK : all - first;
        fx_table t = table_of(b->r, &X, first, n, b->floats && first + n < N);
        s = fx_model_passes_add(pass, &t, first);
    }
    return s;
}

typedef struct bytes { char *at; size_t len; } bytes;

static int take(void *ctx, const void *at, size_t len)
{
    bytes *b = ctx;

    CHECK(b->at = realloc(b->at, b->len + len + 1));
    memcpy(b->at + b->len, at, len);
    b->len += len;
    return 0;
}

static bytes dumped(fx_model *m)
{
    bytes b = {0};

    CHECK(fx_model_dump(&(fx_sink){.size = sizeof(fx_sink), .write = take, .ctx = &b}, m) == FX_OK);
    fx_model_free(m);
    return b;
}

static void same(const rows *r, const fx_plan *plan)
{
    static size_t turn;                 /* parts of 1, 2 and 3 blocks; the last are all rows */
    size_t blocks = 1 + turn++ % 3;
    fx_matrix X;
    fx_table t = table_of(r, &X, 0, N, false);
    bytes want = dumped(fitted(plan, &t, NULL));
    bringing b = {.r = r, .blocks = blocks, .floats = blocks < 3};
    fx_run run = {RUN, .threads = (int)(turn % 2 + 1)};
    fx_model *m = NULL;
    fx_status s = fx_model_passes_fit(&m, plan, bring, &b, &run);

    if (s < 0)
        fprintf(stderr, "%s: %s\n", plan->model, fx_error_detail());
    CHECK(s >= 0 && m && b.passes > 3);
    bytes got = dumped(m);
    CHECK(got.len == want.len && !memcmp(got.at, want.at, want.len));
    free(got.at);
    free(want.at);
}

static void test_same(void)
{
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t classes = 0; classes <= 4; classes += 2) {
            rows r = make(sparse, classes, classes == 4, classes != 0);
            const char *model = classes ? "logistic" : "ridge";
            same(&r, &(fx_plan){PLAN, .model = model, .scale = "auto"});
            same(&r, &(fx_plan){PLAN, .model = classes ? "svm-l2:solver=newton" : "ridge:C=10",
                                .scale = "unit-l2", .class_weight = classes ? "balanced" : NULL});
            same(&r, &(fx_plan){PLAN, .model = classes ? "logistic:intercept=appended" : "ridge",
                                .kernel = "anova:order=2", .map = "rk", .features = 100,
                                .scale = "maxabs"});
            same(&r, &(fx_plan){PLAN, .model = model});
            same(&r, &(fx_plan){PLAN, .model = model, .kernel = "rbf:gamma=0.1", .map = "rff",
                                .features = 64, .seed = 5});
            free_rows(&r);
        }
}

static fx_status refused(const rows *r, const fx_plan *plan, bringing b)
{
    fx_model *m = NULL;

    b.r = r;
    b.blocks = b.blocks ? b.blocks : 1;
    fx_status s = fx_model_passes_fit(&m, plan, bring, &b, NULL);
    CHECK(s < 0 && !m);
    return s;
}

static fx_status bring_badly(void *ctx, fx_pass *pass)
{
    const rows *r = ctx;
    fx_matrix X;
    fx_table t = table_of(r, &X, 0, 100, false);

    CHECK(fx_model_passes_add(pass, &t, 4096) == FX_EINVAL);    /* does not begin with row 0 */
    CHECK(fx_model_passes_add(pass, &t, 0) == FX_OK);
    return fx_model_passes_add(pass, &t, 100);                  /* the one before was no multiple */
}

static fx_status bring_nothing(void *ctx, fx_pass *pass)
{
    (void)ctx, (void)pass;
    return FX_OK;
}

static fx_status bring_failure(void *ctx, fx_pass *pass)
{
    (void)ctx, (void)pass;
    return FX_ECANCELLED;
}

static void test_refused(void)
{
    rows r = make(true, 2, false, false), targets = make(false, 0, false, false);
    static const char *const models[] = {"svm", "svm-l2", "logistic:penalty=l1", "kernel-svm",
                                         "fm:rank=3", "perceptron", "svm-l2:calibrate=yes"};
    fx_plan plan = {PLAN, .model = "logistic"};
    fx_model *m = NULL;

    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        CHECK(refused(&r, &(fx_plan){PLAN, .model = models[k]}, (bringing){0})
              == FX_EUNSUPPORTED);
    CHECK(refused(&r, &(fx_plan){PLAN, .model = "logistic", .scale = "std"}, (bringing){0})
          == FX_EUNSUPPORTED);
    CHECK(refused(&r, &(fx_plan){PLAN, .model = "logistic", .missing = "mean"}, (bringing){0})
          == FX_EUNSUPPORTED);
    CHECK(refused(&r, &plan, (bringing){.skip = 5}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "8964 rows, the first one 8969"));
    CHECK(fx_model_passes_fit(&m, &plan, bring_badly, &r, NULL) == FX_EINVAL);
    CHECK(fx_model_passes_fit(&m, &plan, bring_nothing, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_passes_fit(&m, &plan, bring_failure, NULL, NULL) == FX_ECANCELLED);
    CHECK(fx_model_passes_fit(&m, NULL, bring_failure, NULL, NULL) == FX_EINVAL);
    CHECK(refused(&targets, &(fx_plan){PLAN, .model = "svm-l2:C=0"}, (bringing){0}) == FX_EINVAL);
    free_rows(&r);
    free_rows(&targets);
}

static fx_status bring_table(void *table, fx_pass *pass)
{
    return fx_model_passes_add(pass, table, 0);
}

/* Columns of unlike sizes and a large C: steps of Newton's method stall, and the solver that takes
 * over in memory needs the rows there. */
static void test_stalled(void)
{
    enum { ROWS = 300, D = 250 };
    static double x[ROWS * D], label[ROWS];
    fx_matrix X = {.rows = ROWS, .cols = D, .stride = D, .type = FX_F64, .val = x};
    fx_table t = {.rows = ROWS, .cols = D, .blocks = 1, .block = &X, .label = label};
    fx_plan plan = {PLAN, .model = "svm-l2:C=100,intercept=none,solver=newton"};
    fx_model *m = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        double f = 0;
        for (size_t j = 0; j < D; j++) {
            x[i * D + j] = (test_unit() + test_unit() + test_unit() - 1.5)
                           * pow(10, 4 * (double)j / D);
            f += x[i * D + j] * pow(10, -4 * (double)j / D) * (j % 2 ? 1 : -1);
        }
        label[i] = f > 0;
    }
    CHECK(fx_model_passes_fit(&m, &plan, bring_table, &t, NULL) == FX_EUNSUPPORTED && !m);
    CHECK(strstr(fx_error_detail(), "needs all rows in memory"));
    fx_model_free(fitted(&plan, &t, NULL));
}

/* A small limit is kept: what is asked for does not grow with the rows. */
static void test_memory(void)
{
    rows r = make(true, 2, false, false);
    bringing b = {.r = &r, .blocks = 1};
    fx_plan plan = {PLAN, .model = "logistic"};
    fx_model *m = NULL;

    CHECK(fx_model_passes_fit(&m, &plan, bring, &b, &(fx_run){RUN, .max_memory = 1000})
          == FX_ELIMIT);
    b.passes = 0;
    CHECK(fx_model_passes_fit(&m, &plan, bring, &b, &(fx_run){RUN, .max_memory = 1 << 20})
          == FX_OK);
    fx_model_free(m);
    free_rows(&r);
}

int main(void)
{
    test_init();
    test_same();
    test_refused();
    test_stalled();
    test_memory();
    return 0;
}
