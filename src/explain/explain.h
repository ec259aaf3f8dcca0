/* SPDX-License-Identifier: BSD-3-Clause
 * explain.h - a model as weights of combinations of columns, and the search for the largest.
 *
 *   terms.c                parts that a model is made of: linear models, kernel machines, families
 *   map.c                  parts of linear models on maps rk and rm
 *   top.c                  the list of the largest
 *   field.c                one order of a part, columns sorted by their norms
 *   weight.c               weights and bounds of its combinations
 *   list.c                 small lists of combinations: single columns, families
 *   search.c               the search for others, order by order, within max_work
 *   dense.c, sparse.c, beam.c      its ways
 *   output.c, row.c        which score; one row
 *   support.c              rows that hold a combination: used by the search, counted at the end
 *   values.c               rows by columns, as prediction sees them
 *   importance.c           mean |contribution| over rows: of combinations, and the largest
 *   visits.c               the same of rows that come a table at a time */
#ifndef FXI_EXPLAIN_H
#define FXI_EXPLAIN_H
#include "model/model.h"

enum { FXI_EXPLAIN_DEEP = 32 };         /* columns of a combination, at most */
/* Work is counted in multiplications of dense tiles.  Other steps take longer, by these measured
 * factors: so a limit of work is a limit of time. */
enum { FXI_EXPLAIN_STEP = 16,           /* per component of one more column */
       FXI_EXPLAIN_ENTRY = 64 };        /* per entry of a sparse vector */

/* A combination of columns j_1 <= .. <= j_t, low <= t <= high, has the weight
 *
 *   c sum_s lambda_ts p_{j_1}s .. p_{j_t}s,
 *
 * where columns are distinct, c = 1, and no two are of one group; or (repeats) c = t! / prod m!, m
 * how often each column occurs.  No two parts of a model have the same order. */
typedef struct fxi_explain_part fxi_explain_part;
struct fxi_explain_part {
    int low, high;                      /* from 1 */
    size_t S;                           /* components */
    double *lambda;                     /* [high - low + 1][S]; same: [S] for all orders */
    bool same, repeats;
    int32_t *group;                     /* [cols] -1: takes no part; NULL: each is its own */
    /* Factors of column j to p[S]. */
    void (*read)(double *p, const fxi_explain_part *a, size_t j);
    const void *from;                   /* for `read`: a map, rows, factors */
    size_t first, cols;                 /* rm: first feature; fm: constants, columns with them */
    int order;                          /* rm, complex rk: of the forms */
    double *angle;                      /* complex rk: [outputs] */
    /* Vectors by columns, or NULL.  sparse: they are to be searched so. */
    bool sparse;
    size_t *ptr;                        /* [cols + 1] */
    int32_t *component;
    double *value;
};

enum { FXI_EXPLAIN_PARTS = FX_ORDER_MAX + 2 };
struct fxi_explain_terms {
    const fx_model *m;
    size_t output;
    double constant;                    /* all that holds no column */
    double *linear;                     /* [cols] of single columns, or NULL */
    size_t parts;
    fxi_explain_part part[FXI_EXPLAIN_PARTS];
    const fxi_tree *tree;               /* part[0] is of these sets alone; or NULL */
    const fx_map *expanded;             /* map explicit: its weights; or NULL */
};
/* On failure t is to be freed as well. */
fx_status fxi_explain_terms_new(fxi_explain_terms *t, const fx_model *m, size_t output,
                                const fx_run *run);
void fxi_explain_terms_free(fxi_explain_terms *t);
const double *fxi_explain_terms_lambda(const fxi_explain_part *a, int t);       /* [S] of order t */
/* Adds a part and allocates its lambda; NULL with the error set. */
fxi_explain_part *fxi_explain_terms_add(fxi_explain_terms *t, int low, int high, size_t S,
                                        bool same);
/* sum_s beta_s K(p_s, x) of anova (theta[t] of order t), all-subsets, itemset, groups, cross and
 * linear; without `read`.  *out NULL: a constant. */
fx_status fxi_explain_terms_family(fxi_explain_part **out, fxi_explain_terms *t, const fx_kernel *k,
                                   const double *theta, const double *beta, size_t S);
/* Of weights of columns, of a map's features, or of the vectors of a kernel machine. */
fx_status fxi_explain_terms_weights(fxi_explain_terms *t, const fx_run *run);
/* Sets t->linear to the weights of columns. */
fx_status fxi_explain_terms_linear(fxi_explain_terms *t);
fx_status fxi_explain_map(fxi_explain_terms *t);        /* maps rk and rm */

/* ---- top.c: the n largest --------------------------------------------------------- */
/* Larger |weight| first, then fewer columns, then smaller ones: no two are equal, so that the list
 * does not depend on the order in which it is filled. */
typedef struct fxi_explain_item {
    double weight;                      /* of a row: the contribution */
    int32_t order;
    int32_t column[FXI_EXPLAIN_DEEP];
} fxi_explain_item;
/* Negative if item a comes before b in the list; for qsort. */
int fxi_explain_top_compare(const void *a, const void *b);
typedef struct fxi_explain_holders fxi_explain_holders;
typedef struct fxi_explain_top {
    size_t n, capacity, max_items;      /* a heap, the smallest first */
    fxi_explain_item *at;
    const fxi_explain_holders *holders; /* only what enough of these rows hold; or NULL */
    fxi_team *team;                     /* polled while rows are searched; or NULL */
    double row_steps;                   /* steps of that search */
} fxi_explain_top;
/* The |weight| that a combination needs to be listed. */
static inline double fxi_explain_min_weight(const fxi_explain_top *t)
{
    return t->n < t->max_items ? 0 : t->at[0].weight < 0 ? -t->at[0].weight : t->at[0].weight;
}
/* Lists the combination if its weight is large enough; its columns must ascend. */
fx_status fxi_explain_top_offer(fxi_explain_top *t, const fxi_explain_item *item);
fx_status fxi_explain_top_add(fxi_explain_top *t, const fxi_explain_item *item); /* if new */
/* Moves all of b that t does not have into t, each once; b is empty afterwards. */
fx_status fxi_explain_top_merge(fxi_explain_top *t, fxi_explain_top *b);
void fxi_explain_top_sort(fxi_explain_top *t);    /* largest first; a heap no longer */

/* ---- field.c: one order, ready to be searched -------------------------------------- */
typedef struct fxi_explain_columns {    /* that take part, and what they are multiplied by */
    size_t n;
    const size_t *column;               /* [n] ascending */
    const double *x;                    /* [n], or NULL: 1 */
} fxi_explain_columns;

typedef struct fxi_explain_field {
    const fxi_explain_part *part;
    int t;
    size_t S, n, panels;                /* columns other than 0 */
    int32_t *column;                    /* [n] by falling norm */
    int32_t *group;                     /* [n], or NULL */
    double *norm;                       /* [panels * FXI_LANES + 1] sqrt(sum_s |lambda_s| p_js^2) */
    double *lambda;                     /* [S], times t! where columns repeat */
    double *largest;                    /* [t][S] the t largest |p_js|; repeats: t times the largest
                                         */
    double *reach;                      /* [t + 1][S] where r columns are missing: the product of
                                         * the r - 1 largest squared / |lambda_s|; 0 for lambda 0 */
    double *P;                          /* [panels][S][FXI_LANES]; or NULL, and .. */
    size_t *ptr, *row;                  /* .. [n + 1] by columns, [S + 1] by components */
    int32_t *component, *rank;
    double *value, *row_value;
} fxi_explain_field;
fx_status fxi_explain_field_new(fxi_explain_field *f, const fxi_explain_part *a, int t,
                                fxi_explain_columns c, const fx_run *run);
void fxi_explain_field_free(fxi_explain_field *f);
/* weight.c - the weight of positions r[t], ascending, by one sequence of operations; q:
 * scratch of S numbers. */
double fxi_explain_weight(const fxi_explain_field *f, const int32_t *r, double *q);
/* Of n positions r of a dense field: products times lambda to q[S]; returns their sum. */
double fxi_explain_weight_multiply(const fxi_explain_field *f, const int32_t *r, int n, double *q);
/* Pushes that weight if it is large enough. */
fx_status fxi_explain_weight_offer(const fxi_explain_field *f, const int32_t *r, double *q,
                                   fxi_explain_top *top);
/* No combination of positions >= from has a larger |weight|. */
double fxi_explain_weight_bound(const fxi_explain_field *f, size_t from);
/* sqrt(sum_s q_s^2 reach_rs): times norm[i] it bounds the weight of q with r more columns >= i. */
double fxi_explain_weight_reach(const fxi_explain_field *f, const double *q, int r);
static inline double fxi_explain_factor(const fxi_explain_field *f, size_t i, size_t s)
{
    return f->P[(i / FXI_LANES * f->S + s) * FXI_LANES + i % FXI_LANES];
}
static inline int fxi_explain_ascending(const void *a, const void *b)   /* of int32_t */
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}
/* True if column i may be combined with those at r[0..n). */
bool fxi_explain_weight_joins(const fxi_explain_field *f, const int32_t *r, int n, size_t i);
/* Bounds and sums are rounded: combinations below the limit by less than this are not left out. */
#define FXI_EXPLAIN_SLACK (1 + 1e-9)

/* ---- The search -------------------------------------------------------------------------- */
typedef struct fxi_explain_walk {       /* one thread's */
    const fxi_explain_field *f;
    const fxi_simd *simd;
    fxi_team *team;
    fxi_explain_top top;                /* of one block of work */
    double floor;                       /* of the list before it */
    double work, limit;                 /* multiplications of tiles, or what takes as long */
    double poll;                        /* work at which cancellation is polled next */
    fx_status status;
    bool stopped;
    int32_t chosen[FXI_EXPLAIN_DEEP];
    double *q;                          /* dense: [t + 1][S]; sparse: as many as its lists need */
    double *panel;                      /* dense: [S][FXI_LANES] */
    double *sum;                        /* sparse: [n] */
    int32_t *touched, *component;       /* sparse: [t][n], [t + 1][S] */
    unsigned char *mark;                /* sparse: [n] */
} fxi_explain_walk;
static inline double fxi_explain_walk_min(const fxi_explain_walk *w)
{
    double own = fxi_explain_min_weight(&w->top);

    return own > w->floor ? own : w->floor;
}
/* Counts the work; true if the search may continue within its limit. */
static inline bool fxi_explain_walk_count(fxi_explain_walk *w, double work)
{
    w->work += work;
    w->stopped |= w->work + w->top.row_steps > w->limit;
    if (w->work >= w->poll) {
        w->poll = w->work + 1e6;        /* well below a millisecond: the clock costs more than a
                                         * step */
        w->stopped |= fxi_parallel_cancelled(w->team);
    }
    return !w->stopped && !w->status;
}
/* All combinations whose first column (order 2 dense: first panel) is this. */
fx_status fxi_explain_dense(fxi_explain_walk *w, size_t first);
fx_status fxi_explain_sparse(fxi_explain_walk *w, size_t first);
fx_status fxi_explain_dense_workspace(fxi_explain_walk *w, const fxi_explain_field *f);
fx_status fxi_explain_sparse_workspace(fxi_explain_walk *w, const fxi_explain_field *f);
/* Builds combinations column by column from the `width` best of each length; dense fields.  Adds
 * its multiplications to *work. */
fx_status fxi_explain_beam(fxi_explain_top *top, const fxi_explain_field *f, size_t width,
                           double *work, const fx_run *run);

fx_status fxi_explain_list(fxi_explain_top *top, size_t order, const fxi_explain_terms *t,
                           fxi_explain_columns c, const fx_run *run);

typedef struct fxi_explain_search {
    size_t order;                       /* 0: any */
    double effort;
    size_t left;                        /* orders still to be searched */
    double *done;                       /* share of the effort, for progress */
    bool exact;                         /* out */
    double bound;                       /* out: bound on what was not searched */
} fxi_explain_search;
fx_status fxi_explain_search_run(fxi_explain_top *top, fxi_explain_search *s,
                                 const fxi_explain_terms *t, fxi_explain_columns c,
                                 const fx_run *run);

/* row.c - the entries of one row that count, as predict sees them; all is freed by
 * fxi_explain_row_free. */
typedef struct fxi_explain_row {
    size_t n;
    size_t *column;
    double *x;
    double score;
    uint64_t unseen;
} fxi_explain_row;
fx_status fxi_explain_row_new(fxi_explain_row *out, const fx_model *m, size_t output,
                              const fx_matrix *row, const fx_run *run);
void fxi_explain_row_free(fxi_explain_row *r);
/* The output that q selects. */
fx_status fxi_explain_output(size_t *out, const fx_model *m, const fx_explain_options *q,
                             const fx_run *run);
/* support.c - which rows have a column, so that a search sees at once whether a combination
 * is in enough of them. */
struct fxi_explain_holders {
    uint64_t need;                      /* rows that a combination must be in */
    size_t rows, cols;
    size_t *count;                      /* [cols] rows that have it */
    size_t *first;                      /* [cols + 1] into `row`; empty if all rows have it */
    uint32_t *row;                      /* ascending for each column */
};
fx_status fxi_explain_support_index(fxi_explain_holders *out, const fx_table *rows, size_t cols,
                                    uint64_t need, const fx_run *run);
void fxi_explain_support_free(fxi_explain_holders *h);
/* True if enough rows hold all columns of the item. */
bool fxi_explain_support_enough(fxi_explain_top *t, const fxi_explain_item *item);
/* support.c - counts to at[n].support of rows that hold all its columns. */
fx_status fxi_explain_support(fx_combination *at, size_t n, const fx_table *rows,
                              const fx_run *run);
/* values.c - the entries of rows by columns, as predict sees them: known to the model, scaled. */
typedef struct fxi_explain_values {
    size_t rows, cols;
    size_t *first;                      /* [cols + 1] into row and x */
    uint32_t *row;                      /* ascending for each column */
    double *x;
} fxi_explain_values;
fx_status fxi_explain_values_new(fxi_explain_values *out, const fx_model *m, const fx_table *rows,
                                 const fx_run *run);
void fxi_explain_values_free(fxi_explain_values *v);
/* importance.c - mean over the rows of |contribution|, to out[n]. */
fx_status fxi_explain_importance(double *out, const fxi_explain_item *item, size_t n,
                                 const fxi_explain_values *v, const fx_run *run);
/* The same of rows that come in several tables, to the same bits: v of each in turn; held: [cols]
 * rows of all tables that have a column.  Sums begin with 0. */
fx_status fxi_explain_importance_add(double *sum, const fxi_explain_item *item, size_t n,
                                     const fxi_explain_values *v, const uint64_t *held,
                                     const fx_run *run);
void fxi_explain_importance_end(double *sum, const fxi_explain_item *item, size_t n, double rows);
/* (mean |x|^p)^(1/p) of a column, of tables in turn: the largest |x|, which the norm is for p
 * beyond FXI_EXPLAIN_DEEP; sums of powers; the norm. */
void fxi_explain_importance_largest(double *largest, const fxi_explain_values *v);
double fxi_explain_importance_powers(double sum, const fxi_explain_values *v, size_t j, int p,
                                     double largest);
double fxi_explain_importance_norm(double sum, double rows, int p, double largest);

typedef struct fxi_explain_measures {   /* what the search by importance asks of the rows */
    /* norm[high - low + 1][c.n] of columns, by order */
    fx_status (*norms)(void *rows, double *norm, int low, int high, fxi_explain_columns c,
                       const fx_run *run);
    /* out[top->n]; may leave out combinations that too few rows hold */
    fx_status (*measure)(void *rows, double *out, fxi_explain_top *top, const fx_run *run);
    void *rows;
} fxi_explain_measures;
fxi_explain_measures fxi_explain_importance_by(fxi_explain_values *v);
/* importance.c - the top->max_items combinations of largest importance, sorted by it. */
fx_status fxi_explain_importance_search(fxi_explain_top *top, fxi_explain_search *s,
                                        const fxi_explain_terms *t, fxi_explain_columns c,
                                        const fxi_explain_measures *by, const fx_run *run);

/* ---- visits.c: rows that come a table at a time --------------------------------------------- */
typedef struct fxi_explain_visits {
    const fx_model *m;
    const fx_explain_options *q;
    bool need_rows;                     /* list only what min_support rows hold, 1 or more */
    bool values;                        /* importance is wanted */
    size_t rows, cols;
    size_t *count;                      /* [cols] rows that have a column */
    uint64_t *held;                     /* .. as prediction sees them: values */
    double *largest;                    /* [cols] values */
} fxi_explain_visits;
/* The first visit, which counts. */
fx_status fxi_explain_visits_new(fxi_explain_visits *out, const fx_model *m,
                                 const fx_explain_options *q, const fx_run *run);
void fxi_explain_visits_free(fxi_explain_visits *v);
/* As fxi_explain_search_run and fxi_explain_importance_search; FX_ELIMIT if that needs all rows at
 * once. */
fx_status fxi_explain_visits_search(fxi_explain_top *top, fxi_explain_search *s,
                                    const fxi_explain_terms *t, fxi_explain_columns c,
                                    fxi_explain_visits *v, const fx_run *run);
/* Adds to the support at[k].support and, if sum is not NULL, sum[k], of item[n]. */
fx_status fxi_explain_visits_measure(fx_combination *at, double *sum, const fxi_explain_item *item,
                                     size_t n, fxi_explain_visits *v, const fx_run *run);
#endif
