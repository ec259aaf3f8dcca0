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
    int base;
    double *largest;                    /* [cols] of |x|, in rows of positive weight */
    fxi_survey_class *class;            /* [classes] ascending */
    size_t classes, class_room;
    const char **name;                  /* [named] of columns, in text */
    char *text;
    size_t named;
} fxi_survey;
/* classes: labels are classes. */
fx_status fxi_train_survey_add(fxi_survey *s, const fx_table *t, bool classes, const fx_run *run);
/* Position of a class: by its name or, if that is NULL, its number. */
size_t fxi_train_survey_class(const fxi_survey *s, const char *name, double x);
/* A table that stands for all rows when a fit is prepared; borrows from s. */
fx_status fxi_train_survey_table(fx_data **out, const fxi_survey *s);
void fxi_train_survey_free(fxi_survey *s);

/* ---- passes.c: rows that come in parts, as often as they are asked for ---------------------- */
typedef struct fxi_stream {
    fxi_survey survey;
    fx_pass_rows *rows;                 /* who brings them .. */
    void *ctx;
    const fx_run *run;
    fx_data **sample;                   /* [samples] rows for a map's automatic keys */
    size_t samples;
    uint64_t passes;
} fxi_stream;
/* Rows for keys of maps that use them, as the model sees them. */
fx_status fxi_train_passes_sample(fx_data **out, const fxi_train *t, size_t n, const fx_run *run);
/* Who answers questions about output o by the loss of p, its rows' weights times C. */
fx_status fxi_train_passes(fxi_passes **out, const fxi_problem *p, const fxi_output *o, double C,
                           const fx_run *run);
void fxi_train_passes_free(fxi_passes *a);

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
    int at_once;                        /* fits that run at a time: each.c */
    fx_model *m;                        /* the model being fitted: complete but for the weights */
    fxi_stream *stream;                 /* where the rows are, if not in X; or NULL */
    const fx_model *init;
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
/* Receives the scores S[f->n][n][outputs] of the n rows of fold b by the fits without them. */
typedef fx_status fxi_folds_use(void *ctx, size_t b, const int32_t *row, size_t n, const double *S,
                                const fx_run *run);
/* FX_NOT_CONVERGED if a fit did not. */
fx_status fxi_train_folds(fxi_train *t, const fxi_folds *f, fxi_folds_use *use, void *ctx,
                          const fx_run *run);
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
