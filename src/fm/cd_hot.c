/* SPDX-License-Identifier: BSD-3-Clause
 * cd_hot.c - the inner loops of coordinate descent by lanes: FXI_FM_CD_LANES = 8 components of a
 * piece of a column, whose rows are met in any order (cd_lanes.c has the formulas, cd.h the
 * layout).
 *
 * A row's lanes are one cache line for each e_t, one register of AVX-512: nothing is gathered.  The
 * order m is a constant at every call up to 8.
 *
 * Of the sums of g_s g_t over rows, s and t any two lanes, a register holds those with t = s + k
 * (mod its width): the product of g and g turned by k.  By symmetry five of eight turns do: 5 sums
 * of registers with AVX-512 and 10 with AVX2, where one for each lane would be 8 and 16. */

#include "simd/hot.h"

enum { LANES = 8, PIECE = 64, PARTS = LANES / FXI_STEP, HALF = FXI_STEP / 2 + 1 };
/* Registers of products: of a part with itself, and of two parts. */
enum { PRODUCTS = PARTS * HALF + PARTS * (PARTS - 1) / 2 * FXI_STEP };
enum { HINGE = 1, LOGISTIC };           /* as in cd.h */
#define NARROW 1e-3                     /* |d_1| >= NARROW |z|: fit for use at order 2 */

/* ---- Lanes -------------------------------------------------------------------------------- */
#if FXI_WIDTH == 64
#include <immintrin.h>
typedef int vec_mask;
FXI_INLINE vec_mask less(fxi_vec a, fxi_vec b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}
FXI_INLINE int any(vec_mask t) { return t; }
FXI_INLINE double add_up(fxi_vec v) { return _mm512_reduce_add_pd((__m512d)v); }
#define ROTATE(v, k) \
    __builtin_shufflevector(v, v, k, (k + 1) % 8, (k + 2) % 8, (k + 3) % 8, (k + 4) % 8, \
                            (k + 5) % 8, (k + 6) % 8, (k + 7) % 8)
#elif FXI_WIDTH == 32
#include <immintrin.h>
typedef fxi_bits vec_mask;
FXI_INLINE int any(vec_mask t) { return _mm256_movemask_pd((__m256d)t); }
FXI_INLINE double add_up(fxi_vec v) { return (v[0] + v[2]) + (v[1] + v[3]); }
#define ROTATE(v, k) __builtin_shufflevector(v, v, k % 4, (k + 1) % 4, (k + 2) % 4, (k + 3) % 4)
#elif FXI_WIDTH == 16
typedef fxi_bits vec_mask;
FXI_INLINE int any(vec_mask t) { return (t[0] | t[1]) != 0; }
FXI_INLINE double add_up(fxi_vec v) { return v[0] + v[1]; }
#define ROTATE(v, k) __builtin_shufflevector(v, v, k % 2, (k + 1) % 2)
#else
typedef int vec_mask;
FXI_INLINE int any(vec_mask t) { return t; }
FXI_INLINE double add_up(fxi_vec v) { return v; }
#define ROTATE(v, k) (v)
#endif
#if FXI_WIDTH < 64
FXI_INLINE vec_mask less(fxi_vec a, fxi_vec b) { return a < b; }
#endif

FXI_INLINE fxi_vec rotate_lanes(fxi_vec v, const int k)
{
    switch (k) {
    case 0: return v;
    case 1: return ROTATE(v, 1);
    case 2: return ROTATE(v, 2);
    case 3: return ROTATE(v, 3);
    default: return ROTATE(v, 4);
    }
}

/* ---- anova -------------------------------------------------------------------------------- */

/* A word of a piece's bytes: bit q is 1 if byte q is not 0. */
FXI_INLINE uint64_t word_of(const unsigned char *byte)
{
#if FXI_WIDTH == 64
    __m512i all = _mm512_load_si512(byte);
    return _mm512_test_epi8_mask(all, all);
#else
    uint64_t word = 0;
    for (int q = 0; q < PIECE; q++)
        word |= (uint64_t)(byte[q] != 0) << q;
    return word;
#endif
}

/* Derivatives of one row to g; with `move` its e and a move by `by` and `grow`.  Else the
 * mask of lanes that are not fit for deletion. */
FXI_INLINE vec_mask visit(double *g, double *s, double e0, double x, const bool ones, fxi_vec z,
                          fxi_vec by, fxi_vec grow, const int m, double guard, const double *theta,
                          const bool move)
{
    const int skip = m == 2;            /* order 2 keeps no sum |z| */
    fxi_vec d = fxi_splat(e0), sum = d;

    if (!ones) {
        z *= x;
        by *= x;
        grow *= __builtin_fabs(x);
    }
    if (theta)
        sum *= theta[0];
    for (int t = 1; t < m; t++) {
        fxi_vec e = fxi_load(s + (t - skip) * LANES), next = e - z * d;
        if (move)
            fxi_store(s + (t - skip) * LANES, e + by * d);
        d = next;
        if (theta)
            sum += theta[t] * d;
    }
    fxi_vec out = theta ? sum : d;
    fxi_store(g, ones ? out : x * out);
    if (move && !skip)
        fxi_store(s, fxi_load(s) + grow);
    if (move)
        return (vec_mask){0};
    return skip ? less(fxi_abs(d), fxi_abs(z * (e0 * NARROW)))
                : less(fxi_load(s), fxi_abs(z) * guard);
}

FXI_INLINE void visits(double *G, uint64_t *bad, double *E, const double *e0, const int32_t *row,
                       const double *x, size_t n, const double *p, const double *to, const int m,
                       double guard, const double *theta)
{
    const size_t stride = (size_t)(m == 2 ? 1 : m) * LANES;
    _Alignas(64) unsigned char fail[PIECE] = {0};
    fxi_vec z[PARTS], by[PARTS], grow[PARTS];

    for (int k = 0; k < PARTS; k++) {
        z[k] = fxi_load(p + k * FXI_STEP);
        by[k] = to ? fxi_load(to + k * FXI_STEP) - z[k] : z[k];
        grow[k] = to ? fxi_abs(fxi_load(to + k * FXI_STEP)) - fxi_abs(z[k]) : z[k];
    }
    for (size_t q = 0; q < n; q++) {
        size_t i = (size_t)row[q];
        vec_mask t = {0};
        for (size_t k = 0; k < PARTS; k++)
            t |= visit(G + q * LANES + k * FXI_STEP, E + i * stride + k * FXI_STEP, e0[i],
                       x ? x[q] : 1, !x, z[k], by[k], grow[k], m, guard, theta, to != NULL);
        if (!to)
            fail[q] = (unsigned char)any(t);
    }
    if (!to)
        *bad = word_of(fail);
}

/* a, e_1, .., e_{m-1} (order 2: e_1 alone) of n entries, without that of column `but`. */
FXI_INLINE void insert(double *s, double e0, const int32_t *col, const double *x, const double *P,
                       size_t n, int32_t but, const int m)
{
    const int skip = m == 2;

    for (size_t c = 0; c < LANES; c += FXI_STEP) {
        fxi_vec e[FX_ORDER_MAX + 1], a = fxi_splat(0);
        e[0] = fxi_splat(e0);
        for (int t = 1; t < m; t++)
            e[t] = fxi_splat(0);
        for (size_t q = 0; q < n; q++) {
            fxi_vec z = fxi_load(P + (size_t)col[q] * FXI_LANES + c);
            if (col[q] == but)
                continue;
            z = x ? x[q] * z : z;
            a += fxi_abs(z);
            for (int t = m - 1; t > 0; t--)
                e[t] += z * e[t - 1];
        }
        if (!skip)
            fxi_store(s + c, a);
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

/* clang-format off */
#define CASES CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
/* clang-format on */

void FXI_HOT(fm_cd_anova)(double *G, uint64_t *bad, double *E, const double *e0, const int32_t *row,
                          const double *x, size_t n, const double *p, const double *to, int m,
                          double guard, const double *theta)
{
    switch (theta ? 0 : m) {
#define CASE(m) \
    case m: \
        if (x && to) \
            visits(G, bad, E, e0, row, x, n, p, to, m, guard, NULL); \
        else if (x) \
            visits(G, bad, E, e0, row, x, n, p, NULL, m, guard, NULL); \
        else if (to) \
            visits(G, bad, E, e0, row, NULL, n, p, to, m, guard, NULL); \
        else \
            visits(G, bad, E, e0, row, NULL, n, p, NULL, m, guard, NULL); \
        return;
        CASES
#undef CASE
    default: visits(G, bad, E, e0, row, x, n, p, to, m, guard, theta);
    }
}

void FXI_HOT(fm_cd_anova_build)(double *E, const double *e0, int m, const size_t *ptr,
                                const int32_t *col, const double *x, const double *P, size_t rows,
                                int32_t but)
{
    switch (m) {
#define CASE(m) \
    case m: \
        if (x) \
            build(E, e0, m, ptr, col, x, P, rows, but); \
        else \
            build(E, e0, m, ptr, col, NULL, P, rows, but); \
        return;
        CASES
#undef CASE
    default: build(E, e0, m, ptr, col, x, P, rows, but);
    }
}

/* ---- Other models ------------------------------------------------------------------------- */

void FXI_HOT(fm_cd_pick)(double *G, const double *E, size_t stride, const int32_t *row,
                         const double *x, size_t n)
{
    for (size_t q = 0; q < n; q++)
        for (size_t c = 0; c < LANES; c += FXI_STEP)
            fxi_store(G + q * LANES + c,
                      (x ? x[q] : 1) * fxi_load(E + (size_t)row[q] * stride + c));
}

void FXI_HOT(fm_cd_subsets)(double *G, uint64_t *bad, double *S, const int32_t *row,
                            const double *x,
                            size_t n, const double *p, const double *to, double near, double far)
{
    _Alignas(64) unsigned char fail[PIECE] = {0};

    for (size_t q = 0; q < n; q++) {
        double *s = S + (size_t)row[q] * LANES, by = x ? x[q] : 1;
        vec_mask t = {0};
        for (size_t c = 0; c < LANES; c += FXI_STEP) {
            fxi_vec u = 1 + by * fxi_load(p + c), was = fxi_load(s + c), v = was / u;
            t |= less(fxi_abs(u), fxi_splat(near)) | less(fxi_abs(was), fxi_splat(1 / far))
                 | less(fxi_splat(far), fxi_abs(was));
            fxi_store(G + q * LANES + c, by * v);
            if (to)
                fxi_store(s + c, v * (1 + by * fxi_load(to + c)));
        }
        fail[q] = (unsigned char)any(t);
    }
    if (!to)
        *bad = word_of(fail);
}

/* ---- Sums and scores ---------------------------------------------------------------------- */

void FXI_HOT(fm_cd_sums)(double *sum, const double *G, const int32_t *row, const double *slope,
                         size_t n)
{
    fxi_vec down[PARTS], h[PRODUCTS];

    for (int k = 0; k < PARTS; k++)
        down[k] = fxi_load(sum + k * FXI_STEP);
    for (int k = 0; k < PRODUCTS; k++)
        h[k] = fxi_load(sum + LANES + k * FXI_STEP);
    for (size_t q = 0; q < n; q++) {
        fxi_vec g[PARTS];
        int at = 0;
        for (int k = 0; k < PARTS; k++) {
            g[k] = fxi_load(G + q * LANES + (size_t)k * FXI_STEP);
            down[k] += slope[row[q]] * g[k];
        }
        for (int i = 0; i < PARTS; i++)
            for (int j = i; j < PARTS; j++)
                for (int k = 0; k < (i == j ? HALF : FXI_STEP); k++)
                    h[at++] += g[i] * rotate_lanes(g[j], k);
    }
    for (int k = 0; k < PARTS; k++)
        fxi_store(sum + k * FXI_STEP, down[k]);
    for (int k = 0; k < PRODUCTS; k++)
        fxi_store(sum + LANES + k * FXI_STEP, h[k]);
}

void FXI_HOT(fm_cd_matrix)(double *H, const double *sum)
{
    const double *at = sum + LANES;

    for (int i = 0; i < LANES; i += FXI_STEP)
        for (int j = i; j < LANES; j += FXI_STEP)
            for (int k = 0; k < (i == j ? HALF : FXI_STEP); k++)
                for (int s = 0; s < FXI_STEP; s++, at++) {
                    int t = j + (s + k) % FXI_STEP;
                    H[(i + s) * LANES + t] = H[t * LANES + i + s] = *at;
                }
}

void FXI_HOT(fm_cd_add)(double *r, const double *G, const int32_t *row, const double *by, size_t n)
{
    for (size_t q = 0; q < n; q++) {
        fxi_vec v = fxi_load(by) * fxi_load(G + q * LANES);
        for (size_t c = FXI_STEP; c < LANES; c += FXI_STEP)
            v += fxi_load(by + c) * fxi_load(G + q * LANES + c);
        r[row[q]] += add_up(v);
    }
}

void FXI_HOT(fm_cd_slopes)(double *slope, const double *r, const double *scale, const int32_t *row,
                           size_t n, int loss)
{
    _Alignas(64) double v[FXI_LANES];

    for (size_t q = 0; q < n && loss == HINGE; q++) {
        double u = r[row[q]], low = u < 0 ? u : 0; /* no branch: it would be anyone's guess */
        slope[row[q]] = 2 * low;
    }
    for (size_t q = 0; q < n && loss == LOGISTIC; q += FXI_LANES) {
        size_t k = n - q < FXI_LANES ? n - q : FXI_LANES;
        for (size_t h = 0; h < FXI_LANES; h++)
            v[h] = h < k ? r[row[q + h]] / __builtin_fabs(scale[row[q + h]]) : 0;
        FXI_HOT(kernel_exp)(v, FXI_LANES, 1);
        for (size_t h = 0; h < k; h++)
            slope[row[q + h]] = -__builtin_fabs(scale[row[q + h]]) / (1 + v[h]);
    }
}
