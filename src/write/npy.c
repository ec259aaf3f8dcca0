/* SPDX-License-Identifier: BSD-3-Clause
 * npy.c - NumPy's .npy: the rows as one dense array, without labels.
 *
 * An array is a header of text, padded to 64 bytes, and its numbers as they lie in memory:
 *
 *   \x93NUMPY 1 0  uint16 length  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n
 *
 * Numbers are float32 if all blocks are float, else float64; little-endian, as is this machine
 * (npy_array.c asserts it). */

#include "write/write.h"

#include <stdio.h>
#include <string.h>

size_t fxi_write_npy_header(char out[FXI_NPY_HEADER], const char *descr, const char *shape)
{
    int n = snprintf(out + 10, FXI_NPY_HEADER - 10,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    size_t text = (size_t)n + 1, all = (10 + text + 63) / 64 * 64;

    memcpy(out, "\x93NUMPY\x01", 8);    /* with the 0 of version 1.0 */
    out[8] = (char)((all - 10) & 0xff);
    out[9] = (char)((all - 10) >> 8);
    memset(out + 10 + n, ' ', all - 11 - (size_t)n);
    out[all - 1] = '\n';
    return all;
}

const char *fxi_write_npy_type(const fxi_writer *w) { return w->type == FX_F64 ? "<f8" : "<f4"; }

fx_status fxi_write_npy_number(fxi_writer *w, double x)
{
    fx_status s = fxi_write_reserve(w);

    if (s)
        return s;
    if (w->type == FX_F64) {
        memcpy(w->buf + w->used, &x, sizeof x);
        w->used += sizeof x;
    } else {
        float f = (float)x;             /* exact: all blocks are float */
        memcpy(w->buf + w->used, &f, sizeof f);
        w->used += sizeof f;
    }
    return FX_OK;
}

static fx_status before(fxi_writer *w, size_t pass)
{
    char head[FXI_NPY_HEADER], shape[64];

    (void)pass;
    snprintf(shape, sizeof shape, "%zu, %zu", w->t->rows, w->t->cols);
    size_t len = fxi_write_npy_header(head, fxi_write_npy_type(w), shape);
    return fxi_write_bytes(w, head, len);
}

static fx_status row(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    fx_status s = FX_OK;

    (void)pass, (void)i;
    for (size_t j = 0, q = 0; !s && j < w->t->cols; j++) {
        bool here = q < r.n && (size_t)fxi_row_column(r, q) == j;
        s = fxi_write_npy_number(w, here ? fxi_row_value(r, q) : 0);
        q += here;
    }
    return s;
}

static const fx_key no_keys[] = {{0}};

const fxi_write_format fxi_write_npy = {.about = {.name = "npy",
                                                  .help = "NumPy's dense array",
                                                  .key = no_keys,
                                                  .dense = 1,
                                                  .binary = 1},
                                        .passes = 1,
                                        .before = before,
                                        .row = row};
