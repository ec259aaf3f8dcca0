/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_tune.c - featcross tune: cross-validated choice of order, D and C.
 *
 * For each order and D one path of C, every fit starting from the one before; then the best of all
 * is fitted on all rows and saved. */

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 64 };                     /* values of one option */

static const char *output_path, *orders, *features, *costs, *same_costs, *kernel_spec, *metric;
static uint64_t folds;

static const opt options[] = {
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL, "where to (default: DATA.fx)", 0, 0},
    {"order", 0, "N,..", OPT_TEXT, &orders, NULL,
     "orders of combinations: 1 is the rows as they are, others are anova-upto of that order "
     "(default 1,2,3)", 0, 0},
    {"kernel", 'k', "SPEC", OPT_TEXT, &kernel_spec, NULL,
     "one kernel instead of the orders; see below", 0, 0},
    {"features", 'D', "N|Nx,..", OPT_TEXT, &features, "16x",
     "random features: counts, or multiples of the columns", 0, 0},
    {"cost", 'C', "X,..", OPT_TEXT, &costs, NULL,
     "weights of the loss against the penalty (default 0.01,0.1,1,10,100)", 0, 0},
    {"c", 'c', "X,..", OPT_TEXT, &same_costs, NULL, "the same", 0, 0},
    {"folds", 0, "N", OPT_COUNT, &folds, "5", "of the cross-validation", 2, 1000},
    {"metric", 0, METRIC_NAMES, OPT_CHOICE, &metric, NULL,
     "what decides (default: accuracy, of numbers rmse)", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct trial {                  /* a line of the table */
    size_t order, features;             /* order 0: of --kernel */
    double C, mean, sd, seconds;        /* seconds: of the whole path of C */
} trial;

typedef struct job {
    training t;
    chosen k;
    size_t order[LIST], orders;
    double C[LIST];
    size_t costs;
    const char *D[LIST];
    size_t Ds;
    char text[1024];                    /* what D points into */
    int32_t *fold;
    fx_metrics *m;
    trial *trials;
    size_t n;
    char model[FITTING_SPEC], kernel[64];
} job;

/* ---- Lists -------------------------------------------------------------------------------- */
static int bad_list(const char *option, const char *text, const char *what)
{
    say_error("tune: %s %s is not a list of at most %d %s", option, text, LIST, what);
    return EXIT_USAGE;
}

static int numbers(double *out, size_t *n, const char *text, const char *option)
{
    const char *p = text;

    for (*n = 0; *n < LIST; p++) {
        char *end;
        double x = strtod(p, &end);
        if (end == p || (*end && *end != ',') || !(x > 0) || !isfinite(x))
            break;
        out[(*n)++] = x;
        p = end;
        if (!*p)
            return 0;
    }
    return bad_list(option, text, "numbers above 0");
}

static int parse_orders(job *j)
{
    double x[LIST];
    int status = numbers(x, &j->orders, orders ? orders : "1,2,3", "--order");

    for (size_t i = 0; i < j->orders && !status; i++) {
        if (x[i] != floor(x[i]) || x[i] > FX_ORDER_MAX)
            status = bad_list("--order", orders, "whole numbers from 1 to 16");
        j->order[i] = (size_t)x[i];
    }
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int parse_costs(job *j)
{
    if (costs && same_costs) {
        say_error("-C %s and -c %s: give one of them", costs, same_costs);
        return EXIT_USAGE;
    }
    costs = costs ? costs : same_costs ? same_costs : "0.01,0.1,1,10,100";
    int status = numbers(j->C, &j->costs, costs, "-C");
    if (!status)
        qsort(j->C, j->costs, sizeof *j->C, compare);
    return status;
}

static int parse_features(job *j)
{
    size_t D;

    if (strlen(features) >= sizeof j->text)
        return bad_list("-D", features, "counts");
    snprintf(j->text, sizeof j->text, "%s", features);
    for (char *p = j->text;;) {
        size_t n = strcspn(p, ",");
        bool last = !p[n];
        p[n] = '\0';
        if (j->Ds == LIST)
            return bad_list("-D", features, "counts");
        if (kernel_features(&D, p, 1))
            return EXIT_USAGE;
        j->D[j->Ds++] = p;
        if (last)
            return 0;
        p += n + 1;
    }
}

static int check_options(job *j)
{
    int status;

    if (orders && kernel_spec) {
        say_error("tune: --order and --kernel exclude each other");
        return EXIT_USAGE;
    }
    if ((status = fitting_path_exists("tune")) || (status = parse_costs(j))
        || (status = parse_features(j)))
        return status;
    if (kernel_spec) {
        j->orders = 1;                  /* order 0: that kernel */
        status = kernel_prepare(&j->k, kernel_spec);
    } else
        status = parse_orders(j);
    if (!status && fit.model && fitting_has(fit.model, "C")) {
        say_error("tune: C is what is looked for; leave it out of --model %s", fit.model);
        status = EXIT_USAGE;
    }
    return status ? status : fitting_check(NULL);
}

/* ---- The plan of a trial ------------------------------------------------------------------ */
static int set_plan(job *j, fx_plan *plan, size_t order, size_t D)
{
    plan->map = plan->kernel = plan->family = NULL;
    plan->features = 0;
    if (order == 1)
        return 0;
    if (order == 0) {
        plan->kernel = kernel_spec;
        plan->family = j->k.family;
        plan->features = D;
        return fitting_map(&plan->map, &j->k, j->t.X.table.cols);
    }
    snprintf(j->kernel, sizeof j->kernel, "anova-upto:order=%zu", order);
    plan->kernel = j->kernel;
    plan->map = fit.map && strcmp(fit.map, "auto") != 0 ? fit.map : "rk";
    plan->features = D;
    return 0;
}

static int path(job *j, size_t order, size_t D)
{
    fx_run run = progress_run();
    fx_plan plan = j->t.plan;
    double start = say_clock();
    int status = set_plan(j, &plan, order, D);

    if (status)
        return status;
    fx_status s = fx_model_path(j->m, &plan, j->C, j->costs, &j->t.X.table, j->fold, (int)folds,
                                &run);
    if (s < 0)
        return say_failure(s);
    for (size_t c = 0; c < j->costs; c++) {
        double sum = 0, squares = 0, n = (double)folds;
        for (size_t f = 0; f < folds; f++) {
            double x = metric_of(&j->m[c * folds + f], j->t.metric);
            sum += x;
            squares += x * x;
        }
        if (isnan(sum))
            return metric_missing("tune", j->t.metric);
        j->trials[j->n++] = (trial){order, D, j->C[c], sum / n,
                                    sqrt(fmax(0, squares - sum * sum / n) / (n - 1)),
                                    say_clock() - start};
    }
    return 0;
}

/* ---- Showing ------------------------------------------------------------------------------ */
static const trial *best(const job *j)
{
    const trial *x = j->trials;
    double sign = metric_falls(j->t.metric) ? -1 : 1;

    for (size_t i = 1; i < j->n; i++)
        if (sign * j->trials[i].mean > sign * x->mean)
            x = &j->trials[i];
    return x;
}

static const char *order_name(char buf[24], const trial *x)
{
    snprintf(buf, 24, x->order ? "%zu" : "-", x->order);
    return buf;
}

static int print(const job *j, const trial *won)
{
    FILE *f = output_is_stdout(j->t.path) ? stderr : stdout;
    char order[24], size[32];

    if (f == stderr && cli.quiet)
        return 0;
    fprintf(f, "  %5s %8s %10s %10s %9s %8s\n", "order", "D", "C", j->t.metric, "sd", "seconds");
    for (const trial *x = j->trials; x < j->trials + j->n; x++)
        fprintf(f, "%c %5s %8zu %10.6g %10.6g %9.4g %8.2f\n", x == won ? '*' : ' ',
                order_name(order, x), x->features, x->C, x->mean, x->sd, x->seconds);
    fx_content c = fx_model_content(j->t.model);
    fprintf(f, "\nmodel        %s\n", c.spec);
    if (*c.map)
        fprintf(f, "kernel       %s\nmap          %s, %zu features\n", c.kernel, c.map, c.features);
    fprintf(f, "saved        %s, %s\n", j->t.path, say_bytes(size, (double)j->t.bytes));
    return f == stdout ? say_flush() : 0;
}

static json_t *json_trial(const trial *x)
{
    return json_pack("{s:o, s:I, s:f, s:f, s:f, s:f}", "order",
                     x->order ? json_integer((json_int_t)x->order) : json_null(), "D",
                     (json_int_t)x->features, "C", x->C, "mean", x->mean, "sd", x->sd, "seconds",
                     x->seconds);
}

static int print_json(const job *j, const trial *won)
{
    fx_content c = fx_model_content(j->t.model);
    json_t *list = json_array();

    for (const trial *x = j->trials; x < j->trials + j->n; x++)
        list = say_append(list, json_trial(x));
    return say_json(json_pack(
        "{s:I, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:f, s:o, s:I, s:I}", "rows",
        (json_int_t)c.rows, "metric", j->t.metric, "folds", (json_int_t)folds, "trials", list,
        "best", json_trial(won), "model", say_text(c.spec), "kernel",
        *c.kernel ? say_text(c.kernel) : json_null(), "map",
        *c.map ? say_text(c.map) : json_null(), "converged", c.converged, "seconds", j->t.seconds,
        "output", say_text(j->t.path), "bytes", (json_int_t)j->t.bytes, "seed",
        (json_int_t)c.seed));
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int prepare(job *j)
{
    const fx_table *t = &j->t.X.table;
    size_t trials = j->orders * j->Ds * j->costs;
    int status;

    if (metric)
        j->t.metric = metric;
    if ((status = metric_check("tune", j->t.metric, j->t.regress)))
        return status;
    j->t.plan.scale = fit.scale && !strcmp(fit.scale, "auto") ? rows_scaling(t) : fit.scale;
    j->t.plan.model = j->model;
    if ((status = fitting_model(j->model, j->t.regress, NULL, NULL))
        || (kernel_spec && (status = kernel_finish(&j->k, t->base))))
        return status;
    j->fold = malloc((t->rows ? t->rows : 1) * sizeof *j->fold);
    j->m = malloc(j->costs * folds * sizeof *j->m);
    j->trials = malloc(trials * sizeof *j->trials);
    if (!j->fold || !j->m || !j->trials)
        return say_no_memory("trials");
    return metric_folds(j->fold, t, (int)folds, j->t.regress);
}

static int search(job *j)
{
    size_t cols = j->t.X.table.cols, paths = j->orders * j->Ds, done = 0, D;
    int status = 0;

    for (size_t o = 0; o < j->orders; o++)
        for (size_t d = 0; d < j->Ds; d++) {
            if (j->order[o] == 1 && d > 0)      /* rows as they are have no D */
                continue;
            if ((status = kernel_features(&D, j->D[d], cols)))
                return status;
            progress_begin("tune", "paths", (double)paths);
            progress_part((double)done, (double)done + 1);
            if ((status = path(j, j->order[o], j->order[o] == 1 ? cols : D)))
                return status;
            done++;
        }
    progress_end();
    return 0;
}

static int tune(job *j, const char *data)
{
    output *o = NULL;
    char C[32];
    int status;

    if ((status = check_options(j)) || (status = fitting_path(&j->t, "tune", output_path, data))
        || (status = output_open(&o, j->t.path, "model"))
        || (status = fitting_read(&j->t, data, -1)) || (status = prepare(j))
        || (status = search(j)))
        return status;
    const trial *won = best(j);
    if ((status = set_plan(j, &j->t.plan, won->order, won->features))
        || (status = fitting_model(j->model, j->t.regress, say_number(C, won->C), NULL))
        || (status = fitting_fit(&j->t)) || (status = fitting_save(&j->t, o)))
        return status;
    return cli.json ? print_json(j, won) : print(j, won);
}

static int run(int n, char **operand)
{
    job j = {0};
    int status = tune(&j, operand[0]);

    (void)n;
    fitting_free(&j.t);
    kernel_free(&j.k);
    free(j.fold);
    free(j.m);
    free(j.trials);
    return status;
}

const command cmd_tune = {
    .name = "tune",
    .operands = "DATA [-o FILE] [-C X,..] [--order N,..] [-D N] [options]",
    .summary = "cross-validated choice of order, D and C",
    .text = "Cross-validates every combination of order, D and C, prints the mean and standard "
            "deviation of the metric over the folds, and saves the best model, fitted on all rows. "
            "Fits along C start from the one before; seconds are those of the whole path of C so "
            "far.",
    .examples = "tune data.svm -o m.fx\n"
                "tune data.svm --order 1,2 -D 4x,16x -C 0.1,1 --model svm --folds 10\n"
                "tune data.svm --kernel all-subsets --metric auc --json",
    .groups = {&group, &fitting_options, &reading_options, &common_options},
    .least = 1, .most = 1, .kernels = true, .maps = true, .models = true,
    .run = run,
};
