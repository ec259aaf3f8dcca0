/* SPDX-License-Identifier: BSD-3-Clause
 * b_scorer.c - one thread: microseconds a row by fx_model_predict one row at a time, by a scorer
 * one row at a time, and by a scorer for many rows.  Minimum of repeats. */

#include "base/test.h"
#include "featcross.h"

#include <string.h>
#include <time.h>

enum { ROWS = 2048, RUNS = 15 };

static const fx_run one = {RUN, .threads = 1};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fx_matrix row_of(const fx_matrix *X, size_t i)
{
    fx_matrix r = *X;

    r.rows = 1;
    if (X->ptr)
        r.ptr += i;
    else
        r.val = (const double *)X->val + i * X->stride;
    return r;
}

static void measure(const char *name, const fx_plan *plan, const fx_table *t)
{
    const fx_matrix *X = t->block;
    size_t few = X->rows < 256 ? X->rows : 256;
    double out[ROWS], best[3] = {1e9, 1e9, 1e9};
    fx_model *m = NULL;
    fx_scorer *s = NULL;

    if (fx_model_fit(&m, plan, t, &one) < 0 || fx_scorer_new(&s, m, &one)) {
        fprintf(stderr, "%s: %s\n", name, fx_error_detail());
        exit(1);
    }
    for (int run = 0; run < RUNS; run++)
        for (int what = 0; what < 3; what++) {
            fx_status st = FX_OK;
            size_t n = what == 2 ? X->rows : few;
            double start = now();
            if (what == 2)
                st = fx_scorer_predict(out, NULL, s, FX_SCORE, X, &one);
            for (size_t i = 0; i < few && what < 2 && !st; i++) {
                fx_matrix r = row_of(X, i);
                st = what ? fx_scorer_predict(out + i, NULL, s, FX_SCORE, &r, &one)
                          : fx_model_predict(out + i, NULL, m, FX_SCORE, &r, &one);
            }
            if (st)
                exit(1);
            best[what] = fmin(best[what], (now() - start) * 1e6 / (double)n);
        }
    printf("%-36s %10.3f %10.3f %10.3f %8.2f\n", name, best[0], best[1], best[2],
           best[1] / best[2]);
    fx_scorer_free(s);
    fx_model_free(m);
}

/* Rows of d columns, dense or with `each` entries, and labels +1, -1 by the sign of a sum. */
static fx_table rows_of(fx_matrix *X, size_t n, size_t d, size_t each)
{
    double *val = calloc(n * (each ? each : d), sizeof *val), *label = calloc(n, sizeof *label);
    int64_t *ptr = calloc(n + 1, sizeof *ptr);
    int32_t *col = calloc(n * each + 1, sizeof *col);

    if (!val || !label || !ptr || !col)
        exit(1);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t q = 0; q < (each ? each : d); q++) {
            double v = test_unit() - 0.5;
            size_t at = i * (each ? each : d) + q;
            val[at] = v;
            sum += q % 2 ? v : -v;
            if (each)
                col[at] = (int32_t)(q * (d / each) + test_below(d / each));
        }
        ptr[i + 1] = (int64_t)((i + 1) * each);
        label[i] = sum > 0 ? 1 : -1;
    }
    *X = (fx_matrix){.rows = n, .cols = d, .stride = d, .type = FX_F64, .val = val};
    if (each) {
        X->ptr = ptr;
        X->col = col;
    }
    return (fx_table){.rows = n, .cols = d, .blocks = 1, .block = X, .label = label};
}

int main(void)
{
    fx_matrix A, B, C;
    fx_table wide = rows_of(&A, ROWS, 100, 0), sparse = rows_of(&B, ROWS, 3000, 30);
    fx_table small = rows_of(&C, 600, 20, 0);

    test_init();
    printf("%-36s %10s %10s %10s %8s\n", "us a row, one thread", "predict 1", "scorer 1", "many",
           "1/many");
    fx_plan plan = {PLAN, .model = "logistic:max-iter=3", .map = "rk:projection=hadamard",
                    .kernel = "anova:order=2", .features = 8192, .seed = 1};
    measure("linear, 8192 Hadamard features of 100", &plan, &wide);
    plan = (fx_plan){PLAN, .model = "fm:rank=30,max-iter=2", .seed = 1};
    measure("fm of rank 30, 30 entries", &plan, &sparse);
    plan.model = "logistic:max-iter=3";
    measure("linear, 30 entries", &plan, &sparse);
    measure("linear, 100 columns", &plan, &wide);
    plan.scale = "std";
    measure("linear, 100 columns, scaled", &plan, &wide);
    plan = (fx_plan){PLAN, .model = "kernel-svm:max-iter=100000", .kernel = "rbf:gamma=0.5"};
    measure("kernel-svm, rbf, dense", &plan, &small);
    measure("kernel-svm, rbf, 30 entries", &plan, &sparse);
    return 0;
}
