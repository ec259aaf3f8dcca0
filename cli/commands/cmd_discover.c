/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_discover.c - featcross discover: which combinations of columns are associated with the label,
 * with a bound on the probability of a false discovery. */

#include "commands.h"
#include "discovery_print.h"

static const char *scale, *plot_path;
static uint64_t order, splits, most, permutations;
static double alpha, max_seconds;
static bool csv, rules, all;

static const opt options[] = {
    {"order", 0, "N", OPT_COUNT, &order, "3", "search all products of 1 to N columns", 1,
     FX_ORDER_MAX},
    {"alpha", 0, "P", OPT_SHARE, &alpha, "0.05",
     "probability of any false discovery (family-wise error rate)", 0, 0},
    {"task", 0, "classify|regress|auto", OPT_CHOICE, &fit.task, "auto",
     "task; auto: classify if labels are text, or whole numbers with at most 20 different values "
     "that occur twice on average", 0, 0},
    {"splits", 0, "N", OPT_COUNT, &splits, "25", "divide the rows into two halves N times", 1,
     100000},
    {"select", 0, "N", OPT_COUNT, &most, NULL,
     "let each half select at most N products (default: a 250th of the rows, but at least 8 and at "
     "most 50)", 1, 10000},
    {"scale", 0, "auto|maxabs|none", OPT_CHOICE, &scale, "auto",
     "auto: divide each column by its largest absolute value if a number is beyond -1 and 1", 0, 0},
    {"permute", 0, "N", OPT_COUNT, &permutations, "0",
     "do all of it N more times with the labels shuffled, and print how often anything is found", 0,
     1000000},
    {"max-seconds", 0, "X", OPT_POSITIVE, &max_seconds, NULL,
     "end the searches after about X seconds; what they missed is then not known", 0, 0},
    {"rules", 0, NULL, OPT_FLAG, &rules, NULL,
     "also print if-then rules with rows, confidence and lift, for combinations of columns that "
     "hold or not (numbers: the mean, and its difference to that of all rows)", 0, 0},
    {"all", 0, NULL, OPT_FLAG, &all, NULL,
     "also list combinations that are significant but add nothing to the others", 0, 0},
    {"csv", 0, NULL, OPT_FLAG, &csv, NULL, "print comma-separated values with a header", 0, 0},
    {"plot", 0, "FILE", OPT_TEXT, &plot_path, NULL,
     "draw the first 40 effects with their intervals with gnuplot: .png or .svg; its script and "
     "data are written next to FILE", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    loaded X;
    fx_discovery *d;
    discovered found;
} job;

static int read_rows(job *j, const char *data)
{
    const load_options how = {.base = -1, .filled = true};
    int status = load_as(&j->X, data, &how);

    if (status)
        return status;
    load_say(&j->X);
    if ((status = load_say_twice(&j->X)))
        return status;
    return task_decide(&j->found.regress, &j->X, NULL);
}

static int search(job *j)
{
    const fx_discover_options o = {.size = sizeof o, .order = (int)order, .alpha = alpha,
                                   .regress = j->found.regress, .splits = (size_t)splits,
                                   .select = (size_t)most, .scale = scale,
                                   .missing = rows_missing_plan(), .reader = j->X.spec,
                                   .seed = cli.seed, .max_seconds = max_seconds,
                                   .permutations = (size_t)permutations};
    double start = say_clock();

    progress_begin("discover", "", 1);
    progress_part(0, 1);
    fx_status s = fx_discover(&j->d, &o, &j->X.table, &cli.run);
    progress_end();
    if (s)
        return load_failed(&j->X, s);
    j->found.d = j->d;
    j->found.seconds = say_clock() - start;
    return 0;
}

static void say_about(const job *j)
{
    const fx_model_info *c = j->d->info;

    if (c->classes == 2)
        say_note("effects are on the logarithm of the odds of class %s", c->class_name[1]);
    else if (c->classes)
        say_note("effects are on the logarithm of the odds of each class against the others");
    if (*c->scale && j->d->n)
        say_note("columns were scaled (%s); effects are those of the numbers as they are",
                 c->scale);
    if (!j->d->certified)
        say_warning("some searches ended early (--max-seconds): what they missed is not known");
}

static int answer(job *j, const char *data)
{
    plot p;
    int status = plot_path ? plot_open(&p, plot_path) : 0;

    if (status || (status = read_rows(j, data)) || (status = search(j)))
        return status;
    say_about(j);
    j->found.rules = rules;
    j->found.all = all;
    status = cli.json ? discovery_print_json(&j->found)
             : csv    ? discovery_print_csv(&j->found)
                      : discovery_print(&j->found);
    return status || !plot_path ? status : discovery_plot(&p, plot_path, &j->found);
}

static int run(int n, char **operand)
{
    job j = {0};
    int status = csv && cli.json ? say_error("discover: --csv and --json exclude each other") : 0;

    (void)n;
    if (!status)
        status = answer(&j, operand[0]);
    fx_discovery_free(j.d);
    load_free(&j.X);
    return status;
}

const command cmd_discover = {
    .name = "discover",
    .operands = "DATA [--order N] [--alpha P] [options]",
    .summary = "which combinations matter, among all of them, and how sure that is",
    .text = "discover searches all products of up to --order columns for those that are associated "
            "with the label, and bounds the probability of a false discovery by --alpha. Use it "
            "for a question about the data; explain answers what a model does.\n"
            "\n"
            "The rows are divided into two halves, --splits times. Each half selects a few "
            "products by a path of models with an L1 penalty over all products, each proven "
            "optimal. The other half tests these in one model. The tests of all halves become one "
            "p-value for each product. What adds nothing to the others on all rows is left out "
            "(--all lists it). If nothing is found, that is a result: discover says so and "
            "succeeds.\n"
            "\n"
            "The table: p, adjusted for the whole search; effect, on the logarithm of the odds or "
            "on the label, of a product of 1, with its interval; rows that hold the combination; "
            "the share of halves that selected it; what it adds to its parts, in percent of the "
            "deviance (of the variance, if labels are numbers); the family, if discoveries are "
            "nested, as one may stand for another; and combinations in the same rows, which the "
            "data cannot tell apart.\n"
            "\n"
            "--permute shows what the same search finds in these very rows when the labels mean "
            "nothing. Weights of rows must be whole numbers: how often a row counts.",
    .examples = "discover data.csv\n"
                "discover data.csv --order 2 --rules --plot effects.svg\n"
                "discover data.csv --label outcome --alpha 0.01 --csv > found.csv\n"
                "discover data.csv --permute 20",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 1,
    .run = run,
};
