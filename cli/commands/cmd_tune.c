/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_tune.c - featcross tune: cross-validated choice of kernel, D and C.
 *
 * For each kernel and D the fits go along a path of C, and each starts from the one before.  Then
 * the best setting is fitted on all rows and saved. */

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
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL,
     "write the best model to FILE (default: DATA.fx)", 0, 0},
    {"order", 0, "N,..", OPT_TEXT, &orders, NULL,
     "orders to try: 1 is the columns as they are, others are anova-upto of that order (default "
     "1,2,3); with hofm, hofm-shared and hofm-simplex, their orders", 0, 0},
    {"rank", 0, "N,..", OPT_TEXT, &ranks, NULL,
     "factorization machines: numbers of components to try (default 30)", 0, 0},
    {"beta", 0, "X|X/Y/..|Nx,..", OPT_TEXT, &betas, NULL,
     "factorization machines: penalties on factors to try; X/Y/..: for orders 2, 3, ..; Nx: N "
     "times the default or the value in --model (default 0.3x,1x,3x,10x)", 0, 0},
    {"kernel", 'k', "SPECS", OPT_TEXT, &kernel_spec, NULL,
     "kernels to try instead of orders, separated by spaces; see below", 0, 0},
    {"features", 'D', "N|Nx,..", OPT_TEXT, &features, NULL,
     "numbers of random features to try, or multiples of the number of columns (default 16x)",
     0, 0},
    {"cost", 'C', "X,..", OPT_TEXT, &costs, NULL,
     "weights of the loss to try (default 0.01,0.1,1,10,100)", 0, 0},
    {"c", 'c', "X,..", OPT_TEXT, &same_costs, NULL, "same as -C", 0, 0},
    {"folds", 0, "N", OPT_COUNT, &folds, "5", "number of folds", 2, 1000},
    {"metric", 0, "NAME", OPT_TEXT, &metric, NULL,
     "metric that selects the best setting, see below (default: accuracy for classes, rmse for "
     "numbers, auc for rankings)", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    training t;
    bool exact;                         /* the model takes a kernel without a map */
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
    struct { size_t kernel, features; } path[LIST * LIST];
    tuning s;
    char model[FITTING_SPEC];
} job;

/* ---- Lists -------------------------------------------------------------------------------- */
static int bad_list(const char *option, const char *text, const char *what)
{
    return say_error("tune: %s %s is not a list of at most %d %s", option, text, LIST, what);
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
            snprintf(spec, sizeof j->kernel[i].spec, UPTO_ORDER "%.0f", x[i]);
        else
            snprintf(spec, sizeof j->kernel[i].spec, j->exact ? INNER_PRODUCT : "");
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

    if (orders && kernel_spec)
        return say_error("tune: --order and --kernel exclude each other");
    const char *spec = fitting_given() ? fitting_given() : DEFAULT_CLASSES;
    if ((ranks && (status = model_takes(spec, "rank")))
        || (betas && (status = model_takes(spec, "beta"))))
        return status;
    const char *first = kernel_spec ? kernel_spec : UPTO_ORDER "2";
    if ((status = factor_check(&kernel_spec, NULL, NULL))
        || (status = fitting_path_exists("tune")) || (status = exact_check(&first, features))
        || (status = parse_costs(j)) || (status = parse_features(j))
        || (status = kernel_spec ? parse_kernels(j) : parse_orders(j)))
        return status;
    if (spec_get(fit.model, "C").p)
        return say_error("tune: C is what is looked for; leave it out of --model %s", fit.model);
    return fitting_check(NULL);
}

/* ---- Settings ----------------------------------------------------------------------------- */
static int set(void *ctx, size_t path, const tuned *won)
{
    job *j = ctx;
    fx_plan *plan = &j->t.plan;
    size_t kernel = j->path[path].kernel;
    char C[32];

    plan->map = plan->kernel = plan->family = NULL;
    plan->features = 0;
    if (won && fitting_model(j->model, j->t.regress, say_number(C, won->C), NULL))
        return EXIT_USAGE;
    if (!*j->kernel[kernel].spec)
        return 0;
    plan->kernel = j->kernel[kernel].spec;
    plan->family = j->kernel[kernel].k.family;
    if (j->exact)
        return 0;
    plan->features = j->path[path].features;
    return fitting_map(&plan->map, &j->kernel[kernel].k, j->t.X.table.cols);
}

/* Rows as they are, and exact kernels, have no D. */
static int enter_paths(job *j)
{
    size_t cols = j->t.X.table.cols, D;

    for (size_t k = 0; k < j->kernels; k++)
        for (size_t d = 0; d < j->Ds; d++) {
            bool plain = !*j->kernel[k].spec;
            if (plain && d > 0)
                continue;
            if (kernel_features(&D, j->D[d], cols))
                return EXIT_USAGE;
            j->path[j->s.paths].kernel = k;
            j->path[j->s.paths++].features = plain ? cols : j->exact ? 0 : D;
        }
    return 0;
}

/* The cost is estimated with the last kernel, which has the highest and so slowest order. */
static int ready(void *ctx)
{
    job *j = ctx;
    const fx_table *t = &j->t.X.table;
    size_t last = j->kernels - 1;
    int status = fitting_model(j->model, j->t.regress, NULL, NULL);

    j->t.plan.scale = fit.scale;
    if (!status && fit.scale && !strcmp(fit.scale, "auto"))
        status = rows_scaling(&j->t.plan.scale, &j->t.X, j->t.streamed ? &j->t.spill : NULL);
    j->t.plan.model = j->model;
    j->t.plan.cache = exact_cache();
    for (size_t i = 0; i < j->kernels && !status; i++)
        status = *j->kernel[i].spec ? kernel_finish(&j->kernel[i].k, t) : 0;
    if (status || (status = enter_paths(j)) || !j->exact)
        return status;
    if ((status = set(j, j->s.paths - 1, NULL)))
        return status;
    return exact_announce(&j->t, &j->kernel[last].k, 1 + j->kernels * j->costs * folds);
}

/* ---- Showing ------------------------------------------------------------------------------ */
/* The order, or else the kernel; D; C. */
static const char *cell(char buf[512], void *ctx, const tuned *x, int column)
{
    const job *j = ctx;
    size_t kernel = j->path[x->path].kernel, order = j->kernel[kernel].order;
    size_t n = column ? j->path[x->path].features : order;

    if (column == 2 && *x->failed)
        *buf = '\0';
    else if (column == 2)
        snprintf(buf, 512, "%.6g", x->C);
    else if (n)
        snprintf(buf, 512, "%zu", n);
    else
        snprintf(buf, 512, "%s", column ? "-" : j->kernel[kernel].spec);
    return buf;
}

static json_t *json(void *ctx, const tuned *x)
{
    const job *j = ctx;
    size_t kernel = j->path[x->path].kernel, order = j->kernel[kernel].order;
    const char *spec = j->kernel[kernel].spec;

    return json_pack("{s:o, s:o, s:I, s:o}", "order",
                     order ? json_integer((json_int_t)order) : json_null(), "kernel",
                     model_info_text(spec), "D", (json_int_t)j->path[x->path].features, "C",
                     model_info_number(x->C));
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int tune(job *j, const char *data)
{
    int status = check_options(j);

    j->s = (tuning){.t = &j->t, .metric = metric, .folds = (size_t)folds, .costs = j->costs,
                    .C = j->C, .head = {kernel_spec ? "kernel" : "order", "D", "C"},
                    .ctx = j, .ready = ready, .set = set,
                    .cell = cell, .json = json};
    return status ? status : tuning_run(&j->s, output_path, data);
}

static int run(int n, char **operand)
{
    job j = {.exact = fitting_about().kernel == FX_MUST};
    int status = link_rows_check("tune", n);

    if (!status)
        status = metric_known(metric);
    const char *data = n ? operand[0] : link_rows_path();

    if (costs && same_costs)
        return say_error("-C %s and -c %s: give one of them", costs, same_costs);
    costs = costs ? costs : same_costs;
    if (!status)
        status = fitting_name_model();
    const factor_lists lists = {orders, ranks, betas, kernel_spec, costs, features, metric,
                               output_path, folds};
    if (!status)
        status = model_penalty_grows(fit.model) ? factor_tune(&j.t, &lists, data) : tune(&j, data);
    training_free(&j.t);
    for (size_t i = 0; i < j.kernels && i < LIST; i++)
        kernel_free(&j.kernel[i].k);
    return status;
}

const command cmd_tune = {
    .name = "tune",
    .operands = "DATA [-o FILE] [-C X,..] [--order N,..] [-D N] [options]",
    .summary = "cross-validate kernel, D and C, or order, rank and beta",
    .text = "Cross-validates every combination of order (or kernel), D and C, prints the mean and "
            "standard deviation of the metric over the folds, and saves the best model, fitted on "
            "all rows. Along C, each fit starts from the previous one; the seconds include all "
            "fits of the path so far. Kernel machines use the kernels exactly, without D. For "
            "factorization machines, every combination of order, rank and beta is tried. For "
            "rankings, whole queries are held out. Under mpirun the folds are dealt to the "
            "processes; rows that exceed --max-memory are shared by them, and every fit is "
            "divided.",
    .examples = "tune data.svm -o m.fx\n"
                "tune data.svm --order 1,2 -D 4x,16x -C 0.1,1 --model svm --folds 10\n"
                "tune data.svm --kernel all-subsets --metric auc --json\n"
                "tune x.svm --model kernel-svm --kernel 'poly rbf:gamma=0.1' -C 1,10\n"
                "tune x.svm --model hofm --order 2,3 --rank 10,30 --beta 0.1x,1x,10x",
    .groups = {&group, &fitting_options, &factor_shared, &link_rows_options, &reading_options,
               &common_options},
    .min_operands = 0, .max_operands = 1, .kernels = true, .maps = true, .models = true,
    .metrics = true, .team = true,
    .run = run,
};
