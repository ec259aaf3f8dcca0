/* SPDX-License-Identifier: BSD-3-Clause
 * dense.c - all combinations from one first column on, depth first, as far as bounds allow.
 *
 * The last two columns come in tiles of 16 x 16: products q_s p_js of 16 columns times the factors
 * of 16 others, a small product of matrices.  A tile costs 256 S multiplications and its bounds 16
 * S.  Order 2 begins with such a panel. */

#include "explain/explain.h"

#include <math.h>

enum { T = FXI_LANES };

fx_status fxi_explain_dense_workspace(fxi_explain_walk *w, const fxi_explain_field *f)
{
    w->q = fxi_alloc(((size_t)f->t + 2) * f->S, sizeof *w->q);
    w->panel = fxi_alloc(f->S * T, sizeof *w->panel);
    return w->q && w->panel ? FX_OK : FX_ENOMEM;
}

/* The level's products; the last S numbers are scratch for weights. */
static double *products(const fxi_explain_walk *w, int level)
{
    return w->q + (size_t)level * w->f->S;
}

/* Column i is the last but one; `sum` has the weights with each last column of the panel. */
static void take_row(fxi_explain_walk *w, const double *sum, size_t i, size_t panel)
{
    const fxi_explain_field *f = w->f;
    int t = f->t;
    double min_weight = fxi_explain_walk_min(w);

    for (size_t k = 0; k < T && !w->status; k++) {
        size_t j = panel * T + k;
        if (sum[k] == 0 || fabs(sum[k]) * FXI_EXPLAIN_SLACK < min_weight || j < i)
            continue;
        w->chosen[t - 2] = (int32_t)i;
        w->chosen[t - 1] = (int32_t)j;
        if (!fxi_explain_weight_joins(f, w->chosen, t - 2, i)
            || !fxi_explain_weight_joins(f, w->chosen, t - 1, j))
            continue;
        w->status = fxi_explain_weight_offer(f, w->chosen, products(w, t + 1), &w->top);
        min_weight = fxi_explain_walk_min(w);
    }
}

/* Columns of panel a (from `from` on) in the place before the last. */
static void take_panel(fxi_explain_walk *w, const double *q, size_t a, size_t from)
{
    const fxi_explain_field *f = w->f;
    const double *P = f->P + a * f->S * T, *reach = f->reach + f->S;
    _Alignas(64) double sum[T * T], square[T] = {0};
    double largest = 0;

    for (size_t s = 0; s < f->S; s++)
        for (size_t k = 0; k < T; k++) {
            double v = a * T + k < from ? 0 : q[s] * P[s * T + k];
            w->panel[s * T + k] = v;
            square[k] += v * v * reach[s];
        }
    for (size_t k = 0; k < T; k++)
        largest = fmax(largest, square[k]);
    largest = sqrt(largest) * FXI_EXPLAIN_SLACK;
    for (size_t b = a; b < f->panels; b++) {
        if (largest * f->norm[b * T] < fxi_explain_walk_min(w)
            || !fxi_explain_walk_count(w, 256. * (double)f->S))
            return;
        for (size_t k = 0; k < T * T; k++)
            sum[k] = 0;
        w->simd->linalg_cholesky_tile(sum, w->panel, f->P + b * f->S * T, f->S, 1);
        for (size_t k = 0; k < T; k++)
            take_row(w, sum + k * T, a * T + k, b);
    }
}

/* `level` columns are chosen, others follow from position `from` on. */
static void descend(fxi_explain_walk *w, int level, size_t from)
{
    const fxi_explain_field *f = w->f;
    const double *q = products(w, level);
    int rest = f->t - level;
    double reach = fxi_explain_weight_reach(f, q, rest) * FXI_EXPLAIN_SLACK;

    if (rest == 2) {
        for (size_t a = from / T; a < f->panels && !w->stopped && !w->status; a++) {
            if (reach * f->norm[a * T < from ? from : a * T] < fxi_explain_walk_min(w))
                return;
            take_panel(w, q, a, from);
        }
        return;
    }
    for (size_t i = from; i < f->n; i++) {
        if (reach * f->norm[i] < fxi_explain_walk_min(w)
            || !fxi_explain_walk_count(w, FXI_EXPLAIN_STEP * (double)f->S))
            return;
        if (!fxi_explain_weight_joins(f, w->chosen, level, i))
            continue;
        double *next = products(w, level + 1);
        for (size_t s = 0; s < f->S; s++)
            next[s] = q[s] * fxi_explain_factor(f, i, s);
        w->chosen[level] = (int32_t)i;
        descend(w, level + 1, f->part->repeats ? i : i + 1);
    }
}

fx_status fxi_explain_dense(fxi_explain_walk *w, size_t first)
{
    const fxi_explain_field *f = w->f;
    double *q = products(w, 0), *next = products(w, 1);

    for (size_t s = 0; s < f->S; s++)
        q[s] = f->lambda[s];
    if (f->t == 2) {
        take_panel(w, q, first, 0);
        return w->status;
    }
    for (size_t s = 0; s < f->S; s++)
        next[s] = q[s] * fxi_explain_factor(f, first, s);
    w->chosen[0] = (int32_t)first;
    descend(w, 1, f->part->repeats ? first : first + 1);
    return w->status;
}
