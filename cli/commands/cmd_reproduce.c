/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_reproduce.c - featcross reproduce: tables and figures of the papers, measured again.  The
 * recipes of experiments/ are part of the program. */

#include "commands.h"
#include "reproduce/reproduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *data_path, *directory;
static bool quick, restart, no_plot;
static uint64_t seeds;

static const opt options[] = {
    {"data", 0, "DIR", OPT_TEXT, &data_path, NULL, "directory with the data sets", 0, 0},
    {"output", 'o', "DIR", OPT_TEXT, &directory, "results",
     "directory for NAME.csv, NAME.md and NAME.svg; created if necessary", 0, 0},
    {"quick", 0, NULL, OPT_FLAG, &quick, NULL,
     "run a smaller version: minutes instead of hours", 0, 0},
    {"seeds", 0, "N", OPT_COUNT, &seeds, NULL,
     "number of seeds, instead of the recipe's", 1, 100000},
    {"restart", 0, NULL, OPT_FLAG, &restart, NULL,
     "discard earlier measurements and measure again", 0, 0},
    {"no-plot", 0, NULL, OPT_FLAG, &no_plot, NULL,
     "draw no figure, so that gnuplot is not needed", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

/* ---- Recipes ------------------------------------------------------------------------------ */
static bool is_path(const char *name)
{
    size_t n = strlen(name), end = sizeof ".recipe" - 1;

    return strchr(name, '/') || (n > end && !strcmp(name + n - end, ".recipe"));
}

static size_t experiment_count(void)
{
    size_t n = 0;

    while (experiments[n].name)
        n++;
    return n;
}

static int unknown(const char *name)
{
    const char **names = calloc(experiment_count() + 1, sizeof *names), *near = NULL;

    for (size_t i = 0; names && experiments[i].name; i++)
        names[i] = experiments[i].name;
    if (names)
        near = fx_nearest(name, names, experiment_count());
    say_error("there is no experiment '%s'", name);
    if (near)
        say_hint("did you mean %s?", near);
    else
        say_hint("featcross reproduce lists them; FILE.recipe is read from disk");
    free(names);
    return EXIT_USAGE;
}

static int get(recipe **out, const char *name)
{
    const struct experiment *e = experiments;
    char *text = NULL;
    int status = 0;

    while (e->name && strcmp(e->name, name))
        e++;
    if (is_path(name))
        status = input_slurp(&text, name);
    else if (!e->name)
        status = unknown(name);
    if (!status)
        status = recipe_parse(out, name, text ? text : e->text, quick);
    free(text);
    if (!status && seeds)
        (*out)->seeds = seeds;
    return status;
}

static int list(void)
{
    int status = 0;
    json_t *all = json_array();

    for (const struct experiment *e = experiments; e->name && !status; e++) {
        recipe *r = NULL;
        status = recipe_parse(&r, e->name, e->text, quick);
        if (!status && cli.json)
            all = say_append(all, json_pack("{s:o, s:o, s:o, s:o}", "name", say_text(r->name),
                                            "title", say_text(r->title), "paper",
                                            say_text(r->paper), "measure",
                                            say_text(r->measure->name)));
        else if (!status)
            safe_print(stdout, "%-18s %s\n", r->name, r->title);
        recipe_free(r);
    }
    if (status || !cli.json) {
        json_decref(all);
        return status ? status : say_flush();
    }
    return say_json(json_pack("{s:o}", "experiments", all));
}

/* ---- Those that are asked for --------------------------------------------------------------- */
static int make_directory(void)
{
    struct stat st;

    if (mkdir(directory, 0777) == 0 || (stat(directory, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    return say_error("%s: %s", directory, strerror(errno == EEXIST ? ENOTDIR : errno));
}

/* If two recipes had the same name, the second would overwrite the results of the first. */
static int names_differ(recipe **r, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(r[i]->name, r[j]->name))
                return say_error("%s and %s would both be written to %s/%s.csv", r[j]->file,
                                 r[i]->file, directory, r[i]->name);
    return 0;
}

static int gnuplot_runs(recipe **r, size_t n)
{
    bool plots = false;

    for (size_t i = 0; i < n && !no_plot; i++)
        plots |= r[i]->plots > 0;
    int status = plots ? plot_check() : 0;
    if (status)
        say_hint("--no-plot goes without a picture");
    return status;
}

/* Checks everything that can be checked for all recipes before the first one runs. */
static int reproduce_all(recipe **r, size_t n, json_t **results)
{
    const reproduce_options how = {directory, restart, !no_plot, seeds};
    datasets *known = NULL;
    int status = datasets_open(&known, data_path), worst = 0;

    for (size_t i = 0; i < n && !status; i++)
        status = reproduce_data(r[i], known);
    if (!status && !(status = names_differ(r, n)) && !(status = gnuplot_runs(r, n)))
        status = make_directory();
    for (size_t i = 0; i < n && !status; i++)
        status = reproduce_place(r[i], &how);
    for (size_t i = 0; i < n && !status; i++) {
        json_t *one = NULL;
        status = reproduce_run(&one, r[i], known, &how);
        if (one)
            *results = say_append(*results, one);
        if (status == EXIT_NO) {
            worst = status;
            status = 0;
        }
    }
    datasets_close(known);
    return status ? status : worst;
}

/* One is an object of its own. */
static int print_json(json_t *results, bool several)
{
    json_t *one = several ? NULL : json_incref(json_array_get(results, 0));

    if (several)
        return say_json(json_pack("{s:o}", "experiments", results));
    json_decref(results);
    return say_json(one);
}

static int run(int n, char **operand)
{
    bool all = n == 1 && !strcmp(operand[0], "all");
    size_t count = all ? experiment_count() : (size_t)n, got = 0;
    int status = 0, written;

    if (n == 0)
        return list();
    recipe **r = calloc(count ? count : 1, sizeof *r);
    if (!r)
        return say_no_memory("recipes");
    json_t *results = cli.json ? json_array() : NULL;
    for (; got < count && !status; got++)
        status = get(&r[got], all ? experiments[got].name : operand[got]);
    if (!status)
        status = reproduce_all(r, count, &results);
    for (size_t i = 0; i < got; i++)
        recipe_free(r[i]);
    free(r);
    if (cli.json && (!status || status == EXIT_NO)) {
        written = print_json(results, count > 1);
        return written ? written : status;
    }
    json_decref(results);
    return status;
}

const command cmd_reproduce = {
    .name = "reproduce",
    .operands = "[NAME.. | FILE.recipe | all] --data DIR [options]",
    .summary = "measure a table or figure of the papers again",
    .text = "Runs the measurements of a recipe and writes the numbers (NAME.csv), a figure "
            "(NAME.svg) and a page (NAME.md) with the paper's results next to ours. Without "
            "operands, it lists the experiments. Finished measurements are stored in "
            "NAME.part.csv: after an interruption, a full disk or a crash, the same command "
            "continues where it stopped. Files of another recipe, mode or set of seeds are not "
            "overwritten unless --restart is given. Seeds are counted from --seed on. Exit status "
            "1: everything was written, and a check of the recipe failed.",
    .examples = "reproduce\n"
                "reproduce itemset-table1 --data ../data --quick\n"
                "reproduce all --data ../data -o results\n"
                "reproduce ./mine.recipe --data ../data --seeds 3",
    .groups = {&group, &common_options},
    .min_operands = 0, .max_operands = 64,
    .run = run,
};
