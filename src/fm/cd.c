/* SPDX-License-Identifier: BSD-3-Clause
 * cd.c - coordinate descent: b, w, then block by block, eight components at a time, each factor,
 * their lambdas, and the thetas.
 *
 * All models but poly-net are linear in one coordinate u: f(u + step) = f(u) + step g.  With losses
 * whose second derivative is at most mu, the step
 *
 *   -(sum_i c_i slope_i g_i / W + beta u) / (mu sum_i c_i g_i^2 / W + beta)
 *
 * minimises a quadratic function that lies nowhere below the objective and touches it at u: the
 * objective never rises, and for the squared loss the step is the exact minimiser.  cd_lanes.c
 * takes eight such steps at once.
 *
 * An iteration costs O(m) for each entry and component (cd_anova.c); memory is O(m) cache lines per
 * row, because only eight components' state is stored, the rows in both orders (cd_columns.c), and
 * a copy of v.
 *
 * Rounding.  Steps use scores that are updated, not recomputed, so errors add up; after iterations
 * 1, 2, 4, 8, .. scores are computed from scratch, and so is the last objective.  Derivatives by
 * deletion have errors relative to lambda times the largest product of a row.  Without penalties,
 * factors or a learned lambda may grow to 1e9 or 1e40 while others shrink, and these errors exceed
 * the scores; so with learned lambdas, or factors above LARGE, scores are recomputed for the
 * objective of every iteration.  An iteration that raises the objective is undone and is the last:
 * the fit has converged if the rise is within tol, else rounding stopped it. */

#include "fm/cd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 10;         /* of a factor */

/* ---- What is visited ---------------------------------------------------------------------- */

static void choose_linear(fxi_fm_descent *d)
{
    d->block = NULL;
    d->model = &fxi_fm_cd_linear;
    d->factor = d->v + d->fm->w;
    d->factor_stride = 1;
    d->front = d->fm->front;
}

static const fxi_fm_cd_model *model_of(const fxi_fm *fm)
{
    return fm->group                    ? &fxi_fm_cd_groups
           : fm->kind == FXI_FM_SUBSETS ? &fxi_fm_cd_subsets
           : fm->kind == FXI_FM_POWER   ? &fxi_fm_cd_power
                                        : &fxi_fm_cd_anova;
}

/* Components that are visited together. */
static size_t lanes_of(const fxi_fm *fm) { return model_of(fm)->lanes; }

/* Lines of lanes for a row: of order 2, e_1 alone; else also a. */
static size_t stride_of(const fxi_fm *fm, const fxi_fm_block *b)
{
    return fm->kind == FXI_FM_SUBSETS || fm->kind == FXI_FM_POWER || (b->order == 2 && !fm->group)
               ? 1
               : (size_t)b->order;
}

/* Components s.. of block g, s a multiple of their number. */
static void choose_components(fxi_fm_descent *d, size_t g, size_t s)
{
    const fxi_fm *fm = d->fm;
    size_t n = lanes_of(fm);

    d->block = &fm->block[g];
    d->model = model_of(fm);
    d->stride = stride_of(fm, d->block);
    d->m = d->block->order;
    d->theta = fm->kind == FXI_FM_SIMPLEX ? d->v + d->block->theta : NULL;
    d->guard = 1 + pow(1e3, -1. / (d->m > 1 ? d->m - 1 : 1));
    d->factor = d->v + fxi_fm_at(fm, g, s, 0);
    d->factor_stride = FXI_LANES;
    d->front = 0;
    d->from = 0;
    d->upto = (int)(fm->rank - s < n ? fm->rank - s : n);
    for (int k = 0; k < FXI_FM_CD_LANES; k++)
        d->lambda[k] = k < d->upto ? d->v[d->block->lambda + s + (size_t)k] : 0;
}

static void build_span(fxi_fm_descent *d, size_t b, size_t first, size_t last)
{
    (void)b;
    d->model->build(d, first, last);
}

static void sweep(fxi_fm_descent *d, size_t first, size_t last)
{
    if (d->block)
        fxi_fm_cd_sweep_rows(d, build_span);
    if (d->stop)
        return;
    if (d->model == &fxi_fm_cd_groups)
        fxi_fm_cd_groups_sweep(d, first, last);
    else
        for (size_t j = first; j < last; j++) {
            fxi_fm_cd_sweep_column(d, j);
            if (fxi_fm_cd_sweep_stopped(d, d->model->lanes > 1 ? 0 : d->R.top[j + 1] - d->R.top[j]))
                break;
        }
    fxi_fm_cd_sweep_finish(d);
}

/* ---- Iterations --------------------------------------------------------------------------- */

static void compute_scores(fxi_fm_descent *d)
{
    fxi_fm_cd_shared_start(d);
    for (size_t g = 0; g < d->fm->blocks; g++)
        for (size_t s = 0; s < d->fm->rank && !d->stop; s += lanes_of(d->fm)) {
            choose_components(d, g, s);
            fxi_fm_cd_shared_add(d);
        }
}

static double objective(fxi_fm_descent *d)
{
    return fxi_fm_cd_shared_loss(d) / d->W + fxi_fm_penalty(d->fm, d->v);
}

/* The same for recomputed scores, which are not stored: steps continue from the updated ones. */
static double fresh_objective(fxi_fm_descent *d)
{
    double *r = d->r, *slope = d->slope;

    d->r = d->fresh;
    d->slope = NULL;
    compute_scores(d);
    double value = objective(d);
    d->r = r;
    d->slope = slope;
    return value;
}

/* Updated scores have errors relative to the products of factors and lambda, which may be far
 * larger than the scores: then the objective needs recomputed ones. */
static bool drifts(const fxi_fm_descent *d)
{
    const fxi_fm *fm = d->fm;

    for (size_t i = fm->block[0].P; i < fm->size; i++)
        if (fabs(d->v[i]) > LARGE)
            return true;
    return fm->how == FXI_FM_LEARNED;
}

static fx_status visit_block(fxi_fm_descent *d, size_t g)
{
    fx_run how = fxi_parallel_alone(d->run, d->team);
    fx_status st = FX_OK;

    for (size_t s = 0; s < d->fm->rank && !d->stop; s += lanes_of(d->fm)) {
        choose_components(d, g, s);
        sweep(d, 0, d->fm->cols);
        if (d->fm->how == FXI_FM_LEARNED && !d->stop)
            fxi_fm_cd_shared_lambda(d, &d->v[d->block->lambda + s]);
    }
    if (d->fm->kind == FXI_FM_SIMPLEX && !d->stop) {
        fxi_fm_cd_sweep_restore(d->mode);
        st = fxi_fm_simplex(d->v, d->p, &how);
        fxi_fm_cd_sweep_flush();
        if (!st)
            compute_scores(d);
    }
    return st;
}

static fx_status iterate(fxi_fm_descent *d)
{
    fx_status st = FX_OK;

    if (d->fm->intercept)
        fxi_fm_cd_shared_intercept(d);
    if (d->fm->linear && !d->stop) {
        choose_linear(d);
        sweep(d, d->fm->front, d->fm->front + d->fm->given);
    }
    for (size_t g = 0; g < d->fm->blocks && !d->stop && !st; g++)
        st = visit_block(d, g);
    return st;
}

/* Iteration k from s->objective on; undone if it is interrupted or raises the objective. */
static fx_status try_iteration(fxi_fm_descent *d, fxi_fm_state *s, size_t k, double start)
{
    double was = s->objective, now = was, tol = d->p->tol * was;
    double noise = 1e-12 * was + 1e-20 * start; /* exact fit: squares of rounding errors */
    fx_status st;

    memcpy(d->saved, d->v, d->fm->size * sizeof *d->v);
    if ((st = iterate(d)))
        return st;
    bool computed = (k & (k - 1)) == 0;
    if (computed)
        compute_scores(d);
    if (!d->stop)
        now = !computed && drifts(d) ? fresh_objective(d) : objective(d);
    if (d->stop || !(now <= was)) {
        memcpy(d->v, d->saved, d->fm->size * sizeof *d->v);
        s->rounded = !d->stop && !(now - was <= fmax(tol, noise));
        s->converged = !d->stop && !s->rounded;
        return FX_OK;
    }
    s->iterations++;
    s->objective = now;
    s->converged = was - now <= tol;
    fxi_fm_cd_sweep_restore(d->mode);
    st = d->p->step ? d->p->step(d->p->ctx, s) : FX_OK;
    fxi_fm_cd_sweep_flush();
    s->converged |= st > 0;
    return st < 0 ? st : FX_OK;
}

static fx_status iterations(fxi_fm_descent *d, fxi_fm_state *s)
{
    const fxi_fm_problem *p = d->p;
    fx_status st = FX_OK;

    compute_scores(d);
    double start = objective(d);
    s->converged = s->rounded = false;
    if (d->stop)
        return FX_OK;
    s->objective = start;
    if (!isfinite(start))
        return fxi_error(FX_ENUMERIC, "the objective is %g at the start: columns need scaling",
                         start);
    for (size_t k = 1; k <= p->max_iter && !st; k++) {
        st = try_iteration(d, s, k, start);
        if (s->converged || s->rounded || d->stop)
            break;
    }
    if (st || d->stop || !p->max_iter)
        return st;
    double last = fresh_objective(d);
    s->objective = d->stop ? s->objective : last;
    return FX_OK;
}

/* ---- Memory, start, end ------------------------------------------------------------------- */

/* Most lines of a row. */
static size_t lines_of(const fxi_fm *fm)
{
    size_t n = 0;

    for (size_t g = 0; g < fm->blocks; g++) {
        size_t own = stride_of(fm, &fm->block[g]);
        n = own > n ? own : n;
    }
    return n;
}

bool fxi_fm_cd_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X)
{
    size_t entries = X->ptr ? (size_t)(X->ptr[X->rows] - X->ptr[0]) : 0, rows, cols, numbers;

    return (X->ptr || fxi_size_mul(&entries, X->rows, X->cols))
           && fxi_size_mul(&entries, entries, fm->group ? 36 : 24)
           && fxi_size_mul(&rows, X->rows, 53 + FXI_FM_CD_LANES * sizeof(double) * lines_of(fm))
           && fxi_size_mul(&cols, fm->cols, fm->group ? 24 : 12)
           && fxi_size_mul(&numbers, fm->size, sizeof(double)) && fxi_size_add(bytes, entries, rows)
           && fxi_size_add(bytes, *bytes, cols) && fxi_size_add(bytes, *bytes, numbers);
}

static fx_status open_fit(fxi_fm_descent *d, const fxi_fm_problem *p, fxi_team *team)
{
    fx_status st = fxi_fm_cd_columns(&d->R, p, team);

    d->p = p;
    d->fm = p->fm;
    d->team = team;
    d->simd = fxi_simd_get();
    d->loss = p->loss == &fxi_loss_squared    ? FXI_FM_CD_SQUARED
              : p->loss == &fxi_loss_logistic ? FXI_FM_CD_LOGISTIC
                                              : FXI_FM_CD_HINGE;
    d->mu = fxi_fm_curve(p->loss);
    for (size_t i = 0; i < p->X->rows; i++)
        d->W += p->c[i];
    if (st)
        return st;
    size_t n = d->R.rows, lines;
    if (!fxi_size_mul(&lines, n, lines_of(d->fm) * FXI_FM_CD_LANES)
        || !(d->r = fxi_alloc(n, sizeof *d->r)) || !(d->fresh = fxi_alloc(n, sizeof *d->fresh))
        || !(d->saved = fxi_alloc(d->fm->size, sizeof *d->saved))
        || !(d->scale = fxi_alloc(n, sizeof *d->scale))
        || !(d->slope = d->loss == FXI_FM_CD_SQUARED ? d->r : fxi_alloc(n, sizeof *d->slope))
        || !(d->e0 = fxi_alloc(n, sizeof *d->e0)) || !(d->E = fxi_alloc(lines, sizeof *d->E))
        || !(d->bad = fxi_alloc(d->R.blocks * (d->R.step / FXI_FM_CD_PIECE + 1), sizeof *d->bad))
        || !(d->part = fxi_zalloc(d->R.blocks, sizeof *d->part)))
        return FX_ENOMEM;
    return fxi_threadpool_new(&d->pool, d->run);
}

static void close_fit(fxi_fm_descent *d)
{
    fxi_threadpool_free(d->pool);
    fxi_fm_cd_columns_free(&d->R);
    if (d->slope != d->r)
        free(d->slope);
    fxi_free(d->r, d->fresh, d->saved, d->scale, d->e0, d->E, d->bad, d->part);
}

/* A number of v by its place: b, w, factors, lambda. */
static void visit_number(fxi_fm_descent *d, size_t at)
{
    const fxi_fm *fm = d->fm;

    compute_scores(d);
    if (at == 0)
        fxi_fm_cd_shared_intercept(d);
    else if (fm->linear && at < fm->w + fm->given) {
        choose_linear(d);
        sweep(d, fm->front + at - fm->w, fm->front + at - fm->w + 1);
    } else
        for (size_t g = 0, n = lanes_of(fm); g < fm->blocks; g++)
            for (size_t s = 0; s < fm->rank; s++) {
                choose_components(d, g, s - s % n);
                d->from = (int)(s % n);
                d->upto = d->from + 1;
                if (at == d->block->lambda + s)
                    fxi_fm_cd_shared_lambda(d, &d->v[at - s % n]);
                for (size_t j = 0; j < fm->cols; j++)
                    if (at == fxi_fm_at(fm, g, s, j))
                        sweep(d, j, j + 1);
            }
}

typedef struct fit {
    fxi_fm_state *s;
    const fxi_fm_problem *p;
    const fx_run *run;
    const size_t *at;                   /* a number alone, or NULL */
} fit;

static fx_status fit_team(void *ctx, size_t block, fxi_team *team)
{
    const fit *a = ctx;
    fxi_fm_descent d = {.v = a->s->v, .run = a->run, .mode = fxi_fm_cd_sweep_flush()};
    fx_status st = open_fit(&d, a->p, team);

    (void)block;
    if (!st && a->at)
        visit_number(&d, *a->at);
    else if (!st)
        st = iterations(&d, a->s);
    close_fit(&d);
    fxi_fm_cd_sweep_restore(d.mode);
    return st;
}

fx_status fxi_fm_cd(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run)
{
    fit a = {s, p, run, NULL};
    size_t bytes;
    fx_status st;

    if (!fxi_fm_cd_bytes(&bytes, p->fm, p->X))
        return fxi_error(FX_ESHAPE, "%zu rows are too many for coordinate descent", p->X->rows);
    if ((st = fxi_memory_check(run, bytes, "coordinate descent")))
        return st;
    return fxi_parallel_ordered(1, fit_team, &a, run);
}

fx_status fxi_fm_cd_coordinate(double *v, const fxi_fm_problem *p, size_t at, const fx_run *run)
{
    fxi_fm_state s = {.v = v};
    fit a = {&s, p, run, &at};

    return fxi_parallel_ordered(1, fit_team, &a, run);
}
