/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_gram.c - featcross gram: exact kernel values of all pairs of rows.
 *
 * The matrix is stored in memory, 8 bytes per pair.  Its size is printed and checked before it is
 * allocated.
 *
 * --check computes the smallest eigenvalue of the Gram matrix of sampled rows.  An ANOVA value
 * of order m is wrong by at most about (w + 2m) u max|K| (doc/math.md; w: entries of the widest
 * row, u = eps/2; the largest |K| is on the diagonal), and an eigenvalue of n rows by n times
 * that.  With m = 16 this bound has the right size for every kernel here.  Only an eigenvalue below
 * minus the bound is reported as negative. */

#include "commands.h"
#include "featcross_extra.h"
#include "kernels/kernels.h"
#include "terminal/terminal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *kernel_spec, *output_path, *to, *scale_spec, *plot_path;
static bool check;
static uint64_t check_rows;

static const opt options[] = {
    {"kernel", 'k', "SPEC", OPT_TEXT, &kernel_spec, NULL, "kernel, see below", 0, 0},
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL,
     "write the matrix to FILE; the extension selects the format: .npy .csv .tsv, .txt for "
     "precomputed (default: csv on standard output; with --check, --json or --plot, no output)",
     0, 0},
    {"to", 0, "npy|csv|tsv|precomputed", OPT_CHOICE, &to, NULL,
     "format of the output, whatever the extension; precomputed is LIBSVM's text for svm-train -t "
     "4", 0, 0},
    {"output-format", 0, "npy|csv|tsv|precomputed", OPT_CHOICE, &to, NULL, "same as --to", 0, 0},
    {"scale", 0, KERNEL_SCALES, OPT_CHOICE, &scale_spec, "none",
     "scaling of the rows; maxabs and std scale columns, with factors learnt from X; unit-l1 and "
     "unit-l2 scale rows; auto: maxabs if a value is above 1 or below -1, otherwise none", 0, 0},
    {"check", 0, NULL, OPT_FLAG, &check, NULL,
     "print the smallest eigenvalue of the Gram matrix of sampled rows of X; exit status 1 if it "
     "is clearly negative", 0, 0},
    {"check-rows", 0, "N", OPT_COUNT, &check_rows, "500",
     "number of rows that --check samples", 1, 20000},
    {"plot", 0, "FILE", OPT_TEXT, &plot_path, NULL,
     "draw a heat map with gnuplot, rows sorted by label: .png or .svg; its script and data are "
     "written next to FILE", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct work {                   /* everything one call makes */
    loaded X, Z;
    bool two;
    kernel_choice k;
    fx_matrix x, z;                     /* one block each, of common width */
    double *K;
    double seconds_gram, seconds_write;
    double smallest, diagonal, tolerance;       /* --check */
    size_t checked;
} work;

static int scale_inputs(work *w)
{
    fx_scale *scale = NULL;
    int status = rows_fit(&scale, scale_spec, &w->X);

    if (!status && !(status = rows_scale(&w->X, scale)) && w->two)
        status = rows_scale(&w->Z, scale);
    fx_data_scale_free(scale);
    return status;
}

static int read_inputs(work *w, int n, char **path)
{
    int status = load(&w->X, path[0], -1);

    if (status)
        return status;
    load_say(&w->X);
    w->two = n > 1;
    if (w->two) {
        if ((status = load(&w->Z, path[1], w->X.numbered ? w->X.table.base : -1)))
            return status;
        load_say(&w->Z);
        if ((status = rows_widen(&w->X, w->Z.table.cols, w->Z.name))
            || (status = rows_widen(&w->Z, w->X.table.cols, w->X.name)))
            return status;
    }
    if ((strcmp(scale_spec, "none") != 0 && (status = scale_inputs(w)))
        || (status = rows_join(&w->X)) || (w->two && (status = rows_join(&w->Z))))
        return status;
    w->x = w->X.table.block[0];
    if (w->two)
        w->z = w->Z.table.block[0];
    return 0;
}

static int allocate(double **K, size_t rows, size_t cols)
{
    if (say_limit(8 * (double)rows * (double)cols, "%zu x %zu kernel values need", rows, cols))
        return EXIT_MEMORY;
    if (!(*K = malloc((rows ? rows : 1) * (cols ? cols : 1) * sizeof **K)))
        return say_no_memory("the Gram matrix");
    return 0;
}

static int compute(work *w, const output *o, const char *format)
{
    size_t rows = w->x.rows, cols = w->two ? w->z.rows : rows;
    char need[32];
    double start = say_clock();
    int status;

    say_note("gram: %s, %zu x %zu, %s", fx_kernel_spec(w->k.kernel), rows, cols,
             say_bytes(need, 8 * (double)rows * (double)cols));
    if ((status = allocate(&w->K, rows, cols))
        || (o && (status = output_size_check(o, format, FX_F64, rows, cols))))
        return status;
    progress_begin("gram", "pairs", (double)rows * (double)cols);
    fx_status s = fx_kernel_gram(w->K, cols, w->k.kernel, &w->x, w->two ? &w->z : NULL, &cli.run);
    progress_end();
    w->seconds_gram = say_clock() - start;
    return s ? say_failure(s) : 0;
}

static int write_matrix(work *w, output *o, const char *format)
{
    size_t rows = w->x.rows, cols = w->two ? w->z.rows : rows;
    fx_matrix block = {.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = w->K};
    fx_table t = {.rows = rows, .cols = cols, .blocks = 1, .block = &block};
    fx_description d = spec_line(fx_data_write_describe, format);
    char spec[64];
    double start = say_clock();

    if (d.precomputed) {                /* the only form that has labels */
        t.label = w->X.table.label;
        t.classes = w->X.table.classes;
        t.class_name = w->X.table.class_name;
    }
    snprintf(spec, sizeof spec, spec_key(&d, "header") ? "%s:header=no" : "%s", format);
    int status = output_table(o, spec, &t);
    status = status ? status : output_close(o);
    w->seconds_write = say_clock() - start;
    return status;
}

/* ---- --check ------------------------------------------------------------------------------ */

static size_t widest(const fx_matrix *X)
{
    size_t widest = X->ptr ? 0 : X->cols;

    for (size_t i = 0; X->ptr && i < X->rows; i++)
        if ((size_t)(X->ptr[i + 1] - X->ptr[i]) > widest)
            widest = (size_t)(X->ptr[i + 1] - X->ptr[i]);
    return widest;
}

static int smallest_eigenvalue(work *w, const fx_matrix *X)
{
    size_t n = X->rows;
    double *K = NULL, largest = 0, mean = 0;
    int status = allocate(&K, n, n);

    if (status)
        return status;
    progress_begin("check", "pairs", (double)n * (double)n);
    fx_status s = fx_kernel_gram(K, n, w->k.kernel, X, NULL, &cli.run);
    progress_begin("eigen", "rows", (double)n);
    if (!s)
        s = fx_linalg_eigmin(&w->smallest, K, n, n, &cli.run);
    progress_end();
    if (s)
        status = say_failure(s);
    for (size_t i = 0; !status && i < n * n; i++)
        largest = fmax(largest, fabs(K[i]));
    for (size_t i = 0; !status && i < n; i++)
        mean += K[i * n + i] / (double)n;        /* no sum that overflows */
    free(K);
    w->checked = n;
    w->diagonal = mean;
    w->tolerance = (double)n * (double)(widest(X) + 2 * FX_ORDER_MAX) * DBL_EPSILON / 2 * largest;
    return status;
}

static int run_check(work *w)
{
    fx_data *sample = NULL;
    int status = rows_choose(&sample, &w->X.table, check_rows, cli.seed);

    if (!status)
        status = smallest_eigenvalue(w, fx_data_table(sample).block);
    fx_data_free(sample);
    return status;
}

static bool psd(const work *w) { return w->smallest >= -w->tolerance; }

static int report(const work *w, const char *written)
{
    size_t rows = w->x.rows, cols = w->two ? w->z.rows : rows;
    int status = 0;

    if (check && !cli.json) {
        safe_print(
            stdout,
            "smallest eigenvalue  %.3g\nmean diagonal        %.3g\nrows                 %zu\n"
            "rounding             %.1g\nanswer               %s\n",
            w->smallest, w->diagonal, w->checked, w->tolerance,
            psd(w) ? "positive semidefinite" : "not positive semidefinite");
        status = say_flush();
    }
    if (cli.verbose)
        say_note("seconds: read %.3f, gram %.3f, write %.3f", w->X.seconds + w->Z.seconds,
                 w->seconds_gram, w->seconds_write);
    if (cli.json) {
        json_t *j = json_pack("{s:I, s:I, s:o, s:{s:f, s:f, s:f}, s:o}", "rows", (json_int_t)rows,
                              "columns", (json_int_t)cols, "kernel",
                              say_text(fx_kernel_spec(w->k.kernel)), "seconds", "read",
                              w->X.seconds + w->Z.seconds, "gram", w->seconds_gram, "write",
                              w->seconds_write, "output", say_text(written));
        if (check)
            j = say_set(j, "check",
                        json_pack("{s:f, s:f, s:f, s:I, s:b}", "smallest", w->smallest,
                                  "mean_diagonal", w->diagonal, "tolerance", w->tolerance, "rows",
                                  (json_int_t)w->checked, "psd", psd(w)));
        status = say_json(j);
    }
    return status ? status : check && !psd(w) ? EXIT_NO : 0;
}

static const char *format_of(const char *path)
{
    size_t n = path ? strlen(path) : 0;

    if (!to && n > 4 && !strcmp(path + n - 4, ".txt"))
        return TXT_MATRIX;
    const char *format = output_format(path, to, DEFAULT_MATRIX);
    if (format && !spec_line(fx_data_write_describe, format).dense) {
        say_error("%s: kernel values are written as npy, csv, tsv or precomputed, not %s", path,
                  format);
        return NULL;
    }
    return format;
}

static int gram(work *w, int n, char **path)
{
    output *o = NULL;
    plot p;
    /* Without -o the matrix goes to stdout, unless an option prints something else there. */
    const char *target = output_path ? output_path : check || cli.json || plot_path ? NULL : "-";
    const char *format = format_of(target);
    int status = kernel_prepare(&w->k, kernel_spec);

    if (status)
        return status;
    if (!format)
        return EXIT_USAGE;
    if (n > 1 && !strcmp(path[0], "-") && !strcmp(path[1], "-"))
        return say_error("gram: standard input can be read only once");
    if (target && (cli.json || check) && output_is_stdout(target))
        return say_error("gram: --%s and -o - both want standard output",
                         cli.json ? "json" : "check");
    if ((target && (status = output_open(&o, target, output_kind_of(format))))
        || (plot_path && (status = plot_open(&p, plot_path))) || (status = read_inputs(w, n, path))
        || (status = kernel_finish(&w->k, &w->X.table))
        || ((o || plot_path || !check) && (status = compute(w, o, format)))
        || (o && (status = write_matrix(w, o, format)))
        || (plot_path
            && (status = plot_gram(&p, plot_path, fx_kernel_spec(w->k.kernel), w->K,
                                   w->two ? w->z.rows : w->x.rows, &w->X.table,
                                   w->two ? &w->Z.table : NULL)))
        || (check && (status = run_check(w))))
        return status;
    return report(w, target);
}

static int run(int n, char **path)
{
    work w = {0};
    int status = EXIT_USAGE;

    if (kernel_spec)
        status = gram(&w, n, path);
    else {
        say_error("gram: --kernel is missing");
        say_hint("for example --kernel anova:order=2; featcross gram --help lists the kernels");
    }
    load_free(&w.X);
    load_free(&w.Z);
    kernel_free(&w.k);
    free(w.K);
    return status;
}

const command cmd_gram = {
    .name = "gram",
    .operands = "X [Y] --kernel SPEC [-o FILE] [options]",
    .summary = "compute exact kernel values for all pairs of rows",
    .text = "Writes K(x, y) for every row x of X and every row y of Y; without Y, for all pairs "
            "of rows of X. Y is read with the index base of X. If two sparse files differ in "
            "width, the narrower one is widened with zeros.",
    .examples = "gram x.svm y.svm --kernel anova:order=2 -o k.npy\n"
                "gram x.svm --kernel all-subsets -o k.txt\n"
                "gram x.svm --kernel poly:degree=3 --scale unit-l2 --check\n"
                "gram - --kernel rbf:gamma=0.1 < x.svm > k.csv",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 1, .max_operands = 2, .kernels = true,
    .run = run,
};
