/* SPDX-License-Identifier: BSD-3-Clause
 * score.c - a linear model on a map's features, without storing them.
 *
 * Products are summed in floats over at most 64 features, these sums in doubles. */

#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 12 };               /* features whose weights are packed at a time */

static fx_status pack_weights(void *ctx, size_t b, fxi_team *team)
{
    const fxi_map_scorer *s = ctx;
    size_t features = s->m->features;
    size_t first = b * CHUNK, last = features - first < CHUNK ? features : first + CHUNK;

    for (size_t c = 0; c < s->outputs && !fxi_parallel_cancelled(team); c++)
        for (size_t f = first; f < last; f++) {
            double v = s->W[f * s->outputs + c];
            s->w[c * s->padded + f] = (float)v;
            if (!isfinite((float)v))
                return fxi_error(FX_EDOMAIN, "W, row %zu, column %zu (from 0): %g is not a finite "
                                             "float",
                                 f, c, v);
        }
    return FX_OK;
}

fx_status fxi_map_score_new(fxi_map_scorer *out, const fx_map *m, const double *W, size_t outputs,
                            const fx_run *run)
{
    fxi_map_scorer s = {.m = m, .W = W, .outputs = outputs, .padded = m->blocks * m->width};
    size_t n;
    fx_status st = FX_OK;

    if (!fxi_size_mul(&n, s.padded, outputs) || !fxi_size_mul(&n, n, sizeof *s.w))
        return fxi_error(FX_ESHAPE, "%zu features for %zu outputs are too many", s.padded, outputs);
    s.w = fxi_alloc_within(&st, s.padded, outputs * sizeof *s.w, run,
                           "weights of the map's features");
    if (st)
        return st;
    memset(s.w, 0, n);
    fx_run how = fxi_parallel_run(run, (double)s.padded * (double)outputs);
    st = fxi_parallel((m->features + CHUNK - 1) / CHUNK, pack_weights, &s, &how);
    if (st)
        fxi_map_score_free(&s);
    else
        *out = s;
    return st;
}

void fxi_map_score_free(fxi_map_scorer *s) { free(s->w); }

fx_status fxi_map_score_rows(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                             fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    return fxi_map_sparse(s->m, X) ? fxi_map_sparse_chunk(S, s, X, scratch, run, team)
                                   : fxi_map_apply_tiles(S, s, X, scratch, run, team);
}

fx_status fx_map_score(double *S, const fx_map *m, const double *W, size_t outputs,
                       const fx_matrix *X, const fx_run *run)
{
    fxi_map_scorer s;
    fx_status st;

    if (!S || !m || !W || !X)
        return fxi_error(FX_EINVAL, "fx_map_score: %s is NULL",
                         !S   ? "S"
                         : !m ? "m"
                         : !W ? "W"
                              : "X");
    if (outputs == 0)
        return fxi_error(FX_EINVAL, "fx_map_score: no outputs are wanted");
    if (fxi_map_sparse(m, X))
        return fxi_map_sparse_scores(S, &(fxi_map_scorer){.m = m, .W = W, .outputs = outputs}, X,
                                     run);
    if ((st = fxi_map_score_new(&s, m, W, outputs, run)))
        return st;
    st = fxi_map_apply_scores(S, &s, X, run);
    fxi_map_score_free(&s);
    return st;
}
