/* SPDX-License-Identifier: BSD-3-Clause
 * dual_pass.c - one pass of coordinate descent over the rows.
 *
 * Blocks come in a seeded order; inside a block rows follow one another from a seeded one on, up or
 * down, around its end.  That is random enough (as many passes as with random permutations) and
 * streams memory: a pass over dense floats runs at the speed at which they can be read.  Several
 * steps a row while a block is in the cache were tried: what is slow about coordinate descent
 * couples rows of all blocks, and they gained nothing.
 *
 * Cost: 2 numbers of a row for each step that changes beta, 1 where it does not. */

#include "fit/dual.h"

#include <math.h>

static void visit(fxi_dual *d, fxi_row r, size_t i)
{
    double beta = d->s->beta[i], f = fxi_fit_row_dot(r, d->s->w, d->simd) + fxi_dual_b(d);
    double to = fxi_dual_step(d, i, f), change = to - beta;

    d->residual += fxi_dual_residual(d, i, f);
    if (change != 0) {
        d->max_violation = fmax(d->max_violation, fabs(change) * (d->q[i] + d->rho));
        fxi_fit_row_add(d->s->w, change, r, d->simd);
        d->s->beta[i] = to;
        d->sum += change;
    } else
        d->inactive[i] = fxi_dual_inactive(d, i, f);
}

static fx_status pass_block(void *ctx, size_t k, fxi_team *team)
{
    fxi_dual *d = ctx;
    const fxi_source *s = d->p->source;
    fx_run how = fxi_fit_nested(d->run, team);
    size_t b = d->order[k], first = b * s->block, m = fxi_dual_rows(s, b), active = 0;
    uint64_t bits = fxi_rng_bits((fxi_rng){d->p->seed, FXI_FIT_ROWS}, d->k * s->blocks + b);
    size_t from = (size_t)(bits >> 1) % m;
    fx_matrix Z;
    fx_status st;

    for (size_t t = 0; t < m; t++) {
        size_t r = (bits & 1 ? from + t : from + m - t) % m;
        if (d->p->c[first + r] > 0 && !d->inactive[first + r])
            d->visit_order[active++] = r;
    }
    if (!active || (st = fxi_fit_source_block(&Z, s, b, d->buffer, &how)))
        return active ? st : FX_OK;
    for (size_t t = 0; t < active && !fxi_parallel_cancelled(team); t++)
        visit(d, fxi_data_row(&Z, d->visit_order[t]), first + d->visit_order[t]);
    d->visits += (double)active;
    return FX_OK;
}

fx_status fxi_fit_dual_pass(fxi_dual *d)
{
    size_t blocks = d->p->source->blocks;

    fxi_rng_permutation(d->order, blocks,
                        (fxi_rng){d->p->seed ^ (uint64_t)d->k << 32, FXI_FIT_BLOCKS});
    d->max_violation = d->residual = 0;
    return fxi_parallel_ordered(blocks, pass_block, d, d->run);
}
