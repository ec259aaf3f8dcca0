/* SPDX-License-Identifier: BSD-3-Clause
 * t_deviation.c - measured errors against their definition, and against what variances predict. */

#include "base/test.h"
#include "map/map.h"

#include <float.h>
#include <string.h>

enum { ROWS = 60, COLS = 12, MAX_PAIRS = 1500 };
static double dense[ROWS * COLS], csr_val[ROWS * COLS];
static int32_t csr_col[ROWS * COLS];
static int64_t csr_ptr[ROWS + 1];
static fx_matrix D = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = dense};
static fx_matrix S = {.rows = ROWS, .cols = COLS, .type = FX_F64, .val = csr_val, .col = csr_col,
                      .ptr = csr_ptr};

static void fill(void)
{
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++) {
            double v = test_below(6) < i % 7 ? test_unit() - 0.2 : 0;
            dense[i * COLS + j] = v;
            if (v != 0) {
                csr_val[n] = v;
                csr_col[n++] = (int32_t)j;
            }
        }
        csr_ptr[i + 1] = (int64_t)n;
    }
}

/* The same by the definition: all kernel values and all features first. */
static fx_deviation slow(const fx_map *m, size_t pairs, uint64_t seed)
{
    static double K[ROWS * ROWS];
    size_t features = fx_map_features(m);
    float *Z = malloc(ROWS * features * sizeof *Z);
    double *square = malloc(pairs * sizeof *square), spread = 0;
    fx_deviation e = {.size = sizeof e, .pairs = pairs};

    CHECK(Z && square);
    CHECK(fx_kernel_gram(K, ROWS, m->kernel, &D, NULL, NULL) == FX_OK);
    CHECK(fx_map_apply(Z, features, FX_F32, m, &D, NULL) == FX_OK);
    for (size_t q = 0; q < pairs; q++) {
        fxi_rng r = {seed, FXI_MAP_ERROR};
        size_t pair[2] = {fxi_rng_below(r, 2 * q, ROWS), fxi_rng_below(r, 2 * q + 1, ROWS - 1)};
        pair[1] += pair[1] >= pair[0];
        double dot = 0, k = K[pair[0] * ROWS + pair[1]], V = NAN;
        for (size_t s = 0; s < features; s++)
            dot += (double)Z[pair[0] * features + s] * Z[pair[1] * features + s];
        fx_map_variance(&V, m, &D, pair, 1, NULL);
        square[q] = (dot - k) * (dot - k);
        e.mae += fabs(dot - k) / (double)pairs;
        e.rmse += square[q] / (double)pairs;
        e.max = fmax(e.max, fabs(dot - k));
        e.bias += (dot - k) / (double)pairs;
        e.kernel_rms += k * k / (double)pairs;
        e.predicted += V / (double)pairs;
    }
    for (size_t q = 0; q < pairs; q++)
        spread += (square[q] - e.rmse) * (square[q] - e.rmse) / (double)pairs;
    e.ci95 = 1.96 * sqrt(spread / (double)pairs) / 2 / sqrt(e.rmse);
    e.rmse = sqrt(e.rmse);
    e.kernel_rms = sqrt(e.kernel_rms);
    e.predicted = sqrt(e.predicted);
    free(square);
    free(Z);
    return e;
}

static void same(fx_deviation a, fx_deviation b, double tol)
{
    CHECK(a.pairs == b.pairs);
    CHECK_NEAR(a.mae, b.mae, tol);
    CHECK_NEAR(a.rmse, b.rmse, tol);
    CHECK_NEAR(a.max, b.max, tol);
    CHECK_NEAR(a.ci95, b.ci95, tol);
    CHECK_NEAR(a.bias, b.bias, tol);
    CHECK_NEAR(a.kernel_rms, b.kernel_rms, tol);
    CHECK(isnan(a.predicted) == isnan(b.predicted));
    if (!isnan(a.predicted))
        CHECK_NEAR(a.predicted, b.predicted, tol);
}

/* Row i is mapped with other rows beside it here and there, which may move its last float bits in
 * the order of sums, never more than 2^-20 of its scale. */
static void by_definition(void)
{
    static const char *const kernels[] = {"anova:order=2", "all-subsets", "linear",
                                          "anova-upto:order=3"};
    static const char *const maps[] = {"rk:projection=packed", "rk:projection=hadamard",
                                       "rk:complex=yes", "rk:dist=uniform",
                                       "rk:projection=circulant,signs=row"};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (size_t j = 0; j < sizeof maps / sizeof *maps; j++) {
            fx_kernel *k = NULL;
            fx_map *m = NULL;
            fx_deviation e = FX_INIT(fx_deviation), f = FX_INIT(fx_deviation);
            size_t pairs = j % 2 ? 600 : 37;
            CHECK(fx_kernel_parse(&k, kernels[i], NULL, 0) == FX_OK);
            if (fx_map_parse(&m, maps[j], k, COLS, 64, 5 + i, NULL, NULL) != FX_OK)
                fprintf(stderr, "%s %s: %s\n", maps[j], kernels[i], fx_error_detail());
            CHECK(m);
            CHECK(fx_map_deviation(&e, m, &D, pairs, 3, NULL) == FX_OK);
            same(e, slow(m, pairs, 3), 1e-5);
            CHECK(fx_map_deviation(&f, m, &S, pairs, 3, NULL) == FX_OK);
            same(e, f, 1e-5);
            for (int threads = 1; threads <= 3; threads++) {
                CHECK(fx_map_deviation(&f, m, &D, pairs, 3, &(fx_run){RUN, .threads = threads})
                      == FX_OK);
                CHECK(test_helped() || threads == 1);
                CHECK(f.mae == e.mae && f.rmse == e.rmse && f.max == e.max && f.ci95 == e.ci95);
            }
            CHECK(isnan(e.predicted) == (j == 4));
            CHECK(fx_map_deviation(&f, m, &D, pairs, 4, NULL) == FX_OK);
            CHECK(f.mae != e.mae);
            fx_map_free(m);
            fx_kernel_free(k);
        }
}

/* The mean square over seeds is the variance.  SEEDS independent maps: the mean of their mean
 * squares is within 6 standard errors of the prediction, except with probability below 1e-8 were
 * it normal; hadamard blocks and complex draws too, which is a test of their variances. */
static void prediction(void)
{
    static const char *const maps[] = {"rk:projection=packed", "rk:projection=hadamard",
                                       "rk:projection=hadamard,complex=yes",
                                       "rk:projection=packed,complex=yes"};
    static const char *const kernels[] = {"anova:order=2", "anova:order=3", "all-subsets"};
    enum { SEEDS = 40 };

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        for (size_t j = 0; j < sizeof kernels / sizeof *kernels; j++) {
            double sum = 0, squares = 0, predicted = 0;
            fx_kernel *k = NULL;
            CHECK(fx_kernel_parse(&k, kernels[j], NULL, 0) == FX_OK);
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                fx_map *m = NULL;
                fx_deviation e = FX_INIT(fx_deviation);
                CHECK(fx_map_parse(&m, maps[i], k, COLS, 48, seed, NULL, NULL) == FX_OK);
                CHECK(fx_map_deviation(&e, m, &D, 20, 9, &(fx_run){RUN, .threads = 1}) == FX_OK);
                sum += e.rmse * e.rmse;
                squares += pow(e.rmse, 4);
                predicted = e.predicted;
                fx_map_free(m);
            }
            double mean = sum / SEEDS, error = sqrt((squares / SEEDS - mean * mean) / SEEDS);
            CHECK_NEAR(predicted * predicted, mean, 6 * error);
            fx_kernel_free(k);
        }
}

static double last_done;
static int rising(void *ctx, double done)
{
    CHECK(done >= last_done && done <= 1);
    last_done = done;
    return *(int *)ctx;
}

static void door(void)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    fx_deviation e = {.size = sizeof e, .pairs = 77};
    fx_matrix one = D, wide = D;
    int stop = 0;
    fx_run run = {RUN, .progress = rising, .ctx = &stop};

    CHECK(fx_kernel_parse(&k, "all-subsets", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, "rk:projection=packed", k, COLS, 100, 1, NULL, NULL) == FX_OK);
    one.rows = 1;
    wide.cols--;
    CHECK(fx_map_deviation(&e, m, &one, 5, 1, NULL) == FX_ESHAPE
          && strstr(fx_error_detail(), "two"));
    CHECK(fx_map_deviation(&e, m, &wide, 5, 1, NULL) == FX_ESHAPE);
    CHECK(fx_map_deviation(&e, m, &D, 0, 1, NULL) == FX_EINVAL);
    CHECK(fx_map_deviation(NULL, m, &D, 5, 1, NULL) == FX_EINVAL);
    CHECK(fx_map_deviation(&e, NULL, &D, 5, 1, NULL) == FX_EINVAL);
    CHECK(fx_map_deviation(&e, m, NULL, 5, 1, NULL) == FX_EINVAL);
    CHECK(fx_map_deviation(&e, m, &D, 5, 1, &(fx_run){RUN, .max_memory = 100}) == FX_ELIMIT);
    CHECK(e.pairs == 77);
    CHECK(fx_map_deviation(&e, m, &D, MAX_PAIRS, 1, &run) == FX_OK && last_done > 0);
    last_done = 0;
    stop = 1;
    CHECK(fx_map_deviation(&e, m, &D, MAX_PAIRS, 1, &run) == FX_ECANCELLED);
    one.rows = 2;                       /* only one pair is possible, in either order */
    CHECK(fx_map_deviation(&e, m, &one, 50, 1, NULL) == FX_OK);
    CHECK_NEAR(e.mae, e.max, 1e-12);
    double kept = dense[9];
    dense[9] = 1e38, dense[8] = 1e38;   /* row 0 */
    CHECK(fx_map_deviation(&e, m, &D, MAX_PAIRS, 1, NULL) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "row 0 "));
    dense[9] = kept, dense[8] = 0;
    fx_map_free(m);
    fx_kernel_free(k);
}

int main(void)
{
    test_init();
    fill();
    by_definition();
    prediction();
    door();
    return 0;
}
