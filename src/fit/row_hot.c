/* SPDX-License-Identifier: BSD-3-Clause
 * row_hot.c - inner products and updates with a dense row: features float or double, weights and
 * sums double.
 *
 * PARTS sums side by side hide the latency of an addition; the sum depends on the instruction set,
 * with an error below (n/PARTS + PARTS) u sum |x w|, u = 2^-53.  Floats and the same numbers as
 * doubles have the same sum: whether the last products are fused is said, not left to the compiler. */

#include "simd/hot.h"

enum { PARTS = 32 };

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define ADD(sum, x, w) __builtin_fma((x), (w), (sum))
#else
#define ADD(sum, x, w) ((sum) + (x) * (w))
#endif

#define DOT(x, w)                                                                                  \
    double part[PARTS] = {0}, sum = 0;                                                             \
    size_t k = 0;                                                                                  \
    for (; k + PARTS <= n; k += PARTS)                                                             \
        for (size_t p = 0; p < PARTS; p++)                                                         \
            part[p] += (double)(x)[k + p] * (double)(w)[k + p];                                    \
    for (; k < n; k++)                                                                             \
        sum = ADD(sum, (double)(x)[k], (double)(w)[k]);                                            \
    for (size_t p = 0; p < PARTS; p++)                                                             \
        sum += part[p];                                                                            \
    *out = sum;

void FXI_HOT(fit_dot)(double *out, const float *x, const double *w, size_t n) { DOT(x, w) }

void FXI_HOT(fit_dot_double)(double *out, const double *x, const double *w, size_t n) { DOT(x, w) }

void FXI_HOT(fit_square)(double *out, const float *x, size_t n) { DOT(x, x) }

void FXI_HOT(fit_add)(double *restrict w, double a, const float *restrict x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        w[k] += a * (double)x[k];
}

void FXI_HOT(fit_add_double)(double *restrict w, double a, const double *restrict x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        w[k] += a * x[k];
}
