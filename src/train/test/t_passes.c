/* SPDX-License-Identifier: BSD-3-Clause
 * t_passes.c - fits on rows that come in parts: the same file as that of a fit in memory, however
 * rows are divided, for sparse and dense rows, texts and numbers as labels, weights, maps; what is
 * refused; parts that are not those of the pass before.  Folds that are held out have the same
 * metrics.
 *
 * Covers: columns.c, pass.c, pass_bytes.c, pass_held.c, pass_part.c, pass_rows.c, request.c,
 * survey.c, survey_bytes.c, src/kind/factors_pass.c */

#include "model/test/fixture.h"
#include "train/train.h"

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
    size_t apart;                       /* columns are so far apart; more than 1: of a wide model,
                                         * whose runs are longer than a block */
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

/* Numbers that are missing: in column 2 only of rows without weight, in column 5 all. */
static void punch(rows *r)
{
    for (size_t i = 0; i < N; i++)
        for (int64_t q = r->sparse ? r->ptr[i] : (int64_t)(i * COLS);
             q < (r->sparse ? r->ptr[i + 1] : (int64_t)((i + 1) * COLS)); q++) {
            size_t j = r->sparse ? (size_t)r->col[q] : (size_t)q % COLS;
            bool weight = !r->weighted || r->weight[i] > 0;
            if (j == 5 || (j == 2 && !weight) || (j % 4 == 3 && !test_below(6)))
                r->val[q] = r->floats[q] = NAN;
        }
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

typedef struct bytes { char *at; size_t len; } bytes;

static int take(void *ctx, const void *at, size_t len)
{
    bytes *b = ctx;

    CHECK(b->at = realloc(b->at, b->len + len + 1));
    memcpy(b->at + b->len, at, len);
    b->len += len;
    return 0;
}

typedef struct bringing {
    const rows *r;
    size_t blocks;                      /* of a part */
    bool floats;                        /* all but the last part */
    size_t skip;                        /* rows that are left out from the second pass on */
    size_t again;                       /* how often the first part is added once more, likewise */
    int how;                            /* 0: one pass for all parts, 1: one for each, merged, the
                                         * last part first, 2: a new one for each request, 3: as
                                         * 0, the last block first */
    uint64_t passes;
    fx_pass *pass;
} bringing;

/* Blocks of a part from `first` on: if the pass has an order, those that follow each other. */
static size_t count_blocks(const bringing *b, const fx_pass *pass, size_t first)
{
    size_t k = 1;

    while (k < b->blocks
           && (fx_model_pass_divisible(pass)
               || fx_model_pass_next(pass, k) == first + k * FX_PASS_BLOCK))
        k++;
    return k;
}

static fx_status add_part(const bringing *b, fx_pass *pass, size_t first, size_t all)
{
    fx_matrix X;
    size_t n = count_blocks(b, pass, first) * FX_PASS_BLOCK;

    n = n < all - first ? n : all - first;
    fx_table t = table_of(b->r, &X, first, n, b->floats && first + n < N);
    return fx_model_pass_add(pass, &t, first);
}

/* One pass gets all parts. */
static fx_status together(bringing *b, const void *request, size_t len, const fx_sink *answer,
                          size_t all)
{
    fx_status s = b->pass ? FX_OK : fx_model_pass_new(&b->pass, &(fx_run){RUN, .threads = 2});

    if (!s)
        s = fx_model_pass_begin(b->pass, request, len);
    if (!s && b->how == 3 && !fx_model_pass_divisible(b->pass))
        s = add_part(b, b->pass, (all - 1) / FX_PASS_BLOCK * FX_PASS_BLOCK, all);
    for (uint64_t first; !s && (first = fx_model_pass_next(b->pass, 0)) < all;)
        s = add_part(b, b->pass, (size_t)first, all);
    for (size_t k = 0; !s && b->passes && k < b->again; k++)
        s = add_part(b, b->pass, 0, all);
    CHECK(s || b->passes == 0 || b->skip || b->again
          || fx_model_pass_next(b->pass, 0) == FX_PASS_END);
    return s ? s : fx_model_pass_end(answer, b->pass);
}

/* Each part has its own pass. */
static fx_status apart(bringing *b, const void *request, size_t len, const fx_sink *answer,
                       size_t all)
{
    size_t size = b->blocks * FX_PASS_BLOCK, parts = (all + size - 1) / size;
    fx_pass *sum = NULL;
    fx_status s = fx_model_pass_new(&sum, NULL);

    if (!s)
        s = fx_model_pass_begin(sum, request, len);
    if (!s && !fx_model_pass_divisible(sum)) {
        fx_model_pass_free(sum);
        return together(b, request, len, answer, all);
    }
    for (size_t k = parts; k-- && !s;) {
        bytes one = {0};
        fx_pass *p = NULL;
        fx_sink to = {.size = sizeof to, .write = take, .ctx = &one};
        s = fx_model_pass_new(&p, &(fx_run){RUN, .threads = 1 + (int)k % 2});
        if (!s && !(s = fx_model_pass_begin(p, request, len))
            && !(s = add_part(b, p, k * size, all)) && !(s = fx_model_pass_end(&to, p)))
            s = fx_model_pass_merge(sum, one.at, one.len);
        fx_model_pass_free(p);
        free(one.at);
    }
    if (!s)
        s = fx_model_pass_end(answer, sum);
    fx_model_pass_free(sum);
    return s;
}

static fx_status bring(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    bringing *b = ctx;
    size_t all = N - (b->passes ? b->skip : 0);
    fx_status s = b->how == 1 ? apart(b, request, len, answer, all)
                                           : together(b, request, len, answer, all);

    b->passes++;
    if (b->how == 2 || s) {
        fx_model_pass_free(b->pass);
        b->pass = NULL;
    }
    return s;
}

/* One pass, the last part first. */
static fx_status bring_backwards(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    bringing *b = ctx;
    fx_pass *p = NULL;
    fx_status s = fx_model_pass_new(&p, NULL);

    if (!s)
        s = fx_model_pass_begin(p, request, len);
    for (size_t k = (N + FX_PASS_BLOCK - 1) / FX_PASS_BLOCK; k-- && !s;)
        s = add_part(b, p, k * FX_PASS_BLOCK, N);
    if (!s)
        s = fx_model_pass_end(answer, p);
    fx_model_pass_free(p);
    return s;
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
    bringing b = {
        .r = r, .blocks = blocks, .floats = blocks < 3, .how = r->apart ? 0 : (int)(turn % 4 % 3)};
    fx_run run = {RUN, .threads = (int)(turn % 2 + 1)};
    fx_model *m = NULL;
    fx_status s = fx_model_passes_fit(&m, plan, bring, &b, &run);

    if (s < 0)
        fprintf(stderr, "%s: %s\n", plan->model, fx_error_detail());
    CHECK(s >= 0 && m && b.passes > 2);
    fx_model_pass_free(b.pass);
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
            if (classes) {
                same(&r, &(fx_plan){PLAN, .model = "svm-l2"});
                same(&r, &(fx_plan){PLAN, .model = "perceptron:max-iter=3"});
                same(&r, &(fx_plan){PLAN, .model = "perceptron:averaged=no,intercept=none",
                                    .class_weight = "balanced", .kernel = "anova:order=2",
                                    .map = "rk", .features = 40, .scale = "maxabs"});
            }
            same(&r, &(fx_plan){PLAN, .model = model, .kernel = "rbf:gamma=0.1", .map = "rff",
                                .features = 64, .seed = 5});
            same(&r, &(fx_plan){PLAN, .model = "pca:k=3", .scale = classes ? "auto" : NULL});
            if (classes) {
                same(&r, &(fx_plan){PLAN, .model = "logistic:penalty=l1,solver=proximal,C=0.05"});
                same(&r, &(fx_plan){PLAN, .scale = "maxabs", .class_weight = "balanced",
                                    .model = "svm-l2:penalty=l1,solver=proximal,C=0.05"});
            }
            if (classes == 2)
                same(&r, &(fx_plan){PLAN, .model = "pca:k=4", .kernel = "anova:order=2",
                                    .map = "rk", .features = 100});
            free_rows(&r);
        }
}

static void test_backwards(void)
{
    fx_plan plan = {PLAN, .model = "logistic:max-iter=3"};
    rows r = make(true, 4, true, true);
    bringing b = {.r = &r, .blocks = 1};
    fx_matrix X;
    fx_table t = table_of(&r, &X, 0, N, false);
    bytes want = dumped(fitted(&plan, &t, NULL));
    fx_model *m = NULL;

    CHECK(fx_model_passes_fit(&m, &plan, bring_backwards, &b, NULL) >= 0);
    bytes got = dumped(m);
    CHECK(got.len == want.len && !memcmp(got.at, want.at, want.len));
    free(got.at);
    free(want.at);
    free_rows(&r);
}

/* A map that makes sparse rows of sparse ones, if few of its features are not 0: of order 1 a third
 * are, of order 2 a ninth. */
static void test_products(void)
{
    static const char *const models[] = {"logistic:max-iter=4", "svm-l2:max-iter=4,intercept=none",
                                         "logistic:penalty=l1,solver=proximal,C=0.05,max-iter=20",
                                         "pca:k=3", "perceptron:max-iter=2"};
    static const char *const kernels[] = {"linear", "anova:order=2", "anova-upto:order=3"};

    for (size_t k = 0; k < 15; k++) {
        rows r = make(k % 4 > 0, k % 2 ? 4 : 2, k % 2, k % 3 == 0);
        if (k % 3 == 1)
            punch(&r);
        same(&r, &(fx_plan){PLAN, .model = models[k % 5], .map = "explicit",
                            .kernel = kernels[k / 5],
                            .missing = k % 3 == 1 ? "mean,indicator" : NULL,
                            .scale = k % 2 ? "std" : "maxabs"});
        free_rows(&r);
    }
}

/* Every model of factors.c, and what its fit asks of all rows: the mean of targets and their range;
 * hofm-simplex only by adagrad. */
static void test_factors(void)
{
    static const char *const models[] = {
        "fm:solver=lbfgs,max-iter=4,rank=5", "hofm:solver=lbfgs,order=3,rank=3,max-iter=4",
        "hofm-shared:solver=lbfgs,rank=17,max-iter=3", "all-subsets:solver=lbfgs,rank=2,max-iter=3",
        "poly-net:rank=2,max-iter=3", "poly-net-uv:solver=lbfgs,rank=2,max-iter=3,lambda=learned",
        "bilinear:split=4,solver=lbfgs,rank=3,max-iter=3", "fm:solver=adagrad,rank=5,max-iter=3",
        "hofm:solver=adagrad,rank=2,max-iter=2,batch=5000",
        "hofm-simplex:solver=adagrad,rank=2,max-iter=2,lambda=learned",
        "poly-net-uv:solver=adagrad,rank=2,max-iter=2,lr=1e4",
        "hofm-shared:order=2,solver=adagrad,rank=2,max-iter=3,tol=0.5"};
    const size_t n = sizeof models / sizeof *models;
    char spec[128];

    for (size_t k = 0; k < 2 * n; k++) {
        size_t classes = k % 3 == 0 ? 0 : k % 3 + 1;
        rows r = make(k % 2, classes, classes == 3, k % 4 > 1);
        snprintf(spec, sizeof spec, "%s%s", models[k % n],
                 classes ? "" : k % 2 ? ",task=regress" : ",task=regress,clip=train");
        same(&r, &(fx_plan){PLAN, .model = spec, .scale = k % 5 ? "auto" : NULL,
                            .class_weight = classes && k % 2 ? "balanced" : NULL, .seed = k});
        free_rows(&r);
    }
    rows r = make(true, 2, false, true);
    same(&r, &(fx_plan){PLAN, .model = models[0], .kernel = "groups:file=g",
                        .family = "a: 1 2 3\nb: 4 5\n"});
    fx_matrix X;
    fx_table eval = table_of(&r, &X, 100, 500, false);
    same(&r, &(fx_plan){PLAN, .model = models[0], .eval = &eval, .patience = 1});
    same(&r, &(fx_plan){PLAN, .model = models[7], .eval = &eval, .patience = 1});
    r.apart = 800;
    for (int64_t q = 0; q < r.ptr[N]; q++)
        r.col[q] *= (int32_t)r.apart;
    for (size_t k = 0; k < 3; k++)
        same(&r, &(fx_plan){PLAN, .model = "fm:solver=lbfgs,max-iter=2,rank=16"});
    free_rows(&r);
}

/* Indicators count where the length of runs is chosen, by numbers and columns. */
static void test_factors_missing(void)
{
    rows r = make(true, 0, false, true);

    punch(&r);
    for (int64_t q = 0; q < r.ptr[N]; q++)
        r.col[q] *= 10;
    same(&r, &(fx_plan){PLAN, .model = "fm:task=regress,solver=lbfgs,max-iter=1,rank=4",
                        .missing = "mean,indicator"});
    free_rows(&r);
}

/* More columns than a matrix is formed of: components by products. */
static void test_wide(void)
{
    rows r = make(true, 0, false, true);

    for (int64_t q = 0; q < r.ptr[N]; q++)
        r.col[q] *= 97;
    same(&r, &(fx_plan){PLAN, .model = "pca:k=2"});
    same(&r, &(fx_plan){PLAN, .model = "ridge"});
    free_rows(&r);
}

/* Columns scaled by their deviations, missing numbers filled: what later passes need is asked for
 * by earlier ones. */
static void test_columns(void)
{
    static const char *const filled[] = {"zero", "mean", "mean,indicator", "zero,indicator"};

    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t classes = 0; classes <= 4; classes += 2) {
            rows r = make(sparse, classes, classes == 4, classes != 2);
            const char *model = classes ? "logistic" : "ridge";
            same(&r, &(fx_plan){PLAN, .model = model, .scale = "std"});
            same(&r, &(fx_plan){PLAN, .model = model, .scale = "std", .kernel = "anova:order=2",
                                .map = "rk", .features = 60,
                                .class_weight = classes ? "balanced" : NULL});
            same(&r, &(fx_plan){PLAN, .model = model, .missing = "drop"});
            punch(&r);
            for (size_t k = classes == 4; k < sizeof filled / sizeof *filled; k += 2)
                same(&r, &(fx_plan){PLAN, .model = model, .missing = filled[k],
                                    .scale = sparse ? "std" : "maxabs"});
            same(&r, &(fx_plan){PLAN, .model = model, .missing = "mean,indicator",
                                .kernel = "rbf", .map = "rff", .features = 48, .scale = "std"});
            free_rows(&r);
        }
}

/* ---- Folds ----------------------------------------------------------------------------------- */

enum { FOLDS = 3, COSTS = 2 };

static void deal(int32_t fold[N])
{
    for (size_t i = 0; i < N; i++)
        fold[i] = (int32_t)test_below(FOLDS + 1) - 1;   /* -1: always trained on */
}

static void same_path(const rows *r, const fx_plan *plan)
{
    static const double C[COSTS] = {0.05, 1};
    static int32_t fold[N];
    static int turn;
    fx_metrics want[COSTS * FOLDS] = {FX_INIT(fx_metrics)},
                            got[COSTS * FOLDS] = {FX_INIT(fx_metrics)};
    fx_matrix X;
    fx_table t = table_of(r, &X, 0, N, false);
    bringing b = {.r = r, .blocks = 1 + (size_t)turn % 3, .floats = turn % 3 < 2, .how = turn % 3};
    fx_run run = {RUN, .threads = turn % 2 + 1};

    turn++;
    deal(fold);
    fx_status in_memory = fx_model_path(want, plan, C, COSTS, &t, fold, FOLDS, &run);
    fx_status s = fx_model_passes_path(got, plan, C, COSTS, fold, N, FOLDS, bring, &b, &run);
    if (s < 0)
        fprintf(stderr, "%s: %s\n", plan->model, fx_error_detail());
    CHECK(s >= 0 && s == in_memory && b.passes > COSTS * FOLDS);
    CHECK(!memcmp(want, got, sizeof want));
    fx_model_pass_free(b.pass);
}

static void test_paths(void)
{
    for (int k = 0; k < test_cases(6); k++) {
        size_t classes = (size_t)(2 * (k % 3));
        rows r = make(k % 2, classes, classes == 4, k > 2);
        const char *model = classes ? "logistic" : "ridge";
        same_path(&r, &(fx_plan){PLAN, .model = model, .scale = "std",
                                 .class_weight = classes ? "balanced" : NULL,
                                 .metric = classes ? "f1-macro" : NULL});
        same_path(&r, &(fx_plan){PLAN, .model = classes ? "svm-l2" : "ridge", .scale = "maxabs",
                                 .kernel = "anova:order=2", .map = "rk", .features = 100});
        same_path(&r,
                  &(fx_plan){PLAN, .model = classes ? "logistic:penalty=l1,solver=proximal" : model,
                             .kernel = k % 2 ? "linear" : NULL, .map = k % 2 ? "explicit" : NULL});
        same_path(
            &r, &(fx_plan){PLAN, .scale = "auto",
                           .model = classes ? "fm:solver=lbfgs,max-iter=3,rank=3"
                                            : "hofm:solver=lbfgs,max-iter=3,rank=2,task=regress"});
        same_path(
            &r, &(fx_plan){PLAN, .scale = "auto",
                           .model = classes ? "poly-net-uv:solver=adagrad,max-iter=2,rank=3"
                                            : "fm:solver=adagrad,max-iter=2,rank=2,task=regress"});
        punch(&r);
        same_path(&r, &(fx_plan){PLAN, .model = model, .missing = "mean,indicator"});
        free_rows(&r);
    }
}

static fx_status refused_path(const rows *r, const fx_plan *plan, const int32_t *fold, size_t n)
{
    static const double C[] = {1};
    fx_metrics out[2] = {FX_INIT(fx_metrics)};
    bringing b = {.r = r, .blocks = 1};
    fx_status s = fx_model_passes_path(out, plan, C, 1, fold, n, 2, bring, &b, NULL);

    fx_model_pass_free(b.pass);
    return s;
}

static void test_paths_refused(void)
{
    static int32_t fold[N];
    rows r = make(true, 4, false, false);
    fx_plan plan = {PLAN, .model = "logistic"};
    fx_metrics out = FX_INIT(fx_metrics);

    for (size_t i = 0; i < N; i++)      /* a class is in one fold alone */
        fold[i] = r.label[i] == 3 ? 1 : (int32_t)(i % 2) - 1;
    CHECK(refused_path(&r, &plan, fold, N) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "without fold 1 all rows lack class 3"));
    CHECK(refused_path(&r, &plan, fold, N - 1) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "folds of 8968 rows, the passes have 8969"));
    CHECK(refused_path(&r, &(fx_plan){PLAN, .model = "perceptron"}, fold, N) == FX_EUNSUPPORTED);
    CHECK(refused_path(&r, &(fx_plan){PLAN, .model = "svm"}, fold, N) == FX_EUNSUPPORTED);
    CHECK(refused_path(&r, &(fx_plan){PLAN, .model = "logistic", .metric = "auc@"}, fold, N)
          == FX_EINVAL);
    CHECK(fx_model_passes_path(&out, &plan, &(double){1}, 1, fold, N, 2, NULL, NULL, NULL)
          == FX_EINVAL);
    fold[0] = 2;
    CHECK(refused_path(&r, &plan, fold, N) == FX_EINVAL);
    free_rows(&r);
}

static fx_status refused(const rows *r, const fx_plan *plan, bringing b)
{
    fx_model *m = NULL;

    b.r = r;
    b.blocks = b.blocks ? b.blocks : 1;
    fx_status s = fx_model_passes_fit(&m, plan, bring, &b, NULL);
    fx_model_pass_free(b.pass);
    CHECK(s < 0 && !m);
    return s;
}

static fx_status bring_badly(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    const rows *r = ctx;
    fx_pass *p = NULL;
    fx_matrix X;
    fx_table t = table_of(r, &X, 0, 100, false);

    CHECK(fx_model_pass_new(&p, NULL) == FX_OK);
    CHECK(fx_model_pass_next(p, 0) == FX_PASS_END);
    CHECK(fx_model_pass_add(p, &t, 0) == FX_EINVAL);            /* nothing was asked */
    CHECK(fx_model_pass_end(answer, p) == FX_EINVAL);
    CHECK(fx_model_pass_merge(p, request, len) == FX_EINVAL);
    CHECK(fx_model_pass_begin(p, request, len - 8) == FX_EFORMAT);
    CHECK(fx_model_pass_begin(p, NULL, len) == FX_EINVAL);
    CHECK(fx_model_pass_begin(p, request, len) == FX_OK && fx_model_pass_next(p, 0) == 0);
    CHECK(fx_model_pass_add(p, &t, 100) == FX_EINVAL); /* does not begin with a block */
    CHECK(fx_model_pass_add(p, &t, 0) == FX_OK);
    CHECK(fx_model_pass_end(NULL, p) == FX_EINVAL);
    CHECK(fx_model_pass_end(&(fx_sink)FX_INIT(fx_sink), p) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "no sink"));
    CHECK(fx_model_pass_add(p, &t, 4096) == FX_EINVAL); /* the one before was no multiple */
    CHECK(fx_model_pass_begin(p, request, len) == FX_OK && fx_model_pass_add(p, &t, 4096) == FX_OK);
    fx_status s = fx_model_pass_add(p, &t, 0);  /* this one is none, and not the last */
    fx_model_pass_free(p);
    return s;
}

static int stop(void *passes, double done)
{
    CHECK(done >= 0 && done <= 1);
    return *(uint64_t *)passes >= 5;
}

/* Between passes the fit asks whether to go on. */
static void test_stopped(void)
{
    static const char *const models[] = {"logistic:tol=1e-15", "fm:solver=lbfgs,tol=0",
                                         "fm:solver=adagrad,tol=0", "perceptron:max-iter=100",
                                         "logistic:penalty=l1,solver=proximal,tol=1e-15"};
    rows r = make(true, 2, false, false);

    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        fx_plan plan = {PLAN, .model = models[k]};
        bringing b = {.r = &r, .blocks = 3};
        fx_run run = {RUN, .threads = 1, .progress = stop, .ctx = &b.passes};
        fx_model *m = NULL;
        CHECK(fx_model_passes_fit(&m, &plan, bring, &b, &run) == FX_ECANCELLED);
        CHECK(!m && b.passes == 5);
        fx_model_pass_free(b.pass);
    }
    free_rows(&r);
}

static fx_status bring_nothing(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    (void)ctx, (void)request, (void)len, (void)answer;
    return FX_OK;
}

static fx_status bring_failure(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    (void)ctx, (void)request, (void)len, (void)answer;
    return FX_ECANCELLED;
}

/* No row at all. */
static fx_status bring_empty(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    fx_pass *p = NULL;

    (void)ctx;
    CHECK(fx_model_pass_new(&p, NULL) == FX_OK && fx_model_pass_begin(p, request, len) == FX_OK);
    fx_status s = fx_model_pass_end(answer, p);
    fx_model_pass_free(p);
    return s;
}

static void test_refused(void)
{
    rows r = make(true, 2, false, false), targets = make(false, 0, false, false);
    static const char *const models[] = {"svm", "logistic:penalty=l1", "kernel-svm",
                                         "fm:rank=3", "kernel-perceptron", "svm-l2:calibrate=yes",
                                         "perceptron:calibrate=yes", "hofm-simplex:solver=lbfgs"};
    fx_plan plan = {PLAN, .model = "logistic"};
    fx_model *m = NULL;

    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        CHECK(refused(&r, &(fx_plan){PLAN, .model = models[k]}, (bringing){0})
              == FX_EUNSUPPORTED);
    CHECK(refused(&r, &(fx_plan){PLAN, .model = "logistic:penalty=l1"}, (bringing){0})
          == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "penalty=l1 with solver=proximal"));
    CHECK(refused(&r, &(fx_plan){PLAN, .model = "pca:k=24"}, (bringing){0}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "k is 24"));
    CHECK(refused(&r, &(fx_plan){PLAN, .model = "logistic", .missing = "median"}, (bringing){0})
          == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "zero and mean do not"));
    r.val[77] = r.floats[77] = NAN;     /* rows to be left out must not get here */
    CHECK(refused(&r, &(fx_plan){PLAN, .model = "logistic", .missing = "drop"}, (bringing){0})
          == FX_EDOMAIN);
    r.val[77] = r.floats[77] = 0;
    CHECK(refused(&r, &plan, (bringing){.skip = 5}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "a part of 772 rows that is not the last"));
    CHECK(refused(&r, &plan, (bringing){.skip = 777}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "8192 rows, the first one 8969"));
    CHECK(refused(&r, &plan, (bringing){.again = 1}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "this pass has 13065 rows, the first one 8969"));
    fx_plan sampled = {PLAN, .model = "logistic", .kernel = "rbf:gamma=1", .map = "rff",
                       .features = 8};
    CHECK(refused(&r, &sampled, (bringing){.again = 300}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "rows from 0 (from 0) on were added twice"));
    plan.model = "perceptron";          /* its passes need the rows in their order */
    CHECK(refused(&r, &plan, (bringing){.how = 3}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "rows from 8192 (from 0) on, where this pass needs those"));
    plan.model = "logistic";
    CHECK(fx_model_passes_fit(&m, &plan, bring_badly, &r, NULL) == FX_EINVAL);
    CHECK(fx_model_passes_fit(&m, &plan, bring_nothing, NULL, NULL) == FX_EFORMAT);
    CHECK(fx_model_passes_fit(&m, &plan, bring_empty, NULL, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "there are no rows"));
    CHECK(fx_model_passes_fit(&m, &plan, bring_failure, NULL, NULL) == FX_ECANCELLED);
    CHECK(fx_model_passes_fit(&m, NULL, bring_failure, NULL, NULL) == FX_EINVAL);
    CHECK(refused(&targets, &(fx_plan){PLAN, .model = "svm-l2:C=0"}, (bringing){0}) == FX_EINVAL);
    for (size_t i = 0; i < N; i++)
        r.label[i] = 1;
    CHECK(refused(&r, &plan, (bringing){0}) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "all labels are of one class (1: 8969 rows); a classifier"));
    free_rows(&r);
    free_rows(&targets);
}

static fx_status bring_table(void *table, const void *request, size_t len, const fx_sink *answer)
{
    fx_pass *p = NULL;
    fx_status s = fx_model_pass_new(&p, NULL);

    if (!s && !(s = fx_model_pass_begin(p, request, len)) && !(s = fx_model_pass_add(p, table, 0)))
        s = fx_model_pass_end(answer, p);
    fx_model_pass_free(p);
    return s;
}

/* Surveys that cannot be: classes without labels, more rows than can be counted, more numbers that
 * are missing than rows. */
static void test_surveys(void)
{
    static double low[] = {0}, missing[] = {2};
    fxi_survey_class number = {1, NULL}, text = {0, (char *)"a"};
    const fxi_survey row[] = {
        {.rows = 1, .classes = 1, .class = &number},
        {.rows = 1, .classes = 1, .class = &text, .texts = true},
        {.rows = UINT64_MAX},
        {.rows = 1, .cols = 1, .low = low, .high = low, .holes = true, .missing = missing,
         .missing_all = missing}};
    fxi_message request = {0};
    fx_pass *p = NULL;

    CHECK(fx_model_pass_new(&p, NULL) == FX_OK);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const fxi_request survey = {.what = FXI_REQUEST_SURVEY, .holes = row[k].holes};
        fxi_message answer = {0};
        CHECK(fxi_train_request(&request, &survey, NULL, NULL) == FX_OK);
        CHECK(fx_model_pass_begin(p, request.at, request.len) == FX_OK);
        fxi_pass_message(&answer, FXI_ANSWER_NAME);
        fxi_pass_message_count(&answer, FXI_REQUEST_SURVEY);
        fxi_train_survey_bytes(&answer, &row[k]);
        CHECK(fxi_pass_message_end(&answer) == FX_OK);
        CHECK(fx_model_pass_merge(p, answer.at, answer.len) == FX_EFORMAT);
        free(answer.at);
    }
    fx_model_pass_free(p);
    free(request.at);
}

typedef struct changing { fx_table *first, *later; } changing;

static fx_status bring_others(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    changing *a = ctx;
    fx_status s = bring_table(a->first, request, len, answer);

    a->first = a->later;
    return s;
}

/* Rows of a later pass that no longer look like those of the survey. */
static void test_changed(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 7, 8, 9}, label[] = {0, 1, 0, 1};
    static const int64_t ptr[] = {0, 1, 2, 3, 4};
    static const int32_t col[] = {0, 1, 0, 5};
    static const char *const name[] = {"a", "b"};
    const fx_matrix sparse = {.rows = 4, .cols = 6, .type = FX_F64, .val = x, .ptr = ptr,
                              .col = col},
                    less = {.rows = 3, .cols = 2, .type = FX_F64, .val = x, .ptr = ptr, .col = col},
                    dense = {.rows = 4, .cols = 2, .stride = 2, .type = FX_F64, .val = x},
                    column = {.rows = 4, .cols = 1, .stride = 2, .type = FX_F64, .val = x};
    const struct {
        const fx_matrix *first, *later;
        bool texts;                     /* labels of the first pass */
        const char *scale, *class_weight, *error;
    } row[] = {
        {&less, &sparse, false, "std", NULL, "has 6 columns, those of the first pass have 2"},
        {&column, &dense, false, "std", NULL, "has 2 columns, those of the first pass have 1"},
        {&dense, &column, false, "std", NULL, "has 1 columns, those of the first pass have 2"},
        {&dense, &dense, true, NULL, "balanced", "labels are numbers, those of the first pass"},
        {&sparse, &dense, false, NULL, NULL, "rows are dense, those of the first pass are not"}};

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fx_plan plan = {PLAN, .model = "logistic", .scale = row[k].scale,
                        .class_weight = row[k].class_weight};
        fx_table first = {.rows = row[k].first->rows, .cols = row[k].first->cols, .blocks = 1,
                          .block = row[k].first, .label = label, .classes = row[k].texts ? 2 : 0,
                          .class_name = row[k].texts ? name : NULL};
        fx_table later = {.rows = first.rows, .cols = row[k].later->cols, .blocks = 1,
                          .block = row[k].later, .label = label};
        fx_matrix shorter = *row[k].later;
        fx_model *m = NULL;
        shorter.rows = first.rows;
        later.block = &shorter;
        CHECK(fx_model_passes_fit(&m, &plan, bring_others, &(changing){&first, &later}, NULL) < 0);
        CHECK(!m && strstr(fx_error_detail(), row[k].error));
    }
}

typedef struct ordered { fx_pass *p; const fx_table *all; } ordered;

/* A block of dense floats at a time, as the pass asks for it. */
static fx_status bring_blocks(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    const ordered *a = ctx;
    fx_status s = fx_model_pass_begin(a->p, request, len);

    for (uint64_t first; !s && (first = fx_model_pass_next(a->p, 0)) < a->all->rows;) {
        fx_matrix X = a->all->block[0];
        fx_table t = *a->all;
        size_t left = t.rows - (size_t)first;
        X.rows = t.rows = left < FX_PASS_BLOCK ? left : FX_PASS_BLOCK;
        X.val = (const float *)X.val + first * X.stride;
        t.block = &X;
        t.label += first;
        s = fx_model_pass_add(a->p, &t, first);
    }
    return s ? s : fx_model_pass_end(answer, a->p);
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

typedef struct counted { const fx_table *t; size_t passes; } counted;

/* Answers what is asked before the fit, and ends the fit at its first question. */
static fx_status bring_two(void *ctx, const void *request, size_t len, const fx_sink *answer)
{
    counted *c = ctx;

    return c->passes++ < 2 ? bring_table((void *)(uintptr_t)c->t, request, len, answer)
                           : FX_ECANCELLED;
}

/* svm-l2 begins with the dual solver where there are 256 dense features or more, but at most 2^28
 * numbers; else with Newton's method, which needs no rows. */
static void test_auto(void)
{
    enum { ROWS = (1 << 16) + 1, D = 1 << 12 };
    static double x[2 * ROWS], label[ROWS];
    fx_matrix X = {.rows = ROWS, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fx_table t = {.rows = ROWS, .cols = 2, .blocks = 1, .block = &X, .label = label};
    const struct { size_t rows, features; bool newton; } cases[] = {
        {ROWS, 254, true}, {ROWS, 256, false}, {ROWS - 1, D, false}, {ROWS, D, true}};

    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = test_unit();
        x[2 * i + 1] = test_unit();
        label[i] = (double)(i % 2);
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fx_plan plan = {PLAN, .model = "svm-l2", .kernel = "rbf:gamma=1", .map = "rff",
                        .features = cases[k].features};
        counted c = {&t, 0};
        fx_model *m = NULL;
        t.rows = X.rows = cases[k].rows;
        fx_status s = fx_model_passes_fit(&m, &plan, bring_two, &c, NULL);
        CHECK(s == (cases[k].newton ? FX_ECANCELLED : FX_EUNSUPPORTED));
        CHECK(c.passes == (cases[k].newton ? 3 : 2));
        CHECK(cases[k].newton || strstr(fx_error_detail(), "use solver=newton"));
    }
}

/* Rows so long that a window of AdaGrad has fewer blocks than there are; they count as the blocks
 * of the model see them. */
static void test_windows(void)
{
    enum { D = 160, ROWS = 3 * 4096 + 5 };
    fx_plan plan = {PLAN, .model = "poly-net-uv:solver=adagrad,rank=1,max-iter=2"};
    fx_pass *p = NULL;
    fx_model *m = NULL;
    float *x = malloc(ROWS * D * sizeof *x);
    double *label = malloc(ROWS * sizeof *label);

    CHECK(x && label);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = (float)(test_unit() - 0.5);
        label[i] = x[i * D] * x[i * D + 1] > 0;
    }
    fx_matrix X = {.rows = ROWS, .cols = D, .stride = D, .type = FX_F32, .val = x};
    fx_table t = {.rows = ROWS, .cols = D, .blocks = 1, .block = &X, .label = label};
    bytes want = dumped(fitted(&plan, &t, NULL));
    CHECK(fx_model_pass_new(&p, NULL) == FX_OK);
    CHECK(fx_model_passes_fit(&m, &plan, bring_blocks, &(ordered){p, &t}, NULL) >= 0);
    bytes got = dumped(m);
    CHECK(got.len == want.len && !memcmp(got.at, want.at, want.len));
    fx_model_pass_free(p);
    free(got.at), free(want.at), free(x), free(label);
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
    fx_model_pass_free(b.pass);
    fx_model_free(m);
    free_rows(&r);
}

int main(void)
{
    test_init();
    test_backwards();
    test_same();
    test_products();
    test_factors();
    test_factors_missing();
    test_wide();
    test_columns();
    test_paths();
    test_paths_refused();
    test_refused();
    test_stopped();
    test_changed();
    test_surveys();
    test_stalled();
    test_auto();
    test_windows();
    test_memory();
    return 0;
}
