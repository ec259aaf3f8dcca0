/* SPDX-License-Identifier: BSD-3-Clause
 * l1.h - inside the solver with an L1 penalty: features by columns, a model of the loss. */
#ifndef FXI_FIT_L1_H
#define FXI_FIT_L1_H
#include "fit/fit.h"

/* l1_columns.c - columns in blocks, each a "row" of numbers for row.c: dense of all rows, or the
 * rows (as columns) where it is not 0.  Stored if memory allows, else computed when visited. */
typedef struct fxi_columns {
    const fxi_source *s;
    size_t width, blocks;               /* columns of a block (the last may have fewer) */
    size_t ld;                          /* of dense columns: rows, rounded up to FXI_LANES */
    bool wide;                          /* doubles */
    void *dense;                        /* [features][ld] if stored, else [width][ld] */
    bool stored;
    size_t block_held;                  /* block in `dense` if not stored */
    int64_t *ptr;                       /* [features + 1] sparse: by columns, always stored */
    int32_t *row;
    void *val;
} fxi_columns;
fx_status fxi_fit_l1_columns(fxi_columns *out, const fxi_source *s, const fx_run *run);
void fxi_fit_l1_columns_free(fxi_columns *c);
fx_status fxi_fit_l1_columns_visit(fxi_columns *c, size_t block, const fx_run *run);
fxi_row fxi_fit_l1_columns_at(const fxi_columns *c, size_t j);  /* of the block visited last */

enum { FXI_L1_PAST = 6 };
typedef struct fxi_l1 {
    const fxi_problem *p;
    const fx_run *run;
    const fxi_simd *simd;
    fxi_columns columns;
    size_t d;                           /* features */
    double *w, *u;                      /* [d+1] weights and intercept; where the step leads */
    double *g, *h, *H;                  /* [d+1] sums over rows of r z, D z, D z^2 at w */
    double *f;                          /* [rows] scores, intercept included */
    double *r, *D;                      /* [rows] c loss', updated as l1_model.c says; c loss'' */
    double *q;                          /* [rows] scores of the step */
    double *slope;                      /* [rows] r at w */
    double *past;                       /* [FXI_L1_PAST][d + rows + 2], see l1_extrapolate.c */
    double sum, B;                      /* of r as followed; step of the intercept */
    bool *active;                       /* [d] columns that are visited */
    size_t *order;                      /* [blocks + width] */
    size_t first;                       /* column of the block being measured */
    size_t left;                        /* passes */
    uint64_t models;                    /* made so far */
} fxi_l1;
/* l1_model.c */
fx_status fxi_fit_l1_model(fxi_l1 *a);                  /* r, D, g, h, H at w, f */
fx_status fxi_fit_l1_model_descend(fxi_l1 *a);          /* u, q, B */
/* l1_line.c - sum_i c_i loss(y_i, f_i + t q_i); q NULL: all 1 */
typedef struct fxi_l1_line {
    double value, slope, curve;
    double size;                        /* of the terms of slope: what rounding is relative to */
} fxi_l1_line;
fx_status fxi_fit_l1_line_at(fxi_l1_line *out, const fxi_problem *p, const double *f,
                             const double *q, double t, const fx_run *run);
/* Moves a free intercept *b to its minimiser, and the scores f with it; *at: the line there. */
fx_status fxi_fit_l1_line_intercept(fxi_l1_line *at, double *b, double *f, const fxi_problem *p,
                                    const fx_run *run);
/* l1_extrapolate.c - call after this many sweeps; 0: before the first */
void fxi_fit_l1_extrapolate(fxi_l1 *a, size_t sweeps);
#endif
