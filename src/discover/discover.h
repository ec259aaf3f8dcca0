/* SPDX-License-Identifier: BSD-3-Clause
 * discover.h - inside the library: which products of columns are associated with the label, with a
 * bound on the probability of a false discovery.
 *
 * The rows are divided into two halves, many times.  On one half an L1 path over all products
 * selects a few of them (select.c); on the other half each one selected is tested in the model of
 * all of them (half.c, likelihood.c).  The p-values of all halves become one (combine.c).  What is
 * significant but adds nothing to the others is marked (eliminate.c), and nested products are put
 * together (family.c).  effect.c says how large they are.  Formulas: doc/math.md#discover. */
#ifndef FXI_DISCOVER_H
#define FXI_DISCOVER_H
#include "combos/combos.h"
#include "train/train.h"

/* ---- set.c: a product of different columns --------------------------------------------------- */
typedef struct fxi_discover_set {
    int32_t n, column[FX_ORDER_MAX];    /* ascending */
} fxi_discover_set;
/* Smaller sets first, then by columns; for qsort. */
int fxi_discover_set_compare(const void *a, const void *b);
bool fxi_discover_set_within(const fxi_discover_set *part, const fxi_discover_set *whole);
/* The columns of which `mask` has the bit. */
fxi_discover_set fxi_discover_set_part(const fxi_discover_set *s, uint32_t mask);

/* ---- products.c: products in some rows ------------------------------------------------------- */
typedef struct fxi_products {
    size_t rows, terms;
    size_t *ptr;                        /* [rows + 1] products of a row that are not 0 .. */
    int32_t *term;                      /* .. ascending */
    double *x;
    size_t *support;                    /* [terms] rows that hold it */
} fxi_products;
/* Rows with equal products and equal y become one, which has the sum of their weights; support
 * stays that of all. */
fx_status fxi_discover_products_merge(fxi_products *z, double *y, double *weight);
fx_status fxi_discover_products_new(fxi_products *out, const fxi_discover_set *set, size_t terms,
                                    const fx_matrix *X, const size_t *row, size_t rows,
                                    fxi_team *team);
void fxi_discover_products_free(fxi_products *z);

/* ---- solve.c: small symmetric systems -------------------------------------------------------- */
/* A = LDL' in place, A[n][n] by rows, of which the lower triangle is read.  Column j is `out` if
 * what the columns before leave of it is at most tol A(j, j), or if it was out already. */
void fxi_discover_solve_factor(double *A, bool *out, size_t n, double tol);
/* x = A^-1 x over the columns that are not out; 0 in the others. */
void fxi_discover_solve(double *x, const double *LD, const bool *out, size_t n);

/* ---- likelihood.c: a model of few products, without a penalty -------------------------------- */
typedef struct fxi_likelihood {
    fxi_products z;                     /* of rows of classes, equal ones are one row */
    double *y;                          /* [rows] +1 or -1: logistic; targets: normal */
    double *weight;                     /* [rows] how often the row counts */
    bool regress;
} fxi_likelihood;
/* The products set[n] in rows row[rows] of X, of which label and weight have a number each. */
typedef struct fxi_likelihood_rows {
    const fx_matrix *X;
    const double *label, *weight;
    const size_t *row;
    size_t rows;
    bool regress;
} fxi_likelihood_rows;
fx_status fxi_discover_likelihood_new(fxi_likelihood *out, const fxi_discover_set *set, size_t n,
                                      const fxi_likelihood_rows *r, fxi_team *team);
void fxi_discover_likelihood_free(fxi_likelihood *m);
typedef struct fxi_likelihood_term {
    double w, error;                    /* coefficient and its standard error */
    double ratio;                       /* twice what the log-likelihood loses without it */
    bool dependent;                     /* linearly, on those before and the intercept: left out */
    bool separates;                     /* no coefficient is large enough: w and error mean nothing
                                         * but the sign */
} fxi_likelihood_term;
/* Of all terms; *deviance: minus twice the log-likelihood, of targets the sum of squares.  term
 * NULL: the deviance alone.  ratios: are they wanted? */
fx_status fxi_discover_likelihood(fxi_likelihood_term *term, double *deviance,
                                  const fxi_likelihood *m, bool ratios, fxi_team *team);

/* ---- tails.c: probabilities ------------------------------------------------------------------ */
double fxi_discover_tails_ratio(double ratio);  /* that chi-squared of one degree is above it */
double fxi_discover_tails_normal(double p);     /* what a normal number exceeds with probability
                                                 * p */

/* ---- One call -------------------------------------------------------------------------------- */
typedef struct fxi_discover {
    fx_discover_options o;              /* defaults filled in */
    fxi_train train;                    /* rows: joined, filled, scaled; labels */
    const fxi_loss *loss;
    size_t *row;                        /* [rows] of positive weight */
    size_t rows, outputs;
    size_t halves;                      /* two a split */
    double seconds;                     /* that a path may take; 0: any */
} fxi_discover;

/* The sign of a row, by its label, for this output; or the target. */
static inline double fxi_discover_sign(const fxi_discover *d, size_t output, double label)
{
    return d->o.regress ? label : label == (double)(d->outputs > 1 ? output : 1) ? 1 : -1;
}

/* ---- split.c: rows that select and rows that test -------------------------------------------- */
typedef struct fxi_discover_split {
    double *label;                      /* [rows of X] signs or targets */
    size_t *row;                        /* [fits], then those held out, then those tested */
    const size_t *held, *test;          /* [helds], [tests] */
    size_t fits, helds, tests;
} fxi_discover_split;
/* permutation 0: the labels as they are. */
fx_status fxi_discover_split_new(fxi_discover_split *out, const fxi_discover *d, size_t permutation,
                                 size_t output, size_t half);
void fxi_discover_split_free(fxi_discover_split *s);
/* The model of set[n] on the rows that test. */
fx_status fxi_discover_split_test(fxi_likelihood_term *term, size_t *support,
                                  const fxi_discover_set *set, size_t n, const fxi_discover *d,
                                  const fxi_discover_split *s, bool ratios, fxi_team *team);

/* ---- half.c: selection on one half, tests on the other --------------------------------------- */
typedef struct fxi_tested {
    fxi_discover_set set;
    double p;                           /* times the number selected, at most 1 */
    double ratio;
} fxi_tested;
typedef struct fxi_half {
    fxi_tested *at;                     /* [n] */
    size_t n;
    double C, gap;                      /* where the path ended; its largest gap */
    bool certified;                     /* every step of the path */
    uint64_t nodes;
} fxi_half;
fx_status fxi_discover_half(fxi_half *out, const fxi_discover *d, size_t permutation, size_t output,
                            size_t half, fxi_team *team, const fx_run *run);

/* select.c - fills h, but for the tests, by a path on the rows that are fitted, which ends by its
 * loss on those held out. */
fx_status fxi_discover_select(fxi_half *h, const fxi_discover *d, const fxi_discover_split *s,
                              fxi_team *team, const fx_run *run);

/* ---- combine.c: all halves of an output ------------------------------------------------------ */
typedef struct fxi_combined {
    fxi_discover_set set;
    size_t output;
    double p, ratio, frequency;         /* p: of all halves; ratio: median */
    double effect, low, high;           /* of effect.c */
    double adds;                        /* of eliminate.c */
    bool eliminated;
    size_t family;                      /* of family.c, from 0 */
    size_t support;                     /* .. of eliminate.c, too: rows that hold it, .. */
    double mean;                        /* .. their mean y, signs being 1 and 0 .. */
    bool binary;                        /* .. and all of their products are 1 */
} fxi_combined;
/* All products that were selected somewhere, the most significant first; free() them. */
fx_status fxi_discover_combine(fxi_combined **out, size_t *n, const fxi_half *half,
                               const fxi_discover *d, size_t output);
/* min over gamma in [0.05, 1] of (1 - ln 0.05) q_gamma(p) / gamma, at most 1; p[n] of the halves
 * where it was selected, which are sorted; in the others it is 1. */
double fxi_discover_combine_p(double *p, size_t n, size_t halves);

/* ---- eliminate.c: what remains in the model of all discoveries ------------------------------- */
/* Marks those of c[n], discoveries of one output, that add nothing to the others on all rows; sets
 * support, mean, binary and adds. */
fx_status fxi_discover_eliminate(fxi_combined *c, size_t n, const fxi_discover *d, fxi_team *team);

/* ---- effect.c: what a discovery does to the label -------------------------------------------- */
typedef struct fxi_effect { double w, error; } fxi_effect; /* on products as they are scaled */
/* Of c[n], all discoveries of one output, by one half, whose selection is h.  NaN: it did not test
 * it; infinite: it separates the classes. */
fx_status fxi_discover_effect(fxi_effect *out, const fxi_half *h, const fxi_combined *c, size_t n,
                              const fxi_discover *d, size_t half, fxi_team *team);
/* effect, low and high of c: the median of e[n], which is sorted, and what these do not reject at
 * level alpha; NaN: there are no estimates. */
fx_status fxi_discover_effect_join(fxi_combined *c, fxi_effect *e, size_t n, size_t halves,
                                   double alpha);

/* ---- family.c: products that belong together ------------------------------------------------- */
/* Numbers families of c[n], ordered: nested sets of one output, unless eliminated. */
void fxi_discover_family(fxi_combined *c, size_t n);

/* ---- same.c: products that the data cannot tell apart ---------------------------------------- */
/* Other sets of at most d->o.order columns whose product is the same in all rows; free() them.  Of
 * ones and zeros alone: else there are none. */
fx_status fxi_discover_same(fxi_discover_set **out, size_t *n, const fxi_discover_set *s,
                            const fxi_discover *d, fxi_team *team);

/* ---- report.c: the result -------------------------------------------------------------------- */
/* *out takes the model of d, and found[n] is sorted; half[outputs][halves], nulls: permutations
 * with a discovery. */
fx_status fxi_discover_report(fx_discovery **out, fxi_discover *d, fxi_combined *found, size_t n,
                              const fxi_half *half, uint64_t nulls, fxi_team *team);

/* Streams of random numbers. */
enum { FXI_DISCOVER_SPLIT = 3000, FXI_DISCOVER_PERMUTE };
#endif
