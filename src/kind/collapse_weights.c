/* SPDX-License-Identifier: BSD-3-Clause
 * collapse_weights.c - W = sum_j beta_j phi(v_j) of a kernel machine's vectors v_j, with phi the
 * features of map `explicit`.
 *
 * W is summed in doubles, vector by vector in their order.  The columns of a section of the map are
 * cut at their first features into PARTS pieces of even size, each for one thread: the same bits
 * for any number of threads.  Cost: the combinations of features of all vectors, times outputs. */

#include "kind/kind.h"
#include "map/explicit.h"

#include <math.h>
#include <stdlib.h>

enum { PARTS = 64 };

typedef struct entry {
    double x;
    size_t col;
} entry;

typedef struct collapsing {
    const fx_model_info *c;                /* vectors, and their weights */
    const fx_map *map;
    double *W;                          /* [features][outputs] */
    entry *entries;                     /* [threads][cols] */
} collapsing;

typedef struct walk {                   /* over combinations of one vector's features */
    const entry *e;
    size_t n, d, outputs;
    bool square;
    const double *beta;                 /* [outputs] */
    double *W;
} walk;

static size_t over(size_t n, size_t k)
{
    size_t c = 0;

    fxi_map_explicit_choose(&c, n, k);  /* fits: there are fewer than 2^31 columns */
    return c;
}

/* Adds all products of `product` with `left` of the features from number q on, the first of them
 * before number end.  rank: the column of the first combination of features >= from. */
static void expand(const walk *w, size_t left, size_t q, size_t end, size_t from, size_t rank,
                   double product)
{
    if (left > 1) {
        for (; q < end && q + left <= w->n; q++) {
            size_t v = w->e[q].col, skipped = over(w->d - from, left) - over(w->d - v, left);
            expand(w, left - 1, q + 1, w->n, v + 1, rank + skipped, product * w->e[q].x);
        }
        return;
    }
    for (; q < end; q++) {
        double *to = w->W + (rank + w->e[q].col - from) * w->outputs;
        double v = product * w->e[q].x * (w->square ? w->e[q].x : 1);
        for (size_t c = 0; c < w->outputs; c++)
            to[c] += v * w->beta[c];
    }
}

/* The first feature of piece p: before it are p/PARTS of the columns of t features, or a little
 * more. */
static size_t cut(size_t d, size_t t, size_t p)
{
    size_t all = over(d, t), low = 0, high = d;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)(all - over(d - middle, t)) * PARTS >= (double)all * (double)p)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Numbers of row i other than 0, from column `first` on; *end: how many are before column last. */
static size_t gather(entry *e, size_t *end, const fx_matrix *X, size_t i, size_t first, size_t last)
{
    fxi_row r = fxi_data_row(X, i);
    size_t n = 0;

    *end = 0;
    for (size_t q = r.col32 || r.col64 ? 0 : first; q < r.n; q++) {     /* dense: q is the column */
        size_t j = (size_t)fxi_row_column(r, q);
        double x = fxi_row_value(r, q);
        if (x == 0 || j < first)
            continue;
        e[n++] = (entry){x, j};
        *end += j < last;
    }
    return n;
}

static fx_status add_piece(void *ctx, size_t u, fxi_team *team)
{
    const collapsing *a = ctx;
    const fx_model_info *c = a->c;
    const fxi_section *s = ((const fxi_expansion *)a->map->state)->section + u / PARTS;
    size_t t = (size_t)s->order, d = a->map->cols, p = u % PARTS;
    size_t first = t ? cut(d, t, p) : 0, last = !t ? 0 : p + 1 < PARTS ? cut(d, t, p + 1) : d;
    entry *e = a->entries + (size_t)fxi_parallel_thread(team) * d;

    if (first == last && (t || p))
        return FX_OK;
    for (size_t j = 0; j < c->vectors.rows && !fxi_parallel_cancelled(team); j++) {
        const double *beta = c->weights + j * c->outputs;
        walk w = {e, 0, d, c->outputs, s->square, beta, a->W};
        size_t end;
        w.n = gather(e, &end, &c->vectors, j, first, last);
        if (t)
            expand(&w, t, 0, end, 0, s->first, s->weight);
        else
            for (size_t k = 0; k < c->outputs; k++)
                a->W[s->first * c->outputs + k] += s->weight * beta[k];
    }
    return FX_OK;
}

fx_status fxi_kind_collapse_weights(double **W, const fx_model_info *c, const fx_map *map,
                                    const fx_run *run)
{
    size_t units = ((const fxi_expansion *)map->state)->sections * PARTS, features = map->features;
    size_t threads = (size_t)fxi_parallel_threads(run, units);
    collapsing a = {c, map, fxi_zalloc(features * c->outputs, sizeof *a.W),
                    fxi_alloc(threads * map->cols, sizeof *a.entries)};
    fx_status st = a.W && a.entries ? fxi_parallel(units, add_piece, &a, run) : FX_ENOMEM;

    for (size_t i = 0; i < features * c->outputs && !st; i++)
        if (!isfinite((float)a.W[i]))
            st = fxi_error(FX_ENUMERIC,
                           "collapse: weight %zu is %g, which is no float; scale the columns",
                           i / c->outputs, a.W[i]);
    free(a.entries);
    if (st)
        free(a.W);
    else
        *W = a.W;
    return st;
}
