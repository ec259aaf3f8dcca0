/* SPDX-License-Identifier: BSD-3-Clause
 * panel_ready.c - all panels of the rows z, packed once: for a scorer of single rows, because
 * packing takes longer than one row's kernel values.
 *
 * Each panel is packed as panel_pack.c does, in the scratch of a thread, and copied in its true
 * size.  How it is packed depends on z alone: values are the same bits either way (panel.c). */

#include "kernel/panel.h"

#include <stdlib.h>
#include <string.h>

typedef struct packing {
    fxi_panels p;                       /* z against itself */
    fxi_packed *ready;
    size_t limit;
    atomic_size_t bytes;                /* of all panels that were packed; beyond the limit: stop */
} packing;

static size_t count(const fxi_panels *p) { return (p->z.n + FXI_LANES - 1) / FXI_LANES; }

/* One piece of memory for all that a panel points to. */
static fx_status copy(fxi_packed *to, const fxi_panels *p, const fxi_packed *from)
{
    size_t numbers = (from->slots + 1) * FXI_LANES, slots = p->dense || p->whole ? 0 : from->slots;
    size_t keys = p->hashed ? p->table : 0;
    double *memory = fxi_alloc(numbers * 8 + slots * 8 + keys * 8 + p->table * 4, 1);

    if (!memory)
        return FX_ENOMEM;
    *to = *from;
    to->zt = memory;
    to->slot_col = (int64_t *)(memory + numbers);
    to->key = to->slot_col + slots;
    to->place = (int32_t *)(to->key + keys);
    memcpy(to->zt, from->zt, (numbers - (p->dense ? FXI_LANES : 0)) * sizeof *to->zt);
    if (slots)
        memcpy(to->slot_col, from->slot_col, slots * sizeof *to->slot_col);
    if (keys)
        memcpy(to->key, from->key, keys * sizeof *to->key);
    if (p->table)
        memcpy(to->place, from->place, p->table * sizeof *to->place);
    return FX_OK;
}

static fx_status pack_panel(void *ctx, size_t b, fxi_team *team)
{
    packing *a = ctx;
    const fxi_panels *p = &a->p;
    fxi_space *s = fxi_kernel_panel_space(p, team);
    size_t first = b * FXI_LANES, lanes = p->z.n - first < FXI_LANES ? p->z.n - first : FXI_LANES;

    if (a->bytes > a->limit || !fxi_kernel_panel_pack_any(p, s, first, lanes))
        return FX_OK;
    a->bytes += sizeof *a->ready + (s->own.slots + 1) * (FXI_LANES + 1) * 8
                + p->table * (p->hashed ? 12 : 4);
    return a->bytes > a->limit ? FX_OK : copy(&a->ready[b], p, &s->own);
}

void fxi_kernel_panel_ready_free(fxi_panels *p)
{
    for (size_t b = 0; p->ready && b < count(p); b++)
        free(p->ready[b].zt);
    free(p->ready);
    p->ready = NULL;
    p->planned = false;
}

fx_status fxi_kernel_panel_ready(fxi_panels *p, size_t limit, const fx_run *run)
{
    packing a = {.p = {.kernel = p->kernel, .x = p->z, .z = p->z, .tile = 1}, .limit = limit};
    size_t panels = count(p);
    fx_run how = fxi_parallel_run(run, (double)fxi_data_stored(p->z.X) * FXI_LANES);
    fx_status st = fxi_kernel_panel_plan(&a.p, true);

    *p = a.p;
    if (!st)
        st = fxi_kernel_panel_open(&a.p, fxi_parallel_threads(&how, panels), 1,
                                   "scratch for panels of vectors", run);
    if (!st && !(p->ready = a.ready = fxi_zalloc(panels, sizeof *a.ready)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_parallel(panels, pack_panel, &a, &how);
    fxi_kernel_panel_close(&a.p);
    if (st || a.bytes > limit)
        fxi_kernel_panel_ready_free(p);
    return st;
}
