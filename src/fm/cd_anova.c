/* SPDX-License-Identifier: BSD-3-Clause
 * cd_anova.c - coordinate descent on products of m distinct columns, eight components at once.
 *
 * e_1..e_{m-1} of a row are kept while the columns are visited (esp.c, cd_hot.c):
 *
 *   visit      d_t = e_t - z d_{t-1},  derivative x d_{m-1}  (anova-upto: x sum_t theta_t d_{t-1})
 *   move       e_t += step x d_{t-1},  t = 1 .. m-1
 *
 * which is O(m) an entry.  One deletion multiplies rounding errors by about
 * (|z| / (a - |z|))^{m-1}, a = sum |z|.  Where that is above 1000 in some lane, the row's lanes d
 * are built from its other entries alone, and after a move e and a are what follows from these, so
 * that errors of a dominating entry do not stay.  At order 2 a is not kept: a - |z| >= |d_1|, and
 * |d_1| < |z|/1000 is rare enough where others merely cancel. */

#include "fm/cd.h"

enum { L = FXI_FM_CD_LANES };

static bool takes_part(const fxi_fm_descent *d, size_t i)
{
    return d->theta || d->R.ptr[i + 1] - d->R.ptr[i] >= (size_t)d->m;
}

static void build(const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        d->e0[i] = takes_part(d, i) ? d->scale[i] : 0;
    d->simd->fm_cd_anova_build(fxi_fm_cd_lanes_of(d, first), d->e0 + first, d->m, d->R.ptr + first,
                               d->R.col, d->R.x, d->factor, last - first, -1);
}

static void value(double *out, const fxi_fm_descent *d, size_t i)
{
    _Alignas(64) double e[(FX_ORDER_MAX + 1) * L];
    double one = takes_part(d, i);

    d->simd->fm_cd_anova_build(e, &one, d->m + 1, d->R.ptr + i, d->R.col, d->R.x, d->factor, 1, -1);
    for (int s = 0; s < L; s++)
        out[s] = d->theta ? 0 : e[d->m * L + s];
    for (int t = 1; t <= d->m && d->theta; t++)
        for (int s = 0; s < L; s++)
            out[s] += d->theta[t - 1] * e[t * L + s];
}

/* Derivatives of row i to g, by insertion of its other entries; moves it. */
static void rebuild_row(double *g, const fxi_fm_descent *d, size_t i, size_t j, double x,
                        const double *to)
{
    _Alignas(64) double other[FX_ORDER_MAX * L];
    double *E = fxi_fm_cd_lanes_of(d, i);
    int skip = d->m == 2;

    d->simd->fm_cd_anova_build(other, d->e0 + i, d->m, d->R.ptr + i, d->R.col, d->R.x, d->factor, 1,
                               (int32_t)j);
    for (int s = 0; s < L; s++) {
        double z = to ? x * to[s] : 0, below = d->e0[i], sum = d->theta ? d->theta[0] * below : 0;
        for (int t = 1; t < d->m; t++) {
            double e = other[(t - skip) * L + s];
            if (to)
                E[(t - skip) * L + s] = e + z * below;
            sum += d->theta ? d->theta[t] * e : 0;
            below = e;
        }
        g[s] = x * (d->theta ? sum : below);
        if (to && !skip)
            E[s] = other[s] + fabs(z);
    }
}

static size_t derive(double *G, const fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p,
                     const double *to)
{
    size_t more = 0;

    d->simd->fm_cd_anova(G, c->bad, d->E, d->e0, c->row, c->x, c->n, p, to, d->m, d->guard,
                         d->theta);
    for (uint64_t left = *c->bad; left; left &= left - 1) {
        size_t q = (size_t)__builtin_ctzll(left), i = (size_t)c->row[q];
        rebuild_row(G + q * L, d, i, c->j, c->x ? c->x[q] : 1, to);
        more += d->R.ptr[i + 1] - d->R.ptr[i];
    }
    return more;
}

const fxi_fm_cd_model fxi_fm_cd_anova
    = {build, value, fxi_fm_cd_lanes_sums, fxi_fm_cd_lanes_step, fxi_fm_cd_lanes_move, NULL,
       derive};
