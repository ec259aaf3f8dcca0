/* SPDX-License-Identifier: BSD-3-Clause
 * output_factors.c - the fit of one output of a factorization machine: where it starts, its solver,
 * and what is kept of it.
 *
 * Targets are centred by their weighted mean, which is added to b afterwards: factors need not
 * learn a constant, and a large one costs no digits.  With patience the state of the iteration with
 * the best metric is kept (of equal ones the first), which is what a run of so many iterations
 * would have given, bit for bit. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool fxi_model_output_factors_bytes(size_t *bytes, const fxi_train *t)
{
    const fxi_fm *fm = t->m->fm;
    size_t solver = 0, rows, numbers;
    bool fits = t->how.solver == FXI_ADAGRAD ? fxi_fm_adagrad_bytes(&solver, fm, &t->laid)
                : t->how.solver == FXI_CD    ? fxi_fm_cd_bytes(&solver, fm, &t->laid)
                                             : fxi_fm_lbfgs_bytes(&solver, fm, &t->laid);

    return fits && fxi_size_mul(&rows, t->X.rows, 8 * sizeof(double))
           && fxi_size_mul(&numbers, fm->size, 4 * sizeof(double))
           && fxi_size_add(bytes, rows, numbers) && fxi_size_add(bytes, *bytes, solver);
}

fx_status fxi_model_output_factors_new(fxi_output *o)
{
    const fxi_train *t = o->train;
    size_t size = t->m->fm->size;
    bool sums = t->how.solver == FXI_ADAGRAD;
    fxi_fm_state *states[] = {&o->f, &o->best};

    for (size_t i = 0; i < 1 + (t->patience > 0); i++)
        if (!(states[i]->v = fxi_alloc(size, sizeof(double)))
            || (sums && !(states[i]->sum = fxi_zalloc(size, sizeof(double)))))
            return FX_ENOMEM;
    return FX_OK;
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

static fx_status step(void *ctx, const fxi_fm_state *now)
{
    fxi_output *o = ctx;
    const fxi_train *t = o->train;
    double metric;
    fx_status st;

    if (o->quiet)
        return FX_OK;
    if ((st = fxi_model_measure(&metric, o, now->v))
        || (st = fxi_model_history_add(o, &(fx_step){.iteration = now->iterations,
                                                     .gap = NAN,
                                                     .objective = now->objective,
                                                     .metric = metric})))
        return st;
    if (o->done)
        *o->done = (double)o->steps / (double)t->how.max_iter;
    if (!t->patience)
        return FX_OK;
    if (isnan(metric))
        return fxi_error(FX_EINVAL,
                         "patience: the metric of output %zu is not defined on the rows "
                         "of eval; they need weight and, for auc, different labels",
                         o->number);
    o->since++;
    if (!o->best.iterations || fxi_model_measure_better(t, metric, o->best_metric)) {
        copy_state(&o->best, now, t->m->fm->size);
        o->best_metric = metric;
        o->since = 0;
    }
    return o->since >= t->patience ? FX_NOT_CONVERGED : FX_OK;
}

/* ---- Fitting ----------------------------------------------------------------------------- */

/* The mean of targets; corrected once, so that a large one is exact too. */
static void centre(fxi_output *o)
{
    const fxi_train *t = o->train;
    const double *y = t->labels.y;
    size_t n = t->source.rows;
    double total = 0, mean = 0;

    o->centre = 0;
    if (t->how.task != FXI_REGRESS)
        return;
    for (size_t i = 0; i < n; i++)
        total += o->c[i];
    for (int pass = 0; pass < 2 && t->how.shape.intercept; pass++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += o->c[i] * (y[i] - mean);
        mean += sum / total;
    }
    o->centre = mean;
    for (size_t i = 0; i < n; i++)
        o->y[i] = y[i] - mean;
}

/* Outputs that are fitted one after the other share the time; fits on folds have all they want. */
static double deadline(const fxi_output *o)
{
    const fxi_train *t = o->train;
    size_t beside = t->at_once > 1 ? (size_t)t->at_once : 1;
    size_t turns = (t->outputs + beside - 1) / beside, turn = o->number / beside;

    return t->max_seconds > 0 && !o->quiet
               ? t->begin + t->max_seconds * (double)(turn + 1) / (double)turns
               : 0;
}

static fx_status solve(fxi_output *o, const fxi_fm_problem *p, const fx_run *run)
{
    switch (o->train->how.solver) {
    case FXI_ADAGRAD: return fxi_fm_adagrad(&o->f, p, run);
    case FXI_LBFGS: return fxi_fm_lbfgs(&o->f, p, run);
    default: return fxi_fm_cd(&o->f, p, run);
    }
}

static fx_status check_rows(const fxi_output *o)
{
    for (size_t i = 0; i < o->train->source.rows; i++)
        if (o->c[i] > 0)
            return FX_OK;
    return fxi_error(FX_EINVAL, "no row is left of weight above 0");
}

/* The objective of scores 0: a fit that ends above it has learnt nothing, however small its last
 * step.  Rankings have no such limit here, and the best state by a metric is what was asked for. */
static double of_zeros(const fxi_fm_problem *p)
{
    double sum = 0, total = 0;

    for (size_t i = 0; i < p->X->rows; i++) {
        sum += p->c[i] > 0 ? p->c[i] * fxi_fm_loss(p->loss, p->y[i], 0) : 0;
        total += p->c[i];
    }
    return p->pairs ? INFINITY : sum / total;
}

/* What the others say of a solution too. */
static fx_status finish(fxi_output *o, const fxi_fm_problem *p)
{
    size_t size = o->train->m->fm->size, i = 0;

    o->late = !o->f.converged && !o->f.diverged && p->deadline > 0 && fxi_fm_clock() >= p->deadline;
    o->ran = o->f.iterations;
    if (o->best.iterations) {
        o->best.converged = o->f.converged;
        o->best.diverged = o->f.diverged;
        o->best.rounded = o->f.rounded;
        copy_state(&o->f, &o->best, size);
    }
    while (i < size && isfinite(o->f.v[i]) && (!o->f.sum || isfinite(o->f.sum[i])))
        i++;
    if (i < size || !isfinite(o->f.objective))
        return fxi_error(FX_ENUMERIC,
                         "output %zu ends with numbers that are not finite (objective "
                         "%g); scale the rows",
                         o->number, o->f.objective);
    double zeros = of_zeros(p);
    if (o->f.converged && !o->best.iterations && o->f.objective > zeros) {
        o->zeros = zeros;
        o->f.converged = false;
    }
    if (o->train->once)
        o->f.converged = true;
    o->s.objective = o->f.objective;
    o->s.iterations = o->f.iterations;
    o->s.converged = o->f.converged;
    return FX_OK;
}

fx_status fxi_model_output_factors(fxi_output *o, double beta, const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_learning *how = &t->how;
    fxi_fm fm = *t->m->fm;              /* a view of it, with other penalties */
    fxi_fm_pairs pairs = {0};
    fxi_fm_problem p = {.fm = &fm, .X = &t->laid, .loss = how->loss, .y = o->y, .c = o->c,
                        .tol = how->tol, .max_iter = how->max_iter, .deadline = deadline(o),
                        .lr = how->lr, .batch = how->batch, .bare = how->bare,
                        .ordered = t->once, .seed = t->seed, .step = step, .ctx = o};
    fx_status st = check_rows(o);

    for (size_t g = 0; g < fm.blocks; g++) {
        fm.block[g].beta *= beta;
        fm.block[g].beta_front *= beta;
    }
    o->best.iterations = o->since = 0;
    o->run = run;
    if (!st && how->task == FXI_RANK) {
        st = fxi_fm_pairs_new(&pairs, t->labels.y, o->c, t->qid, t->source.rows, run);
        p.pairs = &pairs;
    }
    if (!st) {
        centre(o);
        fxi_model_init_factors(o);
        st = solve(o, &p, run);
    }
    fxi_fm_pairs_free(&pairs);
    return st ? st : finish(o, &p);
}

fx_status fxi_model_output_factors_score(double *f, const fxi_output *o, fxi_row_subset x,
                                         const fx_run *run)
{
    fx_status st = fxi_fm_score(f, o->train->m->fm, o->f.v, x, run);

    for (size_t i = 0; i < x.n && !st; i++)
        f[i] += o->centre;
    return st;
}
