/* SPDX-License-Identifier: BSD-3-Clause
 * models.h - options to plans, fits and model files. */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H
#include "kernels/kernels.h"
#include "terminal/terminal.h"

/* ---- model_table.c: questions about models, asked of the library's table -------------------- */
/* The library's description of a spec or, if the spec is invalid, of its name; zeros if there is
 * none or spec is NULL. */
fx_description model_about(const char *spec);
bool model_has(const char *spec, const char *key);
/* True if the penalty grows along a path of fits.  With C it falls; other penalties are
 * multiplied. */
bool model_penalty_grows(const char *spec);
/* True for a model that learns weights of combinations itself, without a kernel or a map. */
bool model_combines(const char *spec);
const char *model_by_loss(const char *loss);            /* a linear model */
void model_numbers(char out[SPEC_LIST], bool exact);   /* "svr or ridge": models of numbers */
/* Reports an error if the model does not take this option, given without its dashes. */
int model_takes(const char *spec, const char *option);

/* ---- fitting.c: options of training, as a plan ---------------------------------------------- */
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
/* The spec of the model: what the options set, and C and penalty if they are not NULL. */
int fitting_model(char spec[FITTING_SPEC], bool regress, const char *C, const char *penalty);
double fitting_cost(const char *spec);  /* its C; 1 if it sets none */
bool fitting_l1(bool regress);          /* may penalty=l1 be added? */
int fitting_path_exists(const char *who);                /* can fits along C be held out? */
int fitting_check(const char *C);       /* early: do the options make a model? */
bool fitting_task_known(bool *regress); /* by the options */
const char *fitting_given(void);        /* the model or its name, by the options; or NULL */
/* --task rank without a model: sets one, and says so.  Another name of a model becomes its spec. */
int fitting_name_model(void);
fx_description fitting_about(void);     /* what the library says of it */
bool fitting_ranks(void);               /* is the task to rank, by the options? */
bool fitting_unlabelled(void);          /* a model that looks at no labels, by the options */
/* The spec of --map, or of the first of the usual maps that serves the kernel. */
int fitting_map(const char **spec, const kernel_choice *k, size_t cols);
/* The first of the usual maps, or NULL. */
const char *fitting_served(const kernel_choice *k, size_t cols);

/* ---- checkpoint.c: the answers of passes, kept in a file ------------------------------------- */
typedef struct checkpoint {
    const char *path;                   /* NULL: none */
    int fd;
    fx_pass_ask *ask;                   /* who answers what is not there yet .. */
    void *rows;
    int *status;                        /* of the program, after a message */
    uint64_t at;                        /* where the next record is */
    bool replays;                       /* there may be more of them */
    bool fresh;                         /* the file was made by this fit */
    uint64_t replayed;
} checkpoint;
/* Opens or, to resume, continues it, before rows are read; ask and rows are set afterwards. */
int checkpoint_open(checkpoint *c, const char *path, bool resume, int *status);
int checkpoint_begin(checkpoint *c, const spill *rows); /* refuses what belongs to other rows */
fx_status checkpoint_answer(void *checkpoint, const void *request, size_t bytes,
                            const fx_sink *answer);     /* an fx_pass_ask */
void checkpoint_close(checkpoint *c, bool done);        /* done: removes the file */

/* ---- training.c: rows to train on, and what becomes of them --------------------------------- */
typedef struct training {
    loaded X;
    bool regress, rank;                 /* labels are numbers; .. that order the rows */
    const char *metric;                 /* of --metric, or the task's usual one */
    fx_plan plan;
    double *weight;
    char *class_weight;
    fx_model *model;
    bool diverged;                      /* it is the last good one */
    double seconds;                     /* of the fit */
    char path[4096];
    size_t bytes;                       /* of the file */
    const char *const *more;            /* [mores] files whose rows follow */
    size_t mores;
    const char *kept;                   /* of --spill, or NULL */
    bool by_passes;                     /* rows go to a file even if they fit in memory */
    bool streamed;                      /* X has no rows: they are in `spill` */
    spill spill;
    uint64_t before;                    /* bytes that the program has before the fit */
    const char *checkpoint;             /* file to keep the passes of the fit in, or NULL .. */
    bool resume;                        /* .. which may be there already */
    checkpoint passes;
    bool may_stream;                    /* this fit does not need its rows in memory */
    bool whole;                         /* each process has all rows, if it has the memory, and does
                                         * some of the fits */
} training;
int training_path(training *t, const char *who, const char *path, const char *data);
/* Also decides the task.  stream: rows that exceed --max-memory may stay in a file. */
int training_read(training *t, const char *data, int base, bool stream);
int training_weights(training *t);       /* of --weights, into t->X */
int training_fit(training *t);           /* warns if it did not converge */
uint64_t training_held(const training *t);       /* bytes that a fit does not get */
fx_run training_run(const training *t);  /* of a fit: with what is left of --max-memory */
int training_failed(const training *t, fx_status s);     /* prints why; the exit status */
int training_save(training *t, output *o);
void training_print(FILE *f, const training *t);         /* the model and its file */
/* Where the rows were; passes over rows in memory are not counted. */
json_t *training_engine(const training *t);
void training_free(training *t);

/* ---- freeze.c: new columns alone ------------------------------------------------------------- */
/* Refuses options, of the groups before those of reading, that a frozen fit would ignore. */
int freeze_check(const opt_group *const *groups);
int freeze_read(training *t, const char *data, const fx_model *init);
int freeze_fit(training *t, const fx_model *init);

/* ---- task.c: classes or numbers ------------------------------------------------------------- */
enum { TASK_VALUES = 20 };
typedef struct task_labels {            /* of the rows so far; zeros: none yet */
    double value[TASK_VALUES];
    size_t values, rows;
    double odd;                         /* the first one that is not whole */
    bool missing, texts;                /* there are no labels; they are text */
    bool fractions, many;
} task_labels;
int task_decide(bool *regress, const loaded *l, spill *s);      /* says why; s: as for rows_each */
/* The same of rows that are gone: task_look saw each of them, c counted their labels. */
int task_look(void *labels, const fx_table *t);
int task_decide_by(bool *regress, const loaded *l, const task_labels *y, label_counts *c);
/* How many different labels there are, and how many rows have the rarest. */
int task_values(size_t *values, size_t *rarest, const fx_table *t);

/* ---- metric_names.c: metrics by name, and folds --------------------------------------------- */
int metric_known(const char *name);     /* early: is it in the table?  NULL: none was given */
bool metric_usual(const char *name);    /* has fx_metrics a member of that name? */
double metric_of(const fx_metrics *m, const char *name); /* else m->metric */
bool metric_falls(const char *name);    /* is less better? */
/* The plan of a path of fits, whose fx_metrics are to hold this one. */
fx_plan metric_plan(const fx_plan *plan, const char *name);
/* Computes all of fx_metrics, and in out->metric the named one if it is not among them. name may be
 * NULL. */
fx_status metric_evaluate(fx_metrics *out, const fx_model *m, const fx_table *t, const char *name);
int metric_check(const char *who, const char *name, const training *t); /* is there such a thing? */
double metric_average(const fx_metrics *m, int folds, const char *name);
/* The same, with the standard deviation; refused where it is NaN. */
int metric_mean(double *mean, double *sd, const char *who, const fx_metrics *m, size_t folds,
                const char *name);

/* ---- held_out.c: rows that are held out in turn ---------------------------------------------- */
/* fold[rows]; -1, always trained on: the only row of a class. */
int held_out_deal(int32_t *fold, const fx_table *t, int folds, bool regress);
int held_out_new(int32_t **fold, training *t, size_t folds);  /* rank: of whole queries; free() */
bool held_out_stream(void);                /* do they serve rows in a file, by the options? */
/* m[n][folds]; *st is the library's: what it refused may be listed, unless the result is not 0. */
int held_out_measure(fx_status *st, fx_metrics *m, training *t, const double *C, size_t n,
                  const int32_t *fold, size_t folds);

/* ---- chance.c: could a held-out score be luck? ---------------------------------------------- */
typedef struct chance {                 /* limits that chance exceeds with probability 0.05 */
    bool regress;
    double rows, z;                     /* held out; standard errors allowed for chance */
    double accuracy, auc;               /* above the constant answer's, above 1/2 */
} chance;
/* The limits for the best of `looks` scores on n rows like those of t. crossed: the scores are from
 * cross-validation. */
int chance_init(chance *c, const fx_table *t, double n, size_t looks, bool crossed, bool regress);
/* True if the accuracy, or the RMSE, is better than chance explains. constant: that of a constant
 * answer. */
bool chance_beaten(const chance *c, double constant, double score);
bool chance_beaten_auc(const chance *c, double auc);
/* The same rows and labels without any entry: all that can be learned from them is the constant
 * answer, the most common class or the mean.  free(b->ptr). */
typedef struct blind_rows {
    fx_table table;
    fx_matrix block;
    int64_t *ptr;
} blind_rows;
int chance_blind(blind_rows *b, const fx_table *t);

/* ---- selection.c: what the user left open --------------------------------------------------- */
typedef struct selection {
    bool kernel, features, scale, C;    /* which of them are open */
    bool scale_now;                     /* no fit follows that would find the scaling */
    const char *cost;                   /* C as given, or NULL */
    char model[FITTING_SPEC];           /* what the plan points to */
    double score, error;                /* held-out metric and its standard error */
    double baseline;                    /* .. of always giving the same answer */
    bool learned;                       /* is that beaten by more than chance? */
    char remark[256];                   /* if not; what the plan points to */
    size_t held_out;                    /* rows; 0: nothing was measured */
    double D;                           /* features of its map, perhaps more than the plan says */
    double seconds;
} selection;
int selection_plan(selection *c, training *t);          /* completes the plan */

/* ---- exact.c: kernel machines --------------------------------------------------------------- */
/* Options that do not go with it, or with no other model; sets the kernel if none is given. */
int exact_check(const char **kernel, const char *features);
uint64_t exact_cache(void);             /* for the plan: --cache, or less where memory is short */
/* Before `fits` fits of a kernel machine: prints the cost if it is high, and fails if one does not
 * fit into --max-memory. */
int exact_announce(const training *t, const kernel_choice *k, size_t fits);

/* ---- factor.c: factorization machines ------------------------------------------------------- */
extern const opt_group factor_options, factor_shared;    /* of train; those that tune has, too */
/* Options that do not go with it, or with no other model; sets the kernel of --groups, --cross.
 * cost, features: -C and -D as given, or NULL. */
int factor_check(const char **kernel, const char *cost, const char *features);
typedef struct factor_lists {           /* options of tune; NULL: not given */
    const char *orders, *ranks, *betas, *kernel, *costs, *features, *metric, *output;
    uint64_t folds;
} factor_lists;
int factor_tune(training *t, const factor_lists *lists, const char *data); /* factor_tune.c */
/* The spec with the penalty of its path multiplied by a factor. */
int factor_times(char out[FITTING_SPEC], const char *spec, double times);

/* ---- tuning.c: settings cross-validated, and the best one fitted ---------------------------- */
enum { TUNING_COLUMNS = 3 };
typedef struct tuned {                  /* a line of the table */
    size_t path;
    double C, mean, sd, seconds;        /* seconds: of the whole path */
    char failed[SAY_REASON];            /* why it did: C, mean and sd are NaN; or "" */
} tuned;
typedef struct tuning {
    training *t;
    const char *metric;                 /* NULL: as usual */
    size_t folds, paths, costs;         /* settings, and fits along each: of C[costs] */
    const double *C;
    const char *head[TUNING_COLUMNS];
    void *ctx;
    int (*ready)(void *ctx);            /* rows are read: the plan, and `paths` */
    int (*set)(void *ctx, size_t path, const tuned *won);  /* the plan of a path; of the winner */
    const char *(*cell)(char buf[512], void *ctx, const tuned *x, int column); /* "": left out */
    json_t *(*json)(void *ctx, const tuned *x);
    fx_status failure;                  /* of the last path that failed */
    int32_t *fold;
    fx_metrics *m;                      /* [costs][folds] */
    int32_t *own, *place;               /* fold, of those of this process, counted from 0, or -1;
                                         * [folds] numbers of folds among them, or -1 */
    tuned *line;
    size_t lines;
} tuning;
int tuning_run(tuning *s, const char *output_path, const char *data);

/* ---- trial.c: one fit, measured ------------------------------------------------------------- */
typedef struct trial {
    fx_metrics test;                    /* on the rows to test on */
    double train_seconds, test_seconds; /* scaling and mapping included, reading not */
    uint64_t bytes;                     /* of the model's file */
    uint64_t memory;                    /* most that the fit held beyond what was there before;
                                         * 0: this system does not say */
    size_t features;                    /* of the map, as made; 0: none */
    double C, valid;                    /* chosen, and its metric on the validation rows */
    fx_status status;                   /* of the fit: FX_OK or a remark */
} trial;
uint64_t trial_memory_begin(void);      /* bytes held now; 0: peaks cannot be told apart */
uint64_t trial_memory_end(uint64_t before);     /* peak since, above that; 0: not known */
trial trial_none(void);                 /* nothing measured: all figures are NaN */
/* Chooses the best of C[0..n), ascending: by the score on the validation rows (folds == 1), or by
 * the mean over that many folds of train and valid together, drawn with plan->seed.  Fits along C
 * use warm starts, and features are computed once.  For factorization machines the numbers multiply
 * beta.  Among equals the strongest penalty wins. n == 1: nothing is fitted, the result is *C, and
 * *score is NaN. */
int trial_choose(double *best, double *score, const fx_plan *plan, const double *C, size_t n,
                 parts *p, int folds, const char *metric);
/* plan with C (or beta times C) in its model.  spec: the text, to which plan->model then points. */
int trial_cost(fx_plan *plan, char spec[FITTING_SPEC], double C);
/* Fits on train (`all`: on train and valid), measures on test, also by this metric (or
 * NULL). */
int trial_run(trial *out, const fx_plan *plan, parts *p, bool all, const char *metric);
/* Both return the library's status and print nothing, for callers that continue after a failure. */
fx_status trial_path(double *best, double *score, const fx_plan *plan, const double *C, size_t n,
                     parts *p, int folds, const char *metric);
fx_status trial_fit(trial *out, const fx_plan *plan, parts *p, bool all, const char *metric);

/* ---- model_file.c: model files -------------------------------------------------------------- */
int model_file_load(fx_model **out, size_t *bytes, const char *path);   /* bytes: or NULL */
/* Rows for that model, which decides what `how` leaves open. */
int model_file_rows(loaded *out, const char *path, const fx_model_info *c, load_options how);
int model_file_batches(loaded *out, const char *path, const fx_model_info *c, load_options how,
                       int (*use)(void *ctx, loaded *l), void *ctx);    /* batches_read */
int model_file_fits(const fx_model_info *c, const loaded *l); /* are they as wide as it wants? */
/* The same for the first of two operands, or for the only one (data NULL).  Reports if the operand
 * is data instead of a model. */
int model_file_first(fx_model **out, const char *path, const char *data);
bool model_file_is(const char *path);   /* does the file begin like one? */
int model_info(const char *path);       /* model_info.c: what is in it */
void model_info_print_kernel(FILE *f, const fx_model_info *c); /* lines of kernel, map, vectors */
void model_info_print_variance(FILE *f, const fx_model_info *c); /* a line of the components */
void model_info_print_fit(FILE *f, const char *start, const fx_model_info *c); /* objective, gap */
size_t model_info_later(const fx_model_info *c);        /* columns that were folded in */
void model_info_print_later(FILE *f, const fx_model_info *c);  /* a line of them, if there are
                                                                * any */
bool model_info_known(double x);        /* an objective or a gap */
json_t *model_info_number(double x);    /* null: not known */
json_t *model_info_text(const char *s); /* null: "" */
json_t *model_info_norms(const fx_model_info *c);          /* of the factors of each order */
void model_info_warn_collapsed(const fx_model *m);      /* an order whose factors are all 0 */
bool model_info_collapsed(const fx_model_info *c);         /* weights in place of vectors */
json_t *model_info_variance(const fx_model_info *c);       /* as a list, or null */
json_t *model_file_classes(const fx_model_info *c);        /* names, as a list */
/* The classes that output i compares: the first, and *second, which a positive score means.  For
 * outputs that are not pairs only the second is valid. */
size_t model_file_pair(size_t *second, const fx_model_info *c, size_t i);
const char *model_file_output(char buf[256], const fx_model_info *c,
                              size_t i); /* "B", "A/B" or "" */

/* ---- side_rows.c: rows of one side of a model of pairs --------------------------------------
 * Where the model knows its sides, columns of the file count on their own: as in --nodes of
 * training. */
typedef struct side_rows {
    const fx_model_info *c;
    fx_side side;
    loaded in;
    fx_matrix X;                        /* rows at hand, in columns of the model; none: the end */
    size_t before;                      /* rows that came before */
    uint64_t unseen;                    /* numbers of columns that the side does not have */
    bool alone;                         /* X has the columns of this side only */
    size_t more;                        /* how many of them the model does not have */
    int64_t *ptr;                       /* memory of X */
    int32_t *col;
    double *val;
    size_t rows, stored;                /* that it holds */
} side_rows;
/* how: unlabelled, streamed.  After the first rows, side_rows_next gives the others of a stream. */
int side_rows_open(side_rows *s, const char *path, const fx_model_info *c, fx_side side,
                   load_options how);
int side_rows_next(side_rows *s);
/* What row i of X is called: its identifier, its label, else its number from 1. */
const char *side_rows_name(char buf[32], const side_rows *s, size_t i);
void side_rows_close(side_rows *s);
/* Pairs of --links and --nodes, read as those of the model were, as link_rows_load has them; how:
 * kept, and grows: new columns follow those of each side. */
int side_rows_links(loaded *l, const fx_model_info *c, const char *part, load_options how);
/* The score that --output CLASS names; with one score, NULL is that. */
int side_rows_output(size_t *out, const char *who, const fx_model_info *c,
                     const char *class_option);

/* ---- seen_items.c: lines `user item` --------------------------------------------------------- */
typedef struct seen_pair {
    const char *user;                   /* inside the text */
    size_t item;
} seen_pair;
typedef struct seen_items {             /* zeros: none */
    char *text;
    strbuf numbers;                     /* names in shortest form, one behind the other */
    seen_pair *at;                      /* [n] by user, then item, each once */
    size_t n, unknown;                  /* unknown: lines whose item is not among the names */
    size_t *seen;                       /* of the last rows */
    size_t capacity;
} seen_items;
/* name[names]: of the items, which are their numbers from 0. */
int seen_items_read(seen_items *s, const char *path, const char *const *name, size_t names);
/* from[rows + 1] of these users, into s->seen. */
int seen_items_of(seen_items *s, size_t *from, const side_rows *users);
void seen_items_free(seen_items *s);

/* ---- convert_model.c ------------------------------------------------------------------------ */
bool convert_is_model(const char *path);                 /* ours, or libFM's text */
/* to: "libfm", "fm" or NULL; task: of libFM's text, or NULL */
int convert_model(const char *in, const char *out, const char *to, const char *task);
#endif
