/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_convert.c - featcross convert: one format into another, with scaling and choice of rows.
 *
 * Text becomes text in batches (convert_batches.c); all else needs all rows in memory. */

#include "commands.h"
#include "convert_batches.h"
#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *output_path, *to, *scale_spec, *output_base, *task;
static bool shuffle;
static uint64_t head;
static double split;

static const opt options[] = {
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL, "the same as the operand OUT", 0, 0},
    {"to", 0, OUTPUT_FORMATS "|libfm|fm", OPT_CHOICE, &to, NULL,
     "format of the output (default: by its extension; without one, svmlight); for models: libfm "
     "writes libFM's text, fm turns a linear model on map rk into a factorization machine", 0, 0},
    {"task", 0, "classify|regress", OPT_CHOICE, &task, NULL,
     "libFM's text: task of the model, which the text does not contain (default regress)", 0, 0},
    {"output-base", 0, "0|1", OPT_CHOICE, &output_base, NULL,
     "svmlight: number of the first column (default: as in the input, otherwise 1)", 0, 0},
    {"scale", 0, KERNEL_SCALES, OPT_CHOICE, &scale_spec, "none",
     "scaling of the rows; maxabs and std scale columns, unit-l1 and unit-l2 rows; auto: maxabs "
     "if a value is above 1 or below -1, otherwise none", 0, 0},
    {"shuffle", 0, NULL, OPT_FLAG, &shuffle, NULL, "put the rows in random order (--seed)", 0, 0},
    {"head", 0, "N", OPT_COUNT, &head, "0",
     "keep only the first N rows, after shuffling; 0: all", 0, 0},
    {"split", 0, "SHARE", OPT_SHARE, &split, NULL,
     "write this share of the rows to OUT and the others to OUT2", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

/* The selected rows, in their new order. */
static size_t *choose(size_t rows, size_t *n)
{
    size_t *order = malloc((rows ? rows : 1) * sizeof *order);

    if (!order)
        return NULL;
    if (shuffle)
        fx_data_shuffle(order, rows, cli.seed);
    else
        for (size_t i = 0; i < rows; i++)
            order[i] = i;
    *n = head && head < rows ? (size_t)head : rows;
    return order;
}

static int write_part(output *o, const char *format, const loaded *in, const size_t *rows, size_t n)
{
    fx_data *part = NULL;
    fx_table t = in->table;
    fx_description d = spec_line(fx_data_write_describe, format);
    const char *base = output_base ? output_base : spec_says(in->spec, "base", "0") ? "0" : "1";
    char spec[64];
    int status = 0;

    snprintf(spec, sizeof spec, spec_key(&d, "base") ? "%s:base=%s" : "%s", format, base);
    convert_left_out(format, in->table.label, in->table.weight);
    if (rows) {
        fx_status s = fx_data_select(&part, &in->table, rows, n, &cli.run);
        if (s)
            return say_failure(s);
        t = fx_data_table(part);
    }
    status = output_table(o, spec, &t);
    if (!status)
        status = output_close(o);
    fx_data_free(part);
    return status;
}

static int report(const loaded *in, char **path, size_t first, size_t second, double seconds)
{
    if (split > 0)
        say_note("%s: %zu rows, %s: %zu rows", path[1], first, path[2], second);
    else
        say_note("%s: %zu rows", path[1], first);
    if (!cli.json)
        return 0;
    json_t *j = json_pack("{s:o, s:o, s:s, s:I, s:I, s:{s:f, s:f}}", "input", say_text(path[0]),
                          "output", say_text(path[1]), "format", in->format, "rows",
                          (json_int_t)first, "columns", (json_int_t)in->table.cols, "seconds",
                          "read", in->seconds, "write", seconds);
    if (split > 0)
        j = say_set(
            j, "second",
            json_pack("{s:o, s:I}", "output", say_text(path[2]), "rows", (json_int_t)second));
    return say_json(j);
}

/* Checks, before the first file is written, that there is space for both. */
static int check_sizes(const loaded *in, output **out, const char *const *format, size_t first,
                       size_t second)
{
    fx_table t = in->table;

    t.rows = first;
    int status = output_size_check_table(out[0], format[0], &t);
    t.rows = second;
    return status || !out[1] ? status : output_size_check_table(out[1], format[1], &t);
}

static int in_batches(loaded *in, output **out, const char *const *format, char **path)
{
    convert_job j = {.out = out, .format = format, .base = output_base, .head = (size_t)head,
                     .split = split};
    int status = convert_batches(&j, in, path[0]);

    in->seconds -= j.seconds;
    return status ? status : report(in, path, j.first, j.second, j.seconds);
}

static int convert(loaded *in, output **out, const char *const *format, char **path)
{
    size_t n = 0, first;

    if (!link_rows_given() && !shuffle && !strcmp(scale_spec, "none")
        && convert_batches_can(path[0], format, out[1] ? 2 : 1))
        return in_batches(in, out, format, path);
    bool choice = shuffle || head || split > 0;
    int status = link_rows_given() ? link_rows_load(in, "all", &(load_options){0})
                                   : load(in, path[0], -1);
    double start = say_clock();

    if (status)
        return status;
    load_say(in);
    if ((status = rows_rescale(in, scale_spec)))
        return status;
    size_t *order = choice ? choose(in->table.rows, &n) : NULL;
    if (choice && !order)
        return say_no_memory("the order of the rows");
    n = choice ? n : in->table.rows;
    first = split > 0 ? (size_t)floor(split * (double)n + 0.5) : n;
    status = check_sizes(in, out, format, first, n - first);
    if (!status)
        status = write_part(out[0], format[0], in, order, first);
    if (!status && split > 0)
        status = write_part(out[1], format[1], in, order + first, n - first);
    free(order);
    return status ? status : report(in, path, first, n - first, say_clock() - start);
}

static int run(int operands, char **operand)
{
    loaded in = {0};
    output *out[2] = {0};
    const char *format[2];
    char *path[5];                      /* IN OUT OUT2 */
    int n = 0, status;

    int from = link_rows_given() ? 0 : 1;

    if ((status = link_rows_check("convert", link_rows_given() ? 0 : operands)))
        return status;
    path[n++] = from ? operand[0] : (char *)link_rows_path();
    if (output_path)
        path[n++] = (char *)output_path;
    for (int i = from; i < operands; i++)
        path[n++] = operand[i];
    if (n == 2 && from && convert_is_model(path[0]))
        return convert_model(path[0], path[1], to, task);
    if (task || (to && (!strcmp(to, "libfm") || !strcmp(to, "fm"))))
        return say_error("convert: %s%s is for models, but %s is none", task ? "--task " : "--to ",
                         task ? task : to, path[0]);
    if (n != (split > 0 ? 3 : 2))
        return say_error("convert: %s", split > 0 ? "--split needs two outputs"
                                                  : "one input, one output; "
                                                    "two outputs need --split");
    for (int i = 1; i < n && !status; i++) {
        if (!(format[i - 1] = output_format(path[i], to, DEFAULT_ROWS)))
            return EXIT_USAGE;
        fx_description d = spec_line(fx_data_write_describe, format[i - 1]);
        if (output_base && !spec_key(&d, "base")) {
            status = say_error("--output-base is for svmlight, but the output is %s",
                               format[i - 1]);
        } else if (cli.json && output_is_stdout(path[i])) {
            status = say_error("convert: --json and the output - both want standard output");
        } else
            status = output_open(&out[i - 1], path[i], output_kind_of(format[i - 1]));
    }
    if (!status)
        status = convert(&in, out, format, path);
    load_free(&in);
    return status;
}

const command cmd_convert = {
    .name = "convert",
    .operands = "IN OUT [OUT2] [options]",
    .summary = "convert rows between formats, links to rows, models to libFM's text",
    .text = "Reads IN and writes OUT. Formats are chosen by extension, or by --format and --to; "
            "IN may be compressed (.gz, .xz, .zst, .bz2). A directory with u.data, u.user and "
            "u.item is read as MovieLens 100K: pairs of a user and a movie, selected by --part "
            "and --seed. Text becomes text in batches, in constant memory; --shuffle, --scale and "
            "the formats npy, npz and precomputed need all rows in memory.\n"
            "\n"
            "With --links and --nodes, rows are pairs of nodes, linked or not. If IN is a model "
            "(libFM's text, a factorization machine, or a linear model on map rk), OUT is the "
            "same model in another form.",
    .examples = "convert ratings.csv ratings.svm --label rating\n"
                "convert people.csv people.svm --label income --cat city,job\n"
                "convert reviews.txt reviews.svm --format text --ngram 2\n"
                "convert ml-100k train.svm --part train\n"
                "convert x.svm.gz x.npz\n"
                "convert x.svm train.svm test.svm --shuffle --split 0.8\n"
                "convert --links l.txt --nodes people.svm pairs.svm --part train\n"
                "convert m.fx m.libfm --to libfm\n"
                "convert m.libfm m.fx --task classify\n"
                "convert linear.fx fm.fx --to fm",
    .groups = {&group, &link_rows_options, &reading_options, &common_options},
    .min_operands = 0, .max_operands = 3,
    .run = run,
};
