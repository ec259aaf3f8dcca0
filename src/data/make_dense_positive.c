/* SPDX-License-Identifier: BSD-3-Clause
 * make_dense_positive.c - dense rows |N(1, 0.5)| of unit L2 norm, for errors of approximations.
 *
 * All kernel values are positive and of one size, so that relative errors are meaningful.  The
 * label is the sign of (a - 1)(b - 1) for two planted features before the norm is divided out: are
 * they on the same side of their mean?  Rows are double, norms 1 within d + 2 units of rounding. */

#include "data/make.h"

#include <math.h>

static const fx_key keys[] = {
    {"n", "2000", FXI_COUNT(1, 0x1p40), "rows"},
    {"d", "64", FXI_COUNT(2, FX_INDEX_MAX), "columns"}, {0}};

static fx_status start(fxi_making *m, const fxi_spec *s, const fx_key *table)
{
    uint64_t d;
    fx_status st = fxi_key_count(&d, s, table, "d");

    if (st)
        return st;
    m->cols = m->stored = (size_t)d;
    m->dense = true;
    m->type = FX_F64;
    m->m = 2;
    m->k = 1;
    m->extra = m->m * sizeof *m->feature;
    return FX_OK;
}

static double row(const fxi_making *m, size_t i, int32_t *col, void *val, uint32_t *drawn)
{
    fxi_rng r = fxi_data_make_row(m, i);
    double *x = val, norm = 0;

    (void)col, (void)drawn;
    for (size_t j = 0; j < m->cols; j++) {
        x[j] = fabs(1 + 0.5 * fxi_rng_normal(r, 1 + j));
        norm += x[j] * x[j];
    }
    double y = (x[m->feature[0]] - 1) * (x[m->feature[1]] - 1);
    norm = sqrt(norm);
    for (size_t j = 0; j < m->cols; j++)
        x[j] /= norm;
    return y > 0 ? 1 : -1;
}

const fxi_data_set fxi_data_make_dense_positive = {
    .name = "dense-positive", .help = "unit rows |N(1, 0.5)|, the label from a pair of columns",
    .keys = keys, .start = start, .plant = fxi_data_make_one, .row = row};
