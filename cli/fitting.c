/* SPDX-License-Identifier: BSD-3-Clause
 * fitting.c - the options of training, as the library's plan.
 *
 * The model is one spec string; options add keys to it.  What the spec itself says and an option
 * says again is refused, since one of them would be lost silently. */

#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

fitting fit;

static const opt options[] = {
    {"model", 0, "SPEC", OPT_TEXT, &fit.model, NULL,
     "the model; see below (default: svm-l2 for classes, ridge for numbers)", 0, 0},
    {"loss", 0, "hinge|squared-hinge|logistic|squared|epsilon-insensitive", OPT_CHOICE, &fit.loss,
     NULL, "the model by its loss: svm, svm-l2, logistic, ridge, svr", 0, 0},
    {"task", 0, "classify|regress|auto", OPT_CHOICE, &fit.task, "auto",
     "auto: as the model has it; else classify if labels are text, or whole numbers of at most 20 "
     "values that occur twice on average", 0, 0},
    {"penalty", 0, "l2|l1", OPT_CHOICE, &fit.penalty, NULL,
     "l1: most weights are 0 (svm-l2, logistic; default l2)", 0, 0},
    {"intercept", 0, "free|appended|none", OPT_CHOICE, &fit.intercept, NULL,
     "free: not penalised (default); appended: penalised, as LIBLINEAR's -B 1", 0, 0},
    {"epsilon", 0, "X", OPT_TEXT, &fit.epsilon, NULL,
     "svr, kernel-svr: errors below it are free (default 0.1)", 0, 0},
    {"solver", 0, "auto|dual|newton|cd", OPT_CHOICE, &fit.solver, NULL,
     "which algorithm (default auto)", 0, 0},
    {"tol", 0, "X", OPT_TEXT, &fit.tol, NULL,
     "stop when (objective - optimum) / objective is at most that; kernel-svm, kernel-svr: the "
     "largest violation of the optimality conditions, as LIBSVM's -e (default 1e-3)", 0, 0},
    {"max-iter", 0, "N", OPT_TEXT, &fit.max_iter, NULL,
     "or after so many iterations (default 1000; perceptrons: passes, 10; kernel-svm, kernel-svr: "
     "steps, 10000000)", 0, 0},
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
     "or maxabs, by their range (default none)", 0, 0},
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

bool fitting_named(const char *spec, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(spec, name, n) && (!spec[n] || spec[n] == ':');
}

bool fitting_online(const char *spec)
{
    return fitting_named(spec, "perceptron") || fitting_named(spec, "kernel-perceptron");
}

bool fitting_has(const char *spec, const char *key)
{
    size_t n = strlen(key);

    for (const char *p = strpbrk(spec, ":,"); p; p = strpbrk(p + 1, ":,"))
        if (!strncmp(p + 1, key, n) && p[1 + n] == '=')
            return true;
    return false;
}

static int add(char spec[FITTING_SPEC], const char *key, const char *value, const char *option)
{
    size_t at = strlen(spec);

    if (!value)
        return 0;
    if (fitting_has(spec, key)) {
        say_error("%s %s and --model %s both set %s", option, value, fit.model, key);
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
    const struct { const char *key, *value, *option; } keys[] = {
        {"C", C, "-C"}, {"penalty", fit.penalty ? fit.penalty : penalty, "--penalty"},
        {"intercept", fit.intercept, "--intercept"}, {"epsilon", fit.epsilon, "--epsilon"},
        {"solver", fit.solver, "--solver"}, {"tol", fit.tol, "--tol"},
        {"max-iter", fit.max_iter, "--max-iter"},
        {"calibrate", fit.calibrate ? "yes" : NULL, "--calibrate"}};

    if (fit.model && fit.loss) {
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
    for (const char *p = strpbrk(spec, ":,"); p; p = strpbrk(p + 1, ":,"))
        if (!strncmp(p + 1, "C=", 2))
            return strtod(p + 3, NULL);
    return 1;
}

bool fitting_l1(bool regress)
{
    const char *name = fitting_given();

    return !regress && !fit.penalty && !fit.solver
           && (!name || ((fitting_named(name, "svm-l2") || fitting_named(name, "logistic"))
                         && !fitting_has(name, "penalty") && !fitting_has(name, "solver")));
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

/* Of a few rows of one column there is one component: k=10 is as good as k=1 where only the spec is
 * looked at. */
static void ask_for_one(char spec[FITTING_SPEC])
{
    char *k = strstr(spec, ":k=");
    size_t n = k ? strspn(k + 3, "0123456789") : 0;

    if (fitting_unlabelled() && n && strspn(k + 3, "0") < n) {
        k[3] = '1';
        memmove(k + 4, k + 3 + n, strlen(k + 3 + n) + 1);
    }
}

/* A fit of a few rows, enough for held-out folds, shows whether names and keys are right. */
int fitting_check(const char *C)
{
    enum { ROWS = 20 };
    float x[ROWS];
    double y[ROWS];
    const fx_matrix X = {.rows = ROWS, .cols = 1, .stride = 1, .val = x};
    const fx_table t = {.rows = ROWS, .cols = 1, .blocks = 1, .block = &X, .label = y};
    char spec[FITTING_SPEC];
    bool regress = false;
    fx_model *m = NULL;

    for (int i = 0; i < ROWS; i++)
        x[i] = (float)(y[i] = i % 2 ? 1 : -1);
    (void)fitting_task_known(&regress);
    int status = fitting_model(spec, regress, C, NULL);
    if (status)
        return status;
    ask_for_one(spec);
    const fx_plan plan = {.model = spec, .kernel = exact_is() ? "linear" : NULL};
    fx_status s = fx_model_fit(&m, &plan, &t, NULL);
    fx_model_free(m);
    return s == FX_EINVAL || s == FX_EUNSUPPORTED ? say_failure(s) : 0;
}

bool fitting_task_known(bool *regress)
{
    const char *name = fitting_given();

    *regress = name ? fitting_named(name, "svr") || fitting_named(name, "ridge")
                          || fitting_named(name, "kernel-svr")
                          || fitting_named(name, "kernel-ridge")
                    : !strcmp(fit.task, "regress");
    return name || strcmp(fit.task, "auto") != 0;
}

bool fitting_unlabelled(void)
{
    const char *name = fitting_given();

    return name && (fitting_named(name, "pca") || fitting_named(name, "kernel-pca"));
}

/* ---- Weights ------------------------------------------------------------------------------ */
static int read_weights(double **weight, loaded *l)
{
    char *text = NULL, *p;
    size_t n = 0;
    int status;

    if (!fit.weights)
        return 0;
    if (l->table.weight) {
        say_error("--weights %s, but %s has weights of its own", fit.weights, l->name);
        return EXIT_USAGE;
    }
    if ((status = source_slurp(&text, fit.weights)))
        return status;
    double *w = malloc((l->table.rows ? l->table.rows : 1) * sizeof *w);
    if (!w)
        status = say_no_memory("weights");
    for (p = text; !status && *(p += strspn(p, " \t\r\n")); n++) {
        char *end;
        double x = strtod(p, &end);     /* the locale is always C */
        if (end == p || !strchr(" \t\r\n", *end) || !isfinite(x) || x < 0) {
            say_error("%s: weight %zu, %.*s, is not a number of 0 or more", fit.weights, n + 1,
                      (int)strcspn(p, " \t\r\n"), p);
            status = EXIT_USAGE;
        } else if (n < l->table.rows)
            w[n] = x;
        p = end;
    }
    if (!status && n != l->table.rows) {
        say_error("%s has %zu weights, %s has %zu rows", fit.weights, n, l->name, l->table.rows);
        status = EXIT_USAGE;
    }
    free(text);
    if (status) {
        free(w);
        return status;
    }
    *weight = w;
    l->table.weight = w;
    return 0;
}

static int split_class_weight(char **lines)
{
    if (!fit.class_weight)
        return 0;
    if (!(*lines = strdup(fit.class_weight)))
        return say_no_memory("class weights");
    if (strcmp(*lines, "balanced") != 0)
        for (char *p = *lines; (p = strchr(p, ','));)
            *p = '\n';
    return 0;
}

/* ---- Maps --------------------------------------------------------------------------------- */
static const char *const usual[] = {"rk", "rm", "rff", NULL};

const char *fitting_served(const chosen *k, size_t cols)
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

int fitting_map(const char **spec, const chosen *k, size_t cols)
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

/* ---- Rows and fits ------------------------------------------------------------------------ */
int fitting_read(training *t, const char *data, int base)
{
    int status = load_as(&t->X, data, &(load_manner){.base = base,
                                                     .unlabelled = fitting_unlabelled()});

    if (status)
        return status;
    load_say(&t->X);
    if ((status = task_decide(&t->regress, &t->X)) || (status = read_weights(&t->weight, &t->X))
        || (status = split_class_weight(&t->class_weight)))
        return status;
    t->metric = fitting_unlabelled() ? NULL : t->regress ? "rmse" : "accuracy";
    t->plan.class_weight = t->class_weight;
    t->plan.reader = t->X.spec;
    t->plan.seed = cli.seed;
    return 0;
}

/* -v 2: what the solver did; -v 3: by which settings. */
static void say_steps(const training *t)
{
    fx_content c = fx_model_content(t->model);
    char size[32];

    if (cli.verbose >= 3) {
        say_note("settings: %s, %d threads, seed %llu, --max-memory %s", fx_simd_target(),
                 progress_threads(), (unsigned long long)cli.seed,
                 say_bytes(size, (double)cli.max_memory));
        say_note("settings: %s%s%s%s%s%s%s", c.spec, *c.kernel ? ", kernel " : "", c.kernel,
                 *c.map ? ", map " : "", c.map, *c.scale ? ", scaling " : "", c.scale);
    }
    for (size_t i = 0; i < c.steps && cli.verbose >= 2; i++) {
        const fx_step *s = &c.history[i];
        if (fitting_online(c.spec))
            say_note("output %zu, pass %zu: %.0f mistakes, %.3f seconds", s->output, s->iteration,
                     s->objective, s->seconds);
        else if (model_known(s->gap))
            say_note("output %zu, iteration %zu: objective %.10g, gap %.3g, %.3f seconds",
                     s->output, s->iteration, s->objective, s->gap, s->seconds);
        else
            say_note("output %zu, iteration %zu: objective %.10g, gap not known, %.3f seconds",
                     s->output, s->iteration, s->objective, s->seconds);
    }
    if (cli.verbose >= 2 && c.support)
        say_note("%zu of %zu rows are support vectors, after %llu iterations", c.support, c.rows,
                 (unsigned long long)c.iterations);
}

int fitting_fit(training *t)
{
    fx_run run = progress_run();
    double start = say_clock();

    progress_begin("fit", "", 1);
    fx_status s = fx_model_fit(&t->model, &t->plan, &t->X.table, &run);
    progress_end();
    t->seconds = say_clock() - start;
    if (s < 0)
        return say_failure(s);
    if (s == FX_NOT_CONVERGED)
        say_remark();
    say_steps(t);
    return 0;
}

int fitting_save(training *t, output *o)
{
    int status = output_model(o, &t->bytes, t->model);

    return status ? status : output_close(o);
}

/* Where the model goes; on standard output --json has no place beside it. */
int fitting_path(training *t, const char *who, const char *path, const char *data)
{
    if (!path && !strcmp(data, "-")) {
        say_error("%s: rows from standard input need -o MODEL", who);
        return EXIT_USAGE;
    }
    size_t n = strlen(data);
    while (n > 1 && data[n - 1] == '/') /* a directory */
        n--;
    int len = path ? snprintf(t->path, sizeof t->path, "%s", path)
                   : snprintf(t->path, sizeof t->path, "%.*s.fx", (int)n, data);
    if (len < 0 || (size_t)len >= sizeof t->path) {
        say_error("%s: the output's name is too long", who);
        return EXIT_USAGE;
    }
    if (cli.json && output_is_stdout(t->path)) {
        say_error("%s: --json and -o - both want standard output", who);
        return EXIT_USAGE;
    }
    return source_spare(t->path, (const char *const[]){data, fit.weights}, 2, "-o");
}

void fitting_free(training *t)
{
    fx_model_free(t->model);
    load_free(&t->X);
    free(t->weight);
    free(t->class_weight);
}
