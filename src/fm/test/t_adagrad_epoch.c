/* SPDX-License-Identifier: BSD-3-Clause
 * t_adagrad_epoch.c - the order of an epoch against its definition; rows elsewhere, which answer
 * questions, give the same bits as rows in memory, for one window and several; rows sorted by label
 * are learnt as well as others.
 *
 * Covers: adagrad_ask.c, adagrad_block.c, adagrad_memory.c, adagrad_pass.c */

#include "base/test.h"
#include "fm/adagrad.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = FXI_PASS_BLOCK, BLOCKS = 5, N = (BLOCKS - 1) * BLOCK + 321, SIZE = 256 };

typedef struct rows {
    fx_matrix X;
    float *val;
    int64_t *ptr;
    int32_t *col;
    double *y, *c;
} rows;

/* Up to `most` of `cols` columns, fewer in every second block; ones, or numbers. */
static rows draw(size_t n, size_t cols, size_t most, bool ones)
{
    rows r = {.val = fxi_alloc(n * most + 1, sizeof *r.val), .ptr = fxi_alloc(n + 1, sizeof *r.ptr),
              .col = fxi_alloc(n * most + 1, sizeof *r.col), .y = fxi_alloc(n, sizeof *r.y),
              .c = fxi_alloc(n, sizeof *r.c)};
    size_t at = 0;

    CHECK(r.val && r.ptr && r.col && r.y && r.c);
    r.ptr[0] = 0;
    for (size_t i = 0; i < n; i++) {
        double f = 0;
        size_t some = i / BLOCK % 2 ? (most + 3) / 4 : most;
        for (size_t k = 0, j = test_below(cols); k < some && j < cols;
             k++, j += 1 + test_below(cols / (most + 1) + 1)) {
            r.val[at] = ones ? 1 : (float)(test_unit() - 0.5);
            f += (j % 2 ? 1 : -1) * r.val[at];
            r.col[at++] = (int32_t)j;
        }
        r.ptr[i + 1] = (int64_t)at;
        r.y[i] = f + test_unit() - 0.5 > 0 ? 1 : -1;
        r.c[i] = i / BLOCK == 2 || !test_below(6) ? 0 : 0.5 + test_unit();
    }
    r.X = (fx_matrix){.rows = n, .cols = cols, .type = FX_F32, .val = r.val, .ptr = r.ptr,
                      .col = r.col};
    return r;
}

static void drop(rows *r) { fxi_free(r->val, r->ptr, r->col, r->y, r->c); }

/* ---- The order ------------------------------------------------------------------------------- */

/* A batch of rows without entries: a step of the intercept. */
static void step(double *b, double *sum, const rows *r, const size_t *item, size_t n, double lr)
{
    double weight = 0, g = 0;

    for (size_t k = 0; k < n; k++)
        weight += r->c[item[k]];
    for (size_t k = 0; k < n; k++)
        g += r->c[item[k]] / weight * (*b - r->y[item[k]]);
    *sum += g * g;
    *b -= lr * g / sqrt(*sum + 1e-16);
}

typedef struct block { size_t n, batches, item[BLOCK]; } block;

static block shuffled(const rows *r, size_t k, size_t batch, uint64_t seed)
{
    block b = {0};
    size_t kept[BLOCK], order[BLOCK];

    for (size_t i = k * BLOCK; i < (k + 1) * BLOCK && i < r->X.rows; i++)
        if (r->c[i] > 0)
            kept[b.n++] = i;
    fxi_rng_permutation(order, b.n, (fxi_rng){seed, FXI_FM_BATCHES + ((uint64_t)k << 12)});
    for (size_t i = 0; i < b.n; i++)
        b.item[i] = kept[order[i]];
    b.batches = (b.n + batch - 1) / batch;
    return b;
}

static void epoch_of_twin(double *b, double *sum, const rows *r, const fxi_fm_problem *p,
                          uint64_t epoch)
{
    static block all[BLOCKS];
    size_t order[BLOCKS];

    fxi_rng_permutation(order, BLOCKS, (fxi_rng){p->seed, FXI_FM_BLOCKS + (epoch << 32)});
    for (size_t k = 0; k < BLOCKS; k++)
        all[k] = shuffled(r, k, p->batch, p->seed);
    for (size_t w = 0; w * p->window < BLOCKS; w++) {
        size_t batches = 0, visit[N], of[N], number[N];
        for (size_t k = w * p->window; k < BLOCKS && k < (w + 1) * p->window; k++)
            for (size_t q = 0; q < all[order[k]].batches; q++) {
                of[batches] = order[k];
                number[batches++] = q;
            }
        fxi_rng_permutation(visit, batches, (fxi_rng){p->seed, FXI_FM_BATCHES + ((uint64_t)w << 12)
                                                                   + (epoch << 32)});
        for (size_t at = 0; at < batches; at++) {
            const block *x = &all[of[visit[at]]];
            size_t q = number[visit[at]], each = x->n / x->batches, more = x->n % x->batches;
            size_t first = each * q + (q < more ? q : more);
            step(b, sum, r, x->item + first, each + (q < more), p->lr);
        }
    }
}

static void check_order(void)
{
    fxi_fm_shape want = {.kind = FXI_FM_HOFM, .order = 2, .given = 3, .rank = 1, .intercept = true};
    rows r = draw(N, 3, 0, true);
    fxi_fm fm;

    CHECK(!fxi_fm_new(&fm, &want));
    for (size_t i = 0; i < N; i++)
        r.y[i] = test_unit();
    for (size_t window = 1; window <= 16; window += window == 1 ? 1 : 14) {
        static double v[SIZE] __attribute__((aligned(64))), sum[SIZE] __attribute__((aligned(64)));
        double b = 0, squares = 0;

        memset(v, 0, sizeof v);
        memset(sum, 0, sizeof sum);
        fxi_fm_problem p = {.fm = &fm, .X = &r.X, .loss = &fxi_loss_squared, .y = r.y, .c = r.c,
                            .max_iter = 3, .lr = 0.05, .batch = window == 1 ? 6000 : 7, .seed = 5,
                            .window = window};
        fxi_fm_state s = {.v = v, .sum = sum};
        CHECK(fm.size <= SIZE && !fxi_fm_adagrad(&s, &p, NULL) && s.iterations == 3);
        for (uint64_t e = 1; e <= 3; e++)
            epoch_of_twin(&b, &squares, &r, &p, e);
        CHECK_NEAR(v[0], b, 1e-12);
        CHECK_NEAR(sum[0], squares, 1e-12 * squares);
    }
    fxi_fm_free(&fm);
    drop(&r);
}

/* By all rows alone: 32 MiB of entries. */
static void check_window(void)
{
    CHECK(fxi_fm_adagrad_epoch_window(0, 0) == 16);
    CHECK(fxi_fm_adagrad_epoch_window(100000, 1000000) == 16);
    CHECK(fxi_fm_adagrad_epoch_window(1000, 43000) == 15);
    CHECK(fxi_fm_adagrad_epoch_window(1000, 341000) == 2);
    CHECK(fxi_fm_adagrad_epoch_window(1000, 342000) == 1);
    CHECK(fxi_fm_adagrad_epoch_window(10, 1000000) == 1);
}

/* ---- Elsewhere ------------------------------------------------------------------------------- */

typedef struct elsewhere {
    fxi_passes passes;
    fxi_fm_problem p;
    int threads;
} elsewhere;

/* A view of a block of rows. */
static fxi_fm_problem part_of(const elsewhere *a, fx_matrix *X, size_t k)
{
    fxi_fm_problem p = a->p;
    size_t first = k * BLOCK, all = a->p.X->rows;

    *X = *a->p.X;
    X->rows = all - first < BLOCK ? all - first : BLOCK;
    if (X->ptr)
        X->ptr += first;
    else
        X->val = (const float *)X->val + first * X->stride;
    p.X = X;
    p.y += first;
    p.c += first;
    return p;
}

static fx_status ask(fxi_passes *passes, double *numbers, const fxi_question *q)
{
    const elsewhere *a = (const elsewhere *)passes;
    size_t all = a->p.X->rows, blocks = (all + BLOCK - 1) / BLOCK, order[64];
    double *w = q->w ? fxi_alloc(q->ws, sizeof *w) : NULL;
    fxi_question aligned = *q;
    fxi_answer answer;
    fxi_fm_adagrad_held *held = NULL;
    fx_run run = {RUN, .threads = a->threads};

    if (w)
        memcpy(w, q->w, q->ws * sizeof *w);
    aligned.w = w;
    CHECK(!fxi_pass_answer_new(&answer, BLOCK, blocks, 1e9, &run));
    CHECK(!fxi_fm_adagrad_pass_begin(&answer, q, a->p.fm));
    for (size_t k = 0; k < blocks; k++)
        order[k] = blocks - 1 - k;
    if (answer.state)
        fxi_fm_adagrad_epoch_order(order, blocks, a->p.seed, fxi_fm_adagrad_pass_epoch(q));
    for (size_t k = 0; k < blocks; k++) {
        fx_matrix X;
        fxi_fm_problem p = part_of(a, &X, order[k]);
        CHECK(!fxi_fm_adagrad_pass(&answer, &aligned, &p, order[k] * BLOCK, all, &held));
    }
    CHECK(answer.rows == all);
    fxi_pass_answer_round(numbers, &answer);
    fxi_pass_answer_free(&answer);
    fxi_fm_adagrad_pass_free(held);
    free(w);
    return FX_OK;
}

static void check_same(const rows *r, fxi_fm_shape want, const fxi_loss *loss, size_t window)
{
    fxi_fm fm;

    want.given = r->X.cols;
    want.alpha = 0.01;
    want.beta[0] = want.beta[1] = 0.02;
    CHECK(!fxi_fm_new(&fm, &want));
    fxi_fm_problem p = {.fm = &fm, .X = &r->X, .loss = loss, .y = r->y, .c = r->c, .max_iter = 2,
                        .lr = 0.1, .batch = 50, .seed = 7, .window = window};
    double *v[2], *sum[2];
    fxi_fm_state s[2];
    for (int k = 0; k < 2; k++) {
        elsewhere a = {.passes = {N, fm.size, ask, 0}, .p = p, .threads = 2};
        fxi_fm_problem asks = p;
        asks.passes = &a.passes;
        if (!window)
            a.p.window = fxi_fm_adagrad_epoch_window(r->X.rows, fxi_data_stored(&r->X));
        CHECK((v[k] = fxi_alloc(fm.size, sizeof *v[k])));
        CHECK((sum[k] = fxi_zalloc(fm.size, sizeof *sum[k])));
        fxi_fm_start(v[k], &fm, 0.1, 3, NULL);
        s[k] = (fxi_fm_state){.v = v[k], .sum = sum[k]};
        CHECK(!fxi_fm_adagrad(&s[k], k ? &asks : &p, &(fx_run){RUN, .threads = 1 + k}));
    }
    CHECK(s[0].iterations == 2 && s[1].iterations == 2 && s[0].objective == s[1].objective);
    CHECK(!memcmp(v[0], v[1], fm.size * sizeof *v[0]));
    CHECK(!memcmp(sum[0], sum[1], fm.size * sizeof *sum[0]));
    fxi_free(v[0], v[1], sum[0], sum[1]);
    fxi_fm_free(&fm);
}

static void check_elsewhere(void)
{
    static const fxi_fm_shape two = {.kind = FXI_FM_HOFM, .order = 2, .rank = 3, .linear = true,
                                     .intercept = true};
    static const fxi_fm_shape three = {.kind = FXI_FM_HOFM, .order = 3, .rank = 17};
    static const fxi_fm_shape all = {.kind = FXI_FM_SUBSETS, .rank = 2, .how = FXI_FM_LEARNED};

    for (int ones = 0; ones < 2; ones++) {
        rows r = draw(N, 60, 9, ones);
        for (size_t window = 1; window < 4; window++) {
            check_same(&r, two, &fxi_loss_logistic, window);
            check_same(&r, three, &fxi_loss_squared, window);
            check_same(&r, all, &fxi_loss_squared_hinge, window);
        }
        if (ones)                       /* a block that differs from the others */
            r.val[r.ptr[N] - 1] = 2000;
        else
            for (int64_t e = r.ptr[N - 1]; e < r.ptr[N]; e++)
                r.val[e] = 0;
        check_same(&r, two, &fxi_loss_logistic, 2);
        drop(&r);
    }
}

/* So many numbers that blocks are packed when they are visited, and a window is one block; one row
 * is so long that scores are computed in another way. */
static void check_many(void)
{
    enum { COLS = 700, ROWS = 12300 };
    rows r = {.val = fxi_alloc(ROWS * COLS, sizeof *r.val), .y = fxi_alloc(ROWS, sizeof *r.y),
              .c = fxi_alloc(ROWS, sizeof *r.c)};
    fxi_fm_shape want = {.kind = FXI_FM_HOFM, .order = 2, .rank = 1, .intercept = true};

    CHECK(r.val && r.y && r.c);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            r.val[i * COLS + j] = test_below(4) ? 0 : (float)test_unit();
        r.y[i] = test_unit();
        r.c[i] = test_below(9) ? 1 : 0;
    }
    r.X = (fx_matrix){.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F32, .val = r.val};
    CHECK(fxi_data_stored(&r.X) > 1 << 23 && fxi_fm_adagrad_epoch_window(ROWS, ROWS * COLS) == 1);
    check_same(&r, want, &fxi_loss_squared, 0);
    fxi_free(r.val, r.y, r.c);
}

/* A look that the model cannot have is refused: its rows would be scored in memory that is too
 * small. */
static void check_flags(void)
{
    enum { FAST = 1, SUBTRACTS = 2, ONES = 4, ROWS_AT = 8 };
    static const struct { fxi_fm_shape shape; uint32_t most; } models[] = {
        {{.kind = FXI_FM_HOFM, .order = 2, .rank = 3, .given = 5}, FAST | SUBTRACTS | ONES},
        {{.kind = FXI_FM_HOFM, .order = 3, .rank = 3, .given = 5}, FAST | SUBTRACTS | ONES},
        {{.kind = FXI_FM_SHARED, .order = 3, .rank = 3, .given = 5}, FAST},
        {{.kind = FXI_FM_SUBSETS, .rank = 3, .given = 5}, 0}};

    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        fxi_fm fm;
        CHECK(!fxi_fm_new(&fm, &models[k].shape));
        double *v = fxi_zalloc(fm.size, sizeof *v);
        CHECK(v);
        for (uint32_t n = 0; n <= 18; n++)
            for (uint32_t f = 0; f < 8; f++) {
                const fxi_question q = {FXI_ASK_FM_VALUE, .flags = f | n << ROWS_AT, .w = v,
                                        .ws = fm.size};
                bool fits = n >= 2 && n <= 16 && !(f & ~models[k].most)
                            && (f == 0 || f == FAST || f == (FAST | SUBTRACTS) || f == 7);
                fxi_answer answer;
                CHECK(!fxi_pass_answer_new(&answer, BLOCK, 1, 1e9, NULL));
                CHECK(fxi_fm_adagrad_pass_begin(&answer, &q, &fm) == (fits ? FX_OK : FX_EFORMAT));
                fxi_pass_answer_free(&answer);
            }
        free(v);
        fxi_fm_free(&fm);
    }
}

/* ---- Sorted rows ----------------------------------------------------------------------------- */

/* The share of rows that are right after some epochs of rows in this order. */
static double learnt(const rows *r, size_t window)
{
    fxi_fm_shape want = {.kind = FXI_FM_HOFM, .order = 2, .rank = 4, .linear = true,
                         .intercept = true, .given = r->X.cols};
    fxi_fm fm;

    CHECK(!fxi_fm_new(&fm, &want));
    double *v = fxi_alloc(fm.size, sizeof *v), *sum = fxi_zalloc(fm.size, sizeof *sum);
    fxi_fm_problem p = {.fm = &fm, .X = &r->X, .loss = &fxi_loss_logistic, .y = r->y, .c = r->c,
                        .max_iter = 6, .lr = 0.1, .batch = 64, .seed = 1, .window = window};
    fxi_fm_state s = {.v = v, .sum = sum};
    fxi_fm_start(v, &fm, 0.01, 1, NULL);
    CHECK(!fxi_fm_adagrad(&s, &p, NULL) && !s.diverged);
    size_t right = 0;
    double *f = fxi_alloc(N, sizeof *f);
    CHECK(!fxi_fm_score(f, &fm, v, (fxi_row_subset){&r->X, NULL, N}, NULL));
    for (size_t i = 0; i < N; i++)
        right += f[i] * r->y[i] > 0;
    fxi_free(v, sum, f);
    fxi_fm_free(&fm);
    return (double)right / N;
}

static void check_sorted(void)
{
    rows r = draw(N, 40, 8, true), sorted = draw(N, 40, 8, true);
    size_t n = 0, at = 0;

    for (size_t i = 0; i < N; i++)
        r.c[i] = sorted.c[i] = 1;
    for (int side = -1; side <= 1; side += 2)
        for (size_t i = 0; i < N; i++) {
            if (r.y[i] != side)
                continue;
            size_t len = (size_t)(r.ptr[i + 1] - r.ptr[i]);
            memcpy(sorted.col + at, r.col + r.ptr[i], len * sizeof *r.col);
            at += len;
            sorted.y[n++] = side;
            sorted.ptr[n] = (int64_t)at;
        }
    for (size_t e = 0; e < at; e++)
        sorted.val[e] = 1;
    double by_chance = learnt(&r, 16), by_label = learnt(&sorted, 16), two = learnt(&sorted, 2);
    CHECK(by_chance > 0.8 && by_label > by_chance - 0.03 && two > by_chance - 0.03);
    drop(&r);
    drop(&sorted);
}

int main(void)
{
    test_init();
    check_order();
    check_window();
    check_elsewhere();
    check_many();
    check_flags();
    check_sorted();
    return 0;
}
