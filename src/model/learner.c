/* SPDX-License-Identifier: BSD-3-Clause
 * learner.c - the table of models, and model specs read by it.
 *
 * A model is a loss; which penalties and solvers serve it follows from the loss: a dual step, a
 * second derivative, both or none.  newton is Newton's method or, where there is no second
 * derivative, the method of multipliers.
 *
 *             dual          newton          cd (l1)
 *   svm       auto, first   auto, if long   -
 *   svm-l2    yes           auto            auto
 *   svr       auto, first   auto, if long   -
 *   logistic  -             auto            auto
 *   ridge     yes           auto            -
 */

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#define COMMON                                                                                     \
    {"C", "1", NULL}, {"penalty", "l2", "l2|l1"},                                                  \
    {"intercept", "free", "free|appended|none"}, {"solver", "auto", "auto|dual|newton|cd"},        \
    {"tol", "1e-3", NULL}, {"max-iter", "1000", NULL}
#define CALIBRATE {"calibrate", "no", "no|yes"}
#define END {NULL, NULL, NULL}

static const fxi_spec_key keys[] = {COMMON, END};
static const fxi_spec_key keys_calibrate[] = {COMMON, CALIBRATE, END};
static const fxi_spec_key keys_epsilon[] = {COMMON, {"epsilon", "0.1", NULL}, END};
static const fxi_spec_key keys_perceptron[] = {
    {"averaged", "yes", "yes|no"}, {"max-iter", "10", NULL},
    {"intercept", "free", "free|appended|none"}, CALIBRATE, END};

static const fxi_learner table[] = {
    {"svm", "svm          C=1, intercept=free|appended|none, tol=1e-3, max-iter=1000, "
     "calibrate=no|yes: hinge loss", keys_calibrate, &fxi_loss_hinge},
    {"svm-l2", "svm-l2       the same, penalty=l2|l1, solver=auto|dual|newton|cd: squared hinge "
     "loss", keys_calibrate, &fxi_loss_squared_hinge},
    {"svr", "svr          C=1, epsilon=0.1, intercept=, tol=, max-iter=: epsilon-insensitive loss, "
     "for targets", keys_epsilon, &fxi_loss_insensitive},
    {"logistic", "logistic     C=1, penalty=l2|l1, intercept=, tol=, max-iter=: logistic loss, "
     "with probabilities", keys, &fxi_loss_logistic},
    {"ridge", "ridge        C=1, intercept=, tol=, max-iter=: squared loss, for targets", keys,
     &fxi_loss_squared},
    {"perceptron", "perceptron   averaged=yes|no, max-iter=10, intercept=, calibrate=no|yes: "
     "online, can be updated", keys_perceptron, NULL}};
enum { LEARNERS = sizeof table / sizeof *table };

const char *fxi_model_learner_help(size_t i) { return i < LEARNERS ? table[i].help : NULL; }

/* ---- Which penalty and solver go together ------------------------------------------------ */

static const char *const solver_name[] = {"auto", "dual", "newton", "cd"};

static bool serves(const fxi_loss *loss, bool l1, int solver)
{
    bool by_cd = loss == &fxi_loss_squared_hinge || loss == &fxi_loss_logistic;

    return l1                     ? by_cd && (solver == FXI_AUTO || solver == FXI_CD)
           : solver == FXI_DUAL   ? loss->step != NULL
                                  : solver == FXI_NEWTON || solver == FXI_AUTO;
}

static fx_status not_served(const fxi_learning *l)
{
    const fxi_loss *loss = l->learner->loss;
    bool l1 = serves(loss, true, FXI_CD), dual = serves(loss, false, FXI_DUAL);

    return fxi_error(FX_EUNSUPPORTED, "%s has no penalty=%s with solver=%s; there are penalty=l2 "
                     "(solver=%snewton)%s", l->learner->name, l->l1 ? "l1" : "l2",
                     solver_name[l->solver], dual ? "dual|" : "",
                     l1 ? ", penalty=l1 (solver=cd)" : "");
}

/* ---- Specs ------------------------------------------------------------------------------- */

static fx_status positive(double *out, const fxi_spec *s, const fxi_spec_key *k, const char *key)
{
    fx_status st = fxi_spec_number(out, s, k, key);

    if (!st && !(*out > 0))
        st = fxi_error(FX_EINVAL, "%.*s: %s=%g must be positive", (int)s->name_len, s->name, key,
                       *out);
    return st;
}

static fx_status choice(int *out, const fxi_spec *s, const fxi_spec_key *k, const char *key)
{
    while (k->name && strcmp(k->name, key))
        k++;
    *out = 0;
    return k->name ? fxi_spec_choice(out, s, k, key) : FX_OK;
}

static fx_status read_loss(fxi_learning *l, const fxi_spec *s, const fxi_spec_key *k)
{
    int l1;
    fx_status st = positive(&l->C, s, k, "C");

    if (!st)
        st = positive(&l->tol, s, k, "tol");
    if (!st)
        st = choice(&l1, s, k, "penalty");
    if (!st)
        st = choice(&l->solver, s, k, "solver");
    if (!st && k == keys_epsilon)
        st = fxi_spec_number(&l->epsilon, s, k, "epsilon");
    if (st)
        return st;
    l->l1 = l1;
    if (l->epsilon < 0)
        return fxi_error(FX_EINVAL, "%s: epsilon=%g is negative", l->learner->name, l->epsilon);
    return serves(l->learner->loss, l->l1, l->solver) ? FX_OK : not_served(l);
}

fx_status fxi_model_learner(fxi_learning *out, const char *spec)
{
    const char *names[LEARNERS + 1] = {0};
    fxi_learning l = {.C = 1};
    int intercept, calibrate, plain;
    uint64_t max_iter;
    size_t which;
    fxi_spec s;

    for (size_t i = 0; i < LEARNERS; i++)
        names[i] = table[i].name;
    fx_status st = fxi_data_spec(&s, &which, spec, names, "model");
    if (st)
        return st;
    l.learner = &table[which];
    const fxi_spec_key *k = l.learner->keys;
    if ((st = fxi_spec_check(&s, k)) || (st = choice(&intercept, &s, k, "intercept"))
        || (st = choice(&calibrate, &s, k, "calibrate")) || (st = choice(&plain, &s, k, "averaged"))
        || (st = fxi_spec_count(&max_iter, &s, k, "max-iter", 1, INT32_MAX))
        || (l.learner->loss && (st = read_loss(&l, &s, k))))
        return st;
    l.intercept = (fxi_intercept)intercept;
    l.calibrate = calibrate;
    l.averaged = !plain;
    l.max_iter = (size_t)max_iter;
    if (!(l.spec = fxi_spec_complete(&s, k)))
        return FX_ENOMEM;
    *out = l;
    return FX_OK;
}
