/* SPDX-License-Identifier: BSD-3-Clause
 * perceptron.c - the perceptron on features; it can be updated. */

#include "kind/kind.h"

#include <stdlib.h>
#include <string.h>

static const fxi_spec_key keys[] = {
    {"averaged", "yes", "yes|no"}, {"max-iter", "10", NULL},
    {"intercept", "free", "free|appended|none"}, {"calibrate", "no", "no|yes"}, {NULL, NULL, NULL}};
static const fxi_learner learners[] = {
    {"perceptron", "perceptron   averaged=yes|no, max-iter=10, intercept=, calibrate=no|yes: "
     "online, can be updated", keys, NULL, 0},
    {0}};

static fx_status init(fxi_train *t, const fx_run *run)
{
    (void)run;
    if (t->init->kind != &fxi_kind_perceptron)
        return fxi_train_init_differs("model", t->init->c.spec, t->m->c.spec);
    fx_status st = fxi_kind_features_init(t);
    return st ? st : fxi_kind_online_init(t);
}

/* A weight, and the two numbers that it goes on from. */
static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    return fxi_kind_features_bytes(each, all, t, 3, 0);
}

static fx_status begin(fxi_train *t)
{
    fx_status st = fxi_kind_features_begin(t);

    return st ? st : fxi_kind_online_new(t, false);
}

static bool allocate(fxi_output *o)
{
    fxi_perceptron *p = o->own;
    size_t n = o->train->source.features;

    return (o->s.w = fxi_zalloc(n, sizeof *o->s.w)) && (p->w = fxi_zalloc(n, sizeof *p->w))
        && (p->sum = fxi_zalloc(n, sizeof *p->sum));
}

static void release(fxi_output *o)
{
    fxi_perceptron *p = o->own;

    free(p->w);
    free(p->sum);
    p->w = p->sum = NULL;
}

static void start(fxi_output *o)
{
    const fx_content *c = &o->train->init->c;
    const fxi_online *own = o->train->init->own;
    fxi_perceptron *p = o->own;
    size_t n = c->features, outputs = c->outputs, k = o->number;
    const double *now = own->sum, *sum = own->sum + (n + 1) * outputs;

    o->s.b = c->intercepts[k];
    o->s.iterations = c->iterations;
    fxi_kind_weights_take(o->s.w, c->weights, n, outputs, k);
    fxi_kind_weights_take(p->w, now, n, outputs, k);
    fxi_kind_weights_take(p->sum, sum, n, outputs, k);
    p->b = now[n * outputs + k];
    p->sum_b = sum[n * outputs + k];
    p->steps = own->count[k];
}

static fx_status pass(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    size_t features = p->source->features;
    fxi_perceptron *now = o->own;
    fx_status st = fxi_fit_perceptron(now, p, run);

    if (st)
        return st;
    o->s.objective = (double)now->mistakes;
    if (((const fxi_online_keys *)o->train->how.own)->averaged) {
        fxi_fit_perceptron_mean(o->s.w, &o->s.b, now, features);
        return FX_OK;
    }
    memcpy(o->s.w, now->w, features * sizeof *o->s.w);
    o->s.b = now->b;
    return FX_OK;
}

static fx_status solve(fxi_output *o, double C, const fx_run *run)
{
    fx_status st = fxi_kind_online_solve(o, C, pass, run);

    return st ? st : fxi_kind_weights_finite(o, o->s.w, o->train->source.features);
}

static void keep(fxi_output *o)
{
    const fxi_weights *w = o->train->own;
    const fxi_perceptron *p = o->own;
    size_t n = w->n, outputs = o->train->outputs, k = o->number;
    double *now = w->sum, *sum = w->sum + (n + 1) * outputs;

    fxi_kind_weights_place(w->weights, o->s.w, n, outputs, k);
    w->intercepts[k] = o->s.b;
    fxi_kind_weights_place(now, p->w, n, outputs, k);
    fxi_kind_weights_place(sum, p->sum, n, outputs, k);
    now[n * outputs + k] = p->b;
    sum[n * outputs + k] = p->sum_b;
    ((fxi_online *)o->train->m->own)->count[k] = p->steps;
}

static fx_status finish(fxi_train *t, const fx_run *run)
{
    fxi_weights *w = t->own;
    fxi_online *own = t->m->own;
    fx_status st = fxi_kind_features_finish(t, run);

    if (st)
        return st;
    own->sum = w->sum;
    w->sum = NULL;
    return fxi_model_own(t->m, own->sum);
}

static fx_status parse_arrays(fxi_parsing *p) { return fxi_kind_online_take(p, false); }

const fxi_kind fxi_kind_perceptron = {
    .name = "perceptron", .learner = learners, .options = sizeof(fxi_online_keys),
    .numbers = sizeof(fxi_online), .prepared = sizeof(fxi_weights),
    .state = sizeof(fxi_perceptron), .columns = true, .format = 1,
    .probable = "train with calibrate=yes or model logistic",
    .read = fxi_kind_online_read, .prepare = fxi_kind_features_prepare, .init = init,
    .bytes = bytes, .close = fxi_kind_weights_close, .fit = fxi_train_fit, .begin = begin,
    .allocate = allocate, .start = start, .solve = solve, .score = fxi_kind_features_score,
    .keep = keep, .release = release, .finish = finish, .summary = fxi_kind_online_summary,
    .missed = fxi_kind_weights_missed, .updatable = fxi_kind_online_updatable,
    .scorer = fxi_kind_features_scorer, .terms = fxi_kind_features_terms,
    .dump_arrays = fxi_kind_online_dump, .parse_arrays = parse_arrays,
    .parsed = fxi_kind_features_parsed};
