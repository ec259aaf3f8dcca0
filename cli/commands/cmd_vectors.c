/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_vectors.c - featcross vectors: rows of one side as vectors, whose inner products with
 * those of the other side are the scores of pairs. */

#include "commands.h"
#include "models/models.h"

#include <stdlib.h>
#include <string.h>

static const char *nodes, *side_name, *output_path, *class_option;

static const opt options[] = {
    {"nodes", 0, "FILE", OPT_TEXT, &nodes, NULL,
     "rows of one side, such as users or items; of a model that was trained with --links, a file "
     "as --nodes had it", 0, 0},
    {"side", 0, "first|second", OPT_CHOICE, &side_name, NULL,
     "the side that they are; the constant of the model is in the vectors of the first side", 0, 0},
    {"output", 0, "CLASS", OPT_TEXT, &class_option, NULL,
     "with several classes, the class whose score is meant", 0, 0},
    {"out", 'o', "FILE", OPT_TEXT, &output_path, "-",
     "write the vectors to FILE: .npy with the names of the rows beside it, in FILE.names, one per "
     "line; else lines of CSV that begin with the name", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    fx_model *model;
    const fx_model_info *c;
    side_rows rows;
    size_t output, width;
    double *vector;                     /* [rows][width] */
    bool npy;
} job;

static int write_names(const job *j)
{
    char path[4096], buf[32];
    output *o = NULL;
    int status = 0;

    if (snprintf(path, sizeof path, "%s.names", output_path) >= (int)sizeof path)
        return say_error("vectors: the name of %s is too long", output_path);
    if ((status = output_open(&o, path, OUTPUT_TEXT)))
        return status;
    for (size_t i = 0; i < j->rows.X.rows && !status; i++) {
        status = output_text(o, side_rows_name(buf, &j->rows, i));
        if (!status)
            status = output_text(o, "\n");
    }
    return status ? status : output_close(o);
}

static int write_lines(const job *j, output *o)
{
    strbuf t = {0};
    char buf[32];
    int status;

    strbuf_add(&t, "name");
    for (size_t k = 0; k < j->width; k++)
        strbuf_add(&t, ",v%zu", k + 1);
    for (size_t i = 0; i < j->rows.X.rows; i++) {
        strbuf_add(&t, "\n");
        strbuf_field(&t, side_rows_name(buf, &j->rows, i));
        for (size_t k = 0; k < j->width; k++) {
            fx_data_number(buf, j->vector[i * j->width + k]);
            strbuf_add(&t, ",%s", buf);
        }
    }
    strbuf_add(&t, "\n");
    status = t.failed ? say_no_memory("lines of CSV") : output_bytes(o, t.s, t.n);
    strbuf_free(&t);
    return status;
}

static int write(const job *j)
{
    size_t rows = j->rows.X.rows;
    output *o = NULL;
    int status = output_open(&o, output_path, j->npy ? OUTPUT_BINARY : OUTPUT_TEXT);

    if (status)
        return status;
    if (!j->npy)
        status = write_lines(j, o);
    else if (!(status = output_size_check(o, extension_format(output_path), FX_F64, rows, j->width))
             && !(status = output_npy(o, FX_F64, rows, j->width)))
        status = output_bytes(o, j->vector, rows * j->width * sizeof *j->vector);
    if (!status && !(status = output_close(o)) && j->npy && !output_is_stdout(output_path))
        status = write_names(j);
    return status;
}

static int make(job *j, uint64_t *unseen)
{
    const fx_matrix *X = &j->rows.X;
    int status = say_limit(8 * (double)X->rows * (double)j->width,
                           "%zu vectors of %zu numbers need", X->rows, j->width);

    if (status)
        return status;
    if (!(j->vector = malloc((X->rows * j->width + 1) * sizeof *j->vector)))
        return say_no_memory("vectors");
    progress_begin("vectors", "rows", (double)X->rows);
    fx_status s = fx_model_vectors(j->vector, unseen, j->model, j->rows.side, j->output, X,
                                   &cli.run);
    progress_end();
    return s ? load_failed(&j->rows.in, s) : 0;
}

static int vectors(job *j)
{
    uint64_t unseen = 0;
    double start = say_clock();
    int status = side_rows_output(&j->output, "vectors", j->c, class_option);
    fx_status s = status ? FX_OK : fx_model_vectors_width(&j->width, j->model, &cli.run);

    if (status || s)
        return status ? status : say_failure(s);
    if ((status = side_rows_open(&j->rows, nodes, j->c, *side_name == 's' ? FX_SECOND : FX_FIRST,
                                 (load_options){.unlabelled = true}))
        || (status = make(j, &unseen)) || (status = write(j)))
        return status;
    unseen += j->rows.unseen + j->rows.in.reading.unseen;
    if (unseen)
        say_warning("%s: %llu entr%s of columns that training never saw %s left out", nodes,
                    (unsigned long long)unseen, unseen == 1 ? "y" : "ies",
                    unseen == 1 ? "was" : "were");
    if (cli.verbose)
        say_note("%s: %zu vectors of %zu numbers", nodes, j->rows.X.rows, j->width);
    return cli.json
               ? say_json(json_pack("{s:I, s:I, s:s, s:I, s:o, s:f}", "rows",
                                    (json_int_t)j->rows.X.rows, "numbers", (json_int_t)j->width,
                                    "side", side_name, "unseen", (json_int_t)unseen, "file",
                                    say_text(output_path), "seconds", say_clock() - start))
               : 0;
}

static int run(int n, char **operand)
{
    job j = {0};
    const char *format = extension_format(output_path);
    int status;

    (void)n;
    if (!nodes || !side_name)
        return say_error("vectors: %s", nodes ? "--side first or --side second is needed"
                                              : "--nodes FILE is needed: the rows of one side");
    if (cli.json && output_is_stdout(output_path))
        return say_error("vectors: --json and the vectors both want standard output; name a file "
                         "with -o");
    j.npy = format && output_kind_of(format) == OUTPUT_BINARY;
    if (!(status = model_file_first(&j.model, operand[0], nodes))) {
        j.c = fx_model_inspect(j.model);
        status = vectors(&j);
    }
    side_rows_close(&j.rows);
    fx_model_free(j.model);
    free(j.vector);
    return status;
}

const command cmd_vectors = {
    .name = "vectors",
    .operands = "MODEL --nodes FILE --side first|second [options]",
    .summary = "turn users or items into vectors whose inner products are scores",
    .text = "A row that joins the columns of a user and of an item has a score, and many models "
            "split it exactly: it is the inner product of a vector of the user and a vector of the "
            "item. vectors writes those of one side, for an index of nearest neighbours or another "
            "program; recommend uses them, too. The inner product is what predict --output score "
            "gives for the joined row.\n"
            "\n"
            "It works for factorization machines of all kinds, for linear models on columns or on "
            "the maps rk and rm, and for kernel machines that explain takes. It does not where a "
            "row is scaled by its norm (unit-l1, unit-l2), where targets are clipped, and where a "
            "group has columns on both sides.\n"
            "\n"
            "Rows have the columns of the model, those of the other side left out. The two sides "
            "of a model that was trained with --links, or of bilinear, have files of their own, "
            "whose columns count from the first. A row is called by its --id, else by its label, "
            "else by its number from 1.",
    .examples = "vectors m.fx --nodes films.svm --side second -o films.npy\n"
                "vectors m.fx --nodes people.svm --side first > people.csv",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 1,
    .run = run,
};
