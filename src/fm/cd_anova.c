/* SPDX-License-Identifier: BSD-3-Clause
 * cd_anova.c - coordinate descent on products of m distinct columns, eight components at once.
 *
 * e_1..e_{m-1} of a row are stored while the columns are visited (esp.c, cd_hot.c):
 *
 *   visit      d_t = e_t - z d_{t-1},  derivative x d_{m-1}  (anova-upto: x sum_t theta_t d_{t-1})
 *   move       e_t += step x d_{t-1},  t = 1 .. m-1
 *
 * which is O(m) per entry.  One deletion multiplies rounding errors by about
 * (|z| / (a - |z|))^{m-1}, a = sum |z|.  Where that is above 1000 in some lane, the row's lanes d
 * are built from its other entries alone, and after a move e and a are computed from these, so that
 * errors of a dominating entry do not persist.  At order 2 a is not stored: a - |z| >= |d_1|, and
 * |d_1| < |z|/1000 is rare enough where others merely cancel. */

#include "fm/cd.h"

#include <string.h>

enum { L = FXI_FM_CD_LANES };

static size_t entries_of(const fxi_fm_descent *d, size_t i)
{
    return d->R.ptr[i + 1] - d->R.ptr[i];
}

static bool takes_part(const fxi_fm_descent *d, size_t i)
{
    return d->theta || entries_of(d, i) >= (size_t)d->m;
}

static void build(const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        d->e0[i] = takes_part(d, i) ? d->scale[i] : 0;
    d->simd->fm_cd_anova_build(fxi_fm_cd_lanes_of(d, first), d->e0 + first, d->m, d->R.ptr + first,
                               d->R.col, d->R.x, d->factor, last - first, -1);
}

static void values(double *out, const fxi_fm_descent *d, size_t first, size_t last)
{
    enum { ROWS = 8 };
    _Alignas(64) double E[ROWS * (FX_ORDER_MAX + 1) * L];
    double one[ROWS];
    const double *e = E + L;            /* e_1 .. e_m; of the next row, after its a */

    for (size_t i = first; i < last; i++, out += L, e += L) {
        if ((i - first) % ROWS == 0) {
            size_t n = last - i < ROWS ? last - i : ROWS;
            for (size_t k = 0; k < n; k++)
                one[k] = takes_part(d, i + k);
            d->simd->fm_cd_anova_build(E, one, d->m + 1, d->R.ptr + i, d->R.col, d->R.x, d->factor,
                                       n, -1);
            e = E + L;
        }
        for (int s = 0; s < L; s++)
            out[s] = d->theta ? 0 : e[(d->m - 1) * L + s];
        for (int t = 0; t < d->m; t++, e += L)
            for (int s = 0; s < L && d->theta; s++)
                out[s] += d->theta[t] * e[s];
    }
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

/* The end of one call of a hot loop, which cannot be stopped inside. */
static size_t end_of(const fxi_fm_cd_column *c, size_t q)
{
    enum { MANY = 1024 };

    return c->n - q < MANY ? c->n : q + MANY;
}

static void sums(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c)
{
    const double *p = fxi_fm_cd_factor(d, c->j);

    memset(sum, 0, FXI_FM_CD_SUMS * sizeof *sum);
    memset(c->bad, 0, (c->n / 64 + 1) * sizeof *c->bad);
    for (size_t q = 0, from = 0; q < c->n; from = q) {
        size_t end = end_of(c, q), more = 0;
        d->simd->fm_cd_anova_sums(&q, sum, d->E, d->e0, d->slope, c->row, c->x, end, p, d->m,
                                  d->guard, d->theta);
        if (q < end) {
            _Alignas(64) double g[L];
            c->bad[q / 64] |= (uint64_t)1 << q % 64;
            rebuild_row(g, d, (size_t)c->row[q], c->j, c->x ? c->x[q] : 1, NULL);
            d->simd->fm_cd_sums(sum, g, c->row + q, d->slope, 1);
            more = entries_of(d, (size_t)c->row[q++]);
        }
        if (fxi_fm_cd_lanes_stopped(d, c, q - from + more))
            return;
    }
}

/* The first bad entry from q on, or `end`. */
static size_t next_bad(const fxi_fm_cd_column *c, size_t q, size_t end)
{
    uint64_t left = 0;

    for (; q < end; q = (q | 63) + 1)
        if ((left = c->bad[q / 64] >> q % 64)) {
            q += (size_t)__builtin_ctzll(left);
            break;
        }
    return q < end ? q : end;
}

static void move(fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p, const double *to)
{
    double *slope = d->loss == FXI_FM_CD_HINGE ? d->slope : NULL;
    _Alignas(64) double by[L], g[L];

    for (int s = 0; s < L; s++)
        by[s] = d->lambda[s] * (to[s] - p[s]);
    for (size_t from = 0, q; from < c->n; from = q) {
        size_t end = end_of(c, from), more = 0;
        q = next_bad(c, from, end);
        d->simd->fm_cd_anova_move(d->r, slope, d->E, d->e0, c->row + from,
                                  c->x ? c->x + from : NULL, q - from, p, to, by, d->m, d->theta);
        size_t old = slope ? q : from;  /* slopes from here on are */
        if (q < end) {
            rebuild_row(g, d, (size_t)c->row[q], c->j, c->x ? c->x[q] : 1, to);
            d->simd->fm_cd_add(d->r, g, c->row + q, by, 1);
            more = entries_of(d, (size_t)c->row[q++]);
        }
        fxi_fm_cd_lanes_slopes(d, c->row + old, q - old);
        if (fxi_fm_cd_lanes_stopped(d, c, q - from + more))
            return;
    }
}

const fxi_fm_cd_model fxi_fm_cd_anova
    = {FXI_FM_CD_LANES, build, values, sums, fxi_fm_cd_lanes_step, move, NULL, NULL};
