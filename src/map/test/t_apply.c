/* SPDX-License-Identifier: BSD-3-Clause
 * t_apply.c - rows through maps, for every map: the same bytes for any number of threads, any tile
 * and either storage; scores are products with the features; broken input is refused.
 *
 * Covers: map.c, row_hot.c */

#include "base/test.h"
#include "map/map.h"

#include <string.h>

enum { LINES = 64, N = 83, COLS = 21 };
static struct { const char *kernel, *map; size_t D; } maps[LINES] = {
    {"anova:order=2", "rk", 100}, {"anova:order=2", "rk:projection=packed", 301},
    {"anova:order=3", "rk:projection=circulant", 77}, {"anova:order=3", "scrk", 77},
    {"anova:order=4", "rk:complex=yes", 130}, {"anova-upto:order=3,theta=1/2/3", "rk", 65},
    {"all-subsets", "rk", 200}, {"all-subsets", "rk:projection=packed", 33},
    {"all-subsets", "rk:complex=yes,projection=packed", 34}, {"linear", "rk:dist=gaussian", 17},
    {"all-subsets", "rk:dist=laplace", 15}, {"rbf", "rff", 90}, {"rbf", "rff:features=cos", 31},
    {"laplacian", "rff", 90}, {"cauchy", "rff:projection=circulant", 90},
    {"poly:degree=3", "rm", 100}, {"exp", "rm:h01=yes", 100}, {"exp:gamma=0.5(rbf)", "rm", 40},
    {"poly:degree=2", "rm:orders=allocated", 64}, {"poly:degree=3,coef0=0.5", "ts", 97},
    {"linear", "jl", 50}, {"linear", "sparse-jl", 50}, {"anova:order=2", "sparse-jl:s=1", 50},
    {"poly:degree=2", "explicit", 0}, {"anova:order=2", "explicit", 0},
    {"anova:order=2", "rk:projection=hadamard", 300}, {"rbf", "rff:projection=hadamard", 300},
    {"poly:degree=2", "rm:projection=hadamard", 150}, {"poly:degree=2", "ts", 67}};

/* Maps of the table that are not there yet, for the first kernel that they serve; returns how many
 * there are in all. */
static size_t add_others(void)
{
    size_t n = 0, others;
    fx_description d = FX_INIT(fx_description);

    while (maps[n].map)
        n++;
    others = n;
    for (size_t i = 0; fx_map_name(i); i++) {
        size_t at = 0;
        CHECK(fx_map_describe(&d, fx_map_name(i)) == FX_OK);
        while (at < n && strcmp(maps[at].map, d.name) != 0)
            at++;
        CHECK(others < LINES - 1);
        if (at == n)
            maps[others].kernel = d.kernels[0], maps[others].map = d.name, maps[others++].D = 64;
    }
    return others;
}

static void open_map(fx_kernel **k, fx_map **m, size_t i, size_t cols, uint64_t seed)
{
    fx_status st = fx_kernel_parse(k, maps[i].kernel, NULL, 0);

    if (!st)
        st = fx_map_parse(m, maps[i].map, *k, cols, maps[i].D, seed, NULL, NULL);
    if (st)
        fprintf(stderr, "%s, %s: %s\n", maps[i].kernel, maps[i].map, fx_error_detail());
    CHECK(st == FX_OK);
}

typedef struct rows {                   /* the same numbers in all forms */
    double d64[N * COLS];
    float d32[N * COLS], s32[N * COLS];
    int64_t ptr[N + 1], c64[N * COLS];
    int32_t c32[N * COLS];
} rows;

static void make_rows(rows *r)
{
    size_t n = 0;

    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < COLS; j++) {
            float v = i % 11 == 3 || test_below(2) ? 0 : (float)(test_unit() - 0.3);
            r->d32[i * COLS + j] = v;
            r->d64[i * COLS + j] = (double)v;
            if (v != 0 || (i == 5 && j == 5)) {         /* an explicit zero */
                r->s32[n] = v;
                r->c32[n] = (int32_t)j;
                r->c64[n++] = (int64_t)j;
            }
        }
        r->ptr[i + 1] = (int64_t)n;
    }
}

/* A block of features as columns, in any order of blocks: the same bytes as in rows. */
static void test_columns(const fx_map *m, const fx_matrix *X, const float *Z, size_t ldz)
{
    size_t ldt = N + 2;
    float *T = fxi_alloc(m->width * ldt, sizeof *T);

    for (size_t b = m->blocks; b-- > 0;) {
        CHECK(fxi_map_apply_columns(T, ldt, m, b, X, &(fx_run){RUN, .threads = 2}) == FX_OK);
        for (size_t j = b * m->width; j < m->features && j < (b + 1) * m->width; j++)
            for (size_t i = 0; i < N; i++)
                CHECK(memcmp(&T[j % m->width * ldt + i], &Z[i * ldz + j], sizeof *T) == 0);
    }
    free(T);
}

static void test_forms(const rows *r, size_t i)
{
    fx_matrix dense = {.rows = N, .cols = COLS, .stride = COLS, .type = FX_F64, .val = r->d64};
    fx_matrix single = dense, sparse = dense, wide, part;
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    single.type = FX_F32, single.val = r->d32;
    sparse.type = FX_F32, sparse.val = r->s32, sparse.ptr = r->ptr, sparse.col = r->c32;
    wide = sparse, wide.wide = 1, wide.col = r->c64;
    open_map(&k, &m, i, COLS, 5);
    size_t F = fx_map_features(m), ldz = F + 3;
    float *Z = fxi_zalloc(N * ldz, sizeof *Z), *Y = fxi_zalloc(N * ldz, sizeof *Y);
    float *sparse_Z = fxi_zalloc(N * ldz, sizeof *sparse_Z);
    double *D = fxi_zalloc(N * ldz, sizeof *D), *S = fxi_zalloc(N * 3, sizeof *S);
    double *W = fxi_zalloc(F * 3, sizeof *W);

    CHECK(fx_map_apply(Z, ldz, FX_F32, m, &dense, &(fx_run){RUN, .threads = 1}) == FX_OK);
    test_columns(m, &sparse, Z, ldz);
    for (int threads = 2; threads <= 8; threads += 6) {
        memset(Y, 0, N * ldz * sizeof *Y);
        CHECK(fx_map_apply(Y, ldz, FX_F32, m, &single, &(fx_run){RUN, .threads = threads})
              == FX_OK);
        CHECK(test_helped());
        CHECK(!memcmp(Z, Y, N * ldz * sizeof *Z));      /* floats too, and nothing beside rows */
    }
    /* Rows do not depend on their neighbours. */
    for (size_t a = 0; a < N; a += 7) {
        part = dense;
        part.rows = a % 2 || N - a < 3 ? 1 : 3, part.val = r->d64 + a * COLS;
        CHECK(fx_map_apply(Y, F, FX_F32, m, &part, NULL) == FX_OK);
        for (size_t q = 0; q < part.rows; q++)
            CHECK(!memcmp(Y + q * F, Z + (a + q) * ldz, F * sizeof *Z));
    }
    CHECK(fx_map_apply(D, ldz, FX_F64, m, &dense, NULL) == FX_OK);
    for (size_t q = 0; q < N * ldz; q++)
        CHECK(D[q] == (double)Z[q]);
    /* Sparse rows: sums in another order.  Features are within [-1, 1] about. */
    memset(Y, 0, N * ldz * sizeof *Y);
    CHECK(fx_map_apply(Y, ldz, FX_F32, m, &sparse, NULL) == FX_OK);
    for (size_t q = 0; q < N * ldz; q++)
        CHECK_NEAR(Y[q], Z[q], 2e-5);
    CHECK(fx_map_apply(D, ldz, FX_F64, m, &wide, &(fx_run){RUN, .threads = 3}) == FX_OK);
    for (size_t q = 0; q < N * ldz; q++)
        CHECK(D[q] == (double)Y[q]);
    memcpy(sparse_Z, Y, N * ldz * sizeof *Y);
    /* Scores. */
    for (size_t q = 0; q < F * 3; q++)
        W[q] = test_unit() - 0.5;
    for (int threads = 1; threads <= 2; threads++) {
        CHECK(fx_map_score(S, m, W, 3, &dense, &(fx_run){RUN, .threads = threads}) == FX_OK);
        CHECK(test_helped() || threads == 1);
        for (size_t q = 0; q < N; q++)
            for (size_t c = 0; c < 3; c++) {
                double sum = 0, size = 0;
                for (size_t s = 0; s < F; s++) {
                    sum += (double)Z[q * ldz + s] * W[s * 3 + c];
                    size += fabs((double)Z[q * ldz + s] * W[s * 3 + c]);
                }
                CHECK_NEAR(S[q * 3 + c], sum, 40 * 0x1p-24 * size);
            }
    }
    for (size_t q = 0; q < N; q += 5) { /* of a row alone: the same bits */
        part = dense;
        part.rows = 1, part.val = r->d64 + q * COLS;
        CHECK(fx_map_score(D, m, W, 3, &part, NULL) == FX_OK);
        CHECK(!memcmp(D, S + q * 3, 3 * sizeof *D));
        part = sparse;
        part.rows = 1, part.ptr = r->ptr + q;
        CHECK(fx_map_apply(D, F, FX_F64, m, &part, NULL) == FX_OK);
        for (size_t s = 0; s < F; s++)
            CHECK((float)D[s] == sparse_Z[q * ldz + s]);
    }
    /* The complete spec gives the same map; another seed another one. */
    fx_map *same = NULL, *other = NULL;
    CHECK(fx_map_parse(&same, fx_map_spec(m), k, COLS, maps[i].D, 5, NULL, NULL) == FX_OK);
    CHECK(!strcmp(fx_map_spec(same), fx_map_spec(m)));
    CHECK(fx_map_apply(Y, ldz, FX_F32, same, &dense, NULL) == FX_OK);
    CHECK(!memcmp(Z, Y, N * ldz * sizeof *Z));
    CHECK(fx_map_parse(&other, maps[i].map, k, COLS, maps[i].D, 6, NULL, NULL) == FX_OK);
    CHECK(fx_map_apply(Y, ldz, FX_F32, other, &dense, NULL) == FX_OK);
    CHECK(maps[i].D == 0 || memcmp(Z, Y, N * ldz * sizeof *Z) != 0);
    fx_map_free(same);
    fx_map_free(other);
    fx_map_free(m);
    fx_kernel_free(k);
    free(Z), free(Y), free(sparse_Z), free(D), free(S), free(W);
}

/* One column, one feature, no rows, empty rows. */
static void test_small(size_t i)
{
    double x[3] = {0.5, 0, -0.25}, S[3];
    int64_t ptr[] = {0, 0, 0, 0};
    fx_matrix X = {.rows = 3, .cols = 1, .stride = 1, .type = FX_F64, .val = x};
    fx_matrix none = X, empty = X;
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    fx_status st = fx_kernel_parse(&k, maps[i].kernel, NULL, 0);
    size_t D = 1;                       /* or more: pairs of features, some for each order, .. */

    none.rows = 0;
    empty.ptr = ptr, empty.col = ptr;
    CHECK(st == FX_OK);
    while ((st = fx_map_parse(&m, maps[i].map, k, 1, D, 5, NULL, NULL)) == FX_EINVAL && D < 4)
        D++;
    if (st)
        fprintf(stderr, "%s, %s: %s\n", maps[i].kernel, maps[i].map, fx_error_detail());
    CHECK(st == FX_OK);
    size_t F = fx_map_features(m);
    float *Z = fxi_zalloc(3 * F + 1, sizeof *Z);
    double *W = fxi_zalloc(F + 1, sizeof *W);
    CHECK(fx_map_apply(Z, F, FX_F32, m, &X, NULL) == FX_OK);
    CHECK(fx_map_apply(Z, F, FX_F32, m, &none, NULL) == FX_OK);
    CHECK(fx_map_apply(Z, F, FX_F32, m, &empty, NULL) == FX_OK);
    CHECK(fx_map_score(S, m, W, 1, &empty, NULL) == FX_OK);
    free(Z), free(W);
    fx_map_free(m);
    fx_kernel_free(k);
}

/* 10^6 columns, a few entries: what it costs follows the entries. */
static void test_wide(void)
{
    static const char *const specs[][2] = {{"anova:order=2", "rk"}, {"all-subsets", "rk"},
                                           {"anova:order=3", "rk:complex=yes"},
                                           {"poly:degree=2", "ts"}, {"linear", "sparse-jl"},
                                           {"poly:degree=3", "rm"}};
    enum { COLUMNS = 1000000, FEATURES = 256, ROWS = 40, NZ = 9 };
    int64_t ptr[ROWS + 1];
    int32_t col[ROWS * NZ];
    float val[ROWS * NZ], *Z = fxi_alloc(ROWS * FEATURES, sizeof *Z);
    fx_matrix X = {.rows = ROWS, .cols = COLUMNS, .val = val, .ptr = ptr, .col = col};

    for (size_t i = 0; i <= ROWS; i++)
        ptr[i] = (int64_t)(i * NZ);
    for (size_t q = 0; q < ROWS * NZ; q++) {
        col[q] = (int32_t)(q % NZ * 111111 + q / NZ * 1001);
        val[q] = 1.0f / 3;
    }
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        double sum = 0, K;
        fx_matrix one = X;
        fx_status st = fx_kernel_parse(&k, specs[i][0], NULL, 0);
        CHECK(st == FX_OK);
        st = fx_map_parse(&m, specs[i][1], k, COLUMNS, FEATURES, 1, NULL,
                          &(fx_run){RUN, .max_memory = 50000000});
        if (st)
            fprintf(stderr, "%s: %s\n", specs[i][1], fx_error_detail());
        CHECK(st == FX_OK);
        CHECK(fx_map_apply(Z, FEATURES, FX_F32, m, &X, NULL) == FX_OK);
        one.rows = 1;
        CHECK(fx_kernel_gram(&K, 1, k, &one, NULL, NULL) == FX_OK);
        for (size_t s = 0; s < FEATURES; s++)
            sum += (double)Z[s] * (double)Z[s];
        CHECK(sum > K / 4 && sum < 4 * K);      /* the fixed seeds; moments are tested elsewhere */
        fx_map_free(m);
        fx_kernel_free(k);
    }
    free(Z);
}

/* Floats at any address. */
static void test_address(void)
{
    enum { COLUMNS = 200, FEATURES = 20 };
    float *x = fxi_alloc(COLUMNS + 16, sizeof *x), Z[2][FEATURES];
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, "rk", k, COLUMNS, FEATURES, 1, NULL, NULL) == FX_OK);
    for (size_t shift = 0; shift < 16; shift++) {
        for (size_t j = 0; j < COLUMNS; j++)
            x[shift + j] = (float)j;
        fx_matrix X = {.rows = 1, .cols = COLUMNS, .stride = COLUMNS, .val = x + shift};
        CHECK(fx_map_apply(Z[shift > 0], FEATURES, FX_F32, m, &X, NULL) == FX_OK);
        CHECK(shift == 0 || !memcmp(Z[0], Z[1], sizeof Z[0]));
    }
    fx_map_free(m);
    fx_kernel_free(k);
    free(x);
}

/* One row, or one map, that takes minutes: a call is cancelled within it. */
static int second_call(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 1;
}

static void test_cancelled(void)
{
    static const struct { const char *kernel, *map; size_t cols, D; bool drawing; } slow[] = {
        {"anova:order=4", "sparse-jl", 2000, 16, false},
        {"anova:order=16", "rk:dist=gaussian", 2000, 1 << 16, false},
        {"anova:order=4", "rk:complex=yes", 4000, 1 << 16, false},
        {"anova:order=2", "rk:projection=hadamard", 100, 1 << 26, true},
        {"rbf", "rff:projection=hadamard", 100, 1 << 25, true},
        {"linear", "jl", 1 << 20, 1 << 8, true},
        {"exp", "rm", 100, 1 << 26, true}};

    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        int calls = 0;
        fx_run run = {RUN, .threads = 1, .progress = second_call, .ctx = &calls};
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        CHECK(fx_kernel_parse(&k, slow[i].kernel, NULL, 0) == FX_OK);
        fx_status st = fx_map_parse(&m, slow[i].map, k, slow[i].cols, slow[i].D, 1, NULL,
                                    slow[i].drawing ? &run : NULL);
        CHECK(st == (slow[i].drawing ? FX_ECANCELLED : FX_OK));
        if (!slow[i].drawing) {
            float *x = fxi_alloc(slow[i].cols, sizeof *x);
            float *Z = fxi_alloc(slow[i].D, sizeof *Z);
            fx_matrix X = {.rows = 1, .cols = slow[i].cols, .stride = slow[i].cols, .val = x};
            for (size_t j = 0; j < slow[i].cols; j++)
                x[j] = j ? 1e-3f : 100;         /* one that dominates */
            CHECK(fx_map_apply(Z, slow[i].D, FX_F32, m, &X, &run) == FX_ECANCELLED);
            free(x);
            free(Z);
        }
        fx_map_free(m);
        fx_kernel_free(k);
    }
}

/* Exact maps make as many features as they have, others as many as they are asked for. */
static void check_exact(const fx_description *d)
{
    size_t features[2];

    for (size_t i = 0; i < 2; i++) {
        fx_kernel *k;
        fx_map *m = NULL;
        CHECK(fx_kernel_parse(&k, d->kernels[0], NULL, 0) == FX_OK);
        CHECK(fx_map_parse(&m, d->name, k, 3, (size_t)8 << i, 1, NULL, NULL) == FX_OK);
        features[i] = fx_map_features(m);
        fx_map_free(m);
        fx_kernel_free(k);
    }
    CHECK((features[0] == features[1]) == d->exact && (d->norm == 1 || d->norm == 2));
}

static void test_rejected(void)
{
    double x[] = {1, 2, 3, 4, NAN, 6}, W[8] = {0}, S[2];
    float Z[16];
    fx_matrix X = {.rows = 2, .cols = 3, .stride = 3, .type = FX_F64, .val = x};
    fx_kernel *k = NULL, *anova = NULL;
    fx_map *m = NULL, *none = NULL;

    CHECK(fx_kernel_parse(&k, "anova:order=3", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, "rk", k, 3, 8, 1, NULL, NULL) == FX_OK);
    CHECK(fx_map_apply(Z, 8, FX_F32, m, &X, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "row 1") && strstr(fx_error_detail(), "column 1"));
    x[4] = 5;
    CHECK(fx_map_apply(Z, 7, FX_F32, m, &X, NULL) == FX_ESHAPE);
    X.cols = 2;
    CHECK(fx_map_apply(Z, 8, FX_F32, m, &X, NULL) == FX_ESHAPE);
    X.cols = 3;
    x[3] = x[4] = x[5] = 1e20;          /* its cube is no float */
    CHECK(fx_map_apply(Z, 8, FX_F32, m, &X, NULL) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "row 1"));
    CHECK(fx_map_score(S, m, W, 1, &X, NULL) == FX_ENUMERIC);
    W[3] = NAN;
    CHECK(fx_map_score(S, m, W, 1, &X, NULL) == FX_EDOMAIN);
    CHECK(fx_map_score(S, m, W, 0, &X, NULL) == FX_EINVAL);
    x[3] = x[4] = x[5] = 1e10;          /* features are floats, their products are not */
    for (size_t s = 0; s < 8; s++)
        W[s] = 1e30;
    CHECK(fx_map_apply(Z, 8, FX_F32, m, &X, NULL) == FX_OK);
    CHECK(fx_map_score(S, m, W, 1, &X, NULL) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "row 1"));
    CHECK(fx_map_apply(NULL, 8, FX_F32, m, &X, NULL) == FX_EINVAL);
    CHECK(fx_map_apply(Z, 8, FX_F32, m, &X, &(fx_run){RUN, .max_memory = 10}) == FX_ELIMIT);
    fx_map_free(m);
    CHECK(fx_kernel_parse(&anova, "anova:order=2", NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&none, "ts", anova, 3, 8, 1, NULL, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "ts serves poly"));
    CHECK(strstr(fx_error_detail(), "rk, sparse-jl"));

    fx_description d = FX_INIT(fx_description);
    for (size_t i = 0; fx_map_name(i); i++) { /* which kernels a map serves is what it says */
        CHECK(fx_map_describe(&d, fx_map_name(i)) == FX_OK && !strcmp(d.name, fx_map_name(i)));
        bool listed = false;
        for (size_t q = 0; d.kernels[q]; q++) {
            listed |= !strcmp(d.kernels[q], "anova");
            CHECK(
                fx_kernel_describe(&(fx_description){.size = sizeof(fx_description)}, d.kernels[q])
                == FX_OK);
        }
        fx_status st = fx_map_parse(&none, fx_map_name(i), anova, 3, 8, 1, NULL, NULL);
        CHECK((st != FX_EUNSUPPORTED) == listed);
        fx_map_free(none);
        none = NULL;
        check_exact(&d);
        CHECK(d.independent == !strcmp(d.name, "jl")); /* others hash, or have a projection */
    }
    CHECK(fx_map_describe(&d, "scrk:complex=yes") == FX_OK && !strcmp(d.name, "rk"));
    CHECK(!strcmp(d.sets, "projection=circulant,signs=row"));
    CHECK(fx_map_describe(&d, "scrk:signs=row") == FX_EINVAL);  /* given twice */
    CHECK(fx_map_describe(&d, "rm:p=1") == FX_EINVAL && fx_map_describe(&d, "rk(rk)") == FX_EINVAL);
    CHECK(fx_map_describe(NULL, "rk") == FX_EINVAL && fx_map_describe(&d, NULL) == FX_EINVAL);
    fx_kernel_free(anova);
    fx_kernel_free(k);
}

int main(void)
{
    rows *r = fxi_zalloc(1, sizeof *r);

    test_init();
    make_rows(r);
    for (size_t i = 0, n = add_others(); i < n; i++) {
        test_forms(r, i);
        test_small(i);
    }
    test_wide();
    test_address();
    test_cancelled();
    test_rejected();
    free(r);
    return 0;
}
