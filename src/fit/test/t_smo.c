/* SPDX-License-Identifier: BSD-3-Clause
 * t_smo.c - sequential minimal optimisation: optima known in exact arithmetic, conditions of
 * optimality, a slow twin, weights, bits for any cache and threads, starts, ends.
 *
 * Covers: smo_cache.c, smo_gap.c, smo_hot.c, smo_shrink.c, smo_step.c */

#include "fit/test/fitting.h"
#include "kernel/kernel.h"

#include <float.h>

static const fxi_loss *const losses[] = {&fxi_loss_hinge, &fxi_loss_insensitive};

enum { N_MAX = 4200, TWIN_MAX = 160, D_MAX = 12 };
typedef struct set {
    size_t n, d;
    double X[N_MAX * D_MAX], y[N_MAX], c[N_MAX], beta[N_MAX], f[N_MAX];
    fx_matrix m;
    fxi_source src;
    fxi_problem p;
    fxi_solution s;
    fx_kernel *kernel;
    double max_diagonal;                /* of K */
} set;

static void set_init(set *t, size_t n, size_t d, const fxi_loss *loss, const char *kernel, double C)
{
    CHECK(n <= N_MAX && d <= D_MAX);
    memset(t, 0, sizeof *t);
    t->n = n, t->d = d;
    t->m = fitting_dense(t->X, n, d);
    CHECK(fx_kernel_parse(&t->kernel, kernel, NULL, 0) == FX_OK);
    t->p = (fxi_problem){.source = &t->src,
                         .loss = loss,
                         .y = t->y,
                         .c = t->c,
                         .tol = 1e-6,
                         .epsilon = loss->regress ? 0.1 : 0,
                         .max_iter = 10000000,
                         .kernel = t->kernel,
                         .cache = 1 << 20};
    t->s.beta = t->beta;
    for (size_t i = 0; i < n; i++)
        t->c[i] = C;
}

static void set_random(set *t)
{
    for (size_t i = 0; i < t->n; i++) {
        double f = 0.1;
        for (size_t j = 0; j < t->d; j++) {
            double x = t->X[i * t->d + j] = 2 * test_unit() - 1;
            f += x * (j % 3 ? 0.5 : -0.2) + (j ? 2 * x * t->X[i * t->d + j - 1] : 0);
        }
        f += test_unit() - 0.5;
        t->y[i] = t->p.loss->regress ? f : f > 0 ? 1 : -1;
    }
}

static fx_status try(set *t, const fx_run *run)
{
    t->m.rows = t->n;
    CHECK(fxi_fit_source(&t->src, &t->m, NULL, 0, NULL) == FX_OK);
    fx_status st = fxi_fit_smo(&t->s, &t->p, run);
    fxi_fit_source_free(&t->src);
    return st;
}

/* Scores f without b, in double precision. */
static void solve(set *t)
{
    fxi_row_subset all = {&t->m, NULL, t->n};

    t->m.rows = t->n;
    CHECK(fxi_kernel_rows_diagonal(t->f, t->kernel, all, NULL) == FX_OK);
    t->max_diagonal = 0;
    for (size_t i = 0; i < t->n; i++)
        t->max_diagonal = fmax(t->max_diagonal, t->f[i]);
    CHECK(try(t, NULL) == FX_OK);
    CHECK(fxi_kernel_score(t->f, t->kernel, all, all, t->beta, 1, NULL) == FX_OK);
}

static double dual(const set *t)
{
    double D = 0;

    for (size_t i = 0; i < t->n; i++)
        D += t->c[i] > 0 ? -0.5 * t->beta[i] * t->f[i]
                               - t->p.loss->conjugate(t->y[i], t->beta[i], t->c[i], t->p.epsilon)
                         : 0;
    return D;
}

/* What fxi_fit_smo says of its solution; the violation, written out. */
static double check_solution(const set *t)
{
    double P = 0, sum = 0, top = -HUGE_VAL, bottom = HUGE_VAL, all = 0, C = 0;

    for (size_t i = 0; i < t->n; i++) {
        double beta = t->beta[i], c = t->c[i], y = t->y[i], eps = t->p.epsilon;
        bool regress = t->p.loss->regress;
        double lo = regress || y < 0 ? -c : 0, hi = regress || y > 0 ? c : 0, e = y - t->f[i];
        CHECK(beta >= lo && beta <= hi);
        sum += beta;
        all += fabs(beta);
        C += c;
        P += 0.5 * beta * t->f[i];
        if (c <= 0)
            continue;
        P += c * t->p.loss->value(y, t->f[i] + t->s.b, eps);
        if (beta < hi)
            top = fmax(top, beta >= 0 ? e - eps : e + eps);
        if (beta > lo)
            bottom = fmin(bottom, beta > 0 ? e - eps : e + eps);
    }
    CHECK_NEAR(sum, 0, 1e-15 * (double)(t->n + t->s.iterations) * all);
    /* f_i is a sum of K_ij beta_j, rounded; it is multiplied by beta_i or c_i */
    double off = 1e-12 * P + 4 * DBL_EPSILON * (all + C) * all * t->max_diagonal;
    CHECK_NEAR(t->s.objective, P, off);
    CHECK_NEAR(P * (1 - t->s.gap), dual(t), 2 * off);
    CHECK(t->s.gap >= 0 && t->s.gap <= 1 + 1e-12);
    return top - bottom;
}

static void done(set *t) { fx_kernel_free(t->kernel); }

/* ---- Optima ---------------------------------------------------------------------------------- */
static void check_golden(void)
{
    json_error_t error;
    json_t *root = json_load_file("tests/golden/kernel_svm.json", 0, &error), *v;
    static set t;
    size_t k;

    CHECK(root);
    json_array_foreach(json_object_get(root, "cases"), k, v)
    {
        json_t *X = json_object_get(v, "X"), *test = json_object_get(v, "X_test");
        json_t *alpha = json_object_get(v, "alpha"), *f = json_object_get(v, "decision_train");
        double Z[32 * D_MAX], out[32];
        size_t tests = json_array_size(test);
        set_init(&t, json_array_size(X), json_array_size(json_array_get(X, 0)), &fxi_loss_hinge,
                 json_string_value(json_object_get(v, "kernel")),
                 fitting_number(json_object_get(v, "C")));
        for (size_t i = 0; i < t.n; i++) {
            t.y[i] = fitting_number(json_array_get(json_object_get(v, "y"), i));
            for (size_t j = 0; j < t.d; j++)
                t.X[i * t.d + j] = fitting_number(json_array_get(json_array_get(X, i), j));
        }
        for (size_t i = 0; i < tests * t.d; i++)
            Z[i] = fitting_number(json_array_get(json_array_get(test, i / t.d), i % t.d));
        t.p.tol = 1e-9;
        solve(&t);
        double best = fitting_number(json_object_get(v, "dual_objective"));
        CHECK(t.s.converged && !t.s.indefinite);
        CHECK_NEAR(dual(&t), best, 1e-7 * best);
        CHECK(check_solution(&t) <= 1e-9 + 1e-12);
        for (size_t i = 0; i < t.n; i++) {
            CHECK_NEAR(t.f[i] + t.s.b, fitting_number(json_array_get(f, i)), 1e-5);
            if (!json_is_null(alpha))
                CHECK_NEAR(t.y[i] * t.beta[i], fitting_number(json_array_get(alpha, i)), 1e-5);
        }
        fx_matrix M = fitting_dense(Z, tests, t.d);
        CHECK(fxi_kernel_score(out, t.kernel, (fxi_row_subset){&M, NULL, tests},
                               (fxi_row_subset){&t.m, NULL, t.n}, t.beta, 1, NULL)
              == FX_OK);
        f = json_object_get(v, "decision_test");
        for (size_t i = 0; i < tests; i++)
            CHECK_NEAR(out[i] + t.s.b, fitting_number(json_array_get(f, i)), 1e-5);
        done(&t);
    }
    CHECK(k > 20);
    json_decref(root);
}

/* The slow twin: the pair that violates most, on a matrix of doubles, to a violation of tol. */
static double twin(const set *t, double tol)
{
    static double K[TWIN_MAX * TWIN_MAX], e[N_MAX], beta[N_MAX];
    double D = 0, eps = t->p.epsilon;
    bool regress = t->p.loss->regress;

    CHECK(fx_kernel_gram(K, t->n, t->kernel, &t->m, &t->m, NULL) == FX_OK);
    memcpy(e, t->y, sizeof e);
    memset(beta, 0, sizeof beta);
    for (;;) {
        size_t i = 0, j = 0;
        double top = -HUGE_VAL, bottom = HUGE_VAL;
        for (size_t k = 0; k < t->n; k++) {
            double y = t->y[k], c = t->c[k];
            double up = beta[k] >= 0 ? e[k] - eps : e[k] + eps;
            double down = beta[k] > 0 ? e[k] - eps : e[k] + eps;
            if (beta[k] < (regress || y > 0 ? c : 0) && up > top)
                top = up, i = k;
            if (beta[k] > (regress || y < 0 ? -c : 0) && down < bottom)
                bottom = down, j = k;
        }
        if (top - bottom <= tol)
            break;
        double hi = regress || t->y[i] > 0 ? t->c[i] : 0;
        double lo = regress || t->y[j] < 0 ? -t->c[j] : 0;
        double q = K[i * t->n + i] + K[j * t->n + j] - 2 * K[i * t->n + j];
        double s = (top - bottom) / fmax(q, 1e-12);
        s = fmin(s, fmin((beta[i] < 0 ? 0 : hi) - beta[i], beta[j] - (beta[j] > 0 ? 0 : lo)));
        beta[i] += s;
        beta[j] -= s;
        for (size_t k = 0; k < t->n; k++)
            e[k] -= s * (K[i * t->n + k] - K[j * t->n + k]);
    }
    for (size_t k = 0; k < t->n; k++)
        D += 0.5 * beta[k] * (t->y[k] + e[k]) - eps * fabs(beta[k]);
    return D;
}

static void check_twin(const fxi_loss *loss)
{
    static const char *const kernels[] = {"rbf:gamma=0.7", "poly:degree=2,gamma=1,coef0=1",
                                          "anova:order=2", "all-subsets", "linear"};
    static set t;

    for (int k = 0; k < test_cases(15); k++) {
        double C = (double[]){0.01, 1, 20}[k % 3], all = 0;
        set_init(&t, 2 + test_below(TWIN_MAX - 2), 1 + test_below(6), loss, kernels[k % 5], C);
        set_random(&t);
        if (k % 4 == 3) {               /* duplicates: the same row with another y */
            for (size_t i = 0; i + 1 < t.n; i += 2)
                memcpy(t.X + (i + 1) * t.d, t.X + i * t.d, t.d * sizeof *t.X);
        }
        t.p.epsilon *= k % 2;           /* 0, too */
        for (size_t i = 0; i < t.n; i++) {
            t.c[i] *= 0.5 + test_unit();
            all += t.c[i];
        }
        CHECK(fxi_kernel_rows_diagonal(t.f, t.kernel, (fxi_row_subset){&t.m, NULL, t.n}, NULL)
              == FX_OK);
        for (size_t i = 0; i < t.n; i++)        /* what floats can reach where rows are dependent */
            t.p.tol = fmax(t.p.tol, 0x1p-24 * t.f[i] * all);
        solve(&t);
        CHECK(t.s.converged && !t.s.indefinite);
        CHECK(check_solution(&t) <= t.p.tol * (1 + 1e-3));
        /* a violation of tol: the dual is at most tol sum |beta| <= tol sum c from its optimum */
        CHECK_NEAR(dual(&t), twin(&t, 1e-5), (1e-5 + t.p.tol) * all);
        done(&t);
    }
}

/* ---- Cache, threads, weights ----------------------------------------------------------------- */
/* Any cache, any number of threads: the same bits.  Variables come to rest and some come back; the
 * larger size has working sets. */
static void check_bits(const fxi_loss *loss, size_t n, int runs)
{
    static set t;
    static double beta[N_MAX];
    double b = 0;
    size_t iterations = 0, min_bytes;

    CHECK(fxi_fit_smo_bytes(&min_bytes, n));
    for (int k = 0; k < runs; k++) {
        fx_run run = {RUN, .threads = (int[]){1, 2, 8}[k % 3]};
        test_state = 5;
        set_init(&t, n, 4, loss, "rbf:gamma=0.5", 3);
        set_random(&t);
        t.p.tol = n > 1000 ? 0.1 : 1e-3;
        t.p.cache = k == 0   ? 1000000000
                    : k == 1 ? min_bytes + n * 4 * 40 + 1000000
                             : min_bytes + (uint64_t)(k - 2) * n * 400;
        CHECK(try(&t, &run) == FX_OK);
        CHECK(test_helped() == (run.threads > 1));
        CHECK(t.s.converged && t.s.iterations > n / 2);
        if (k) {
            CHECK(!memcmp(beta, t.beta, sizeof beta) && b == t.s.b);
            CHECK(t.s.iterations == iterations);
        }
        memcpy(beta, t.beta, sizeof beta);
        b = t.s.b;
        iterations = t.s.iterations;
        done(&t);
    }
}

/* Three times the weight is three times the row, none no row. */
static void check_weights(const fxi_loss *loss)
{
    static set a, b;

    set_init(&a, 61, 4, loss, "rbf:gamma=1", 1);
    set_init(&b, 61, 4, loss, "rbf:gamma=1", 1);
    set_random(&a);
    memcpy(b.X, a.X, sizeof b.X);
    memcpy(b.y, a.y, sizeof b.y);
    a.c[4] = 3;
    a.c[11] = 0;
    a.beta[11] = 7;                     /* nobody looks */
    for (size_t i = 0; i < 3; i++) {    /* row 11 becomes a copy, and two more */
        size_t to = i ? 60 + i : 11;
        memcpy(b.X + to * b.d, b.X + 4 * b.d, b.d * sizeof *b.X);
        b.y[to] = b.y[4];
        b.c[to] = i == 2 ? 0 : 1;
    }
    b.n = 63;
    a.p.tol = b.p.tol = 1e-8;
    solve(&a);
    solve(&b);
    CHECK(a.s.converged && b.s.converged && a.beta[11] == 0);
    CHECK_NEAR(a.s.objective, b.s.objective, 1e-7 * a.s.objective);
    for (size_t i = 0; i < 61; i++)
        if (i != 11)
            CHECK_NEAR(a.f[i] + a.s.b, b.f[i] + b.s.b, 1e-3);
    done(&a), done(&b);
}

/* ---- Starts, scales, ends -------------------------------------------------------------------- */
static void check_starts(const fxi_loss *loss)
{
    static set t;
    double best;
    size_t cold;

    set_init(&t, 150, 5, loss, "rbf:gamma=1", 1);
    set_random(&t);
    solve(&t);
    best = t.s.objective;
    cold = t.s.iterations;
    solve(&t);                          /* from the optimum: nothing to do */
    CHECK(t.s.converged && t.s.iterations == 0 && cold > 0);
    CHECK_NEAR(t.s.objective, best, 1e-12 * best);
    for (size_t i = 0; i < t.n; i++)
        t.c[i] = 1.1;
    solve(&t);                          /* into a larger box */
    CHECK(t.s.converged && t.s.objective > best && check_solution(&t) <= 1.001e-6);
    best = t.s.objective;
    memset(t.beta, 0, sizeof t.beta);
    solve(&t);
    CHECK_NEAR(t.s.objective, best, 1e-5 * best);
    t.beta[7] += 5;                     /* not feasible: from zeros */
    solve(&t);
    CHECK_NEAR(t.s.objective, best, 1e-5 * best);
    done(&t);
}

/* Any C: an end in bounded time that says what was reached. */
static void check_scales(const fxi_loss *loss)
{
    static set t;

    for (int k = 0; k < 6; k++) {
        double C = (double[]){1e-6, 1e6}[k % 2];
        set_init(&t, 80, 3, loss, (const char *[]){"rbf:gamma=1", "linear", "all-subsets"}[k / 2],
                 C);
        set_random(&t);
        t.p.tol = 1e-3;
        t.p.max_iter = 300000;
        solve(&t);
        CHECK(isfinite(t.s.objective) && isfinite(t.s.b));
        CHECK(t.s.converged == (check_solution(&t) <= 1e-3 * (1 + 1e-9)));
        CHECK(t.s.converged || (C > 1 && t.s.iterations == t.p.max_iter));
        done(&t);
    }
}

static void check_small(void)
{
    static set t;

    for (size_t n = 1; n <= 5; n++) {   /* one class: b alone */
        set_init(&t, n, 2, &fxi_loss_hinge, "rbf:gamma=1", 1);
        set_random(&t);
        for (size_t i = 0; i < n; i++)
            t.y[i] = -1;
        solve(&t);
        CHECK(t.s.converged && t.s.b == -1 && t.s.objective == 0 && t.s.gap == 0);
        for (size_t i = 0; i < n; i++)
            CHECK(t.beta[i] == 0);
        done(&t);
    }
    set_init(&t, 2, 1, &fxi_loss_hinge, "linear", 1);
    t.X[0] = 3, t.X[1] = 1;             /* f(x) = x - 2 */
    t.y[0] = 1, t.y[1] = -1;
    solve(&t);
    CHECK_NEAR(t.beta[0], 0.5, 1e-12);
    CHECK_NEAR(t.s.b, -2, 1e-12);
    t.X[1] = 3;                         /* the same row twice, both labels: any b will do */
    t.p.cache = 1;
    solve(&t);
    CHECK(t.s.converged && t.beta[0] == 1 && t.beta[1] == -1 && t.f[0] == 0);
    CHECK_NEAR(t.s.objective, 2, 1e-12);
    t.c[0] = t.c[1] = 0;                /* nothing to fit */
    solve(&t);
    CHECK(t.s.converged && t.s.objective == 0 && t.beta[0] == 0 && t.s.b == 0);
    done(&t);
    set_init(&t, 33, 2, &fxi_loss_insensitive, "rbf:gamma=1", 1);
    set_random(&t);
    t.p.epsilon = 100;                  /* every y is near enough to any b */
    solve(&t);
    CHECK(t.s.converged && t.s.iterations == 0 && t.s.objective == 0 && t.beta[5] == 0);
    done(&t);
}

/* Symmetric numbers that are no kernel's: an end, the remark, and no gap. */
static void check_indefinite(const fxi_loss *loss)
{
    static set t;

    set_init(&t, 12, 12, loss, "precomputed", 1);
    for (size_t i = 0; i < t.n; i++) {
        t.y[i] = i % 3 ? 1 : -1;
        for (size_t j = 0; j <= i; j++)
            t.X[i * t.n + j] = t.X[j * t.n + i] = i == j ? 0.1 : 2 * test_unit() - 1;
    }
    CHECK(try(&t, NULL) == FX_OK);
    CHECK(t.s.indefinite && isnan(t.s.gap) && isfinite(t.s.objective) && isfinite(t.s.b));
    for (size_t i = 0; i < t.n; i++) {
        for (size_t j = 0; j < t.n; j++)
            t.X[i * t.n + j] = i == j ? 2 : 1;  /* now it is one */
        t.beta[i] = 0;
    }
    solve(&t);
    CHECK(t.s.converged && !t.s.indefinite && check_solution(&t) <= 1.001e-6);
    done(&t);
}

static fx_status count(void *ctx, const fxi_solution *now)
{
    (void)now;
    return ++*(size_t *)ctx == 2 ? fxi_error(FX_EOUTPUT, "enough") : FX_OK;
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void check_ends(void)
{
    static set t;
    size_t steps = 0, min_bytes;

    set_init(&t, 700, 8, &fxi_loss_hinge, "poly:degree=3,gamma=1,coef0=1", 1e4);
    set_random(&t);
    t.p.max_iter = 100;
    solve(&t);
    CHECK(!t.s.converged && t.s.iterations == 100);
    CHECK(check_solution(&t) > 1e-6);
    memset(t.beta, 0, sizeof t.beta);
    t.p.max_iter = 100000000;
    t.p.step = count;
    t.p.ctx = &steps;
    CHECK(try(&t, NULL) == FX_EOUTPUT && steps == 2);
    t.p.step = NULL;
    memset(t.beta, 0, sizeof t.beta);
    t.p.tol = 0;
    CHECK(try(&t, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    CHECK(fxi_fit_smo_bytes(&min_bytes, t.n) && min_bytes > 50 * t.n);
    CHECK(try(&t, &(fx_run){RUN, .max_memory = min_bytes}) == FX_ELIMIT);
    done(&t);
}

int main(void)
{
    test_init();
    check_golden();
    for (int l = 0; l < 2; l++) {
        check_twin(losses[l]);
        check_bits(losses[l], 301, 6);
        check_bits(losses[l], N_MAX, 3);
        check_weights(losses[l]);
        check_starts(losses[l]);
        check_scales(losses[l]);
        check_indefinite(losses[l]);
    }
    check_small();
    check_ends();
    return 0;
}
