/* SPDX-License-Identifier: BSD-3-Clause
 * perceptron.c - the perceptron on features; it can be updated. */

#include "kind/kind.h"

static const fx_key keys[] = {
    {FXI_KEY_AVERAGED}, {FXI_KEY_PASSES}, {FXI_KEY_INTERCEPT}, {FXI_KEY_CALIBRATE}, {0}};
static const fxi_learner learners[] = {
    {"perceptron", "online, can be updated", keys, NULL, 0, NULL}, {0}};

static fx_status init(fxi_train *t, const fx_run *run)
{
    (void)run;
    if (t->init->kind != &fxi_kind_perceptron)
        return fxi_train_init_differs("model", t->init->c.spec, t->m->c.spec);
    fx_status st = fxi_kind_features_init(t);
    return st ? st : fxi_kind_online_init(t);
}

/* A weight, and the two numbers of its state. */
static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    return fxi_kind_weights_bytes(each, all, t, 3, 0);
}

const fxi_kind fxi_kind_perceptron = {
    .name = "perceptron", .learner = learners, .options = sizeof(fxi_online_keys),
    .numbers = sizeof(fxi_online), .prepared = sizeof(fxi_weights),
    .state = sizeof(fxi_perceptron), .columns = true, .format = 1, .proba_hint = FXI_PROBA_HINT,
    .map = FX_MAY, .read = fxi_kind_online_read, .prepare = fxi_kind_features_prepare,
    .init = init, .bytes = bytes, .close = fxi_kind_weights_close, .fit = fxi_train_fit,
    .begin = fxi_kind_online_begin, .allocate = fxi_kind_online_allocate,
    .start = fxi_kind_online_start, .solve = fxi_kind_online_solve,
    .score = fxi_kind_weights_score, .keep = fxi_kind_online_keep,
    .release = fxi_kind_online_release, .finish = fxi_kind_weights_finish,
    .fold_not_converged = fxi_kind_weights_fold, .updatable = fxi_kind_online_updatable,
    .scorer = fxi_kind_weights_scorer, .terms = fxi_explain_terms_weights,
    .dump_arrays = fxi_kind_online_dump, .parse_arrays = fxi_kind_online_take,
    .parsed = fxi_kind_features_parsed};
