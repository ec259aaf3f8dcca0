/* SPDX-License-Identifier: BSD-3-Clause
 * t_vectors.c - inner products of two sides against the scores of joined rows, for every model that
 * has them; the others are refused by name.  Covers: sides.c
 *
 * Tolerance: prediction and both vectors are sums of products, in doubles; with A the same sum of
 * absolute values, which is bounded here by products over the columns, each is off by less than
 * (entries order + numbers of a vector) 4 u A.  Maps predict in floats: u = 2^-24. */

#include "model/test/built.h"
#include "recommend/recommend.h"

enum { FIRST = 4, COLS = 9, ROWS = 40, USERS = 7, ITEMS = 6 };
static double joined[ROWS][COLS], users[USERS][COLS], items[ITEMS][COLS];
static double target[ROWS], two[ROWS], three[ROWS];

static fx_matrix dense(const double *x, size_t rows)
{
    return (fx_matrix){.rows = rows, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
}

static void draw(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            joined[i][j] = test_below(3) ? (double)test_below(9) / 4 - 1 : 0;
        target[i] = test_unit() * 4 - 2 + joined[i][0] * joined[i][5];
        two[i] = target[i] > 0 ? 1 : -1;
        three[i] = (double)(i % 3);
    }
    for (size_t j = 0; j < COLS; j++) {
        for (size_t i = 0; i < USERS; i++)
            users[i][j] = j < FIRST && test_below(4) ? test_unit() * 2 - 1 : 0;
        for (size_t i = 0; i < ITEMS; i++)
            items[i][j] = j >= FIRST && test_below(4) ? test_unit() * 2 - 1 : 0;
    }
}

/* The score of absolute values, or more. */
static double magnitude(const fxi_explain_terms *t, const double *x)
{
    double all = fabs(t->constant);

    for (size_t j = 0; j < COLS && t->linear; j++)
        all += fabs(t->linear[j] * x[j]);
    for (size_t k = 0; k < t->parts; k++) {
        const fxi_explain_part *a = &t->part[k];
        double *p = calloc(COLS * a->S, sizeof *p);
        for (size_t j = 0; j < COLS; j++)
            a->read(p + j * a->S, a, j);
        for (size_t s = 0; s < a->S; s++) {
            double lambda = 0, product = 1, sum = 1;
            for (int i = a->low; i <= (a->same ? a->low : a->high); i++)
                lambda = fmax(lambda, fabs(fxi_explain_terms_lambda(a, i)[s]));
            for (size_t j = 0; j < COLS; j++) {
                product *= 1 + fabs(p[j * a->S + s] * x[j]);
                sum += fabs(p[j * a->S + s] * x[j]);
            }
            all += lambda * (a->repeats ? pow(sum, a->high) : product);
        }
        free(p);
    }
    return all;
}

static fx_model *fitted(fx_plan plan, const double *y)
{
    fx_matrix X = dense(joined[0], ROWS);
    fx_table t = {.rows = ROWS, .cols = COLS, .blocks = 1, .block = &X, .label = y, .base = 1};
    fx_model *m = NULL;
    fx_status s;

    plan.size = sizeof plan;
    plan.seed = 3;
    s = fx_model_fit(&m, &plan, &t, NULL);
    if (FX_FAILED(s))
        fprintf(stderr, "%s: %s\n", plan.model, fx_error_detail());
    CHECK(!FX_FAILED(s));
    return m;
}

/* All pairs; `numbers`: of a vector, 0: not asserted. */
static void compare(const fx_model *m, size_t numbers)
{
    const fx_model_info *c = fx_model_inspect(m);
    const double u = *c->map ? 0x1p-24 : 0x1p-53;
    const fx_matrix U = dense(users[0], USERS), V = dense(items[0], ITEMS);
    double pair[COLS], scaled[COLS], *score = calloc(c->outputs, sizeof *score);
    size_t w = 0;

    CHECK(fx_model_vectors_width(&w, m, NULL) == FX_OK && (!numbers || w == numbers));
    double *a = calloc(USERS * w, sizeof *a), *b = calloc(ITEMS * w, sizeof *b);
    double *again = calloc(USERS * w, sizeof *again);
    for (size_t k = 0; k < c->outputs; k++) {
        fxi_explain_terms t;
        CHECK(fxi_explain_terms_new(&t, m, k, NULL) == FX_OK);
        CHECK(fx_model_vectors(a, NULL, m, FX_FIRST, k, &U, NULL) == FX_OK);
        CHECK(fx_model_vectors(b, NULL, m, FX_SECOND, k, &V, &(fx_run){RUN, .threads = 3})
              == FX_OK);
        CHECK(fx_model_vectors(again, NULL, m, FX_FIRST, k, &U, &(fx_run){RUN, .threads = 3})
                  == FX_OK
              && !memcmp(a, again, USERS * w * sizeof *a));
        for (size_t i = 0; i < USERS; i++)
            for (size_t j = 0; j < ITEMS; j++) {
                double inner = 0;
                for (size_t q = 0; q < COLS; q++) {
                    pair[q] = users[i][q] + items[j][q];
                    scaled[q] = pair[q] * (c->column_scale ? c->column_scale[q] : 1);
                }
                for (size_t q = 0; q < w; q++)
                    inner += a[i * w + q] * b[j * w + q];
                fx_matrix X = dense(pair, 1);
                CHECK(fx_model_predict(score, NULL, m, FX_SCORE, &X, NULL) == FX_OK);
                CHECK_NEAR(inner, score[k], (COLS * 4 + (double)w) * 4 * u * magnitude(&t, scaled));
            }
        fxi_explain_terms_free(&t);
    }
    free(score);
    free(a);
    free(b);
    free(again);
}

static void once(fx_plan plan, const double *y, size_t numbers)
{
    fx_model *m = fitted(plan, y);

    compare(m, numbers);
    fx_model_free(m);
}

/* Every kind of factorization machine, each with its number of numbers. */
static void check_factors(void)
{
    enum { K = 5 };                     /* rank */
    static const struct { const char *spec; size_t numbers; } of[] = {
        {"fm", K + 2},
        {"hofm:order=2", K + 2},
        {"hofm:order=3", K + 2 * K + 2},
        {"hofm:order=5", K + 2 * K + 3 * K + 4 * K + 2},
        {"hofm-shared:order=2", K + 2},
        {"hofm-shared:order=4", 3 * K + 2},
        {"hofm-simplex:order=4", 3 * K + 2},
        {"all-subsets", K + 2},
        {"poly-net:degree=2", K + 2},
        {"poly-net:degree=4", 3 * K + 2},
        {"poly-net-uv", 2 * K + 2},
        {"bilinear:split=4", K + 2}};
    static const char *const more[] = {"linear=yes", "linear=no,intercept=none,lambda=learned",
                                       "lambda=signs"};
    char spec[160];

    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t k = 0; k < 3; k++) {
            const char *sep = strchr(of[i].spec, ':') ? "," : ":";
            const char *loss = k == 1 ? "classify" : "regress";
            snprintf(spec, sizeof spec, "%s%srank=%d,sd=0.5,max-iter=5,task=%s,%s", of[i].spec, sep,
                     K, loss,
                     more[k]);
            fx_plan plan = {.model = spec, .scale = k == 0 ? "maxabs" : k == 1 ? "std" : NULL,
                            .missing = k == 2 ? "mean,indicator" : NULL};
            once(plan, k == 1 ? three : target, of[i].numbers);
        }
}

static void check_others(void)
{
    static const char *const kernels[] = {"linear", "anova:order=2", "anova:order=4",
                                          "anova-upto:order=3,theta=1/0/2", "all-subsets"};

    once((fx_plan){.model = "ridge"}, target, 2);
    once((fx_plan){.model = "svm", .scale = "maxabs"}, three, 2);
    once((fx_plan){.model = "perceptron"}, two, 2);
    for (size_t i = 0; i < 5; i++) {
        static const size_t orders[] = {0, 1, 3, 2, 1};
        once((fx_plan){.model = "ridge", .map = "rk", .features = 32, .kernel = kernels[i]}, target,
             32 * orders[i] + 2);
        once((fx_plan){.model = "kernel-ridge:collapse=no", .kernel = kernels[i]}, target, 0);
        if (i != 4)
            once((fx_plan){.model = "ridge",
                           .map = "rk:complex=yes",
                           .features = 32,
                           .kernel = kernels[i]},
                 target, 0);
    }
    once((fx_plan){.model = "kernel-svm:collapse=no", .kernel = "poly:degree=3"}, three, 0);
    once(
        (fx_plan){
            .model = "ridge", .map = "rm:max-order=3", .features = 32, .kernel = "poly:degree=3"},
        target, 0);
}

/* Where sides are known, groups of one side each are fine, and rows of the other side are not. */
static void check_sides(void)
{
    fx_plan plan = {.model = "hofm:order=3,rank=3,sd=0.5,max-iter=3,task=regress",
                    .kernel = "groups:file=F,order=3",
                    .family = "a: 1 2\nb: 3 4\nc: 5 6 7\n"};
    const fx_matrix U = dense(users[0], USERS), V = dense(items[0], ITEMS);
    static double out[USERS * 64];
    fx_model *m = fitted(plan, target), *back = NULL;

    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 0, &U, NULL) == FX_EUNSUPPORTED
          && strstr(fx_error_detail(), "not known"));
    fx_model_free(m);
    plan.split = FIRST;
    m = fitted(plan, target);
    CHECK(fx_model_inspect(m)->split == FIRST);
    file f = dumped(m);
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK);
    CHECK(fx_model_inspect(back)->split == FIRST);
    compare(back, 3 * (1 + 2) + 2);
    CHECK(fx_model_vectors(out, NULL, back, FX_FIRST, 0, &V, NULL) == FX_EINVAL
          && strstr(fx_error_detail(), "of the second side"));
    CHECK(fx_model_vectors(out, NULL, back, FX_SECOND, 0, &U, NULL) == FX_EINVAL
          && strstr(fx_error_detail(), "of the first side"));
    free(f.bytes);
    fx_model_free(back);
    fx_model_free(m);
    plan.split = FIRST + 1;             /* now group c is on both */
    m = fitted(plan, target);
    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 0, &U, NULL) == FX_EUNSUPPORTED
          && strstr(fx_error_detail(), "group of column 6 "));
    fx_model_free(m);
    plan = (fx_plan){.model = "bilinear:split=4,rank=3,task=regress,max-iter=2"};
    m = fitted(plan, target);
    CHECK(fx_model_inspect(m)->split == FIRST);
    f = dumped(m);                      /* the spec says it */
    CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK
          && fx_model_inspect(back)->split == FIRST);
    free(f.bytes);
    fx_model_free(back);
    fx_model_free(m);
}

static void refused(fx_plan plan, const double *y, const char *why)
{
    fx_model *m = fitted(plan, y);
    size_t w = 77;
    const fx_matrix U = dense(users[0], USERS);
    double out[1] = {7};

    CHECK(fx_model_vectors_width(&w, m, NULL) == FX_EUNSUPPORTED && w == 77);
    CHECK(strstr(fx_error_detail(), why));
    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 0, &U, NULL) == FX_EUNSUPPORTED && out[0] == 7);
    fx_model_free(m);
}

static void check_refused(void)
{
    static const char fm[] = "fm:rank=2,task=regress,max-iter=2";

    refused((fx_plan){.model = fm, .scale = "unit-l1"}, target, "scaling unit-l1");
    refused((fx_plan){.model = fm, .scale = "unit-l2"}, target, "scaling unit-l2");
    refused((fx_plan){.model = "fm:rank=2,task=regress,max-iter=2,clip=train"}, target, "clipped");
    refused((fx_plan){.model = "ridge", .map = "explicit", .kernel = "anova:order=2"}, target,
            "map explicit");
    refused((fx_plan){.model = "ridge",
                      .map = "rk",
                      .features = 16,
                      .kernel = "itemset:file=F",
                      .family = "1 2\n3\n"},
            target, "family of sets");
    refused((fx_plan){.model = "ridge", .map = "rff", .features = 16, .kernel = "rbf"}, target,
            "rff");
    refused((fx_plan){.model = "kernel-ridge", .kernel = "rbf"}, target, "rbf");
    refused(
        (fx_plan){
            .model = fm, .kernel = "groups:file=F,order=2", .family = "a: 1 9\n", .split = FIRST},
        target, "group of column 9 ");
}

/* Columns that training never saw are counted; missing numbers are filled, or give NaN. */
static void check_rows(void)
{
    static double x[2 * COLS];
    double out[2 * 16];
    uint64_t unseen = 0;
    const fx_matrix wide = {.rows = 1, .cols = COLS + 5, .type = FX_F64, .val = (double[]){1, 2},
                            .ptr = (int64_t[]){0, 2}, .col = (int32_t[]){1, COLS + 4}};
    fx_matrix X = dense(x, 2);
    fx_plan plan = {.model = "fm:rank=2,task=regress,max-iter=2", .missing = "drop"};
    fx_model *m = fitted(plan, target);

    CHECK(fx_model_vectors(out, &unseen, m, FX_SECOND, 0, &wide, NULL) == FX_OK && unseen == 1);
    x[COLS] = NAN;
    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 0, &X, NULL) == FX_OK);
    CHECK(isfinite(out[0]) && out[1] == 1 && isnan(out[4]) && isnan(out[7]));
    x[COLS] = 0;
    fx_model_free(m);

    m = fitted((fx_plan){.model = "fm:rank=2,task=regress,max-iter=2"}, target);
    CHECK(fx_model_vectors(NULL, NULL, m, FX_FIRST, 0, &X, NULL) == FX_EINVAL);
    CHECK(fx_model_vectors(out, NULL, NULL, FX_FIRST, 0, &X, NULL) == FX_EINVAL);
    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 0, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_vectors(out, NULL, m, (fx_side)2, 0, &X, NULL) == FX_EINVAL);
    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 1, &X, NULL) == FX_EINVAL);
    CHECK(fx_model_vectors_width(NULL, m, NULL) == FX_EINVAL);
    X.cols = X.stride = COLS - 1;
    CHECK(fx_model_vectors(out, NULL, m, FX_FIRST, 0, &X, NULL) == FX_ESHAPE);
    fx_model_free(m);
    plan = (fx_plan){.size = sizeof plan, .model = "ridge", .split = COLS};
    X = dense(joined[0], ROWS);
    fx_table t = {.rows = ROWS, .cols = COLS, .blocks = 1, .block = &X, .label = target};
    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_EINVAL && strstr(fx_error_detail(), "split=9"));
}

int main(void)
{
    test_init();
    draw();
    check_factors();
    check_others();
    check_sides();
    check_refused();
    check_rows();
    return 0;
}
