/* SPDX-License-Identifier: BSD-3-Clause
 * fitting.c - the options of training, as the library's plan.
 *
 * The model is one spec string; options add keys to it.  What the spec itself says and an option
 * says again is refused, since one of them would be lost silently. */

#include "models.h"

#include <stdlib.h>
#include <string.h>

fitting fit;

static const opt options[] = {
    {"model", 0, "SPEC", OPT_TEXT, &fit.model, NULL,
     "the model; see below (default: svm-l2 for classes, ridge for numbers)", 0, 0},
    {"loss", 0, "hinge|squared-hinge|logistic|squared|epsilon-insensitive", OPT_CHOICE, &fit.loss,
     NULL, "the model by its loss: svm, svm-l2, logistic, ridge, svr; with --model fm, hofm, ..: "
     "its loss (default: squared for numbers, else logistic)", 0, 0},
    {"task", 0, "classify|regress|rank|auto", OPT_CHOICE, &fit.task, "auto",
     "auto: as the model has it; else classify if labels are text, or whole numbers of at most 20 "
     "values that occur twice on average; rank (factorization machines): labels order the rows of "
     "a query (qid), or all rows", 0, 0},
    {"penalty", 0, "l2|l1", OPT_CHOICE, &fit.penalty, NULL,
     "l1: most weights are 0 (svm-l2, logistic; default l2)", 0, 0},
    {"intercept", 0, "free|appended|none", OPT_CHOICE, &fit.intercept, NULL,
     "free: not penalised (default); appended: penalised, as LIBLINEAR's -B 1", 0, 0},
    {"epsilon", 0, "X", OPT_TEXT, &fit.epsilon, NULL,
     "svr, kernel-svr: errors below it are free (default 0.1)", 0, 0},
    {"solver", 0, "auto|dual|newton|cd|adagrad|lbfgs", OPT_CHOICE, &fit.solver, NULL,
     "which algorithm; factorization machines: cd, adagrad, lbfgs (default auto: cd; rankings: "
     "adagrad; poly-net: lbfgs)", 0, 0},
    {"tol", 0, "X", OPT_TEXT, &fit.tol, NULL,
     "stop when (objective - optimum) / objective is at most that; kernel-svm, kernel-svr: the "
     "largest violation of the optimality conditions, as LIBSVM's -e (default 1e-3); factorization "
     "machines: when an iteration lowers the objective by less than that share (1e-4)", 0, 0},
    {"max-iter", 0, "N", OPT_TEXT, &fit.max_iter, NULL,
     "or after so many iterations (default 1000; factorization machines: 100; perceptrons: passes, "
     "10; kernel-svm, kernel-svr: steps, 10000000)", 0, 0},
    {"cache", 0, "SIZE", OPT_SIZE, &fit.cache, NULL,
     "kernel-svm, kernel-svr: memory that a fit may take, kernel values and all; the model does "
     "not depend on it (default 256M)", 0, 0},
    {"calibrate", 0, NULL, OPT_FLAG, &fit.calibrate, NULL,
     "svm, svm-l2, perceptron, kernel-svm: probabilities, by a sigmoid fitted on held-out folds", 0,
     0},
    {"class-weight", 0, "balanced|CLASS=W,..", OPT_TEXT, &fit.class_weight, NULL,
     "weights of classes; balanced: each class counts the same", 0, 0},
    {"weights", 0, "FILE", OPT_TEXT, &fit.weights, NULL, "weights of rows, one number a line", 0,
     0},
    {"scale", 0, "auto|" KERNEL_SCALES, OPT_CHOICE, &fit.scale, NULL,
     "scale columns (maxabs, std) or rows (unit-l1, unit-l2) first; kept in the model; auto: none "
     "or maxabs, by their range (default none; factorization machines: auto)", 0, 0},
    {"map", 'm', "SPEC|auto", OPT_TEXT, &fit.map, NULL,
     "the map of the kernel; auto: rk, rm or rff, whichever serves it (default auto)", 0, 0},
    {0},
};
const opt_group fitting_options = {"Training options", options};

/* ---- The model's spec --------------------------------------------------------------------- */
static const struct { const char *loss, *model; } losses[] = {
    {"hinge", "svm"}, {"squared-hinge", "svm-l2"}, {"logistic", "logistic"}, {"squared", "ridge"},
    {"epsilon-insensitive", "svr"}};

static const char *by_loss(void)
{
    size_t i = 0;

    while (strcmp(losses[i].loss, fit.loss) != 0)
        i++;
    return losses[i].model;
}

const char *fitting_given(void) { return fit.model ? fit.model : fit.loss ? by_loss() : NULL; }

bool fitting_online(const char *spec)
{
    return spec_named(spec, "perceptron") || spec_named(spec, "kernel-perceptron");
}

static int add(char spec[FITTING_SPEC], const char *key, const char *value, const char *option)
{
    size_t at = strlen(spec);

    if (!value)
        return 0;
    if (spec_has(spec, key)) {
        say_error("%s %s and --model %s both set %s", option, value, fit.model, key);
        return EXIT_USAGE;
    }
    if (strpbrk(value, ",()")) {
        say_error("%s %s is not one value%s", option, value,
                  strcmp(key, "beta") ? "" : "; those of orders 2, 3, .. are divided by /");
        return EXIT_USAGE;
    }
    int n = snprintf(spec + at, FITTING_SPEC - at, "%c%s=%s", strchr(spec, ':') ? ',' : ':', key,
                     value);
    if (n >= 0 && (size_t)n < FITTING_SPEC - at)
        return 0;
    say_error("%s %.20s... is too long", option, value);
    return EXIT_USAGE;
}

int fitting_model(char spec[FITTING_SPEC], bool regress, const char *C, const char *penalty)
{
    const char *name = fitting_given();
    const char *plain = !regress ? "svm-l2" : fit.epsilon ? "svr" : "ridge";
    const char *task = !factor_is()                 ? NULL
                       : strcmp(fit.task, "auto")   ? fit.task
                       : spec_has(name, "task")  ? NULL
                       : regress                    ? "regress"
                                                    : "classify";
    const struct { const char *key, *value, *option; } keys[] = {
        {"task", task, "--task"}, {"loss", factor_is() ? fit.loss : NULL, "--loss"},
        {"order", fit.order, "--order"}, {"rank", fit.rank, "--rank"},
        {"beta", fit.beta, "--beta"}, {"alpha", fit.alpha, "--alpha"},
        {"lambda", fit.lambda, "--lambda"}, {"linear", fit.linear, "--linear"},
        {"lr", fit.lr, "--lr"}, {"batch", fit.batch, "--batch"}, {"clip", fit.clip, "--clip"},
        {"C", C, "-C"}, {"penalty", fit.penalty ? fit.penalty : penalty, "--penalty"},
        {"intercept", fit.intercept, "--intercept"}, {"epsilon", fit.epsilon, "--epsilon"},
        {"solver", fit.solver, "--solver"}, {"tol", fit.tol, "--tol"},
        {"max-iter", fit.max_iter, "--max-iter"},
        {"calibrate", fit.calibrate ? "yes" : NULL, "--calibrate"}};

    if (fit.model && fit.loss && !factor_is()) {
        say_error("--loss %s is --model %s: give one of them", fit.loss, by_loss());
        return EXIT_USAGE;
    }
    if (name && strlen(name) >= FITTING_SPEC) {
        say_error("--model %.20s... is too long", name);
        return EXIT_USAGE;
    }
    snprintf(spec, FITTING_SPEC, "%s", name ? name : plain);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (add(spec, keys[i].key, keys[i].value, keys[i].option))
            return EXIT_USAGE;
    return 0;
}

double fitting_cost(const char *spec)
{
    const char *C = spec_value(spec, "C");

    return C ? strtod(C, NULL) : 1;
}

bool fitting_l1(bool regress)
{
    const char *name = fitting_given();

    return !regress && !fit.penalty && !fit.solver
           && (!name
               || ((spec_named(name, "svm-l2") || spec_named(name, "logistic"))
                   && !spec_has(name, "penalty") && !spec_has(name, "solver")));
}

int fitting_path_exists(const char *who)
{
    const char *name = fitting_given();

    if (fitting_unlabelled()) {
        say_error("%s: %s has neither C nor labels, so there is nothing to hold rows out for", who,
                  name);
        return EXIT_USAGE;
    }
    if (!name || !fitting_online(name))
        return 0;
    say_error("%s: a perceptron has no C, and no folds are held out for it; compare models with "
              "--eval-set", who);
    return EXIT_USAGE;
}

/* Of a few rows of one column there is one component, and of two one stands on the left: k=10 or
 * split=10 is as good as 1 where only the spec is looked at. */
static void ask_for_one(char spec[FITTING_SPEC])
{
    const char *key = fitting_unlabelled() ? "k" : "split";
    char *k = (char *)spec_value(spec, key);
    size_t n = k ? strspn(k, "0123456789") : 0;

    if (n && strspn(k, "0") < n) {
        *k = '1';
        memmove(k + 1, k + n, strlen(k + n) + 1);
    }
}

/* A fit of a few rows, enough for held-out folds, shows whether names and keys are right.  A fit
 * that would take long or much here is left to the rows that are to come. */
static fx_status small_fit(char spec[FITTING_SPEC])
{
    enum { ROWS = 20, MEMORY = 1 << 20 };
    const size_t cols = factor_is() ? 2 : 1;
    float x[2 * ROWS];
    double y[ROWS];
    const fx_matrix X = {.rows = ROWS, .cols = cols, .stride = cols, .val = x};
    const fx_table t = {.rows = ROWS, .cols = cols, .blocks = 1, .block = &X, .label = y};
    const fx_run run = {.threads = 1, .max_memory = MEMORY};
    fx_model *m = NULL;

    for (int i = 0; i < ROWS; i++)
        y[i] = i % 2 ? 1 : -1;
    for (size_t q = 0; q < ROWS * cols; q++)
        x[q] = (float)y[q / cols];
    ask_for_one(spec);
    const fx_plan plan = {.model = spec, .kernel = exact_is() ? "linear" : NULL,
                          .max_seconds = factor_is() ? 0.01 : 0};
    fx_status s = fx_model_fit(&m, &plan, &t, factor_is() ? &run : NULL);
    fx_model_free(m);
    return s == FX_EINVAL || s == FX_EUNSUPPORTED ? s : FX_OK;
}

/* Where labels decide what a factorization machine is of, it may be either. */
int fitting_check(const char *C)
{
    char spec[FITTING_SPEC];
    bool regress = false, known = fitting_task_known(&regress);
    int status = fitting_model(spec, regress, C, NULL);
    fx_status s = status ? FX_OK : small_fit(spec);

    if (s && factor_is() && !known && !(status = fitting_model(spec, true, C, NULL)))
        s = small_fit(spec);
    return status ? status : s ? say_failure(s) : 0;
}

bool fitting_task_known(bool *regress)
{
    const char *name = fitting_given();

    if (factor_is()) {                  /* they do all tasks: the spec says which, or the option */
        const char *task = spec_value(name, "task");
        *regress = fitting_ranks() || (task ? *task == 'r' : !strcmp(fit.task, "regress"));
        return task || strcmp(fit.task, "auto") != 0;
    }
    *regress = name ? spec_named(name, "svr") || spec_named(name, "ridge")
                          || spec_named(name, "kernel-svr") || spec_named(name, "kernel-ridge")
                    : !strcmp(fit.task, "regress");
    return name || strcmp(fit.task, "auto") != 0;
}

bool fitting_ranks(void)
{
    return !strcmp(fit.task, "rank") || (factor_is() && spec_says(fit.model, "task", "rank"));
}

bool fitting_unlabelled(void)
{
    const char *name = fitting_given();

    return name && (spec_named(name, "pca") || spec_named(name, "kernel-pca"));
}

/* ---- Maps --------------------------------------------------------------------------------- */
static const char *const usual[] = {"rk", "rm", "rff", NULL};

const char *fitting_served(const kernel_choice *k, size_t cols)
{
    for (const char *const *map = usual; *map; map++) {
        fx_map *m = NULL;
        fx_status s = fx_map_parse(&m, *map, k->kernel, cols, kernel_few(map, 0), 1, NULL, NULL);
        fx_map_free(m);
        if (!s)
            return *map;
    }
    return NULL;
}

int fitting_map(const char **spec, const kernel_choice *k, size_t cols)
{
    const char *const only[] = {fit.map, NULL};
    const char *const *maps = fit.map && strcmp(fit.map, "auto") != 0 ? only : usual;
    fx_status s = FX_EUNSUPPORTED;

    for (; *maps && s == FX_EUNSUPPORTED; maps++) {
        fx_map *m = NULL;
        s = fx_map_parse(&m, *maps, k->kernel, cols, kernel_few(maps, 0), 1, NULL, NULL);
        fx_map_free(m);
        *spec = *maps;
    }
    return s == FX_EUNSUPPORTED ? say_failure(s) : 0;   /* else the fit says what is wrong */
}
