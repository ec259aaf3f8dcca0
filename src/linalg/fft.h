/* SPDX-License-Identifier: BSD-3-Clause
 * fft.h - inside the library: Fourier transforms of real vectors of any length, in floats, of one
 * row or of FXI_LANES rows side by side.
 *
 *   forward    X_k = sum_j x_j e^(-2 pi i j k / n),  k = 0 .. n/2
 *   backward   x_j = sum_k X_k e^(+2 pi i j k / n),  k = 0 .. n-1 with X_(n-k) = conj X_k
 *
 * so that backward after forward multiplies by n.  `rows` is 1 or FXI_LANES; x is [n][rows], and a
 * spectrum [2][n/2 + 1][rows]: real parts, then imaginary parts.  A row has the same bits on every
 * machine, whatever the other rows are.  A plan does not change after creation: any number of
 * threads may use one, each with its own scratch. */
#ifndef FXI_LINALG_FFT_H
#define FXI_LINALG_FFT_H
#include "simd/simd.h"

typedef struct fxi_linalg_fft fxi_linalg_fft;

enum { FXI_FFT_RADIX = 61 };            /* the largest prime factor that has its own passes */

fx_status fxi_linalg_fft_new(fxi_linalg_fft **out, size_t n, const fx_run *run); /* 0 < n < 2^31 */
void fxi_linalg_fft_free(fxi_linalg_fft *f);                    /* NULL is fine */
size_t fxi_linalg_fft_bytes(size_t n);  /* most bytes that a plan uses, also while it is made */
size_t fxi_linalg_fft_lanes(const fxi_linalg_fft *f);   /* `rows` for many: 1 if scratch is large */
size_t fxi_linalg_fft_space(const fxi_linalg_fft *f, size_t rows);      /* bytes of scratch */
size_t fxi_linalg_fft_spectrum(const fxi_linalg_fft *f, size_t rows);   /* floats of a spectrum */
/* All arrays, scratch too, are 64-byte aligned; x of one row need not be.  Inputs stay. */
void fxi_linalg_fft_forward(float *spectrum, const fxi_linalg_fft *f, const float *x, size_t rows,
                            void *space, const fxi_simd *simd);
void fxi_linalg_fft_backward(float *x, const fxi_linalg_fft *f, const float *spectrum, size_t rows,
                             void *space, const fxi_simd *simd);
/* Products of spectra: z = z b; z = a w, w being the spectrum of one row, for every row of a. */
void fxi_linalg_fft_times(float *z, const fxi_linalg_fft *f, const float *b, size_t rows,
                          const fxi_simd *simd);
void fxi_linalg_fft_filter(float *z, const fxi_linalg_fft *f, const float *a, const float *w,
                           size_t rows, const fxi_simd *simd);
/* The smallest 2^a 3^b 5^c 7^d that is at least n: lengths that are transformed fast. */
size_t fxi_linalg_fft_length(size_t n);
#endif
