/* SPDX-License-Identifier: BSD-3-Clause
 * trial.h - rows in parts, and one fit measured on them: what compare and reproduce stand on. */
#ifndef TRIAL_H
#define TRIAL_H
#include "cli.h"

/* ---- Rows in parts --------------------------------------------------------------------------
 * A model is fitted on train, its C (or beta) chosen on valid, and measured on test. */
typedef struct parts {
    fx_data *data[3];                   /* what train, valid, test are views of; may be NULL */
    fx_table train, valid, test;        /* valid.rows may be 0 */
    fx_data *joined;                    /* train, then valid: made when C is first chosen */
    int32_t *fold;                      /* of joined: -1 only to train on */
    bool regress;                       /* labels are numbers */
} parts;
/* By seed: shares of the rows for validation and test, within each class if labels are classes. */
int parts_split(parts *p, const fx_table *t, double valid, double test, bool regress,
                uint64_t seed);
fx_status parts_join(parts *p);         /* makes joined, and room for fold */
void parts_free(parts *p);

/* ---- One fit, measured ---------------------------------------------------------------------- */
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
trial trial_none(void);                 /* nothing measured: all figures are NaN */
/* The best of C[0..n), ascending, on the validation rows (folds == 1), or in the mean over so many
 * folds of train and valid together, dealt by plan->seed: warm starts along them, features made
 * once.  Of factorization machines the numbers multiply beta.  Of equals the strongest penalty is
 * taken.  metric: of METRIC_NAMES.  n == 1: nothing is fitted, *C is taken, *score is NaN. */
int trial_choose(double *best, double *score, const fx_plan *plan, const double *C, size_t n,
                 parts *p, int folds, const char *metric);
/* plan with C (or beta times C) in its model.  spec: room for it, which plan->model points to. */
int trial_cost(fx_plan *plan, char spec[FITTING_SPEC], double C);
/* Fits on train (`all`: on train and valid), measures on test.  *model may be NULL: not wanted. */
int trial_run(trial *out, fx_model **model, const fx_plan *plan, parts *p, bool all);
/* Both without a word, for those that go on after a failure: the library's status. */
fx_status trial_path(double *best, double *score, const fx_plan *plan, const double *C, size_t n,
                     parts *p, int folds, const char *metric);
fx_status trial_fit(trial *out, fx_model **model, const fx_plan *plan, parts *p, bool all);
#endif
