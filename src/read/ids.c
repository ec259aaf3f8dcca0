/* SPDX-License-Identifier: BSD-3-Clause
 * ids.c - texts that identify rows, one after the other: of a chunk, then of all that were
 * joined. */

#include "read/read.h"

#include <stdlib.h>
#include <string.h>

char *fxi_read_ids_room(fxi_read_ids *d, size_t len)
{
    return fxi_read_text_room(&d->text, len + 1);
}

void fxi_read_ids_add(fxi_read_ids *d, size_t len)
{
    d->text.at[d->text.len + len] = '\0';
    d->text.len += len + 1;
    d->n++;
}

fx_status fxi_read_ids_join(fxi_read_ids *to, const fxi_read_ids *from)
{
    if (!from->n)
        return FX_OK;
    char *end = fxi_read_text_room(&to->text, from->text.len);
    if (!end)
        return FX_ENOMEM;
    memcpy(end, from->text.at, from->text.len);
    to->text.len += from->text.len;
    to->n += from->n;
    return FX_OK;
}

const char *const *fxi_read_ids_take(fx_data *d, fxi_read_ids *ids)
{
    const char **id = fxi_data_alloc(d, ids->n, sizeof *id), *p = ids->text.at;

    if (!id || fxi_data_own(d, ids->text.at)) {
        if (id)                         /* it is freed */
            *ids = (fxi_read_ids){0};
        return NULL;
    }
    for (size_t i = 0; i < ids->n; i++, p += strlen(p) + 1)
        id[i] = p;
    *ids = (fxi_read_ids){0};
    return id;
}
