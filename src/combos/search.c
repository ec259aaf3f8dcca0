/* SPDX-License-Identifier: BSD-3-Clause
 * search.c - all products with a slope above a threshold, by branch and bound over sets of items.
 *
 * Bound: |x| <= 1, so of all supersets of J none has a larger |sum theta x| than the larger of the
 * positive and the negative part of J's sum, or, if there are negative numbers, than sum |theta x|.
 *
 * Reuse: what begins with item j was last searched at theta' and had no value above M.  At theta
 * its values are at most |a| M + |theta - a theta'| N for any a, where norms are over the rows of
 * j, and N is the largest norm of a product (Cauchy-Schwarz); a by least squares.  If that is at
 * most the threshold, all of it is left out.
 *
 * First items go in waves, in parallel within a wave; between waves the threshold may rise.  So the
 * result does not depend on threads. */

#include "combos/walk.h"

#include <stdlib.h>
#include <string.h>

enum { WAVE = 64 };

/* What is known of all sets of two items and more that begin with an item. */
typedef struct last { double largest; uint64_t when, dead; } last;      /* numbers of searches */

typedef struct found {                  /* by one block of a wave */
    size_t k, list;                     /* first item: its number among those alive */
    fxi_combos_hits hits;
    double largest, missed;
    uint64_t nodes, work;
} found;

struct fxi_combos_search {
    const fxi_combos_columns *columns;
    const fxi_combos_problem *p;
    fxi_combos_walk root;               /* of the level of single items */
    fxi_combos_walk *walk;              /* [walks] one a thread */
    size_t walks;
    fxi_combos_span *row;               /* [rows] of the root */
    fxi_combos_cell *cell;
    int32_t *id;                        /* [cols] 0, 1, .. */
    last *last;                         /* [cols] */
    double *theta;                      /* [numbers] of each item's rows, when last searched */
    found wave[WAVE];
    size_t waiting;
    const double *now;                  /* [rows] theta of this search */
    uint64_t when, nodes;
    uint64_t work, limit;               /* of all searches; of one, 0: none */
    uint64_t share;                     /* .. for each first item of a wave, */
    size_t width;                       /* .. of so many */
    atomic_size_t bytes;
};

void fxi_combos_search_free(fxi_combos_search *s)
{
    if (!s)
        return;
    for (size_t k = 0; k < s->walks; k++)
        fxi_combos_walk_free(&s->walk[k]);
    for (size_t k = 0; k < WAVE; k++)
        free(s->wave[k].hits.at);
    fxi_combos_walk_free(&s->root);
    fxi_free(s->walk, s->row, s->cell, s->id, s->last, s->theta, s);
}

fx_status fxi_combos_search_new(fxi_combos_search **out, const fxi_combos_columns *c,
                                const fxi_combos_problem *p)
{
    fxi_combos_search *s = fxi_zalloc(1, sizeof *s);

    if (!s)
        return FX_ENOMEM;
    s->columns = c;
    s->p = p;
    s->width = WAVE;
    s->row = fxi_alloc(c->rows, sizeof *s->row);
    s->cell = fxi_alloc(c->rows, sizeof *s->cell);
    s->id = fxi_alloc(c->cols, sizeof *s->id);
    s->last = fxi_zalloc(c->cols, sizeof *s->last);
    s->theta = fxi_alloc(c->numbers, sizeof *s->theta);
    s->bytes = c->rows * (sizeof *s->row + sizeof *s->cell) + c->numbers * sizeof *s->theta;
    if (!s->row || !s->cell || !s->id || !s->last || !s->theta) {
        fxi_combos_search_free(s);
        return FX_ENOMEM;
    }
    for (size_t j = 0; j < c->cols; j++)
        s->id[j] = (int32_t)j;
    *out = s;
    return FX_OK;
}

const fxi_combos_hits *fxi_combos_search_hits(const fxi_combos_search *s) { return &s->root.hits; }
uint64_t fxi_combos_search_nodes(const fxi_combos_search *s) { return s->nodes; }
size_t fxi_combos_search_bytes(const fxi_combos_search *s) { return s->bytes; }

uint64_t fxi_combos_search_work(const fxi_combos_search *s) { return s->work; }

void fxi_combos_search_limit(fxi_combos_search *s, uint64_t work, size_t width)
{
    s->limit = work;
    s->width = work && width < WAVE ? width : WAVE;
}

/* ---- Single items ---------------------------------------------------------------------------- */

static void begin_walk(fxi_combos_walk *w, fxi_combos_search *s, const fx_run *run)
{
    w->columns = s->columns;
    w->p = s->p;
    w->set.n = 0;
    w->hits.n = 0;
    w->largest = w->beneath = w->missed = 0;
    w->nodes = w->work = 0;
    w->max_work = s->share;
    w->bytes = &s->bytes;
    w->limit = (size_t)fxi_sized_run(run).max_memory;
}

/* The rows whose theta is not 0. */
static fxi_combos_node root_node(fxi_combos_search *s)
{
    const fxi_combos_columns *c = s->columns;
    size_t rows = 0;

    for (size_t i = 0; i < c->rows; i++)
        if (s->now[i] != 0) {
            s->row[rows] = (fxi_combos_span){(uint32_t)c->ptr[i], (uint32_t)c->ptr[i + 1],
                                             (uint32_t)rows};
            s->cell[rows++] = (fxi_combos_cell){s->now[i], fabs(s->now[i]), 1};
        }
    return (fxi_combos_node){.row = s->row, .rows = rows, .cell = s->cell, .item = c->item,
                             .val = c->val, .id = s->id, .items = c->cols, .held = (double)rows};
}

/* ---- Reuse ----------------------------------------------------------------------------------- */

/* True if nothing that begins with the k-th item alive can be above the threshold.  Items that were
 * left out when it was searched, and are not now, make that unknown. */
static bool quiet(const fxi_combos_search *s, const fxi_combos_level *l, size_t k)
{
    size_t j = (size_t)l->id[k];
    const fxi_combos_columns *c = s->columns;
    const last *then = &s->last[j];
    double now_then = 0, then_then = 0, rest = 0;

    if (!then->when)
        return false;
    for (size_t z = k + 1; z < l->alive; z++)
        if (s->last[l->id[z]].dead >= then->when)
            return false;
    for (size_t q = c->start[j]; q < c->start[j + 1]; q++) {
        now_then += s->now[c->row[q]] * s->theta[q];
        then_then += s->theta[q] * s->theta[q];
    }
    double a = then_then > 0 ? now_then / then_then : 0;
    for (size_t q = c->start[j]; q < c->start[j + 1]; q++) {
        double u = s->now[c->row[q]] - a * s->theta[q];
        rest += u * u;
    }
    return (fabs(a) * then->largest + sqrt(rest) * c->norm[j]) * (1 + 1e-12) <= s->root.threshold;
}

static void remember(fxi_combos_search *s, size_t j, double beneath)
{
    const fxi_combos_columns *c = s->columns;

    s->last[j].largest = beneath;
    s->last[j].when = s->when;
    for (size_t q = c->start[j]; q < c->start[j + 1]; q++)
        s->theta[q] = s->now[c->row[q]];
}

/* ---- Waves ----------------------------------------------------------------------------------- */

static fx_status search_block(void *ctx, size_t block, fxi_team *team)
{
    fxi_combos_search *s = ctx;
    found *f = &s->wave[block];
    const fxi_combos_level *root = &s->root.level[0];
    fxi_combos_walk *w = &s->walk[fxi_parallel_thread(team)];

    if (quiet(s, root, f->k))
        return FX_OK;
    w->hits = f->hits;
    w->hits.most = s->root.hits.most;
    w->threshold = s->root.threshold;
    w->largest = w->beneath = w->missed = 0;
    w->nodes = w->work = 0;
    w->max_work = s->share;
    w->set = (fxi_combo){.n = 1, .item = {root->id[f->k]}};
    fxi_combos_node n = fxi_combos_walk_child(root, s->columns->binary, f->k, f->list);
    fx_status st = fxi_combos_walk_down(w, &n, team);
    f->hits = w->hits;
    f->largest = w->largest;
    f->missed = w->missed;
    f->nodes = w->nodes;
    f->work = w->work;
    w->hits = (fxi_combos_hits){0};
    if (!st && !fxi_parallel_cancelled(team))
        remember(s, (size_t)root->id[f->k], w->beneath);
    return st;
}

static fx_status run_wave(fxi_combos_search *s, const fx_run *run)
{
    fxi_combos_walk *root = &s->root;

    if (s->limit)                       /* root->work is below it */
        s->share = (s->limit - root->work) / s->width + 1;
    fx_status st = fxi_parallel(s->waiting, search_block, s, run);

    for (size_t b = 0; b < s->waiting && !st; b++) {
        found *f = &s->wave[b];
        for (size_t k = 0; k < f->hits.n && !st; k++)
            st = fxi_combos_hits_add(&root->hits, &f->hits.at[k]);
        root->largest = fmax(root->largest, f->largest);
        root->missed = fmax(root->missed, f->missed);
        root->work += f->work;
        s->nodes += f->nodes;
    }
    if (root->hits.n == root->hits.most)
        root->threshold = fmax(root->threshold, root->hits.at[0].score);
    s->waiting = 0;
    return st;
}

/* Sets of two items and more. */
static fx_status search_pairs(fxi_combos_search *s, const fx_run *run)
{
    const fxi_combos_level *l = &s->root.level[0];
    fx_status st = FX_OK;

    for (size_t k = 0, list = 0; k + 1 < l->alive && !st; list += l->count[k++]) {
        double bound = fxi_combos_walk_bound(&s->root, &l->sum[l->was[k]]);
        if (bound <= s->root.threshold)
            s->last[l->id[k]].dead = s->when;   /* the threshold has risen meanwhile */
        else if (s->limit && s->root.work >= s->limit)
            s->root.missed = fmax(s->root.missed, bound);
        else if (l->count[k]) {
            found *f = &s->wave[s->waiting++];
            *f = (found){.k = k, .list = list, .hits = {.at = f->hits.at, .room = f->hits.room}};
        }
        if (s->waiting == s->width)
            st = run_wave(s, run);
    }
    return st ? st : run_wave(s, run);
}

static fx_status open_root(void *ctx, size_t block, fxi_team *team)
{
    fxi_combos_search *s = ctx;
    fxi_combos_node n = root_node(s);
    const fxi_combos_level *l = &s->root.level[0];
    fx_status st = fxi_combos_walk_open(&s->root, &n, team);

    (void)block;
    s->nodes += s->root.nodes;
    if (st)
        return st;
    for (size_t j = 0, k = 0; j < s->columns->cols; j++)
        if (k < l->alive && (size_t)l->id[k] == j)
            k++;
        else
            s->last[j].dead = s->when;
    return FX_OK;
}

static fx_status make_walks(fxi_combos_search *s, const fx_run *run)
{
    size_t n = (size_t)fxi_parallel_threads(run, WAVE);

    if (n > s->walks) {
        fxi_combos_walk *more = fxi_realloc(s->walk, n, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        memset(more + s->walks, 0, (n - s->walks) * sizeof *more);
        s->walk = more;
        s->walks = n;
    }
    for (size_t k = 0; k < s->walks; k++)
        begin_walk(&s->walk[k], s, run);
    return FX_OK;
}

fx_status fxi_combos_search_run(double *largest, fxi_combos_search *s, const double *theta,
                                double threshold, size_t most, const fx_run *run)
{
    fx_status st = make_walks(s, run);

    if (st)
        return st;
    begin_walk(&s->root, s, run);
    s->root.threshold = threshold;
    s->root.hits.most = most;
    s->now = theta;
    s->when++;
    s->share = 0;
    if ((st = fxi_parallel_ordered(1, open_root, s, run)) || (st = search_pairs(s, run)))
        return st;
    fxi_combos_hits_sort(&s->root.hits);
    s->work += s->root.work;
    *largest = fmax(fmax(s->root.largest, s->root.missed), s->root.threshold);
    return FX_OK;
}
