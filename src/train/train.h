/* SPDX-License-Identifier: BSD-3-Clause
 * train.h - from a plan and rows to a model: all that is the same for every kind. */
#ifndef FXI_TRAIN_H
#define FXI_TRAIN_H
#include "model/model.h"

/* ---- survey.c: what a fit has to know of rows that come in parts ---------------------------- */
typedef struct fxi_survey_class { double x; char *name; } fxi_survey_class;
typedef struct fxi_survey {             /* zeros at first */
    uint64_t rows, numbers;             /* numbers stored in them */
    size_t cols;
    bool sparse, doubles;               /* rows are; some of their numbers are no floats */
    bool labelled, texts;               /* there are labels; they are texts */
    bool weighty;                       /* some row has a weight */
    bool targets;                       /* some such row has a number as label, no class: .. */
    double least, most;                 /* .. the smallest and the largest */
    int base;
    double *low, *high;                 /* [cols] in rows of positive weight; low > high: none */
    bool holes;                         /* numbers may be missing, and are counted: */
    double *missing, *missing_all;      /* [cols] in rows of positive weight; in all; or NULL */
    fxi_survey_class *class;            /* [classes] ascending */
    size_t classes, class_room;
    const char **name;                  /* [named] of columns, in text */
    char *text;
    size_t named;
} fxi_survey;
/* classes: labels are classes. */
fx_status fxi_train_survey_add(fxi_survey *s, const fx_table *t, bool classes, const fx_run *run);
/* An error if rows of a later pass, from `first` on, do not look like those of the survey. */
fx_status fxi_train_survey_again(const fxi_survey *s, const fx_table *t, uint64_t first);
/* Of |x| in column j. */
double fxi_train_survey_largest(const fxi_survey *s, size_t j);
/* Position of a class: by its name or, if that is NULL, its number. */
size_t fxi_train_survey_class(const fxi_survey *s, const char *name, double x);
/* A table that stands for all rows when a fit is prepared; borrows from s and class_sum, which are
 * weights for its rows, or NULL. */
fx_status fxi_train_survey_table(fx_data **out, const fxi_survey *s, const double *class_sum);
void fxi_train_survey_free(fxi_survey *s);
/* Of these, each adds one thing: a class, a target, columns, their names; alike: an error if rows
 * do not look like those before. */
typedef struct fxi_survey_look {
    bool sparse, labelled, texts;
    int base;
    size_t cols;
} fxi_survey_look;
fx_status fxi_train_survey_alike(fxi_survey *s, const fxi_survey_look *l);
fx_status fxi_train_survey_add_class(fxi_survey *s, const char *name, double x);
void fxi_train_survey_add_target(fxi_survey *s, double x);
fx_status fxi_train_survey_widen(fxi_survey *s, size_t cols, const fx_run *run);
fx_status fxi_train_survey_names(fxi_survey *s, const char *const *from, size_t cols);

/* survey_bytes.c - as part of a message; adds what another survey has found. */
void fxi_train_survey_bytes(fxi_message *m, const fxi_survey *s);
fx_status fxi_train_survey_bytes_merge(fxi_survey *s, fxi_reading *r, const fx_run *run);

/* ---- passes.c: a fit that asks for passes over rows that are elsewhere ----------------------- */
typedef struct fxi_stream {
    fxi_survey survey;
    double *class_sum;                  /* [classes] weights of rows, if classes are balanced */
    double *fill;                       /* [survey.cols] what fills missing numbers; NULL: 0 */
    double products;                    /* features of a map that are not 0, in all rows, if that is
                                         * `counted`: 1 */
    uint64_t counted;
    double *factor;                     /* [factors] of columns, if scaled by std */
    size_t factors;
    const fx_plan *plan;                /* the caller's */
    const unsigned char *held;          /* [survey.rows / 8, rounded up] a bit for each row, from
                                         * the lowest: it is held out; NULL: none is */
    double *left;                       /* [survey.classes] weights of the others; or NULL */
    fx_pass_ask *ask;                   /* who answers; NULL: rows of a pass are prepared */
    void *ctx;
    const fx_run *run;
} fxi_stream;
/* Rows for keys of maps that use them, as the model sees them. */
fx_status fxi_train_passes_sample(fx_data **out, const fxi_train *t, size_t n, const fx_run *run);
/* columns.c - may rows of a pass have missing numbers?  What "drop" leaves out does not get there.
 */
bool fxi_train_columns_holes(const char *missing);
/* What is known of missing numbers, and a scaling, of all rows. */
fx_status fxi_train_columns_missing(fxi_missing_found *out, const fxi_train *t,
                                    const fxi_missing *how, const fx_run *run);
fx_status fxi_train_columns_scale(fx_scale **out, const fxi_train *t, const char *by,
                                  const fx_table *table, const fx_run *run);
/* Sums over all rows, ctx being the fit; what of the rows is summed, filled by m unless their
 * missing numbers are asked for: at most one more copy of them. */
fxi_columns_ask fxi_train_passes_columns;
/* Counts features of t's map that are not 0, for maps that have few of them. */
fx_status fxi_train_passes_products(const fxi_train *t, const fx_run *run);
/* True if the features of all rows are sparse, as in memory; how many numbers are stored then. */
bool fxi_train_passes_sparse(size_t *numbers, const fxi_train *t);
/* Missing numbers as stream and survey know them; indicators: in memory of *own; free() it. */
fx_status fxi_train_columns_fill(fxi_missing *out, int64_t **own, const fxi_stream *s,
                                 const char *spec);
/* Of the rows that s->held has: where classes are fitted, s->left is found, of the others. */
fx_status fxi_train_passes_left(fxi_train *t);
/* Of the n rows that s->held has: labels, weights and their scores by a fit, [3][n]. */
fx_status fxi_train_passes_held(double *out, const fxi_output *o, size_t n);
/* Opens t for rows that s brings; free *table, which stands for them, after closing t. */
fx_status fxi_train_passes_open(fxi_train *t, fx_data **table, fxi_stream *s, const fx_plan *plan,
                                const fx_run *run);
void fxi_train_passes_close(fxi_stream *s);
/* Who answers questions about output o, rows' weights being multiplied by C; numbers: of the
 * longest answer. */
typedef struct fxi_asking {
    fxi_passes passes;
    const fxi_output *o;
    double C;
    fxi_message request;
} fxi_asking;
void fxi_train_passes(fxi_asking *out, const fxi_output *o, double C);
void fxi_train_passes_free(fxi_asking *a);

/* ---- pass.c: rows that answer ---------------------------------------------------------------- */
/* A part of the rows, prepared as the fit asks for: scaled, mapped by z, labels and weights of one
 * output. */
typedef struct fxi_part {
    const fxi_train *train;
    size_t output;
    uint64_t first, all;                /* number of its first row, of all rows */
    fx_matrix X;
    fxi_source z;
    double *y, *c;                      /* [rows] as in fxi_output; c times C */
    fxi_labels labels;
    fx_data *doubles, *filled, *scaled;
} fxi_part;

/* ---- request.c: what a pass is asked for, as bytes ------------------------------------------- */
typedef enum fxi_request_what {
    FXI_REQUEST_SURVEY,                 /* what a fit has to know before it begins */
    FXI_REQUEST_WEIGHTS,                /* sums of weights of each class */
    FXI_REQUEST_SAMPLE,                 /* some rows, by their numbers */
    FXI_REQUEST_COLUMNS,                /* sums of columns: data/columns.c */
    FXI_REQUEST_QUESTION,               /* a question of a solver */
    FXI_REQUEST_PRODUCTS,               /* how many features of a map are not 0 */
    FXI_REQUEST_HELD,                   /* labels, weights, scores of the rows that are held out */
    FXI_REQUESTS
} fxi_request_what;
typedef struct fxi_request {
    fxi_request_what what;
    bool classify, holes;               /* labels are classes; numbers may be missing */
    const unsigned char *setup;         /* [setup_bytes] plan and survey: all but SURVEY */
    size_t setup_bytes;
    const uint64_t *row;                /* [rows] SAMPLE: ascending */
    size_t rows;
    const unsigned char *held;          /* [held_bytes] as that of a stream: WEIGHTS, QUESTION,
                                         * HELD */
    size_t held_bytes;                  /* 0: none is held out */
    size_t output;                      /* QUESTION, HELD */
    double C;
    fxi_question q;                     /* COLUMNS: w are units, v means, flags: missing; HELD: what
                                         * the kind's `scored` gives */
} fxi_request;
/* A message; the plan is that of the model t->m as far as it is known. */
fx_status fxi_train_request(fxi_message *m, const fxi_request *r, const fxi_stream *s,
                            const fx_plan *plan);
fx_status fxi_train_request_read(fxi_request *out, fxi_reading *r, const void *bytes, size_t len);
/* The setup of a request: the survey and the sums of weights go to s, the rest to a plan, which
 * borrows from `setup`. */
fx_status fxi_train_request_setup(fxi_stream *s, fx_plan *plan, const unsigned char *setup,
                                  size_t bytes, const fx_run *run);
/* The plan of a fit, its kernel and map as the model has them. */
fx_plan fxi_train_request_plan(const fxi_train *t);
#define FXI_REQUEST_NAME "fxask001"
#define FXI_ANSWER_NAME  "fxansw01"

/* ---- train.c: a fit that is prepared ------------------------------------------------------ */
struct fxi_train {
    fxi_learning how;
    fxi_labels labels;
    size_t outputs;
    fx_matrix X;                        /* rows: joined, filled, scaled */
    fx_data *filled;                    /* the table without missing values, if it is a copy */
    fx_data *rows;                      /* its memory, if it is a copy */
    double *largest;                    /* [cols] of |X|, in rows of positive weight */
    fxi_source source;
    size_t threads;                     /* of a fit, at most */
    uint64_t max_at_once;               /* fits that may run at a time in memory */
    size_t bytes;                       /* of one fit, what all fits leave, and copies */
    size_t copies;                      /* bytes of filled and rows */
    int at_once;                        /* fits that run at a time: each.c */
    fx_model *m;                        /* the model being fitted: complete but for the weights */
    fxi_stream *stream;                 /* where the rows are, if not in X; or NULL */
    const fx_model *init;
    unsigned char *fresh;               /* [cols] new columns, which alone are fitted; or NULL */
    size_t split, inserted;             /* fold_in.c: columns that are put before column `split` of
                                         * init */
    uint64_t seed;
    double begin;                       /* seconds on the clock */
    const int64_t *qid;                 /* of the table; or NULL */
    /* rows to measure on, prepared alike; eval.rows 0: none */
    fx_matrix eval_X;
    fx_data *eval_filled;
    fx_data *eval_rows;
    fxi_source eval;
    fxi_labels eval_labels;
    const int64_t *eval_qid;            /* of eval_filled or the caller's table */
    fxi_metric metric;                  /* on them; of models without labels: none */
    void *own;                          /* what the kind prepared */
};
/* Where column j of init is now. */
static inline size_t fxi_train_place(const fxi_train *t, size_t j)
{
    return j < t->split ? j : j + t->inserted;
}
/* t's address must not change afterwards. */
fx_status fxi_train_open(fxi_train *t, const fx_plan *plan, const fx_table *table,
                         const fx_run *run);
/* The same of rows that the table stands for. */
fx_status fxi_train_open_stream(fxi_train *t, const fx_plan *plan, const fx_table *table,
                                fxi_stream *stream, const fx_run *run);
/* The same without a plan: how is set, t->own and an empty model are made. */
fx_status fxi_train_new(fxi_train *t);
void fxi_train_close(fxi_train *t);
double fxi_train_clock(void);           /* seconds */
/* missing.c - plan.missing, learnt from the table into t->m; *out is the table as the model sees
 * it, in memory of t->filled. */
fx_status fxi_train_missing(fx_table *out, fxi_train *t, const char *spec, const fx_table *table,
                            const fx_run *run);
/* memory.c - t->source, and how many fits run at a time in what the limit leaves. */
fx_status fxi_train_memory(fxi_train *t, const fx_plan *plan, const fx_run *run);
/* seen.c - sets t->largest; columns that are not all 0, and those that t->init knows, if the kind
 * remembers them, go into the model. */
fx_status fxi_train_seen(fxi_train *t, const fx_run *run);
/* init.c - plan.init: FX_EINVAL with the message that its `what` differs; FX_EINVAL unless it has
 * the same kernel, map, seed and classes. */
fx_status fxi_train_init_differs(const char *what, const char *before, const char *now);
fx_status fxi_train_init_check(const fxi_train *t);

/* ---- output.c: the fit of one output ------------------------------------------------------ */
struct fxi_output {
    const fxi_train *train;
    size_t number;
    double *y, *c;                      /* [rows] +1 and -1, or targets; weights */
    fxi_solution s;                     /* gap < 0: the kind has none */
    const fx_run *run;
    double *score;                      /* [rows of eval], or NULL */
    fx_step *step;                      /* [steps] of the history; free() it */
    size_t steps, capacity;
    double *done;                       /* share of the way to the tolerance; or NULL */
    bool no_history;                    /* records no steps: fits of folds and of the pilot */
    void *own;                          /* the state of the kind's solver */
};
fx_status fxi_train_output_new(fxi_output *o, const fxi_train *t, size_t number);
void fxi_train_output_release(fxi_output *o);   /* its arrays; the history and numbers stay */
void fxi_train_output_free(fxi_output *o);
/* Fits, from where o is, without the rows whose fold is `without` (fold NULL: with all). */
fx_status fxi_train_output_fit(fxi_output *o, double C, const int32_t *fold, int without,
                               const fx_run *run);
/* history.c - a step of o, measured on plan.eval; all steps become m's. */
fx_status fxi_train_history(fxi_output *o, const fxi_solution *now);
fx_status fxi_train_history_keep(fx_model *m, const fxi_output *o);     /* o[outputs] */
/* measure.c - checks the plan's metric and sets t->metric; allocates memory for scores of
 * plan.eval; computes plan.metric of them; true if a is better than b. */
fx_status fxi_train_measure_resolve(fxi_train *t, const fx_plan *plan);
fx_status fxi_train_measure_new(fxi_output *o);
fx_status fxi_train_measure(double *out, const fxi_output *o);
bool fxi_train_measure_better(const fxi_train *t, double a, double b);
/* summary.c - sums and maxima over the outputs; returns FX_OK, or the kind's status for the worst
 * output. */
fx_status fxi_train_summary(const fxi_train *t, const fxi_output *o);

/* ---- each.c, folds.c, calibrate.c, fit.c: several fits ------------------------------------ */
typedef fx_status fxi_train_job(void *ctx, size_t job, double *done, const fx_run *run);
/* Sets t->at_once for n fits: as many as threads and memory allow. */
void fxi_train_each_share(fxi_train *t, size_t n, const fx_run *run);
fx_status fxi_train_each(fxi_train *t, size_t n, fxi_train_job *fn, void *ctx, const fx_run *run);
typedef struct fxi_folds {
    const int32_t *fold;                /* [rows] -1: in every fit */
    size_t folds;
    const double *C;                    /* [n] ascending */
    size_t n;
} fxi_folds;
typedef struct fxi_held_rows {          /* those of a fold */
    const int32_t *row;                 /* [n]; NULL: they are elsewhere */
    size_t n;
    const double *y, *weight;           /* [n] as in fxi_labels */
    const double *S;                    /* [f->n][n][outputs] scores by the fits without them */
} fxi_held_rows;
typedef fx_status fxi_folds_use(void *ctx, size_t b, const fxi_held_rows *x, const fx_run *run);
/* FX_NOT_CONVERGED if a fit did not. */
fx_status fxi_train_folds(fxi_train *t, const fxi_folds *f, fxi_folds_use *use, void *ctx,
                          const fx_run *run);
/* path.c - held-out metrics along C: what a caller gives, to be checked before t is prepared by
 * p->plan.  whence: is someone given who has the rows? */
typedef struct fxi_path {
    fx_metrics *out;
    const double *C;                    /* [n] */
    size_t n;
    const int32_t *fold;                /* [rows] */
    size_t rows, folds;
    fx_plan plan;                       /* without its metric, which is here, if `measured` */
    fxi_metric metric;
    bool measured;
} fxi_path;
fx_status fxi_train_path_check(fxi_path *p, const char *who, const fx_plan *plan, bool whence);
fx_status fxi_train_path(const fxi_path *p, fxi_train *t, const fx_run *run);
enum { FXI_CALIBRATE_FOLDS = 5 };
fx_status fxi_train_calibrate(fxi_train *t, const fx_run *run);
/* a and b of 1/(1 + exp(a score + b)); positives have y == positive. */
void fxi_train_calibrate_sigmoid(double ab[2], const double *y, double positive,
                                 const double *score, size_t stride, const double *weight, size_t n,
                                 fxi_team *team);
/* fit.c - every output is fitted; weights, history and summary go into t->m. */
fx_status fxi_train_fit(fxi_train *t, const fx_run *run);

/* ---- estimate.c: what a fit will take ----------------------------------------------------- */
struct fxi_estimating {
    fxi_train *t;
    double pair, flop;                  /* seconds of a kernel value; of a multiply-add */
    double steps, support;              /* of the pilot fit: per row; share of rows */
    /* Sizes of classes, if there are pairs, else of all rows together: each that occurs,
     * descending, and how often.  n rows have at most sqrt(2 n) of them. */
    struct fxi_estimate_size {
        size_t rows, times;
    } * size;
    size_t sizes;
};
double fxi_train_estimate_matrix(const fx_matrix *X);   /* bytes */

enum { FXI_MODEL_SAMPLE = 1030 };       /* streams; see data/data.h */
#endif
