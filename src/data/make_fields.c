/* SPDX-License-Identifier: BSD-3-Clause
 * make_fields.c - one-hot rows like user, item, day: one level of each field is on.
 *
 * Level l of a field is drawn with probability proportional to 1/(l + 3), l = 1, 2, ...: a few are
 * frequent, most are rare, as in lists of ratings.  With l_f the level of field f,
 *
 *   label = sign( s(l_1, l_2) + 1/2 (F - 2)^(-1/2) sum_{f >= 3} g_f(l_(f-1), l_f) )
 *
 * where s is a random sign for each pair of levels and g_f normal: fields 1 and 2 together decide,
 * later fields change about one label in forty.  Frequent levels keep some weight of their own, as
 * they do in real data. */

#include "data/make.h"

#include <math.h>
#include <stdio.h>

static const fx_key keys[] = {
    {"n", "2000", FXI_COUNT(1, 0x1p40), "rows"},
    {"fields", "4", FXI_COUNT(2, FX_INDEX_MAX / 2), "fields, one column of each is 1"},
    {"levels", "25", FXI_COUNT(2, FX_INDEX_MAX / 2), "columns of each field"},
    {"noise", "0.05", FXI_NUMBER(0, 0.5), "share of labels that are turned round"}, {0}};
enum { NAME = 48 };                     /* bytes for "field1=3" with any two numbers */

static fx_status start(fxi_making *m, const fxi_spec *s, const fx_key *table)
{
    uint64_t fields, levels;
    fx_status st = fxi_key_count(&fields, s, table, "fields");

    if (!st)
        st = fxi_key_count_within(&levels, s, table, "levels", 2, FX_INDEX_MAX / fields);
    if (st)
        return st;
    m->cols = (size_t)(fields * levels);
    m->stored = (size_t)fields;
    m->type = FX_F32;
    m->levels = (size_t)levels;
    m->extra = m->levels * sizeof *m->popularity + m->cols * (sizeof(char *) + NAME);
    return FX_OK;
}

static fx_status plant(fxi_making *m)
{
    m->popularity = fxi_alloc(m->levels, sizeof *m->popularity);
    if (!m->popularity)
        return FX_ENOMEM;
    double sum = 0;
    for (size_t l = 0; l < m->levels; l++)
        m->popularity[l] = sum += 1 / ((double)l + 4);
    return FX_OK;
}

/* The first level whose cumulated popularity exceeds u times the whole. */
static size_t draw_level(const fxi_making *m, double u)
{
    size_t low = 0, high = m->levels - 1;

    u *= m->popularity[high];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->popularity[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double row(const fxi_making *m, size_t i, int32_t *col, void *val, uint32_t *drawn)
{
    fxi_rng r = fxi_data_make_row(m, i), pair = {m->seed, (uint64_t)FXI_DATA_MAKE_PAIR << 48};
    double weak = 0, strong = 0;
    size_t before = 0;

    (void)val, (void)drawn;
    for (size_t f = 0; f < m->stored; f++) {
        size_t l = draw_level(m, fxi_rng_uniform(r, 1 + f));
        pair.stream++;                  /* one for each pair of neighbouring fields */
        if (f == 1)
            strong = fxi_rng_sign(pair, before * m->levels + l);
        else if (f > 1)
            weak += fxi_rng_normal(pair, before * m->levels + l);
        col[f] = (int32_t)(f * m->levels + l);
        before = l;
    }
    if (m->stored > 2)
        strong += 0.5 * weak / sqrt((double)m->stored - 2);
    return strong > 0 ? 1 : -1;
}

/* field1=1, field1=2, ..., field2=1, ... */
static fx_status finish(const fxi_making *m, fx_data *d)
{
    const char **name = fxi_data_alloc(d, m->cols, sizeof *name);
    char *text = fxi_data_alloc(d, m->cols, NAME);

    if (!name || !text)
        return FX_ENOMEM;
    for (size_t j = 0; j < m->cols; j++) {
        name[j] = text + j * NAME;
        snprintf(text + j * NAME, NAME, "field%zu=%zu", j / m->levels + 1, j % m->levels + 1);
    }
    d->table.name = name;
    return FX_OK;
}

const fxi_data_set fxi_data_make_fields = {
    .name = "fields", .help = "one-hot fields, the label from pairs of levels",
    .keys = keys, .start = start, .plant = plant, .row = row, .finish = finish,
    .planted = "field1 field2\n"};
