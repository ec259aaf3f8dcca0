/* SPDX-License-Identifier: BSD-3-Clause
 * t_fourier.c - random Fourier features: against cosines of the projection's own angles, written
 * out; means and variances against golden cases, whose bands come from the exact variance: 6
 * standard deviations, so one false alarm in 10^8 cases or fewer. */

#include "base/test.h"
#include "kernel/test/golden.h"
#include "map/map.h"

#include <string.h>

enum { ROWS = 18 };

static const double turn = 6.28318530717958647693;

static double *random_rows(size_t d)
{
    double *x = fxi_alloc(ROWS * d, sizeof *x);

    CHECK(x);
    for (size_t i = 0; i < ROWS * d; i++)
        x[i] = test_below(4) && i / d != 3 ? (float)(test_unit() * 2 - 1) : 0;
    return x;
}

/* Angle of projection s with row x, and the sum of its terms' sizes, from the entries of W. */
static double angle(double *size, const fxi_project *w, size_t s, const double *x)
{
    double sum = 0, entry[FXI_LANES];

    *size = 0;
    for (size_t j = 0; j < w->cols; j++) {
        w->type->entries(entry, w, s / FXI_LANES * FXI_LANES, (int64_t)j);
        sum += entry[s % FXI_LANES] * x[j];
        *size += fabs(entry[s % FXI_LANES] * x[j]);
    }
    return sum;
}

/* Every feature of a dense projection, blocks cut or not, and the same from sparse rows. */
static void check_twin(const char *kernel, bool offset, size_t d, size_t D)
{
    const char *spec = offset ? "rff:features=cos,projection=dense" : "rff:projection=dense";
    double *x = random_rows(d), size;
    fx_matrix X = {.rows = ROWS, .cols = d, .stride = d, .type = FX_F64, .val = x};
    float *Z = fxi_alloc(ROWS * D, sizeof *Z);
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(Z && fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    CHECK(fx_map_parse(&m, spec, k, d, D, 5, NULL, NULL) == 0);
    CHECK(fx_map_features(m) == D);
    CHECK(fx_map_apply(Z, D, FX_F32, m, &X, NULL) == 0);
    const fxi_project *w = m->state;                    /* its first member */
    const fxi_project second = {.seed = 5, .stream = m->stream + 1};
    double scale = sqrt(2 / (double)D);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t s = 0; s < w->rows; s++) {
            size_t b = s / w->width, in = s % w->width, left = w->rows - b * w->width;
            size_t count = left < w->width ? left : w->width;
            double a = angle(&size, w, s, x + i * d);
            double tol = scale * (3e-7 + (double)(d + 1) * 0x1p-24 * size);
            if (offset) {
                a += turn * fxi_rng_uniform(fxi_project_rng(&second, 0, 0), s);
                CHECK_NEAR(Z[i * D + s], scale * cos(a), tol + scale * 3e-7); /* b as a float */
            } else {
                const float *at = Z + i * D + b * m->width + in;
                CHECK_NEAR(at[0], scale * cos(a), tol);
                CHECK_NEAR(at[count], scale * sin(a), tol);
            }
        }
    fx_map_free(m);
    fx_kernel_free(k);
    free(x), free(Z);
}

static double estimate(const fx_map *m, const fx_matrix *X, float *Z)
{
    double sum = 0;

    CHECK(fx_map_apply(Z, m->features, FX_F32, m, X, NULL) == 0);
    for (size_t s = 0; s < m->features; s++)
        sum += (double)Z[s] * Z[m->features + s];
    return sum;
}

static void check_golden(json_t *c, uint64_t seed)
{
    const char *kind = json_string_value(json_object_get(c, "kind"));
    const char *kernel = json_string_value(json_object_get(c, "kernel"));
    double mean = strtod(json_string_value(json_object_get(c, "mean")), NULL), one, all;
    double exact = strtod(json_string_value(json_object_get(c, "variance")), NULL);
    bool offset = !strcmp(kind, "offset");
    enum { MAX_FEATURES = 400000 };
    static double xy[2 * GOLDEN_DIM];
    static float Z[2 * MAX_FEATURES];
    int64_t col[GOLDEN_DIM];
    size_t d = golden_vector(xy, json_object_get(c, "x")), D = MAX_FEATURES / d / 2 * 2;
    fx_matrix X = {.rows = 2, .cols = d, .stride = d, .type = FX_F64, .val = xy};
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(golden_vector(xy + d, json_object_get(c, "y")) == d);
    for (size_t j = 0; j < d; j++)
        col[j] = (int64_t)j;
    CHECK(fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    CHECK(fx_map_parse(&m, offset ? "rff:features=cos,projection=dense" : "rff:projection=dense", k,
                       d, D, seed, NULL, NULL) == 0);
    fxi_pair p = {.n = d, .x = xy, .y = xy + d, .col = col};
    CHECK(m->type->variance(&one, &all, m, &p) == 0);
    CHECK_NEAR(one, exact, 1e-12);
    CHECK_NEAR(all, exact / (double)(offset ? D : D / 2), 1e-15);
    CHECK_NEAR(estimate(m, &X, Z), mean, 6 * sqrt(all) + 1e-6);
    fx_map_free(m);
    fx_kernel_free(k);
}

/* Dependent rows: the band is that of the mean over seeds, from their own spread. */
static void check_unbiased(const char *kernel, const char *spec, size_t d, size_t D)
{
    enum { SEEDS = 400 };
    double *x = random_rows(d), sum = 0, squares = 0, K;
    fx_matrix X = {.rows = 2, .cols = d, .stride = d, .type = FX_F64, .val = x};
    fx_matrix first = X, second = X;
    float *Z = fxi_alloc(2 * D, sizeof *Z);
    fx_kernel *k = NULL;

    first.rows = second.rows = 1;
    second.val = x + d;
    CHECK(Z && fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    CHECK(fx_kernel_gram(&K, 1, k, &first, &second, NULL) == 0);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fx_map *m = NULL;
        CHECK(fx_map_parse(&m, spec, k, d, D, seed, NULL, NULL) == 0);
        double e = estimate(m, &X, Z);
        sum += e;
        squares += e * e;
        fx_map_free(m);
    }
    double mean = sum / SEEDS, spread = sqrt((squares / SEEDS - mean * mean) / (SEEDS - 1));
    CHECK_NEAR(mean, K, 6 * spread);
    CHECK(spread < 3 / sqrt((double)SEEDS * (double)D));     /* about as good as independent rows */
    fx_kernel_free(k);
    free(x), free(Z);
}

static fx_status parse(char *complete, const char *kernel, const char *spec, size_t d, size_t D)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    fx_status st = fx_map_parse(&m, spec, k, d, D, 1, NULL, NULL);
    if (!st)
        strcpy(complete, fx_map_spec(m));
    fx_map_free(m);
    fx_kernel_free(k);
    return st;
}

static void check_specs(void)
{
    char spec[256];

    CHECK(parse(spec, "rbf", "rff", 100, 10) == 0);
    CHECK(!strcmp(spec, "rff:features=cos-sin,projection=hadamard"));
    CHECK(parse(spec, "rbf", "rff:features=cos", 3, 9) == 0);
    CHECK(!strcmp(spec, "rff:features=cos,projection=dense"));
    CHECK(parse(spec, "laplacian", "rff", 100, 10) == 0);
    CHECK(!strcmp(spec, "rff:features=cos-sin,projection=dense"));
    CHECK(parse(spec, "rbf", "rff", 100, 9) == FX_EINVAL && strstr(fx_error_detail(), "9"));
    CHECK(parse(spec, "rbf", "rff:features=cos", 100, 0) == FX_EINVAL);
    CHECK(parse(spec, "cauchy", "rff:projection=hadamard", 100, 10) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "dense, circulant"));
    CHECK(parse(spec, "linear", "rff", 100, 10) == FX_EUNSUPPORTED);
}

static void check_all(void)
{
    static const char *kernels[] = {"rbf:gamma=0.3", "laplacian:gamma=0.2", "cauchy:gamma=0.7"};
    static const size_t Ds[] = {2, 6, 34, 130, 1000};

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 5; j++) {
            check_twin(kernels[i], false, 1 + test_below(20), Ds[j]);
            check_twin(kernels[i], true, 1 + test_below(20), Ds[j] - j % 2);
        }
}

int main(void)
{
    test_init();
    golden_targets(check_all);
    check_specs();
    json_t *root = golden_cases("tests/golden/map_moments.json"), *cases, *c;
    size_t i, seen = 0;
    cases = json_object_get(root, "cases");
    json_array_foreach(cases, i, c)
        if (!strcmp(json_string_value(json_object_get(c, "map")), "fourier")) {
            check_golden(c, i);
            seen++;
        }
    CHECK(seen > 0);
    json_decref(root);

    check_unbiased("rbf:gamma=0.1", "rff:projection=hadamard", 20, 64);
    check_unbiased("rbf:gamma=0.02", "rff:projection=hadamard", 40, 90);
    check_unbiased("rbf:gamma=0.1", "rff:features=cos,projection=hadamard", 7, 33);
    check_unbiased("rbf:gamma=0.1", "rff:projection=circulant", 20, 64);
    check_unbiased("laplacian:gamma=0.05", "rff:projection=circulant", 20, 90);
    check_unbiased("cauchy:gamma=0.1", "rff:features=cos,projection=circulant", 20, 33);
    return 0;
}
