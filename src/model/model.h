/* SPDX-License-Identifier: BSD-3-Clause
 * model.h - inside the library: what a model is, and the table of models. */
#ifndef FXI_MODEL_H
#define FXI_MODEL_H
#include "fit/fit.h"
#include "fm/fm.h"

/* One line of the table: a name is a loss, a penalty that may be chosen, and solvers; or a
 * perceptron; or principal components; or a factorization machine. */
typedef enum fxi_kind { FXI_LOSS, FXI_ONLINE, FXI_COMPONENTS, FXI_FACTORS } fxi_kind;
typedef struct fxi_learner {
    const char *name, *help;
    const fxi_spec_key *keys;
    fxi_kind kind;
    bool kernel;                        /* a kernel machine */
    const fxi_loss *loss;               /* of FXI_LOSS, else NULL */
} fxi_learner;

typedef struct fxi_learning {           /* a model spec, parsed */
    const fxi_learner *learner;
    double C, epsilon, tol;
    size_t max_iter, budget;
    size_t components;                  /* wanted; 0: there are labels */
    fxi_intercept intercept;
    int solver;                         /* FXI_AUTO, .. */
    int collapse;                       /* FXI_COLLAPSE_AUTO, .. */
    bool l1, averaged, calibrate;
    /* of FXI_FACTORS */
    int task;                           /* FXI_CLASSIFY, .. */
    const fxi_loss *loss;               /* settled; of the others learner->loss */
    fxi_fm_shape shape;                 /* all but given, group, groups */
    double sd, lr;
    size_t batch;
    bool bare, clip;
    char *spec;                         /* complete; free() it */
} fxi_learning;
enum { FXI_AUTO, FXI_DUAL, FXI_NEWTON, FXI_CD, FXI_ADAGRAD, FXI_LBFGS };
enum { FXI_CLASSIFY, FXI_REGRESS, FXI_RANK };
enum { FXI_COLLAPSE_AUTO, FXI_COLLAPSE_NO, FXI_COLLAPSE_YES };
/* learner.c */
fx_status fxi_model_learner(fxi_learning *out, const char *spec);
const char *fxi_model_learner_help(size_t i);
/* learner_factors.c - line i of factorization machines, NULL: no more; what their keys say. */
const fxi_learner *fxi_model_learner_factors(size_t i);
fx_status fxi_model_learner_factors_read(fxi_learning *l, const fxi_spec *s);
char *fxi_model_learner_factors_spec(const fxi_learning *l, const fxi_spec *s);

struct fx_model {
    fx_content c;                       /* the view that fx_model_content gives out */
    double *sum;                        /* perceptron: [2][features + 1][outputs], the intercepts
                                         * last: weights now, then the sums of fxi_perceptron */
    uint64_t *count;                    /* [outputs] its steps */
    int64_t *age;                       /* kernel perceptron: [features][outputs] */
    /* factorization machines: */
    fxi_fm *fm;                         /* NULL: no such model */
    double *v;                          /* [outputs][fm->size] all numbers, as solvers have them;
                                         * c.block, weights, intercepts are the same for users */
    double *state;                      /* adagrad: [outputs][fm->size] sums, and behind that of b
                                         * what init_factors.c puts there; else NULL */
    fx_data *kept;                      /* memory of c.vectors after a fit, or NULL */
    void **owned;                       /* everything that c and the above point to */
    size_t owns;
    /* made of the specs */
    fx_kernel *kernel;
    fx_map *map;
    bool exact;                         /* features are kernel values with c.vectors */
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
/* Classes are the distinct labels of rows of positive weight, and those of the plan. */
fx_status fxi_model_labels(fxi_labels *out, const fx_table *t, bool regress, const fx_plan *plan,
                           const fx_run *run);
/* Weights alone, for models that need no labels. */
fx_status fxi_model_labels_none(fxi_labels *out, const fx_table *t, const fx_plan *plan,
                                const fx_run *run);
/* The labels of t among the classes of a model; an unknown one is FX_EINVAL. */
fx_status fxi_model_labels_known(fxi_labels *out, const fx_content *c, const fx_table *t,
                                 const fx_run *run);
void fxi_model_labels_free(fxi_labels *l);
/* class_weight.c - weights of rows times those of their classes; what class k is called. */
fx_status fxi_model_class_weight(fxi_labels *l, const fx_table *t, const char *spec);
const char *fxi_model_class_weight_name(char buf[32], const fxi_labels *l, const fx_table *t,
                                        size_t k);

/* ---- pairs.c, couple.c: an output for each pair of classes --------------------------------- */
bool fxi_model_pairs(size_t *out, size_t classes);      /* how many there are, if that fits */
/* The classes first < second of output `number`. */
void fxi_model_pairs_of(size_t *first, size_t *second, size_t classes, size_t number);
size_t fxi_model_pairs_number(size_t classes, size_t first, size_t second);     /* the other way */
/* y of output `number` for a row of this class: +1, -1, or 0: it has nothing to do with it. */
double fxi_model_pairs_sign(const fx_content *c, size_t number, size_t class);
/* Votes of one row's scores, or sums of its scores for each class, to v[classes]. */
void fxi_model_pairs_vote(double *v, const fx_content *c, const double *score);
void fxi_model_pairs_sum(double *v, const fx_content *c, const double *score);
/* p[classes] that fit r[pairs], the probabilities of the second of two classes, best; room for
 * 2 classes numbers in work. */
void fxi_model_couple(double *p, const double *r, size_t classes, double *work, fxi_team *team);

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
fx_status fxi_model_rows_join(fx_matrix *view, fx_data **own, const fx_table *t, const fx_run *run);

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
    int at_once;                        /* fits that go on at a time: each.c */
    uint64_t cache;                     /* of kernel machines, for all fits at a time */
    size_t collapsed;                   /* bytes of weights, should it collapse; 0: it will not */
    bool serial;                        /* kernel precomputed: column 0 numbers the rows */
    size_t first;                       /* rows that are vectors of init; others come after them */
    int32_t *at;                        /* or the rows that its vectors are; else NULL */
    fx_model *m;                        /* in the making: all but the weights is there */
    const fx_model *init;
    uint64_t seed;
    double begin;                       /* seconds on the clock */
    fx_matrix eval_X;                   /* plan.eval, prepared alike; rows 0: none */
    fx_data *eval_own;
    fxi_source eval;
    fxi_labels eval_labels;
    /* factorization machines: */
    fx_matrix laid, eval_laid;          /* X and eval_X as blocks see them */
    fx_data *laid_own, *eval_laid_own;
    const int64_t *qid, *eval_qid;      /* of the tables; or NULL */
    int metric;                         /* FXI_METRIC_ACCURACY, .. */
    size_t patience;
    double max_seconds;
    bool once;                          /* an update: one epoch, rows in their order */
} fxi_train;
enum { FXI_METRIC_ACCURACY, FXI_METRIC_AUC, FXI_METRIC_LOGLOSS, FXI_METRIC_RMSE };
/* t's address must not change afterwards. */
fx_status fxi_model_train_open(fxi_train *t, const fx_plan *plan, const fx_table *table,
                               const fx_run *run);
void fxi_model_train_close(fxi_train *t);
double fxi_model_train_clock(void);     /* seconds */
/* memory.c - t->source, and how many fits go on at a time in what the limit leaves. */
fx_status fxi_model_memory(fxi_train *t, const fx_plan *plan, const fx_run *run);
size_t fxi_model_memory_numbers(const fxi_train *t);    /* 8 bytes each, per weight of a fit */
/* seen.c - sets t->largest; columns that are not all 0, and those that t->init knows, if it goes
 * on, go into the model. */
fx_status fxi_model_seen(fxi_train *t, const fx_run *run);

/* kernel.c - the kernel of a kernel machine, precomputed rows checked; vectors of init found among
 * the rows or else set above them (join). */
fx_status fxi_model_kernel(fxi_train *t, const fx_plan *plan, const fx_run *run);
fx_status fxi_model_kernel_resume(fxi_train *t, const fx_run *run);
fx_status fxi_model_kernel_join(fxi_train *t, const fx_run *run);
bool fxi_model_kernel_is_given(const fx_content *c);    /* precomputed: rows are those of K */

/* ---- output.c: the fit of one output ----------------------------------------------------- */
typedef struct fxi_output {
    const fxi_train *train;
    size_t number;
    double *y, *c;                      /* [rows] +1 and -1, or targets; C times weights */
    fxi_solution s;
    fxi_perceptron p;                   /* s holds its mean or a copy */
    fxi_kernel_perceptron q;            /* the same of a kernel machine */
    const fx_run *run;
    double *score;                      /* [rows of eval], or NULL */
    fx_step *step;                      /* [steps] of the history; free() it */
    size_t steps, room;
    double *done;                       /* share of the way to the tolerance; or NULL */
    bool quiet;                         /* no history */
    /* factorization machines: */
    fxi_fm_state f, best;               /* now; with patience, the best so far */
    double best_metric, centre;         /* centre: what was taken from the targets */
    size_t since, ran;                  /* iterations that the best is old; of all that were done */
    bool late;                          /* stopped by the clock */
    double zeros;                       /* the objective of scores 0, if it ended above that */
} fxi_output;
fx_status fxi_model_output_new(fxi_output *o, const fxi_train *t, size_t number);
void fxi_model_output_free(fxi_output *o);
/* Fits, from where o stands, without the rows whose fold is `without` (fold NULL: with all). */
fx_status fxi_model_output_fit(fxi_output *o, double C, const int32_t *fold, int without,
                               const fx_run *run);
int fxi_model_output_solver(const fxi_train *t);        /* FXI_DUAL, .. ; of a loss, no kernel */
/* Bytes of one; of smo.c the least. */
bool fxi_model_output_bytes(size_t *bytes, const fxi_train *t);
/* history.c - a step of o, measured on plan.eval; one that is measured; all steps become m's. */
fx_status fxi_model_history(fxi_output *o, const fxi_solution *now);
fx_status fxi_model_history_add(fxi_output *o, const fx_step *step);
fx_status fxi_model_history_keep(fx_model *m, const fxi_output *o);     /* o[outputs] */
/* output_factors.c - the same of a factorization machine, anew; beta: what penalties of factors are
 * multiplied by.  Scores of rows as blocks see them. */
fx_status fxi_model_output_factors_new(fxi_output *o);
fx_status fxi_model_output_factors(fxi_output *o, double beta, const fx_run *run);
bool fxi_model_output_factors_bytes(size_t *bytes, const fxi_train *t);
fx_status fxi_model_output_factors_score(double *f, const fxi_output *o, fxi_row_subset x,
                                         const fx_run *run);
/* measure.c - what plan says of measuring goes into t; plan.metric of v on plan.eval, NaN without
 * it; is a better than b? */
fx_status fxi_model_measure_resolve(fxi_train *t, const fx_plan *plan);
fx_status fxi_model_measure(double *out, fxi_output *o, const double *v);
bool fxi_model_measure_better(const fxi_train *t, double a, double b);
/* score.c - scores f[x.n] of rows by a solution that is in the making; x.X is source->X, a table
 * prepared as that of training. */
fx_status fxi_model_score(double *f, const fxi_train *t, const fxi_solution *s,
                          const fxi_source *source, fxi_row_subset x, const fx_run *run);

/* ---- each.c, folds.c, calibrate.c: several fits ------------------------------------------ */
typedef fx_status fxi_model_job(void *ctx, size_t job, double *done, const fx_run *run);
fx_status fxi_model_each(fxi_train *t, size_t n, fxi_model_job *fn, void *ctx, const fx_run *run);
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
fx_status fxi_model_folds(fxi_train *t, const fxi_folds *f, fxi_held *held, void *ctx,
                          const fx_run *run);
fx_status fxi_model_calibrate(fxi_train *t, const fx_run *run);
/* a and b of 1/(1 + exp(a score + b)); positives have y == positive. */
void fxi_model_calibrate_sigmoid(double ab[2], const double *y, double positive,
                                 const double *score, size_t stride, const double *weight, size_t n,
                                 fxi_team *team);
/* fit.c - weights, history and summary into t->m. */
fx_status fxi_model_fit(fxi_train *t, const fx_run *run);
fx_status fxi_model_summary(const fxi_train *t, const fxi_output *o);   /* [outputs]; its status */
/* fit_factors.c - the same for factorization machines; and before it all that they need beside
 * rows; rows alone, for updates.  Bytes of what is kept; does memory suffice for one output at a
 * time? */
fx_status fxi_model_fit_factors(fxi_train *t, const fx_run *run);
fx_status fxi_model_fit_factors_prepare(fxi_train *t, const fx_plan *plan, const fx_table *table,
                                        const fx_run *run);
fx_status fxi_model_fit_factors_rows(fxi_train *t, const fx_run *run);
bool fxi_model_fit_factors_bytes(size_t *bytes, const fxi_train *t);
fx_status fxi_model_fit_factors_check(const fxi_train *t, const fx_run *run);
/* components.c - the same for principal components. */
fx_status fxi_model_components(fxi_train *t, const fx_run *run);
bool fxi_model_components_bytes(size_t *bytes, const fxi_train *t);
/* vectors.c - what a kernel machine has for each row of training becomes the model's: rows of zeros
 * are left out, the others are its vectors.  All is taken over, also in case of failure. */
typedef struct fxi_machine {
    double *weights;                    /* [rows][outputs] */
    double *sum;                        /* as in fx_model, rows in place of features; or NULL */
    int64_t *age;                       /* [rows][outputs]; or NULL */
} fxi_machine;
fx_status fxi_model_vectors(fxi_train *t, fxi_machine *a, const fx_run *run);
/* collapse.c - a kernel machine becomes a linear model on map `explicit`, by the key collapse.
 * check: can it, if it must, and does memory suffice?  Sets t->collapsed. */
fx_status fxi_model_collapse(fxi_train *t, const fx_run *run);
fx_status fxi_model_collapse_check(fxi_train *t, const fx_run *run);
/* [features of the map][outputs], to be freed */
fx_status fxi_model_collapse_weights(double **W, const fx_content *c, const fx_map *map,
                                     const fx_run *run);

/* ---- factors.c: the numbers of a factorization machine ------------------------------------- */
/* m->fm, of a parsed spec and of c's cols, kernel, family and base. */
fx_status fxi_model_factors_new(fx_model *m, const fxi_learning *how);
/* c.block, weights and intercepts of m->v; and m->v of those, which is how files, libFM's text and
 * linear models on maps become one.  All memory is m's. */
fx_status fxi_model_factors_keep(fx_model *m);
fx_status fxi_model_factors_take(fx_model *m, const fx_run *run);
bool fxi_model_factors_rank(const fx_content *c);       /* task=rank? */
/* S[rows][outputs], intercepts included, of rows as the model wants them. */
fx_status fxi_model_factors_score(double *S, const fx_model *m, const fx_matrix *X,
                                  const fx_run *run);
/* factors_groups.c - plan.kernel and its family into m, the order being the model's; the group of
 * each of c's columns by these, to be freed. */
fx_status fxi_model_factors_groups_keep(fx_model *m, const fx_plan *plan, const fxi_learning *how);
fx_status fxi_model_factors_groups(int32_t **out, size_t *groups, const fx_content *c,
                                   const fxi_learning *how);

/* ---- predict.c: from one row's scores ---------------------------------------------------- */
/* [classes] */
void fxi_model_predict_proba(double *p, const fx_content *c, const double *score, double *room,
                             fxi_team *team);
/* Position among the classes, or the target. */
double fxi_model_predict_label(const fx_content *c, const double *score, double *room,
                               fxi_team *team);
/* Logarithm of the probability of class k; finite. */
double fxi_model_predict_log(const fx_content *c, const double *score, size_t k, double *room,
                             fxi_team *team);
size_t fxi_model_predict_workspace(const fx_content *c);     /* numbers of room for these */
double fxi_model_predict_clip(const fx_content *c, double score);      /* of a target */

/* ---- metrics.c, evaluate.c --------------------------------------------------------------- */
/* Area under the ROC curve of score[i*stride]; y == positive are the positives. */
fx_status fxi_model_metrics_auc(double *auc, const double *y, double positive, const double *score,
                                size_t stride, const double *weight, size_t n, const fx_run *run);
/* metrics_pairs.c - share of pairs of one query (qid NULL: all) in the order of their labels. */
fx_status fxi_model_metrics_pairs(double *auc, const double *y, const double *score,
                                  const double *weight, const int64_t *qid, size_t n,
                                  const fx_run *run);
/* Of n rows with y as in fxi_labels and scores [n][outputs]; qid: of rankings, or NULL. */
fx_status fxi_model_evaluate_scores(fx_metrics *out, double *confusion, const fx_content *c,
                                    const double *y, const double *score, const double *weight,
                                    const int64_t *qid, size_t n, const fx_run *run);

/* ---- init.c: plan.init ------------------------------------------------------------------- */
fx_status fxi_model_init_check(const fxi_train *t);     /* does it fit this fit? */
void fxi_model_init(fxi_output *o);                     /* o starts there, if there is one */
/* init_factors.c - the same of factorization machines, or at random; what adagrad goes on from
 * beside its sums, into those of o. */
fx_status fxi_model_init_factors_check(const fxi_train *t);
void fxi_model_init_factors(fxi_output *o);
void fxi_model_init_factors_keep(double *state, const fxi_output *o);

enum { FXI_MODEL_SAMPLE = 1030 };       /* streams; see data/data.h */
#endif
