/* SPDX-License-Identifier: BSD-3-Clause
 * cd_hot.c - the inner loops of coordinate descent by lanes: FXI_FM_CD_LANES = 8 components of a
 * piece of a column, whose rows come in any order (cd_lanes.c has the formulas, cd.h the
 * layout). */

#include "fm/cd_hot.h"

enum { PIECE = 64 };

/* ---- Models ------------------------------------------------------------------------------- */

/* A word of a piece's bytes: bit q is 1 if byte q is not 0. */
FXI_INLINE uint64_t word_of(const unsigned char *byte)
{
#if FXI_WIDTH == 64
    __m512i all = _mm512_load_si512(byte);
    return _mm512_test_epi8_mask(all, all);
#else
    uint64_t word = 0;
    for (int q = 0; q < PIECE; q++)
        word |= (uint64_t)(byte[q] != 0) << q;
    return word;
#endif
}

void FXI_HOT(fm_cd_pick)(double *G, const double *E, size_t stride, const int32_t *row,
                         const double *x, size_t n)
{
    for (size_t q = 0; q < n; q++)
        for (size_t c = 0; c < LANES; c += FXI_STEP)
            fxi_store(G + q * LANES + c,
                      (x ? x[q] : 1) * fxi_load(E + (size_t)row[q] * stride + c));
}

void FXI_HOT(fm_cd_subsets)(double *G, uint64_t *bad, double *S, const int32_t *row,
                            const double *x, size_t n, const double *p, const double *to,
                            double near, double far)
{
    _Alignas(64) unsigned char fail[PIECE] = {0};

    for (size_t q = 0; q < n; q++) {
        double *s = S + (size_t)row[q] * LANES, by = x ? x[q] : 1;
        vec_mask t = {0};
        for (size_t c = 0; c < LANES; c += FXI_STEP) {
            fxi_vec u = 1 + by * fxi_load(p + c), was = fxi_load(s + c), v = was / u;
            t |= less(fxi_abs(u), fxi_splat(near)) | less(fxi_abs(was), fxi_splat(1 / far))
                 | less(fxi_splat(far), fxi_abs(was));
            fxi_store(G + q * LANES + c, by * v);
            if (to)
                fxi_store(s + c, v * (1 + by * fxi_load(to + c)));
        }
        fail[q] = (unsigned char)any(t);
    }
    if (!to)
        *bad = word_of(fail);
}

/* ---- Sums and scores ---------------------------------------------------------------------- */

FXI_INLINE void load_lanes(fxi_vec *g, const double *G)
{
    for (int k = 0; k < PARTS; k++)
        g[k] = fxi_load(G + k * FXI_STEP);
}

void FXI_HOT(fm_cd_sums)(double *sum, const double *G, const int32_t *row, const double *slope,
                         size_t n)
{
    lane_sums a;

    load_sums(&a, sum);
    for (size_t q = 0; q < n; q++) {
        fxi_vec g[PARTS];
        load_lanes(g, G + q * LANES);
        add_sums(&a, g, slope[row[q]]);
    }
    store_sums(sum, &a);
}

void FXI_HOT(fm_cd_matrix)(double *H, const double *sum)
{
    const double *at = sum + LANES;

    for (int i = 0; i < LANES; i += FXI_STEP)
        for (int j = i; j < LANES; j += FXI_STEP)
            for (int k = 0; k < (i == j ? HALF : FXI_STEP); k++)
                for (int s = 0; s < FXI_STEP; s++, at++) {
                    int t = j + (s + k) % FXI_STEP;
                    H[(i + s) * LANES + t] = H[t * LANES + i + s] = *at;
                }
}

void FXI_HOT(fm_cd_add)(double *r, const double *G, const int32_t *row, const double *by, size_t n)
{
    for (size_t q = 0; q < n; q++) {
        fxi_vec g[PARTS];
        load_lanes(g, G + q * LANES);
        r[row[q]] += dot_lanes(by, g);
    }
}

void FXI_HOT(fm_cd_slopes)(double *slope, const double *r, const double *scale, const int32_t *row,
                           size_t n, int loss)
{
    _Alignas(64) double v[FXI_LANES];

    for (size_t q = 0; q < n && loss == HINGE; q++)
        slope[row[q]] = hinge_slope(r[row[q]]);
    for (size_t q = 0; q < n && loss == LOGISTIC; q += FXI_LANES) {
        size_t k = n - q < FXI_LANES ? n - q : FXI_LANES;
        for (size_t h = 0; h < FXI_LANES; h++)
            v[h] = h < k ? r[row[q + h]] / __builtin_fabs(scale[row[q + h]]) : 0;
        FXI_HOT(kernel_exp)(v, FXI_LANES, 1);
        for (size_t h = 0; h < k; h++)
            slope[row[q + h]] = -__builtin_fabs(scale[row[q + h]]) / (1 + v[h]);
    }
}
