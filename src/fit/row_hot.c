/* SPDX-License-Identifier: BSD-3-Clause
 * row_hot.c - inner products and updates with a dense row: features float or double, weights and
 * sums double.
 *
 * PARTS sums side by side hide the latency of an addition; the sum depends on the instruction set,
 * with an error below (n/PARTS + PARTS) u sum |x w|, u = 2^-53.  Floats and the same numbers as
 * doubles have the same sum, and the same updates: fxi_fma1 says how a term is rounded. */

#include "simd/hot.h"

enum { PARTS = 32 };

#define DOT(x, w)                                                                                  \
    double part[PARTS] = {0}, sum = 0;                                                             \
    size_t k = 0;                                                                                  \
    for (; k + PARTS <= n; k += PARTS)                                                             \
        for (size_t p = 0; p < PARTS; p++)                                                         \
            part[p] = fxi_fma1((double)(x)[k + p], (double)(w)[k + p], part[p]);                   \
    for (; k < n; k++)                                                                             \
        sum = fxi_fma1((double)(x)[k], (double)(w)[k], sum);                                       \
    for (size_t p = 0; p < PARTS; p++)                                                             \
        sum += part[p];                                                                            \
    *out = sum;

void FXI_HOT(fit_dot)(double *out, const float *x, const double *w, size_t n) { DOT(x, w) }

void FXI_HOT(fit_dot_double)(double *out, const double *x, const double *w, size_t n) { DOT(x, w) }

void FXI_HOT(fit_square)(double *out, const float *x, size_t n) { DOT(x, x) }

void FXI_HOT(fit_add)(double *restrict w, double a, const float *restrict x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        w[k] = fxi_fma1(a, (double)x[k], w[k]);
}

void FXI_HOT(fit_add_double)(double *restrict w, double a, const double *restrict x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        w[k] = fxi_fma1(a, x[k], w[k]);
}
