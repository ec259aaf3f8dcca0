/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_make.c - featcross make: synthetic sets whose combinations are known. */

#include "commands.h"
#include "files/files.h"
#include "tables/tables.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

static const char *output_path, *to, *planted_path;
static const char *n_rows, *d, *nz, *k, *noise, *effect, *fields, *levels;

static const opt options[] = {      /* the first eight are keys of the set's spec */
    {"rows", 'n', "N", OPT_TEXT, &n_rows, NULL, "number of rows (default 2000)", 0, 0},
    {"features", 'd', "N", OPT_TEXT, &d, NULL,
     "number of features (default: pairs, triples 100; parity 20; dense-positive 64)", 0, 0},
    {"nz", 0, "N", OPT_TEXT, &nz, NULL, "pairs, triples: non-zeros per row (default 20)", 0, 0},
    {"planted-sets", 'k', "N", OPT_TEXT, &k, NULL,
     "pairs, triples: number of planted sets (default 10); parity: number of features that decide "
     "the label (default 3)", 0, 0},
    {"noise", 0, "SHARE", OPT_TEXT, &noise, NULL,
     "share of labels to flip (default 0.05; parity, and with --effect, 0)", 0, 0},
    {"effect", 0, "X", OPT_TEXT, &effect, NULL,
     "pairs, triples: rows are drawn at random, and each planted set that a row holds adds X to "
     "the log-odds of its label (default 0: the sets decide the label)", 0, 0},
    {"fields", 0, "N", OPT_TEXT, &fields, NULL, "fields: number of fields (default 4)", 0, 0},
    {"levels", 0, "N", OPT_TEXT, &levels, NULL, "fields: levels per field (default 25)", 0, 0},
    {"output", 'o', "FILE", OPT_TEXT, &output_path, "-",
     "write the rows to FILE; - is standard output", 0, 0},
    {"to", 0, OUTPUT_FORMATS, OPT_CHOICE, &to, NULL,
     "format of the output (default: by its extension; without one, svmlight)", 0, 0},
    {"planted", 0, "FILE", OPT_TEXT, &planted_path, NULL,
     "write the planted sets to FILE, one per line, features counted from 1", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

/* KIND:n=..,d=.. of the options that are given; the library knows the defaults and the limits. */
static int build_spec(char *spec, size_t capacity, const char *kind)
{
    const struct { const char *key, *value; } keys[] = {
        {"n", n_rows}, {"d", d}, {"nz", nz}, {"k", k}, {"noise", noise}, {"effect", effect},
        {"fields", fields}, {"levels", levels}};
    bool fits = (size_t)snprintf(spec, capacity, "%s", kind) < capacity;

    for (size_t i = 0; i < sizeof keys / sizeof *keys && fits; i++)
        if (keys[i].value)
            fits = spec_set(spec, capacity, keys[i].key, keys[i].value);
    if (fits)
        return 0;
    return say_error("make: the arguments are too long");
}

/* For the bar: the value of key n, or its default. */
static double rows_of(const char *spec)
{
    const char *n = spec_get(spec, "n").p;
    fx_description about = FX_INIT(fx_description);

    if (n || !spec_about(&about, fx_data_make_describe, spec))
        return n ? strtod(n, NULL) : 0;
    return strtod(spec_key(&about, "n")->fallback, NULL);
}

static json_t *planted_list(const char *planted)
{
    json_t *list = json_array();

    for (const char *p = planted; *p;) {
        size_t n = strcspn(p, "\n");
        list = say_append(list, json_stringn(p, n));
        p += n + (p[n] == '\n');
    }
    return list;
}

static int make(output *o, output *sets, const char *spec, const char *format)
{
    fx_data *data = NULL;
    double start = say_clock();

    progress_begin("make", "rows", rows_of(spec));
    fx_status s = fx_data_make(&data, spec, cli.seed, &cli.run);
    progress_end();
    if (s)
        return say_failure(s);
    fx_table t = fx_data_table(data);
    const char *planted = fx_data_planted(data);
    int status;
    if (!(status = output_table(o, format, &t)) && !(status = output_close(o)) && sets
        && !(status = output_text(sets, planted)))
        status = output_close(sets);
    if (!status) {
        if (!output_is_stdout(output_path))
            say_note("%s: %s, %zu rows x %zu columns, %.0f non-zeros", output_path, spec, t.rows,
                     t.cols, rows_stored(&t, 1));
        if (cli.verbose && *planted) {
            say_note("planted:");
            say_lines(planted);
        }
        if (cli.json)
            status = say_json(json_pack(
                "{s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:f}", "set", say_text(spec), "seed",
                (json_int_t)cli.seed, "rows", (json_int_t)t.rows, "columns", (json_int_t)t.cols,
                "nonzeros", (json_int_t)rows_stored(&t, 1), "output", say_text(output_path),
                "planted", planted_list(planted), "seconds", say_clock() - start));
    }
    fx_data_free(data);
    return status;
}

static int run(int n, char **operand)
{
    char spec[512];
    const char *format = output_format(output_path, to, DEFAULT_ROWS);
    output *o = NULL, *sets = NULL;

    (void)n;
    if (!format)
        return EXIT_USAGE;
    if (build_spec(spec, sizeof spec, operand[0]))
        return EXIT_USAGE;
    if (cli.json && output_is_stdout(output_path))
        return say_error("make: --json needs -o FILE, since both want standard output");
    int status = output_open(&o, output_path, output_kind_of(format));
    if (!status && planted_path)
        status = output_open(&sets, planted_path, OUTPUT_TEXT);
    return status ? status : make(o, sets, spec, format);
}

const command cmd_make = {
    .name = "make",
    .operands = "KIND [-n ROWS] [-d FEATURES] [-o FILE] [options]",
    .summary = "make synthetic data with planted combinations",
    .text = "KIND is pairs or triples (sparse rows; planted pairs or triples of features decide "
            "the label), parity (dense rows of +-1; the label is a product of k features), fields "
            "(one-hot fields; pairs of levels decide the label) or dense-positive (dense rows of "
            "norm 1). The same seed gives the same bytes on every machine.",
    .examples = "make triples -n 20000 -d 200 -o t.svm\n"
                "make parity -n 500 -d 30 -k 3 -o p.csv --planted p.txt",
    .groups = {&group, &common_options},
    .min_operands = 1, .max_operands = 1,
    .run = run,
};
