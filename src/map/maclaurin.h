/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin.h - what the parts of the RM map share: maclaurin.c (the map), maclaurin_series.c (the
 * coefficients), maclaurin_orders.c (how many features have which order). */
#ifndef FXI_MACLAURIN_H
#define FXI_MACLAURIN_H
#include "map/map.h"

enum {
    FXI_RM_ORDERS = 1024,               /* orders 0 .. FXI_RM_ORDERS - 1 */
    FXI_RM_COMPOSED = 256               /* of series within series */
};
enum { FXI_RM_DRAW, FXI_RM_SEEDS, FXI_RM_SAMPLE }; /* uses of random numbers */

typedef struct fxi_rm {
    const fx_kernel *inner;
    fx_kernel *linear;                  /* ours, where `inner` is */
    bool allocated, h01;
    int top;                            /* orders are below */
    double a[FXI_RM_ORDERS], P[FXI_RM_ORDERS]; /* P: 0 for orders that are not drawn */
    size_t count[FXI_RM_ORDERS];        /* features of each order */
    int levels;
    fx_map **level;
    float *scale;                       /* [blocks * width] */
} fxi_rm;

static inline fxi_rng fxi_rm_rng(const fx_map *m, int use)
{
    return fxi_project_rng(&(fxi_project){.seed = m->seed, .stream = m->stream}, use, 0);
}

/* maclaurin_series.c - coefficients 0 .. top - 1 of k as a series in its first kernel that is not
 * one; top <= FXI_RM_COMPOSED for a series within a series. */
fx_status fxi_map_maclaurin_series(double *a, int top, const fx_kernel *k);
const fx_kernel *fxi_map_maclaurin_series_inner(const fx_kernel *k); /* that one; NULL: linear */
bool fxi_map_maclaurin_series_within(const fx_kernel *k);       /* true: a series of a series */
bool fxi_map_maclaurin_series_endless(const fx_kernel *k);

/* maclaurin_orders.c - a, P, count and what they depend on, from the spec; `inner` and h01 are
 * set. */
fx_status fxi_map_maclaurin_orders(fx_map *m, const fxi_spec *spec, const fx_matrix *sample,
                                   const fx_run *run);

/* maclaurin.c - a map for the inner kernel, from seed `number`; the value of its kernel, and the
 * variance of one of its features' estimate. */
fx_status fxi_map_maclaurin_level(fx_map **out, const fx_map *m, size_t features,
                                  const char *projection, int number, const fx_run *run);
fx_status fxi_map_maclaurin_moments(double *c, double *V, const fx_map *level, const fxi_pair *p);
#endif
