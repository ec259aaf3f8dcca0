/* SPDX-License-Identifier: BSD-3-Clause
 * train_report.h - what train did, as text and JSON, and the lines of --history. */
#ifndef TRAIN_REPORT_H
#define TRAIN_REPORT_H
#include "models/models.h"

typedef struct train_scores {
    uint64_t folds;                     /* of --folds; 0: none */
    double mean, sd;                    /* over the folds */
    bool evaluated;                     /* on the eval set .. */
    size_t rows;                        /* .. of so many rows */
    double eval;                        /* NaN: there is no such score for this model */
} train_scores;

int train_report(FILE *f, const training *t, const selection *chosen, const train_scores *scores);
int train_report_json(const training *t, const selection *chosen, const train_scores *scores);
int train_report_plan(const training *t, const selection *chosen);      /* what would be fitted */
int train_report_history(const fx_model *m, output *o);
#endif
