/* SPDX-License-Identifier: BSD-3-Clause
 * cd_anova_hot.c - the inner loops of cd_anova.c: entries of a column, whose rows come in any
 * order, and eight components of each (cd.h has the layout).
 *
 * A row's lanes are one cache line for each e_t, one register of AVX-512: nothing is gathered.  As
 * the lines of all rows are more than the nearest cache holds, they are prefetched a few entries
 * before they are needed.  Derivatives stay in registers: they go into sums, or into r and slope,
 * at once.  Several entries are processed together, so that one test covers all of them, and one
 * tree of additions sums them.  The order m is a constant at every call up to 8. */

#include "fm/cd.h"
#include "fm/cd_hot.h"

#define NARROW 1e-3                     /* |d_1| >= NARROW |z|: fit for use at order 2 */

/* Lines of row i. */
FXI_INLINE size_t lines_at(int32_t i, const int m)
{
    return (size_t)i * (size_t)(m == 2 ? 1 : m) * LANES;
}

FXI_INLINE void fetch(const double *s, const int m)
{
    for (int t = 0; t < (m == 2 ? 1 : m); t++)
        __builtin_prefetch(s + t * LANES, 1);
}

/* ---- Sums --------------------------------------------------------------------------------- */

/* Derivatives of a row; the mask of lanes that are not fit for deletion. */
FXI_INLINE vec_mask derive(fxi_vec *g, const double *s, double e0, double x, const bool ones,
                           fxi_vec z, fxi_vec far, const int m, const double *theta)
{
    const int skip = m == 2;            /* order 2 keeps no sum |z| */
    fxi_vec d = spread(e0), sum = d;

    if (!ones) {
        z *= x;
        far *= __builtin_fabs(x);
    }
    if (theta)
        sum *= theta[0];
    if (skip)
        far = fxi_abs(far * d);
#pragma GCC unroll 8
    for (int t = 1; t < m; t++) {
        d = fxi_load(s + (t - skip) * LANES) - z * d;
        if (theta)
            sum += theta[t] * d;
    }
    fxi_vec out = theta ? sum : d;
    *g = ones ? out : x * out;
    return less(skip ? fxi_abs(d) : fxi_load(s), far);
}

/* Derivatives of `side` entries from q on to g; false if some are not fit for use. */
FXI_INLINE bool visit(fxi_vec (*g)[PARTS], const fxi_vec *z, const fxi_vec *far, const double *E,
                      const double *e0, const int32_t *row, const double *x, size_t q,
                      const int side, const int m, const double *theta)
{
    vec_mask bad = {0};

    for (int u = 0; u < side; u++, q++) {
        fetch(E + lines_at(row[q + FXI_FM_CD_AHEAD], m), m);
        for (int k = 0; k < PARTS; k++)
            bad |= derive(&g[u][k], E + lines_at(row[q], m) + k * FXI_STEP, e0[row[q]],
                          x ? x[q] : 1, !x, z[k], far[k], m, theta);
    }
    return !any(bad);
}

FXI_INLINE void sums(size_t *at, double *sum, const double *E, const double *e0,
                     const double *slope, const int32_t *row, const double *x, size_t n,
                     const double *p, const int m, double guard, const double *theta)
{
    fxi_vec g[SIDE][PARTS], z[PARTS], far[PARTS];
    lane_sums a;
    size_t q = *at;

    for (int k = 0; k < PARTS; k++) {
        z[k] = fxi_load(p + k * FXI_STEP);
        far[k] = fxi_abs(z[k]) * (m == 2 ? NARROW : guard);
    }
    load_sums(&a, sum);
    for (; q + SIDE <= n && visit(g, z, far, E, e0, row, x, q, SIDE, m, theta); q += SIDE)
        for (size_t u = 0; u < SIDE; u++)
            add_sums(&a, g[u], slope[row[q + u]]);
    for (; q < n && visit(g, z, far, E, e0, row, x, q, 1, m, theta); q++)
        add_sums(&a, g[0], slope[row[q]]);
    store_sums(sum, &a);
    *at = q;
}

/* ---- Moves -------------------------------------------------------------------------------- */
typedef struct way {                    /* from p to the new lanes */
    fxi_vec z[PARTS], by[PARTS], grow[PARTS];
} way;

/* Moves the lines of a row and leaves its derivatives in g. */
FXI_INLINE void move_row(fxi_vec *g, double *s, double e0, double x, const bool ones, const way *c,
                         const int m, const double *theta)
{
    const int skip = m == 2;

    for (int k = 0; k < PARTS; k++, s += FXI_STEP) {
        fxi_vec d = spread(e0), z = c->z[k], by = c->by[k], grow = c->grow[k], sum = d;
        if (!ones) {
            z *= x;
            by *= x;
            grow *= __builtin_fabs(x);
        }
        if (theta)
            sum *= theta[0];
#pragma GCC unroll 8
        for (int t = 1; t < m; t++) {
            fxi_vec e = fxi_load(s + (t - skip) * LANES), next = e - z * d;
            fxi_store(s + (t - skip) * LANES, e + by * d);
            d = next;
            if (theta)
                sum += theta[t] * d;
        }
        fxi_vec out = theta ? sum : d;
        g[k] = ones ? out : x * out;
        if (!skip)
            fxi_store(s, fxi_load(s) + grow);
    }
}

FXI_INLINE void move_rows(double *r, double *slope, double *E, const double *e0, const int32_t *row,
                          const double *x, size_t q, const way *c, const double *step,
                          const int side, const int m, const double *theta)
{
    fxi_vec g[SIDE][PARTS];
    double more[SIDE];

    for (size_t u = 0; u < (size_t)side; u++) {
        fetch(E + lines_at(row[q + u + FXI_FM_CD_AHEAD], m), m);
        move_row(g[u], E + lines_at(row[q + u], m), e0[row[q + u]], x ? x[q + u] : 1, !x, c, m,
                 theta);
    }
    dots_lanes(more, step, g, side);
    for (size_t u = 0; u < (size_t)side; u++) {
        size_t i = (size_t)row[q + u];
        double now = r[i] + more[u];
        r[i] = now;
        if (slope)
            slope[i] = hinge_slope(now);
    }
}

FXI_INLINE void moves(double *r, double *slope, double *E, const double *e0, const int32_t *row,
                      const double *x, size_t n, const double *p, const double *to,
                      const double *step, const int m, const double *theta)
{
    size_t q = 0;
    way c;

    for (int k = 0; k < PARTS; k++) {
        fxi_vec z = fxi_load(p + k * FXI_STEP), end = fxi_load(to + k * FXI_STEP);
        c.z[k] = z;
        c.by[k] = end - z;
        c.grow[k] = fxi_abs(end) - fxi_abs(z);
    }
    for (; q + SIDE <= n; q += SIDE)
        move_rows(r, slope, E, e0, row, x, q, &c, step, SIDE, m, theta);
    for (; q < n; q++)
        move_rows(r, slope, E, e0, row, x, q, &c, step, 1, m, theta);
}

/* clang-format off */
#define CASES CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
/* clang-format on */

void FXI_HOT(fm_cd_anova_sums)(size_t *at, double *sum, const double *E, const double *e0,
                               const double *slope, const int32_t *row, const double *x, size_t n,
                               const double *p, int m, double guard, const double *theta)
{
    switch (theta ? 0 : m) {
#define CASE(m) \
    case m: \
        if (x) \
            sums(at, sum, E, e0, slope, row, x, n, p, m, guard, NULL); \
        else \
            sums(at, sum, E, e0, slope, row, NULL, n, p, m, guard, NULL); \
        return;
        CASES
#undef CASE
    default: sums(at, sum, E, e0, slope, row, x, n, p, m, guard, theta);
    }
}

void FXI_HOT(fm_cd_anova_move)(double *r, double *slope, double *E, const double *e0,
                               const int32_t *row, const double *x, size_t n, const double *p,
                               const double *to, const double *step, int m, const double *theta)
{
    switch (theta ? 0 : m) {
#define CASE(m) \
    case m: \
        if (x) \
            moves(r, slope, E, e0, row, x, n, p, to, step, m, NULL); \
        else \
            moves(r, slope, E, e0, row, NULL, n, p, to, step, m, NULL); \
        return;
        CASES
#undef CASE
    default: moves(r, slope, E, e0, row, x, n, p, to, step, m, theta);
    }
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* a, e_1, .., e_{m-1} (order 2: e_1 alone) of n entries, without that of column `but`. */
FXI_INLINE void insert(double *s, double e0, const int32_t *col, const double *x, const double *P,
                       size_t n, int32_t but, const int m)
{
    const int skip = m == 2;

    for (size_t c = 0; c < LANES; c += FXI_STEP) {
        fxi_vec e[FX_ORDER_MAX + 1], a = fxi_splat(0);
        e[0] = fxi_splat(e0);
#pragma GCC unroll 8
        for (int t = 1; t < m; t++)
            e[t] = fxi_splat(0);
        for (size_t q = 0; q < n; q++) {
            fxi_vec z = fxi_load(P + (size_t)col[q] * FXI_LANES + c);
            if (col[q] == but)
                continue;
            z = x ? x[q] * z : z;
            a += fxi_abs(z);
#pragma GCC unroll 8
            for (int t = m - 1; t > 0; t--)
                e[t] += z * e[t - 1];
        }
        if (!skip)
            fxi_store(s + c, a);
#pragma GCC unroll 8
        for (int t = 1; t < m; t++)
            fxi_store(s + (size_t)((t - skip) * LANES) + c, e[t]);
    }
}

/* Rows whose e_0 is 0 have nothing to guard. */
FXI_INLINE void build(double *E, const double *e0, const int m, const size_t *ptr,
                      const int32_t *col, const double *x, const double *P, size_t rows,
                      int32_t but)
{
    const size_t stride = (size_t)(m == 2 ? 1 : m) * LANES;

    for (size_t i = 0; i < rows; i++) {
        double *s = E + i * stride;
        if (e0[i] != 0)
            insert(s, e0[i], col + ptr[i], x ? x + ptr[i] : NULL, P, ptr[i + 1] - ptr[i], but, m);
        for (size_t t = 0; t < stride && e0[i] == 0; t++)
            s[t] = m > 2 && t < LANES ? __builtin_inf() : 0;
    }
}

void FXI_HOT(fm_cd_anova_build)(double *E, const double *e0, int m, const size_t *ptr,
                                const int32_t *col, const double *x, const double *P, size_t rows,
                                int32_t but)
{
    switch (m) {                        /* 9: for values of order 8 */
#define CASE(m) \
    case m: \
        if (x) \
            build(E, e0, m, ptr, col, x, P, rows, but); \
        else \
            build(E, e0, m, ptr, col, NULL, P, rows, but); \
        return;
        CASES CASE(9)
#undef CASE
            default : build(E, e0, m, ptr, col, x, P, rows, but);
    }
}
