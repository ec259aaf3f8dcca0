/* SPDX-License-Identifier: BSD-3-Clause
 * online.c - what perceptrons share: passes over the rows in their order, and the state that lets
 * one resume, so that 5 and 5 passes are 10. */

#include "kind/kind.h"

#include <stdlib.h>
#include <string.h>

fx_status fxi_kind_online_read(fxi_learning *l, const fxi_spec *s)
{
    fxi_online_keys *keys = l->own;
    int intercept, calibrate, plain;
    fx_status st;

    if ((st = fxi_model_learner_choice(&intercept, l, s, "intercept"))
        || (st = fxi_model_learner_choice(&calibrate, l, s, "calibrate"))
        || (st = fxi_model_learner_choice(&plain, l, s, "averaged"))
        || (st = fxi_model_learner_count(&l->max_iter, l, s, "max-iter"))
        || (st = fxi_model_learner_count(&keys->budget, l, s, "budget")))
        return st;
    l->intercept = (fxi_intercept)intercept;
    l->calibrate = calibrate;
    keys->averaged = !plain;
    return FX_OK;
}

fx_status fxi_kind_online_new(fxi_train *t, bool age)
{
    fxi_weights *w = t->own;
    fxi_online *own = t->m->own;
    size_t outputs = t->outputs, all;
    fx_status st;

    if (!fxi_size_mul(&all, 2 * outputs, w->n + 1))
        return fxi_error(FX_ESHAPE, "%zu weights of %zu outputs are too many", w->n, outputs);
    own->count = fxi_zalloc(outputs, sizeof *own->count);
    if ((st = fxi_model_own(t->m, own->count)))
        return st;
    if (!(w->sum = fxi_zalloc(all, sizeof *w->sum))
        || (age && !(w->age = fxi_zalloc(w->n * outputs, sizeof *w->age))))
        return FX_ENOMEM;
    return FX_OK;
}

bool fxi_kind_online_updatable(const fx_model *m) { return ((const fxi_online *)m->own)->sum; }

/* The model must have been scaled in the same way: its weights are those of scaled columns. */
fx_status fxi_kind_online_init(const fxi_train *t)
{
    const fx_content *a = &t->init->c, *b = &t->m->c;

    if (strcmp(a->scale, b->scale) != 0
        || (a->factors && memcmp(a->factors, b->factors, a->cols * sizeof *a->factors) != 0))
        return fxi_error(FX_EINVAL, "init scales rows in another way; fx_model_update keeps it");
    return FX_OK;
}

/* ---- One output ---------------------------------------------------------------------------- */

bool fxi_kind_online_allocate(fxi_output *o, double **weights, size_t n, bool age)
{
    fxi_perceptron *p = o->own;

    return (*weights = fxi_zalloc(n, sizeof **weights)) && (p->w = fxi_zalloc(n, sizeof *p->w))
           && (p->sum = fxi_zalloc(n, sizeof *p->sum))
           && (!age || (p->age = fxi_zalloc(n, sizeof *p->age)));
}

void fxi_kind_online_release(fxi_output *o)
{
    fxi_perceptron *p = o->own;

    free(p->w);
    free(p->sum);
    free(p->age);
    *p = (fxi_perceptron){0};
}

void fxi_kind_online_start(fxi_output *o, double *weights, const int32_t *at)
{
    const fx_content *c = &o->train->init->c;
    const fxi_online *own = o->train->init->own;
    fxi_perceptron *p = o->own;
    size_t n = c->features, outputs = c->outputs, k = o->number;
    const double *now = own->sum, *sum = own->sum + (n + 1) * outputs;

    o->s.b = c->intercepts[k];
    o->s.iterations = c->iterations;
    for (size_t j = 0, e = k; j < n; j++, e += outputs) {
        size_t i = at ? (size_t)at[j] : j;
        weights[i] = c->weights[e];
        p->w[i] = now[e];
        p->sum[i] = sum[e];
        if (p->age)
            p->age[i] = own->age[e];
    }
    p->b = now[n * outputs + k];
    p->sum_b = sum[n * outputs + k];
    p->steps = own->count[k];
}

/* Each pass is an iteration, and its mistakes the objective. */
fx_status fxi_kind_online_solve(fxi_output *o, double C, double *weights, size_t n,
                                fxi_kind_pass *pass, const fx_run *run)
{
    const fxi_learning *how = &o->train->how;
    const fxi_perceptron *now = o->own;
    fxi_problem p = fxi_kind_weights_problem(o, C);
    fx_status st = FX_OK;

    for (size_t i = 0; i < how->max_iter && !st; i++) {
        if ((st = pass(o, &p, run)))
            break;
        o->s.objective = (double)now->mistakes;
        o->s.b = now->b;
        if (((const fxi_online_keys *)how->own)->averaged)
            fxi_fit_perceptron_mean(weights, &o->s.b, now, n);
        else
            memcpy(weights, now->w, n * sizeof *weights);
        o->s.iterations++;
        st = fxi_train_history(o, &o->s);
        if (o->done)
            *o->done = (double)(i + 1) / (double)how->max_iter;
    }
    o->s.gap = 0;
    o->s.converged = true;
    return st ? st : fxi_kind_weights_finite(o, weights, n);
}

void fxi_kind_online_keep(fxi_output *o, const double *weights)
{
    const fxi_weights *w = o->train->own;
    const fxi_perceptron *p = o->own;
    size_t n = w->n, outputs = o->train->outputs, k = o->number;
    double *now = w->sum, *sum = w->sum + (n + 1) * outputs;

    fxi_kind_weights_place(w->weights, weights, n, outputs, k);
    fxi_kind_weights_place(now, p->w, n, outputs, k);
    fxi_kind_weights_place(sum, p->sum, n, outputs, k);
    for (size_t i = 0; p->age && i < n; i++)
        w->age[i * outputs + k] = p->age[i];
    w->intercepts[k] = o->s.b;
    now[n * outputs + k] = p->b;
    sum[n * outputs + k] = p->sum_b;
    ((fxi_online *)o->train->m->own)->count[k] = p->steps;
}

fx_status fxi_kind_online_summary(const fxi_train *t, const fxi_output *o)
{
    return fxi_train_summary(t, o, NULL);       /* max-iter passes are all that is required */
}

/* ---- Files -------------------------------------------------------------------------------- */

void fxi_kind_online_dump(fxi_dumping *d)
{
    const fx_content *c = &d->m->c;
    const fxi_online *own = d->m->own;

    fxi_file_dump_array(d, "sums", "F64", own->sum, 2 * (c->features + 1), c->outputs);
    fxi_file_dump_array(d, "counts", "I64", own->sum ? own->count : NULL, c->outputs, 0);
    fxi_file_dump_array(d, "ages", "I64", own->age, c->features, c->outputs);
}

fx_status fxi_kind_online_take(fxi_parsing *p, bool age)
{
    const fx_content *c = &p->m->c;
    fxi_online *own = p->m->own;
    const double *sum = NULL;
    const void *count = NULL, *ages = NULL;
    fx_status st = fxi_file_array_doubles(&sum, p, "sums", 2 * (c->features + 1), c->outputs);

    if (!st)
        st = fxi_file_array(&count, p, "counts", "I64", sizeof(int64_t), c->outputs, 0);
    if (!st && age)
        st = fxi_file_array(&ages, p, "ages", "I64", sizeof(int64_t), c->features, c->outputs);
    if (st)
        return st;
    if (!sum || !count || (age && !ages))
        return fxi_error(FX_EFORMAT, "model: `%s` is missing",
                         !sum     ? "sums"
                         : !count ? "counts"
                                  : "ages");
    own->sum = (double *)(uintptr_t)sum;        /* owned by the model: what it may change */
    own->count = (uint64_t *)(uintptr_t)count;
    own->age = (int64_t *)(uintptr_t)ages;
    for (size_t i = 0; i < c->outputs; i++)
        if (own->count[i] > INT64_MAX)
            return fxi_error(FX_EFORMAT, "model: number %zu of `counts` is negative", i);
    for (size_t i = 0; age && i < c->features * c->outputs; i++)
        if (own->age[i] < 0)
            return fxi_error(FX_EFORMAT, "model: number %zu of `ages` is negative", i);
    return FX_OK;
}
