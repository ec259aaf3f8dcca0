/* SPDX-License-Identifier: BSD-3-Clause
 * t_perceptron.c - the perceptron against its definition, dense and sparse; 5 and 5 passes are 10;
 * features stored or made when visited give the same bits. */

#include "fit/test/fitting.h"

enum { N = 83, COLS = 21 };

static double X[N * COLS], y[N], c[N];

static void make(void)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < COLS; j++)       /* small integers: every sum below is exact */
            X[i * COLS + j] = (double)test_below(7) - 3;
        y[i] = test_below(2) ? 1 : -1;
        c[i] = (double)test_below(4);           /* 0: absent */
    }
}

static void pass(fxi_perceptron *s, const fxi_source *z, fxi_intercept intercept, int times,
                 const fx_run *run)
{
    fxi_problem p = fitting_problem(z, &fxi_loss_hinge, y, c, intercept, 0);

    for (int k = 0; k < times; k++)
        CHECK(fxi_fit_perceptron(s, &p, run) == FX_OK);
}

/* w after every step, and their sum, as the definition has it. */
static void twin(double *w, double *mean, uint64_t *mistakes, fxi_intercept intercept, int passes)
{
    double sum[COLS + 1] = {0}, steps = 0;

    memset(w, 0, (COLS + 1) * sizeof *w);
    for (int k = 0; k < passes; k++) {
        *mistakes = 0;
        for (size_t i = 0; i < N; i++) {
            double f = w[COLS];
            if (c[i] == 0)
                continue;
            for (size_t j = 0; j < COLS; j++)
                f += w[j] * X[i * COLS + j];
            if (y[i] * f <= 0) {
                ++*mistakes;
                for (size_t j = 0; j < COLS; j++)
                    w[j] += c[i] * y[i] * X[i * COLS + j];
                w[COLS] += intercept == FXI_NONE ? 0 : c[i] * y[i];
            }
            for (size_t j = 0; j <= COLS; j++)
                sum[j] += w[j];
            steps++;
        }
    }
    for (size_t j = 0; j <= COLS; j++)
        mean[j] = sum[j] / steps;
}

static void test_definition(fxi_intercept intercept)
{
    static float val[N * COLS];
    static int32_t col[N * COLS];
    static int64_t ptr[N + 1];
    fx_matrix form[2] = {fitting_dense(X, N, COLS)};
    double w[COLS + 1], mean[COLS + 1];
    size_t n = 0;
    uint64_t mistakes;

    for (size_t i = 0; i < N; i++, ptr[i] = (int64_t)n)
        for (size_t j = 0; j < COLS; j++)
            if (X[i * COLS + j] != 0) {
                val[n] = (float)X[i * COLS + j];
                col[n++] = (int32_t)j;
            }
    form[1] = form[0];
    form[1].type = FX_F32, form[1].val = val, form[1].ptr = ptr, form[1].col = col;
    twin(w, mean, &mistakes, intercept, 7);
    for (int f = 0; f < 2; f++) {
        fxi_source z = fitting_source(&form[f], NULL, 0);
        double state[2][COLS] = {{0}}, m[COLS], b;
        fxi_perceptron s = {.w = state[0], .sum = state[1]};
        pass(&s, &z, intercept, 7, NULL);
        CHECK(s.mistakes == mistakes && s.b == w[COLS]);
        fxi_fit_perceptron_mean(m, &b, &s, COLS);
        for (size_t j = 0; j < COLS; j++) {
            CHECK(s.w[j] == w[j]);
            CHECK_NEAR(m[j], mean[j], 1e-14 * (1 + fabs(s.w[j]) + fabs(s.sum[j])));
        }
        CHECK_NEAR(b, mean[COLS], 1e-14 * (1 + fabs(s.b) + fabs(s.sum_b)));
    }
}

static void test_features(void)
{
    fx_kernel *k;
    fx_map *m;
    enum { D = 50 };
    double a[2][D] = {{0}}, e[2][D] = {{0}};
    fxi_perceptron s = {.w = a[0], .sum = a[1]}, t = {.w = e[0], .sum = e[1]};
    fx_matrix rows = fitting_dense(X, N, COLS);

    CHECK(fx_kernel_parse(&k, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, "rk", k, COLS, D, 3, NULL, NULL) == FX_OK);
    fxi_source stored = fitting_source(&rows, m, UINT64_MAX), visited = fitting_source(&rows, m, 0);
    CHECK(stored.Z && !visited.Z);
    pass(&s, &stored, FXI_FREE, 10, &(fx_run){RUN, .threads = 1});
    pass(&t, &visited, FXI_FREE, 5, &(fx_run){RUN, .threads = 2});
    pass(&t, &visited, FXI_FREE, 5, &(fx_run){RUN, .threads = 8});
    CHECK(memcmp(a, e, sizeof a) == 0 && s.b == t.b && s.sum_b == t.sum_b && s.steps == t.steps);
    fxi_fit_source_free(&stored);
    fx_map_free(m);
    fx_kernel_free(k);
}

static int stop(void *ctx, double done)
{
    (void)ctx;
    (void)done;
    return 1;
}

static void test_cancel(void)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_hinge, y, c, FXI_FREE, 0);
    double a[2][COLS] = {{0}};
    fxi_perceptron s = {.w = a[0], .sum = a[1]};

    CHECK(fxi_fit_perceptron(&s, &p, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    fxi_fit_perceptron_mean(a[1], &s.sum_b, &(fxi_perceptron){.w = a[0], .sum = a[1]}, COLS);
}

int main(void)
{
    test_init();
    for (int k = 0; k < test_cases(5); k++) {
        make();
        test_definition(FXI_FREE);
        test_definition(FXI_NONE);
        test_features();
    }
    test_cancel();
    return 0;
}
