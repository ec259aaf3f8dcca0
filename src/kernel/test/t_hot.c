/* SPDX-License-Identifier: BSD-3-Clause
 * t_hot.c - every hot function of the kernels, on every instruction set, against plain loops in
 * long double; the scalar target is one of them.  Bounds are those of the kernel files.
 *
 * Covers: anova_hot.c, dots_hot.c, exp_hot.c, fold_hot.c, poly_hot.c, subsets_hot.c */

#include "base/test.h"
#include "kernel/kernel.h"

#include <float.h>
#include <string.h>

enum { N = 33 };

static double x[N];
static _Alignas(64) double zt[(N + 3) * FXI_LANES];
static int32_t slot[N];
static long double e[FX_ORDER_MAX + 1], E[FX_ORDER_MAX + 1];   /* esp of z, of |z| */

static long double z_of(size_t k, int w, const int32_t *s)
{
    return zt[(s ? (size_t)s[k] : k) * FXI_LANES + (size_t)w];
}

static void symmetric(size_t n, int w, const int32_t *s, size_t without)
{
    memset(e, 0, sizeof e);
    memset(E, 0, sizeof E);
    e[0] = E[0] = 1;
    for (size_t k = 0; k < n; k++)
        for (int t = FX_ORDER_MAX; k != without && t > 0; t--) {
            e[t] += x[k] * z_of(k, w, s) * e[t - 1];
            E[t] += fabsl(x[k] * z_of(k, w, s)) * E[t - 1];
        }
}

static void near(double got, long double want, double roundings, long double scale)
{
    CHECK_NEAR(got, (double)want, (double)(roundings * DBL_EPSILON / 2 * 1.01L * scale) + DBL_MIN);
}

static void check_target(const fxi_simd *simd, size_t n, const int32_t *s)
{
    static _Alignas(64) double out[(FX_ORDER_MAX + 1) * FXI_LANES], g[N * FXI_LANES];
    static _Alignas(64) double max_abs[FXI_LANES], theta[FX_ORDER_MAX + 2];
    double r = (double)n;

    simd->kernel_dot(out, x, NULL, s, zt, n);
    for (int w = 0; w < FXI_LANES; w++) {
        symmetric(n, w, s, N);
        near(out[w], e[1], r + 1, E[1]);
    }
    for (int m = 1; m <= FX_ORDER_MAX; m++) {
        simd->kernel_anova(out, x, s, zt, n, m);
        for (int t = 1; t <= m; t++)
            theta[t] = 1.0 / t;
        simd->kernel_anova_delete(g, out, x, s, zt, n, m, theta);
        for (int w = 0; w < FXI_LANES; w++) {
            symmetric(n, w, s, N);
            for (int t = 0; t <= m; t++)
                near(out[t * FXI_LANES + w], e[t], r + 2 * t, E[t]);
            for (size_t k = 0; k < n; k++) {            /* the bound of esp.c for a deletion */
                long double z = fabsl(x[k] * z_of(k, w, s)), reach = 0, bound = 0, want = 0;
                symmetric(n, w, s, N);
                for (int t = 1; t <= m; t++) {
                    reach = E[t - 1] + z * reach;
                    bound += theta[t] * reach;
                }
                symmetric(n, w, s, k);
                for (int t = 1; t <= m; t++)
                    want += theta[t] * e[t - 1];
                near(g[k * FXI_LANES + (size_t)w], x[k] * want, r + 5 * m + 4, fabsl(x[k]) * bound);
            }
        }
        simd->kernel_anova_abs(out, max_abs, x, s, zt, n, m);
        for (int w = 0; w < FXI_LANES; w++) {
            double top = 0;
            symmetric(n, w, s, N);
            for (int t = 0; t <= m; t++)
                near(out[t * FXI_LANES + w], E[t], r + 2 * t, E[t]);
            for (size_t k = 0; k < n; k++)
                top = fmax(top, fabs(x[k] * (double)z_of(k, w, s)));
            CHECK(max_abs[w] == top);
        }
    }
    simd->kernel_subsets(out, x, s, zt, n);
    simd->kernel_subsets_without(g, x, s, zt, n);
    for (int w = 0; w < FXI_LANES; w++)
        for (size_t k = 0; k <= n; k++) {               /* k = n: the whole product */
            long double want = 1, scale = 1;
            for (size_t i = 0; i < n; i++) {
                want *= i == k ? 1 : 1 + x[i] * z_of(i, w, s);
                scale *= i == k ? 1 : 1 + fabsl(x[i] * z_of(i, w, s));
            }
            if (k == n)
                near(out[w], want, 3 * r + 2, scale);
            else
                near(g[k * FXI_LANES + (size_t)w], x[k] * want, 3 * r + 4, fabsl(x[k]) * scale);
        }
    static _Alignas(64) double one[FXI_LANES], cauchy[FXI_LANES];
    simd->kernel_distance2(out, x, NULL, s, zt, n);
    simd->kernel_distance1(one, x, NULL, s, zt, n);
    simd->kernel_cauchy(cauchy, x, NULL, s, zt, n, 0.75);
    for (int w = 0; w < FXI_LANES; w++) {
        long double d1 = 0, d2 = 0, c = 1;
        for (size_t k = 0; k < n; k++) {
            long double d = x[k] - z_of(k, w, s);
            d1 += fabsl(d);
            d2 += d * d;
            c *= 1 + 0.5625L * d * d;
        }
        near(out[w], d2, r + 3, d2);
        near(one[w], d1, r + 1, d1);
        near(cauchy[w], c, 6 * r + 1, c);
    }
}

/* With a second row: both as if alone, bit for bit; with slots, rows of a number for each. */
static void check_pairs(const fxi_simd *simd, size_t n, const int32_t *s)
{
    static _Alignas(64) double out[2 * FXI_LANES], one[2 * FXI_LANES];
    double two[2][N + 3], row[2][N];

    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < N + 3; k++)
            two[i][k] = test_unit() - 0.5;
        for (size_t k = 0; k < N; k++)
            row[i][k] = two[i][s ? (size_t)s[k] : k];
    }
    for (int f = 0; f < 4; f++) {
        for (int i = 0; i < 3; i++) {
            const double *a = i < 2 ? row[i] : two[0], *b = i < 2 ? NULL : two[1];
            double *to = i < 2 ? one + i * FXI_LANES : out;
            if (f == 0)
                simd->kernel_dot(to, a, b, s, zt, n);
            else if (f == 1)
                simd->kernel_distance2(to, a, b, s, zt, n);
            else if (f == 2)
                simd->kernel_distance1(to, a, b, s, zt, n);
            else
                simd->kernel_cauchy(to, a, b, s, zt, n, 0.3);
        }
        CHECK(!memcmp(out, one, sizeof out));
    }
}

/* Many rows at once, and norms: the bits of kernel_dot; distances from them. */
static void check_dots(const fxi_simd *simd)
{
    enum { ROWS = 6 };
    static _Alignas(64) double out[ROWS * FXI_LANES], one[FXI_LANES], same[N * FXI_LANES];
    const double *rows[ROWS], *own = same;
    size_t start[ROWS + 1] = {0}, n[ROWS], all = N;
    double norm[ROWS], lane[N], lanes;

    for (size_t i = 0; i < ROWS; i++) {
        start[i + 1] = start[i] + 4 * test_below(start[i] + 8 < N ? 3 : 1);
        rows[i] = x + start[i];
        n[i] = test_below(N - start[i]);
    }
    simd->kernel_dots(out, x, slot, start, zt, ROWS);
    simd->kernel_norms(norm, rows, n, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        simd->kernel_dot(one, rows[i], NULL, slot + start[i], zt, start[i + 1] - start[i]);
        CHECK(!memcmp(out + i * FXI_LANES, one, sizeof one));
        for (size_t k = 0; k < n[i] * FXI_LANES; k++)
            same[k] = rows[i][k / FXI_LANES];
        simd->kernel_dot(one, rows[i], NULL, NULL, same, n[i]);
        CHECK(one[0] == norm[i] && one[FXI_LANES - 1] == norm[i]);
    }
    simd->kernel_norms_lanes(one, zt, N);
    for (size_t w = 0; w < FXI_LANES; w++) {
        for (size_t k = 0; k < N; k++)
            lane[k] = zt[k * FXI_LANES + w];
        own = lane;
        simd->kernel_norms(&lanes, &own, &all, 1);
        CHECK(lanes == one[w]);
    }
    memcpy(same, out, sizeof out);
    simd->kernel_sides(same, norm, one, ROWS);
    for (size_t i = 0; i < ROWS * FXI_LANES; i++)
        CHECK(same[i] == fmax(0, norm[i / FXI_LANES] + one[i % FXI_LANES] - 2 * out[i]));
}

/* exp within 2 ulp, its ends; powers. */
static void check_functions(const fxi_simd *simd)
{
    enum { M = 4096 };
    static _Alignas(64) double v[M], w[M];

    for (size_t i = 0; i < M; i++)
        w[i] = v[i] = (test_unit() * 2 - 1) * (i % 2 ? 700 : i % 4 ? 10 : 1e-3);
    simd->kernel_exp(v, M, 1);
    for (size_t i = 0; i < M; i++) {
        long double want = expl(w[i]);
        CHECK_NEAR((double)(v[i] / want), 1, 2 * DBL_EPSILON);
    }
    static const double ends[] = {0, -0.0, 709.7, 709.9, 1e300, -708, -720, -740, -745.3, -1e300,
                                  INFINITY, -INFINITY};
    memset(v, 0, sizeof v);
    memcpy(v, ends, sizeof ends);
    v[15] = NAN;
    simd->kernel_exp(v, FXI_LANES, 1);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double want = exp(ends[i]);
        CHECK(v[i] == want || fabs(v[i] - want) <= 2 * DBL_EPSILON * want + 0x1p-1074);
    }
    CHECK(v[0] == 1 && v[15] != v[15]);
    for (int degree = 1; degree < 20; degree++) {
        for (size_t i = 0; i < FXI_LANES; i++)
            v[i] = w[i] = test_unit() * 2 - 1;
        simd->kernel_poly(v, FXI_LANES, 0.5, 0.75, degree);
        for (size_t i = 0; i < FXI_LANES; i++)
            near(v[i], powl(0.5L + 0.75L * w[i], degree), 5 * degree + 2,
                 powl(0.5L + 0.75L * fabsl((long double)w[i]), degree));
    }
}

int main(void)
{
    test_init();
    for (int c = 0; c < test_cases(8); c++) {
        size_t n = c == 0 ? 0 : c == 1 ? 1 : test_below(N) + 1;
        for (size_t k = 0; k < N; k++) {
            x[k] = test_below(6) ? (test_unit() - 0.5) * pow(10, (double)test_below(3) - 1) : 0;
            slot[k] = (int32_t)test_below(N + 3);
        }
        for (size_t i = 0; i < (N + 3) * FXI_LANES; i++)
            zt[i] = test_below(4) ? test_unit() * 2 - 1 : 0;
        for (const fxi_simd *s = fxi_simd_targets; s->name; s++)
            if (s->supported()) {
                check_target(s, n, NULL);
                check_target(s, n, slot);
                check_pairs(s, n, NULL);
                check_pairs(s, n, slot);
                check_dots(s);
                check_functions(s);
            }
    }
    return 0;
}
