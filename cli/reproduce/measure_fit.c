/* SPDX-License-Identifier: BSD-3-Clause
 * measure_fit.c - measure `fit`: a model fitted, timed, and measured on rows that it has not seen.
 *
 * Columns of a case beyond the usual ones:
 *
 *   choose   C, or for factorization machines what beta is multiplied by: a number; a list a/b/c,
 *            of which the validation rows choose; or @SERIES, what that case of the panel chose.
 *            So a map is compared with the exact machine at that machine's C; train_speedup and
 *            test_speedup are then the seconds of that machine divided by those of this case.
 *            seconds  time a factorization machine may take: a number, or @SERIES, what that case
 *            took
 *
 * Options: metric to choose by; folds=N: the mean over N folds of the validation rows and those to
 * train on together chooses; refit=yes: the rows to choose on are trained on too; repeat=N: a fit
 * of less than a second is run N times, and its shortest time taken. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 32 };                     /* values to choose among */
#define CACHE (2048ull << 20)           /* bytes for kernel values: an exact machine at its best */

static const char *const columns[] = {"accuracy", "auc", "rmse", "train_seconds", "test_seconds",
                                      "train_speedup", "test_speedup", "bytes", "memory",
                                      "features", "C", "valid", NULL};
static const char *const options[] = {"metric", "folds", "refit", "repeat", NULL};

/* ---- Fields ------------------------------------------------------------------------------- */
static int case_error(const recipe *r, size_t cell, const char *column, const char *what)
{
    const char *field = recipe_field(r, cell, column);

    return recipe_error(r, field, "%s %s: %s", column, field, what);
}

static bool positive(double *x, const char *text, char end, const char **rest)
{
    char *stop;

    *x = strtod(text, &stop);
    *rest = stop + (*stop == '/');
    return stop > text && (*stop == '\0' || *stop == end) && *x > 0 && isfinite(*x);
}

/* "a/b/c", ascending; nothing: 1. */
static int list_of(double value[LIST], size_t *n, const recipe *r, size_t cell)
{
    const char *p = recipe_field(r, cell, "choose");

    *n = 1;
    value[0] = 1;
    if (!p)
        return 0;
    for (*n = 0; *n == 0 || *p; ++*n)
        if (*n == LIST || !positive(&value[*n], p, '/', &p)
            || (*n > 0 && value[*n] <= value[*n - 1]))
            return case_error(r, cell, "choose",
                              "not numbers above 0, ascending, with / between them");
    return 0;
}

/* What another case measured, with this seed or, where it ran once, with the first. */
static int borrow(double *out, const measure_context *l, size_t cell, const char *column,
                  const char *what)
{
    const char *field = recipe_field(l->r, cell, column);
    size_t other = recipe_other(l->r, cell, field + 1), at = recipe_measured(l->r, what);

    *out = other < l->r->cells ? records_get(l->known, other, l->seed, 0, at) : NAN;
    if (isnan(*out) && other < l->r->cells)
        *out = records_get(l->known, other, cli.seed, 0, at);
    return isnan(*out) ? case_error(l->r, cell, column, "that case has not been measured yet") : 0;
}

static int plan_of(fx_plan *plan, const measure_context *l, size_t cell, size_t cols)
{
    const recipe *r = l->r;
    const char *D = recipe_field(r, cell, "D"), *seconds = recipe_field(r, cell, "seconds");

    *plan = (fx_plan){.size = sizeof(fx_plan),
                      .model = recipe_field(r, cell, "model"),
                      .scale = recipe_field(r, cell, "scale"),
                      .map = recipe_field(r, cell, "map"),
                      .kernel = recipe_field(r, cell, "kernel"),
                      .seed = l->seed,
                      .cache = CACHE};
    if (plan->map && kernel_features(&plan->features, D, cols))
        return EXIT_USAGE;
    if (!seconds)
        return 0;
    return *seconds == '@' ? borrow(&plan->max_seconds, l, cell, "seconds", "train_seconds")
                           : recipe_number(&plan->max_seconds, r, cell, "seconds", 0);
}

/* ---- A case ------------------------------------------------------------------------------- */
static int choose(double *C, double *score, const measure_context *l, size_t cell,
                  const fx_plan *plan, parts *p)
{
    const char *field = recipe_field(l->r, cell, "choose");
    double value[LIST];
    size_t n, folds;

    *score = NAN;
    if (field && *field == '@')
        return borrow(C, l, cell, "choose", "C");
    int status = list_of(value, &n, l->r, cell);
    if (!status)
        status = measure_count(&folds, l->r, "folds", "1");
    return status ? status
                  : trial_choose(C, score, plan, value, n, p, (int)folds,
                                 recipe_set(l->r, "metric", p->regress ? "rmse" : "accuracy"));
}

/* Seconds of the case that C is from, over those here; NaN: C is from no other. */
static int speedup(double *out, const measure_context *l, size_t cell, const char *seconds,
                   double here)
{
    const char *field = recipe_field(l->r, cell, "choose");
    int status = 0;

    *out = NAN;
    if (field && *field == '@')
        status = borrow(out, l, cell, "choose", seconds);
    *out /= here;
    return status;
}

/* The first fit gives all results; the others only measure the shortest time. */
static int fit_case(trial *out, const fx_plan *plan, parts *p, const recipe *r)
{
    long repeat = strtol(recipe_set(r, "repeat", "1"), NULL, 10);
    bool all = !strcmp(recipe_set(r, "refit", "no"), "yes");
    int status = trial_run(out, plan, p, all, NULL);

    for (long i = 1; i < repeat && !status && out->train_seconds < 1; i++) {
        trial again = {0};
        status = trial_run(&again, plan, p, all, NULL);
        out->train_seconds = fmin(out->train_seconds, again.train_seconds);
        out->test_seconds = fmin(out->test_seconds, again.test_seconds);
    }
    return status;
}

static int run(const measure_context *l, size_t cell)
{
    char model[FITTING_SPEC];
    double C, score, train, test;
    parts *p = NULL;
    fx_plan plan = FX_INIT(fx_plan);
    trial t = {0};
    int status;

    if ((status = datasets_get(&p, l->sets, recipe_field(l->r, cell, "data"), l->seed))
        || (status = plan_of(&plan, l, cell, p->train.cols))
        || (status = choose(&C, &score, l, cell, &plan, p))
        || (status = trial_cost(&plan, model, C)) || (status = fit_case(&t, &plan, p, l->r))
        || (status = speedup(&train, l, cell, "train_seconds", t.train_seconds))
        || (status = speedup(&test, l, cell, "test_seconds", t.test_seconds)))
        return status;
    return l->emit(l->ctx, (const double[]){t.test.accuracy, t.test.auc, t.test.rmse,
                                            t.train_seconds, t.test_seconds, train, test,
                                            (double)t.bytes, t.memory ? (double)t.memory : NAN,
                                            t.features ? (double)t.features : NAN, C, score});
}

/* ---- Early -------------------------------------------------------------------------------- */
static int check_folds(const recipe *r)
{
    size_t n = 0;
    int status = measure_count(&n, r, "folds", "1");

    if (!status && (n < 1 || n > 99))
        status = recipe_error(r, recipe_set(r, "folds", "1"), "folds=%zu: 1 to 99 may be", n);
    return status;
}

static int check_options(const recipe *r)
{
    const char *metric = recipe_set(r, "metric", "accuracy"), *refit = recipe_set(r, "refit", "no");
    const char *repeat = recipe_set(r, "repeat", "1");
    size_t n = strspn(repeat, "0123456789");

    if (metric_known(metric))
        return EXIT_USAGE;
    if (strcmp(refit, "no") && strcmp(refit, "yes"))
        return say_error("%s: refit=%s is neither yes nor no", r->name, refit);
    if (n == 0 || n > 3 || repeat[n])
        return say_error("%s: repeat=%s is not a count below 1000", r->name, repeat);
    return check_folds(r);
}

static int check_reference(const recipe *r, size_t cell, const char *column)
{
    const char *field = recipe_field(r, cell, column);

    return recipe_other(r, cell, field + 1) < cell
               ? 0
               : case_error(r, cell, column,
                            "no case of this panel before this one has that series");
}

static int check_case(const recipe *r, size_t cell)
{
    const char *choice = recipe_field(r, cell, "choose");
    const char *seconds = recipe_field(r, cell, "seconds");
    double value[LIST];
    size_t n;

    if (!recipe_field(r, cell, "model"))
        return recipe_error(r, recipe_field(r, cell, "data"), "a case without a model");
    int status = choice && *choice == '@' ? check_reference(r, cell, "choose")
                                          : list_of(value, &n, r, cell);
    if (!status && seconds)
        status = *seconds == '@' ? check_reference(r, cell, "seconds")
                                 : recipe_number(value, r, cell, "seconds", 0);
    return status ? status : measure_map_check(r, cell);
}

static int check(const recipe *r)
{
    int status = check_options(r);

    for (size_t cell = 0; cell < r->cells && !status; cell++)
        status = check_case(r, cell);
    return status;
}

const measure measure_fit = {.name = "fit",
                             .summary = "models fitted, timed, and measured on rows that they have "
                                        "not seen",
                             .columns = columns, .options = options, .run = run, .check = check};
