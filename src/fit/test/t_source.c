/* SPDX-License-Identifier: BSD-3-Clause
 * t_source.c - blocks of features: as they are, stored, or made on a visit, dense and sparse;
 * scores by blocks; an L1 fit on sparse features. */

#include "base/test.h"
#include "fit/fit.h"

#include <string.h>

enum { ROWS = 1700, COLS = 9, FEATURES = 301, OUTPUTS = 3 };

static double X[ROWS * COLS], W[(FEATURES + 64) * OUTPUTS], b[OUTPUTS] = {0.5, -1, 0};
static double f[ROWS * OUTPUTS], g[ROWS * OUTPUTS];
static float Z[ROWS * (FEATURES + 64)];

/* Every row of every block is the row of `all`, and scores are its inner products. */
static void check_source(const fxi_source *s, const fx_matrix *all, const fx_run *run)
{
    float *buffer = s->buffer ? fxi_alloc(s->buffer, sizeof *buffer) : NULL;
    size_t seen = 0;

    CHECK(s->rows == all->rows && s->features == all->cols);
    CHECK(s->blocks == (s->rows + s->block - 1) / s->block && s->block % FXI_LANES == 0);
    for (size_t k = 0; k < s->blocks; k++) {
        fx_matrix v;
        CHECK(fxi_fit_source_block(&v, s, k, buffer, run) == FX_OK);
        CHECK(v.cols == s->features && (k + 1 < s->blocks ? v.rows == s->block : v.rows > 0));
        for (size_t i = 0; i < v.rows; i++, seen++) {
            fxi_row r = fxi_data_row(&v, i), want = fxi_data_row(all, seen);
            CHECK(r.n == want.n);
            for (size_t q = 0; q < r.n; q++) {
                CHECK(fxi_row_value(r, q) == fxi_row_value(want, q));
                CHECK(fxi_row_column(r, q) == fxi_row_column(want, q));
            }
        }
    }
    CHECK(seen == s->rows);
    CHECK(fxi_fit_source_scores(f, s, W, b, OUTPUTS, run) == FX_OK);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < OUTPUTS; c++) {
            fxi_row r = fxi_data_row(all, i);
            double sum = b[c], size = fabs(b[c]);
            for (size_t q = 0; q < r.n; q++) {
                double t = fxi_row_value(r, q) * W[(size_t)fxi_row_column(r, q) * OUTPUTS + c];
                sum += t;
                size += fabs(t);
            }
            CHECK_NEAR(f[i * OUTPUTS + c], sum, ((double)r.n + 4) * 2.3e-16 * size);
        }
    free(buffer);
}

static int stop(void *ctx, double done)
{
    (void)ctx;
    (void)done;
    return 1;
}

/* Pairs of few columns out of many: sparse blocks with the numbers of the dense features, stored or
 * made when visited, and the same fit, bit for bit; of the dense ones it is the same optimum. */
static void check_crossed(void)
{
    enum { CROSS_ROWS = 4500, IN = 24, EACH = 3 };  /* a block has at most 4096 rows */
    static double val[CROSS_ROWS * EACH], y[CROSS_ROWS], c[CROSS_ROWS], w[3][IN * (IN + 1)];
    static int64_t ptr[CROSS_ROWS + 1];
    static int32_t col[CROSS_ROWS * EACH];
    fx_matrix rows = {
        .rows = CROSS_ROWS, .cols = IN, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    fxi_solution fit[3];
    fx_kernel *kernel = NULL;
    fx_map *map = NULL;
    fxi_source s[3];

    for (size_t i = 0; i < CROSS_ROWS * EACH; i++) {
        val[i] = 2 * test_unit() - 0.5;
        col[i] = (int32_t)(i % EACH * (IN / EACH) + test_below(IN / EACH));
        ptr[i / EACH + 1] = (int64_t)i + 1;
    }
    CHECK(fx_kernel_parse(&kernel, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&map, "explicit", kernel, IN, 0, 1, NULL, NULL) == FX_OK);
    size_t d = fx_map_features(map);
    CHECK(d <= IN * (IN + 1));
    float *dense = fxi_alloc(CROSS_ROWS * d, sizeof *dense);
    CHECK(dense && fx_map_apply(dense, d, FX_F32, map, &rows, NULL) == FX_OK);
    fx_matrix mapped = {.rows = CROSS_ROWS, .cols = d, .stride = d, .type = FX_F32, .val = dense};
    CHECK(fxi_fit_source(&s[0], &rows, map, UINT64_MAX, NULL) == FX_OK);
    CHECK(fxi_fit_source(&s[1], &rows, map, 0, NULL) == FX_OK);
    CHECK(fxi_fit_source(&s[2], &mapped, NULL, 0, NULL) == FX_OK);
    CHECK(s[0].crossed.ptr && !s[0].buffer && !s[1].crossed.ptr && s[1].buffer);
    for (int k = 0; k < 2; k++) {
        CHECK(s[k].sparse && s[k].blocks > 1 && s[k].features == d && !s[k].Z);
        float *buffer = s[k].buffer ? fxi_alloc(s[k].buffer, sizeof *buffer) : NULL;
        size_t seen = 0, stored = 0;
        for (size_t block = 0; block < s[k].blocks; block++) {
            fx_matrix v;
            CHECK(fxi_fit_source_block(&v, &s[k], block, buffer, NULL) == FX_OK && v.ptr);
            for (size_t i = 0; i < v.rows; i++, seen++) {
                fxi_row r = fxi_data_row(&v, i);
                size_t q = 0;
                for (size_t j = 0; j < d; j++) {
                    bool here = q < r.n && (size_t)fxi_row_column(r, q) == j;
                    CHECK((here ? fxi_row_value(r, q) : 0) == (double)dense[seen * d + j]);
                    q += here;
                }
                CHECK(q == r.n);
                stored += r.n;
            }
        }
        CHECK(seen == CROSS_ROWS && stored == s[k].numbers);
        free(buffer);
    }
    for (size_t i = 0; i < CROSS_ROWS; i++) {
        double product = val[EACH * i] * val[EACH * i + 1];
        y[i] = (double)dense[i * d + test_below(d)] + product > 0 ? 1 : -1;
        c[i] = 0.05;
    }
    for (int k = 0; k < 3; k++) {
        fxi_problem p = {.source = &s[k], .loss = &fxi_loss_squared_hinge, .y = y, .c = c,
                         .tol = 1e-6, .max_iter = 10000};
        fit[k] = (fxi_solution){.w = w[k]};
        CHECK(fxi_fit_l1(&fit[k], &p, NULL) == FX_OK && fit[k].converged);
        CHECK_NEAR(fit[k].objective, fit[0].objective, 1e-6 * fit[0].objective);
        CHECK(k == 2 || (!memcmp(w[k], w[0], sizeof w[0]) && fit[k].b == fit[0].b));
        fxi_fit_source_free(&s[k]);
    }
    free(dense);
    fx_map_free(map);
    fx_kernel_free(kernel);
}

int main(void)
{
    static int64_t ptr[ROWS + 1];
    static int32_t col[ROWS * COLS];
    fx_matrix dense = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X};
    fx_matrix sparse = {.rows = ROWS, .cols = COLS, .type = FX_F64, .val = X, .ptr = ptr,
                        .col = col};
    fx_kernel *kernel = NULL;
    fx_map *map = NULL;
    fxi_source s;

    test_init();
    for (size_t i = 0; i < ROWS * COLS; i++) {
        X[i] = test_unit();
        col[i] = (int32_t)(i % COLS);
        ptr[i / COLS + 1] = (int64_t)i + 1;
    }
    for (size_t i = 0; i < sizeof W / sizeof *W; i++)
        W[i] = test_unit() - 0.5;
    CHECK(fx_kernel_parse(&kernel, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&map, "rk", kernel, COLS, FEATURES, 1, NULL, NULL) == FX_OK);
    for (int threads = 1; threads <= 8; threads += 7) {
        fx_run run = {RUN, .threads = threads}, never = {RUN, .threads = threads, .progress = stop};
        size_t width = fx_map_features(map);
        fx_matrix mapped = {.rows = ROWS, .cols = width, .stride = width, .type = FX_F32, .val = Z};
        CHECK(width <= FEATURES + 64);
        CHECK(fxi_fit_source(&s, &dense, NULL, 0, &run) == FX_OK);
        check_source(&s, &dense, &run);
        fxi_fit_source_free(&s);
        CHECK(fxi_fit_source(&s, &sparse, NULL, 0, &run) == FX_OK);
        check_source(&s, &sparse, &run);
        fxi_fit_source_free(&s);
        CHECK(fx_map_apply(Z, width, FX_F32, map, &dense, &run) == FX_OK);
        CHECK(fxi_fit_source(&s, &dense, map, UINT64_MAX, &run) == FX_OK);
        CHECK(s.Z && !s.buffer && s.blocks > 1);
        check_source(&s, &mapped, &run);
        memcpy(g, f, sizeof g);
        fxi_fit_source_free(&s);
        /* one byte less than they need: made when visited, the same blocks, the same bits */
        CHECK(fxi_fit_source(&s, &sparse, map, (uint64_t)ROWS * s.stride * sizeof(float) - 1, &run)
              == FX_OK);
        CHECK(!s.Z && s.buffer);
        check_source(&s, &mapped, &run);
        CHECK(!memcmp(f, g, sizeof f));
        CHECK(fxi_fit_source_scores(f, &s, W, b, OUTPUTS, &never) == FX_ECANCELLED);
        fxi_fit_source_free(&s);
        CHECK(fxi_fit_source(&s, &dense, map, UINT64_MAX, &never) == FX_ECANCELLED);
    }
    fx_map_free(map);
    fx_kernel_free(kernel);
    check_crossed();
    return 0;
}
