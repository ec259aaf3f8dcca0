/* SPDX-License-Identifier: BSD-3-Clause
 * set.c - the products that may have weights, with their columns.
 *
 * Products with equal columns are one member, under the first of their sets: the smallest. */

#include "combos/combos.h"

#include <stdlib.h>
#include <string.h>

typedef fxi_combos_set working;
typedef fxi_combos_member member;

fx_status fxi_combos_set_new(working *out, const fxi_combos_columns *c, const fx_run *run)
{
    working s = {.columns = c, .limit = (size_t)fxi_sized_run(run).max_memory};

    s.row = fxi_alloc(c->rows, sizeof *s.row);
    s.x = fxi_alloc(c->rows, sizeof *s.x);
    if (!s.row || !s.x) {
        fxi_combos_set_free(&s);
        return FX_ENOMEM;
    }
    *out = s;
    return FX_OK;
}

static size_t bytes_of(const working *s, size_t rows)
{
    return rows * (sizeof(int32_t) + (s->columns->x ? sizeof(double) : 0));
}

static void free_member(working *s, member *m)
{
    s->bytes -= bytes_of(s, m->rows);
    fxi_free(m->row, m->x);
}

void fxi_combos_set_free(working *s)
{
    for (size_t k = 0; k < s->n; k++)
        free_member(s, &s->at[k]);
    fxi_free(s->at, s->by_column, s->by_set, s->row, s->x);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t hash_set(const fxi_combo *set)
{
    uint64_t h = (uint64_t)set->n;

    for (int32_t k = 0; k < set->n; k++)
        h = mix(h, (uint64_t)set->item[k]);
    return h;
}

static void put(size_t *table, size_t slots, uint64_t hash, size_t number)
{
    size_t k = hash & (slots - 1);

    while (table[k])
        k = (k + 1) & (slots - 1);
    table[k] = number + 1;
}

static void fill_tables(working *s)
{
    if (!s->slots)
        return;
    memset(s->by_column, 0, s->slots * sizeof *s->by_column);
    memset(s->by_set, 0, s->slots * sizeof *s->by_set);
    for (size_t k = 0; k < s->n; k++) {
        put(s->by_column, s->slots, s->at[k].hash, k);
        put(s->by_set, s->slots, hash_set(&s->at[k].set), k);
    }
}

/* For one more member, at most half full. */
static fx_status grow(working *s)
{
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        member *more = fxi_realloc(s->at, room, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        s->at = more;
        s->room = room;
    }
    if (2 * (s->n + 1) > s->slots) {
        size_t slots = s->slots ? 2 * s->slots : 256;
        size_t *a = fxi_alloc(slots, sizeof *a), *b = fxi_alloc(slots, sizeof *b);
        if (!a || !b) {
            fxi_free(a, b);
            return FX_ENOMEM;
        }
        fxi_free(s->by_column, s->by_set);
        s->by_column = a;
        s->by_set = b;
        s->slots = slots;
        fill_tables(s);
    }
    return FX_OK;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* The product of the items' columns; returns the number of rows that hold it. */
static size_t multiply(working *s, const fxi_combo *set)
{
    const fxi_combos_columns *c = s->columns;
    size_t n = 0;

    for (size_t q = c->start[set->item[0]]; q < c->start[set->item[0] + 1]; q++, n++) {
        s->row[n] = c->row[q];
        s->x[n] = c->x ? c->x[q] : 1;
    }
    for (int32_t k = 1; k < set->n; k++) {
        size_t q = c->start[set->item[k]], end = c->start[set->item[k] + 1], kept = 0;
        for (size_t p = 0; p < n; p++) {
            while (q < end && c->row[q] < s->row[p])
                q++;
            if (q < end && c->row[q] == s->row[p]) {
                s->x[kept] = s->x[p] * (c->x ? c->x[q] : 1);
                s->row[kept++] = s->row[p];
            }
        }
        n = kept;
    }
    return n;
}

static uint64_t hash_column(const working *s, size_t n)
{
    uint64_t h = n;

    for (size_t p = 0; p < n; p++) {
        uint64_t bits = 0;
        if (s->columns->x)
            memcpy(&bits, &s->x[p], sizeof bits);
        h = mix(h, (uint64_t)s->row[p] ^ bits << 1 ^ bits >> 63);
    }
    return h;
}

static member *same_set(working *s, const fxi_combo *set)
{
    for (size_t k = hash_set(set) & (s->slots - 1); s->by_set[k]; k = (k + 1) & (s->slots - 1)) {
        member *m = &s->at[s->by_set[k] - 1];
        if (fxi_combos_hits_compare(&m->set, set) == 0)
            return m;
    }
    return NULL;
}

static member *same_column(working *s, uint64_t hash, size_t n)
{
    for (size_t k = hash & (s->slots - 1); s->by_column[k]; k = (k + 1) & (s->slots - 1)) {
        member *m = &s->at[s->by_column[k] - 1];
        if (m->hash == hash && m->rows == n && !memcmp(m->row, s->row, n * sizeof *m->row)
            && (!m->x || !memcmp(m->x, s->x, n * sizeof *m->x)))
            return m;
    }
    return NULL;
}

static fx_status append(working *s, const fxi_combo *set, uint64_t hash, size_t n)
{
    member m = {.set = *set, .rows = n, .hash = hash, .keep = true};

    s->bytes += bytes_of(s, n);
    if (s->limit && s->bytes > s->limit) {
        s->bytes -= bytes_of(s, n);
        return fxi_error(FX_ELIMIT, "the columns of %zu products need more than %zu bytes",
                         s->n + 1, s->limit);
    }
    m.row = fxi_alloc(n, sizeof *m.row);
    m.x = s->columns->x ? fxi_alloc(n, sizeof *m.x) : NULL;
    if (!m.row || (s->columns->x && !m.x)) {
        free_member(s, &m);
        return FX_ENOMEM;
    }
    memcpy(m.row, s->row, n * sizeof *m.row);
    if (m.x)
        memcpy(m.x, s->x, n * sizeof *m.x);
    put(s->by_column, s->slots, hash, s->n);
    put(s->by_set, s->slots, hash_set(set), s->n);
    s->at[s->n++] = m;
    return FX_OK;
}

fx_status fxi_combos_set_add(bool *fresh, working *s, const fxi_combo *set)
{
    fx_status st = grow(s);

    *fresh = false;
    if (st)
        return st;
    member *m = same_set(s, set);
    if (m) {
        m->keep = true;
        s->last = (size_t)(m - s->at);
        return FX_OK;
    }
    size_t n = multiply(s, set);
    uint64_t hash = hash_column(s, n);
    if ((m = same_column(s, hash, n))) {
        m->keep = true;
        s->last = (size_t)(m - s->at);
        if (fxi_combos_hits_compare(set, &m->set) < 0) {
            m->set = *set;
            fill_tables(s);
        }
        return FX_OK;
    }
    *fresh = true;
    s->last = s->n;
    return append(s, set, hash, n);
}

void fxi_combos_set_drop(working *s)
{
    size_t kept = 0;

    for (size_t k = 0; k < s->n; k++)
        if (s->at[k].w != 0 || s->at[k].keep)
            s->at[kept++] = s->at[k];
        else
            free_member(s, &s->at[k]);
    s->n = kept;
    fill_tables(s);
}

size_t fxi_combos_set_ties(int32_t *item, const working *s, const member *m)
{
    const fxi_combos_columns *c = s->columns;
    size_t n = 0;

    memset(item, 0, c->cols * sizeof *item);    /* at first: rows of m where it is 1 */
    for (size_t p = 0; p < m->rows; p++)
        for (size_t q = c->ptr[m->row[p]]; q < c->ptr[m->row[p] + 1]; q++)
            item[c->item[q]] += !c->val || c->val[q] == 1;
    for (int32_t k = 0; k < m->set.n; k++)
        item[m->set.item[k]] = -1;
    for (size_t j = 0; j < c->cols; j++)
        if (item[j] >= 0 && (size_t)item[j] == m->rows)
            item[n++] = (int32_t)j;
    return n;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

double fxi_combos_set_dot(const member *m, const double *v)
{
    double sum = 0;

    if (m->x)
        for (size_t p = 0; p < m->rows; p++)
            sum += v[m->row[p]] * m->x[p];
    else
        for (size_t p = 0; p < m->rows; p++)
            sum += v[m->row[p]];
    return sum;
}

void fxi_combos_set_axpy(double *v, double a, const member *m)
{
    if (m->x)
        for (size_t p = 0; p < m->rows; p++)
            v[m->row[p]] += a * m->x[p];
    else
        for (size_t p = 0; p < m->rows; p++)
            v[m->row[p]] += a;
}
