/* SPDX-License-Identifier: BSD-3-Clause
 * t_maclaurin.c - the RM map: features against products of its levels, means and variances against
 * golden moments, series within series, and what is refused.
 *
 * Covers: maclaurin_hot.c, maclaurin_orders.c, maclaurin_series.c */

#include "kernel/test/golden.h"
#include "map/map.h"

static fx_kernel *kernel(const char *spec)
{
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
    return k;
}

static fx_map *map(const char *spec, const fx_kernel *k, size_t cols, size_t D, uint64_t seed,
                   const fx_matrix *sample)
{
    fx_map *m = NULL;
    fx_status st = fx_map_parse(&m, spec, k, cols, D, seed, sample, NULL);

    if (st)
        fprintf(stderr, "%s: %s\n", spec, fx_error_detail());
    CHECK(st == FX_OK);
    return m;
}

static double *apply(const fx_map *m, const fx_matrix *X)
{
    double *Z = fxi_alloc(X->rows * fx_map_features(m), sizeof *Z);

    CHECK(fx_map_apply(Z, fx_map_features(m), FX_F64, m, X, NULL) == FX_OK);
    return Z;
}

/* ---- Products of levels ------------------------------------------------------------------- */

enum { ROWS = 19, COLS = 23 };
static double dense[ROWS * COLS], val[ROWS * COLS];
static int64_t ptr[ROWS + 1], col[ROWS * COLS];
static const fx_matrix D_rows = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64,
                                 .val = dense};
static const fx_matrix S_rows = {.rows = ROWS, .cols = COLS, .type = FX_F64, .val = val,
                                 .ptr = ptr, .col = col, .wide = 1};

static void make_rows(void)
{
    int64_t n = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++) {
            double v = i != 3 && test_below(4) == 0 ? (float)(2 * test_unit() - 1) : 0;
            dense[i * COLS + j] = v;
            if (v != 0)
                val[n] = v, col[n++] = (int64_t)j;
        }
        ptr[i + 1] = n;
    }
}

/* Level i of map m draws from seed number i; features of order n stand behind those of n + 1. */
static void check_product(const char *projection, const size_t *count, int orders, bool h01,
                          const fx_matrix *X)
{
    const double a[] = {0.343, 0.735, 0.525, 0.125};    /* (0.7 + 0.5 s)^3 */
    fx_kernel *k = kernel("poly:degree=3,coef0=0.7,gamma=0.5"), *linear = kernel("linear");
    char spec[160], inner[64];
    size_t D = 0, upto[5] = {0};
    double *want, *Z;

    for (int n = orders - 1; n >= 0; n--)
        D = upto[n] = D + count[n];     /* features of order n and above */
    snprintf(spec, sizeof spec, "rm:orders=allocated,counts=%zu/%zu/%zu/%zu,h01=%s,projection=%s",
             count[0], count[1], count[2], count[3], h01 ? "yes" : "no", projection);
    snprintf(inner, sizeof inner, "rk:projection=%s", projection);
    fx_map *m = map(spec, k, COLS, D, 11, NULL);
    size_t F = fx_map_features(m);
    CHECK(F == D + (h01 ? 1 + COLS : 0));
    want = fxi_zalloc(ROWS * F, sizeof *want);
    for (size_t s = 0; s < D; s++) {
        int n = 0;
        while (n + 1 < orders && s < upto[n + 1])
            n++;
        for (size_t i = 0; i < ROWS; i++)
            want[i * F + s] = sqrt(a[n] / (double)count[n]);
    }
    for (int n = 1; n < orders && upto[n]; n++) {
        uint64_t seed = fxi_rng_bits(fxi_project_rng(&(fxi_project){.seed = 11}, 1, 0),
                                     (uint64_t)n - 1);
        fx_map *level = NULL;
        CHECK(fxi_map_inner(&level, inner, linear, COLS, upto[n], D, seed, 0, NULL) == FX_OK);
        double *L = apply(level, X);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t s = 0; s < upto[n]; s++)
                want[i * F + s] *= sqrt((double)upto[n]) * L[i * upto[n] + s];
        free(L);
        fx_map_free(level);
    }
    for (size_t i = 0; h01 && i < ROWS; i++)
        for (size_t j = 0; j <= COLS; j++)
            want[i * F + D + j] = j ? sqrt(a[1]) * dense[i * COLS + j - 1] : sqrt(a[0]);
    Z = apply(m, X);
    for (size_t i = 0; i < ROWS * F; i++)       /* scale, and factor and product at 3 levels */
        CHECK_NEAR(Z[i], want[i], 10 * 0x1p-24 * fabs(want[i]));
    free(Z), free(want);
    fx_map_free(m), fx_kernel_free(k), fx_kernel_free(linear);
}

static void check_products(void)
{
    static const char *const projections[] = {"packed", "hadamard", "circulant", "dense"};

    for (int i = 0; i < 4; i++)
        for (int sparse = 0; sparse < 2; sparse++) {
            const fx_matrix *X = sparse ? &S_rows : &D_rows;
            check_product(projections[i], (size_t[]){3, 1, 2, 1}, 4, false, X);
            check_product(projections[i], (size_t[]){100, 70, 300, 130}, 4, false, X);
            check_product(projections[i], (size_t[]){0, 0, 240, 17}, 4, true, X);
        }
}

/* ---- Moments ------------------------------------------------------------------------------ */

enum { D = 1024, SEEDS = 24 };

/* Mean and second moment of D Z_s(x) Z_s(y) over all features of all seeds, random orders: within
 * 6 standard deviations of the exact values (that of the second moment estimated): by the normal
 * law 2e-9 a check would fail by chance; seeds are fixed. */
static void check_moments(const char *spec, const fx_kernel *k, const fx_matrix *X, double exact,
                          double mean, double variance)
{
    double n = (double)D * SEEDS, s1 = 0, s2 = 0, s4 = 0, V;
    const size_t pair[2] = {0, 1};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fx_map *m = map(spec, k, X->cols, D, seed, NULL);
        size_t F = fx_map_features(m);
        double *Z = apply(m, X), rest = 0;
        for (size_t s = 0; s < F; s++) {
            double t = Z[s] * Z[F + s];
            if (s >= D) {
                rest += t;
                continue;
            }
            t *= D;
            s1 += t, s2 += t * t, s4 += t * t * t * t;
        }
        CHECK_NEAR(rest, exact, 1e-6 * (fabs(exact) + 10));
        if (seed == 1) {
            CHECK(fx_map_variance(&V, m, X, pair, 1, NULL) == FX_OK);
            CHECK_NEAR(V * D, variance, 1e-9 * (variance + mean * mean));
        }
        free(Z);
        fx_map_free(m);
    }
    s1 /= n, s2 /= n, s4 /= n;
    CHECK_NEAR(s1, mean, 6 * sqrt(variance / n) + 1e-5 * (fabs(mean) + sqrt(variance)));
    CHECK_NEAR(s2, variance + mean * mean, 6 * sqrt(fmax(0, s4 - s2 * s2) / n) + 1e-5 * s2);
}

static double number(json_t *c, const char *key)
{
    json_t *v = json_object_get(c, key);

    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

/* We never draw an order without a coefficient. */
static bool offered(json_t *c)
{
    json_t *a = json_object_get(c, "coefs"), *P = json_object_get(c, "order_probs");
    const char *sampling = json_string_value(json_object_get(c, "sampling"));

    for (size_t n = 0; n < json_array_size(a); n++)
        if (strtod(json_string_value(json_array_get(a, n)), NULL) <= 0
            && strtod(json_string_value(json_array_get(P, n)), NULL) > 0)
            return false;
    return strcmp(sampling, "geometric") != 0;
}

static void check_golden(void)
{
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    static double x[GOLDEN_DIM], xy[2 * GOLDEN_DIM];
    size_t i, seen = 0;

    json_array_foreach(json_object_get(root, "cases"), i, c) {
        const char *name = json_string_value(json_object_get(c, "map"));
        bool h01 = json_is_true(json_object_get(c, "h01")), product = !strcmp(name, "product");
        char spec[128], poly[64];
        if (product ? strcmp(json_string_value(json_object_get(c, "signs")), "rademacher") != 0
                    : strcmp(name, "maclaurin") != 0 || !offered(c))
            continue;
        size_t dim = golden_vector(x, json_object_get(c, "x"));
        memcpy(xy, x, dim * sizeof *x);
        golden_vector(x, json_object_get(c, "y"));
        memcpy(xy + dim, x, dim * sizeof *x);
        fx_matrix X = {.rows = 2, .cols = dim, .stride = dim, .type = FX_F64, .val = xy};
        snprintf(poly, sizeof poly, "poly:degree=%d,coef0=0", (int)number(c, "degree"));
        snprintf(spec, sizeof spec, "rm:projection=packed,p=%g,max-order=%d,h01=%s",
                 product ? 2 : number(c, "p"), product ? 9 : (int)number(c, "max_order"),
                 h01 ? "yes" : "no");
        fx_kernel *k = kernel(product ? poly : json_string_value(json_object_get(c, "kernel")));
        check_moments(spec, k, &X, product ? 0 : number(c, "exact_part"), number(c, "mean"),
                      number(c, "variance"));
        fx_kernel_free(k);
        seen++;
    }
    CHECK(seen > 30);
    json_decref(root);
}

/* ---- Allocated orders, compositions, refusals --------------------------------------------- */

/* The estimate over seeds against the kernel, 6 standard deviations of the exact variance. */
static void check_unbiased(const char *kernel_spec, const char *spec, const fx_matrix *sample)
{
    fx_kernel *k = kernel(kernel_spec);
    const size_t pair[2] = {0, 1};
    double sum = 0, V = 0, K[4];
    fx_matrix two = D_rows;

    two.rows = 2;
    CHECK(fx_kernel_gram(K, 2, k, &two, NULL, NULL) == FX_OK);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fx_map *m = map(spec, k, COLS, D, seed, sample), *again;
        size_t F = fx_map_features(m);
        double *Z = apply(m, &two), one;
        for (size_t s = 0; s < F; s++)
            sum += Z[s] * Z[F + s];
        CHECK(fx_map_variance(&one, m, &two, pair, 1, NULL) == FX_OK);
        V += one;
        if (seed == 1) {                /* the complete spec gives the same map, without sample */
            again = map(fx_map_spec(m), k, COLS, D, seed, NULL);
            double *Y = apply(again, &two);
            CHECK(!memcmp(Y, Z, 2 * F * sizeof *Y));
            CHECK(!strcmp(fx_map_spec(again), fx_map_spec(m)));
            free(Y);
            fx_map_free(again);
        }
        free(Z);
        fx_map_free(m);
    }
    CHECK_NEAR(sum / SEEDS, K[1], 6 * sqrt(V) / SEEDS + 1e-5 * (fabs(K[1]) + sqrt(V)));
    fx_kernel_free(k);
}

static double sample_variance(const char *spec, const fx_matrix *sample)
{
    fx_kernel *k = kernel("exp:gamma=0.5");
    fx_map *m = map(spec, k, COLS, 256, 1, sample);
    size_t pair[2 * ROWS];
    double V[ROWS], sum = 0;

    for (size_t i = 0; i < ROWS; i++)
        pair[2 * i] = i, pair[2 * i + 1] = (i + 1) % ROWS;
    CHECK(fx_map_variance(V, m, &D_rows, pair, ROWS, NULL) == FX_OK);
    for (size_t i = 0; i < ROWS; i++)
        sum += V[i];
    fx_map_free(m), fx_kernel_free(k);
    return sum;
}

static void check_allocated(void)
{
    const char *spec = "rm:orders=allocated,projection=packed";

    /* counts fitted to the rows are better than counts by coefficient, and than chance */
    double fitted = sample_variance(spec, &D_rows);
    CHECK(fitted < sample_variance(spec, NULL));
    CHECK(fitted < sample_variance("rm:projection=packed", NULL));
    CHECK(sample_variance(spec, &S_rows) == fitted);
    check_unbiased("exp:gamma=0.5", "rm:orders=allocated,projection=packed", &S_rows);
    check_unbiased("poly:degree=3", "rm:orders=allocated,projection=packed,h01=yes", NULL);

    /* every order that is asked for, however rarely p would draw it */
    fx_kernel *k = kernel("vovk-inf");
    fx_map *m = map("rm:orders=allocated,max-order=80,p=1e9", k, COLS, 81, 1, NULL);
    int slashes = 0;
    for (const char *at = strstr(fx_map_spec(m), "counts=1/"); at && *at && *at != ','; at++)
        slashes += *at == '/';
    CHECK(slashes == 80);
    fx_map_free(m), fx_kernel_free(k);

    /* two features over three equal remainders: one each */
    k = kernel("maclaurin:coef=1/1/1");
    m = map("rm:orders=allocated", k, COLS, 5, 1, NULL);
    CHECK(strstr(fx_map_spec(m), "counts=2/2/1,"));
    fx_map_free(m), fx_kernel_free(k);
}

/* A series of a series is the series that it multiplies out to. */
static void check_multiplied_out(const char *series, const char *coefficients)
{
    fx_kernel *twice = kernel(series), *once = kernel(coefficients);
    fx_map *a = map("rm:h01=yes", twice, COLS, 200, 5, NULL);
    fx_map *b = map("rm:h01=yes", once, COLS, 200, 5, NULL);
    double *Y = apply(a, &S_rows), *Z = apply(b, &S_rows);

    CHECK(fx_map_features(a) == fx_map_features(b));
    CHECK(!memcmp(Y, Z, ROWS * fx_map_features(a) * sizeof *Y));
    free(Y), free(Z);
    fx_map_free(a), fx_map_free(b), fx_kernel_free(twice), fx_kernel_free(once);
}

static void check_compositions(void)
{
    check_multiplied_out("poly:degree=2(poly:degree=2)", "maclaurin:coef=4/8/8/4/1");
    check_multiplied_out("maclaurin:coef=1/0/0/1(poly:degree=1)", "maclaurin:coef=2/3/3/1");
    /* powers of the inner series overflow beyond the end of the outer one: of no concern */
    check_unbiased("poly:degree=2(poly:degree=2,coef0=1e6)", "rm:projection=packed", NULL);
    check_unbiased("exp(exp:gamma=0.25)", "rm:projection=packed", NULL);
    check_unbiased("exp:gamma=0.5(anova:order=2)", "rm:projection=packed", NULL);
    check_unbiased("poly:degree=2(anova:order=2)", "rm:projection=packed,h01=yes", NULL);
    check_unbiased("exp(rbf:gamma=0.5)", "rm:projection=dense,h01=yes", NULL);
    check_unbiased("poly:degree=3(laplacian:gamma=0.25)", "rm:projection=dense", NULL);
    check_unbiased("exp(cauchy:gamma=0.5)", "rm:projection=dense,orders=allocated", &S_rows);
    check_unbiased("poly:degree=2(all-subsets)", "rm:projection=packed,orders=allocated", &D_rows);
}

static void check_rejected(fx_status want, const char *spec, const char *kernel_spec,
                           size_t features)
{
    fx_kernel *k = kernel(kernel_spec);
    fx_map *m = NULL;

    CHECK(fx_map_parse(&m, spec, k, COLS, features, 1, NULL, NULL) == want && !m);
    fx_kernel_free(k);
}

/* Exact features of many columns: they fill several blocks, of lanes and of rows. */
static void check_exact(void)
{
    enum { COLUMNS = 700, FEATURES = 10 };
    fx_kernel *k = kernel("exp:gamma=0.25");
    double x[COLUMNS];
    int64_t ends[] = {0, 0};
    int32_t place[COLUMNS];

    for (int part = 1; part <= 2; part++)       /* every column; every other one */
        for (int form = 0; form < 2; form++) {
            fx_map *m = map(form ? "rm:h01=yes,projection=packed" : "rm:h01=yes", k, COLUMNS,
                            FEATURES, 1, NULL);
            fx_matrix X = {.rows = 1, .cols = COLUMNS, .stride = COLUMNS, .type = FX_F64, .val = x};
            size_t n = 0;
            for (int j = 0; j < COLUMNS; j += part) {
                x[n] = (1 + j) / 1024.0;
                place[n++] = j;
            }
            ends[1] = (int64_t)n;
            if (part == 2)
                X.ptr = ends, X.col = place;
            double *Z = apply(m, &X), *exact = Z + FEATURES;
            CHECK(fx_map_features(m) == FEATURES + 1 + COLUMNS && m->blocks > 2 && exact[0] == 1);
            for (int j = 0; j < COLUMNS; j++)
                CHECK(exact[1 + j] == (j % part ? 0 : (1 + j) / 2048.0));
            free(Z);
            fx_map_free(m);
        }
    fx_kernel_free(k);
}

static void check_refusals(void)
{
    check_rejected(FX_EINVAL, "rm:p=1", "exp", 10);
    check_rejected(FX_EINVAL, "rm", "exp", 0);
    check_rejected(FX_EINVAL, "rm:max-order=-1", "exp", 10);
    check_rejected(FX_EINVAL, "rm:orders=allocated", "exp", 10);   /* 11 orders */
    check_rejected(FX_EINVAL, "rm:counts=5/5", "poly:degree=1", 10);
    check_rejected(FX_EINVAL, "rm:counts=5/6,orders=allocated", "poly:degree=1", 10);
    check_rejected(FX_EINVAL, "rm:counts=10,orders=allocated", "poly:degree=1", 10);
    check_rejected(FX_EINVAL, "rm:counts=5/4/1,orders=allocated", "poly:degree=1", 10);
    check_rejected(FX_EUNSUPPORTED, "rm:h01=yes", "poly:degree=1", 10);
    check_rejected(FX_EUNSUPPORTED, "rm:max-order=2", "poly:degree=3,coef0=0", 10);
    check_rejected(FX_EDOMAIN, "rm", "vovk-inf(poly:degree=2,coef0=1)", 10);
    check_rejected(FX_EUNSUPPORTED, "rm", "anova:order=2", 10);
}

/* Constants alone, and orders that a seed may draw or not. */
static void check_small(void)
{
    fx_kernel *k = kernel("maclaurin:coef=9");
    fx_map *m = map("rm", k, COLS, 3, 1, NULL);
    double *Z = apply(m, &S_rows);

    for (size_t i = 0; i < ROWS * 3; i++)
        CHECK_NEAR(Z[i], sqrt(3), 1e-6);
    free(Z);
    fx_map_free(m), fx_kernel_free(k);
    k = kernel("vovk-inf");
    for (uint64_t seed = 0; seed < 20; seed++) {
        m = map("rm", k, COLS, seed % 4 + 1, seed, NULL);
        free(apply(m, &S_rows));
        fx_map_free(m);
    }
    fx_kernel_free(k);
}

/* Every form serves, and rows do not depend on how they are stored. */
static void check_forms(void)
{
    static const char *const kernels[] = {"exp:gamma=0.5", "vovk:degree=4", "exp(rbf:gamma=0.5)",
                                          "exp(anova:order=2)", "poly(all-subsets)"};
    static const char *const specs[] = {
        "rm:projection=auto,h01=yes", "rm:projection=hadamard", "rm:projection=circulant",
        "rm:projection=dense,orders=allocated", "rm:projection=hadamard,orders=allocated"};

    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            fx_kernel *k = kernel(kernels[i]);
            fx_map *m = map(specs[j], k, COLS, 333, 3, j > 2 ? &S_rows : NULL);
            size_t F = fx_map_features(m);
            double *Y = apply(m, &S_rows), *Z = apply(m, &D_rows);
            for (size_t q = 0; q < ROWS * F; q++)       /* inner features err by 2^-24 |x|_1 .. */
                CHECK_NEAR(Y[q], Z[q], 1e-4 * (1 + fabs(Z[q])));
            free(Y), free(Z);
            fx_map_free(m), fx_kernel_free(k);
        }
}

static void check_target(void)
{
    check_products();
    check_small();
}

int main(void)
{
    test_init();
    make_rows();
    golden_targets(check_target);
    check_golden();
    check_allocated();
    check_forms();
    check_compositions();
    check_exact();
    check_refusals();
    return 0;
}
