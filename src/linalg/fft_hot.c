/* SPDX-License-Identifier: BSD-3-Clause
 * fft_hot.c - products of spectra, (re, im) pairs: what turns transforms into convolutions. */

#include "simd/hot.h"

/* out = a b, with at most three roundings for each number. */
void FXI_HOT(linalg_fft_times)(float *restrict out, const float *a, const float *b, size_t pairs)
{
    for (size_t k = 0; k < pairs; k++) {
        float ar = a[2 * k], ai = a[2 * k + 1], br = b[2 * k], bi = b[2 * k + 1];
        out[2 * k] = ar * br - ai * bi;
        out[2 * k + 1] = ar * bi + ai * br;
    }
}
