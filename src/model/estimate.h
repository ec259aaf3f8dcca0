/* SPDX-License-Identifier: BSD-3-Clause
 * estimate.h - between estimate.c and estimate_measure.c. */
#ifndef FXI_MODEL_ESTIMATE_H
#define FXI_MODEL_ESTIMATE_H
#include "model/model.h"

enum { FXI_ESTIMATE_PILOT = 512 };      /* rows of the pilot fit */

typedef struct fxi_estimating {
    fxi_train *t;
    double pair, flop;                  /* seconds */
    double steps, support;              /* of the pilot: a row; share of rows */
    /* Sizes of classes, if there are pairs, else of all rows together: each that occurs,
     * descending, and how often.  n rows have at most sqrt(2 n) of them. */
    struct fxi_estimate_size {
        size_t rows, times;
    } * size;
    size_t sizes;
} fxi_estimating;

static inline bool fxi_estimating_smo(const fxi_train *t)
{
    return t->how.learner->kind == FXI_LOSS && t->how.learner->loss != &fxi_loss_squared;
}

/* Sets pair, flop, steps and support. */
fx_status fxi_model_estimate_measure(fxi_estimating *e, const fx_run *run);
#endif
