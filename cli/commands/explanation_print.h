/* SPDX-License-Identifier: BSD-3-Clause
 * explanation_print.h - what explain found, as a table, as CSV, as JSON and as bars. */
#ifndef EXPLANATION_PRINT_H
#define EXPLANATION_PRINT_H
#include "figures/figures.h"
#include "models/models.h"

typedef struct explained {
    const fx_model_info *c;
    const loaded *X;                    /* rows that were given; name NULL: none */
    uint64_t row;                       /* the row that is explained, from 1; 0: none .. */
    fx_table one;                       /* .. and it alone */
    uint64_t order, support;            /* options of the search */
    bool unsupported, by_importance;
    double effort;                      /* limit of the search */
    double prediction;                  /* for that row */
    fx_explanation **e;                 /* [n], one for each score */
    size_t n;
    bool all;                           /* --output all: list every score */
} explained;

int explanation_print(const explained *x);
int explanation_print_csv(const explained *x);
int explanation_print_json(const explained *x);
/* Bars of the first combinations of one score, on an open plot. */
int explanation_plot(plot *p, const char *path, const explained *x);
#endif
