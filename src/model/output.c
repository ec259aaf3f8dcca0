/* SPDX-License-Identifier: BSD-3-Clause
 * output.c - the fit of one output: a class against the rest, the second of two classes, or a
 * target; of kernel machines with a loss, the second of a pair of classes.
 *
 * Which solver: see learner.c.  With solver=auto a loss with a second derivative goes to Newton's
 * method (svm-l2: faster than the dual solver in 62 of 65 cases of 64 to 16,384 dense features, 200
 * to 16,000 rows, C from 0.1 to 100).  Hinge and epsilon-insensitive loss go to the dual solver,
 * which is fastest where the problem is easy, and after DUAL passes to the method of multipliers.
 * That takes over from Newton's method too, where the squared hinge makes it stall (fit/newton.c),
 * as it often does with more features than rows.  Counts of passes and steps decide, never the
 * clock. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DUAL = 50, PATIENCE = 400, WIDE_PATIENCE = 50 }; /* passes */

int fxi_model_output_solver(const fxi_train *t)
{
    const fxi_loss *loss = t->how.learner->loss;

    if (t->how.l1)
        return FXI_CD;
    if (t->how.solver != FXI_AUTO)
        return t->how.solver;
    return loss->curve ? FXI_NEWTON : FXI_AUTO;
}

static bool needs_beta(const fxi_train *t)
{
    const fxi_learner *l = t->how.learner;

    return l->kernel || (l->loss && !t->how.l1
                         && (fxi_model_output_solver(t) == FXI_DUAL || l->loss->rounded));
}

/* ---- Memory ------------------------------------------------------------------------------ */

/* What a solver says that it takes; the dual solver and the method of multipliers are in what every
 * fit has, the L1 solver asks for it itself. */
static bool solver_bytes(size_t *bytes, const fxi_train *t)
{
    const fxi_learner *l = t->how.learner;

    *bytes = 0;
    if (l->kind == FXI_COMPONENTS)
        return fxi_model_components_bytes(bytes, t);
    if (l->kind == FXI_ONLINE || t->how.l1)
        return true;
    if (l->kernel)
        return l->loss == &fxi_loss_squared ? fxi_fit_kernel_ridge_bytes(bytes, t->X.rows)
                                            : fxi_fit_smo_bytes(bytes, t->X.rows);
    return fxi_model_output_solver(t) == FXI_DUAL
        || fxi_fit_newton_bytes(bytes, t->X.rows, t->m->c.features);
}

bool fxi_model_output_bytes(size_t *bytes, const fxi_train *t)
{
    size_t rows, features, solver;

    if (t->m->fm)
        return fxi_model_output_factors_bytes(bytes, t);
    return fxi_size_mul(&rows, t->X.rows, 10 * sizeof(double))
        && fxi_size_mul(&features, t->how.learner->kernel ? 0 : t->m->c.features,
                        6 * sizeof(double))
        && fxi_size_add(bytes, rows, features) && solver_bytes(&solver, t)
        && fxi_size_add(bytes, *bytes, solver);
}

void fxi_model_output_free(fxi_output *o)
{
    free(o->y);
    free(o->c);
    free(o->s.w);
    free(o->s.beta);
    free(o->p.w);
    free(o->p.sum);
    free(o->q.w);
    free(o->q.sum);
    free(o->q.age);
    free(o->score);
    free(o->step);
    free(o->f.v);
    free(o->f.sum);
    free(o->best.v);
    free(o->best.sum);
    *o = (fxi_output){0};
}

/* Where the solver starts: zeros. */
static bool allocate(fxi_output *o, const fxi_train *t)
{
    size_t rows = t->source.rows, features = t->source.features;
    bool kernel = t->how.learner->kernel, online = t->how.learner->kind == FXI_ONLINE;

    if (!(o->y = fxi_alloc(rows, sizeof *o->y)) || !(o->c = fxi_alloc(rows, sizeof *o->c)))
        return false;
    if (t->m->fm)
        return !fxi_model_output_factors_new(o);
    return (!needs_beta(t) || (o->s.beta = fxi_zalloc(rows, sizeof *o->s.beta)))
        && (kernel || (o->s.w = fxi_zalloc(features, sizeof *o->s.w)))
        && (!online || kernel || ((o->p.w = fxi_zalloc(features, sizeof *o->p.w))
                                  && (o->p.sum = fxi_zalloc(features, sizeof *o->p.sum))))
        && (!online || !kernel || ((o->q.w = fxi_zalloc(rows, sizeof *o->q.w))
                                   && (o->q.sum = fxi_zalloc(rows, sizeof *o->q.sum))
                                   && (o->q.age = fxi_zalloc(rows, sizeof *o->q.age))));
}

fx_status fxi_model_output_new(fxi_output *o, const fxi_train *t, size_t number)
{
    *o = (fxi_output){.train = t, .number = number};
    if (!allocate(o, t)) {
        fxi_model_output_free(o);
        return FX_ENOMEM;
    }
    for (size_t i = 0; i < t->source.rows; i++) {
        double y = t->labels.y[i];
        o->y[i] = t->labels.classes ? fxi_model_pairs_sign(&t->m->c, number, (size_t)y) : y;
    }
    return FX_OK;
}

/* ---- Fitting ----------------------------------------------------------------------------- */

static fx_status linear_pass(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    size_t features = p->source->features;
    fx_status st = fxi_fit_perceptron(&o->p, p, run);

    if (st)
        return st;
    o->s.objective = (double)o->p.mistakes;
    if (o->train->how.averaged) {
        fxi_fit_perceptron_mean(o->s.w, &o->s.b, &o->p, features);
        return FX_OK;
    }
    memcpy(o->s.w, o->p.w, features * sizeof *o->s.w);
    o->s.b = o->p.b;
    return FX_OK;
}

static fx_status kernel_pass(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    size_t rows = p->source->rows;
    fx_status st = fxi_fit_kernel_perceptron(&o->q, p, o->train->first, o->train->how.budget, run);

    if (st)
        return st;
    o->s.objective = (double)o->q.mistakes;
    if (o->train->how.averaged) {
        fxi_fit_kernel_perceptron_mean(o->s.beta, &o->s.b, &o->q, rows);
        return FX_OK;
    }
    memcpy(o->s.beta, o->q.w, rows * sizeof *o->s.beta);
    o->s.b = o->q.b;
    return FX_OK;
}

/* max-iter passes, each counted as an iteration; the objective is the mistakes of the last. */
static fx_status online(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    const fxi_learning *how = &o->train->how;
    fx_status st = FX_OK;

    for (size_t pass = 0; pass < how->max_iter && !st; pass++) {
        if ((st = how->learner->kernel ? kernel_pass(o, p, run) : linear_pass(o, p, run)))
            break;
        o->s.iterations++;
        st = fxi_model_history(o, &o->s);
        if (o->done)
            *o->done = (double)(pass + 1) / (double)how->max_iter;
    }
    o->s.gap = 0;
    o->s.converged = true;
    return st;
}

static fx_status check_finite(const fxi_output *o)
{
    const fxi_train *t = o->train;
    const fxi_solution *s = &o->s;
    bool kernel = t->how.learner->kernel;
    size_t j = 0, n = kernel ? t->source.rows : t->source.features;
    const double *w = kernel ? s->beta : s->w;

    while (j < n && isfinite(t->m->map ? (double)(float)w[j] : w[j])) /* maps score in floats */
        j++;
    if (j < n)
        return fxi_error(FX_ENUMERIC, "output %zu, weight %zu is %g; scale the rows or take C "
                         "nearer 1", o->number, j, w[j]);
    if (!isfinite(s->b) || !isfinite(s->objective))
        return fxi_error(FX_ENUMERIC, "output %zu ends with intercept %g and objective %g; scale "
                         "the rows or take C nearer 1", o->number, s->b, s->objective);
    return FX_OK;
}

static fx_status dual_then_proximal(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    fxi_problem first = *p;
    fx_status st;

    first.max_iter = p->max_iter < DUAL ? p->max_iter : DUAL;
    st = fxi_fit_dual(s, &first, run);
    if (!st && !s->converged && p->max_iter > DUAL)
        st = fxi_fit_proximal(s, p, run);
    return st;
}

static fx_status newton_then_proximal(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    fxi_problem first = *p;
    fx_status st;

    s->iterations = 0;
    if (!p->loss->curve)
        return fxi_fit_proximal(s, p, run);
    if (p->loss->rounded)
        first.patience = p->source->features > p->source->rows ? WIDE_PATIENCE : PATIENCE;
    st = fxi_fit_newton(s, &first, run);
    return st || !s->stalled || s->iterations + 3 > p->max_iter ? st : fxi_fit_proximal(s, p, run);
}

static fx_status solve(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    const fxi_learner *l = o->train->how.learner;

    if (l->kind == FXI_ONLINE)
        return online(o, p, run);
    if (l->kernel)
        return p->loss == &fxi_loss_squared ? fxi_fit_kernel_ridge(&o->s, p, run)
                                            : fxi_fit_smo(&o->s, p, run);
    switch (fxi_model_output_solver(o->train)) {
    case FXI_NEWTON: return newton_then_proximal(&o->s, p, run);
    case FXI_DUAL: return fxi_fit_dual(&o->s, p, run);
    case FXI_CD: return fxi_fit_l1(&o->s, p, run);
    default: return dual_then_proximal(&o->s, p, run);
    }
}

static fx_status record(void *ctx, const fxi_solution *now) { return fxi_model_history(ctx, now); }

/* A class of which no row is left. */
static fx_status one_sided(const fxi_output *o, int without, bool positive)
{
    const fx_content *c = &o->train->m->c;
    size_t a = 0, b = c->outputs > 1 ? o->number : 1;

    if (c->pairs)
        fxi_model_pairs_of(&a, &b, c->classes, o->number);
    return fxi_error(FX_EINVAL, "without fold %d all rows %s class %s", without,
                     positive && !c->pairs ? "are of" : "lack",
                     c->class_name[positive && c->pairs ? a : b]);
}

fx_status fxi_model_output_fit(fxi_output *o, double C, const int32_t *fold, int without,
                               const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_learning *how = &t->how;
    fxi_problem p = {.source = &t->source, .loss = how->learner->loss, .epsilon = how->epsilon,
                     .y = o->y, .c = o->c, .intercept = how->intercept, .tol = how->tol,
                     .max_iter = how->max_iter, .seed = t->seed,
                     .kernel = how->learner->kernel ? t->m->kernel : NULL,
                     .cache = t->cache / (uint64_t)t->at_once, .step = record, .ctx = o};
    bool side[2] = {false, false};      /* are there negatives, positives? */

    o->run = run;
    for (size_t i = 0; i < t->source.rows; i++) {
        bool absent = (fold && fold[i] == without) || (t->labels.classes && o->y[i] == 0);
        o->c[i] = absent ? 0 : (t->m->fm ? 1 : C) * t->labels.weight[i];
        if (o->c[i] > 0)
            side[o->y[i] > 0] = true;
    }
    if (fold && t->labels.classes && !(side[0] && side[1]))
        return one_sided(o, without, side[1]);
    if (t->m->fm)
        return fxi_model_output_factors(o, C, run);
    fx_status st = solve(o, &p, run);
    return st ? st : check_finite(o);
}
