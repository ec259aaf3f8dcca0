/* SPDX-License-Identifier: BSD-3-Clause
 * t_sparse_jl.c - hashed columns and hashed crosses against the expansion written out, and their
 * moments over seeds. */

#include "map/bucket.h"
#include "map/test/over_seeds.h"

enum { SEEDS = 4000, ROWS = 19, DIM = 12 };

typedef struct twin {
    const fx_map *m;
    size_t s;
    bool signs;
    double *z, *size;                   /* [D]; sums of the moduli */
    size_t *hits;
} twin;

static uint64_t draw(const fx_map *m, uint64_t seed, int use, size_t block, size_t j)
{
    fxi_rng r = fxi_project_rng(&(fxi_project){.stream = m->stream}, use, block);

    r.seed = seed;
    return fxi_rng_bits(r, j);
}

static void put(twin *t, uint64_t seed, size_t j, double v)
{
    size_t D = t->m->random, from = 0;

    for (size_t i = 0; i < t->s; i++) {
        size_t n = D / t->s + (i < D % t->s);
        uint64_t bits = draw(t->m, seed, 0, i, j);
        size_t at = from + fxi_bucket_place(bits, n);
        t->z[at] += (t->signs && !(bits & 1) ? -v : v) / sqrt((double)t->s);
        t->size[at] += fabs(v) / sqrt((double)t->s);
        t->hits[at]++;
        from += n;
    }
}

/* Orders 1 to 3 of anova, and poly of degree 2. */
static void expand(twin *t, const double *x)
{
    const fx_map *m = t->m;
    const fx_kernel *k = m->kernel;
    size_t d = m->cols;
    double g = k->gamma, c = k->coef0;

    for (size_t i = 0; i < d; i++) {
        uint64_t one = draw(m, m->seed, 1, 0, i);
        if (k->type == &fxi_kernel_linear || (k->type == &fxi_kernel_anova && k->order == 1))
            put(t, m->seed, i, x[i]);
        else if (k->type == &fxi_kernel_poly) {
            put(t, one, i, g * x[i] * x[i]);
            for (size_t j = i + 1; j < d; j++)
                put(t, one, j, sqrt(2) * g * x[i] * x[j]);
            put(t, one, d, sqrt(2 * c * g) * x[i]);
        } else
            for (size_t j = i + 1; j < d; j++) {
                uint64_t two = draw(m, one, 1, 0, j);
                if (k->order == 2)
                    put(t, one, j, x[i] * x[j]);
                for (size_t q = j + 1; k->order == 3 && q < d; q++)
                    put(t, two, q, x[i] * x[j] * x[q]);
            }
    }
    if (k->type == &fxi_kernel_poly)
        put(t, draw(m, m->seed, 1, 0, d), d, c);
}

static void against_twin(const char *kernel, size_t cols, size_t D, size_t s, bool signs)
{
    char spec[64];
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    double *X = moments_rows(ROWS, cols);
    twin t = {.s = s, .signs = signs};

    t.z = fxi_alloc(D, sizeof *t.z);
    t.size = fxi_alloc(D, sizeof *t.size);
    t.hits = fxi_alloc(D, sizeof *t.hits);
    snprintf(spec, sizeof spec, "sparse-jl:s=%zu,signed=%s", s, signs ? "yes" : "no");
    CHECK(t.z && t.size && t.hits && fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    CHECK(fx_map_parse(&m, spec, k, cols, D, test_u64(), NULL, NULL) == 0);
    CHECK(!strcmp(fx_map_spec(m), spec) && fx_map_features(m) == D);
    t.m = m;
    float *Z = moments_apply(m, X, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        memset(t.z, 0, D * sizeof *t.z);
        memset(t.size, 0, D * sizeof *t.size);
        memset(t.hits, 0, D * sizeof *t.hits);
        expand(&t, X + i * cols);
        for (size_t q = 0; q < D; q++)
            CHECK_NEAR(Z[i * D + q], t.z[q], ((double)t.hits[q] + 1) * 0x1p-24 * t.size[q]);
    }
    free(Z);
    fx_map_free(m);
    fx_kernel_free(k);
    free(X), free(t.z), free(t.size), free(t.hits);
}

static void golden(void)
{
    static double x[GOLDEN_DIM], y[GOLDEN_DIM], v[SEEDS];
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    size_t i, seen = 0;
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == 0);
    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        char spec[64];
        fx_map *m = NULL;
        if (strcmp(json_string_value(json_object_get(c, "map")), "sparse-jl"))
            continue;
        size_t dim = golden_vector(x, json_object_get(c, "x"));
        golden_vector(y, json_object_get(c, "y"));
        double mean = moments_number(c, "mean"), variance = moments_number(c, "variance");
        snprintf(spec, sizeof spec, "sparse-jl:s=%d", (int)moments_number(c, "s"));
        CHECK(fx_map_parse(&m, spec, k, dim, (size_t)moments_number(c, "m"), 1, NULL, NULL) == 0);
        CHECK_NEAR(moments_variance(m, x, y), variance, 1e-13 * (variance + mean * mean));
        moments_seeds(v, SEEDS, m, x, y);
        moments_check(json_string_value(json_object_get(c, "id")), v, SEEDS, mean, variance);
        fx_map_free(m);
        seen++;
    }
    CHECK(seen == 8);
    fx_kernel_free(k);
    json_decref(root);
}

/* Moments of crosses, and of sketches without signs, whose mean has all other products in it. */
static void own_moments(const char *kernel, const char *spec, bool biased)
{
    static double v[SEEDS];
    double xy[2 * DIM], mean = 0, x1 = 0, y1 = 0;
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    enum { D = 10 };

    for (size_t j = 0; j < 2 * DIM; j++)
        xy[j] = test_below(4) ? 2 * test_unit() - 1 : 0;
    fx_matrix X = {.rows = 1, .cols = DIM, .stride = DIM, .type = FX_F64, .val = xy}, Y = X;
    Y.val = xy + DIM;
    CHECK(fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    CHECK(fx_map_parse(&m, spec, k, DIM, D, 1, NULL, NULL) == 0);
    CHECK(fx_kernel_gram(&mean, 1, k, &X, &Y, NULL) == 0);
    if (biased) {                       /* linear, s = 2 */
        for (size_t j = 0; j < DIM; j++)
            x1 += xy[j], y1 += xy[DIM + j];
        mean += (x1 * y1 - mean) / (D / 2);
    }
    moments_seeds(v, SEEDS, m, xy, xy + DIM);
    moments_check(spec, v, SEEDS, mean, moments_variance(m, xy, xy + DIM));
    fx_map_free(m);
    fx_kernel_free(k);
}

static void specs(void)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "sparse-jl:s=theory", k, 1000, 100, 1, NULL, NULL) == 0);
    CHECK(!strcmp(fx_map_spec(m), "sparse-jl:s=27,signed=yes"));    /* sqrt(100 * 6.9) = 26.3 */
    fx_map_free(m);
    m = NULL;
    CHECK(fx_map_parse(&m, "sparse-jl:s=theory", k, 1, 100, 1, NULL, NULL) == 0);
    CHECK(!strcmp(fx_map_spec(m), "sparse-jl:s=1,signed=yes"));
    fx_map_free(m);
    m = NULL;
    CHECK(fx_map_parse(&m, "sparse-jl:s=5", k, 10, 4, 1, NULL, NULL) == FX_EINVAL && !m);
    CHECK(fx_map_parse(&m, "sparse-jl:s=0", k, 10, 4, 1, NULL, NULL) == FX_EINVAL && !m);
    CHECK(fx_map_parse(&m, "sparse-jl", k, 10, 0, 1, NULL, NULL) == FX_EINVAL && !m);
    fx_kernel_free(k);
    CHECK(fx_kernel_parse(&k, "poly:degree=3", NULL, 0) == 0);
    CHECK(fx_map_parse(&m, "sparse-jl", k, 10, 40, 1, NULL, NULL) == FX_EUNSUPPORTED && !m);
    fx_kernel_free(k);
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 30};
    static const char *const kernels[] = {"linear", "anova:order=1", "anova:order=2",
                                          "anova:order=3", "poly:degree=2",
                                          "poly:degree=2,coef0=0,gamma=0.5"};

    test_init();
    for (int i = test_cases(60); i--;) {
        size_t D = 1 + test_below(70);
        against_twin(kernels[i % 6], sizes[test_below(7)], D, 1 + test_below(D < 5 ? D : 5),
                     i % 4 != 0);
    }
    golden();
    for (int i = 0; i < 6; i++)
        own_moments(kernels[i], "sparse-jl:s=3", false);
    own_moments("linear", "sparse-jl:s=2,signed=no", true);
    specs();
    return 0;
}
