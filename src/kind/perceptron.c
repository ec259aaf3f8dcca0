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
    FXI_KIND_ONLINE, .name = "perceptron", .learner = learners, .numbers = sizeof(fxi_online),
    .prepared = sizeof(fxi_weights), .format = 1, .map = FX_MAY,
    .prepare = fxi_kind_features_prepare, .init = init, .bytes = bytes,
    .close = fxi_kind_weights_close, .parsed = fxi_kind_features_parsed};
