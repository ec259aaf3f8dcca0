/* SPDX-License-Identifier: BSD-3-Clause
 * classes.c - distinct texts, numbered as they come: labels, sorted when they are given out, and
 * names of columns.
 *
 * An open-addressing hash table over names stored in one buffer: O(length) for each text on
 * average, three arrays for a million classes.  Names hold no NUL. */

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const char *s, size_t len)
{
    uint64_t h = 0xcbf29ce484222325u;                   /* FNV-1a, its high bits folded in */

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

/* Where the name is or would be entered. */
static size_t *find(const fxi_data_classes *c, const char *s, size_t len)
{
    for (size_t i = (size_t)hash(s, len);; i++) {
        size_t *slot = &c->slot[i & (c->slots - 1)];
        if (!*slot)
            return slot;
        const char *name = c->text + c->at[*slot - 1];
        if (!strncmp(name, s, len) && !name[len])
            return slot;
    }
}

static fx_status more_slots(fxi_data_classes *c, fxi_team *team)
{
    size_t slots = c->slots ? 2 * c->slots : 16;

    if (fxi_parallel_cancelled(team))   /* clearing millions of slots takes long */
        return FX_ECANCELLED;
    size_t *slot = fxi_zalloc(slots, sizeof *slot);
    if (!slot)
        return FX_ENOMEM;
    free(c->slot);
    c->slot = slot;
    c->slots = slots;
    for (size_t i = 0; i < c->n; i++) {
        const char *name = c->text + c->at[i];
        *find(c, name, strlen(name)) = i + 1;
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

/* Reserves memory for one more name of len bytes. */
static fx_status reserve(fxi_data_classes *c, size_t len, fxi_team *team)
{
    size_t need;

    if (!fxi_size_add(&need, c->text_len, len) || !fxi_size_add(&need, need, need / 2 + 64))
        return fxi_error(FX_ENOMEM, "a name of %zu bytes", len);
    if (c->text_capacity - c->text_len <= len) {
        char *text = fxi_realloc(c->text, need, 1);
        if (!text)
            return FX_ENOMEM;
        c->text = text;
        c->text_capacity = need;
    }
    if (c->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 8;
        size_t *at = fxi_realloc(c->at, capacity, sizeof *at);
        if (!at)
            return FX_ENOMEM;
        c->at = at;
        c->capacity = capacity;
    }
    return 2 * (c->n + 1) > c->slots ? more_slots(c, team) : FX_OK;
}

bool fxi_data_classes_find(size_t *number, const fxi_data_classes *c, const char *s, size_t len)
{
    /* Longer than all names together: not hashed, since prefixes of long names are looked up. */
    size_t known = c->n && len < c->text_len ? *find(c, s, len) : 0;

    if (known)
        *number = known - 1;
    return known != 0;
}

fx_status fxi_data_classes_add(size_t *number, fxi_data_classes *c, const char *s, size_t len,
                               fxi_team *team)
{
    if (fxi_data_classes_find(number, c, s, len))
        return FX_OK;
    fx_status st = reserve(c, len, team);
    if (st)
        return st;
    memcpy(c->text + c->text_len, s, len);
    c->text[c->text_len + len] = '\0';
    c->at[c->n] = c->text_len;
    c->text_len += len + 1;
    size_t *slot = find(c, s, len);
    *slot = ++c->n;
    *number = c->n - 1;
    return FX_OK;
}

static int compare(const fxi_data_item *a, const fxi_data_item *b)
{
    return strcmp(a->key.name, b->key.name);
}

/* Names into name, ascending, and the place of each into rank. */
static fx_status sort(const char **name, double *rank, const fxi_data_classes *c, fxi_team *team)
{
    fxi_data_item *item = fxi_alloc(c->n + c->n / 2, sizeof *item);
    fx_status s = FX_OK;

    if (!item)
        return FX_ENOMEM;
    for (size_t i = 0; i < c->n; i++) {
        item[i].key.name = c->text + c->at[i];
        item[i].with.number = i;
    }
    s = fxi_data_sort(item, item + c->n, c->n, compare, team);
    for (size_t i = 0; i < c->n && !s; i++) {
        name[i] = item[i].key.name;
        rank[item[i].with.number] = (double)i;
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    free(item);
    return s;
}

fx_status fxi_data_classes_take(fx_data *d, double *rank, fxi_data_classes *c, fxi_team *team)
{
    const char **name = fxi_alloc(c->n, sizeof *name);
    char *text = c->text;
    size_t n = c->n;
    fx_status s = name ? sort(name, rank, c, team) : FX_ENOMEM;

    if (s) {
        free(name);
        return s;
    }
    c->text = NULL;                     /* d takes it over */
    fxi_data_classes_free(c);
    s = fxi_data_own(d, text);
    if (s) {
        free(name);
        return s;
    }
    s = fxi_data_own(d, name);
    if (s)
        return s;
    d->table.class_name = name;
    d->table.classes = n;
    return FX_OK;
}

void fxi_data_classes_free(fxi_data_classes *c)
{
    fxi_free(c->at, c->text, c->slot);
    *c = (fxi_data_classes){0};
}
