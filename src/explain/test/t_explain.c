/* SPDX-License-Identifier: BSD-3-Clause
 * t_explain.c - weights of combinations: all of them together are the model's score as a
 * polynomial; the largest are those of the whole list; what a search with little effort may have
 * missed is bounded; rows, support, errors, planted combinations, any number of threads.
 * Covers: beam.c, dense.c, field.c, importance.c, list.c, map.c, output.c, row.c, search.c,
 * sparse.c, support.c, terms.c, top.c, values.c, visits.c, src/kind/factors_terms.c */
enum { N = 90, COLS = 7, ALL = 1 << 20 };
#include "model/test/products.h"

#define OPTIONS .size = sizeof(fx_explain_options)

static fx_matrix dense_rows(void)
{
    return (fx_matrix){.rows = N, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X};
}

/* Rows of a table, 7 at a time, and once none. */
static fx_status visit(void *ctx, fx_rows_take *take, void *to)
{
    const fx_table *t = ctx;
    fx_status st = FX_OK;

    for (size_t b = 0, n; b < t->blocks && !st; b++)
        for (size_t i = 0; i < t->block[b].rows && !st; i += n) {
            fx_matrix some = t->block[b];
            n = some.rows - i < 7 ? some.rows - i : 7;
            some.rows = n;
            if (some.ptr)
                some.ptr += i;
            else
                some.val = (const char *)some.val + i * some.stride * (some.type == FX_F32 ? 4 : 8);
            fx_table part = {.rows = n, .cols = t->cols, .blocks = 1, .block = &some};
            fx_table empty = {.cols = t->cols};
            st = take(to, i ? &part : &empty);
            if (!st && !i)
                st = take(to, &part);
        }
    return st;
}

static fx_status none(void *ctx, fx_rows_take *take, void *to)
{
    (void)ctx, (void)take, (void)to;
    return FX_OK;
}

static fx_status odd(void *ctx, fx_rows_take *take, void *to)
{
    return none(ctx, take, to) + 1;
}

static fx_status stopped(void *ctx, fx_rows_take *take, void *to)
{
    none(ctx, take, to);
    return FX_ECANCELLED;
}

/* One row less at each visit. */
static fx_status fewer(void *ctx, fx_rows_take *take, void *to)
{
    static size_t left = 50;
    const fx_table *t = ctx;
    fx_matrix part = t->block[0];

    part.rows = left--;
    return take(to, &(fx_table){.rows = part.rows, .cols = t->cols, .blocks = 1, .block = &part});
}

static size_t visits, refused;

/* Rows that come a table at a time have the same explanation, or none where the search is not
 * exact, or is at the limit of its work. */
static void check_visits(const fx_explanation *a, const fx_model *m, fx_explain_options q,
                         int threads)
{
    fx_explanation *e = NULL;

    q.visit = visit;
    q.visit_ctx = (void *)(uintptr_t)q.table;
    q.table = NULL;
    fx_status st = fx_model_explain(&e, m, &q, &(fx_run){RUN, .threads = threads});
    visits++;
    refused += st != FX_OK;
    if (st) {
        CHECK(st == FX_ELIMIT && (!a->exact || q.max_work > 0));
        return;
    }
    const fx_explanation *b = e;
    CHECK(a->n == b->n && a->exact == b->exact && a->missed == b->missed);
    CHECK(a->constant == b->constant && a->score == b->score && a->rest == b->rest);
    CHECK(!a->importance == !b->importance);
    for (size_t k = 0; k < a->n; k++) {
        const fx_combination *x = &a->at[k], *y = &b->at[k];
        CHECK(x->order == y->order && x->support == y->support);
        CHECK(!memcmp(x->column, y->column, x->order * sizeof *x->column));
        CHECK(x->weight == y->weight && x->contribution == y->contribution);
        CHECK(!a->importance || a->importance[k] == b->importance[k]);
    }
    fx_explanation_free(e);
}

static fx_explanation *explained(const fx_model *m, const fx_explain_options *q, int threads)
{
    fx_explanation *e = NULL;
    fx_status s = fx_model_explain(&e, m, q, &(fx_run){RUN, .threads = threads});

    if (s)
        fprintf(stderr, "%s %s %s: %s\n", fx_model_inspect(m)->spec, fx_model_inspect(m)->map,
                fx_model_inspect(m)->kernel, fx_error_detail());
    CHECK(s == FX_OK);
    if (q->table && s == FX_OK)
        check_visits(e, m, *q, threads);
    return e;
}

static int same_columns(const fx_combination *a, const fx_combination *b)
{
    return a->order == b->order && !memcmp(a->column, b->column, a->order * sizeof *a->column);
}

static int listed(const fx_explanation *a, const fx_combination *c)
{
    for (size_t k = 0; k < a->n; k++)
        if (same_columns(&a->at[k], c))
            return 1;
    return 0;
}

static double product(const fx_combination *c, const double *x)
{
    double p = 1;

    for (size_t i = 0; i < c->order; i++)
        p *= x[c->column[i]];
    return p;
}

static void check_order(const fx_explanation *a, double (*size)(const fx_combination *))
{
    for (size_t k = 0; k < a->n; k++) {
        for (size_t i = 1; i < a->at[k].order; i++)
            CHECK(a->at[k].column[i - 1] <= a->at[k].column[i]);
        CHECK(k == 0 || size(&a->at[k]) <= size(&a->at[k - 1]));
        CHECK(size(&a->at[k]) > 0 && !listed(&(fx_explanation){.n = k, .at = a->at}, &a->at[k]));
    }
}

static double weight_of(const fx_combination *c) { return fabs(c->weight); }
static double contribution_of(const fx_combination *c) { return fabs(c->contribution); }

/* The whole list is the score. */
static fx_explanation *check_all(const fx_model *m, size_t output, double tol)
{
    const fx_model_info *c = fx_model_inspect(m);
    fx_explanation *e = explained(
        m, &(fx_explain_options){OPTIONS, .top = ALL, .output_from_1 = output + 1}, 2);
    const fx_explanation *a = e;
    fx_matrix rows = dense_rows();
    double *S = predicted(m, FX_SCORE, &rows, NULL), max_score = 0;

    CHECK(a->exact && a->n > 0);
    check_order(a, weight_of);
    for (size_t i = 0; i < N; i++)
        max_score = fmax(max_score, fabs(S[i * c->outputs + output]));
    for (size_t i = 0; i < N; i++) {
        double f = a->constant, x[COLS];
        for (size_t j = 0; j < COLS; j++)
            x[j] = X[i * COLS + j] * (c->column_scale ? c->column_scale[j] : 1);
        for (size_t k = 0; k < a->n; k++)
            f += a->at[k].weight * product(&a->at[k], x);
        CHECK_NEAR(f, S[i * c->outputs + output], tol * (1 + max_score));
    }
    free(S);
    return e;
}

/* Rows that hold some columns only, so that many combinations are in none. */
enum { FEW = 6 };
static double holder_rows[FEW][COLS];

static uint64_t rows_with(const fx_combination *c)
{
    uint64_t n = 0;

    for (size_t i = 0; i < FEW; i++)
        n += product(c, holder_rows[i]) != 0;
    return n;
}

static int enough(const fx_combination *c, const fx_explain_options *q)
{
    if (!q->table)                       /* other tests have more columns than these rows */
        return 1;
    return rows_with(c) >= (q->min_support ? q->min_support : !q->all);
}

/* Against the whole list. */
static void check_top(const fx_model *m, const fx_explanation *all, fx_explain_options q)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        fx_explanation *e = explained(m, &q, threads);
        const fx_explanation *a = e;
        size_t k = 0;
        check_order(a, weight_of);
        for (size_t i = 0; i < all->n; i++) {
            const fx_combination *c = &all->at[i];
            if ((q.order && c->order != q.order) || !enough(c, &q))
                continue;
            if (a->exact && k < q.top) {
                CHECK(k < a->n && same_columns(&a->at[k], c) && a->at[k].weight == c->weight);
                k++;
            } else if (!a->exact && !listed(a, c))
                CHECK(fabs(c->weight) <= a->missed);
        }
        for (size_t i = 0; i < a->n; i++)
            CHECK(enough(&a->at[i], &q)
                  && a->at[i].support == (q.table ? rows_with(&a->at[i]) : 0));
        CHECK(!a->exact || (a->n == k && a->missed == 0));
        CHECK(a->exact || q.max_work > 0);
        fx_explanation_free(e);
    }
}

/* What enough rows hold, as many as are asked for where there are as many. */
static void check_holders(const fx_model *m, const fx_explanation *all, size_t output)
{
    fx_matrix block = {
        .rows = FEW, .cols = COLS, .stride = COLS, .type = FX_F64, .val = holder_rows};
    fx_table t = {.rows = FEW, .cols = COLS, .blocks = 1, .block = &block};
    fx_explain_options q = {OPTIONS, .output_from_1 = output + 1, .table = &t};

    for (size_t i = 0; i < FEW * COLS; i++)     /* all rows have the first, one the last */
        holder_rows[i / COLS][i % COLS] = i % COLS == 0 || test_below(3) == 0 ? 1 + test_unit() : 0;
    for (size_t i = 0; i < FEW; i++)
        holder_rows[i][COLS - 1] = i == 2;
    for (q.top = 1; q.top <= ALL; q.top *= 3) {
        q.all = 0;
        for (q.min_support = 0; q.min_support < 4; q.min_support++)
            check_top(m, all, q);
        q.min_support = 0;
        q.all = 1;
        check_top(m, all, q);
    }
    q.all = 0;
    q.top = 4;
    for (q.max_work = 1; q.max_work < 1e5; q.max_work *= 10)
        check_top(m, all, q);
}

/* By definition: the mean over rows of |weight times product of the scaled numbers|. */
static double importance_of(const fx_combination *at, const fx_model_info *c)
{
    double sum = 0;

    for (size_t r = 0; r < N; r++) {
        double x[COLS];
        for (size_t j = 0; j < COLS; j++)
            x[j] = X[r * COLS + j] * (c->column_scale ? c->column_scale[j] : 1);
        sum += fabs(at->weight * product(at, x));
    }
    return sum / N;
}

/* Sums of N products of up to 8 factors: |error| <= (N + 16) u times the sum of sizes. */
static const double NEAR = (N + 16) * 2.3e-16;

static void check_importance(const fx_model *m, const fx_explanation *all, fx_explain_options q)
{
    fx_matrix rows = dense_rows();
    fx_table t = {.rows = N, .cols = COLS, .blocks = 1, .block = &rows};
    const fx_model_info *c = fx_model_inspect(m);

    q.table = &t;
    for (int threads = 1; threads <= 3; threads += 2) {
        fx_explanation *a = explained(m, &q, threads);
        double last = INFINITY;
        for (size_t k = 0; k < a->n; k++) {
            CHECK_NEAR(a->importance[k], importance_of(&a->at[k], c), NEAR * a->importance[k]);
            CHECK(q.importance == 1 || a->importance[k] <= last);
            last = a->importance[k];
        }
        CHECK(a->exact || q.max_work > 0);
        double bound = a->exact ? a->n < q.top ? 0 : last : a->missed;
        for (size_t i = 0; i < all->n && q.importance == 2; i++)
            if ((!q.order || all->at[i].order == q.order) && !listed(a, &all->at[i]))
                CHECK(importance_of(&all->at[i], c) <= bound * (1 + 1e-9));
        fx_explanation_free(a);
    }
}

static void check_row(const fx_model *m, const fx_explanation *all, size_t output, double tol)
{
    fx_matrix rows = dense_rows();
    const fx_model_info *c = fx_model_inspect(m);

    for (size_t i = 0; i < 4; i++) {
        double *row = X + i * COLS, S[8];
        fx_matrix one = {.rows = 1, .cols = COLS, .stride = COLS, .type = FX_F64, .val = row};
        CHECK(fx_model_predict(S, NULL, m, FX_SCORE, &one, NULL) == FX_OK);
        for (size_t top = 2; top <= ALL; top *= ALL / 2) {
            fx_explanation *e = explained(
                m,
                &(fx_explain_options){
                    OPTIONS, .top = top, .row = &one, .output_from_1 = output + 1,
                    .table = &(fx_table){.rows = N, .cols = COLS, .blocks = 1, .block = &rows}},
                1);
            const fx_explanation *a = e;
            double sum = a->constant + a->rest, largest = 0;
            check_order(a, contribution_of);
            CHECK(a->exact && a->constant == all->constant && a->score == S[output]);
            for (size_t k = 0; k < a->n; k++) {
                const fx_combination *at = &a->at[k];
                double x[COLS];
                uint64_t support = 0;
                for (size_t j = 0; j < COLS; j++)
                    x[j] = row[j] * (c->column_scale ? c->column_scale[j] : 1);
                sum += at->contribution;
                largest = fmax(largest, fabs(at->contribution));
                CHECK_NEAR(at->contribution, at->weight * product(at, x), 1e-12 * (1 + largest));
                for (size_t r = 0; r < N; r++)
                    support += product(at, X + r * COLS) != 0;
                CHECK(at->support == support);
            }
            CHECK_NEAR(sum, a->score, 1e-9 * (1 + largest));
            if (top == ALL)
                CHECK_NEAR(a->rest, 0, tol * (1 + largest));
            fx_explanation_free(e);
        }
    }
}

typedef struct kind {
    const char *model, *map, *kernel, *family, *scale;
    size_t features;
    double tol;
} kind;

static const char family_text[] = "0\n1 2\n0 3 4\n2 5\n{}\n";
static const char groups_text[] = "a: 0 1\nb: 2 3\n";
static const char cross_text[] = "a b\na: 0 1 5\nb: 2 3\n";

static const kind kinds[] = {
    {"svm", .tol = 1e-9}, {"ridge", .scale = "maxabs", .tol = 1e-9}, {"pca:k=2", .tol = 1e-9},
    {"kernel-svm:collapse=no", .kernel = "anova:order=3", .tol = 1e-9},
    {"kernel-svr:collapse=no", .kernel = "anova-upto:order=4,theta=1/0/2/0.5", .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "all-subsets", .scale = "std", .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "linear", .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "poly:degree=3,coef0=0.5,gamma=0.7", .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "vovk:degree=4", .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "itemset", .family = family_text, .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "groups:order=3", .family = groups_text, .tol = 1e-9},
    {"kernel-ridge:collapse=no", .kernel = "cross", .family = cross_text, .tol = 1e-9},
    {"kernel-ridge:collapse=yes", .kernel = "poly:degree=2", .tol = 1e-5},
    {"kernel-ridge:collapse=yes", .kernel = "all-subsets", .tol = 1e-5},
    {"kernel-perceptron", .kernel = "anova:order=2", .tol = 1e-9},
    {"ridge", "explicit", "anova-upto:order=3,theta=1/2/3", .tol = 1e-5},
    {"ridge", "explicit", "itemset", family_text, .tol = 1e-5},
    {"ridge", "rk", "anova:order=3", NULL, NULL, 40, 1e-5},
    {"ridge", "rk:dist=gaussian", "anova-upto:order=3,theta=1/2/0.5", NULL, NULL, 40, 1e-5},
    {"ridge", "rk:projection=hadamard", "all-subsets", NULL, NULL, 40, 1e-5},
    {"ridge", "rk", "itemset", family_text, NULL, 20, 1e-5},
    {"ridge", "rk", "groups:order=2", groups_text, NULL, 20, 1e-5},
    {"ridge", "rk", "cross", cross_text, NULL, 20, 1e-5},
    {"ridge", "rk", "linear", NULL, NULL, 20, 1e-5},
    {"ridge", "rk:complex=yes", "anova:order=3", NULL, NULL, 40, 1e-5},
    {"ridge", "rk:complex=yes,projection=packed", "anova-upto:order=4", NULL, NULL, 70, 1e-5},
    {"ridge", "rm:max-order=4", "exp", NULL, NULL, 60, 1e-5},
    {"ridge", "rm:h01=yes", "poly:degree=3", NULL, NULL, 40, 1e-5},
    {"fm:task=regress,rank=5,max-iter=5,sd=0.5", .scale = "maxabs", .tol = 1e-9},
    {"hofm:task=regress,order=4,rank=3,lambda=signs,max-iter=3,sd=0.5", .tol = 1e-9},
    {"hofm:task=regress,order=3,rank=3,max-iter=3,sd=0.5", .kernel = "groups:order=3",
     .family = groups_text, .tol = 1e-9},
    {"hofm-shared:task=regress,order=3,rank=4,max-iter=3,sd=0.5", .tol = 1e-9},
    {"hofm-simplex:task=regress,order=3,rank=4,max-iter=3,sd=0.5", .tol = 1e-9},
    {"all-subsets:task=regress,rank=4,max-iter=3,sd=0.5", .tol = 1e-9},
    {"poly-net:task=regress,degree=3,rank=4,max-iter=3,sd=0.5", .tol = 1e-9},
    {"poly-net-uv:task=regress,rank=4,max-iter=3,sd=0.5", .tol = 1e-9},
    {"bilinear:task=regress,split=3,rank=4,max-iter=3,sd=0.5", .tol = 1e-9},
    {"fm:task=classify,rank=3,max-iter=3,sd=0.5,linear=no", .tol = 1e-9},
};

static void test_kind(const kind *k, int sparse)
{
    fx_matrix rows = sparse ? sparse_rows() : dense_rows();
    int classes = !strncmp(k->model, "svm", 3) || strstr(k->model, "-svm:")
                  || strstr(k->model, "perceptron") || strstr(k->model, "classify");
    fx_table t = {
        .rows = N, .cols = COLS, .blocks = 1, .block = &rows, .label = classes ? label : target};
    fx_plan plan = {PLAN,
                    .model = k->model,
                    .map = k->map,
                    .kernel = k->kernel,
                    .family = k->family,
                    .scale = k->scale,
                    .features = k->features,
                    .seed = 5};
    fx_model *m = fitted(&plan, &t, NULL);

    for (size_t output = 0; output < fx_model_inspect(m)->outputs; output += 2) {
        fx_explanation *e = check_all(m, output, k->tol);
        const fx_explanation *all = e;
        check_top(m, all, (fx_explain_options){OPTIONS, .top = 5, .output_from_1 = output + 1});
        check_top(m, all,
                  (fx_explain_options){OPTIONS, .top = 3, .order = 2, .output_from_1 = output + 1});
        check_top(m, all,
                  (fx_explain_options){OPTIONS, .top = 4, .order = 3, .output_from_1 = output + 1});
        check_top(
            m, all,
            (fx_explain_options){OPTIONS, .top = 4, .max_work = 1, .output_from_1 = output + 1});
        check_top(
            m, all,
            (fx_explain_options){OPTIONS, .top = 4, .max_work = 3000, .output_from_1 = output + 1});
        for (size_t top = 1; top <= 4096; top *= 8) {
            fx_explain_options q = {OPTIONS, .top = top, .output_from_1 = output + 1,
                                    .importance = 2};
            check_importance(m, all, q);
            q.order = 2;
            check_importance(m, all, q);
            q.importance = 1;
            check_importance(m, all, q);
            q = (fx_explain_options){OPTIONS, .top = top, .output_from_1 = output + 1,
                                     .importance = 2, .max_work = 300};
            check_importance(m, all, q);
        }
        check_holders(m, all, output);
        check_row(m, all, output, k->tol);
        fx_explanation_free(e);
    }
    fx_model_free(m);
}

/* More columns: several panels, bounds that leave something out; few numbers in many columns, so
 * that vectors are searched as sparse ones. */
enum { ROWS = 60, WIDE = 70 };

static void test_wide(size_t cols, size_t each, const char *model, const char *kernel)
{
    static double val[ROWS * WIDE], y[ROWS];
    static int32_t col[ROWS * WIDE];
    static int64_t ptr[ROWS + 1];

    for (size_t i = 0; i < ROWS; i++) {
        size_t j = 0;
        for (size_t q = 0; q < each; q++) {
            j += 1 + (each < cols ? test_below(cols / each) : 0);
            col[i * each + q] = (int32_t)(j - 1);
            val[i * each + q] = (test_unit() + 0.1) / (1 + (double)(j % 5));
        }
        ptr[i + 1] = (int64_t)((i + 1) * each);
        y[i] = test_unit();
    }
    fx_matrix rows = {.rows = ROWS, .cols = cols, .stride = cols, .type = FX_F64, .val = val,
                      .ptr = each < cols ? ptr : NULL, .col = col};
    fx_table t = {.rows = ROWS, .cols = cols, .blocks = 1, .block = &rows, .label = y};
    fx_plan plan = {PLAN, .model = model, .kernel = kernel};
    fx_model *m = fitted(&plan, &t, NULL);
    fx_explanation *e = explained(m, &(fx_explain_options){OPTIONS, .top = ALL}, 2);
    const fx_explanation *all = e;
    double *S = scores(m, &t), x[WIDE];

    CHECK(all->exact);
    for (size_t i = 0; i < ROWS; i += 7) {
        double f = all->constant;
        memset(x, 0, sizeof x);
        for (size_t q = i * each; q < (i + 1) * each; q++)
            x[col[q]] = val[q];
        for (size_t c = 0; c < all->n; c++)
            f += all->at[c].weight * product(&all->at[c], x);
        CHECK_NEAR(f, S[i], 1e-9);
    }
    check_top(m, all, (fx_explain_options){OPTIONS, .top = 9});
    check_top(m, all, (fx_explain_options){OPTIONS, .top = 9, .order = 3, .max_work = 500});
    check_top(m, all, (fx_explain_options){OPTIONS, .top = 9, .order = 3, .max_work = 1e5});
    free(S);
    fx_explanation_free(e);
    fx_model_free(m);
}

static void test_wides(void)
{
    static const char ridge[] = "kernel-ridge:collapse=no";

    test_wide(70, 6, ridge, "anova:order=2");
    test_wide(70, 6, ridge, "anova-upto:order=3");
    test_wide(70, 6, ridge, "poly:degree=3,coef0=0.3");
    test_wide(70, 6, ridge, "all-subsets");
    test_wide(37, 37, ridge, "anova-upto:order=3");
    test_wide(19, 19, ridge, "poly:degree=4,coef0=0.3");
    test_wide(17, 17, ridge, "all-subsets");
    test_wide(37, 37, "hofm:task=regress,order=3,rank=3,sd=0.3,max-iter=2,lambda=signs", NULL);
}

/* A few columns have factors above 1.  A combination holds each of them once, so long combinations
 * weigh little, and the search ends soon although there are 2^40 combinations. */
static void test_few_large(void)
{
    enum { LARGE = 3, MANY = 40 };
    static double val[ROWS * MANY], y[ROWS];
    fx_matrix rows = {.rows = ROWS, .cols = MANY, .stride = MANY, .type = FX_F64, .val = val};
    fx_table t = {.rows = ROWS, .cols = MANY, .blocks = 1, .block = &rows, .label = y};
    fx_plan plan = {PLAN, .model = "kernel-ridge:collapse=no", .kernel = "all-subsets"};

    for (size_t i = 0; i < ROWS * MANY; i++)
        val[i] = i % MANY < LARGE ? 2 + test_unit() : 0.1 * test_unit();
    for (size_t i = 0; i < ROWS; i++)
        y[i] = test_unit();
    fx_model *m = fitted(&plan, &t, NULL);
    for (int important = 0; important <= 2; important += 2) {
        fx_explain_options q = {OPTIONS, .top = 9, .max_work = 1e10, .table = &t,
                                .importance = important};
        fx_explanation *e = explained(m, &q, 2);
        CHECK(e->n == 9 && e->exact && e->missed == 0);
        fx_explanation_free(e);
    }
    fx_model_free(m);
}

/* Planted pairs are the first ones, a planted triple whose pairs mean nothing too, also where all
 * triples are too many to be looked at. */
static void test_planted(const char *spec, const fx_plan *plan, size_t order, double effort)
{
    fx_data *d = made(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = fitted(plan, &t, NULL);
    const char *planted = fx_data_planted(d);
    size_t sets = 0;

    for (const char *p = planted; *p; p++)
        sets += *p == '\n';
    sets += *planted && planted[strlen(planted) - 1] != '\n';
    fx_explanation *e = explained(
        m, &(fx_explain_options){OPTIONS, .top = sets, .order = order, .max_work = effort}, 2);
    const fx_explanation *a = e;
    CHECK(sets && a->n == sets && (a->exact || effort > 0));
    for (const char *p = planted; *p;) {
        size_t column[8];
        fx_combination c = {.column = column};
        for (; *p && *p != '\n'; c.order++) {
            char *end;
            column[c.order] = strtoul(p, &end, 10) - 1;
            p = *end == ' ' ? end + 1 : end;
        }
        p += *p == '\n';
        CHECK(listed(a, &c));
    }
    fx_explanation_free(e);
    fx_model_free(m);
    fx_data_free(d);
}

static void rejected(fx_status expected, const fx_model *m, const fx_explain_options *q)
{
    fx_explanation *e = NULL;

    CHECK(fx_model_explain(&e, m, q, NULL) == expected && !e);
}

static void test_errors(void)
{
    fx_matrix rows = dense_rows(), two = rows;
    fx_table t = {.rows = N, .cols = COLS, .blocks = 1, .block = &rows, .label = target};
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "ridge"}, &t, NULL);
    static const fx_plan plans[] = {
        {PLAN, .model = "kernel-ridge", .kernel = "rbf:gamma=1"},
        {PLAN, .model = "ridge", .map = "rff", .kernel = "rbf:gamma=1", .features = 8},
        {PLAN, .model = "ridge", .map = "ts", .kernel = "poly:degree=2", .features = 8},
        {PLAN, .model = "ridge", .map = "rk:complex=yes", .kernel = "all-subsets", .features = 8},
        {PLAN, .model = "kernel-ridge", .kernel = "exp"},
        {PLAN, .model = "kernel-ridge", .kernel = "groups", .family = "a: 0 1\nb: 1 2\n"},
    };

    two.rows = 2;
    rejected(FX_EINVAL, NULL, &(fx_explain_options){OPTIONS});
    rejected(FX_EINVAL, m, &(fx_explain_options){0});     /* its size is not set */
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .output_from_1 = 2});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .output_from_1 = 1, .class_name = "1"});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .class_name = "1"});  /* of targets */
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .min_support = 1}); /* without rows */
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .all = 1});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .max_work = -1});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .importance = 1});    /* of what rows? */
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .importance = 3, .table = &t});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .importance = -1, .table = &t});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .table = &t, .visit = visit,
                                                 .visit_ctx = &t});     /* twice */
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .visit = none, .importance = 1});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .visit = odd});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .visit = fewer, .visit_ctx = &t});
    rejected(FX_ECANCELLED, m, &(fx_explain_options){OPTIONS, .visit = stopped});
    two.rows = 1;
    rejected(FX_EINVAL, m,
             &(fx_explain_options){OPTIONS, .importance = 2, .table = &t, .row = &two});
    two.rows = 2;
    rejected(FX_ESHAPE, m, &(fx_explain_options){OPTIONS, .row = &two});
    rejected(FX_EUNSUPPORTED, m, &(fx_explain_options){OPTIONS, .order = 99});
    CHECK(fx_model_explain(NULL, m, &(fx_explain_options){OPTIONS}, NULL) == FX_EINVAL);
    fx_explanation_free(NULL);
    fx_model_free(m);
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
        m = fitted(&plans[k], &t, NULL);
        rejected(FX_EUNSUPPORTED, m, &(fx_explain_options){OPTIONS});
        fx_model_free(m);
    }
}

/* Entries that the model does not know have no part in the answer. */
static void test_unseen(void)
{
    fx_matrix rows = dense_rows();
    fx_table t = {.rows = N, .cols = COLS, .blocks = 1, .block = &rows, .label = target};
    fx_model *m = fitted(&(fx_plan){PLAN, .model = "ridge", .map = "rk", .kernel = "anova:order=2",
                                    .scale = "unit-l2", .features = 16},
                         &t, NULL);
    static const double val[] = {1, 2, 3, 4};
    static const int32_t col[] = {0, 2, COLS - 1, COLS + 5};
    static const int64_t ptr[] = {0, 4};
    fx_matrix one = {.rows = 1, .cols = COLS + 6, .type = FX_F64, .val = val, .ptr = ptr,
                     .col = col};
    fx_explanation *e = explained(m, &(fx_explain_options){OPTIONS, .row = &one}, 1);
    const fx_explanation *a = e;

    CHECK(a->unseen == 2 && a->n == 1 && a->at[0].column[0] == 0 && a->at[0].column[1] == 2);
    CHECK_NEAR(a->at[0].contribution, a->at[0].weight * 2 / 5, 1e-12);
    CHECK_NEAR(a->rest, 0, 1e-5);
    fx_explanation_free(e);
    fx_model_free(m);
}

static size_t output_of(const fx_model *m, const fx_matrix *row, const char *name)
{
    fx_explanation *e = explained(
        m, &(fx_explain_options){OPTIONS, .top = 2, .row = row, .class_name = name}, 1);
    size_t output = e->output;

    fx_explanation_free(e);
    return output;
}

/* Of several classes the predicted one is explained, or the one that is named. */
static void test_classes(const fx_plan *plan)
{
    static const char *const name[] = {"a", "a/b", "b", "c"};
    static const size_t first[] = {0, 0, 0, 1, 1, 2}, second[] = {1, 2, 3, 2, 3, 3};
    double y[N], predicted, S[6], proba[4];
    size_t seen[4] = {0};
    fx_matrix rows = dense_rows(), one = {.rows = 1, .cols = COLS, .stride = COLS, .type = FX_F64};
    fx_table t = {.rows = N, .cols = COLS, .blocks = 1, .block = &rows, .label = y,
                  .class_name = name, .classes = 4};

    for (size_t i = 0; i < N; i++)
        y[i] = (double)(i % 4);
    fx_model *m = fitted(plan, &t, NULL);
    int pairs = fx_model_inspect(m)->pairs;
    for (size_t i = 0; i < N; i++) {
        one.val = X + i * COLS;
        CHECK(fx_model_predict(&predicted, NULL, m, FX_LABEL, &one, NULL) == FX_OK);
        CHECK(fx_model_predict(S, NULL, m, FX_SCORE, &one, NULL) == FX_OK);
        size_t p = (size_t)predicted, o = output_of(m, &one, NULL), rival = p ? 0 : 1;
        seen[p]++;
        if (!pairs) {
            CHECK(o == p);
            CHECK(output_of(m, &one, "c") == 3);
            continue;
        }
        CHECK(fx_model_predict(proba, NULL, m, FX_PROBA, &one, NULL) == FX_OK);
        for (size_t k = 0; k < 4; k++)
            rival = k != p && proba[k] > proba[rival] ? k : rival;
        CHECK((first[o] == p && second[o] == rival) || (first[o] == rival && second[o] == p));
        o = output_of(m, &one, "c");    /* against the best of the others */
        CHECK(second[o] == 3 && (p == 3 || first[o] == p));
        CHECK(output_of(m, &one, "a/a/b") == 0 && output_of(m, &one, "a/b/c") == 4);
    }
    CHECK(seen[1] && seen[2] + seen[3]);        /* not the first alone */
    if (pairs) {
        rejected(FX_EINVAL, m,
                 &(fx_explain_options){OPTIONS, .class_name = "c"}); /* no row: no rival */
        rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .class_name = "b/a"});
        CHECK(output_of(m, &one, "a/b") == 1);  /* a against b, not the class of that name */
    }
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .class_name = "d"});
    rejected(FX_EINVAL, m, &(fx_explain_options){OPTIONS, .class_name = ""});
    fx_model_free(m);
}

int main(void)
{
    test_init();
    make(COLS - 1);                     /* the last is never seen */
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        test_kind(&kinds[k], k % 3 == 0);
    test_wides();
    test_few_large();
    test_planted("pairs:n=1000,d=30,nz=8,k=3",
                 &(fx_plan){PLAN, .model = "kernel-svm:collapse=no", .kernel = "anova:order=2"}, 2,
                 0);
    test_planted("parity:n=400,d=12,k=3",
                 &(fx_plan){PLAN, .model = "ridge", .map = "rk", .kernel = "anova:order=3",
                            .features = 512, .seed = 1},
                 3, 0);
    test_planted("parity:n=600,d=30,k=3",
                 &(fx_plan){PLAN, .model = "hofm:order=3,rank=4,sd=0.3,max-iter=30"}, 3, 5e3);
    test_errors();
    test_unseen();
    test_classes(&(fx_plan){PLAN, .model = "svm-l2"});
    test_classes(&(fx_plan){PLAN, .model = "fm:task=classify,rank=2,max-iter=5"});
    test_classes(&(fx_plan){PLAN, .model = "kernel-svm:calibrate=yes", .kernel = "anova:order=2"});
    CHECK(visits > 1000 && refused > 0 && 8 * refused < visits);
    return 0;
}
