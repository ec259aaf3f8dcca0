/* SPDX-License-Identifier: BSD-3-Clause
 * panel_pack.c - FXI_LANES rows z side by side: the features they have, their slots, the numbers,
 * and their norms where distances come from products. */

#include "kernel/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void clear_slots(const fxi_panels *p, fxi_packed *z)
{
    if (p->hashed && z->slots) {
        memset(z->place, 0xff, p->table * sizeof *z->place);
        memset(z->key, 0xff, p->table * sizeof *z->key);
    }
    for (size_t i = 0; i < z->slots && !p->hashed; i++)
        z->place[z->slot_col[i]] = -1;
    z->slots = 0;
}

static void add_slot(const fxi_panels *p, fxi_packed *z, int64_t j)
{
    int32_t *place = fxi_panel_place(p, z, j);

    if (*place >= 0)
        return;
    if (p->hashed)
        z->key[place - z->place] = j;
    *place = (int32_t)z->slots;
    z->slot_col[z->slots++] = j;
}

static bool pack_dense(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    size_t d = p->z.X->cols;

    s->own.slots = d;
    if (lanes < FXI_LANES)
        memset(s->own.zt, 0, d * FXI_LANES * sizeof *s->own.zt);
    for (size_t w = 0; w < lanes; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        double *z = s->own.zt + w;
        if (fxi_panel_stopped(s, d))
            return false;
        for (size_t j = 0; j < d; j++)
            z[j * FXI_LANES] = fxi_row_value(r, j);
    }
    return true;
}

/* Which features the rows have, and their slots; every one where the panel is whole. */
static bool find_slots(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    fxi_packed *z = &s->own;

    clear_slots(p, z);
    for (size_t w = 0; w < lanes; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        if (fxi_panel_stopped(s, 2 * r.n))
            return false;
        for (size_t q = 0; q < r.n; q++)
            if (fxi_row_value(r, q) != 0)
                add_slot(p, z, fxi_row_column(r, q));
    }
    if (z->sorted && z->slots) {
        qsort(z->slot_col, z->slots, sizeof *z->slot_col, fxi_data_sort_integers);
        for (size_t i = 0; i < z->slots; i++)
            *fxi_panel_place(p, z, z->slot_col[i]) = (int32_t)i;
    }
    return true;
}

static bool pack_sparse(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    fxi_packed *z = &s->own;

    if (p->whole) {
        z->slots = p->z.X->cols;
        memset(z->has, 0, sizeof z->has);
    } else if (!find_slots(p, s, first, lanes))
        return false;
    memset(z->zt, 0, (z->slots + 1) * FXI_LANES * sizeof *z->zt);
    for (size_t w = 0; w < lanes; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        for (size_t q = 0; q < r.n; q++) {
            double v = fxi_row_value(r, q);
            int64_t j = fxi_row_column(r, q);
            if (v == 0)
                continue;
            z->zt[(p->whole ? (size_t)j : (size_t)*fxi_panel_place(p, z, j)) * FXI_LANES + w] = v;
            if (p->whole)
                z->has[j / 64] |= (uint64_t)1 << j % 64;
        }
    }
    return true;
}

/* Squared norms of the rows of a panel: sparse rows before it is packed, dense ones after. */
static void measure(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    const fxi_simd *simd = s->work.simd;
    fxi_packed *z = &s->own;

    if (p->dense)
        simd->kernel_norms_lanes(z->norms, z->zt, p->z.X->cols);
    for (size_t w = 0; w < lanes && !p->dense; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        for (size_t q = 0; q < r.n; q++)
            s->x[0][q] = fxi_row_value(r, q);
        simd->kernel_norms(z->norms + w, (const double *const *)s->x, &r.n, 1);
    }
    z->z_max = z->z_min = z->norms[0];
    for (size_t w = 1; w < lanes; w++) {
        z->z_max = fmax(z->z_max, z->norms[w]);
        z->z_min = fmin(z->z_min, z->norms[w]);
    }
}

/* True if this tile needs differences to any row of the panel. */
static bool needs_differences(const fxi_panels *p, const fxi_space *s)
{
    return p->differences && !(p->gamma > 0 && fxi_panel_near(p, s->x_max, s->own.z_max));
}

static bool pack(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes, bool any)
{
    s->packed = SIZE_MAX;
    if (p->gamma > 0 && !p->dense)
        measure(p, s, first, lanes);
    s->own.sorted = p->dense || (any ? p->differences : needs_differences(p, s));
    if (!(p->dense ? pack_dense(p, s, first, lanes) : pack_sparse(p, s, first, lanes)))
        return false;
    if (p->gamma > 0 && p->dense)
        measure(p, s, first, lanes);
    s->packed = first;
    return true;
}

bool fxi_kernel_panel_pack_any(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    return pack(p, s, first, lanes, true);
}

bool fxi_kernel_panel_pack(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    if (p->ready) {
        s->z = &p->ready[first / FXI_LANES];
        return true;
    }
    if (s->packed == first && (s->own.sorted || !needs_differences(p, s)))
        return true;
    return pack(p, s, first, lanes, false);
}
