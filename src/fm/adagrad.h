/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad.h - inside fm: rows a few at a time, mini-batches, AdaGrad's step. */
#ifndef FXI_FM_ADAGRAD_H
#define FXI_FM_ADAGRAD_H
#include "fm/fm.h"

#define FXI_FM_ADAGRAD_EPSILON 1e-16    /* v -= lr g/sqrt(sum of g^2 + epsilon) */
#define FXI_FM_ADAGRAD_SMALL \
    1e-140 /* gradients below it are 0: their squares would be
                                         * denormal numbers */

enum { FXI_FM_ADAGRAD_ROWS = 16 };

/* A few rows, held together until the slopes of their losses are known. */
typedef struct fxi_fm_adagrad_rows {
    const fxi_fm *fm;
    const fx_matrix *X;
    const fxi_simd *simd;
    fxi_team *team;
    bool fast;                          /* by adagrad_hot.c, else by row.c */
    bool subtracts;                     /* fast: order 2 may subtract, because no number is large */
    bool ones;                          /* all numbers of rows are known to be 1 */
    bool together;                      /* weights are visited together with order 2 */
    size_t max_rows, rows;              /* how many at a time; how many there are */
    size_t capacity;                    /* entries of max_rows rows */
    const size_t *start;                /* entries of row r: from start[r] - start[0] on .. */
    const double *x;                    /* .. numbers other than 0 .. */
    const int32_t *col;                 /* .. and their columns, as blocks see them */
    double f[FXI_FM_ADAGRAD_ROWS];      /* scores */
    double by[FXI_FM_ADAGRAD_ROWS];     /* slopes */
    double *g;                          /* [blocks][panels][capacity][FXI_LANES] derivatives */
    double *table;                      /* fast: of adagrad_hot.c */
    fxi_fm_workspace *workspace;        /* not fast; in scratch */
    fxi_scratch scratch;
    double *K;                          /* [max_rows][blocks][panels][FXI_LANES], not fast */
    double (*theta)[FX_ORDER_MAX];      /* [max_rows] df/dtheta, not fast */
    size_t *own_start;                  /* rows packed in here: [max_rows + 1], [capacity] */
    double *own_x;
    int32_t *own_col;
    unsigned char *touched;             /* [cols] */
    int32_t *list, *front;              /* columns touched, without constants; constants */
    size_t listed, fronts;
    size_t since;                       /* work since the last poll for cancellation */
} fxi_fm_adagrad_rows;

/* adagrad_rows.c - entries: the largest number of entries in a row of X. */
fx_status fxi_fm_adagrad_rows_new(fxi_fm_adagrad_rows *a, const fxi_fm *fm, const fx_matrix *X,
                                  size_t entries);
void fxi_fm_adagrad_rows_free(fxi_fm_adagrad_rows *a);
bool fxi_fm_adagrad_rows_bytes(size_t *bytes, const fxi_fm *fm, size_t entries);
/* Appends row i to the `rows` that are there (0: it is the first); or takes n rows that the caller
 * packed. */
void fxi_fm_adagrad_rows_pack(fxi_fm_adagrad_rows *a, size_t i);
void fxi_fm_adagrad_rows_take(fxi_fm_adagrad_rows *a, const double *x, const int32_t *col,
                              const size_t *start, size_t n);
void fxi_fm_adagrad_rows_touch(fxi_fm_adagrad_rows *a); /* their columns become touched */
void fxi_fm_adagrad_rows_clear(fxi_fm_adagrad_rows *a); /* what was touched */
bool fxi_fm_adagrad_rows_stopped(fxi_fm_adagrad_rows *a); /* polls for cancellation */
/* Scores to f, derivatives to g if they will be needed; G += sum_r by[r] df_r/dv, f_r the score of
 * row r. */
void fxi_fm_adagrad_rows_score(fxi_fm_adagrad_rows *a, const double *v, bool learn);
void fxi_fm_adagrad_rows_accumulate(fxi_fm_adagrad_rows *a, double *G, const double *v);

/* Where the entries of row r begin; where their derivatives are stored, kernel = block * panels +
 * panel. */
static inline size_t fxi_fm_adagrad_first(const fxi_fm_adagrad_rows *a, size_t r)
{
    return a->start[r] - a->start[0];
}
static inline double *fxi_fm_adagrad_pending(const fxi_fm_adagrad_rows *a, size_t kernel, size_t r)
{
    return a->g + (kernel * a->capacity + fxi_fm_adagrad_first(a, r)) * FXI_LANES;
}

/* adagrad_row.c - adds all but the linear term to f[r]; the same of by[r] df_r/dv to G. */
void fxi_fm_adagrad_row_score(fxi_fm_adagrad_rows *a, size_t r, const double *v, bool learn);
void fxi_fm_adagrad_row_accumulate(const fxi_fm_adagrad_rows *a, double *G, size_t r,
                                   const double *v);

typedef struct fxi_fm_adagrad_batch {
    const fxi_fm_problem *p;
    double *v, *sum;                    /* the state's */
    double *G;                          /* [size] gradient of the batch so far, without penalties */
    double *share;                      /* [cols] factor of penalties: all batches divided by those
                                         * that touch the column */
    fxi_fm_adagrad_rows rows;
    /* items from `cached_items` on (NULL: none): their weights and labels, [items]; if they are
     * rows and not too many, packed once for all epochs: [items + 1], [start[items]] */
    const size_t *cached_items;
    double *c, *y;
    size_t *start;                      /* NULL: not packed */
    double *x;
    int32_t *col;
} fxi_fm_adagrad_batch;

/* adagrad_batch.c - items are row numbers, or positions among the winners of pairs, whose losers
 * are drawn for `epoch`. */
fx_status fxi_fm_adagrad_batch_new(fxi_fm_adagrad_batch *a, const fxi_fm_problem *p, double *v,
                                   double *sum, size_t entries);
void fxi_fm_adagrad_batch_free(fxi_fm_adagrad_batch *a);
bool fxi_fm_adagrad_batch_bytes(size_t *bytes, const fxi_fm *fm, size_t entries);
double fxi_fm_adagrad_batch_weight(const fxi_fm_adagrad_batch *a, const size_t *item, size_t n);
/* Caches weights, labels and rows of items in the order of item[], which must stay; cacheable: true
 * if the rows are few enough to be cached, and their bytes. */
fx_status fxi_fm_adagrad_batch_cache(fxi_fm_adagrad_batch *a, const size_t *item, size_t n);
bool fxi_fm_adagrad_batch_cacheable(const fx_matrix *X, size_t *bytes);
/* Columns of these items become touched. */
void fxi_fm_adagrad_batch_touch(fxi_fm_adagrad_batch *a, const size_t *item, size_t n,
                                uint64_t epoch);
/* sum c loss; unless by is 0, its gradient times `by` is added to G and its columns become
 * touched. */
double fxi_fm_adagrad_batch_add(fxi_fm_adagrad_batch *a, const size_t *item, size_t n,
                                uint64_t epoch, double by);
/* One step by G and the penalties for all that was touched; G becomes 0. */
void fxi_fm_adagrad_batch_step(fxi_fm_adagrad_batch *a, double lr);
#endif
