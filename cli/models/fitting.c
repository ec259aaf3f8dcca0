/* SPDX-License-Identifier: BSD-3-Clause
 * fitting.c - the options of training, as the library's plan.
 *
 * The model is one spec string; options add keys to it.  If the spec and an option set the same
 * key, that is an error, because one of them would be ignored silently. */

#include "models.h"

#include <stdlib.h>
#include <string.h>

fitting fit;

static const opt options[] = {
    {"model", 0, "SPEC", OPT_TEXT, &fit.model, NULL,
     "model to fit, see below (default: svm-l2 for classes, ridge for numbers, fm for rankings)", 0,
     0},
    {"loss", 0, "hinge|squared-hinge|logistic|squared|epsilon-insensitive", OPT_CHOICE, &fit.loss,
     NULL,
     "choose a linear model by its loss: svm, svm-l2, logistic, ridge, svr; or the loss of "
     "--model fm, hofm, .. (default: squared for numbers, otherwise logistic)", 0, 0},
    {"task", 0, "classify|regress|rank|auto", OPT_CHOICE, &fit.task, "auto",
     "meaning of the labels: classes, numbers, or ranks within queries (qid; factorization "
     "machines only; without queries, of all rows); auto: the task of the model, otherwise "
     "classify if labels are text, or whole numbers with at most 20 different values that occur "
     "twice on average", 0, 0},
    {"penalty", 0, "l2|l1", OPT_CHOICE, &fit.penalty, NULL,
     "l1 makes most weights exactly 0 (svm-l2, logistic, ridge; default l2)", 0, 0},
    {"intercept", 0, "free|appended|none", OPT_CHOICE, &fit.intercept, NULL,
     "free: not penalised (default); appended: penalised, as with LIBLINEAR's -B 1", 0, 0},
    {"epsilon", 0, "X", OPT_TEXT, &fit.epsilon, NULL,
     "svr, kernel-svr: errors smaller than X cost nothing (default 0.1)", 0, 0},
    {"solver", 0, "auto|dual|newton|proximal|cd|adagrad|lbfgs", OPT_CHOICE, &fit.solver, NULL,
     "optimization algorithm; factorization machines have cd, adagrad and lbfgs (default auto, "
     "which for them is cd; rankings: adagrad; poly-net: lbfgs)", 0, 0},
    {"tol", 0, "X", OPT_TEXT, &fit.tol, NULL,
     "stop when the relative distance to the optimum (objective - optimum) / objective is at most "
     "X; kernel-svm and kernel-svr: when the optimality conditions are violated by at most X, as "
     "LIBSVM's -e (default 1e-3); factorization machines: when an iteration lowers the objective "
     "by less than this share (default 1e-4)", 0, 0},
    {"max-iter", 0, "N", OPT_TEXT, &fit.max_iter, NULL,
     "stop after N iterations (default 1000; factorization machines: 100; perceptrons: 10 passes; "
     "kernel-svm, kernel-svr: 10000000 steps)", 0, 0},
    {"cache", 0, "SIZE", OPT_SIZE, &fit.cache, NULL,
     "kernel-svm, kernel-svr: memory limit of a fit, including stored kernel values; it changes "
     "the time, not the model (default 256M)", 0, 0},
    {"calibrate", 0, NULL, OPT_FLAG, &fit.calibrate, NULL,
     "add probabilities to models with the key calibrate, by a sigmoid fitted on held-out folds",
     0, 0},
    {"class-weight", 0, "balanced|CLASS=W,..", OPT_TEXT, &fit.class_weight, NULL,
     "weights of classes; balanced gives all classes the same total weight", 0, 0},
    {"weights", 0, "FILE", OPT_TEXT, &fit.weights, NULL,
     "read the weights of the rows from FILE, one number per line", 0, 0},
    {"scale", 0, KERNEL_SCALES, OPT_CHOICE, &fit.scale, NULL,
     "scaling before the fit, stored in the model; maxabs and std scale columns, unit-l1 and "
     "unit-l2 rows; auto: maxabs if a value is above 1 or below -1, otherwise none (default none; "
     "factorization machines: auto)", 0, 0},
    {"map", 'm', "SPEC|auto", OPT_TEXT, &fit.map, NULL,
     "random feature map for the kernel; auto: the first of rk, rm and rff that supports it "
     "(default auto)", 0, 0},
    {0},
};
const opt_group fitting_options = {"Training options", options};

/* ---- The model's spec --------------------------------------------------------------------- */
const char *fitting_given(void)
{
    return fit.model ? fit.model : fit.loss ? model_by_loss(fit.loss) : NULL;
}

static int name_in_full(void)
{
    static char spec[FITTING_SPEC];
    fx_description d = model_about(fit.model);
    const char *keys = d.sets ? strchr(fit.model, ':') : NULL;

    if (!d.sets)
        return 0;
    int n = snprintf(spec, sizeof spec, "%s:%s%s%s", d.name, d.sets, keys ? "," : "",
                     keys ? keys + 1 : "");
    if (n >= FITTING_SPEC)
        return say_error("--model %.20s... is too long", fit.model);
    fit.model = spec;
    return 0;
}

int fitting_name_model(void)
{
    if (!fitting_given() && !strcmp(fit.task, "rank")) {
        fit.model = DEFAULT_RANKS;
        say_note("model: %s, since the task is to rank", fit.model);
    }
    return name_in_full();
}

fx_description fitting_about(void) { return model_about(fitting_given()); }

static int add(char spec[FITTING_SPEC], const char *key, const char *value)
{
    const char *dashes = key[1] ? "--" : "-";

    if (!value)
        return 0;
    if (model_takes(spec, key))
        return EXIT_USAGE;
    if (spec_get(spec, key).p)
        return say_error("%s%s %s and --model %s both set %s", dashes, key, value, fit.model, key);
    if (strpbrk(value, ",()"))
        return say_error("%s%s %s is not one value%s", dashes, key, value,
                         strcmp(key, "beta") ? "" : "; those of orders 2, 3, .. are divided by /");
    if (spec_set(spec, FITTING_SPEC, key, value))
        return 0;
    return say_error("%s%s %.20s... is too long", dashes, key, value);
}

/* The value of the key clip: LO,HI of the option is LO/HI there. */
static int clip_key(char out[64])
{
    const char *given = fit.clip ? fit.clip : "no";
    char *comma, *end;

    if (!strcmp(given, "no") || !strcmp(given, "train") || strlen(given) >= 64) {
        snprintf(out, 64, "%s", given);
        return 0;
    }
    double low = strtod(given, &comma), high = *comma == ',' ? strtod(comma + 1, &end) : 0;
    if (comma == given || *comma != ',' || end == comma + 1 || *end || !(low <= high))
        return say_error("--clip %s: use no, train, or two numbers LO,HI with LO <= HI", given);
    snprintf(out, 64, "%s", given);
    out[comma - given] = '/';
    return 0;
}

int fitting_model(char spec[FITTING_SPEC], bool regress, const char *C, const char *penalty)
{
    const char *name = fitting_given();
    const char *plain = !regress      ? DEFAULT_CLASSES
                        : fit.epsilon ? DEFAULT_EPSILON
                                      : DEFAULT_NUMBERS;
    const char *task = !model_has(name, "task")    ? NULL
                       : strcmp(fit.task, "auto")  ? fit.task
                       : spec_get(name, "task").p  ? NULL
                       : regress                   ? "regress"
                                                   : "classify";
    char clip[64];
    if (clip_key(clip))
        return EXIT_USAGE;
    const struct { const char *key, *value; } keys[] = {
        {"task", task}, {"loss", fit.model ? fit.loss : NULL}, {"order", fit.order},
        {"rank", fit.rank}, {"beta", fit.beta}, {"alpha", fit.alpha}, {"lambda", fit.lambda},
        {"linear", fit.linear}, {"lr", fit.lr}, {"batch", fit.batch},
        {"clip", fit.clip ? clip : NULL}, {"C", C},
        {"penalty", fit.penalty ? fit.penalty : penalty}, {"intercept", fit.intercept},
        {"epsilon", fit.epsilon}, {"solver", fit.solver}, {"tol", fit.tol},
        {"max-iter", fit.max_iter}, {"calibrate", fit.calibrate ? "yes" : NULL}};

    if (model_about(fit.model).name && fit.loss && !model_has(fit.model, "loss"))
        return say_error("--loss %s is --model %s: give one of them", fit.loss,
                         model_by_loss(fit.loss));
    if (name && strlen(name) >= FITTING_SPEC)
        return say_error("--model %.20s... is too long", name);
    snprintf(spec, FITTING_SPEC, "%s", name ? name : plain);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (add(spec, keys[i].key, keys[i].value))
            return EXIT_USAGE;
    return 0;
}

double fitting_cost(const char *spec)
{
    const char *C = spec_get(spec, "C").p;

    return C ? strtod(C, NULL) : 1;
}

bool fitting_l1(bool regress)
{
    const char *name = fitting_given();
    char spec[FITTING_SPEC];
    fx_description d = FX_INIT(fx_description);

    if (fit.penalty || fit.solver || spec_get(name, "penalty").p || spec_get(name, "solver").p)
        return false;
    snprintf(spec, sizeof spec, "%s", name ? name : regress ? DEFAULT_NUMBERS : DEFAULT_CLASSES);
    return spec_set(spec, sizeof spec, "penalty", "l1")
           && spec_about(&d, fx_model_describe, spec);
}

int fitting_path_exists(const char *who)
{
    fx_description d = fitting_about();

    if (fitting_unlabelled())
        return say_error(
            "%s: %s has neither C nor labels, so there is nothing to hold rows out for", who,
            fitting_given());
    if (!d.name || d.path)
        return 0;
    return say_error(
        "%s: %s has no C, and no folds are held out for it; compare models with --eval-set", who,
        fitting_given());
}

/* "svm: C=-1 must be positive" of the library becomes "svm: -C -1 must be positive" if the value
 * comes from an option, not from the spec in --model. */
static int say_key_failure(fx_status s)
{
    const char *key = strstr(fx_error_detail(), ": "), *value = key ? strchr(key, '=') : NULL;
    char name[16];

    if (!value || (size_t)(value - key) >= sizeof name + 2)
        return say_failure(s);
    snprintf(name, sizeof name, "%.*s", (int)(value - key - 2), key + 2);
    if (strpbrk(name, " ,:'") || spec_get(fitting_given(), name).p)
        return say_failure(s);
    return say_error("%.*s: %s%s %s", (int)(key - fx_error_detail()), fx_error_detail(),
                     name[1] ? "--" : "-", name, value + 1);
}

/* Checks names, keys, values and required keys.  If the labels decide the task of the model, both
 * tasks are accepted. */
int fitting_check(const char *C)
{
    char spec[FITTING_SPEC];
    fx_description d = fitting_about();
    bool regress = false, either = !fitting_task_known(&regress) && d.tasks != d.task;
    int status = fitting_model(spec, regress, C, NULL);
    fx_status s = status ? FX_OK : fx_model_describe(&d, spec);

    if (s && either && !(status = fitting_model(spec, true, C, NULL)))
        s = fx_model_describe(&d, spec);
    if (status || s)
        return status ? status : say_key_failure(s);
    for (size_t i = 0; i < d.keys; i++)
        if (!d.key[i].fallback && !spec_get(spec, d.key[i].name).p)
            return say_error("%s needs %s=", d.name, d.key[i].name);
    return 0;
}

/* The task is that of the model; if the model has several, that of its spec or of the option. */
bool fitting_task_known(bool *regress)
{
    fx_description d = fitting_about();
    bool open = !d.name || (d.tasks != d.task && !spec_get(fitting_given(), "task").p);

    *regress = fitting_ranks() || (open ? !strcmp(fit.task, "regress") : d.task == FX_TASK_REGRESS);
    return !open || strcmp(fit.task, "auto") != 0;
}

bool fitting_ranks(void)
{
    return !strcmp(fit.task, "rank") || fitting_about().task == FX_TASK_RANK;
}

bool fitting_unlabelled(void)
{
    fx_description d = fitting_about();

    return d.name && !d.labels;
}

/* ---- Maps --------------------------------------------------------------------------------- */
/* The first of maps[] that serves the kernel, or the last one. */
static fx_status first_map(const char **spec, const char *const *maps, const kernel_choice *k,
                           size_t cols)
{
    fx_status s = FX_EUNSUPPORTED;

    for (; *maps && s == FX_EUNSUPPORTED; maps++) {
        fx_map *m = NULL;
        s = fx_map_parse(&m, *maps, k->kernel, cols, kernel_few(maps, 0), 1, NULL, NULL);
        fx_map_free(m);
        *spec = *maps;
    }
    return s;
}

const char *fitting_served(const kernel_choice *k, size_t cols)
{
    const char *map;

    return first_map(&map, kernel_maps, k, cols) ? NULL : map;
}

int fitting_map(const char **spec, const kernel_choice *k, size_t cols)
{
    const char *const only[] = {fit.map, NULL};
    bool given = fit.map && strcmp(fit.map, "auto") != 0;
    fx_status s = first_map(spec, given ? only : kernel_maps, k, cols);

    return s == FX_EUNSUPPORTED ? say_failure(s) : 0;   /* else the fit says what is wrong */
}
