/* SPDX-License-Identifier: BSD-3-Clause
 * gradient_wide.c - rows of a run are added for models that leave the cache.
 *
 * First the scores, by blocks of rows, which give the loss and its slopes.  Then one task for each
 * block and panel of FXI_LANES components, which goes over all rows and owns its part of the sums,
 * and one for b and w: no thread needs sums of its own, and each number is summed in the order of
 * the rows.  K(p_s, x) is computed twice, which costs a third of the second time; threads beyond
 * the tasks idle there.
 *
 * Parts of the data are multiples of blocks of rows, so a run that comes in parts has the same
 * blocks. */

#include "fm/gradient.h"

typedef struct range {
    fxi_fm_deriving *a;
    double *G;
    size_t first, end;
} range;

static fx_status score_block(void *ctx, size_t b, fxi_team *team)
{
    const range *r = ctx;
    const fxi_fm_deriving *a = r->a;
    const fxi_fm_problem *p = a->p;
    fxi_fm_workspace *workspace = a->workspace[fxi_parallel_thread(team)];
    size_t i = r->first + b * FXI_FM_WIDE_ROWS, polled = 0;
    size_t end = r->end - i < FXI_FM_WIDE_ROWS ? r->end : i + FXI_FM_WIDE_ROWS;
    double loss = 0, weight = 0, target = 0;

    for (; i < end; i++) {
        a->slope[i] = 0;
        if (!(p->c[i] > 0))
            continue;
        fxi_row x = fxi_data_row(p->X, i);
        if (fxi_fm_score_stopped(&polled, x.n * a->panels, team))
            break;                      /* fxi_parallel reports it */
        double f = fxi_fm_score_row(p->fm, a->q->w, workspace, x, team), y = p->y[i] - a->q->t;
        loss += p->c[i] * fxi_fm_loss(p->loss, y, f);
        weight += p->c[i];
        target += p->c[i] * y;
        a->slope[i] = p->c[i] * fxi_fm_slope(p->loss, y, f);
    }
    a->part[b][0] = loss;
    a->part[b][1] = weight;
    a->part[b][2] = target;
    return FX_OK;
}

/* Panel i, or b and w after the last. */
static fx_status derive(void *ctx, size_t i, fxi_team *team)
{
    const range *r = ctx;
    const fxi_fm_deriving *a = r->a;
    const fxi_fm *fm = a->p->fm;
    size_t thread = (size_t)fxi_parallel_thread(team), polled = 0;
    size_t block = i / fm->panels, panel = i % fm->panels;
    fxi_fm_workspace *workspace = a->workspace[thread];
    double *K = a->K + thread * FXI_LANES, *g = a->g + thread * a->entries * FXI_LANES;

    for (size_t n = r->first; n < r->end; n++) {
        if (a->slope[n] == 0)
            continue;
        fxi_fm_entries row = fxi_fm_row(workspace, fxi_data_row(a->p->X, n));
        if (fxi_fm_score_stopped(&polled, row.n, team))
            break;
        if (i == a->panels) {
            fxi_fm_gradient_pass_linear(r->G, fm, &row, a->slope[n]);
            continue;
        }
        fxi_fm_row_gradient(K, g, workspace, a->q->w, block, panel, team);
        fxi_fm_gradient_pass_panel(r->G, a, &row, a->slope[n], i, K, g);
    }
    return FX_OK;
}

/* All panels have a part of theta, so one task adds them. */
static fx_status derive_theta(void *ctx, size_t task, fxi_team *team)
{
    const range *r = ctx;
    const fxi_fm_deriving *a = r->a;
    const fxi_fm *fm = a->p->fm;
    const fxi_fm_block *b = &fm->block[0];
    fxi_fm_workspace *workspace = a->workspace[fxi_parallel_thread(team)];
    size_t polled = 0;
    _Alignas(64) double K[FXI_LANES];

    (void)task;
    for (size_t n = r->first; n < r->end; n++) {
        double theta[FX_ORDER_MAX] = {0};
        if (a->slope[n] == 0)
            continue;
        fxi_fm_entries row = fxi_fm_row(workspace, fxi_data_row(a->p->X, n));
        if (fxi_fm_score_stopped(&polled, row.n * a->panels, team))
            break;
        for (size_t h = 0; h < fm->panels; h++) {
            fxi_fm_row_value(K, workspace, a->q->w, 0, h, team);
            fxi_fm_gradient_pass_orders(theta, workspace, a->q->w + b->lambda + h * FXI_LANES,
                                        b->order);
        }
        for (int t = 0; t < b->order; t++)
            r->G[b->theta + (size_t)t] += a->slope[n] * theta[t];
    }
    return FX_OK;
}

fx_status fxi_fm_gradient_wide(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    fxi_fm_deriving *a = ctx;
    range r = {a, sum + FXI_FM_SUMS, i, end};
    size_t blocks = (end - i + FXI_FM_WIDE_ROWS - 1) / FXI_FM_WIDE_ROWS;
    fx_run run = fxi_parallel_alone(a->run, team);
    fx_status st = fxi_parallel(blocks, score_block, &r, &run);

    for (size_t b = 0; b < blocks && !st; b++) {
        sum[FXI_FM_LOSS] += a->part[b][0];
        sum[FXI_FM_WEIGHT] += a->part[b][1];
        sum[FXI_FM_TARGET] += a->part[b][2];
    }
    if (st || !(a->q->flags & FXI_FM_DERIVE))
        return st;
    if ((st = fxi_parallel(a->panels + 1, derive, &r, &run))
        || a->p->fm->kind != FXI_FM_SIMPLEX)
        return st;
    return fxi_parallel(1, derive_theta, &r, &run);
}
