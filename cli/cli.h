/* SPDX-License-Identifier: BSD-3-Clause
 * cli.h - what the commands share.
 *
 * One convention for failing: a function that can fail says why on stderr and returns the exit
 * status; 0 is done.  Results go to stdout, everything else to stderr. */
#ifndef CLI_H
#define CLI_H
#include "featcross.h"
#include "options/options.h"
#include "terminal/safe_text.h"
#include "files/zip_write.h"

#include <jansson.h>

enum {                                  /* exit statuses */
       EXIT_NO = 1, /* a negative answer */
       EXIT_USAGE = 2, /* bad usage or bad input */
       EXIT_NUMERIC = 3,
       EXIT_MEMORY = 4, /* out of memory or over the limit */
       EXIT_SIGNAL = 128 /* and the signal's number: 129 SIGHUP, 130 SIGINT, 143 SIGTERM */
};

/* ---- Options that every command has (main.c) ---------------------------------------------- */
typedef struct common {
    bool help, json, quiet;
    uint64_t verbose, seed, threads, max_memory;
} common;
extern common cli;
extern const opt_group common_options;

/* ---- say.c: messages, units, one JSON object ---------------------------------------------- */
#define SAY_FORMAT __attribute__((format(printf, 1, 2)))
void say_error(const char *format, ...) SAY_FORMAT;     /* featcross: ... */
void say_hint(const char *format, ...) SAY_FORMAT;      /* HINT: ... */
void say_note(const char *format, ...) SAY_FORMAT;      /* a line of talk, not with -q */
void say_warning(const char *format, ...) SAY_FORMAT;   /* also not with -q */
void say_lines(const char *all);                        /* notes, one for each line */
int say_failure(fx_status s);                           /* of the library; the exit status */
enum { SAY_REASON = 256 };
void say_reason(char buf[SAY_REASON]);  /* the library's last failure, for those that go on */
/* The same, of a file whose text the library calls `ours`; positions in it follow its path. */
int say_fault(const char *path, const char *ours, fx_status s);
void say_remark(void);                                  /* a positive status, as a warning */
int say_no_memory(const char *what);
/* 0, or EXIT_MEMORY if bytes exceed --max-memory: "<what> 3.0 GiB, the limit is 2.0 GiB". */
int say_limit(double bytes, const char *what, ...) __attribute__((format(printf, 2, 3)));
int say_json(json_t *object);                           /* to stdout; takes the reference */
char *say_dump(json_t *value, size_t flags);            /* complete, or NULL; the same */
json_t *say_text(const char *bytes);                    /* a JSON string, even of odd bytes */
json_t *say_set(json_t *object, const char *key, json_t *value); /* object; NULL if that fails */
json_t *say_append(json_t *list, json_t *value);                 /* the same for an array */
int say_flush(void);                                    /* was all of stdout written? */
const char *say_bytes(char buf[32], double bytes);      /* "30.5 MiB" */
const char *say_number(char buf[32], double x);         /* shortest form */
double say_clock(void);                                 /* seconds, monotonic */

/* ---- progress.c: the bar, and interruption ------------------------------------------------ */
/* From now on signals end the program in order; clean removes unfinished files. */
void progress_signals(void (*clean)(void));
bool progress_interrupted(void);
int progress_stop(void);                /* says "interrupted", returns progress_status */
int progress_status(void);              /* the exit status of the last signal; 0: there was none */
/* A program that we wait for, or 0: it ends with us. */
void progress_child(int pid);
void progress_forget(void);             /* the work has stopped; what was done may be written */
/* A stretch of work: `total` units in all, 0 if unknown. */
void progress_begin(const char *what, const char *unit, double total);
/* It goes on under another name; the bar is off the line, for who wants to print one. */
void progress_now(const char *what);
/* While it is held, stretches within it neither show nor move the bar; ending one clears the
 * line. */
void progress_hold(bool held);
/* The next library call does the units from `from` to `to`. */
void progress_part(double from, double to);
bool progress_at(double units);         /* between calls: so far; true: stop */
void progress_end(void);
fx_run progress_run(void);              /* threads, memory, and the bar as callback */
int progress_threads(void);             /* how many of them */

/* ---- input_file.c: bytes in ----------------------------------------------------------------------- */
typedef struct source {
    const char *name;                   /* for messages */
    int fd;
    bool regular;
    uint64_t size, taken;               /* of the file, 0 if unknown; bytes read from it */
    const char *compression;            /* "gzip", ..., or NULL */
    bool zip;                           /* read member by member */
    struct decoder *packed;             /* of a compressed stream, or NULL */
    struct zip_reader *members;         /* of a zip file, or NULL */
    uint64_t begin;                     /* of a zip file: its offset in the file */
    char *memory;                       /* .. that came by a pipe: all of it, or NULL */
    unsigned char head[8];              /* the first bytes, looked at before anyone reads them */
    size_t head_len, head_used;
} source;
/* "-" is stdin.  Refused if an output that is open would replace the file (same_file.h). */
int source_open(source *s, const char *path);
int source_member(source *s, const char **name);        /* zip: the next one, NULL at the end */
/* As many bytes as are wanted; fewer only at the end. */
int source_read(source *s, size_t *got, void *buf, size_t want);
void source_close(source *s);
int source_slurp(char **text, const char *path);        /* a small text file, without its BOM */
/* All that is left, a NUL behind; fails if it is more than `most`.  free() it. */
int source_bytes(char **bytes, size_t *len, source *s, uint64_t most);
/* The first bytes of a file that can be read again, n or as many as it has; of a pipe none. */
size_t source_peek(const char *path, void *buf, size_t n);
/* The i-th library that decodes compressed files; false: no more. */
bool input_codec(const char **library, const char **version, size_t i);

/* ---- format_detect.c: formats by name and by content --------------------------------------------- */
const char *extension_format(const char *path);             /* "csv" of x.csv and x.csv.gz, or NULL */
const char *extension_compression(const char *path);            /* ".gz" of x.csv.gz, or NULL */
typedef struct format_line {
    const char *p, *end;
} format_line;
/* The first line with something on it, comment lines left out. */
format_line format_first_line(const char *p, const char *end);
bool format_has(format_line l, char c);
bool format_words(const char *bytes, size_t len);        /* is it a line of words? */
bool format_is_model(const void *bytes, size_t len);     /* do they begin a model file? */
/* By the first bytes, the name, the first line; reader: spec by which other rows were read, or
 * NULL. */
const char *format_found(bool zip, const char *path, const char *bytes, size_t len,
                         const char *reader);

/* ---- load.c: bytes to rows ---------------------------------------------------------------- */
typedef struct loaded {
    fx_data *data;
    fx_table table;
    fx_matrix *wide;                    /* the table's blocks, if rows_widen changed them */
    char *spec;                         /* of the reader, with what the rows settled */
    const char *name, *format, *compression;
    const char *part;                   /* of --part, or what stands for it */
    bool base_given;
    fx_reading reading;
    double seconds;
} loaded;
/* How rows are read that must agree with others: a model's, or those of a file. */
typedef struct load_manner {
    int base;                           /* of svmlight indices; -1: as the options say */
    const char *reader;                 /* spec by which the others were read, or NULL */
    const char *const *name;            /* [names] their columns, or NULL */
    size_t names;
    bool unlabelled;                    /* rows may lack labels */
    bool any_width;                     /* no vector of the table's width will be made */
    /* Not NULL: rows are handed on as they are read, and not kept (text; binary comes at once). */
    int (*each)(void *ctx, const loaded *part);
    void *ctx;
} load_manner;
int load_as(loaded *out, const char *path, const load_manner *like);
/* base: 0 or 1 for a file that must agree with one already read, -1: as the options say. */
int load(loaded *out, const char *path, int base);
void load_say(const loaded *l);         /* what was read, as a line of talk */
void load_free(loaded *l);

/* ---- reading.c: options of reading, as a spec --------------------------------------------- */
#define READING_FORMATS "auto|svmlight|csv|tsv|text|npy|npz"
extern const char *reading_format;      /* of --format */
extern const opt_group reading_options, reading_but_format;
/* Adds a spec to t, which is {0} before and freed by the caller, whatever comes of it. */
struct strbuf;
int reading_make(struct strbuf *t, const char *format, const load_manner *like, const char *bytes,
                 size_t len);
const char *reading_part(const char *otherwise);         /* of --part */
void reading_name(char *out, size_t room, const char *value, size_t len); /* %2C is a comma */

/* ---- label_classes.c ------------------------------------------------------------------------------
 * Fails if a row that is to be measured on has a class that no row to train on has.  hint: what to
 * do, or NULL. */
int classes_known(const loaded *rows, const loaded *train, const char *hint);
size_t classes_count(const fx_table *t);        /* 0: no memory to count them */

/* ---- rows_prepare.c: rows that were read, made ready ---------------------------------------------- */
void rows_replace(loaded *l, fx_data *data);            /* rows from rows; takes data over */
int rows_widen(loaded *l, size_t cols, const char *other); /* sparse rows to other's width */
int rows_fit(fx_scale **out, const char *spec, const loaded *l);
int rows_scale(loaded *l, const fx_scale *s);           /* in place */
/* none or maxabs, by the range of the values; says which, and why. */
const char *rows_scaling(const fx_table *t);
double rows_products(double n, int order);      /* products of up to so many of n columns */
double rows_stored(const fx_table *t, int order);       /* .. that are not 0, of all rows */
int rows_join(loaded *l);               /* all rows in one block, which is what kernels take */
/* row[t->rows]: the first `most` are a random sample by seed.  If labels are classes, each has its
 * share of it, and at least one row where there are no more classes than rows to draw. */
int rows_draw(size_t *row, const fx_table *t, size_t most, bool regress, uint64_t seed);
int rows_ready(loaded *l, const char *path, const char *scale); /* read, scaled and in one block */
fx_matrix rows_part(const fx_matrix *X, size_t first, size_t n); /* those rows of a block */

int ascending_doubles(const void *a, const void *b);     /* for qsort */

/* ---- movielens_dir.c: a directory with u.data, u.user and u.item, packed or not ---------------- */
bool movielens_is(const char *path);
int movielens_read(loaded *l, const char *path, const char *part); /* data, table, spec */

/* ---- spec_keys.c -------------------------------------------------------------------------- */
bool spec_named(const char *spec, const char *name);    /* is that the name in the spec? */
bool spec_has(const char *spec, const char *key);       /* does it set that key? */
bool spec_says(const char *spec, const char *key, const char *value);   /* to that value? */
/* The value of that key in the spec, up to a comma; NULL: it sets none. */
const char *spec_value(const char *spec, const char *key);

/* ---- kernel_choice.c: kernels and maps from specs ------------------------------------------------ */
#define KERNEL_SCALES "none|maxabs|unit-l1|unit-l2|std"
typedef struct chosen {
    const char *spec;
    char path[4096], *family;           /* the file that the kernel names, or ""; its text */
    fx_kernel *kernel;
} chosen;
/* Early, so that a misspelt kernel is found before a large file is read.  One with a file is
 * finished when the rows' index base and names are known. */
int kernel_prepare(chosen *k, const char *spec);
int kernel_finish(chosen *k, const fx_table *t);         /* NULL: no rows */
void kernel_free(chosen *k);
int kernel_features(size_t *D, const char *text, size_t cols);  /* of -D: "1024" or "16x" */
/* The first of maps[] (ends with NULL) that serves the kernel. */
fx_status kernel_map(fx_map **out, const char *const *maps, const fx_kernel *k, size_t cols,
                     size_t D, uint64_t seed, const fx_matrix *sample);
int kernel_map_check(const char *const *maps, const chosen *k);  /* early, as kernel_prepare */
/* Features of a map that is only looked at: few, unless its counts= fit D alone. */
size_t kernel_few(const char *const *maps, size_t D);

/* ---- map_error.c: errors of maps on pairs of rows ------------------------------------------- */
typedef struct measured {               /* of |error| over pairs and maps of several seeds */
    double mae, rmse, max;
    double ci95;                        /* half width of an interval about rmse; NaN: unknown */
    double within, share;               /* quantile that was asked for; share of errors <= eps */
    double low, high;                   /* rmse of the best and the worst seed */
    size_t asked, columns;              /* random features; columns of Z, exact ones included */
} measured;
typedef struct pairs_of {
    fx_data *data;                      /* rows, in groups of which every pair counts */
    fx_matrix rows;
    fx_matrix narrow;                   /* the same without columns of zeros, if that is a gain */
    int64_t *col;                       /* its columns */
    const fx_matrix *used;              /* the one of both that was mapped last */
    size_t pairs, *pair;                /* [2 pairs] rows of the sample */
    uint64_t seeds;                     /* maps to draw, from cli.seed on */
    double *K, *error, scale;           /* [pairs], [seeds * pairs]; root mean square of K */
} pairs_of;
int measure_sample(pairs_of *s, const loaded *l, const chosen *k, uint64_t pairs, uint64_t seeds);
/* maps: as for kernel_map.  *last: the last map, if it is wanted. */
int measure_maps(measured *out, fx_map **last, pairs_of *s, const char *const *maps,
                 const fx_kernel *k, size_t D, double quantile, double eps);
void measure_free(pairs_of *s);

/* ---- output_file.c: bytes out, whole or not at all --------------------------------------------- */
typedef struct output {
    char path[4096], target[4096], temp[4096];
    bool used, direct;                  /* direct: stdout, a pipe, a device */
    bool terminal;                      /* names from files are made safe for it */
    char hold[4];                       /* the beginning of a character that it shall show */
    size_t held;
    int fd, error;                      /* errno of the first failure */
    bool zipped;
    zip_writer zip;
    fx_sink sink;
} output;
/* format: of OUTPUT_FORMATS, or NULL: by extension, else `fallback`. */
#define OUTPUT_FORMATS "svmlight|csv|tsv|npy|npz|precomputed"
const char *output_format(const char *path, const char *format, const char *fallback);
bool output_is_stdout(const char *path);
/* No file is opened twice, and none that was read is replaced (same_file.h). */
int output_open(output **out, const char *path, const char *format);
const char *output_name(const output *o);       /* the file that another program may fill */
int output_table(output *o, const char *spec, const fx_table *t); /* the whole content */
int output_part(output *o, const char *spec, const fx_table *t);  /* the next rows of it */
int output_bytes(output *o, const void *bytes, size_t n);
int output_text(output *o, const char *text);
/* What precedes the numbers; cols 0: an array of one dimension. */
int output_npy(output *o, fx_type type, size_t rows, size_t cols);
int output_model(output *o, size_t *bytes, const fx_model *m, const char *format);
int output_close(output *o);            /* now the file is there */
void output_drop(void);                 /* remove everything unfinished; safe in a signal handler */

/* ---- plot.c, plot_gram.c (plot.h: what they share; figure.h: lines) ------------------------- */
typedef struct plot {
    output *picture, *script, *data;
    char script_path[4096], data_path[4096];
} plot;
int plot_open(plot *p, const char *path);       /* before any work: can this picture be drawn? */
int plot_check(void);                   /* plot_open does it too: does gnuplot run? */
int plot_gram(plot *p, const char *path, const char *title, const double *K, size_t cols,
              const fx_table *X, const fx_table *Z);

/* ---- map_curve.c: the error of several maps against D ----------------------------------------- */
/* maps: specs separated by blanks, or NULL: those that serve the kernel. */
int curve_check(const char *maps, const chosen *k);      /* early, as kernel_prepare */
int curve_run(const loaded *l, const chosen *k, pairs_of *s, const char *maps,
              const char *plot_path, plot *p);

/* ---- fitting.c: options of training, as a plan -------------------------------------------- */
enum { FITTING_SPEC = 512 };            /* room for the spec of a model */
typedef struct fitting {                /* what train and tune share; NULL: not given */
    const char *model, *loss, *penalty, *solver, *tol, *max_iter, *epsilon, *intercept;
    const char *class_weight, *scale, *map, *task, *weights;
    bool calibrate;
    uint64_t cache;                     /* bytes; 0: not given */
    /* factorization machines */
    const char *order, *rank, *beta, *alpha, *lambda, *linear, *lr, *batch, *clip, *groups, *cross;
    double max_seconds;                 /* 0: not given, and so below */
    uint64_t patience;
} fitting;
extern fitting fit;
extern const opt_group fitting_options;
/* The spec of the model: what the options say, and C and penalty if they are not NULL. */
int fitting_model(char spec[FITTING_SPEC], bool regress, const char *C, const char *penalty);
double fitting_cost(const char *spec);  /* its C; 1 if it sets none */
bool fitting_l1(bool regress);          /* may penalty=l1 be added? */
int fitting_path_exists(const char *who);                /* can fits along C be held out? */
int fitting_check(const char *C);       /* early: do the options make a model? */
bool fitting_task_known(bool *regress); /* by the options */
const char *fitting_given(void);        /* the model or its name, by the options; or NULL */
bool fitting_online(const char *spec);  /* a perceptron */
bool fitting_ranks(void);               /* is the task to rank, by the options? */
bool fitting_unlabelled(void);          /* a model that looks at no labels, by the options */
/* The spec of --map, or of the first of the usual maps that serves the kernel. */
int fitting_map(const char **spec, const chosen *k, size_t cols);
const char *fitting_served(const chosen *k, size_t cols); /* the first of the usual maps, or NULL */

/* ---- training.c: rows to train on, and what becomes of them ------------------------------- */
typedef struct training {
    loaded X;
    bool regress, rank;                 /* labels are numbers; .. that order the rows */
    const char *metric;                 /* "accuracy", "rmse" or "auc" */
    fx_plan plan;
    double *weight;
    char *class_weight;
    fx_model *model;
    bool diverged;                      /* it is the last good one */
    double seconds;                     /* of the fit */
    char path[4096];
    size_t bytes;                       /* of the file */
} training;
int training_path(training *t, const char *who, const char *path, const char *data);
int training_read(training *t, const char *data, int base);      /* also decides the task */
int training_fit(training *t);           /* warns if it did not converge */
int training_save(training *t, output *o);
void training_print(FILE *f, const training *t);         /* the model and its file */
void training_free(training *t);

/* ---- exact.c: kernel machines ------------------------------------------------------------- */
#define EXACT_KERNEL "anova:order=2"    /* if none is given, as for maps */
bool exact_is(void);                    /* do the options ask for one? */
/* Options that do not go with it, or with no other model; sets the kernel if none is given. */
int exact_check(const char **kernel, const char *features);
uint64_t exact_cache(void);             /* for the plan: --cache, or less where memory is short */
/* Before the fits of a kernel machine: says what so many cost if it is much, refuses what does not
 * fit into --max-memory. */
int exact_foretell(const training *t, const chosen *k, size_t fits);

/* ---- factor.c: factorization machines ----------------------------------------------------- */
extern const opt_group factor_options, factor_shared;    /* of train; those that tune has, too */
bool factor_named(const char *spec);    /* is that the spec of one? */
bool factor_is(void);                   /* do the options ask for one? */
int factor_name(void);                  /* length of its name, in fit.model */
/* Options that do not go with it, or with no other model; sets the kernel of --groups, --cross.
 * cost, features: -C and -D as given, or NULL. */
int factor_check(const char **kernel, const char *cost, const char *features);
typedef struct factor_lists {           /* options of tune; NULL: not given */
    const char *orders, *ranks, *betas, *kernel, *costs, *features, *metric, *output;
    uint64_t folds;
} factor_lists;
int factor_tune(training *t, const factor_lists *want, const char *data); /* factor_tune.c */
int factor_times(char out[FITTING_SPEC], const char *spec, double times); /* its beta; the same */

/* ---- link_rows.c: pairs of nodes as rows ------------------------------------------------------ */
extern const opt_group links_options;
bool links_given(void);                 /* --links */
const char *links_path(void);
/* Are rows from there alone?  operands: files of rows that are given besides. */
int links_check(const char *who, int operands);
int links_load(loaded *l, const char *part);             /* part: if --part is not given */

/* ---- task.c: classes or numbers ----------------------------------------------------------- */
int task_decide(bool *regress, const loaded *l);        /* says why */

/* ---- family_names.c: columns by their names in files of groups and sets ---------------------------- */
int names_family(char **family, const char *path, const fx_table *t, bool sets);

/* ---- metric.c: metrics by name, and folds ------------------------------------------------- */
#define METRIC_NAMES "accuracy|auc|logloss|rmse"
double metric_of(const fx_metrics *m, const char *name);
bool metric_falls(const char *name);    /* is less better? */
int metric_check(const char *who, const char *name, const training *t); /* is there such a thing? */
/* Over folds, with the standard deviation; refused where it is NaN. */
int metric_mean(double *mean, double *sd, const char *who, const fx_metrics *m, size_t folds,
                const char *name);
/* fold[rows]; -1, always trained on: the only row of a class. */
int metric_folds(int32_t *fold, const fx_table *t, int folds, bool regress);
int metric_folds_of(int32_t *fold, const training *t, int folds); /* rank: of whole queries */

/* ---- selection.c: what the user left open ---------------------------------------------------- */
typedef struct chooser {
    bool kernel, features, scale, C;    /* which of them are open */
    const char *cost;                   /* C as given, or NULL */
    char model[FITTING_SPEC];           /* what the plan points to */
    double score, error;                /* held-out metric and its standard error */
    size_t held_out;                    /* rows; 0: nothing was measured */
    double seconds;
} chooser;
int choose_plan(chooser *c, training *t);     /* completes the plan */

/* ---- model_file.c: model files ----------------------------------------------------------------- */
int model_load(fx_model **out, size_t *bytes, const char *path);
int model_rows(loaded *out, const char *path, const fx_content *c); /* rows for that model */
int model_fits(const fx_content *c, const loaded *l);    /* are they as wide as it wants? */
/* The same, of the first of two operands; if that is the data, says so. */
int model_first(fx_model **out, size_t *bytes, const char *path, const char *data);
bool model_is(const char *path);        /* does the file begin like one? */
int model_info(const char *path);       /* model_info.c: what is in it */
void model_print_kernel(FILE *f, const fx_content *c);   /* lines of kernel, map, vectors */
void model_print_variance(FILE *f, const fx_content *c); /* a line of the components */
void model_print_fit(FILE *f, const char *start, const fx_content *c); /* objective, gap */
bool model_known(double x);                              /* an objective or a gap */
json_t *model_number(double x);                          /* null: not known */
void model_print_factors(FILE *f, const fx_content *c);  /* a line of each order */
json_t *model_norms(const fx_content *c);                /* of the factors of each order */
void model_warn_collapsed(const fx_model *m);            /* an order whose factors are all 0 */
bool model_collapsed(const fx_content *c);               /* weights in place of vectors */
json_t *model_variance(const fx_content *c);             /* as a list, or null */
json_t *model_classes(const fx_content *c);              /* names, as a list */

/* ---- convert_model.c ---------------------------------------------------------------------- */
bool convert_is_model(const char *path);                 /* ours, or libFM's text */
/* to: "libfm", "fm" or NULL; task: of libFM's text, or NULL */
int convert_model(const char *in, const char *out, const char *to, const char *task);

/* ---- machine.c ---------------------------------------------------------------------------- */
const char *machine_name(char buf[128]); /* "AMD EPYC 7B13, 2 threads, avx512, 24 GiB" */
const char *machine_commit(void);       /* of this build, by cmake/commit.cmake; "": not known */
/* "featcross 0.1.0 at 3c78009, on .., 2026-01-31" */
const char *machine_origin(char buf[256]);

/* ---- The commands ------------------------------------------------------------------------- */
extern const command cmd_train, cmd_predict, cmd_evaluate, cmd_tune, cmd_explain;
extern const command cmd_compare, cmd_map, cmd_bound, cmd_gram, cmd_info, cmd_convert, cmd_make;
extern const command cmd_bench, cmd_reproduce;
#endif
