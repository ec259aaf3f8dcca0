/* SPDX-License-Identifier: BSD-3-Clause
 * smo.c - sequential minimal optimisation: kernel machines with hinge or epsilon-insensitive loss.
 *
 * One dual for both, over the rows with c > 0:
 *   min over beta of 0.5 beta' K beta - y' beta + epsilon |beta|_1, sum beta = 0, lo <= beta <= hi
 * hinge: epsilon = 0, beta_i between 0 and c_i y_i; insensitive: between -c_i and c_i.  With e = y
 * - K beta, up_i = e_i -+ epsilon is the gain per unit of raising beta_i, down_i the cost per unit
 * of lowering it.  A step (smo_step.c) raises one beta and lowers another.  At the optimum
 * max up <= min down; the difference is the violation that tol bounds.
 *
 * Stages: from zeros, betas of support vectors would run to their bounds one by one while f swings
 * far beyond y.  So the problem is first solved roughly for c / 64, c / 16 and c / 4; from one to
 * the next, betas and f are multiplied by 4.  That halves the steps, and rows of the kernel
 * matrix are computed twice instead of ten times where few of them fit into the cache.
 *
 * Rounds: inactive variables leave the active set every 1000 steps (smo_shrink.c), and e is updated
 * with float rows of K (smo_cache.c).  A round ends when the violation of the active variables has
 * fallen to a tenth, or after many steps; then e of all variables is recomputed in double precision
 * (smo_gap.c), and variables that became active return.  So the end is exact: rounding costs more
 * rounds, each shorter than the one before, not accuracy.  Longer rounds would waste steps on the
 * wrong active variables.
 *
 * Cost: a step is at most 60 bytes of memory traffic for an active variable, a row that is not
 * cached m kernel values, a round n kernel values for each support vector.  Memory: 52 bytes per
 * variable and the cache, all within p->cache.
 *
 * Accuracy: steps cannot get below a violation of about 2^-24 max K sum |beta| where rows of K are
 * dependent; a tol below it ends unconverged, once the dual no longer grows.
 *
 * Platt (1998), Sequential minimal optimization; Fan, Chen, Lin (2005), Working set selection using
 * second order information; Joachims (1998), Making large-scale SVM learning practical. */

#include "fit/smo.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    ROWS = 4,                           /* cached, at least: see apply in smo_step.c */
    BYTES = 52,                         /* of a variable */
    IDLE = 20                           /* rounds without gain before the end: rounding error */
};
static const double NEXT = 1e-6, NOISE = 1e-12; /* to nothing, of the gap and of the dual */
static const double FIRST_BOUND_SCALE = 1.0 / 64, BOUND_GROWTH = 4; /* of each stage after it */
static const double STAGE = 0.1, ROUND = 0.1;     /* share of the violation that one may leave */
static const double SLACK = 0.9;        /* of tol: the rest is for rounding */

static double violation(const fxi_smo *d) { return d->top - d->bottom; }

/* ---- Stages ---------------------------------------------------------------------------------- */
/* Multiplies the bounds by `by`: betas at a bound stay at the bound, others are multiplied too, and
 * so is f = y - e. */
static void grow_bounds(fxi_smo *d, double by)
{
    const fxi_problem *p = d->p;

    d->bound_scale *= by;
    for (size_t k = 0; k < d->n; k++) {
        size_t i = (size_t)d->row[k];
        d->s->beta[i] *= by;            /* a power of 2: no rounding, at bounds neither */
        d->e[k] = p->y[i] - by * (p->y[i] - d->e[k]);
        fxi_fit_smo_step_offsets(d, k);
    }
    fxi_fit_smo_step_scan(d, d->n);
}

static fx_status stages(fxi_smo *d)
{
    fx_status st = FX_OK;

    for (; d->bound_scale < 1;
         grow_bounds(d, d->s->iterations < d->p->max_iter ? BOUND_GROWTH : 1)) {
        double end = fmax(STAGE * violation(d), d->p->tol);
        while (violation(d) > end && d->s->iterations < d->p->max_iter)
            if (fxi_parallel_cancelled(d->team) || (st = fxi_fit_smo_step(d, end)))
                return st ? st : FX_ECANCELLED;
        if (d->s->iterations >= d->p->max_iter)
            d->bound_scale = 1;         /* no steps are left to repair rescaled betas */
    }
    return FX_OK;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */
static fx_status steps(fxi_smo *d)
{
    size_t every = d->n < 1000 ? d->n : 1000, max_steps = 10 * (d->n < 10000 ? 10000 : d->n);
    size_t first = d->s->iterations, shrunk = first, limit = d->p->max_iter;
    double end = fmax(SLACK * d->p->tol, ROUND * violation(d));
    fx_status st = FX_OK;

    if (limit - first > max_steps)
        limit = first + max_steps;
    while (!st && violation(d) > end && d->s->iterations < limit) {
        if (fxi_parallel_cancelled(d->team))
            return FX_ECANCELLED;
        if (d->s->iterations - shrunk >= every) {
            st = fxi_fit_smo_shrink(d);
            shrunk = d->s->iterations;
        }
        if (!st)
            st = fxi_fit_smo_step(d, end);
    }
    return st;
}

static fx_status round_of_steps(fxi_smo *d)
{
    fx_status st = fxi_fit_smo_shrink_not(d);

    if (!st && !(st = steps(d)))
        st = fxi_fit_smo_gap(d);
    return st;
}

static fx_status rounds(fxi_smo *d)
{
    const fxi_problem *p = d->p;
    fxi_solution *s = d->s;
    double min_violation = HUGE_VAL, max_dual = -HUGE_VAL;
    fx_status st = fxi_fit_smo_gap(d);

    if (!st && violation(d) > p->tol && d->bound_scale < 1 && !(st = stages(d)))
        st = round_of_steps(d);
    for (int idle = 0; !st; st = round_of_steps(d)) {
        double now = violation(d);
        s->converged = now <= p->tol;
        bool better = now < 0.9 * min_violation
                      || d->dual > max_dual + NEXT * d->gap + NOISE * fabs(max_dual);
        idle = better ? 0 : idle + 1;
        min_violation = fmin(now, min_violation);
        max_dual = fmax(d->dual, max_dual);
        if ((p->step && (st = p->step(p->ctx, s))) || s->converged || idle > IDLE
            || s->iterations >= p->max_iter)
            break;
    }
    return st;
}

/* ---- The start ------------------------------------------------------------------------------- */
/* Starts from the given betas if they are feasible; else from zeros, with stages. */
static void start_beta(fxi_smo *d)
{
    const fxi_problem *p = d->p;
    double sum = 0, all = 0, *beta = d->s->beta;
    bool inside = true;

    d->bound_scale = 1;
    for (size_t i = 0; i < p->source->rows; i++) {
        if (p->c[i] > 0) {
            inside = inside && beta[i] >= fxi_fit_smo_step_lower(d, i)
                     && beta[i] <= fxi_fit_smo_step_upper(d, i);
            sum += beta[i];
            all += fabs(beta[i]);
        } else {
            beta[i] = 0;
        }
    }
    if (inside && all > 0 && fabs(sum) <= 1e-9 * all)
        return;
    d->bound_scale = FIRST_BOUND_SCALE;
    for (size_t i = 0; i < p->source->rows; i++)
        beta[i] = 0;
}

static fx_status start(fxi_smo *d)
{
    const fxi_problem *p = d->p;
    double max_diagonal = 0;
    fx_status st;

    start_beta(d);
    for (size_t i = 0, k = 0; i < p->source->rows; i++)
        if (p->c[i] > 0)
            d->row[k++] = (int32_t)i;
    d->scale = p->loss->regress && p->epsilon > 0 ? p->epsilon : 1;
    if ((st = fxi_kernel_rows_diagonal(d->weight, p->kernel,
                                       (fxi_row_subset){p->source->X, d->row, d->n}, &d->run)))
        return st;
    for (size_t k = 0; k < d->n; k++) {
        fxi_fit_smo_step_offsets(d, k);
        d->diagonal[k] = (float)d->weight[k];
        max_diagonal = fmax(max_diagonal, fabs(d->weight[k]));
        d->s->indefinite |= d->weight[k] < 0;
    }
    d->tau = fmax(1e-12 * max_diagonal, FLT_MIN);
    fxi_fit_smo_cache_start(d);
    d->set->n = d->set->retained = 0;
    return FX_OK;
}

static fx_status solve(void *ctx, size_t block, fxi_team *team)
{
    fxi_smo *d = ctx;
    fx_status st;

    (void)block;
    d->team = team;
    d->run = fxi_parallel_alone(&d->run, team);
    st = start(d);
    return st ? st : rounds(d);
}

/* ---- Memory ---------------------------------------------------------------------------------- */
/* All but the pool of rows, and the smallest pool. */
static bool min_bytes(size_t *fixed, size_t *pool, size_t n)
{
    size_t N = fxi_smo_round(n), sum;

    return N >= n && fxi_size_mul(fixed, N, BYTES)
           && fxi_size_add(fixed, *fixed, sizeof(fxi_smo_set))
           && fxi_size_mul(pool, N, ROWS * sizeof(float)) && fxi_size_add(&sum, *fixed, *pool);
}

bool fxi_fit_smo_bytes(size_t *bytes, size_t rows)
{
    size_t fixed, pool;

    return min_bytes(&fixed, &pool, rows) && fxi_size_add(bytes, fixed, pool);
}

/* The pool: what is left of the cache after the scratch of kernels, but at most all rows. */
static size_t pool_bytes(const fxi_smo *d, size_t fixed, size_t pool)
{
    size_t scratch = 2 * fxi_kernel_rows_bytes(d->p->kernel, d->p->source->X, &d->run), all;
    uint64_t cache = d->p->cache;

    if (!fxi_size_mul(&all, fxi_smo_round(d->n) * sizeof(float), d->n) || all > cache)
        all = cache < SIZE_MAX ? (size_t)cache : SIZE_MAX;
    if (cache < fixed || cache - fixed < scratch || cache - fixed - scratch < pool)
        return pool;
    cache -= fixed + scratch;
    return all < pool ? pool : all < cache ? all : (size_t)cache;
}

/* One piece of memory as arrays of N items each, a multiple of 16. */
static void carve_arrays(fxi_smo *d, void *memory, size_t N)
{
    fxi_smo_set *set = memory;
    double *wide = (double *)(set + 1);
    int32_t *narrow = (int32_t *)(wide + 3 * N);

    d->set = set;
    d->e = wide;
    d->weight = wide + N;
    d->stamp = (uint64_t *)(wide + 2 * N);
    d->row = narrow;
    d->support = narrow + N;
    d->slot = narrow + 2 * N;
    d->owner = narrow + 3 * N;
    d->up = (float *)(narrow + 4 * N);
    d->down = d->up + N;
    d->diagonal = d->down + N;
}

fx_status fxi_fit_smo(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    fxi_smo d = {.p = p, .s = s, .simd = fxi_simd_get(), .run = fxi_sized_run(run)};
    size_t rows = p->source->rows, fixed, pool;
    void *memory = NULL;
    fx_status st;

    for (size_t i = 0; i < rows; i++)
        d.n += p->c[i] > 0;
    d.m = d.n;
    if (rows > INT32_MAX || !min_bytes(&fixed, &pool, d.n))
        return fxi_error(FX_ESHAPE, "%zu rows are too many for a kernel machine", rows);
    pool = pool_bytes(&d, fixed, pool);
    if ((st = fxi_memory_check(run, fixed + pool, "the cache of kernel rows")))
        return st;
    s->iterations = 0;
    s->converged = s->indefinite = false;
    d.floats = pool / sizeof *d.pool;
    st = FX_ENOMEM;
    if ((memory = fxi_alloc(fixed, 1)) && (d.pool = fxi_alloc(pool, 1))) {
        carve_arrays(&d, memory, fxi_smo_round(d.n));
        st = fxi_parallel_ordered(1, solve, &d, run);
    }
    free(memory), free(d.pool);
    return st;
}
