/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_ridge.c - squared loss in a kernel's space, by one factorisation.
 *
 *   min over f, b of  0.5 |f|^2 + sum_i c_i r_i^2,  f = sum_i beta_i K(x_i, .), r = y - K beta - b
 *
 * is solved by beta_i = 2 c_i r_i and sum_i beta_i = 0, with D_i = 1/(2 c_i):
 *
 *   A beta + b 1 = y,   A = K + D;   u = A^-1 1,  v = A^-1 y,  b = <1, v>/<1, u>,  beta = v - b u.
 *
 * A is stored in panels (linalg/cholesky.h), each filled with kernel values and factored in place.
 * The residual rho = y - K beta - b - D beta is then computed with new kernel values, and beta is
 * refined by it while that helps, at most REFINE times.
 *
 * Gap.  The dual objective <beta, y> - beta'K beta/2 - sum_i beta_i^2/(4 c_i), sum_i beta_i = 0, is
 * below the optimum, and below the primal one by sum_i c_i rho_i^2: that is solution.gap, over the
 * objective.  It is also valid if A was not positive definite up to rounding (K nearly singular, C
 * huge) and the factor is that of A plus a small multiple of the identity, the smallest of a few
 * that works.
 *
 * Cost: n^2/2 kernel values and n^3/6 multiply-adds, then n^2 and n^2 for each rho; n rows with
 * c > 0.  Memory: n^2/2 doubles. */

#include "fit/fit.h"
#include "linalg/cholesky.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T = FXI_TILE, REFINE = 3, VECTORS = 6, SHIFTS = 4 };

typedef struct ridge {
    const fx_kernel *kernel;
    fxi_row_subset x;                         /* rows with c > 0 */
    size_t n;
    const fx_run *run;
    double *A;
    double *y, *c;                      /* [n] each, as the rest; of these rows */
    double *beta;
    double *u;                          /* A^-1 1 */
    double *rho;                        /* padded, as u */
    double *diagonal;                   /* of K */
    double b, shift;                    /* shift: added to the diagonal of A */
    double unit[T * T];                 /* the identity */
} ridge;

/* ---- The matrix --------------------------------------------------------------------------- */
/* A panel of K is the scores of its columns' rows by its own rows, each with a unit vector. */
static fx_status fill_panel(void *ctx, size_t k, fxi_team *team)
{
    ridge *a = ctx;
    fx_run how = fxi_parallel_nested(a->run, team);
    size_t i = fxi_cholesky_panels(a->n) - 1 - k;       /* long ones first */
    size_t rows = a->n - i * T < T ? a->n - i * T : T;
    fxi_row_subset x = {a->x.X, a->x.row, i * T + rows}, z = {a->x.X, a->x.row + i * T, rows};
    double *tile = fxi_cholesky_at(a->A, i, i);
    fx_status st = fxi_kernel_score(fxi_cholesky_at(a->A, i, 0), a->kernel, x, z, a->unit, T, &how);

    for (size_t r = 0; r < rows && !st; r++) {
        a->diagonal[i * T + r] = tile[r * (T + 1)];
        tile[r * (T + 1)] += 0.5 / a->c[i * T + r] + a->shift;
    }
    return st;
}

/* The factor of A, or of A plus as small a shift as possible. */
static fx_status factor(ridge *a)
{
    double largest = 0;
    fx_status st = FX_ENUMERIC;

    for (int k = 0; k < SHIFTS && st == FX_ENUMERIC; k++) {
        a->shift = k ? largest * DBL_EPSILON * (double)a->n * pow(100, k - 1) : 0;
        if ((st = fxi_parallel(fxi_cholesky_panels(a->n), fill_panel, a, a->run)))
            return st;
        for (size_t i = 0; i < a->n; i++)
            largest = fmax(largest, fabs(a->diagonal[i]));
        st = fxi_linalg_cholesky(a->A, a->n, a->run);
    }
    if (st == FX_ENUMERIC)
        return fxi_error(FX_ENUMERIC,
                         "K + 1/(2C) is not positive definite, nor with %g added to its diagonal: "
                         "if this kernel is not positive semidefinite, lower C",
                         a->shift);
    return st;
}

/* ---- The solution ------------------------------------------------------------------------- */
static double sum_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Corrects beta and b by rho, with sum beta = 0. */
static fx_status improve(ridge *a)
{
    fx_status st = fxi_linalg_cholesky_solve(a->rho, a->A, a->n, a->run);
    double by = (sum_of(a->rho, a->n) + sum_of(a->beta, a->n)) / sum_of(a->u, a->n);

    for (size_t i = 0; i < a->n; i++)
        a->beta[i] += a->rho[i] - by * a->u[i];
    a->b += by;
    double mean = sum_of(a->beta, a->n) / (double)a->n; /* rounding */
    for (size_t i = 0; i < a->n; i++)
        a->beta[i] -= mean;
    return st;
}

/* rho = y - K beta - b - D beta. */
static fx_status residuals(ridge *a)
{
    fx_status st = fxi_kernel_score(a->rho, a->kernel, a->x, a->x, a->beta, 1, a->run);

    for (size_t i = 0; i < a->n && !st; i++)
        a->rho[i] = a->y[i] - a->rho[i] - a->b - a->beta[i] * (0.5 / a->c[i]);
    return st;
}

/* Objective and gap; differences that rounding of y alone may explain count as 0. */
static void measure(fxi_solution *s, const ridge *a)
{
    double P = 0, gap = 0, noise = 0;

    for (size_t i = 0; i < a->n; i++) {
        double half = 0.5 * a->beta[i] / a->c[i], r = a->rho[i] + half;
        double u = 4 * DBL_EPSILON * (fabs(a->y[i]) + fabs(a->b));
        P += 0.5 * a->beta[i] * (a->y[i] - a->b - r) + a->c[i] * r * r;
        gap += a->c[i] * a->rho[i] * a->rho[i];
        noise += a->c[i] * u * u;
    }
    s->objective = P;
    s->gap = gap <= noise ? 0 : gap / P;
}

static fx_status solve(fxi_solution *s, const fxi_problem *p, ridge *a)
{
    fx_status st = factor(a);

    for (size_t i = 0; i < a->n; i++)
        a->u[i] = 1;
    if (!st)
        st = fxi_linalg_cholesky_solve(a->u, a->A, a->n, a->run);
    memcpy(a->rho, a->y, a->n * sizeof *a->rho);
    s->iterations = 0;
    s->gap = INFINITY;
    while (!st && s->iterations <= REFINE) {
        fxi_solution now = *s;
        if ((st = improve(a)) || (st = residuals(a)))
            break;
        measure(&now, a);
        s->iterations++;
        if (s->iterations > 1 && !(now.gap < 0.5 * s->gap))
            break;                      /* what is left is rounding */
        s->objective = now.objective, s->gap = now.gap, s->b = a->b;
        s->converged = s->gap <= p->tol;
        for (size_t k = 0; k < a->n; k++)
            s->beta[a->x.row[k]] = a->beta[k];
        if (p->step)
            st = p->step(p->ctx, s);
        if (s->gap <= DBL_EPSILON)
            break;
    }
    return st;
}

/* ---- The door ----------------------------------------------------------------------------- */
static bool count(size_t *numbers, size_t rows)
{
    size_t vectors;

    return fxi_linalg_cholesky_size(numbers, rows) && fxi_size_add(&vectors, rows, T)
           && fxi_size_mul(&vectors, vectors, VECTORS) && fxi_size_add(numbers, *numbers, vectors);
}

bool fxi_fit_kernel_ridge_bytes(size_t *bytes, size_t rows)
{
    return count(bytes, rows) && fxi_size_mul(bytes, *bytes, sizeof(double));
}

fx_status fxi_fit_kernel_ridge(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    size_t rows = p->source->rows, bytes, numbers, n = 0;
    fx_status st;

    if (rows > INT32_MAX)
        return fxi_error(FX_ESHAPE, "%zu rows are too many for a kernel machine", rows);
    for (size_t i = 0; i < rows; i++)
        n += p->c[i] > 0;
    *s = (fxi_solution){.w = s->w, .beta = s->beta, .converged = true};
    for (size_t i = 0; i < rows; i++)
        s->beta[i] = 0;
    if (!n)
        return FX_OK;
    if (!count(&numbers, n) || !fxi_fit_kernel_ridge_bytes(&bytes, n))
        return fxi_error(FX_ESHAPE, "a matrix of %zu rows is too large", n);
    if ((st = fxi_memory_check(run, bytes, "the matrix of kernel ridge regression")))
        return st;
    int32_t *row = fxi_alloc(n, sizeof *row);
    ridge a = {.kernel = p->kernel, .x = {p->source->X, row, n}, .n = n, .run = run,
               .A = fxi_alloc(numbers, sizeof *a.A)};
    st = row && a.A ? FX_OK : FX_ENOMEM;
    if (!st) {
        size_t m = fxi_cholesky_panels(n) * T, k = 0;
        fxi_linalg_cholesky_size(&numbers, n);
        a.u = a.A + numbers, a.rho = a.u + m, a.y = a.rho + m, a.c = a.y + n;
        a.beta = a.c + n, a.diagonal = a.beta + n;
        memset(a.beta, 0, n * sizeof *a.beta);
        for (size_t e = 0; e < T; e++)
            a.unit[e * (T + 1)] = 1;
        for (size_t i = 0; i < rows; i++)
            if (p->c[i] > 0) {
                a.y[k] = p->y[i];
                a.c[k] = p->c[i];
                row[k++] = (int32_t)i;
            }
        st = solve(s, p, &a);
    }
    free(row);
    free(a.A);
    return st;
}
