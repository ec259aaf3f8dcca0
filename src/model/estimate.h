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
    size_t *count;                      /* [classes] rows, if there are pairs; [1] all rows */
} fxi_estimating;

static inline bool fxi_estimating_smo(const fxi_train *t)
{
    return t->how.learner->kind == FXI_LOSS && t->how.learner->loss != &fxi_loss_squared;
}

/* Sets pair, flop, steps and support. */
fx_status fxi_model_estimate_measure(fxi_estimating *e, const fx_run *run);
#endif
