/* SPDX-License-Identifier: BSD-3-Clause
 * walk.c - from a set to the sets with one item more.
 *
 * One visit to the rows that hold the set gives the sums of all sets with one item more at once:
 * each row adds its cell to the sum of each of its items.  An item whose bound is at most the
 * threshold is in no hit of this subtree and leaves all its rows; so does one that all rows hold,
 * as it changes no product.  Rows with the same items left are merged, if all numbers are 1.  The
 * rows are then put into a list for each item, which are the nodes of the next level.
 *
 * Items only follow larger ones, so each set is met once. */

#include "combos/walk.h"

#include <stdlib.h>
#include <string.h>

typedef fxi_combos_level level;
typedef fxi_combos_walk walk;
typedef fxi_combos_node node;
typedef fxi_combos_cell cell;
typedef fxi_combos_span span;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* n items of p, of which there are `room`; what was in them is lost. */
static fx_status room_for(walk *w, void **p, size_t room, size_t n, size_t size)
{
    size_t more = (n - room) * size, all = atomic_fetch_add(w->bytes, more) + more;

    if (w->limit && all > w->limit) {
        atomic_fetch_sub(w->bytes, more);
        return fxi_error(FX_ELIMIT, "the search for products needs more than %zu bytes", w->limit);
    }
    free(*p);
    *p = fxi_alloc(n, size);
    return *p ? FX_OK : FX_ENOMEM;
}

/* After a failed allocation an array is gone: its capacity, which it has with others, is 0. */
static fx_status lost(size_t *room, fx_status st)
{
    if (st == FX_ENOMEM)
        *room = 0;
    return st;
}

#define ROOM(p, room, n) room_for(w, (void **)&(p), room, n, sizeof *(p))

static fx_status room_sums(walk *w, level *l, size_t n)
{
    fx_status st;

    if (n <= l->sums)
        return FX_OK;
    if ((st = ROOM(l->sum, l->sums, n)) || (st = ROOM(l->map, l->sums, n))
        || (st = ROOM(l->id, l->sums, n)) || (st = ROOM(l->was, l->sums, n))
        || (st = ROOM(l->count, l->sums, n)))
        return lost(&l->sums, st);
    l->sums = n;
    return FX_OK;
}

static size_t slots_for(size_t rows)
{
    size_t slots = 64;

    while (slots < 2 * rows)
        slots *= 2;
    return slots;
}

static fx_status room_rows(walk *w, level *l, const node *n)
{
    size_t items = 0, rows = n->rows, slots = slots_for(rows);
    fx_status st;

    for (size_t r = 0; r < rows; r++)
        items += n->row[r].to - n->row[r].from;
    if (items > l->items) {
        items += items / 2;
        if ((st = ROOM(l->item, l->items, items))
            || (n->val && (st = ROOM(l->val, l->items, items))))
            return lost(&l->items, st);
        l->items = items;
    }
    if (rows > l->rows) {
        rows += rows / 2;
        if ((st = ROOM(l->row, l->rows, rows)) || (st = ROOM(l->cell, l->rows, rows)))
            return lost(&l->rows, st);
        l->rows = rows;
    }
    if (!n->val && slots > l->slots) {
        if ((st = ROOM(l->slot, l->slots, slots)))
            return lost(&l->slots, st);
        l->slots = slots;
    }
    return FX_OK;
}

static fx_status room_lists(walk *w, level *l, size_t n, bool listed)
{
    fx_status st;

    if (n <= l->lists)
        return FX_OK;
    n += n / 2;
    if ((st = ROOM(l->list, l->lists, n)) || (listed && (st = ROOM(l->listed, l->lists, n))))
        return lost(&l->lists, st);
    l->lists = n;
    return FX_OK;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void add_rows(walk *w, level *l, const node *n)
{
    cell *sum = l->sum;

    memset(sum + n->low, 0, (n->items - n->low) * sizeof *sum);
    for (size_t r = 0; r < n->rows; r++) {
        const span s = n->row[r];
        const cell c = n->cell[s.cell];
        w->work += s.to - s.from;
        for (size_t q = s.from; q < s.to; q++) {
            cell *to = &sum[n->item[q]];
            double x = n->val ? n->val[q] : 1;
            to->v += c.v * x;
            to->a += c.a * fabs(x);
            to->n += c.n;
        }
    }
}

/* One item of a group excludes the others. */
static bool excluded(const walk *w, int32_t id)
{
    const int32_t *group = w->p->group, *column = w->columns->column;

    for (int32_t k = 0; group && k < w->set.n; k++)
        if (group[column[w->set.item[k]]] == group[column[id]])
            return true;
    return false;
}

static fx_status hit(walk *w, double value, int32_t id)
{
    fxi_combos_hit h = {value, w->set};

    h.set.item[h.set.n++] = id;
    fx_status st = fxi_combos_hits_add(&w->hits, &h);
    if (w->hits.n == w->hits.most && w->hits.at[0].score > w->threshold)
        w->threshold = w->hits.at[0].score;
    return st;
}

/* Finds hits, and the items that may be in larger sets. */
static fx_status judge(walk *w, level *l, const node *n)
{
    int size = w->set.n + 1;
    bool deeper = size < w->p->order, counted = size >= w->p->least;
    /* Without an item that all rows hold a set is smaller: it must not become too small. */
    bool whole = w->columns->binary && (w->p->least <= 1 || w->set.n >= w->p->least);
    fx_status st = FX_OK;

    l->alive = 0;
    for (size_t j = n->low; j < n->items && !st; j++) {
        const cell *c = &l->sum[j];
        bool alive = false;
        if (c->n > 0 && !excluded(w, n->id[j])) {
            double value = fabs(c->v), bound = fxi_combos_walk_bound(w, c);
            w->nodes++;
            if (counted) {
                w->largest = fmax(w->largest, value);
                w->beneath = fmax(w->beneath, value);
                if (value > w->threshold)
                    st = hit(w, value, n->id[j]);
            }
            alive = deeper && bound > w->threshold && !(whole && c->n == n->held);
            if (deeper && bound <= w->threshold)
                w->beneath = fmax(w->beneath, bound);
        }
        l->map[j] = alive ? (int32_t)l->alive : -1;
        if (alive) {
            l->id[l->alive] = n->id[j];
            l->was[l->alive] = (int32_t)j;
            l->count[l->alive++] = 0;
        }
    }
    return st;
}

/* ---- Rows with what is left ------------------------------------------------------------------ */

/* A row with the same items, or NULL after s has taken the free slot. */
static span *same_row(level *l, const span *s, uint64_t hash, size_t slots, size_t rows)
{
    size_t len = s->to - s->from, k = (hash >> 20) & (slots - 1);

    for (; l->slot[k]; k = (k + 1) & (slots - 1)) {
        span *t = &l->row[l->slot[k] - 1];
        if (t->to - t->from == len
            && !memcmp(l->item + t->from, l->item + s->from, len * sizeof *l->item))
            return t;
    }
    l->slot[k] = (uint32_t)rows + 1;
    return NULL;
}

/* Rows with two items or more; returns how many. */
static size_t keep_rows(level *l, const node *n)
{
    size_t rows = 0, slots = slots_for(n->rows);
    uint32_t at = 0;

    if (!n->val)
        memset(l->slot, 0, slots * sizeof *l->slot);
    for (size_t r = 0; r < n->rows; r++) {
        const span from = n->row[r];
        const cell c = n->cell[from.cell];
        span s = {at, at, (uint32_t)rows};
        uint64_t hash = 0;
        for (size_t q = from.from; q < from.to; q++) {
            int32_t k = l->map[n->item[q]];
            if (k < 0)
                continue;
            if (n->val)
                l->val[s.to] = n->val[q];
            l->item[s.to++] = k;
            hash = (hash ^ (uint64_t)k) * 0x9e3779b97f4a7c15u;
        }
        if (s.to - s.from < 2)
            continue;
        span *same = n->val ? NULL : same_row(l, &s, hash, slots, rows);
        if (same) {
            cell *to = &l->cell[same->cell];
            *to = (cell){to->v + c.v, to->a + c.a, to->n + c.n};
            continue;
        }
        l->cell[rows] = c;
        l->row[rows++] = s;
        at = s.to;
    }
    return rows;
}

/* Each row goes to the list of each of its items but the last, with the items after it. */
static fx_status list_rows(walk *w, level *l, size_t rows, bool binary)
{
    size_t all = 0;
    fx_status st;

    for (size_t r = 0; r < rows; r++)
        for (size_t q = l->row[r].from; q + 1 < l->row[r].to; q++)
            l->count[l->item[q]]++;
    for (size_t k = 0; k < l->alive; k++) {
        l->map[k] = (int32_t)all;       /* now: the end of its list */
        all += l->count[k];
    }
    if ((st = room_lists(w, l, all, !binary)))
        return st;
    for (size_t r = 0; r < rows; r++) {
        const span s = l->row[r];
        for (uint32_t q = s.from; q + 1 < s.to; q++) {
            size_t to = (size_t)l->map[l->item[q]]++;
            l->list[to] = (span){q + 1, s.to, binary ? s.cell : (uint32_t)to};
            if (!binary) {
                double x = l->val[q];
                const cell c = l->cell[s.cell];
                l->listed[to] = (cell){c.v * x, c.a * fabs(x), c.n};
            }
        }
    }
    return FX_OK;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

fx_status fxi_combos_walk_open(walk *w, const node *n, fxi_team *team)
{
    level *l = &w->level[w->set.n];
    fx_status st;

    if ((st = room_sums(w, l, n->items)))
        return st;
    add_rows(w, l, n);
    if ((st = judge(w, l, n)))
        return st;
    if (l->alive < 2 || fxi_parallel_cancelled(team)) {
        l->alive = 0;
        return FX_OK;
    }
    if ((st = room_rows(w, l, n)))
        return st;
    return list_rows(w, l, keep_rows(l, n), !n->val);
}

node fxi_combos_walk_child(const level *l, bool binary, size_t k, size_t list)
{
    return (node){.row = l->list + list, .rows = l->count[k], .item = l->item,
                  .cell = binary ? l->cell : l->listed, .val = binary ? NULL : l->val, .id = l->id,
                  .low = k + 1, .items = l->alive, .held = l->sum[l->was[k]].n};
}

fx_status fxi_combos_walk_down(walk *w, const node *n, fxi_team *team)
{
    level *l = &w->level[w->set.n];
    fx_status st = fxi_combos_walk_open(w, n, team);

    for (size_t k = 0, list = 0; k + 1 < l->alive && !st && !fxi_parallel_cancelled(team);
         list += l->count[k++]) {
        double bound = fxi_combos_walk_bound(w, &l->sum[l->was[k]]);
        if (!l->count[k])
            continue;
        bool ends = w->max_work && w->work >= w->max_work;
        if (bound <= w->threshold || ends) {    /* the threshold has risen meanwhile */
            w->beneath = fmax(w->beneath, bound);
            w->missed = fmax(w->missed, ends ? bound : 0);
            continue;
        }
        node child = fxi_combos_walk_child(l, !n->val, k, list);
        w->set.item[w->set.n++] = l->id[k];
        st = fxi_combos_walk_down(w, &child, team);
        w->set.n--;
    }
    return st;
}

void fxi_combos_walk_free(walk *w)
{
    for (level *l = w->level; l < w->level + FX_ORDER_MAX; l++)
        fxi_free(l->sum, l->map, l->id, l->was, l->count, l->item, l->val, l->row, l->list, l->cell,
                 l->listed, l->slot);
    free(w->hits.at);
}
