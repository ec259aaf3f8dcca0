/* SPDX-License-Identifier: BSD-3-Clause
 * selection.h - the candidates: candidates.c enters them, selection.c measures them on rows that
 * selection_rows.c draws. */
#ifndef SELECTION_H
#define SELECTION_H
#include "models.h"

enum { SELECTION_CANDIDATES = 16, SELECTION_COSTS = 15, SELECTION_FIRST = 7, SELECTION_FOLDS = 5 };
/* Limit on the operations of the choice, without the simplest candidate: about ten seconds on one
 * core. */
#define SELECTION_OPS 1e10
#define SELECTION_FOUND 0.25            /* at most this share of it for products that are found */

typedef struct candidate {
    const char *kernel, *map;           /* NULL: rows as they are; map NULL: a kernel machine */
    const char *penalty;                /* NULL: as the options have it */
    double features;                    /* of products, perhaps more than a model may have */
    double work;                        /* of a pass: features that are not 0, and weights */
    double ops;                         /* of a fit, counted: passes of all outputs and folds */
    size_t max_iter;                    /* of the fits that are measured; 0: as all */
    double got[SELECTION_COSTS];        /* scores along the path of C */
    size_t tried;                       /* so many of them */
    double C, score, seconds;           /* the best */
    double auc;                         /* the largest, of classes */
    bool failed;                        /* it could not be fitted: it does not take part */
    bool stopped;                       /* larger C would take too long */
    bool flat, rising, falling;         /* the path so far; falling: or long past its best */
} candidate;

typedef struct candidate_set {
    selection *c;
    const training *of;
    fx_plan plan;                       /* what is given */
    fx_table t;                         /* rows that are used */
    fx_run run;                         /* of the fits */
    size_t all;                         /* rows of the data */
    int32_t *fold;
    int folds;                          /* that are held out in turn */
    size_t held_out;                    /* rows */
    size_t outputs;                     /* that are fitted, one for each of several classes */
    double C[SELECTION_COSTS];
    size_t costs, first;                /* values of C; those that every candidate is tried with */
    double ops;                         /* of the fits so far */
    candidate list[SELECTION_CANDIDATES];
    size_t n;
} candidate_set;

/* selection_rows.c - sets t, all and makes fold; *part: memory of t, or NULL. */
int selection_rows(fx_data **part, candidate_set *k, training *of);
/* Sets folds and held_out; 0: there are too few rows, or classes. */
int selection_hold_out(candidate_set *k);

void candidates_enter(candidate_set *k);
void candidates_bound(candidate_set *k); /* leaves out and reports what would take too long */
#endif
