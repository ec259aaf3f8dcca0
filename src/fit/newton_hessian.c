/* SPDX-License-Identifier: BSD-3-Clause
 * newton_hessian.c - a preconditioner for conjugate gradients: the Hessian of a sample of the rows,
 * factored.
 *
 * A = I + sum of D_i/p_i z_i z_i' over a random sample, row i being in it with probability
 * p_i = min(1, m D_i / sum D); m is at least SAMPLE times the features: enough that the product of
 * its inverse with the Hessian has a condition number of about
 * ((1 + sqrt(1/SAMPLE))/(1 - sqrt(1/SAMPLE)))^2 = 9.  Whether a row is in the sample depends only
 * on its number.  The intercept's constant feature is the last one.  A free intercept has no
 * penalty, and solving with 0 in its place is the same as solving with the matrix from which it was
 * eliminated.
 *
 * The sum must not depend on how rows are divided.  |A_jk| <= unit_j unit_k for all rows, by the
 * inequality of Cauchy and Schwarz, and is likely to be at most ROOM times that for a sample.  So
 * sums over a few rows are rounded to multiples of unit_j unit_k / COUNT, and these whole numbers
 * are below 2^53: adding them is exact in any order.  If a sample has more, it is not used.
 *
 * A is stored in panels of 16 rows, as in linalg/cholesky.h; its tiles of 16 x 16 are sums of outer
 * products of panels, in the forming of A as in its factorisation. */

#include "fit/newton.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

enum { T = FXI_TILE, CHUNK = 128, SAMPLE = 4, PASSES = 4, SPEEDUP = 4 };
#define COUNT 0x1p45
#define ROOM  0x1p5
#define MAGIC 0x1.8p52                  /* x + MAGIC is a whole number, |x| < 2^51 */

static size_t order(const fxi_newton *n) { return n->d + (n->p->intercept != FXI_NONE); }

size_t fxi_fit_newton_hessian_numbers(size_t d)
{
    size_t square = 0;

    fxi_linalg_cholesky_size(&square, d + 1);
    return square;
}

size_t fxi_fit_newton_hessian_size(size_t d)
{
    return fxi_fit_newton_hessian_numbers(d) + fxi_cholesky_panels(d + 1) * T;
}

size_t fxi_fit_newton_hessian_space(size_t d) { return fxi_cholesky_panels(d + 1) * T * CHUNK; }

/* Rows of a sample: SAMPLE times the features, or what costs PASSES passes if that is more. */
static double sample(const fxi_newton *n)
{
    double d = (double)order(n), rows = (double)n->rows->rows;

    if (n->constant)
        return rows;
    return fmin(rows, fmax(SAMPLE * d, 4.0 * SPEEDUP * PASSES * rows / d));
}

/* In passes.  A pass does few operations for each number that it loads; tiles do SPEEDUP times as
 * many per second. */
double fxi_fit_newton_hessian_cost(const fxi_newton *n)
{
    double d = (double)order(n), rows = (double)n->rows->rows;

    return d / (2 * SPEEDUP * rows) * (sample(n) / 2 + d / 6);
}

/* ---- Forming ------------------------------------------------------------------------------ */

typedef struct tiling {
    double *L, *z;                      /* z[panel][CHUNK][T]: rows that wait */
    size_t panels, pending, d;
    const double *unit;
    const fxi_problem *p;
    const fx_run *run;
    const fxi_simd *simd;
    double rate;                        /* p_i / D_i; 0: all rows */
} tiling;

/* Numbers below 2^51 become whole. */
static void add_counts(double *C, const double *sum)
{
    for (size_t k = 0; k < T * T; k++)
        C[k] += (sum[k] + MAGIC) - MAGIC;
}

static fx_status add_panel(void *ctx, size_t k, fxi_team *team)
{
    const tiling *a = ctx;
    size_t i = a->panels - 1 - k;       /* long ones first */

    for (size_t j = 0; j <= i && !fxi_parallel_cancelled(team); j++) {
        _Alignas(64) double sum[T * T] = {0};
        a->simd->linalg_cholesky_tile(sum, a->z + j * CHUNK * T, a->z + i * CHUNK * T, a->pending,
                                      1);
        add_counts(fxi_cholesky_at(a->L, i, j), sum);
    }
    return FX_OK;
}

static fx_status flush(tiling *a)
{
    fx_run how = fxi_parallel_run(a->run, (double)a->pending * (double)a->d * (double)a->d);
    fx_status st = a->pending ? fxi_parallel(a->panels, add_panel, a, &how) : FX_OK;

    a->pending = 0;
    return st;
}

/* Row z times `by`, in units, into the place of the next pending row. */
static void enqueue(tiling *a, fxi_row z, double by)
{
    const double *unit = a->unit;
    size_t d = a->d;
    double *to = a->z + a->pending++ * T;

    for (size_t k = 0; k < a->panels; k++)
        memset(to + k * CHUNK * T, 0, T * sizeof *to);
    for (size_t q = 0; q < z.n; q++) {
        size_t j = (size_t)fxi_row_column(z, q);
        to[j / T * CHUNK * T + j % T] = by * (fxi_row_value(z, q) / unit[j]);
    }
    if (a->p->intercept != FXI_NONE)
        to[d / T * CHUNK * T + d % T] = by / unit[d];
}

/* Rows of the sample; row: the number of the first. */
static fx_status add_piece(tiling *a, uint64_t row, const fxi_piece *x)
{
    const fxi_rng random = {a->p->seed, FXI_FIT_HESSIAN};
    fx_status st = FX_OK;

    for (size_t i = 0; i < x->rows && !st; i++) {
        double D = x->c[i] > 0 ? x->D[i] : 0, p = a->rate * D;
        if (!(D > 0))
            continue;
        if (a->rate > 0 && p < 1) {
            if (fxi_rng_uniform(random, row + i) >= p)
                continue;
            D = 1 / a->rate;
        }
        enqueue(a, fxi_data_row(x->Z, i), sqrt(D * COUNT));
        if (a->pending == CHUNK)
            st = flush(a);
    }
    return st;
}

/* Sums over the rows that wait end with each block of rows, wherever parts end. */
static fx_status add_block(tiling *a, const fxi_source *z, const fxi_piece *x, size_t i, size_t end,
                           uint64_t first, const double *w, float *buffer)
{
    fx_status st = FX_OK;

    for (; i < end && !st; i += z->piece) {
        fxi_piece at = *x;
        fx_matrix Z;
        at.rows = end - i < z->piece ? end - i : z->piece;
        at.y += i, at.c += i, at.f += i, at.D += i, at.q += i;
        if ((st = fxi_fit_source_run(&Z, z, i, at.rows, buffer, a->run)))
            break;
        at.Z = &Z;
        if (!at.D_known)
            fxi_fit_newton_pass_curves(w, &at, a->p, a->d, a->simd);
        st = add_piece(a, first + i, &at);
    }
    return st ? st : flush(a);
}

fx_status fxi_fit_newton_hessian_add(fxi_answer *answer, const fxi_question *q,
                                     const fxi_problem *p, const fxi_source *z, const fxi_piece *x,
                                     uint64_t first)
{
    size_t d = z->features;
    tiling a = {.L = answer->count, .panels = fxi_cholesky_panels(d + 1), .d = d, .unit = q->v,
                .p = p, .run = &answer->how, .simd = fxi_simd_get(), .rate = q->t};
    float *buffer = z->buffer ? fxi_alloc(z->buffer, sizeof *buffer) : NULL;
    fx_status st = FX_OK;

    a.z = fxi_alloc(fxi_fit_newton_hessian_space(d), sizeof *a.z);
    if (!a.z || (z->buffer && !buffer))
        st = FX_ENOMEM;
    for (size_t b = 0; b < z->rows && !st; b += FXI_PASS_BLOCK)
        st = add_block(&a, z, x, b, z->rows - b < FXI_PASS_BLOCK ? z->rows : b + FXI_PASS_BLOCK,
                       first, q->w, buffer);
    answer->rows += z->rows;
    fxi_free(a.z, buffer);
    return st;
}

/* ---- The factor ----------------------------------------------------------------------------- */

/* Counts become numbers, with the penalty; false: the sample has too much of a column. */
static bool settle(const fxi_newton *n)
{
    size_t panels = fxi_cholesky_panels(n->d + 1);

    for (size_t i = 0; i < panels; i++)
        for (size_t j = 0; j <= i; j++) {
            double *C = fxi_cholesky_at(n->L, i, j);
            for (size_t k = 0; k < T * T; k++) {
                size_t row = i * T + k % T, col = j * T + k / T;
                if (row > n->d || col > n->d)
                    continue;
                if (row == col && !(C[k] < ROOM * COUNT))
                    return false;
                C[k] *= n->unit[row] * n->unit[col] / COUNT;
                if (row == col)
                    C[k] += row < n->penalised || row >= order(n);
            }
        }
    return true;
}

fx_status fxi_fit_newton_hessian_make(fxi_newton *n)
{
    double m = sample(n);
    fxi_question q = {.what = FXI_ASK_HESSIAN, .w = n->w, .v = n->unit, .ws = n->d + 1,
                      .vs = n->d + 1};
    fx_status st;

    if (m < (double)n->rows->rows && n->h[n->d] > 0)
        q.t = m / n->h[n->d];
    n->factored = false;
    if ((st = n->rows->ask(n->rows, n->L, &q)) || !settle(n))
        return st;
    st = fxi_linalg_cholesky(n->L, n->d + 1, n->run);
    n->factored = !st;
    return st == FX_ENUMERIC ? FX_OK : st; /* the diagonal is used instead */
}

/* x = A^-1 r.  Short enough not to be stopped. */
void fxi_fit_newton_hessian_solve(double *x, const fxi_newton *n, const double *r)
{
    size_t square = 0, d = n->penalised;
    double *y = n->L;

    fxi_linalg_cholesky_size(&square, n->d + 1);
    y += square;
    memset(y, 0, (n->d + 1) * sizeof *y);
    memcpy(y, r, d * sizeof *y);
    fxi_linalg_cholesky_solve(y, n->L, n->d + 1, NULL);
    memcpy(x, y, d * sizeof *x);
}
