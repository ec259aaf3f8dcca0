/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_tune.c - featcross tune: cross-validated choice of kernel, D and C.
 *
 * For each kernel and D one path of C, every fit starting from the one before; then the best of all
 * is fitted on all rows and saved. */

#include "commands.h"
#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 64 };                     /* values of one option */

static const char *output_path, *orders, *features, *costs, *same_costs, *kernel_spec, *metric;
static const char *ranks, *betas;
static uint64_t folds;

static const opt options[] = {
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL, "where to (default: DATA.fx)", 0, 0},
    {"order", 0, "N,..", OPT_TEXT, &orders, NULL,
     "orders of combinations: 1 is the rows as they are, others are anova-upto of that order "
     "(default 1,2,3); those of hofm, hofm-shared, hofm-simplex", 0, 0},
    {"rank", 0, "N,..", OPT_TEXT, &ranks, NULL,
     "factorization machines: components of each order (default 30)", 0, 0},
    {"beta", 0, "X|X/Y/..|Nx,..", OPT_TEXT, &betas, NULL,
     "factorization machines: penalties of factors; X/Y/..: of orders 2, 3, ..; Nx: so many times "
     "the default or the model's (default 0.3x,1x,3x,10x)", 0, 0},
    {"kernel", 'k', "SPECS", OPT_TEXT, &kernel_spec, NULL,
     "kernels instead of the orders, blanks between them; see below", 0, 0},
    {"features", 'D', "N|Nx,..", OPT_TEXT, &features, NULL,
     "random features: counts, or multiples of the columns (default 16x)", 0, 0},
    {"cost", 'C', "X,..", OPT_TEXT, &costs, NULL,
     "weights of the loss against the penalty (default 0.01,0.1,1,10,100)", 0, 0},
    {"c", 'c', "X,..", OPT_TEXT, &same_costs, NULL, "the same", 0, 0},
    {"folds", 0, "N", OPT_COUNT, &folds, "5", "of the cross-validation", 2, 1000},
    {"metric", 0, METRIC_NAMES, OPT_CHOICE, &metric, NULL,
     "what decides (default: accuracy, of numbers rmse)", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct setting {                  /* a line of the table */
    size_t kernel, features;
    double C, mean, sd, seconds;        /* seconds: of the whole path of C */
    char failed[SAY_REASON];            /* why the whole path did: C, mean, sd are NaN; or "" */
} setting;

typedef struct job {
    training t;
    struct {
        char spec[512];
        size_t order;                   /* of --order; 0: of --kernel */
        kernel_choice k;
    } kernel[LIST];
    size_t kernels;
    double C[LIST];
    size_t costs;
    const char *D[LIST];
    size_t Ds;
    char text[1024];                    /* what D points into */
    int32_t *fold;
    fx_metrics *m;
    setting *trials;
    size_t n;
    fx_status failure;                  /* of the last path that failed */
    char model[FITTING_SPEC];
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

/* Order 1 is the rows as they are; for kernel machines that is the linear kernel. */
static int parse_orders(job *j)
{
    double x[LIST];
    int status = numbers(x, &j->kernels, orders ? orders : "1,2,3", "--order");

    for (size_t i = 0; i < j->kernels && !status; i++) {
        char *spec = j->kernel[i].spec;
        if (x[i] != floor(x[i]) || x[i] > FX_ORDER_MAX)
            return bad_list("--order", orders, "whole numbers from 1 to 16");
        j->kernel[i].order = (size_t)x[i];
        if (x[i] > 1)
            snprintf(spec, sizeof j->kernel[i].spec, "anova-upto:order=%.0f", x[i]);
        else
            snprintf(spec, sizeof j->kernel[i].spec, exact_is() ? "linear" : "");
        status = *spec ? kernel_prepare(&j->kernel[i].k, spec) : 0;
    }
    return status;
}

static int parse_kernels(job *j)
{
    int status = 0;

    for (const char *p = kernel_spec + strspn(kernel_spec, " "); *p && !status;
         p += strspn(p, " ")) {
        size_t n = strcspn(p, " "), i = j->kernels++;
        if (i == LIST || n >= sizeof j->kernel[i].spec)
            return bad_list("--kernel", kernel_spec, "kernels");
        memcpy(j->kernel[i].spec, p, n);
        status = kernel_prepare(&j->kernel[i].k, j->kernel[i].spec);
        p += n;
    }
    return status || j->kernels ? status : bad_list("--kernel", kernel_spec, "kernels");
}

static int parse_costs(job *j)
{
    costs = costs ? costs : "0.01,0.1,1,10,100";
    int status = numbers(j->C, &j->costs, costs, "-C");
    if (!status)
        qsort(j->C, j->costs, sizeof *j->C, ascending_doubles);
    return status;
}

static int parse_features(job *j)
{
    size_t D;

    features = features ? features : "16x";
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
    const char *spec = fitting_given() ? fitting_given() : DEFAULT_CLASSES;
    if ((ranks && (status = model_takes(spec, "rank")))
        || (betas && (status = model_takes(spec, "beta"))))
        return status;
    const char *first = kernel_spec ? kernel_spec : "anova-upto:order=2";
    if ((status = factor_check(&kernel_spec, NULL, NULL))
        || (status = fitting_path_exists("tune")) || (status = exact_check(&first, features))
        || (status = parse_costs(j)) || (status = parse_features(j))
        || (status = kernel_spec ? parse_kernels(j) : parse_orders(j)))
        return status;
    if (spec_get(fit.model, "C").p) {
        say_error("tune: C is what is looked for; leave it out of --model %s", fit.model);
        return EXIT_USAGE;
    }
    return fitting_check(NULL);
}

/* ---- The plan of a line ------------------------------------------------------------------ */
static int set_plan(job *j, fx_plan *plan, size_t kernel, size_t D)
{
    const kernel_choice *k = &j->kernel[kernel].k;

    plan->map = plan->kernel = plan->family = NULL;
    plan->features = 0;
    if (!*j->kernel[kernel].spec)
        return 0;
    plan->kernel = j->kernel[kernel].spec;
    plan->family = k->family;
    if (exact_is())
        return 0;
    plan->features = D;
    return fitting_map(&plan->map, k, j->t.X.table.cols);
}

static int path(job *j, size_t kernel, size_t D)
{
    fx_run run = progress_run();
    fx_plan plan = j->t.plan;
    double start = say_clock();
    int status = set_plan(j, &plan, kernel, D);

    if (status)
        return status;
    fx_status s = fx_model_path(j->m, &plan, j->C, j->costs, &j->t.X.table, j->fold, (int)folds,
                                &run);
    if (s == FX_ECANCELLED || s == FX_ENOMEM)   /* no choice by what memory was left just now */
        return say_failure(s);
    if (s < 0) {                        /* the other paths stand */
        setting *x = &j->trials[j->n++];
        *x = (setting){kernel, D, NAN, NAN, NAN, say_clock() - start, ""};
        say_reason(x->failed);
        j->failure = s;
        return 0;
    }
    for (size_t c = 0; c < j->costs && !status; c++) {
        setting *x = &j->trials[j->n++];
        *x = (setting){kernel, D, j->C[c], 0, 0, say_clock() - start, ""};
        status = metric_mean(&x->mean, &x->sd, "tune", j->m + c * folds, (size_t)folds,
                             j->t.metric);
    }
    return status;
}

/* ---- Showing ------------------------------------------------------------------------------ */
/* NULL: all failed. */
static const setting *best(const job *j)
{
    const setting *x = NULL;
    double sign = metric_falls(j->t.metric) ? -1 : 1;

    for (size_t i = 0; i < j->n; i++)
        if (!*j->trials[i].failed && (!x || sign * j->trials[i].mean > sign * x->mean))
            x = &j->trials[i];
    return x;
}

/* The order, or else the kernel if there are several. */
static const char *kernel_name(char buf[512], const job *j, const setting *x)
{
    size_t order = j->kernel[x->kernel].order;

    if (order)
        snprintf(buf, 512, "%zu", order);
    else
        snprintf(buf, 512, "%s", j->kernels > 1 ? j->kernel[x->kernel].spec : "-");
    return buf;
}

static const char *count_name(char buf[24], size_t n)
{
    snprintf(buf, 24, n ? "%zu" : "-", n);
    return buf;
}

static int print(const job *j, const setting *won)
{
    FILE *f = output_is_stdout(j->t.path) ? stderr : stdout;
    char name[512], D[24];
    int width = kernel_spec ? 6 : 5;

    if (f == stderr && cli.quiet)
        return 0;
    for (const setting *x = j->trials; x < j->trials + j->n; x++)
        if ((int)strlen(kernel_name(name, j, x)) > width)
            width = (int)strlen(name);
    safe_print(f, "  %*s %8s %10s %10s %9s %8s\n", width, kernel_spec ? "kernel" : "order", "D",
               "C", j->t.metric, "sd", "seconds");
    for (const setting *x = j->trials; x < j->trials + j->n; x++) {
        safe_print(f, "%c %*s %8s ", x == won ? '*' : ' ', width, kernel_name(name, j, x),
                   count_name(D, x->features));
        if (*x->failed)
            safe_print(f, "failed: %s\n", x->failed);
        else
            safe_print(f, "%10.6g %10.6g %9.4g %8.2f\n", x->C, x->mean, x->sd, x->seconds);
    }
    fputc('\n', f);
    training_print(f, &j->t);
    return f == stdout ? say_flush() : 0;
}

static json_t *json_trial(const job *j, const setting *x)
{
    size_t order = j->kernel[x->kernel].order;

    return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:f, s:o}", "order",
                     order ? json_integer((json_int_t)order) : json_null(), "kernel",
                     *j->kernel[x->kernel].spec ? say_text(j->kernel[x->kernel].spec) : json_null(),
                     "D", (json_int_t)x->features, "C", model_info_number(x->C), "mean",
                     model_info_number(x->mean), "sd", model_info_number(x->sd), "seconds",
                     x->seconds, "failed",
                     *x->failed ? say_text(x->failed) : json_null());
}

static int print_json(const job *j, const setting *won)
{
    fx_content c = fx_model_content(j->t.model);
    json_t *list = json_array();

    for (const setting *x = j->trials; x < j->trials + j->n; x++)
        list = say_append(list, json_trial(j, x));
    return say_json(json_pack(
        "{s:I, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:f, s:o, s:I, s:I}", "rows",
        (json_int_t)c.rows, "metric", j->t.metric, "folds", (json_int_t)folds, "trials", list,
        "best", json_trial(j, won), "model", say_text(c.spec), "kernel",
        *c.kernel ? say_text(c.kernel) : json_null(), "map",
        *c.map ? say_text(c.map) : json_null(), "converged", c.converged, "seconds", j->t.seconds,
        "output", say_text(j->t.path), "bytes", (json_int_t)j->t.bytes, "seed",
        (json_int_t)c.seed));
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int prepare(job *j)
{
    const fx_table *t = &j->t.X.table;
    size_t trials = j->kernels * j->Ds * j->costs;
    int status;

    if (metric)
        j->t.metric = metric;
    if ((status = metric_check("tune", j->t.metric, &j->t)))
        return status;
    j->t.plan.scale = fit.scale && !strcmp(fit.scale, "auto") ? rows_scaling(t) : fit.scale;
    j->t.plan.model = j->model;
    j->t.plan.cache = exact_cache();
    status = fitting_model(j->model, j->t.regress, NULL, NULL);
    for (size_t i = 0; i < j->kernels && !status; i++)
        status = *j->kernel[i].spec ? kernel_finish(&j->kernel[i].k, t) : 0;
    if (status)
        return status;
    j->fold = malloc((t->rows ? t->rows : 1) * sizeof *j->fold);
    j->m = malloc(j->costs * folds * sizeof *j->m);
    j->trials = malloc(trials * sizeof *j->trials);
    if (!j->fold || !j->m || !j->trials)
        return say_no_memory("trials");
    return metric_folds_of(j->fold, &j->t, (int)folds);
}

/* By the last kernel, which of the orders is the slowest. */
static int announce(job *j)
{
    size_t last = j->kernels - 1;
    int status = exact_is() ? set_plan(j, &j->t.plan, last, 0) : 0;

    return status ? status
                  : exact_announce(&j->t, &j->kernel[last].k, 1 + j->kernels * j->costs * folds);
}

static int search(job *j)
{
    size_t cols = j->t.X.table.cols, paths = j->kernels * j->Ds, done = 0, D;
    int status = 0;

    for (size_t k = 0; k < j->kernels; k++)
        for (size_t d = 0; d < j->Ds; d++) {
            bool plain = !*j->kernel[k].spec;
            if (plain && d > 0)                 /* rows as they are have no D */
                continue;
            if ((status = kernel_features(&D, j->D[d], cols)))
                return status;
            progress_begin("tune", "paths", (double)paths);
            progress_part((double)done, (double)done + 1);
            if ((status = path(j, k, plain ? cols : exact_is() ? 0 : D)))
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

    if ((status = check_options(j)) || (status = training_path(&j->t, "tune", output_path, data))
        || (status = output_open(&o, j->t.path, "model"))
        || (status = training_read(&j->t, data, -1)) || (status = prepare(j))
        || (status = announce(j)) || (status = search(j)))
        return status;
    const setting *won = best(j);
    if (!won)
        return say_failure(j->failure);
    if ((status = set_plan(j, &j->t.plan, won->kernel, won->features))
        || (status = fitting_model(j->model, j->t.regress, say_number(C, won->C), NULL))
        || (status = training_fit(&j->t)) || (status = training_save(&j->t, o)))
        return status;
    return cli.json ? print_json(j, won) : print(j, won);
}

static int run(int n, char **operand)
{
    job j = {0};
    int status = link_rows_check("tune", n);
    const char *data = n ? operand[0] : link_rows_path();

    if (costs && same_costs) {
        say_error("-C %s and -c %s: give one of them", costs, same_costs);
        return EXIT_USAGE;
    }
    costs = costs ? costs : same_costs;
    const factor_lists lists = {orders, ranks, betas, kernel_spec, costs, features, metric,
                               output_path, folds};
    if (!status)
        status = factor_is() ? factor_tune(&j.t, &lists, data) : tune(&j, data);
    training_free(&j.t);
    for (size_t i = 0; i < j.kernels && i < LIST; i++)
        kernel_free(&j.kernel[i].k);
    free(j.fold);
    free(j.m);
    free(j.trials);
    return status;
}

const command cmd_tune = {
    .name = "tune",
    .operands = "DATA [-o FILE] [-C X,..] [--order N,..] [-D N] [options]",
    .summary = "cross-validated choice of kernel, D and C, or order, rank and beta",
    .text = "Cross-validates every combination of order (or kernel), D and C, prints the mean and "
            "standard deviation of the metric over the folds, and saves the best model, fitted "
            "on all rows. Fits along C start from the one before; seconds are those of the "
            "whole path of C so far. With a kernel machine the kernels are exact, and there is no "
            "D. With a factorization machine it is every combination of order, rank and beta; of "
            "rankings, queries are held out whole.",
    .examples = "tune data.svm -o m.fx\n"
                "tune data.svm --order 1,2 -D 4x,16x -C 0.1,1 --model svm --folds 10\n"
                "tune data.svm --kernel all-subsets --metric auc --json\n"
                "tune x.svm --model kernel-svm --kernel 'poly rbf:gamma=0.1' -C 1,10\n"
                "tune x.svm --model hofm --order 2,3 --rank 10,30 --beta 0.1x,1x,10x",
    .groups = {&group, &fitting_options, &factor_shared, &link_rows_options, &reading_options,
               &common_options},
    .min_operands = 0, .max_operands = 1, .kernels = true, .maps = true, .models = true,
    .run = run,
};
