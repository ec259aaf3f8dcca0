/* SPDX-License-Identifier: BSD-3-Clause
 * unpack.c - a table from the bytes of pack.c, in which its arrays stay.  Sizes and the checksum
 * are checked here; columns and numbers by the call that the table is given to, as those of any
 * table. */

#include "data/pack.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static fx_status bad(const char *what)
{
    return fxi_error(FX_EFORMAT, "these bytes are no packed rows: %s", what);
}

/* The checksum is that of the bytes with 0 in its place. */
typedef struct checking { const fxi_pack *h; const char *bytes; size_t len; } checking;

static fx_status check_sum(void *ctx, size_t block, fxi_team *team)
{
    enum { FIRST = 128, PIECE = 1 << 20 };      /* multiples of 64; FIRST includes the header */
    const checking *k = ctx;
    char first[FIRST];
    size_t n = k->len < FIRST ? k->len : FIRST;
    fxi_checksum c = {0};

    (void)block;
    memcpy(first, k->bytes, n);
    memset(first + offsetof(fxi_pack, checksum), 0, sizeof k->h->checksum);
    fxi_checksum_add(&c, first, n);
    for (size_t more; n < k->len && !fxi_parallel_cancelled(team); n += more) {
        more = k->len - n < PIECE ? k->len - n : PIECE;
        fxi_checksum_add(&c, k->bytes + n, more);
    }
    return n < k->len || fxi_checksum_end(&c) == k->h->checksum ? FX_OK
                                                                : bad("the checksum differs");
}

static fx_status check(fxi_pack *h, const void *bytes, size_t len, uint64_t size[FXI_PACK_ARRAYS],
                       const fx_run *run)
{
    checking k = {h, bytes, len};
    uint64_t all, numbers;
    fx_status st;

    if (len < sizeof *h)
        return bad("they end in the header");
    memcpy(h, bytes, sizeof *h);
    if (memcmp(h->magic, FXI_PACK_MAGIC, sizeof h->magic) != 0)
        return bad("they begin otherwise");
    if (!fxi_data_pack_sizes(size, &all, h) || all != h->bytes || all != len)
        return bad("sizes do not fit together");
    if ((st = fxi_parallel_ordered(1, check_sum, &k, run)))
        return st;
    if (!(h->flags & FXI_PACK_SPARSE)
        && (__builtin_mul_overflow(h->rows, h->cols, &numbers) || numbers != h->entries))
        return bad("dense rows have other numbers of entries");
    if (!(h->flags & FXI_PACK_CLASSES) && (h->classes || h->text))
        return bad("names of classes that are not there");
    if (!(h->flags & FXI_PACK_SPARSE) && h->flags & FXI_PACK_ONES && h->entries)
        return bad("dense rows without numbers");
    return h->base > 1 ? bad("the header is not as it was") : FX_OK;
}

/* An array of the bytes, which stay where they are. */
static const void *take(const char **from, uint64_t bytes)
{
    const void *p = bytes ? *from : NULL;

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

/* n > 0.  Copies of what is there, as fast as memory. */
static void fill_ones(float *one, size_t n)
{
    one[0] = 1;
    for (size_t have = 1; have < n; have *= 2)
        memcpy(one + have, one, (n - have < have ? n - have : have) * sizeof *one);
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
    const double *label = take(&at, size[0]), *weight = take(&at, size[1]);
    const int64_t *qid = take(&at, size[2]);
    if (!st && sparse)
        st = fill_lengths(ptr, at, h);
    at += size[3];
    const void *col = take(&at, size[4]), *val = take(&at, size[5]);
    if (!st && ones && h->entries) {
        float *one = fxi_data_alloc(d, (size_t)h->entries, sizeof *one);
        val = one;
        if (one)
            fill_ones(one, (size_t)h->entries);
        st = one ? FX_OK : FX_ENOMEM;
    }
    const char *text = take(&at, size[6]);
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
    if ((st = check(&h, bytes, len, size, run))
        || (st = fxi_memory_check(run, h.bytes + 8 * h.rows, "packed rows")))
        return st;
    if (!(d = fxi_data_new()))
        return FX_ENOMEM;
    if ((uintptr_t)bytes % 8) {         /* numbers need it */
        void *copy = fxi_data_alloc(d, len, 1);
        if (!copy) {
            fx_data_free(d);
            return FX_ENOMEM;
        }
        bytes = memcpy(copy, bytes, len);
    }
    st = fill(d, &h, (const char *)bytes + fxi_pack_padded(sizeof h), size);
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}
