/* SPDX-License-Identifier: BSD-3-Clause
 * output.c - the fit of one output: a class against the rest, the second of two classes, or a
 * target.
 *
 * Which solver: see learner.c.  With solver=auto a loss with a second derivative goes to Newton's
 * method (svm-l2: faster than the dual solver in 62 of 65 cases of 64 to 16,384 dense features, 200
 * to 16,000 rows, C from 0.1 to 100).  Hinge and epsilon-insensitive loss go to the dual solver,
 * which is fastest where the problem is easy, and after DUAL passes to the method of multipliers,
 * which always ends. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DUAL = 50 };                     /* passes */

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
    return t->how.learner->loss && !t->how.l1
           && (fxi_model_output_solver(t) == FXI_DUAL || !t->how.learner->loss->curve);
}

/* ---- Memory ------------------------------------------------------------------------------ */

/* Own arrays, the dual solver's or the method of multipliers'; Newton's method says what it takes,
 * the L1 solver asks for it itself. */
bool fxi_model_output_bytes(size_t *bytes, const fxi_train *t)
{
    size_t rows, features, newton = 0;
    const fxi_loss *loss = t->how.learner->loss;

    return fxi_size_mul(&rows, t->X.rows, 10 * sizeof(double))
        && fxi_size_mul(&features, t->m->c.features, 6 * sizeof(double))
        && fxi_size_add(bytes, rows, features)
        && (!loss || t->how.l1 || fxi_model_output_solver(t) == FXI_DUAL
            || fxi_fit_newton_bytes(&newton, t->X.rows, t->m->c.features))
        && fxi_size_add(bytes, *bytes, newton);
}

void fxi_model_output_free(fxi_output *o)
{
    free(o->y);
    free(o->c);
    free(o->s.w);
    free(o->s.beta);
    free(o->p.w);
    free(o->p.sum);
    free(o->score);
    free(o->step);
    *o = (fxi_output){0};
}

fx_status fxi_model_output_new(fxi_output *o, const fxi_train *t, size_t number)
{
    size_t rows = t->source.rows, features = t->source.features;
    bool perceptron = !t->how.learner->loss;

    *o = (fxi_output){.train = t, .number = number};
    if (!(o->y = fxi_alloc(rows, sizeof *o->y)) || !(o->c = fxi_alloc(rows, sizeof *o->c))
        || !(o->s.w = fxi_zalloc(features, sizeof *o->s.w))
        || (perceptron && !(o->p.w = fxi_zalloc(features, sizeof *o->p.w)))
        || (perceptron && !(o->p.sum = fxi_zalloc(features, sizeof *o->p.sum)))
        || (needs_beta(t) && !(o->s.beta = fxi_zalloc(rows, sizeof *o->s.beta)))) {
        fxi_model_output_free(o);
        return FX_ENOMEM;
    }
    for (size_t i = 0; i < rows; i++) {
        double y = t->labels.y[i];
        size_t positive = t->outputs > 1 ? number : 1;
        o->y[i] = !t->labels.classes ? y : (size_t)y == positive ? 1 : -1;
    }
    return FX_OK;
}

/* ---- History ----------------------------------------------------------------------------- */

/* Accuracy or root mean square error on plan.eval. */
static fx_status measure(double *out, fxi_output *o, const fxi_solution *now)
{
    const fxi_train *t = o->train;
    const fxi_labels *l = &t->eval_labels;
    size_t positive = t->outputs > 1 ? o->number : 1;
    double sum = 0, total = 0;

    *out = NAN;
    if (!t->eval.rows)
        return FX_OK;
    if (!o->score && !(o->score = fxi_alloc(t->eval.rows, sizeof *o->score)))
        return FX_ENOMEM;
    fx_status st = fxi_fit_source_scores(o->score, &t->eval, now->w, &now->b, 1, o->run);
    if (st)
        return st;
    for (size_t i = 0; i < t->eval.rows; i++) {
        double f = o->score[i], y = l->y[i], w = l->weight[i];
        sum += w * (l->classes ? (f > 0) == ((size_t)y == positive) : (f - y) * (f - y));
        total += w;
    }
    *out = l->classes ? sum / total : sqrt(sum / total);
    return FX_OK;
}

static fx_status record(void *ctx, const fxi_solution *now)
{
    fxi_output *o = ctx;
    double tol = o->train->how.tol, metric;
    fx_status st;

    if (o->quiet)
        return FX_OK;
    if ((st = measure(&metric, o, now)))
        return st;
    if (o->steps == o->room) {
        size_t room = o->room ? 2 * o->room : 16;
        fx_step *more = fxi_realloc(o->step, room, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        o->step = more;
        o->room = room;
    }
    o->step[o->steps++] = (fx_step){
        .output = o->number, .iteration = now->iterations, .objective = now->objective,
        .gap = now->gap, .seconds = fxi_model_train_clock() - o->train->begin, .metric = metric};
    double way = log(now->gap) / log(tol);      /* from 1 to tol; NaN and beyond: not shown */
    if (o->done && way > *o->done && way < 1)
        *o->done = way;
    return FX_OK;
}

/* ---- Fitting ----------------------------------------------------------------------------- */

/* max-iter passes, each counted as an iteration; the objective is the mistakes of the last. */
static fx_status online(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    const fxi_learning *how = &o->train->how;
    size_t features = p->source->features;
    fx_status st = FX_OK;

    for (size_t pass = 0; pass < how->max_iter && !st; pass++) {
        if ((st = fxi_fit_perceptron(&o->p, p, run)))
            break;
        if (how->averaged)
            fxi_fit_perceptron_mean(o->s.w, &o->s.b, &o->p, features);
        else {
            memcpy(o->s.w, o->p.w, features * sizeof *o->s.w);
            o->s.b = o->p.b;
        }
        o->s.objective = (double)o->p.mistakes;
        o->s.iterations++;
        st = record(o, &o->s);
        if (o->done)
            *o->done = (double)(pass + 1) / (double)how->max_iter;
    }
    o->s.gap = 0;
    o->s.converged = true;
    return st;
}

static fx_status check_finite(const fxi_output *o)
{
    const fxi_solution *s = &o->s;
    size_t j = 0;

    /* a map's scores are computed with weights in floats */
    while (j < o->train->source.features
           && isfinite(o->train->m->map ? (double)(float)s->w[j] : s->w[j]))
        j++;
    if (j < o->train->source.features)
        return fxi_error(FX_ENUMERIC, "output %zu, weight %zu is %g; scale the rows or take C "
                         "nearer 1", o->number, j, s->w[j]);
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

fx_status fxi_model_output_fit(fxi_output *o, double C, const int32_t *fold, int without,
                               const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_learning *how = &t->how;
    fxi_problem p = {.source = &t->source, .loss = how->learner->loss, .epsilon = how->epsilon,
                     .y = o->y, .c = o->c, .intercept = how->intercept, .tol = how->tol,
                     .max_iter = how->max_iter, .seed = t->seed, .step = record, .ctx = o};
    bool side[2] = {false, false};      /* are there negatives, positives? */
    fx_status st;

    o->run = run;
    for (size_t i = 0; i < t->source.rows; i++) {
        o->c[i] = fold && fold[i] == without ? 0 : C * t->labels.weight[i];
        if (o->c[i] > 0)
            side[o->y[i] > 0] = true;
    }
    if (fold && t->labels.classes && !(side[0] && side[1]))
        return fxi_error(FX_EINVAL, "without fold %d all rows %s class %s", without,
                         side[1] ? "are of" : "lack",
                         t->m->c.class_name[t->outputs > 1 ? o->number : 1]);
    if (!how->learner->loss)
        st = online(o, &p, run);
    else
        switch (fxi_model_output_solver(t)) {
        case FXI_NEWTON:
            o->s.iterations = 0;
            st = p.loss->curve ? fxi_fit_newton(&o->s, &p, run) : fxi_fit_proximal(&o->s, &p, run);
            break;
        case FXI_DUAL: st = fxi_fit_dual(&o->s, &p, run); break;
        case FXI_CD: st = fxi_fit_l1(&o->s, &p, run); break;
        default: st = dual_then_proximal(&o->s, &p, run);
        }
    return st ? st : check_finite(o);
}
