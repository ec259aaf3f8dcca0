/* SPDX-License-Identifier: BSD-3-Clause
 * t_random_kernel_complex.c - complex=auto takes the draws of smaller variance.  A sample of two
 * rows has one pair, so the choice follows from two exact variances. */

#include "base/test.h"
#include "map/map.h"

#include <string.h>

enum { COLS = 6, FEATURES = 64 };

static fx_map *parse(const char *spec, const fx_kernel *k, size_t features, const fx_matrix *sample)
{
    fx_map *m = NULL;

    CHECK(fx_map_parse(&m, spec, k, COLS, features, 1, sample, NULL) == FX_OK);
    return m;
}

static double variance(const char *spec, const fx_kernel *k, const fx_matrix *X)
{
    fx_map *m = parse(spec, k, FEATURES, X);
    double V;

    CHECK(fx_map_variance(&V, m, X, (const size_t[]){0, 1}, 1, NULL) == FX_OK);
    fx_map_free(m);
    return V;
}

static bool chosen(const fx_kernel *k, size_t features, const fx_matrix *sample)
{
    fx_map *m = parse("rk:complex=auto,projection=packed", k, features, sample);
    bool complex = strstr(fx_map_spec(m), "complex=yes");

    CHECK(complex || strstr(fx_map_spec(m), "complex=no"));
    fx_map_free(m);
    return complex;
}

int main(void)
{
    static const char *const kernels[] = {"anova:order=2", "anova:order=3", "all-subsets"};
    int seen[2] = {0};

    test_init();
    for (int t = 0; t < test_cases(300); t++) {
        double x[2 * COLS], low = test_unit() < 0.5 ? 0 : -1;
        fx_matrix X = {.rows = 2, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
        fx_kernel *k = NULL;
        for (size_t j = 0; j < 2 * COLS; j++)
            x[j] = low + (1 - low) * test_unit();
        CHECK(fx_kernel_parse(&k, kernels[t % 3], NULL, 0) == FX_OK);
        double real = variance("rk:complex=no,projection=packed", k, &X);
        double complex = variance("rk:complex=yes,projection=packed", k, &X);
        if (fabs(complex - real) > 1e-9 * real) {   /* else rounding decides */
            CHECK(chosen(k, FEATURES, &X) == (complex < real));
            CHECK(!chosen(k, FEATURES + 1, &X));    /* complex features come in pairs */
            seen[complex < real]++;
        }
        X.rows = 1;
        fx_map *m = NULL;
        CHECK(fx_map_parse(&m, "rk:complex=auto", k, COLS, FEATURES, 1, &X, NULL) == FX_EINVAL);
        CHECK(!m && strstr(fx_error_detail(), "two rows"));
        fx_kernel_free(k);
    }
    CHECK(seen[0] && seen[1]);
    return 0;
}
