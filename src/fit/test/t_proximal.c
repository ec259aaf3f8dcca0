/* SPDX-License-Identifier: BSD-3-Clause
 * t_proximal.c - the method of multipliers: golden objectives, badly scaled ones too; conditions
 * that only an optimum meets; the gap against tight solves; targets moved and scaled, any C, any
 * columns; weights; starts; the same bits for any threads and memory; ends. */

#include "fit/test/fitting.h"

enum { N = 120, COLS = 9 };

static const fxi_loss *const losses[] = {&fxi_loss_hinge, &fxi_loss_insensitive};
static double X[N * COLS], y[N], c[N];

static void make(const fxi_loss *loss, double C)
{
    for (size_t i = 0; i < N; i++) {
        double f = 0.3;
        for (size_t j = 0; j < COLS; j++) {
            X[i * COLS + j] = i == 7 ? 0 : 2 * test_unit() - 0.7;       /* row 7 is zeros */
            f += X[i * COLS + j] * (j % 3 ? 1 : -1.5);
        }
        f += 2 * (test_unit() - 0.5);
        y[i] = loss->regress ? f : f > 0 ? 1 : -1;
        c[i] = i == 11 ? 0 : C * (1 + (double)test_below(2));           /* row 11 is absent */
    }
}

typedef struct solved { double w[COLS], beta[N]; fxi_solution s; } solved;

static void fit(solved *to, const fxi_problem *like, fitting_solver *solver)
{
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = *like;

    p.source = &z;
    *to = (solved){.s = {.w = to->w, .beta = to->beta}};
    CHECK(solver(&to->s, &p, &(fx_run){RUN, .threads = 1}) == FX_OK);
}

static fxi_problem problem(const fxi_loss *loss, fxi_intercept intercept, double tol)
{
    fxi_problem p = fitting_problem(NULL, loss, y, c, intercept, tol);

    p.epsilon = 0.1;
    p.max_iter = 1000;
    return p;
}

static double score(const solved *a, size_t i)
{
    double f = a->s.b;

    for (size_t j = 0; j < COLS; j++)
        f += a->w[j] * X[i * COLS + j];
    return f;
}

/* The objective and the dual written out; |w|^2 of sum beta z.  Betas lie in their domains. */
static double dual(const fxi_problem *p, const solved *a, double *off)
{
    double D = 0, sum = 0;

    for (size_t i = 0; i < N; i++) {
        double beta = a->beta[i];
        CHECK(p->loss->regress ? fabs(beta) <= c[i] : y[i] * beta >= 0 && y[i] * beta <= c[i]);
        D -= c[i] > 0 ? p->loss->conjugate(y[i], beta, c[i], p->epsilon) : 0;
        sum += beta;
    }
    for (size_t j = 0; j < COLS; j++) {
        double v = 0;
        for (size_t i = 0; i < N; i++)
            v += a->beta[i] * X[i * COLS + j];
        D -= 0.5 * v * v;
    }
    *off = sum;
    return p->intercept == FXI_APPENDED ? D - 0.5 * sum * sum : D;
}

static double objective(const fxi_problem *p, const solved *a)
{
    double P = p->intercept == FXI_APPENDED ? 0.5 * a->s.b * a->s.b : 0;

    for (size_t j = 0; j < COLS; j++)
        P += 0.5 * a->w[j] * a->w[j];
    for (size_t i = 0; i < N; i++)
        P += c[i] > 0 ? c[i] * p->loss->value(y[i], score(a, i), p->epsilon) : 0;
    return P;
}

/* A tight solution is proven by its betas; a rough one is as close to it as its gap says, and the
 * dual solver ends at the same optimum.  Started from the tight one a round is enough. */
static void test_optimum(const fxi_loss *loss, fxi_intercept intercept, double C)
{
    static solved fine, rough, other;
    fxi_problem p = problem(loss, intercept, 1e-10);
    double off, sum = 0, D;

    make(loss, C);
    for (size_t i = 0; i < N; i++)
        sum += c[i];
    fit(&fine, &p, fxi_fit_proximal);
    CHECK(fine.s.converged && fine.s.gap <= 1e-10 && fine.s.iterations <= p.max_iter);
    CHECK_NEAR(objective(&p, &fine), fine.s.objective, 1e-13 * (fine.s.objective + sum));
    D = dual(&p, &fine, &off);
    CHECK_NEAR(D, fine.s.objective, 1e-8 * fine.s.objective);  /* some round's was better */
    if (intercept == FXI_FREE)
        CHECK_NEAR(off, 0, 1e-9 * sum);
    if (intercept == FXI_NONE)
        CHECK(fine.s.b == 0);
    CHECK(fine.beta[11] == 0);
    for (double tol = 1e-1; tol > 1e-8; tol /= 10) {
        p.tol = tol;
        fit(&rough, &p, fxi_fit_proximal);
        CHECK(rough.s.converged && rough.s.gap <= tol);
        CHECK(rough.s.objective - fine.s.objective
              <= rough.s.gap * rough.s.objective + 1e-13 * (fine.s.objective + sum));
        CHECK(fine.s.objective <= rough.s.objective * (1 + 1.1e-10));
    }
    p.tol = 1e-5;
    p.max_iter = 100000;
    if (C < 10) {
        fit(&other, &p, fxi_fit_dual);
        CHECK(other.s.converged);
        CHECK_NEAR(other.s.objective, fine.s.objective, 1.1e-5 * fine.s.objective);
    }
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    p.source = &z;
    p.tol = 1e-6;
    fine.s.iterations = 0;
    CHECK(fxi_fit_proximal(&fine.s, &p, NULL) == FX_OK);
    CHECK(fine.s.converged && fine.s.iterations <= 3);
}

/* Any C, columns of any scale, rows sorted by class: converged at 1e-3 in the passes allowed. */
static void test_scales(const fxi_loss *loss, fxi_intercept intercept)
{
    static solved a;
    fxi_problem p = problem(loss, intercept, 1e-3);

    for (int k = 0; k < 20; k++) {
        make(loss, pow(10, k % 5 * 2 - 4));
        for (size_t i = 0; i < N * COLS; i++)
            X[i] *= k < 10 ? 1 : pow(10, -3 + 7 * (double)(i % COLS) / (COLS - 1));
        for (size_t i = 1; i < N && k % 10 >= 5; i++)   /* sorted */
            for (size_t e = i; e > 0 && y[e - 1] > y[e]; e--) {
                double t = y[e];
                y[e] = y[e - 1], y[e - 1] = t;
                for (size_t j = 0; j < COLS; j++) {
                    t = X[e * COLS + j];
                    X[e * COLS + j] = X[(e - 1) * COLS + j], X[(e - 1) * COLS + j] = t;
                }
            }
        fit(&a, &p, fxi_fit_proximal);
        CHECK(a.s.converged && a.s.gap <= 1e-3 && a.s.iterations <= p.max_iter);
        /* scores reach 1e4 |w|, and each of them carries roundings */
        CHECK_NEAR(objective(&p, &a), a.s.objective, 1e-9 * a.s.objective);
    }
}

/* Targets t -> u t + s, weights and epsilon along: the same optimum in other units. */
static void test_targets(double u, double s)
{
    static solved a, b;
    fxi_problem p = problem(&fxi_loss_insensitive, FXI_FREE, 1e-8);
    double f[N];

    make(p.loss, 2);
    fit(&a, &p, fxi_fit_proximal);
    for (size_t i = 0; i < N; i++) {
        f[i] = score(&a, i);
        y[i] = u * y[i] + s;
        c[i] *= u;
    }
    p.epsilon *= u;
    fit(&b, &p, fxi_fit_proximal);
    CHECK(a.s.converged && b.s.converged && b.s.iterations <= 2 * a.s.iterations);
    /* targets of 1e6 have steps of 1e-10 */
    CHECK_NEAR(b.s.objective / u / u, a.s.objective, (2e-8 + 1e-9 * (s != 0)) * a.s.objective);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR((score(&b, i) - s) / u, f[i], 1e-3);
}

/* Weight 3 is the row three times, weight 0 is no row. */
static void test_weights(const fxi_loss *loss, fxi_intercept intercept)
{
    static double X3[3 * N * COLS], y3[3 * N], c3[3 * N];
    static solved b;
    fxi_problem p = problem(loss, intercept, 1e-11);

    make(loss, 0.5);
    size_t n = fitting_repeat(X3, y3, c3, X, y, c, N, COLS);
    fx_matrix rows = fitting_dense(X3, n, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fit(&b, &p, fxi_fit_proximal);
    p.source = &z, p.y = y3, p.c = c3;
    fitting a = fitting_run(fxi_fit_proximal, &p, NULL);
    CHECK(a.converged && b.s.converged);
    CHECK_NEAR(b.s.objective, a.objective, 1.1e-11 * a.objective);
    for (size_t j = 0; j < COLS; j++)   /* |w - w*|^2 <= 2 gap P, of both */
        CHECK_NEAR(b.w[j], a.w[j], 2 * sqrt(2e-11 * a.objective));
    free(a.w);
}

/* Several blocks of features, dense or sparse: threads and memory leave every bit as it is. */
static void test_bits(const fxi_loss *loss, fxi_intercept intercept, const char *map)
{
    enum { ROWS = 4500, D = 80, IN = 12 };     /* a block is at most 4096 rows */
    static double in[4 * ROWS], t[ROWS], one[ROWS];
    static int64_t ptr[ROWS + 1];
    static int32_t col[4 * ROWS];
    fx_matrix rows = {.rows = ROWS, .cols = IN, .type = FX_F64, .val = in, .ptr = ptr, .col = col};
    fx_kernel *k;
    fx_map *m;

    for (size_t i = 0; i < 4 * ROWS; i++) {
        in[i] = 2 * test_unit() - 0.5;
        col[i] = (int32_t)(i % 4 * 3 + test_below(3));
        ptr[i / 4 + 1] = (int64_t)i + 1;
    }
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = in[i * 4] * in[i * 4 + 1] + 0.3 * in[i * 4 + 2] - 0.1;
        t[i] = loss->regress ? t[i] : t[i] > 0 ? 1 : -1;
        one[i] = (double)test_below(4);
    }
    CHECK(fx_kernel_parse(&k, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, map, k, IN, *map == 'r' ? D : 0, 3, NULL, NULL) == FX_OK);
    fxi_source stored = fitting_source(&rows, m, UINT64_MAX), visited = fitting_source(&rows, m, 0);
    fxi_problem p = fitting_problem(&stored, loss, t, one, intercept, 1e-2);
    CHECK(!stored.buffer && visited.buffer && stored.sparse == (*map == 'e') && stored.blocks > 1);
    p.epsilon = 0.1;
    fitting a = fitting_run(fxi_fit_proximal, &p, &(fx_run){RUN, .threads = 1});
    CHECK(a.converged && !test_helped());
    for (int run = 0; run < 3; run++) {
        p.source = run < 2 ? &stored : &visited;
        fitting b = fitting_run(fxi_fit_proximal, &p, &(fx_run){RUN, .threads = run ? 8 : 2});
        CHECK(test_helped());
        CHECK(memcmp(a.w, b.w, stored.features * sizeof *a.w) == 0);
        CHECK(a.b == b.b && a.gap == b.gap && a.iterations == b.iterations);
        free(b.w);
    }
    free(a.w);
    fxi_fit_source_free(&stored);
    fx_map_free(m);
    fx_kernel_free(k);
}

static fx_status stop_at_once(void *ctx, const fxi_solution *now)
{
    CHECK(now->iterations > *(size_t *)ctx && now->gap >= 0);
    *(size_t *)ctx = now->iterations;
    return now->iterations > 5 ? fxi_error(FX_EOUTPUT, "enough") : FX_OK;
}

static void test_ends(const fxi_loss *loss)
{
    static solved a;
    fx_matrix rows = fitting_dense(X, N, COLS);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = problem(loss, FXI_FREE, 0);
    size_t passes = 0;
    int polls = 0;

    make(loss, 100);
    p.source = &z;
    fit(&a, &p, fxi_fit_proximal);      /* no tolerance: ends where rounding allows no more */
    CHECK(a.s.gap < 1e-12 && a.s.gap >= 0 && a.s.iterations <= p.max_iter);
    CHECK(a.s.converged == (a.s.gap == 0));
    for (p.max_iter = 0; p.max_iter < 30; p.max_iter++)   /* few passes, some of them spent */
        for (size_t spent = 0; spent < 3; spent++) {
            a = (solved){.s = {.w = a.w, .beta = a.beta, .iterations = spent * 5,
                               .objective = INFINITY}};
            CHECK(fxi_fit_proximal(&a.s, &p, NULL) == FX_OK);
            CHECK(isfinite(a.s.objective) && isfinite(a.s.b) && a.s.gap > 0 && !a.s.converged);
            CHECK(a.s.iterations <= (p.max_iter > spent * 5 + 2 ? p.max_iter : spent * 5 + 2));
        }
    a = (solved){.s = {.w = a.w, .beta = a.beta, .b = 3, .iterations = 5, .objective = 1e-9}};
    a.w[0] = 7;                         /* what a solver before found is better: it stays */
    CHECK(fxi_fit_proximal(&a.s, &p, NULL) == FX_OK);
    CHECK(a.w[0] == 7 && a.s.b == 3 && a.s.objective == 1e-9);
    p.max_iter = 1000;
    a = (solved){.s = {.w = a.w, .beta = a.beta}};
    p.step = stop_at_once;
    p.ctx = &passes;
    CHECK(fxi_fit_proximal(&a.s, &p, NULL) == FX_EOUTPUT && passes > 5);
    p.step = NULL;
    CHECK(fxi_fit_proximal(&a.s, &p, &(fx_run){RUN, .progress = fitting_stop, .ctx = &polls})
          == FX_ECANCELLED);
    CHECK(fxi_fit_proximal(&a.s, &p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT);
    for (size_t i = 0; i < N; i++)      /* betas of another problem, a w that is not theirs */
        a.beta[i] = i % 2 ? 1e9 : -1e9, a.w[i % COLS] = 7;
    p.tol = 1e-6;
    a.s.iterations = 0;
    CHECK(fxi_fit_proximal(&a.s, &p, NULL) == FX_OK && a.s.converged);
    for (size_t i = 0; i < N; i++)      /* one class, or one target */
        y[i] = 1;
    fit(&a, &p, fxi_fit_proximal);
    CHECK(a.s.converged && a.s.objective <= 1e-6 && isfinite(a.s.b));
    for (size_t i = 0; i < N; i++)      /* nothing to fit */
        c[i] = 0;
    fit(&a, &p, fxi_fit_proximal);
    CHECK(a.s.converged && a.s.objective == 0 && a.s.gap == 0);
}

int main(void)
{
    test_init();
    fitting_golden(fxi_fit_proximal, &fxi_loss_hinge, 1e-9);
    for (int l = 0; l < 2; l++) {
        for (fxi_intercept k = FXI_FREE; k <= FXI_NONE; k++) {
            for (double C = 1e-4; C < 2e4; C *= 100)
                test_optimum(losses[l], k, C);
            test_scales(losses[l], k);
            test_weights(losses[l], k);
            test_bits(losses[l], k, k == FXI_APPENDED ? "explicit" : "rk");
        }
        test_ends(losses[l]);
    }
    test_targets(1, 1e6);
    test_targets(1e-6, 0);
    test_targets(1e6, 0);
    return 0;
}
