/* SPDX-License-Identifier: BSD-3-Clause
 * t_elementary.c - the elementary functions of elementary_hot.c and the logarithms of subsets_hot.c
 * on every instruction set against the C library's in long double, within the bounds of the files'
 * heads.
 *
 * Covers: elementary_hot.c, subsets_hot.c */

#include "base/test.h"
#include "simd/simd.h"

#include <float.h>
#include <string.h>

enum { N = 4096 };

static _Alignas(64) float z[N], b[N], c[N], s[N], copy[N];

/* Numbers of every size, signs, zeros, and multiples of a quarter turn with their neighbours. */
static void fill(float *v, double top)
{
    for (size_t i = 0; i < N; i++) {
        double x = (test_unit() * 2 - 1) * top * pow(10, -(double)test_below(12));
        if (i % 4 == 0)
            x = (double)test_below(1000) * 1.5707963267948966 + (test_unit() - 0.5) * 1e-5;
        if (i % 64 == 0)
            x = 0;
        v[i] = (float)x;
    }
}

static void check_angles(const fxi_simd *simd, double top, double scale)
{
    double tol;

    fill(z, top);
    for (size_t i = 0; i < N; i++)
        b[i] = (float)(test_unit() * 6.28);
    memcpy(copy, z, sizeof z);
    memset(c, 0, sizeof c);
    simd->map_sincos(c, s, z, N, (float)scale);
    CHECK(!memcmp(copy, z, sizeof z));
    for (size_t i = 0; i < N; i++) {
        tol = (2e-7 + 2e-16 * fabs(z[i])) * scale;
        CHECK_NEAR(c[i], scale * (double)cosl(z[i]), tol);
        CHECK_NEAR(s[i], scale * (double)sinl(z[i]), tol);
    }
    simd->map_sincos(z, s, z, N, (float)scale);         /* in place */
    CHECK(!memcmp(c, z, sizeof z));
    memcpy(z, copy, sizeof z);
    simd->map_cos(z, b, N, (float)scale);
    for (size_t i = 0; i < N; i++) {
        tol = (2e-7 + (2e-16 + 1.2e-16) * (fabs(copy[i]) + 7)) * scale; /* + rounding the sum */
        CHECK_NEAR(z[i], scale * (double)cosl((long double)copy[i] + b[i]), tol);
    }
}

static void check_huge(const fxi_simd *simd)
{
    for (size_t i = 0; i < N; i++) {
        z[i] = (float)ldexp(test_unit() - 0.5, (int)test_below(130));
        b[i] = 6;
    }
    z[0] = FLT_MAX, z[1] = -FLT_MAX;
    memcpy(copy, z, sizeof z);
    simd->map_sincos(c, s, z, N, 1);
    simd->map_cos(z, b, N, 1);
    for (size_t i = 0; i < N; i++)
        CHECK(fabsf(c[i]) <= 1 + 1e-6f && fabsf(s[i]) <= 1 + 1e-6f && fabsf(z[i]) <= 1 + 1e-6f);
    z[0] = INFINITY, z[1] = NAN, z[2] = -INFINITY;      /* what went wrong before still shows */
    simd->map_sincos(c, s, z, FXI_LANES, 1);
    for (int i = 0; i < 3; i++)
        CHECK(isnan(c[i]) && isnan(s[i]));
    CHECK(isfinite(c[3]) && isfinite(s[3]));
}

static void check_exp(const fxi_simd *simd, double top)
{
    _Alignas(64) float add[FXI_LANES];

    fill(z, top);
    for (int w = 0; w < FXI_LANES; w++)
        add[w] = (float)((test_unit() - 0.5) * 20);
    z[1] = FLT_MAX, z[2] = -FLT_MAX;
    memcpy(copy, z, sizeof z);
    simd->map_exp(z, add, N);
    for (size_t i = 0; i < N; i++) {
        long double want = expl((long double)copy[i] + add[i % FXI_LANES]);
        if (want > FLT_MAX * (1 + 2e-7L))
            CHECK(isinf(z[i]) && z[i] > 0);
        else if (want < FLT_MAX * (1 - 2e-7L))          /* half the last digit of a denormal */
            CHECK_NEAR(z[i], (double)want, 2e-7 * (double)want + 0x1p-149);
    }
    z[0] = NAN, z[1] = INFINITY, z[2] = -INFINITY;
    simd->map_exp(z, add, FXI_LANES);
    CHECK(isnan(z[0]) && z[1] == INFINITY && z[2] == 0);
    for (int w = 0; w < FXI_LANES; w++)                 /* what is added may cancel */
        add[w] = -1e6f;
    for (size_t i = 0; i < N; i++)
        copy[i] = z[i] = 1e6f + (float)(test_below(17)) - 8;
    simd->map_exp(z, add, N);
    for (size_t i = 0; i < N; i++)
        CHECK_NEAR(z[i], exp(copy[i] - 1e6), 2e-7 * z[i]);
}

static void check_multiply(const fxi_simd *simd)
{
    fill(z, 10);
    fill(b, 10);
    memcpy(copy, z, sizeof z);
    simd->map_multiply(z, b, FXI_LANES * 3);
    for (size_t i = 0; i < N; i++)
        CHECK(z[i] == (i < FXI_LANES * 3 ? copy[i] * b[i] : copy[i]));
    memcpy(z, copy, sizeof z);
    simd->map_scale(z, FXI_LANES * 3, 0.3f);
    for (size_t i = 0; i < N; i++)
        CHECK(z[i] == (i < FXI_LANES * 3 ? copy[i] * 0.3f : copy[i]));
}

/* Numbers of every size on both sides of 1, and next to it; any length, any address. */
static void check_logs(const fxi_simd *simd)
{
    static double x[N + 1];
    const double edge[] = {0, -0.0, 1, -1, nextafter(1, 0), nextafter(1, 2), 1e-300, 1e300,
                           -DBL_MAX, 1.0 / 3, -3};
    size_t edges = sizeof edge / sizeof *edge, from = test_below(2), n = N - test_below(20);

    for (size_t i = 0; i <= N; i++)
        x[i] = i < edges + from ? edge[i % edges]
                                : (test_unit() * 2 - 1) * pow(10, 3 - (double)test_below(20));
    for (size_t i = 0; i < N; i++)
        z[i] = 7;
    simd->map_subsets_row(z, x + from, n);
    for (size_t i = 0; i < n; i++) {
        double a = fabs(x[from + i]), gap = fabs(1 - a);
        double want = gap > 0 ? (double)(0.5L * logl((long double)((1 + a) / gap))) : 0;
        CHECK_NEAR(z[i], copysign(want, x[from + i]), want * (0x1p-24 + 0x1p-50) + 0x1p-150);
        CHECK(gap == 0 || !signbit(z[i]) == !signbit(x[from + i]));
    }
    for (size_t i = n; i < N; i++)
        CHECK(z[i] == 7);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(4); i++)
        for (const fxi_simd *t = fxi_simd_targets; t->name; t++)
            if (t->supported()) {
                check_angles(t, 10, 1);
                check_angles(t, 1e9, 1);
                check_angles(t, 1e5, 0.03125);
                check_huge(t);
                check_exp(t, 100);
                check_exp(t, 1);
                check_multiply(t);
                check_logs(t);
            }
    return 0;
}
