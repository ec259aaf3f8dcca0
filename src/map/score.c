/* SPDX-License-Identifier: BSD-3-Clause
 * score.c - a linear model on a map's features, without storing them.
 *
 * Products are summed in floats over at most 64 features, these sums in doubles. */

#include "map/map.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK = 1 << 12 };               /* features whose weights are packed at a time */

typedef struct packing {
    float *w;                           /* [outputs][padded] */
    const double *W;                    /* [features][outputs] */
    size_t features, outputs, padded;
} packing;

static fx_status pack_weights(void *ctx, size_t b, fxi_team *team)
{
    const packing *l = ctx;
    size_t first = b * CHUNK, last = l->features - first < CHUNK ? l->features : first + CHUNK;

    for (size_t c = 0; c < l->outputs && !fxi_parallel_cancelled(team); c++)
        for (size_t s = first; s < last; s++) {
            double v = l->W[s * l->outputs + c];
            l->w[c * l->padded + s] = (float)v;
            if (!isfinite((float)v))
                return fxi_error(FX_EDOMAIN, "W, row %zu, column %zu: %g is not a finite float", s,
                                 c, v);
        }
    return FX_OK;
}

fx_status fx_map_score(double *S, const fx_map *m, const double *W, size_t outputs,
                       const fx_matrix *X, const fx_run *run)
{
    size_t n, padded;
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
        return fxi_map_sparse_scores(S, m, W, outputs, X, run);
    padded = m->blocks * m->width;
    float *w;
    if (!fxi_size_mul(&n, padded, outputs) || !fxi_size_mul(&n, n, sizeof *w))
        return fxi_error(FX_ESHAPE, "%zu features for %zu outputs are too many", padded, outputs);
    if ((st = fxi_memory_check(run, n, "weights of the map's features")) != 0)
        return st;
    if (!(w = fxi_zalloc(padded * outputs, sizeof *w)))
        return FX_ENOMEM;
    fx_run how = fxi_parallel_run(run, (double)padded * (double)outputs);
    st = fxi_parallel((m->features + CHUNK - 1) / CHUNK, pack_weights,
                      &(packing){w, W, m->features, outputs, padded}, &how);
    if (!st)
        st = fxi_map_apply_scores(S, m, w, outputs, padded, X, run);
    free(w);
    return st;
}
