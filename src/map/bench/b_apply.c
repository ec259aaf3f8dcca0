/* SPDX-License-Identifier: BSD-3-Clause
 * b_apply.c - microseconds a row, one thread, of maps through fx_map_apply and fx_map_score.
 *
 *   bench.map.apply [DENSITY]          several maps at two shapes
 *   bench.map.apply N D KERNEL MAP FEATURES [DENSITY]
 *
 * The second form prints one number: for bench/map.py, which runs others beside it. */

#include "base/test.h"
#include "map/map.h"

#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct rows {
    float *x;
    int64_t *ptr;
    int32_t *col;
    fx_matrix X;
} rows;

/* Uniform numbers scaled to norm about 1; density < 1: CSR. */
static rows make_rows(size_t n, size_t d, double density)
{
    rows r = {fxi_alloc(n * d, sizeof *r.x), NULL, NULL, {0}};
    float scale = (float)(1.7 / sqrt((double)d * density));
    size_t k = 0;

    r.X = (fx_matrix){.rows = n, .cols = d, .stride = d, .type = FX_F32, .val = r.x};
    if (density < 1) {
        r.X.ptr = r.ptr = fxi_zalloc(n + 1, sizeof *r.ptr);
        r.X.col = r.col = fxi_alloc(n * d, sizeof *r.col);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < d; j++)
            if (density >= 1 || test_unit() < density) {
                if (r.col)
                    r.col[k] = (int32_t)j;
                r.x[k++] = (float)(test_unit() - 0.5) * scale;
            }
        if (r.ptr)
            r.ptr[i + 1] = (int64_t)k;
    }
    return r;
}

/* Microseconds a row: stored, and scored without storing. */
static void measure(double out[2], const rows *r, const char *kernel, const char *spec, size_t D,
                    int repeats)
{
    fx_run one = {.size = sizeof(fx_run), .threads = 1};
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    fx_status st = fx_kernel_parse(&k, kernel, NULL, 0);

    if (!st)
        st = fx_map_parse(&m, spec, k, r->X.cols, D, 1, NULL, NULL);
    if (st) {
        fprintf(stderr, "%s\n", fx_error_detail());
        exit(1);
    }
    size_t n = r->X.rows, F = fx_map_features(m);
    float *Z = fxi_zalloc(n * F, sizeof *Z);
    double *W = fxi_zalloc(F, sizeof *W), *S = fxi_zalloc(n, sizeof *S);
    for (size_t s = 0; s < F; s++)
        W[s] = test_unit() - 0.5;
    out[0] = out[1] = 1e9;
    for (int i = 0; i < repeats; i++) {
        double t = now();
        CHECK(fx_map_apply(Z, F, FX_F32, m, &r->X, &one) == FX_OK);
        out[0] = fmin(out[0], (now() - t) / (double)n * 1e6);
        t = now();
        CHECK(fx_map_score(S, m, W, 1, &r->X, &one) == FX_OK);
        out[1] = fmin(out[1], (now() - t) / (double)n * 1e6);
    }
    free(Z);
    free(W);
    free(S);
    fx_map_free(m);
    fx_kernel_free(k);
}

static void table(double density)
{
    static const struct { size_t n, d, D; } shape[] = {{2048, 80, 1280}, {1024, 1024, 8192}};
    static const struct { const char *kernel, *map; } work[] = {
        {"anova:order=2", "rk:projection=packed"}, {"anova:order=2", "rk:projection=hadamard"},
        {"anova:order=2", "rk:projection=circulant"}, {"anova:order=2", "scrk"},
        {"anova:order=3", "rk:projection=packed"}, {"anova:order=3", "rk:projection=hadamard"},
        {"anova:order=3", "scrk"}, {"anova:order=5", "rk:projection=hadamard"},
        {"anova:order=2", "rk:complex=yes"}, {"anova:order=3", "rk:complex=yes"},
        {"all-subsets", "rk:projection=packed"}, {"all-subsets", "rk:projection=hadamard"},
        {"all-subsets", "rk:complex=yes"}, {"rbf", "rff:projection=dense"},
        {"rbf", "rff:projection=hadamard"}};

    for (size_t s = 0; s < 2; s++) {
        rows r = make_rows(shape[s].n, shape[s].d, density);
        printf("n = %zu, d = %zu, D = %zu, density %g: microseconds a row, stored and scored\n",
               shape[s].n, shape[s].d, shape[s].D, density);
        for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
            double t[2];
            measure(t, &r, work[i].kernel, work[i].map, shape[s].D, 5);
            printf("  %-14s %-26s %9.2f %9.2f\n", work[i].kernel, work[i].map, t[0], t[1]);
        }
        free(r.x);
        free(r.ptr);
        free(r.col);
    }
}

int main(int argc, char **argv)
{
    test_init();
    if (argc < 6) {
        table(argc > 1 ? atof(argv[1]) : 1);
        return 0;
    }
    double t[2];
    rows r = make_rows((size_t)atol(argv[1]), (size_t)atol(argv[2]), argc > 6 ? atof(argv[6]) : 1);
    measure(t, &r, argv[3], argv[4], (size_t)atol(argv[5]), 3);
    printf("%.6g %.6g\n", t[0], t[1]);
    return 0;
}
