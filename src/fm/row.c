/* SPDX-License-Identifier: BSD-3-Clause
 * row.c - one row and one panel of FXI_LANES components: the kernel of a block, and its derivatives
 * by the factors.
 *
 * ANOVA with derivatives goes through row_hot.c's table; rows whose table would leave the cache
 * take guarded deletion (kernel/anova.c) instead.  With groups the kernel is that of the sums
 * s_g = sum_{j in g} p_j x_j with a row of ones, and the derivative by p_j is x_j times that by
 * s_g.  Doubles with 32-bit columns are used in place; other rows are copied once. */

#include "fm/fm.h"

#include <string.h>

enum { LONG = 4096 };                   /* entries times order: longer tables leave the cache */

struct fxi_fm_workspace {
    const fxi_fm *fm;
    fxi_work work;                      /* scratch: of the kernels; e_t of the last value first */
    fxi_fm_entries row;
    double *x;                          /* [entries] copies, where needed */
    int32_t *col;
    double *table;                      /* of row_hot.c */
    /* groups: those of the row are numbered as they appear; one more is for columns that take no
     * part */
    uint32_t *number;                   /* [groups] of this row if member[] agrees, else anything */
    int32_t *member;                    /* [locals] the group of that number */
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
           + (fm->groups + n + 2 * entries) * sizeof(int32_t);
}

static bool make_groups(fxi_fm_workspace *r, size_t entries, fxi_scratch *scratch)
{
    size_t n = group_entries(r->fm, entries);

    r->number = fxi_scratch_take(scratch, r->fm->groups + 1, sizeof *r->number);
    r->member = fxi_scratch_take(scratch, n + 1, sizeof *r->member);
    r->local = fxi_scratch_take(scratch, entries + 1, sizeof *r->local);
    r->sum = fxi_scratch_take(scratch, (n + 1) * 2 * FXI_LANES, sizeof *r->sum);
    r->ones = fxi_scratch_take(scratch, n + 1, sizeof *r->ones);
    if (!r->number || !r->member || !r->local || !r->sum || !r->ones)
        return false;
    r->by = r->sum + (n + 1) * FXI_LANES;
    for (size_t i = 0; i < n; i++)
        r->ones[i] = 1;
    return true;
}

fx_status fxi_fm_row_workspace(fxi_fm_workspace **out, const fxi_fm *fm, size_t entries,
                               fxi_scratch *scratch)
{
    fxi_fm_workspace *r = fxi_scratch_take(scratch, 1, sizeof *r);
    size_t n = group_entries(fm, entries);

    if (!r)
        return FX_ENOMEM;
    *r = (fxi_fm_workspace){.fm = fm, .work.simd = fm->simd};
    r->work.scratch = fxi_scratch_take(scratch, scratch_size(fm, n), sizeof(double));
    r->x = fxi_scratch_take(scratch, entries + 1, sizeof *r->x);
    r->col = fxi_scratch_take(scratch, entries + 1, sizeof *r->col);
    r->table = fxi_scratch_take(scratch, table_size(fm, n) + 1, sizeof *r->table);
    if (!r->work.scratch || !r->x || !r->col || !r->table
        || (fm->group && !make_groups(r, entries, scratch)))
        return FX_ENOMEM;
    *out = r;
    return FX_OK;
}

fx_status fxi_fm_row_workspaces(fxi_fm_workspace ***out, const fxi_fm *fm, size_t entries,
                                size_t threads, fxi_scratch *scratch)
{
    fx_status st = FX_OK;

    if (!(*out = fxi_scratch_take(scratch, threads, sizeof **out)))
        return FX_ENOMEM;
    for (size_t t = 0; t < threads && !st; t++)
        st = fxi_fm_row_workspace(&(*out)[t], fm, entries, scratch);
    return st;
}

/* ---- A row ------------------------------------------------------------------------------- */

static size_t column(const fxi_fm_entries *row, size_t k)
{
    return row->col ? (size_t)row->col[k] : k;
}

/* Numbers the groups that this row has. */
static void find_groups(fxi_fm_workspace *w)
{
    size_t locals = 0;

    for (size_t k = 0; k < w->row.n; k++) {
        int32_t g = w->fm->group[column(&w->row, k)];
        w->local[k] = -1;
        if (g < 0)
            continue;
        size_t at = w->number[g];
        if (at >= locals || w->member[at] != g) {
            at = w->number[g] = (uint32_t)locals;
            w->member[locals++] = g;
        }
        w->local[k] = (int32_t)at;
    }
    for (size_t k = 0; k < w->row.n; k++)
        if (w->local[k] < 0)
            w->local[k] = (int32_t)locals;
    w->locals = locals;
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

fxi_fm_entries fxi_fm_row_given(fxi_fm_workspace *workspace, fxi_row r)
{
    const fxi_fm *fm = workspace->fm;
    size_t half = fm->front + r.n, n = fm->twice ? 2 * half : half;

    if (!fm->front && !fm->twice)
        return fxi_fm_row(workspace, r);
    for (size_t k = 0; k < half; k++) {
        bool one = k < fm->front;
        workspace->x[k] = one ? 1 : fxi_row_value(r, k - fm->front);
        workspace->col[k] = (int32_t)(one ? k
                                          : (size_t)fxi_row_column(r, k - fm->front) + fm->front);
    }
    for (size_t k = half; k < n; k++) {
        workspace->x[k] = workspace->x[k - half];
        workspace->col[k] = workspace->col[k - half] + (int32_t)(fm->cols / 2);
    }
    return fxi_fm_row(workspace, (fxi_row){.n = n, .f64 = workspace->x, .col32 = workspace->col});
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
