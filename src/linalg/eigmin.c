/* SPDX-License-Identifier: BSD-3-Clause
 * eigmin.c - the smallest eigenvalue of a symmetric matrix: whether a Gram matrix is
 * positive semidefinite, and if not, by how much.
 *
 * Step k = n-1 .. 1 reflects the first k numbers a of row k onto the last of them [1, 2]:
 *
 *   H = I - v v' / h,  H a = g e_(k-1),  v = a - g e_(k-1),  h = v'v / 2,  g = -sign(a_(k-1)) |a|
 *   A <- H A H = A - v w' - w v',   w = p - v (v'p) / (2 h),   p = A v / h
 *
 * on the leading k x k part, its lower triangle only, all loops along rows.  What remains is
 * tridiagonal, with diagonal d and off-diagonal e.  By Sylvester's law of inertia T - x I has as
 * many negative eigenvalues as negative pivots
 *
 *   q_1 = d_1 - x,   q_i = d_i - x - e_i^2 / q_(i-1),
 *
 * so x exceeds the smallest eigenvalue as soon as one pivot is negative: bisection between
 * Gershgorin's bounds finds it without any assumption on the matrix.
 *
 * Cost: 4/3 n^3 operations, 8 n^2 bytes.
 *
 * Accuracy: the reflections are orthogonal up to rounding, so the result is exact for some A + E,
 * and eigenvalues of symmetric matrices move by at most |E|.  Rounding errors add like a random
 * walk within a reflection and over the n reflections, so |E| is a small multiple of n u |A|_F (and
 * never more than one of n^2 u |A|_F [2]).  The pivots are those of a matrix within a few u of T
 * [1].  A is scaled by a power of two first, so that nothing that matters over- or underflows.
 *
 * [1] J. Wilkinson. The Algebraic Eigenvalue Problem. Oxford, 1965, chapter 5.
 * [2] N. Higham. Accuracy and Stability of Numerical Algorithms. SIAM, 2002, section 19.3. */

#include "base/base.h"
#include "featcross_extra.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct reduction {
    double *A;                          /* n x n, lower triangle */
    double *d, *e;                      /* [n]; e[k] is left of d[k] */
    double *w;                          /* [n] */
    size_t n;
} reduction;

/* p = (the leading k x k part of A) v. */
static bool multiply(double *p, const reduction *r, const double *v, size_t k, fxi_team *team)
{
    for (size_t i = 0; i < k; i++) {
        const double *a = r->A + i * r->n;
        double sum = 0, vi = v[i];
        if (i % 64 == 0 && fxi_parallel_cancelled(team))
            return false;
        for (size_t j = 0; j < i; j++) {
            sum += a[j] * v[j];
            p[j] += a[j] * vi;
        }
        p[i] = sum + a[i] * vi;         /* later rows add to it */
    }
    return true;
}

static fx_status reflect(void *ctx, size_t step, fxi_team *team)
{
    reduction *r = ctx;
    size_t k = r->n - 1 - step;
    double *v = r->A + k * r->n, *w = r->w, rest = 0;

    r->d[k] = v[k];
    r->e[k] = k ? v[k - 1] : 0;
    for (size_t j = 0; j + 1 < k; j++)
        rest += v[j] * v[j];
    if (rest < 1e-280)                  /* relative to |A| = 1 these numbers are negligible */
        return FX_OK;
    double last = v[k - 1], g = sqrt(rest + last * last);
    if (last > 0)
        g = -g;
    r->e[k] = g;
    v[k - 1] = last - g;
    double h = g * g - last * g, vp = 0;

    if (!multiply(w, r, v, k, team))
        return FX_OK;
    for (size_t j = 0; j < k; j++) {
        w[j] /= h;
        vp += v[j] * w[j];
    }
    for (size_t j = 0; j < k; j++)
        w[j] -= v[j] * (vp / (2 * h));
    for (size_t i = 0; i < k; i++) {
        double *a = r->A + i * r->n, vi = v[i], wi = w[i];
        if (i % 64 == 0 && fxi_parallel_cancelled(team))
            return FX_OK;
        for (size_t j = 0; j <= i; j++)
            a[j] -= vi * w[j] + wi * v[j];
    }
    return FX_OK;
}

/* True if an eigenvalue of the tridiagonal matrix is below x. */
static bool below(const reduction *r, double x)
{
    double q = 1;

    for (size_t i = 0; i < r->n; i++) {
        q = r->d[i] - x - (i ? r->e[i] * r->e[i] / q : 0);
        if (q < 0)
            return true;
        if (q < DBL_MIN / DBL_EPSILON)  /* a zero pivot: as if d[i] were slightly larger */
            q = DBL_MIN / DBL_EPSILON;
    }
    return false;
}

static double bisect(const reduction *r)
{
    double low = INFINITY, high = INFINITY;

    for (size_t i = 0; i < r->n; i++) {
        double radius = fabs(r->e[i]) + (i + 1 < r->n ? fabs(r->e[i + 1]) : 0);
        low = fmin(low, r->d[i] - radius);
        high = fmin(high, r->d[i]);     /* a diagonal element is a Rayleigh quotient */
    }
    double slack = (double)r->n * DBL_EPSILON * fmax(fabs(low), fabs(high));
    low -= slack;
    high += slack;
    for (;;) {
        double x = low + (high - low) / 2;
        if (!(low < x && x < high))     /* neighbours: as sharp as doubles get */
            return low;
        if (below(r, x))
            high = x;
        else
            low = x;
    }
}

/* The scaled lower triangle of A into r->A; *e: A = 2^e r->A. */
static fx_status load(reduction *r, int *e, const double *A, size_t lda)
{
    double largest = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double a = A[i * lda + j];
            if (!isfinite(a))
                return fxi_error(FX_EDOMAIN, "the matrix holds %g in row %zu, column %zu (from 0)",
                                 a, i, j);
            largest = fmax(largest, fabs(a));
        }
    frexp(largest, e);
    if (*e < -1000)                     /* 2^-e must be a number */
        *e = -1000;
    double scale = ldexp(1, -*e);
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j <= i; j++)
            r->A[i * r->n + j] = scale * A[i * lda + j];
    return FX_OK;
}

fx_status fx_linalg_eigmin(double *out, const double *A, size_t lda, size_t n, const fx_run *run)
{
    reduction r = {.n = n};
    size_t numbers, bytes;
    int e;

    if (!out || !A || n == 0)
        return fxi_error(FX_EINVAL, out && A ? "a matrix without rows has no eigenvalue"
                                             : "no matrix or no place for its eigenvalue is given");
    if (lda < n)
        return fxi_error(FX_ESHAPE, "rows of %zu numbers stand %zu apart", n, lda);
    if (!fxi_size_mul(&numbers, n, n) || !fxi_size_add(&numbers, numbers, 3 * n)
        || !fxi_size_mul(&bytes, numbers, sizeof *r.A))
        return fxi_error(FX_ESHAPE, "a matrix of %zu rows is too large", n);
    fx_status s = fxi_memory_check(run, bytes, "the smallest eigenvalue");
    if (s)
        return s;
    r.A = fxi_alloc(numbers, sizeof *r.A);
    if (!r.A)
        return FX_ENOMEM;
    r.d = r.A + n * n;
    r.e = r.d + n;
    r.w = r.e + n;
    s = load(&r, &e, A, lda);
    if (!s)
        s = fxi_parallel_ordered(n, reflect, &r, run);
    if (!s) {
        double x = ldexp(bisect(&r), e);
        if (isfinite(x))
            *out = x;
        else
            s = fxi_error(FX_ENUMERIC, "the smallest eigenvalue overflows");
    }
    free(r.A);
    return s;
}
