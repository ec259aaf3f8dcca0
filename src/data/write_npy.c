/* SPDX-License-Identifier: BSD-3-Clause
 * write_npy.c - NumPy's .npy (dense) and SciPy's .npz (CSR): for np.load, scipy.sparse.load_npz.
 *
 * An array is a header of text, padded to 64 bytes, and its numbers as they lie in memory:
 *
 *   \x93NUMPY 1 0  uint16 length  {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ... \n
 *
 * Numbers are float32 if all blocks are float, else float64.  npy holds the rows alone.  npz holds
 * the arrays indices, indptr (32 bits where all fits, else 64), format, shape, data, and `labels`
 * (float64) if there are labels; it writes the members' contents, the caller makes the archive. */

#include "data/write.h"

#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER "<"
#else
#define ORDER ">"
#endif

enum { HEADER = 192 };                  /* longer than any header here; its length is 64 or 128 */

/* Header of an array: `shape` is the text between the brackets. */
static size_t header(char out[HEADER], const char *descr, const char *shape)
{
    int n = snprintf(out + 10, HEADER - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                     descr, shape);
    size_t text = (size_t)n + 1, all = (10 + text + 63) / 64 * 64;

    memcpy(out, "\x93NUMPY\x01", 8);    /* with the 0 of version 1.0 */
    out[8] = (char)((all - 10) & 0xff);
    out[9] = (char)((all - 10) >> 8);
    memset(out + 10 + n, ' ', all - 11 - (size_t)n);
    out[all - 1] = '\n';
    return all;
}

static const char *real_type(const fxi_writer *w) { return w->type == FX_F64 ? ORDER "f8" : ORDER "f4"; }

static fx_status write_real(fxi_writer *w, double x)
{
    fx_status s = fxi_data_write_room(w);

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

static fx_status before_npy(fxi_writer *w, size_t pass)
{
    char head[HEADER], shape[64];

    (void)pass;
    snprintf(shape, sizeof shape, "%zu, %zu", w->t->rows, w->t->cols);
    return fxi_data_write_bytes(w, head, header(head, real_type(w), shape));
}

static fx_status row_npy(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    fx_status s = FX_OK;

    (void)pass, (void)i;
    for (size_t j = 0, q = 0; !s && j < w->t->cols; j++) {
        bool here = q < r.n && (size_t)fxi_row_column(r, q) == j;
        s = write_real(w, here ? fxi_row_value(r, q) : 0);
        q += here;
    }
    return s;
}

/* ---- npz ---------------------------------------------------------------------------------- */

enum { COUNT, INDICES, INDPTR, DATA, LABELS, PASSES };

static fx_status start_npz(fxi_writer *w, const fxi_spec *s, const fxi_spec_key *keys)
{
    (void)s, (void)keys;
    w->numbers = 0;
    if (!w->sink->member)
        return fxi_error(FX_EINVAL, "npz needs a sink that takes members");
    if (w->t->label && w->t->classes)
        return fxi_error(FX_EUNSUPPORTED, "npz holds labels that are numbers, not class names; "
                         "svmlight and csv hold both");
    return FX_OK;
}

/* Announce an array and write its header; n numbers of `size` bytes will follow. */
static fx_status member(fxi_writer *w, const char *name, const char *descr, const char *shape,
                        uint64_t n, size_t size)
{
    char head[HEADER];
    size_t len = header(head, descr, shape);
    fx_status s = fxi_data_write_flush(w);

    if (!s && w->sink->member(w->sink->ctx, name, len + n * size))
        s = fxi_error(FX_EOUTPUT, "the output refused the member %s", name);
    return s ? s : fxi_data_write_bytes(w, head, len);
}

static fx_status write_index(fxi_writer *w, uint64_t u)
{
    fx_status s = fxi_data_write_room(w);
    int64_t wide = (int64_t)u;
    int32_t narrow = (int32_t)u;

    if (s)
        return s;
    if (w->wide)
        memcpy(w->buf + w->used, &wide, sizeof wide);
    else
        memcpy(w->buf + w->used, &narrow, sizeof narrow);
    w->used += w->wide ? sizeof wide : sizeof narrow;
    return FX_OK;
}

/* format and shape: arrays of one and two items. */
static fx_status small_members(fxi_writer *w)
{
    int64_t shape[2] = {(int64_t)w->t->rows, (int64_t)w->t->cols};
    fx_status s = member(w, "format.npy", "|S3", "", 3, 1);

    if (!s)
        s = fxi_data_write_bytes(w, "csr", 3);
    if (!s)
        s = member(w, "shape.npy", ORDER "i8", "2,", 2, sizeof *shape);
    return s ? s : fxi_data_write_bytes(w, shape, sizeof shape);
}

static fx_status before_npz(fxi_writer *w, size_t pass)
{
    const char *index = w->wide ? ORDER "i8" : ORDER "i4";
    size_t index_size = w->wide ? 8 : 4;
    char shape[32];
    fx_status s;

    switch (pass) {
    case INDICES:                       /* now the numbers are counted */
        w->wide = w->numbers > INT32_MAX || w->t->cols > INT32_MAX;
        index = w->wide ? ORDER "i8" : ORDER "i4";
        index_size = w->wide ? 8 : 4;
        snprintf(shape, sizeof shape, "%llu,", (unsigned long long)w->numbers);
        return member(w, "indices.npy", index, shape, w->numbers, index_size);
    case INDPTR:
        snprintf(shape, sizeof shape, "%zu,", w->t->rows + 1);
        s = member(w, "indptr.npy", index, shape, (uint64_t)w->t->rows + 1, index_size);
        w->numbers = 0;                 /* counted again, row by row */
        return s ? s : write_index(w, 0);
    case DATA:
        if ((s = small_members(w)))
            return s;
        snprintf(shape, sizeof shape, "%llu,", (unsigned long long)w->numbers);
        return member(w, "data.npy", real_type(w), shape, w->numbers, w->type == FX_F64 ? 8 : 4);
    case LABELS:
        if (!w->t->label)
            return FX_OK;
        snprintf(shape, sizeof shape, "%zu,", w->t->rows);
        return member(w, "labels.npy", ORDER "f8", shape, w->t->rows, 8);
    default:
        return FX_OK;
    }
}

static fx_status row_npz(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    bool dense = !r.col32 && !r.col64;
    fx_status s = FX_OK;

    if (pass == LABELS)
        return w->t->label ? fxi_data_write_bytes(w, &w->t->label[i], sizeof(double)) : FX_OK;
    for (size_t q = 0; !s && q < r.n; q++) {
        double v = fxi_row_value(r, q);
        if (dense && v == 0)
            continue;
        if (pass == COUNT || pass == INDPTR)
            w->numbers++;
        else if (pass == INDICES)
            s = write_index(w, (uint64_t)fxi_row_column(r, q));
        else
            s = write_real(w, v);
    }
    return s || pass != INDPTR ? s : write_index(w, w->numbers);
}

static const fxi_spec_key no_keys[] = {{NULL, NULL, NULL}};

const fxi_data_format fxi_data_write_npy = {
    .name = "npy", .keys = no_keys, .passes = 1, .before = before_npy, .row = row_npy};
const fxi_data_format fxi_data_write_npz = {
    .name = "npz", .keys = no_keys, .passes = PASSES, .start = start_npz, .before = before_npz,
    .row = row_npz};
