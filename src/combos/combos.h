/* SPDX-License-Identifier: BSD-3-Clause
 * combos.h - inside the library: linear models over all products of columns, with an L1 penalty.
 *
 *   min over w, b of  |w|_1 + sum_i c_i loss(y_i, f_i),   f_i = b + sum_J w_J prod_{j in J} x_ij
 *
 * J: all sets of `least` to `order` different columns, |x_ij| <= 1.  The products are never written
 * out.  Those that matter are found by a search with bounds (search.c), and the largest slope that
 * the search finds over all products proves how far a fit is from the optimum (fit.c).  Formulas:
 * doc/math.md#combos. */
#ifndef FXI_COMBOS_H
#define FXI_COMBOS_H
#include "data/data.h"
#include "loss/loss.h"

typedef struct fxi_combos_problem {
    const fx_matrix *X;                 /* checked; |x| <= 1 */
    const fxi_loss *loss;               /* with a second derivative: logistic, squared hinge, .. */
    const double *y;                    /* [rows] +1 or -1, or targets */
    const double *weight;               /* [rows] >= 0; c is C times these */
    const int32_t *group;               /* [cols] at most one column of each; or NULL */
    int least, order;                   /* 1 <= least <= order <= FX_ORDER_MAX */
    bool intercept;                     /* b is free; else 0 */
} fxi_combos_problem;

typedef struct fxi_combo {              /* items: columns by their rank, see below; ascending */
    int32_t n, item[FX_ORDER_MAX];
} fxi_combo;

/* ---- columns.c: the numbers by rows and by columns --------------------------------------------
 * Columns are ranked by how many rows hold them, the rarest first; an item is a column's rank.  The
 * search begins with rare columns, whose subtrees are small, and leaves few items for the rest. */
typedef struct fxi_combos_columns {
    size_t rows, cols, numbers;
    bool binary, signs;                 /* all numbers are 1; some are negative */
    int32_t *column;                    /* [cols] of an item */
    size_t *ptr;                        /* [rows + 1] items of a row, ascending .. */
    int32_t *item;                      /* [numbers] */
    double *val;                        /* [numbers]; NULL: binary */
    size_t *start;                      /* [cols + 1] rows of an item, ascending .. */
    int32_t *row;                       /* [numbers] */
    double *x;                          /* [numbers]; NULL: binary */
    double *norm;                       /* [cols] largest norm of the item times another above it,
                                         * or a bound of it */
    size_t bytes;                       /* of ptr, item, val, row, x */
} fxi_combos_columns;
fx_status fxi_combos_columns_new(fxi_combos_columns *out, const fx_matrix *X, const fx_run *run);
void fxi_combos_columns_free(fxi_combos_columns *c);
/* [set->n] columns of a set, ascending. */
void fxi_combos_columns_of(size_t *to, const fxi_combos_columns *c, const fxi_combo *set);

/* ---- search.c: products with a large slope --------------------------------------------------- */
typedef struct fxi_combos_hit { double score; fxi_combo set; } fxi_combos_hit;
typedef struct fxi_combos_hits {        /* a heap, the worst first */
    fxi_combos_hit *at;
    size_t n, room, most;
} fxi_combos_hits;
typedef struct fxi_combos_search fxi_combos_search;
fx_status fxi_combos_search_new(fxi_combos_search **out, const fxi_combos_columns *c,
                                const fxi_combos_problem *p);
void fxi_combos_search_free(fxi_combos_search *s);
/* All sets with |sum_i theta_i x_i^J| > threshold, or the `most` of them with the largest.
 * *largest: no set has a larger one; at least the threshold, or the least of `most`.  With a limit
 * the search ends after about so much work, numbers of rows that are added up, and there may be
 * others up to *largest; 0: none.  width: each first column has this share of it; 1: any. */
void fxi_combos_search_limit(fxi_combos_search *s, uint64_t work, size_t width);
fx_status fxi_combos_search_run(double *largest, fxi_combos_search *s, const double *theta,
                                double threshold, size_t most, const fx_run *run);
const fxi_combos_hits *fxi_combos_search_hits(const fxi_combos_search *s);
uint64_t fxi_combos_search_nodes(const fxi_combos_search *s);   /* products looked at so far */
uint64_t fxi_combos_search_work(const fxi_combos_search *s);    /* so far */
size_t fxi_combos_search_bytes(const fxi_combos_search *s);     /* of memory, walks included */

/* hits.c - compare: smaller sets first, then by their items. */
int fxi_combos_hits_compare(const fxi_combo *a, const fxi_combo *b);
bool fxi_combos_hits_better(const fxi_combos_hit *a, const fxi_combos_hit *b);
fx_status fxi_combos_hits_add(fxi_combos_hits *h, const fxi_combos_hit *hit);
void fxi_combos_hits_sort(fxi_combos_hits *h);          /* the best first; no heap any more */

/* ---- set.c: the products that may have weights ----------------------------------------------- */
typedef struct fxi_combos_member {
    fxi_combo set;                      /* of those with equal columns: the first */
    size_t rows;                        /* that hold it */
    int32_t *row;                       /* [rows] */
    double *x;                          /* [rows]; NULL: ones */
    double w, slope;                    /* weight; slope of the loss */
    uint64_t hash;                      /* of the column */
    bool keep;
} fxi_combos_member;
typedef struct fxi_combos_set {
    const fxi_combos_columns *columns;
    fxi_combos_member *at;
    size_t n, room;
    size_t *by_column, *by_set;         /* [slots] hash tables: 1 + number of the member; 0: none */
    size_t slots;
    int32_t *row;                       /* [columns->rows] of the column in the making */
    double *x;
    size_t bytes, limit;                /* of columns; limit 0: none */
    size_t last;                        /* number of the member that was last added, or was there */
} fxi_combos_set;
fx_status fxi_combos_set_new(fxi_combos_set *out, const fxi_combos_columns *c, const fx_run *run);
void fxi_combos_set_free(fxi_combos_set *s);
/* *fresh: it was not there, nor was one with an equal column. */
fx_status fxi_combos_set_add(bool *fresh, fxi_combos_set *s, const fxi_combo *set);
void fxi_combos_set_drop(fxi_combos_set *s);            /* members without weight that are not
                                                         * kept */
/* The items outside m's set that are 1 in all its rows, ascending, to item[columns->cols]; returns
 * how many.  Binary columns: the sets with a column equal to m's are among those of its items and
 * these, and any of these may join any of them. */
size_t fxi_combos_set_ties(int32_t *item, const fxi_combos_set *s, const fxi_combos_member *m);
double fxi_combos_set_dot(const fxi_combos_member *m, const double *v);
void fxi_combos_set_axpy(double *v, double a, const fxi_combos_member *m);

/* ---- fit.c ----------------------------------------------------------------------------------- */
typedef struct fxi_combos {
    fxi_combos_problem p;
    fxi_combos_columns columns;
    fxi_combos_search *search;
    fxi_combos_set set;
    double C, b;
    double *c;                          /* [rows] C times weights */
    double *f, *theta, *curve;          /* [rows] scores, -c loss', c loss'' */
    double *step;                       /* [rows] of the scores */
    double objective;
    double gap;                         /* at least (objective - optimum) / objective */
    bool certified;                     /* gap <= tol */
    size_t rounds;                      /* searches of the last fit */
    uint64_t work;                      /* .. which added up so many numbers */
    size_t max_rounds;                  /* a fit ends after so many searches, certified or not,
                                         * or */
    uint64_t max_work;                  /* .. about so much work; 0: no limit */
} fxi_combos;
fx_status fxi_combos_fit_new(fxi_combos *out, const fxi_combos_problem *p, const fx_run *run);
void fxi_combos_fit_free(fxi_combos *a);
/* The smallest C with which a weight is not 0; INFINITY: there is none.  All weights become 0. */
fx_status fxi_combos_fit_first(double *C, fxi_combos *a, const fx_run *run);
/* Fits with this C, from the weights that are there, to a gap of tol.  next: the C of the fit that
 * follows, whose candidates the same search finds; 0: none follows. */
fx_status fxi_combos_fit(fxi_combos *a, double C, double next, double tol, const fx_run *run);

/* newton.c - minimises over the members of the set, to a relative gap among these. */
fx_status fxi_combos_newton(fxi_combos *a, double tol, const fx_run *run, fxi_team *team);
/* What the dual proves if no product has a slope above `largest`. */
double fxi_combos_newton_dual(const fxi_combos *a, double largest);

/* model.c - the quadratic model of the loss at the present weights, and its minimum. */
typedef struct fxi_combos_model {
    size_t n;                           /* active members, and the intercept before them */
    size_t *member;                     /* [n]; of the intercept: nothing */
    double *step;                       /* [n] where the minimum is */
} fxi_combos_model;
/* In memory of scratch; active: members with a weight, or a slope above 1.  stop: end when no slope
 * of the model is violated by more. */
fx_status fxi_combos_model_minimum(fxi_combos_model *out, const fxi_combos *a, double stop,
                                   fxi_scratch *scratch, const fx_run *run, fxi_team *team);
#endif
