/* SPDX-License-Identifier: BSD-3-Clause
 * model.h - inside the library: what a model is, the table of kinds, and what is the same for every
 * kind: specs, labels, rows as a model expects them, predictions, metrics. */
#ifndef FXI_MODEL_H
#define FXI_MODEL_H
#include "fit/newton.h"
#include "fit/pca.h"
#include "metric/metric.h"

/* ---- Models and kinds --------------------------------------------------------------------- */
typedef struct fxi_kind fxi_kind;
typedef struct fxi_learner {            /* a line of the table of models */
    const char *name, *help;            /* one line, without the keys */
    const fx_key *keys;
    const fxi_loss *loss;               /* NULL: none, or a key chooses it */
    int form;                           /* for the kind, which has several models */
    const char *on_map;                 /* model to use instead on a map's features; or NULL */
} fxi_learner;

typedef enum fxi_task { FXI_CLASSIFY, FXI_REGRESS, FXI_RANK, FXI_NO_LABELS } fxi_task;
typedef struct fxi_learning {           /* a model spec, parsed */
    const fxi_kind *kind;
    const fxi_learner *learner;
    fxi_task task;
    const fxi_loss *loss;               /* resolved; NULL: none */
    double C, tol;
    size_t max_iter;
    size_t components;                  /* outputs, if there are no labels; else 0 */
    fxi_intercept intercept;
    bool calibrate;
    bool unstored;                      /* the solver computes the features it needs itself */
    char *spec;                         /* complete */
    void *own;                          /* the kind's other keys */
} fxi_learning;
/* learner.c - fxi_model_learner_free also after a failure. */
fx_status fxi_model_learner(fxi_learning *out, const char *spec);
void fxi_model_learner_free(fxi_learning *l);
/* fxi_spec_expand of models. */
fx_status fxi_model_learner_expand(char **out, const char **sets, const char *spec);
fx_description fxi_model_learner_line(size_t i);        /* line i of the table of models */
/* All but the spec, of that line. */
fx_status fxi_model_learner_read(fxi_learning *out, size_t which, const fxi_spec *s);
/* Values of keys that were checked; 0, or what is said otherwise, if the model has no such key. */
double fxi_model_learner_number(const fxi_learning *l, const fxi_spec *s, const char *key,
                                double otherwise);
int fxi_model_learner_choice(const fxi_learning *l, const fxi_spec *s, const char *key);
size_t fxi_model_learner_count(const fxi_learning *l, const fxi_spec *s, const char *key);

struct fx_model {
    fx_model_info c;                    /* the view that fx_model_inspect gives out */
    const fxi_kind *kind;
    const fxi_learner *learner;         /* its line of the table */
    fxi_task task;
    void *own;                          /* the kind's other numbers */
    fx_kernel *kernel;                  /* made of c's specs */
    fx_map *map;
    void **owned;                       /* everything that c and `own` point to */
    size_t owns;
    atomic_size_t shared;               /* owners in addition to the first: scorers */
};
fx_model *fxi_model_new(void);          /* NULL with the error set */
fx_model *fxi_model_share(const fx_model *m);   /* adds an owner, who must free it, too */
fx_status fxi_model_become(fx_model *m, const fxi_learning *how);       /* sets what follows c */
fx_status fxi_model_own(fx_model *m, void *p);  /* as fxi_data_own */
/* How many outputs the classes make, into c; FX_ESHAPE: too many. */
fx_status fxi_model_outputs(fx_model_info *c, const fxi_learning *how);
/* Given c's specs, seed, cols, random: makes kernel and map, checks that they fit together. */
fx_status fxi_model_ready(fx_model *m, const fx_run *run);
/* keep.c - copies of numbers, a text (unless it is "") and n texts for m, if they are not NULL. */
fx_status fxi_model_keep(const double **out, fx_model *m, const double *from, size_t bytes);
fx_status fxi_model_keep_text(const char **out, fx_model *m, const char *text);
fx_status fxi_model_keep_texts(const char *const **out, fx_model *m, const char *const *text,
                               size_t n);
/* All of c that is the same for every kind: without weights, seen columns and the history. */
fx_status fxi_model_keep_content(fx_model *m, const fx_model_info *from);

/* scorer.c - how rows are scored, made once from a model.  The kind fills in what is after simd. */
struct fx_scorer {
    const fx_model *m;
    fxi_missing missing;
    fx_scale *scale;                    /* NULL: none */
    bool brief;                         /* for a few rows: vectors need not be packed before */
    fxi_scratch_pool *pool;             /* for the threads that are inside a call */
    const fxi_simd *simd;
    size_t numbers, rows;               /* of a chunk, at most */
    double work;                        /* multiply-adds per row, if chunks are made smaller so that
                                         * every thread has one; else 0 */
    const double *intercepts;           /* to be added; NULL: they are in the scores */
    void *own;                          /* what `score` needs */
    void (*close)(void *own);           /* frees it */
    /* S[rows][outputs] of rows as the model expects them, on the thread of this block; run: its
     * memory limit. */
    fx_status (*score)(double *S, const fx_scorer *s, const fx_matrix *X, fxi_scratch *scratch,
                       const fx_run *run, fxi_team *team);
};
/* The same in the caller's memory, for at most `rows` rows.  Call close also after a failure. */
fx_status fxi_model_scorer_open(fx_scorer *s, const fx_model *m, size_t rows, const fx_run *run);
void fxi_model_scorer_close(fx_scorer *s);

/* A kind of model: what differs between models that are fitted, scored and stored in different
 * ways.  A file of src/kind fills it (components.c and perceptron.c two: of features and of rows);
 * everything else calls it.  Only functions whose comment says so may be NULL. */
typedef struct fxi_train fxi_train;             /* train/train.h */
typedef struct fxi_output fxi_output;
typedef struct fxi_part fxi_part;
typedef struct fxi_estimating fxi_estimating;
typedef struct fxi_explain_terms fxi_explain_terms;     /* explain/explain.h */
typedef struct fxi_dumping fxi_dumping;         /* file/file.h */
typedef struct fxi_parsing fxi_parsing;
struct fxi_kind {
    const char *name;
    const fxi_learner *learner;         /* its models; ends with a name NULL */
    /* Bytes of `own` in a spec, a model, a prepared fit and the fit of one output. */
    size_t options, numbers, prepared, state;
    const char *path;                   /* key of the penalty along a path of fits; or NULL */
    bool pairs;                         /* several classes: an output for each pair of them */
    bool combines;                      /* its factors combine columns: it needs no map */
    bool mistakes;                      /* its objective counts them, its iterations are passes */
    bool measured;                      /* has plan.metric, plan.patience, plan.max_seconds */
    bool columns;                       /* remembers which columns an earlier model saw .. */
    bool widens;                        /* .. and takes one with fewer columns */
    int format;                         /* of its files: the first that has such models */
    const char *proba_hint;             /* how to get probabilities of classes */
    fx_need kernel, map;                /* of all its models; `describe` may change it */

    /* Reads keys into l, which has C, tol, max-iter, intercept and calibrate already, and l->own.
     * complete: the spec as it was resolved; or NULL. */
    fx_status (*read)(fxi_learning *l, const fxi_spec *s);
    char *(*complete)(const fxi_learning *l, const fxi_spec *s);
    /* What differs by spec: tasks if there are several, kernel, updatable, cached; or NULL. */
    void (*describe)(fx_description *d, const fxi_learning *l);

    /* Before a fit: kernel, map and features by the plan; rows to measure on (or NULL); plan.init,
     * or NULL: it cannot start from a model. */
    fx_status (*prepare)(fxi_train *t, const fx_plan *plan, const fx_run *run);
    fx_status (*prepare_eval)(fxi_train *t, const fx_run *run);
    fx_status (*init)(fxi_train *t, const fx_run *run);
    /* Bytes of the arrays of one fit, and of what all fits leave; false: too many.  share: divides
     * what the memory limit leaves; or NULL. */
    bool (*bytes)(size_t *each, size_t *all, const fxi_train *t);
    void (*share)(fxi_train *t, const fx_plan *plan, uint64_t left, size_t each, const fx_run *run);
    void (*close)(fxi_train *t);        /* frees what t->own points to; or NULL */

    /* The fit: fxi_train_fit, which calls what follows, or one without outputs: then what
     * follows, down to fold_not_converged, is NULL. */
    fx_status (*fit)(fxi_train *t, const fx_run *run);
    fx_status (*begin)(fxi_train *t);           /* memory for what all outputs leave */
    bool (*allocate)(fxi_output *o);            /* one output, at zeros */
    void (*start)(fxi_output *o);               /* from plan.init; or NULL */
    fx_status (*solve)(fxi_output *o, double C, const fx_run *run);
    /* Scores f[n] by a fit that is running: of rows row[n], or (row NULL) of all of plan.eval. */
    fx_status (*score)(double *f, const fxi_output *o, const fxi_solution *now, const int32_t *row,
                       size_t n, const fx_run *run);
    void (*keep)(fxi_output *o);                /* into what `begin` allocated */
    void (*release)(fxi_output *o);             /* frees its arrays; or NULL */
    fx_status (*finish)(fxi_train *t, const fx_run *run);       /* all of it into the model */
    /* FX_NOT_CONVERGED or the like for an output (NULL: it always converges) and for a fit of a
     * path; the detail suggests what to change. */
    fx_status (*not_converged)(const fxi_train *t, const fxi_output *o);
    fx_status (*fold_not_converged)(const fxi_train *t, double C, size_t fold, double gap);

    /* True if a fit by this spec asks for passes over rows, which need not be in memory then; or
     * NULL: never.  Then: begins the answer to a question, adds rows of a part to it; of a state:
     * the order in which it gets the blocks of rows (or NULL: that of the data).  `states`: are
     * answers states (or NULL: they are sums)? */
    bool (*streams)(const fxi_learning *l);
    bool (*states)(const fxi_learning *l);
    fx_status (*asked)(fxi_answer *a, const fxi_question *q, const fxi_train *t);
    fx_status (*answer)(fxi_answer *a, const fxi_question *q, const fxi_part *x);
    void (*order)(size_t *block, size_t blocks, const fxi_question *q, const fxi_train *t);
    /* What a question for the scores of a fit carries; scores of all rows of a part by that.  Both
     * NULL: no path. */
    void (*scored)(fxi_question *q, const fxi_output *o);
    fx_status (*scores)(double *f, const fxi_question *q, const fxi_part *x, const fx_run *run);
    /* More rows: true if m can resume (or NULL: never), and what that needs besides rows
     * (or NULL: nothing). */
    bool (*updatable)(const fx_model *m);
    fx_status (*update)(fxi_train *t, const fx_run *run);
    /* New columns, t->fresh, while all else stays: why m cannot take them (or NULL: it never can),
     * and what their fit needs. */
    fx_status (*foldable)(const fx_model *m);
    fx_status (*fold_in)(fxi_train *t, const fx_run *run);
    /* An estimate: `measure` times what the fit is made of; seconds of a fit with n rows, by that;
     * bytes of the fits that run at a time, `each` for one, or of what the model keeps if that is
     * more.  All three or none. */
    fx_status (*measure)(fxi_estimating *e, const fx_run *run);
    double (*seconds)(const fxi_estimating *e, double n);
    double (*peak)(const fxi_estimating *e, double each, size_t rows);

    /* The model: its scorer, its terms for explain, its header and arrays in a file. */
    fx_status (*scorer)(fx_scorer *s, const fx_run *run);
    fx_status (*terms)(fxi_explain_terms *t, const fx_run *run);
    void (*dump_header)(fxi_dumping *d);        /* or NULL */
    void (*dump_arrays)(fxi_dumping *d);        /* or NULL */
    fx_status (*parse_header)(fxi_parsing *p);  /* or NULL */
    fx_status (*parse_arrays)(fxi_parsing *p);  /* or NULL */
    fx_status (*parsed)(fxi_parsing *p);        /* checks it and makes what is not stored */
    void (*free)(fx_model *m);                  /* memory of m->own that m does not own; or NULL */
};
/* kind/kind.c - all kinds, NULL after the last; for messages: the models that can do what this one
 * cannot. */
extern const fxi_kind *const fxi_kinds[];
extern const struct fxi_kinds_can {
    const char *measure, *init, *update, *fold_in, *estimate, *stream;
} fxi_kinds_can;

/* ---- labels.c: what is to be learnt ------------------------------------------------------ */
typedef struct fxi_labels {
    size_t classes;                     /* 0: targets */
    double *y;                          /* [rows] position among the classes, or the target */
    double *weight;                     /* [rows] of the table, times that of the class */
    double *value;                      /* [classes] ascending: labels as in the table */
    double *class_weight;               /* [classes]; or NULL: all 1 */
} fxi_labels;
/* Classes are the distinct labels of rows of positive weight, and those of the plan. */
fx_status fxi_model_labels(fxi_labels *out, const fx_table *t, bool regress, const fx_plan *plan,
                           const fx_run *run);
/* Weights alone, for models that need no labels. */
fx_status fxi_model_labels_none(fxi_labels *out, const fx_table *t, const fx_plan *plan,
                                const fx_run *run);
/* The labels of t among the classes of a model; an unknown one is FX_EINVAL. */
fx_status fxi_model_labels_known(fxi_labels *out, const fx_model_info *c, const fx_table *t,
                                 const fx_run *run);
void fxi_model_labels_free(fxi_labels *l);
/* class_weight.c - weights of rows times those of their classes; what class k is called. */
fx_status fxi_model_class_weight_sums(fxi_sum *exact, const double *y, const double *weight,
                                      size_t rows, size_t classes);
fx_status fxi_model_class_weight(fxi_labels *l, const fx_table *t, const char *given);
const char *fxi_model_class_weight_name(char buf[32], const fxi_labels *l, const fx_table *t,
                                        size_t k);

/* ---- pairs.c, couple.c: an output for each pair of classes --------------------------------- */
bool fxi_model_pairs(size_t *out, size_t classes);      /* how many there are, if that fits */
/* The classes first < second of output `number`. */
void fxi_model_pairs_of(size_t *first, size_t *second, size_t classes, size_t number);
size_t fxi_model_pairs_number(size_t classes, size_t first, size_t second);     /* the other way */
/* y of output `number` for a row of this class: +1, -1, or 0: the row is of neither class. */
double fxi_model_pairs_sign(const fx_model_info *c, size_t number, size_t class);
/* Votes of one row's scores, or sums of its scores for each class, to v[classes]. */
void fxi_model_pairs_vote(double *v, const fx_model_info *c, const double *score);
void fxi_model_pairs_sum(double *v, const fx_model_info *c, const double *score);
/* p[classes] that fit r[pairs], the probabilities of the second of two classes, best; work
 * holds 2 classes numbers. */
void fxi_model_couple(double *p, const double *r, size_t classes, double *work, fxi_team *team);

/* ---- rows.c: rows as a model expects them ------------------------------------------------ */
/* Rows [first, first + n) of X, checked: as wide as the model of c, without columns that are not
 * `seen` (NULL: all are), scaled by `scale` (NULL: not), in scratch where something changes.
 * *unseen grows by what was left out. */
fx_status fxi_model_rows(fx_matrix *view, uint64_t *unseen, const fx_model_info *c,
                         const unsigned char *seen, const fx_scale *scale, const fx_matrix *X,
                         size_t first, size_t n, fxi_scratch *scratch, const fx_run *run,
                         fxi_team *team);
/* The same without the columns that c->seen leaves out, after what is missing was filled. */
fx_status fxi_model_rows_filled(fx_matrix *view, uint64_t *unseen, const fx_model_info *c,
                                const fxi_missing *missing, const fx_scale *scale,
                                const fx_matrix *X, size_t first, size_t n, fxi_scratch *scratch,
                                const fx_run *run, fxi_team *team);
fx_matrix fxi_model_rows_of(const fx_matrix *X, size_t first, size_t n);        /* a view of them */
/* The scaling that a model holds; NULL for none. */
fx_status fxi_model_rows_scale(fx_scale **out, const fx_model_info *c);
/* All of t, in which nothing is missing, prepared as fxi_model_rows does for the model of c; *own
 * holds what is a copy. */
fx_status fxi_model_rows_table(fx_matrix *view, fx_data **own, const fx_model_info *c,
                               const unsigned char *seen, const fx_table *t, const fx_run *run);
/* All of t as one block; *own holds it if it is a copy. */
fx_status fxi_model_rows_join(fx_matrix *view, fx_data **own, const fx_table *t, const fx_run *run);

/* ---- missing.c: rows without missing values ----------------------------------------------- */
fxi_missing fxi_model_missing(const fx_model_info *c);  /* how the model of c fills them */
/* t, checked, as the model of c fills it: c->cols wide where there are indicators, without rows
 * that it leaves out.  Labels, weights and queries go with the rows; *own holds what is a copy. */
fx_status fxi_model_missing_table(fx_table *out, fx_data **own, const fx_model_info *c,
                                  const fx_table *t, const fx_run *run);
/* The same where t was checked before. */
fx_status fxi_model_missing_fill(fx_table *out, fx_data **own, const fx_model_info *c,
                                 const fx_table *t, const fx_run *run);

/* ---- predict.c: from one row's scores ---------------------------------------------------- */
/* [classes] */
void fxi_model_predict_proba(double *p, const fx_model_info *c, const double *score, double *work,
                             fxi_team *team);
/* Position among the classes, or the target. */
double fxi_model_predict_label(const fx_model_info *c, const double *score, double *work,
                               fxi_team *team);
/* Logarithm of the probability of class k; finite. */
double fxi_model_predict_log(const fx_model_info *c, const double *score, size_t k, double *work,
                             fxi_team *team);
size_t fxi_model_predict_workspace(const fx_model_info *c);        /* numbers in `work` of these */
double fxi_model_predict_clip(const fx_model_info *c, double score);      /* of a target */

/* ---- metrics.c, evaluate.c, evaluator.c --------------------------------------------------- */
fx_metrics fxi_model_metrics_none(size_t rows);         /* all NaN */
/* Of n rows with y as in fxi_labels and scores [n][outputs]; qid: of rankings, or NULL; metric:
 * that of out->metric, checked, or NULL. */
fx_status fxi_model_evaluate_scores(fx_metrics *out, double *confusion, const fxi_metric *metric,
                                    const fx_model *m, const double *y, const double *score,
                                    const double *weight, const int64_t *qid, size_t n,
                                    const fx_run *run);
typedef struct fxi_evaluation {         /* from scores to what metrics need */
    const fx_model_info *c;
    const double *y, *score;
    size_t n;
    double *work;                       /* of one row */
    double *label, *log, *sum;          /* [n] predicted; [n] or NULL; [n][classes] or NULL */
} fxi_evaluation;
/* r: what metrics take; it points into e and to what is given.  Close e also after a failure. */
fx_status fxi_model_evaluate_open(fxi_evaluation *e, fxi_metric_rows *r, const fx_model *m,
                                  const double *y, const double *score, const double *weight,
                                  const int64_t *qid, size_t n, const fx_run *run);
void fxi_model_evaluate_close(fxi_evaluation *e);

struct fx_evaluator {
    const fx_model *m;
    fx_scorer scorer;
    fxi_metric_sums sums;
    bool kept;                          /* are the arrays needed? */
    bool weighted, queried;             /* had rows weights, queries? */
    size_t n, capacity, width;          /* rows that were added */
    double *y, *label, *score;          /* [n], rankings: no label; [n][width] */
    double *weight;                     /* or NULL */
    int64_t *qid;                       /* or NULL */
    uint64_t limit;                     /* of memory, which was reached: rows are counted; or 0 */
    fxi_metric_count *count;            /* [classes] if rows are not kept, else NULL .. */
    double *confusion;                  /* .. [classes][classes], or NULL: there are too many */
};
/* rows: how many to expect.  Nothing is to be closed after a failure. */
fx_status fxi_model_evaluator_open(fx_evaluator *e, const fx_model *m, size_t rows,
                                   const fx_run *run);
void fxi_model_evaluator_close(fx_evaluator *e);
fx_status fxi_model_evaluator_check(const fx_metrics *out, const double *confusion,
                                    const fx_evaluator *e);
fx_status fxi_model_evaluator_named(fxi_metric *metric, const char *const *name, size_t n,
                                    const fx_evaluator *e);

#endif
