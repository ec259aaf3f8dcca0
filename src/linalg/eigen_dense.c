/* SPDX-License-Identifier: BSD-3-Clause
 * eigen_dense.c - all eigenvalues and eigenvectors of a small symmetric matrix.
 *
 * Reflections make it tridiagonal, A = Q T Q', as in eigmin.c; Q is multiplied out, the first
 * reflection last, so that step k touches k x k numbers; implicit QL steps with Wilkinson's shift
 * then turn T into a diagonal matrix [1].  Vectors are rows of Z, so that a reflection is inner
 * products and updates along rows, and a rotation of QL acts on two neighbouring rows.
 *
 * Cost: about 6 n^3 operations, two n x n matrices.
 *
 * Accuracy: every step is orthogonal up to rounding, so values and vectors are those of some A + E,
 * |E| a small multiple of n u |A|_F; vectors are orthonormal to a small multiple of n u.
 *
 * [1] J. Wilkinson, C. Reinsch. Handbook for Automatic Computation II: Linear Algebra. Springer,
 *     1971, contributions II/2 and II/4. */

#include "linalg/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 60 };                    /* of QL for one value; two or three are usual */

typedef struct dense {
    double *d, *e, *h;                  /* [n]; e[i] is between d[i] and d[i + 1] */
    double *Z, *A;
    size_t n;
    const fxi_simd *simd;
    double tiny;                        /* rounding of the largest number of T: as good as 0 */
} dense;

static double dot(const dense *a, const double *x, const double *y, size_t n)
{
    double sum = 0;

    a->simd->fit_dot_double(&sum, x, y, n);
    return sum;
}

/* Row k of A onto its last number before the diagonal: row k keeps v, h[k] = |v|^2 / 2. */
static void reflect(dense *a, size_t k)
{
    double *v = a->A + k * a->n, *p = a->Z;     /* Z is not in use yet */

    a->d[k] = v[k];
    a->h[k] = 0;
    a->e[k - 1] = v[k - 1];
    double rest = dot(a, v, v, k - 1);
    if (rest < DBL_MIN)
        return;
    double last = v[k - 1], g = sqrt(rest + last * last);
    if (last > 0)
        g = -g;
    double h = g * g - last * g;
    a->e[k - 1] = g;
    a->h[k] = h;
    v[k - 1] = last - g;
    memset(p, 0, k * sizeof *p);
    for (size_t i = 0; i < k; i++) {    /* p = A v, by the lower triangle */
        const double *r = a->A + i * a->n;
        p[i] += dot(a, r, v, i + 1);
        a->simd->fit_add_double(p, v[i], r, i);
    }
    for (size_t i = 0; i < k; i++)
        p[i] /= h;
    double vp = dot(a, v, p, k) / (2 * h);
    for (size_t i = 0; i < k; i++)
        p[i] -= vp * v[i];
    for (size_t i = 0; i < k; i++) {
        double *r = a->A + i * a->n;
        a->simd->fit_add_double(r, -v[i], p, i + 1);
        a->simd->fit_add_double(r, -p[i], v, i + 1);
    }
}

/* Rows 0..k of Z, which are unit vectors beyond their first k numbers, times H_k. */
static void multiply_out(dense *a, size_t k)
{
    const double *v = a->A + k * a->n;

    for (size_t i = 0; i < k && a->h[k] > 0; i++) {
        double *z = a->Z + i * a->n;
        a->simd->fit_add_double(z, -dot(a, z, v, k) / a->h[k], v, k);
    }
}

static void rotate(double *restrict x, double *restrict y, double c, double s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double t = y[i];
        y[i] = s * x[i] + c * t;
        x[i] = c * x[i] - s * t;
    }
}

/* One QL step on rows l..m of T, which no zero off the diagonal divides. */
static void ql(dense *a, size_t l, size_t m)
{
    double *d = a->d, *e = a->e;
    double t = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(t, 1);
    double g = d[m] - d[l] + e[l] / (t + (t < 0 ? -r : r)), s = 1, c = 1, p = 0;

    for (size_t i = m; i-- > l;) {
        double f = s * e[i], b = c * e[i];
        r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {                   /* T divides here after all */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(a->Z + i * a->n, a->Z + (i + 1) * a->n, c, s, a->n);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

static fx_status diagonalise(dense *a, size_t l, fxi_team *team)
{
    for (int step = 0; step <= STEPS; step++) {
        size_t m = l;
        while (m + 1 < a->n && fabs(a->e[m]) > a->tiny)
            m++;
        if (m == l)
            return FX_OK;
        if (fxi_parallel_cancelled(team))
            return FX_OK;
        ql(a, l, m);
    }
    return fxi_error(FX_ENUMERIC, "eigenvalue %zu of %zu does not settle", l, a->n);
}

/* Largest first. */
static void sort(dense *a)
{
    for (size_t i = 0; i + 1 < a->n; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < a->n; j++)
            best = a->d[j] > a->d[best] ? j : best;
        if (best == i)
            continue;
        double d = a->d[i], *x = a->Z + i * a->n, *y = a->Z + best * a->n;
        a->d[i] = a->d[best];
        a->d[best] = d;
        for (size_t j = 0; j < a->n; j++) {
            double t = x[j];
            x[j] = y[j];
            y[j] = t;
        }
    }
}

static fx_status solve(void *ctx, size_t block, fxi_team *team)
{
    dense *a = ctx;
    fx_status st = FX_OK;

    (void)block;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j <= i; j++)
            if (!isfinite(a->A[i * a->n + j]))
                return fxi_error(FX_ENUMERIC, "a matrix holds %g", a->A[i * a->n + j]);
    for (size_t k = a->n - 1; k > 0 && !fxi_parallel_cancelled(team); k--)
        reflect(a, k);
    a->d[0] = a->A[0];
    a->e[a->n - 1] = 0;
    memset(a->Z, 0, a->n * a->n * sizeof *a->Z);
    for (size_t i = 0; i < a->n; i++)
        a->Z[i * a->n + i] = 1;
    for (size_t k = 1; k < a->n && !fxi_parallel_cancelled(team); k++)
        multiply_out(a, k);
    for (size_t i = 0; i < a->n; i++)
        a->tiny = fmax(a->tiny, DBL_EPSILON / 2 * (fabs(a->d[i]) + fabs(a->e[i])));
    for (size_t l = 0; l < a->n && !st && !fxi_parallel_cancelled(team); l++)
        st = diagonalise(a, l, team);
    sort(a);
    return st;
}

fx_status fxi_linalg_eigen_dense(double *d, double *Z, double *A, double *work, size_t n,
                                 const fx_run *run)
{
    dense a = {d, work, work + n, Z, A, n, fxi_simd_get(), 0};

    return n ? fxi_parallel_ordered(1, solve, &a, run) : FX_OK;
}
