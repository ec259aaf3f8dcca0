/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_explain.c - featcross explain: the combinations of features that matter most to a model, or
 * to its score of one row. */

#include "commands.h"
#include "models/models.h"

#include <stdlib.h>
#include <string.h>

static const char *class_option;
static uint64_t top, order, row_number, support;
static bool unsupported;
static double effort;

static const opt options[] = {
    {"top", 0, "N", OPT_COUNT, &top, "20", "how many combinations", 1, 10000000},
    {"order", 0, "N", OPT_COUNT, &order, "0", "only those of N features; 0: of any number", 0,
     FX_ORDER_MAX},
    {"output", 0, "CLASS", OPT_TEXT, &class_option, NULL,
     "several classes: of whose score (kernel-svm: A/B, of that pair; default: the first class, "
     "with --row the predicted one, which kernel-svm holds against the next best)", 0, 0},
    {"row", 0, "N", OPT_COUNT, &row_number, "0",
     "explain the score of row N of DATA, from 1: what each combination contributes", 0, 0},
    {"support", 0, "N", OPT_COUNT, &support, "0",
     "only those whose features are all there in N rows of DATA or more", 0, 0},
    {"unsupported", 0, NULL, OPT_FLAG, &unsupported, NULL,
     "with DATA: list combinations that no row of it holds, too", 0, 0},
    {"effort", 0, "X", OPT_POSITIVE, &effort, NULL,
     "multiplications that the search may take (default 2e11)", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    const char *path;
    fx_model *model;
    const fx_model_info *c;
    loaded X;                           /* name NULL: none */
    fx_matrix row;
    fx_explanation *e;
    double prediction;                  /* of the row */
} job;

/* ---- The question ------------------------------------------------------------------------- */
static int pick_row(job *j)
{
    const fx_table *t = &j->X.table;
    size_t i = (size_t)row_number - 1, b = 0;

    if (row_number > t->rows)
        return say_error("explain: --row %llu: %s has %zu rows", (unsigned long long)row_number,
                         j->X.name, t->rows);
    for (; i >= t->block[b].rows; b++)
        i -= t->block[b].rows;
    j->row = rows_part(&t->block[b], i, 1);
    return 0;
}

static int ask(job *j)
{
    const fx_explain_options q = {.size = sizeof(fx_explain_options),
                                  .top = (size_t)top,
                                  .order = (size_t)order,
                                  .class_name = class_option,
                                  .table = j->X.name ? &j->X.table : NULL,
                                  .row = row_number ? &j->row : NULL,
                                  .max_work = effort,
                                  .min_support = support,
                                  .all = unsupported};

    progress_begin("explain", "", 1);
    fx_status s = fx_model_explain(&j->e, j->model, &q, &cli.run);
    progress_end();
    if (!s && row_number && !j->c->variance)
        s = fx_model_predict(&j->prediction, NULL, j->model, FX_LABEL, &j->row, &cli.run);
    return s ? say_failure(s) : 0;
}

/* ---- The answer --------------------------------------------------------------------------- */
static const char *const *names(const job *j)
{
    return j->c->name                                   ? j->c->name
           : j->X.name && j->X.table.cols == j->c->cols ? j->X.table.name
                                                        : NULL;
}

static void print_features(const job *j, const fx_combination *x)
{
    for (size_t q = 0; q < x->order; q++) {
        fputs(q ? " x " : "", stdout);
        if (names(j))
            safe_print(stdout, "%s", names(j)[x->column[q]]);
        else
            safe_print(stdout, "%zu", x->column[q] + (size_t)j->c->base);
    }
    putchar('\n');
}

static const char *label_name(char buf[32], const job *j, double y, bool position)
{
    const fx_model_info *c = j->c;

    if (position && c->classes)
        return c->class_name[(size_t)y];
    if (!position && j->X.table.classes)
        return j->X.table.class_name[(size_t)y];
    return say_number(buf, y);
}

static void print_row(const job *j)
{
    double sum = 0;
    char buf[32], name[256];

    for (size_t i = 0; i < j->e->n; i++)
        sum += j->e->at[i].contribution;
    safe_print(stdout,
               "\n%12.6g  constant\n%12.6g  the combinations above\n%12.6g  all others\n"
               "%12.6g  score",
               j->e->constant, sum, j->e->rest, j->e->score);
    if (j->c->outputs > 1 && j->c->classes)
        safe_print(stdout, " of %s", model_file_output(name, j->c, j->e->output));
    if (!j->c->variance && !spec_says(j->c->spec, "task", "rank"))
        safe_print(stdout, ", predicted %s", label_name(buf, j, j->prediction, true));
    if (j->X.table.label)
        safe_print(stdout, ", labelled %s",
                   label_name(buf, j, j->X.table.label[row_number - 1], false));
    putchar('\n');
    if (j->e->unseen)
        safe_print(stdout, "%zu entr%s of columns that training never saw add nothing\n",
                   j->e->unseen, j->e->unseen == 1 ? "y" : "ies");
}

/* What was searched: all combinations, or those of --order, --support, or of the rows. */
static void print_exact(const job *j, const char *what)
{
    safe_print(stdout, "\nexact: no other combination");
    if (order)
        safe_print(stdout, " of %llu features", (unsigned long long)order);
    if (j->X.name && !row_number && support > 1)
        safe_print(stdout, " in %llu rows or more", (unsigned long long)support);
    else if (j->X.name && !row_number && !unsupported)
        safe_print(stdout, " in these rows");
    safe_print(stdout, " has a larger |%s|\n", what);
}

static int print(const job *j)
{
    const char *what = row_number ? "contribution" : "weight";

    if (row_number)
        safe_print(stdout, "%12s ", "contribution");
    safe_print(stdout, "%12s %5s ", "weight", "order");
    if (j->X.name)
        safe_print(stdout, "%9s ", "rows");
    puts("features");
    for (size_t i = 0; i < j->e->n; i++) {
        const fx_combination *x = &j->e->at[i];
        if (row_number)
            safe_print(stdout, "%12.6g ", x->contribution);
        safe_print(stdout, "%12.6g %5zu ", x->weight, x->order);
        if (j->X.name)
            safe_print(stdout, "%9llu ", (unsigned long long)x->support);
        print_features(j, x);
    }
    if (row_number)
        print_row(j);
    if (j->e->exact)
        print_exact(j, what);
    else
        safe_print(
            stdout,
            "\nnot exact: one that is missing may have a |%s| of up to %.4g; a larger --effort "
            "finds more\n",
            what, j->e->missed);
    return say_flush();
}

static json_t *json_combination(const job *j, const fx_combination *x)
{
    json_t *features = json_array();

    for (size_t q = 0; q < x->order; q++)
        features = say_append(features, names(j)
                                            ? say_text(names(j)[x->column[q]])
                                            : json_integer((json_int_t)x->column[q] + j->c->base));
    json_t *o = json_pack("{s:o, s:I, s:f, s:o}", "features", features, "order",
                          (json_int_t)x->order, "weight", x->weight, "support",
                          j->X.name ? json_integer((json_int_t)x->support) : json_null());
    return row_number ? say_set(o, "contribution", json_real(x->contribution)) : o;
}

static int print_json(const job *j)
{
    json_t *list = json_array();
    char buf[256], number[32];

    for (size_t i = 0; i < j->e->n; i++)
        list = say_append(list, json_combination(j, &j->e->at[i]));
    json_t *o = json_pack(
        "{s:o, s:b, s:f, s:f, s:o}", "combinations", list, "exact", j->e->exact, "missed",
        j->e->exact ? 0 : j->e->missed, "constant", j->e->constant, "output",
        j->c->classes ? say_text(model_file_output(buf, j->c, j->e->output)) : json_null());
    o = say_set(o, "remark", model_info_text(j->c->remark));
    if (row_number) {
        o = say_set(o, "row", json_integer((json_int_t)row_number));
        o = say_set(o, "score", json_real(j->e->score));
        o = say_set(o, "rest", json_real(j->e->rest));
        o = say_set(o, "unseen", json_integer((json_int_t)j->e->unseen));
        o = say_set(o, "prediction",
                    j->c->variance ? json_null()
                                   : say_text(label_name(number, j, j->prediction, true)));
        o = say_set(o, "label",
                    j->X.table.label
                        ? say_text(label_name(number, j, j->X.table.label[row_number - 1], false))
                        : json_null());
    }
    return say_json(o);
}

static void say_about(const job *j)
{
    char buf[256];
    size_t second;

    if (j->c->outputs > 1 && !class_option && j->c->classes)
        say_note("of the score of %s%s; --output CLASS for others",
                 model_file_output(buf, j->c, j->e->output),
                 !row_number  ? ""
                 : j->c->pairs ? ", the class predicted and the next best"
                              : ", the class predicted");
    model_file_pair(&second, j->c, j->e->output);
    if (j->c->classes && (class_option || j->c->outputs == 1 || j->c->pairs))
        say_note("positive: towards %s", j->c->class_name[second]);
    if (*j->c->scale && strcmp(j->c->scale, "none") != 0)
        say_note("weights are those of scaled columns (%s)", j->c->scale);
    if (*j->c->remark)
        say_warning("training said of this model: %s", j->c->remark);
}

static int explain(job *j, const char *data)
{
    int status;

    j->c = fx_model_inspect(j->model);
    if (data) {
        status = model_file_rows(&j->X, data, j->c, (load_options){.unlabelled = true});
        if (status || (status = model_file_fits(j->c, &j->X)))
            return status;
        load_say(&j->X);
    }
    if ((row_number && (status = pick_row(j))) || (status = ask(j)))
        return status;
    say_about(j);
    return cli.json ? print_json(j) : print(j);
}

static int run(int n, char **operand)
{
    job j = {.path = operand[0]};
    const char *data = n > 1 ? operand[1] : NULL;

    if ((row_number || support || unsupported) && !data)
        return say_error("explain: --%s needs rows: explain MODEL DATA", row_number ? "row"
                                                                         : support  ? "support"
                                                                                   : "unsupported");
    if (!!row_number + !!support + unsupported > 1)
        return say_error("explain: --%s and --%s exclude each other",
                         row_number ? "row" : "support",
                         row_number && support ? "support" : "unsupported");
    int status = model_file_first(&j.model, operand[0], data);
    if (!status)
        status = explain(&j, data);
    fx_explanation_free(j.e);
    load_free(&j.X);
    fx_model_free(j.model);
    return status;
}

const command cmd_explain = {
    .name = "explain",
    .operands = "MODEL [DATA] [--top N] [--row N] [options]",
    .summary = "which combinations of features matter",
    .text = "A score is a sum over combinations of features, a weight times the product of their "
            "numbers (after scaling). Prints those with the largest weights, positive or negative, "
            "and with DATA in how many of its rows all features of a combination are there; what "
            "no row holds (two values of one category) is left out. The search goes by bounds and "
            "makes no table of pairs; where it had to stop early it says how large a weight it may "
            "have missed.\n"
            "\n"
            "--row explains one score: what the combinations contribute, which together with the "
            "constant and all others is the score. Of several classes it is the score of the class "
            "that is predicted; --output asks for another.\n"
            "\n"
            "For factorization machines, linear models on rows or on maps rk, rm, explicit, and "
            "kernel machines with linear, anova, anova-upto, all-subsets, itemset, groups, cross, "
            "poly. Features have their names, or their numbers as in the files.",
    .examples = "explain m.fx\n"
                "explain m.fx data.svm --top 10 --order 3 --support 5\n"
                "explain m.fx data.svm --row 7 --json",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 2,
    .run = run,
};
