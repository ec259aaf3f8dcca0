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
    FXI_KIND_ONLINE, FXI_KIND_VECTORS, .name = "kernel perceptron", .learner = learners,
    .prepare = fxi_kind_kernel, .init = init, .bytes = bytes, .update = fxi_kind_kernel_join,
    .measure = fxi_kind_kernel_measure, .seconds = seconds, .peak = fxi_kind_vectors_peak,
    .dump_header = fxi_kind_vectors_file_header, .parse_header = fxi_kind_vectors_file_support};
