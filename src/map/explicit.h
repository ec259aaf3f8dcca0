/* SPDX-License-Identifier: BSD-3-Clause
 * explicit.h - inside the explicit expansion: its columns, and those of one sparse row. */
#ifndef FXI_MAP_EXPLICIT_H
#define FXI_MAP_EXPLICIT_H
#include "map/map.h"

enum { FXI_EXPLICIT_ORDERS = 32 };      /* 2^31 subsets and more are rejected */

typedef struct fxi_section {            /* products of this many distinct features */
    int order;                          /* t */
    bool square;                        /* order 1: x_j^2 */
    float weight;
    size_t first, count;                /* columns */
} fxi_section;

typedef struct fxi_expansion {          /* fx_map.state */
    size_t sections;
    fxi_section section[FXI_EXPLICIT_ORDERS];
    const fxi_tree *tree;               /* of a family of sets, which has no sections; or NULL */
    int32_t *first;                     /* [nodes + 1] column of the first set from a node on */
} fxi_expansion;

bool fxi_map_explicit_choose(size_t *out, size_t d, size_t t); /* d over t; false: does not fit */
/* explicit_row.c - fxi_map_type.sparse */
size_t fxi_map_explicit_row(float *val, int32_t *col, const fx_map *m, fxi_row r);
/* explicit_sets.c - columns of a family: counted; `end` - `at` of them from x[cols][lanes]; those
 * of a sparse row, as explicit_row.c gives them. */
fx_status fxi_map_explicit_sets(fx_map *m, fxi_expansion *e);
void fxi_map_explicit_sets_block(float *z, const fx_map *m, const float *x, size_t at, size_t end,
                                 size_t lanes);
size_t fxi_map_explicit_sets_row(float *val, int32_t *col, const fx_map *m, fxi_row r);
#endif
