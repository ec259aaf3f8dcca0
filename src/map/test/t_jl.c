/* SPDX-License-Identifier: BSD-3-Clause
 * t_jl.c - random projections against the matrix that they stand for, and their moments. */

#include "map/test/over_seeds.h"

enum { ROWS = 19, SAMPLES = 20000 };

static void against_twin(const char *spec, size_t cols, size_t D)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    double *X = moments_rows(ROWS, cols), w[FXI_LANES], root = sqrt((double)D);

    CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, spec, k, cols, D, test_u64(), NULL, NULL) == 0);
    CHECK(!strcmp(fx_map_spec(m), spec) && fx_map_features(m) == D);
    const fxi_project *W = m->state;
    float *Z = moments_apply(m, X, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t s = 0; s < D; s++) {
            double sum = 0, size = 0;
            for (size_t j = 0; j < cols; j++) {
                W->type->entries(w, W, s, (int64_t)j);
                sum += w[0] * X[i * cols + j] / root;
                size += fabs(w[0] * X[i * cols + j]) / root;
            }
            CHECK_NEAR(Z[i * D + s], sum, ((double)cols + 4) * 0x1p-24 * size);
        }
    free(Z);
    fx_map_free(m);
    fx_kernel_free(k);
    free(X);
}

/* Rows of W are independent: every feature of one map is a sample. */
static void golden(void)
{
    static double xy[2 * GOLDEN_DIM], y[GOLDEN_DIM], v[SAMPLES];
    static float Z[2 * SAMPLES];
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    size_t i, seen = 0;

    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        const char *id = json_string_value(json_object_get(c, "id")), *law;
        char spec[64];
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        if (strcmp(json_string_value(json_object_get(c, "map")), "projection"))
            continue;
        law = json_string_value(json_object_get(c, "distribution"));
        if (strcmp(law, "gaussian") && strcmp(law, "rademacher"))
            continue;
        size_t dim = golden_vector(xy, json_object_get(c, "x"));
        golden_vector(y, json_object_get(c, "y"));
        memcpy(xy + dim, y, dim * sizeof *y);
        double mean = moments_number(c, "mean"), variance = moments_number(c, "variance");
        snprintf(spec, sizeof spec, "jl:dist=%s", law);
        CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == 0);
        CHECK(fx_map_parse(&m, spec, k, dim, SAMPLES, test_u64(), NULL, NULL) == 0);
        CHECK_NEAR(moments_variance(m, xy, y) * SAMPLES, variance,
                   1e-13 * (variance + mean * mean));
        fx_matrix X = {.rows = 2, .cols = dim, .stride = dim, .type = FX_F64, .val = xy};
        CHECK(fx_map_apply(Z, SAMPLES, FX_F32, m, &X, NULL) == 0);
        for (size_t s = 0; s < SAMPLES; s++)
            v[s] = SAMPLES * (double)Z[s] * Z[SAMPLES + s];
        moments_check(id, v, SAMPLES, mean, variance);
        fx_map_free(m);
        fx_kernel_free(k);
        seen++;
    }
    CHECK(seen == 4);
    json_decref(root);
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 100};
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    test_init();
    for (int i = test_cases(12); i--;) {
        against_twin("jl:dist=gaussian", sizes[test_below(7)], sizes[test_below(7)]);
        against_twin("jl:dist=rademacher", sizes[test_below(7)], sizes[test_below(7)]);
    }
    golden();
    CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "jl", k, 5, 0, 1, NULL, NULL) == FX_EINVAL && !m);
    fx_kernel_free(k);
    return 0;
}
