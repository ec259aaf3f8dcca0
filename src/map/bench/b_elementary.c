/* SPDX-License-Identifier: BSD-3-Clause
 * b_elementary.c - nanoseconds for FXI_LANES floats of each elementary function, on each
 * instruction set, beside the C library's scalar ones. */

#include "base/test.h"
#include "simd/simd.h"

#include <time.h>

enum { N = 4096, TIMES = 200, REPEATS = 15 };

static _Alignas(64) float z[N], y[N], c[N], s[N];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TIME(best, what) do { \
    best = 1e9; \
    for (int r_ = 0; r_ < REPEATS; r_++) { \
        double t0_ = now(); \
        for (int t_ = 0; t_ < TIMES; t_++) { what; } \
        best = fmin(best, (now() - t0_) * 1e9 * FXI_LANES / ((double)N * TIMES)); \
    } } while (0)

int main(void)
{
    double sincos_ns, cos_ns, exp_ns, multiply_ns;

    test_init();
    for (size_t i = 0; i < N; i++) {
        z[i] = (float)(test_unit() * 20 - 10);
        y[i] = 1;
    }
    printf("# ns for %d floats\n# target\tsincos\tcos\texp\tmultiply\n", FXI_LANES);
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++)
        if (t->supported()) {
            TIME(sincos_ns, t->map_sincos(c, s, z, N, 1));
            TIME(cos_ns, t->map_cos(c, y, N, 1));
            TIME(exp_ns, t->map_exp(s, y, N));
            TIME(multiply_ns, t->map_multiply(z, y, N));
            printf("%s\t%.2f\t%.2f\t%.2f\t%.2f\n", t->name, sincos_ns, cos_ns, exp_ns, multiply_ns);
        }
    TIME(sincos_ns, for (size_t i = 0; i < N; i++) (c[i] = cosf(z[i]), s[i] = sinf(z[i])));
    TIME(cos_ns, for (size_t i = 0; i < N; i++) c[i] = cosf(z[i] + y[i]));
    TIME(exp_ns, for (size_t i = 0; i < N; i++) s[i] = expf(z[i] + y[i]));
    printf("libm\t%.2f\t%.2f\t%.2f\t-\n", sincos_ns, cos_ns, exp_ns);
    return 0;
}
