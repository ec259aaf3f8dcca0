/* SPDX-License-Identifier: BSD-3-Clause
 * panel.c - a tile of rows x and a panel of FXI_LANES rows z side by side:
 *
 *            zt[slot][lane]                        out[row][lane]
 *            .. z_0  z_1  ..  z_15
 *   x tile   ---------------------        i   [ one call a row, or for two ]
 *
 * panel_pack.c packs z, panel_eval.c evaluates x against it; here is what they need.
 *
 * Dense rows need no bookkeeping (floats are widened once per tile); sparse ones are copied once
 * per tile, as doubles and slots.  With few columns every column has its slot, and the columns of x
 * are the slots (for kernels of differences, those of x and of the panel, from sets of bits).
 * Otherwise the slots of a panel are the distinct features of its rows, found through a table by
 * column, or a hash table where columns are many.  Features of x that no row of the panel has are
 * left out.  For kernels of differences the slots ascend by feature, x is spread over all of them,
 * and features that only x has are inserted between them, with a slot of zeros; rbf needs that for
 * pairs of large norms only.
 *
 * So every sum runs over the features in ascending order, and what is zero in both rows (in one of
 * them, for products) changes nothing: K(x, z) depends on these two rows alone, bit for bit, and
 * K(x, z) = K(z, x), whether rows are dense or sparse, alone or with others.  Only if a partial sum
 * overflows may a zero of the other row turn inf into NaN; both are errors. */

#include "kernel/panel.h"

#include <string.h>

enum { DIRECT = 65536 };                /* columns up to which a table has one entry for each */
enum { SHORT = 128, NARROW = 1024 };    /* columns that bound the length of a row well enough */

fxi_space *fxi_kernel_panel_space(const fxi_panels *p, fxi_team *team)
{
    fxi_space *s = &p->space[fxi_parallel_thread(team)];

    s->work.team = team;
    return s;
}

static size_t mean(const fx_matrix *X)  /* entries of a row */
{
    return !X->ptr ? X->cols : X->rows ? fxi_data_stored(X) / X->rows : 0;
}

double fxi_kernel_panel_work(const fx_kernel *k, const fx_matrix *X)
{
    return (double)fxi_kernel_cost(k, mean(X));
}

size_t fxi_kernel_panel_tile(const fx_matrix *X, size_t tile)
{
    size_t each = mean(X);

    while (tile > 4 && each > 65536 / tile)     /* wide rows: smaller tiles */
        tile /= 2;
    return tile;
}

/* Most entries that `group` rows have together. */
static size_t entries(fxi_row_subset s, size_t group)
{
    const fx_matrix *X = s.X;
    size_t found = 0;

    if (!X->ptr || X->cols <= SHORT)
        return group * X->cols;
    for (size_t i = 0; i < s.n; i += group) {
        size_t n = 0, end = s.n - i < group ? s.n : i + group;
        if (!s.row)
            n = (size_t)(X->ptr[end] - X->ptr[i]);
        for (size_t w = i; w < end && s.row; w++)
            n += (size_t)(X->ptr[s.row[w] + 1] - X->ptr[s.row[w]]);
        if (n > found)
            found = n;
    }
    return found;
}

/* Most columns that occur in `group` rows. */
static size_t max_entries(fxi_row_subset s, size_t group)
{
    size_t n = s.X->cols;

    if (s.X->ptr && n > NARROW) {
        size_t found = entries(s, group);
        n = found < n ? found : n;
    }
    return n;
}

/* How the slots of panels are found, from the most columns that one has. */
static void plan_panels(fxi_panels *p, size_t panel, bool ready)
{
    const fx_matrix *X = p->x.X;
    size_t direct = ready ? 16 * panel : DIRECT;        /* ready: smaller than the panel */

    p->simd = fxi_simd_get();
    p->differences = fxi_kernel_differences(p->kernel);
    p->pairs = fxi_kernel_pairs(p->kernel);
    p->products = fxi_kernel_products(p->kernel);
    p->gamma = fxi_kernel_squares(p->kernel);
    p->whole = !p->dense && X->cols <= FXI_PANEL_WHOLE
               && (!p->differences || p->gamma > 0 || X->cols <= 2 * FXI_LANES * (mean(X) + 1));
    p->columns = !p->dense && fxi_kernel_columns(p->kernel);
    p->hashed = !p->dense && !p->whole && X->cols > direct;
    p->panel_entries = panel;
    p->table = p->dense || p->whole ? 0 : X->cols;
    if (p->hashed)
        for (p->table = 16, p->shift = 60; p->table < 2 * panel; p->shift--)
            p->table *= 2;
}

/* What follows from the most entries of a row and of a tile; the bytes of a thread. */
static size_t plan_rows(fxi_panels *p, size_t row, size_t tile)
{
    const fx_matrix *X = p->x.X;
    size_t panel = p->ready ? 0 : p->panel_entries + 1, table = p->ready ? 0 : p->table;

    p->tile_entries = p->dense ? p->tile * (X->type == FX_F32 || X->ptr ? X->cols : 0)
                               : tile + p->tile * (FXI_PANEL_PAD - 1);
    p->row_entries = row + (p->differences && !p->dense ? p->panel_entries : 0);
    p->cost = fxi_kernel_cost(p->kernel, p->row_entries) * FXI_LANES;
    return panel * (FXI_LANES * 8 + 8) + (p->dense ? 0 : (p->row_entries + 1) * 28)
           + table * (p->hashed ? 12 : 4) + p->outs * p->tile * FXI_LANES * 8
           + p->tile_entries
                 * (p->dense   ? 8
                    : p->whole ? 20
                               : 28)
           + (p->tile + 1) * 32 + FXI_LANES * 8
           + 8 * fxi_kernel_scratch(p->kernel, p->row_entries, false) + sizeof(fxi_space);
}

size_t fxi_kernel_panel_bytes(const fx_kernel *k, const fx_matrix *X, size_t tile, size_t outs)
{
    fxi_panels p = {.kernel = k, .x = {X, NULL, X->rows}, .outs = outs, .dense = !X->ptr,
                    .tile = fxi_kernel_panel_tile(X, tile)};
    size_t row = max_entries(p.x, 1), panel = row < X->cols / FXI_LANES ? row * FXI_LANES : X->cols;

    plan_panels(&p, panel, false);
    return plan_rows(&p, row, row * p.tile);
}

static void *take(const fxi_panels *p, size_t n, size_t size)
{
    return fxi_scratch_take(p->scratch, n, size);
}

/* A panel that the thread packs itself. */
static fx_status make_own(const fxi_panels *p, fxi_packed *z)
{
    if (!(z->zt = take(p, (p->panel_entries + 1) * FXI_LANES, sizeof *z->zt)))
        return FX_ENOMEM;
    if (p->dense)
        return FX_OK;
    if (!(z->place = take(p, p->table, sizeof *z->place))
        || !(z->key = take(p, p->hashed ? p->table : 0, sizeof *z->key))
        || !(z->slot_col = take(p, p->panel_entries + 1, sizeof *z->slot_col)))
        return FX_ENOMEM;
    memset(z->place, 0xff, p->table * sizeof *z->place);
    if (p->hashed)
        memset(z->key, 0xff, p->table * sizeof *z->key);
    return FX_OK;
}

static fx_status make(const fxi_panels *p, fxi_space *s)
{
    size_t scratch = fxi_kernel_scratch(p->kernel, p->row_entries, false);

    *s = (fxi_space){.work.simd = p->simd, .packed = SIZE_MAX};
    s->z = &s->own;
    if (!p->ready && make_own(p, &s->own))
        return FX_ENOMEM;
    if (!(s->work.scratch = take(p, scratch, sizeof(double)))
        || !(s->out = take(p, p->outs * p->tile * FXI_LANES, sizeof *s->out))
        || (p->tile_entries && !(s->tile = take(p, p->tile_entries, sizeof *s->tile)))
        || !(s->norm = take(p, p->tile, sizeof *s->norm)))
        return FX_ENOMEM;
    if (p->dense)
        return FX_OK;
    if (!(s->x[0] = take(p, p->row_entries + 1, sizeof *s->x[0]))
        || !(s->x[1] = take(p, p->row_entries + 1, sizeof *s->x[1]))
        || !(s->col = take(p, p->row_entries + 1, sizeof *s->col))
        || !(s->slot = take(p, p->row_entries + 1, sizeof *s->slot))
        || !(s->start = take(p, p->tile + 1, sizeof *s->start))
        || !(s->count = take(p, p->tile, sizeof *s->count))
        || !(s->tile_col = take(p, p->tile_entries, sizeof *s->tile_col))
        || !(s->tile_slot = take(p, p->tile_entries, sizeof *s->tile_slot))
        || !(s->selected_x = p->whole ? s->tile : take(p, p->tile_entries, sizeof *s->selected_x))
        || !(s->selected_start = p->whole ? s->start
                                          : take(p, p->tile + 1, sizeof *s->selected_start)))
        return FX_ENOMEM;
    return FX_OK;
}

fx_status fxi_kernel_panel_plan(fxi_panels *p, bool ready)
{
    p->dense = !p->x.X->ptr && !p->z.X->ptr;
    size_t panel = p->dense ? p->z.X->cols : max_entries(p->z, FXI_LANES);

    if (panel > INT32_MAX - 1)
        return fxi_error(FX_EUNSUPPORTED, "%d rows with %zu entries are too wide", FXI_LANES,
                         panel);
    plan_panels(p, panel, ready);
    p->planned = true;
    return FX_OK;
}

fx_status fxi_kernel_panel_open(fxi_panels *p, int threads, size_t outs, const char *what,
                                const fx_run *run)
{
    fx_status st = p->planned ? FX_OK : fxi_kernel_panel_plan(p, false);
    size_t bytes;

    if (st)
        return st;
    p->outs = outs;
    bytes = plan_rows(p, max_entries(p->x, 1), entries(p->x, p->tile));
    if (!fxi_size_mul(&bytes, bytes, (size_t)threads))
        bytes = SIZE_MAX;
    if ((st = fxi_memory_check(run, bytes, what)) != 0)
        return st;
    p->scratch = p->scratch ? p->scratch : &p->own;
    if (!(p->space = take(p, (size_t)threads, sizeof *p->space)))
        return FX_ENOMEM;
    for (int t = 0; t < threads && !st; t++)
        st = make(p, &p->space[t]);
    return st;
}

void fxi_kernel_panel_close(fxi_panels *p) { fxi_scratch_free(&p->own); }
