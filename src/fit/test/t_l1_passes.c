/* SPDX-License-Identifier: BSD-3-Clause
 * t_l1_passes.c - proximal steps for an L1 penalty: conditions of optimality with exact zeros, the
 * objective of coordinate descent, an honest gap; unlike columns, few passes, threads, memory. */

#include "fit/test/fitting.h"

enum { N = 683, COLS = 41 };

static double X[N * COLS], y[N], c[N];

/* Columns that depend on each other, of sizes up to 10^spread. */
static void make(double C, double spread)
{
    for (size_t i = 0; i < N; i++) {
        double f = 0.3, common = test_unit() - 0.5;
        for (size_t j = 0; j < COLS; j++) {
            double x = (test_below(3) ? 2 * test_unit() - 0.7 : 0) + 0.5 * common;
            f += j < 6 ? x * (j % 2 ? 1 : -1) : 0;
            X[i * COLS + j] = x * pow(10, spread * (double)j / COLS);
        }
        y[i] = f + 0.5 * (test_unit() - 0.5) > 0 ? 1 : -1;
        c[i] = C * (double)test_below(3);
    }
}

static double slope(const fxi_problem *p, const fitting *s, size_t j)
{
    double sum = 0;

    for (size_t i = 0; i < N; i++) {
        double f = s->b;
        for (size_t k = 0; k < COLS; k++)
            f += s->w[k] * X[i * COLS + k];
        sum += c[i] * p->loss->slope(y[i], f, 0) * (j < COLS ? X[i * COLS + j] : 1);
    }
    return sum;
}

static double violation(double w, double g)
{
    return w > 0 ? fabs(g + 1) : w < 0 ? fabs(g - 1) : fmax(fabs(g) - 1, 0);
}

static void test_optimal(const fxi_loss *loss, fxi_intercept intercept, double C, double spread)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    size_t zeros = 0;

    make(C, spread);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y, c, intercept, C > 1 ? 1e-4 : 1e-9);
    fitting want = fitting_run(fxi_fit_l1, &p, NULL), s = fitting_run(fxi_fit_l1_passes, &p, NULL);
    CHECK(s.converged && s.gap <= p.tol);
    CHECK_NEAR(s.objective, want.objective, 2 * p.tol * want.objective);
    for (size_t j = 0; j < COLS && spread == 0; j++) {
        CHECK(violation(s.w[j], slope(&p, &s, j)) <= (C > 1 ? 1e-2 : 1e-3));
        zeros += s.w[j] == 0;
    }
    CHECK(zeros > 0 || spread > 0 || C > 0.5);
    if (intercept == FXI_FREE)
        CHECK_NEAR(slope(&p, &s, COLS), 0, 1e-9 * C * N);
    p.tol = 1e-3;                       /* the gap is honest, and few passes suffice */
    fitting rough = fitting_run(fxi_fit_l1_passes, &p, NULL);
    CHECK(rough.converged && rough.gap <= 1e-3 && rough.iterations <= s.iterations);
    CHECK(rough.objective - s.objective <= (rough.gap + 2e-9) * rough.objective);
    CHECK(rough.iterations <= (C > 1 ? 600 : spread > 0 ? 300 : 100));
    free(rough.w);
    free(s.w);
    free(want.w);
}

/* From a solution nothing is left to do; no more passes than are allowed; threads; a limit. */
static void test_ends(void)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    double w[COLS] = {0};
    int polls = 0;

    make(0.1, 0);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_logistic, y, c, FXI_FREE, 1e-6);
    fitting s = fitting_run(fxi_fit_l1_passes, &p, &(fx_run){RUN, .threads = 1});
    fitting t = fitting_run(fxi_fit_l1_passes, &p, &(fx_run){RUN, .threads = 3});
    CHECK(!memcmp(s.w, t.w, COLS * sizeof *s.w) && s.b == t.b && s.gap == t.gap);
    fxi_solution again = {.w = t.w, .b = t.b};
    CHECK(fxi_fit_l1_passes(&again, &p, NULL) == FX_OK && again.converged);
    CHECK(again.iterations <= 2);
    p.max_iter = 5;
    p.tol = 1e-12;
    fxi_solution cut = {.w = w};
    CHECK(fxi_fit_l1_passes(&cut, &p, NULL) == FX_OK && !cut.converged && cut.gap > 1e-12);
    CHECK(cut.iterations <= 40);
    p.max_iter = 1000;
    CHECK(fxi_fit_l1_passes(&cut, &p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT);
    CHECK(fxi_fit_l1_passes(&cut, &p, &(fx_run){RUN, .progress = fitting_stop, .ctx = &polls})
          == FX_ECANCELLED);
    free(s.w);
    free(t.w);
}

int main(void)
{
    const fxi_loss *loss[] = {&fxi_loss_squared_hinge, &fxi_loss_logistic};

    test_init();
    for (int l = 0; l < 2; l++)
        for (fxi_intercept k = FXI_FREE; k <= FXI_NONE; k++)
            for (double C = 0.001; C < 20; C *= 10) {
                test_optimal(loss[l], k, C, 0);
                if (C < 2)
                    test_optimal(loss[l], k, C, 4);
            }
    test_ends();
    return 0;
}
