/* SPDX-License-Identifier: BSD-3-Clause
 * dump.c - a model as one file in the safetensors layout, described in doc/format.md.
 *
 *   8 bytes     length of the header, little-endian
 *   header      JSON, padded with spaces so that the arrays begin at a multiple of 8
 *   arrays      those of 8-byte numbers first, then of 4, then bytes, rounded up to 8; the CRC-32
 *
 * There is no time, host or number of threads in it: the same fit gives the same bytes.  The header
 * (dump_header.c) begins with FXI_MODEL_MAGIC, by which such a file is known.
 *
 * Cost: one pass over the arrays; memory for the header twice. */

#include "file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One byte per column, rounded up to 8: 1 if training saw it.  Written if there are columns that it
 * did not see, and with every map and vectors: then no other array need be as long as there are
 * columns, and parse.c accepts their number only if an array has as many. */
static fx_status seen_columns(unsigned char **out, size_t *n, const fx_model *m)
{
    const fx_model_info *c = &m->c;

    *n = (c->cols + 7) / 8 * 8;
    *out = NULL;
    if (!*c->map && !c->vectors.cols && (!c->seen || !memchr(c->seen, 0, c->cols)))
        return FX_OK;
    if (!(*out = fxi_zalloc(*n, 1)))
        return FX_ENOMEM;
    if (c->seen)
        memcpy(*out, c->seen, c->cols);
    else
        memset(*out, 1, c->cols);
    return FX_OK;
}

static fx_status emit(const fx_sink *sink, uint32_t *crc, const void *bytes, size_t len)
{
    *crc = fxi_crc(*crc, bytes, len);
    return len && sink->write(sink->ctx, bytes, len)
               ? fxi_error(FX_EOUTPUT, "the output refused %zu bytes", len)
               : FX_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------- */

void fxi_file_dump_array(fxi_dumping *d, const char *name, const char *type, const void *data,
                         size_t rows, size_t cols)
{
    fxi_array a = {.type = type, .data = data, .rows = rows, .cols = cols,
                   .bytes = fxi_file_array_size(type) * rows * (cols ? cols : 1)};

    if (!data)
        return;
    snprintf(a.name, sizeof a.name, "%s", name);
    d->array[d->arrays] = a;
    d->arrays++;
}

fx_status fx_model_dump(const fx_sink *given, const fx_model *m)
{
    unsigned char *seen;
    uint32_t crc = 0, sum = 0;
    size_t wide;
    fxi_dumping d = {.m = m};

    fx_sink sink = FX_INIT(fx_sink);
    fx_status st = given ? fxi_sized_in(&sink, sizeof sink, given, "fx_sink") : FX_OK;
    if (st)
        return st;
    if (!sink.write || !m)
        return fxi_error(FX_EINVAL, "fx_model_dump: %s is NULL", m ? "the sink" : "the model");
    const fx_model_info *c = &m->c;
    st = seen_columns(&seen, &wide, m);
    fxi_file_dump_array(&d, "weights", "F64", c->weights, c->features, c->outputs);
    fxi_file_dump_array(&d, "intercepts", "F64", c->intercepts, c->outputs, 0);
    fxi_file_dump_array(&d, "sigmoid", "F64", c->sigmoid, c->outputs, 2);
    fxi_file_dump_array(&d, "factors", "F64", c->column_scale, c->cols, 0);
    fxi_file_missing_dump_arrays(&d);
    if (m->kind->dump_arrays)
        m->kind->dump_arrays(&d);
    fxi_file_dump_array(&d, "seen", "U8", seen, wide, 0);
    fxi_file_dump_array(&d, "crc", "U32", &sum, 1, 0);

    if (!st && !(st = fxi_file_dump_header(&d)))
        st = emit(&sink, &crc, d.out, d.len);
    for (const fxi_array *a = d.array; !st && a < d.array + d.arrays - 1; a++)
        st = emit(&sink, &crc, a->data, a->bytes);
    sum = crc;
    if (!st)
        st = emit(&sink, &crc, &sum, sizeof sum);
    free(d.out);
    free(seen);
    return st;
}
