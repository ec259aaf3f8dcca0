/* SPDX-License-Identifier: BSD-3-Clause
 * make_parity.c - dense rows of signs; the label is the product of k planted features.
 *
 * Any k - 1 features are independent of the label: the hardest case for learners that build
 * combinations step by step. */

#include "data/make.h"

static const fx_key keys[] = {
    {"n", "2000", FXI_COUNT(1, 0x1p40), "rows"},
    {"d", "20", FXI_COUNT(1, FX_INDEX_MAX), "columns"},
    {"k", "3", FXI_COUNT(1, FX_INDEX_MAX), "columns that decide the label, at most d"},
    {"noise", "0", FXI_NUMBER(0, 0.5), "share of labels that are turned round"}, {0}};

static fx_status start(fxi_making *m, const fxi_spec *s, const fx_key *table)
{
    uint64_t d, k;
    fx_status st = fxi_key_count(&d, s, table, "d");

    if (!st)
        st = fxi_key_count_within(&k, s, table, "k", 1, d);
    if (st)
        return st;
    m->cols = m->stored = (size_t)d;
    m->dense = true;
    m->type = FX_F32;
    m->m = (size_t)k;
    m->k = 1;
    m->extra = m->m * sizeof *m->feature;
    return FX_OK;
}

static double row(const fxi_making *m, size_t i, int32_t *col, void *val, uint32_t *drawn)
{
    fxi_rng r = fxi_data_make_row(m, i);
    float *x = val;
    double y = 1;

    (void)col, (void)drawn;
    for (size_t j = 0, bits = 0; j < m->cols; j++, bits >>= 1) {
        if (j % 64 == 0)
            bits = fxi_rng_bits(r, 1 + j / 64);
        x[j] = bits & 1 ? 1 : -1;
    }
    for (size_t j = 0; j < m->m; j++)
        y *= x[m->feature[j]];
    return y;
}

const fxi_data_set fxi_data_make_parity = {
    .name = "parity", .help = "dense rows of +1 and -1, the label is the product of k columns",
    .keys = keys, .start = start, .plant = fxi_data_make_one, .row = row};
