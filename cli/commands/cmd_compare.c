/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_compare.c - featcross compare: every method that suits the rows, measured by one rule.
 *
 * Each seed gives a new split, the same for all methods, and new random maps and starting points.
 * All methods are measured with one seed before the next seed begins, so that the results after an
 * interrupt are still a fair comparison. */

#include "commands.h"
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *test_path, *csv_path, *plot_path, *methods, *features, *exact, *metric;
static uint64_t rows, seeds;

static const opt options[] = {
    {"test", 0, "FILE", OPT_TEXT, &test_path, NULL,
     "rows to test on (default: a fifth of DATA, a different one for each seed)", 0, 0},
    {"rows", 0, "N", OPT_COUNT, &rows, "20000",
     "use at most N rows of DATA, sampled with --seed", 10, INT64_MAX},
    {"seeds", 0, "N", OPT_COUNT, &seeds, "3",
     "number of repetitions, each with its own split of the rows", 1, COMPARE_SEEDS},
    {"methods", 0, "NAME,..", OPT_TEXT, &methods, NULL, "only these: " METHODS_NAMES, 0, 0},
    {"features", 'D', "N|Nx,..", OPT_TEXT, &features, "2x,4x,8x,16x",
     "numbers of random features, or multiples of the number of columns", 0, 0},
    {"exact", 0, "auto|yes|no", OPT_CHOICE, &exact, "auto",
     "include exact kernel machines; auto: if there are few enough rows", 0, 0},
    {"task", 0, "classify|regress|auto", OPT_CHOICE, &fit.task, "auto",
     "task; auto: classify if labels are text, or whole numbers with at most 20 different values "
     "that occur twice on average", 0, 0},
    {"metric", 0, "NAME", OPT_TEXT, &metric, NULL,
     "metric that decides, see below (default: accuracy for classes, rmse for numbers)", 0, 0},
    {"csv", 0, "FILE", OPT_TEXT, &csv_path, NULL,
     "write a line for each method and seed to FILE; - prints them instead of the table", 0, 0},
    {"plot", 0, "FILE", OPT_TEXT, &plot_path, NULL,
     "draw the metric against the training time: .svg or .png", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    comparison c;
    output *csv;
    plot plot;
    int width;                          /* of the longest name */
    size_t units, unit;                 /* methods times seeds: to measure, so far */
} job;

/* ---- One method, one seed ----------------------------------------------------------------- */
static fx_status measure(trial *out, const method *m, const comparison *c, parts *p, uint64_t seed,
                         double unit)
{
    char spec[FITTING_SPEC];
    fx_plan plan = {.size = sizeof(fx_plan),
                    .model = m->model,
                    .kernel = m->kernel,
                    .map = m->map,
                    .scale = m->scale,
                    .features = m->features,
                    .seed = seed,
                    .missing = rows_missing_plan(),
                    .reader = c->X.spec};

    *out = trial_none();
    progress_part(unit, unit + 0.8);
    fx_status s = trial_path(&out->C, &out->valid, &plan, m->choose, m->tries, p, 1, c->metric);
    if (s < 0)
        return s;
    progress_part(unit + 0.8, unit + 1);
    return trial_cost(&plan, spec, out->C) ? FX_EINVAL : trial_fit(out, &plan, p, false, c->metric);
}

static bool is_interactive(void) { return !cli.quiet && isatty(2); }

static void show(const job *j, const method *m, const trial *t, uint64_t seed)
{
    if (!is_interactive())
        return;
    if (*m->failed)
        say_note("seed %llu  %-*s  failed: %s", (unsigned long long)seed, j->width, m->name,
                 m->failed);
    else
        say_note("seed %llu  %-*s  %s %.4f  train %.2f s", (unsigned long long)seed, j->width,
                 m->name, j->c.metric, metric_of(&t->test, j->c.metric), t->train_seconds);
}

static int measure_method(job *j, method *m, size_t s, parts *p)
{
    char what[128];
    uint64_t seed = cli.seed + s;

    snprintf(what, sizeof what, "%-*s", j->width, m->name);
    progress_now(what);
    fx_status st = measure(&m->trial[s], m, &j->c, p, seed, (double)j->unit++);
    progress_now(NULL);
    if (st == FX_ECANCELLED || progress_interrupted())
        return progress_stop();
    if (st < 0) {
        snprintf(m->failed, sizeof m->failed, "%s",
                 st == FX_ENOMEM ? "out of memory" : fx_error_detail());
        m->no_memory = st == FX_ENOMEM || st == FX_ELIMIT;
    } else
        m->done = s + 1;
    show(j, m, &m->trial[s], seed);
    return 0;
}

/* A constant answer for all rows: the best that a model without features can give. */
static int measure_constant(comparison *c, const parts *p, size_t s)
{
    blind_rows train = {0}, test = {0};
    trial out = trial_none();
    const fx_plan plan = {.size = sizeof plan,
                          .model = c->regress ? DEFAULT_NUMBERS : DEFAULT_CLASSES};
    int status = chance_blind(&train, &p->train);

    if (!status && !(status = chance_blind(&test, &p->test)))
        status = trial_run(&out, &plan, &(parts){.train = train.table, .test = test.table}, false,
                           c->metric);
    c->constant[s] = metric_of(&out.test, c->metric);
    free(train.ptr);
    free(test.ptr);
    return status;
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int measure_seed(job *j, size_t s)
{
    comparison *c = &j->c;
    parts p = {0};
    int status = compare_split(&p, c, cli.seed + s);

    if (!status)
        status = measure_constant(c, &p, s);
    for (size_t i = 0; i < c->n && !status; i++)
        if (!*c->list[i].left_out && !*c->list[i].failed)
            status = measure_method(j, &c->list[i], s, &p);
    parts_free(&p);
    return status;
}

static int say_none(const comparison *c)
{
    const method *m = c->list;

    while (m + 1 < c->list + c->n && !*m->failed)
        m++;                            /* prefer a method that failed to one that was left out */
    if (!*m->failed)
        m = c->list;
    say_error("no method could be measured: %s", !c->n        ? "one column has no combinations"
                                                 : *m->failed ? m->failed
                                                              : m->left_out);
    return m->no_memory ? EXIT_MEMORY : EXIT_USAGE;
}

static int measure_all(job *j)
{
    comparison *c = &j->c;
    size_t done = 0;
    int status = 0;

    for (const method *m = c->list; m < c->list + c->n; m++)
        if (!*m->left_out) {
            j->width = (int)strlen(m->name) > j->width ? (int)strlen(m->name) : j->width;
            j->units += seeds;
        }
    progress_begin("compare", "fits", (double)j->units);
    for (size_t s = 0; s < seeds && !status; s++)
        status = measure_seed(j, s);
    progress_end();
    if (is_interactive())
        say_note("%s", "");             /* between those lines and the table */
    for (size_t i = 0; i < c->n; i++)
        done += c->list[i].done > 0;
    if (!status && !done)
        status = say_none(c);
    c->interrupted = status && done;
    return status;
}

/* Writes everything that can be written, even if another output fails: measuring again would take
 * long. */
static int report(job *j)
{
    const comparison *c = &j->c;
    char *made = advice_of(c);
    const char *advice = made ? made : "There is no advice: out of memory.";
    int status = 0, csv = j->csv ? compare_csv(j->csv, c) : 0;

    if (cli.json)
        status = say_json(compare_json(c, advice));
    else if (csv_path && output_is_stdout(csv_path))
        say_lines(advice);              /* the table would be in the way */
    else
        status = compare_print(c, advice);
    int drawn = plot_path ? compare_figure(&j->plot, plot_path, c) : 0;
    free(made);
    return csv ? csv : status ? status : drawn;
}

static int compare(job *j, const char *data)
{
    comparison *c = &j->c;
    int status, written;

    if ((status = methods_check(c)) || (status = metric_known(metric))
        || (csv_path && (status = output_open(&j->csv, csv_path, OUTPUT_TEXT)))
        || (plot_path && (status = plot_open(&j->plot, plot_path)))
        || (status = compare_rows(c, data)) || (status = methods_enter(c)))
        return status;
    status = measure_all(j);
    if (status && !c->interrupted)
        return status;
    if (status) {
        progress_clear();               /* a second signal ends the writing, too */
        say_note("what was measured before:");
    }
    written = report(j);
    return written ? written : status;
}

static int run(int n, char **operand)
{
    job j = {.c = {.methods = methods, .features = features, .exact = exact,
                   .test_path = test_path, .metric = metric, .max_rows = rows, .seeds = seeds}};

    (void)n;
    if (cli.json && csv_path && output_is_stdout(csv_path))
        return say_error("compare: --json and --csv - both want standard output");
    j.c.list = calloc(COMPARE_METHODS, sizeof *j.c.list);
    int status = j.c.list ? compare(&j, operand[0]) : say_no_memory("methods");
    load_free(&j.c.X);
    load_free(&j.c.test);
    free(j.c.list);
    return status;
}

const command cmd_compare = {
    .name = "compare",
    .operands = "DATA [--test FILE] [--rows N] [--plot FILE] [options]",
    .summary = "compare all methods that suit the data, and recommend one",
    .text = "Fits linear models on the columns as they are, on all pairs of columns and on random "
            "features, factorization machines and exact kernel machines, all by the same rules. "
            "Prints their scores on rows that none of them has seen, their times and sizes, and a "
            "recommendation.\n"
            "\n"
            "Each seed splits the rows in the same way for all methods: three fifths for "
            "training, one fifth to choose C (factorization machines: beta) from five values, and "
            "one fifth for testing. Scores are means over the seeds, with their standard "
            "deviation. Rows are scaled by one rule: none if all values are within -1 and 1, "
            "otherwise maxabs. Only where products of all columns would become too large, rows "
            "are scaled to norm 1.\n"
            "\n"
            "Times and sizes are those of one fit with the chosen C: train is the time from rows "
            "to model, test the time for all test rows, model the size of the model file, memory "
            "the peak of the fit. Everything else is the same whenever a seed is repeated. "
            "Remarks show fits that did not converge, and fits that chose the weakest penalty on "
            "offer (the largest C, the least beta): a weaker one may be better. Row weights are "
            "ignored.\n"
            "\n"
            "Methods that do not suit the rows (too many products, features or rows) are listed "
            "with the reason. A method that fails with one seed is listed with the reason and is "
            "not tried with further seeds; its earlier results stay, and the other methods "
            "continue. --rows samples every class; only the rows that it samples are held in "
            "memory. After an interrupt (Ctrl-C), the results so far are printed and written, "
            "marked as interrupted, with exit status 130 (SIGTERM: 143).",
    .examples = "compare data.svm\n"
                "compare a9a.svm --test a9a.t --seeds 5 --csv a9a.csv --plot a9a.svg\n"
                "compare adult.csv --label income --rows 5000\n"
                "compare data.svm --methods linear,rk,exact -D 4x,16x,64x --exact yes\n"
                "compare prices.csv --label price --task regress --json",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 1, .metrics = true,
    .run = run,
};
