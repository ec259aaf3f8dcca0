/* SPDX-License-Identifier: BSD-3-Clause
 * best_hot.c - inner products of users and items, of which only those above a floor are kept.
 *
 * The products of some users and two panels stay in registers until they are compared; hardly
 * any is stored.  Their rounding is bounded in best.c, so a sum may be taken in any order. */

#include "recommend/recommend.h"
#include "simd/hot.h"

enum {
    ALL = FXI_RECOMMEND_USERS,
    USERS = FXI_WIDTH == 64 ? 8 : 4,    /* whose products are in registers .. */
    PANELS = FXI_WIDTH == 64 ? 2 : 1,   /* .. with these panels */
    PARTS = PANELS * FXI_LANES / FXI_FSTEP,     /* registers for each user */
    OF_PANEL = PARTS / PANELS
};

/* Is a number of x above that of y? */
FXI_INLINE int above(fxi_flt x, fxi_flt y)
{
#if FXI_WIDTH == 64
    return _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_GT_OQ) != 0;
#elif FXI_WIDTH == 32
    return _mm256_movemask_ps(_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_GT_OQ)) != 0;
#elif FXI_WIDTH == 16
    return vmaxvq_u32(vcgtq_f32((float32x4_t)x, (float32x4_t)y)) != 0;
#else
    return x > y;
#endif
}

/* Users first, first + 1, .. and panels p, p + 1, .. */
FXI_INLINE size_t tile(size_t n, uint32_t *hit, float *score, const float *u, const float *zt,
                       const float *floor, size_t w, size_t p, size_t first)
{
    const size_t step = w * FXI_LANES;
    fxi_flt sum[USERS][PARTS] = {0};

    for (size_t k = 0; k < w; k++) {
        fxi_flt z[PARTS];
#pragma GCC unroll 16
        for (size_t r = 0; r < PARTS; r++)
            z[r] = fxi_fload(zt + r / OF_PANEL * step + k * FXI_LANES + r % OF_PANEL * FXI_FSTEP);
#pragma GCC unroll 8
        for (size_t i = 0; i < USERS; i++) {
            const fxi_flt x = fxi_fsplat(u[k * ALL + i]);
#pragma GCC unroll 16
            for (size_t r = 0; r < PARTS; r++)
                sum[i][r] = fxi_ffma(x, z[r], sum[i][r]);
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < USERS; i++) {
        const fxi_flt least = fxi_fsplat(floor[i]);
#pragma GCC unroll 2
        for (size_t q = 0; q < PANELS; q++) {
            int any = 0;
#pragma GCC unroll 16
            for (size_t r = 0; r < OF_PANEL; r++)
                any |= above(sum[i][q * OF_PANEL + r], least);
            if (!any)
                continue;
            for (size_t r = 0; r < OF_PANEL; r++)
                fxi_fstore(score + n * FXI_LANES + r * FXI_FSTEP, sum[i][q * OF_PANEL + r]);
            hit[n++] = (uint32_t)((p + q) * ALL + first + i);
        }
    }
    return n;
}

void FXI_HOT(recommend_above)(size_t *hits, uint32_t *hit, float *score, const float *u,
                              const float *zt, const float *floor, size_t w, size_t panels)
{
    size_t n = 0;

    for (size_t p = 0; p < panels; p += PANELS)
        for (size_t i = 0; i < ALL; i += USERS)
            n = tile(n, hit, score, u + i, zt + p * w * FXI_LANES, floor + i, w, p, i);
    *hits = n;
}
