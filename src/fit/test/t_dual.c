/* SPDX-License-Identifier: BSD-3-Clause
 * t_dual.c - dual coordinate descent: optima known in exact arithmetic, conditions of optimality,
 * weights, forms of rows, threads, memory, starts, scales, cancellation.
 *
 * Covers: dual_gap.c */

#include "base/test.h"
#include "fit/fit.h"

#include <float.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

static const fxi_loss *const losses[] = {
#define LOSS(name)
#define LINEAR(name, model, help, keys) &fxi_loss_##name,
#include "loss/loss.def"
};
enum { LOSSES = sizeof losses / sizeof *losses };
static const char *const intercepts[] = {"free", "appended", "none"};

/* A problem with all it needs: n rows of d numbers, dense. */
enum { N_MAX = 400, D_MAX = 40 };
typedef struct set {
    size_t n, d;
    double X[N_MAX * D_MAX], y[N_MAX], c[N_MAX], w[D_MAX], beta[N_MAX];
    fx_matrix m;
    fxi_source src;
    fxi_problem p;
    fxi_solution s;
} set;

static void set_init(set *t, size_t n, size_t d, const fxi_loss *loss, fxi_intercept intercept,
                     double C)
{
    CHECK(n <= N_MAX && d <= D_MAX);
    memset(t, 0, sizeof *t);
    t->n = n, t->d = d;
    t->m = (fx_matrix){.rows = n, .cols = d, .stride = d, .type = FX_F64, .val = t->X};
    t->p = (fxi_problem){.source = &t->src, .loss = loss, .epsilon = 0.1, .y = t->y, .c = t->c,
                         .intercept = intercept, .tol = 1e-9, .max_iter = 20000, .seed = 3};
    t->s = (fxi_solution){.w = t->w, .beta = t->beta};
    for (size_t i = 0; i < n; i++)
        t->c[i] = C;
}

static double normal(void)
{
    double s = -6;

    for (int i = 0; i < 12; i++)
        s += test_unit();
    return s;
}

static void set_random(set *t)
{
    for (size_t i = 0; i < t->n; i++) {
        double f = 0.3;
        for (size_t j = 0; j < t->d; j++) {
            t->X[i * t->d + j] = normal();
            f += t->X[i * t->d + j] * (j % 3 ? 0.5 : -0.2);
        }
        t->y[i] = t->p.loss->regress ? f + normal() : f + normal() > 0 ? 1 : -1;
    }
}

static void solve(set *t)
{
    fx_run run = {RUN, .threads = 1};

    CHECK(fxi_fit_source(&t->src, &t->m, NULL, 0, &run) == FX_OK);
    CHECK(fxi_fit_dual(&t->s, &t->p, &run) == FX_OK);
    fxi_fit_source_free(&t->src);
}

static double score(const set *t, size_t i)
{
    double f = t->s.b;

    for (size_t j = 0; j < t->d; j++)
        f += t->w[j] * t->X[i * t->d + j];
    return f;
}

static double objective(const set *t)
{
    double P = t->p.intercept == FXI_APPENDED ? 0.5 * t->s.b * t->s.b : 0;

    for (size_t j = 0; j < t->d; j++)
        P += 0.5 * t->w[j] * t->w[j];
    for (size_t i = 0; i < t->n; i++)
        P += t->c[i] * t->p.loss->value(t->y[i], score(t, i), t->p.epsilon);
    return P;
}

/* ---- Optima ---------------------------------------------------------------------------------- */
static double number(json_t *v)
{
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

enum { ILL = 24 };                      /* cases from here on have columns of very unlike sizes */

static void check_golden(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *cases = json_object_get(root, "cases");
    static set t;

    CHECK(json_array_size(cases) > 0);
    for (size_t k = 0; k < json_array_size(cases); k++)
        for (int l = 0; l < 2; l++) {
            json_t *v = json_array_get(cases, k), *X = json_object_get(v, "X");
            json_t *want = json_object_get(v, l ? "squared_hinge" : "hinge");
            json_t *w = json_object_get(want, "w");
            const char *name = json_string_value(json_object_get(v, "intercept"));
            int which = 0;
            while (strcmp(intercepts[which], name))
                which++;
            set_init(&t, json_array_size(X), json_array_size(json_array_get(X, 0)),
                     l ? &fxi_loss_squared_hinge : &fxi_loss_hinge, (fxi_intercept)which,
                     number(json_object_get(v, "C")));
            for (size_t i = 0; i < t.n; i++) {
                for (size_t j = 0; j < t.d; j++)
                    t.X[i * t.d + j] = number(json_array_get(json_array_get(X, i), j));
                t.y[i] = number(json_array_get(json_object_get(v, "y"), i));
            }
            t.p.max_iter = k < ILL ? t.p.max_iter : 1000;
            solve(&t);
            double best = number(json_object_get(want, "objective")), off = 0;
            CHECK(t.s.converged || k >= ILL);
            CHECK_NEAR(objective(&t), t.s.objective, 1e-12 * best);
            /* w carries the roundings of all its updates */
            CHECK(best >= t.s.objective * (1 - t.s.gap)
                              - (1e-13 + 1e-15 * (double)t.s.iterations) * best);
            CHECK(best <= t.s.objective * (1 + 1e-13));
            if (!t.s.converged) {       /* columns of sizes 1e3, 1, 1e-3: for other solvers */
                CHECK(t.s.gap <= 1 && t.s.iterations == t.p.max_iter);
                continue;
            }
            CHECK_NEAR(t.s.objective, best, 1e-8 * best);
            /* |w - w*|^2 <= 2 (P - P*): the objective is strongly convex */
            for (size_t j = 0; j < json_array_size(w); j++) {
                double diff = (j < t.d ? t.w[j] : t.s.b) - number(json_array_get(w, j));
                off += diff * diff;
            }
            CHECK(off <= 2.1e-9 * best);
        }
    json_decref(root);
}

/* Of random problems, by conditions that only an optimum meets: every beta is what a step would
 * make of it, w = sum beta z, and the betas sum to 0 or b.  tol is 1e-12: betas are then right to
 * about 1e-6. */
static void check_conditions(const fxi_loss *loss, fxi_intercept intercept)
{
    static set t;

    for (int k = 0; k < test_cases(3); k++) {
        double sum = 0, C = (double[]){0.01, 1, 30}[k % 3];
        set_init(&t, 20 + test_below(60), 1 + test_below(9), loss, intercept, C);
        set_random(&t);
        memset(t.X + t.d * 7, 0, t.d * sizeof *t.X);    /* a row of zeros */
        t.p.tol = 1e-12;
        t.p.max_iter = 200000;
        solve(&t);
        CHECK(t.s.converged && t.s.gap <= 1e-12);
        CHECK_NEAR(objective(&t), t.s.objective, 1e-12 * t.s.objective);
        for (size_t i = 0; i < t.n; i++) {
            double q = intercept == FXI_APPENDED, beta = t.beta[i];
            for (size_t j = 0; j < t.d; j++)
                q += t.X[i * t.d + j] * t.X[i * t.d + j];
            double to = loss->step(t.y[i], beta, score(&t, i), fmax(q, 1e-100), C, t.p.epsilon);
            /* a step that gains g of the dual has length at most sqrt(2 g / q) */
            CHECK_NEAR(fmin(fabs(to - beta), 1e9) * sqrt(fmin(q, 1)), 0,
                       1e-12 + 2 * sqrt(2e-12 * t.s.objective));
            sum += beta;
        }
        for (size_t j = 0; j < t.d; j++) {
            double w = 0;
            for (size_t i = 0; i < t.n; i++)
                w += t.beta[i] * t.X[i * t.d + j];
            CHECK_NEAR(t.w[j], w, 1e-10 * (1 + fabs(w)));
        }
        if (intercept == FXI_NONE)
            CHECK(t.s.b == 0);
        else
            CHECK_NEAR(sum, intercept == FXI_FREE ? 0 : t.s.b,
                       1e-4 * (1 + C) * (double)t.n);
    }
}

/* ---- Weights, forms, threads, memory --------------------------------------------------------- */
/* Optima are equal where w is: |w - w*|^2 <= 2 gap P. */
static void same_optimum(const set *a, const set *b)
{
    double off = 0;

    CHECK(a->s.converged && b->s.converged);
    CHECK_NEAR(a->s.objective, b->s.objective, 2.1e-10 * b->s.objective);
    for (size_t j = 0; j < a->d; j++)
        off += (a->w[j] - b->w[j]) * (a->w[j] - b->w[j]);
    CHECK(off <= 8e-10 * b->s.objective);
}

static void copy_row(set *t, size_t to, size_t from)
{
    memcpy(t->X + to * t->d, t->X + from * t->d, t->d * sizeof *t->X);
    t->y[to] = t->y[from];
    t->c[to] = t->c[from];
}

static void check_weights(const fxi_loss *loss, fxi_intercept intercept)
{
    static set a, b;

    set_init(&a, 60, 5, loss, intercept, 1);
    set_random(&a);
    b = a;
    b.m.val = b.X, b.p.source = &b.src, b.p.y = b.y, b.p.c = b.c;
    b.s.w = b.w, b.s.beta = b.beta;
    a.c[4] = 3;                         /* three times the weight: three times the row */
    a.c[11] = 0;                        /* no weight: no row, here another half of row 12 */
    b.n = b.m.rows = 62;
    copy_row(&b, 60, 4);
    copy_row(&b, 61, 4);
    copy_row(&b, 11, 12);
    b.c[11] = b.c[12] = 0.5;
    a.p.tol = b.p.tol = 1e-10;
    solve(&a);
    solve(&b);
    CHECK(a.beta[11] == 0);
    same_optimum(&a, &b);
}

/* Dense, sparse, double, float: the same numbers, the same optimum.  (Floats hold them exactly.) */
static void check_forms(const fxi_loss *loss)
{
    static set a, b;
    static float f32[N_MAX * D_MAX];
    static double val[N_MAX * D_MAX];
    static int32_t col[N_MAX * D_MAX];
    static int64_t ptr[N_MAX + 1];
    size_t stored = 0;

    set_init(&a, 90, 7, loss, FXI_FREE, 0.7);
    set_random(&a);
    for (size_t i = 0; i < a.n * a.d; i++) {
        a.X[i] = test_unit() < 0.5 ? 0 : (double)(float)a.X[i];
        f32[i] = (float)a.X[i];
        if (i % a.d == 0)
            ptr[i / a.d] = (int64_t)stored;
        if (a.X[i] != 0) {
            val[stored] = a.X[i];
            col[stored++] = (int32_t)(i % a.d);
        }
    }
    ptr[a.n] = (int64_t)stored;
    a.p.tol = 1e-10;
    solve(&a);
    for (int form = 0; form < 2; form++) {
        set_init(&b, a.n, a.d, loss, FXI_FREE, 0.7);
        memcpy(b.y, a.y, sizeof b.y);
        b.p.tol = 1e-10;
        b.m = (fx_matrix){.rows = b.n, .cols = b.d, .type = FX_F64, .val = val, .ptr = ptr,
                          .col = col};
        if (form)
            b.m = (fx_matrix){.rows = b.n, .cols = b.d, .stride = b.d, .type = FX_F32, .val = f32};
        solve(&b);
        same_optimum(&b, &a);
    }
}

/* Features of a map, stored or made on the way, on 1, 2 or 8 threads: the same bits. */
static void check_bits(const fxi_loss *loss, fxi_intercept intercept)
{
    static set t;
    static double w[4][256], beta[4][N_MAX];
    double b[4];
    fx_kernel *kernel = NULL;
    fx_map *map = NULL;

    CHECK(fx_kernel_parse(&kernel, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&map, "rk", kernel, 6, 200, 1, NULL, NULL) == FX_OK);
    for (int k = 0; k < 4; k++) {
        fx_run run = {RUN, .threads = (int[]){1, 2, 8, 8}[k]};
        test_state = 5;
        set_init(&t, N_MAX, 6, loss, intercept, 1);
        set_random(&t);
        memset(w[k], 0, sizeof w[k]);
        t.s.w = w[k];
        t.p.tol = 1e-3;
        t.p.max_iter = 30;
        CHECK(fxi_fit_source(&t.src, &t.m, map, k % 2 ? 0 : UINT64_MAX, &run) == FX_OK);
        CHECK(t.src.features <= 256 && (t.src.Z == NULL) == k % 2);
        CHECK(fxi_fit_dual(&t.s, &t.p, &run) == FX_OK);
        CHECK(k != 2 || test_helped()); /* to store the features; passes are sequential */
        fxi_fit_source_free(&t.src);
        memcpy(beta[k], t.beta, sizeof t.beta);
        b[k] = t.s.b;
        CHECK(!memcmp(w[k], w[0], sizeof w[0]) && !memcmp(beta[k], beta[0], sizeof beta[0]));
        CHECK(b[k] == b[0]);
    }
    fx_map_free(map);
    fx_kernel_free(kernel);
}

/* ---- Starts, scales, ends -------------------------------------------------------------------- */
static void check_starts(const fxi_loss *loss, fxi_intercept intercept)
{
    static set t;
    double best, C = 0.5;

    set_init(&t, 150, 8, loss, intercept, C);
    set_random(&t);
    t.p.tol = 1e-8;
    solve(&t);
    CHECK(t.s.converged && t.s.iterations > 0);
    best = t.s.objective;
    solve(&t);                          /* from the optimum: nothing to do */
    CHECK(t.s.converged && t.s.iterations == 0);
    CHECK_NEAR(t.s.objective, best, 1e-8 * best);
    for (size_t i = 0; i < t.n; i++) {  /* into a smaller box, with a w that is not theirs */
        t.c[i] = 0.2 * C;
        t.w[i % t.d] = 7;
    }
    solve(&t);
    CHECK(t.s.converged && t.s.objective < best);
    CHECK_NEAR(objective(&t), t.s.objective, 1e-12 * best);
}

/* Targets moved by 1e6: predictions move along. */
static void check_shift(const fxi_loss *loss)
{
    static set a, b;

    test_state = 11;
    set_init(&a, 80, 4, loss, FXI_FREE, 2);
    set_random(&a);
    solve(&a);
    test_state = 11;
    set_init(&b, 80, 4, loss, FXI_FREE, 2);
    set_random(&b);
    for (size_t i = 0; i < b.n; i++)
        b.y[i] += 1e6;
    solve(&b);
    CHECK(a.s.converged && b.s.converged);
    CHECK_NEAR(b.s.objective, a.s.objective, 1e-7 * a.s.objective);
    for (size_t i = 0; i < a.n; i++)
        CHECK_NEAR(score(&b, i) - 1e6, score(&a, i), 1e-3);
}

/* Patience ends what would take long, with a gap that holds, and changes nothing else. */
static void check_patience(const fxi_loss *loss, fxi_intercept intercept)
{
    static set easy, same, hard, best;
    uint64_t state = test_state;

    for (int k = 0; k < 2; k++) {
        set *t = k ? &same : &easy;
        test_state = 7;
        set_init(t, 300, 20, loss, intercept, 1e-3);
        set_random(t);
        t->p.tol = 1e-4;
        t->p.patience = k ? 1000 : 0;
        solve(t);
        CHECK(t->s.converged && !t->s.stalled);
    }
    CHECK(!memcmp(easy.w, same.w, sizeof easy.w) && easy.s.iterations == same.s.iterations);
    for (int k = 0; k < 2; k++) {
        set *t = k ? &best : &hard;
        test_state = 7;
        set_init(t, 300, 20, loss, intercept, 100);
        set_random(t);
        for (size_t i = 0; i < t->n * t->d; i++)
            t->X[i] *= pow(10, (double)(i % t->d) * 0.1);
        t->p.tol = 1e-6;
        t->p.max_iter = 500;            /* any objective is above the bound */
        t->p.patience = k ? 0 : 20;
        solve(t);
    }
    CHECK(hard.s.stalled && !hard.s.converged && hard.s.iterations <= 100);
    CHECK(hard.s.objective * (1 - hard.s.gap) <= best.s.objective * (1 + 1e-12));
    test_state = state;                 /* other cases are as they were */
}

/* Any C, any size of columns: an honest gap in bounded time, nothing that is not finite. */
static void check_scales(const fxi_loss *loss, fxi_intercept intercept)
{
    static set t;

    for (int k = 0; k < 10; k++) {
        double C = pow(10, k % 5 * 2 - 4);
        set_init(&t, 70, 6, loss, intercept, C);
        set_random(&t);
        for (size_t i = 0; i < t.n * t.d; i++)
            t.X[i] *= k < 5 ? 1 : pow(10, (double)(i % t.d) * 1.4 - 3);
        t.p.tol = 1e-4;
        t.p.max_iter = 1000;
        solve(&t);
        CHECK(isfinite(t.s.objective) && isfinite(t.s.b) && t.s.gap >= 0 && t.s.gap <= 1 + 1e-12);
        CHECK(t.s.converged == (t.s.gap <= 1e-4));
        CHECK(t.s.converged || t.s.iterations == t.p.max_iter);
        CHECK(t.s.converged || k >= 5 || C > 1);
        CHECK_NEAR(objective(&t), t.s.objective, 1e-9 * t.s.objective);
    }
}

static fx_status count(void *ctx, const fxi_solution *now)
{
    CHECK(now->iterations == ++*(size_t *)ctx);
    return *(size_t *)ctx == 3 ? fxi_error(FX_EOUTPUT, "enough") : FX_OK;
}

static int stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 2;
}

static void check_ends(void)
{
    static set t;
    size_t steps = 0;
    int polls = 0;
    fx_run run = {RUN, .threads = 1, .progress = stop, .ctx = &polls};

    set_init(&t, N_MAX, 20, &fxi_loss_hinge, FXI_FREE, 100);
    set_random(&t);
    t.p.tol = 0;
    t.p.step = count;
    t.p.ctx = &steps;
    CHECK(fxi_fit_source(&t.src, &t.m, NULL, 0, NULL) == FX_OK);
    CHECK(fxi_fit_dual(&t.s, &t.p, NULL) == FX_EOUTPUT && steps == 3);
    t.p.step = NULL;
    CHECK(fxi_fit_dual(&t.s, &t.p, &run) == FX_ECANCELLED);
    CHECK(fxi_fit_dual(&t.s, &t.p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT);
    t.p.max_iter = 4;
    CHECK(fxi_fit_dual(&t.s, &t.p, NULL) == FX_OK);
    CHECK(!t.s.converged && t.s.iterations == 4 && t.s.gap > 0);
    for (size_t i = 0; i < t.n; i++)    /* nothing to fit */
        t.c[i] = 0;
    CHECK(fxi_fit_dual(&t.s, &t.p, NULL) == FX_OK);
    CHECK(t.s.converged && t.s.objective == 0 && t.w[0] == 0);
    for (size_t i = 0; i < t.n; i++)    /* one class */
        t.c[i] = t.y[i] = 1;
    CHECK(fxi_fit_dual(&t.s, &t.p, NULL) == FX_OK);
    CHECK(t.s.converged && t.s.objective == 0 && t.s.b >= 1);
    fxi_fit_source_free(&t.src);
}

/* Few rows of many features, several blocks, that hardly depend on each other: the first visits say
 * that it takes long, but it does not. */
static void check_wide(void)
{
    enum { N = 200, D = 4000 };
    static float X[N * D];
    static double y[N], c[N], w[D], beta[N];
    const fx_matrix m = {.rows = N, .cols = D, .stride = D, .type = FX_F32, .val = X};
    fxi_source src;
    fxi_problem p = {.source = &src, .loss = &fxi_loss_squared_hinge, .y = y, .c = c, .tol = 1e-3,
                     .max_iter = 1000, .seed = 3, .patience = 40};
    fxi_solution s = {.w = w, .beta = beta};

    for (size_t k = 0; k < N * D; k++)
        X[k] = (float)normal();
    for (size_t i = 0; i < N; i++) {
        y[i] = X[i * D] > 0 ? 1 : -1;
        c[i] = 100;
    }
    CHECK(fxi_fit_source(&src, &m, NULL, 0, NULL) == FX_OK && src.blocks > 1);
    CHECK(fxi_fit_dual(&s, &p, NULL) == FX_OK);
    CHECK(s.converged && !s.stalled && s.iterations < 40);
    fxi_fit_source_free(&src);
}

/* ---- The search of an intercept -------------------------------------------------------------- */

static size_t slopes;

static double slow_slope(double y, double f, double epsilon)
{
    slopes++;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return fxi_loss_hinge.slope(y, f, epsilon);
}

static int stop_search(void *ctx, double done)
{
    (void)ctx, (void)done;
    return slopes > 0;
}

/* It visits all rows about 70 times, and ends soon if it is cancelled. */
static void check_search(void)
{
    static set t;
    fxi_loss slow = fxi_loss_hinge;
    fx_run run = {RUN, .threads = 1, .progress = stop_search};

    slow.slope = slow_slope;
    set_init(&t, 8, 2, &slow, FXI_FREE, 1);
    set_random(&t);
    for (size_t i = 0; i < t.n; i++)
        t.y[i] = i ? 1 : -1;
    CHECK(fxi_fit_source(&t.src, &t.m, NULL, 0, NULL) == FX_OK);
    CHECK(fxi_fit_dual(&t.s, &t.p, &run) == FX_ECANCELLED);
    CHECK(slopes > 0 && slopes < 8 * 10);       /* polls are 50 ms apart */
    fxi_fit_source_free(&t.src);
}

int main(void)
{
    test_init();
    check_golden("tests/golden/linear_svm.json");
    for (size_t l = 0; l < LOSSES; l++) {
        if (!losses[l]->step)
            continue;
        for (int i = FXI_FREE; i <= FXI_NONE; i++) {
            check_conditions(losses[l], (fxi_intercept)i);
            check_weights(losses[l], (fxi_intercept)i);
            check_bits(losses[l], (fxi_intercept)i);
            check_starts(losses[l], (fxi_intercept)i);
            check_scales(losses[l], (fxi_intercept)i);
            check_patience(losses[l], (fxi_intercept)i);
        }
        check_forms(losses[l]);
        if (losses[l]->regress)
            check_shift(losses[l]);
    }
    check_ends();
    check_wide();
    check_search();
    return 0;
}
