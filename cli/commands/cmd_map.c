/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_map.c - featcross map: rows to random features.
 *
 * Rows are mapped and written in batches, so that memory does not grow with rows times features.
 * This works because npy is a header followed by the numbers in order, and text is one line per
 * row. */

#include "commands.h"
#include "kernels/kernels.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 32 << 20, MIN_ROWS = 16 }; /* bytes; rows, since maps take as many at a time */

static const char *kernel_spec, *map_spec, *features, *output_path, *to, *type_name, *scale_spec;
static bool measure;
static uint64_t pairs;

static const opt options[] = {
    {"kernel", 'k', "SPEC", OPT_TEXT, &kernel_spec, DEFAULT_KERNEL,
     "kernel to approximate, see below", 0, 0},
    {"map", 'm', "SPEC", OPT_TEXT, &map_spec, NULL,
     "random feature map, see below (default: the first of rk, rm and rff that supports the "
     "kernel)", 0, 0},
    {"features", 'D', "N|Nx", OPT_TEXT, &features, "16x",
     "number of random features, or a multiple of the number of columns", 0, 0},
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL,
     "write the features to FILE; the extension selects the format: .npy .svm .csv .tsv (default: "
     "csv on standard output; with --error or --json, no output)", 0, 0},
    {"to", 0, "npy|svmlight|csv|tsv", OPT_CHOICE, &to, NULL,
     "format of the output, whatever the extension", 0, 0},
    {"type", 0, "float|double", OPT_CHOICE, &type_name, "float",
     "npy: type of the stored numbers; they are computed as floats", 0, 0},
    {"scale", 0, KERNEL_SCALES, OPT_CHOICE, &scale_spec, "none",
     "scaling of the rows before mapping; maxabs and std scale columns, unit-l1 and unit-l2 rows; "
     "auto: maxabs if a value is above 1 or below -1, otherwise none", 0, 0},
    {"error", 0, NULL, OPT_FLAG, &measure, NULL,
     "print the error of inner products of features against the kernel on pairs of rows, measured "
     "and predicted from the exact variance", 0, 0},
    {"pairs", 0, "N", OPT_COUNT, &pairs, "10000",
     "number of pairs that --error samples", 1, 100000000},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct work {
    loaded X;
    kernel_choice k;
    fx_description format;              /* of the output */
    fx_map *map;
    void *Z;                            /* one batch */
    fx_deviation error;
    double seconds_map, seconds_write, seconds_error;
} work;

static int say_row(fx_status s, size_t first)
{
    int status = say_failure_from(s, first);

    if (s == FX_ENUMERIC)
        say_hint("for example --scale unit-l2");
    return status;
}

static int write_chunk(work *w, output *o, fx_type type, size_t first, size_t n, size_t D)
{
    const fx_table *x = &w->X.table;
    fx_matrix z = {.rows = n, .cols = D, .stride = D, .type = type, .val = w->Z};
    fx_table t = {.rows = n, .cols = D, .blocks = 1, .block = &z, .base = 1,
                  .label = x->label ? x->label + first : NULL, .classes = x->classes,
                  .class_name = x->class_name, .qid = x->qid ? x->qid + first : NULL};
    size_t size = type == FX_F64 ? sizeof(double) : sizeof(float);
    char spec[32];

    if (w->format.binary)
        return output_bytes(o, w->Z, n * D * size);
    snprintf(spec, sizeof spec, first && spec_key(&w->format, "header") ? "%s:header=no" : "%s",
             w->format.name);
    return output_part(o, spec, &t);
}

static fx_type type_of(void) { return strcmp(type_name, "double") ? FX_F32 : FX_F64; }
static size_t bytes_of_row(size_t D)
{
    return D * (type_of() == FX_F64 ? sizeof(double) : sizeof(float));
}

/* *step: rows per batch, if there is memory for it. */
static int chunk_rows(size_t *step, const work *w, size_t D)
{
    size_t row = bytes_of_row(D), rows = w->X.table.rows;

    *step = row && CHUNK / row > MIN_ROWS ? CHUNK / row / MIN_ROWS * MIN_ROWS : MIN_ROWS;
    *step = *step < rows ? *step : rows;
    return say_limit((double)row * (double)*step, "%zu x %zu features need", *step, D);
}

/* Without an output the features are computed anyway, to check that it works and to measure the
 * speed. */
static int map_rows(work *w, output *o)
{
    const fx_matrix *X = w->X.table.block;
    size_t D = fx_map_features(w->map), row = bytes_of_row(D), step;
    fx_type type = type_of();
    int status;
    char need[32];

    say_note("map: %s of %s, %zu x %zu, %s", fx_map_spec(w->map), fx_kernel_spec(w->k.kernel),
             X->rows, D, say_bytes(need, (double)row * (double)X->rows));
    if ((status = chunk_rows(&step, w, D))
        || (o && (status = output_size_check(o, w->format.name, type, X->rows, D))))
        return status;
    if (!(w->Z = malloc(row && step ? row * step : 1)))
        return say_no_memory("features");
    if (o && w->format.binary)
        status = output_npy(o, type, X->rows, D);
    progress_begin("map", "rows", (double)X->rows);
    for (size_t i = 0; i < X->rows && !status; i += step) {
        size_t n = X->rows - i < step ? X->rows - i : step;
        double at = (double)i, all = (double)n, start = say_clock();
        fx_matrix part = rows_part(X, i, n);
        progress_part(at, at + all / 2);
        fx_status s = fx_map_apply(w->Z, D, type, w->map, &part, &cli.run);
        double mapped = say_clock();
        progress_part(at + all / 2, at + all);
        status = s ? say_row(s, i) : o ? write_chunk(w, o, type, i, n, D) : 0;
        w->seconds_map += mapped - start;
        w->seconds_write += say_clock() - mapped;
    }
    progress_end();
    return status || !o ? status : output_close(o);
}

static int measure_error(work *w)
{
    double start = say_clock();

    progress_begin("error", "pairs", (double)pairs);
    w->error.size = sizeof w->error;
    fx_status s = fx_map_deviation(&w->error, w->map, w->X.table.block, pairs, cli.seed, &cli.run);
    progress_end();
    w->seconds_error = say_clock() - start;
    return s ? say_failure(s) : 0;
}

static void print_error(const work *w)
{
    const fx_deviation *e = &w->error;

    safe_print(stdout,
               "map        %s\nkernel     %s\nfeatures   %zu\npairs      %zu\nmae        %.4g\n"
               "rmse       %.4g +- %.2g",
               fx_map_spec(w->map), fx_kernel_spec(w->k.kernel), fx_map_features(w->map), e->pairs,
               e->mae, e->rmse, e->ci95);
    if (e->kernel_rms > 0)
        safe_print(stdout, ", %.3g %% of the kernel's %.4g", 100 * e->rmse / e->kernel_rms,
                   e->kernel_rms);
    safe_print(stdout, "\nlargest    %.4g\nmean       %.4g\npredicted  ", e->max, e->bias);
    safe_print(stdout, isnan(e->predicted) ? "not known for this map\n" : "rmse %.4g\n",
               e->predicted);
}

static int report(const work *w, const char *written)
{
    const fx_deviation *e = &w->error;
    int status = 0;

    if (measure && !cli.json) {
        print_error(w);
        status = say_flush();
    }
    if (cli.verbose)
        say_note("seconds: read %.3f, map %.3f, write %.3f, error %.3f", w->X.seconds,
                 w->seconds_map, w->seconds_write, w->seconds_error);
    if (status || !cli.json)
        return status;
    json_t *j = json_pack(
        "{s:I, s:I, s:o, s:o, s:{s:f, s:f, s:f, s:f}, s:I, s:o}", "rows",
        (json_int_t)w->X.table.rows, "columns", (json_int_t)fx_map_features(w->map), "map",
        say_text(fx_map_spec(w->map)), "kernel", say_text(fx_kernel_spec(w->k.kernel)), "seconds",
        "read", w->X.seconds, "map", w->seconds_map, "write", w->seconds_write, "error",
        w->seconds_error, "seed", (json_int_t)cli.seed, "output", say_text(written));
    if (measure)
        j = say_set(j, "error",
                    json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "pairs",
                              (json_int_t)e->pairs, "mae", e->mae, "rmse", e->rmse, "max", e->max,
                              "ci95", e->ci95, "mean", e->bias, "scale", e->kernel_rms, "predicted",
                              isnan(e->predicted) ? json_null() : json_real(e->predicted)));
    return say_json(j);
}

static int choose_format(fx_description *d, const char *path)
{
    const char *format = output_format(path, to, DEFAULT_MATRIX);

    if (!format)
        return EXIT_USAGE;
    *d = spec_line(fx_data_write_describe, format);
    if (!d->members && !d->precomputed)
        return 0;
    return say_error("%s: features are written as npy, svmlight, csv or tsv, not %s", path,
                     d->name);
}

static int map(work *w, const char *path)
{
    output *o = NULL;
    const char *const only[] = {map_spec, NULL}, *const *maps = map_spec ? only : kernel_maps;
    const char *target = output_path ? output_path : measure || cli.json ? NULL : "-";
    size_t D, step;
    int status = choose_format(&w->format, target);

    if (status)
        return status;
    if (target && (cli.json || measure) && output_is_stdout(target))
        return say_error("map: --%s and -o - both want standard output",
                         cli.json ? "json" : "error");
    if ((status = kernel_features(&D, features, 1)) || (status = kernel_prepare(&w->k, kernel_spec))
        || (status = kernel_map_check(maps, &w->k))
        || (target && (status = output_open(&o, target, output_kind_of(w->format.name))))
        || (status = rows_ready(&w->X, path, scale_spec))
        || (status = kernel_finish(&w->k, &w->X.table))
        || (status = kernel_features(&D, features, w->X.table.cols)))
        return status;
    if ((o || !measure) && (status = chunk_rows(&step, w, D))) /* before a huge map is drawn */
        return status;
    fx_status s = kernel_map(&w->map, maps, w->k.kernel, w->X.table.cols, D, cli.seed,
                             w->X.table.block);
    if (s)
        return say_failure(s);
    if ((o || !measure) && (status = map_rows(w, o)))
        return status;
    if (measure && (status = measure_error(w)))
        return status;
    return report(w, target);
}

static int run(int n, char **path)
{
    work w = {0};
    int status = map(&w, path[0]);

    (void)n;
    fx_map_free(w.map);
    kernel_free(&w.k);
    load_free(&w.X);
    free(w.Z);
    return status;
}

const command cmd_map = {
    .name = "map",
    .operands = "X [--kernel SPEC] [--map SPEC] [-D N|Nx] -o FILE [options]",
    .summary = "compute random features that approximate a kernel",
    .text = "Writes features Z(x) for every row x of X. On average over seeds, <Z(x), Z(y)> "
            "equals K(x, y), so a linear model on Z approximates a kernel machine. svmlight, csv "
            "and tsv output includes the labels. Rows are mapped and written in batches, so "
            "memory does not grow with the output. If a key of the map is auto or allocated, it "
            "is chosen from X; map prints the choice, and --json contains the complete spec.",
    .examples = "map x.svm --kernel all-subsets --map rk -D 1024 -o z.npy\n"
                "map x.svm --kernel poly:degree=3 --map ts -D 16x -o z.svm\n"
                "map x.npy --kernel rbf:gamma=0.5 -D 4096 --error\n"
                "map - --kernel anova:order=3 -D 512 --to npy < x.svm > z.npy",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 1, .kernels = true, .maps = true,
    .run = run,
};
