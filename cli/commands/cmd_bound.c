/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_bound.c - featcross bound: how many features a wanted error takes.
 *
 * Four answers, each sharper than the one before, but valid for fewer cases.  The theorems hold for
 * all rows of a given norm.  The prediction is Chebyshev's inequality: a pair drawn from the data
 * errs by eps or more with probability at most V/eps^2, V the mean over pairs of the exact variance
 * over seeds, which falls as 1/D; with the largest V instead of the mean it holds for each sampled
 * pair.  The measurement is a search: it measures the errors of a few maps, computes by 1/sqrt(D)
 * how many features would bring the share 1 - delta of the pairs within eps, and draws maps of that
 * size to verify it. */

#include "commands.h"
#include "kernels/kernels.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    START = 4096,                       /* features, at most, of the first map */
    MAX_FEATURES = 1 << 18,             /* of any map that is made */
    MIN_FEATURES = 4,                   /* and multiples of it, which every map can have */
    TRIES = 6,
    WIDTH = 1024                        /* columns, if the number is not given */
};

static const char *kernel_spec, *map_spec, *features, *scale_spec, *plot_path;
static double eps, delta, radius;
static bool uniform, curves;
static uint64_t pairs, columns, seeds;

static const opt options[] = {
    {"kernel", 'k', "SPEC", OPT_TEXT, &kernel_spec, DEFAULT_KERNEL, "kernel, see below", 0, 0},
    {"map", 'm', "SPEC", OPT_TEXT, &map_spec, NULL,
     "random feature map, see below (default: the first that supports the kernel: rk or rm with "
     "projection=packed, or rff with projection=dense; these have theorems)", 0, 0},
    {"eps", 0, "E", OPT_POSITIVE, &eps, NULL,
     "largest error allowed, in units of the kernel", 0, 0},
    {"delta", 0, "P", OPT_SHARE, &delta, "0.05", "largest probability of an error above eps", 0, 0},
    {"radius", 0, "R", OPT_POSITIVE, &radius, NULL,
     "apply the theorems to rows of L1 norm (ts, jl: L2 norm) at most R (default: the largest "
     "norm in the data; 1 without data)", 0, 0},
    {"columns", 0, "N", OPT_COUNT, &columns, NULL,
     "without data: number of columns, for theorems that depend on it", 1, INT32_MAX},
    {"uniform", 0, NULL, OPT_FLAG, &uniform, NULL,
     "bound the largest error over all pairs of rows, not the error of one pair", 0, 0},
    {"features", 'D', "N|Nx", OPT_TEXT, &features, NULL,
     "measure a map with this number of features, or this multiple of the number of columns, "
     "instead of searching", 0, 0},
    {"scale", 0, KERNEL_SCALES, OPT_CHOICE, &scale_spec, "none",
     "scaling of the rows; maxabs and std scale columns, unit-l1 and unit-l2 rows; auto: maxabs "
     "if a value is above 1 or below -1, otherwise none", 0, 0},
    {"pairs", 0, "N", OPT_COUNT, &pairs, "4000", "number of pairs of rows to sample", 1, 100000000},
    {"seeds", 0, "N", OPT_COUNT, &seeds, "10",
     "number of maps to measure for each D, with seeds from --seed on", 1, 1000},
    {"curve", 0, NULL, OPT_FLAG, &curves, NULL,
     "instead, measure the error of every map that supports the kernel (or of those in --map, "
     "separated by spaces), for D from 1 to 64 times the number of columns", 0, 0},
    {"plot", 0, "FILE", OPT_TEXT, &plot_path, NULL,
     "with --curve: draw it with gnuplot: .png or .svg; its script and data are written next to "
     "FILE", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct work {
    loaded X;
    kernel_choice k;
    pair_sample s;
    const char *maps[4];                /* ends with NULL */
    fx_map *map;                        /* the last one made */
    double R;
    fx_bound theorem[FX_BOUND_MAX];
    size_t theorems;
    char reason[512];                   /* why there is none */
    double predicted, every;            /* features; NaN if not known */
    map_errors error;                   /* of the last maps */
    double found;                       /* features that are enough */
    bool verified;
} work;

/* A map that is only used to look up theorems. */
static int make_map(work *w, size_t cols)
{
    size_t D = 0;
    int status = features ? kernel_features(&D, features, cols) : 0;

    if (status)
        return status;
    fx_map_free(w->map);
    w->map = NULL;
    fx_status s = kernel_map(&w->map, w->maps, w->k.kernel, cols, kernel_few(w->maps, D), cli.seed,
                             w->s.data ? &w->s.rows : NULL);
    return s ? say_failure(s) : 0;
}

/* ---- Theorems ----------------------------------------------------------------------------- */
/* The norm that the map's theorems use, of the longest row. */
static double largest_norm(const fx_matrix *X, bool l2)
{
    double largest = 0;

    for (size_t i = 0; i < X->rows; i++) {
        size_t first = X->ptr ? (size_t)X->ptr[i] : i * X->stride;
        size_t n = X->ptr ? (size_t)(X->ptr[i + 1] - X->ptr[i]) : X->cols;
        double norm = 0;
        for (size_t q = first; q < first + n; q++) {
            double x = X->type == FX_F64 ? ((const double *)X->val)[q]
                                         : (double)((const float *)X->val)[q];
            norm += l2 ? x * x : fabs(x);
        }
        largest = fmax(largest, l2 ? sqrt(norm) : norm);
    }
    return largest;
}

static int ask(fx_bound out[FX_BOUND_MAX], size_t *n, work *w)
{
    fx_status s = fx_map_bound(out, FX_BOUND_MAX, n, w->map, w->R, eps, delta, uniform);

    if (!s)
        return 0;
    *n = 0;
    snprintf(w->reason, sizeof w->reason, "%s", fx_error_detail());
    return s == FX_EUNSUPPORTED ? 0 : say_failure(s);
}

static fx_description about_map(const work *w)
{
    return spec_line(fx_map_describe, fx_map_spec(w->map));
}

/* If the number of columns is not known, only results that do not depend on it are printed. */
static int find_theorems(work *w)
{
    fx_bound other[FX_BOUND_MAX];
    size_t cols = w->X.data ? w->X.table.cols : columns ? columns : WIDTH, n = 0, usable = 0;
    int status = make_map(w, cols);

    if (status)
        return status;
    w->R = radius > 0 ? radius : 1;
    if (!(radius > 0) && w->X.data)
        w->R = largest_norm(w->X.table.block, about_map(w).norm == 2);
    if (!(w->R > 0)) {
        snprintf(w->reason, sizeof w->reason, "no theorem: all rows are 0");
        return 0;
    }
    if ((status = ask(w->theorem, &w->theorems, w)) || w->X.data || columns)
        return status;
    if ((status = make_map(w, 2 * cols)) || (status = ask(other, &n, w)))
        return status;
    for (size_t i = 0; i < w->theorems && i < n; i++)
        if (w->theorem[i].features == other[i].features)
            w->theorem[usable++] = w->theorem[i];
    if (w->theorems && !usable)
        snprintf(w->reason, sizeof w->reason, "no theorem without columns: give data or --columns");
    w->theorems = usable;
    return 0;
}

static double whole(double D) { return fmax(1, ceil(D)); }

/* ---- The data ----------------------------------------------------------------------------- */
static int predict(work *w)
{
    size_t n = w->s.pairs;
    double *V = malloc((n ? n : 1) * sizeof *V), mean = 0, largest = 0;
    size_t exact = w->error.columns - w->error.requested; /* which do not vary */
    double scale = (double)(fx_map_features(w->map) - exact) / (eps * eps * delta);

    if (!V)
        return say_no_memory("the variances");
    progress_begin("predict", "pairs", (double)n);
    fx_status s = fx_map_variance(V, w->map, w->s.used, w->s.pair, n, &cli.run);
    progress_end();
    for (size_t q = 0; !s && q < n; q++) {
        mean += V[q] / (double)n;
        largest = fmax(largest, V[q]);
    }
    free(V);
    if (!s) {
        w->predicted = whole(mean * scale);
        w->every = whole(largest * scale);
    }
    return s && s != FX_EUNSUPPORTED ? say_failure(s) : 0;
}

static int measure_at(work *w, size_t D)
{
    int status = map_error_maps(&w->error, &w->map, &w->s, w->maps, w->k.kernel, D,
                                uniform ? 1 : 1 - delta, eps);
    if (!status && about_map(w).exact)
        w->error.requested = w->error.columns;
    w->found = (double)w->error.requested;
    return status;
}

/* Every new map has a slightly different error, so D counts as verified when maps with that many
 * features were within eps.  A smaller D is tried only if it should be much smaller. */
static int search(work *w)
{
    size_t D = 16 * w->X.table.cols < START ? 16 * w->X.table.cols : START;
    map_errors best = {0};
    int status;

    if (features) {
        if ((status = kernel_features(&D, features, w->X.table.cols)))
            return status;
        w->verified = true;
        return measure_at(w, D);
    }
    for (int t = 0; t < TRIES; t++) {
        if ((status = measure_at(w, D)))
            return status;
        double times = w->error.within / eps;
        double more = t > 0 && times > 1 ? 1.02 : 1;    /* missed: a little more than on average */
        double next = ceil((double)D * times * times * more);
        if (times <= 1 && t > 0) {
            best = w->error;
            w->verified = true;
        }
        if (w->verified && (times > 0.9 || D <= MIN_FEATURES))
            break;
        w->found = next;
        if (next > MAX_FEATURES)
            break;
        D = next > MIN_FEATURES ? ((size_t)next + MIN_FEATURES - 1) / MIN_FEATURES * MIN_FEATURES
                                : MIN_FEATURES;
    }
    if (w->verified) {
        w->error = best;
        w->found = (double)best.requested;
    }
    return 0;
}

static int look_at_data(work *w)
{
    if (w->s.pairs == 0) {
        say_warning("%s: one row makes no pair: nothing to measure", w->X.name);
        return 0;
    }
    int status = search(w);
    return status || uniform ? status : predict(w);
}

/* ---- The answer --------------------------------------------------------------------------- */
static const char *number(char buf[32], double D)
{
    snprintf(buf, 32, D < 1e12 ? "%.0f" : "%.3g", D);
    return buf;
}

static void print_theorem(const char *what, const fx_bound *b)
{
    char D[32];

    safe_print(stdout, "%-10s %-12s %s: P <= %s\n", what, number(D, whole(b->features)), b->kind,
               b->formula);
}

static int print(const work *w)
{
    char D[32], every[32];
    const map_errors *e = &w->error;

    safe_print(stdout, "kernel     %s\nmap        %s\n", fx_kernel_spec(w->k.kernel),
               fx_map_spec(w->map));
    safe_print(stdout, "wanted     P(|error| >= %g on %s) <= %g; radius %g\n\n", eps,
               uniform ? "any pair of rows" : "a pair of rows", delta, w->R);
    puts("by         features D");
    if (w->theorems)
        print_theorem("theorem", &w->theorem[0]);
    else
        puts("theorem    none");
    if (w->theorems > 1)
        print_theorem("sharper", &w->theorem[w->theorems - 1]);
    if (!isnan(w->predicted))
        safe_print(stdout,
                   "predicted  %-12s exact variance and Chebyshev's inequality, a pair of the data "
                   "(each of %zu pairs: %s)\n",
                   number(D, w->predicted), w->s.pairs, number(every, w->every));
    if (w->s.pairs) {
        safe_print(stdout, "measured   %-12s ", number(D, w->found));
        if (w->verified)
            safe_print(stdout, "%.4g %% of %zu pairs within eps, %llu seeds; mae %.3g, rmse %.3g",
                       100 * e->share, w->s.pairs, (unsigned long long)seeds, e->mae, e->rmse);
        else
            safe_print(stdout, "not tried, scaled from %zu features: mae %.3g, rmse %.3g",
                       e->requested, e->mae, e->rmse);
        safe_print(stdout, isnan(e->ci95) ? ", largest %.3g\n" : ", largest %.3g (rmse +- %.2g)\n",
                   e->max, e->ci95);
    }
    if (!w->theorems) {
        say_note("%s", w->reason);
        if (strstr(w->reason, "structured"))
            say_note("HINT: projection=packed has independent rows (rff: projection=dense)");
    }
    return say_flush();
}

static json_t *json_features(double D)
{
    return D < 0x1p53 ? json_integer((json_int_t)D) : isfinite(D) ? json_real(D) : json_null();
}

static json_t *json_theorem(const work *w, size_t i)
{
    if (i >= w->theorems)
        return json_null();
    return json_pack("{s:s, s:o, s:s}", "kind", w->theorem[i].kind, "D",
                     json_features(whole(w->theorem[i].features)), "formula",
                     w->theorem[i].formula);
}

static int print_json(const work *w)
{
    const map_errors *e = &w->error;
    json_t *j = json_pack("{s:o, s:o, s:f, s:f, s:f, s:b}", "kernel",
                          say_text(fx_kernel_spec(w->k.kernel)), "map",
                          say_text(fx_map_spec(w->map)), "eps", eps, "delta", delta, "radius", w->R,
                          "uniform", uniform);

    j = say_set(j, "theorem", json_theorem(w, 0));
    j = say_set(j, "sharper", json_theorem(w, w->theorems > 1 ? w->theorems - 1 : w->theorems));
    j = say_set(j, "reason", w->theorems ? json_null() : say_text(w->reason));
    j = say_set(j, "predicted",
                isnan(w->predicted) ? json_null()
                                    : json_pack("{s:o, s:o}", "D", json_features(w->predicted),
                                                "every", json_features(w->every)));
    if (!w->s.pairs)
        return say_json(say_set(j, "measured", json_null()));
    return say_json(say_set(
        j, "measured",
        json_pack("{s:o, s:b, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:o}", "D",
                  json_features(w->found), "verified", w->verified, "measured_at",
                  (json_int_t)e->requested, "pairs", (json_int_t)w->s.pairs, "seeds",
                  (json_int_t)seeds, "within_eps", e->share, "mae", e->mae, "rmse", e->rmse, "max",
                  e->max, "ci95", isnan(e->ci95) ? json_null() : json_real(e->ci95))));
}

static int read_data(work *w, const char *path)
{
    int status = rows_ready(&w->X, path, scale_spec);

    if (!status)
        status = kernel_finish(&w->k, &w->X.table);
    return status ? status : map_error_sample(&w->s, &w->X, &w->k, pairs, seeds);
}

static int reject(const char *why, const char *hint)
{
    say_error("bound: %s", why);
    say_hint("%s", hint);
    return EXIT_USAGE;
}

static int bound(work *w, const char *path)
{
    size_t D;
    plot p;
    int status = kernel_prepare(&w->k, kernel_spec);

    if (status || (!curves && (status = kernel_map_check(w->maps, &w->k)))
        || (curves && map_spec && (status = map_curve_check(map_spec, &w->k)))
        || (features && (status = kernel_features(&D, features, 1)))
        || (plot_path && (status = plot_open(&p, plot_path)))
        || (status = path ? read_data(w, path) : kernel_finish(&w->k, NULL)))
        return status;
    if (curves)
        return map_curve_run(&w->X, &w->k, &w->s, map_spec, plot_path, &p);
    if ((status = find_theorems(w)) || (path && (status = look_at_data(w))))
        return status;
    return cli.json ? print_json(w) : print(w);
}

static int run(int n, char **path)
{
    work w = {.predicted = NAN, .maps = {BOUND_MAPS, NULL}};
    int status;

    if (map_spec)
        w.maps[0] = map_spec, w.maps[1] = NULL;
    if (curves && n == 0)
        status = reject("--curve needs data", "featcross make dense-positive -o x.npy makes some");
    else if (!curves && plot_path)
        status = reject("--plot draws what --curve measures", "add --curve");
    else if (!curves && !(eps > 0))
        status = reject("--eps is missing", "for example --eps 0.1 --delta 0.05");
    else if (spec_get(map_spec, "counts").p && (curves || !features))
        status = reject("counts= in --map fit one number of features",
                        "leave them out, or measure data with -D their sum");
    else if (n == 0 && features)
        status = reject("-D is for data, on which to measure", "without data leave it out");
    else
        status = bound(&w, n ? path[0] : NULL);
    fx_map_free(w.map);
    map_error_free(&w.s);
    kernel_free(&w.k);
    load_free(&w.X);
    return status;
}

const command cmd_bound = {
    .name = "bound",
    .operands = "[DATA] [--kernel SPEC] --eps E [--delta P] [options]",
    .summary = "find how many random features an error bound needs",
    .text = "Prints how many random features are needed so that an error above eps has a "
            "probability of at most delta: by the most general theorem that applies, by the "
            "sharpest one, predicted from the exact variance on pairs of rows, and measured on "
            "these pairs.\n"
            "theorem, sharper: for any two rows within the radius. Maps with structured "
            "projections have no theorem; bound prints the reason.\n"
            "predicted: Chebyshev's inequality with the mean variance over the pairs, which holds "
            "for a random pair of the data; in brackets, with the largest variance, which holds "
            "for every pair.\n"
            "measured: a share of 1 - delta of the pairs is within eps (with --uniform, all "
            "pairs). The errors of a few maps are extrapolated by 1/sqrt(D), and maps of the "
            "resulting size are measured, unless they have more than 2^18 features.",
    .examples = "bound --kernel anova:order=2 --eps 0.1 --delta 0.05\n"
                "bound x.svm --scale unit-l2 --eps 0.01 --json\n"
                "bound x.svm --kernel anova:order=3 --curve --plot error.svg",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 0, .max_operands = 1, .kernels = true, .maps = true,
    .run = run,
};
