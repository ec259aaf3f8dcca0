/* SPDX-License-Identifier: BSD-3-Clause
 * unpack.c - a table from the bytes of pack.c.  Sizes and the checksum are checked here; columns
 * and numbers by the call that the table is given to, as those of any table. */

#include "data/pack.h"

#include <stdlib.h>
#include <string.h>

static fx_status bad(const char *what)
{
    return fxi_error(FX_EFORMAT, "these bytes are no packed rows: %s", what);
}

static fx_status check(fxi_pack *h, const void *bytes, size_t len, uint64_t size[FXI_PACK_ARRAYS])
{
    uint64_t all, numbers;
    fxi_pack blank;

    if (len < sizeof *h)
        return bad("they end in the header");
    memcpy(h, bytes, sizeof *h);
    if (memcmp(h->magic, FXI_PACK_MAGIC, sizeof h->magic) != 0)
        return bad("they begin otherwise");
    if (!fxi_data_pack_sizes(size, &all, h) || all != h->bytes || all != len)
        return bad("sizes do not fit together");
    blank = *h;
    blank.crc = 0;
    uint32_t crc = fxi_crc(0, &blank, sizeof blank);
    if (fxi_crc(crc, (const char *)bytes + sizeof blank, len - sizeof blank) != h->crc)
        return bad("the checksum differs");
    if (!(h->flags & FXI_PACK_SPARSE)
        && (__builtin_mul_overflow(h->rows, h->cols, &numbers) || numbers != h->entries))
        return bad("dense rows have other numbers of entries");
    return h->base > 1 || h->zero ? bad("the header is not as it was") : FX_OK;
}

/* A copy that d owns; NULL with *st set, or of nothing. */
static void *copy(fx_data *d, const char **from, uint64_t bytes, fx_status *st)
{
    void *p = *st || !bytes ? NULL : fxi_data_alloc(d, (size_t)bytes, 1);

    if (p)
        memcpy(p, *from, (size_t)bytes);
    else if (bytes && !*st)
        *st = FX_ENOMEM;
    *from += bytes;
    return p;
}

static fx_status fill_lengths(int64_t *ptr, const char *at, const fxi_pack *h)
{
    ptr[0] = 0;
    for (uint64_t i = 0; i < h->rows; i++) {
        uint32_t n;
        memcpy(&n, at + i * sizeof n, sizeof n);
        ptr[i + 1] = ptr[i] + n;
        if ((uint64_t)ptr[i + 1] > h->entries)
            return bad("rows have more entries than there are");
    }
    return (uint64_t)ptr[h->rows] == h->entries ? FX_OK : bad("rows have fewer entries");
}

static fx_status name_classes(const char **name, const char *text, const fxi_pack *h)
{
    const char *end = text + h->text;

    for (uint64_t k = 0; k < h->classes; k++) {
        const char *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
        if (!zero)
            return bad("the names of classes end early");
        name[k] = text;
        text = zero + 1;
    }
    return text == end ? FX_OK : bad("there are more names of classes");
}

static fx_status fill(fx_data *d, const fxi_pack *h, const char *at,
                      const uint64_t size[FXI_PACK_ARRAYS])
{
    fx_status st = FX_OK;
    bool sparse = h->flags & FXI_PACK_SPARSE, ones = h->flags & FXI_PACK_ONES;
    fx_matrix *X = fxi_data_alloc(d, 1, sizeof *X);
    int64_t *ptr = sparse ? fxi_data_alloc(d, (size_t)h->rows + 1, sizeof *ptr) : NULL;
    const char **name = h->classes ? fxi_data_alloc(d, (size_t)h->classes, sizeof *name) : NULL;

    if (!X || (sparse && !ptr) || (h->classes && !name))
        return FX_ENOMEM;
    double *label = copy(d, &at, size[0], &st), *weight = copy(d, &at, size[1], &st);
    int64_t *qid = copy(d, &at, size[2], &st);
    if (!st && sparse)
        st = fill_lengths(ptr, at, h);
    at += size[3];
    void *col = copy(d, &at, size[4], &st), *val = copy(d, &at, size[5], &st);
    if (!st && ones && h->entries) {
        float *one = val = fxi_data_alloc(d, (size_t)h->entries, sizeof *one);
        for (uint64_t q = 0; one && q < h->entries; q++)
            one[q] = 1;
        st = one ? FX_OK : FX_ENOMEM;
    }
    const char *text = copy(d, &at, size[6], &st);
    if (!st && h->classes)
        st = name_classes(name, text, h);
    if (st)
        return st;
    *X = (fx_matrix){.rows = (size_t)h->rows, .cols = (size_t)h->cols,
                     .stride = sparse ? 0 : (size_t)h->cols,
                     .type = !ones && h->flags & FXI_PACK_DOUBLE ? FX_F64 : FX_F32,
                     .wide = sparse && h->flags & FXI_PACK_WIDE, .val = val, .ptr = ptr,
                     .col = col};
    d->table = (fx_table){.rows = X->rows, .cols = X->cols, .blocks = 1, .block = X,
                          .label = label, .weight = weight, .qid = qid,
                          .classes = (size_t)h->classes, .class_name = name,
                          .base = (int)h->base};
    return FX_OK;
}

fx_status fx_data_unpack(fx_data **out, const void *bytes, size_t len, const fx_run *run)
{
    fxi_pack h;
    uint64_t size[FXI_PACK_ARRAYS];
    fx_data *d = NULL;
    fx_status st;

    if (!out || !bytes)
        return fxi_error(FX_EINVAL, "fx_data_unpack: %s is NULL", out ? "bytes" : "out");
    if ((st = check(&h, bytes, len, size))
        || (st = fxi_memory_check(run, h.bytes + 8 * h.rows, "packed rows")))
        return st;
    if (!(d = fxi_data_new()))
        return FX_ENOMEM;
    st = fill(d, &h, (const char *)bytes + fxi_pack_padded(sizeof h), size);
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}
