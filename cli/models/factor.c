/* SPDX-License-Identifier: BSD-3-Clause
 * factor.c - factorization machines in the program: their options, and those that they do not
 * take. */

#include "models.h"

#include <string.h>

static const opt options[] = {
    {"order", 0, "N", OPT_TEXT, &fit.order, NULL,
     "hofm, hofm-shared, hofm-simplex: largest number of columns in a combination (default 3)",
     0, 0},
    {"rank", 0, "N", OPT_TEXT, &fit.rank, NULL,
     "number of components (factors per column) of each order (default 30)", 0, 0},
    {"beta", 0, "X|X/Y/..", OPT_TEXT, &fit.beta, NULL,
     "penalty on factors; X/Y/..: separate values for orders 2, 3, .. (default 3e-4)", 0, 0},
    {"patience", 0, "N", OPT_COUNT, &fit.patience, NULL,
     "stop after N iterations without a better --metric on the eval set, and keep the best state",
     1, 0},
    {"alpha", 0, "X", OPT_TEXT, &fit.alpha, NULL,
     "penalty on the linear term (default 1e-4)", 0, 0},
    {"linear", 0, "yes|no", OPT_CHOICE, &fit.linear, NULL,
     "also learn a weight for each single column (default yes)", 0, 0},
    {"lambda", 0, "ones|signs|learned", OPT_CHOICE, &fit.lambda, NULL,
     "weights of the components (default ones)", 0, 0},
    {"lr", 0, "X", OPT_TEXT, &fit.lr, NULL,
     "learning rate; selects solver adagrad (default 0.1)", 0, 0},
    {"batch", 0, "N", OPT_TEXT, &fit.batch, NULL,
     "rows per step; selects solver adagrad (default 64)", 0, 0},
    {"clip", 0, "no|train|LO,HI", OPT_TEXT, &fit.clip, NULL,
     "limit predicted numbers to the range of the training targets, or to LO..HI (default no)",
     0, 0},
    {"groups", 0, "FILE", OPT_TEXT, &fit.groups, NULL,
     "fm, hofm: leave out combinations of two columns of the same group; each line of FILE is "
     "`group: column column ..`, columns by number or name", 0, 0},
    {"cross", 0, "FILE", OPT_TEXT, &fit.cross, NULL,
     "fm, hofm: as --groups, and leave out columns that are in no group; the first line of FILE "
     "names the groups", 0, 0},
    {"max-seconds", 0, "X", OPT_POSITIVE, &fit.max_seconds, NULL,
     "start no iteration after X seconds", 0, 0},
    {0},
};
enum { OF_TRAIN = 4 };                  /* tune has lists in place of three, and no eval set */
#define TITLE "Factorization machines"
const opt_group factor_options = {TITLE, options};
const opt_group factor_shared = {TITLE, options + OF_TRAIN};

/* ---- Options that do not go together ------------------------------------------------------ */
/* Options that are no keys of the spec. */
static int check_model(void)
{
    const struct { const char *option; bool given; } others[] = {
        {"patience", fit.patience}, {"max-seconds", fit.max_seconds > 0}, {"groups", fit.groups},
        {"cross", fit.cross}, {"task rank", !strcmp(fit.task, "rank")}};
    const char *spec = fitting_given() ? fitting_given() : DEFAULT_CLASSES;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given && model_takes(spec, others[i].option))
            return EXIT_USAGE;
    return 0;
}

/* The kernel that --groups and --cross stand for. */
static int groups_kernel(const char **kernel)
{
    static char spec[4200];
    const char *file = fit.groups ? fit.groups : fit.cross;
    const char *name = fit.groups ? "groups" : "cross";

    if (!file)
        return 0;
    if (*kernel || (fit.groups && fit.cross))
        return say_error("--groups, --cross and --kernel exclude one another");
    int n = snprintf(spec, sizeof spec, "%s:file=%s", name, file);
    if (n < 0 || (size_t)n >= sizeof spec)
        return say_error("--%s %.60s...: the file name is too long", name, file);
    *kernel = spec;
    return 0;
}

/* Learning rate and batch size belong to AdaGrad: they select it, and are rejected with another
 * solver. */
static int resolve_solver(void)
{
    const char *option = fit.lr ? "--lr" : "--batch";
    bool in_spec = spec_get(fit.model, "solver").p;
    bool other = fit.solver ? strcmp(fit.solver, "adagrad") && strcmp(fit.solver, "auto")
                            : in_spec && !spec_says(fit.model, "solver", "adagrad");

    if (!fit.lr && !fit.batch)
        return 0;
    if (other)
        return say_error("%s %s is for --solver adagrad", option, fit.lr ? fit.lr : fit.batch);
    if (!in_spec)
        fit.solver = "adagrad";
    return 0;
}

int factor_check(const char **kernel, const char *cost, const char *features)
{
    const char *name = fitting_about().name;
    int status = check_model();

    if (status || !model_combines(fit.model))
        return status;
    if (cost)
        return say_error(
            "-C %s: %s has no C; --beta is the penalty of its factors, --alpha that of its "
            "linear term",
            cost, name);
    if (features || fit.map)
        return say_error("%s is not for factorization machines, such as %s",
                         features ? "-D" : "--map", name);
    if ((status = resolve_solver()) || (status = groups_kernel(kernel)))
        return status;
    fx_description d = spec_line(fx_kernel_describe, *kernel);
    if (!*kernel || (d.family && strcmp(d.family, "sets") && !d.outer))
        return 0;
    return say_error(
        "--kernel %s: %s learns its combinations; groups:file=FILE and cross:file=FILE say "
        "which it may have",
        *kernel, name);
}
