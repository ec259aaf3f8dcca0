/* SPDX-License-Identifier: BSD-3-Clause
 * t_score.c - scores: golden predictions, in every form of rows; some rows, in any order and
 * company, have the same bits; no rows; limits and stops. */

#include "fm/test/golden.h"
#include "fm/test/made.h"

static void check_golden(golden *g)
{
    double f[64], dense[64 * 64] = {0};
    fx_matrix X = {.rows = g->n, .cols = g->given.cols, .stride = g->given.cols, .type = FX_F64,
                   .val = dense}, view;
    fx_data *own;
    json_t *want = json_object_get(g->c, "predictions");

    CHECK(fxi_fm_score(f, &g->fm, g->v, (fxi_row_subset){&g->X, NULL, g->n}, NULL) == FX_OK);
    for (size_t i = 0; i < g->n; i++) {
        double y = golden_number(json_array_get(want, i));
        CHECK_NEAR(f[i], y, 1e-12 * (1 + fabs(y)));
        for (int64_t q = g->ptr[i]; q < g->ptr[i + 1]; q++)
            dense[i * X.cols + (size_t)g->col[q]] = g->val[q];
    }
    CHECK(fxi_fm_rows(&view, &own, &g->fm, &X, NULL) == FX_OK);
    CHECK(fxi_fm_score(f, &g->fm, g->v, (fxi_row_subset){&view, NULL, g->n}, NULL) == FX_OK);
    for (size_t i = 0; i < g->n; i++) {
        double y = golden_number(json_array_get(want, i));
        CHECK_NEAR(f[i], y, 1e-12 * (1 + fabs(y)));
    }
    fx_data_free(own);
}

static void check_subset(fxi_fm_kind kind, int form)
{
    made *m = made_model(kind, 3, 33, &fxi_loss_squared, MADE_ROWS, form);
    double all[MADE_ROWS], subset[MADE_ROWS];
    int32_t row[MADE_ROWS];
    size_t n = 300;

    CHECK(fxi_fm_score(all, &m->fm, m->v, (fxi_row_subset){&m->X, NULL, MADE_ROWS}, NULL) == FX_OK);
    for (size_t i = 0; i < n; i++)
        row[i] = (int32_t)test_below(MADE_ROWS);
    CHECK(fxi_fm_score(subset, &m->fm, m->v, (fxi_row_subset){&m->X, row, n}, NULL) == FX_OK);
    for (size_t i = 0; i < n; i++)
        CHECK(subset[i] == all[row[i]]);
    made_end(m);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

/* poly-net-uv is x~'UV'x~. */
static void check_uv(void)
{
    made *m = made_model(FXI_FM_UV, 2, 5, &fxi_loss_squared, 20, MADE_SPARSE);
    double f[20];

    CHECK(fxi_fm_score(f, &m->fm, m->v, (fxi_row_subset){&m->X, NULL, 20}, NULL) == FX_OK);
    for (size_t i = 0; i < 20; i++) {
        double sum = m->v[0];
        for (size_t s = 0; s < 5; s++) {
            double u = 0, w = 0;
            for (size_t j = 0; j <= MADE_COLS; j++) {
                double x = j ? m->dense[i * MADE_COLS + j - 1] : 1;
                u += x * m->v[fxi_fm_at(&m->fm, 0, s, j)];
                w += x * m->v[fxi_fm_at(&m->fm, 0, s, MADE_COLS + 1 + j)];
            }
            sum += m->v[m->fm.block[0].lambda + s] * u * w;
        }
        CHECK_NEAR(f[i], sum, 1e-13);
    }
    fx_run small = {RUN, .max_memory = 10}, stopped = {RUN, .progress = stop};
    CHECK(fxi_fm_score(f, &m->fm, m->v, (fxi_row_subset){&m->X, NULL, 20}, &small) == FX_ELIMIT);
    CHECK(fxi_fm_score(f, &m->fm, m->v, (fxi_row_subset){&m->X, NULL, 20}, &stopped)
          == FX_ECANCELLED);
    CHECK(fxi_fm_score(NULL, &m->fm, m->v, (fxi_row_subset){&m->X, NULL, 0}, NULL) == FX_OK);
    made_end(m);
}

int main(void)
{
    test_init();
    golden_run(check_golden);
    for (int k = 0; k < MADE_KINDS; k++)
        check_subset((fxi_fm_kind)k, k % MADE_FORMS);
    check_uv();
    return 0;
}
