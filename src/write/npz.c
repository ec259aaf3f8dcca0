/* SPDX-License-Identifier: BSD-3-Clause
 * npz.c - the members of SciPy's .npz of a CSR matrix, for scipy.sparse.load_npz.
 *
 * Arrays indices and indptr (32 bits where all fits, else 64), format, shape, data, and `labels`
 * (float64, which SciPy ignores) if there are labels.  Each is announced to the sink with its exact
 * size; the archive around them is the caller's.  A dense row gives its non-zeros, so a first
 * pass counts; three more write. */

#include "write/write.h"

#include <stdio.h>
#include <string.h>

enum { COUNT, INDICES, INDPTR, DATA, LABELS, PASSES };

static fx_status start(fxi_writer *w, const fxi_spec *s, const fx_key *keys)
{
    (void)s, (void)keys;
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
    char head[FXI_NPY_HEADER];
    size_t len = fxi_write_npy_header(head, descr, shape);
    fx_status s = fxi_write_flush(w);

    if (!s && w->sink->member(w->sink->ctx, name, len + n * size))
        s = fxi_error(FX_EOUTPUT, "the output refused the member %s", name);
    return s ? s : fxi_write_bytes(w, head, len);
}

static fx_status write_index(fxi_writer *w, uint64_t u)
{
    fx_status s = fxi_write_reserve(w);
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
        s = fxi_write_bytes(w, "csr", 3);
    if (!s)
        s = member(w, "shape.npy", "<i8", "2,", 2, sizeof *shape);
    return s ? s : fxi_write_bytes(w, shape, sizeof shape);
}

static fx_status before(fxi_writer *w, size_t pass)
{
    const char *index = w->wide ? "<i8" : "<i4";
    size_t index_size = w->wide ? 8 : 4;
    char shape[32];
    fx_status s;

    switch (pass) {
    case INDICES:                       /* now the numbers are counted */
        w->wide = w->numbers > INT32_MAX || w->t->cols > INT32_MAX;
        index = w->wide ? "<i8" : "<i4";
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
        return member(w, "data.npy", fxi_write_npy_type(w), shape, w->numbers,
                      w->type == FX_F64 ? sizeof(double) : sizeof(float));
    case LABELS:
        if (!w->t->label)
            return FX_OK;
        snprintf(shape, sizeof shape, "%zu,", w->t->rows);
        return member(w, "labels.npy", "<f8", shape, w->t->rows, 8);
    default: return FX_OK;
    }
}

static fx_status row(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    bool dense = !r.col32 && !r.col64;
    fx_status s = FX_OK;

    if (pass == LABELS)
        return w->t->label ? fxi_write_bytes(w, &w->t->label[i], sizeof(double)) : FX_OK;
    for (size_t q = 0; !s && q < r.n; q++) {
        double v = fxi_row_value(r, q);
        if (dense && v == 0)
            continue;
        if (pass == COUNT || pass == INDPTR)
            w->numbers++;
        else if (pass == INDICES)
            s = write_index(w, (uint64_t)fxi_row_column(r, q));
        else
            s = fxi_write_npy_number(w, v);
    }
    return s || pass != INDPTR ? s : write_index(w, w->numbers);
}

static const fx_key no_keys[] = {{0}};

const fxi_write_format fxi_write_npz = {.about = {.name = "npz",
                                                  .help = "SciPy's sparse rows",
                                                  .key = no_keys,
                                                  .binary = 1,
                                                  .members = 1,
                                                  .labels = 1},
                                        .passes = PASSES,
                                        .start = start,
                                        .before = before,
                                        .row = row};
