/* SPDX-License-Identifier: BSD-3-Clause
 * t_adagrad.c - AdaGrad against a slow twin, dense and from the definitions, for every kind of
 * model, rows and pairs; 5 + 5 epochs; the guard; what is not touched; cancelling.
 *
 * Covers: adagrad_batch.c, adagrad_block.c, adagrad_hot.c, adagrad_look.c, adagrad_memory.c,
 * adagrad_panels.c, adagrad_rows.c */

#include "base/test.h"
#include "fm/adagrad.h"

#include <string.h>

enum { ROWS = 23, COLS = 7, SEEN = 64, SIZE = 20000 };

static const fx_run one = {RUN, .threads = 1};
static float val[ROWS * COLS];
static int64_t ptr[ROWS + 1];
static int32_t col[ROWS * COLS];
static double y[ROWS], c[ROWS];
static int64_t qid[ROWS];

/* Sparse rows of COLS columns, the last of which is in one row alone; some weights are 0. */
static fx_matrix draw(void)
{
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            if (j < COLS - 1 ? test_below(2) : i == 4) {
                val[n] = test_below(3) ? 1 : (float)(test_unit() - 0.5);
                col[n++] = (int32_t)j;
            }
        ptr[i + 1] = (int64_t)n;
        y[i] = test_below(2) ? 1 : -1;
        c[i] = i != 4 && test_below(5) == 0 ? 0 : 0.5 + test_unit();
        qid[i] = (int64_t)test_below(3) - 1;
    }
    return (fx_matrix){
        .rows = ROWS, .cols = COLS, .type = FX_F32, .val = val, .ptr = ptr, .col = col};
}

/* ---- The twin ---------------------------------------------------------------------------- */

typedef struct twin {
    const fxi_fm_problem *p;
    double x[ROWS][SEEN];
    double v[SIZE], sum[SIZE], G[SIZE];
} twin;

/* e[0..m] of the products, or of their sums over groups */
static void orders(double *e, const fxi_fm *fm, const double *P, const double *x, int m)
{
    double z[SEEN] = {0};

    for (size_t j = 0; j < fm->cols; j++)
        if (!fm->group || fm->group[j] >= 0)
            z[fm->group ? (size_t)fm->group[j] : j] += P[j] * x[j];
    memset(e, 0, (size_t)(m + 1) * sizeof *e);
    e[0] = 1;
    for (size_t j = 0; j < (fm->group ? fm->groups : fm->cols); j++)
        for (int t = m; t > 0; t--)
            e[t] += z[j] * e[t - 1];
}

static double kernel(const fxi_fm *fm, const fxi_fm_block *b, const double *v, const double *P,
                     const double *x)
{
    double e[FX_ORDER_MAX + 1], out = 1, dot = 0;

    if (b->order && b->kernel) {
        orders(e, fm, P, x, b->order);
        out = fm->kind == FXI_FM_SIMPLEX ? 0 : e[b->order];
        for (int t = 1; fm->kind == FXI_FM_SIMPLEX && t <= b->order; t++)
            out += v[b->theta + (size_t)t - 1] * e[t];
        return out;
    }
    for (size_t j = 0; j < fm->cols; j++) {
        dot += P[j] * x[j];
        out *= 1 + P[j] * x[j];
    }
    return b->kernel ? out : pow(dot, b->order);
}

static void column(double *P, const fxi_fm *fm, const double *v, size_t b, size_t s)
{
    for (size_t j = 0; j < fm->cols; j++)
        P[j] = v[fxi_fm_at(fm, b, s, j)];
}

static double score(const twin *a, size_t i)
{
    const fxi_fm *fm = a->p->fm;
    double f = a->v[0], P[SEEN];

    for (size_t j = 0; fm->linear && j < fm->given; j++)
        f += a->v[fm->w + j] * a->x[i][j + fm->front];
    for (size_t b = 0; b < fm->blocks; b++)
        for (size_t s = 0; s < fm->rank; s++) {
            column(P, fm, a->v, b, s);
            f += a->v[fm->block[b].lambda + s] * kernel(fm, &fm->block[b], a->v, P, a->x[i]);
        }
    return f;
}

/* Every kernel but the power is affine in each factor: its derivative is a difference. */
static double derivative(const twin *a, const fxi_fm_block *b, double *P, size_t j, const double *x)
{
    const fxi_fm *fm = a->p->fm;
    double at = P[j], dot = 0, up, down;

    if (!b->kernel) {
        for (size_t q = 0; q < fm->cols; q++)
            dot += P[q] * x[q];
        return b->order * pow(dot, b->order - 1) * x[j];
    }
    P[j] = 1;
    up = kernel(fm, b, a->v, P, x);
    P[j] = 0;
    down = kernel(fm, b, a->v, P, x);
    P[j] = at;
    return up - down;
}

static void add(twin *a, size_t i, double by)
{
    const fxi_fm *fm = a->p->fm;
    double P[SEEN], e[FX_ORDER_MAX + 1];

    a->G[0] += fm->intercept && !a->p->pairs ? by : 0;
    for (size_t j = 0; fm->linear && j < fm->given; j++)
        a->G[fm->w + j] += by * a->x[i][j + fm->front];
    for (size_t b = 0; b < fm->blocks; b++)
        for (size_t s = 0; s < fm->rank; s++) {
            const fxi_fm_block *block = &fm->block[b];
            double lambda = a->v[block->lambda + s];
            column(P, fm, a->v, b, s);
            for (size_t j = 0; j < fm->cols; j++)
                a->G[fxi_fm_at(fm, b, s, j)] += by * lambda * derivative(a, block, P, j, a->x[i]);
            if (fm->how == FXI_FM_LEARNED)
                a->G[block->lambda + s] += by * kernel(fm, block, a->v, P, a->x[i]);
            if (fm->kind == FXI_FM_SIMPLEX) {
                orders(e, fm, P, a->x[i], block->order);
                for (int t = 1; t <= block->order; t++)
                    a->G[block->theta + (size_t)t - 1] += by * lambda * e[t];
            }
        }
}

static void move(twin *a, size_t at, double penalty)
{
    double g = a->G[at] + penalty * a->v[at];

    a->sum[at] += g * g;
    a->v[at] -= a->p->lr * g / sqrt(a->sum[at] + 1e-16);
}

static void step(twin *a, const double *share)
{
    const fxi_fm *fm = a->p->fm;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    move(a, 0, 0);
    for (size_t j = 0; j < fm->cols; j++) {
        bool constant = j % half < fm->front;
        if (share[j] == 0)
            continue;
        if (fm->linear && !constant && j < half)
            move(a, fm->w + j - fm->front, fm->alpha * share[j]);
        for (size_t b = 0; b < fm->blocks; b++)
            for (size_t s = 0; s < fm->rank; s++)
                move(a, fxi_fm_at(fm, b, s, j),
                     share[j] * (constant ? fm->block[b].beta_front : fm->block[b].beta));
    }
    for (size_t b = 0; b < fm->blocks; b++) {
        const fxi_fm_block *block = &fm->block[b];
        for (size_t s = 0; fm->how == FXI_FM_LEARNED && s < fm->rank; s++)
            move(a, block->lambda + s, fm->beta_lambda);
        if (fm->kind == FXI_FM_SIMPLEX) {
            double all = 0, *theta = a->v + block->theta;
            for (int t = 0; t < block->order; t++)
                all += a->G[block->theta + (size_t)t] * a->G[block->theta + (size_t)t];
            for (int t = 0; t < block->order; t++) {
                size_t at = block->theta + (size_t)t;
                a->sum[at] += all;
                a->v[at] -= a->p->lr * a->G[at] / sqrt(a->sum[at] + 1e-16);
            }
            fxi_fm_simplex_project(theta, (size_t)block->order);
        }
    }
}

static size_t opponent(const fxi_fm_problem *p, size_t item, uint64_t epoch)
{
    const fxi_fm_pairs *q = p->pairs;
    fxi_rng r = {p->seed, FXI_FM_LOSERS + (epoch << 32)};

    return q->order[q->first[item] + fxi_rng_below(r, item, q->last[item] - q->first[item])];
}

static void epoch_of_twin(twin *a, uint64_t epoch)
{
    const fxi_fm_problem *p = a->p;
    size_t item[ROWS], kept[ROWS], visit[ROWS], n = 0, batches;
    double touched[ROWS][SEEN] = {{0}}, times[SEEN] = {0};

    for (size_t i = 0; i < (p->pairs ? p->pairs->n : ROWS); i++)
        if (p->pairs || c[i] > 0)
            kept[n++] = i;
    batches = (n + p->batch - 1) / p->batch;
    fxi_rng_permutation(item, n, (fxi_rng){p->seed, FXI_FM_BATCHES});
    fxi_rng_permutation(visit, batches, (fxi_rng){p->seed, FXI_FM_BATCHES + (epoch << 32)});
#define FIRST(b) (n / batches * (b) + ((b) < n % batches ? (b) : n % batches))
    for (size_t b = 0; b < batches; b++)
        for (size_t q = FIRST(b); q < FIRST(b + 1); q++) {
            size_t k = kept[item[q]], row = p->pairs ? p->pairs->winner[k] : k;
            size_t other = p->pairs ? opponent(p, k, epoch) : row;
            for (size_t j = 0; j < p->fm->cols; j++)
                if (a->x[row][j] != 0 || a->x[other][j] != 0)
                    touched[b][j] = 1;
        }
    for (size_t b = 0; b < batches; b++)
        for (size_t j = 0; j < p->fm->cols; j++)
            times[j] += touched[b][j];
    for (size_t at = 0; at < batches; at++) {
        size_t b = visit[at];
        double weight = 0, slope[ROWS];
        memset(a->G, 0, sizeof a->G);
        for (size_t q = FIRST(b); q < FIRST(b + 1); q++) {
            size_t k = kept[item[q]], row = p->pairs ? p->pairs->winner[k] : k;
            weight += c[row];
            slope[q] = p->pairs ? fxi_loss_logistic.slope(
                           1, score(a, row) - score(a, opponent(p, k, epoch)), 0)
                                : fxi_fm_slope(p->loss, y[row], score(a, row));
        }
        for (size_t q = FIRST(b); q < FIRST(b + 1); q++) {
            size_t k = kept[item[q]], row = p->pairs ? p->pairs->winner[k] : k;
            add(a, row, c[row] * slope[q] / weight);
            if (p->pairs)
                add(a, opponent(p, k, epoch), -c[row] * slope[q] / weight);
        }
        for (size_t j = 0; j < p->fm->cols; j++)
            touched[b][j] *= (double)batches / (times[j] > 0 ? times[j] : 1);
        step(a, touched[b]);
    }
}

/* ---- Against it -------------------------------------------------------------------------- */

static void check_twin(fxi_fm_shape want, const fxi_loss *loss, bool ranks)
{
    static twin a;
    static double v[SIZE] __attribute__((aligned(64))), sum[SIZE] __attribute__((aligned(64)));
    fx_matrix given = draw(), X;
    fx_data *own = NULL;
    fxi_fm_pairs pairs = {0};
    fxi_fm fm;

    want.given = COLS;
    want.rank = want.rank ? want.rank : 19;
    want.beta[0] = want.beta[1] = 0.03;
    want.alpha = 0.02;
    want.beta_lambda = 0.01;
    CHECK(!fxi_fm_new(&fm, &want) && fm.size <= SIZE && fm.cols <= SEEN);
    for (size_t b = 0; b < fm.blocks; b++)
        fm.block[b].beta_front = 0.01;
    CHECK(!fxi_fm_rows(&X, &own, &fm, &given, &one));
    CHECK(!ranks || !fxi_fm_pairs_new(&pairs, y, c, qid, ROWS, NULL));
    fxi_fm_problem p = {.fm = &fm, .X = &X, .loss = loss, .y = y, .c = c, .max_iter = 3, .lr = 0.05,
                        .batch = 6, .seed = 5, .pairs = ranks ? &pairs : NULL};
    fxi_fm_state s = {.v = v, .sum = sum};
    fxi_fm_start(v, &fm, 0.3, 9, NULL);
    memset(sum, 0, sizeof sum);
    a.p = &p;
    memcpy(a.v, v, sizeof v);
    memset(a.sum, 0, sizeof a.sum);
    memset(a.x, 0, sizeof a.x);
    for (size_t i = 0; i < ROWS; i++) {
        fxi_row r = fxi_data_row(&X, i);
        for (size_t q = 0; q < r.n; q++)
            a.x[i][fxi_row_column(r, q)] = fxi_row_value(r, q);
    }
    CHECK(!fxi_fm_adagrad(&s, &p, &one) && s.iterations == 3 && s.lr == 0.05 && !s.diverged);
    for (uint64_t e = 1; e <= 3; e++)
        epoch_of_twin(&a, e);
    /* a gradient of about 0 is scaled by up to lr/1e-8, so that its rounding may show */
    for (size_t i = 0; i < fm.size; i++) {
        CHECK_NEAR(v[i], a.v[i], 1e-8);
        CHECK_NEAR(sum[i], a.sum[i], 1e-8 * (1 + a.sum[i]));
    }
    double of = fxi_fm_penalty(&fm, a.v), weight = 0, total = 0;
    for (size_t i = 0; i < (ranks ? pairs.n : ROWS); i++) {
        size_t row = ranks ? pairs.winner[i] : i;
        weight += c[row];
        total += c[row]
                 * (ranks ? fxi_loss_logistic.value(
                        1, score(&a, row) - score(&a, opponent(&p, i, 0)), 0)
                          : fxi_fm_loss(loss, y[row], score(&a, row)));
    }
    CHECK_NEAR(s.objective, of + total / weight, 1e-6 * s.objective);
    fx_data_free(own);
    fxi_fm_pairs_free(&pairs);
    fxi_fm_free(&fm);
}

static void check_kinds(void)
{
    static const int32_t group[COLS] = {0, 0, 1, 2, -1, 1, 2};
    const fxi_loss *log = &fxi_loss_logistic, *two = &fxi_loss_squared;

    for (int ranks = 0; ranks < 2; ranks++) {
        check_twin(
            (fxi_fm_shape){.kind = FXI_FM_HOFM, .order = 3, .linear = true, .intercept = true}, log,
            ranks);
        check_twin(
            (fxi_fm_shape){.kind = FXI_FM_SHARED, .order = 3, .linear = true, .how = FXI_FM_SIGNS},
            two, ranks);
    }
    check_twin(
        (fxi_fm_shape){.kind = FXI_FM_HOFM, .order = 2, .how = FXI_FM_LEARNED, .intercept = true},
        &fxi_loss_squared_hinge, false);
    check_twin(
        (fxi_fm_shape){
            .kind = FXI_FM_HOFM, .order = 2, .linear = true, .group = group, .groups = 3},
        two, true);
    for (int order = 2; order <= 3; order++)        /* several panels */
        check_twin((fxi_fm_shape){.kind = FXI_FM_HOFM, .order = order, .rank = 67, .linear = true},
                   log, order == 2);
    check_twin((fxi_fm_shape){.kind = FXI_FM_SHARED, .order = 9}, log, false);
    check_twin((fxi_fm_shape){.kind = FXI_FM_SIMPLEX, .order = 3}, log, true);
    check_twin((fxi_fm_shape){.kind = FXI_FM_SUBSETS, .intercept = true, .how = FXI_FM_LEARNED},
               log, false);
    check_twin((fxi_fm_shape){.kind = FXI_FM_POWER, .order = 3, .how = FXI_FM_SIGNS}, two, false);
    check_twin((fxi_fm_shape){.kind = FXI_FM_BILINEAR, .split = 3, .linear = true}, log, false);
    check_twin((fxi_fm_shape){.kind = FXI_FM_UV, .linear = true}, log, true);
}

/* ---- Small models ------------------------------------------------------------------------ */

/* Order 2 of the rows as drawn, `max_iter` epochs more of the state. */
typedef struct small {
    fxi_fm fm;
    fxi_fm_problem p;
    fxi_fm_state s;
    double v[2048] __attribute__((aligned(64))), sum[2048] __attribute__((aligned(64)));
} small;

static void small_new(small *a, const fx_matrix *X, uint64_t seed)
{
    fxi_fm_shape want = {.kind = FXI_FM_HOFM, .order = 2, .given = X->cols, .rank = 5,
                         .linear = true, .intercept = true, .alpha = 1e-3, .beta = {1e-3}};

    memset(a, 0, sizeof *a);
    CHECK(!fxi_fm_new(&a->fm, &want) && a->fm.size <= 2048);
    a->p = (fxi_fm_problem){.fm = &a->fm,
                            .X = X,
                            .loss = &fxi_loss_logistic,
                            .y = y,
                            .c = c,
                            .max_iter = 10,
                            .lr = 0.1,
                            .batch = 4,
                            .seed = seed};
    a->s = (fxi_fm_state){.v = a->v, .sum = a->sum};
    fxi_fm_start(a->v, &a->fm, 0.01, seed, NULL);
}

static bool same(const small *a, const small *b)
{
    return !memcmp(a->v, b->v, sizeof a->v) && !memcmp(a->sum, b->sum, sizeof a->sum);
}

static void check_bits(void)
{
    static small a, b;
    fx_matrix X = draw();

    small_new(&a, &X, 3);
    small_new(&b, &X, 3);
    b.p.max_iter = 5;
    CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one));
    CHECK(!fxi_fm_adagrad(&b.s, &b.p, NULL) && b.s.iterations == 5 && !same(&a, &b));
    CHECK(!fxi_fm_adagrad(&b.s, &b.p, NULL) && b.s.iterations == 10 && same(&a, &b));
    CHECK(a.s.objective == b.s.objective);
    fxi_fm_free(&b.fm);
    small_new(&b, &X, 4);
    CHECK(!fxi_fm_adagrad(&b.s, &b.p, NULL) && !same(&a, &b));
    fxi_fm_free(&b.fm);
    fxi_fm_free(&a.fm);
}

/* Rows of weight 0, and columns that only such rows have. */
static void check_absent(void)
{
    static small a, b;
    static double start[2048], fewer_c[ROWS], fewer_y[ROWS];
    static float fewer_val[ROWS * COLS];
    static int32_t fewer_col[ROWS * COLS];
    static int64_t fewer_ptr[ROWS + 1];
    fx_matrix X = draw(), Y = X;
    size_t n = 0;

    c[4] = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (c[i] > 0) {
            size_t k = (size_t)(ptr[i + 1] - ptr[i]), at = (size_t)fewer_ptr[n];
            memcpy(fewer_val + at, val + ptr[i], k * sizeof *val);
            memcpy(fewer_col + at, col + ptr[i], k * sizeof *col);
            fewer_y[n] = y[i];
            fewer_c[n++] = c[i];
            fewer_ptr[n] = (int64_t)(at + k);
        }
    Y.rows = n;
    Y.ptr = fewer_ptr;
    Y.col = fewer_col;
    Y.val = fewer_val;
    small_new(&a, &X, 3);
    small_new(&b, &Y, 3);
    b.p.y = fewer_y;
    b.p.c = fewer_c;
    memcpy(start, a.v, sizeof start);
    CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one) && !fxi_fm_adagrad(&b.s, &b.p, &one) && same(&a, &b));
    for (size_t s = 0; s < 5; s++) {
        size_t at = fxi_fm_at(&a.fm, 0, s, COLS - 1), other = fxi_fm_at(&a.fm, 0, s, 0);
        CHECK(a.v[at] == start[at] && a.sum[at] == 0 && a.v[other] != start[other]);
    }
    CHECK(a.v[a.fm.w + COLS - 1] == 0);
    memset(c, 0, sizeof c);
    CHECK(fxi_fm_adagrad(&a.s, &a.p, &one) == FX_EINVAL);
    a.p.batch = 0;
    CHECK(fxi_fm_adagrad(&a.s, &a.p, &one) == FX_EINVAL);
    fxi_fm_free(&b.fm);
    fxi_fm_free(&a.fm);
}

static bool finite_state(const small *a)
{
    for (size_t i = 0; i < a->fm.size; i++)
        if (!isfinite(a->v[i]) || !isfinite(a->sum[i]))
            return false;
    return isfinite(a->s.objective);
}

static void check_guard(void)
{
    static small a;
    static double start[2048];
    fx_matrix X = draw();

    small_new(&a, &X, 3);
    a.p.lr = 1e6;
    memcpy(start, a.v, sizeof start);
    CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one) && a.s.diverged && !a.s.converged);
    CHECK(finite_state(&a) && a.s.iterations == 0 && a.s.lr == 1e6 / 1024);
    CHECK(!memcmp(start, a.v, sizeof start));
    fxi_fm_free(&a.fm);
    for (size_t e = 0; e < (size_t)ptr[ROWS]; e++)
        if (col[e] == 2)
            val[e] = 1e9f;
    for (int squared = 0; squared < 2; squared++) {
        small_new(&a, &X, 3);
        a.p.max_iter = 100;
        a.p.loss = squared ? &fxi_loss_squared : &fxi_loss_logistic;
        CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one) && finite_state(&a));
        fxi_fm_free(&a.fm);
    }
}

static fx_status third(void *ctx, const fxi_fm_state *now)
{
    *(size_t *)ctx = now->iterations;
    return now->iterations == 3;
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void check_ends(void)
{
    static small a;
    static double start[2048];
    fx_matrix X = draw();
    size_t seen = 0;
    fx_run cancel = {RUN, .threads = 1, .progress = stop};

    small_new(&a, &X, 3);
    a.p.step = third;
    a.p.ctx = &seen;
    CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one) && a.s.converged && seen == 3 && a.s.iterations == 3);
    a.p.step = NULL;
    a.p.tol = 1e-3;
    a.p.max_iter = 10000;
    CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one) && a.s.converged && a.s.iterations < 10000);
    a.p.tol = 0;
    memcpy(start, a.v, sizeof start);
    CHECK(fxi_fm_adagrad(&a.s, &a.p, &cancel) == FX_ECANCELLED);
    CHECK(!memcmp(start, a.v, sizeof start));
    fxi_fm_free(&a.fm);
}

/* ---- Ranking ----------------------------------------------------------------------------- */

/* G of all pairs beside finite differences of the mean loss over them, listed one by one. */
static double pairs_loss(const fxi_fm_problem *p, const double *v, const fx_matrix *X)
{
    double f[ROWS], loss = 0, weight = 0;

    CHECK(!fxi_fm_score(f, p->fm, v, (fxi_row_subset){X, NULL, ROWS}, &one));
    for (size_t i = 0; i < p->pairs->n; i++) {
        double d = f[p->pairs->winner[i]] - f[opponent(p, i, 1)], k = c[p->pairs->winner[i]];
        loss += k * log(1 + exp(-d));
        weight += k;
    }
    return loss / weight;
}

static void check_differences(void)
{
    static small a;
    fx_matrix X = draw();
    fxi_fm_pairs pairs;
    fxi_fm_adagrad_batch batch;
    fxi_fm_adagrad_block all = {0};
    double look[FXI_FM_ADAGRAD_LOOK] = {0};

    small_new(&a, &X, 3);
    fxi_fm_start(a.v, &a.fm, 0.3, 3, NULL);
    CHECK(!fxi_fm_pairs_new(&pairs, y, c, qid, ROWS, NULL));
    a.p.pairs = &pairs;
    fxi_fm_adagrad_look_add(look, &a.fm, &X, 0, ROWS);
    CHECK(!fxi_fm_adagrad_batch_new(&batch, &a.p, a.v, a.sum, fxi_fm_adagrad_look_of(look, &a.fm),
                                    COLS, NULL));
    CHECK(!fxi_fm_adagrad_block_fill(&all, &a.p, 0, pairs.n, 0, false) && all.n == pairs.n);
    double weight = fxi_fm_adagrad_block_weight(&all, 0, pairs.n);
    double loss = fxi_fm_adagrad_batch_add(&batch, &all, 0, pairs.n, 1, 1 / weight);
    CHECK_NEAR(loss / weight, pairs_loss(&a.p, a.v, &X), 1e-12);
    for (size_t i = 1; i < a.fm.size; i++) {
        double at = a.v[i], h = 1e-5;
        if (i >= a.fm.block[0].lambda || (i >= a.fm.block[0].P && (i - a.fm.block[0].P) % 16 >= 5)
            || (i >= a.fm.w + COLS && i < a.fm.block[0].P) || i < a.fm.w)
            continue;                   /* does not change */
        a.v[i] = at + h;
        double up = pairs_loss(&a.p, a.v, &X);
        a.v[i] = at - h;
        CHECK_NEAR(batch.G[i], (up - pairs_loss(&a.p, a.v, &X)) / (2 * h), 1e-8);
        a.v[i] = at;
    }
    fxi_fm_adagrad_batch_free(&batch);
    fxi_fm_adagrad_block_free(&all);
    fxi_fm_pairs_free(&pairs);
    fxi_fm_free(&a.fm);
}

/* Two features that should agree: no linear model ranks this. */
static void check_four_rows(void)
{
    static small a;
    static const double x[] = {0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1};
    static const double label[] = {1, 1, 0, 0}, ones[] = {1, 1, 1, 1};
    fx_matrix X = {.rows = 4, .cols = 4, .stride = 4, .type = FX_F64, .val = x};
    fxi_fm_pairs pairs;
    double f[4];

    for (uint64_t seed = 1; seed <= 20; seed++) {
        small_new(&a, &X, seed);
        CHECK(!fxi_fm_pairs_new(&pairs, label, ones, NULL, 4, NULL));
        a.p.pairs = &pairs;
        a.p.c = ones;
        a.p.y = NULL;
        a.p.batch = 64;
        a.p.max_iter = 100;
        CHECK(!fxi_fm_adagrad(&a.s, &a.p, &one) && a.v[0] == 0);
        CHECK(!fxi_fm_score(f, &a.fm, a.v, (fxi_row_subset){&X, NULL, 4}, &one));
        CHECK(fmin(f[0], f[1]) > fmax(f[2], f[3]) + 1);
        fxi_fm_pairs_free(&pairs);
        fxi_fm_free(&a.fm);
    }
}

int main(void)
{
    test_init();
    check_kinds();
    check_bits();
    check_absent();
    check_guard();
    check_ends();
    check_differences();
    check_four_rows();
    return 0;
}
