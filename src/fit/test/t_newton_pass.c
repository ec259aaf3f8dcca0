/* SPDX-License-Identifier: BSD-3-Clause
 * t_newton_pass.c - questions to all rows: the sums against their definition; the same bits whether
 * scores are known or not, for any threads, stored and made features; runs.
 * Covers: newton_memory.c */

#include "fit/newton.h"
#include "fit/test/fitting.h"

#include <float.h>

enum { N = 1500, COLS = 70 };
static double X[N * COLS], y[N], c[N];

static void make(bool sparse)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < COLS; j++)
            X[i * COLS + j] = !sparse || !test_below(4) ? 2 * test_unit() - 0.7 : 0;
        y[i] = test_below(2) ? 1 : -1;
        c[i] = (double)test_below(3);
    }
}

/* The rows as doubles, as floats, as sparse rows. */
static fx_matrix rows_of(int form)
{
    static float f[N * COLS];
    static double val[N * COLS];
    static int32_t col[N * COLS];
    static int64_t ptr[N + 1];
    size_t n = 0;

    for (size_t i = 0; i < N * COLS; i++)
        X[i] = f[i] = (float)X[i];
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < COLS; j++)
            if (X[i * COLS + j] != 0) {
                val[n] = X[i * COLS + j];
                col[n++] = (int32_t)j;
            }
        ptr[i + 1] = (int64_t)n;
    }
    if (form == 0)
        return fitting_dense(X, N, COLS);
    if (form == 1)
        return (fx_matrix){.rows = N, .cols = COLS, .stride = COLS, .type = FX_F32, .val = f};
    return (fx_matrix){.rows = N, .cols = COLS, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
}

static double score(const double *w, size_t i)
{
    double f = w[COLS];

    for (size_t j = 0; j < COLS; j++)
        f += w[j] * X[i * COLS + j];
    return f;
}

/* sums and, in size, the sum of the sizes of their terms */
static void define(double *sum, double *size, const fxi_question *q, const fxi_loss *loss)
{
    size_t padded = fxi_sum_padded(COLS), all = fxi_answer_numbers(q, COLS);

    memset(sum, 0, all * sizeof *sum);
    memset(size, 0, all * sizeof *size);
#define ADD(at, x) (sum[at] += (x), size[at] += fabs(x))
    for (size_t i = 0; i < N; i++) {
        if (!(c[i] > 0))
            continue;
        double along = !q->v ? 1 : score(q->v, i);
        double f = score(q->w, i) + (q->what == FXI_ASK_LINE ? q->t * along : 0);
        double slope = c[i] * loss->slope(y[i], f, 0), D = c[i] * loss->curve(y[i], f, 0);
        double by = q->what == FXI_ASK_PRODUCT ? D * along : slope;
        if (q->what != FXI_ASK_PRODUCT) {
            ADD(FXI_ANSWER_VALUE, c[i] * loss->value(y[i], f, 0));
            ADD(FXI_ANSWER_CURVE, D * (q->what == FXI_ASK_LINE ? along * along : 1));
        }
        ADD(FXI_ANSWER_SLOPE, q->what == FXI_ASK_LINE ? slope * along : by);
        for (size_t j = 0; j < COLS && q->what != FXI_ASK_LINE; j++) {
            double x = X[i * COLS + j];
            ADD(FXI_SUM + j, by * x);
            if ((q->flags & FXI_NEWTON_FIRST))
                ADD(FXI_SUM + padded + j, D * x);
            if ((q->flags & FXI_NEWTON_SQUARES))
                ADD(FXI_SUM + ((q->flags & FXI_NEWTON_FIRST) ? 2 : 1) * padded + j, D * x * x);
        }
    }
}

static void check(const double *got, const fxi_question *q, const fxi_loss *loss)
{
    static double sum[4 * 128], size[4 * 128];

    define(sum, size, q, loss);
    for (size_t k = 0; k < fxi_answer_numbers(q, COLS); k++)
        if (k != FXI_ANSWER_SIZE)
            CHECK_NEAR(got[k], sum[k], 64 * DBL_EPSILON * size[k]);
}

/* All questions, in an order in which scores are known for some of them and not for others: the
 * answers do not tell which. */
static void test_questions(const fxi_loss *loss, int form, bool sparse)
{
    double w[COLS + 1], v[COLS + 1], zero[COLS + 1] = {0}, other[COLS + 1];
    double first[7][512], again[512];

    make(sparse);
    for (size_t j = 0; j <= COLS; j++) {
        w[j] = 0.4 * (test_unit() - 0.5);
        v[j] = test_unit() - 0.5;
    }
    zero[COLS] = 0.25;
    memcpy(other, w, sizeof other);
    other[COLS] += 0.5;                 /* the same scores, another intercept */
    const fxi_question ask[7] = {
        {.what = FXI_ASK_GRADIENT, .flags = FXI_NEWTON_FIRST | FXI_NEWTON_SQUARES, .w = w},
        {.what = FXI_ASK_PRODUCT, .w = w, .v = v},
        {.what = FXI_ASK_LINE, .w = w, .v = v, .t = 0.3},
        {.what = FXI_ASK_LINE, .w = w, .t = -0.5},
        {.what = FXI_ASK_GRADIENT, .flags = FXI_NEWTON_SQUARES | FXI_NEWTON_FLAT, .w = zero},
        {.what = FXI_ASK_GRADIENT, .w = v},
        {.what = FXI_ASK_PRODUCT, .w = other, .v = v}};
    static const int order[] = {0, 1, 2, 3, 1, 6, 4, 2, 5, 3, 0, 0, 6, 4, 1, 5, 5, 2, 2, 1};
    fx_matrix rows = rows_of(form);
    fxi_source z = fitting_source(&rows, NULL, 0);
    fxi_problem p = fitting_problem(&z, loss, y, c, FXI_FREE, 0);
    fxi_newton_memory a;

    for (int k = 0; k < 7; k++) {       /* each by rows that know nothing */
        CHECK(fxi_fit_newton_memory(&a, &p, &(fx_run){RUN, .threads = 1}) == FX_OK);
        CHECK(a.answer.run < N);
        CHECK(a.passes.ask(&a.passes, first[k], &ask[k]) == FX_OK);
        check(first[k], &ask[k], loss);
        fxi_fit_newton_memory_free(&a);
    }
    test_helped();
    CHECK(fxi_fit_newton_memory(&a, &p, &(fx_run){RUN, .threads = 3}) == FX_OK);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        const fxi_question *q = &ask[order[k]];
        CHECK(a.passes.ask(&a.passes, again, q) == FX_OK);
        CHECK(!memcmp(again, first[order[k]], fxi_answer_numbers(q, COLS) * sizeof *again));
    }
    CHECK(test_helped());
    fxi_fit_newton_memory_free(&a);
    CHECK(fxi_fit_newton_memory(&a, &p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT);
}

/* The same sums from parts of the rows, in any order where runs end with them, else in theirs. */
static void test_parts(const fxi_loss *loss, size_t run, bool ordered)
{
    enum { MANY = 4 * 4096 + 900, D = 5 };
    static double in[MANY * D], t[MANY], one[MANY], space[3 * MANY];
    static const size_t order[2][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}};
    static const size_t start[2][5] = {{0, 4096, 3 * 4096, 4 * 4096, MANY},
                                       {0, 4096, 2 * 4096, 3 * 4096, MANY}};
    double w[D + 1] = {0.1, -0.2, 0.3, 0.2, -0.1, 0.5}, whole[512], sums[512];
    const fxi_question q = {
        .what = FXI_ASK_GRADIENT, .flags = FXI_NEWTON_FIRST | FXI_NEWTON_SQUARES, .w = w};
    fxi_answer a;

    for (size_t i = 0; i < MANY * D; i++)
        in[i] = test_unit();
    for (size_t i = 0; i < MANY; i++) {
        t[i] = test_below(2) ? 1 : -1;
        one[i] = test_unit();
    }
    fxi_problem p = {.loss = loss};
    CHECK(fxi_pass_answer_new(&a, run, 8, 1e9, &(fx_run){RUN, .threads = 2}) == FX_OK);
    for (int parts = 0; parts < 3; parts++) {
        CHECK(fxi_fit_newton_pass_begin(&a, &q, D, NULL) == FX_OK);
        for (size_t k = 0; k < (parts ? 4 : 1); k++) {
            size_t at = parts ? order[!ordered][k] : 0;
            const size_t *from = start[parts == 2];
            size_t first = from[at], end = parts ? from[at + 1] : MANY;
            fx_matrix rows = fitting_dense(in + first * D, end - first, D);
            fxi_source z = fitting_source(&rows, NULL, 0);
            fxi_piece x = {.rows = end - first, .y = t + first, .c = one + first, .f = space,
                           .D = space + MANY, .q = space + 2 * MANY};
            CHECK(fxi_fit_newton_pass(&a, &q, &p, &z, &x, first, end == MANY) == FX_OK);
        }
        fxi_pass_answer_round(parts ? sums : whole, &a);
        CHECK(!parts || !memcmp(sums, whole, fxi_answer_numbers(&q, D) * sizeof *sums));
    }
    if (run > 4096) {                   /* a part that does not follow is refused */
        fx_matrix rows = fitting_dense(in, 4096, D);
        fxi_source z = fitting_source(&rows, NULL, 0);
        fxi_piece x = {.rows = 4096, .y = t, .c = one, .f = space, .D = space + MANY,
                       .q = space + 2 * MANY};
        CHECK(fxi_fit_newton_pass_begin(&a, &q, D, NULL) == FX_OK);
        CHECK(fxi_fit_newton_pass(&a, &q, &p, &z, &x, 4096, false) == FX_EINVAL);
    }
    fxi_pass_answer_free(&a);
}

/* The inner product of a row has the same bits in each of the four places. */
static void test_places(const fxi_simd *simd)
{
    float x[3][100];
    double w[100], first[4], second[4];

    for (size_t j = 0; j < 100; j++) {
        w[j] = test_unit() - 0.5;
        for (size_t r = 0; r < 3; r++)
            x[r][j] = (float)test_unit();
    }
    for (size_t n = 0; n <= 100; n++) {
        simd->fit_newton_dots(first, (const float *const[]){x[0], x[1], x[0], x[2]}, w, n);
        simd->fit_newton_dots(second, (const float *const[]){x[1], x[0], x[2], x[0]}, w, n);
        CHECK(first[0] == first[2] && first[0] == second[1] && first[0] == second[3]);
        CHECK(first[1] == second[0] && first[3] == second[2]);
    }
}

int main(void)
{
    test_init();
    for (int form = 0; form < 3; form++) {
        test_questions(&fxi_loss_logistic, form, form == 2);
        test_questions(&fxi_loss_squared_hinge, form, true);
        test_questions(&fxi_loss_squared, form, false);
    }
    for (size_t run = 256; run <= 1 << 15; run *= 2)
        test_parts(&fxi_loss_logistic, run, true);
    test_parts(&fxi_loss_squared_hinge, 4096, false);
    test_parts(&fxi_loss_squared, 256, false);
    for (const fxi_simd *simd = fxi_simd_targets; simd->name; simd++)
        if (simd->supported())
            test_places(simd);
    return 0;
}
