/* SPDX-License-Identifier: BSD-3-Clause
 * cd.h - inside coordinate descent: rows in both orders, the state of every row, the components
 * that are being visited.
 *
 * Eight components (lanes) are visited together; cd_lanes.c says why that is coordinate descent.
 * The state of a row, with sigma = sqrt(c) and scale = sigma, y sigma, y sigma for the three
 * losses:
 *
 *   r          squared: sigma (f - y); squared hinge: sigma (y f - 1); logistic: sigma y f
 *   slope      r, 2 min(r, 0), -sigma/(1 + exp(r/sigma))
 *   e_0        scale, or 0 for rows that have fewer entries than the order: they never change
 *   E          [stride][8]: a, e_1 .. e_{m-1} of the eight components, times e_0; a: sum of |z|
 *              over the row, for the guard of deletion (inf: nothing to guard)
 *
 * All derivatives carry the factor scale, so that sums of slope times derivative and of products of
 * derivatives are those of the objective, and neither y nor c is read again. */
#ifndef FXI_FM_CD_H
#define FXI_FM_CD_H
#include "fm/fm.h"

enum { FXI_FM_CD_SQUARED, FXI_FM_CD_HINGE, FXI_FM_CD_LOGISTIC };
/* Components at once; entries at once; sums of slopes and of products of lanes (cd_hot.c). */
enum { FXI_FM_CD_LANES = 8, FXI_FM_CD_PIECE = 64, FXI_FM_CD_SUMS = 8 + 40 };

/* cd_columns.c - rows with weight, entries that are not 0, by rows and by columns. */
typedef struct fxi_fm_cd_rows {
    size_t rows, cols, entries;
    int32_t *pick;                      /* [rows] row of X */
    size_t *ptr, *top;                  /* [rows + 1], [cols + 1] */
    int32_t *col;                       /* [entries] those of a row stand group by group */
    int32_t *row;                       /* [entries + FXI_FM_CD_AHEAD], the last of row 0 */
    double *x, *cx;                     /* [entries] by rows, by columns; NULL: all are 1 */
    /* Columns of FXI_FM_CD_LONG entries or more are cut where `step` rows are, for the pool. */
    size_t blocks, step;
    int32_t *cut;                       /* [cols] which of the long ones, or -1 */
    size_t *at;                         /* [long][blocks + 1] */
    /* Groups: the entries of a row that are in group g, from entry first[q] on. */
    size_t *list;                       /* [groups + 1]; NULL: no groups */
    int32_t *group_row;                 /* [list[groups]] row */
    size_t *first;
    size_t *start;                      /* [groups + 1] of its columns in member */
    int32_t *member;
} fxi_fm_cd_rows;
enum { FXI_FM_CD_LONG = 1024, FXI_FM_CD_AHEAD = 8 };
fx_status fxi_fm_cd_columns(fxi_fm_cd_rows *out, const fxi_fm_problem *p, fxi_team *team);
void fxi_fm_cd_columns_free(fxi_fm_cd_rows *R);

typedef struct fxi_fm_cd_column {       /* or a part of one */
    size_t j, n;
    const int32_t *row;
    const double *x;                    /* NULL: all are 1 */
    uint64_t *bad;                      /* a bit for each entry: not fit for deletion (lanes) */
    bool own;                           /* in the calling thread, which polls */
} fxi_fm_cd_column;

typedef struct fxi_fm_descent fxi_fm_descent;
typedef struct fxi_fm_cd_model {
    size_t lanes;                       /* components that are visited together: 8 or 1 */
    /* States of rows first..last-1; their values K, one for each lane, to out[row - first][8]. */
    void (*build)(const fxi_fm_descent *d, size_t first, size_t last);
    void (*values)(double *out, const fxi_fm_descent *d, size_t first, size_t last);
    /* For the number or lanes of a column: writes sums to `sum`, without lambda; writes the new
     * values that follow from them to `to`; moves rows from p to `to`. */
    void (*sums)(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c);
    void (*step)(double *to, fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *sum);
    void (*move)(fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p, const double *to);
    /* poly-net: by how much losses would rise; else NULL */
    double (*rise)(const fxi_fm_descent *d, const fxi_fm_cd_column *c, double step);
    /* Models whose sums and move are those of cd_lanes.c: writes the derivatives of a piece of a
     * column to G[n][8].  With `to` (or NULL) it also moves the states, but not r, from p to `to`.
     * Without `to` it finds which rows are bad; with it, it uses what it found.  Returns how many
     * entries were read in addition to those of the piece. */
    size_t (*derive)(double *G, const fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p,
                     const double *to);
} fxi_fm_cd_model;
extern const fxi_fm_cd_model fxi_fm_cd_linear, fxi_fm_cd_anova, fxi_fm_cd_groups, fxi_fm_cd_subsets,
    fxi_fm_cd_power;

typedef struct fxi_fm_cd_part {
    _Alignas(64) double sum[FXI_FM_CD_SUMS];
    double rise;
} fxi_fm_cd_part;

struct fxi_fm_descent {
    double *v;                          /* the model's numbers */
    const fxi_fm_problem *p;
    const fxi_fm *fm;
    const fx_run *run;
    unsigned mode;                      /* saved mode of denormal numbers */
    const fxi_simd *simd;
    fxi_threadpool *pool;
    fxi_team *team;
    fxi_fm_cd_rows R;
    int loss;
    double W, mu;                       /* largest second derivative of the loss */
    double *r, *slope, *scale;          /* [rows]; slope is r for the squared loss; NULL: unused */
    double *fresh, *saved;              /* [rows] r computed for an objective; [size] v before the
                                         * iteration */
    double *e0, *E;                     /* [rows], [rows][stride][8] */
    size_t stride;
    uint64_t *bad;                      /* of the column's entries: [blocks][step / 64 + 1] */
    fxi_fm_cd_part *part;               /* [blocks] */
    double shift[FXI_FM_CD_LANES];      /* of r, by values of rows */
    size_t work;                        /* entries since the last poll */
    atomic_bool stop;
    /* what is being visited: */
    const fxi_fm_cd_model *model;
    const fxi_fm_block *block;          /* NULL: the linear term */
    double *factor;                     /* see fxi_fm_cd_factor */
    size_t factor_stride, front;
    int from, upto;                     /* lanes that may move */
    int m;
    _Alignas(64) double lambda[FXI_FM_CD_LANES];
    const double *theta;                /* [m], or NULL */
    double guard;                       /* delete z while |z| guard <= a */
    /* a long column whose rows have not moved yet */
    struct {
        fxi_fm_cd_column c;
        _Alignas(64) double p[FXI_FM_CD_LANES], to[FXI_FM_CD_LANES];
    } pending;
    bool is_pending;
};

static inline double *fxi_fm_cd_lanes_of(const fxi_fm_descent *d, size_t row) /* E of a row */
{
    return d->E + row * d->stride * FXI_FM_CD_LANES;
}

static inline double *fxi_fm_cd_factor(const fxi_fm_descent *d, size_t j) /* lanes of column j */
{
    return d->factor + (j - d->front) * d->factor_stride;
}

static inline double fxi_fm_cd_beta(const fxi_fm_descent *d, size_t j) /* penalty of column j */
{
    size_t half = d->fm->twice ? d->fm->cols / 2 : d->fm->cols;

    return !d->block                 ? d->fm->alpha
           : j % half < d->fm->front ? d->block->beta_front
                                     : d->block->beta;
}

/* cd_lanes.c - eight numbers of a column. */
void fxi_fm_cd_lanes_sums(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c);
void fxi_fm_cd_lanes_step(double *to, fxi_fm_descent *d, const fxi_fm_cd_column *c,
                          const double *sum);
void fxi_fm_cd_lanes_move(fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p,
                          const double *to);
/* The eight steps, one after the other: of numbers p that have factors `by`, under penalty beta. */
void fxi_fm_cd_lanes_solve(double *to, const fxi_fm_descent *d, const double *p, const double *by,
                           double beta, const double *sum);
/* True if the fit must stop; call it after a visit, with its number of entries. */
bool fxi_fm_cd_lanes_stopped(fxi_fm_descent *d, const fxi_fm_cd_column *c, size_t entries);
/* Call it when r of rows has changed. */
void fxi_fm_cd_lanes_slopes(const fxi_fm_descent *d, const int32_t *row, size_t n);

/* cd_shared.c - what belongs to all rows: the intercept, lambda; scores, objective. */
void fxi_fm_cd_shared_intercept(fxi_fm_descent *d);
void fxi_fm_cd_shared_lambda(fxi_fm_descent *d, double *lambda);
void fxi_fm_cd_shared_start(fxi_fm_descent *d);      /* scores without blocks */
void fxi_fm_cd_shared_add(fxi_fm_descent *d);        /* the components that are being visited */
double fxi_fm_cd_shared_loss(fxi_fm_descent *d);     /* sum over rows */

/* cd_sweep.c - a column's rows, the parts of a long one on the pool. */
typedef void fxi_fm_cd_span(fxi_fm_descent *d, size_t block, size_t first, size_t last);
/* fn for rows in blocks, on the pool; FXI_FM_CD_PIECE at a time, so that it can be stopped. */
void fxi_fm_cd_sweep_rows(fxi_fm_descent *d, fxi_fm_cd_span *fn);
/* The best step of column j. */
void fxi_fm_cd_sweep_column(fxi_fm_descent *d, size_t j);
void fxi_fm_cd_sweep_finish(fxi_fm_descent *d);      /* the pending move of a long column */
/* In the calling thread, after a visit to this many entries. */
bool fxi_fm_cd_sweep_stopped(fxi_fm_descent *d, size_t entries);
/* Turns denormal numbers off in this thread, or restores the mode: they cost a hundred cycles
 * each. */
unsigned fxi_fm_cd_sweep_flush(void);
void fxi_fm_cd_sweep_restore(unsigned was);
/* cd_groups.c - columns first..last-1 of the components, group by group. */
void fxi_fm_cd_groups_sweep(fxi_fm_descent *d, size_t first, size_t last);
/* cd.c - for tests: the best value of v[at] while all others stay. */
fx_status fxi_fm_cd_coordinate(double *v, const fxi_fm_problem *p, size_t at, const fx_run *run);
#endif
