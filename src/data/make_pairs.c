/* SPDX-License-Identifier: BSD-3-Clause
 * make_pairs.c - pairs and triples: sparse 0/1 rows whose label is decided by planted sets.
 *
 * k disjoint sets of m features are planted.  A row shows 2^(m-1) of them, chosen at random, in
 * part: a positive row shows once each part that lacks an even number of the m features, a
 * negative row once each part that lacks an odd number.
 *
 *            positive                       negative
 *   m = 2    11  00                         10  01
 *   m = 3    111 100 010 001                110 101 011 000
 *
 * So a positive row holds exactly one whole planted set and a negative row none:
 *
 *   label = sign(sum over planted sets of the product of their features - 1/2),
 *
 * while every combination of fewer features of a set is equally frequent in both classes (as many
 * parts that contain it lack an even as an odd number).  No single feature, and for triples no pair
 * within a set, says anything about the label: a linear model is at chance.  Each row has m 2^(m-2)
 * planted features; features outside the planted sets, drawn at random, fill it up to nz.
 *
 * With effect = e > 0 the sets do not decide, they shift the odds.  A row has nz features, drawn at
 * random from all; with w the number of planted sets that it holds whole, and E w its mean,
 *
 *   log(P(positive) / P(negative)) = e (w - E w),
 *   E w = k nz (nz - 1) .. (nz - m + 1) / (d (d - 1) .. (d - m + 1))
 */

#include "data/make.h"

#include <stdlib.h>
#include <string.h>

#define KEYS(d, nz, k)                                                                             \
    {"n", "2000", FXI_COUNT(1, 0x1p40), "rows"},                                                   \
    {"d", "100", FXI_COUNT(d, FX_INDEX_MAX), "columns"},                                           \
    {"nz", "20", FXI_COUNT(nz, FX_INDEX_MAX), "ones in each row, or what d leaves"},               \
    {"k", "10", FXI_COUNT(k, FX_INDEX_MAX), "planted sets, or what d leaves"},                     \
    {"noise", "0.05", FXI_NUMBER(0, 0.5), "share of labels that are turned round; 0 with effect"}, \
    {"effect", "0", FXI_NUMBER(0, 100),                                                            \
     "what each whole planted set adds to the log-odds of the label; 0: the sets decide it"}, {0}
static const fx_key pairs[] = {KEYS(4, 2, 2)}, triples[] = {KEYS(12, 6, 4)};
enum { PARTS_MAX = 4, NZ = 20 };        /* 2^(m-1), m <= 3; the default of nz */

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t few(uint64_t a, uint64_t b) { return a < b ? a : b; }

static size_t slots_for(uint64_t drawn)
{
    size_t slots = 2;

    while (slots < 2 * drawn)
        slots *= 2;
    return slots;
}

/* A given number must be within these; a default becomes at most the larger. */
static fx_status count_within(size_t *out, const fxi_spec *s, const fx_key *keys, const char *key,
                              uint64_t low, uint64_t high)
{
    bool given = fxi_spec_at(s, key) < s->keys;
    uint64_t n = 0;
    fx_status st = given ? fxi_key_count_within(&n, s, keys, key, low, high)
                         : fxi_key_count(&n, s, keys, key);

    *out = (size_t)few(n, high);
    return st;
}

/* Rows of nz features from all d, labels with odds. */
static fx_status start_effect(fxi_making *m, const fxi_spec *s, const fx_key *keys, size_t parts)
{
    fx_status st = count_within(&m->k, s, keys, "k", parts, m->cols / m->m);

    if (!st)
        st = count_within(&m->stored, s, keys, "nz", m->m * parts / 2, m->cols);
    if (fxi_spec_at(s, "noise") == s->keys)
        m->noise = 0;
    m->slots = slots_for(m->stored);
    m->extra += (m->k + 1) * sizeof *m->chance;
    return st;
}

static fx_status start(fxi_making *m, const fxi_spec *s, const fx_key *keys, size_t order)
{
    size_t parts = (size_t)1 << (order - 1), planted = order * parts / 2;
    uint64_t d, nz, k;
    fx_status st = fxi_key_count(&d, s, keys, "d");

    if (!st)
        st = fxi_key_number(&m->effect, s, keys, "effect");
    if (st)
        return st;
    m->m = order;
    m->cols = (size_t)d;
    m->type = FX_F32;
    m->extra = m->cols * sizeof *m->feature;
    if (m->effect > 0)
        return start_effect(m, s, keys, parts);
    if ((st = fxi_key_count(&k, s, keys, "k")))
        return st;
    if (fxi_spec_at(s, "k") == s->keys) /* where columns are few, defaults share them */
        k = few(k, d / (2 * order) > parts ? d / (2 * order) : parts);
    if (fxi_spec_at(s, "nz") == s->keys)
        nz = few(NZ, d - order * few(k, d / order) + planted);
    else if ((st = fxi_key_count_within(&nz, s, keys, "nz", planted, d - order * parts + planted)))
        return st;
    uint64_t most = (d - (nz - planted)) / order;
    if (fxi_spec_at(s, "k") == s->keys)
        k = few(k, most);
    else if ((st = fxi_key_count_within(&k, s, keys, "k", parts, most)))
        return st;
    m->k = (size_t)k;
    m->stored = (size_t)nz;
    m->slots = slots_for(nz - planted);
    return FX_OK;
}

/* Without libm, whose last digits differ between machines; to 13 digits. */
static double exponential(double x)
{
    double y = x / 1024, term = 1, sum = 1;

    for (int k = 1; k <= 8; k++)
        sum += term *= y / k;
    for (int k = 0; k < 10; k++)
        sum *= sum;
    return sum;
}

/* [k + 1] of a positive label, by how many sets are whole. */
static fx_status plant_chances(fxi_making *m)
{
    double mean = (double)m->k;

    if (!(m->chance = fxi_alloc(m->k + 1, sizeof *m->chance)))
        return FX_ENOMEM;
    for (size_t j = 0; j < m->m; j++)
        mean *= ((double)m->stored - (double)j) / ((double)m->cols - (double)j);
    for (size_t w = 0; w <= m->k; w++) {
        double z = m->effect * ((double)w - mean);
        m->chance[w] = 1 / (1 + exponential(z > 40 ? -40 : z < -40 ? 40 : -z));
    }
    return FX_OK;
}

/* A random order of all features; the first k m of them are the planted sets. */
static fx_status plant(fxi_making *m)
{
    m->feature = fxi_alloc(m->cols, sizeof *m->feature);
    if (!m->feature)
        return FX_ENOMEM;
    fxi_rng_permutation(m->feature, m->cols, (fxi_rng){m->seed, FXI_DATA_MAKE});
    for (size_t set = 0; set < m->k; set++)
        qsort(m->feature + set * m->m, m->m, sizeof *m->feature, ascending);
    return m->effect > 0 ? plant_chances(m) : FX_OK;
}

static fx_status start_pairs(fxi_making *m, const fxi_spec *s, const fx_key *keys)
{
    return start(m, s, keys, 2);
}

static fx_status start_triples(fxi_making *m, const fxi_spec *s, const fx_key *keys)
{
    return start(m, s, keys, 3);
}

static int by_column(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return x < y ? -1 : x > y;
}

/* x into a hash table that is never more than half full; false: it was there. */
static bool enter(uint32_t *slot, size_t slots, size_t x)
{
    const uint32_t mark = (uint32_t)x + 1;              /* 0 is free */
    size_t i = x & (slots - 1);

    while (slot[i] && slot[i] != mark)
        i = (i + 1) & (slots - 1);
    bool entered = !slot[i];
    slot[i] = mark;
    return entered;
}

/* Floyd's sampling without replacement: item t of 0..n-1 is drawn from 0..n-count+t, and where
 * it has been drawn before the last of these is taken instead. */
static size_t draw(const fxi_making *m, fxi_rng r, uint64_t i, size_t n, size_t count, size_t t,
                   uint32_t *drawn)
{
    size_t last = n - count + t, x = (size_t)fxi_rng_below(r, i, last + 1);

    if (enter(drawn, m->slots, x))
        return x;
    enter(drawn, m->slots, last);
    return last;
}

static bool whole(const fxi_making *m, const size_t *set, const int32_t *col)
{
    for (size_t j = 0; j < m->m; j++) {
        int32_t x = (int32_t)set[j];
        if (!bsearch(&x, col, m->stored, sizeof *col, by_column))
            return false;
    }
    return true;
}

static double row_effect(const fxi_making *m, fxi_rng r, int32_t *col, uint32_t *drawn)
{
    size_t sets = 0;

    for (size_t t = 0; t < m->stored; t++)
        col[t] = (int32_t)draw(m, r, 2 + t, m->cols, m->stored, t, drawn);
    memset(drawn, 0, m->slots * sizeof *drawn);
    qsort(col, m->stored, sizeof *col, by_column);
    for (size_t set = 0; set < m->k; set++)
        sets += whole(m, m->feature + set * m->m, col);
    return fxi_rng_uniform(r, 1) < m->chance[sets] ? 1 : -1;
}

static double row(const fxi_making *m, size_t i, int32_t *col, void *val, uint32_t *drawn)
{
    fxi_rng r = fxi_data_make_row(m, i);
    if (m->chance)
        return row_effect(m, r, col, drawn);
    bool positive = fxi_rng_bits(r, 1) & 1;
    size_t n = 0, used[PARTS_MAX];
    uint64_t at = 2;                    /* next draw */

    (void)val;
    for (unsigned part = 0, shown = 0; part < 1u << m->m; part++) {
        size_t lacking = m->m - (size_t)__builtin_popcount(part);
        if ((lacking % 2 == 0) != positive)
            continue;
        size_t set = (size_t)fxi_rng_below(r, at++, m->k - shown);
        size_t place = shown++;         /* the set-th of those not used yet; used[] ascends */
        for (size_t j = 0; j < place; j++)
            set += used[j] <= set;
        for (; place > 0 && used[place - 1] > set; place--)
            used[place] = used[place - 1];
        used[place] = set;
        for (size_t j = 0; j < m->m; j++)
            if (part >> j & 1)
                col[n++] = (int32_t)m->feature[set * m->m + j];
    }
    size_t planted = m->k * m->m, others = m->cols - planted, count = m->stored - n;
    const size_t *other = m->feature + planted;
    for (size_t t = 0; t < count; t++)
        col[n++] = (int32_t)other[draw(m, r, at++, others, count, t, drawn)];
    memset(drawn, 0, m->slots * sizeof *drawn);
    qsort(col, n, sizeof *col, by_column);
    return positive ? 1 : -1;
}

const fxi_data_set fxi_data_make_pairs = {
    .name = "pairs", .help = "sparse rows, k planted pairs of columns decide the label",
    .keys = pairs, .start = start_pairs, .plant = plant, .row = row};
const fxi_data_set fxi_data_make_triples = {
    .name = "triples", .help = "sparse rows, k planted triples of columns decide the label",
    .keys = triples, .start = start_triples, .plant = plant, .row = row};
