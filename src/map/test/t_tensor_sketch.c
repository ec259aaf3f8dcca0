/* SPDX-License-Identifier: BSD-3-Clause
 * t_tensor_sketch.c - TS against convolutions written out, and its moments over seeds against exact
 * ones. */

#include "map/bucket.h"
#include "map/test/over_seeds.h"

enum { SEEDS = 4000, ROWS = 19 };

/* Sketches and their convolution by definition, in doubles. */
static void twin(double *z, const fx_map *m, const double *x)
{
    size_t D = m->random;
    double *c = fxi_alloc(D, sizeof *c), *old = fxi_alloc(D, sizeof *old);

    CHECK(c && old);
    for (int t = 0; t < m->kernel->order; t++) {
        fxi_rng r = fxi_project_rng(&(fxi_project){.seed = m->seed, .stream = m->stream}, 0,
                                    (uint64_t)t);
        memset(c, 0, D * sizeof *c);
        for (size_t j = 0; j <= m->cols; j++) {
            uint64_t bits = fxi_rng_bits(r, j);
            double v = j < m->cols ? sqrt(m->kernel->gamma) * x[j] : sqrt(m->kernel->coef0);
            c[fxi_bucket_place(bits, D)] += bits & 1 ? v : -v;
        }
        for (size_t s = 0; s < D; s++) {
            old[s] = t ? z[s] : s == 0;
            z[s] = 0;
        }
        for (size_t q = 0; q < D; q++)
            for (size_t s = 0; c[q] != 0 && s < D; s++)
                z[(s + q) % D] += old[s] * c[q];
    }
    free(c), free(old);
}

/* With L = log2 D a transform errs by 16 (3 + L) u of its vector's length (t_fft.c); of a product
 * of spectra each factor is at most |C_t x'|_1 <= |x'|_1, so m + 1 transforms, the roundings of the
 * products and of the sketches err together by the following. */
static double tolerance(const fx_map *m, const double *x)
{
    double norm = sqrt(m->kernel->coef0), order = m->kernel->order;

    for (size_t j = 0; j < m->cols; j++)
        norm += sqrt(m->kernel->gamma) * fabs(x[j]);
    return 0x1p-24 * pow(norm, order)
           * ((order + 1) * 16 * (3 + log2((double)m->random)) + order * (double)(m->cols + 4));
}

static void against_twin(size_t cols, size_t D, int degree)
{
    char spec[96];
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    double *X = moments_rows(ROWS, cols), *z = fxi_alloc(D, sizeof *z);

    snprintf(spec, sizeof spec, "poly:degree=%d,coef0=%g,gamma=%g", degree,
             (double)test_below(3) / 2, 0.5 + (double)test_below(2));
    CHECK(z && fx_kernel_parse(&k, spec, NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "ts", k, cols, D, test_u64(), NULL, NULL) == 0);
    CHECK(!strcmp(fx_map_spec(m), "ts") && fx_map_features(m) == D);
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) {
        if (!t->supported())
            continue;
        m->simd = t;
        float *Z = moments_apply(m, X, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            twin(z, m, X + i * cols);
            for (size_t s = 0; s < D; s++)
                CHECK_NEAR(Z[i * D + s], z[s], tolerance(m, X + i * cols));
        }
        free(Z);
    }
    fx_map_free(m);
    fx_kernel_free(k);
    free(X), free(z);
}

static void golden(void)
{
    static double x[GOLDEN_DIM], y[GOLDEN_DIM], v[SEEDS];
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    size_t i, seen = 0;

    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        const char *id = json_string_value(json_object_get(c, "id"));
        char spec[96];
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        if (strcmp(json_string_value(json_object_get(c, "map")), "tensorsketch"))
            continue;
        size_t dim = golden_vector(x, json_object_get(c, "x"));
        golden_vector(y, json_object_get(c, "y"));
        double mean = moments_number(c, "mean"), variance = moments_number(c, "variance");
        snprintf(spec, sizeof spec, "poly:degree=%d,coef0=%g", (int)moments_number(c, "degree"),
                 moments_number(c, "coef0"));
        CHECK(fx_kernel_parse(&k, spec, NULL, 0) == 0);
        CHECK(fx_map_parse(&m, "ts", k, dim, (size_t)moments_number(c, "D"), 1, NULL, NULL) == 0);
        CHECK_NEAR(moments_variance(m, x, y), variance, 1e-13 * (variance + mean * mean));
        moments_seeds(v, SEEDS, m, x, y);
        moments_check(id, v, SEEDS, mean, variance);
        fx_map_free(m);
        fx_kernel_free(k);
        seen++;
    }
    CHECK(seen == 11);
    json_decref(root);
}

static void rejections(void)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(fx_kernel_parse(&k, "poly:degree=2", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "ts", k, 5, 0, 1, NULL, NULL) == FX_EINVAL && !m);
    CHECK(fx_map_parse(&m, "ts:s=1", k, 5, 8, 1, NULL, NULL) == FX_EINVAL && !m);
    fx_kernel_free(k);
    CHECK(fx_kernel_parse(&k, "anova:order=2", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "ts", k, 5, 8, 1, NULL, NULL) == FX_EUNSUPPORTED && !m);
    fx_kernel_free(k);
    CHECK(fx_kernel_parse(&k, "poly:degree=2", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "ts", k, 5, 1 << 20, 1, NULL, &(fx_run){RUN, .max_memory = 1 << 20})
          == FX_ELIMIT && !m);
    fx_kernel_free(k);
}

int main(void)
{
    static const size_t lengths[] = {1, 2, 3, 7, 15, 16, 17, 30, 97, 128, 300};
    static const size_t cols[] = {1, 2, 3, 15, 16, 17, 100};

    test_init();
    for (int i = test_cases(40); i--;)
        against_twin(cols[test_below(7)], lengths[i % 11], 1 + i % 4);
    against_twin(5, 5000, 2);
    against_twin(3, 65536, 2);          /* rows one by one */
    against_twin(2, 32771, 2);          /* .. through a chirp */
    golden();
    rejections();
    return 0;
}
