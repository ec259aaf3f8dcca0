/* SPDX-License-Identifier: BSD-3-Clause
 * gradient.h - between gradient_pass.c and gradient_wide.c, which add rows to an answer. */
#ifndef FXI_FM_GRADIENT_H
#define FXI_FM_GRADIENT_H
#include "fm/fm.h"

typedef struct fxi_fm_deriving {
    const fxi_fm_problem *p;
    const fxi_question *q;
    const fx_run *run;
    size_t panels, entries;             /* panels of all blocks; most entries in a row */
    size_t kept;                        /* panels whose derivatives g has: all, or one if wide */
    double *K;                          /* [threads][kept][FXI_LANES] */
    double *g;                          /* [threads][kept][entries][FXI_LANES] */
    double *slope;                      /* [rows] wide */
    double (*part)[3];                  /* wide: sums of blocks of rows */
    fxi_fm_workspace **workspace;       /* [threads], in scratch */
    fxi_scratch scratch;
} fxi_fm_deriving;

/* Of a row with this slope: what it adds to G for panel i, whose K and derivatives are known. */
void fxi_fm_gradient_pass_panel(double *G, const fxi_fm_deriving *a, const fxi_fm_entries *row,
                                double slope, size_t i, const double *K, const double *g);
void fxi_fm_gradient_pass_linear(double *G, const fxi_fm *fm, const fxi_fm_entries *row,
                                 double slope);
/* hofm-simplex: theta_t takes sum_s lambda_s anova_t(p_s, x) of the last value. */
void fxi_fm_gradient_pass_orders(double *theta, const fxi_fm_workspace *w, const double *lambda,
                                 int order);

/* gradient_wide.c */
enum { FXI_FM_WIDE_ROWS = 256 };        /* of a block */
fxi_pass_rows fxi_fm_gradient_wide;
#endif
