/* SPDX-License-Identifier: BSD-3-Clause
 * fft_hot.c - the loops of Fourier transforms, on planes of real and of imaginary parts.
 *
 * Compiled without contraction (CMakeLists.txt): a row has the same bits on every instruction set,
 * alone or beside others. */

#include "linalg/fft.h"
#include "simd/hot.h"

#if FXI_WIDTH > 8
typedef fxi_flt wide;
#else                                   /* as hadamard_hot.c: the compiler's own vectors */
typedef float wide __attribute__((vector_size(16)));
#endif

#define NAME(x) x##_wide
#define NUMBER  wide
#include "linalg/fft_pass.h"
#undef NAME
#undef NUMBER
#define NAME(x) x##_single
#define NUMBER  float
#include "linalg/fft_pass.h"
#undef NAME
#undef NUMBER

void FXI_HOT(linalg_fft_pass)(float *yr, float *yi, const float *xr, const float *xi, size_t step,
                              int r, const float *root, size_t m, size_t s, const float *w)
{
    if (s % FXI_LANES == 0)
        any_pass_wide(yr, yi, xr, xi, step, r, root, m, s, w);
    else
        any_pass_single(yr, yi, xr, xi, step, r, root, m, s, w);
}

/* With z = even + i odd: X_k = even_k + w_k odd_k, where even_k = (z_k + conj z_(m-k)) / 2 and
 * odd_k = (z_k - conj z_(m-k)) / 2i. */
FXI_INLINE void unpack(float *restrict Xr, float *restrict Xi, const float *zr, const float *zi,
                       const float *w, size_t m, size_t rows)
{
    for (size_t k = 0; k <= m / 2; k++) {
        float wr = w[2 * k], wi = w[2 * k + 1];
        for (size_t i = 0; i < rows; i++) {
            size_t here = k * rows + i, there = (k ? m - k : 0) * rows + i;
            size_t mirror = (m - k) * rows + i;
            float er = 0.5f * (zr[here] + zr[there]), ei = 0.5f * (zi[here] - zi[there]);
            float dr = 0.5f * (zi[here] + zi[there]), di = 0.5f * (zr[there] - zr[here]);
            float tr = dr * wr - di * wi, ti = dr * wi + di * wr;
            Xr[here] = er + tr;
            Xi[here] = ei + ti;
            Xr[mirror] = er - tr;
            Xi[mirror] = ti - ei;
        }
    }
}

void FXI_HOT(linalg_fft_unpack)(float *Xr, float *Xi, const float *zr, const float *zi,
                                const float *w, size_t m, size_t rows)
{
    if (rows == FXI_LANES)
        unpack(Xr, Xi, zr, zi, w, m, FXI_LANES);
    else
        unpack(Xr, Xi, zr, zi, w, m, 1);
}

/* The way back, times 2. */
FXI_INLINE void pack(float *restrict zr, float *restrict zi, const float *Xr, const float *Xi,
                     const float *w, size_t m, size_t rows)
{
    for (size_t k = 0; k <= m / 2; k++) {
        float wr = w[2 * k], wi = w[2 * k + 1];
        for (size_t i = 0; i < rows; i++) {
            size_t here = k * rows + i, there = (m - k) * rows + i;
            size_t mirror = k ? there : here;
            float er = Xr[here] + Xr[there], ei = Xi[here] - Xi[there];
            float dr = Xr[here] - Xr[there], di = Xi[here] + Xi[there];
            float tr = dr * wr + di * wi, ti = di * wr - dr * wi;
            zr[mirror] = er + ti;
            zi[mirror] = tr - ei;
            zr[here] = er - ti;
            zi[here] = ei + tr;
        }
    }
}

void FXI_HOT(linalg_fft_pack)(float *zr, float *zi, const float *Xr, const float *Xi,
                              const float *w, size_t m, size_t rows)
{
    if (rows == FXI_LANES)
        pack(zr, zi, Xr, Xi, w, m, FXI_LANES);
    else
        pack(zr, zi, Xr, Xi, w, m, 1);
}

void FXI_HOT(linalg_fft_times)(float *zr, float *zi, const float *ar, const float *ai,
                               const float *br, const float *bi, size_t n)
{
    if (n % FXI_LANES == 0)
        times_wide(zr, zi, ar, ai, br, bi, n);
    else
        times_single(zr, zi, ar, ai, br, bi, n);
}

void FXI_HOT(linalg_fft_filter)(float *zr, float *zi, const float *ar, const float *ai,
                                const float *br, const float *bi, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k * FXI_LANES; i < (k + 1) * FXI_LANES; i += sizeof(wide) / sizeof(float))
            save_wide(zr + i, zi + i, turned_wide(load_wide(ar + i, ai + i), br[k], bi[k]));
}
