/* SPDX-License-Identifier: BSD-3-Clause
 * panel_pack.c - FXI_LANES rows z side by side: the features they have, their slots, the numbers,
 * and their norms where distances come from products. */

#include "kernel/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void clear_slots(const fxi_panels *p, fxi_space *s)
{
    if (p->hashed && s->slots) {
        memset(s->place, 0xff, p->table * sizeof *s->place);
        memset(s->key, 0xff, p->table * sizeof *s->key);
    }
    for (size_t i = 0; i < s->slots && !p->hashed; i++)
        s->place[s->slot_col[i]] = -1;
    s->slots = 0;
}

static void add_slot(const fxi_panels *p, fxi_space *s, int64_t j)
{
    int32_t *place = fxi_panel_place(p, s, j);

    if (*place >= 0)
        return;
    if (p->hashed)
        s->key[place - s->place] = j;
    *place = (int32_t)s->slots;
    s->slot_col[s->slots++] = j;
}

static bool pack_dense(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    size_t d = p->z.X->cols;

    if (lanes < FXI_LANES)
        memset(s->zt, 0, d * FXI_LANES * sizeof *s->zt);
    for (size_t w = 0; w < lanes; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        double *z = s->zt + w;
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
    clear_slots(p, s);
    for (size_t w = 0; w < lanes; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        if (fxi_panel_stopped(s, 2 * r.n))
            return false;
        for (size_t q = 0; q < r.n; q++)
            if (fxi_row_value(r, q) != 0)
                add_slot(p, s, fxi_row_column(r, q));
    }
    if (s->sorted && s->slots) {
        qsort(s->slot_col, s->slots, sizeof *s->slot_col, fxi_data_sort_integers);
        for (size_t i = 0; i < s->slots; i++)
            *fxi_panel_place(p, s, s->slot_col[i]) = (int32_t)i;
    }
    return true;
}

static bool pack_sparse(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    if (p->whole) {
        s->slots = p->z.X->cols;
        memset(s->has, 0, sizeof s->has);
    } else if (!find_slots(p, s, first, lanes))
        return false;
    memset(s->zt, 0, (s->slots + 1) * FXI_LANES * sizeof *s->zt);
    for (size_t w = 0; w < lanes; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        for (size_t q = 0; q < r.n; q++) {
            double v = fxi_row_value(r, q);
            int64_t j = fxi_row_column(r, q);
            if (v == 0)
                continue;
            s->zt[(p->whole ? (size_t)j : (size_t)*fxi_panel_place(p, s, j)) * FXI_LANES + w] = v;
            if (p->whole)
                s->has[j / 64] |= (uint64_t)1 << j % 64;
        }
    }
    return true;
}

/* Squared norms of the rows of a panel: sparse rows before it is packed, dense ones after. */
static void measure(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    const fxi_simd *simd = s->work.simd;

    if (p->dense)
        simd->kernel_norms_lanes(s->norms, s->zt, p->z.X->cols);
    for (size_t w = 0; w < lanes && !p->dense; w++) {
        fxi_row r = fxi_data_row(p->z.X, fxi_row_subset_at(p->z, first + w));
        for (size_t q = 0; q < r.n; q++)
            s->x[0][q] = fxi_row_value(r, q);
        simd->kernel_norms(s->norms + w, (const double *const *)s->x, &r.n, 1);
    }
    s->z_max = s->z_min = s->norms[0];
    for (size_t w = 1; w < lanes; w++) {
        s->z_max = fmax(s->z_max, s->norms[w]);
        s->z_min = fmin(s->z_min, s->norms[w]);
    }
}

/* True if this tile needs differences to any row of the panel. */
static bool needs_differences(const fxi_panels *p, const fxi_space *s)
{
    return p->differences && !(p->gamma > 0 && fxi_panel_near(p, s->x_max, s->z_max));
}

bool fxi_kernel_panel_pack(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes)
{
    if (s->packed == first && (s->sorted || !needs_differences(p, s)))
        return true;
    s->packed = SIZE_MAX;
    if (p->gamma > 0 && !p->dense)
        measure(p, s, first, lanes);
    s->sorted = p->dense || needs_differences(p, s);
    if (!(p->dense ? pack_dense(p, s, first, lanes) : pack_sparse(p, s, first, lanes)))
        return false;
    if (p->gamma > 0 && p->dense)
        measure(p, s, first, lanes);
    s->packed = first;
    return true;
}
