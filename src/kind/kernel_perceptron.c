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
    return fxi_kind_weights_bytes(each, all, t, 4, 0);
}

static double seconds(const fxi_estimating *e, double n)
{
    size_t budget = ((const fxi_online_keys *)e->t->how.own)->budget;

    return (double)e->t->how.max_iter * n * fmin(MISTAKES * n, budget ? (double)budget : n)
           * e->pair;
}

const fxi_kind fxi_kind_kernel_perceptron = {
    .name = "kernel perceptron", .learner = learners, .options = sizeof(fxi_online_keys),
    .numbers = sizeof(fxi_vectors), .prepared = sizeof(fxi_machine),
    .state = sizeof(fxi_perceptron), .columns = true, .format = 2, .proba_hint = FXI_PROBA_HINT,
    .kernel = FX_MUST, .read = fxi_kind_online_read, .prepare = fxi_kind_kernel, .init = init,
    .bytes = bytes, .close = fxi_kind_vectors_close, .fit = fxi_train_fit,
    .begin = fxi_kind_online_begin, .allocate = fxi_kind_online_allocate,
    .start = fxi_kind_online_start, .solve = fxi_kind_online_solve,
    .score = fxi_kind_weights_score, .keep = fxi_kind_online_keep,
    .release = fxi_kind_online_release, .finish = fxi_kind_weights_finish,
    .fold_not_converged = fxi_kind_weights_fold, .updatable = fxi_kind_online_updatable,
    .update = fxi_kind_kernel_join, .measure = fxi_kind_kernel_measure, .seconds = seconds,
    .peak = fxi_kind_vectors_peak, .scorer = fxi_kind_weights_scorer,
    .terms = fxi_explain_terms_weights, .dump_header = fxi_kind_vectors_file_header,
    .dump_arrays = fxi_kind_online_dump, .parse_header = fxi_kind_vectors_file_support,
    .parse_arrays = fxi_kind_online_take, .parsed = fxi_kind_vectors_file_parsed,
    .free = fxi_kind_vectors_free};
