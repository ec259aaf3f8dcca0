/* SPDX-License-Identifier: BSD-3-Clause
 * l1_passes.c - |w|_1 + sum_i c_i loss, by passes over the rows.
 *
 * As long as the gap is too large: the loss becomes a quadratic model at the present weights, with
 * the slopes that one pass gives and the curvature that the last steps have shown,
 *
 *   m(x) = <g, x> + x'Bx / 2 + |w + x|_1,   B = s D - V K^-1 V',
 *
 * D a diagonal, V of 2 n columns after n steps (L-BFGS, in its compact form).  Coordinate descent
 * minimises it without a pass: a coordinate costs 2 n multiply-adds, and 4 n^2 if it moves.  The
 * whole step is tried; if the objective does not fall enough, passes along the line find a shorter
 * one.  So a step usually takes one pass.
 *
 * Stopping.  theta = -a c_i loss'(y_i, f_i), with the largest a <= 1 such that |Z'theta| <= 1 in
 * every column, is feasible in the dual (l1.c).  Its conjugates need no pass: they add up to at
 * most a times those for a = 1, as they are convex and 0 at 0 for all losses here, and those are
 * sum_i f_i c_i loss' - c_i loss = <w, g> - loss.  Under a free intercept theta must sum to 0: b
 * is brought to its minimiser, by passes along b, before a fit ends.
 *
 * References: Byrd, Nocedal, Schnabel 1994 (compact form); Scheinberg, Tang 2016 (proximal steps
 * with it). */

#include "fit/newton.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 10, SWEEPS = 100 };          /* steps that are remembered; of coordinate descent */
enum { STILL = 50 };                    /* steps that gain nothing until a fit ends */
static const double ROUGH = 0.01;       /* of the violations: where descent ends */
static const double LEVEL = 32 * DBL_EPSILON;   /* of the terms of a slope: rounding hides it */

typedef struct quasi {
    const fxi_problem *p;
    fxi_passes *rows;
    const fx_run *run;
    size_t d, m;                        /* features; coordinates that move: with the intercept */
    double *w, *u, *x;                  /* [d+1] weights; where the step leads; the step */
    double *g, *old;                    /* [d+1] slopes of the loss at w; before the last step */
    double *D;                          /* [d+1] */
    double *pair;                       /* [d+1][2 N] steps, then changes of slopes */
    double *sums;                       /* an answer */
    size_t n, next;                     /* pairs; where the next one goes */
    double SS[N][N], SY[N][N];          /* <s_i, D s_j>, <s_i, y_j> */
    double scale;                       /* s */
    double K[2 * N][2 * N], q[2 * N];   /* K^-1; times V'x */
    fxi_newton_point at;                /* the loss at w: along the intercept */
    double total, largest;              /* violations */
} quasi;

static bool penalised(const quasi *a, size_t j)
{
    return j < a->d || a->p->intercept == FXI_APPENDED;
}

static double penalty(const quasi *a, const double *w)
{
    double sum = 0;

    for (size_t j = 0; j < a->m; j++)
        sum += penalised(a, j) ? fabs(w[j]) : 0;
    return sum;
}

static fx_status evaluate(quasi *a, bool squares)
{
    const fxi_question q = {.what = FXI_ASK_GRADIENT, .w = a->w, .ws = a->d + 1,
                            .flags = (squares ? FXI_NEWTON_SQUARES : 0)
                                     | fxi_fit_newton_line_flat(a->w, a->d)};
    fx_status st = a->rows->ask(a->rows, a->sums, &q);
    const double *sum = a->sums;

    if (st)
        return st;
    a->at = (fxi_newton_point){sum[FXI_ANSWER_VALUE], sum[FXI_ANSWER_SLOPE], sum[FXI_ANSWER_CURVE],
                               sum[FXI_ANSWER_SIZE]};
    memcpy(a->g, fxi_answer_vector(a->sums, 0, a->d), a->d * sizeof *a->g);
    a->g[a->d] = a->p->intercept == FXI_NONE ? 0 : a->at.slope;
    if (!squares)
        return FX_OK;
    memcpy(a->D, fxi_answer_vector(a->sums, 1, a->d), a->d * sizeof *a->D);
    a->D[a->d] = a->at.curve;
    for (size_t j = 0; j <= a->d; j++)  /* columns of zeros never move */
        a->D[j] = a->D[j] > 0 ? a->D[j] : 1;
    return FX_OK;
}

/* ---- The curvature --------------------------------------------------------------------------- */

/* K^-1 by elimination with pivots; false: rounding hides the curvature. */
static bool invert(quasi *a, double A[2 * N][2 * N], size_t n)
{
    memset(a->K, 0, sizeof a->K);
    for (size_t i = 0; i < n; i++)
        a->K[i][i] = 1;
    for (size_t c = 0; c < n; c++) {
        size_t best = c;
        for (size_t i = c + 1; i < n; i++)
            best = fabs(A[i][c]) > fabs(A[best][c]) ? i : best;
        if (!(fabs(A[best][c]) > 0))
            return false;
        for (size_t j = 0; j < n; j++) {
            double t = A[c][j], k = a->K[c][j];
            A[c][j] = A[best][j], A[best][j] = t;
            a->K[c][j] = a->K[best][j], a->K[best][j] = k;
        }
        double by = 1 / A[c][c];
        for (size_t j = 0; j < n; j++)
            A[c][j] *= by, a->K[c][j] *= by;
        for (size_t i = 0; i < n; i++) {
            double f = i == c ? 0 : A[i][c];
            for (size_t j = 0; j < n && f != 0; j++)
                A[i][j] -= f * A[c][j], a->K[i][j] -= f * a->K[c][j];
        }
    }
    return true;
}

/* K of the pairs: slot i is older than slot j if it comes earlier in the ring. */
static bool join(quasi *a)
{
    double A[2 * N][2 * N] = {{0}};
    size_t n = a->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t age_i = (i + n - a->next % n) % n, age_j = (j + n - a->next % n) % n;
            A[i][j] = a->scale * a->SS[i][j];
            A[i][n + j] = age_i > age_j ? a->SY[i][j] : 0;
            A[n + j][i] = A[i][n + j];
            A[n + i][n + j] = i == j ? -a->SY[i][i] : 0;
        }
    return invert(a, A, 2 * n);
}

/* Row j of V. */
static void row_of(double v[2 * N], const quasi *a, size_t j)
{
    const double *pair = a->pair + j * 2 * N;

    for (size_t i = 0; i < a->n; i++) {
        v[i] = a->scale * a->D[j] * pair[i];
        v[a->n + i] = pair[N + i];
    }
}

/* The last step x and what it changed, if that shows curvature. */
static void remember(quasi *a)
{
    double sy = 0, yy = 0, ss = 0;

    for (size_t j = 0; j < a->m; j++) {
        double y = a->g[j] - a->old[j];
        sy += a->x[j] * y;
        yy += y * y / a->D[j];
        ss += a->x[j] * a->x[j] * a->D[j];
    }
    if (!(sy > 1e-10 * sqrt(yy * ss)))
        return;
    size_t k = a->next;
    a->n = a->n < N ? a->n + 1 : N;
    a->next = (k + 1) % N;
    memset(a->SS[k], 0, sizeof a->SS[k]);
    memset(a->SY[k], 0, sizeof a->SY[k]);
    for (size_t i = 0; i < N; i++)
        a->SY[i][k] = 0;
    for (size_t j = 0; j < a->m; j++) {
        double *pair = a->pair + j * 2 * N;
        pair[k] = a->x[j];
        pair[N + k] = a->g[j] - a->old[j];
        for (size_t i = 0; i < a->n; i++) {
            a->SS[k][i] += a->D[j] * pair[k] * pair[i];
            a->SY[k][i] += pair[k] * pair[N + i];
            a->SY[i][k] += i == k ? 0 : pair[i] * pair[N + k];
        }
    }
    for (size_t i = 0; i < a->n; i++)
        a->SS[i][k] = a->SS[k][i];
    a->scale = yy / sy;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* How far the slope G of the smooth part is from the slopes that the penalty has at u. */
static double violated(const quasi *a, size_t j, double u, double G)
{
    if (!penalised(a, j))
        return fabs(G);
    return u > 0 ? fabs(G + 1) : u < 0 ? fabs(G - 1) : fmax(fabs(G) - 1, 0);
}

static void visit(quasi *a, size_t j)
{
    size_t n = 2 * a->n;
    double v[2 * N], Kv[2 * N], G = a->g[j] + a->scale * a->D[j] * a->x[j];
    double B = a->scale * a->D[j];

    row_of(v, a, j);
    for (size_t i = 0; i < n; i++)
        G -= v[i] * a->q[i];
    double violation = violated(a, j, a->u[j], G);
    a->total += violation;
    a->largest = fmax(a->largest, violation);
    if (violation == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        Kv[i] = 0;
        for (size_t k = 0; k < n; k++)
            Kv[i] += a->K[i][k] * v[k];
        B -= v[i] * Kv[i];
    }
    B = fmax(B, 1e-8 * a->scale * a->D[j]);
    double u = a->u[j] - G / B, by = 1 / B;
    if (penalised(a, j))
        u = u > by ? u - by : u < -by ? u + by : 0;
    double move = u - a->u[j];
    a->u[j] = u;
    a->x[j] += move;
    for (size_t i = 0; i < n; i++)
        a->q[i] += move * Kv[i];
}

static fx_status descend(void *ctx, size_t block, fxi_team *team)
{
    quasi *a = ctx;
    double start = INFINITY;

    (void)block;
    memcpy(a->u, a->w, (a->d + 1) * sizeof *a->u);
    memset(a->x, 0, (a->d + 1) * sizeof *a->x);
    memset(a->q, 0, sizeof a->q);
    for (size_t k = 0; k < SWEEPS; k++) {
        a->total = a->largest = 0;
        for (size_t j = 0; j < a->m; j++) {
            if (j % 1024 == 0 && fxi_parallel_cancelled(team))
                return FX_OK;
            visit(a, j);
        }
        start = k ? start : a->total;
        if (k && a->total <= ROUGH * start)
            break;
    }
    for (size_t j = 0; j < a->m; j++)   /* as rounded */
        a->x[j] = a->u[j] - a->w[j];
    return FX_OK;
}

/* ---- A step ---------------------------------------------------------------------------------- */

/* What the objective falls by along x, to first order: without cancellation where signs stay. */
static double promised(const quasi *a)
{
    double sum = 0;

    for (size_t j = 0; j < a->m; j++) {
        double u = a->u[j], w = a->w[j], sign = u > 0 || w > 0 ? 1 : -1;
        sum += !penalised(a, j) ? a->g[j] * a->x[j]
               : u * w < 0      ? a->g[j] * a->x[j] + fabs(u) - fabs(w)
                                : (a->g[j] + sign) * a->x[j];
    }
    return sum;
}

/* w += x, or a part of x, and the slopes there; *gain: what the model promises, 0: no step. */
static fx_status move(quasi *a, double *gain, size_t *passes)
{
    double before = a->at.value + penalty(a, a->w), t = 1, fall = promised(a), now;
    const double none[3] = {0};
    fx_status st;

    *gain = fmax(-fall, 0);
    if (!(fall < 0))
        return FX_OK;
    memcpy(a->old, a->g, (a->d + 1) * sizeof *a->g);
    memcpy(a->sums, a->w, (a->d + 1) * sizeof *a->w);   /* w and u change places */
    memcpy(a->w, a->u, (a->d + 1) * sizeof *a->w);
    memcpy(a->u, a->sums, (a->d + 1) * sizeof *a->w);
    st = evaluate(a, false);
    ++*passes;
    now = a->at.value + penalty(a, a->w);
    if (st || now <= before * (1 + 4 * DBL_EPSILON) + 0.01 * fall) {
        remember(a);
        return st;
    }
    const fxi_newton_lines l = {a->rows, a->u, a->sums, a->d, false};
    while (!st && t > 1e-15 && !(now <= before * (1 + 4 * DBL_EPSILON) + 0.01 * t * fall)) {
        double best = -fall * t * t / (2 * (now - before - fall * t));
        fxi_newton_point at;
        t = isfinite(best) ? fmin(fmax(best, 0.1 * t), 0.5 * t) : 0.1 * t;
        st = fxi_fit_newton_line_at(&at, &l, a->x, t, none);
        ++*passes;
        for (size_t j = 0; j < a->m; j++)
            a->w[j] = a->u[j] + t * a->x[j];
        now = at.value + penalty(a, a->w);
    }
    if (st)
        return st;
    for (size_t j = 0; j < a->m; j++)
        a->x[j] = a->w[j] - a->u[j];
    st = evaluate(a, false);
    ++*passes;
    remember(a);
    return st;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* A bound of the dual objective from below. */
static double dual(const quasi *a)
{
    double most = 1, inner = 0;

    for (size_t j = 0; j < a->m; j++) {
        most = penalised(a, j) ? fmax(most, fabs(a->g[j])) : most;
        inner += a->w[j] * a->g[j];
    }
    return (a->at.value - inner) / most;
}

static fx_status balance(quasi *a)
{
    const fxi_newton_lines l = {a->rows, a->w, a->sums, a->d, false};
    double from = a->at.curve > 0 ? -a->at.slope / a->at.curve : 0;

    return fxi_fit_newton_line_intercept(&l, from, DBL_EPSILON);
}

static fx_status iterate(quasi *a, fxi_solution *s)
{
    const fxi_problem *p = a->p;
    const bool centred = p->intercept == FXI_FREE;
    double best = -INFINITY, gain = INFINITY, low = INFINITY;
    size_t passes = 1, still = 0;
    fx_status st = centred && fxi_fit_newton_line_flat(a->w, a->d) ? balance(a) : FX_OK;

    if (!st)
        st = evaluate(a, true);
    for (s->converged = false, s->gap = INFINITY; !st;) {
        bool balanced = !centred || fabs(a->g[a->d]) <= LEVEL * a->at.size;
        double lower = dual(a);
        s->objective = a->at.value + penalty(a, a->w);
        bool near = (s->objective - fmax(lower, best)) <= p->tol * s->objective;
        bool stuck = passes >= p->max_iter || still > STILL;
        if ((near || stuck) && !balanced) {
            passes++;
            if ((st = balance(a)) || (st = evaluate(a, false)))
                break;
            balanced = fabs(a->g[a->d]) <= 16 * LEVEL * a->at.size;
            lower = dual(a);
            s->objective = a->at.value + penalty(a, a->w);
        }
        best = balanced ? fmax(best, lower) : best;
        double known = balanced ? best : lower;
        s->gap = s->objective > known ? (s->objective - known) / s->objective : 0;
        still = s->gap <= 0.5 * low ? 0 : still + (gain <= 1e-14 * s->objective);
        low = s->gap <= 0.5 * low ? s->gap : low;
        s->iterations = passes;
        s->b = a->w[a->d];
        memcpy(s->w, a->w, a->d * sizeof *s->w);
        s->converged = balanced && s->gap <= p->tol;
        if (p->step)
            st = p->step(p->ctx, s);
        if (st || s->converged || stuck)
            break;
        if (a->n && !join(a)) {
            a->n = a->next = 0;
            a->scale = 1;
        }
        if (!(st = fxi_parallel_ordered(1, descend, a, a->run)))
            st = move(a, &gain, &passes);
    }
    return st;
}

static bool count(size_t *numbers, size_t features)
{
    return features < SIZE_MAX / 1024 && fxi_size_mul(numbers, features + 1, 6 + 2 * N)
           && fxi_size_add(numbers, *numbers, FXI_SUM + 2 * fxi_sum_padded(features + 1));
}

bool fxi_fit_l1_passes_bytes(size_t *bytes, size_t features)
{
    return count(bytes, features) && fxi_size_mul(bytes, *bytes, sizeof(double));
}

static fx_status fit_by(fxi_solution *s, const fxi_problem *p, fxi_passes *rows, const fx_run *run)
{
    size_t d = rows->features, m = d + 1, numbers, bytes;
    quasi a = {.p = p, .rows = rows, .run = run, .d = d, .m = d + (p->intercept != FXI_NONE),
               .scale = 1};
    fx_status st;

    if (!count(&numbers, d) || !fxi_fit_l1_passes_bytes(&bytes, d))
        return fxi_error(FX_ESHAPE, "%zu features are too many", d);
    if ((st = fxi_memory_check(run, bytes, "proximal steps")))
        return st;
    if (!(a.w = fxi_zalloc(numbers, sizeof *a.w)))
        return FX_ENOMEM;
    a.u = a.w + m, a.x = a.u + m, a.g = a.x + m, a.old = a.g + m, a.D = a.old + m;
    a.pair = a.D + m;
    a.sums = a.pair + 2 * N * m;
    memcpy(a.w, s->w, d * sizeof *a.w);
    a.w[d] = p->intercept == FXI_NONE ? 0 : s->b;
    st = iterate(&a, s);
    free(a.w);
    return st;
}

fx_status fxi_fit_l1_passes(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    return fxi_fit_newton_memory_fit(fit_by, s, p, run);
}
