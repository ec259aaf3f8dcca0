/* SPDX-License-Identifier: BSD-3-Clause
 * gram.c - K(X_i, Z_j) for all pairs of rows.
 *
 * The work is cut into blocks, a tile of rows of X by a run of rows of Z.  In a block, FXI_LANES
 * rows of Z at a time are laid side by side as a panel, and each row of the tile meets all of them
 * in one pass of a hot loop:
 *
 *            a panel of Z: zt[slot][lane]               K
 *            .. z_0  z_1  ..  z_15                 j .. j+15
 *   X tile   ---------------------        i   [ one call a row ]
 *
 * Dense rows need no bookkeeping.  Otherwise the slots of a panel are the distinct features of
 * its rows, found through a small hash table; features of x that no row of the panel has are left
 * out, or, for kernels of differences, stand beside a slot of zeros.
 *
 * When Z is X only pairs j <= i are evaluated and each is written twice.  Blocks and panels are cut
 * alike for any number of threads, so threads do not show in the result.  A number depends on its
 * own pair alone, with two exceptions: kernels of differences sum sparse rows in the order of the
 * panel's slots (same terms, last bits may differ), and a sum that overflows on its way is
 * an overflow even where a zero of the other row would have cancelled it. */

#include "kernel/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 256, RUN = 512 };         /* rows of X, rows of Z in a block */
enum { WIDE = 64 };                     /* columns of K that are gathered before they are stored */

typedef struct thread_space {           /* what one thread needs, allocated at the door */
    fxi_work work;
    double *tile_x;                     /* the tile: entries of its rows, one behind the other */
    int64_t *tile_col;                  /* sparse: their features */
    size_t *tile_first;                 /* [TILE + 1] */
    double *zt;                         /* the panel */
    size_t slots;                       /* in use, besides the slot of zeros behind them */
    int64_t *key;                       /* [table] feature of a bucket, -1 free */
    int32_t *bucket;                    /* [table] its slot */
    int64_t *slot_col;                  /* [slots] the feature of a slot */
    double *out;                        /* [TILE][WIDE] the tile beside the last panels */
    double *x;                          /* one row as it meets the panel */
    int64_t *col;
    int32_t *slot;
    size_t unasked;                     /* operations since we asked whether to stop */
} thread_space;

typedef struct gram {
    double *K;
    size_t ldk;
    const fx_kernel *kernel;
    const fx_matrix *X, *Z;
    bool same, dense, differences;
    size_t tile;                        /* rows of X in a block */
    size_t runs;                        /* runs of rows of Z */
    size_t tile_entries, panel_entries, row_entries;    /* most that occur */
    size_t cost;                        /* multiply-adds of the longest row with a panel */
    size_t table;                       /* size of the hash table, 2^(64 - shift) */
    int shift;
    thread_space *space;                /* [threads] */
} gram;

/* Should the call stop?  Asked once per 2^20 operations: under a few milliseconds.  The functions
 * that lay rows then return early, and the block ends. */
static bool stopped(thread_space *s, size_t operations, fxi_team *team)
{
    s->unasked += operations;
    if (s->unasked < 1 << 20)
        return false;
    s->unasked = 0;
    return fxi_parallel_cancelled(team);
}

/* ---- Panels --------------------------------------------------------------------------------- */

static size_t bucket_of(const gram *g, const thread_space *s, int64_t j)
{
    size_t h = (size_t)((uint64_t)j * 0x9e3779b97f4a7c15u >> g->shift); /* its top bits */

    while (s->key[h] != j && s->key[h] >= 0)
        h = (h + 1) & (g->table - 1);
    return h;
}

static void lay_dense(const gram *g, thread_space *s, size_t first, size_t rows, fxi_team *team)
{
    size_t d = g->Z->cols;

    if (rows < FXI_LANES)
        memset(s->zt, 0, d * FXI_LANES * sizeof *s->zt);
    for (size_t w = 0; w < rows; w++) {
        fxi_row r = fxi_data_row(g->Z, first + w);
        double *z = s->zt + w;
        if (stopped(s, d, team))
            return;
        if (r.f32)
            for (size_t j = 0; j < d; j++)
                z[j * FXI_LANES] = r.f32[j];
        else
            for (size_t j = 0; j < d; j++)
                z[j * FXI_LANES] = r.f64[j];
    }
}

static void lay_sparse(const gram *g, thread_space *s, size_t first, size_t rows, fxi_team *team)
{
    for (size_t i = 0; i < s->slots; i++)       /* forget the panel before */
        s->key[bucket_of(g, s, s->slot_col[s->slots - 1 - i])] = -1;
    s->slots = 0;
    for (size_t w = 0; w < rows; w++) {
        fxi_row r = fxi_data_row(g->Z, first + w);
        if (stopped(s, r.n, team))
            return;
        for (size_t q = 0; q < r.n; q++) {
            double v = fxi_row_value(r, q);
            int64_t j = fxi_row_column(r, q);
            if (v == 0)
                continue;
            size_t h = bucket_of(g, s, j);
            if (s->key[h] < 0) {
                s->key[h] = j;
                s->bucket[h] = (int32_t)s->slots;
                s->slot_col[s->slots] = j;
                memset(s->zt + s->slots++ * FXI_LANES, 0, FXI_LANES * sizeof *s->zt);
            }
            s->zt[(size_t)s->bucket[h] * FXI_LANES + w] = v;
        }
    }
    memset(s->zt + s->slots * FXI_LANES, 0, FXI_LANES * sizeof *s->zt);
}

/* ---- Rows of X ------------------------------------------------------------------------------ */

static void lay_tile(const gram *g, thread_space *s, size_t first, size_t rows, fxi_team *team)
{
    size_t n = 0;

    for (size_t i = 0; i < rows; i++) {
        fxi_row r = fxi_data_row(g->X, first + i);
        if (stopped(s, r.n, team))
            return;
        s->tile_first[i] = n;
        for (size_t q = 0; q < r.n; q++) {
            double v = fxi_row_value(r, q);
            if (!g->dense && v == 0)
                continue;
            s->tile_x[n] = v;
            if (!g->dense)
                s->tile_col[n] = fxi_row_column(r, q);
            n++;
        }
    }
    s->tile_first[rows] = n;
}

/* Row i of the tile beside the panel. */
static fxi_panel meet(const gram *g, thread_space *s, size_t i)
{
    size_t first = s->tile_first[i], entries = s->tile_first[i + 1] - first, n = 0;
    const double *x = s->tile_x + first;

    if (g->dense)
        return (fxi_panel){.n = entries, .x = x, .zt = s->zt};
    const int64_t *col = s->tile_col + first;
    if (g->differences) {               /* all slots of the panel, then what only x has */
        for (; n < s->slots; n++) {
            s->x[n] = 0;
            s->slot[n] = (int32_t)n;
            s->col[n] = s->slot_col[n];
        }
    }
    for (size_t q = 0; q < entries; q++) {
        size_t h = bucket_of(g, s, col[q]);
        bool hit = s->key[h] >= 0;
        if (hit && g->differences)
            s->x[s->bucket[h]] = x[q];
        else if (hit || g->differences) {
            s->x[n] = x[q];
            s->col[n] = col[q];
            s->slot[n++] = hit ? s->bucket[h] : (int32_t)s->slots;
        }
    }
    return (fxi_panel){.n = n, .x = s->x, .col = s->col, .slot = s->slot, .zt = s->zt};
}

/* Rows first..rows-1 of the tile beside rows j..j+n-1 of Z go to K, and their mirror images when
 * Z is X: lane by lane, so that both are written along rows of K. */
static fx_status store(const gram *g, const thread_space *s, size_t i0, size_t first, size_t rows,
                       size_t j, size_t n)
{
    for (size_t i = first; i < rows; i++) {
        const double *v = s->out + i * WIDE;
        size_t keep = g->same && i0 + i + 1 - j < n ? i0 + i + 1 - j : n;
        double *k = g->K + (i0 + i) * g->ldk + j;
        for (size_t w = 0; w < keep; w++) {
            if (!isfinite(v[w]))
                return fxi_kernel_not_finite(g->kernel, v[w], i0 + i, "row", j + w);
            k[w] = v[w];
        }
    }
    for (size_t w = 0; g->same && w < n; w++) {
        double *k = g->K + (j + w) * g->ldk + i0;
        for (size_t i = i0 + first < j + w ? j + w - i0 : first; i < rows; i++)
            k[i] = s->out[i * WIDE + w];
    }
    return FX_OK;
}

/* The tile beside the panel of rows j.. of Z, to out[..][at..]; false: the call is to stop. */
static bool panel(const gram *g, thread_space *s, size_t first, size_t rows, size_t j, size_t lanes,
                  size_t at, fxi_team *team)
{
    if (g->dense)
        lay_dense(g, s, j, lanes, team);
    else
        lay_sparse(g, s, j, lanes, team);
    if (fxi_parallel_cancelled(team))
        return false;
    for (size_t i = first; i < rows; i++) {
        fxi_panel p = meet(g, s, i);
        if (stopped(s, g->cost, team))
            return false;
        fxi_kernel_eval(s->out + i * WIDE + at, g->kernel, &p, &s->work);
    }
    return true;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const gram *g = ctx;
    thread_space *s = &g->space[fxi_parallel_thread(team)];
    size_t i0 = b / g->runs * g->tile, j0 = b % g->runs * RUN;
    size_t rows = g->X->rows - i0 < g->tile ? g->X->rows - i0 : g->tile;
    size_t end = g->Z->rows - j0 < RUN ? g->Z->rows : j0 + RUN;
    fx_status st = FX_OK;

    s->work.team = team;
    if (g->same && end > i0 + rows)
        end = i0 + rows;                /* nothing above the diagonal */
    if (j0 >= end)
        return FX_OK;
    lay_tile(g, s, i0, rows, team);
    if (fxi_parallel_cancelled(team))
        return FX_OK;                   /* fxi_parallel reports it, here and below */
    for (size_t j = j0; !st && j < end; j += WIDE) {
        size_t n = end - j < WIDE ? end - j : WIDE;
        for (size_t at = 0; at < n; at += FXI_LANES) {
            size_t first = g->same && j + at > i0 ? j + at - i0 : 0;
            if (!panel(g, s, first, rows, j + at, n - at < FXI_LANES ? n - at : FXI_LANES, at,
                       team))
                return FX_OK;
        }
        st = store(g, s, i0, g->same && j > i0 ? j - i0 : 0, rows, j, n);
    }
    return st;
}

/* ---- The door ------------------------------------------------------------------------------- */

static void free_spaces(thread_space *space, int threads)
{
    for (int t = 0; space && t < threads; t++) {
        free(space[t].work.scratch);
        free(space[t].tile_x);
        free(space[t].tile_col);
        free(space[t].tile_first);
        free(space[t].zt);
        free(space[t].out);
        free(space[t].key);
        free(space[t].bucket);
        free(space[t].slot_col);
        free(space[t].x);
        free(space[t].col);
        free(space[t].slot);
    }
    free(space);
}

static fx_status make_spaces(gram *g, int threads)
{
    size_t scratch = fxi_kernel_scratch(g->kernel, g->row_entries, false);

    if (!(g->space = fxi_zalloc((size_t)threads, sizeof *g->space)))
        return FX_ENOMEM;
    for (int t = 0; t < threads; t++) {
        thread_space *s = &g->space[t];
        s->work.simd = fxi_simd_get();
        if (!(s->work.scratch = fxi_alloc(scratch, sizeof(double)))
            || !(s->tile_first = fxi_alloc(TILE + 1, sizeof *s->tile_first))
            || !(s->out = fxi_alloc(TILE * WIDE, sizeof *s->out))
            || !(s->tile_x = fxi_alloc(g->tile_entries, sizeof *s->tile_x))
            || !(s->zt = fxi_alloc((g->panel_entries + 1) * FXI_LANES, sizeof *s->zt)))
            return FX_ENOMEM;
        if (g->dense)
            continue;
        if (!(s->tile_col = fxi_alloc(g->tile_entries, sizeof *s->tile_col))
            || !(s->key = fxi_alloc(g->table, sizeof *s->key))
            || !(s->bucket = fxi_alloc(g->table, sizeof *s->bucket))
            || !(s->slot_col = fxi_alloc(g->panel_entries, sizeof *s->slot_col))
            || !(s->x = fxi_alloc(g->row_entries, sizeof *s->x))
            || !(s->col = fxi_alloc(g->row_entries, sizeof *s->col))
            || !(s->slot = fxi_alloc(g->row_entries, sizeof *s->slot)))
            return FX_ENOMEM;
        memset(s->key, 0xff, g->table * sizeof *s->key);
    }
    return FX_OK;
}

/* Sizes of everything, and whether they fit the limit. */
static fx_status plan(gram *g, int threads, const fx_run *run)
{
    size_t bytes, each;

    g->dense = !g->X->ptr && !g->Z->ptr;
    g->differences = fxi_kernel_differences(g->kernel);
    g->tile_entries = fxi_data_rows_most(g->X, g->tile);
    g->row_entries = fxi_data_rows_most(g->X, 1);
    g->panel_entries = g->dense ? g->Z->cols : fxi_data_rows_most(g->Z, FXI_LANES);
    if (g->panel_entries > INT32_MAX - 1)
        return fxi_error(FX_EUNSUPPORTED, "%d rows of Z with %zu entries are too wide", FXI_LANES,
                         g->panel_entries);
    if (g->differences && !g->dense)
        g->row_entries += g->panel_entries;
    for (g->table = 16, g->shift = 60; g->table < 2 * g->panel_entries; g->shift--)
        g->table *= 2;
    g->cost = fxi_kernel_cost(g->kernel, g->row_entries) * FXI_LANES;
    each = g->tile_entries * 16 + g->panel_entries * (FXI_LANES * 8 + 8) + g->row_entries * 20
           + (g->dense ? 0 : g->table * 12)
           + 8 * fxi_kernel_scratch(g->kernel, g->row_entries, false);
    if (!fxi_size_mul(&bytes, each, (size_t)threads))
        bytes = SIZE_MAX;
    return fxi_memory_check(run, bytes, "scratch for the Gram matrix");
}

static fx_status check(const double *K, size_t ldk, const fx_kernel *k, const fx_matrix *X,
                       const fx_matrix *Z, const fx_run *run)
{
    fx_status st;
    size_t n;

    if (!K || !k || !X)
        return fxi_error(FX_EINVAL, "fx_kernel_gram: %s is NULL", !K ? "K" : !k ? "k" : "X");
    if ((st = fxi_data_check(X, "X", run)) != 0
        || (Z != X && (st = fxi_data_check(Z, "Z", run)) != 0))
        return st;
    if (X->cols != Z->cols)
        return fxi_error(FX_ESHAPE, "X has %zu columns, Z has %zu", X->cols, Z->cols);
    if (X->rows && ldk < Z->rows)
        return fxi_error(FX_ESHAPE, "ldk is %zu for %zu columns of K", ldk, Z->rows);
    if (!fxi_size_mul(&n, X->rows, ldk) || !fxi_size_mul(&n, n, sizeof *K))
        return fxi_error(FX_ESHAPE, "K of %zu x %zu numbers is too large", X->rows, ldk);
    return FX_OK;
}

fx_status fx_kernel_gram(double *K, size_t ldk, const fx_kernel *k, const fx_matrix *X,
                         const fx_matrix *Z, const fx_run *run)
{
    gram g = {.K = K, .ldk = ldk, .kernel = k, .X = X, .Z = Z ? Z : X, .same = !Z, .tile = TILE};
    fx_status st = check(K, ldk, k, X, g.Z, run);

    if (st)
        return st;
    if (X->rows == 0 || g.Z->rows == 0)
        return FX_OK;
    while (g.tile > 4 && fxi_data_rows_most(X, g.tile) > 65536)       /* wide rows: smaller tiles */
        g.tile /= 2;
    g.runs = (g.Z->rows + RUN - 1) / RUN;
    size_t blocks = (X->rows + g.tile - 1) / g.tile * g.runs;
    fx_run how = fxi_kernel_run(run, (double)X->rows * (double)g.Z->rows
                                         * (double)fxi_kernel_cost(k, fxi_data_rows_most(X, 1)));
    int threads = fxi_parallel_threads(&how, blocks);
    st = plan(&g, threads, run);
    if (!st)
        st = make_spaces(&g, threads);
    if (!st)
        st = fxi_parallel(blocks, block, &g, &how);
    free_spaces(g.space, threads);
    return st;
}
