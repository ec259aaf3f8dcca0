/* SPDX-License-Identifier: BSD-3-Clause
 * b_fold_in.c - new users by fx_model_fold_in, on one thread: milliseconds for one of 50 ratings in
 * models of 943 users and 1,682 items (as MovieLens 100K) and of ten times as many; and for each of
 * 1,000 in one call.  rank 30; minimum of repeats. */

#include "base/test.h"
#include "featcross.h"

#include <time.h>

enum { USERS = 943, ITEMS = 1682, RATINGS = 50, MANY = 1000, RUNS = 20 };

static const fx_run one = {RUN, .threads = 1};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Ratings of users first .. first + users - 1, each of RATINGS items.  Columns: known users, items,
 * then users beyond the known ones. */
static fx_data *ratings(size_t known, size_t items, size_t first, size_t users)
{
    size_t n = users * RATINGS, cols = items + (first + users > known ? first + users : known);
    double *val = malloc(2 * n * sizeof *val), *label = malloc(n * sizeof *label);
    int64_t *ptr = malloc((n + 1) * sizeof *ptr);
    int32_t *col = malloc(2 * n * sizeof *col);
    fx_matrix X = {.rows = n, .cols = cols, .type = FX_F64, .ptr = ptr, .col = col, .val = val};
    fx_table t = {.rows = n, .cols = cols, .blocks = 1, .block = &X, .label = label};
    fx_data *d;

    if (!val || !label || !ptr || !col)
        exit(1);
    for (size_t i = 0; i < n; i++) {
        size_t u = first + i / RATINGS, item = known + test_below(items);
        size_t user = u < known ? u : items + u;
        col[2 * i] = (int32_t)(user < item ? user : item);
        col[2 * i + 1] = (int32_t)(user < item ? item : user);
        val[2 * i] = val[2 * i + 1] = 1;
        ptr[i] = (int64_t)(2 * i);
        label[i] = (double)test_below(2);
    }
    ptr[n] = (int64_t)(2 * n);
    if (fx_data_select(&d, &t, NULL, 0, NULL))
        exit(1);
    free(val);
    free(label);
    free(ptr);
    free(col);
    return d;
}

static double measure(const fx_model *m, const fx_data *d, size_t users)
{
    fx_table t = fx_data_table(d);
    double best = 1e9;

    for (int run = 0; run < RUNS; run++) {
        fx_model *next = NULL;
        double start = now();
        if (fx_model_fold_in(&next, m, &t, &one)) {
            fprintf(stderr, "%s\n", fx_error_detail());
            exit(1);
        }
        best = fmin(best, (now() - start) / (double)users);
        fx_model_free(next);
    }
    return best;
}

static void compare(const char *spec, size_t times)
{
    size_t users = times * USERS, items = times * ITEMS;
    fx_data *all = ratings(users, items, 0, users), *first = ratings(users, items, users, 1);
    fx_data *many = ratings(users, items, users, MANY);
    fx_table t = fx_data_table(all);
    fx_plan plan = {PLAN, .model = spec, .seed = 1};
    fx_model *m = NULL;

    if (fx_model_fit(&m, &plan, &t, &one) < 0)
        exit(1);
    printf("%-44s %8zu %10.3f %10.3f\n", spec, t.cols, measure(m, first, 1),
           measure(m, many, MANY));
    fx_model_free(m);
    fx_data_free(all);
    fx_data_free(first);
    fx_data_free(many);
}

int main(void)
{
    test_init();
    printf("%-44s %8s %10s %10s\n", "ms for a user of 50 ratings, one thread", "columns", "one",
           "of 1000");
    compare("fm:task=regress,rank=30,max-iter=2", 1);
    compare("fm:task=regress,rank=30,max-iter=2", 10);
    compare("fm:rank=30,loss=logistic,max-iter=2", 1);
    compare("hofm:task=regress,order=3,rank=30,max-iter=2", 1);
    return 0;
}
