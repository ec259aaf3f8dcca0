/* SPDX-License-Identifier: BSD-3-Clause
 * variance_itemset.c - the exact variance of the random kernel map for any family of sets.
 *
 * The estimate of one row of signs is expanded into characters,
 *
 *   g(w) = sum over sets U, V of the family of x_U y_V w_U w_V = sum_T C_T w_T,
 *
 * by adding x_U y_V to the entry of T = U xor V in a hash table, for all pairs of sets that do not
 * vanish; the variance is the sum of C_T^2 without the empty T.  Complex draws keep U \ V apart
 * from V \ U: C_AB of w_A conj(w_B), and the real part has variance sum (C_AB^2 + C_AB C_BA)/2.
 *
 * Cost: the number of sets squared, so this is for small families or sparse rows: at most PAIRS
 * pairs of sets and 64 features that occur in both a row and the family.  32 bytes an entry. */

#include "map/map.h"

#include <stdlib.h>

enum { FEATURES = 64, PAIRS = 1000000 };

typedef struct term {                   /* of Z(x) and Z(y): a set as bits, prod x_j, prod y_j */
    uint64_t set;
    double x, y;
} term;

typedef struct character {
    uint64_t plus, minus;               /* A, B; real draws: T, 0 */
    double C;
    bool used;
} character;

typedef struct expansion {
    const fxi_tree *tree;
    const fxi_pair *pair;
    size_t entry[FEATURES];             /* of the pair, for each bit */
    int live;                           /* bits in use */
    character *table;                   /* [mask + 1] */
    size_t mask;
    int shift;
} expansion;

/* Bit of a feature of the tree, -1 if it is 0 in both rows. */
static int bit_of(const expansion *e, int32_t use)
{
    for (int i = 0; i < e->live; i++)
        if (e->pair->col[e->entry[i]] == e->tree->feature[use])
            return i;
    return -1;
}

/* Sets that do not vanish in both rows, to out (may be NULL); how many, at most PAIRS + 1. */
static size_t list_terms(term *out, const expansion *e)
{
    const fxi_tree *t = e->tree;
    term path[FEATURES + 1] = {{0, 1, 1}};
    size_t n = 0;

    if (t->empty) {
        if (out)
            out[n] = path[0];
        n++;
    }
    for (size_t v = 0; v < t->nodes && n <= PAIRS;) {
        int bit = bit_of(e, t->use[v]);
        if (bit < 0) {
            v = (size_t)t->next[v];
            continue;
        }
        const term *above = &path[t->level[v] - 1];
        term *here = &path[t->level[v]];
        size_t i = e->entry[bit];
        *here = (term){above->set | (uint64_t)1 << bit, above->x * e->pair->x[i],
                       above->y * e->pair->y[i]};
        if (here->x == 0 && here->y == 0) {
            v = (size_t)t->next[v];
            continue;
        }
        if (t->ends[v]) {
            if (out)
                out[n] = *here;
            n++;
        }
        v++;
    }
    return n;
}

static character *find(const expansion *e, uint64_t plus, uint64_t minus)
{
    uint64_t mixed = (plus ^ minus * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
    size_t h = (size_t)(mixed >> e->shift);

    while (e->table[h].used && (e->table[h].plus != plus || e->table[h].minus != minus))
        h = (h + 1) & e->mask;
    return &e->table[h];
}

static void expand(const expansion *e, const term *at, size_t n, bool complex)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double v = at[i].x * at[j].y;
            if (v == 0)
                continue;
            uint64_t only = at[i].set & ~at[j].set, other = at[j].set & ~at[i].set;
            character *c = complex ? find(e, only, other) : find(e, only | other, 0);
            c->plus = complex ? only : only | other;
            c->minus = complex ? other : 0;
            c->used = true;
            c->C += v;
        }
}

static fx_status sum(double *one, double *all, const expansion *e, bool complex,
                     const fxi_blocks *blocks)
{
    double weight[FEATURES + 1];

    fxi_map_variance_rk_weights(weight, FEATURES, blocks);
    *one = *all = 0;
    for (size_t h = 0; h <= e->mask; h++) {
        const character *c = &e->table[h];
        uint64_t T = c->plus | c->minus;
        if (!c->used || T == 0)
            continue;
        double v = c->C * c->C;
        if (complex)
            v = (v + c->C * find(e, c->minus, c->plus)->C) / 2;
        *one += v;
        *all += v * weight[__builtin_popcountll(T)];
    }
    return FX_OK;
}

/* Memory for twice as many characters as there can be. */
static fx_status make_table(expansion *e, size_t pairs)
{
    size_t size = 16;

    for (e->shift = 60; size < 2 * pairs; e->shift--)
        size *= 2;
    e->mask = size - 1;
    e->table = fxi_zalloc(size, sizeof *e->table);
    return e->table ? FX_OK : FX_ENOMEM;
}

fx_status fxi_map_variance_itemset(double *one, double *all, const fxi_tree *tree,
                                   const fxi_pair *pair, bool complex, const fxi_blocks *blocks)
{
    expansion e = {.tree = tree, .pair = pair};

    for (size_t i = 0; i < pair->n; i++)
        if (fxi_family_find(tree->feature, tree->features, pair->col[i]) >= 0) {
            if (e.live == FEATURES)
                return fxi_error(FX_EUNSUPPORTED,
                                 "rk: exact variances of itemset are for rows that share at most "
                                 "%d features with the family",
                                 FEATURES);
            e.entry[e.live++] = i;
        }
    size_t n = list_terms(NULL, &e), pairs = n * n;
    if (pairs > PAIRS)
        return fxi_error(FX_EUNSUPPORTED,
                         "rk: exact variances of itemset are for at most %d pairs of sets", PAIRS);
    term *at = fxi_alloc(n + 1, sizeof *at);
    fx_status st = at ? make_table(&e, pairs) : FX_ENOMEM;
    if (!st) {
        list_terms(at, &e);
        expand(&e, at, n, complex);
        st = sum(one, all, &e, complex, blocks);
    }
    free(at);
    free(e.table);
    return st;
}
