/* SPDX-License-Identifier: BSD-3-Clause
 * fft_hot.c - the loops of Fourier transforms, on planes of real and of imaginary parts.
 *
 * Compiled without contraction (CMakeLists.txt): a row has the same bits on every instruction set,
 * alone or with others. */

#include "linalg/fft.h"
#include "simd/transpose.h"

#include <string.h>

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

#if FXI_WIDTH > 8
typedef float four __attribute__((vector_size(16)));
enum { PARTS = FXI_FSTEP / 4 };         /* of four numbers, in a register */

/* Runs of four: part i of t[k] is run k of number i; single numbers: they become such runs. */
FXI_INLINE void spread(float *y, const fxi_flt *t, size_t s)
{
    enum { F = FXI_FSTEP };
    fxi_flt r[4] = {t[0], t[1], t[2], t[3]};
    four part[4][PARTS];

    if (s == 1) {
        fxi_flt ab = FXI_MIX(t[0], t[1], 0, F, 1, F + 1), cd = FXI_MIX(t[2], t[3], 0, F, 1, F + 1);
        r[0] = FXI_MIX(ab, cd, 0, 1, F, F + 1);
        r[1] = FXI_MIX(ab, cd, 2, 3, F + 2, F + 3);
        ab = FXI_MIX(t[0], t[1], 2, F + 2, 3, F + 3), cd = FXI_MIX(t[2], t[3], 2, F + 2, 3, F + 3);
        r[2] = FXI_MIX(ab, cd, 0, 1, F, F + 1);
        r[3] = FXI_MIX(ab, cd, 2, 3, F + 2, F + 3);
    }
    memcpy(part, r, sizeof part);
    for (size_t i = 0; i < PARTS; i++)
        for (size_t k = 0; k < 4; k++)
            *(four *)(y + 16 * i + 4 * k) = part[k][i];
}

FXI_INLINE void row_pass(float *yr, float *yi, const float *xr, const float *xi, size_t n, size_t s,
                         const float *w)
{
    for (size_t i = 0; i < n; i += FXI_FSTEP) {
        pair_wide t[4];
        for (size_t k = 0; k < 4; k++)
            t[k] = load_wide(xr + k * n + i, xi + k * n + i);
        transform_four_wide(t);
        for (size_t k = 1; k < 4; k++) {
            pair_wide a = t[k], b = load_wide(w + (2 * k - 2) * n + i, w + (2 * k - 1) * n + i);
            t[k] = (pair_wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        }
        spread(yr + 4 * i, (fxi_flt[]){t[0].re, t[1].re, t[2].re, t[3].re}, s);
        spread(yi + 4 * i, (fxi_flt[]){t[0].im, t[1].im, t[2].im, t[3].im}, s);
    }
}

void FXI_HOT(linalg_fft_pass_row)(float *yr, float *yi, const float *xr, const float *xi, size_t n,
                                  size_t s, const float *w)
{
    if (s == 1)
        row_pass(yr, yi, xr, xi, n, 1, w);
    else
        row_pass(yr, yi, xr, xi, n, 4, w);
}
#else
void FXI_HOT(linalg_fft_pass_row)(float *yr, float *yi, const float *xr, const float *xi, size_t n,
                                  size_t s, const float *w)
{
    for (size_t i = 0; i < n; i++) {
        pair_single t[4];
        for (size_t k = 0; k < 4; k++)
            t[k] = load_single(xr + k * n + i, xi + k * n + i);
        transform_four_single(t);
        for (size_t k = 0; k < 4; k++) {
            size_t at = (i / s * 4 + k) * s + i % s;
            if (k)
                t[k] = turned_single(t[k], w[(2 * k - 2) * n + i], w[(2 * k - 1) * n + i]);
            save_single(yr + at, yi + at, t[k]);
        }
    }
}
#endif

/* ---- Real vectors -------------------------------------------------------------------------- */
typedef struct number {
    float re, im;
} number;

/* With z = even + i odd: X_k = even_k + w_k odd_k and X_(m-k) = conj(even_k - w_k odd_k), where
 * even_k = (z_k + conj z_(m-k)) / 2 and odd_k = (z_k - conj z_(m-k)) / 2i. */
FXI_INLINE void unpack(number *here, number *mirror, number a, number b, float wr, float wi)
{
    float er = 0.5f * (a.re + b.re), ei = 0.5f * (a.im - b.im);
    float dr = 0.5f * (a.im + b.im), di = 0.5f * (b.re - a.re);
    float tr = dr * wr - di * wi, ti = dr * wi + di * wr;

    *here = (number){er + tr, ei + ti};
    *mirror = (number){er - tr, ti - ei};
}

/* The way back, times 2. */
FXI_INLINE void pack(number *here, number *mirror, number a, number b, float wr, float wi)
{
    float er = a.re + b.re, ei = a.im - b.im, dr = a.re - b.re, di = a.im + b.im;
    float tr = dr * wr + di * wi, ti = di * wr - dr * wi;

    *here = (number){er - ti, ei + tr};
    *mirror = (number){er + ti, tr - ei};
}

typedef void step(number *here, number *mirror, number a, number b, float wr, float wi);

/* Numbers k and m - k of a to those of z; m - 0 is number `end` of a.  One row: k and m - k have
 * separate loops, which fill registers. */
FXI_INLINE void all_pairs(float *restrict zr, float *restrict zi, const float *ar, const float *ai,
                          const float *w, size_t m, size_t end, size_t last, size_t rows, step *f)
{
    number here, mirror;

    for (size_t i = 0; i < rows; i++) {
        f(&here, &mirror, (number){ar[i], ai[i]}, (number){ar[end * rows + i], ai[end * rows + i]},
          w[0], w[1]);
        zr[last * rows + i] = mirror.re;
        zi[last * rows + i] = mirror.im;
        zr[i] = here.re;
        zi[i] = here.im;
    }
    for (size_t k = 1; k <= m / 2; k++)
        for (size_t i = k * rows, j = (m - k) * rows; i < (k + 1) * rows; i++, j++) {
            f(&here, &mirror, (number){ar[i], ai[i]}, (number){ar[j], ai[j]}, w[2 * k],
              w[2 * k + 1]);
            zr[i] = here.re;
            zi[i] = here.im;
            if (rows > 1) {
                zr[j] = mirror.re;
                zi[j] = mirror.im;
            }
        }
    for (size_t k = 1; rows == 1 && k <= m / 2; k++) {
        f(&here, &mirror, (number){ar[k], ai[k]}, (number){ar[m - k], ai[m - k]}, w[2 * k],
          w[2 * k + 1]);
        zr[m - k] = mirror.re;
        zi[m - k] = mirror.im;
    }
}

void FXI_HOT(linalg_fft_unpack)(float *Xr, float *Xi, const float *zr, const float *zi,
                                const float *w, size_t m, size_t rows)
{
    if (rows == FXI_LANES)
        all_pairs(Xr, Xi, zr, zi, w, m, 0, m, FXI_LANES, unpack);
    else
        all_pairs(Xr, Xi, zr, zi, w, m, 0, m, 1, unpack);
}

void FXI_HOT(linalg_fft_pack)(float *zr, float *zi, const float *Xr, const float *Xi,
                              const float *w, size_t m, size_t rows)
{
    if (rows == FXI_LANES)
        all_pairs(zr, zi, Xr, Xi, w, m, m, 0, FXI_LANES, pack);
    else
        all_pairs(zr, zi, Xr, Xi, w, m, m, 0, 1, pack);
}

void FXI_HOT(linalg_fft_split)(float *restrict re, float *restrict im, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        re[i] = x[2 * i];
        im[i] = x[2 * i + 1];
    }
}

void FXI_HOT(linalg_fft_join)(float *restrict x, const float *re, const float *im, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = re[i];
        x[2 * i + 1] = im[i];
    }
}

/* ---- Products ------------------------------------------------------------------------------ */
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

void FXI_HOT(linalg_fft_scale)(float *x, const float *by, size_t n, size_t rows)
{
    if (rows == 1)
        for (size_t k = 0; k < n; k++)
            x[k] *= by[k];
    else
        for (size_t k = 0; k < n; k++)
            for (size_t i = k * FXI_LANES; i < (k + 1) * FXI_LANES; i++)
                x[i] *= by[k];
}
