/* SPDX-License-Identifier: BSD-3-Clause
 * online.c - what perceptrons share: passes over the rows in their order, and the state that lets
 * one resume, so that 5 and 5 passes are 10. */

#include "kind/kind.h"

#include <stdlib.h>
#include <string.h>

fx_status fxi_kind_online_read(fxi_learning *l, const fxi_spec *s)
{
    fxi_online_keys *keys = l->own;

    keys->averaged = !fxi_model_learner_choice(l, s, "averaged");
    keys->budget = fxi_model_learner_count(l, s, "budget");
    return FX_OK;
}

/* A kernel perceptron has a weight for each row, others for each feature. */
static size_t count(const fxi_train *t)
{
    return fxi_kind_weights_of_rows(t->m) ? t->source.rows : t->source.features;
}

static double **weights(fxi_output *o)
{
    return fxi_kind_weights_of_rows(o->train->m) ? &o->s.beta : &o->s.w;
}

fx_status fxi_kind_online_begin(fxi_train *t)
{
    fxi_weights *w = t->own;
    fxi_online *own = t->m->own;
    size_t outputs = t->outputs, all;
    fx_status st = fxi_kind_weights_begin(t);

    if (st)
        return st;
    if (!fxi_size_mul(&all, 2 * outputs, w->n + 1))
        return fxi_error(FX_ESHAPE, "%zu weights of %zu outputs are too many", w->n, outputs);
    own->count = fxi_zalloc(outputs, sizeof *own->count);
    if ((st = fxi_model_own(t->m, own->count)))
        return st;
    if (!(w->sum = fxi_zalloc(all, sizeof *w->sum))
        || (fxi_kind_weights_of_rows(t->m)
            && !(w->age = fxi_zalloc(w->n * outputs, sizeof *w->age))))
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

bool fxi_kind_online_allocate(fxi_output *o)
{
    fxi_perceptron *p = o->own;
    size_t n = count(o->train);

    return (*weights(o) = fxi_zalloc(n, sizeof(double))) && (p->w = fxi_zalloc(n, sizeof *p->w))
           && (p->sum = fxi_zalloc(n, sizeof *p->sum))
           && (!fxi_kind_weights_of_rows(o->train->m) || (p->age = fxi_zalloc(n, sizeof *p->age)));
}

void fxi_kind_online_release(fxi_output *o)
{
    fxi_perceptron *p = o->own;

    free(p->w);
    free(p->sum);
    free(p->age);
    *p = (fxi_perceptron){0};
}

/* The vectors of an earlier kernel perceptron are the first rows, or those that `at` lists. */
void fxi_kind_online_start(fxi_output *o)
{
    const fx_content *c = &o->train->init->c;
    const fxi_online *own = o->train->init->own;
    fxi_perceptron *p = o->own;
    size_t n = c->features, outputs = c->outputs, k = o->number;
    const double *now = own->sum, *sum = own->sum + (n + 1) * outputs;
    const int32_t *at = p->age ? ((const fxi_machine *)o->train->own)->at : NULL;
    double *to = *weights(o);

    o->s.b = c->intercepts[k];
    o->s.iterations = c->iterations;
    for (size_t j = 0, e = k; j < n; j++, e += outputs) {
        size_t i = at ? (size_t)at[j] : j;
        to[i] = c->weights[e];
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
fx_status fxi_kind_online_solve(fxi_output *o, double C, const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_online_keys *keys = t->how.own;
    fxi_perceptron *now = o->own;
    fxi_problem p = fxi_kind_weights_problem(o, C);
    double *to = *weights(o);
    size_t n = count(t), first = now->age ? ((const fxi_machine *)t->own)->first : 0;
    fx_status st = FX_OK;

    p.kernel = t->m->kernel;
    for (size_t i = 0; i < t->how.max_iter && !st; i++) {
        if ((st = now->age ? fxi_fit_kernel_perceptron(now, &p, first, keys->budget, run)
                           : fxi_fit_perceptron(now, &p, run)))
            break;
        o->s.objective = (double)now->mistakes;
        o->s.b = now->b;
        if (keys->averaged)
            fxi_fit_perceptron_mean(to, &o->s.b, now, n);
        else
            memcpy(to, now->w, n * sizeof *to);
        o->s.iterations++;
        st = fxi_train_history(o, &o->s);
        if (o->done)
            *o->done = (double)(i + 1) / (double)t->how.max_iter;
    }
    o->s.gap = 0;
    o->s.converged = true;
    return st ? st : fxi_kind_weights_finite(o, to, n);
}

void fxi_kind_online_keep(fxi_output *o)
{
    const fxi_weights *w = o->train->own;
    const fxi_perceptron *p = o->own;
    size_t n = w->n, outputs = o->train->outputs, k = o->number;
    double *now = w->sum, *sum = w->sum + (n + 1) * outputs;

    fxi_kind_weights_keep(o);
    fxi_kind_weights_place(now, p->w, n, outputs, k);
    fxi_kind_weights_place(sum, p->sum, n, outputs, k);
    for (size_t i = 0; p->age && i < n; i++)
        w->age[i * outputs + k] = p->age[i];
    now[n * outputs + k] = p->b;
    sum[n * outputs + k] = p->sum_b;
    ((fxi_online *)o->train->m->own)->count[k] = p->steps;
}

/* ---- Files -------------------------------------------------------------------------------- */

void fxi_kind_online_dump(fxi_dumping *d)
{
    const fx_content *c = &d->m->c;
    const fxi_online *own = d->m->own;

    fxi_file_dump_array(d, "sums", "F64", own->sum, 2 * (c->features + 1), c->outputs);
    fxi_file_dump_array(d, "counts", "I64", own->sum ? own->count : NULL, c->outputs, 0);
    fxi_file_dump_array(d, "ages", "I64", own->age, c->features, c->outputs);
    fxi_kind_vectors_file_dump(d);
}

/* With a precomputed kernel it cannot resume. */
fx_status fxi_kind_online_take(fxi_parsing *p)
{
    const fx_content *c = &p->m->c;
    bool age = fxi_kind_weights_of_rows(p->m);
    fxi_online *own = p->m->own;
    const double *sum = NULL;
    const void *count = NULL, *ages = NULL;
    fx_status st;

    if (fxi_kind_kernel_given(p->m))
        return FX_OK;
    if ((st = fxi_file_array_doubles(&sum, p, "sums", 2 * (c->features + 1), c->outputs))
        || (st = fxi_file_array(&count, p, "counts", "I64", sizeof(int64_t), c->outputs, 0))
        || (age
            && (st = fxi_file_array(&ages, p, "ages", "I64", sizeof(int64_t), c->features,
                                    c->outputs))))
        return st;
    own->sum = (double *)(uintptr_t)sum;        /* owned by the model: what it may change */
    own->count = (uint64_t *)(uintptr_t)count;
    own->age = (int64_t *)(uintptr_t)ages;
    for (size_t i = 0; i < c->outputs; i++)
        if (own->count[i] > INT64_MAX)
            return fxi_error(FX_EFORMAT, "model: number %zu of `counts` is negative", i);
    for (size_t i = 0; age && i < c->features * c->outputs; i++)
        if (own->age[i] < 0)
            return fxi_error(FX_EFORMAT, "model: number %zu of `ages` is negative", i);
    return fxi_kind_vectors_file_take(p);
}
