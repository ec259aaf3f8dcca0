/* SPDX-License-Identifier: BSD-3-Clause
 * newton_line.c - passes along a line.
 *
 * The root of the slope is sought, by Newton's method inside an interval: differences of values
 * would be lost in rounding long before slopes are. */

#include "fit/newton.h"

#include <math.h>

enum { TRIES = 100 };                   /* points on a line */

uint32_t fxi_fit_newton_line_flat(const double *w, size_t d)
{
    size_t j = 0;

    while (j < d && w[j] == 0)
        j++;
    return j == d ? FXI_NEWTON_FLAT : 0;
}

fx_status fxi_fit_newton_line_at(fxi_newton_point *at, const fxi_newton_lines *l, const double *v,
                                 double t, const double a[3])
{
    const fxi_question q = {.what = FXI_ASK_LINE, .w = l->w, .v = v, .t = t,
                            .flags = fxi_fit_newton_line_flat(l->w, l->d), .ws = l->d + 1,
                            .vs = v ? l->d + 1 : 0};
    fx_status st = l->rows->ask(l->rows, l->sums, &q);
    const double *sum = l->sums;

    if (!st)
        *at = (fxi_newton_point){a[0] + t * (a[1] + t * a[2] / 2) + sum[FXI_ANSWER_VALUE],
                                 a[1] + t * a[2] + sum[FXI_ANSWER_SLOPE],
                                 a[2] + sum[FXI_ANSWER_CURVE],
                                 fabs(a[1]) + fabs(t * a[2]) + sum[FXI_ANSWER_SIZE]};
    return st;
}

fx_status fxi_fit_newton_line(double *t, const fxi_newton_lines *l, const double *v,
                              const double a[3], double low, double high, double small,
                              double level, double most)
{
    double far = 16;

    for (int k = 0; k < TRIES; k++) {
        fxi_newton_point at;
        fx_status st = fxi_fit_newton_line_at(&at, l, v, *t, a);
        if (st || (fabs(at.slope) <= small && at.value <= most)
            || fabs(at.slope) <= level * at.size)
            return st;
        *(at.slope < 0 ? &low : &high) = *t;
        double next = *t - at.slope / at.curve;
        if (!(next > low && next < high))       /* also without curvature */
            next = isinf(low) || isinf(high) ? (at.slope < 0 ? *t + far : *t - far)
                                             : low + (high - low) / 2;
        if (!l->regress && fabs(next - *t) > far)
            next = *t + copysign(far, next - *t);
        if (next == *t || next == low || next == high)
            return FX_OK;               /* neighbours */
        far *= 2;
        *t = next;
    }
    return FX_OK;
}

fx_status fxi_fit_newton_line_intercept(const fxi_newton_lines *l, double from, double level)
{
    const double none[3] = {0};
    double t = from;
    fx_status st = fxi_fit_newton_line(&t, l, NULL, none, -INFINITY, INFINITY, 0, level,
                                       INFINITY);

    l->w[l->d] += t;
    return st;
}
