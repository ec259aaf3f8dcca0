/* SPDX-License-Identifier: BSD-3-Clause
 * t_newton.c - Newton's method: golden objectives; the gap against its definition; weights, scales,
 * offsets, odd columns; the same bits for any threads and memory.
 *
 * Covers: newton_hessian.c, newton_hot.c, newton_line.c, newton_pass.c */

#include "fit/test/fitting.h"

enum { N = 211, COLS = 37 };

static const fxi_loss *const losses[] = {
#define LOSS(name)
#define LINEAR(name, model, help, keys) &fxi_loss_##name,
#include "loss/loss.def"
};
enum { LOSSES = sizeof losses / sizeof *losses };
static double X[N * COLS], y[N], c[N];

static void make(const fxi_loss *loss, double C)
{
    for (size_t i = 0; i < N; i++) {
        double f = 0.3;
        for (size_t j = 0; j < COLS; j++) {
            X[i * COLS + j] = test_below(3) ? 2 * test_unit() - 0.7 : 0;
            f += j < 9 ? X[i * COLS + j] * (j % 2 ? 1 : -1) : 0;
        }
        f += 2 * (test_unit() - 0.5);
        y[i] = loss->regress ? f : f > 0 ? 1 : -1;
        c[i] = C * (1 + (double)test_below(2));
    }
}

static fitting fit(const fxi_loss *loss, fxi_intercept intercept, double tol)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y, c, intercept, tol);

    return fitting_run(fxi_fit_newton, &p, NULL);
}

/* Half the square of the gradient, which bounds the distance to the optimum; that over b is 0. */
static double bound(const fxi_loss *loss, fxi_intercept intercept, const fitting *s)
{
    double g[COLS + 1] = {0}, sum = 0, size = 0;

    for (size_t i = 0; i < N; i++) {
        double f = s->b;
        for (size_t j = 0; j < COLS; j++)
            f += s->w[j] * X[i * COLS + j];
        double slope = c[i] * loss->slope(y[i], f, 0);
        for (size_t j = 0; j <= COLS; j++)
            g[j] += slope * (j < COLS ? X[i * COLS + j] : 1);
        size += fabs(slope) + (loss->regress ? c[i] * fabs(y[i]) : c[i]);
    }
    for (size_t j = 0; j < COLS; j++)
        sum += 0.5 * (g[j] + s->w[j]) * (g[j] + s->w[j]);
    if (intercept == FXI_APPENDED)
        sum += 0.5 * (g[COLS] + s->b) * (g[COLS] + s->b);
    if (intercept == FXI_FREE)
        CHECK_NEAR(g[COLS], 0, 1e-13 * size);
    return sum;
}

/* Every C converges; a rough solution is as close to a fine one as its gap says. */
static void test_gap(const fxi_loss *loss, fxi_intercept intercept, double C)
{
    make(loss, C);
    fitting fine = fit(loss, intercept, 1e-10), rough = fit(loss, intercept, 1e-2);
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y, c, intercept, 0);

    CHECK(fine.converged && rough.converged && rough.gap <= 1e-2);
    CHECK_NEAR(fitting_objective(&p, X, rough.w, rough.b), rough.objective,
               1e-12 * rough.objective);
    CHECK_NEAR(bound(loss, intercept, &rough), rough.gap * rough.objective,
               1e-6 * rough.gap * rough.objective + 1e-15 * C * C * N * N);
    CHECK(rough.objective - fine.objective
          <= rough.gap * rough.objective + 1e-12 * fine.objective);
    CHECK(fine.objective <= rough.objective * (1 + 1e-12));
    free(fine.w);
    free(rough.w);
}

static void compare(const fitting *a, const fitting *b, double tol)
{
    CHECK_NEAR(a->objective, b->objective, tol * fabs(b->objective));
    CHECK_NEAR(a->b, b->b, tol * (1 + fabs(b->b)));
    for (size_t j = 0; j < COLS; j++)
        CHECK_NEAR(a->w[j], b->w[j], tol * (1 + fabs(b->w[j])));
}

/* Weight 3 is the row three times, weight 0 is no row. */
static void test_weights(const fxi_loss *loss, fxi_intercept intercept)
{
    static double X3[3 * N * COLS], y3[3 * N], c3[3 * N];

    make(loss, 0.5);
    size_t n = fitting_repeat(X3, y3, c3, X, y, c, N, COLS);
    fx_matrix rows = fitting_dense(X3, n, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y3, c3, intercept, 1e-16);
    fitting a = fitting_run(fxi_fit_newton, &p, NULL), b = fit(loss, intercept, 1e-16);
    compare(&b, &a, 1e-8);
    free(a.w);
    free(b.w);
}

/* Columns from 1e-3 to 1e4; constant, empty and huge ones. */
static void test_columns(const fxi_loss *loss, fxi_intercept intercept)
{
    make(loss, 1);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < COLS; j++)
            X[i * COLS + j] *= pow(10, -3 + 7 * (double)j / (COLS - 1));
    fitting s = fit(loss, intercept, 1e-6);
    CHECK(s.converged && s.gap <= 1e-6 && s.iterations < 1000);
    free(s.w);
    for (size_t i = 0; i < N; i++)
        X[i * COLS] = 3, X[i * COLS + 1] = 0, X[i * COLS + 2] *= 1e12;
    s = fit(loss, intercept, 1e-6);
    CHECK(isfinite(s.objective) && isfinite(s.b) && s.w[1] == 0);
    for (size_t j = 0; j < COLS; j++)
        CHECK(isfinite(s.w[j]));
    free(s.w);
}

/* Targets that are all larger by 1e6 move the intercept by that and nothing else. */
static void test_offset(void)
{
    make(&fxi_loss_squared, 1);
    fitting a = fit(&fxi_loss_squared, FXI_FREE, 1e-9);
    for (size_t i = 0; i < N; i++)
        y[i] += 1e6;
    fitting b = fit(&fxi_loss_squared, FXI_FREE, 1e-9);
    CHECK(a.converged && b.converged);
    b.b -= 1e6;
    compare(&b, &a, 1e-6);
    free(a.w);
    free(b.w);
}

/* One class alone: the intercept stays finite. */
static void test_one_class(const fxi_loss *loss)
{
    make(loss, 1);
    for (size_t i = 0; i < N; i++)
        y[i] = 1;
    fitting s = fit(loss, FXI_FREE, 1e-6);
    CHECK(s.converged && isfinite(s.b) && s.b > 0 && s.objective >= 0 && s.objective < 1e-6);
    free(s.w);
}

/* More rows, so that there are several blocks: threads and memory leave every bit as it is. */
static void test_bits(const fxi_loss *loss, fxi_intercept intercept)
{
    enum { ROWS = 3000, D = 150, IN = 12 };
    static double in[ROWS * IN], t[ROWS], one[ROWS];
    fx_matrix rows = fitting_dense(in, ROWS, IN);
    fx_kernel *k;
    fx_map *m;

    for (size_t i = 0; i < ROWS * IN; i++)
        in[i] = 2 * test_unit() - 0.8;
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = in[i * IN] * in[i * IN + 1] + 0.1 * in[i * IN + 2] > 0 ? 1 : -1;
        one[i] = (double)test_below(4);
    }
    CHECK(fx_kernel_parse(&k, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, "rk", k, IN, D, 3, NULL, NULL) == FX_OK);
    fxi_source stored = fitting_source(&rows, m, UINT64_MAX), visited = fitting_source(&rows, m, 0);
    fxi_problem p = fitting_problem(&stored, loss, t, one, intercept, 1e-6);
    CHECK(stored.blocks > 1);
    fitting a = fitting_run(fxi_fit_newton, &p, &(fx_run){RUN, .threads = 1});
    CHECK(a.converged && !test_helped());
    for (int run = 0; run < 3; run++) {
        p.source = run < 2 ? &stored : &visited;
        fitting b = fitting_run(fxi_fit_newton, &p, &(fx_run){RUN, .threads = run ? 8 : 2});
        CHECK(test_helped());
        CHECK(memcmp(a.w, b.w, D * sizeof *a.w) == 0 && a.b == b.b && a.gap == b.gap);
        free(b.w);
    }
    fitting_ends(fxi_fit_newton, p, &a, 1e-5, 5);
    free(a.w);
    fxi_fit_source_free(&stored);
    fx_map_free(m);
    fx_kernel_free(k);
}

static fx_status stop_at_once(void *ctx, const fxi_solution *now)
{
    (void)ctx;
    return now->gap >= 0 ? fxi_error(FX_ENUMERIC, "enough") : FX_OK;
}

static void test_stop(void)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_squared_hinge, y, c, FXI_FREE, 0);
    double w[COLS] = {0};
    int polls = 0;

    make(p.loss, 100);
    CHECK(fxi_fit_newton(&(fxi_solution){.w = w}, &p,
                         &(fx_run){RUN, .progress = fitting_stop, .ctx = &polls})
          == FX_ECANCELLED);
    p.step = stop_at_once;
    CHECK(fxi_fit_newton(&(fxi_solution){.w = w}, &p, NULL) == FX_ENUMERIC);
}

/* The squared loss of few features: normal equations, so few passes at any tolerance; products if
 * there are more, to the same solution. */
static void test_normal_equations(fxi_intercept intercept, size_t cols)
{
    enum { ROWS = 1000, MOST = 120 };
    static double x[ROWS * MOST], target[ROWS], weight[ROWS];
    fx_matrix rows = fitting_dense(x, ROWS, cols);

    for (size_t i = 0; i < ROWS; i++) {
        double common = test_unit();
        target[i] = 3 + test_unit();
        weight[i] = (double)test_below(3);
        for (size_t j = 0; j < cols; j++) {
            x[i * cols + j] = (test_unit() + common) * pow(10, 3.0 * (double)j / (double)cols);
            target[i] += j % 3 ? 0 : x[i * cols + j];
        }
    }
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_squared, target, weight, intercept, 1e-10);
    fitting s = fitting_run(fxi_fit_newton, &p, NULL);
    CHECK(s.converged && s.gap <= 1e-10);
    CHECK_NEAR(fitting_objective(&p, x, s.w, s.b), s.objective, 1e-9 * s.objective);
    CHECK((s.iterations <= 6) == (cols <= 100));
    free(s.w);
}

int main(void)
{
    test_init();
    fitting_golden(fxi_fit_newton, &fxi_loss_logistic, 1e-9);
    fitting_golden(fxi_fit_newton, &fxi_loss_squared_hinge, 1e-9);
    for (size_t l = 0; l < LOSSES; l++)
        for (fxi_intercept k = FXI_FREE; k <= FXI_NONE && losses[l]->curve; k++) {
            for (double C = 1e-4; C < 2e4; C *= 100)
                test_gap(losses[l], k, C);
            test_weights(losses[l], k);
            test_columns(losses[l], k);
            test_bits(losses[l], k);
        }
    for (fxi_intercept k = FXI_FREE; k <= FXI_NONE; k++) {
        test_normal_equations(k, 100);
        test_normal_equations(k, 101);
    }
    test_offset();
    test_one_class(&fxi_loss_logistic);
    test_one_class(&fxi_loss_squared_hinge);
    test_stop();
    return 0;
}
