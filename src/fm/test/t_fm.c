/* SPDX-License-Identifier: BSD-3-Clause
 * t_fm.c - the shape of models: which blocks, columns and groups, where numbers stand; how they
 * start; norms and penalties; losses; what is refused. */

#include "fm/test/made.h"

static const int orders[] = {3, 4, 2, 0, 3, 0, 0};

static fxi_fm_shape shape(fxi_fm_kind kind, size_t rank)
{
    return (fxi_fm_shape){.kind = kind, .order = orders[kind], .given = 7, .rank = rank, .split = 3,
                          .linear = true, .intercept = true, .beta = {1, 2, 3}};
}

/* Regions follow one another, begin at 64 bytes, and hold what they should. */
static void check_shape(fxi_fm_kind kind)
{
    static const size_t cols[] = {7, 10, 7, 7, 8, 7, 16}, front[] = {0, 3, 0, 0, 1, 0, 1};
    fxi_fm_shape want = shape(kind, 17);
    fxi_fm fm;

    CHECK(fxi_fm_new(&fm, &want) == FX_OK);
    CHECK(fm.cols == cols[kind] && fm.front == front[kind] && fm.twice == (kind == FXI_FM_UV));
    CHECK(fm.panels == 2 && fm.w == 8 && fm.size % 8 == 0);
    CHECK(fm.blocks == (kind == FXI_FM_HOFM ? 2 : 1));
    size_t at = fm.w + 8;
    for (size_t b = 0; b < fm.blocks; b++) {
        CHECK(fm.block[b].P == at && at % 8 == 0);
        CHECK(fm.block[b].lambda == at + 2 * fm.cols * FXI_LANES);
        CHECK(fm.block[b].theta == fm.block[b].lambda + 2 * FXI_LANES);
        at = fm.block[b].theta + (kind == FXI_FM_SIMPLEX ? 8 : 0);
        CHECK((fm.block[b].kernel == NULL) == (kind == FXI_FM_POWER));
        CHECK(fm.block[b].beta == fm.block[b].beta_front);
        CHECK(fxi_fm_at(&fm, b, 16, 2) == fm.block[b].P + (fm.cols + 2) * FXI_LANES);
    }
    CHECK(fm.size == at);
    CHECK((fm.groups == 2) == (kind == FXI_FM_BILINEAR || kind == FXI_FM_UV));
    for (size_t j = 0; fm.group && j < fm.cols; j++)
        CHECK(fm.group[j] == (j >= (kind == FXI_FM_UV ? 8 : 3)));
    if (kind == FXI_FM_HOFM)
        CHECK(fm.block[0].order == 2 && fm.block[0].beta == 1 && fm.block[1].order == 3
              && fm.block[1].beta == 2);
    if (kind == FXI_FM_SHARED)
        CHECK(fm.block[0].beta == 3);
    fxi_fm_free(&fm);
}

/* Columns not seen and lanes beyond the rank are exactly 0, factors spread as asked, lambda 1 or
 * signs; the same for the same seed. */
static void check_start(fxi_fm_kind kind)
{
    fxi_fm_shape want = shape(kind, 300);
    unsigned char seen[] = {1, 1, 0, 1, 1, 1, 1};
    double sum = 0, squares = 0, n = 0, signs = 0;
    fxi_fm fm;

    want.how = kind % 2 ? FXI_FM_SIGNS : FXI_FM_ONES;
    CHECK(fxi_fm_new(&fm, &want) == FX_OK);
    double *v = fxi_alloc(2 * fm.size, sizeof *v), *again = v + fm.size;
    CHECK(v);
    fxi_fm_start(v, &fm, 0.01, 5, seen);
    fxi_fm_start(again, &fm, 0.01, 5, seen);
    CHECK(!memcmp(v, again, fm.size * sizeof *v));
    for (size_t i = 1; i < fm.block[0].P; i++)
        CHECK(v[i] == 0);
    for (size_t b = 0; b < fm.blocks; b++)
        for (size_t s = 0; s < fm.panels * FXI_LANES; s++) {
            double lambda = v[fm.block[b].lambda + s];
            CHECK(s < 300 ? (want.how == FXI_FM_ONES ? lambda == 1 : fabs(lambda) == 1)
                          : lambda == 0);
            signs += lambda;
            for (size_t j = 0; j < fm.cols; j++) {
                double x = v[fxi_fm_at(&fm, b, s, j)];
                x /= pow(0.01, 2. / (fm.block[b].order ? fm.block[b].order : 2));
                size_t half = fm.twice ? fm.cols / 2 : fm.cols;
                CHECK((x == 0) == (s >= 300 || j % half == fm.front + 2));
                sum += x;
                squares += x * x;
                n += x != 0;
            }
        }
    /* six standard deviations: false alarms 1 in 10^8 */
    CHECK_NEAR(sum / n, 0, 6 / sqrt(n));
    CHECK_NEAR(squares / n, 1, 6 * sqrt(2 / n));
    CHECK_NEAR(signs, want.how == FXI_FM_ONES ? 300. * (double)fm.blocks : 0,
               want.how == FXI_FM_ONES ? 0 : 6 * sqrt(300. * (double)fm.blocks));
    CHECK(v[0] == (kind == FXI_FM_SUBSETS && want.intercept ? -signs : 0));
    if (kind == FXI_FM_SIMPLEX)
        CHECK(v[fm.block[0].theta] == 0.5 && v[fm.block[0].theta + 1] == 0.5);
    fxi_fm_start(again, &fm, 0.01, 6, seen);
    CHECK(memcmp(v, again, fm.size * sizeof *v));
    free(v);
    fxi_fm_free(&fm);
}

static void check_penalty(fxi_fm_kind kind)
{
    made *m = made_model(kind, 3, 18, &fxi_loss_squared, 1, MADE_DENSE);
    const fxi_fm *fm = &m->fm;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;
    double want = 0;

    m->fm.block[0].beta_front = 0.7;
    for (size_t i = 0; fm->linear && i < fm->given; i++)
        want += 0.5 * fm->alpha * m->v[fm->w + i] * m->v[fm->w + i];
    for (size_t b = 0; b < fm->blocks; b++) {
        double norm = 0;
        for (size_t s = 0; s < fm->rank; s++) {
            double lambda = m->v[fm->block[b].lambda + s];
            want += 0.5 * fm->beta_lambda * lambda * lambda;
            for (size_t j = 0; j < fm->cols; j++) {
                double x = m->v[fxi_fm_at(fm, b, s, j)];
                bool front = j % half < fm->front;
                norm += x * x;
                want += 0.5 * (front ? fm->block[b].beta_front : fm->block[b].beta) * x * x;
            }
        }
        CHECK_NEAR(fxi_fm_norm(fm, m->v, b), sqrt(norm), 1e-13 * sqrt(norm));
    }
    CHECK_NEAR(fxi_fm_penalty(fm, m->v), want, 1e-13 * want);
    made_end(m);
}

static void check_rejected(fxi_fm_shape want, fx_status st)
{
    fxi_fm fm = {0};

    CHECK(fxi_fm_new(&fm, &want) == st && !fm.size);
}

static void check_errors(void)
{
    fxi_fm_shape s = shape(FXI_FM_HOFM, 2);

    s.order = 1;
    check_rejected(s, FX_EINVAL);
    s.order = FX_ORDER_MAX + 1;
    check_rejected(s, FX_EINVAL);
    check_rejected(shape(FXI_FM_SHARED, 0), FX_EINVAL);
    check_rejected(shape(FXI_FM_SHARED, SIZE_MAX), FX_ESHAPE);
    check_rejected(shape(FXI_FM_SHARED, SIZE_MAX / 32), FX_ESHAPE);
    s = shape(FXI_FM_BILINEAR, 2);
    s.split = 7;
    check_rejected(s, FX_EINVAL);
    s.split = 0;
    check_rejected(s, FX_EINVAL);
    s = shape(FXI_FM_UV, 2);
    s.given = INT32_MAX / 2;
    check_rejected(s, FX_ESHAPE);
}

static void check_losses(void)
{
    CHECK(fxi_fm_loss(&fxi_loss_squared, 3, 1) == 2 && fxi_fm_slope(&fxi_loss_squared, 3, 1) == -2);
    CHECK(fxi_fm_loss(&fxi_loss_squared_hinge, 1, -1) == 4);
    for (int l = 0; l < 3; l++) {       /* the largest curve is reached near f = 0 or everywhere */
        double h = 1e-4, up = fxi_fm_slope(made_loss[l], 1, h);
        double down = fxi_fm_slope(made_loss[l], 1, -h);
        CHECK_NEAR((up - down) / (2 * h), fxi_fm_curve(made_loss[l]), 1e-8);
    }
}

int main(void)
{
    test_init();
    for (int k = 0; k < MADE_KINDS; k++) {
        check_shape((fxi_fm_kind)k);
        check_start((fxi_fm_kind)k);
        check_penalty((fxi_fm_kind)k);
    }
    check_errors();
    check_losses();
    return 0;
}
