/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_hot.c - a few rows with a panel of a block of ANOVA kernels: scores, and derivatives by
 * the reverse-mode table of row_hot.c; sums of derivatives times slopes; AdaGrad's step.
 *
 * Lambda is multiplied into the derivatives, so that there is one slope per row.  Order 2 has a
 * shorter formula where adagrad_look.c allows it: the derivative by p_k is e_1 - p_k.
 *
 * The step: AVX-512 has an estimate of 1/sqrt(s) with 14 bits; two of Newton's steps,
 * y += y (1 - s y^2)/2, make 28 and 52 bits of it, faster than a root and a division. */

#include "fm/adagrad.h"
#include "simd/hot.h"

#include <string.h>

/* One row, `group` registers of lanes: adds lambda e_m to *sum and, if g is not
 * NULL, leaves lambda de_m/dp in g, p = x z.  m and group are constants at every call. */
FXI_INLINE void both_ways(fxi_vec *sum, double *g, double *table, const double *x,
                          const int32_t *col, const double *zt, const double *lambda, size_t n,
                          const int m, const int group)
{
    fxi_vec e[FX_ORDER_MAX + 1][FXI_GROUP], b[FX_ORDER_MAX + 1][FXI_GROUP];
    double *a = table;

    for (int h = 0; h < group; h++)
        for (int t = 1; t <= m; t++)
            e[t][h] = b[t][h] = fxi_splat(0);
    for (size_t k = 0; k < n; k++, a += (m - 1) * group * FXI_STEP) {
        const double *z = zt + (size_t)col[k] * FXI_LANES;
        for (int h = 0; h < group; h++) {
            fxi_vec p = x[k] * fxi_load(z + h * FXI_STEP);
            for (int t = 1; t < m && g; t++)
                fxi_store(a + ((t - 1) * group + h) * FXI_STEP, e[t][h]);
            for (int t = m; t > 1; t--)
                e[t][h] += p * e[t - 1][h];
            e[1][h] += p;
        }
    }
    for (int h = 0; h < group; h++) {
        b[m][h] = fxi_load(lambda + h * FXI_STEP);
        *sum += b[m][h] * e[m][h];
    }
    for (size_t k = n; g && k-- > 0;) {
        const double *z = zt + (size_t)col[k] * FXI_LANES;
        a -= (m - 1) * group * FXI_STEP;
        for (int h = 0; h < group; h++) {
            fxi_vec p = x[k] * fxi_load(z + h * FXI_STEP), d = b[1][h];
            for (int t = 1; t < m; t++) {
                d += b[t + 1][h] * fxi_load(a + ((t - 1) * group + h) * FXI_STEP);
                b[t][h] += p * b[t + 1][h];
            }
            fxi_store(g + k * FXI_LANES + (size_t)(h * FXI_STEP), d);
        }
    }
}

FXI_INLINE double total(fxi_vec v)
{
    double part[FXI_STEP], sum = 0;

    memcpy(part, &v, sizeof v);
    for (int i = 0; i < FXI_STEP; i++)
        sum += part[i];
    return sum;
}

FXI_INLINE void score(double *f, double *g, double *table, const double *x, const int32_t *col,
                      const size_t *start, size_t rows, const double *P, const double *lambda,
                      const int m, const int group)
{
    for (size_t r = 0; r < rows; r++) {
        fxi_vec sum = fxi_splat(0);
        size_t first = start[r] - start[0], n = start[r + 1] - start[r];
        for (size_t c = 0; c < FXI_LANES; c += (size_t)(group * FXI_STEP))
            both_ways(&sum, g ? g + first * FXI_LANES + c : NULL, table, x + first, col + first,
                      P + c, lambda + c, n, m, group);
        f[r] += total(sum);
    }
}

void FXI_HOT(fm_adagrad_score)(double *f, double *g, double *table, const double *x,
                               const int32_t *col, const size_t *start, size_t rows,
                               const double *P, const double *lambda, int m)
{
    switch (m) {
#define CASE(m, group) \
    case m: \
        if (g) \
            score(f, g, table, x, col, start, rows, P, lambda, m, group); \
        else \
            score(f, NULL, table, x, col, start, rows, P, lambda, m, group); \
        break;
        CASE(2, FXI_GROUP) CASE(3, FXI_GROUP) CASE(4, 2) CASE(5, 2) CASE(6, 1) CASE(7, 1) CASE(8, 1)
#undef CASE
    }
}

void FXI_HOT(fm_adagrad_accumulate)(double *G, const double *g, const double *x,
                                    const int32_t *col, const size_t *start, const double *by,
                                    size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t k = start[r] - start[0]; k < start[r + 1] - start[0]; k++) {
            double *to = G + (size_t)col[k] * FXI_LANES, z = by[r] * x[k];
            for (int w = 0; w < FXI_LANES; w += FXI_STEP)
                fxi_store(to + w, fxi_load(to + w) + z * fxi_load(g + k * FXI_LANES + w));
        }
}

/* ---- Order 2, one subtraction a derivative ----------------------------------------------- */

/* FXI_GROUP registers of a row: *sum += lambda e_2, e_1 to e; *line += the weights w of its columns
 * (NULL: none).  x NULL: all are 1. */
FXI_INLINE void score_row(fxi_vec *sum, double *line, double *e, const double *x,
                          const int32_t *col, size_t n, const double *P, const double *lambda,
                          const double *w)
{
    fxi_vec one[FXI_GROUP], two[FXI_GROUP];

    for (int h = 0; h < FXI_GROUP; h++)
        one[h] = two[h] = fxi_splat(0);
    for (size_t k = 0; k < n; k++) {
        for (int h = 0; h < FXI_GROUP; h++) {
            fxi_vec p = fxi_load(P + (size_t)col[k] * FXI_LANES + h * FXI_STEP);
            p = x ? x[k] * p : p;
            two[h] += p * one[h];
            one[h] += p;
        }
        if (w)
            *line += w[col[k]];
    }
    for (int h = 0; h < FXI_GROUP; h++) {
        *sum += fxi_load(lambda + h * FXI_STEP) * two[h];
        if (e)
            fxi_store(e + h * FXI_STEP, one[h]);
    }
}

FXI_INLINE void score_two(double *f, double *e, const double *x, const int32_t *col,
                          const size_t *start, size_t rows, const double *P,
                          const double *lambda, const double *w)
{
    _Alignas(64) double part[FXI_FM_ADAGRAD_MANY][FXI_STEP]; /* lanes, added up at the end */

    for (size_t r = 0; r < rows; r++) {
        fxi_vec sum = fxi_splat(0);
        double line = f[r];
        size_t first = start[r] - start[0], n = start[r + 1] - start[r];
        for (size_t c = 0; c < FXI_LANES; c += FXI_CHUNK)
            score_row(&sum, &line, e ? e + r * FXI_LANES + c : NULL, x ? x + first : NULL,
                      col + first, n, P + c, lambda + c, c ? NULL : w);
        f[r] = line;
        fxi_store(part[r], sum);
    }
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int i = 0; i < FXI_STEP; i++)
            sum += part[r][i];
        f[r] += sum;
    }
}

void FXI_HOT(fm_adagrad_score_two)(double *f, double *e, const double *x, const int32_t *col,
                                   const size_t *start, size_t rows, const double *P,
                                   const double *lambda, const double *w)
{
    if (x)
        score_two(f, e, x, col, start, rows, P, lambda, NULL);
    else
        score_two(f, e, NULL, col, start, rows, P, lambda, w);
}

/* FXI_GROUP registers of a row whose slope is `by`; w: derivatives by weights, or NULL. */
FXI_INLINE void accumulate_row(double *G, const double *e, const double *x, const int32_t *col,
                               size_t n, double by, const double *P, const double *lambda,
                               double *w)
{
    fxi_vec one[FXI_GROUP], scale[FXI_GROUP];

    for (int h = 0; h < FXI_GROUP; h++) {
        one[h] = fxi_load(e + h * FXI_STEP);
        scale[h] = by * fxi_load(lambda + h * FXI_STEP);
    }
    for (size_t k = 0; k < n; k++) {
        for (int h = 0; h < FXI_GROUP; h++) {
            size_t at = (size_t)col[k] * FXI_LANES + (size_t)(h * FXI_STEP);
            fxi_vec p = fxi_load(P + at), d = one[h] - (x ? x[k] * p : p);
            fxi_store(G + at, fxi_load(G + at) + (x ? x[k] * scale[h] : scale[h]) * d);
        }
        if (w)
            w[col[k]] += by;
    }
}

FXI_INLINE void accumulate_two(double *G, const double *e, const double *x, const int32_t *col,
                               const size_t *start, const double *by, size_t rows, const double *P,
                               const double *lambda, double *w)
{
    for (size_t r = 0; r < rows; r++, e += FXI_LANES) {
        size_t first = start[r] - start[0], n = start[r + 1] - start[r];
        for (size_t c = 0; c < FXI_LANES; c += FXI_CHUNK)
            accumulate_row(G + c, e + c, x ? x + first : NULL, col + first, n, by[r], P + c,
                           lambda + c, c ? NULL : w);
    }
}

void FXI_HOT(fm_adagrad_accumulate_two)(double *G, const double *e, const double *x,
                                        const int32_t *col, const size_t *start, const double *by,
                                        size_t rows, const double *P, const double *lambda,
                                        double *w)
{
    if (x)
        accumulate_two(G, e, x, col, start, by, rows, P, lambda, NULL);
    else
        accumulate_two(G, e, NULL, col, start, by, rows, P, lambda, w);
}

/* ---- The step ---------------------------------------------------------------------------- */

#if defined __AVX512F__
#include <immintrin.h>

FXI_INLINE fxi_vec over_root(fxi_vec g, fxi_vec s)      /* g/sqrt(s) */
{
    fxi_vec y = (fxi_vec)_mm512_rsqrt14_pd((__m512d)s), half = 0.5 * s;

    y += y * (0.5 - half * y * y);
    y += y * (0.5 - half * y * y);
    return g * y;
}
#elif defined __AVX2__
#include <immintrin.h>

FXI_INLINE fxi_vec over_root(fxi_vec g, fxi_vec s)
{
    return g / (fxi_vec)_mm256_sqrt_pd((__m256d)s);
}
#else
FXI_INLINE fxi_vec over_root(fxi_vec g, fxi_vec s)
{
    double root[FXI_STEP];

    memcpy(root, &s, sizeof s);
    for (int i = 0; i < FXI_STEP; i++)
        root[i] = __builtin_sqrt(root[i]);
    memcpy(&s, root, sizeof s);
    return g / s;
}
#endif

/* 0 for what is below `limit`; NaN stays. */
FXI_INLINE fxi_vec without_small(fxi_vec v, double limit)
{
#if FXI_WIDTH > 8
    return (fxi_vec)((fxi_bits)v & ~(fxi_bits)(fxi_abs(v) < limit));
#else
    return fxi_abs(v) < limit ? 0 : v;
#endif
}

void FXI_HOT(fm_adagrad)(double *v, double *sum, double *G, const int32_t *list, size_t n,
                         const double *share, double beta, double lr)
{
    for (size_t q = 0; q < n; q++) {
        size_t at = (size_t)list[q] * FXI_LANES;
        double penalty = beta * share[list[q]];
        for (size_t w = at; w < at + FXI_LANES; w += FXI_STEP) {
            fxi_vec x = fxi_load(v + w), g = fxi_load(G + w) + penalty * x;
            g = without_small(g, FXI_FM_ADAGRAD_SMALL);
            fxi_vec s = fxi_load(sum + w) + g * g;
            x -= lr * over_root(g, s + FXI_FM_ADAGRAD_EPSILON);
            fxi_store(v + w, without_small(x, FXI_FM_TINY));
            fxi_store(sum + w, s);
            fxi_store(G + w, fxi_splat(0));
        }
    }
}
