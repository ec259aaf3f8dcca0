/* SPDX-License-Identifier: BSD-3-Clause
 * recommend.h - between the files of recommend: a model as an inner product of two sides.
 *
 *   sides.c         which models these are, how long the vectors are
 *   vectors.c       a row of one side as its vector
 *   recommender.c   items, ready for products
 *   best.c          the best of them for some users; best_hot.c: products of users and items */
#ifndef FXI_RECOMMEND_H
#define FXI_RECOMMEND_H
#include "explain/explain.h"

enum { FXI_RECOMMEND_USERS = 8 };       /* users that best_hot.c takes at a time */

/* ---- sides.c ------------------------------------------------------------------------------
 * Numbers 0 and 1 of a vector carry what belongs to one side alone: (f(a), 1) and (1, g(b)).  Then
 * come the numbers of each part of `terms`, `orders` of them for each of its components: anova of
 * order i of the first side, for i = 1..orders, beside what of the second side goes with it. */
enum { FXI_RECOMMEND_ALONE = 2 };
typedef struct fxi_recommend_sides {
    const fx_model *m;
    fxi_missing missing;
    fx_scale *scale;                    /* NULL: none */
    fxi_explain_terms terms;            /* constant: without the components of products */
    size_t width;                       /* of a vector */
    size_t components, scratch;         /* most of a part; numbers for any part */
} fxi_recommend_sides;
/* On failure s is to be freed as well. */
fx_status fxi_recommend_sides_new(fxi_recommend_sides *s, const fx_model *m, size_t output,
                                  const fx_run *run);
void fxi_recommend_sides_free(fxi_recommend_sides *s);
/* Of all combinations: a product over the columns, minus 1. */
static inline bool fxi_recommend_sides_product(const fxi_explain_part *a)
{
    return a->same && a->low < a->high;
}
/* The side that a column of the model is on; info->split must be known. */
fx_side fxi_recommend_sides_of(const fx_model_info *c, size_t column);

/* ---- vectors.c ---------------------------------------------------------------------------- */
/* Is X what the model takes? */
fx_status fxi_recommend_vectors_check(const fx_model *m, const fx_matrix *X, const fx_run *run);
/* out[rows][width] of rows that were checked. */
fx_status fxi_recommend_vectors(double *out, uint64_t *unseen, const fxi_recommend_sides *s,
                                fx_side side, const fx_matrix *X, const fx_run *run);

/* ---- recommender.c, best.c ---------------------------------------------------------------- */
struct fx_recommender {
    const fx_model *m;
    fxi_recommend_sides sides;
    size_t items, panels;               /* panels of FXI_LANES, an even number */
    double *V;                          /* [items][width] vectors */
    float *zt;                          /* [panels][width - 1][FXI_LANES]: numbers 1, 2, .. of them,
                                         * divided by `most`; NaN beyond the items */
    double *most;                       /* [width - 1] powers of 2, no |number| is larger */
    const fxi_simd *simd;
};
typedef struct fxi_recommend_question {
    const fx_recommender *r;
    const double *U;                    /* [users][width] */
    size_t users, k;
    const size_t *from, *seen;          /* or NULL */
    size_t *item;                       /* [users][k] out */
    double *score;
} fxi_recommend_question;
/* best.c - all of it. */
fx_status fxi_recommend_best(const fxi_recommend_question *q, const fx_run *run);
#endif
