/* SPDX-License-Identifier: BSD-3-Clause
 * beam.c - builds combinations column by column, for when there are too many to visit all.
 *
 * For each length there are two lists of the best `width`: by the bound of weight.c on the weight
 * they can reach, and by the weight they have.  The first retains pairs without weight that become
 * a triple with weight, as in a parity; the second finds large weights among columns of equal
 * norms.  Cost: 8 t width n S multiplications, and t S for each combination that enters a list,
 * about 6 width of them per length. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>

enum { T = FXI_LANES };

typedef struct beam {
    const fxi_explain_field *f;
    fxi_explain_top found;              /* a combination is found in 2 t ways at most */
    double min_weight;                  /* that the list before it required */
    fxi_explain_top now[2], next[2];    /* columns of items are positions */
    double *q;                          /* [2][S] */
    double work;
} beam;

/* For positions r[n]: the bound with `rest` more columns, or (0) their weight. */
static double key(const fxi_explain_field *f, double *q, const int32_t *r, int n, int rest)
{
    double sum = fxi_explain_weight_multiply(f, r, n, q);

    return rest ? fxi_explain_weight_reach(f, q, rest) : fabs(sum);
}

/* `from` and position i. */
static fxi_explain_item join(const fxi_explain_item *from, size_t i)
{
    fxi_explain_item item = *from;

    item.column[item.order++] = (int32_t)i;
    qsort(item.column, (size_t)item.order, sizeof *item.column, fxi_explain_ascending);
    return item;
}

static fx_status keep(beam *b, fxi_explain_top *list, const fxi_explain_item *from, size_t i,
                      int rest)
{
    fxi_explain_item item = join(from, i);

    item.weight = key(b->f, b->q + b->f->S, item.column, item.order, rest);
    b->work += FXI_EXPLAIN_STEP * (double)item.order * (double)b->f->S;
    return fxi_explain_top_add(list, &item);
}

static fx_status offer(beam *b, const fxi_explain_item *from, size_t i)
{
    fxi_explain_item item = join(from, i);

    return fxi_explain_weight_offer(b->f, item.column, b->q + b->f->S, &b->found);
}

/* Appends one more column to each of these. */
static fx_status extend(beam *b, const fxi_explain_item *from, fxi_team *team)
{
    const fxi_explain_field *f = b->f;
    int rest = f->t - from->order - 1;
    const double *reach = f->reach + (size_t)(rest ? rest : 1) * f->S;
    fx_status st = FX_OK;

    fxi_explain_weight_multiply(f, from->column, from->order, b->q);
    for (size_t a = 0; a < f->panels && !st && !fxi_parallel_cancelled(team); a++) {
        const double *P = f->P + a * f->S * T;
        double sum[T] = {0}, square[T] = {0};
        for (size_t s = 0; s < f->S; s++)
            for (size_t k = 0; k < T; k++) {
                double v = b->q[s] * P[s * T + k];
                sum[k] += v;
                square[k] += v * v * reach[s];
            }
        b->work += 4. * (double)(f->S * T);
        for (size_t k = 0; k < T && a * T + k < f->n && !st; k++) {
            size_t i = a * T + k;
            double as_is = fabs(sum[k]) * FXI_EXPLAIN_SLACK;
            if (!fxi_explain_weight_joins(f, from->column, from->order, i))
                continue;
            if (!rest && as_is > 0
                && as_is >= fmax(b->min_weight, fxi_explain_min_weight(&b->found)))
                st = offer(b, from, i);
            if (rest && sqrt(square[k]) * FXI_EXPLAIN_SLACK >= fxi_explain_min_weight(&b->next[0]))
                st = keep(b, &b->next[0], from, i, rest);
            if (rest && !st && as_is >= fxi_explain_min_weight(&b->next[1]))
                st = keep(b, &b->next[1], from, i, 0);
        }
    }
    return st;
}

static fx_status run_beam(void *ctx, size_t block, fxi_team *team)
{
    beam *b = ctx;
    const fxi_explain_item none = {.order = 0};
    fx_status st;

    (void)block;
    b->found.team = team;
    st = extend(b, &none, team);
    for (int level = 1; level < b->f->t && !st; level++) {
        for (int k = 0; k < 2; k++) {
            fxi_explain_top swap = b->now[k];
            b->now[k] = b->next[k];
            b->next[k] = swap;
            b->next[k].n = 0;
        }
        for (int k = 0; k < 2 && !st; k++)
            for (size_t i = 0; i < b->now[k].n && !st && !fxi_parallel_cancelled(team); i++)
                st = extend(b, &b->now[k].at[i], team);
    }
    return st;
}

fx_status fxi_explain_beam(fxi_explain_top *top, const fxi_explain_field *f, size_t width,
                           double *work, const fx_run *run)
{
    beam b = {
        .f = f, .min_weight = fxi_explain_min_weight(top), .q = fxi_alloc(2 * f->S, sizeof *b.q)};
    fx_status st = b.q ? FX_OK : FX_ENOMEM;

    b.found.holders = top->holders;
    if (!fxi_size_mul(&b.found.max_items, top->max_items, 2 * (size_t)f->t))
        b.found.max_items = SIZE_MAX;
    for (int k = 0; k < 2; k++)
        b.now[k].max_items = b.next[k].max_items = width;
    if (!st && !(st = fxi_parallel_ordered(1, run_beam, &b, run)))
        st = fxi_explain_top_merge(top, &b.found);
    *work += b.work + b.found.row_steps;
    for (int k = 0; k < 2; k++) {
        free(b.now[k].at);
        free(b.next[k].at);
    }
    free(b.found.at);
    free(b.q);
    return st;
}
