/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel_perceptron.c - with the linear kernel it is the perceptron, step for step; with a budget
 * it is its definition, written out slowly.  Numbers are small integers: every sum is exact. */

#include "fit/test/fitting.h"

enum { N = 300, COLS = 9 };

static double X[N * COLS], y[N], c[N];

typedef struct state { fxi_perceptron s; double w[N], sum[N]; int64_t age[N]; } state;

static void make(void)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < COLS; j++)
            X[i * COLS + j] = (double)test_below(5) - 2;
        y[i] = X[i * COLS] + X[i * COLS + 1] * X[i * COLS + 2] > 0 ? 1 : -1;
        c[i] = (double)test_below(4);   /* 0: absent */
    }
}

static void zero(state *t)
{
    memset(t, 0, sizeof *t);
    t->s.w = t->w, t->s.sum = t->sum, t->s.age = t->age;
}

static fx_kernel *kernel(const char *spec)
{
    fx_kernel *k;

    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
    return k;
}

static double K[N * N];                 /* of test_definition */

/* Over rows [first, end). */
static void pass(state *t, const fx_kernel *k, size_t first, size_t end, fxi_intercept intercept,
                 size_t budget, int threads)
{
    bool given = fxi_kernel_is_precomputed(k);
    fx_matrix form = given ? fitting_dense(K, N, N) : fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&form, NULL, 0);
    double weight[N];
    fxi_problem p = fitting_problem(&z, &fxi_loss_hinge, y, weight, intercept, 0);

    for (size_t i = 0; i < N; i++)
        weight[i] = i < end ? c[i] : 0;
    p.kernel = k;
    CHECK(fxi_fit_kernel_perceptron(&t->s, &p, first, budget, &(fx_run){RUN, .threads = threads})
          == FX_OK);
}

/* Mistakes are counted in each pass, and sum tells at which steps they were made. */
static void test_linear(fxi_intercept intercept)
{
    static state t, half;
    fx_kernel *k = kernel("linear");
    double w[2][COLS] = {{0}}, mean[COLS], beta[N], b, kernel_b;
    fxi_perceptron s = {.w = w[0], .sum = w[1]};
    fx_matrix form = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&form, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_hinge, y, c, intercept, 0);

    zero(&t);
    zero(&half);
    for (int k5 = 0; k5 < 5; k5++) {
        CHECK(fxi_fit_perceptron(&s, &p, NULL) == FX_OK);
        pass(&t, k, 0, N, intercept, 0, 1 + k5 % 3);
        pass(&half, k, 0, 100, intercept, 0, 1);        /* the same pass in two pieces */
        uint64_t mistakes = half.s.mistakes;
        pass(&half, k, 100, N, intercept, 0, 1);
        CHECK(t.s.mistakes == s.mistakes && mistakes + half.s.mistakes == s.mistakes);
        CHECK(t.s.steps == s.steps && t.s.b == s.b && t.s.sum_b == s.sum_b);
        CHECK(memcmp(t.w, half.w, sizeof t.w) == 0 && memcmp(t.sum, half.sum, sizeof t.sum) == 0);
        CHECK(memcmp(t.age, half.age, sizeof t.age) == 0);
        fxi_fit_perceptron_mean(mean, &b, &s, COLS);
        fxi_fit_perceptron_mean(beta, &kernel_b, &t.s, N);
        CHECK(b == kernel_b);
        for (size_t j = 0; j < COLS; j++) {
            double now = 0, sum = 0, average = 0, size = 0;
            for (size_t i = 0; i < N; i++) {
                now += t.w[i] * X[i * COLS + j];
                sum += t.sum[i] * X[i * COLS + j];
                average += beta[i] * X[i * COLS + j];
                size += fabs(beta[i] * X[i * COLS + j]);
            }
            CHECK(now == s.w[j] && sum == s.sum[j]);
            CHECK_NEAR(average, mean[j], 1e-13 * (1 + size));
        }
    }
    fx_kernel_free(k);
}

/* The definition, one row at a time; the kernel itself, and its values given. */
static void twin(state *t, fxi_intercept intercept, size_t budget)
{
    t->s.mistakes = 0;
    for (size_t i = 0; i < N; i++) {
        double f = t->s.b, u = c[i] * y[i];
        size_t kept = 0, oldest = N;
        if (c[i] == 0)
            continue;
        t->s.steps++;
        for (size_t l = 0; l < N; l++)
            f += t->w[l] * K[l * N + i];
        if (y[i] * f > 0)
            continue;
        t->s.mistakes++;
        t->w[i] += u;
        t->sum[i] += (double)(t->s.steps - 1) * u;
        t->age[i] = (int64_t)t->s.steps;
        t->s.b += intercept == FXI_NONE ? 0 : u;
        t->s.sum_b += intercept == FXI_NONE ? 0 : (double)(t->s.steps - 1) * u;
        for (size_t l = 0; l < N; l++)
            if (t->w[l] != 0) {
                kept++;
                oldest = oldest == N || t->age[l] < t->age[oldest] ? l : oldest;
            }
        if (budget && kept > budget) {
            t->w[oldest] = t->sum[oldest] = 0;
            t->age[oldest] = 0;
        }
    }
}

static void test_definition(const char *spec, fxi_intercept intercept, size_t budget)
{
    static state t, want, three;
    fx_kernel *k = kernel(spec), *given = kernel("precomputed:serial=no");
    fx_matrix form = fitting_dense(X, N, COLS);

    CHECK(fx_kernel_gram(K, N, k, &form, NULL, NULL) == FX_OK);
    zero(&t);
    zero(&three);
    zero(&want);
    for (int times = 0; times < 4; times++) {
        size_t now = times == 3 && budget > 3 ? budget - 2 : budget;    /* a smaller one later */
        size_t kept = 0;
        if (now < budget) {             /* what is too much goes at once */
            for (size_t l = 0; l < N; l++)
                kept += t.w[l] != 0;
            for (; kept > now; kept--) {
                size_t oldest = N;
                for (size_t l = 0; l < N; l++)
                    if (want.w[l] != 0 && (oldest == N || want.age[l] < want.age[oldest]))
                        oldest = l;
                want.w[oldest] = want.sum[oldest] = 0;
                want.age[oldest] = 0;
            }
        }
        pass(&t, k, 0, N, intercept, now, 1);
        pass(&three, given, 0, N, intercept, now, 3);
        twin(&want, intercept, now);
        CHECK(t.s.mistakes == want.s.mistakes && t.s.steps == want.s.steps);
        CHECK(t.s.b == want.s.b && t.s.sum_b == want.s.sum_b);
        for (size_t i = 0, used = 0; i < N; i++) {
            CHECK(t.w[i] == want.w[i] && t.sum[i] == want.sum[i] && t.age[i] == want.age[i]);
            CHECK(three.w[i] == t.w[i] && three.sum[i] == t.sum[i]);
            used += t.w[i] != 0;
            CHECK(!now || used <= now);
        }
    }
    fx_kernel_free(k);
    fx_kernel_free(given);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static const size_t budgets[] = {0, 1, 2, 7, 40, 127, 128, 200};
    static state t;

    test_init();
    for (int times = 0; times < test_cases(2); times++) {
        make();
        test_linear(FXI_FREE);
        test_linear(FXI_NONE);
        for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
            test_definition("anova:order=2", FXI_FREE, budgets[k]);
            test_definition("poly:degree=2,coef0=1,gamma=1", FXI_NONE, budgets[k]);
        }
    }
    fx_kernel *k = kernel("linear");
    fx_matrix form = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&form, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_hinge, y, c, FXI_FREE, 0);
    p.kernel = k;
    zero(&t);
    CHECK(fxi_fit_kernel_perceptron(&t.s, &p, 0, 0, &(fx_run){RUN, .progress = stop})
          == FX_ECANCELLED);
    zero(&t);
    CHECK(fxi_fit_kernel_perceptron(&t.s, &p, N, 0, NULL) == FX_OK && t.s.steps == 0); /* no row */
    fxi_fit_perceptron_mean(t.sum, &t.s.sum_b, &t.s, 0);
    fx_kernel_free(k);
    return 0;
}
