/* SPDX-License-Identifier: BSD-3-Clause
 * fft.h - inside the library: Fourier transforms of real vectors of any length, in floats.
 *
 *   forward    X_k = sum_j x_j e^(-2 pi i j k / n),  k = 0 .. n/2
 *   backward   x_j = sum_k X_k e^(+2 pi i j k / n),  k = 0 .. n-1 with X_(n-k) = conj X_k
 *
 * so that backward after forward multiplies by n.  A spectrum is n/2 + 1 pairs (re, im).  A plan
 * does not change after creation: any number of threads may use one, each with its own scratch. */
#ifndef FXI_LINALG_FFT_H
#define FXI_LINALG_FFT_H
#include "base/base.h"

typedef struct fxi_linalg_fft fxi_linalg_fft;

fx_status fxi_linalg_fft_new(fxi_linalg_fft **out, size_t n);   /* 0 < n < 2^31 */
void fxi_linalg_fft_free(fxi_linalg_fft *f);                    /* NULL is fine */
size_t fxi_linalg_fft_space(const fxi_linalg_fft *f);           /* bytes of scratch */
/* All arrays, scratch too, are 64-byte aligned; backward destroys the spectrum. */
void fxi_linalg_fft_forward(float *spectrum, const fxi_linalg_fft *f, const float *x, void *space);
void fxi_linalg_fft_backward(float *x, const fxi_linalg_fft *f, float *spectrum, void *space);
/* The smallest 2^a 3^b 5^c 7^d that is at least n: lengths that are transformed fast. */
size_t fxi_linalg_fft_length(size_t n);
#endif
