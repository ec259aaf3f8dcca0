/* SPDX-License-Identifier: BSD-3-Clause
 * dual.c - dual coordinate descent for the losses with a closed step: hinge, squared hinge,
 * epsilon-insensitive, squared.
 *
 * An iteration is a pass over the rows, each step maximising the dual over one beta.
 * Rows at a bound that would stay there are inactive until the next measurement of the gap
 * (dual_gap.c), which needs all scores.  A pass gives an estimate of the gap from its own rows.
 * Multiplied by the ratio of gap and estimate at the last measurement, it predicts when to measure
 * next: when the gap has reached the tolerance or fallen to a tenth, at the latest after five
 * visits per row or 50 passes.  A caller that can use another solver sets patience: the fit ends,
 * stalled, once it predicts more visits per row than that.
 *
 * An intercept couples all rows.  As a constant feature of the size of the others it slows
 * coordinate descent tenfold; so it is held near a center with a small rho (dual.h), and the center
 * is moved by secant steps until the betas sum to 0 (free) or to b (appended): this finds the root
 * of a function that falls with the center, at least as fast as the proximal point method.  No
 * intercept: rho 0, center 0.
 *
 * Cost: a pass is at most 4 floating point operations for each stored number.  It needs few passes
 * if rows are short and C is small, and very many if columns differ in scale: use proximal.c for
 * these.  (Extrapolating passes, as in conjugate gradients, saved none of the first 20.) Memory:
 * 17.5 bytes per row (25 where all rows are one block) plus 8 per feature.  Accuracy: w is updated
 * and never recomputed; its error is a few roundings for each pass.
 *
 * Hsieh, Chang, Lin, Keerthi, Sundararajan (2008), A dual coordinate descent method for large-scale
 * linear SVM; Rockafellar (1976), Monotone operators and the proximal point algorithm. */

#include "fit/dual.h"

#include <string.h>

/* A row is inactive if it would stay at its bound even if its score moved by this share of the
 * pass's largest violation.  With a smaller share rows return too late, with a larger one too few
 * become inactive. */
static const double INACTIVE_SHARE = 0.2;

/* ---- The center of the intercept ------------------------------------------------------------- */
typedef struct root {
    double scale;                       /* first step: so much for a unit of imbalance */
    double seen;                        /* imbalance after the last pass */
    double center, off, step;           /* of the last move: from where, imbalance there, how far */
} root;

/* A secant step, once the imbalance is steady and the rows are about as good as it. */
static void recenter(fxi_dual *d, root *r)
{
    double off = d->sum - (d->p->intercept == FXI_APPENDED ? fxi_dual_b(d) : 0);
    double fall = (r->off - off) / (d->center - r->center), step = r->scale * off;
    bool steady = fabs(off - r->seen) <= 0.1 * fabs(off);

    if (r->step > 0)
        step = fall > 0 ? fmax(fmin(off / fall, 2 * r->step), -2 * r->step)
                        : copysign(2 * r->step, off);
    if (fabs(step) < d->rho * fabs(off))
        step = d->rho * off;            /* of the proximal point method: never too far */
    r->seen = off;
    if (off == 0 || !steady || d->residual > 100 * fabs(off * step))
        return;
    *r = (root){r->scale, off, d->center, off, fabs(step)};
    d->center += step;
}

/* ---- The start ------------------------------------------------------------------------------- */
/* t put into the domain of beta_i: a step of no length. */
static double clip(const fxi_dual *d, size_t i, double t)
{
    const fxi_problem *p = d->p;

    return p->c[i] > 0 ? p->loss->step(p->y[i], t, 0, HUGE_VAL, p->c[i], p->epsilon) : 0;
}

static void start_row(void *ctx, size_t i, const fxi_row *z)
{
    fxi_dual *d = ctx;
    double beta = d->s->beta[i] = clip(d, i, d->s->beta[i]);

    d->q[i] = fxi_fit_row_square(*z, d->simd);
    d->sum += beta;
    if (beta != 0)
        fxi_fit_row_add(d->s->w, beta, *z, d->simd);
}

/* Moves the given betas into their domains, computes w from them, and takes the best intercept for
 * it as the center. */
static fx_status start(fxi_dual *d, root *r)
{
    const fxi_problem *p = d->p;
    fxi_solution *s = d->s;
    double q = 0, all = 0, spread = 0;
    fx_status st;

    memset(s->w, 0, d->features * sizeof *s->w);
    d->center = p->intercept == FXI_NONE ? 0 : s->b;
    if ((st = fxi_fit_source_rows(p->source, start_row, d, d->run)) || (st = fxi_fit_dual_gap(d)))
        return st;
    if (p->intercept == FXI_NONE)
        return FX_OK;
    for (size_t i = 0; i < d->n; i++) {
        q += p->c[i] * d->q[i];
        spread += p->c[i] * fabs(p->y[i] - d->f[i] - s->b);
        all += p->c[i];
    }
    q = q > 0 ? q / all : 1;
    r->scale = spread > 0 ? spread / (all * all) : 0;
    d->rho = fmax(q * fmin(10 / (double)d->n, 1), r->scale);
    if (p->intercept == FXI_APPENDED)   /* 0.5 b^2 and the term of the center, in one */
        d->rho /= 1 + d->rho;
    d->center = s->b - d->rho * d->sum;
    return FX_OK;
}

/* ---- A pass ----------------------------------------------------------------------------------
 * Runs of 16 rows are visited in a seeded order, each from its first row on; if all rows are one
 * block, and in the cache, rows follow one another from a seeded one on.  Shorter runs would save
 * few passes, longer ones would cost many: rows that always have the same neighbours undo each
 * other's steps (with runs of 1, 16, 64 and 210 rows of norm 1, squared hinge took 11, 13, 26 and
 * 43 passes).  Upwards, memory is read nearly as fast as without jumps; downwards, or in random
 * order, at half that rate.  Several steps per row while a block is in the cache were tried and
 * gained nothing: slow convergence comes from rows of different blocks that depend on each other.
 * Cost: two reads of the row for a step that changes beta, one otherwise. */

/* beta_i after an exact step at score f.  For a row of zeros q is next to 0, and the step ends
 * where its loss alone is best; divisions stay finite. */
static double step(const fxi_dual *d, size_t i, double f)
{
    const fxi_problem *p = d->p;
    double q = d->q[i] + d->rho;

    return p->loss->step(p->y[i], d->s->beta[i], f, q > 1e-100 ? q : 1e-100, p->c[i], p->epsilon);
}

/* True if row i is at a bound and stays there however its score changes within +-limit, or if it
 * has no weight. */
static bool is_inactive(const fxi_dual *d, size_t i, double f)
{
    double beta = d->s->beta[i];

    return d->p->c[i] <= 0
           || (step(d, i, f - d->limit) == beta && step(d, i, f + d->limit) == beta);
}

static void visit(fxi_dual *d, fxi_row r, size_t i)
{
    double beta = d->s->beta[i], f = fxi_fit_row_dot(r, d->s->w, d->simd) + fxi_dual_b(d);
    double to = step(d, i, f), change = to - beta;

    d->residual += fxi_dual_residual(d, i, f);
    if (change != 0) {
        d->max_violation = fmax(d->max_violation, fabs(change) * (d->q[i] + d->rho));
        fxi_fit_row_add(d->s->w, change, r, d->simd);
        d->s->beta[i] = to;
        d->sum += change;
    } else
        d->inactive[i] = is_inactive(d, i, f);
}

static fx_status visit_run(fxi_dual *d, size_t first, const fx_run *how, fxi_team *team)
{
    const fxi_source *s = d->p->source;
    size_t left = s->rows - first, m = left < d->length ? left : d->length;
    bool long_rows = s->block < 64;     /* short ones take less time than reading the clock */
    bool visited[FXI_LANES], any = false;
    fx_matrix Z;
    fx_status st;

    for (size_t r = 0; r < m; r++)
        any |= visited[r] = d->p->c[first + r] > 0 && !d->inactive[first + r];
    if (!any || (st = fxi_fit_source_run(&Z, s, first, m, d->buffer, how)))
        return any ? st : FX_OK;
    for (size_t r = 0; r < m && !(long_rows && fxi_parallel_cancelled(team)); r++)
        if (visited[r]) {
            visit(d, fxi_data_row(&Z, r), first + r);
            d->visits++;
        }
    return FX_OK;
}

/* As many runs as make a block. */
static fx_status pass_part(void *ctx, size_t part, fxi_team *team)
{
    fxi_dual *d = ctx;
    size_t runs = d->p->source->block / d->length, end = (part + 1) * runs;
    fx_run how = fxi_parallel_nested(d->run, team);
    fx_status st = FX_OK;

    end = end < d->runs ? end : d->runs;
    for (size_t k = part * runs; k < end && !st; k++) {
        if (k % FXI_LANES == 0 && fxi_parallel_cancelled(team))
            break;                      /* fxi_parallel reports it */
        st = visit_run(d, d->order[k] * d->length, &how, team);
    }
    return st;
}

/* Every active row, once. */
/* Rows of one block, one after the other from a seeded one on, up or down, around the end. */
static void order_rows(fxi_dual *d)
{
    uint64_t bits = fxi_rng_bits((fxi_rng){d->p->seed, FXI_FIT_ROWS}, d->k);
    size_t from = (size_t)(bits >> 1) % d->runs;

    for (size_t t = 0; t < d->runs; t++)
        d->order[t] = (bits & 1 ? from + t : from + d->runs - t) % d->runs;
}

static fx_status pass(fxi_dual *d)
{
    if (d->length == 1)
        order_rows(d);
    else
        fxi_rng_permutation(d->order, d->runs,
                            (fxi_rng){d->p->seed ^ (uint64_t)d->k << 32, FXI_FIT_BLOCKS});
    d->max_violation = d->residual = 0;
    return fxi_parallel_ordered(d->p->source->blocks, pass_part, d, d->run);
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* Predicts the visits per row until the gap is tol, from how fast it fell since the first
 * measurement.  A pass of few active rows counts as at least 0.4 visits, because it says little
 * about the others. */
static double predict_visits(const fxi_dual *d, double first)
{
    double gap = d->s->gap, fall = log(first / gap);
    double spent = fmax(d->spent / (double)d->n, 0.4 * (double)d->s->iterations);

    return fall > 0 ? spent * (1 + log(gap / d->p->tol) / fall) : INFINITY;
}

static fx_status solve(fxi_dual *d)
{
    const fxi_problem *p = d->p;
    fxi_solution *s = d->s;
    double ratio = 1, P, gap, first;
    size_t measured = 0;
    size_t least = p->source->blocks == 1 ? 50  /* passes; in the cache they cost little */
                   : d->features > d->n   ? 16  /* few rows: the first visits say little */
                                          : 0;
    root r = {0};
    fx_status st = start(d, &r);

    P = s->objective;
    gap = first = s->gap;
    s->stalled = false;
    d->limit = HUGE_VAL;
    for (d->k = 0; d->k < p->max_iter && !st && !s->converged && !s->stalled; d->k++) {
        double before = d->visits, predicted_gap;
        bool last = d->k + 1 == p->max_iter, all_inactive, stale = false;
        if ((st = pass(d)))
            break;
        s->iterations = d->k + 1;
        s->objective = s->gap = NAN;
        s->b = fxi_dual_b(d);
        d->limit = INACTIVE_SHARE * d->max_violation;
        all_inactive = d->visits == before;
        predicted_gap = ratio * d->residual / P;
        if (last || predicted_gap <= fmax(0.9 * p->tol, 0.1 * gap) || all_inactive
            || d->visits >= 5 * (double)d->n || d->k - measured == 50) {
            if ((st = fxi_fit_dual_gap(d)))
                break;
            P = s->objective;
            gap = s->gap;
            ratio = d->residual > 0 ? gap * P / d->residual : 1;
            measured = d->k;
            d->spent += d->visits;
            d->visits = 0;
            s->stalled = p->patience && !s->converged && d->k >= least
                         && predict_visits(d, first) > (double)p->patience;
            for (size_t i = 0; i < d->n; i++) {
                d->inactive[i] = is_inactive(d, i, d->f[i] + fxi_dual_b(d));
                stale |= all_inactive && !d->inactive[i];
            }
        }
        if (p->intercept != FXI_NONE && !s->converged && !stale && !last)
            recenter(d, &r);            /* stale: no row was visited with this center yet */
        if (p->step)
            st = p->step(p->ctx, s);
    }
    return st;
}

fx_status fxi_fit_dual(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    const fxi_source *from = p->source;
    size_t n = from->rows, m = from->features, numbers, bytes;
    size_t length = from->blocks > 1 ? FXI_LANES : 1;
    fxi_dual d = {.p = p, .s = s, .run = run, .simd = fxi_simd_get(), .n = n, .features = m,
                  .length = length, .runs = (n + length - 1) / length};
    fx_status st;

    if (!fxi_size_mul(&numbers, n, 2) || !fxi_size_add(&numbers, numbers, m)
        || !fxi_size_mul(&bytes, numbers, sizeof(double))
        || !fxi_size_add(&bytes, bytes,
                         n + d.runs * sizeof *d.order + from->buffer * sizeof(float)))
        return fxi_error(FX_ESHAPE, "%zu rows of %zu features are too many", n, m);
    if ((st = fxi_memory_check(run, bytes, "coordinate descent")))
        return st;
    s->iterations = 0;
    st = FX_ENOMEM;
    if ((d.q = fxi_zalloc(numbers, sizeof *d.q)) && (d.inactive = fxi_zalloc(n, 1))
        && (d.order = fxi_alloc(d.runs, sizeof *d.order))
        && (!from->buffer || (d.buffer = fxi_alloc(from->buffer, sizeof *d.buffer)))) {
        d.f = d.q + n;
        d.bound = d.f + n;
        st = solve(&d);
    }
    fxi_free(d.q, d.inactive, d.order, d.buffer);
    return st;
}
