/* SPDX-License-Identifier: BSD-3-Clause
 * b_choose.c - what projection=auto takes, beside the alternatives: the table of doc/guide.md.
 *
 * For each case microseconds a row (one thread, features stored as floats, best of calls) and the
 * root mean square error over pairs of rows, relative to packed (independent signs), pooled over
 * seeds.  Rows: density of non-zeros, their values 1 (one-hot) or uniform, norm 1. */

#include "base/test.h"
#include "map/map.h"

#include <string.h>
#include <time.h>

enum { ROWS = 256, SEEDS = 8, PAIRS = 2000 };

static const struct { const char *kernel; size_t d, D; double density; } cases[] = {
    {"anova:order=2", 8, 16, 1}, {"anova:order=2", 8, 256, 1}, {"anova:order=2", 80, 16, 1},
    {"anova:order=2", 80, 1280, 1}, {"anova:order=2", 80, 1280, 0.1},
    {"anova:order=3", 80, 1280, 1}, {"anova:order=3", 80, 1280, 0.1},
    {"all-subsets", 80, 1280, 1}, {"all-subsets", 80, 1280, 0.1},
    {"anova:order=2", 1024, 256, 1}, {"anova:order=2", 1024, 8192, 1},
    {"anova:order=2", 1024, 8192, 0.02}, {"anova:order=2", 1000000, 256, 2e-5},
    {"all-subsets", 1000000, 256, 2e-5}, {"groups", 80, 1280, 0.1}};
static const char *const forms[] = {"packed", "hadamard", "circulant"};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One row: `n` distinct columns, evenly spread with a random offset. */
static size_t make_rows(int64_t *ptr, int32_t *col, float *val, size_t d, double density)
{
    size_t n = (size_t)fmax(1, (double)d * density), k = 0;

    for (size_t i = 0; i < ROWS; i++) {
        double norm = 0;
        for (size_t q = 0; q < n; q++) {
            size_t low = q * d / n, high = (q + 1) * d / n;
            col[k] = (int32_t)(low + test_below(high - low));
            val[k] = density < 1 ? 1 : (float)(test_unit() - 0.3);
            norm += (double)(val[k] * val[k]);
            k++;
        }
        for (size_t q = k - n; q < k; q++)
            val[q] /= (float)sqrt(norm);
        ptr[i + 1] = (int64_t)k;
    }
    return n;
}

static double rmse(const fx_kernel *k, const char *spec, size_t D, const fx_matrix *X)
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        fx_map *m = NULL;
        fx_deviation e = FX_INIT(fx_deviation);
        if (fx_map_parse(&m, spec, k, X->cols, D, seed, NULL, NULL)
            || fx_map_deviation(&e, m, X, PAIRS, 1, NULL)) {
            fprintf(stderr, "%s\n", fx_error_detail());
            exit(1);
        }
        sum += e.rmse * e.rmse;
        fx_map_free(m);
    }
    return sqrt(sum / SEEDS);
}

static double microseconds(const fx_kernel *k, const char *spec, size_t D, const fx_matrix *X)
{
    float *Z = fxi_alloc(ROWS * D, sizeof *Z);
    double best = 1e9, start = now();
    fx_map *m = NULL;

    CHECK(fx_map_parse(&m, spec, k, X->cols, D, 1, NULL, NULL) == FX_OK);
    for (int i = 0; i < 5 || now() - start < 0.1; i++) {
        double t = now();
        CHECK(fx_map_apply(Z, D, FX_F32, m, X, &(fx_run){.size = sizeof(fx_run), .threads = 1})
              == FX_OK);
        best = fmin(best, (now() - t) / ROWS * 1e6);
    }
    fx_map_free(m);
    free(Z);
    return best;
}

int main(void)
{
    int64_t *ptr = fxi_zalloc(ROWS + 1, sizeof *ptr);
    int32_t *col = fxi_alloc(ROWS * 1024, sizeof *col);
    float *val = fxi_alloc(ROWS * 1024, sizeof *val);

    test_init();
    printf("| kernel | columns | D | density | auto | packed | hadamard | circulant |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t d = cases[c].d, D = cases[c].D, n = make_rows(ptr, col, val, d, cases[c].density);
        fx_matrix X = {.rows = ROWS, .cols = d, .stride = d, .val = val};
        const char *family = !strcmp(cases[c].kernel, "groups") ? "a: 0 1 2 3\nb: 4 5 6 7\n" : NULL;
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        double reference = 0;
        if (n < d)
            X.ptr = ptr, X.col = col;
        CHECK(fx_kernel_parse(&k, cases[c].kernel, family, 0) == FX_OK);
        CHECK(fx_map_parse(&m, "rk", k, d, D, 1, NULL, NULL) == FX_OK);
        char choice[32];
        snprintf(choice, sizeof choice, "%s", strstr(fx_map_spec(m), "projection=") + 11);
        *strchr(choice, ',') = '\0';
        printf("| %s | %zu | %zu | %g | %s |", cases[c].kernel, d, D, cases[c].density, choice);
        for (size_t f = 0; f < 3; f++) {
            char spec[64];
            if (f == 2 && d > 100000) { /* a transform of all columns for each row */
                printf(" - |");
                continue;
            }
            snprintf(spec, sizeof spec, "rk:projection=%s", forms[f]);
            double t = microseconds(k, spec, D, &X), e = rmse(k, spec, D, &X);
            if (f == 0)
                reference = e;
            printf(" %.2f us, %.2f |", t, e / reference);
        }
        printf("\n");
        fflush(stdout);
        fx_map_free(m);
        fx_kernel_free(k);
    }
    free(ptr), free(col), free(val);
    return 0;
}
