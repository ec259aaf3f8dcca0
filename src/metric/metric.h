/* SPDX-License-Identifier: BSD-3-Clause
 * metric.h - how good predictions are: metrics by name (metric.def), each a function of labels,
 * predictions and weights. */
#ifndef FXI_METRIC_H
#define FXI_METRIC_H
#include "base/base.h"

/* Rows with their labels and predictions.  A row of weight 0 has no effect. */
typedef struct fxi_metric_rows {
    size_t n;
    size_t classes;                     /* 0: targets, or a ranking */
    const double *y;                    /* [n] position among the classes, target, or relevance */
    const double *label;                /* [n] predicted, in the same terms; rankings: NULL */
    const double *score;                /* [n][width] of each class, or of the second of two; of
                                         * rankings, to order by; targets: NULL */
    size_t width;
    const double *log;                  /* [n] logarithm of the probability of y; NULL: none */
    const double *weight;               /* [n]; NULL: all 1 */
    const int64_t *qid;                 /* [n] queries of a ranking; NULL: one */
} fxi_metric_rows;
/* NaN in *out: not defined for these rows.  k: the number after @. */
typedef fx_status fxi_metric_function(double *out, const fxi_metric_rows *r, size_t k,
                                      const fx_run *run);

/* metric.c - the table */
typedef struct fxi_metric_type {
    const char *name;                   /* "ndcg@10": any number may follow @ */
    fxi_metric_function *of;
    int tasks;                          /* FX_TASK_.. */
    bool falls;                         /* less is better */
    bool two;                           /* of two classes, not of more */
    bool probabilities;                 /* needs them */
    const char *help;
} fxi_metric_type;
typedef struct fxi_metric {
    const fxi_metric_type *type;
    size_t k;                           /* number after @; else SIZE_MAX */
} fxi_metric;
fx_status fxi_metric_parse(fxi_metric *out, const char *name);
/* FX_EINVAL with the reason if it is not defined for a model of this task (FX_TASK_..), classes (0:
 * not known yet) and probabilities. */
fx_status fxi_metric_check(const fxi_metric *m, int task, size_t classes, bool probabilities);
fx_status fxi_metric_of(double *out, const fxi_metric *m, const fxi_metric_rows *r,
                        const fx_run *run);
double fxi_metric_weight(const fxi_metric_rows *r, size_t i);

/* mean.c */
fxi_metric_function fxi_metric_mean_accuracy, fxi_metric_mean_logloss, fxi_metric_mean_rmse;
typedef struct fxi_metric_sums {        /* over rows, which may come in parts; zeros: none yet */
    double weight, right, log, square;
} fxi_metric_sums;
void fxi_metric_mean_add(fxi_metric_sums *s, const fxi_metric_rows *r);
bool fxi_metric_mean_of(double *out, const fxi_metric *m, const fxi_metric_sums *s); /* is it
                                                                                      * one? */
/* ranked.c - by the order of scores, of each class against the rest; auc of rankings: pairs.c */
fxi_metric_function fxi_metric_ranked_auc, fxi_metric_ranked_precision;
/* pairs.c - share of pairs of rows of one query in the order of their labels */
fxi_metric_function fxi_metric_pairs;
/* counts.c - precision, recall and F1 of predicted classes */
typedef struct fxi_metric_count {       /* of a class; over rows, which may come in parts */
    double rows, predicted, hits;
} fxi_metric_count;
void fxi_metric_counts_add(fxi_metric_count *c, const fxi_metric_rows *r);      /* c[classes] */
bool fxi_metric_counts_of(double *out, const fxi_metric *m, const fxi_metric_count *c,
                          size_t classes);      /* is it one? */
fxi_metric_function fxi_metric_counts_precision, fxi_metric_counts_precision_macro,
    fxi_metric_counts_precision_micro, fxi_metric_counts_recall, fxi_metric_counts_recall_macro,
    fxi_metric_counts_recall_micro, fxi_metric_counts_f1, fxi_metric_counts_f1_macro,
    fxi_metric_counts_f1_micro;
/* top.c - of rankings: the k best rows of each query */
fxi_metric_function fxi_metric_top_ndcg, fxi_metric_top_precision, fxi_metric_top_recall;
#endif
