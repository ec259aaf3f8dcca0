/* SPDX-License-Identifier: BSD-3-Clause
 * row_hot.c - one row and FXI_LANES components: ANOVA with its derivatives, sums of groups.
 *
 * Derivatives by the reverse-mode table: a_t(k) = e_t of the entries before k is stored in the
 * forward pass, b_t = dK/de_t of the entries so far is updated in the backward pass, and the
 * derivative by entry k is x_k sum_t b_t a_{t-1}(k).  Nothing is subtracted, so no row needs a
 * guard: for rows that stay in the cache that is as fast as deletion and its test (anova.c).  About
 * 3 n m multiply-adds per lane, |error| <= k u/(1 - k u) |x_k| sum_t theta_t E_{t-1}(without k), k
 * = 2n + 4m (esp.c has E). */

#include "simd/hot.h"

/* m and group are constants at every call, so that e and b live in registers. */
FXI_INLINE void both_ways(double *value, double *g, double *table, const double *x,
                          const int32_t *slot, const double *zt, size_t n, const int m,
                          const int group, const double *theta)
{
    for (int c = 0; c < FXI_LANES; c += group * FXI_STEP) {
        fxi_vec e[FX_ORDER_MAX + 1][FXI_GROUP], b[FX_ORDER_MAX + 1][FXI_GROUP];
        double *a = table;
        for (int t = 0; t <= m; t++)
            for (int h = 0; h < group; h++)
                e[t][h] = fxi_splat(t == 0);
        for (size_t k = 0; k < n; k++, a += (m - 1) * group * FXI_STEP) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int h = 0; h < group; h++) {
                fxi_vec p = x[k] * fxi_load(z + h * FXI_STEP);
                for (int t = 1; t < m; t++)
                    fxi_store(a + ((t - 1) * group + h) * FXI_STEP, e[t][h]);
                for (int t = m; t > 1; t--)
                    e[t][h] += p * e[t - 1][h];
                e[1][h] += p;
            }
        }
        for (int h = 0; h < group; h++) {
            fxi_vec sum = theta[m] * e[m][h];
            b[m][h] = fxi_splat(theta[m]);
            for (int t = m - 1; t > 0; t--) {
                b[t][h] = fxi_splat(theta[t]);
                sum += theta[t] * e[t][h];
            }
            fxi_store(value + c + h * FXI_STEP, sum);
        }
        for (size_t k = n; k-- > 0;) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            a -= (m - 1) * group * FXI_STEP;
            for (int h = 0; h < group; h++) {
                fxi_vec p = x[k] * fxi_load(z + h * FXI_STEP), sum = b[1][h];
                for (int t = 1; t < m; t++) {
                    sum += b[t + 1][h] * fxi_load(a + ((t - 1) * group + h) * FXI_STEP);
                    b[t][h] += p * b[t + 1][h];
                }
                fxi_store(g + k * FXI_LANES + (size_t)(c + h * FXI_STEP), x[k] * sum);
            }
        }
    }
}

void FXI_HOT(fm_anova)(double *value, double *g, double *table, const double *x,
                       const int32_t *slot, const double *zt, size_t n, int m, const double *theta)
{
    switch (m) {
#define CASE(m, group) \
    case m: both_ways(value, g, table, x, slot, zt, n, m, group, theta); break;
        CASE(1, FXI_GROUP) CASE(2, FXI_GROUP) CASE(3, FXI_GROUP) CASE(4, 2) CASE(5, 2) CASE(6, 1)
        CASE(7, 1) CASE(8, 1) CASE(9, 1) CASE(10, 1) CASE(11, 1) CASE(12, 1) CASE(13, 1)
        CASE(14, 1) CASE(15, 1) CASE(16, 1)
#undef CASE
    }
}

void FXI_HOT(fm_sums)(double *sum, const double *x, const int32_t *group, const int32_t *slot,
                      const double *zt, size_t n, size_t groups)
{
    for (size_t i = 0; i < groups * FXI_LANES; i += FXI_STEP)
        fxi_store(sum + i, fxi_splat(0));
    for (size_t k = 0; k < n; k++) {
        const double *z = fxi_lanes(zt, slot, k);
        double *s = sum + (size_t)group[k] * FXI_LANES;
        for (int w = 0; w < FXI_LANES; w += FXI_STEP)
            fxi_store(s + w, fxi_load(s + w) + x[k] * fxi_load(z + w));
    }
}

void FXI_HOT(fm_spread)(double *g, const double *by, const double *x, const int32_t *group,
                        size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (int w = 0; w < FXI_LANES; w += FXI_STEP)
            fxi_store(g + k * FXI_LANES + (size_t)w,
                      x[k] * fxi_load(by + (size_t)group[k] * FXI_LANES + w));
}

void FXI_HOT(fm_add)(double *G, const int32_t *slot, const double *g, const double *by, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double *to = G + (slot ? (size_t)slot[k] : k) * FXI_LANES;
        const double *from = g + k * FXI_LANES;
        for (int w = 0; w < FXI_LANES; w += FXI_STEP)
            fxi_store(to + w, fxi_load(to + w) + fxi_load(by + w) * fxi_load(from + w));
    }
}
