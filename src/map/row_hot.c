/* SPDX-License-Identifier: BSD-3-Clause
 * row_hot.c - sums over the numbers of one data row, which need not be aligned. */

#include "simd/hot.h"

#include <string.h>

#if FXI_WIDTH > 8
typedef float half __attribute__((vector_size(FXI_WIDTH / 2)));
FXI_INLINE void narrow(float *p, fxi_vec v)
{
    half h = __builtin_convertvector(v, half);

    memcpy(p, &h, sizeof h);
}
#else
FXI_INLINE void narrow(float *p, fxi_vec v) { *p = (float)v; }
#endif

FXI_INLINE fxi_vec load(const double *p)
{
    fxi_vec v;

    memcpy(&v, p, sizeof v);
    return v;
}

FXI_INLINE double total(fxi_vec v)
{
    double x[FXI_STEP], sum = 0;

    memcpy(x, &v, sizeof v);
    for (int i = 0; i < FXI_STEP; i++)
        sum += x[i];
    return sum;
}

/* value = x as floats; sum of |x| and the largest */
void FXI_HOT(map_row)(float *value, double *sum, double *max_abs, const double *x, size_t n)
{
    fxi_vec add[2] = {fxi_splat(0), fxi_splat(0)}, top[2] = {fxi_splat(0), fxi_splat(0)};
    double high[FXI_STEP], s, t = 0;
    size_t i = 0;

    for (; i + 2 * FXI_STEP <= n; i += 2 * FXI_STEP)
        for (int k = 0; k < 2; k++) {
            fxi_vec v = load(x + i + k * FXI_STEP), a = fxi_abs(v);
            narrow(value + i + k * FXI_STEP, v);
            add[k] += a;
            top[k] = fxi_max(a, top[k]);
        }
    s = total(add[0] + add[1]);
    top[0] = fxi_max(top[0], top[1]);
    memcpy(high, &top[0], sizeof high);
    for (int k = 0; k < FXI_STEP; k++)
        t = high[k] > t ? high[k] : t;
    for (; i < n; i++) {
        double a = __builtin_fabs(x[i]);
        value[i] = (float)x[i];
        s += a;
        t = a > t ? a : t;
    }
    *sum = s;
    *max_abs = t;
}

/* value (may be NULL) = x^m as floats; sum of x^m */
void FXI_HOT(map_power)(float *value, double *sum, const double *x, size_t n, int m)
{
    fxi_vec add[2] = {fxi_splat(0), fxi_splat(0)};
    size_t i = 0;

    for (; i + 2 * FXI_STEP <= n; i += 2 * FXI_STEP)
        for (int k = 0; k < 2; k++) {
            fxi_vec v = load(x + i + k * FXI_STEP), p = v;
            for (int t = 1; t < m; t++)
                p *= v;
            if (value)
                narrow(value + i + k * FXI_STEP, p);
            add[k] += p;
        }
    double s = total(add[0] + add[1]);
    for (; i < n; i++) {
        double p = x[i];
        for (int t = 1; t < m; t++)
            p *= x[i];
        if (value)
            value[i] = (float)p;
        s += p;
    }
    *sum = s;
}
