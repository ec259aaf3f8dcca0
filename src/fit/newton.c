/* SPDX-License-Identifier: BSD-3-Clause
 * newton.c - Newton's method with conjugate gradients, for losses with a second derivative.
 *
 * A step s solves (I + Z'DZ) s = -g roughly, by conjugate gradients; the Hessian is never formed:
 * one product is one pass over the rows with D_i > 0, O(numbers stored).  The preconditioner is the
 * diagonal, so that columns may have any scale, and, once many products were needed, the factored
 * Hessian of a sample (newton_hessian.c).  With many more features than rows there is no
 * preconditioner: I plus a matrix of the rank of the rows has few eigenvalues other than 1, and a
 * diagonal would spread them.  Few features and the squared loss need no products: the Hessian of
 * all rows is formed and factored first.
 *
 * A free intercept b is eliminated from the step: with h = sum_i D_i z_i, d = sum_i D_i and g_b the
 * slope along b, the step in w solves
 *
 *   (I + Z'DZ - hh'/d) s = -(g - h g_b/d),   and the step in b is -(g_b + <h, s>)/d;
 *
 * a product with that matrix is v + sum_i D_i (<z_i, v> + t) z_i, t = -<h, v>/d.
 *
 * The whole step is tried first: the gradient there, which the next step needs, also tells whether
 * the step was good.  If it was not, passes along the line find a better length, and so they do for
 * the next step before its gradient, until a step is whole again.  So a step usually takes one pass
 * besides its products.
 *
 * Stopping.  P, and P minimised over a free b, is 1-strongly convex in w, so P - min P <= |g|^2/2,
 * g its gradient; this is the duality gap of beta_i = -c_i loss'(y_i, f_i).  solution.gap is that
 * over P.  Before the end, b is only near its minimiser, and the gap is an estimate by the
 * quadratic model; before a fit ends, b is brought to its minimiser by passes along b.  If the
 * second derivative jumps (squared hinge) and each row weighs much, a step may end at the first row
 * that crosses the jump, and so may the next.  If there are many such steps when the caller's
 * patience is used up, the fit ends, stalled, and proximal.c continues.  If rounding keeps |g| from
 * shrinking and a step would gain less than 1e-14 P, the fit ends; it has converged only if the gap
 * is small enough.  solution.iterations counts passes, without those along a line.
 *
 * References: Lin, Weng, Keerthi 2008; Keerthi, DeCoste 2005 (squared hinge). */

#include "fit/newton.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HESSIAN = 6000 };                /* features, if not more than rows: it may be factored */
enum { NORMAL = 100 };                  /* multiply-adds a number that form it: a few products */
enum { WIDE = 4 };                      /* features per row: no preconditioner from there on */
static const double SHORT = 0.1;        /* a step of which less than this share is taken is short */
enum { SHORTS = 5 };                    /* short steps that make a stall */
enum { STEP = 3 };                      /* passes of a step besides its products, at most */
static const double LOOSE = 0.05;       /* of |g|^2: the intercept could gain so much */
static const double LEVEL = 32 * DBL_EPSILON;   /* of the terms of a slope: rounding hides it */
static const double ROUGH = 1e-3;       /* .. and so small it shall be where a fit begins */

typedef struct krylov { double *s, *r, *p, *Hp, *z; } krylov; /* [d+1] each */

typedef fxi_newton_point point;

static fxi_newton_lines lines(const fxi_newton *n)
{
    return (fxi_newton_lines){n->rows, n->w, n->sums, n->d, n->p->loss->regress};
}

static uint32_t flat(const fxi_newton *n) { return fxi_fit_newton_line_flat(n->w, n->d); }

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static void add(double *y, double a, const double *x, size_t n)
{
    for (size_t j = 0; j < n; j++)
        y[j] += a * x[j];
}

static bool wide(const fxi_newton *n) { return n->d / WIDE >= n->rows->rows; }

/* ---- Passes ------------------------------------------------------------------------------- */

/* The value and gradient at w, and what preconditions there. */
static fx_status evaluate(fxi_newton *n, point *at)
{
    size_t d = n->d, vector = 1;
    const bool centred = n->p->intercept == FXI_FREE;
    const bool squares = !wide(n);
    const fxi_question q = {.what = FXI_ASK_GRADIENT, .w = n->w, .ws = d + 1,
                            .flags = (centred ? FXI_NEWTON_FIRST : 0)
                                     | (squares ? FXI_NEWTON_SQUARES : 0) | flat(n)};
    fx_status st = n->rows->ask(n->rows, n->sums, &q);

    if (st)
        return st;
    const double *sum = n->sums;
    *at = (point){sum[FXI_ANSWER_VALUE] + 0.5 * dot(n->w, n->w, n->penalised), 0, 0,
                  sum[FXI_ANSWER_SIZE]};
    memcpy(n->g, fxi_answer_vector(n->sums, 0, d), d * sizeof *n->g);
    n->g[d] = n->p->intercept == FXI_NONE ? 0 : sum[FXI_ANSWER_SLOPE];
    n->h[d] = n->M[d] = sum[FXI_ANSWER_CURVE];
    if (centred)
        memcpy(n->h, fxi_answer_vector(n->sums, vector++, d), d * sizeof *n->h);
    if (squares)
        memcpy(n->M, fxi_answer_vector(n->sums, vector, d), d * sizeof *n->M);
    for (size_t j = 0; j <= d && squares; j++)
        n->unit[j] = n->M[j] > 0 ? ldexp(1, (ilogb(n->M[j]) + 2) >> 1) : 1;
    for (size_t j = 0; j < n->penalised; j++) {
        n->g[j] += n->w[j];
        n->M[j] += 1;
    }
    for (size_t j = 0; centred && squares && n->h[d] > 0 && j < d; j++)
        n->M[j] = fmax(1, n->M[j] - n->h[j] * (n->h[j] / n->h[d]));
    return FX_OK;
}

/* ---- A step ------------------------------------------------------------------------------- */

/* The best intercept for v, to first order. */
static void follow(const fxi_newton *n, double *v)
{
    double d = n->h[n->d];

    if (n->p->intercept == FXI_FREE)
        v[n->d] = d > 0 ? -dot(n->h, v, n->d) / d : 0;
}

/* z = an approximate inverse of the Hessian times r; <r, z> */
static double precondition(const fxi_newton *n, krylov *k)
{
    if (n->factored)
        fxi_fit_newton_hessian_solve(k->z, n, k->r);
    else if (wide(n))
        memcpy(k->z, k->r, n->penalised * sizeof *k->z);
    else
        for (size_t j = 0; j < n->penalised; j++)
            k->z[j] = k->r[j] / n->M[j];
    return dot(k->r, k->z, n->penalised);
}

/* Hp = the Hessian times p */
static fx_status multiply(fxi_newton *n, krylov *k)
{
    const fxi_question q = {.what = FXI_ASK_PRODUCT, .w = n->w, .v = k->p, .flags = flat(n),
                            .ws = n->d + 1, .vs = n->d + 1};
    fx_status st = n->rows->ask(n->rows, n->sums, &q);

    if (st)
        return st;
    memcpy(k->Hp, fxi_answer_vector(n->sums, 0, n->d), n->d * sizeof *k->Hp);
    k->Hp[n->d] = n->sums[FXI_ANSWER_SLOPE];
    add(k->Hp, 1, k->p, n->penalised);
    return FX_OK;
}

/* One step of conjugate gradients; false: rounding allows no more. */
static bool step(fxi_newton *n, krylov *k, double *rho)
{
    size_t m = n->penalised;
    double curve = dot(k->p, k->Hp, m), a = *rho / curve, last = *rho;

    if (!(curve > 0) || !isfinite(a))
        return false;
    add(k->s, a, k->p, m);
    add(k->r, -a, k->Hp, m);
    *rho = precondition(n, k);
    for (size_t j = 0; j < m; j++)
        k->p[j] = k->z[j] + *rho / last * k->p[j];
    return *rho > 0;
}

/* s with |r + Hs| <= target, from r = minus the gradient; at most *passes.  A factorisation is made
 * as soon as products without one, or with an old one, have cost as much as it does. */
static fx_status solve(fxi_newton *n, krylov *k, double target, size_t *passes)
{
    size_t m = n->penalised, max_passes = *passes;
    double patience = n->L ? fxi_fit_newton_hessian_cost(n) * (n->factored ? 2 : 1) : INFINITY;
    fx_status st = FX_OK;

    bool at_once = n->constant && !n->factored;
    if (n->constant)
        patience = INFINITY;
    if ((double)n->spent > patience || at_once) {
        if ((st = fxi_fit_newton_hessian_make(n)))
            return st;
        n->spent = 0;
        n->constant &= n->factored;
    }
    memset(k->s, 0, (n->d + 1) * sizeof *k->s);
    double rho = precondition(n, k);
    if (at_once && n->constant) {       /* what rounding leaves is found by the next step */
        memcpy(k->s, k->z, m * sizeof *k->s);
        max_passes = 0;
    }
    memset(k->p, 0, (n->d + 1) * sizeof *k->p);
    memcpy(k->p, k->z, m * sizeof *k->p);
    for (*passes = 0; *passes < max_passes && dot(k->r, k->r, m) > target * target; ++*passes) {
        if ((double)n->spent > patience + 1)
            break;
        n->spent++;
        follow(n, k->p);
        if ((st = multiply(n, k)))
            return st;
        if (!step(n, k, &rho))
            break;
    }
    follow(n, k->s);
    if (n->p->intercept == FXI_FREE && n->h[n->d] > 0)
        k->s[n->d] -= n->g[n->d] / n->h[n->d];
    return FX_OK;
}

/* The free intercept to its minimiser, as near as `level`. */
static fx_status balance(fxi_newton *n, double from, double level)
{
    const fxi_newton_lines l = lines(n);

    return fxi_fit_newton_line_intercept(&l, from, level);
}

/* Along s from w: *t is the share to take of it. */
static fx_status shorten(double *t, fxi_newton *n, const krylov *k, double low, double high,
                         double slope, double value)
{
    const double a[3] = {0.5 * dot(n->w, n->w, n->penalised), dot(n->w, k->s, n->penalised),
                         dot(k->s, k->s, n->penalised)};

    const fxi_newton_lines l = lines(n);

    return fxi_fit_newton_line(t, &l, k->s, a, low, high, 0.5 * fabs(slope), DBL_EPSILON,
                               value * (1 + 16 * DBL_EPSILON));
}

/* w += s, or a part of s if that is too much, and the gradient there. */
static fx_status move_whole(fxi_newton *n, const krylov *k, point *at, double *taken,
                            size_t *passes)
{
    double before = at->value, slope = dot(n->g, k->s, n->d + 1), t = 0;
    fx_status st;

    *taken = 1;
    add(n->w, 1, k->s, n->d + 1);
    st = evaluate(n, at);
    ++*passes;
    double after = dot(n->g, k->s, n->d + 1);
    if (st || slope == 0
        || (fabs(after) <= 0.5 * fabs(slope) && at->value <= before * (1 + 16 * DBL_EPSILON)))
        return st;
    bool back = !(after < 0);           /* w is beyond the minimum; at t = -1 it was before it */
    if ((st = shorten(&t, n, k, back ? -1 : 0, back ? 0 : INFINITY, slope, before)) || t == 0)
        return st;
    *taken = 1 + t;
    add(n->w, t, k->s, n->d + 1);
    ++*passes;
    return evaluate(n, at);
}

/* The same, but the length comes first; the intercept is balanced then. */
static fx_status move_part(fxi_newton *n, const krylov *k, point *at, double *taken,
                           size_t *passes)
{
    double slope = dot(n->g, k->s, n->d + 1);
    fx_status st;

    *taken = 1;
    if ((st = shorten(taken, n, k, slope < 0 ? 0 : -INFINITY, slope < 0 ? INFINITY : 0, slope,
                      at->value)))
        return st;
    add(n->w, *taken, k->s, n->d + 1);
    ++*passes;
    if (n->p->intercept == FXI_FREE && (st = balance(n, 0, DBL_EPSILON)))
        return st;
    return evaluate(n, at);
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* r = minus the gradient of P minimised over a free intercept, by the quadratic model; returns its
 * length, and in *off what an intercept that is not balanced could gain. */
static double reduce(const fxi_newton *n, double *r, bool balanced, double *off)
{
    double d = n->h[n->d], by = n->p->intercept == FXI_FREE && d > 0 ? n->g[n->d] / d : 0;

    *off = balanced ? 0 : 0.5 * n->g[n->d] * (n->g[n->d] / d);
    for (size_t j = 0; j < n->penalised; j++)
        r[j] = by * n->h[j] - n->g[j];
    return sqrt(dot(r, r, n->penalised));
}

static void keep(fxi_solution *s, const fxi_newton *n, const point *at, double gap)
{
    s->objective = at->value;
    s->gap = gap > 0 ? gap / at->value : 0;
    s->b = n->w[n->d];
    memcpy(s->w, n->w, n->d * sizeof *s->w);
    for (size_t j = 0; s->neg_loss_gradient && j < n->d; j++)
        s->neg_loss_gradient[j] = n->w[j] - n->g[j];
}

static fx_status iterate(fxi_newton *n, krylov *k, fxi_solution *s)
{
    const fxi_problem *p = n->p;
    const bool centred = p->intercept == FXI_FREE;
    double first = 0, last = INFINITY, gain = INFINITY, off, norm, taken = 1;
    size_t shorts = 0, before = s->iterations;
    point at;
    bool balanced = false;
    fx_status st = centred && flat(n) ? balance(n, 0, ROUGH) : FX_OK;

    if (!st)
        st = evaluate(n, &at);
    s->iterations++;
    for (s->converged = false; !st;) {
        balanced |= !centred || fabs(n->g[n->d]) <= LEVEL * at.size;
        norm = reduce(n, k->r, balanced, &off);
        first = fmax(first, norm);
        keep(s, n, &at, 0.5 * norm * norm + off);
        s->converged = s->gap <= p->tol;
        s->stalled = !s->converged && p->patience && s->iterations - before >= p->patience
                     && shorts >= SHORTS;
        bool ends = s->converged || s->stalled || s->iterations + STEP + 1 > p->max_iter
                    || (gain <= 1e-14 * at.value && norm > 0.5 * last);
        if ((ends || off > LOOSE * norm * norm) && !balanced && s->iterations < p->max_iter) {
            if ((st = balance(n, n->h[n->d] > 0 ? -n->g[n->d] / n->h[n->d] : 0, DBL_EPSILON))
                || (st = evaluate(n, &at)))
                break;
            s->iterations++;
            balanced = true;
            continue;
        }
        if (p->step)
            st = p->step(p->ctx, s);
        if (st || ends)
            break;
        size_t passes = p->max_iter - s->iterations - STEP;
        double P = at.value, target = fmax(norm * fmin(0.25, sqrt(norm / first)), sqrt(p->tol * P));
        if ((st = solve(n, k, fmin(target, 0.9 * norm), &passes)))
            break;
        gain = -0.5 * dot(n->g, k->s, n->d + 1);
        s->iterations += passes;
        st = (taken == 1 ? move_whole : move_part)(n, k, &at, &taken, &s->iterations);
        shorts += taken < SHORT;
        balanced = false;
        last = norm;
    }
    return st;
}

/* The Hessian of the squared loss is the same everywhere.  If it costs less than the products of a
 * usual step, it is formed at once, and a step solves the normal equations. */
static bool normal_equations(const fxi_problem *p, const fxi_passes *rows)
{
    double d = (double)rows->features, n = (double)rows->rows;

    return p->loss == &fxi_loss_squared
           && d * d * n <= NORMAL * (rows->numbers ? (double)rows->numbers : n * d);
}

/* Doubles: of the factor, and of vectors. */
static bool count_numbers(size_t *factor, size_t *vectors, size_t rows, size_t features)
{
    bool square = features < HESSIAN && features <= rows;

    *factor = square ? fxi_fit_newton_hessian_size(features) : 0;
    return features < SIZE_MAX / 256 && fxi_size_mul(vectors, fxi_sum_padded(features + 1), 13)
           && fxi_size_add(vectors, *vectors, FXI_SUM);
}

bool fxi_fit_newton_bytes(size_t *bytes, size_t rows, size_t features)
{
    size_t factor, vectors;

    return count_numbers(&factor, &vectors, rows, features)
           && fxi_size_add(&vectors, vectors,
                           factor ? factor + fxi_fit_newton_hessian_space(features) : 0)
           && fxi_size_mul(bytes, vectors, sizeof(double));
}

static fx_status fit_by(fxi_solution *s, const fxi_problem *p, fxi_passes *rows, const fx_run *run)
{
    size_t m = rows->features + 1, factor, vectors, bytes;
    fxi_newton n = {.p = p, .rows = rows, .run = run, .simd = fxi_simd_get(), .d = rows->features,
                    .penalised = rows->features + (p->intercept == FXI_APPENDED)};
    fx_status st;

    if (!count_numbers(&factor, &vectors, rows->rows, rows->features)
        || !fxi_size_add(&bytes, vectors, factor) || !fxi_size_mul(&bytes, bytes, sizeof(double)))
        return fxi_error(FX_ESHAPE, "%zu features are too many", rows->features);
    if ((st = fxi_memory_check(run, bytes, "Newton's method")))
        return st;
    double *space = fxi_zalloc(vectors, sizeof *space);
    n.factored = s->factor && *s->factor;
    n.L = n.factored ? *s->factor : factor ? fxi_alloc(factor, sizeof *n.L) : NULL;
    st = FX_ENOMEM;
    if (space && (n.L || !factor)) {
        n.w = space, n.g = n.w + m, n.h = n.g + m, n.M = n.h + m, n.unit = n.M + m;
        krylov k = {n.unit + m, n.unit + 2 * m, n.unit + 3 * m, n.unit + 4 * m, n.unit + 5 * m};
        n.sums = k.z + m;
        memcpy(n.w, s->w, n.d * sizeof *n.w);
        n.w[n.d] = p->intercept == FXI_NONE ? 0 : s->b;
        n.constant = n.L && !n.factored && normal_equations(p, rows);
        if (n.factored)                 /* of another Hessian: half of its time is over */
            n.spent = (size_t)fxi_fit_newton_hessian_cost(&n);
        st = iterate(&n, &k, s);
    }
    free(space);
    if (s->factor)
        *s->factor = n.factored ? n.L : NULL;
    if (!s->factor || !n.factored)
        free(n.L);
    return st;
}

fx_status fxi_fit_newton(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    return fxi_fit_newton_memory_fit(fit_by, s, p, run);
}
