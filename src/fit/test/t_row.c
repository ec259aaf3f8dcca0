/* SPDX-License-Identifier: BSD-3-Clause
 * t_row.c - inner products and updates with rows of every form, on every instruction set, against
 * long double, within the bound of row_hot.c; floats and the same numbers as doubles alike, four
 * rows at once as each alone.
 *
 * Covers: row_hot.c */

#include "base/test.h"
#include "fit/fit.h"

#include <float.h>
#include <string.h>

enum { N = 150 };

static double x[N], w[N + 1], out[N + 1];
static float x32[N];
static int32_t col32[N];
static int64_t col64[N];

static void check(const fxi_simd *simd, fxi_row r, size_t width)
{
    long double dot = 0, size = 0, square = 0;
    double u = DBL_EPSILON / 2, a = test_unit() - 0.5, terms = (double)r.n + 2;

    for (size_t k = 0; k < r.n; k++) {
        long double v = fxi_row_value(r, k), f = w[fxi_row_column(r, k)];
        dot += v * f;
        size += fabsl(v * f);
        square += v * v;
    }
    CHECK_NEAR(fxi_fit_row_dot(r, w, simd), (double)dot, terms * u * (double)size);
    CHECK_NEAR(fxi_fit_row_square(r, simd), (double)square, terms * u * (double)square);
    memcpy(out, w, sizeof out);
    fxi_fit_row_add(out, a, r, simd);
    for (size_t k = 0; k < r.n; k++) {
        size_t j = (size_t)fxi_row_column(r, k);
        long double v = a * (long double)fxi_row_value(r, k);
        CHECK_NEAR(out[j], (double)(w[j] + v), 2.01 * u * (double)(fabsl(v) + fabs(w[j])));
        out[j] = w[j];
    }
    CHECK(!memcmp(out, w, sizeof out) && width <= N);   /* nothing else was touched */
}

/* A file that is read as floats scores as an array of doubles does. */
static void same(const fxi_simd *simd, size_t n, size_t at)
{
    double wide[N];

    for (size_t i = 0; i < N; i++)
        wide[i] = (double)x32[i];
    fxi_row r = {.n = n, .f32 = x32 + at}, d = {.n = n, .f64 = wide + at};
    CHECK(fxi_fit_row_dot(r, w, simd) == fxi_fit_row_dot(d, w, simd));
    CHECK(fxi_fit_row_square(r, simd) == fxi_fit_row_square(d, simd));
}

/* Four rows at once have the sums of each alone, whatever their forms and lengths. */
static void four(const fxi_simd *simd, bool alike)
{
    fxi_row r[4];
    double sum[4];

    for (size_t k = 0; k < 4; k++) {
        size_t n = !!alike + test_below(N / 2), at = test_below(N / 2);
        size_t form = alike ? 0 : test_below(4);
        n = n < N - at ? n : N - at;
        r[k] = (fxi_row){.n = n,
                         .f32 = form % 2 ? NULL : x32 + at,
                         .f64 = form % 2 ? x + at : NULL,
                         .col32 = form < 2 ? col32 + at : NULL,
                         .col64 = form == 2 || form == 3 ? col64 + at : NULL};
    }
    fxi_fit_row_dots(sum, r, w, simd);
    for (size_t k = 0; k < 4; k++)
        CHECK(sum[k] == fxi_fit_row_dot(r[k], w, simd));
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < N; i++) {
        x32[i] = (float)(test_unit() - 0.5);
        x[i] = test_unit() - 0.5;
        w[i] = test_unit() * 4 - 2;
        col32[i] = (int32_t)i;
        col64[i] = (int64_t)(N - 1 - i);
    }
    w[N] = 7;
    for (const fxi_simd *simd = fxi_simd_targets; simd->name; simd++)
        for (size_t n = 0; simd->supported() && n < N; n = n < 70 ? n + 1 : n + 37)
            for (size_t at = 0; at < 2 && at + n <= N; at++) {  /* aligned, and not */
                check(simd, (fxi_row){.n = n, .f32 = x32 + at}, n);
                check(simd, (fxi_row){.n = n, .f64 = x + at}, n);
                check(simd, (fxi_row){.n = n, .f32 = x32 + at, .col32 = col32 + at}, N);
                check(simd, (fxi_row){.n = n, .f64 = x + at, .col64 = col64 + at}, N);
                same(simd, n, at);
            }
    for (const fxi_simd *simd = fxi_simd_targets; simd->name; simd++)
        for (size_t k = 0; simd->supported() && k < 1000; k++)
            four(simd, k % 2);
    return 0;
}
