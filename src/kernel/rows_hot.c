/* SPDX-License-Identifier: BSD-3-Clause
 * rows_hot.c - numbers v[row][FXI_LANES] become floats and go to FXI_LANES long rows: squares are
 * turned in registers, so that each long row receives a whole register at a time.
 *
 * A number is checked as a float: f * 0 is 0 unless f is infinite or NaN, and a sum of such
 * products stays NaN. */

#include "simd/hot.h"
#include "simd/transpose.h"

#include <string.h>

enum { F = FXI_FSTEP };

/* Lanes lane.. of F rows. */
FXI_INLINE void square(float *const *K, size_t at, fxi_flt *check, const double *v, int lane,
                       size_t lanes)
{
    _Alignas(64) float f[F][F];
    fxi_flt r[F];

    for (int i = 0; i < F; i++)
        for (int w = 0; w < F; w++)
            f[i][w] = (float)v[i * FXI_LANES + lane + w];
    for (int i = 0; i < F; i++) {
        r[i] = fxi_fload(f[i]);
        check[i % 2] += r[i] * 0;
    }
    fxi_transpose(r);
    for (int w = 0; w < F && (size_t)(lane + w) < lanes; w++)
        memcpy(K[lane + w] + at, &r[w], sizeof r[w]);
}

void FXI_HOT(kernel_rows)(float *const *K, size_t i0, int *bad, const double *v, size_t rows,
                          size_t lanes)
{
    fxi_flt check[2] = {0};
    float sum[F], rest = 0;
    size_t i = 0;

    for (; i + F <= rows; i += F)
        for (int lane = 0; lane < FXI_LANES && (size_t)lane < lanes; lane += F)
            square(K, i0 + i, check, v + i * FXI_LANES, lane, lanes);
    for (; i < rows; i++)
        for (size_t w = 0; w < lanes; w++) {
            float f = (float)v[i * FXI_LANES + w];
            K[w][i0 + i] = f;
            rest += f * 0;
        }
    check[0] += check[1];
    memcpy(sum, &check[0], sizeof sum);
    for (int w = 0; w < F; w++)
        rest += sum[w];
    if (rest != 0)                      /* true of NaN */
        *bad = 1;
}

void FXI_HOT(kernel_rows_widen)(double *out, const float *x, size_t n)
{
    for (size_t j = 0; j < n; j++)
        out[j] = x[j];
}
