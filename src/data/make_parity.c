/* SPDX-License-Identifier: BSD-3-Clause
 * make_parity.c - dense rows of signs; the label is the product of k planted features.
 *
 * Any k - 1 features are independent of the label: the hardest case for learners that build
 * combinations step by step. */

#include "data/make.h"

static const fxi_spec_key keys[] = {{"n", "2000", NULL}, {"d", "20", NULL}, {"k", "3", NULL},
                                    {"noise", "0", NULL}, {NULL, NULL, NULL}};

static fx_status start(fxi_making *m, const fxi_spec *s, const fxi_spec_key *table)
{
    uint64_t d, k;
    fx_status st = fxi_spec_count(&d, s, table, "d", 1, FX_INDEX_MAX);

    if (!st)
        st = fxi_spec_count(&k, s, table, "k", 1, d);
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
    .name = "parity", .keys = keys, .start = start, .plant = fxi_data_make_one, .row = row};
