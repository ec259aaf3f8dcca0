/* SPDX-License-Identifier: BSD-3-Clause
 * over_seeds.h - for tests of maps: do samples have the mean and the variance that they should?
 *
 * Both are compared within SIGMAS standard errors, that of the variance from the samples' own
 * fourth moment: by the central limit theorem a right map fails with probability 2e-9 a check. */
#ifndef FXI_MAP_OVER_SEEDS_H
#define FXI_MAP_OVER_SEEDS_H
#include "kernel/test/golden.h"
#include "map/map.h"

enum { MOMENTS_SIGMAS = 6 };

static inline void moments_check(const char *id, const double *v, size_t n, double mean,
                                 double variance)
{
    double m1 = 0, m2 = 0, m4 = 0, size = (double)n;

    for (size_t i = 0; i < n; i++) {
        double d = v[i] - mean;
        m1 += d / size;
        m2 += d * d / size;
        m4 += d * d * d * d / size;
    }
    /* Features are floats: what they are off, 1e-5 covers by far. */
    double slack = 1e-5 * (fabs(mean) + sqrt(variance));
    double e1 = MOMENTS_SIGMAS * sqrt(variance / size) + slack;
    double e2 = MOMENTS_SIGMAS * sqrt(fmax(m4 - m2 * m2, 0) / size) + slack * slack
                + 2e-5 * variance;
    if (!(fabs(m1) <= e1 && fabs(m2 - variance) <= e2))
        fprintf(stderr, "%s: mean off by %g (of %g), variance %g, want %g +- %g\n", id, m1, e1, m2,
                variance, e2);
    CHECK(fabs(m1) <= e1 && fabs(m2 - variance) <= e2);
}

/* <Z(x), Z(y)> for n seeds, of a map whose seed may be changed after it is made. */
static inline void moments_seeds(double *out, size_t n, fx_map *m, const double *x, const double *y)
{
    size_t D = fx_map_features(m);
    double *xy = fxi_alloc(2 * m->cols, sizeof *xy);
    float *Z = fxi_alloc(2 * D, sizeof *Z);
    fx_matrix X = {.rows = 2, .cols = m->cols, .stride = m->cols, .type = FX_F64, .val = xy};

    CHECK(xy && Z);
    memcpy(xy, x, m->cols * sizeof *x);
    memcpy(xy + m->cols, y, m->cols * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        m->seed = test_u64();
        CHECK(fx_map_apply(Z, D, FX_F32, m, &X, NULL) == 0);
        out[i] = 0;
        for (size_t s = 0; s < D; s++)
            out[i] += (double)Z[s] * Z[D + s];
    }
    free(xy);
    free(Z);
}

/* A map's own word on its variance. */
static inline double moments_variance(const fx_map *m, const double *x, const double *y)
{
    int64_t col[GOLDEN_DIM];
    fxi_pair p = {.n = m->cols, .x = x, .y = y, .col = col};
    double one, all;

    for (size_t j = 0; j < m->cols; j++)
        col[j] = (int64_t)j;
    CHECK(m->type->variance(&one, &all, m, &p) == 0);
    return all;
}

static inline double moments_number(json_t *c, const char *key)
{
    json_t *v = json_object_get(c, key);

    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

/* Z of dense random rows with some zeros, checked to be the same bits however the rows come: all at
 * once or one at a time, dense or sparse, on one thread or several.  X: [rows][cols]. */
static inline float *moments_apply(const fx_map *m, const double *X, size_t rows)
{
    size_t D = fx_map_features(m), n = 0;
    fx_matrix dense = {.rows = rows, .cols = m->cols, .stride = m->cols, .type = FX_F64, .val = X};
    float *Z = fxi_alloc(rows * D, sizeof *Z), *other = fxi_alloc(rows * D, sizeof *other);
    double *val = fxi_alloc(rows * m->cols, sizeof *val);
    int64_t *col = fxi_alloc(rows * m->cols, sizeof *col), *ptr = fxi_alloc(rows + 1, sizeof *ptr);

    CHECK(Z && other && val && col && ptr);
    CHECK(fx_map_apply(Z, D, FX_F32, m, &dense, &(fx_run){RUN, .threads = 1}) == 0);
    ptr[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < m->cols; j++)
            if (X[i * m->cols + j] != 0) {
                val[n] = X[i * m->cols + j];
                col[n++] = (int64_t)j;
            }
        ptr[i + 1] = (int64_t)n;
    }
    fx_matrix sparse = {.rows = rows, .cols = m->cols, .type = FX_F64, .val = val, .ptr = ptr,
                        .col = col, .wide = 1};
    CHECK(fx_map_apply(other, D, FX_F32, m, &sparse, &(fx_run){RUN, .threads = 3}) == 0);
    for (size_t i = 0; i < rows * D; i++)
        CHECK(Z[i] == other[i]);
    dense.rows = 1;
    for (size_t i = 0; i < rows; i++) {
        dense.val = X + i * m->cols;
        CHECK(fx_map_apply(other, D, FX_F32, m, &dense, NULL) == 0);
        for (size_t s = 0; s < D; s++)
            CHECK(Z[i * D + s] == other[s]);
    }
    free(other), free(val), free(col), free(ptr);
    return Z;
}

static inline double *moments_rows(size_t rows, size_t cols)
{
    double *X = fxi_alloc(rows * cols, sizeof *X);

    CHECK(X);
    for (size_t i = 0; i < rows * cols; i++)
        X[i] = test_below(3) && i / cols != 1 ? 2 * test_unit() - 1 : 0;    /* row 1 is empty */
    return X;
}
#endif
