/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_evaluate.c - featcross evaluate: how good a model is on labelled rows.
 *
 * Text is read and scored in batches; of a row there remain its label and scores, or nothing if the
 * metrics that are asked for need only sums.
 *
 * Where mpirun started several processes, all read the rows, score the batches in turn and send the
 * scores to process 0, which measures. */

#include "commands.h"
#include "models/models.h"
#include "team/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20, LIST = 64 };         /* classes of a matrix that is printed; metrics */

static const char *metrics;

static const opt options[] = {
    {"metric", 0, "NAME,..", OPT_TEXT, &metrics, NULL,
     "metrics to print, see below (default: those of accuracy, auc, logloss and rmse that apply)",
     0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct metric_list {
    const char *name[LIST];
    double value[LIST];                 /* NaN: does not apply */
    size_t n;
    bool given;                         /* by name: each must apply */
    char text[1024];                    /* what names point into */
} metric_list;

static int parse_metrics(metric_list *w)
{
    w->given = metrics != NULL;
    if (snprintf(w->text, sizeof w->text, "%s", metrics ? metrics : "accuracy,auc,logloss,rmse")
        >= (int)sizeof w->text)
        return say_error("evaluate: --metric %.40s.. is too long", metrics);
    for (char *p = w->text, *end; p; p = end) {
        if ((end = strchr(p, ',')))
            *end++ = '\0';
        int status = metric_known(p);
        if (status)
            return status;
        if (w->n == LIST)
            return say_error("evaluate: --metric takes at most %d names", LIST);
        w->name[w->n++] = p;
    }
    return 0;
}

static int not_offered(const metric_list *w, const fx_model_info *c)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->given && isnan(w->value[i]))
            return say_error("evaluate: there is no %s for %s%s", w->name[i],
                             c->classes                           ? "this model and these rows"
                             : spec_says(c->spec, "task", "rank") ? "a model of rankings"
                                                                  : "a model of numbers",
                             c->classes && !strcmp(w->name[i], "logloss")
                                 ? "; train with --calibrate or --model " ADVISED_PROBABILITIES
                                 : "");
    return 0;
}

/* The usual metrics are computed with the confusion matrix; others by name, which also reports
 * those that are given and are of another task. */
static bool is_usual(const metric_list *w, size_t i, const fx_model_info *c)
{
    int task = c->classes                           ? FX_TASK_CLASSIFY
               : spec_says(c->spec, "task", "rank") ? FX_TASK_RANK
                                                    : FX_TASK_REGRESS;

    return metric_usual(w->name[i])
           && (!w->given || spec_line(fx_metric_describe, w->name[i]).tasks & task);
}

typedef struct job {
    const fx_model *model;
    const fx_model_info *c;
    const metric_list *wanted;
    fx_evaluator *evaluator;            /* of process 0 */
    fx_scorer *scorer;                  /* of another */
    double *score;                      /* of a batch that another process scores */
    size_t capacity;
    uint64_t batches;
    rows_survey missing;
    double seconds;                     /* of scoring */
} job;

/* ---- Rows ----------------------------------------------------------------------------------- */
static fx_status score_for_another(job *j, const fx_table *t)
{
    fx_status s = j->scorer ? FX_OK : fx_scorer_new(&j->scorer, j->model, &cli.run);
    double *to = j->score;

    for (size_t b = 0; b < t->blocks && !s; b++) {
        s = fx_scorer_predict(to, NULL, j->scorer, FX_SCORE, &t->block[b], &cli.run);
        to += t->block[b].rows * j->c->outputs;
    }
    return s;
}

static fx_status add_own(job *j, const fx_table *t)
{
    const metric_list *w = j->wanted;
    bool first = !j->evaluator;
    fx_status s = first ? fx_model_evaluator_new(&j->evaluator, j->model, &cli.run) : FX_OK;

    if (!s && first && w->given) {
        s = fx_model_evaluator_only(j->evaluator, w->name, w->n);
        s = s == FX_EINVAL ? FX_OK : s; /* one does not apply, which is said when they are known */
    }
    return s ? s : fx_model_evaluator_add(j->evaluator, t, &cli.run);
}

/* A batch that is scored by another process than 0, which adds it to the evaluation. */
static int add_in_turn(job *j, const loaded *X, uint64_t turn)
{
    size_t n = X->table.rows * j->c->outputs;

    if (n > j->capacity) {
        double *more = realloc(j->score, n * sizeof *more);
        if (!more)
            return say_no_memory("scores");
        j->score = more;
        j->capacity = n;
    }
    fx_status s = team_turn(turn) ? score_for_another(j, &X->table) : FX_OK;
    int status = s ? load_failed(X, s) : team_bring(turn, j->score, n * sizeof *j->score);
    if (status || team_rank())
        return status;
    s = fx_model_evaluator_add_scored(j->evaluator, &X->table, j->score, &cli.run);
    return s ? load_failed(X, s) : 0;
}

/* The next rows; an evaluation of batches. */
static int score(void *ctx, loaded *X)
{
    job *j = ctx;
    double start = say_clock();
    int status = model_file_fits(j->c, X);

    if (status)
        return status;
    if (!X->table.label)
        return say_error("%s has no labels", X->name);
    if (*j->c->missing && (status = rows_missing_look(&j->missing, &X->table)))
        return status;
    uint64_t turn = j->batches++;
    if (turn % (uint64_t)team_ranks())
        status = add_in_turn(j, X, turn);
    else if (!team_rank()) {
        fx_status s = add_own(j, &X->table);
        status = s ? load_failed(X, s) : 0;
    }
    j->seconds += say_clock() - start;
    return status;
}

/* ---- Metrics -------------------------------------------------------------------------------- */

static int measure(metric_list *w, fx_metrics *m, double *confusion, job *j)
{
    const char *other[LIST];
    double value[LIST], start = say_clock();
    size_t n = 0;
    fx_status s = fx_model_evaluator_metrics(m, confusion, j->evaluator, &cli.run);

    for (size_t i = 0; i < w->n; i++)
        if (!is_usual(w, i, j->c))
            other[n++] = w->name[i];
    if (!s && n)
        s = fx_model_evaluator_by(value, other, n, j->evaluator, &cli.run);
    if (s) {
        int status = say_failure(s);
        if (s == FX_ELIMIT && j->c->classes)
            say_hint("--metric accuracy,logloss needs no memory for rows, nor do precision, recall "
                     "and f1");
        return status;
    }
    n = 0;
    for (size_t i = 0; i < w->n; i++)
        w->value[i] = is_usual(w, i, j->c) ? metric_of(m, w->name[i]) : value[n++];
    j->seconds += say_clock() - start;
    return not_offered(w, j->c);
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
    int width = 10;

    for (size_t i = 0; i < w->n; i++)
        width = (int)strlen(w->name[i]) > width ? (int)strlen(w->name[i]) : width;
    safe_print(stdout, "%-*s %zu\n", width, "rows", m->rows);
    for (size_t i = 0; i < w->n; i++)
        if (!isnan(w->value[i]))
            safe_print(stdout, "%-*s %.6g\n", width, w->name[i], w->value[i]);
    if (c->classes && c->classes <= SHOWN && !w->given)
        print_confusion(c, confusion);
    return say_flush();
}

static int print_json(const metric_list *w, const fx_metrics *m, const fx_model_info *c,
                      const double *confusion, double read, double seconds)
{
    json_t *j = json_pack("{s:I, s:{s:f, s:f}}", "rows", (json_int_t)m->rows, "seconds", "read",
                          read, "evaluate", seconds);

    for (size_t i = 0; i < w->n; i++)
        if (!isnan(w->value[i]))
            j = say_set(j, w->name[i], model_info_number(w->value[i]));
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
static int read_rows(job *j, loaded *X, const char *path)
{
    int status = path ? model_file_batches(X, path, j->c, (load_options){0}, score, j)
                      : side_rows_links(X, j->c, "test",
                                        (load_options){.kept = *j->c->missing != '\0'});

    if (!status && !path)
        status = score(j, X);
    if (status)
        return status;
    load_say(X);
    rows_missing_filled(X, &j->missing, j->c->missing);
    fx_data_free(X->data);              /* the last rows; metrics need the memory */
    X->data = NULL;
    return 0;
}

static int evaluate(const fx_model *m, const char *path, metric_list *w)
{
    job j = {.model = m, .c = fx_model_inspect(m), .wanted = w};
    const fx_model_info *c = j.c;
    loaded X = {0};
    fx_metrics got = FX_INIT(fx_metrics);
    size_t classes = c->classes && c->classes <= SHOWN ? c->classes : 0;
    double *confusion = classes ? calloc(classes * classes, sizeof *confusion) : NULL;

    if (c->variance)
        return say_error("evaluate: %s gives components, which no label can be held against",
                         c->spec);
    double start = say_clock();
    int status = classes && !confusion ? say_no_memory("the confusion matrix")
                 : path                ? load_files_shared(path)
                                       : 0;
    if (!status)
        status = read_rows(&j, &X, path);
    double read = say_clock() - start - j.seconds;
    if (!status && !team_rank() && !(status = measure(w, &got, confusion, &j)))
        status = cli.json ? print_json(w, &got, c, confusion, read, j.seconds)
                          : print(w, &got, c, confusion);
    fx_model_evaluator_free(j.evaluator);
    fx_scorer_free(j.scorer);
    free(j.score);
    rows_missing_free(&j.missing);
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
    .summary = "measure a model on labelled rows",
    .text = "For classes, prints the accuracy, the area under the ROC curve (ties count half; "
            "with several classes, the mean of each class against the rest), the mean log loss if "
            "the model has probabilities, and the confusion matrix. For numbers, prints the root "
            "mean square error; for rankings, the area under the ROC curve within queries. "
            "--metric selects other metrics. With two classes, precision, recall and f1 are those "
            "of the second class in sorted order. Row weights count; for rankings they are "
            "averaged over each query. Text is read in batches: memory grows with the labels and "
            "scores of the rows, for numbers not at all, nor for classes if --metric names only "
            "accuracy, logloss, precision, recall and f1. Under mpirun several processes score the "
            "rows of a file.\n"
            "\n"
            "With --links and --nodes, the rows are all pairs of nodes that training with the "
            "same --seed and --negatives has not seen (--part test).",
    .examples = "evaluate m.fx test.svm\n"
                "evaluate m.fx test.svm --metric auc,logloss --json\n"
                "evaluate ranker.fx queries.svm --metric ndcg@10,precision@5\n"
                "evaluate m.fx --links l.txt --nodes people.svm --part sample",
    .groups = {&group, &link_rows_options, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 2, .metrics = true, .team = true,
    .run = run,
};
