/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_explain.c - featcross explain: the combinations of features that matter most to a model, or
 * to its score of one row. */

#include "commands.h"
#include "explanation_print.h"
#include "models/models.h"

#include <stdlib.h>
#include <string.h>

static const char *class_option, *by, *plot_path;
static uint64_t top, order, row_number, support;
static bool unsupported, csv;
static double effort;

static const opt options[] = {
    {"top", 0, "N", OPT_COUNT, &top, "20", "number of combinations to list", 1, 10000000},
    {"by", 0, "weight|importance", OPT_CHOICE, &by, "weight",
     "weight: list the largest weights; importance: list the combinations that change the scores "
     "of DATA most, by the mean |contribution| over its rows, which does not depend on how "
     "columns are scaled", 0, 0},
    {"order", 0, "N", OPT_COUNT, &order, "0",
     "list only combinations of N columns; 0: of any number", 0, FX_ORDER_MAX},
    {"output", 0, "CLASS|all", OPT_TEXT, &class_option, NULL,
     "with several classes, the class whose score is explained, or all for one list per class "
     "(kernel-svm: A/B for a pair of classes; default: the first class; with --row, the predicted "
     "class, for kernel-svm against the next best)", 0, 0},
    {"row", 0, "N", OPT_COUNT, &row_number, "0",
     "explain the score of row N of DATA, counted from 1: what each combination contributes", 0, 0},
    {"support", 0, "N", OPT_COUNT, &support, "0",
     "list only combinations that occur in at least N rows of DATA", 0, 0},
    {"unsupported", 0, NULL, OPT_FLAG, &unsupported, NULL,
     "also list combinations that occur in no row of DATA", 0, 0},
    {"effort", 0, "X", OPT_POSITIVE, &effort, "5e10",
     "limit of the search, in multiplications or steps that take as long; 5e10 are about ten "
     "seconds of one processor", 0, 0},
    {"csv", 0, NULL, OPT_FLAG, &csv, NULL, "print comma-separated values with a header", 0, 0},
    {"plot", 0, "FILE", OPT_TEXT, &plot_path, NULL,
     "draw the first 40 combinations as bars with gnuplot: .png or .svg; its script and data are "
     "written next to FILE", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    fx_model *model;
    const fx_model_info *c;
    loaded X;                           /* name NULL: none */
    spill spill;                        /* its rows, if `streamed` */
    bool streamed;
    fx_data *one;                       /* the row that is explained, or NULL */
    explained found;
} job;

/* ---- The question ------------------------------------------------------------------------- */
static int pick_row(job *j)
{
    const fx_table *t = &j->X.table;
    size_t i = (size_t)row_number - 1;

    if (row_number > t->rows)
        return say_error("explain: --row %llu: %s has %zu rows", (unsigned long long)row_number,
                         j->X.name, t->rows);
    if (j->streamed) {
        int status = spill_row(&j->one, &j->spill, i);
        if (status)
            return status;
    } else {
        fx_status s = fx_data_select(&j->one, t, &i, 1, &cli.run);
        if (s)
            return say_failure(s);
    }
    j->found.one = fx_data_table(j->one);
    return 0;
}

/* --output all, unless a class is called so. */
static bool wants_all(const fx_model_info *c)
{
    if (!class_option || strcmp(class_option, "all") != 0)
        return false;
    for (size_t i = 0; i < c->classes; i++)
        if (!strcmp(c->class_name[i], "all"))
            return false;
    return true;
}

/* Explains one score: that of --output, or (from 1) a given one. */
static fx_status ask_one(job *j, size_t output_from_1)
{
    const fx_explain_options q = {.size = sizeof(fx_explain_options),
                                  .top = (size_t)top,
                                  .order = (size_t)order,
                                  .output_from_1 = output_from_1,
                                  .class_name = output_from_1 ? NULL : class_option,
                                  .table = j->X.name && !j->streamed ? &j->X.table : NULL,
                                  .visit = j->streamed ? spill_visit : NULL,
                                  .visit_ctx = &j->spill,
                                  .row = row_number ? j->found.one.block : NULL,
                                  .max_work = effort,
                                  .min_support = support,
                                  .all = unsupported,
                                  .importance = j->found.by_importance      ? 2
                                                : j->X.name && !row_number ? 1
                                                                           : 0};

    return fx_model_explain(&j->found.e[j->found.n++], j->model, &q, &cli.run);
}

static int ask(job *j)
{
    explained *x = &j->found;
    size_t outputs = x->all ? j->c->outputs : 1;
    fx_status s = FX_OK;

    if (!(x->e = calloc(outputs, sizeof *x->e)))
        return say_no_memory("the explanation");
    progress_begin("explain", "", (double)outputs);
    for (size_t i = 0; i < outputs && !s; i++) {
        progress_part((double)i, (double)i + 1);
        s = ask_one(j, x->all ? i + 1 : 0);
    }
    progress_end();
    if (!s && row_number && !j->c->variance)
        s = fx_model_predict(&x->prediction, NULL, j->model, FX_LABEL, j->found.one.block,
                             &cli.run);
    if (j->spill.status)
        return j->spill.status;
    int status = s ? say_failure(s) : 0;
    if (s == FX_ELIMIT && j->streamed)
        say_hint("--unsupported lists the largest weights of all, with the rows that hold each; a "
                 "larger --max-memory or a smaller --top may do, too");
    return status;
}

/* ---- The answer --------------------------------------------------------------------------- */
static void say_about(const job *j)
{
    char buf[256];
    size_t second, number = j->found.e[0]->output;

    if (j->c->outputs > 1 && !class_option && j->c->classes)
        say_note("of the score of %s%s; --output CLASS for others, or all",
                 model_file_output(buf, j->c, number),
                 !row_number  ? ""
                 : j->c->pairs ? ", the class predicted and the next best"
                              : ", the class predicted");
    model_file_pair(&second, j->c, number);
    if (j->c->classes && !j->found.all && (class_option || j->c->outputs == 1 || j->c->pairs))
        say_note("positive: towards %s", j->c->class_name[second]);
    if (*j->c->scale && strcmp(j->c->scale, "none") != 0)
        say_note("weights are those of scaled columns (%s)", j->c->scale);
    if (*j->c->remark)
        say_warning("training said of this model: %s", j->c->remark);
}

/* Rows that exceed the memory are packed into a file, as for a fit. */
static int read_rows(job *j, const char *data)
{
    const load_options how = {.unlabelled = true, .most = spill_most(false)};
    int status = model_file_rows(&j->X, data, j->c, how);

    if (status)
        return status;
    j->streamed = j->X.exceeds;
    if (j->streamed)
        return spill_write(&j->spill, &j->X, "-", NULL);
    load_say(&j->X);
    return 0;
}

static int explain(job *j, const char *data)
{
    explained *x = &j->found;
    plot p;
    int status = plot_path ? plot_open(&p, plot_path) : 0;

    if (status)
        return status;
    *x = (explained){.c = j->c, .X = &j->X, .row = row_number, .order = order, .support = support,
                     .unsupported = unsupported, .by_importance = *by == 'i',
                     .all = wants_all(j->c), .effort = effort};
    if (x->all && plot_path)
        return say_error("explain: --plot shows one class: name it with --output");
    if (data) {
        if ((status = read_rows(j, data)) || (status = model_file_fits(j->c, &j->X)))
            return status;
    }
    if ((row_number && (status = pick_row(j))) || (status = ask(j)))
        return status;
    say_about(j);
    status = cli.json ? explanation_print_json(x)
             : csv    ? explanation_print_csv(x)
                      : explanation_print(x);
    return status || !plot_path ? status : explanation_plot(&p, plot_path, x);
}

/* Options that need rows, or that exclude each other. */
static int check(const char *data)
{
    bool important = *by == 'i';
    const char *needs = row_number    ? "--row"
                        : support     ? "--support"
                        : unsupported ? "--unsupported"
                        : important   ? "--by importance"
                                      : NULL;

    if (needs && !data)
        return say_error("explain: %s needs rows: explain MODEL DATA", needs);
    if (!!row_number + !!support + unsupported > 1)
        return say_error("explain: --%s and --%s exclude each other",
                         row_number ? "row" : "support",
                         row_number && support ? "support" : "unsupported");
    if (row_number && important)
        return say_error("explain: --row lists contributions to one score; --by importance is a "
                         "mean over all rows");
    if (csv && cli.json)
        return say_error("explain: --csv and --json exclude each other");
    return 0;
}

static int run(int n, char **operand)
{
    job j = {0};
    const char *data = n > 1 ? operand[1] : NULL;
    int status = check(data);

    if (!status && !(status = model_file_first(&j.model, operand[0], data))) {
        j.c = fx_model_inspect(j.model);
        status = explain(&j, data);
    }
    for (size_t i = 0; i < j.found.n; i++)
        fx_explanation_free(j.found.e[i]);
    free(j.found.e);
    fx_data_free(j.one);
    if (j.streamed)
        spill_free(&j.spill);
    load_free(&j.X);
    fx_model_free(j.model);
    return status;
}

const command cmd_explain = {
    .name = "explain",
    .operands = "MODEL [DATA] [--top N] [--row N] [options]",
    .summary = "list the combinations of features that matter",
    .text = "A score is a sum over combinations of columns: a weight times the product of their "
            "numbers (after scaling). explain lists the combinations with the largest weights, "
            "positive or negative. With DATA, it also prints in how many rows each combination "
            "occurs, and leaves out combinations that occur in none, such as two values of one "
            "category. The search uses bounds and does not build a table of all pairs. If it "
            "reaches its limit, explain prints how large a weight it may have missed.\n"
            "\n"
            "A weight is large if the numbers of its columns are small. With DATA, explain "
            "therefore also prints the importance: the mean over the rows of the absolute value "
            "that the combination adds to the score. --by importance lists the largest. Rows that "
            "exceed --max-memory are packed into a temporary file and read several times, with the "
            "same result.\n"
            "\n"
            "--row explains the score of one row: the contributions of the combinations, the "
            "constant, and the sum of all other combinations. With several classes, it is the "
            "score of the predicted class; --output selects another class, --output all lists "
            "every class.\n"
            "\n"
            "explain works for factorization machines, for linear models on columns or on the "
            "maps rk, rm and explicit, and for kernel machines with the kernels linear, anova, "
            "anova-upto, all-subsets, itemset, groups, cross and poly. Features are shown by "
            "name, or by number as in the file.",
    .examples = "explain m.fx\n"
                "explain m.fx data.svm --by importance --plot importance.svg\n"
                "explain m.fx data.svm --top 10 --order 3 --support 5\n"
                "explain m.fx --output all --csv > weights.csv\n"
                "explain m.fx data.svm --row 7 --json",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 2,
    .run = run,
};
