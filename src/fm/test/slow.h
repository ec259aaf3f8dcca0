/* SPDX-License-Identifier: BSD-3-Clause
 * slow.h - for tests: the objective of a model from its definition (fm.h), row by row in dense
 * form, without row.c, the kernels and what the solvers keep. */
#ifndef FXI_FM_TEST_SLOW_H
#define FXI_FM_TEST_SLOW_H
#include "base/test.h"
#include "fm/fm.h"

#include <string.h>

enum { SLOW_COLS = 64 };

/* K(p, x), z_j = p_j x_j given; its size is the kernel of |z|. */
static inline long double slow_kernel(const fxi_fm *fm, const fxi_fm_block *b, const double *theta,
                                      const long double *z)
{
    long double s[SLOW_COLS] = {0}, e[FX_ORDER_MAX + 1] = {1}, product = 1, dot = 0, sum = 0;

    for (size_t j = 0; j < fm->cols; j++) {
        product *= 1 + z[j];
        dot += z[j];
        if (!fm->group || fm->group[j] >= 0)
            s[fm->group ? (size_t)fm->group[j] : j] += z[j];
    }
    if (!b->order)
        return product;
    if (!b->kernel)
        return powl(dot, b->order);
    for (size_t j = 0; j < (fm->group ? fm->groups : fm->cols); j++)
        for (int t = b->order; t > 0; t--)
            e[t] += s[j] * e[t - 1];
    for (int t = 1; fm->kind == FXI_FM_SIMPLEX && t <= b->order; t++)
        sum += theta[t - 1] * e[t];
    return fm->kind == FXI_FM_SIMPLEX ? sum : e[b->order];
}

/* f(x); to *size the same with absolute values, to which rounding errors of f are relative. */
static inline double slow_score(const fxi_fm *fm, const double *v, fxi_row r, double *size)
{
    long double x[SLOW_COLS] = {0}, z[SLOW_COLS], a[SLOW_COLS], f = v[0], all = fabs(v[0]);

    for (size_t q = 0; q < r.n; q++)
        x[fxi_row_column(r, q)] = fxi_row_value(r, q);
    for (size_t j = 0; fm->linear && j < fm->given; j++) {
        f += v[fm->w + j] * x[j + fm->front];
        all += fabsl(v[fm->w + j] * x[j + fm->front]);
    }
    for (size_t g = 0; g < fm->blocks; g++)
        for (size_t s = 0; s < fm->rank; s++) {
            const fxi_fm_block *b = &fm->block[g];
            for (size_t j = 0; j < fm->cols; j++) {
                z[j] = v[fxi_fm_at(fm, g, s, j)] * x[j];
                a[j] = fabsl(z[j]);
            }
            f += v[b->lambda + s] * slow_kernel(fm, b, v + b->theta, z);
            all += fabs(v[b->lambda + s]) * slow_kernel(fm, b, v + b->theta, a);
        }
    *size = (double)all;
    return (double)f;
}

/* The objective; to *off what rounding of scores by `units` of the last place may change in it.
 * Logarithms of 1 + e, or of products of these, are off by units of 1. */
static inline double slow_objective(const fxi_fm_problem *p, const double *v, double units,
                                    double *off)
{
    const fxi_fm *fm = p->fm;
    double sum = 0, weight = 0, error = 0, penalty = fxi_fm_penalty(fm, v);
    double one = p->loss == &fxi_loss_logistic;

    for (size_t i = 0; i < p->X->rows; i++) {
        double size, f, by;
        if (!(p->c[i] > 0))
            continue;
        f = slow_score(fm, v, fxi_data_row(p->X, i), &size);
        by = units * 0x1p-53 * (size + fabs(p->y[i]));
        sum += p->c[i] * fxi_fm_loss(p->loss, p->y[i], f);
        error += p->c[i]
                 * (fabs(fxi_fm_slope(p->loss, p->y[i], f)) * by + one * units * 0x1p-53
                    + fxi_fm_curve(p->loss) * by * by);
        weight += p->c[i];
    }
    *off = error / weight + units * 0x1p-53 * (sum / weight + penalty);
    return sum / weight + penalty;
}
#endif
