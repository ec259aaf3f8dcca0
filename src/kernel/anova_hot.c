/* SPDX-License-Identifier: BSD-3-Clause
 * anova_hot.c - elementary symmetric polynomials of FXI_LANES products at once (esp.c has the
 * formulas): e[t*FXI_LANES + w] = e_t of p_k = x_k z_kw for t = 0..m.
 *
 * Insertion runs down the row with e_1..e_m of some lanes in registers.
 *
 * With absolute values of the products instead, and the largest of them, it serves the guard of
 * anova.c.
 *
 * Deletion leaves one entry out, d_t = e_t - p_k d_{t-1}, and weighs the orders:
 * g[k*FXI_LANES + w] = x_k sum_t theta_t d_{t-1}, t = 1..m.  It is unguarded; anova.c decides
 * for which lanes it holds. */

#include "simd/hot.h"

/* m, group and whether max_abs is NULL are constants at every call, so that r lives in registers:
 * groups of lanes hide the latency of the sums at low orders, the m independent chains do at high
 * ones. */
FXI_INLINE void insert(double *e, double *max_abs, const double *x, const int32_t *slot,
                       const double *zt, size_t n, const int m, const int group)
{
    for (int c = 0; c < FXI_LANES; c += group * FXI_STEP) {
        fxi_vec r[FX_ORDER_MAX + 1][FXI_GROUP], top[FXI_GROUP] = {0};
        for (int t = 0; t <= m; t++)
            for (int g = 0; g < group; g++)
                r[t][g] = fxi_splat(t == 0);
        for (size_t k = 0; k < n; k++) {
            const double *z = fxi_lanes(zt, slot, k) + c;
            for (int g = 0; g < group; g++) {
                fxi_vec p = x[k] * fxi_load(z + g * FXI_STEP);
                if (max_abs) {
                    p = fxi_abs(p);
                    top[g] = fxi_max(p, top[g]);
                }
                for (int t = m; t > 1; t--)
                    r[t][g] += p * r[t - 1][g];
                r[1][g] += p;
            }
        }
        for (int t = 0; t <= m; t++)
            for (int g = 0; g < group; g++)
                fxi_store(e + t * FXI_LANES + c + g * FXI_STEP, r[t][g]);
        for (int g = 0; max_abs && g < group; g++)
            fxi_store(max_abs + c + g * FXI_STEP, top[g]);
    }
}

/* clang-format off */
#define CASES \
    CASE(1, FXI_GROUP) CASE(2, FXI_GROUP) CASE(3, FXI_GROUP) CASE(4, 2) CASE(5, 2) CASE(6, 1) \
    CASE(7, 1) CASE(8, 1) CASE(9, 1) CASE(10, 1) CASE(11, 1) CASE(12, 1) CASE(13, 1) \
    CASE(14, 1) CASE(15, 1) CASE(16, 1)
/* clang-format on */

void FXI_HOT(kernel_anova)(double *e, const double *x, const int32_t *slot, const double *zt,
                           size_t n, int m)
{
    switch (m) {
#define CASE(m, group) \
    case m: insert(e, NULL, x, slot, zt, n, m, group); break;
        CASES
#undef CASE
    }
}

void FXI_HOT(kernel_anova_abs)(double *e, double *max_abs, const double *x, const int32_t *slot,
                               const double *zt, size_t n, int m)
{
    switch (m) {
#define CASE(m, group) \
    case m: insert(e, max_abs, x, slot, zt, n, m, group); break;
        CASES
#undef CASE
    }
}

void FXI_HOT(kernel_anova_delete)(double *g, const double *e, const double *x, const int32_t *slot,
                                  const double *zt, size_t n, int m, const double *theta)
{
    for (size_t k = 0; k < n; k++) {
        const double *z = fxi_lanes(zt, slot, k);
        for (int w = 0; w < FXI_LANES; w += FXI_STEP) {
            fxi_vec p = x[k] * fxi_load(z + w), d = fxi_splat(1), sum = theta[1] * d;
            for (int t = 1; t < m; t++) {
                d = fxi_load(e + t * FXI_LANES + w) - p * d;
                sum += theta[t + 1] * d;
            }
            fxi_store(g + k * FXI_LANES + (size_t)w, x[k] * sum);
        }
    }
}
