/* SPDX-License-Identifier: BSD-3-Clause
 * cd_lanes.c - eight coordinates of a column at once, as if one after the other.
 *
 * Let u_1..u_8 be the factors of one column in eight components.  The derivative of the score f_i
 * by u_s is lambda_s g_is, and g_is depends on component s alone, without u_s itself: none of the
 * eight steps changes any g.  So one pass over the rows of the column gives all that the steps
 * need,
 *
 *   down_s = sum_i slope_i g_is,      H_st = sum_i g_is g_it
 *
 * and they follow from these 8 + 36 numbers, in order: after steps delta_t of t < s the slopes of
 * the squared loss have become slope_i + sum_t lambda_t delta_t g_it, hence
 *
 *   delta_s = -(lambda_s (down_s + mu sum_{t<s} H_st lambda_t delta_t)/W + beta u_s)
 *             / (mu lambda_s^2 H_ss/W + beta)
 *
 * with mu = 1 is the very step of a visit to u_s alone after visits to u_1..u_{s-1}.  For a loss
 * with second derivative at most mu these are exact coordinate steps on the quadratic function with
 * curvature mu that touches the objective where the eight are now and lies nowhere below it: each
 * step lowers that function, so the objective does not rise.  A second pass moves the rows' states
 * and scores.  For one lane alone (from, upto) it is the step of one coordinate, whatever the loss.
 *
 * A visit costs m + 9 multiply-adds of registers per entry and eight components with AVX-512. */

#include "fm/cd.h"

static fxi_fm_cd_column piece_of(const fxi_fm_cd_column *c, size_t q)
{
    size_t n = c->n - q < FXI_FM_CD_PIECE ? c->n - q : FXI_FM_CD_PIECE;

    return (fxi_fm_cd_column){
        c->j, n, c->row + q, c->x ? c->x + q : NULL, c->bad + q / FXI_FM_CD_PIECE, c->own};
}

bool fxi_fm_cd_lanes_stopped(fxi_fm_descent *d, const fxi_fm_cd_column *c, size_t entries)
{
    return c->own ? fxi_fm_cd_sweep_stopped(d, entries)
                  : atomic_load_explicit(&d->stop, memory_order_relaxed);
}

void fxi_fm_cd_lanes_sums(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c)
{
    _Alignas(64) double G[FXI_FM_CD_PIECE * FXI_FM_CD_LANES];

    for (int k = 0; k < FXI_FM_CD_SUMS; k++)
        sum[k] = 0;
    for (size_t q = 0; q < c->n; q += FXI_FM_CD_PIECE) {
        fxi_fm_cd_column part = piece_of(c, q);
        size_t more = d->model->derive(G, d, &part, fxi_fm_cd_factor(d, c->j), NULL);
        d->simd->fm_cd_sums(sum, G, part.row, d->slope, part.n);
        if (fxi_fm_cd_lanes_stopped(d, c, part.n + more))
            return;
    }
}

void fxi_fm_cd_lanes_solve(double *to, const fxi_fm_descent *d, const double *p, const double *by,
                           double beta, const double *sum)
{
    double H[FXI_FM_CD_LANES][FXI_FM_CD_LANES], step[FXI_FM_CD_LANES];

    d->simd->fm_cd_matrix(*H, sum);
    for (int s = 0; s < FXI_FM_CD_LANES; s++) {
        double down = sum[s], curve = d->mu * by[s] * by[s] * H[s][s] / d->W + beta;
        to[s] = p[s];
        step[s] = 0;
        if (s < d->from || s >= d->upto || !(curve > 0))
            continue;
        for (int t = d->from; t < s; t++)
            down += step[t] != 0 ? d->mu * H[s][t] * step[t] : 0;
        double u = p[s] - (by[s] * down / d->W + beta * p[s]) / curve;
        u = fabs(u) < FXI_FM_TINY ? 0 : u;
        if (!isfinite(u))
            continue;
        to[s] = u;
        step[s] = by[s] * (u - p[s]);
    }
}

void fxi_fm_cd_lanes_step(double *to, fxi_fm_descent *d, const fxi_fm_cd_column *c,
                          const double *sum)
{
    fxi_fm_cd_lanes_solve(to, d, fxi_fm_cd_factor(d, c->j), d->lambda, fxi_fm_cd_beta(d, c->j),
                          sum);
}

void fxi_fm_cd_lanes_slopes(const fxi_fm_descent *d, const int32_t *row, size_t n)
{
    if (d->slope && d->loss != FXI_FM_CD_SQUARED)
        d->simd->fm_cd_slopes(d->slope, d->r, d->scale, row, n, d->loss);
}

void fxi_fm_cd_lanes_move(fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p,
                          const double *to)
{
    _Alignas(64) double G[FXI_FM_CD_PIECE * FXI_FM_CD_LANES], by[FXI_FM_CD_LANES];

    for (int s = 0; s < FXI_FM_CD_LANES; s++)
        by[s] = d->lambda[s] * (to[s] - p[s]);
    for (size_t q = 0; q < c->n; q += FXI_FM_CD_PIECE) {
        fxi_fm_cd_column part = piece_of(c, q);
        size_t more = d->model->derive(G, d, &part, p, to);
        d->simd->fm_cd_add(d->r, G, part.row, by, part.n);
        fxi_fm_cd_lanes_slopes(d, part.row, part.n);
        if (fxi_fm_cd_lanes_stopped(d, c, part.n + more))
            return;
    }
}
