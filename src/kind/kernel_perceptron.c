/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_perceptron.c - the perceptron in a kernel's space; it can be updated.  The vectors of an
 * earlier one are rows, if they are found among these, or are put before them. */

#include "kind/kind.h"

#include <math.h>

/* Seconds of a fit with n rows (train/estimate.c): max-iter n min(MISTAKES n, budget) pair.  The
 * share of rows that are mistakes comes from fits on real data. */
#define MISTAKES 0.4

#define BUDGET "keep at most so many mistakes of each class; 0: all"
static const fx_key keys[] = {
    {FXI_KEY_AVERAGED}, {FXI_KEY_PASSES}, {"budget", "0", FXI_COUNT(0, INT32_MAX), BUDGET}, {0}};
static const fxi_learner learners[] = {
    {"kernel-perceptron", "online, can be updated", keys, NULL, 0, "perceptron"}, {0}};

static const fxi_online_keys *keys_of(const fxi_train *t) { return t->how.own; }

static fx_status init(fxi_train *t, const fx_run *run)
{
    const fx_content *c = &t->m->c, *i = &t->init->c;
    fx_status st;

    if (t->init->kind != &fxi_kind_kernel_perceptron || !i->vectors.cols)
        return fxi_train_init_differs("model", i->spec, c->spec);
    if (i->cols != c->cols)
        return fxi_error(FX_EINVAL, "init has %zu columns and %zu features, now %zu and %zu",
                         i->cols, i->features, c->cols, c->features);
    if ((st = fxi_train_init_check(t)) || (st = fxi_kind_online_init(t)))
        return st;
    return fxi_kind_kernel_resume(t, run);
}

/* A weight, the two numbers of its state, and the age of the row. */
static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    return fxi_kind_vectors_bytes(each, all, t, 4, 0);
}

static double seconds(const fxi_estimating *e, double n)
{
    size_t budget = keys_of(e->t)->budget;

    return (double)e->t->how.max_iter * n * fmin(MISTAKES * n, budget ? (double)budget : n)
           * e->pair;
}

/* ---- One output --------------------------------------------------------------------------- */

static fx_status begin(fxi_train *t)
{
    fx_status st = fxi_kind_vectors_begin(t);

    return st ? st : fxi_kind_online_new(t, true);
}

static bool allocate(fxi_output *o)
{
    return fxi_kind_online_allocate(o, &o->s.beta, o->train->source.rows, true);
}

static void start(fxi_output *o)
{
    fxi_kind_online_start(o, o->s.beta, ((const fxi_machine *)o->train->own)->at);
}

static fx_status pass(fxi_output *o, const fxi_problem *p, const fx_run *run)
{
    const fxi_train *t = o->train;
    fxi_problem in_kernel = *p;

    in_kernel.kernel = t->m->kernel;
    return fxi_fit_kernel_perceptron(o->own, &in_kernel, ((const fxi_machine *)t->own)->first,
                                     keys_of(t)->budget, run);
}

static fx_status solve(fxi_output *o, double C, const fx_run *run)
{
    return fxi_kind_online_solve(o, C, o->s.beta, o->train->source.rows, pass, run);
}

static void keep(fxi_output *o) { fxi_kind_online_keep(o, o->s.beta); }

/* ---- Files -------------------------------------------------------------------------------- */

static void dump_arrays(fxi_dumping *d)
{
    fxi_kind_online_dump(d);
    fxi_kind_vectors_file_dump(d);
}

/* With a precomputed kernel it cannot resume. */
static fx_status parse_arrays(fxi_parsing *p)
{
    fx_status st = fxi_kind_kernel_given(p->m) ? FX_OK : fxi_kind_online_take(p, true);

    return st ? st : fxi_kind_vectors_file_take(p);
}

const fxi_kind fxi_kind_kernel_perceptron = {
    .name = "kernel perceptron", .learner = learners, .options = sizeof(fxi_online_keys),
    .numbers = sizeof(fxi_online), .prepared = sizeof(fxi_machine),
    .state = sizeof(fxi_perceptron), .columns = true, .format = 2,
    .proba_hint = "train with calibrate=yes or model logistic",
    .read = fxi_kind_online_read, .describe = fxi_kind_kernel_describe,
    .prepare = fxi_kind_kernel, .init = init, .bytes = bytes,
    .close = fxi_kind_vectors_close, .fit = fxi_train_fit, .begin = begin, .allocate = allocate,
    .start = start, .solve = solve, .score = fxi_kind_vectors_score, .keep = keep,
    .release = fxi_kind_online_release, .finish = fxi_kind_vectors_finish,
    .summary = fxi_kind_online_summary,
    .not_converged = fxi_kind_weights_not_converged, .updatable = fxi_kind_online_updatable,
    .update = fxi_kind_kernel_join, .measure = fxi_kind_kernel_measure, .seconds = seconds, .peak = fxi_kind_vectors_peak,
    .scorer = fxi_kind_vectors_scorer, .terms = fxi_kind_vectors_terms,
    .dump_header = fxi_kind_vectors_file_header, .dump_arrays = dump_arrays,
    .parse_header = fxi_kind_vectors_file_support, .parse_arrays = parse_arrays,
    .parsed = fxi_kind_vectors_file_parsed};
