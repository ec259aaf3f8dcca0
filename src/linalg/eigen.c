/* SPDX-License-Identifier: BSD-3-Clause
 * eigen.c - the largest eigenvalues of a matrix that is known only by its products with vectors.
 *
 * A block Krylov method with thick restarts [1, 2].  V holds up to m orthonormal vectors, AV their
 * products.  A cycle appends A times the block appended last, made orthonormal to all of V, until V
 * is full; then the m x m matrix H = V'AV is diagonalised (Rayleigh, Ritz), and V, AV are replaced
 * by the best p = k + a few approximate eigenvectors v and their products.  The next cycle begins
 * with their residuals A v - x v, which span what A adds to V, those that are small left out.
 *
 * A block is as wide as p, so that an eigenvalue of any multiplicity is found as often as needed; a
 * vector that is already in V is left out, so that a small rank ends the search early.  Every
 * vector is orthogonalised against all others until that no longer shortens it, so nothing
 * is found twice.  Where m would not be less than n, V is the identity and H is A.
 *
 * Cost of a cycle: m - p products, 4 n m^2 operations or more, and 6 m^3 for H.  Memory: 2 n m
 * numbers; m = 4 p.
 *
 * Accuracy: there is an eigenvalue within |A v - x v| <= tol x_1 of each value x, the error being
 * about the square of that divided by the distance to the next one.  Values below 2 n u x_1 are 0.
 * Sums run over fixed pieces, each output in one thread: the same bits for any threads.
 *
 * [1] K. Wu, H. Simon. Thick-restart Lanczos method for large symmetric eigenvalue problems. SIAM
 *     J. Matrix Anal. Appl. 22 (2000).
 * [2] G. Golub, R. Underwood. The block Lanczos method for computing eigenvalues. Mathematical
 *     Software III, 1977. */

#include "linalg/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, PIECE = 256, TILE = 8, SMALL = 64, RESTARTS = 300, MAX_REFINEMENTS = 4 };
#define TOL 1e-10

typedef struct krylov {
    const fxi_eigen *e;
    fx_run how;                         /* the caller's, with our idea of how much is done .. */
    fxi_stage stage;                    /* .. which is here */
    size_t n, k, p, m, have;            /* have: vectors in V */
    double *V, *AV;                     /* [m][n] */
    double *H, *Y, *theta, *work;       /* [m][m], [m][m], [m], [2 m] */
    double *rotated;                    /* [threads][p][PIECE] */
    const fxi_simd *simd;
} krylov;

/* ---- Loops over vectors ------------------------------------------------------------------ */
typedef struct vectors {
    krylov *a;
    double *out;                        /* inner: C[rows][count]; combine: of n numbers */
    const double *x, *y;                /* x[rows][n], y[count][n]; combine: y[rows] */
    size_t rows, count;
    bool lower;                         /* inner: only j <= i wanted */
} vectors;

/* C[i][j] = <x_i, y_j> for a tile of i. */
static fx_status inner_tile(void *ctx, size_t b, fxi_team *team)
{
    const vectors *q = ctx;
    size_t n = q->a->n, i0 = b * TILE, end = i0 + TILE < q->rows ? i0 + TILE : q->rows;

    for (size_t i = i0; i < end; i++)
        memset(q->out + i * q->count, 0, q->count * sizeof *q->out);
    for (size_t c = 0; c < n && !fxi_parallel_cancelled(team); c += CHUNK) {
        size_t len = n - c < CHUNK ? n - c : CHUNK;
        for (size_t j = 0; j < q->count; j++)
            for (size_t i = q->lower && j > i0 ? j : i0; i < end; i++) {
                double part;
                q->a->simd->fit_dot_double(&part, q->x + i * n + c, q->y + j * n + c, len);
                q->out[i * q->count + j] += part;
            }
    }
    return FX_OK;
}

static fx_status inner(krylov *a, double *C, const double *x, size_t rows, const double *y,
                       size_t count, bool lower)
{
    vectors q = {a, C, x, y, rows, count, lower};
    fx_run how = fxi_parallel_run(&a->how, (double)rows * (double)count * (double)a->n);

    return fxi_parallel((rows + TILE - 1) / TILE, inner_tile, &q, &how);
}

/* out -= sum_i y_i x_i, a chunk of it */
static fx_status subtract_chunk(void *ctx, size_t b, fxi_team *team)
{
    const vectors *q = ctx;
    size_t n = q->a->n, c = b * CHUNK, len = n - c < CHUNK ? n - c : CHUNK;

    (void)team;
    for (size_t i = 0; i < q->rows; i++)
        q->a->simd->fit_add_double(q->out + c, -q->y[i], q->x + i * n + c, len);
    return FX_OK;
}

/* The first p rows of out[m][n] become Y times it; a piece of columns. */
static fx_status rotate_piece(void *ctx, size_t b, fxi_team *team)
{
    const vectors *q = ctx;
    const krylov *a = q->a;
    size_t n = a->n, c = b * PIECE, len = n - c < PIECE ? n - c : PIECE;
    double *to = a->rotated + (size_t)fxi_parallel_thread(team) * a->p * PIECE;

    memset(to, 0, a->p * PIECE * sizeof *to);
    for (size_t i = 0; i < a->p && !fxi_parallel_cancelled(team); i++)
        for (size_t j = 0; j < a->have; j++)
            a->simd->fit_add_double(to + i * PIECE, q->y[i * a->have + j], q->out + j * n + c, len);
    for (size_t i = 0; i < a->p; i++)
        memcpy(q->out + i * n + c, to + i * PIECE, len * sizeof *to);
    return FX_OK;
}

static fx_status rotate(krylov *a, double *V)
{
    vectors q = {.a = a, .out = V, .y = a->Y};
    fx_run how = fxi_parallel_run(&a->how, (double)a->p * (double)a->have * (double)a->n);

    return fxi_parallel((a->n + PIECE - 1) / PIECE, rotate_piece, &q, &how);
}

static double length(const krylov *a, const double *x)
{
    double sum;

    a->simd->fit_dot_double(&sum, x, x, a->n);
    return sqrt(sum);
}

/* ---- Vectors into V ---------------------------------------------------------------------- */

/* Row `have` of V, made orthonormal to those before it, stays unless it lies in their span. */
static fx_status append(krylov *a)
{
    double *v = a->V + a->have * a->n, first = length(a, v), now = first, before;
    vectors q = {.a = a, .out = v, .x = a->V, .y = a->work, .rows = a->have};
    fx_run how = fxi_parallel_run(&a->how, (double)a->have * (double)a->n);
    fx_status st = FX_OK;

    for (int times = 0; times < MAX_REFINEMENTS && now > 4 * DBL_EPSILON * first && !st; times++) {
        before = now;
        st = inner(a, a->work, a->V, a->have, v, 1, false);
        if (!st)
            st = fxi_parallel((a->n + CHUNK - 1) / CHUNK, subtract_chunk, &q, &how);
        now = length(a, v);
        if (now > before / 2)
            break;
    }
    if (st || !(now > 4 * DBL_EPSILON * first))
        return st;
    for (size_t i = 0; i < a->n; i++)
        v[i] /= now;
    a->have++;
    return FX_OK;
}

/* Products of the vectors from `first` on. */
static fx_status multiply(krylov *a, size_t first)
{
    size_t at = first * a->n;

    return a->have > first ? a->e->apply(a->e->ctx, a->AV + at, a->V + at, a->have - first, &a->how)
                           : FX_OK;
}

/* A random block of p. */
static fx_status begin(krylov *a)
{
    fx_status st = FX_OK;

    for (uint64_t draw = 0; a->have < a->p && !st;) {
        for (size_t i = 0; i < a->n; i++)
            a->V[a->have * a->n + i] = fxi_rng_normal(a->e->start, draw++);
        st = append(a);
    }
    return st ? st : multiply(a, 0);
}

/* A times the block from `first` on, and so forth, until V is full or nothing is new. */
static fx_status extend(krylov *a, size_t first)
{
    fx_status st = FX_OK;

    while (first < a->have && a->have < a->m && !st) {
        size_t end = a->have;
        for (size_t j = first; j < end && a->have < a->m && !st; j++) {
            memcpy(a->V + a->have * a->n, a->AV + j * a->n, a->n * sizeof *a->V);
            st = append(a);
        }
        first = end;
        if (!st)
            st = multiply(a, first);
    }
    return st;
}

/* ---- Approximations from V --------------------------------------------------------------- */
static fx_status ritz(krylov *a)
{
    fx_status st = inner(a, a->H, a->V, a->have, a->AV, a->have, true);

    if (!st)
        st = fxi_linalg_eigen_dense(a->theta, a->Y, a->H, a->work, a->have, &a->how);
    if (!st && !(st = rotate(a, a->V)) && !(st = rotate(a, a->AV)))
        a->have = a->p;
    return st;
}

/* Appends the residuals that are not small; *worst: the largest of those that count. */
static fx_status residuals(krylov *a, double *worst, double tol)
{
    size_t p = a->have;
    fx_status st = FX_OK;

    *worst = 0;
    for (size_t j = 0; j < p && !st; j++) {
        double *r = a->V + a->have * a->n;
        memcpy(r, a->AV + j * a->n, a->n * sizeof *r);
        a->simd->fit_add_double(r, -a->theta[j], a->V + j * a->n, a->n);
        double size = length(a, r);
        if (j < a->k)
            *worst = fmax(*worst, size);
        if (size > tol / 10)
            st = append(a);
    }
    return st;
}

static fx_status search(krylov *a)
{
    double rel = a->e->tol > 0 ? a->e->tol : TOL, worst = 0;
    size_t limit = a->e->max_iter ? a->e->max_iter : RESTARTS, first = 0;
    fx_status st = begin(a);

    for (size_t iter = 0; !st; iter++) {
        if (!(st = extend(a, first)))
            st = ritz(a);
        first = a->p;
        double tol = fmax(rel * fabs(a->theta[0]), a->e->noise);
        if (st || (st = residuals(a, &worst, tol)))
            break;
        if (worst <= tol)
            return FX_OK;
        a->stage.from = fmax(a->stage.from, log(worst / a->theta[0]) / log(rel));
        if (iter == limit || a->have == first)
            return fxi_error(FX_NOT_CONVERGED,
                             "eigenvectors are off by %.2g of the largest eigenvalue after %zu "
                             "restarts",
                             worst / a->theta[0], iter);
        st = multiply(a, first);
    }
    return st;
}

/* V is the identity. */
static fx_status small(krylov *a)
{
    fx_status st = FX_OK;

    memset(a->V, 0, a->n * a->n * sizeof *a->V);
    for (size_t i = 0; i < a->n; i++)
        a->V[i * a->n + i] = 1;
    a->have = a->n;
    if (!(st = multiply(a, 0)))
        st = ritz(a);
    return st;
}

/* ---- The door ---------------------------------------------------------------------------- */
static void sizes(size_t *p, size_t *m, size_t n, size_t k)
{
    *p = k + (k / 4 > 4 ? k / 4 : 4);
    *m = 4 * *p;
    if (n <= SMALL || *m >= n) {
        *m = n;
        *p = k;
    }
}

/* Numbers besides `rotated`. */
static bool numbers(size_t *out, size_t n, size_t k)
{
    size_t p, m, square;

    if (k > SIZE_MAX / 8)
        return false;
    sizes(&p, &m, n, k);
    return fxi_size_mul(&square, m, m) && fxi_size_mul(&square, square, 2)
           && fxi_size_mul(out, n, 2 * m) && fxi_size_add(out, *out, square)
           && fxi_size_add(out, *out, 3 * m);
}

bool fxi_linalg_eigen_bytes(size_t *bytes, size_t n, size_t k)
{
    size_t all;

    return numbers(&all, n, k) && fxi_size_mul(bytes, all, sizeof(double));
}

fx_status fxi_linalg_eigen(double *value, double *vector, const fxi_eigen *e, const fx_run *run)
{
    krylov a = {.e = e, .n = e->n, .k = e->k, .simd = fxi_simd_get()};
    size_t all, threads;

    if (e->k == 0 || e->k > e->n)
        return fxi_error(FX_EINVAL, "%zu eigenvalues of a matrix of %zu rows", e->k, e->n);
    if (!numbers(&all, a.n, a.k))
        return fxi_error(FX_ESHAPE, "%zu eigenvectors of %zu numbers are too many", a.k, a.n);
    a.how = fxi_parallel_stage(&a.stage, run, 0, 0);
    sizes(&a.p, &a.m, a.n, a.k);
    threads = (size_t)fxi_parallel_threads(run, (a.n + PIECE - 1) / PIECE);
    if (!(a.V = fxi_alloc(all, sizeof *a.V)))
        return FX_ENOMEM;
    if (!(a.rotated = fxi_alloc(threads * a.p, PIECE * sizeof *a.rotated))) {
        free(a.V);
        return FX_ENOMEM;
    }
    a.AV = a.V + a.m * a.n;
    a.H = a.AV + a.m * a.n;
    a.Y = a.H + a.m * a.m;
    a.theta = a.Y + a.m * a.m;
    a.work = a.theta + a.m;
    fx_status st = a.m == a.n ? small(&a) : search(&a);
    for (size_t j = 0; j < a.k && st >= 0; j++)
        value[j] = a.theta[j] > fmax((double)a.n * DBL_EPSILON * a.theta[0], e->noise) ? a.theta[j]
                                                                                       : 0;
    if (st >= 0)
        memcpy(vector, a.V, a.k * a.n * sizeof *vector);
    free(a.rotated);
    free(a.V);
    return st;
}
