/* SPDX-License-Identifier: BSD-3-Clause
 * t_objective.c - over many small random fits, degenerate ones among them: every objective that a
 * solver reports is that of the numbers it goes with, computed from the definition (slow.h); cd and
 * lbfgs never raise it, adagrad's guard keeps it below twice that of the start, however a fit
 * ends. */

#include "fm/test/slow.h"

enum { ROWS = 12, GIVEN = 4, SIZE = 8192, KINDS = 7 };

static const fxi_loss *const losses[] = {&fxi_loss_squared, &fxi_loss_logistic,
                                         &fxi_loss_squared_hinge};

typedef struct random_fit {
    fxi_fm fm;
    double x[ROWS * GIVEN], y[ROWS], c[ROWS];
    double v[SIZE] __attribute__((aligned(64))), sum[SIZE] __attribute__((aligned(64)));
    fx_matrix X;
    fx_data *own;
    fxi_fm_problem p;
    fxi_fm_state s;
    double last, noise;                 /* objective; what rounding leaves of the first one */
    size_t steps, stop;                 /* seen; after which to stop, .. */
    fx_status how;                      /* .. with this status */
    bool moves;                         /* cd, fixed lambda: scores are moved, by derivatives whose
                                         * errors deletion makes up to 1000 times larger */
    bool slow;                          /* wait after step 2, until progress is asked for again */
} random_fit;

/* One of a few numbers. */
#define ANY(...) \
    ((const double[]){__VA_ARGS__}[test_below(sizeof((double[]){__VA_ARGS__}) / sizeof(double))])

/* Columns of normal numbers, of one number, of zeros, of ones and zeros, of very different size. */
static void draw_rows(random_fit *a, size_t rows, size_t cols)
{
    for (size_t j = 0; j < cols; j++) {
        size_t form = test_below(6);
        double size = ANY(1, 1, 1, 0.01, 30), same = 2 * test_unit() - 1;
        for (size_t i = 0; i < rows; i++)
            a->x[i * cols + j] = form == 0   ? 0
                                 : form == 1 ? same
                                 : form == 2 ? (double)test_below(2)
                                             : size * (2 * test_unit() - 1);
    }
}

static void draw_shape(random_fit *a, size_t cols)
{
    static const int32_t groups[3][GIVEN] = {{0, 0, 1, 1}, {0, 1, -1, 1}, {0, 0, 0, 0}};
    fxi_fm_shape want = {.kind = (fxi_fm_kind)test_below(KINDS), .order = 2 + (int)test_below(3),
                         .given = cols, .rank = 1 + test_below(test_below(4) ? 3 : 20), .split = 1,
                         .linear = test_below(2), .intercept = test_below(2),
                         .how = (fxi_fm_lambda)ANY(0, 1, 2, 2), .alpha = ANY(0, 1e-4, 0.1),
                         .beta_lambda = ANY(0, 0, 0, 1e-3, 0.1)};

    if (want.kind == FXI_FM_BILINEAR && cols < 2)
        want.kind = FXI_FM_SHARED;
    for (int t = 0; t < FX_ORDER_MAX; t++)
        want.beta[t] = ANY(0, 0, 1e-4, 0.1);
    if (want.kind == FXI_FM_HOFM && test_below(3) == 0) {
        want.group = groups[test_below(3)];
        want.groups = 2;
    }
    CHECK(!fxi_fm_new(&a->fm, &want) && a->fm.size <= SIZE && a->fm.cols <= SLOW_COLS);
}

static void draw(random_fit *a)
{
    size_t rows = 1 + test_below(ROWS), cols = 1 + test_below(GIVEN);
    double size = ANY(1, 1, 1e-3, 100), mean = ANY(0, 0, 1);

    memset(a, 0, sizeof *a);
    draw_rows(a, rows, cols);
    draw_shape(a, cols);
    fx_matrix given = {.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = a->x};
    CHECK(!fxi_fm_rows(&a->X, &a->own, &a->fm, &given, NULL));
    a->p = (fxi_fm_problem){.fm = &a->fm,
                            .X = &a->X,
                            .loss = losses[test_below(3)],
                            .y = a->y,
                            .c = a->c,
                            .tol = ANY(0, 0, 1e-4, 1e-2),
                            .max_iter = 1 + test_below(30),
                            .lr = ANY(1e-3, 0.1, 0.1, 1, 30, 1e6, 1e200),
                            .batch = (size_t)ANY(1, 3, 64, 64),
                            .seed = test_u64(),
                            .bare = test_below(4) == 0,
                            .ordered = test_below(4) == 0};
    for (size_t i = 0; i < rows; i++) {
        a->y[i] = a->p.loss->regress ? mean + size * (2 * test_unit() - 1)
                                     : (double)test_below(2) * 2 - 1;
        a->c[i] = test_below(4) ? 1 : (double)test_below(3);
    }
    a->c[test_below(rows)] = 1;
    fxi_fm_start(a->v, &a->fm, ANY(0.01, 0.01, 0.1, 1), test_u64(), NULL);
    a->s = (fxi_fm_state){.v = a->v, .sum = a->sum};
    a->stop = test_below(4) ? SIZE_MAX : 1 + test_below(5);
}

static void end(random_fit *a)
{
    fxi_fm_free(&a->fm);
    fx_data_free(a->own);
}

/* The reported objective is the definition's, but for rounding by `units` of the last place. */
static double check_true(const random_fit *a, double reported, double units)
{
    double off, want = slow_objective(&a->p, a->s.v, units, &off);

    CHECK_NEAR(reported, want, off);
    return off;
}

static fx_status see_fall(void *ctx, const fxi_fm_state *now)
{
    random_fit *a = ctx;
    double off = check_true(a, now->objective, a->moves ? 64e3 * (double)now->iterations : 64);

    CHECK(now->objective <= a->last + off + a->noise);
    a->last = now->objective;
    return ++a->steps == a->stop;
}

typedef fx_status solver(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run);

static void check_descent(int cases, solver *solve)
{
    static random_fit a;
    int rounded = 0;

    for (int k = 0; k < test_cases(cases); k++) {
        double off;
        draw(&a);
        a.moves = solve == fxi_fm_cd && a.fm.how != FXI_FM_LEARNED;
        a.p.step = see_fall;
        a.p.ctx = &a;
        a.last = slow_objective(&a.p, a.v, 64, &off);
        a.noise = 1e-20 * a.last;       /* an exact fit has the squares of errors left */
        CHECK(!solve(&a.s, &a.p, NULL));
        off = check_true(&a, a.s.objective, 64);
        CHECK(a.s.objective <= a.last * (1 + (a.moves ? 1e-9 : 0)) + off + a.noise);
        CHECK(!a.s.rounded || !a.s.converged);
        rounded += a.s.rounded;
        end(&a);
    }
    CHECK(rounded || solve != fxi_fm_cd || test_cases(10) < 10 || test_seed != 1); /* hard enough */
}

/* ---- The guard --------------------------------------------------------------------------- */

static double loss_of_pairs(const random_fit *a, double *off)
{
    const fxi_fm_pairs *q = a->p.pairs;
    fxi_rng losers = {a->p.seed, FXI_FM_LOSERS};
    double sum = 0, weight = 0;

    *off = 0;
    for (size_t i = 0; i < q->n; i++) {
        size_t n = q->last[i] - q->first[i], win = q->winner[i];
        size_t lose = q->order[q->first[i] + (size_t)fxi_rng_below(losers, i, n)];
        double size[2], f = slow_score(&a->fm, a->v, fxi_data_row(&a->X, win), &size[0])
                            - slow_score(&a->fm, a->v, fxi_data_row(&a->X, lose), &size[1]);
        sum += a->c[win] * fxi_loss_logistic.value(1, f, 0);
        weight += a->c[win];
        *off += a->c[win] * 64 * 0x1p-53 * (size[0] + size[1] + 1);
    }
    *off /= weight;
    return sum / weight + fxi_fm_penalty(&a->fm, a->v);
}

/* The objective of a->v is this and, if it has passed the guard, within the limit. */
static void check_guarded(const random_fit *a, double reported)
{
    double off, want = a->p.pairs ? loss_of_pairs(a, &off) : slow_objective(&a->p, a->v, 64, &off);

    CHECK_NEAR(reported, want, off + 64 * 0x1p-53 * want);
    CHECK(isfinite(want) && (a->p.bare || reported <= 2 * (a->last + 1e-12)));
}

static fx_status see_guarded(void *ctx, const fxi_fm_state *now)
{
    random_fit *a = ctx;

    check_guarded(a, now->objective);
    a->steps++;
    for (double t = fxi_fm_clock(); a->slow && a->steps == 2 && fxi_fm_clock() < t + 0.06;)
        ;
    return a->steps == a->stop ? a->how : FX_OK;
}

static int cancel(void *ctx, double done)
{
    (void)done;
    return ((const random_fit *)ctx)->steps >= 2;
}

/* Ends by tol, max_iter, step, deadline, cancelling, divergence. */
static void check_guard(void)
{
    static random_fit a;
    int diverged = 0, undone = 0, cancelled = 0, bare = 0;

    for (int k = 0; k < test_cases(2000); k++) {
        fxi_fm_pairs pairs = {0};
        draw(&a);
        if (test_below(4) == 0 && !fxi_fm_pairs_new(&pairs, a.y, a.c, NULL, a.X.rows, NULL))
            a.p.pairs = &pairs;         /* else there are none */
        size_t max_iter = a.p.max_iter;
        a.p.max_iter = 0;
        CHECK(!fxi_fm_adagrad(&a.s, &a.p, NULL));
        a.last = a.s.objective;
        check_guarded(&a, a.s.objective);
        a.p.max_iter = max_iter;
        a.p.step = see_guarded;
        a.p.ctx = &a;
        a.p.deadline = test_below(8) ? 0 : fxi_fm_clock();
        a.how = test_below(3) ? FX_NOT_CONVERGED : FX_ECANCELLED;
        a.slow = k % 500 == 0;
        fx_run run = {RUN, .threads = 1, .progress = a.slow ? cancel : NULL, .ctx = &a};
        fx_status st = fxi_fm_adagrad(&a.s, &a.p, &run);
        CHECK(!st || (st == FX_ECANCELLED && (a.slow || a.steps == a.stop)));
        check_guarded(&a, a.s.objective);
        CHECK(!(a.s.converged && a.s.diverged) && a.s.iterations == a.steps);
        diverged += a.s.diverged && !a.p.bare;
        bare += a.s.diverged && a.p.bare;
        undone += a.s.lr < a.p.lr;
        cancelled += st == FX_ECANCELLED;
        fxi_fm_pairs_free(&pairs);
        end(&a);
    }
    /* the cases that are meant occur */
    CHECK((diverged && bare && undone && cancelled) || test_cases(10) < 10);
}

int main(void)
{
    test_init();
    check_descent(6000, fxi_fm_cd);
    check_descent(4000, fxi_fm_lbfgs);
    check_guard();
    return 0;
}
