/* SPDX-License-Identifier: BSD-3-Clause
 * t_gradient.c - objective and gradient: golden models; finite differences for every kind and every
 * number that changes, of wide models too; weights; the same bits for any threads and for rows that
 * are added in any order; limits and stops.
 *
 * Covers: gradient_pass.c, gradient_wide.c */

#include "fm/test/golden.h"
#include "fm/test/made.h"

static double scale;                    /* of a case */
static double *G;

static void compare(void *ctx, double value, size_t at)
{
    (void)ctx;
    CHECK_NEAR(G[at], value, 1e-9 * scale);
}

static void check_golden(golden *g)
{
    double objective = 0, want = golden_number(json_object_get(g->c, "objective"));

    G = fxi_alloc(g->fm.size, sizeof *G);
    CHECK(fxi_fm_gradient(&objective, G, &g->p, g->v, NULL) == FX_OK);
    CHECK_NEAR(objective, want, 1e-12 * fabs(want));
    CHECK_NEAR(fxi_fm_penalty(&g->fm, g->v), golden_number(json_object_get(g->c, "reg")),
               1e-12 * fabs(want));
    double f[64], loss = 0;
    CHECK(fxi_fm_score(f, &g->fm, g->v, (fxi_row_subset){&g->X, NULL, g->n}, NULL) == FX_OK);
    for (size_t i = 0; i < g->n; i++)
        loss += fxi_fm_loss(g->p.loss, g->y[i], f[i]) / (double)g->n;
    CHECK_NEAR(loss, golden_number(json_object_get(g->c, "data_loss")), 1e-12 * fabs(want));
    scale = 1 + fabs(want);
    golden_each(g, json_object_get(g->c, "grad"), compare, NULL);
    double sum = 0, all = 0;            /* nothing stands elsewhere */
    for (size_t i = 0; i < g->fm.size; i++)
        all += fabs(G[i]);
    double *shown = fxi_zalloc(g->fm.size, sizeof *shown);
    golden_each(g, json_object_get(g->c, "grad"), golden_set, shown);
    for (size_t i = 0; i < g->fm.size; i++)
        sum += fabs(shown[i]);
    CHECK_NEAR(all, sum, 1e-9 * (1 + sum) * (double)g->fm.size);
    for (size_t i = 0; i < g->fm.size; i++)
        CHECK(shown[i] != 0 || fabs(G[i]) < 1e-9 * scale);
    free(shown);
    free(G);
}

/* Central differences: the error is (h^2/6) times a third derivative and u/h times the value. */
static void check_differences(const made *m)
{
    const fxi_fm *fm = &m->fm;
    double *g = fxi_alloc(fm->size, sizeof *g), h = 1e-5, f0, up, down;

    CHECK(fxi_fm_gradient(&f0, g, &m->p, m->v, NULL) == FX_OK);
    for (size_t i = 0; i < fm->size; i++) {
        double keep = m->v[i], *v = m->v;
        if (!made_free(m, i)) {
            CHECK(g[i] == 0);
            continue;
        }
        v[i] = keep + h;
        CHECK(fxi_fm_gradient(&up, NULL, &m->p, v, NULL) == FX_OK);
        v[i] = keep - h;
        CHECK(fxi_fm_gradient(&down, NULL, &m->p, v, NULL) == FX_OK);
        v[i] = keep;
        CHECK_NEAR(g[i], (up - down) / (2 * h), 1e-7 * (1 + fabs(f0)));
    }
    free(g);
}

/* Weight 2 is the row twice, weight 0 is no row. */
static void check_weights(void)
{
    made *a = made_model(FXI_FM_HOFM, 3, 19, &fxi_loss_logistic, 40, MADE_SPARSE);
    double *g = fxi_alloc(2 * a->fm.size, sizeof *g), *h = g + a->fm.size, one, two;
    double val[2 * MADE_ROWS * MADE_COLS], y[2 * MADE_ROWS], c[2 * MADE_ROWS];
    size_t n = 0;

    for (size_t i = 0; i < 40; i++) {
        a->c[i] = (double)(i % 3);
        for (size_t copy = 0; copy < i % 3; copy++, n++) {
            memcpy(val + n * MADE_COLS, a->dense + i * MADE_COLS, MADE_COLS * sizeof *val);
            y[n] = a->y[i];
            c[n] = 1;
        }
    }
    fx_matrix X = {.rows = n, .cols = MADE_COLS, .stride = MADE_COLS, .type = FX_F64, .val = val};
    fxi_fm_problem p = a->p;
    CHECK(fxi_fm_gradient(&one, g, &p, a->v, NULL) == FX_OK);
    p.X = &X;
    p.y = y;
    p.c = c;
    CHECK(fxi_fm_gradient(&two, h, &p, a->v, NULL) == FX_OK);
    CHECK_NEAR(one, two, 1e-14 * fabs(two));
    for (size_t i = 0; i < a->fm.size; i++)
        CHECK_NEAR(g[i], h[i], 1e-13 * (1 + fabs(h[i])));
    free(g);
    made_end(a);
}

/* 1, 2 and 5 threads. */
static void check_threads(void)
{
    made *a = made_model(FXI_FM_HOFM, 3, 30, &fxi_loss_squared, MADE_ROWS, MADE_SPARSE);
    double *g[3], f[3], *s[3];
    static const int threads[] = {1, 2, 5};

    for (int t = 0; t < 3; t++) {
        fx_run run = {RUN, .threads = threads[t]};
        CHECK((g[t] = fxi_alloc(a->fm.size, sizeof **g)) && (s[t] = fxi_alloc(MADE_ROWS, 8)));
        CHECK(fxi_fm_gradient(&f[t], g[t], &a->p, a->v, &run) == FX_OK);
        CHECK(test_helped() == (threads[t] > 1));
        CHECK(fxi_fm_score(s[t], &a->fm, a->v, (fxi_row_subset){&a->X, NULL, MADE_ROWS}, &run)
              == FX_OK);
        CHECK(test_helped() == (threads[t] > 1));
        CHECK(f[t] == f[0] && !memcmp(g[t], g[0], a->fm.size * sizeof **g));
        CHECK(!memcmp(s[t], s[0], MADE_ROWS * sizeof **s));
    }
    for (int t = 0; t < 3; t++)
        free(g[t]), free(s[t]);
    made_end(a);
}

/* A model that leaves the cache takes another way: numbers at random, 1 and 3 threads. */
static void check_wide(fxi_fm_kind kind)
{
    enum { RANK = 30000, N = 300 };
    made *a = made_model(kind, 3, RANK, &fxi_loss_logistic, N, MADE_SPARSE);
    double *g = fxi_alloc(2 * a->fm.size, sizeof *g), *again = g + a->fm.size, h = 1e-4;
    double f[2], up, down;

    CHECK(g && a->fm.size > 1 << 18);
    for (size_t i = 0; i < a->fm.size; i++)     /* sums of so many components stay small */
        a->v[i] *= 0.01;
    for (int t = 0; t < 2; t++) {
        fx_run run = {RUN, .threads = 1 + 2 * t};
        CHECK(fxi_fm_gradient(&f[t], t ? again : g, &a->p, a->v, &run) == FX_OK);
        CHECK(test_helped() == (t > 0));
    }
    CHECK(f[0] == f[1] && !memcmp(g, again, a->fm.size * sizeof *g));
    for (int k = 0; k < 12; k++) {
        size_t i = k < 3 ? a->fm.block[0].theta + (size_t)k % 3 : test_below(a->fm.size);
        double keep = a->v[i];
        if (i >= a->fm.size || !made_free(a, i))
            continue;
        a->v[i] = keep + h;
        CHECK(fxi_fm_gradient(&up, NULL, &a->p, a->v, NULL) == FX_OK);
        a->v[i] = keep - h;
        CHECK(fxi_fm_gradient(&down, NULL, &a->p, a->v, NULL) == FX_OK);
        a->v[i] = keep;
        CHECK_NEAR(g[i], (up - down) / (2 * h), 1e-7 * (1 + fabs(f[0])));
    }
    free(g);
    made_end(a);
}

/* Runs of rows in two parts, the second first: the same sums.  Rows know how many there are. */
static void check_parts(void)
{
    enum { N = 2 * 4096 + 100 };
    made *a = made_model(FXI_FM_HOFM, 2, 4, &fxi_loss_squared, N, MADE_DENSE);
    size_t size = FXI_FM_SUMS + a->fm.size, run = fxi_fm_gradient_pass_run(&a->fm, N, 0, false);
    double *want = fxi_alloc(2 * size, sizeof *want), *got = want + size;
    fxi_question q = {.what = FXI_ASK_FM, .flags = FXI_FM_DERIVE, .t = 0.25, .w = a->v,
                      .ws = a->fm.size};
    fxi_fm_gradient_rows rows;
    fxi_answer answer;
    fx_run two = {RUN, .threads = 2};

    CHECK(want && fxi_fm_gradient_memory(&rows, &a->p, &two) == FX_OK);
    CHECK(rows.passes.ask(&rows.passes, want, &q) == FX_OK);
    CHECK(fxi_pass_answer_new(&answer, run, 8, 1e9, &two) == FX_OK);
    CHECK(fxi_fm_gradient_pass_begin(&answer, &q, &a->fm) == FX_OK);
    for (size_t part = 2; part-- > 0;) {
        size_t first = part * 4096, n = part ? N - first : 4096;
        fx_matrix X = a->X;
        X.rows = n;
        X.val = (const double *)X.val + first * X.stride;
        fxi_fm_problem p = {.fm = &a->fm, .X = &X, .loss = a->p.loss, .y = a->p.y + first,
                            .c = a->p.c + first};
        CHECK(fxi_fm_gradient_pass(&answer, &q, &p, first, part == 1, &two) == FX_OK);
    }
    fxi_pass_answer_round(got, &answer);
    CHECK(!memcmp(got, want, size * sizeof *got));
    q.ws--;
    CHECK(fxi_fm_gradient_pass_begin(&answer, &q, &a->fm) == FX_EFORMAT);
    q.w = NULL;                         /* derivatives at nothing */
    CHECK(fxi_fm_gradient_pass_begin(&answer, &q, &a->fm) == FX_EFORMAT);
    fxi_pass_answer_free(&answer);
    fxi_fm_gradient_memory_free(&rows);
    free(want);
    made_end(a);
}

/* Of scores 0, of targets less a shift. */
static void check_zeros(void)
{
    made *a = made_model(FXI_FM_HOFM, 2, 3, &fxi_loss_squared, 300, MADE_SPARSE);
    double sum[FXI_FM_SUMS], loss = 0, weight = 0, target = 0;

    a->p.shift = 0.5;
    for (size_t i = 0; i < 300; i++) {
        a->c[i] = (double)(i % 3);
        weight += a->c[i];
        target += a->c[i] * (a->y[i] - 0.5);
        loss += a->c[i] * 0.5 * (a->y[i] - 0.5) * (a->y[i] - 0.5);
    }
    CHECK(fxi_fm_gradient_zeros(sum, &a->p, NULL) == FX_OK);
    CHECK_NEAR(sum[FXI_FM_LOSS], loss, 1e-12 * loss);
    CHECK_NEAR(sum[FXI_FM_WEIGHT], weight, 0);
    CHECK_NEAR(sum[FXI_FM_TARGET], target, 1e-12 * weight);
    made_end(a);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void check_errors(void)
{
    made *a = made_model(FXI_FM_SHARED, 3, 3, &fxi_loss_squared, 30, MADE_DENSE);
    double *g = fxi_alloc(a->fm.size, sizeof *g), f;
    fx_run small = {RUN, .max_memory = 100}, stopped = {RUN, .progress = stop};

    CHECK(fxi_fm_gradient(&f, g, &a->p, a->v, &small) == FX_ELIMIT);
    CHECK(fxi_fm_gradient(&f, g, &a->p, a->v, &stopped) == FX_ECANCELLED);
    free(g);
    made_end(a);
}

int main(void)
{
    test_init();
    golden_run(check_golden);
    for (int k = 0; k < MADE_KINDS; k++)
        for (int l = 0; l < 3; l++) {
            made *a = made_model((fxi_fm_kind)(k % 7), 2 + (k + l) % 3, 3 + (size_t)l * 7,
                                 made_loss[l], 11, (k + l) % MADE_FORMS);
            check_differences(a);
            made_end(a);
        }
    check_weights();
    check_threads();
    check_wide(FXI_FM_HOFM);
    check_wide(FXI_FM_SIMPLEX);
    check_parts();
    check_zeros();
    check_errors();
    return 0;
}
