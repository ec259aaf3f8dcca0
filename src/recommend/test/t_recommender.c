/* SPDX-License-Identifier: BSD-3-Clause
 * t_recommender.c - the best items of each user against a sorted list of all products in
 * doubles, bit for bit: ties, seen items, large and tiny numbers, absent numbers, any threads.
 * Covers: best.c, best_hot.c */

#include "model/test/built.h"
#include "recommend/recommend.h"

enum { RANK = 5, FIRST = 6, SECOND = 7, COLS = FIRST + SECOND };

/* A factorization machine with given numbers: shared is its constant, sizes those of factors. */
static fx_model *machine(double shared, double size)
{
    enum { ROWS = 30 };
    static double x[ROWS][COLS], y[ROWS];
    const fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    const fx_table t = {.rows = ROWS, .cols = COLS, .blocks = 1, .block = &X, .label = y};
    char spec[120];
    fx_model *m = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            x[i][j] = (double)test_below(3);
        y[i] = shared + size * test_unit();
    }
    snprintf(spec, sizeof spec, "fm:rank=%d,sd=0.7,max-iter=3,task=regress", RANK);
    const fx_plan plan = {PLAN, .model = spec, .missing = "drop", .split = FIRST,
                          .seed = test_u64()};
    CHECK(!FX_FAILED(fx_model_fit(&m, &plan, &t, NULL)));
    return m;
}

static void draw(double *x, size_t rows, fx_side side, double size, size_t values)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < COLS; j++)
            x[i * COLS + j] = (j < FIRST) != (side == FX_FIRST) ? 0
                              : values                          ? (double)test_below(values)
                                                                : size * (test_unit() - 0.5);
}

static fx_matrix rows_of(const double *x, size_t rows)
{
    return (fx_matrix){.rows = rows, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
}

typedef struct scored {
    double score;
    size_t item;
} scored;

static int better(const void *a, const void *b)
{
    const scored *x = a, *y = b;

    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->item > y->item) - (x->item < y->item);
}

/* Of one user, in all ways that the definition has. */
static void check_user(const size_t *item, const double *score, const double *u, const double *V,
                       size_t w, size_t items, size_t k, const size_t *seen, size_t seens)
{
    scored *all = calloc(items + 1, sizeof *all);
    size_t n = 0;

    for (size_t i = 0, s = 0; i < items; i++) {
        double sum = 0;
        for (size_t q = 0; q < w; q++)
            sum += u[q] * V[i * w + q];
        if (s < seens && seen[s] == i)
            s++;
        else if (!isnan(sum))
            all[n++] = (scored){sum, i};
    }
    qsort(all, n, sizeof *all, better);
    for (size_t i = 0; i < k; i++)
        if (i < n)
            CHECK(item[i] == all[i].item && score[i] == all[i].score);
        else
            CHECK(item[i] == SIZE_MAX && isnan(score[i]));
    free(all);
}

static bool near_ties;                  /* items differ by less than floats tell apart */

static void once(size_t users, size_t items, size_t k, double shared, double size, size_t values,
                 double share_seen)
{
    fx_model *m = machine(shared, size);
    double *a = calloc(users * COLS + 1, sizeof *a), *b = calloc(items * COLS + 1, sizeof *b);
    size_t *from = calloc(users + 1, sizeof *from), *seen = calloc(users * items + 1, sizeof *seen);
    size_t *item = calloc(users * k + 1, sizeof *item),
           *item3 = calloc(users * k + 1, sizeof *item), w;
    double *score = calloc(users * k + 1, sizeof *score),
           *score3 = calloc(users * k + 1, sizeof *score);
    fx_recommender *r = NULL;

    draw(a, users, FX_FIRST, size, values);
    draw(b, items, FX_SECOND, size, values);
    for (size_t i = 1; i < items && near_ties; i++)
        for (size_t j = FIRST; j < COLS; j++)
            b[i * COLS + j] = b[j] + 1e-11 * b[i * COLS + j];
    if (users > 3 && items > 3)
        a[3 * COLS + 1] = b[2 * COLS + FIRST] = NAN;
    for (size_t i = 0; i < users; i++) {
        from[i + 1] = from[i];
        for (size_t j = 0; j < items; j++)
            if (test_unit() < share_seen)
                seen[from[i + 1]++] = j;
    }
    const fx_matrix A = rows_of(a, users), B = rows_of(b, items);
    CHECK(fx_model_vectors_width(&w, m, NULL) == FX_OK);
    double *U = calloc(users * w + 1, sizeof *U), *V = calloc(items * w + 1, sizeof *V);
    CHECK(fx_model_vectors(U, NULL, m, FX_FIRST, 0, &A, NULL) == FX_OK);
    CHECK(fx_model_vectors(V, NULL, m, FX_SECOND, 0, &B, NULL) == FX_OK);
    CHECK(fx_model_recommender_new(&r, m, 0, &B, &(fx_run){RUN, .threads = 3}) == FX_OK);
    fx_model_free(m);                   /* it keeps the model */
    CHECK(fx_model_recommender_best(item, score, NULL, r, &A, k, share_seen > 0 ? from : NULL, seen,
                                    NULL)
          == FX_OK);
    (void)test_helped();
    CHECK(fx_model_recommender_best(item3, score3, NULL, r, &A, k, share_seen > 0 ? from : NULL,
                                    seen, &(fx_run){RUN, .threads = 3})
          == FX_OK);
    CHECK(users <= 32 || test_helped());
    CHECK(!memcmp(item, item3, users * k * sizeof *item)
          && !memcmp(score, score3, users * k * sizeof *score));
    for (size_t i = 0; i < users; i++)
        check_user(item + i * k, score + i * k, U + i * w, V, w, items, k, seen + from[i],
                   share_seen > 0 ? from[i + 1] - from[i] : 0);
    fx_model_recommender_free(r);
    free(a);
    free(b);
    free(from);
    free(seen);
    free(item);
    free(item3);
    free(score);
    free(score3);
    free(U);
    free(V);
}

static void check_refused(void)
{
    static double x[2 * COLS];
    size_t item[4] = {7, 7, 7, 7};
    double score[4];
    fx_model *m = machine(0, 1);
    fx_recommender *r = NULL;
    const fx_matrix none = rows_of(x, 2);
    fx_matrix wrong = none;
    uint64_t unseen = 0;
    const fx_matrix odd = {.rows = 1, .cols = COLS + 1, .type = FX_F64, .val = (double[]){1, 1},
                           .ptr = (int64_t[]){0, 2}, .col = (int32_t[]){0, COLS}};

    x[COLS] = 1;                        /* a user's column */
    CHECK(fx_model_recommender_new(&r, m, 0, &none, NULL) == FX_EINVAL
          && strstr(fx_error_detail(), "of the first side") && !r);
    CHECK(fx_model_recommender_new(&r, m, 1, &none, NULL) == FX_EINVAL);
    CHECK(fx_model_recommender_new(NULL, m, 0, &none, NULL) == FX_EINVAL);
    CHECK(fx_model_recommender_new(&r, NULL, 0, &none, NULL) == FX_EINVAL);
    CHECK(fx_model_recommender_new(&r, m, 0, NULL, NULL) == FX_EINVAL);
    x[COLS] = 0;
    CHECK(fx_model_recommender_new(&r, m, 0, &none, &(fx_run){RUN, .max_memory = 10}) == FX_ELIMIT);
    CHECK(fx_model_recommender_new(&r, m, 0, &none, NULL) == FX_OK);
    CHECK(fx_model_recommender_best(item, score, &unseen, r, &odd, 2, NULL, NULL, NULL) == FX_OK
          && unseen == 1);
    CHECK(item[0] == 0 && item[1] == 1 && score[0] == score[1]);
    CHECK(fx_model_recommender_best(item, score, NULL, r, &none, 0, NULL, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_recommender_best(NULL, score, NULL, r, &none, 2, NULL, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_recommender_best(item, NULL, NULL, r, &none, 2, NULL, NULL, NULL) == FX_EINVAL);
    CHECK(fx_model_recommender_best(item, score, NULL, NULL, &none, 2, NULL, NULL, NULL)
          == FX_EINVAL);
    CHECK(fx_model_recommender_best(item, score, NULL, r, NULL, 2, NULL, NULL, NULL) == FX_EINVAL);
    const size_t from[3] = {0, 2, 2}, falls[2] = {1, 0}, backwards[3] = {0, 2, 1};
    CHECK(fx_model_recommender_best(item, score, NULL, r, &none, 2, from, falls, NULL) == FX_EINVAL
          && strstr(fx_error_detail(), "not ascending"));
    CHECK(fx_model_recommender_best(item, score, NULL, r, &none, 2, backwards, falls, NULL)
          == FX_EINVAL);
    CHECK(fx_model_recommender_best(item, score, NULL, r, &none, 2, from, NULL, NULL) == FX_EINVAL);
    wrong.cols = wrong.stride = COLS - 1;
    CHECK(fx_model_recommender_best(item, score, NULL, r, &wrong, 2, NULL, NULL, NULL)
          == FX_ESHAPE);
    fx_model_recommender_free(r);
    fx_model_recommender_free(NULL);
    fx_model_free(m);
}

static int stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 2;
}

static void check_cancelled(void)
{
    enum { N = 4000 };
    fx_model *m = machine(0, 1);
    double *b = calloc((size_t)N * COLS, sizeof *b), *score = calloc((size_t)N * 5, sizeof *score);
    size_t *item = calloc((size_t)N * 5, sizeof *item);
    fx_recommender *r = NULL;
    int calls = 0;

    draw(b, N, FX_SECOND, 1, 0);
    const fx_matrix B = rows_of(b, N);
    CHECK(fx_model_recommender_new(&r, m, 0, &B, NULL) == FX_OK);
    draw(b, N, FX_FIRST, 1, 0);
    calls = 2;
    CHECK(fx_model_recommender_best(item, score, NULL, r, &B, 5, NULL, NULL,
                                    &(fx_run){RUN, .progress = stop, .ctx = &calls})
          == FX_ECANCELLED);
    fx_model_recommender_free(r);
    fx_model_free(m);
    free(b);
    free(item);
    free(score);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(3); i++) {
        once(1, 1, 1, 0, 1, 0, 0);
        once(70, 333, 10, 0, 1, 0, 0);
        once(9, 5000, 3, 0, 1, 0, 0);           /* several chunks */
        once(40, 100, 7, 0, 1, 2, 0.3);         /* ties */
        once(33, 20, 50, 0, 1, 0, 0.5);         /* fewer than k */
        once(50, 300, 10, 1e9, 1, 0, 0.1);      /* a large constant */
        once(50, 300, 10, 0, 1e60, 0, 0.1);     /* beyond floats */
        once(50, 300, 10, 0, 1e-60, 0, 0);      /* below them */
        near_ties = true;
        once(50, 300, 10, 0, 1, 0, 0);
        near_ties = false;
        once(5, 0, 2, 0, 1, 0, 0);
        once(0, 5, 2, 0, 1, 0, 0);
    }
    check_refused();
    check_cancelled();
    return 0;
}
