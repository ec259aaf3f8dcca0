/* SPDX-License-Identifier: BSD-3-Clause
 * kind.h - what the kinds of models share.
 *
 * Linear models, perceptrons and principal components have a weight for each feature (features.c).
 * Kernel machines, kernel perceptrons and kernel components have one for each row of the training
 * (vectors.c); but where the kernel is given as a matrix, or where the machine collapsed, they are
 * weights of features in the end. */
#ifndef FXI_KIND_H
#define FXI_KIND_H
#include "combos/combos.h"
#include "explain/explain.h"
#include "file/file.h"
#include "fm/fm.h"
#include "train/train.h"

#define KIND(name) extern const fxi_kind fxi_kind_##name;
#include "kind/kind.def"
#undef KIND

/* Keys that several kinds have. */
#define FXI_KEY_C         "C", "1", FXI_POSITIVE, "weight of the loss; the penalty has weight 1"
#define FXI_KEY_EPSILON   "epsilon", "0.1", FXI_NUMBER(0, INFINITY), "smaller errors cost nothing"
#define FXI_KEY_INTERCEPT \
    "intercept", "free", FXI_CHOICE("free|appended|none"), "appended: as a column"
#define FXI_KEY_CALIBRATE "calibrate", "no", FXI_CHOICE("no|yes"), "probabilities by a sigmoid"

/* Members that kinds share: those with labels and weights of features or rows; those with a weight
 * for each row. */
#define FXI_KIND_PROBA_HINT "train with calibrate=yes or model logistic"
#define FXI_KIND_WEIGHTS                                                                           \
    .proba_hint = FXI_KIND_PROBA_HINT, .fit = fxi_train_fit,                                       \
    .score = fxi_kind_weights_score, .fold_not_converged = fxi_kind_weights_fold,                  \
    .scorer = fxi_kind_features_scorer, .terms = fxi_explain_terms_weights
#define FXI_KIND_VECTORS                                                                           \
    .numbers = sizeof(fxi_vectors), .prepared = sizeof(fxi_machine), .format = 2,                  \
    .kernel = FX_MUST, .close = fxi_kind_vectors_close, .parsed = fxi_kind_vectors_file_parsed,    \
    .free = fxi_kind_vectors_free

/* ---- weights.c: a weight for each of n features or rows ------------------------------------ */
typedef struct fxi_weights {            /* fxi_train.own begins with it */
    size_t n;
    double *weights;                    /* [n][outputs] */
    double *intercepts;                 /* [outputs], the model's */
    double *sum;                        /* perceptrons: as in fxi_online, with n for features */
    int64_t *age;                       /* [n][outputs] of kernel perceptrons */
} fxi_weights;
bool fxi_kind_weights_of_rows(const fx_model *m);       /* true if it has a kernel and no map */
/* Bytes of one fit, `solver` of them its solver's, and of `numbers` numbers per weight. */
bool fxi_kind_weights_bytes(size_t *each, size_t *all, const fxi_train *t, size_t numbers,
                            size_t solver);
fx_status fxi_kind_weights_begin(fxi_train *t);
fx_status fxi_kind_weights_score(double *f, const fxi_output *o, const fxi_solution *now,
                                 const int32_t *row, size_t n, const fx_run *run);
void fxi_kind_weights_keep(fxi_output *o);
fx_status fxi_kind_weights_finish(fxi_train *t, const fx_run *run);
void fxi_kind_weights_close(fxi_train *t);
/* Output k of [n][outputs], from and to [n]. */
void fxi_kind_weights_place(double *to, const double *from, size_t n, size_t outputs, size_t k);
void fxi_kind_weights_take(double *to, const double *from, size_t n, size_t outputs, size_t k);
/* The problem of one output: o->c becomes C times the weights of rows. */
fxi_problem fxi_kind_weights_problem(fxi_output *o, double C);
/* FX_ENUMERIC if one of w[n], the intercept or the objective is not finite. */
fx_status fxi_kind_weights_finite(const fxi_output *o, const double *w, size_t n);
/* The ratio of the largest column to the smallest, by their largest numbers; `where`: a text about
 * it, if it is above FXI_KIND_MAX_SPREAD. */
#define FXI_KIND_MAX_SPREAD 1e3
double fxi_kind_weights_spread(char where[128], const fxi_train *t);
/* What to do about it; unscaled: columns are of very different sizes; alone: auto may do better. */
const char *fxi_kind_weights_suggest(const fxi_train *t, const fxi_output *o, bool unscaled,
                                     bool alone);
fx_status fxi_kind_weights_fold(const fxi_train *t, double C, size_t fold, double gap);

/* ---- found.c: products of columns, of which those with weights are found --------------------- */
enum { FXI_FOUND = 1 << 20 };           /* columns that map explicit writes out, at most */
typedef struct fxi_found_list {
    struct fxi_found_term *term;        /* [n] */
    size_t n;
} fxi_found_list;
typedef struct fxi_found {
    bool found;                         /* or written out */
    int least, order;                   /* columns of a product */
    fxi_found_list *output;             /* [outputs] */
} fxi_found;
typedef struct fxi_linear {             /* fxi_train.own of linear models */
    fxi_weights all;
    fxi_found found;
} fxi_linear;
typedef struct fxi_found_fit {          /* fxi_output.own of linear models */
    bool open;
    fxi_combos fit;
    fxi_found_list list;                /* of the last fit */
} fxi_found_fit;
/* *found: map explicit would have more columns. */
fx_status fxi_kind_found_prepare(bool *found, fxi_train *t, const fx_plan *plan);
fx_status fxi_kind_found_begin(fxi_train *t);
fx_status fxi_kind_found_solve(fxi_output *o, double C, const fx_run *run);
fx_status fxi_kind_found_score(double *f, const fxi_output *o, const int32_t *row, size_t n,
                               const fx_run *run);
void fxi_kind_found_keep(fxi_output *o);
void fxi_kind_found_release(fxi_output *o);
fx_status fxi_kind_found_finish(fxi_train *t, const fx_run *run);
void fxi_kind_found_close(fxi_train *t);

/* ---- features.c: weights of the features of rows or of a map -------------------------------- */
fx_status fxi_kind_features_prepare(fxi_train *t, const fx_plan *plan, const fx_run *run);
/* Scores, as fxi_kind.score, by the weights w of the source's features and the intercept b. */
fx_status fxi_kind_features_score(double *f, const fxi_output *o, const double *w, double b,
                                  const int32_t *row, size_t n, const fx_run *run);
/* Of vectors too, where the model has some. */
fx_status fxi_kind_features_scorer(fx_scorer *s, const fx_run *run);
fx_status fxi_kind_features_parsed(fxi_parsing *p);
/* FX_EINVAL unless plan.init has as many columns and features (of rows: columns). */
fx_status fxi_kind_features_init(const fxi_train *t);

/* ---- vectors.c, vectors_file.c, kernel.c: weights of rows of the training ------------------- */
typedef struct fxi_machine {            /* fxi_train.own of kernel machines */
    fxi_weights all;
    uint64_t cache;                     /* for kernel values, of all fits at a time */
    size_t collapsed;                   /* bytes of weights, should it collapse; 0: it will not */
    bool serial;                        /* kernel precomputed: column 0 numbers the rows */
    size_t first;                       /* rows that are vectors of init; others come after them */
    int32_t *at;                        /* or the rows that its vectors are; else NULL */
} fxi_machine;
typedef struct fxi_online {             /* fx_model.own of perceptrons */
    double *sum;                        /* [2][features + 1][outputs], the intercepts last: weights
                                         * now, then the sums of fxi_perceptron; NULL: not stored */
    uint64_t *count;                    /* [outputs] its steps */
    int64_t *age;                       /* kernel perceptron: [features][outputs] */
} fxi_online;
typedef struct fxi_vectors {            /* fx_model.own of kernel machines */
    fxi_online online;
    fx_data *data;                      /* memory of c.vectors after a fit, or NULL */
} fxi_vectors;
/* kernel.c - the kernel, precomputed rows checked; vectors of init found among the rows or else put
 * before them (join). */
fx_status fxi_kind_kernel(fxi_train *t, const fx_plan *plan, const fx_run *run);
fx_status fxi_kind_kernel_resume(fxi_train *t, const fx_run *run);
fx_status fxi_kind_kernel_join(fxi_train *t, const fx_run *run);
bool fxi_kind_kernel_given(const fx_model *m);  /* precomputed: rows are those of the matrix */
bool fxi_kind_kernel_exact(const fx_model *m);  /* features are kernel values with c.vectors */
/* kernel_measure.c - sets pair and flop; steps and support, by a fit of PILOT rows. */
enum { FXI_KIND_PILOT = 512 };
fx_status fxi_kind_kernel_measure(fxi_estimating *e, const fx_run *run);
fx_status fxi_kind_kernel_measure_pilot(fxi_estimating *e, const fx_run *run);
void fxi_kind_vectors_close(fxi_train *t);
void fxi_kind_vectors_free(fx_model *m);
double fxi_kind_vectors_peak(const fxi_estimating *e, double each, size_t rows);
fx_status fxi_kind_vectors_score(double *f, const fxi_train *t, const fxi_solution *now,
                                 fxi_row_subset x, const fx_run *run);
/* What was fitted for each row becomes the model's: rows of zeros are left out, the others are its
 * vectors. */
fx_status fxi_kind_vectors_finish(fxi_train *t, const fx_run *run);
fx_status fxi_kind_vectors_scorer(fx_scorer *s, const fx_run *run);
void fxi_kind_vectors_file_header(fxi_dumping *d);
void fxi_kind_vectors_file_dump(fxi_dumping *d);
fx_status fxi_kind_vectors_file_support(fxi_parsing *p);
fx_status fxi_kind_vectors_file_take(fxi_parsing *p);
fx_status fxi_kind_vectors_file_parsed(fxi_parsing *p);
/* collapse.c - a kernel machine becomes a linear model on map `explicit`, by the key collapse.
 * check: an error if it must and cannot, or if memory does not suffice.  Sets
 * fxi_machine.collapsed. */
enum { FXI_COLLAPSE_AUTO, FXI_COLLAPSE_NO, FXI_COLLAPSE_YES };
fx_status fxi_kind_collapse(fxi_train *t, int how, const fx_run *run);
fx_status fxi_kind_collapse_check(fxi_train *t, int how, const fx_run *run);
/* [features of the map][outputs], to be freed */
fx_status fxi_kind_collapse_weights(double **W, const fx_model_info *c, const fx_map *map,
                                    const fx_run *run);

/* ---- factors*.c: factorization machines ----------------------------------------------------- */
typedef struct fxi_factors_keys {       /* fxi_learning.own */
    fxi_fm_shape shape;                 /* all but given, group, groups */
    int solver;                         /* FXI_FM_CD, .. */
    double sd, lr;
    size_t batch;
    bool bare;
    bool clip, range;                   /* clip=train or a range; the latter */
    double low, high;                   /* of that range */
} fxi_factors_keys;
enum { FXI_FM_AUTO, FXI_FM_CD, FXI_FM_ADAGRAD, FXI_FM_LBFGS };
typedef struct fxi_factors {            /* fx_model.own */
    fxi_fm *fm;
    double *v;                          /* [outputs][fm->size] all numbers, as solvers have them;
                                         * c.block, weights, intercepts are the same for users */
    double *state;                      /* adagrad: [outputs][fm->size] sums, and after that of b
                                         * what factors_init.c puts there; else NULL */
} fxi_factors;
typedef struct fxi_factors_fit {        /* fxi_train.own */
    fx_matrix X, eval_X;                /* rows as blocks see them */
    fx_data *own, *eval_own;
    size_t patience;                    /* of the plan */
    double max_seconds;
    bool single_pass;                   /* an update: one pass, rows in their order */
    double *v;                          /* [size] of the question that rows of a pass answer */
    fxi_fm_adagrad_held *held;          /* rows of a pass that wait for others; or NULL */
} fxi_factors_fit;
typedef struct fxi_factors_state {      /* fxi_output.own */
    fxi_fm_state f, best;               /* now; with patience, the best so far */
    double best_metric, centre;         /* centre: what was taken from the targets */
    size_t since_best, iterations;      /* iterations after the best; all iterations */
    bool timed_out;                     /* stopped by its limit of time */
    double zeros;                       /* the objective of scores 0 */
    double weight;                      /* of all rows */
    bool above_zeros;                   /* it ended above that */
} fxi_factors_state;
/* factors_numbers.c - the shape, of a parsed spec and of c's cols, kernel, family and base. */
fx_status fxi_kind_factors_numbers_new(fx_model *m, const fxi_learning *how);
/* Memory of block g, zeros: P, lambda and, of a simplex, theta; without norms. */
fx_status fxi_kind_factors_numbers_block(fx_factors *out, fx_model *m, size_t g, const fx_run *run);
/* c.block, weights and intercepts of `v` of t->m; and `v` of those, which is how files, libFM's
 * text and linear models on maps become one.  All memory is m's. */
fx_status fxi_kind_factors_numbers_keep(fxi_train *t, const fx_run *run);
fx_status fxi_kind_factors_numbers_take(fx_model *m, const fx_run *run);
/* factors_groups.c - plan.kernel and its family into m, the order being the model's; the group of
 * each of c's columns by these, to be freed. */
fx_status fxi_kind_factors_groups_keep(fx_model *m, const fx_plan *plan, const fxi_learning *how);
fx_status fxi_kind_factors_groups(int32_t **out, size_t *groups, const fx_model_info *c,
                                  const fxi_learning *how);
/* factors_fit.c - before, between and after the fits of outputs. */
fx_status fxi_kind_factors_fit_prepare(fxi_train *t, const fx_plan *plan, const fx_run *run);
fx_status fxi_kind_factors_fit_update(fxi_train *t, const fx_run *run);
fx_status fxi_kind_factors_fit_eval(fxi_train *t, const fx_run *run);
fx_status fxi_kind_factors_fit_begin(fxi_train *t);
void fxi_kind_factors_fit_keep(fxi_output *o);
bool fxi_kind_factors_fit_bytes(size_t *each, size_t *all, const fxi_train *t);
void fxi_kind_factors_fit_close(fxi_train *t);
/* factors_output.c - the fit of one output; beta: what penalties of factors are multiplied by. */
bool fxi_kind_factors_output_new(fxi_output *o);
void fxi_kind_factors_output_release(fxi_output *o);
fx_status fxi_kind_factors_output(fxi_output *o, double beta, const fx_run *run);
fx_status fxi_kind_factors_output_score(double *f, const fxi_output *o, const fxi_solution *now,
                                        const int32_t *row, size_t n, const fx_run *run);
void fxi_kind_factors_output_scored(fxi_question *q, const fxi_output *o);
/* factors_pass.c - rows that come in parts. */
bool fxi_kind_factors_pass_streams(const fxi_learning *how);
bool fxi_kind_factors_pass_states(const fxi_learning *how);
fx_status fxi_kind_factors_pass_asked(fxi_answer *a, const fxi_question *q, const fxi_train *t);
fx_status fxi_kind_factors_pass_answer(fxi_answer *a, const fxi_question *q, const fxi_part *x);
fx_status fxi_kind_factors_pass_scores(double *f, const fxi_question *q, const fxi_part *x,
                                       const fx_run *run);
void fxi_kind_factors_pass_order(size_t *block, size_t blocks, const fxi_question *q,
                                 const fxi_train *t);
/* Numbers stored in all rows, as blocks see them. */
size_t fxi_kind_factors_pass_numbers(const fxi_train *t);
/* factors_summary.c */
fx_status fxi_kind_factors_summary(const fxi_train *t, const fxi_output *o);
fx_status fxi_kind_factors_summary_fold(const fxi_train *t, double C, size_t fold, double gap);
/* factors_init.c - plan.init, or a random start; the state of adagrad in addition to its sums. */
fx_status fxi_kind_factors_init(fxi_train *t, const fx_run *run);
void fxi_kind_factors_init_start(fxi_output *o);
void fxi_kind_factors_init_keep(double *state, const fxi_output *o);
/* factors_fold_in.c - can m take new columns; what these, t->fresh, need. */
fx_status fxi_kind_factors_fold_in_able(const fx_model *m);
fx_status fxi_kind_factors_fold_in(fxi_train *t, const fx_run *run);
/* factors_file.c, factors_terms.c */
void fxi_kind_factors_file_header(fxi_dumping *d);
void fxi_kind_factors_file_dump(fxi_dumping *d);
fx_status fxi_kind_factors_file_range(fxi_parsing *p);
fx_status fxi_kind_factors_file_take(fxi_parsing *p);
fx_status fxi_kind_factors_file_parsed(fxi_parsing *p);
fx_status fxi_kind_factors_terms(fxi_explain_terms *t, const fx_run *run);
#endif
