/* SPDX-License-Identifier: BSD-3-Clause
 * panel_eval.c - evaluates a tile of rows x against a panel: many rows at a time if the kernel is a
 * function of <x, z>, else one or two rows, in the form that the panel's slots require. */

#include "kernel/panel.h"

#include <math.h>
#include <string.h>


static const double *dense_row(const fxi_panels *p, const fxi_space *s, size_t i0, size_t i)
{
    if (p->x.X->cols == 0)
        return s->z->zt;                   /* any address that is not NULL */
    return s->tile ? s->tile + i * p->x.X->cols
                   : fxi_data_row(p->x.X, fxi_row_subset_at(p->x, i0 + i)).f64;
}

/* A row of floats or a sparse one as dense doubles. */
static void widen(const fxi_space *s, double *x, fxi_row r, size_t cols)
{
    if (r.f32 && !r.col32 && !r.col64) {
        s->work.simd->kernel_rows_widen(x, r.f32, cols);
        return;
    }
    memset(x, 0, cols * sizeof *x);
    for (size_t q = 0; q < r.n; q++)
        x[fxi_row_column(r, q)] = fxi_row_value(r, q);
}

/* A sparse row to the tile, entries from `at` on; their end.  If they have slots, zeros follow. */
static size_t copy(const fxi_panels *p, fxi_space *s, fxi_row r, size_t at)
{
    double *x = s->tile + at;
    int64_t *col = s->tile_col + at;
    int32_t *slot = s->tile_slot + at;
    size_t n = r.n;

    for (size_t q = 0; q < n; q++)
        x[q] = fxi_row_value(r, q);
    for (size_t q = 0; q < n; q++)
        col[q] = fxi_row_column(r, q);
    if (!p->whole)
        return at + n;
    for (size_t q = 0; q < n; q++)
        slot[q] = (int32_t)col[q];
    for (; n % FXI_PANEL_PAD; n++) {
        x[n] = 0;
        slot[n] = (int32_t)p->x.X->cols;
    }
    return at + n;
}

static void measure(const fxi_panels *p, fxi_space *s, size_t i0, size_t rows)
{
    const double *x[FXI_PANEL_BATCH];
    size_t n[FXI_PANEL_BATCH];

    s->x_max = 0;
    for (size_t i = 0, batch; i < rows; i += batch) {
        batch = rows - i < FXI_PANEL_BATCH ? rows - i : FXI_PANEL_BATCH;
        for (size_t a = 0; a < batch; a++) {
            x[a] = p->dense ? dense_row(p, s, i0, i + a) : s->tile + s->start[i + a];
            n[a] = p->dense ? p->x.X->cols : s->count[i + a];
        }
        s->work.simd->kernel_norms(s->norm + i, x, n, batch);
        for (size_t a = i; a < i + batch; a++)
            s->x_max = fmax(s->x_max, s->norm[a]);
    }
}

bool fxi_kernel_panel_eval_tile(const fxi_panels *p, fxi_space *s, size_t i0, size_t rows)
{
    size_t d = p->x.X->cols;

    if (!p->dense)
        s->start[0] = 0;
    for (size_t i = 0; i < rows && s->tile; i++) {
        fxi_row r = fxi_data_row(p->x.X, fxi_row_subset_at(p->x, i0 + i));
        if (fxi_panel_stopped(s, r.n))
            return false;
        if (p->dense) {
            widen(s, s->tile + i * d, r, d);
            continue;
        }
        s->count[i] = r.n;
        s->start[i + 1] = copy(p, s, r, s->start[i]);
    }
    if (p->gamma > 0)
        measure(p, s, i0, rows);
    return true;
}

/* ---- Functions of <x, z> -------------------------------------------------------------------- */

/* What the rows of the tile and the panel have in common, without a branch that could be
 * mispredicted. */
static void select_entries(const fxi_panels *p, fxi_space *s, size_t from, size_t rows)
{
    double *x = s->selected_x;
    int32_t *slot = s->tile_slot;
    size_t n = 0;

    s->selected_start[from] = 0;
    for (size_t i = from; i < rows; i++) {
        for (size_t e = s->start[i]; e < s->start[i] + s->count[i]; e++) {
            x[n] = s->tile[e];
            slot[n] = *fxi_panel_place(p, s->z, s->tile_col[e]);
            n += slot[n] >= 0;
        }
        for (; n % FXI_PANEL_PAD; n++) {
            x[n] = 0;
            slot[n] = (int32_t)s->z->slots;
        }
        s->selected_start[i + 1] = n;
    }
}

/* Rows i..end - 1, the first to out[0]. */
static void dots(double *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t i, size_t end)
{
    const fxi_simd *simd = s->work.simd;

    if (!p->dense) {
        simd->kernel_dots(out, s->selected_x, s->tile_slot, s->selected_start + i, s->z->zt,
                          end - i);
        return;
    }
    for (; i < end; i += 2, out += 2 * FXI_LANES)
        simd->kernel_dot(out, dense_row(p, s, i0, i),
                         i + 1 < end ? dense_row(p, s, i0, i + 1) : NULL, NULL, s->z->zt,
                         p->x.X->cols);
}

/* Rows i.. were evaluated by differences; lanes that may come from products are computed again. */
static void replace(double *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t i, size_t end)
{
    _Alignas(64) double t[FXI_LANES];

    for (; i < end; i++) {
        if (!fxi_panel_near(p, s->norm[i], s->z->z_min))
            continue;
        dots(t, p, s, i0, i, i + 1);
        s->work.simd->kernel_sides(t, &s->norm[i], s->z->norms, 1);
        for (size_t w = 0; w < FXI_LANES; w++)
            if (fxi_panel_near(p, s->norm[i], s->z->norms[w]))
                out[i * FXI_LANES + w] = t[w];
    }
}

/* ---- Others --------------------------------------------------------------------------------- */

/* Row i and a panel of all columns. */
static void direct(fxi_panel *out, const fxi_panels *p, const fxi_space *s, size_t i)
{
    out->n = s->count[i];
    out->x = s->tile + s->start[i];
    out->slot = s->tile_slot + s->start[i];
    out->col = p->columns ? s->tile_col + s->start[i] : NULL;
}

/* What row i and the panel have in common, without a branch that could be mispredicted. */
static void common(fxi_panel *out, const fxi_panels *p, fxi_space *s, size_t i)
{
    size_t n = 0;

    for (size_t e = s->start[i]; e < s->start[i] + s->count[i]; e++) {
        s->x[0][n] = s->tile[e];
        s->col[n] = s->tile_col[e];
        s->slot[n] = *fxi_panel_place(p, s->z, s->tile_col[e]);
        n += s->slot[n] >= 0;
    }
    out->n = n;
    out->x = s->x[0];
}

/* One or two rows and a panel of all columns, over the columns that they or the panel have. */
static void unite(fxi_panel *out, fxi_space *s, size_t i, size_t rows)
{
    uint64_t has[FXI_PANEL_WHOLE / 64];
    size_t n = 0;

    memcpy(has, s->z->has, sizeof has);
    for (size_t a = 0; a < rows; a++) {
        memset(s->x[a], 0, s->z->slots * sizeof *s->x[a]);
        for (size_t e = s->start[i + a]; e < s->start[i + a] + s->count[i + a]; e++) {
            int64_t j = s->tile_col[e];
            s->x[a][j] = s->tile[e];
            has[j / 64] |= (uint64_t)1 << j % 64;
        }
    }
    for (size_t word = 0; word * 64 < s->z->slots; word++)
        for (uint64_t left = has[word]; left; left &= left - 1)
            s->slot[n++] = (int32_t)(word * 64) + (int32_t)__builtin_ctzll(left);
    for (size_t k = 0; k < n && rows == 1; k++)         /* slots ascend: none is overtaken */
        s->x[0][k] = s->x[0][s->slot[k]];
    out->n = n;
    out->x = s->x[0];
    out->x2 = rows > 1 ? s->x[1] : NULL;
}

/* Row i on all slots of the panel, to x; false if it has other features, too. */
static bool spread(double *x, const fxi_panels *p, const fxi_space *s, size_t i)
{
    bool within = true;

    memset(x, 0, (s->z->slots + 1) * sizeof *x);
    for (size_t e = s->start[i]; e < s->start[i] + s->count[i]; e++) {
        int32_t at = *fxi_panel_place(p, s->z, s->tile_col[e]);
        x[at < 0 ? s->z->slots : (size_t)at] = s->tile[e];
        within &= at >= 0 || s->tile[e] == 0;
    }
    return within;
}

/* Row i on all slots of the panel, its other features between them. */
static void merge(fxi_panel *out, const fxi_panels *p, fxi_space *s, size_t i)
{
    double *x = s->x[0];
    size_t n = 0, slot = 0;             /* entries and slots done */
    size_t last = s->start[i] + s->count[i];

    for (size_t e = s->start[i]; e <= last; e++) {
        int64_t j = e < last ? s->tile_col[e] : INT64_MAX;
        int32_t at = e < last ? *fxi_panel_place(p, s->z, j) : (int32_t)s->z->slots;
        size_t end = at >= 0
                         ? (size_t)at
                         : slot + fxi_data_sort_place(s->z->slot_col + slot, s->z->slots - slot, j);
        for (; slot < end; slot++, n++) {
            x[n] = 0;
            s->slot[n] = (int32_t)slot;
        }
        if (e == last)
            break;
        x[n] = s->tile[e];
        s->slot[n++] = at >= 0 ? (int32_t)slot++ : (int32_t)s->z->slots;
    }
    out->n = n;
    out->x = x;
    out->slot = s->slot;
}

/* Aligns rows i0 + i.. with the panel's slots; returns how many rows, one or two.  (Field by field:
 * a struct that is copied as soon as it is filled makes the processor wait.) */
static size_t align_rows(fxi_panel *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t i,
                         size_t end)
{
    bool two = p->pairs && i + 1 < end;

    out->x2 = NULL;
    if (p->dense) {
        out->n = p->x.X->cols;
        out->x = dense_row(p, s, i0, i);
        if (two)
            out->x2 = dense_row(p, s, i0, i + 1);
        return two ? 2 : 1;
    }
    if (!p->differences) {
        if (p->whole)
            direct(out, p, s, i);
        else
            common(out, p, s, i);
        return 1;
    }
    if (p->whole) {
        unite(out, s, i, two ? 2 : 1);
        return two ? 2 : 1;
    }
    if (!spread(s->x[0], p, s, i)) {
        merge(out, p, s, i);
        return 1;
    }
    out->n = s->z->slots;
    out->x = s->x[0];
    out->slot = NULL;
    if (!two || !spread(s->x[1], p, s, i + 1))
        return 1;
    out->x2 = s->x[1];
    return 2;
}

static bool eval_rows(double *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t i,
                      size_t end)
{
    fxi_panel q = {.zt = s->z->zt, .slot = s->slot, .col = p->columns ? s->col : NULL};

    for (size_t step; i < end; i += step) {
        step = align_rows(&q, p, s, i0, i, end);
        if (fxi_panel_stopped(s, step * p->cost))
            return false;
        fxi_kernel_begin(out + i * FXI_LANES, p->kernel, &q, &s->work);
    }
    return true;
}

static bool eval(double *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t from,
                 size_t rows, bool finish)
{
    bool near = p->gamma > 0 && fxi_panel_near(p, s->x_max, s->z->z_max);

    if (!p->dense && !p->whole && (p->products || p->gamma > 0) && from < rows)
        select_entries(p, s, from, rows);
    for (size_t i = from, end; i < rows; i = end) {
        end = rows - i < FXI_PANEL_BATCH ? rows : i + FXI_PANEL_BATCH;
        if (p->products || near) {
            size_t entries = p->dense ? p->x.X->cols * (end - i) : s->start[end] - s->start[i];
            if (fxi_panel_stopped(s, (entries + end - i) * FXI_LANES))
                return false;
            dots(out + i * FXI_LANES, p, s, i0, i, end);
        } else if (!eval_rows(out, p, s, i0, i, end))
            return false;
        if (near)
            s->work.simd->kernel_sides(out + i * FXI_LANES, s->norm + i, s->z->norms, end - i);
        else if (p->gamma > 0)
            replace(out, p, s, i0, i, end);
        if (finish)
            fxi_kernel_finish(out + i * FXI_LANES, (end - i) * FXI_LANES, p->kernel,
                              s->work.simd);
    }
    return true;
}

bool fxi_kernel_panel_eval_begin(double *out, const fxi_panels *p, fxi_space *s, size_t i0,
                                 size_t rows)
{
    return eval(out, p, s, i0, 0, rows, false);
}

bool fxi_kernel_panel_eval_row(double *out, const fxi_panels *p, const fxi_space *s, size_t i0,
                               size_t first, size_t panels)
{
    const fxi_packed *z = p->ready ? p->ready + first : NULL;
    const double *zt[FXI_PANEL_BATCH];

    if (!z || !p->dense || p->x.X->cols > FXI_PANEL_WHOLE || !(p->products || p->gamma > 0))
        return false;
    for (size_t i = 0; i < panels; i++) {
        if (p->gamma > 0 && !fxi_panel_near(p, s->x_max, z[i].z_max))
            return false;
        zt[i] = z[i].zt;
    }
    p->simd->kernel_dot_panels(out, dense_row(p, s, i0, 0), zt, p->x.X->cols, panels);
    for (size_t i = 0; i < panels && p->gamma > 0; i++)
        p->simd->kernel_sides(out + i * FXI_LANES, s->norm, z[i].norms, 1);
    return true;
}

bool fxi_kernel_panel_eval(double *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t from,
                           size_t rows)
{
    return eval(out, p, s, i0, from, rows, true);
}
