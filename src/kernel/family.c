/* SPDX-License-Identifier: BSD-3-Clause
 * family.c - itemset families and feature groups from text.
 *
 * Itemsets: one set of feature indices per line, {} for the empty set.  The sorted sets become a
 * prefix tree, stored as arrays in the order of a walk; {1}, {1,3}, {2,3} is
 *
 *      root                use    1  3  2  3
 *      |- 1 (set)          level  1  2  1  2
 *      |  `- 3 (set)       next   2  2  4  4
 *      `- 2                ends   1  1  0  1
 *         `- 3 (set)
 *
 * so a kernel visits each node once and jumps over the subtree of a feature that is zero.
 *
 * Groups: lines `name: feature feature ..`.  A cross has, as its first line, the names of the
 * groups to multiply.  In both, # starts a comment, commas count as spaces, indices are in the base
 * of the data. */

#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

typedef struct cursor {
    const char *p, *line;               /* next byte; start of its line */
    size_t number;                      /* of the line, from 1 */
} cursor;

static fx_status syntax_error(const cursor *c, const char *what)
{
    size_t n = strcspn(c->p, " \t\r\n");

    return fxi_error(FX_EFORMAT, "family:%zu:%zu: %s '%.*s'", c->number,
                     (size_t)(c->p - c->line) + 1, what, (int)(n < 40 ? n : 40), c->p);
}

static void skip_spaces(cursor *c)
{
    while (*c->p == ' ' || *c->p == '\t' || *c->p == ',' || *c->p == '\r')
        c->p++;
    if (*c->p == '#')
        c->p += strcspn(c->p, "\n");
}

/* To the first token of the next line that has one; false at the end of the text. */
static bool next_line(cursor *c)
{
    for (skip_spaces(c); *c->p == '\n'; skip_spaces(c)) {
        c->line = ++c->p;
        c->number++;
    }
    return *c->p != '\0';
}

static bool at_end(cursor *c)           /* of this line */
{
    skip_spaces(c);
    return *c->p == '\n' || *c->p == '\0';
}

static fx_status read_feature(int64_t *out, cursor *c, int base)
{
    const char *p = c->p;
    int64_t j = 0;

    for (; *p >= '0' && *p <= '9' && j <= FX_INDEX_MAX; p++)
        j = j * 10 + (*p - '0');
    if (j > FX_INDEX_MAX)
        return syntax_error(c, "feature index too large:");
    if (p == c->p || !strchr(" \t\r\n,#", *p))
        return syntax_error(c, "expected a feature index, found");
    if (j < base)
        return syntax_error(c, base ? "indices count from 1:" : "bad index");
    c->p = p;
    *out = j - base;
    return FX_OK;
}

/* ---- A growing array of numbers ------------------------------------------------------------- */
typedef struct list {
    int64_t *at;
    size_t n, capacity;
} list;

static fx_status push(list *l, int64_t x)
{
    if (l->n == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        int64_t *at = fxi_realloc(l->at, capacity, sizeof *at);
        if (!at)
            return FX_ENOMEM;
        l->at = at;
        l->capacity = capacity;
    }
    l->at[l->n++] = x;
    return FX_OK;
}

/* Sorted and without repetitions; its length. */
static size_t distinct(int64_t *at, size_t n)
{
    size_t distinct = 0;

    if (n)
        qsort(at, n, sizeof *at, fxi_data_sort_integers);
    for (size_t i = 0; i < n; i++)
        if (distinct == 0 || at[distinct - 1] != at[i])
            at[distinct++] = at[i];
    return distinct;
}

/* ---- Itemsets ------------------------------------------------------------------------------- */
typedef struct set {
    const int64_t *item;
    size_t n, line;
} set;

static int lexicographic(const void *a, const void *b)
{
    const set *s = a, *t = b;

    for (size_t i = 0; i < s->n && i < t->n; i++)
        if (s->item[i] != t->item[i])
            return s->item[i] < t->item[i] ? -1 : 1;
    return s->n < t->n ? -1 : s->n > t->n ? 1 : s->line < t->line ? -1 : 1;
}

/* items: the sets one after the other; bounds: (first, line) of each. */
static fx_status read_sets(list *items, list *bounds, const char *text, int base)
{
    cursor c = {text, text, 1};
    fx_status st = FX_OK;

    while (!st && next_line(&c)) {
        size_t first = items->n;
        if ((st = push(bounds, (int64_t)first)) != 0 || (st = push(bounds, (int64_t)c.number)) != 0)
            return st;
        if (!strncmp(c.p, "{}", 2)) {
            c.p += 2;
            if (!at_end(&c))
                return syntax_error(&c, "unexpected text behind the empty set:");
            continue;
        }
        while (!st && !at_end(&c)) {
            int64_t j;
            if ((st = read_feature(&j, &c, base)) == 0)
                st = push(items, j);
        }
        if (!st && distinct(items->at + first, items->n - first) != items->n - first)
            return fxi_error(FX_EFORMAT, "family:%zu: a feature stands twice in this set",
                             c.number);
    }
    return st;
}

/* Nodes of the sorted sets: where a set leaves the path of the one before, new nodes begin. */
static fx_status grow(fxi_tree *t, const set *sets, size_t n)
{
    for (size_t s = 0; s < n; s++) {
        size_t common = 0;
        if (sets[s].n == 0) {
            if (t->empty++)
                return fxi_error(FX_EFORMAT, "family:%zu: the empty set stands twice",
                                 sets[s].line);
            continue;
        }
        while (s && common < sets[s].n && common < sets[s - 1].n
               && sets[s].item[common] == sets[s - 1].item[common])
            common++;
        if (common == sets[s].n)        /* sorted: the set before is this one */
            return fxi_error(FX_EFORMAT, "family:%zu: the set of line %zu again", sets[s].line,
                             sets[s - 1].line);
        for (size_t i = common; i < sets[s].n; i++) {
            size_t v = t->nodes++;
            t->use[v] = (int32_t)fxi_family_find(t->feature, t->features, sets[s].item[i]);
            t->level[v] = (int32_t)i + 1;
            t->ends[v] = i + 1 == sets[s].n;
        }
        if (sets[s].n > t->depth)
            t->depth = sets[s].n;
    }
    for (size_t v = t->nodes; v-- > 0;) {       /* past v and all deeper nodes */
        size_t next = v + 1;
        while (next < t->nodes && t->level[next] > t->level[v])
            next = (size_t)t->next[next];
        t->next[v] = (int32_t)next;
    }
    return FX_OK;
}

static fx_status build_tree(fxi_tree *t, list *items, const list *bounds)
{
    size_t n = bounds->n / 2, capacity = items->n;
    fx_status st = FX_ENOMEM;
    set *sets = fxi_alloc(n + 1, sizeof *sets);

    t->feature = fxi_alloc(capacity + 1, sizeof *t->feature);
    t->use = fxi_alloc(capacity + 1, sizeof *t->use);
    t->level = fxi_alloc(capacity + 1, sizeof *t->level);
    t->next = fxi_alloc(capacity + 1, sizeof *t->next);
    t->ends = fxi_alloc(capacity + 1, sizeof *t->ends);
    if (sets && t->feature && t->use && t->level && t->next && t->ends) {
        if (capacity)
            memcpy(t->feature, items->at, capacity * sizeof *t->feature);
        t->features = distinct(t->feature, capacity);
        for (size_t s = 0; s < n; s++) {
            size_t first = (size_t)bounds->at[2 * s];
            size_t last = s + 1 < n ? (size_t)bounds->at[2 * s + 2] : items->n;
            sets[s] = (set){capacity ? items->at + first : NULL, last - first,
                            (size_t)bounds->at[2 * s + 1]};
        }
        if (n)
            qsort(sets, n, sizeof *sets, lexicographic);
        st = grow(t, sets, n);
    }
    free(sets);
    return st;
}

fx_status fxi_family_tree(fxi_tree **out, const char *text, int base)
{
    list items = {0}, bounds = {0};
    fxi_tree *t = fxi_zalloc(1, sizeof *t);
    fx_status st = t ? read_sets(&items, &bounds, text, base) : FX_ENOMEM;

    if (!st && items.n > INT32_MAX - 1)
        st = fxi_error(FX_EUNSUPPORTED, "a family of %zu items is too large", items.n);
    if (!st)
        st = build_tree(t, &items, &bounds);
    free(items.at);
    free(bounds.at);
    if (st)
        fxi_family_free(t, NULL);
    else
        *out = t;
    return st;
}

/* ---- Groups --------------------------------------------------------------------------------- */
typedef struct name {
    const char *at;
    size_t n, group;
} name;

static name read_name(cursor *c)
{
    name w = {c->p, strcspn(c->p, " \t\r\n,:#"), 0};

    c->p += w.n;
    return w;
}

/* The names on the first line of a cross, as (offset, length) pairs. */
static fx_status read_factors(list *factors, cursor *c, const char *text)
{
    fx_status st = FX_OK;

    if (!next_line(c))
        return fxi_error(FX_EFORMAT, "family: a cross begins with a line of group names");
    while (!st && !at_end(c)) {
        name w = read_name(c);
        if (w.n == 0)
            return syntax_error(c, "expected the names of the groups to cross, found");
        if ((st = push(factors, w.at - text)) == 0)
            st = push(factors, (int64_t)w.n);
    }
    return st;
}

/* names: (offset, length) of each group; pairs: feature * 2^31 + group. */
static fx_status read_groups(list *names, list *pairs, cursor *c, const char *text, int base)
{
    fx_status st = FX_OK;

    while (!st && next_line(c)) {
        cursor start = *c;
        name w = read_name(c);
        while (*c->p == ' ' || *c->p == '\t')
            c->p++;
        if (w.n == 0 || *c->p != ':')
            return syntax_error(&start, "expected `name: feature feature ..`, found");
        c->p++;
        int64_t g = (int64_t)(names->n / 2);
        if ((st = push(names, w.at - text)) != 0 || (st = push(names, (int64_t)w.n)) != 0)
            return st;
        size_t first = pairs->n;
        while (!st && !at_end(c)) {
            int64_t j;
            if ((st = read_feature(&j, c, base)) == 0)
                st = push(pairs, j << 31 | g);
        }
        if (!st && pairs->n == first)
            return syntax_error(&start, "this group is empty:");
    }
    return st;
}

static int by_name(const void *a, const void *b)        /* then by place in the text */
{
    const name *s = a, *t = b;
    int order = s->n == t->n ? memcmp(s->at, t->at, s->n) : s->n < t->n ? -1 : 1;

    return order ? order : s->at < t->at ? -1 : s->at > t->at;
}

/* The position of a name among the sorted ones; n if it is not one of them. */
static size_t look_up(const name *sorted, size_t n, name w)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (sorted[mid].n < w.n || (sorted[mid].n == w.n && memcmp(sorted[mid].at, w.at, w.n) < 0))
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && sorted[low].n == w.n && !memcmp(sorted[low].at, w.at, w.n) ? low : n;
}

/* Which groups a cross multiplies; a name must not mean two groups. */
static fx_status find_factors(fxi_groups *t, const list *names, const list *factors,
                              const char *text)
{
    name *sorted = fxi_alloc(t->groups + 1, sizeof *sorted);
    fx_status st = sorted ? FX_OK : FX_ENOMEM;

    for (size_t g = 0; !st && g < t->groups; g++)
        sorted[g] = (name){text + names->at[2 * g], (size_t)names->at[2 * g + 1], g};
    if (!st && t->groups)
        qsort(sorted, t->groups, sizeof *sorted, by_name);
    for (size_t g = 1; !st && g < t->groups; g++)
        if (sorted[g].n == sorted[g - 1].n && !memcmp(sorted[g].at, sorted[g - 1].at, sorted[g].n))
            st = fxi_error(FX_EFORMAT, "family: group '%.*s' is named twice", (int)sorted[g].n,
                           sorted[g].at);
    for (size_t f = 0; !st && f < factors->n; f += 2) {
        name w = {text + factors->at[f], (size_t)factors->at[f + 1], 0};
        size_t at = look_up(sorted, t->groups, w);
        if (at == t->groups) {
            fxi_nearest near = fxi_nearest_to(w.at, w.n);
            char hint[FXI_NEAREST];
            for (size_t g = 0; g < t->groups; g++)
                fxi_nearest_try(&near, sorted[g].at, sorted[g].n);
            st = fxi_error(FX_EFORMAT, "family:1: no group is named '%.*s'%s", (int)w.n, w.at,
                           fxi_nearest_hint(hint, &near));
        } else
            t->factor[t->factors++] = (int32_t)sorted[at].group;
    }
    free(sorted);
    return st;
}

static fx_status build_groups(fxi_groups *t, const list *names, list *pairs, const list *factors,
                              const char *text)
{
    size_t n = distinct(pairs->at, pairs->n);

    if (n != pairs->n)
        return fxi_error(FX_EFORMAT, "family: a feature stands twice in one group");
    t->groups = names->n / 2;
    t->feature = fxi_alloc(n + 1, sizeof *t->feature);
    t->first = fxi_alloc(n + 1, sizeof *t->first);
    t->member = fxi_alloc(n + 1, sizeof *t->member);
    t->factor = fxi_alloc(factors->n / 2 + 1, sizeof *t->factor);
    if (!t->feature || !t->first || !t->member || !t->factor)
        return FX_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int64_t j = pairs->at[i] >> 31;
        if (t->features == 0 || t->feature[t->features - 1] != j) {
            t->feature[t->features] = j;
            t->first[t->features++] = (int32_t)i;
        }
        t->member[i] = (int32_t)(pairs->at[i] & INT32_MAX);
    }
    t->first[t->features] = (int32_t)n;
    return find_factors(t, names, factors, text);
}

fx_status fxi_family_groups(fxi_groups **out, const char *text, int base, bool cross)
{
    cursor c = {text, text, 1};
    list names = {0}, pairs = {0}, factors = {0};
    fxi_groups *t = fxi_zalloc(1, sizeof *t);
    fx_status st = t ? FX_OK : FX_ENOMEM;

    if (!st && cross)
        st = read_factors(&factors, &c, text);
    if (!st)
        st = read_groups(&names, &pairs, &c, text, base);
    if (!st && pairs.n > INT32_MAX - 1)
        st = fxi_error(FX_EUNSUPPORTED, "%zu entries of groups are too many", pairs.n);
    if (!st)
        st = build_groups(t, &names, &pairs, &factors, text);
    fxi_free(names.at, pairs.at, factors.at);
    if (st)
        fxi_family_free(NULL, t);
    else
        *out = t;
    return st;
}

void fxi_family_free(fxi_tree *tree, fxi_groups *groups)
{
    if (tree) {
        fxi_free(tree->feature, tree->use, tree->level, tree->next, tree->ends, tree);
    }
    if (groups) {
        fxi_free(groups->feature, groups->first, groups->member, groups->factor, groups);
    }
}
