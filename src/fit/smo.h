/* SPDX-License-Identifier: BSD-3-Clause
 * smo.h - the state of sequential minimal optimisation, for smo*.c alone.
 *
 * Variables are the rows with c > 0, the active ones first, at positions 0..m-1 of every array;
 * their order depends on the problem alone, and so does every number but those of the cache. */
#ifndef FXI_SMO_H
#define FXI_SMO_H
#include "fit/fit.h"
#include "kernel/kernel.h"

enum { FXI_SMO_SET = 256 };             /* variables of a working set, at most */

typedef struct fxi_smo_set {            /* arrays are 64-byte aligned */
    float K[FXI_SMO_SET][FXI_SMO_SET];
    double e[FXI_SMO_SET], beta[FXI_SMO_SET];
    float up[FXI_SMO_SET], down[FXI_SMO_SET], diagonal[FXI_SMO_SET];
    int32_t row[FXI_SMO_SET];
    size_t at[FXI_SMO_SET];             /* positions; those from `retained` on are new in the set */
    const float *from[FXI_SMO_SET];     /* rows over all active variables */
    _Alignas(64) size_t n, retained;
} fxi_smo_set;

typedef struct fxi_smo {
    const fxi_problem *p;
    fxi_solution *s;
    const fxi_simd *simd;
    fx_run run;                         /* of kernels: stopped with the team */
    fxi_team *team;
    size_t n, m;                        /* variables, active ones */
    int32_t *row;                       /* [n] of the source */
    double *e;                          /* [n] y - K beta; of active ones while steps are done */
    /* [n] The dual changes at the rate e + scale up when beta is raised, e + scale down when it is
     * lowered; -inf, +inf where a bound forbids it. */
    float *up, *down;
    double scale;                       /* epsilon, or 1 where that is 0 */
    float *diagonal;                    /* [n] K_ii */
    double tau;                         /* least curvature */
    double top, bottom;                 /* largest up, smallest down */
    size_t i;                           /* position of the largest */
    double dual, gap;                   /* objective at the start of a round; its gap */
    double bound_scale;                 /* bounds are c times this */
    fxi_smo_set *set;
    double *weight;                     /* [n] scratch: betas other than 0, and their rows */
    int32_t *support;
    /* smo_cache.c: rows of K over the active variables */
    float *pool;
    size_t floats, stride, slots, used; /* floats of the pool, of a row; slots in all, in use */
    int32_t *slot;                      /* [n] slot of a variable, -1: none */
    int32_t *owner;                     /* [slots] variable in a slot */
    uint64_t *stamp;                    /* [slots] time of the last use */
    uint64_t clock;
} fxi_smo;

static inline size_t fxi_smo_round(size_t n) { return (n + 15) / 16 * 16; } /* a cache line */

static inline double fxi_smo_up(const fxi_smo *d, size_t k)
{
    return d->e[k] + d->scale * (double)d->up[k];
}

static inline double fxi_smo_down(const fxi_smo *d, size_t k)
{
    return d->e[k] + d->scale * (double)d->down[k];
}

/* No pair of this variable and another violates the conditions of optimality. */
static inline bool fxi_smo_inactive(const fxi_smo *d, size_t k)
{
    return fxi_smo_up(d, k) < d->bottom && fxi_smo_down(d, k) > d->top;
}

/* smo_cache.c - rows of the n variables at `at`; n is at most the number of slots; valid until the
 * next call. */
fx_status fxi_fit_smo_cache(const float **out, fxi_smo *d, const size_t *at, size_t n);
void fxi_fit_smo_cache_start(fxi_smo *d);

/* Active variable k moves to position to[k], -1: it leaves; m stay.  grow: variables from the
 * present number up to m join. */
fx_status fxi_fit_smo_cache_shrink(fxi_smo *d, const int32_t *to, size_t m);
fx_status fxi_fit_smo_cache_grow(fxi_smo *d, size_t m);

/* smo_step.c - one or more steps; stops once the violation is at most `end`. */
fx_status fxi_fit_smo_step(fxi_smo *d, double end);
void fxi_fit_smo_step_offsets(fxi_smo *d, size_t k);    /* up and down of a variable */
void fxi_fit_smo_step_scan(fxi_smo *d, size_t n);       /* top, bottom and i of the first n */
double fxi_fit_smo_step_upper(const fxi_smo *d, size_t i); /* bounds of row i's beta */
double fxi_fit_smo_step_lower(const fxi_smo *d, size_t i);

/* smo_shrink.c */
fx_status fxi_fit_smo_shrink(fxi_smo *d);       /* inactive variables leave the set, if many */
fx_status fxi_fit_smo_shrink_not(fxi_smo *d);   /* variables that became active return */

/* smo_gap.c - e of all variables from their betas; intercept, objective and gap from it. */
fx_status fxi_fit_smo_gap(fxi_smo *d);
#endif
