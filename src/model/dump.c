/* SPDX-License-Identifier: BSD-3-Clause
 * dump.c - a model as one file in the safetensors layout, described in doc/format.md.
 *
 *   8 bytes     length of the header, little-endian
 *   header      JSON, spaces behind so that the arrays begin at a multiple of 8
 *   arrays      those of 8-byte numbers first, then of 4, then bytes, rounded up to 8; the CRC-32
 *
 * There is no time, host or number of threads in it: the same fit gives the same bytes.  The header
 * (dump_header.c) begins with FXI_MODEL_MAGIC, by which such a file is known.
 *
 * Cost: one pass over the arrays; memory for the header twice. */

#include "model/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One byte a column, rounded up to 8: 1 where training met it.  Written if there are columns that
 * it did not meet, and with every map and vectors: then no other array need be as long as there are
 * columns, and what reads the file wants a reason to believe their number. */
static fx_status seen_columns(unsigned char **out, size_t *n, const fx_model *m)
{
    const fx_content *c = &m->c;

    *n = (c->cols + 7) / 8 * 8;
    *out = NULL;
    if (!*c->map && !m->exact && (!c->seen || !memchr(c->seen, 0, c->cols)))
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

enum { ARRAYS = 14 + 3 * FX_ORDER_MAX };

typedef struct list {
    fxi_array at[ARRAYS];
    size_t n;
} list;

/* One more array, if there are data. */
static void add(list *l, const char *name, const char *type, const void *data, size_t rows,
                size_t cols)
{
    static const struct { char name[4]; size_t size; } sizes[] = {
        {"F64", 8}, {"I64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"U8", 1}};
    fxi_array *a = &l->at[l->n];
    size_t k = 0;

    if (!data)
        return;
    while (strcmp(sizes[k].name, type) != 0)
        k++;
    *a = (fxi_array){.type = type, .data = data, .size = sizes[k].size, .rows = rows, .cols = cols};
    snprintf(a->name, sizeof a->name, "%s", name);
    l->n++;
}

/* Of each order, then what adagrad goes on from. */
static void add_factors(list *l, const fx_model *m)
{
    const fx_content *c = &m->c;
    char name[16];

    for (size_t g = 0; g < c->blocks; g++) {
        const fx_factors *b = &c->block[g];
        snprintf(name, sizeof name, "factors_%d", b->order);
        add(l, name, "F64", b->P, c->outputs * b->cols, b->rank);
        snprintf(name, sizeof name, "lambda_%d", b->order);
        add(l, name, "F64", b->lambda, c->outputs, b->rank);
        snprintf(name, sizeof name, "theta_%d", b->order);
        add(l, name, "F64", b->theta, c->outputs, (size_t)b->order);
    }
    if (m->state)
        add(l, "state", "F64", m->state, c->outputs, m->fm->size);
}

static void add_vectors(list *l, const fx_matrix *v)
{
    const char *real = v->type == FX_F32 ? "F32" : "F64";
    size_t stored = v->ptr ? (size_t)v->ptr[v->rows] : 0;

    if (!v->ptr) {
        add(l, "vectors", real, v->val, v->rows, v->cols);
        return;
    }
    add(l, "vector_ptr", "I64", v->ptr, v->rows + 1, 0);
    if (v->wide)
        add(l, "vector_col", "I64", v->col, stored, 0);
    add(l, "vector_val", real, v->val, stored, 0);
    if (!v->wide)
        add(l, "vector_col", "I32", v->col, stored, 0);
}

fx_status fx_model_dump(const fx_sink *sink, const fx_model *m)
{
    unsigned char *seen;
    char *text = NULL;
    uint32_t crc = 0, sum = 0;
    size_t len = 0, wide;
    list l = {.n = 0};

    if (!sink || !sink->write || !m)
        return fxi_error(FX_EINVAL, "fx_model_dump: %s is NULL", m ? "the sink" : "the model");
    const fx_content *c = &m->c;
    fx_status st = seen_columns(&seen, &wide, m);
    add(&l, "weights", "F64", c->weights, c->features, c->outputs);
    add(&l, "intercepts", "F64", c->intercepts, c->outputs, 0);
    add(&l, "sigmoid", "F64", c->sigmoid, c->outputs, 2);
    add(&l, "factors", "F64", c->factors, c->cols, 0);
    add(&l, "sums", "F64", m->sum, 2 * (c->features + 1), c->outputs);
    add(&l, "counts", "I64", m->sum ? m->count : NULL, c->outputs, 0);
    add(&l, "ages", "I64", m->age, c->features, c->outputs);
    add(&l, "variance", "F64", c->variance, c->outputs, 0);
    add_factors(&l, m);
    if (m->exact)
        add_vectors(&l, &c->vectors);
    add(&l, "seen", "U8", seen, wide, 0);
    add(&l, "crc", "U32", &sum, 1, 0);

    if (!st)
        st = fxi_model_dump_header(&text, &len, c, l.at, l.n);
    if (!st)
        st = emit(sink, &crc, text, len);
    for (size_t i = 0; !st && i + 1 < l.n; i++)
        st = emit(sink, &crc, l.at[i].data,
                  l.at[i].size * l.at[i].rows * (l.at[i].cols ? l.at[i].cols : 1));
    sum = crc;
    if (!st)
        st = emit(sink, &crc, &sum, sizeof sum);
    free(text);
    free(seen);
    return st;
}
