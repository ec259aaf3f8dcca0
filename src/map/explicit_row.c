/* SPDX-License-Identifier: BSD-3-Clause
 * explicit_row.c - the columns of an expansion that one sparse row touches.
 *
 * A row with n numbers has n over t products of t of them, however many columns there are.  Taken
 * in lexicographic order they come in ascending columns: that of features v_1 < .. < v_t is, within
 * its section,
 *
 *   sum_i [ (d - v_{i-1} - 1) over k  -  (d - v_i) over k ],   k = t - i + 1,  v_0 = -1,
 *
 * each term counting the combinations that a smaller v_i would have led to.  Products are formed as
 * explicit.c forms them, to the same bits. */

#include "map/explicit.h"

typedef struct walk {
    float prefix[FXI_EXPLICIT_ORDERS + 1]; /* weight and the first i factors */
    size_t rank[FXI_EXPLICIT_ORDERS + 1];  /* what the first i features add to the column */
    size_t at[FXI_EXPLICIT_ORDERS];        /* positions in the row */
} walk;

static size_t binomial(size_t n, size_t k)
{
    size_t c = 0;

    if (k == 2)                         /* most of them, and without a division */
        return n ? n * (n - 1) / 2 : 0;
    fxi_map_explicit_choose(&c, n, k);  /* fits: the columns are fewer than 2^31 */
    return c;
}

/* Factor i, not the last, is the row's number at[i]: what it makes of the prefix. */
static void extend(walk *w, fxi_row r, size_t d, int t, int i)
{
    size_t k = (size_t)(t - i), v = (size_t)fxi_row_column(r, w->at[i]);
    size_t from = i ? (size_t)fxi_row_column(r, w->at[i - 1]) + 1 : 0;

    w->prefix[i + 1] = w->prefix[i] * (float)fxi_row_value(r, w->at[i]);
    w->rank[i + 1] = w->rank[i] + binomial(d - from, k) - binomial(d - v, k);
}

/* Products of t > 0 of the row's n >= t numbers. */
static size_t products(float *val, int32_t *col, const fxi_section *s, fxi_row r, size_t d)
{
    int t = s->order, from = 0;
    size_t n = 0;
    walk w = {.prefix = {s->weight}, .rank = {s->first}};

    for (int i = 0; i < t; i++)
        w.at[i] = (size_t)i;
    for (;;) {
        for (int i = from; i < t - 1; i++)
            extend(&w, r, d, t, i);
        size_t last = t > 1 ? (size_t)fxi_row_column(r, w.at[t - 2]) + 1 : 0;
        for (size_t q = w.at[t - 1]; q < r.n; q++, n++) {
            float x = (float)fxi_row_value(r, q);
            val[n] = w.prefix[t - 1] * x * (s->square ? x : 1);
            col[n] = (int32_t)(w.rank[t - 1] + (size_t)fxi_row_column(r, q) - last);
        }
        for (from = t - 2; from >= 0 && w.at[from] + (size_t)(t - from) == r.n;)
            from--;
        if (from < 0)
            return n;
        w.at[from]++;
        for (int i = from + 1; i < t; i++)
            w.at[i] = w.at[i - 1] + 1;
    }
}

size_t fxi_map_explicit_row(float *val, int32_t *col, const fx_map *m, fxi_row r)
{
    const fxi_expansion *e = m->state;
    size_t n = 0;

    if (e->tree)
        return fxi_map_explicit_sets_row(val, col, m, r);
    for (const fxi_section *s = e->section; s < e->section + e->sections; s++)
        if (!val)
            n += binomial(r.n, (size_t)s->order);
        else if (s->order == 0) {
            val[n] = s->weight;
            col[n++] = (int32_t)s->first;
        } else if ((size_t)s->order <= r.n)
            n += products(val + n, col + n, s, r, m->cols);
    return n;
}
