/* SPDX-License-Identifier: BSD-3-Clause
 * cd_hot.h - for cd_hot.c and cd_anova_hot.c: eight lanes of a row in registers, their sums.
 *
 * Of the sums of g_s g_t over rows, s and t any two lanes, a register holds those with t = s + k
 * (mod its width): the product of g and g turned by k.  By symmetry five of eight turns do: 5 sums
 * of registers with AVX-512 and 10 with AVX2, where one for each lane would be 8 and 16. */
#ifndef FXI_FM_CD_HOT_H
#define FXI_FM_CD_HOT_H
#include "simd/hot.h"

enum { LANES = 8, PARTS = LANES / FXI_STEP, HALF = FXI_STEP / 2 + 1 };
/* Registers of products: of a part with itself, and of two parts. */
enum { PRODUCTS = PARTS * HALF + PARTS * (PARTS - 1) / 2 * FXI_STEP };
enum { SQUARED, HINGE, LOGISTIC };      /* as in cd.h */

/* spread: fxi_splat without an addition, which -0 would need. */
#if FXI_WIDTH == 64
#include <immintrin.h>
typedef int vec_mask;
FXI_INLINE vec_mask less(fxi_vec a, fxi_vec b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}
FXI_INLINE int any(vec_mask t) { return t; }
FXI_INLINE fxi_vec spread(double x) { return (fxi_vec)_mm512_set1_pd(x); }
FXI_INLINE double add_up(fxi_vec v) { return _mm512_reduce_add_pd((__m512d)v); }
#define ROTATE(v, k) \
    __builtin_shufflevector(v, v, k, (k + 1) % 8, (k + 2) % 8, (k + 3) % 8, (k + 4) % 8, \
                            (k + 5) % 8, (k + 6) % 8, (k + 7) % 8)
#elif FXI_WIDTH == 32
#include <immintrin.h>
typedef fxi_bits vec_mask;
FXI_INLINE int any(vec_mask t) { return _mm256_movemask_pd((__m256d)t); }
FXI_INLINE fxi_vec spread(double x) { return (fxi_vec)_mm256_set1_pd(x); }
FXI_INLINE double add_up(fxi_vec v) { return (v[0] + v[2]) + (v[1] + v[3]); }
#define ROTATE(v, k) __builtin_shufflevector(v, v, k % 4, (k + 1) % 4, (k + 2) % 4, (k + 3) % 4)
#elif FXI_WIDTH == 16
typedef fxi_bits vec_mask;
FXI_INLINE int any(vec_mask t) { return (t[0] | t[1]) != 0; }
FXI_INLINE fxi_vec spread(double x) { return (fxi_vec){x, x}; }
FXI_INLINE double add_up(fxi_vec v) { return v[0] + v[1]; }
#define ROTATE(v, k) __builtin_shufflevector(v, v, k % 2, (k + 1) % 2)
#else
typedef int vec_mask;
FXI_INLINE int any(vec_mask t) { return t; }
FXI_INLINE fxi_vec spread(double x) { return x; }
FXI_INLINE double add_up(fxi_vec v) { return v; }
#define ROTATE(v, k) (v)
#endif
#if FXI_WIDTH < 64
FXI_INLINE vec_mask less(fxi_vec a, fxi_vec b) { return a < b; }
#endif

FXI_INLINE fxi_vec rotate_lanes(fxi_vec v, const int k)
{
    switch (k) {
    case 0: return v;
    case 1: return ROTATE(v, 1);
    case 2: return ROTATE(v, 2);
    case 3: return ROTATE(v, 3);
    default: return ROTATE(v, 4);
    }
}

/* ---- Sums --------------------------------------------------------------------------------- */
typedef struct lane_sums {
    fxi_vec down[PARTS], product[PRODUCTS];
} lane_sums;

FXI_INLINE void load_sums(lane_sums *a, const double *sum)
{
    for (int k = 0; k < PARTS; k++)
        a->down[k] = fxi_load(sum + k * FXI_STEP);
    for (int k = 0; k < PRODUCTS; k++)
        a->product[k] = fxi_load(sum + LANES + k * FXI_STEP);
}

FXI_INLINE void store_sums(double *sum, const lane_sums *a)
{
    for (int k = 0; k < PARTS; k++)
        fxi_store(sum + k * FXI_STEP, a->down[k]);
    for (int k = 0; k < PRODUCTS; k++)
        fxi_store(sum + LANES + k * FXI_STEP, a->product[k]);
}

/* A row whose derivatives are g. */
FXI_INLINE void add_sums(lane_sums *a, const fxi_vec *g, double slope)
{
    int at = 0;

    for (int k = 0; k < PARTS; k++)
        a->down[k] += slope * g[k];
    for (int i = 0; i < PARTS; i++)
        for (int j = i; j < PARTS; j++)
            for (int k = 0; k < (i == j ? HALF : FXI_STEP); k++)
                a->product[at++] += g[i] * rotate_lanes(g[j], k);
}

/* <by, g> */
FXI_INLINE double dot_lanes(const double *by, const fxi_vec *g)
{
    fxi_vec v = fxi_load(by) * g[0];

    for (int k = 1; k < PARTS; k++)
        v += fxi_load(by + k * FXI_STEP) * g[k];
    return add_up(v);
}

enum { SIDE = FXI_WIDTH == 64 ? 4 : 1 }; /* entries side by side */

/* The same of `side` entries, with the same bits: halves are added to halves. */
FXI_INLINE void dots_lanes(double *out, const double *by, fxi_vec (*g)[PARTS], const int side)
{
#if FXI_WIDTH == 64
    if (side == SIDE) {
        fxi_vec step = fxi_load(by), a = step * g[0][0], b = step * g[1][0], c = step * g[2][0],
                d = step * g[3][0];
        a = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
            + __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
        c = __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11)
            + __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
        a = __builtin_shufflevector(a, c, 0, 1, 4, 5, 8, 9, 12, 13)
            + __builtin_shufflevector(a, c, 2, 3, 6, 7, 10, 11, 14, 15);
        a += __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6);
        for (int u = 0; u < SIDE; u++)
            out[u] = a[2 * u];
        return;
    }
#endif
    for (int u = 0; u < side; u++)
        out[u] = dot_lanes(by, g[u]);
}

/* Twice the smaller of r and 0, or 0 for NaN.  No branch: it could not be predicted. */
FXI_INLINE double hinge_slope(double r)
{
#if FXI_WIDTH >= 32
    return 2 * _mm_cvtsd_f64(_mm_min_sd(_mm_set_sd(r), _mm_setzero_pd()));
#else
    double low = r < 0 ? r : 0;

    return 2 * low;
#endif
}
#endif
