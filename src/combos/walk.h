/* SPDX-License-Identifier: BSD-3-Clause
 * walk.h - inside the search: a set of items, the rows that hold all of them, and the sets with one
 * item more. */
#ifndef FXI_COMBOS_WALK_H
#define FXI_COMBOS_WALK_H
#include "combos/combos.h"

/* Sums over rows of theta x and |theta x|, and how many there are. */
typedef struct fxi_combos_cell { double v, a, n; } fxi_combos_cell;

/* The items of a row from one on, and the place of its cell. */
typedef struct fxi_combos_span { uint32_t from, to, cell; } fxi_combos_span;

/* The rows that hold a set.  Their items are numbered anew at each level: `id` gives the item. */
typedef struct fxi_combos_node {
    const fxi_combos_span *row;
    size_t rows;
    const fxi_combos_cell *cell;        /* of rows: theta times the product */
    const int32_t *item;
    const double *val;                  /* NULL: ones */
    const int32_t *id;                  /* [items] */
    size_t low, items;                  /* items of these rows: low..items - 1 */
    double held;                        /* rows before equal ones were merged */
} fxi_combos_node;

/* What is made of a node: sums for each of its items, and the rows with the items that may be in
 * larger sets, in lists, one for each such item. */
typedef struct fxi_combos_level {
    fxi_combos_cell *sum;               /* [items of the node] */
    int32_t *map;                       /* [items of the node] new number, or -1 */
    int32_t *id;                        /* [alive] items */
    int32_t *was;                       /* [alive] their number in the node */
    size_t *count;                      /* [alive] rows in the list of each */
    size_t alive;
    int32_t *item;
    double *val;
    fxi_combos_span *row, *list;
    fxi_combos_cell *cell, *listed;     /* of row; of list, unless all numbers are 1 */
    uint32_t *slot;                     /* hash table of rows: 1 + row */
    size_t sums, items, rows, lists, slots;     /* capacities */
} fxi_combos_level;

/* A walk through the sets that begin with one item, by one thread. */
typedef struct fxi_combos_walk {
    const fxi_combos_columns *columns;
    const fxi_combos_problem *p;
    fxi_combos_level level[FX_ORDER_MAX];
    fxi_combo set;                      /* where it is */
    fxi_combos_hits hits;
    double threshold;
    double largest;                     /* value met */
    double beneath;                     /* largest value met, or bound of what was left out, of sets
                                         * of two items and more */
    double missed;                      /* largest bound of what the limit left out */
    uint64_t nodes;
    uint64_t work, max_work;            /* numbers of rows added up; 0: no limit */
    atomic_size_t *bytes;               /* of all walks of a search */
    size_t limit;                       /* of these; 0: none */
} fxi_combos_walk;

/* No superset has a larger |sum theta x|. */
static inline double fxi_combos_walk_bound(const fxi_combos_walk *w, const fxi_combos_cell *c)
{
    return (w->columns->signs ? c->a : 0.5 * (c->a + fabs(c->v))) * (1 + 1e-12);
}
/* Opens the level of w->set.n items: sums, hits, lists. */
fx_status fxi_combos_walk_open(fxi_combos_walk *w, const fxi_combos_node *n, fxi_team *team);
/* The node of w->set and its k-th item alive, whose list begins at `list`. */
fxi_combos_node fxi_combos_walk_child(const fxi_combos_level *l, bool binary, size_t k,
                                      size_t list);
/* Opens the node, and all below it that may hold hits. */
fx_status fxi_combos_walk_down(fxi_combos_walk *w, const fxi_combos_node *n, fxi_team *team);
void fxi_combos_walk_free(fxi_combos_walk *w);
#endif
