/* SPDX-License-Identifier: BSD-3-Clause
 * t_columns.c - sums of columns against the definitions; the same bits for rows that come in parts,
 * in any order of the parts. */

#include "data/test/random_table.h"

#include <float.h>

/* ---- Definitions --------------------------------------------------------------------------- */

static void sums(const random_table *r, bool deviations)
{
    enum { NUMBERS = 2 * RT_COLS + 1 };
    const fx_table *t = &r->t;
    double got[NUMBERS], unit[RT_COLS], mean[2 * RT_COLS];
    size_t cols = t->cols;

    for (size_t j = 0; j < cols; j++) {
        double largest = 0;
        for (size_t i = 0; i < t->rows; i++)
            if (!t->weight || t->weight[i] > 0)
                largest = fmax(largest, fabs(r->x[i][j]));
        unit[j] = fxi_data_columns_unit(largest);
        mean[j] = 0.25;
        mean[cols + j] = 4;
    }
    fxi_column_sums a = {.cols = cols, .unit = unit, .mean = deviations ? mean : NULL};
    CHECK(fxi_data_columns_table((void *)t, got, &a, NULL) == FX_OK);
    for (size_t j = 0; j < cols; j++) {
        long double first = 0, second = 0, size = 0, all = 0;
        for (size_t i = 0; i < t->rows; i++) {
            double w = t->weight ? t->weight[i] : 1;
            double y = (r->x[i][j] * unit[j] - mean[j]) * 4;
            all += w;
            /* a number that is 0 may be stored or not; sums of deviations see the difference */
            if (r->x[i][j] == 0 && deviations)
                return;
            first += w * (deviations ? y : r->x[i][j] * unit[j]);
            second += deviations ? w * (long double)y * y : r->x[i][j] != 0 ? w : 0;
            size += w * fabs(deviations ? y : r->x[i][j] * unit[j]);
        }
        double u = (double)(t->rows + 3) * DBL_EPSILON;
        CHECK_NEAR(got[j], (double)first, u * (double)size);
        CHECK_NEAR(got[2 * cols], (double)all, u * (double)all);
        if (deviations)
            CHECK_NEAR(got[cols + j], (double)second, u * (double)second);
        else
            CHECK(got[cols + j] >= (double)second * (1 - u) && got[cols + j] <= got[2 * cols]);
    }
}

/* ---- Parts --------------------------------------------------------------------------------- */

static void parts(void)
{
    enum { ROWS = 3 * FX_PASS_BLOCK + 99, D = 5, NUMBERS = 2 * D + 1 };
    float *x = malloc(ROWS * D * sizeof *x);
    double *weight = malloc(ROWS * sizeof *weight), whole[NUMBERS], joined[NUMBERS];
    const double unit[D] = {1, 1, 0.5, 2, 1};
    fxi_sum exact[1];

    CHECK(x && weight);
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = test_unit();
        for (size_t j = 0; j < D; j++)
            x[i * D + j] = test_below(9) ? (float)(test_unit() - 0.4) : NAN;
    }
    fx_matrix X = {.rows = ROWS, .cols = D, .stride = D, .val = x};
    fx_table t = {.rows = ROWS, .cols = D, .blocks = 1, .block = &X, .weight = weight};
    fxi_column_sums a = {.cols = D, .unit = unit, .missing = true};
    CHECK(fxi_data_columns_table(&t, whole, &a, NULL) == FX_OK);
    for (int order = 0; order < 2; order++) {
        fxi_linalg_sum_clear(exact, 1);
        for (size_t k = 0; k < 3; k++) {        /* parts of 1, 1 and 2 blocks */
            size_t part = order ? 2 - k : k, first = part * FX_PASS_BLOCK;
            fx_matrix P = X;
            P.val = x + first * D;
            P.rows = part < 2 ? FX_PASS_BLOCK : ROWS - first;
            fx_table one = {.rows = P.rows, .cols = D, .blocks = 1, .block = &P,
                            .weight = weight + first};
            CHECK(fxi_data_columns_add(exact, &a, &one, NULL) == FX_OK);
        }
        fxi_linalg_sum_round(joined, exact, NUMBERS);
        CHECK(!memcmp(joined, whole, sizeof whole));
    }
    for (size_t j = 0; j < D; j++) {            /* the weight of what is missing */
        double missing = 0;
        for (size_t i = 0; i < ROWS; i++)
            missing += isnan(x[i * D + j]) ? weight[i] : 0;
        CHECK_NEAR(whole[D + j], missing, ROWS * DBL_EPSILON * missing);
    }
    free(x);
    free(weight);
}

int main(void)
{
    static random_table r;

    test_init();
    for (int i = 0, n = test_cases(200); i < n; i++) {
        random_table_fill(&r, i % 3, i / 3 % 3);
        sums(&r, false);
        sums(&r, true);
    }
    parts();
    CHECK(fxi_data_columns_unit(1) == 0.5 && fxi_data_columns_unit(0.75) == 1);
    CHECK(fxi_data_columns_unit(0) == 1 && isfinite(fxi_data_columns_unit(4.9e-324)));
    return 0;
}
