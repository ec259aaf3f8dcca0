/* SPDX-License-Identifier: BSD-3-Clause
 * newton.c - Newton's method with conjugate gradients, for losses with a second derivative.
 *
 * A step s solves (I + Z'DZ) s = -g roughly, by conjugate gradients; the Hessian is never formed:
 * one product is one pass over the rows with D_i > 0, O(numbers stored).  The preconditioner is the
 * diagonal, so that columns may have any scale, and, once many products were needed, the factored
 * Hessian of a sample (newton_hessian.c).  With many more features than rows there is no
 * preconditioner: I plus a matrix of the rank of the rows has few eigenvalues other than 1, and a
 * diagonal would spread them.  The step's scores are a by-product, so the
 * search along it reads no features.  A free intercept b is eliminated: it is the minimiser at
 * every w, and the Hessian is that of min_b P(w, b), with h = sum_i D_i z_i and d = sum_i D_i
 *
 *   I + Z'DZ - hh'/d,   times v:   v + sum_i D_i (<z_i, v> + t) z_i,   t = -<h, v>/d.
 *
 * Stopping.  P, and P minimised over a free b, is 1-strongly convex in w, so P - min P <= |g|^2/2,
 * g its gradient; this is the duality gap of beta_i = -c_i loss'(y_i, f_i).  solution.gap is that
 * over P.  If the second derivative jumps (squared hinge) and each row weighs much, a step may end
 * at the first row that crosses the jump, and so may the next.  If there are many such steps when
 * the caller's patience is used up, the fit ends, stalled, and proximal.c continues.  If rounding
 * keeps |g| from shrinking and a step would gain less than 1e-14 P, the fit ends; it has converged
 * only if the gap is small enough.  solution.iterations counts passes.
 *
 * References: Lin, Weng, Keerthi 2008; Keerthi, DeCoste 2005 (squared hinge). */

#include "fit/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HESSIAN = 6000 };                /* features, if not more than rows: it may be factored */
enum { WIDE = 4 };                      /* features per row: no preconditioner from there on */
static const double SHORT = 0.1;        /* a step of which less than this share is taken is short */
enum { SHORTS = 5 };                    /* short steps that make a stall */

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

/* The best intercept for v, to first order. */
static void follow(const fxi_newton *n, double *v)
{
    double d = n->h[n->d];

    if (n->p->intercept == FXI_FREE)
        v[n->d] = d > 0 ? -dot(n->h, v, n->d) / d : 0;
}

typedef struct krylov { double *s, *r, *p, *Hp, *z; } krylov; /* [d+1] each */

/* z = an approximate inverse of the Hessian times r; <r, z> */
static double precondition(const fxi_newton *n, krylov *k)
{
    if (n->factored)
        fxi_fit_newton_hessian_solve(k->z, n, k->r);
    else if (n->d / WIDE >= n->p->source->rows)
        memcpy(k->z, k->r, n->penalised * sizeof *k->z);
    else
        for (size_t j = 0; j < n->penalised; j++)
            k->z[j] = k->r[j] / n->M[j];
    return dot(k->r, k->z, n->penalised);
}

/* One step of conjugate gradients; false: rounding allows no more. */
static bool step(fxi_newton *n, krylov *k, double *rho)
{
    size_t m = n->penalised;
    double curve = dot(k->p, k->Hp, m), a = *rho / curve, last = *rho;

    if (!(curve > 0) || !isfinite(a))
        return false;
    add(k->s, a, k->p, n->d + 1);
    add(k->r, -a, k->Hp, m);
    for (size_t i = 0; i < n->p->source->rows; i++)
        if (n->D[i] > 0)
            n->move[i] += a * n->q[i];
    *rho = precondition(n, k);
    for (size_t j = 0; j < m; j++)
        k->p[j] = k->z[j] + *rho / last * k->p[j];
    return *rho > 0;
}

/* s with |g + Hs| <= target, and n->move = its scores; at most *passes.  A factorisation is made as
 * soon as products without one, or with an old one, have cost as much as it does. */
static fx_status solve(fxi_newton *n, krylov *k, double target, size_t *passes)
{
    size_t m = n->penalised, max_passes = *passes;
    double patience = n->L ? fxi_fit_newton_hessian_cost(n) * (n->factored ? 2 : 1) : INFINITY;
    fx_status st = FX_OK;

    if ((double)n->spent > patience) {
        if ((st = fxi_fit_newton_hessian_make(n)))
            return st;
        n->spent = 0;
    }
    memset(k->s, 0, (n->d + 1) * sizeof *k->s);
    memset(n->move, 0, n->p->source->rows * sizeof *n->move);
    for (size_t j = 0; j < m; j++)
        k->r[j] = -n->g[j];
    double rho = precondition(n, k);
    memset(k->p, 0, (n->d + 1) * sizeof *k->p);
    memcpy(k->p, k->z, m * sizeof *k->p);
    for (*passes = 0; *passes < max_passes && dot(k->r, k->r, m) > target * target; ++*passes) {
        if ((double)n->spent > patience + 1)
            break;
        n->spent++;
        follow(n, k->p);
        if ((st = fxi_fit_newton_pass_product(k->Hp, n, k->p)))
            return st;
        add(k->Hp, 1, k->p, m);
        if (!step(n, k, &rho))
            break;
    }
    follow(n, k->s);
    return fxi_fit_newton_pass_others(n->move, n, k->s);
}

/* The free intercept to its minimiser; the objective. */
static fx_status fit_intercept(fxi_newton *n, double *objective)
{
    const double a[3] = {0.5 * dot(n->w, n->w, n->penalised), 0, 0};
    fxi_line at;
    fx_status st = fxi_fit_line_intercept(&at, n->w + n->d, n->f, n->p, a, &n->how);

    *objective = at.value;
    return st;
}

/* w += t s by a search along s; *gain: what the step promises; *shorts counts the short ones. */
static fx_status move(fxi_newton *n, const krylov *k, double *gain, size_t *shorts)
{
    size_t m = n->penalised;
    const double a[3] = {0.5 * dot(n->w, n->w, m), dot(n->w, k->s, m), dot(k->s, k->s, m)};
    fxi_line at;
    double t = 1;
    fx_status st = fxi_fit_line_search(&t, &at, n->p, n->f, n->move, a, 0.5, &n->how);

    *gain = -0.5 * dot(n->g, k->s, m);
    *shorts += t < SHORT;
    add(n->w, t, k->s, n->d + 1);
    add(n->f, t, n->move, n->p->source->rows);
    return st;
}

static fx_status iterate(fxi_newton *n, krylov *k, fxi_solution *s)
{
    const fxi_problem *p = n->p;
    double first = 0, last = INFINITY, gain = INFINITY;
    size_t shorts = 0, before = s->iterations;
    fx_status st = fxi_fit_newton_pass_scores(n->f, n, n->w);

    for (s->converged = false; !st;) {
        if ((st = fit_intercept(n, &s->objective)) || (st = fxi_fit_newton_pass_gradient(n)))
            break;
        double norm = sqrt(dot(n->g, n->g, n->penalised)), P = s->objective;
        for (size_t j = 0; p->intercept == FXI_FREE && n->h[n->d] > 0 && j < n->d; j++)
            n->M[j] = fmax(1, n->M[j] - n->h[j] * (n->h[j] / n->h[n->d]));
        first = fmax(first, norm);
        s->iterations++;
        s->gap = norm == 0 ? 0 : 0.5 * norm * norm / P;
        s->b = n->w[n->d];
        memcpy(s->w, n->w, n->d * sizeof *s->w);
        for (size_t j = 0; s->neg_loss_gradient && j < n->d; j++)
            s->neg_loss_gradient[j] = n->w[j] - n->g[j];
        s->converged = s->gap <= p->tol;
        s->stalled = !s->converged && p->patience && s->iterations - before >= p->patience
                     && shorts >= SHORTS;
        if (p->step)
            st = p->step(p->ctx, s);
        if (st || s->converged || s->stalled || s->iterations + 2 > p->max_iter
            || (gain <= 1e-14 * P && norm > 0.5 * last))
            break;
        size_t passes = p->max_iter - s->iterations - 1;
        double target = fmax(norm * fmin(0.25, sqrt(norm / first)), sqrt(p->tol * P));
        st = solve(n, k, fmin(target, 0.9 * norm), &passes);
        if (!st)
            st = move(n, k, &gain, &shorts);
        s->iterations += passes;
        last = norm;
    }
    return st;
}

/* Number of parallel sums: as many as pay for this count of numbers. */
static size_t count_parts(const fxi_source *s)
{
    size_t parts = s->numbers / (4 * (s->features + 1)) + 1;

    if (parts > FXI_NEWTON_PARTS)
        parts = FXI_NEWTON_PARTS;
    return parts < s->blocks ? parts : s->blocks ? s->blocks : 1;
}

/* Doubles: of the factor, and of vectors. */
static bool count_numbers(size_t *factor, size_t *vectors, size_t rows, size_t features,
                          size_t parts)
{
    bool square = features < HESSIAN && features <= rows;
    size_t more;

    *factor = square ? fxi_fit_newton_hessian_size(features) : 0;
    return fxi_size_mul(&more, features + 1, 9 + 3 * parts) && fxi_size_mul(vectors, 4, rows)
           && fxi_size_add(vectors, *vectors, more);
}

bool fxi_fit_newton_bytes(size_t *bytes, size_t rows, size_t features)
{
    size_t factor, vectors, parts = rows / 4 + 1;

    return count_numbers(&factor, &vectors, rows, features,
                         parts < FXI_NEWTON_PARTS ? parts : FXI_NEWTON_PARTS)
           && fxi_size_add(&vectors, vectors, factor)
           && fxi_size_mul(bytes, vectors, sizeof(double));
}

fx_status fxi_fit_newton(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    const fxi_source *z = p->source;
    size_t parts = count_parts(z), m = z->features + 1, factor, vectors, bytes;
    fxi_newton n = {.p = p, .how = fxi_parallel_run(run, (double)z->rows * (double)z->features),
                    .simd = fxi_simd_get(), .d = z->features, .parts = parts,
                    .penalised = z->features + (p->intercept == FXI_APPENDED)};
    size_t threads = (size_t)fxi_parallel_threads(&n.how, parts);
    fx_status st;

    if (!count_numbers(&factor, &vectors, z->rows, z->features, parts)
        || !fxi_size_add(&bytes, vectors, factor) || !fxi_size_mul(&bytes, bytes, sizeof(double))
        || !fxi_size_add(&bytes, bytes, threads * z->buffer * sizeof(float)))
        return fxi_error(FX_ESHAPE, "%zu rows are too many", z->rows);
    if ((st = fxi_memory_check(run, bytes, "Newton's method")))
        return st;
    double *space = fxi_zalloc(vectors, sizeof *space);
    n.factored = s->factor && *s->factor;
    n.L = n.factored ? *s->factor : factor ? fxi_alloc(factor, sizeof *n.L) : NULL;
    n.buffer = fxi_alloc(threads * z->buffer, sizeof *n.buffer);
    st = FX_ENOMEM;
    if (space && n.buffer && (n.L || !factor)) {
        n.w = space, n.g = n.w + m, n.h = n.g + m, n.M = n.h + m;
        krylov k = {n.M + m, n.M + 2 * m, n.M + 3 * m, n.M + 4 * m, n.M + 5 * m};
        n.part = k.z + m;
        n.f = n.part + 3 * parts * m, n.D = n.f + z->rows;
        n.q = n.D + z->rows, n.move = n.q + z->rows;
        memcpy(n.w, s->w, n.d * sizeof *n.w);
        n.w[n.d] = p->intercept == FXI_NONE ? 0 : s->b;
        if (n.factored)                 /* of another Hessian: half of its time is over */
            n.spent = (size_t)fxi_fit_newton_hessian_cost(&n);
        st = iterate(&n, &k, s);
    }
    free(space);
    if (s->factor)
        *s->factor = n.factored ? n.L : NULL;
    if (!s->factor || !n.factored)
        free(n.L);
    free(n.buffer);
    return st;
}
