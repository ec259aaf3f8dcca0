/* SPDX-License-Identifier: BSD-3-Clause
 * t_l1.c - coordinate descent for an L1 penalty: conditions of optimality with exact zeros, against
 * a slow twin; columns kept or made when visited, threads, weights, odd columns.
 *
 * Covers: l1_columns.c, l1_extrapolate.c, l1_hot.c, l1_line.c, l1_model.c */

#include "fit/test/fitting.h"

enum { N = 83, COLS = 21 };

static double X[N * COLS], y[N], c[N];

static void make(double C)
{
    for (size_t i = 0; i < N; i++) {
        double f = 0.3;
        for (size_t j = 0; j < COLS; j++) {
            X[i * COLS + j] = test_below(3) ? 2 * test_unit() - 0.7 : 0;
            f += j < 4 ? X[i * COLS + j] * (j % 2 ? 1 : -1) : 0;
        }
        y[i] = f + 0.5 * (test_unit() - 0.5) > 0 ? 1 : -1;
        c[i] = C * (1 + (double)test_below(2));
    }
}

/* Slope of the loss along feature j (COLS: the intercept). */
static double slope(const fxi_problem *p, const fitting *s, size_t j)
{
    double sum = 0;

    for (size_t i = 0; i < p->source->rows; i++) {
        double f = s->b;
        for (size_t k = 0; k < COLS; k++)
            f += s->w[k] * X[i * COLS + k];
        sum += p->c[i] * p->loss->slope(p->y[i], f, 0) * (j < COLS ? X[i * COLS + j] : 1);
    }
    return sum;
}

static double violation(double w, double g)
{
    return w > 0 ? fabs(g + 1) : w < 0 ? fabs(g - 1) : fmax(fabs(g) - 1, 0);
}

static double objective(const fxi_problem *p, const double *w, double b)
{
    double sum = p->intercept == FXI_APPENDED ? fabs(b) : 0;

    for (size_t j = 0; j < COLS; j++)
        sum += fabs(w[j]);
    return sum + fitting_loss(p, X, w, b);
}

/* Twin: plain proximal gradient steps of one over a bound of the second derivative. */
static double twin(const fxi_problem *p)
{
    fitting s = {.w = fxi_zalloc(COLS, sizeof *s.w)};
    double L = 0, best = INFINITY, old;

    for (size_t i = 0; i < N; i++) {
        double q = 1;
        for (size_t j = 0; j < COLS; j++)
            q += X[i * COLS + j] * X[i * COLS + j];
        L += 2 * p->c[i] * q;
    }
    do {
        old = best;
        for (int k = 0; k < 500; k++) {
            double g[COLS + 1];
            for (size_t j = 0; j <= COLS; j++)
                g[j] = slope(p, &s, j);
            for (size_t j = 0; j <= COLS; j++) {
                double *w = j < COLS ? &s.w[j] : &s.b, v = *w - g[j] / L;
                if (j < COLS || p->intercept == FXI_APPENDED)
                    *w = v > 1 / L ? v - 1 / L : v < -1 / L ? v + 1 / L : 0;
                else if (p->intercept == FXI_FREE)
                    *w = v;
            }
        }
        best = objective(p, s.w, s.b);
    } while (best < old * (1 - 1e-8));
    free(s.w);
    return best;
}

static void check_optimal(const fxi_problem *p, const fitting *s, double tol)
{
    size_t zeros = 0;

    CHECK(s->gap <= fmax(p->tol, 1e-11));       /* what rounding allows */
    CHECK(s->converged == (s->gap <= p->tol));
    for (size_t j = 0; j < COLS; j++) {
        CHECK(violation(s->w[j], slope(p, s, j)) <= tol);
        zeros += s->w[j] == 0;
    }
    CHECK(zeros > 0);
    if (p->intercept == FXI_FREE)
        CHECK_NEAR(slope(p, s, COLS), 0, tol);
    if (p->intercept == FXI_APPENDED)
        CHECK(violation(s->b, slope(p, s, COLS)) <= tol);
    CHECK_NEAR(objective(p, s->w, s->b), s->objective, 1e-12 * s->objective);
}

static void test_optimal(const fxi_loss *loss, fxi_intercept intercept, double C)
{
    fx_matrix rows = fitting_dense(X, N, COLS);

    make(C);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y, c, intercept, 1e-13);
    fitting s = fitting_run(fxi_fit_l1, &p, NULL);
    check_optimal(&p, &s, 1e-6);
    if (C == 0.1)
        CHECK_NEAR(s.objective, twin(&p), 1e-5 * s.objective);
    p.tol = 1e-3;                       /* the gap is honest */
    fitting rough = fitting_run(fxi_fit_l1, &p, NULL);
    CHECK(rough.converged && rough.gap <= 1e-3);
    CHECK(rough.objective - s.objective <= rough.gap * rough.objective + 1e-12 * s.objective);
    free(rough.w);
    free(s.w);
}

static void compare(const fitting *a, const fitting *b, double tol)
{
    CHECK_NEAR(a->objective, b->objective, tol * b->objective);
    CHECK_NEAR(a->b, b->b, tol * (1 + fabs(b->b)));
    for (size_t j = 0; j < COLS; j++)
        CHECK_NEAR(a->w[j], b->w[j], tol * (1 + fabs(b->w[j])));
}

/* Weight 3 is the row three times, weight 0 is no row; sparse rows are the dense ones. */
static void test_weights(const fxi_loss *loss, fxi_intercept intercept)
{
    static double X3[3 * N * COLS], y3[3 * N], c3[3 * N], val[3 * N * COLS];
    static int64_t ptr[3 * N + 1], col[3 * N * COLS];
    size_t n = 0, stored = 0;

    make(0.5);
    for (size_t i = 0; i < N; i++) {
        size_t times = i % 4 == 1 ? 3 : i % 4 == 2 ? 0 : 1;
        for (size_t k = 0; k < times; k++, n++) {
            memcpy(X3 + n * COLS, X + i * COLS, COLS * sizeof *X);
            y3[n] = y[i];
            c3[n] = c[i];
            for (size_t j = 0; j < COLS; j++)
                if (X[i * COLS + j] != 0) {
                    val[stored] = X[i * COLS + j];
                    col[stored++] = (int64_t)j;
                }
            ptr[n + 1] = (int64_t)stored;
        }
        c[i] *= (double)times;
    }
    fx_matrix once = fitting_dense(X, N, COLS), rows = fitting_dense(X3, n, COLS), sparse = rows;
    sparse.ptr = ptr, sparse.col = col, sparse.val = val, sparse.wide = 1;
    fxi_source a = fitting_source(&once, NULL, 0), b = fitting_source(&rows, NULL, 0);
    fxi_source e = fitting_source(&sparse, NULL, 0);
    fxi_problem p = fitting_problem(&a, loss, y, c, intercept, 1e-15);
    fxi_problem q = fitting_problem(&b, loss, y3, c3, intercept, 1e-15);
    fitting s = fitting_run(fxi_fit_l1, &p, NULL), t = fitting_run(fxi_fit_l1, &q, NULL);
    q.source = &e;
    fitting u = fitting_run(fxi_fit_l1, &q, &(fx_run){RUN, .threads = 2});
    compare(&s, &t, 1e-7);
    compare(&u, &t, 1e-7);
    free(s.w);
    free(t.w);
    free(u.w);
}

/* Scales from 1e-3 to 1e4; constant, empty and huge columns. */
static void test_columns(const fxi_loss *loss, fxi_intercept intercept)
{
    fx_matrix rows = fitting_dense(X, N, COLS);

    make(1);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < COLS; j++)
            X[i * COLS + j] *= pow(10, -3 + 7 * (double)j / (COLS - 1));
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y, c, intercept, 1e-6);
    fitting s = fitting_run(fxi_fit_l1, &p, NULL);
    CHECK(s.converged && s.gap <= 1e-6 && s.w[0] == 0);
    free(s.w);
    for (size_t i = 0; i < N; i++)
        X[i * COLS] = 3, X[i * COLS + 1] = 0, X[i * COLS + 2] *= 1e12;
    s = fitting_run(fxi_fit_l1, &p, NULL);
    CHECK(isfinite(s.objective) && isfinite(s.b) && s.w[1] == 0);
    for (size_t j = 0; j < COLS; j++)
        CHECK(isfinite(s.w[j]));
    free(s.w);
}

/* Columns kept, turned from stored rows or made by the map when visited, on any threads. */
static void test_bits(const fxi_loss *loss, fxi_intercept intercept, const char *map)
{
    enum { D = 300 };
    fx_matrix rows = fitting_dense(X, N, COLS);
    fx_kernel *k;
    fx_map *m;

    make(1);
    CHECK(fx_kernel_parse(&k, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, map, k, COLS, D, 3, NULL, NULL) == FX_OK);
    fxi_source stored = fitting_source(&rows, m, UINT64_MAX), visited = fitting_source(&rows, m, 0);
    fxi_problem p = fitting_problem(&stored, loss, y, c, intercept, 1e-4);
    fitting a = fitting_run(fxi_fit_l1, &p, &(fx_run){RUN, .threads = 1});
    test_helped();                      /* forget who helped before */
    size_t vectors = (11 * (size_t)N + 17 * (D + 1)) * sizeof(double);
    size_t all = vectors + D * 96 * sizeof(float) - (m->width < D);
    CHECK(a.converged);
    for (int run = 0; run < 4; run++) {
        fx_run how = {RUN, .threads = run == 1 ? 8 : 2, .max_memory = run < 2 ? 0 : all};
        p.source = run % 2 ? &visited : &stored;
        fitting b = fitting_run(fxi_fit_l1, &p, &how);
        CHECK(test_helped());
        CHECK(memcmp(a.w, b.w, D * sizeof *a.w) == 0 && a.b == b.b && a.gap == b.gap);
        free(b.w);
    }
    fitting_ends(fxi_fit_l1, p, &a, 1e-3, 3);
    free(a.w);
    fxi_fit_source_free(&stored);
    fx_map_free(m);
    fx_kernel_free(k);
}

static void test_stop(void)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, &fxi_loss_logistic, y, c, FXI_FREE, 0);
    double w[COLS] = {0};
    int polls = 0;

    make(100);
    CHECK(fxi_fit_l1(&(fxi_solution){.w = w}, &p,
                     &(fx_run){RUN, .progress = fitting_stop, .ctx = &polls})
          == FX_ECANCELLED);
}

int main(void)
{
    const fxi_loss *loss[] = {&fxi_loss_squared_hinge, &fxi_loss_logistic};

    test_init();
    for (int l = 0; l < 2; l++)
        for (fxi_intercept k = FXI_FREE; k <= FXI_NONE; k++) {
            for (double C = 0.01; C < 20; C *= 10)
                test_optimal(loss[l], k, C);
            test_weights(loss[l], k);
            test_columns(loss[l], k);
            test_bits(loss[l], k, "rk:projection=hadamard");
            test_bits(loss[l], k, "rk:projection=packed");
        }
    test_stop();
    return 0;
}
