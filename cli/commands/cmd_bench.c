/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_bench.c - featcross bench: times public calls on this machine and compares them with its
 * memory bandwidth.
 *
 * Every figure is the best of several runs, with the threads that --threads allows; memory is
 * read by as many threads.  A share of the bandwidth is printed where the work is mostly moving
 * bytes: reading files, writing features. */

#include "commands.h"
#include "models/models.h"
#include "tables/tables.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static uint64_t repeats;

static const opt options[] = {
    {"repeats", 'r', "N", OPT_COUNT, &repeats, "5", "report the best of N runs", 1, 1000},
    {0},
};
static const opt_group group = {"Options", options};

/* ---- Memory ------------------------------------------------------------------------------- */
enum { READERS = 64 };
static const size_t MEMORY = (size_t)256 << 20; /* bytes: well beyond any cache */

typedef struct part {
    const uint64_t *p;
    size_t n;
    uint64_t sum;
} part;

static void *sum_part(void *ctx)
{
    part *x = ctx;
    uint64_t s[8] = {0};

    for (size_t i = 0; i + 8 <= x->n; i += 8)
        for (size_t k = 0; k < 8; k++)
            s[k] += x->p[i + k];
    for (size_t k = 0; k < 8; k++)
        x->sum += s[k];
    return NULL;
}

/* Bytes a second, 0 if there is no memory for the measurement. */
static double bandwidth(void)
{
    uint64_t *buf = malloc(MEMORY);
    part pieces[READERS];
    pthread_t id[READERS];
    int n = progress_threads() < READERS ? progress_threads() : READERS;
    double best = 0;

    if (!buf)
        return 0;
    memset(buf, 1, MEMORY);
    for (uint64_t r = 0; r < repeats && !progress_interrupted(); r++) {
        size_t words = MEMORY / sizeof *buf, each = words / (size_t)n;
        double start = say_clock();
        int started = 0;
        for (int i = 0; i < n; i++)
            pieces[i] = (part){buf + (size_t)i * each, each, 0};
        for (int i = 1; i < n; i++, started++)
            if (pthread_create(&id[i], NULL, sum_part, &pieces[i]))
                break;
        sum_part(&pieces[0]);
        for (int i = 1; i <= started; i++)
            pthread_join(id[i], NULL);
        double rate = (double)((size_t)(started + 1) * each * sizeof *buf) / (say_clock() - start);
        best = rate > best ? rate : best;
        buf[0] += pieces[0].sum & 1;     /* the sums are used */
    }
    free(buf);
    return best;
}

/* ---- Work --------------------------------------------------------------------------------- */
typedef struct job {
    const char *group, *name;
    const char *set;                    /* spec of the rows */
    const char *kernel;                 /* gram, map: its spec */
    const char *format;                 /* read: written to memory, then parsed */
    const char *map;                    /* map: its spec */
    size_t features;                    /* map: how many */
    size_t scores;                      /* map: this many outputs at once, Z is not stored */
    const char *model;                  /* fm: its spec */
    size_t order;                       /* combos: columns of a product at most */
} job;

#define DENSE(n, d) "dense-positive:n=" #n ",d=" #d
#define GRAM(name, set, kernel) "gram", name, set, kernel, NULL, NULL, 0, 0, NULL, 0
#define READ(name, set, format) "read", name, set, NULL, format, NULL, 0, 0, NULL, 0
/* 99 C, from the least with a weight to 100 times that, each to a gap of 1e-8; of rows that were
 * made fewer: to FEW weights, as after the planted ones there is only noise. */
#define COMBOS(order) \
    "combos", "L1 path, order " #order, "triples:n=20000,d=200,nz=10", NULL, NULL, NULL, 0, 0, \
        NULL, order
enum { PATH = 99, FEW = 20 };
/* Each map on short rows and on long ones, with 16 and 8 features per column. */
#define MAP(name, kernel, map, scores) \
    {"map", name, DENSE(2048, 80), kernel, NULL, map, 1280, scores, NULL, 0}, \
    { \
        "map", name, DENSE(1024, 1024), kernel, NULL, map, 8192, scores, NULL, 0 \
    }
/* An epoch on one-hot rows of four fields, rank 30. */
#define FM(name, model) \
    "fm", name, "fields:n=20000,fields=4,levels=1000", NULL, NULL, NULL, 0, 0, model, 0

static const job jobs[] = {
    {GRAM("linear", DENSE(1000, 100), "linear")},
    {GRAM("anova 2, dense", DENSE(1000, 100), "anova:order=2")},
    {GRAM("anova 3, dense", DENSE(1000, 100), "anova:order=3")},
    {GRAM("all-subsets, dense", DENSE(1000, 100), "all-subsets")},
    {GRAM("rbf, dense", DENSE(1000, 100), "rbf:gamma=0.5")},
    {GRAM("anova 2, sparse", "triples:n=1000,d=1000,nz=20", "anova:order=2")},
    MAP("rk anova 2, packed", "anova:order=2", "rk:projection=packed", 0),
    MAP("rk anova 2, Hadamard", "anova:order=2", "rk:projection=hadamard", 0),
    MAP("rk anova 2, circulant", "anova:order=2", "rk:projection=circulant", 0),
    MAP("rk anova 2, complex", "anova:order=2", "rk:complex=yes,projection=hadamard", 0),
    MAP("rk anova 3, Hadamard", "anova:order=3", "rk:projection=hadamard", 0),
    MAP("rk all-subsets, packed", "all-subsets", "rk:projection=packed", 0),
    MAP("rk all-subsets, Hadam.", "all-subsets", "rk:projection=hadamard", 0),
    MAP("ts poly 2", "poly:degree=2", "ts", 0),
    MAP("rff rbf, dense", "rbf:gamma=1", "rff:projection=dense", 0),
    MAP("rff rbf, Hadamard", "rbf:gamma=1", "rff:projection=hadamard", 0),
    MAP("rk anova 2, one score", "anova:order=2", "rk:projection=hadamard", 1),
    {FM("fm, cd", COMPARE_PAIRS ":solver=cd")},
    {FM("fm, adagrad", COMPARE_PAIRS ":solver=adagrad")},
    {FM("fm, lbfgs", COMPARE_PAIRS ":solver=lbfgs")},
    {FM("hofm 3, cd", COMPARE_TRIPLES ":order=3,solver=cd")},
    {FM("hofm 3, adagrad", COMPARE_TRIPLES ":order=3,solver=adagrad")},
    {FM("hofm 3, lbfgs", COMPARE_TRIPLES ":order=3,solver=lbfgs")},
    {COMBOS(2)},
    {COMBOS(3)},
    {COMBOS(6)},
    {READ("svmlight, ones", "triples:n=40000,d=1000,nz=20", "svmlight")},
    {READ("svmlight, 17 digits", DENSE(4000, 100), "svmlight")},
    {READ("csv, 17 digits", DENSE(4000, 100), "csv")},
    {READ("npy, double", DENSE(20000, 100), "npy")},
};

static int append(void *text, const void *bytes, size_t len)
{
    strbuf_bytes(text, bytes, len);
    return ((strbuf *)text)->failed;
}

typedef struct result {
    double seconds, work;               /* pairs, rows or bytes */
    size_t rows, cols;
} result;

/* What the work of a job is counted in, and how that is shown. */
typedef struct unit {
    const char *name, *shown;
    double scale;
} unit;

static unit unit_of(const job *j)
{
    return j->order           ? (unit){"fits/s", "%.2f ms/fit", 1e3}
           : j->map || j->model ? (unit){"rows/s", "%.2f us/row", 1e6}
           : j->kernel        ? (unit){"pairs/s", "%.1f Mpairs/s", 1e-6}
                              : (unit){"bytes/s", "%.0f MB/s", 1e-6};
}

/* Bytes that a job must move: all that is read, or the features that are written. */
static double bytes_of(const job *j, const result *r)
{
    return j->model || j->order   ? 0
           : !j->kernel           ? r->work
           : j->map && !j->scores ? (double)sizeof(float) * r->work * (double)j->features
                                  : 0;
}

static fx_status time_gram(result *r, const job *j, const fx_table *t, const fx_run *run)
{
    fx_kernel *kernel = NULL;
    size_t n = t->rows;
    double *K = malloc(n * n * sizeof *K);
    fx_status s = K ? fx_kernel_parse(&kernel, j->kernel, NULL, 1) : FX_ENOMEM;

    r->work = (double)n * (double)(n + 1) / 2;   /* each pair is evaluated once */
    for (uint64_t i = 0; i < repeats && !s; i++) {
        double start = say_clock();
        s = fx_kernel_gram(K, n, kernel, t->block, NULL, run);
        r->seconds = fmin(r->seconds, say_clock() - start);
    }
    fx_kernel_free(kernel);
    free(K);
    return s;
}

static fx_status time_read(result *r, const job *j, const fx_table *t, const fx_run *run)
{
    strbuf m = {0};
    fx_sink sink = {.size = sizeof(fx_sink), .write = append, .ctx = &m};
    fx_status s = fx_data_write(&sink, j->format, t, run);

    r->work = (double)m.n;
    for (uint64_t i = 0; i < repeats && !s; i++) {
        fx_data *data = NULL;
        double start = say_clock();
        s = fx_data_parse(&data, j->format, j->name, m.s, m.n, run);
        r->seconds = fmin(r->seconds, say_clock() - start);
        fx_data_free(data);
    }
    strbuf_free(&m);
    return s;
}

static fx_status time_map(result *r, const job *j, const fx_table *t, const fx_run *run)
{
    fx_kernel *kernel = NULL;
    fx_map *map = NULL;
    size_t n = t->rows, D = j->features;
    float *Z = j->scores ? NULL : malloc(n * D * sizeof *Z);
    double *W = calloc(D * (j->scores + 1), sizeof *W),
           *S = malloc(n * (j->scores + 1) * sizeof *S);
    fx_status s = W && S && (Z || j->scores) ? fx_kernel_parse(&kernel, j->kernel, NULL, 1)
                                             : FX_ENOMEM;

    if (!s)
        s = fx_map_parse(&map, j->map, kernel, t->cols, D, cli.seed, t->block, run);
    r->work = (double)n;
    for (uint64_t i = 0; i < repeats && !s; i++) {
        double start = say_clock();
        s = Z ? fx_map_apply(Z, D, FX_F32, map, t->block, run)
              : fx_map_score(S, map, W, j->scores, t->block, run);
        r->seconds = fmin(r->seconds, say_clock() - start);
    }
    fx_map_free(map);
    fx_kernel_free(kernel);
    free(Z);
    free(W);
    free(S);
    return s;
}

/* Uses the times in the fit's history, so the work before the first epoch does not count. */
static fx_status time_epoch(result *r, const job *j, const fx_table *t, const fx_run *run)
{
    char spec[128];
    const fx_plan plan = {.size = sizeof(fx_plan), .model = spec, .seed = cli.seed};
    fx_status s = FX_OK;

    snprintf(spec, sizeof spec, "%s,max-iter=3,tol=1e-12", j->model);
    r->work = (double)t->rows;
    for (uint64_t i = 0; i < repeats && s >= 0; i++) {
        fx_model *m = NULL;
        if ((s = fx_model_fit(&m, &plan, t, run)) < 0)
            return s;
        const fx_model_info *c = fx_model_inspect(m);
        for (size_t e = 1; e < c->steps; e++)
            r->seconds = fmin(r->seconds, c->history[e].seconds - c->history[e - 1].seconds);
        fx_model_free(m);
    }
    return FX_OK;
}

static fx_status time_path(result *r, const job *j, const fx_table *t, size_t max_weights,
                           const fx_run *run)
{
    const fx_combos_options o = {.size = sizeof o, .order = j->order, .steps = PATH + 1,
                                 .tol = 1e-8, .max_weights = max_weights};
    double *y = malloc((t->rows + 1) * sizeof *y), top = -INFINITY;
    fx_status s = y ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < t->rows; i++)
        top = fmax(top, t->label[i]);
    for (size_t i = 0; i < t->rows && y; i++)
        y[i] = t->label[i] == top ? 1 : -1;
    for (uint64_t i = 0; i < repeats && s >= 0; i++) {
        fx_combos_path *p = NULL;
        double start = say_clock();
        s = fx_combos_path_new(&p, &o, t->block, y, t->weight, run);
        r->seconds = fmin(r->seconds, say_clock() - start);
        r->work = p ? fmax(1, (double)p->steps - 1) : 1;
        fx_combos_path_free(p);
    }
    free(y);
    return s < 0 ? s : FX_OK;
}

/* given: rows of a file, or NULL. */
static fx_status time_job(result *r, const job *j, const fx_table *given, const fx_run *run)
{
    fx_data *made = NULL, *data = NULL;
    fx_status s = given ? FX_OK : fx_data_make(&made, j->set, cli.seed, run);

    *r = (result){.seconds = INFINITY};
    if (s)
        return s;
    fx_table t = given ? *given : fx_data_table(made);
    s = fx_data_select(&data, &t, NULL, 0, run);        /* one block */
    fx_data_free(made);
    if (s)
        return s;
    t = fx_data_table(data);
    r->rows = t.rows;
    r->cols = t.cols;
    s = j->order    ? time_path(r, j, &t, given ? 0 : FEW, run)
        : j->model  ? time_epoch(r, j, &t, run)
        : j->map    ? time_map(r, j, &t, run)
        : j->kernel ? time_gram(r, j, &t, run)
                    : time_read(r, j, &t, run);
    fx_data_free(data);
    return s;
}

static void print_row(const job *j, const result *r, double memory_rate)
{
    char size[48], share[32] = "", rate[32];
    unit u = unit_of(j);
    double per_second = r->work / r->seconds, bytes = bytes_of(j, r);

    if (j->map)
        snprintf(size, sizeof size, "%zu x %zu, D %zu", r->rows, r->cols, j->features);
    else
        snprintf(size, sizeof size, "%zu x %zu", r->rows, r->cols);
    snprintf(rate, sizeof rate, u.shown,
             j->map || j->model || j->order ? u.scale / per_second : u.scale * per_second);
    if (bytes > 0 && memory_rate > 0)
        snprintf(share, sizeof share, "%.1f %%", 100 * bytes / r->seconds / memory_rate);
    safe_print(stdout, "%-6s %-22s %19s %10.2f ms %15s %9s\n", j->group, j->name, size,
               1e3 * r->seconds, rate, share);
    fflush(stdout);
}

static json_t *json_row(const job *j, const result *r, double memory_rate)
{
    double bytes = bytes_of(j, r);
    json_t *o = json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:s}", "group", j->group, "name", j->name,
                          "rows", (json_int_t)r->rows, "columns", (json_int_t)r->cols, "seconds",
                          r->seconds, "rate", r->work / r->seconds, "unit", unit_of(j).name);

    if (j->map) {
        o = say_set(o, "kernel", json_string(j->kernel));
        o = say_set(o, "map", json_string(j->map));
        o = say_set(o, "D", json_integer((json_int_t)j->features));
    }
    if (bytes > 0 && memory_rate > 0)
        o = say_set(o, "bandwidth_share", json_real(bytes / r->seconds / memory_rate));
    return o;
}

/* DATA, which combos alone takes. */
static int read_rows(loaded *rows, const char *which, const char *path)
{
    if (strcmp(which, "combos") != 0)
        return say_error("bench: %s is for combos; %s has rows of its own", path, which);
    int status = load(rows, path, -1);
    if (!status && !rows->table.label)
        status = say_error("%s has no labels", path);
    if (status)
        load_free(rows);
    return status;
}

#define GROUPS "gram, map, fm, combos, read, all"

static int run(int n, char **operand)
{
    const char *which = n ? operand[0] : "all";
    char hint[OPT_HINT];
    loaded rows = {0};
    bool all = !strcmp(which, "all");
    int status = 0;

    if (!all && strcmp(which, "gram") && strcmp(which, "map") && strcmp(which, "fm")
        && strcmp(which, "combos") && strcmp(which, "read"))
        return say_error("bench: '%s' is not one of " GROUPS "%s", which,
                         opt_hint(hint, GROUPS, which));
    if (n > 1 && (status = read_rows(&rows, which, operand[1])))
        return status;
    json_t *list = json_array();
    double rate = bandwidth();
    if (!cli.json) {
        safe_print(stdout,
                   "instruction set %s, %d thread%s, memory read at %.1f GB/s; best of %llu\n\n",
                   fx_simd_target(), progress_threads(), progress_threads() == 1 ? "" : "s",
                   rate / 1e9, (unsigned long long)repeats);
        safe_print(stdout, "%-6s %-22s %19s %13s %15s %9s\n", "call", "work", "rows x columns",
                   "time", "rate", "of memory");
    }
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs && !status; i++) {
        result r;
        if (!all && strcmp(which, jobs[i].group) != 0)
            continue;
        fx_status s = progress_interrupted() ? FX_ECANCELLED
                      : time_job(&r, &jobs[i], n > 1 ? &rows.table : NULL, &cli.run);
        if (s)
            status = say_failure(s);
        else if (cli.json)
            list = say_append(list, json_row(&jobs[i], &r, rate));
        else
            print_row(&jobs[i], &r, rate);
    }
    load_free(&rows);
    if (status || !cli.json) {
        json_decref(list);
        return status ? status : say_flush();
    }
    return say_json(json_pack("{s:s, s:i, s:f, s:I, s:o}", "target", fx_simd_target(), "threads",
                              progress_threads(), "bandwidth", rate, "repeats", (json_int_t)repeats,
                              "results", list));
}

const command cmd_bench = {
    .name = "bench",
    .operands = "[gram|map|fm|combos|read|all] [DATA] [options]",
    .summary = "time the library's calls on this machine",
    .text = "Prints the time of each call, the best of several runs, next to the memory bandwidth "
            "of this machine. For bytes read from a file and for features written, it also prints "
            "the share of this bandwidth. For factorization machines (rank 30), it prints the "
            "time of an epoch: a pass over the rows or, for lbfgs, a step. combos is a path of 99 "
            "fits with an L1 penalty over all products of up to 2, 3 and 6 columns, from the least "
            "C with a weight to 100 times that, of the rows of DATA (largest label against the "
            "rest; values within -1 and 1) or, without it, the first fits of a synthetic set.",
    .examples = "bench\n"
                "bench map --threads 1\n"
                "bench gram --json\n"
                "bench combos a9a --threads 1",
    .groups = {&group, &reading_options, &common_options},
    .min_operands = 0, .max_operands = 2,
    .run = run,
};
