/* SPDX-License-Identifier: BSD-3-Clause
 * t_adagrad_panels.c - panels by one thread and by three: the same bits, and threads did help.
 *
 * Covers: adagrad_panels.c */

#include "base/test.h"
#include "fm/adagrad.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 150, COLS = 80, ENTRIES = 20, RANK = 71, STEPS = 2 };

static double *copied(const double *x, size_t n)
{
    double *out = fxi_alloc(n, sizeof *out);

    CHECK(out);
    memcpy(out, x, n * sizeof *out);
    return out;
}

/* v and sum after two steps with all rows. */
static double learn(double *v, double *sum, const fxi_fm_problem *p, int threads)
{
    const fx_run run = {RUN, .threads = threads};
    double count[FXI_FM_ADAGRAD_LOOK] = {0}, loss = 0;
    fxi_fm_adagrad_batch batch;
    fxi_fm_adagrad_block all = {0};

    fxi_fm_adagrad_look_add(count, p->fm, p->X, 0, ROWS);
    CHECK(!fxi_fm_adagrad_batch_new(&batch, p, v, sum, fxi_fm_adagrad_look_of(count, p->fm),
                                    ENTRIES, &run));
    CHECK(batch.rows.look.fast && fxi_fm_adagrad_panels(p->fm) == p->fm->blocks * 5);
    CHECK(batch.how.threads == threads);
    CHECK(!fxi_threadpool_new(&batch.rows.pool, &batch.how));
    CHECK(!fxi_fm_adagrad_block_fill(&all, p, 0, ROWS, 0, true) && all.n == ROWS);
    for (size_t j = 0; j < p->fm->cols; j++)
        batch.share[j] = 1;
    test_helped();
    for (int k = 0; k < STEPS; k++) {
        loss += fxi_fm_adagrad_batch_add(&batch, &all, 0, ROWS, 1, 1. / ROWS);
        CHECK(test_helped() == (threads > 1));
        fxi_fm_adagrad_batch_step(&batch, 0.1);
        CHECK(test_helped() == (threads > 1));
    }
    fxi_threadpool_free(batch.rows.pool);
    fxi_fm_adagrad_block_free(&all);
    fxi_fm_adagrad_batch_free(&batch);
    return loss;
}

static void check_threads(fxi_fm_shape want, const fx_matrix *X, const double *y, const double *c)
{
    fxi_fm fm;

    want.given = COLS;
    want.rank = RANK;
    want.beta[0] = want.beta[1] = want.alpha = 0.01;
    CHECK(!fxi_fm_new(&fm, &want));
    const fxi_fm_problem p = {.fm = &fm, .X = X, .loss = &fxi_loss_logistic, .y = y, .c = c,
                              .batch = ROWS, .seed = 3};
    double *v = fxi_alloc(fm.size, sizeof *v), *sum = fxi_zalloc(fm.size, sizeof *sum);
    CHECK(v && sum);
    fxi_fm_start(v, &fm, 0.2, 5, NULL);
    double *start = copied(v, fm.size), *v3 = copied(v, fm.size), *sum3 = copied(sum, fm.size);
    double loss = learn(v, sum, &p, 1);
    CHECK(isfinite(loss) && learn(v3, sum3, &p, 3) == loss);
    CHECK(memcmp(start, v, fm.size * sizeof *v) != 0);
    CHECK(!memcmp(v3, v, fm.size * sizeof *v) && !memcmp(sum3, sum, fm.size * sizeof *sum));
    fxi_free(v, sum, v3, sum3, start);
    fxi_fm_free(&fm);
}

int main(void)
{
    static float val[ROWS * ENTRIES];
    static int32_t col[ROWS * ENTRIES];
    static int64_t ptr[ROWS + 1];
    static double y[ROWS], c[ROWS];
    const fx_matrix X = {.rows = ROWS, .cols = COLS, .type = FX_F32, .val = val, .ptr = ptr,
                         .col = col};

    test_init();
    for (int i = 0; i < ROWS; i++) {
        for (int q = 0; q < ENTRIES; q++)
            col[i * ENTRIES + q] = 4 * q + (int)test_below(4);
        ptr[i + 1] = (i + 1) * ENTRIES;
        y[i] = test_below(2) ? 1 : -1;
        c[i] = 0.5 + test_unit();
    }
    for (int ones = 0; ones < 2; ones++) {
        for (int k = 0; k < ROWS * ENTRIES; k++)
            val[k] = ones ? 1 : (float)(test_unit() - 0.5);
        check_threads((fxi_fm_shape){.kind = FXI_FM_HOFM, .order = 2, .linear = true}, &X, y, c);
        check_threads((fxi_fm_shape){.kind = FXI_FM_HOFM, .order = 3, .linear = true}, &X, y, c);
        check_threads((fxi_fm_shape){.kind = FXI_FM_SHARED, .order = 3, .intercept = true}, &X, y,
                      c);
    }
    return 0;
}
