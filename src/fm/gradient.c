/* SPDX-License-Identifier: BSD-3-Clause
 * gradient.c - the objective of a model and its derivatives by all numbers, at once.
 *
 * First the scores, by blocks of rows: f_i gives the loss and the slope c_i/W loss'(y_i, f_i).
 * Then one task for each block and panel of FXI_LANES components, which goes over all rows and owns
 * its part of G, and one for b and w: no thread needs its own gradient, and each number is summed
 * in the order of the rows, for any number of threads.  K(p_s, x) is computed in both passes, which
 * costs a third of the second; threads beyond blocks * panels + 1 idle there.
 *
 * Cost: O(m rank nz(X)), and n + n/ROWS numbers in addition to G. */

#include "fm/fm.h"

#include <string.h>

enum { ROWS = 256 };                    /* rows in a block of scores */

typedef struct deriving {
    const fxi_fm_problem *p;
    const double *v;
    double *G;
    double W;
    double *slope;                      /* [rows] */
    double *part;                       /* [blocks of rows] sums of losses */
    double *theta;                      /* [panels][FX_ORDER_MAX] derivatives: parts of panels */
    double *g;                          /* [threads][entries][FXI_LANES] */
    size_t entries;
    fxi_fm_workspace **workspace;       /* [threads], in scratch */
    fxi_scratch scratch;
} deriving;

static fx_status score_rows(void *ctx, size_t b, fxi_team *team)
{
    deriving *a = ctx;
    const fxi_fm_problem *p = a->p;
    const fxi_fm *fm = p->fm;
    fxi_fm_workspace *workspace = a->workspace[fxi_parallel_thread(team)];
    size_t end = p->X->rows - b * ROWS < ROWS ? p->X->rows : (b + 1) * ROWS, entries = 0;
    double sum = 0;

    for (size_t i = b * ROWS; i < end; i++) {
        a->slope[i] = 0;
        if (!(p->c[i] > 0))
            continue;
        fxi_row r = fxi_data_row(p->X, i);
        if (fxi_fm_score_stopped(&entries, r.n * fm->panels * fm->blocks, team))
            break;
        double f = fxi_fm_score_row(fm, a->v, workspace, r, team);
        sum += p->c[i] * fxi_fm_loss(p->loss, p->y[i], f);
        a->slope[i] = p->c[i] / a->W * fxi_fm_slope(p->loss, p->y[i], f);
    }
    a->part[b] = sum;
    return FX_OK;
}

static void add_linear(deriving *a, fxi_team *team)
{
    const fxi_fm *fm = a->p->fm;
    double *w = a->G + fm->w;
    fxi_fm_workspace *workspace = a->workspace[fxi_parallel_thread(team)];
    size_t entries = 0;

    for (size_t i = 0; i < a->p->X->rows; i++) {
        double slope = a->slope[i];
        if (slope == 0)
            continue;
        if (fm->intercept)
            a->G[0] += slope;
        if (!fm->linear)
            continue;
        fxi_fm_entries row = fxi_fm_row(workspace, fxi_data_row(a->p->X, i));
        if (fxi_fm_score_stopped(&entries, row.n, team))
            return;
        for (size_t k = row.first; k < row.last; k++)
            w[(row.col ? (size_t)row.col[k] : k) - fm->front] += slope * row.x[k];
    }
    for (size_t j = 0; fm->linear && j < fm->given; j++)
        w[j] += fm->alpha * a->v[fm->w + j];
}

static void add_penalties(deriving *a, const fxi_fm_block *b, size_t panel)
{
    const fxi_fm *fm = a->p->fm;
    size_t first = b->P + panel * fm->cols * FXI_LANES, lambda = b->lambda + panel * FXI_LANES;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    for (size_t j = 0; j < fm->cols; j++) {
        double beta = j % half < fm->front ? b->beta_front : b->beta;
        for (size_t w = 0; w < FXI_LANES; w++)
            a->G[first + j * FXI_LANES + w] += beta * a->v[first + j * FXI_LANES + w];
    }
    for (size_t w = 0; w < FXI_LANES; w++) {
        if (fm->how == FXI_FM_LEARNED && panel * FXI_LANES + w < fm->rank)
            a->G[lambda + w] += fm->beta_lambda * a->v[lambda + w];
        else
            a->G[lambda + w] = 0;
    }
}

/* theta_t takes slope times sum_s lambda_s anova_t(p_s, x). */
static void add_theta(double *theta, fxi_fm_workspace *workspace, const double *by, int order)
{
    const double *e = fxi_fm_row_orders(workspace);

    for (int t = 1; t <= order; t++)
        for (size_t w = 0; w < FXI_LANES; w++)
            theta[t - 1] += by[w] * e[(size_t)t * FXI_LANES + w];
}

static void add_panel(deriving *a, size_t block, size_t panel, fxi_team *team)
{
    const fxi_fm *fm = a->p->fm;
    const fxi_fm_block *b = &fm->block[block];
    const fxi_simd *simd = fxi_simd_get();
    size_t thread = (size_t)fxi_parallel_thread(team), entries = 0;
    const double *lambda = a->v + b->lambda + panel * FXI_LANES;
    double *G = a->G + b->P + panel * fm->cols * FXI_LANES;
    double *G_lambda = a->G + b->lambda + panel * FXI_LANES;
    double *g = a->g + thread * a->entries * FXI_LANES;
    _Alignas(64) double K[FXI_LANES], by[FXI_LANES];

    for (size_t i = 0; i < a->p->X->rows; i++) {
        if (a->slope[i] == 0)
            continue;
        fxi_fm_entries row = fxi_fm_row(a->workspace[thread], fxi_data_row(a->p->X, i));
        if (fxi_fm_score_stopped(&entries, row.n, team))
            return;
        for (size_t w = 0; w < FXI_LANES; w++)
            by[w] = a->slope[i] * lambda[w];
        if (fm->kind == FXI_FM_SIMPLEX) {
            fxi_fm_row_value(K, a->workspace[thread], a->v, block, panel, team);
            add_theta(a->theta + panel * FX_ORDER_MAX, a->workspace[thread], by, b->order);
        }
        fxi_fm_row_gradient(K, g, a->workspace[thread], a->v, block, panel, team);
        simd->fm_add(G, row.col, g, by, row.n);
        for (size_t w = 0; fm->how == FXI_FM_LEARNED && w < FXI_LANES; w++)
            G_lambda[w] += a->slope[i] * K[w];
    }
    add_penalties(a, b, panel);
}

static fx_status derive(void *ctx, size_t task, fxi_team *team)
{
    deriving *a = ctx;
    size_t panels = a->p->fm->panels, tasks = a->p->fm->blocks * panels;

    if (task < tasks)
        add_panel(a, task / panels, task % panels, team);
    else
        add_linear(a, team);
    return FX_OK;
}

static fx_status make_space(deriving *a, size_t blocks, size_t threads, const fx_run *run)
{
    const fxi_fm *fm = a->p->fm;
    size_t bytes, lanes = a->G ? threads * FXI_LANES : 0;

    if (!fxi_size_mul(&bytes, a->entries, (lanes + 1) * sizeof(double)))
        bytes = SIZE_MAX / 2;
    fx_status st = fxi_memory_check(run,
                                    bytes + threads * fxi_fm_row_bytes(fm, a->entries)
                                        + (a->p->X->rows + blocks) * sizeof(double),
                                    "scratch for a gradient");

    if (st)
        return st;
    a->slope = fxi_alloc(a->p->X->rows + 1, sizeof *a->slope);
    a->part = fxi_alloc(blocks + 1, sizeof *a->part);
    a->theta = fxi_zalloc(fm->panels, FX_ORDER_MAX * sizeof *a->theta);
    a->g = fxi_alloc(a->entries * lanes + 1, sizeof *a->g);
    if (!a->slope || !a->part || !a->theta || !a->g)
        return FX_ENOMEM;
    return fxi_fm_row_workspaces(&a->workspace, fm, a->entries, threads, &a->scratch);
}

static fx_status evaluate(double *objective, deriving *a, size_t blocks, const fx_run *run)
{
    const fxi_fm *fm = a->p->fm;
    fx_status st = fxi_parallel(blocks, score_rows, a, run);
    double sum = 0;

    if (st)
        return st;
    for (size_t b = 0; b < blocks; b++)
        sum += a->part[b];
    *objective = (a->W > 0 ? sum / a->W : 0) + fxi_fm_penalty(fm, a->v);
    if (!a->G)
        return FX_OK;
    memset(a->G, 0, fm->size * sizeof *a->G);
    if ((st = fxi_parallel(fm->blocks * fm->panels + 1, derive, a, run)))
        return st;
    for (size_t h = 0; fm->kind == FXI_FM_SIMPLEX && h < fm->panels; h++)
        for (int t = 0; t < fm->block[0].order; t++)
            a->G[fm->block[0].theta + (size_t)t] += a->theta[h * FX_ORDER_MAX + (size_t)t];
    return FX_OK;
}

fx_status fxi_fm_gradient(double *objective, double *G, const fxi_fm_problem *p, const double *v,
                          const fx_run *run)
{
    deriving a = {.p = p, .v = v, .G = G, .entries = fxi_data_rows_max(p->X, 1)};
    const fxi_fm *fm = p->fm;
    size_t blocks = (p->X->rows + ROWS - 1) / ROWS, tasks = fm->blocks * fm->panels + 1;
    fx_run how = fxi_parallel_run(run, (double)p->X->rows * (double)a.entries
                                           * (double)(fm->blocks * fm->rank));
    size_t threads = (size_t)fxi_parallel_threads(&how, blocks > tasks ? blocks : tasks);

    for (size_t i = 0; i < p->X->rows; i++)
        a.W += p->c[i];
    fx_status st = make_space(&a, blocks, threads, run);
    if (!st)
        st = evaluate(objective, &a, blocks, &how);
    fxi_scratch_free(&a.scratch);
    fxi_free(a.slope, a.part, a.theta, a.g);
    return st;
}
