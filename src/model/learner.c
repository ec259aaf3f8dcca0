/* SPDX-License-Identifier: BSD-3-Clause
 * learner.c - the table of models, and model specs read by it.
 *
 * Most models are a loss, of a linear model or of a kernel machine; which penalties and solvers
 * serve a linear model follows from the loss: a dual step, a second derivative, both or none.
 * newton is Newton's method or, where there is no second derivative, the method of multipliers.
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

#define COLLAPSE {"collapse", "auto", "auto|no|yes"}
#define STEPS {"tol", "1e-3", NULL}, {"max-iter", "10000000", NULL}
static const fxi_spec_key keys_kernel_svm[] = {{"C", "1", NULL}, STEPS, CALIBRATE, COLLAPSE, END};
static const fxi_spec_key keys_kernel_svr[] = {
    {"C", "1", NULL}, {"epsilon", "0.1", NULL}, STEPS, COLLAPSE, END};
static const fxi_spec_key keys_kernel_ridge[] = {{"C", "1", NULL}, COLLAPSE, END};
static const fxi_spec_key keys_kernel_perceptron[] = {
    {"averaged", "yes", "yes|no"}, {"max-iter", "10", NULL}, {"budget", "0", NULL}, END};
static const fxi_spec_key keys_pca[] = {{"k", NULL, NULL}, END};

static const fxi_learner table[] = {
    {"svm", "svm          C=1, intercept=free|appended|none, tol=1e-3, max-iter=1000, "
     "calibrate=no|yes: hinge loss", keys_calibrate, FXI_LOSS, false, &fxi_loss_hinge},
    {"svm-l2", "svm-l2       the same, penalty=l2|l1, solver=auto|dual|newton|cd: squared hinge "
     "loss", keys_calibrate, FXI_LOSS, false, &fxi_loss_squared_hinge},
    {"svr", "svr          C=1, epsilon=0.1, intercept=, tol=, max-iter=: epsilon-insensitive loss, "
     "for targets", keys_epsilon, FXI_LOSS, false, &fxi_loss_insensitive},
    {"logistic", "logistic     C=1, penalty=l2|l1, intercept=, tol=, max-iter=: logistic loss, "
     "with probabilities", keys, FXI_LOSS, false, &fxi_loss_logistic},
    {"ridge", "ridge        C=1, intercept=, tol=, max-iter=: squared loss, for targets", keys,
     FXI_LOSS, false, &fxi_loss_squared},
    {"perceptron", "perceptron   averaged=yes|no, max-iter=10, intercept=, calibrate=no|yes: "
     "online, can be updated", keys_perceptron, FXI_ONLINE, false, NULL},
    {"pca", "pca          k=: directions of largest variance, of rows or of a map's features; no "
     "labels", keys_pca, FXI_COMPONENTS, false, NULL},
    {"kernel-svm", "kernel-svm   C=1, tol=1e-3, max-iter=10000000, calibrate=no|yes, "
     "collapse=auto|no|yes: hinge loss, exact", keys_kernel_svm, FXI_LOSS, true, &fxi_loss_hinge},
    {"kernel-svr", "kernel-svr   C=1, epsilon=0.1, tol=, max-iter=, collapse=: "
     "epsilon-insensitive loss, exact", keys_kernel_svr, FXI_LOSS, true, &fxi_loss_insensitive},
    {"kernel-ridge", "kernel-ridge C=1, collapse=: squared loss, exact, for targets",
     keys_kernel_ridge, FXI_LOSS, true, &fxi_loss_squared},
    {"kernel-perceptron", "kernel-perceptron averaged=yes|no, max-iter=10, budget=0: online, can "
     "be updated; keeps at most `budget` mistakes of each class, 0: all", keys_kernel_perceptron,
     FXI_ONLINE, true, NULL},
    {"kernel-pca", "kernel-pca   k=: directions of largest variance in the kernel's space; no "
     "labels", keys_pca, FXI_COMPONENTS, true, NULL}};
enum { OWN = sizeof table / sizeof *table, LEARNERS = OWN + 16 };

/* Line i of the table, factorization machines behind the others; NULL: no more. */
static const fxi_learner *line(size_t i)
{
    return i < OWN ? &table[i] : fxi_model_learner_factors(i - OWN);
}

const char *fxi_model_learner_help(size_t i) { return line(i) ? line(i)->help : NULL; }

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

static bool has(const fxi_spec_key *k, const char *key)
{
    while (k->name && strcmp(k->name, key))
        k++;
    return k->name != NULL;
}

/* Keys that a model does not have are 0. */
static fx_status choice(int *out, const fxi_spec *s, const fxi_spec_key *k, const char *key)
{
    *out = 0;
    return has(k, key) ? fxi_spec_choice(out, s, k, key) : FX_OK;
}

static fx_status count(size_t *out, const fxi_spec *s, const fxi_spec_key *k, const char *key,
                       uint64_t low)
{
    uint64_t n = 0;
    fx_status st = has(k, key) ? fxi_spec_count(&n, s, k, key, low, INT32_MAX) : FX_OK;

    *out = (size_t)n;
    return st;
}

static fx_status read_loss(fxi_learning *l, const fxi_spec *s, const fxi_spec_key *k)
{
    int l1;
    fx_status st = positive(&l->C, s, k, "C");

    if (!st && has(k, "tol"))
        st = positive(&l->tol, s, k, "tol");
    if (!st)
        st = choice(&l1, s, k, "penalty");
    if (!st)
        st = choice(&l->solver, s, k, "solver");
    if (!st && has(k, "epsilon"))
        st = fxi_spec_number(&l->epsilon, s, k, "epsilon");
    if (st)
        return st;
    l->l1 = l1;
    if (l->epsilon < 0)
        return fxi_error(FX_EINVAL, "%s: epsilon=%g is negative", l->learner->name, l->epsilon);
    return l->learner->kernel || serves(l->learner->loss, l->l1, l->solver) ? FX_OK : not_served(l);
}

/* All but factorization machines. */
static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    const fxi_spec_key *k = l->learner->keys;
    int intercept, calibrate, plain;
    fx_status st;

    if ((st = choice(&intercept, s, k, "intercept")) || (st = choice(&calibrate, s, k, "calibrate"))
        || (st = choice(&plain, s, k, "averaged")) || (st = choice(&l->collapse, s, k, "collapse"))
        || (st = count(&l->max_iter, s, k, "max-iter", 1))
        || (st = count(&l->budget, s, k, "budget", 0)) || (st = count(&l->components, s, k, "k", 1))
        || (l->learner->loss && (st = read_loss(l, s, k))))
        return st;
    l->intercept = (fxi_intercept)intercept;
    l->calibrate = calibrate;
    l->averaged = !plain;
    l->loss = l->learner->loss;
    return FX_OK;
}

fx_status fxi_model_learner(fxi_learning *out, const char *spec)
{
    const char *names[LEARNERS + 1] = {0};
    fxi_learning l = {.C = 1, .tol = 1e-3};
    size_t which;
    fxi_spec s;

    for (size_t i = 0; i < LEARNERS && line(i); i++)
        names[i] = line(i)->name;
    fx_status st = fxi_data_spec(&s, &which, spec, names, "model");
    if (st)
        return st;
    l.learner = line(which);
    if ((st = fxi_spec_check(&s, l.learner->keys))
        || (st = l.learner->kind == FXI_FACTORS ? fxi_model_learner_factors_read(&l, &s)
                                                : read(&l, &s)))
        return st;
    l.spec = l.learner->kind == FXI_FACTORS ? fxi_model_learner_factors_spec(&l, &s)
                                            : fxi_spec_complete(&s, l.learner->keys);
    if (!l.spec)
        return FX_ENOMEM;
    *out = l;
    return FX_OK;
}
