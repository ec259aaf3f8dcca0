/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_evaluate.c - featcross evaluate: how good a model is on labelled rows. */

#include "commands.h"
#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };                    /* classes of a confusion matrix that is printed */

static const char *metrics;

static const opt options[] = {
    {"metric", 0, "NAME,..", OPT_TEXT, &metrics, NULL,
     "which of accuracy, auc, logloss, rmse (default: those that apply)", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

static const char *const names[] = {"accuracy", "auc", "logloss", "rmse"};
enum { METRICS = sizeof names / sizeof *names };

typedef struct metric_list {
    bool by_name[METRICS];
    bool all;
} metric_list;

static int parse_metrics(metric_list *w)
{
    w->all = !metrics;
    for (const char *p = metrics; p;) {
        size_t n = strcspn(p, ","), i = 0;
        while (i < METRICS && (strlen(names[i]) != n || memcmp(names[i], p, n) != 0))
            i++;
        if (i == METRICS)
            return say_error(
                "evaluate: --metric %.*s is not possible; use accuracy, auc, logloss, rmse", (int)n,
                p);
        w->by_name[i] = true;
        p = p[n] ? p + n + 1 : NULL;
    }
    return 0;
}

static int not_offered(const metric_list *w, const fx_metrics *m, const fx_model_info *c)
{
    for (int i = 0; i < METRICS; i++)
        if (w->by_name[i] && isnan(metric_of(m, names[i])))
            return say_error("evaluate: there is no %s for %s%s", names[i],
                             c->classes                           ? "this model and these rows"
                             : spec_says(c->spec, "task", "rank") ? "a model of rankings"
                                                                  : "a model of numbers",
                             c->classes && !strcmp(names[i], "logloss")
                                 ? "; train with --calibrate or --model " ADVISED_PROBABILITIES
                                 : "");
    return 0;
}

static bool is_shown(const metric_list *w, const fx_metrics *m, int i)
{
    return w->by_name[i] || (w->all && !isnan(metric_of(m, names[i])));
}

static void print_confusion(const fx_model_info *c, const double *confusion)
{
    int width = 8;

    for (size_t i = 0; i < c->classes; i++)
        width = (int)strlen(c->class_name[i]) > width ? (int)strlen(c->class_name[i]) : width;
    width = width < 24 ? width : 24;
    safe_print(stdout, "\nrows: true class, columns: predicted\n%*s", width, "");
    for (size_t i = 0; i < c->classes; i++)
        safe_print(stdout, "  %*.*s", width, width, c->class_name[i]);
    for (size_t i = 0; i < c->classes; i++) {
        safe_print(stdout, "\n%-*.*s", width, width, c->class_name[i]);
        for (size_t k = 0; k < c->classes; k++)
            safe_print(stdout, "  %*.10g", width, confusion[i * c->classes + k]);
    }
    putchar('\n');
}

static int print(const metric_list *w, const fx_metrics *m, const fx_model_info *c,
                 const double *confusion)
{
    safe_print(stdout, "%-10s %zu\n", "rows", m->rows);
    for (int i = 0; i < METRICS; i++)
        if (is_shown(w, m, i))
            safe_print(stdout, "%-10s %.6g\n", names[i], metric_of(m, names[i]));
    if (c->classes && c->classes <= SHOWN && w->all)
        print_confusion(c, confusion);
    return say_flush();
}

static int print_json(const metric_list *w, const fx_metrics *m, const fx_model_info *c,
                      const double *confusion, double read, double seconds)
{
    json_t *j = json_pack("{s:I, s:{s:f, s:f}}", "rows", (json_int_t)m->rows, "seconds", "read",
                          read, "evaluate", seconds);

    for (int i = 0; i < METRICS; i++)
        if (is_shown(w, m, i))
            j = say_set(j, names[i], model_info_number(metric_of(m, names[i])));
    if (c->classes && c->classes <= SHOWN) {
        json_t *rows = json_array();
        for (size_t i = 0; i < c->classes; i++) {
            json_t *row = json_array();
            for (size_t k = 0; k < c->classes; k++)
                row = say_append(row, json_real(confusion[i * c->classes + k]));
            rows = say_append(rows, row);
        }
        j = say_set(j, "classes", model_file_classes(c));
        j = say_set(j, "confusion", rows);
    }
    return say_json(j);
}

/* path NULL: of --links. */
static int evaluate(fx_model *m, const char *path, const metric_list *w)
{
    const fx_model_info *c = fx_model_inspect(m);
    loaded X = {0};
    fx_metrics got = FX_INIT(fx_metrics);
    size_t classes = c->classes && c->classes <= SHOWN ? c->classes : 0;
    double *confusion = classes ? calloc(classes * classes, sizeof *confusion) : NULL;

    if (c->variance)
        return say_error("evaluate: %s gives components, which no label can be held against",
                         c->spec);
    int status = classes && !confusion ? say_no_memory("the confusion matrix")
                 : path                ? model_file_rows(&X, path, c, (load_options){0})
                                       : link_rows_load(&X, "test");
    if (!status && !(status = model_file_fits(c, &X))) {
        load_say(&X);
        if (!X.table.label)
            status = say_error("%s has no labels", X.name);
    }
    if (!status) {
        double start = say_clock();
        progress_begin("score", "rows", (double)X.table.rows);
        fx_status s = fx_model_evaluate(&got, confusion, m, &X.table, &cli.run);
        progress_end();
        double seconds = say_clock() - start;
        if (!(status = s ? load_failed(&X, s) : not_offered(w, &got, c)))
            status = cli.json ? print_json(w, &got, c, confusion, X.seconds, seconds)
                              : print(w, &got, c, confusion);
    }
    free(confusion);
    load_free(&X);
    return status;
}

static int run(int n, char **operand)
{
    metric_list w = {0};
    fx_model *m = NULL;
    const char *data = n > 1 ? operand[1] : NULL;
    int status = parse_metrics(&w);

    if (!status && !(status = link_rows_check("evaluate", n - 1))
        && !(status = model_file_first(&m, operand[0], data)))
        status = evaluate(m, data, &w);
    fx_model_free(m);
    return status;
}

const command cmd_evaluate = {
    .name = "evaluate",
    .operands = "MODEL DATA [--metric NAME,..] [options]",
    .summary = "metrics of a model on labelled rows",
    .text = "Prints the accuracy, the area under the ROC curve (ties count half; several classes: "
            "the mean of each against the rest), the mean log loss where the model has "
            "probabilities, and the confusion matrix; of a model of numbers, the root mean square "
            "error; of a model of rankings, the area within queries. Weights of rows count. With "
            "--links and --nodes, rows are all pairs of nodes that training with the same --seed "
            "and --negatives has not seen (--part test).",
    .examples = "evaluate m.fx test.svm\n"
                "evaluate m.fx test.svm --metric auc,logloss --json\n"
                "evaluate m.fx --links l.txt --nodes people.svm --part sample",
    .groups = {&group, &link_rows_options, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 2,
    .run = run,
};
