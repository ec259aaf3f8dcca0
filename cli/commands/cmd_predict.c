/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_predict.c - featcross predict: rows in, labels, scores or probabilities out.
 *
 * Text is read a portion at a time and answered before the next one is read, so that memory does
 * not grow with the rows.  npy names the number of rows first, which is known last: the numbers
 * wait in an unnamed temporary file. */

#include "commands.h"
#include "models/models.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 16 };         /* bytes of text that are written at once */

static const char *output_path, *what_name, *form, *unseen_name;

static const opt options[] = {
    {"output", 0, "label|score|proba", OPT_CHOICE, &what_name, NULL,
     "what: labels as in training; scores, one a row, or one for each of several classes "
     "(kernel-svm: of the pairs of classes), or the components of pca; probabilities of the "
     "classes, which are sorted (default label; pca, rankings: score)", 0, 0},
    {"out", 'o', "FILE", OPT_TEXT, &output_path, "-", "where to", 0, 0},
    {"format", 0, "text|npy|jsonl", OPT_CHOICE, &form, "text",
     "of the output: a line for each row, numbers, or a JSON object for each row", 0, 0},
    {"unseen", 0, "drop|error", OPT_CHOICE, &unseen_name, "drop",
     "entries of columns that training never saw: leave them out and count them, or stop", 0, 0},
    {"input-format", 'f', READING_FORMATS, OPT_CHOICE, &reading_format, "auto",
     "of the input; auto looks at its first bytes, its name and its first line", 0, 0},
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
    double *value;                      /* of a block */
    size_t capacity;
    strbuf text;                        /* lines that wait to be written */
    FILE *spool;                        /* npy */
    char **key;                         /* jsonl: [width] names in quotes, or NULL */
    uint64_t rows, unseen;
} job;

/* ---- Text --------------------------------------------------------------------------------- */
static int flush(job *j)
{
    size_t n = j->text.n;

    j->text.n = 0;
    return j->text.failed ? say_no_memory("predictions") : output_bytes(j->o, j->text.s, n);
}

static void put(job *j, const char *text) { strbuf_bytes(&j->text, text, strlen(text)); }

static void put_number(job *j, double x)
{
    char *to = strbuf_reserve(&j->text, 32);

    j->text.n += to ? (size_t)fx_data_number(to, x) : 0;
}

static char *json_name(const char *name) { return say_dump(say_text(name), JSON_ENCODE_ANY); }

/* A class as a JSON value: a number where labels are numbers, or its name. */
static void put_json_class(job *j, size_t c)
{
    if (j->c->class_value) {
        put_number(j, j->c->class_value[c]);
        return;
    }
    char *name = json_name(j->c->class_name[c]);
    j->text.failed |= !name;
    put(j, name ? name : "");
    free(name);
}

static void text_row(job *j, const double *v)
{
    for (size_t i = 0; i < j->width; i++) {
        if (i > 0)
            put(j, " ");
        if (j->what == FX_LABEL && j->c->classes)
            put(j, j->c->class_name[(size_t)v[i]]);
        else
            put_number(j, v[i]);
    }
    put(j, "\n");
}

static void json_row(job *j, const double *v)
{
    static const char *const opens[] = {"{\"label\": ", "{\"score\": ", "{\"proba\": "};
    bool list = j->what == FX_SCORE && j->width > 1 && !j->key;

    put(j, opens[j->what]);
    put(j, list ? "[" : j->key ? "{" : "");
    for (size_t i = 0; i < j->width; i++) {
        if (i > 0)
            put(j, ", ");
        if (j->key) {
            put(j, j->key[i]);
            put(j, ": ");
        }
        if (j->what == FX_LABEL && j->c->classes)
            put_json_class(j, (size_t)v[i]);
        else
            put_number(j, v[i]);
    }
    put(j, list ? "]}\n" : j->key ? "}}\n" : "}\n");
}

/* ---- Numbers ------------------------------------------------------------------------------ */
static int spool_failed(void) { return say_error("a temporary file: %s", strerror(errno)); }

static int npy_rows(job *j, double *v, size_t n)
{
    for (size_t i = 0; i < n && j->what == FX_LABEL && j->c->classes; i++)
        v[i] = j->c->class_value[(size_t)v[i]];
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

/* ---- Names of columns --------------------------------------------------------------------- */
/* Of column i: a class, or a pair of them, whose score is positive for the second. */
static const char *column_name(char buf[256], const job *j, size_t i)
{
    return j->what == FX_PROBA ? j->c->class_name[i] : model_file_output(buf, j->c, i);
}

static int name_columns(job *j)
{
    bool named = j->what == FX_PROBA || (j->what == FX_SCORE && j->c->pairs && j->width > 1);
    char buf[256];

    if (!named)
        return 0;
    for (size_t i = 0; i < j->width && cli.verbose && *form != 'j'; i++)
        say_note("column %zu: %s", i + 1, column_name(buf, j, i));
    if (*form != 'j')
        return 0;
    if (!(j->key = calloc(j->width, sizeof *j->key)))
        return say_no_memory("names");
    for (size_t i = 0; i < j->width; i++)
        if (!(j->key[i] = json_name(column_name(buf, j, i))))
            return say_no_memory("names");
    return 0;
}

/* ---- Rows --------------------------------------------------------------------------------- */
static int reserve(job *j, size_t rows)
{
    size_t need = rows * j->width;

    if (need <= j->capacity)
        return 0;
    int status = say_limit(8 * (double)rows * (double)j->width, "predictions of %zu rows need",
                           rows);
    double *more = status ? NULL : realloc(j->value, need * sizeof *more);
    if (!more)
        return status ? status : say_no_memory("predictions");
    j->value = more;
    j->capacity = need;
    return 0;
}

static int predict_rows(job *j, const loaded *part)
{
    int status = model_file_fits(j->c, part);

    for (size_t b = 0; b < part->table.blocks && !status; b++) {
        const fx_matrix *X = &part->table.block[b];
        uint64_t unseen = 0;
        if ((status = reserve(j, X->rows)))
            return status;
        fx_status s = j->scorer ? FX_OK : fx_scorer_new(&j->scorer, j->model, &cli.run);
        if (!s)
            s = fx_scorer_predict(j->value, &unseen, j->scorer, j->what, X, &cli.run);
        if (s)
            return say_failure(s);
        j->unseen += unseen;
        uint64_t total = j->unseen + part->reading.unseen;
        if (total && !strcmp(unseen_name, "error"))
            return say_error("%s: %llu entr%s of columns that training never saw, up to row %llu",
                             part->name, (unsigned long long)total, total == 1 ? "y" : "ies",
                             (unsigned long long)(j->rows + X->rows));
        if (j->spool)
            status = npy_rows(j, j->value, X->rows);
        for (size_t i = 0; i < X->rows && !j->spool && !status; i++) {
            (*form == 't' ? text_row : json_row)(j, j->value + i * j->width);
            status = j->text.n > BUFFER_SIZE || i + 1 == X->rows ? flush(j) : 0;
        }
        j->rows += X->rows;
    }
    return status;
}

static int report(const job *j, const loaded *in, double seconds)
{
    uint64_t unseen = j->unseen + in->reading.unseen;

    if (unseen)
        say_warning("%s: %llu entr%s of columns that training never saw %s left out", in->name,
                    (unsigned long long)unseen, unseen == 1 ? "y" : "ies",
                    unseen == 1 ? "was" : "were");
    if (cli.verbose)
        say_note("%s: %llu rows, %.3f seconds", in->name, (unsigned long long)j->rows, seconds);
    if (!cli.json)
        return 0;
    return say_json(json_pack("{s:I, s:I, s:s, s:o, s:f}", "rows", (json_int_t)j->rows, "unseen",
                              (json_int_t)unseen, "output", what_name, "file",
                              say_text(output_path), "seconds", seconds));
}

/* Can the model give what is wanted, in that form? */
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
        return say_error("%s: labels are text, and npy holds numbers; use --format text or jsonl",
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

    if (status || (status = name_columns(j))
        || (status = output_open(&j->o, output_path, output_kind_of(form))))
        return status;
    status = model_file_rows(&in, data, j->c, (load_options){.unlabelled = true, .streamed = true});
    while (!status && in.table.rows && !(status = predict_rows(j, &in)))
        status = load_next(&in);
    if (!status && (!j->spool || !(status = npy_end(j))) && !(status = output_close(j->o)))
        status = report(j, &in, say_clock() - start);
    load_free(&in);
    return status;
}

static int run(int n, char **operand)
{
    job j = {0};
    fx_model *m = NULL;
    int status;

    if (cli.json && output_is_stdout(output_path))
        return say_error("predict: --json needs -o FILE, since both want standard output");
    const char *data = n > 1 ? operand[1] : "-";
    if ((status = model_file_first(&m, operand[0], data)))
        return status;
    j.model = m;
    j.c = fx_model_inspect(m);
    if (!what_name)
        what_name = j.c->variance || spec_says(j.c->spec, "task", "rank") ? "score" : "label";
    j.what = !strcmp(what_name, "label")   ? FX_LABEL
             : !strcmp(what_name, "score") ? FX_SCORE
                                           : FX_PROBA;
    status = predict(&j, operand, data);
    fx_scorer_free(j.scorer);
    fx_model_free(m);
    for (size_t i = 0; j.key && i < j.width; i++)
        free(j.key[i]);
    free(j.key);
    free(j.value);
    strbuf_free(&j.text);
    if (j.spool)
        fclose(j.spool);
    return status;
}

const command cmd_predict = {
    .name = "predict",
    .operands = "MODEL [DATA|-] [-o FILE] [--output WHAT] [options]",
    .summary = "score rows with a saved model",
    .text = "Prints a line for each row of DATA, in its order. Rows need no labels, and labels are "
            "not looked at. They are read as the training rows were: indices count from the same "
            "base, columns of csv and text are found by name. Text is answered while it is read, "
            "in memory that does not grow.",
    .examples = "predict m.fx test.svm > labels.txt\n"
                "predict m.fx test.svm --output proba --format npy -o p.npy\n"
                "predict m.fx - --format jsonl < rows.svm",
    .groups = {&group, &reading_but_format, &common_options},
    .min_operands = 1, .max_operands = 2,
    .run = run,
};
