/* SPDX-License-Identifier: BSD-3-Clause
 * b_scorer.c - one thread: microseconds a row by fx_model_predict one row at a time, by a scorer
 * one row at a time, and by a scorer for many rows, of which it also says how many in a second, for
 * each kind of model; then microseconds of processor time a row of two threads inside one scorer,
 * one row at a time, beside one thread: more of it would be time that they wait for each other.
 * Minimum of repeats. */

#include "base/test.h"
#include "featcross.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { ROWS = 2048, RUNS = 15, COMPONENTS = 10 };

static const fx_run one = {RUN, .threads = 1};

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return seconds(CLOCK_MONOTONIC); }

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
    static double out[ROWS * COMPONENTS];
    double best[3] = {1e9, 1e9, 1e9};
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
                double *to = out + i * fx_model_width(m, FX_SCORE);
                st = what ? fx_scorer_predict(to, NULL, s, FX_SCORE, &r, &one)
                          : fx_model_predict(to, NULL, m, FX_SCORE, &r, &one);
            }
            if (st)
                exit(1);
            best[what] = fmin(best[what], (now() - start) * 1e6 / (double)n);
        }
    printf("%-44s %10.2f %10.2f %10.3f %8.2f %10.0f\n", name, best[0], best[1], best[2],
           best[1] / best[2], 1e6 / best[2]);
    fx_scorer_free(s);
    fx_model_free(m);
}

/* ---- Threads in one scorer ---------------------------------------------------------------- */
typedef struct asking {
    const fx_scorer *s;
    const fx_matrix *X;
} asking;

static void *ask(void *ctx)
{
    const asking *a = ctx;
    double out;

    for (size_t k = 0; k < 16; k++)
        for (size_t i = 0; i < a->X->rows; i++) {
            fx_matrix r = row_of(a->X, i);
            if (fx_scorer_predict(&out, NULL, a->s, FX_SCORE, &r, &one))
                exit(1);
        }
    return NULL;
}

static void measure_threads(const char *name, const fx_plan *plan, const fx_table *t)
{
    double best[2] = {1e9, 1e9};
    fx_model *m = NULL;
    fx_scorer *s = NULL;
    asking a = {.X = t->block};

    if (fx_model_fit(&m, plan, t, &one) < 0 || fx_scorer_new(&s, m, &one))
        exit(1);
    a.s = s;
    for (int run = 0; run < RUNS; run++)
        for (int threads = 1; threads <= 2; threads++) {
            pthread_t other;
            double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
            if (threads == 2 && pthread_create(&other, NULL, ask, &a))
                exit(1);
            ask(&a);
            if (threads == 2)
                pthread_join(other, NULL);
            double spent = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
            best[threads - 1] = fmin(best[threads - 1],
                                     1e6 * spent / (16 * (double)t->rows * threads));
        }
    printf("%-44s %10.2f %10.2f %8.2f\n", name, best[0], best[1], best[1] / best[0]);
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
    printf("%-44s %10s %10s %10s %8s %10s\n", "us a row, one thread", "predict 1", "scorer 1",
           "many", "1/many", "rows/s");
    fx_plan plan = {PLAN, .model = "logistic:max-iter=3", .map = "rk:projection=hadamard",
                    .kernel = "anova:order=2", .features = 8192, .seed = 1};
    measure("linear, 8192 Hadamard features of 100", &plan, &wide);
    plan.map = "rk:complex=yes,projection=hadamard";
    measure("the same, complex", &plan, &wide);
    plan = (fx_plan){PLAN, .model = "logistic:max-iter=3"};
    measure("linear, 30 entries", &plan, &sparse);
    measure("linear, 100 columns", &plan, &wide);
    plan.scale = "std";
    measure("linear, 100 columns, scaled", &plan, &wide);
    plan = (fx_plan){PLAN, .model = "perceptron:max-iter=1"};
    measure("perceptron, 30 entries", &plan, &sparse);
    plan.model = "pca:k=10";
    measure("pca, 10 components, 100 columns", &plan, &wide);
    static const char *const factors[] = {
        "fm:rank=30,max-iter=2", "hofm:order=3,rank=30,max-iter=2",
        "hofm-shared:order=3,rank=30,max-iter=2", "hofm-simplex:order=3,rank=30,max-iter=2",
        "all-subsets:rank=30,max-iter=2", "poly-net:rank=30,max-iter=2",
        "poly-net-uv:rank=30,max-iter=2", "bilinear:split=1500,rank=30,max-iter=2"};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s of rank 30, 30 entries", (int)strcspn(factors[k], ":"),
                 factors[k]);
        plan = (fx_plan){PLAN, .model = factors[k], .seed = 1};
        measure(name, &plan, &sparse);
    }
    plan = (fx_plan){PLAN, .model = "kernel-svm:max-iter=100000", .kernel = "rbf:gamma=0.5"};
    measure("kernel-svm, rbf, 600 rows of 20", &plan, &small);
    measure("kernel-svm, rbf, 2048 rows of 30 entries", &plan, &sparse);
    plan.kernel = "anova:order=2";
    measure("kernel-svm, anova, 600 rows of 20, collapsed", &plan, &small);
    plan.model = "kernel-perceptron:max-iter=1";
    plan.kernel = "rbf:gamma=0.5";
    measure("kernel-perceptron, rbf, 600 rows of 20", &plan, &small);
    plan.model = "kernel-pca:k=10";
    measure("kernel-pca, rbf, 600 rows of 20", &plan, &small);

    printf("\n%-44s %10s %10s %8s\n", "us of processor time a row, one at a time", "1 thread",
           "2 threads", "2/1");
    plan = (fx_plan){PLAN, .model = "logistic:max-iter=3"};
    measure_threads("linear, 30 entries", &plan, &sparse);
    plan.model = "fm:rank=30,max-iter=2";
    measure_threads("fm of rank 30, 30 entries", &plan, &sparse);
    return 0;
}
