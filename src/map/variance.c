/* SPDX-License-Identifier: BSD-3-Clause
 * variance.c - the exact error of a map on pairs of rows, without drawing it.
 *
 * Over seeds <Z(x), Z(y)> has mean K(x, y) and a variance that is known in closed form or by a
 * short dynamic programme, for each map.  Here: the public function, which aligns two rows by
 * column and calls the map, and the closed forms.  With w of independent entries of mean 0,
 * variance 1 and fourth moment kappa,
 *
 *   Var (w.x)(w.y) = (kappa - 1) s + P + Q,
 *   s = sum_j x_j^2 y_j^2,   P = sum_{i!=j} x_i^2 y_j^2,   Q = sum_{i!=j} x_i y_i x_j y_j,
 *
 * and the second moment of a product of independent factors is the product of theirs.  P and Q are
 * summed feature by feature; P = |x|^2 |y|^2 - s would leave rounding errors where one feature
 * carries all, and those are the pairs without error.
 *
 * [1] A. Rahimi, B. Recht. Random features for large-scale kernel machines. NIPS 2007.
 * [2] D. Sutherland, J. Schneider. On the error of random Fourier features. UAI 2015.
 * [3] N. Pham, R. Pagh. Fast and scalable polynomial kernels via explicit feature maps. KDD
 *     2013. */

#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Closed forms --------------------------------------------------------------------------- */

void fxi_map_variance_add(fxi_moments *m, double x, double y)
{
    double z = x * y, xx = x * x, yy = y * y;

    m->P += xx * m->yy + yy * m->xx;
    m->Q += 2 * z * m->c;
    m->s += z * z;
    m->c += z;
    m->xx += xx;
    m->yy += yy;
}

fxi_moments fxi_map_variance_moments(const fxi_pair *p)
{
    fxi_moments m = {0};

    for (size_t j = 0; j < p->n; j++)
        fxi_map_variance_add(&m, p->x[j], p->y[j]);
    return m;
}

double fxi_map_variance_kurtosis(fxi_law law)
{
    switch (law) {
    case FXI_LAW_SIGN: return 1;
    case FXI_LAW_GAUSSIAN: return 3;
    case FXI_LAW_UNIFORM: return 1.8;
    case FXI_LAW_LAPLACE: return 6;
    default: return INFINITY;           /* Cauchy: not even a mean */
    }
}

double fxi_map_variance_jl(const fxi_moments *m, fxi_law law)
{
    return (fxi_map_variance_kurtosis(law) - 1) * m->s + m->P + m->Q;
}

/* = h sum_i (a + h)^i a^(n-1-i) */
double fxi_map_variance_growth(double a, double h, int n)
{
    double sum = 0, power = 1;

    for (int i = 0; i < n; i++) {
        sum = sum * (a + h) + power;
        power *= a;
    }
    return h * sum;
}

/* A sign product has second moment c^2 + P + Q.  A complex one, G, has E|G|^2 from c^2 + P and
 * E G^2 from c^2 + Q, and its real part the mean of both. */
double fxi_map_variance_product(const fxi_moments *m, int degree, bool complex)
{
    double cc = m->c * m->c;

    if (!complex)
        return fxi_map_variance_growth(cc, m->P + m->Q, degree);
    return (fxi_map_variance_growth(cc, m->P, degree) + fxi_map_variance_growth(cc, m->Q, degree))
           / 2;
}

/* In the frequency domain a sketch is `degree` factors multiplied: the frequencies 0 and, for even
 * D, D/2 see real signs, the others complex units, each of them twice, conjugate. */
double fxi_map_variance_sketch(const fxi_moments *m, int degree, size_t D)
{
    double d = (double)D, real = D % 2 ? 1 : 2;

    return ((d - real) * 2 * fxi_map_variance_product(m, degree, true)
            + real * fxi_map_variance_product(m, degree, false))
           / d / d;
}

/* The mean of s count sketches of r rows each has variance (P + Q)/r: two features share a row with
 * probability 1/r.  D rows make D % s blocks of one row more than the others. */
double fxi_map_variance_sparse(const fxi_moments *m, size_t s, size_t D)
{
    double low = (double)(D / s), blocks = (double)s, more = (double)(D % s);

    return (m->P + m->Q) * ((blocks - more) / low + more / (low + 1)) / blocks / blocks;
}

/* cos and sin: the estimate is cos(w.(x - y)), so E = (1 + K(2x, 2y))/2, and
 *   rbf: K(2x, 2y) = K^4, Var = (1 - K^2)^2/2,    laplacian: K(2x, 2y) = K^2, Var = (1 - K^2)/2.
 * cos(w.x + b): E 4 cos^2 cos^2 = 1 + K(2x, 2y)/2, which is 1/2 more. */
double fxi_map_variance_fourier(const fx_kernel *k, const fxi_pair *p, bool offset)
{
    double d1 = 0, d2 = 0, log_k = 0, log_k2 = 0, v;

    for (size_t j = 0; j < p->n; j++) {
        double d = k->gamma * fabs(p->x[j] - p->y[j]);
        d1 += d;
        d2 += d * (d / k->gamma);
        log_k -= log1p(d * d);
        log_k2 -= log1p(4 * d * d);
    }
    if (k->type == &fxi_kernel_rbf) {
        v = -expm1(-2 * d2);
        v = v * v / 2;
    } else if (k->type == &fxi_kernel_laplacian)
        v = -expm1(-2 * d1) / 2;
    else
        v = expm1(log_k2) / 2 - expm1(2 * log_k);
    return v + (offset ? 0.5 : 0);
}

/* ---- The door ------------------------------------------------------------------------------- */

enum { GROUP = 4 };                     /* pairs in a block */

typedef struct variance {
    double *V;                          /* [pairs] ours, so that a failure leaves no trace */
    const fx_map *map;
    const fx_matrix *X;
    const size_t *pair;
    size_t pairs;
    double *x;                          /* [threads] space for a pair: x, y, col */
    size_t capacity;                    /* entries of the two longest rows together */
} variance;

/* Next entry of a row that is not 0, from *q on; false at its end. */
static bool next_entry(fxi_row r, size_t *q, int64_t *col)
{
    while (*q < r.n && fxi_row_value(r, *q) == 0)
        ++*q;
    if (*q < r.n)
        *col = fxi_row_column(r, *q);
    return *q < r.n;
}

fxi_pair fxi_map_variance_pair(double *space, size_t capacity, fxi_row a, fxi_row b)
{
    double *x = space, *y = x + capacity;
    int64_t *col = (int64_t *)(void *)(y + capacity), i = 0, j = 0;
    size_t n = 0, p = 0, q = 0;

    for (;; n++) {
        bool left = next_entry(a, &p, &i), right = next_entry(b, &q, &j);
        if (!left && !right)
            return (fxi_pair){.n = n, .x = x, .y = y, .col = col};
        col[n] = !right || (left && i < j) ? i : j;
        x[n] = left && i == col[n] ? fxi_row_value(a, p++) : 0;
        y[n] = right && j == col[n] ? fxi_row_value(b, q++) : 0;
    }
}

size_t fxi_map_variance_value_space(const fx_kernel *k, size_t n)
{
    return n * FXI_LANES + fxi_kernel_scratch(k, n, false);
}

double fxi_map_variance_value(const fx_kernel *k, const fxi_pair *p, double *space,
                              const fxi_simd *simd)
{
    fxi_panel panel = {.n = p->n, .x = p->x, .col = p->col, .zt = space};
    fxi_work work = {.simd = simd, .scratch = space + p->n * FXI_LANES, .team = p->team};
    _Alignas(64) double out[FXI_LANES];

    for (size_t i = 0; i < p->n * FXI_LANES; i++)       /* the other row in every lane */
        space[i] = p->y[i / FXI_LANES];
    fxi_kernel_eval(out, k, &panel, &work);
    return out[0];
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const variance *v = ctx;
    double *space = v->x + (size_t)fxi_parallel_thread(team) * 3 * v->capacity;
    size_t last = v->pairs - b * GROUP < GROUP ? v->pairs : (b + 1) * GROUP;

    for (size_t q = b * GROUP; q < last; q++) {
        size_t i = v->pair[2 * q], j = v->pair[2 * q + 1];
        fxi_pair p = fxi_map_variance_pair(space, v->capacity, fxi_data_row(v->X, i),
                                           fxi_data_row(v->X, j));
        double one, all;
        p.team = team;
        fx_status st = v->map->type->variance(&one, &all, v->map, &p);
        if (st)
            return st;
        if (fxi_parallel_cancelled(team))
            return FX_OK;               /* fxi_parallel reports it */
        if (!isfinite(all))
            return fxi_error(FX_ENUMERIC, "%s: the variance for rows %zu and %zu is not finite",
                             v->map->type->name, i, j);
        v->V[q] = all;
    }
    return FX_OK;
}

static fx_status check(const double *V, const fx_map *m, const fx_matrix *X, const size_t *pair,
                       size_t pairs, const fx_run *run)
{
    fx_status st;

    if (!m || !X)
        return fxi_error(FX_EINVAL, "fx_map_variance: %s is NULL", !m ? "m" : "X");
    if (pairs && (!V || !pair))
        return fxi_error(FX_EINVAL, "fx_map_variance: %s is NULL", !V ? "V" : "pair");
    if (!m->type->variance)
        return fxi_error(FX_EUNSUPPORTED, "the variance of map %s is not known exactly",
                         m->type->name);
    if ((st = fxi_data_check(X, "X", run)) != 0)
        return st;
    if (X->cols != m->cols)
        return fxi_error(FX_ESHAPE, "X has %zu columns, the map was made for %zu", X->cols,
                         m->cols);
    for (size_t q = 0; q < 2 * pairs; q++)
        if (pair[q] >= X->rows)
            return fxi_error(FX_EINVAL, "pair %zu (from 0) names row %zu, but X has %zu rows",
                             q / 2, pair[q], X->rows);
    return FX_OK;
}

fx_status fx_map_variance(double *V, const fx_map *m, const fx_matrix *X, const size_t *pair,
                          size_t pairs, const fx_run *run)
{
    variance v = {.map = m, .X = X, .pair = pair, .pairs = pairs};
    fx_status st = check(V, m, X, pair, pairs, run);
    size_t blocks = pairs / GROUP + (pairs % GROUP != 0), bytes;

    if (st || pairs == 0)
        return st;
    for (size_t q = 0; q < pairs; q++) {
        size_t n = fxi_data_row(X, pair[2 * q]).n + fxi_data_row(X, pair[2 * q + 1]).n;
        v.capacity = n > v.capacity ? n : v.capacity;
    }
    fx_run how = fxi_parallel_run(run, 1000.0 * (double)pairs * (double)v.capacity);
    int threads = fxi_parallel_threads(&how, blocks);
    if (!fxi_size_mul(&bytes, v.capacity, 3 * (size_t)threads)
        || !fxi_size_add(&bytes, bytes, pairs) || !fxi_size_mul(&bytes, bytes, sizeof(double)))
        bytes = SIZE_MAX;
    if ((st = fxi_memory_check(run, bytes, "pairs of rows")) != 0)
        return st;
    v.V = fxi_alloc(pairs, sizeof *v.V);
    v.x = fxi_alloc((size_t)threads * v.capacity, 3 * sizeof *v.x);
    st = v.V && v.x ? fxi_parallel(blocks, block, &v, &how) : FX_ENOMEM;
    if (!st)
        memcpy(V, v.V, pairs * sizeof *V);
    free(v.x);
    free(v.V);
    return st;
}
