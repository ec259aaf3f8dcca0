/* SPDX-License-Identifier: BSD-3-Clause
 * row.c - one row beside one panel of FXI_LANES components: the kernel of a block, and its
 * derivatives by the factors.
 *
 * ANOVA with derivatives goes through row_hot.c's table; rows whose table would leave the cache
 * take guarded deletion (kernel/anova.c) instead.  With groups the kernel is that of the sums
 * s_g = sum_{j in g} p_j x_j beside ones, and the derivative by p_j is x_j times that by s_g.
 * Doubles with 32-bit columns are used where they stand; other rows are copied once. */

#include "fm/fm.h"

#include <stdlib.h>
#include <string.h>

enum { LONG = 4096 };                   /* entries times order: longer tables leave the cache */

struct fxi_fm_workspace {
    const fxi_fm *fm;
    fxi_work work;                      /* scratch: of the kernels; e_t of the last value first */
    fxi_fm_entries row;
    double *x;                          /* [entries] copies, where needed */
    int32_t *col;
    double *table;                      /* of row_hot.c */
    /* groups: those of the row are numbered as they appear; one more holds what takes no part */
    int32_t *number;                    /* [groups] -1 outside fxi_fm_row */
    int32_t *local;                     /* [entries] */
    size_t locals;
    double *sum, *by;                   /* [locals + 1][FXI_LANES] sums; derivatives by them */
    double *ones;                       /* [locals] */
};

/* ---- Memory ------------------------------------------------------------------------------ */

static size_t group_entries(const fxi_fm *fm, size_t entries)
{
    return fm->group && fm->groups < entries ? fm->groups : entries;
}

static size_t table_size(const fxi_fm *fm, size_t entries)
{
    size_t max_size = 0;

    for (size_t g = 0; g < fm->blocks; g++) {
        size_t m = (size_t)fm->block[g].order, n = m && entries > LONG / m ? LONG / m : entries;
        if (m && n * (m - 1) > max_size)
            max_size = n * (m - 1);
    }
    return max_size * FXI_LANES;
}

static size_t scratch_size(const fxi_fm *fm, size_t entries)
{
    size_t max_size = FXI_LANES;

    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *b = &fm->block[g];
        bool deletes = b->order && entries > LONG / (size_t)b->order;
        size_t n = b->kernel ? fxi_kernel_scratch(b->kernel, entries, deletes) : 0;
        max_size = n > max_size ? n : max_size;
    }
    return max_size;
}

size_t fxi_fm_row_bytes(const fxi_fm *fm, size_t entries)
{
    size_t n = group_entries(fm, entries);
    size_t numbers = entries + table_size(fm, n) + scratch_size(fm, n);

    if (!fm->group)
        return numbers * sizeof(double) + entries * sizeof(int32_t);
    return (numbers + (n + 1) * 2 * FXI_LANES + n) * sizeof(double)
           + (fm->groups + 2 * entries) * sizeof(int32_t);
}

void fxi_fm_row_free(fxi_fm_workspace *workspace)
{
    if (!workspace)
        return;
    fxi_free(workspace->work.scratch, workspace->x, workspace->col, workspace->table,
             workspace->number, workspace->local, workspace->sum, workspace->ones, workspace);
}

fx_status fxi_fm_row_workspace(fxi_fm_workspace **out, const fxi_fm *fm, size_t entries)
{
    fxi_fm_workspace *r = fxi_zalloc(1, sizeof *r);
    size_t n = group_entries(fm, entries);

    if (!r)
        return FX_ENOMEM;
    *r = (fxi_fm_workspace){.fm = fm, .work.simd = fxi_simd_get()};
    r->work.scratch = fxi_alloc(scratch_size(fm, n), sizeof(double));
    r->x = fxi_alloc(entries + 1, sizeof *r->x);
    r->col = fxi_alloc(entries + 1, sizeof *r->col);
    r->table = fxi_alloc(table_size(fm, n) + 1, sizeof *r->table);
    bool made = r->work.scratch && r->x && r->col && r->table;
    if (made && fm->group) {
        r->number = fxi_alloc(fm->groups + 1, sizeof *r->number);
        r->local = fxi_alloc(entries + 1, sizeof *r->local);
        r->sum = fxi_alloc((n + 1) * 2 * FXI_LANES, sizeof *r->sum);
        r->ones = fxi_alloc(n + 1, sizeof *r->ones);
        if ((made = r->number && r->local && r->sum && r->ones)) {
            r->by = r->sum + (n + 1) * FXI_LANES;
            memset(r->number, -1, fm->groups * sizeof *r->number);
        }
        for (size_t i = 0; made && i < n; i++)
            r->ones[i] = 1;
    }
    if (!made) {
        fxi_fm_row_free(r);
        return FX_ENOMEM;
    }
    *out = r;
    return FX_OK;
}

void fxi_fm_row_workspaces_free(fxi_fm_workspace **workspaces, size_t threads)
{
    for (size_t t = 0; workspaces && t < threads; t++)
        fxi_fm_row_free(workspaces[t]);
    free(workspaces);
}

fx_status fxi_fm_row_workspaces(fxi_fm_workspace ***out, const fxi_fm *fm, size_t entries,
                                size_t threads)
{
    fxi_fm_workspace **workspaces = fxi_zalloc(threads, sizeof *workspaces);
    fx_status st = workspaces ? FX_OK : FX_ENOMEM;

    for (size_t t = 0; t < threads && !st; t++)
        st = fxi_fm_row_workspace(&workspaces[t], fm, entries);
    if (st)
        fxi_fm_row_workspaces_free(workspaces, threads);
    else
        *out = workspaces;
    return st;
}

/* ---- A row ------------------------------------------------------------------------------- */

static size_t column(const fxi_fm_entries *row, size_t k)
{
    return row->col ? (size_t)row->col[k] : k;
}

/* Numbers the groups that this row has. */
static void find_groups(fxi_fm_workspace *workspace)
{
    const int32_t *group = workspace->fm->group;
    const fxi_fm_entries *row = &workspace->row;
    size_t locals = 0;

    for (size_t k = 0; k < row->n; k++) {
        int32_t g = group[column(row, k)];
        if (g >= 0 && workspace->number[g] < 0)
            workspace->number[g] = (int32_t)locals++;
        workspace->local[k] = g < 0 ? -1 : workspace->number[g];
    }
    for (size_t k = 0; k < row->n; k++) {
        int32_t g = group[column(row, k)];
        if (g >= 0)
            workspace->number[g] = -1;
        else
            workspace->local[k] = (int32_t)locals;
    }
    workspace->locals = locals;
}

fxi_fm_entries fxi_fm_row(fxi_fm_workspace *workspace, fxi_row r)
{
    const fxi_fm *fm = workspace->fm;
    fxi_fm_entries *row = &workspace->row;

    *row = (fxi_fm_entries){.n = r.n,
                            .x = r.f64,
                            .col = r.col32,
                            .first = fm->front,
                            .last = fm->twice ? r.n / 2 : r.n};
    if (!r.f64) {
        for (size_t k = 0; k < r.n; k++)
            workspace->x[k] = r.f32[k];
        row->x = workspace->x;
    }
    if (r.col64) {
        for (size_t k = 0; k < r.n; k++)
            workspace->col[k] = (int32_t)r.col64[k];
        row->col = workspace->col;
    }
    if (fm->group)
        find_groups(workspace);
    return *row;
}

double fxi_fm_row_linear(const fxi_fm *fm, const fxi_fm_entries *row, const double *v)
{
    double sum = v[0];

    for (size_t k = row->first; fm->linear && k < row->last; k++)
        sum += v[fm->w + column(row, k) - fm->front] * row->x[k];
    return sum;
}

/* ---- Kernels ----------------------------------------------------------------------------- */

/* A kernel and the panel that it is evaluated on; of hofm-simplex theta is its coefficients. */
typedef struct evaluation {
    const fxi_fm_block *b;
    fx_kernel kernel;                   /* unless <p, x>^order */
    double theta[FX_ORDER_MAX + 1];
    fxi_panel p;
} evaluation;

static void begin_evaluation(evaluation *a, fxi_fm_workspace *workspace, const double *v,
                             size_t block, size_t panel)
{
    const fxi_fm *fm = workspace->fm;
    const fxi_fm_entries *row = &workspace->row;
    const double *zt = v + fm->block[block].P + panel * fm->cols * FXI_LANES;

    a->b = &fm->block[block];
    if (fm->group) {
        workspace->work.simd->fm_sums(workspace->sum, row->x, workspace->local, row->col, zt,
                                      row->n, workspace->locals + 1);
        a->p = (fxi_panel){.n = workspace->locals, .x = workspace->ones, .zt = workspace->sum};
    } else {
        a->p = (fxi_panel){.n = row->n, .x = row->x, .slot = row->col, .zt = zt};
    }
    if (!a->b->kernel)
        return;
    a->kernel = *a->b->kernel;
    if (fm->kind == FXI_FM_SIMPLEX) {
        a->theta[0] = 0;
        memcpy(a->theta + 1, v + a->b->theta, (size_t)a->b->order * sizeof *v);
        a->kernel.coef = a->theta;
    }
}

void fxi_fm_row_value(double *out, fxi_fm_workspace *workspace, const double *v, size_t block,
                      size_t panel, fxi_team *team)
{
    evaluation a;

    begin_evaluation(&a, workspace, v, block, panel);
    workspace->work.team = team;
    if (a.b->kernel) {
        a.kernel.type->panel(out, &a.kernel, &a.p, &workspace->work);
        return;
    }
    workspace->work.simd->kernel_dot(out, a.p.x, NULL, a.p.slot, a.p.zt, a.p.n);
    workspace->work.simd->kernel_poly(out, FXI_LANES, 0, 1, a.b->order);
}

const double *fxi_fm_row_orders(const fxi_fm_workspace *workspace)
{
    return workspace->work.scratch;
}

/* <p, x>^m and m <p, x>^(m - 1) x_j */
static void powers(double *out, double *g, fxi_fm_workspace *workspace, const evaluation *a)
{
    const fxi_simd *simd = workspace->work.simd;
    double *slope = workspace->work.scratch;

    simd->kernel_dot(out, a->p.x, NULL, a->p.slot, a->p.zt, a->p.n);
    memcpy(slope, out, FXI_LANES * sizeof *out);
    simd->kernel_poly(slope, FXI_LANES, 0, 1, a->b->order - 1);
    for (size_t w = 0; w < FXI_LANES; w++) {
        out[w] *= slope[w];
        slope[w] *= a->b->order;
    }
    for (size_t k = 0; k < a->p.n; k++)
        for (size_t w = 0; w < FXI_LANES; w++)
            g[k * FXI_LANES + w] = a->p.x[k] * slope[w];
}

void fxi_fm_row_gradient(double *out, double *g, fxi_fm_workspace *workspace, const double *v,
                         size_t block, size_t panel, fxi_team *team)
{
    const fxi_simd *simd = workspace->work.simd;
    const fxi_fm_entries *row = &workspace->row;
    evaluation a;

    begin_evaluation(&a, workspace, v, block, panel);
    workspace->work.team = team;
    if (!a.b->kernel) {
        powers(out, g, workspace, &a);
        return;
    }
    double *to = workspace->fm->group ? workspace->by : g;
    size_t m = (size_t)a.b->order;
    if (m && a.p.n <= LONG / m) {
        simd->fm_anova(out, to, workspace->table, a.p.x, a.p.slot, a.p.zt, a.p.n, (int)m,
                       a.kernel.coef);
    } else {
        a.kernel.type->panel(out, &a.kernel, &a.p, &workspace->work);
        a.kernel.type->gradient(to, &a.kernel, &a.p, &workspace->work);
    }
    if (workspace->fm->group) {
        memset(workspace->by + workspace->locals * FXI_LANES, 0, FXI_LANES * sizeof *g);
        simd->fm_spread(g, workspace->by, row->x, workspace->local, row->n);
    }
}
