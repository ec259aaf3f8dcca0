/* SPDX-License-Identifier: BSD-3-Clause
 * model.h - inside the library: what a model is, and the table of models. */
#ifndef FXI_MODEL_H
#define FXI_MODEL_H
#include "fit/fit.h"

/* One line of the table: a name is a loss, a penalty that may be chosen, and solvers. */
typedef struct fxi_learner {
    const char *name, *help;
    const fxi_spec_key *keys;
    const fxi_loss *loss;               /* NULL: perceptron */
} fxi_learner;

typedef struct fxi_learning {           /* a model spec, parsed */
    const fxi_learner *learner;
    double C, epsilon, tol;
    size_t max_iter;
    fxi_intercept intercept;
    int solver;                         /* FXI_AUTO, .. */
    bool l1, averaged, calibrate;
    char *spec;                         /* complete; free() it */
} fxi_learning;
enum { FXI_AUTO, FXI_DUAL, FXI_NEWTON, FXI_CD };
/* learner.c */
fx_status fxi_model_learner(fxi_learning *out, const char *spec);
const char *fxi_model_learner_help(size_t i);

struct fx_model {
    fx_content c;                       /* the view that fx_model_content gives out */
    double *sum;                        /* perceptron: [2][features + 1][outputs], the intercepts
                                         * last: weights now, then the sums of fxi_perceptron */
    uint64_t *count;                    /* [outputs] its steps */
    void **owned;                       /* everything that c and the above point to */
    size_t owns;
    /* made of the specs */
    fx_kernel *kernel;
    fx_map *map;
};
fx_model *fxi_model_new(void);          /* NULL with the error set */
fx_status fxi_model_own(fx_model *m, void *p);  /* as fxi_data_own */
/* keep.c - copies of numbers, a text (unless it is "") and n texts for m, if they are not NULL. */
fx_status fxi_model_keep(const double **out, fx_model *m, const double *from, size_t bytes);
fx_status fxi_model_keep_text(const char **out, fx_model *m, const char *text);
fx_status fxi_model_keep_texts(const char *const **out, fx_model *m, const char *const *text,
                               size_t n);
/* Given c's specs, seed, cols, random (and factors): checks that they fit together and makes kernel
 * and map.  Used after a fit and after parsing alike. */
fx_status fxi_model_ready(fx_model *m, const fx_run *run);

/* ---- labels.c: what is to be learnt ------------------------------------------------------ */
typedef struct fxi_labels {
    size_t classes;                     /* 0: targets */
    double *y;                          /* [rows] position among the classes, or the target */
    double *weight;                     /* [rows] of the table, times that of the class */
    double *value;                      /* [classes] ascending: labels as in the table */
} fxi_labels;
/* Classes are the distinct labels of rows of positive weight.  class_weight as in fx_plan. */
fx_status fxi_model_labels(fxi_labels *out, const fx_table *t, bool regress,
                           const char *class_weight, const fx_run *run);
/* The labels of t among the classes of a model; an unknown one is FX_EINVAL. */
fx_status fxi_model_labels_known(fxi_labels *out, const fx_content *c, const fx_table *t,
                                 const fx_run *run);
void fxi_model_labels_free(fxi_labels *l);

/* ---- rows.c: rows as a model wants them -------------------------------------------------- */
/* Rows [first, first + n) of X, checked: as wide as the model, without columns that are not `seen`
 * (NULL: all are), scaled by `scale` (NULL: not).  *unseen grows by what was left out.  *own holds
 * the view's memory, if it is a copy. */
fx_status fxi_model_rows(fx_matrix *view, fx_data **own, uint64_t *unseen, size_t cols,
                         const unsigned char *seen, const fx_scale *scale, const fx_matrix *X,
                         size_t first, size_t n, const fx_run *run);
/* The scaling that a model holds; NULL for none. */
fx_status fxi_model_rows_scale(fx_scale **out, const fx_content *c);
/* All of t as one block; *own holds it, if it is a copy. */
fx_status fxi_model_rows_join(fx_matrix *view, fx_data **own, const fx_table *t,
                              const fx_run *run);

/* ---- train.c: a fit that is prepared ----------------------------------------------------- */
typedef struct fxi_train {
    fxi_learning how;
    fxi_labels labels;
    size_t outputs;
    fx_matrix X;                        /* rows: joined, scaled */
    fx_data *own;                       /* its memory, if it is a copy */
    double *largest;                    /* [cols] of |X|, in rows of positive weight */
    fxi_source source;
    uint64_t beside;                    /* fits that memory allows at a time */
    fx_model *m;                        /* in the making: all but the weights is there */
    const fx_model *init;
    uint64_t seed;
    double begin;                       /* seconds on the clock */
    fx_matrix eval_X;                   /* plan.eval, prepared alike; rows 0: none */
    fx_data *eval_own;
    fxi_source eval;
    fxi_labels eval_labels;
} fxi_train;
/* t's address must not change afterwards. */
fx_status fxi_model_train_open(fxi_train *t, const fx_plan *plan, const fx_table *table,
                               const fx_run *run);
void fxi_model_train_close(fxi_train *t);
double fxi_model_train_clock(void);     /* seconds */
/* seen.c - sets t->largest; columns that are not all 0, and those that t->init knows, if it goes
 * on, go into the model. */
fx_status fxi_model_seen(fxi_train *t, const fx_run *run);

/* ---- output.c: the fit of one output ----------------------------------------------------- */
typedef struct fxi_output {
    const fxi_train *train;
    size_t number;
    double *y, *c;                      /* [rows] +1 and -1, or targets; C times weights */
    fxi_solution s;
    fxi_perceptron p;                   /* s holds its mean or a copy */
    const fx_run *run;
    double *score;                      /* [rows of eval], or NULL */
    fx_step *step;                      /* [steps] of the history; free() it */
    size_t steps, room;
    double *done;                       /* share of the way to the tolerance; or NULL */
    bool quiet;                         /* no history */
} fxi_output;
fx_status fxi_model_output_new(fxi_output *o, const fxi_train *t, size_t number);
void fxi_model_output_free(fxi_output *o);
/* Fits, from where o stands, without the rows whose fold is `without` (fold NULL: with all). */
fx_status fxi_model_output_fit(fxi_output *o, double C, const int32_t *fold, int without,
                               const fx_run *run);
int fxi_model_output_solver(const fxi_train *t);        /* FXI_DUAL, .. ; of a loss */
/* Bytes of one. */
bool fxi_model_output_bytes(size_t *bytes, const fxi_train *t);

/* ---- each.c, folds.c, calibrate.c: several fits ------------------------------------------ */
typedef fx_status fxi_model_job(void *ctx, size_t job, double *done, const fx_run *run);
fx_status fxi_model_each(const fxi_train *t, size_t n, fxi_model_job *fn, void *ctx,
                         const fx_run *run);
typedef struct fxi_folds {
    const int32_t *fold;                /* [rows] -1: in every fit */
    size_t folds;
    const double *C;                    /* [n] ascending */
    size_t n;
} fxi_folds;
/* Takes the scores S[n][held][outputs] of the rows of fold b by the fits without them. */
typedef fx_status fxi_held(void *ctx, size_t b, const size_t *row, size_t held, const double *S,
                           const fx_run *run);
/* Perhaps FX_NOT_CONVERGED. */
fx_status fxi_model_folds(const fxi_train *t, const fxi_folds *f, fxi_held *held, void *ctx,
                          const fx_run *run);
fx_status fxi_model_calibrate(fxi_train *t, const fx_run *run);
/* a and b of 1/(1 + exp(a score + b)); positives have y == positive. */
void fxi_model_calibrate_sigmoid(double ab[2], const double *y, double positive,
                                 const double *score, size_t stride, const double *weight, size_t n,
                                 fxi_team *team);
/* fit.c - weights, history and summary into t->m. */
fx_status fxi_model_fit(fxi_train *t, const fx_run *run);

/* ---- predict.c: from one row's scores ---------------------------------------------------- */
void fxi_model_predict_proba(double *p, const fx_content *c, const double *score);  /* [classes] */
/* Position among the classes, or the target; p: room for [classes] where probabilities exist. */
double fxi_model_predict_label(const fx_content *c, const double *score, double *p);
/* Logarithm of the probability of class k; finite. */
double fxi_model_predict_log(const fx_content *c, const double *score, size_t k);

/* ---- metrics.c, evaluate.c --------------------------------------------------------------- */
/* Area under the ROC curve of score[i*stride]; y == positive are the positives. */
fx_status fxi_model_metrics_auc(double *auc, const double *y, double positive, const double *score,
                                size_t stride, const double *weight, size_t n, const fx_run *run);
/* Of n rows with y as in fxi_labels and scores [n][outputs]. */
fx_status fxi_model_evaluate_scores(fx_metrics *out, double *confusion, const fx_content *c,
                                    const double *y, const double *score, const double *weight,
                                    size_t n, const fx_run *run);

/* ---- init.c: plan.init ------------------------------------------------------------------- */
fx_status fxi_model_init_check(const fxi_train *t);     /* does it fit this fit? */
void fxi_model_init(fxi_output *o);                     /* o starts there, if there is one */

enum { FXI_MODEL_SAMPLE = 1030 };       /* streams; see data/data.h */
#endif
