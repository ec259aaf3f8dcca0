/* SPDX-License-Identifier: BSD-3-Clause
 * factors_output.c - the fit of one output of a factorization machine: where it starts, its solver,
 * and what is stored of it.
 *
 * Targets are centred by their weighted mean, which is added to b afterwards: factors need not
 * learn a constant, and a large one costs no digits.  With patience the state of the iteration with
 * the best metric is stored (of equal ones the first): bit for bit what a run that ends at that
 * iteration gives. */

#include "kind/kind.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLD_IN_VISITS = 1000 };         /* of new columns, at most; see fm/fold_in.c */

static const fxi_factors_keys *keys_of(const fxi_train *t) { return t->how.own; }
static const fxi_factors_fit *fit_of(const fxi_train *t) { return t->own; }
static const fxi_fm *shape_of(const fxi_train *t) { return ((const fxi_factors *)t->m->own)->fm; }

bool fxi_kind_factors_output_new(fxi_output *o)
{
    const fxi_train *t = o->train;
    size_t size = shape_of(t)->size;
    bool sums = keys_of(t)->solver == FXI_FM_ADAGRAD;
    fxi_factors_state *own = o->own;
    fxi_fm_state *states[] = {&own->f, &own->best};

    for (size_t i = 0; i < 1 + (fit_of(t)->patience > 0); i++)
        if (!(states[i]->v = fxi_alloc(size, sizeof(double)))
            || (sums && !(states[i]->sum = fxi_zalloc(size, sizeof(double)))))
            return false;
    return true;
}

void fxi_kind_factors_output_release(fxi_output *o)
{
    fxi_factors_state *own = o->own;
    fxi_fm_state *states[] = {&own->f, &own->best};

    for (size_t i = 0; i < 2; i++) {
        free(states[i]->v);
        free(states[i]->sum);
        states[i]->v = states[i]->sum = NULL;
    }
}

/* ---- Steps ------------------------------------------------------------------------------- */

static void copy_state(fxi_fm_state *to, const fxi_fm_state *from, size_t size)
{
    double *v = to->v, *sum = to->sum;

    memcpy(v, from->v, size * sizeof *v);
    if (sum)
        memcpy(sum, from->sum, size * sizeof *sum);
    *to = *from;
    to->v = v;
    to->sum = sum;
}

/* Seconds from the begin of the fit to the end of this output's share: outputs that are fitted one
 * after the other share the time.  0: no limit; fits on folds have none. */
static double time_limit(const fxi_output *o)
{
    const fxi_train *t = o->train;
    size_t at_once = t->at_once > 1 ? (size_t)t->at_once : 1;
    size_t rounds = (t->outputs + at_once - 1) / at_once, round = o->number / at_once;

    return o->no_history ? 0 : fit_of(t)->max_seconds * (double)(round + 1) / (double)rounds;
}

static fx_status step(void *ctx, const fxi_fm_state *now)
{
    fxi_output *o = ctx;
    fxi_factors_state *own = o->own;
    const fxi_train *t = o->train;
    fx_status st;

    o->s.objective = now->objective;
    o->s.iterations = now->iterations;
    o->s.gap = NAN;
    if ((st = fxi_train_history(o, &o->s)) || o->no_history)
        return st;
    double metric = o->step[o->steps - 1].metric, limit = time_limit(o);
    own->timed_out = limit > 0 && o->step[o->steps - 1].seconds >= limit && !now->converged;
    if (o->done)
        *o->done = (double)o->steps / (double)t->how.max_iter;
    if (!fit_of(t)->patience)
        return own->timed_out ? FX_NOT_CONVERGED : FX_OK;
    if (isnan(metric))
        return fxi_error(FX_EINVAL,
                         "patience: the metric of output %zu is not defined on the rows of eval; "
                         "they need weight and, for auc, different labels",
                         o->number);
    own->since_best++;
    if (!own->best.iterations || fxi_train_measure_better(t, metric, own->best_metric)) {
        copy_state(&own->best, now, shape_of(t)->size);
        own->best_metric = metric;
        own->since_best = 0;
    }
    own->timed_out &= own->since_best < fit_of(t)->patience;
    return own->timed_out || own->since_best >= fit_of(t)->patience ? FX_NOT_CONVERGED : FX_OK;
}

/* ---- Fitting ----------------------------------------------------------------------------- */

/* Targets are centred by their mean, which is corrected once, so that a large one is exact too.
 * FX_EINVAL if no row has a weight. */
static fx_status centre(fxi_output *o, fxi_fm_problem *p, const fx_run *run)
{
    const fxi_train *t = o->train;
    fxi_factors_state *own = o->own;
    bool targets = t->how.task == FXI_REGRESS, moved = targets && keys_of(t)->shape.intercept;
    double sum[FXI_FM_SUMS];
    fx_status st = FX_OK;

    p->shift = 0;
    if (t->fresh) {                     /* b stays as it is */
        own->centre = 0;
        own->zeros = INFINITY;
        return FX_OK;
    }
    for (size_t i = 0; i < t->source.rows && targets; i++)
        o->y[i] = t->labels.y[i];
    for (int pass = 0; pass < (moved ? 3 : 1); pass++) {
        if (pass)
            p->shift += sum[FXI_FM_TARGET] / sum[FXI_FM_WEIGHT];
        if ((st = fxi_fm_gradient_zeros(sum, p, run)))
            return st;
        if (!(sum[FXI_FM_WEIGHT] > 0))
            return fxi_error(FX_EINVAL, "no row is left of weight above 0");
    }
    own->zeros = sum[FXI_FM_LOSS] / sum[FXI_FM_WEIGHT];
    own->weight = sum[FXI_FM_WEIGHT];
    own->centre = p->shift;
    if (t->stream)                      /* rows elsewhere do it themselves */
        return FX_OK;
    for (size_t i = 0; i < t->source.rows && moved; i++)
        o->y[i] -= p->shift;
    p->shift = 0;
    return FX_OK;
}

static fx_status solve(fxi_output *o, const fxi_fm_problem *p, const fx_run *run)
{
    fxi_fm_state *f = &((fxi_factors_state *)o->own)->f;
    const fxi_train *t = o->train;

    if (t->fresh)
        return fxi_fm_fold_in(f, p, t->fresh, t->init->c.weight, run);
    switch (keys_of(o->train)->solver) {
    case FXI_FM_ADAGRAD: return fxi_fm_adagrad(f, p, run);
    case FXI_FM_LBFGS: return fxi_fm_lbfgs(f, p, run);
    default: return fxi_fm_cd(f, p, run);
    }
}

/* The figures that other kinds report about a solution, too. */
static fx_status finish(fxi_output *o, const fxi_fm_problem *p)
{
    fxi_factors_state *own = o->own;
    fxi_fm_state *f = &own->f;
    size_t size = shape_of(o->train)->size, i = 0;

    f->converged &= !own->timed_out;
    own->iterations = f->iterations;
    if (own->best.iterations) {
        own->best.converged = f->converged;
        own->best.diverged = f->diverged;
        own->best.rounded = f->rounded;
        copy_state(f, &own->best, size);
    }
    while (i < size && isfinite(f->v[i]) && (!f->sum || isfinite(f->sum[i])))
        i++;
    if (i < size || !isfinite(f->objective))
        return fxi_error(FX_ENUMERIC,
                         "output %zu ends with numbers that are not finite (objective %g); scale "
                         "the rows",
                         o->number, f->objective);
    /* Above the objective of scores 0 it has learnt nothing, however small its last step.  Rankings
     * have no such limit, and neither has the best state by a metric, which the plan requested.
     * Where all targets are equal there is nothing to learn. */
    bool equal = own->zeros <= DBL_EPSILON * own->centre * own->centre;
    own->above_zeros = f->converged && !own->best.iterations && !p->pairs && !equal
                       && f->objective > own->zeros;
    f->converged &= !own->above_zeros;
    if (fit_of(o->train)->single_pass)
        f->converged = true;
    o->s.objective = f->objective;
    o->s.iterations = f->iterations;
    o->s.converged = f->converged;
    o->s.indefinite = f->diverged;
    o->s.gap = -1;                      /* there is no bound */
    return FX_OK;
}

fx_status fxi_kind_factors_output(fxi_output *o, double beta, const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_factors_keys *keys = t->how.own;
    const fxi_factors_fit *rows = t->own;
    fxi_factors_state *own = o->own;
    fxi_fm fm = *shape_of(t);           /* a view of it, with other penalties */
    fxi_fm_pairs pairs = {0};
    fxi_fm_problem p = {.fm = &fm, .X = &rows->X, .loss = t->how.loss, .y = o->y, .c = o->c,
                        .tol = t->how.tol, .max_iter = t->how.max_iter,
                        .lr = keys->lr, .batch = keys->batch, .bare = keys->bare,
                        .ordered = rows->single_pass, .seed = t->seed, .step = step, .ctx = o};
    fxi_asking asking = {0};
    fx_status st = FX_OK;

    if (t->fresh)
        p.max_iter = FOLD_IN_VISITS;
    fxi_fm_times(&fm, beta);
    if (time_limit(o) > 0)
        p.deadline = t->begin + time_limit(o);
    own->best.iterations = own->since_best = 0;
    own->timed_out = false;
    if (t->stream) {
        fxi_train_passes(&asking, o, 1);
        p.passes = &asking.passes;
    }
    if (t->how.task == FXI_RANK) {
        st = fxi_fm_pairs_new(&pairs, t->labels.y, o->c, t->qid, t->source.rows, run);
        p.pairs = &pairs;
    }
    if (!st && !(st = centre(o, &p, run))) {
        fxi_kind_factors_init_start(o);
        st = solve(o, &p, run);
    }
    fxi_fm_pairs_free(&pairs);
    fxi_train_passes_free(&asking);
    return st ? st : finish(o, &p);
}

fx_status fxi_kind_factors_output_score(double *f, const fxi_output *o, const fxi_solution *now,
                                        const int32_t *row, size_t n, const fx_run *run)
{
    const fxi_factors_fit *rows = o->train->own;
    const fxi_factors_state *own = o->own;
    fxi_row_subset subset = {row ? &rows->X : &rows->eval_X, row, n};
    fx_status st = fxi_fm_score(f, shape_of(o->train), own->f.v, subset, run);

    (void)now;
    for (size_t i = 0; i < n && !st; i++)
        f[i] += own->centre;
    return st;
}

void fxi_kind_factors_output_scored(fxi_question *q, const fxi_output *o)
{
    const fxi_factors_state *own = o->own;

    *q = (fxi_question){.w = own->f.v, .ws = shape_of(o->train)->size, .v = &own->centre, .vs = 1};
}
