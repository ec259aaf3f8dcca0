/* SPDX-License-Identifier: BSD-3-Clause
 * ids.c - texts that identify rows, one after the other: of a chunk, then of all that were
 * joined. */

#include "read/read.h"

#include <stdlib.h>
#include <string.h>

static fx_status reserve(fxi_read_ids *d, size_t more)
{
    size_t all;

    if (!fxi_size_add(&all, d->len, more))
        return FX_ENOMEM;
    if (all > d->capacity) {
        size_t capacity = all < 2 * d->capacity ? 2 * d->capacity : all;
        char *text = fxi_realloc(d->text, capacity, 1);
        if (!text)
            return FX_ENOMEM;
        d->text = text;
        d->capacity = capacity;
    }
    return FX_OK;
}

char *fxi_read_ids_room(fxi_read_ids *d, size_t len)
{
    return reserve(d, len + 1) ? NULL : d->text + d->len;
}

void fxi_read_ids_add(fxi_read_ids *d, size_t len)
{
    d->text[d->len + len] = '\0';
    d->len += len + 1;
    d->n++;
}

fx_status fxi_read_ids_join(fxi_read_ids *to, const fxi_read_ids *from)
{
    if (!from->n)
        return FX_OK;
    fx_status s = reserve(to, from->len);
    if (s)
        return s;
    memcpy(to->text + to->len, from->text, from->len);
    to->len += from->len;
    to->n += from->n;
    return FX_OK;
}

const char *const *fxi_read_ids_take(fx_data *d, fxi_read_ids *ids)
{
    const char **id = fxi_data_alloc(d, ids->n, sizeof *id), *p = ids->text;

    if (!id || fxi_data_own(d, ids->text)) {
        if (id)                         /* it is freed */
            *ids = (fxi_read_ids){0};
        return NULL;
    }
    for (size_t i = 0; i < ids->n; i++, p += strlen(p) + 1)
        id[i] = p;
    *ids = (fxi_read_ids){0};
    return id;
}
