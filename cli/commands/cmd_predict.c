/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_predict.c - featcross predict: rows in, labels, scores or probabilities out.
 *
 * Text is read in batches, and each batch is answered before the next one is read.  So memory does
 * not grow with the rows, and a row from a pipe or a terminal is answered as soon as its line has
 * arrived.  An npy file begins with the number of rows, which is known only at the end, so the
 * numbers are first written to an unnamed temporary file.
 *
 * Where mpirun started several processes, all read the rows, score the batches in turn and send the
 * numbers to process 0. */

#include "commands.h"
#include "models/models.h"
#include "prediction_lines.h"
#include "team/team.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 16 };         /* bytes of text that are written at once */
#define FORMS "text|csv|jsonl|npy"

static const char *output_path, *what_name, *form, *unseen_name;

static const opt options[] = {
    {"output", 0, "label|score|proba", OPT_CHOICE, &what_name, NULL,
     "what to predict: labels as in training; scores, one per row or, with several classes, one "
     "per class (kernel-svm: one per pair of classes), or the components of pca; probabilities of "
     "the classes in sorted order (default label; pca and rankings: score; csv: proba if the "
     "model has them, otherwise score)", 0, 0},
    {"out", 'o', "FILE", OPT_TEXT, &output_path, "-",
     "write the predictions to FILE; - is standard output", 0, 0},
    {"format", 0, FORMS, OPT_CHOICE, &form, NULL,
     "format of the output: text, one line per row; csv, a table of id (--id, or the row number "
     "from 1), label and --output; jsonl, one JSON object per row; npy, numbers (default: by the "
     "extension .csv, .jsonl or .npy of -o, else text)", 0, 0},
    {"unseen", 0, "drop|error", OPT_CHOICE, &unseen_name, "drop",
     "entries in columns that training never saw: ignore and count them, or stop with an error",
     0, 0},
    {"input-format", 'f', READING_FORMATS, OPT_CHOICE, &reading_format, "auto",
     "format of the input; auto detects it from its first bytes, its name and its first line",
     0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    const fx_model *model;
    fx_scorer *scorer;                  /* made by the first rows */
    const fx_model_info *c;
    fx_prediction what;
    size_t width;                       /* numbers a row */
    output *o;
    double *value, *label;              /* of a block; label: csv */
    size_t capacity;
    bool labelled;                      /* csv: labels are next to the values */
    prediction_lines lines;             /* all but npy */
    FILE *spool;                        /* npy */
    uint64_t rows, unseen, left_out;    /* left_out: rows with missing numbers, by --nan drop */
    uint64_t batches;
} job;

static int flush(job *j)
{
    strbuf *t = &j->lines.text;
    size_t n = t->n;

    t->n = 0;
    return t->failed ? say_no_memory("predictions") : output_bytes(j->o, t->s, n);
}

/* ---- Numbers ------------------------------------------------------------------------------ */
static int spool_failed(void)
{
    int error = errno;

    say_error("a temporary file: %s", strerror(error));
    return error == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

static int npy_rows(job *j, double *v, size_t n)
{
    for (size_t i = 0; i < n && j->what == FX_LABEL && j->c->classes; i++)
        v[i] = isnan(v[i]) ? v[i] : j->c->class_value[(size_t)v[i]];
    return fwrite(v, sizeof *v, n * j->width, j->spool) == n * j->width ? 0 : spool_failed();
}

static int npy_end(job *j)
{
    bool line = j->width == 1 && j->what != FX_PROBA && !j->c->variance;
    int status = output_size_check(j->o, form, FX_F64, (size_t)j->rows, j->width);
    char buf[1 << 14];
    size_t n;

    if (!status)
        status = output_npy(j->o, FX_F64, (size_t)j->rows, line ? 0 : j->width);
    if (!status && fseek(j->spool, 0, SEEK_SET) < 0)
        return spool_failed();
    while (!status && (n = fread(buf, 1, sizeof buf, j->spool)) > 0)
        status = output_bytes(j->o, buf, n);
    return status ? status : ferror(j->spool) ? spool_failed() : 0;
}

/* ---- Lines -------------------------------------------------------------------------------- */
static int begin_lines(job *j)
{
    char buf[256];

    j->lines.c = j->c;
    j->lines.what = j->what;
    j->lines.width = j->width;
    for (size_t i = 0; i < j->width && cli.verbose && *form != 'j' && *form != 'c'
                       && prediction_lines_are_named(&j->lines); i++)
        say_note("column %zu: %s", i + 1, prediction_lines_name(buf, &j->lines, i));
    return j->spool ? 0 : prediction_lines_begin(&j->lines);
}

/* ---- Rows --------------------------------------------------------------------------------- */
static int reserve(job *j, size_t rows)
{
    size_t need = rows * (j->width + j->labelled);

    if (need > j->capacity) {
        int status = say_limit(8 * (double)rows * (double)(j->width + j->labelled),
                               "predictions of %zu rows need", rows);
        double *more = status ? NULL : realloc(j->value, need * sizeof *more);
        if (!more)
            return status ? status : say_no_memory("predictions");
        j->value = more;
        j->capacity = need;
    }
    j->label = j->value + rows * j->width;
    return 0;
}

static int score(job *j, const loaded *part, uint64_t *unseen)
{
    fx_status s = j->scorer ? FX_OK : fx_scorer_new(&j->scorer, j->model, &cli.run);
    size_t row = 0;

    for (size_t b = 0; b < part->table.blocks && !s; b++) {
        const fx_matrix *X = &part->table.block[b];
        uint64_t more = 0;
        s = fx_scorer_predict(j->value + row * j->width, &more, j->scorer, j->what, X, &cli.run);
        if (!s && j->labelled)
            s = fx_scorer_predict(j->label + row, NULL, j->scorer, FX_LABEL, X, &cli.run);
        row += s ? 0 : X->rows;
        *unseen += more;
    }
    int status = s ? say_failure_from(s, (size_t)j->rows + row) : 0;
    if (s == FX_ESHAPE && part->table.cols + 1 == j->c->inputs
        && spec_get(part->spec, "label").p && !spec_says(part->spec, "label", "none"))
        say_hint("--label none reads rows without labels");
    return status;
}

/* The same, by the process whose turn it is, which sends it to process 0. */
static int score_in_turn(job *j, const loaded *part, uint64_t *unseen)
{
    uint64_t turn = j->batches++;
    size_t bytes = part->table.rows * (j->width + j->labelled) * sizeof *j->value;
    int status = team_turn(turn) ? score(j, part, unseen) : 0;

    if (!status)
        status = team_bring(turn, unseen, sizeof *unseen);
    return status ? status : team_bring(turn, j->value, bytes);
}

static int write_rows(job *j, const loaded *part)
{
    size_t n = part->table.rows;
    int status = 0;

    for (size_t i = 0; i < n; i++)
        j->left_out += isnan(j->value[i * j->width]) ? 1 : 0;
    if (j->spool)
        return npy_rows(j, j->value, n);
    for (size_t i = 0; i < n && !status; i++) {
        const double *value = j->value + i * j->width;
        j->lines.id = part->table.id ? part->table.id[i] : NULL;
        prediction_lines_row(&j->lines, value, j->labelled ? j->label[i] : *value);
        status = j->lines.text.n > BUFFER_SIZE || i + 1 == n ? flush(j) : 0;
    }
    return status;
}

static int predict_rows(job *j, const loaded *part)
{
    uint64_t unseen = 0;
    int status = model_file_fits(j->c, part);

    if (status || (status = reserve(j, part->table.rows))
        || (status = score_in_turn(j, part, &unseen)))
        return status;
    j->unseen += unseen;
    j->rows += part->table.rows;
    uint64_t total = j->unseen + part->reading.unseen;
    if (total && !strcmp(unseen_name, "error"))
        return say_error("%s: %llu entr%s of columns that training never saw, up to row %llu",
                         part->name, (unsigned long long)total, total == 1 ? "y" : "ies",
                         (unsigned long long)j->rows);
    return team_rank() ? 0 : write_rows(j, part);
}

static json_t *summary(const job *j, const loaded *in, double seconds)
{
    return json_pack("{s:I, s:I, s:s, s:o, s:f}", "rows", (json_int_t)j->rows, "unseen",
                     (json_int_t)(j->unseen + in->reading.unseen), "output", what_name, "file",
                     say_text(output_path), "seconds", seconds);
}

/* The list of predictions ends, and the summary is the rest of the same object. */
static int end_object(job *j, const loaded *in, double seconds)
{
    char *rest = say_dump(summary(j, in, seconds), JSON_INDENT(2) | JSON_REAL_PRECISION(17));

    if (!rest)
        return say_no_memory("the JSON object");
    strbuf_add(&j->lines.text, "\n  ],%s\n", rest + 1);
    free(rest);
    return flush(j);
}

static int report(const job *j, const loaded *in, double seconds)
{
    uint64_t unseen = j->unseen + in->reading.unseen;

    if (unseen)
        say_warning("%s: %llu entr%s of columns that training never saw %s left out", in->name,
                    (unsigned long long)unseen, unseen == 1 ? "y" : "ies",
                    unseen == 1 ? "was" : "were");
    if (j->left_out)
        say_note("%s: %llu of %llu rows ha%s missing numbers: NA", in->name,
                 (unsigned long long)j->left_out, (unsigned long long)j->rows,
                 j->left_out == 1 ? "s" : "ve");
    if (cli.verbose)
        say_note("%s: %llu rows, %.3f seconds", in->name, (unsigned long long)j->rows, seconds);
    return cli.json && j->lines.form != PREDICTION_JSON ? say_json(summary(j, in, seconds)) : 0;
}

/* Checks that the model can give the requested output in the requested format. */
static int check(job *j, const char *path)
{
    if (!(j->width = fx_model_width(j->model, j->what))) {
        if (j->c->variance)
            return say_error("%s gives components: --output score is all that it has", path);
        if (!j->c->classes)
            return say_error("%s is a model of %s: it has no probabilities", path,
                             spec_says(j->c->spec, "task", "rank") ? "rankings" : "numbers");
        return say_error("%s has no probabilities; train it with --calibrate%s", path,
                         *j->c->kernel && !*j->c->map ? "" : " or --model " ADVISED_PROBABILITIES);
    }
    if (*form == 'n' && j->what == FX_LABEL && j->c->classes && !j->c->class_value)
        return say_error("%s: labels are text, and npy holds numbers; use --format csv or jsonl",
                         path);
    if (*form == 'n' && !(j->spool = tmpfile()))
        return spool_failed();
    return 0;
}

static int predict(job *j, char **operand, const char *data)
{
    loaded in = {0};
    double start = say_clock();
    int status = check(j, operand[0]);

    if (status || (data && (status = load_files_shared(data)))
        || (!team_rank()
            && ((status = begin_lines(j))
                || (status = output_open(&j->o, output_path, output_kind_of(form))))))
        return status;
    status = data ? model_file_rows(&in, data, j->c,
                                    (load_options){.unlabelled = true, .streamed = true})
                  : side_rows_links(&in, j->c, "given",
                                    (load_options){.kept = *j->c->missing != '\0'});
    while (!status && in.table.rows && !(status = predict_rows(j, &in)))
        status = load_next(&in);
    if (team_rank()) {
        load_free(&in);
        return status;
    }
    if (!status && j->spool)
        status = npy_end(j);
    else if (!status && j->lines.form == PREDICTION_JSON)
        status = end_object(j, &in, say_clock() - start);
    if (!status && !(status = output_close(j->o)))
        status = report(j, &in, say_clock() - start);
    load_free(&in);
    return status;
}

/* The kind of output, from --output or by default. */
static fx_prediction choose_what(const job *j)
{
    bool scores = j->c->variance || spec_says(j->c->spec, "task", "rank");

    if (!what_name && *form == 'c' && j->c->classes)
        what_name = fx_model_width(j->model, FX_PROBA) ? "proba" : "score";
    if (!what_name)
        what_name = scores ? "score" : "label";
    return !strcmp(what_name, "label")   ? FX_LABEL
           : !strcmp(what_name, "score") ? FX_SCORE
                                         : FX_PROBA;
}

/* Without --format: by the name of the output. */
static const char *form_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *end = dot ? dot + 1 : "";
    size_t n = strlen(end);

    for (const char *p = FORMS; n && p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (!strncmp(p, end, n) && (p[n] == '|' || !p[n]))
            return end;
    return "text";
}

static int run(int n, char **operand)
{
    job j = {0};
    fx_model *m = NULL;
    bool object = cli.json && output_is_stdout(output_path);
    int status;

    if (object && form)
        return say_error("predict: --json and --format %s cannot both go to standard output; "
                         "leave out one, or name a file with -o", form);
    form = form ? form : object ? "json" : form_of(output_path);
    j.lines.form = object         ? PREDICTION_JSON
                   : *form == 'c' ? PREDICTION_CSV
                   : *form == 'j' ? PREDICTION_JSONL
                                  : PREDICTION_TEXT;
    const char *data = link_rows_given() ? NULL : n > 1 ? operand[1] : "-";
    if ((status = link_rows_check("predict", data ? 1 : n - 1))
        || (status = model_file_first(&m, operand[0], data)))
        return status;
    j.model = m;
    j.c = fx_model_inspect(m);
    j.what = choose_what(&j);
    j.labelled = j.lines.form == PREDICTION_CSV && j.what != FX_LABEL && !j.c->variance;
    status = predict(&j, operand, data);
    fx_scorer_free(j.scorer);
    fx_model_free(m);
    prediction_lines_free(&j.lines);
    free(j.value);
    if (j.spool)
        fclose(j.spool);
    return status;
}

const command cmd_predict = {
    .name = "predict",
    .operands = "MODEL [DATA|-] [-o FILE] [--output WHAT] [options]",
    .summary = "score rows with a saved model",
    .text = "Prints one line for each row of DATA, in the order of the file. Labels are not "
            "needed and are ignored. Rows are read as in training: with the same index base, and "
            "columns of csv and text found by name. Text is answered while it is read, in "
            "constant memory; from a pipe or a terminal, each line as soon as it arrives. --json "
            "without -o prints one object with all predictions. Under mpirun several processes "
            "score the rows of a file.\n"
            "\n"
            "With --links and --nodes, the rows are the pairs of nodes that the file lists, in its "
            "order; --part selects others, as in training.",
    .examples = "predict m.fx test.svm > labels.txt\n"
                "predict m.fx test.svm --output proba --format npy -o p.npy\n"
                "predict m.fx test.csv --format csv -o predictions.csv\n"
                "predict m.fx - --format jsonl < rows.svm\n"
                "predict m.fx --links pairs.txt --nodes a.svm --nodes-b b.svm",
    .groups = {&group, &link_rows_options, &reading_but_format, &common_options},
    .min_operands = 1, .max_operands = 2, .team = true,
    .run = run,
};
