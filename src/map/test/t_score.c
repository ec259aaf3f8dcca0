/* SPDX-License-Identifier: BSD-3-Clause
 * t_score.c - scoring stores no features: the memory it takes does not grow with the rows.  What
 * scores are is tested in t_apply.c.
 *
 * 8192 features of 2,000 rows alone are 65 MB.  FX_TEST_MULT=10 scores a million rows. */

#include "base/test.h"
#include "map/map.h"

#include <string.h>
#include <sys/resource.h>

enum { COLS = 4, FEATURES = 8192, X_ROWS = 1000 };
static const double LIMIT = 10e6;       /* bytes */

static const struct { const char *kernel, *map; int rows; } maps[] = {
    {"anova:order=2", "rk", 100000}, {"all-subsets", "rk:projection=packed", 4000},
    {"rbf", "rff", 4000}, {"poly:degree=2", "rm", 4000}, {"poly:degree=2", "ts", 2000}};
enum { MAPS = sizeof maps / sizeof *maps };

static double peak(void)
{
    struct rusage r;

    CHECK(!getrusage(RUSAGE_SELF, &r));
    return 1024 * (double)r.ru_maxrss;
}

static void check_memory(size_t i)
{
    size_t n = (size_t)test_cases(maps[i].rows);
    float *x = fxi_alloc(n * COLS, sizeof *x);
    double *W = fxi_alloc(FEATURES, sizeof *W), *S = fxi_alloc(n, sizeof *S);
    fx_matrix X = {.rows = X_ROWS < n ? X_ROWS : n, .cols = COLS, .stride = COLS, .val = x};
    const fx_run run = {RUN, .threads = 2};
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(x && W && S);
    memset(S, 0, n * sizeof *S);        /* the caller's memory is there before */
    for (size_t q = 0; q < n * COLS; q++)
        x[q] = (float)(test_unit() - 0.5);
    for (size_t s = 0; s < FEATURES; s++)
        W[s] = test_unit() - 0.5;
    CHECK(fx_kernel_parse(&k, maps[i].kernel, NULL, 0) == FX_OK);
    CHECK(fx_map_parse(&m, maps[i].map, k, COLS, FEATURES, 1, NULL, &run) == FX_OK);
    CHECK(fx_map_score(S, m, W, 1, &X, &run) == FX_OK);
    double before = peak();
    X.rows = n;
    CHECK(fx_map_score(S, m, W, 1, &X, &run) == FX_OK);
    CHECK_NEAR(peak(), before, LIMIT);
    fx_map_free(m);
    fx_kernel_free(k);
    free(x), free(W), free(S);
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < MAPS; i++)
        check_memory(i);
    return 0;
}
