/* SPDX-License-Identifier: BSD-3-Clause
 * pca_moment.c - the centred moment matrix of few features, formed once.
 *
 * CHUNK rows at a time, their mean taken off, are packed in panels of 16 features; each tile of
 * 16 x 16 sums is then a sum of outer products, as in newton_hessian.c.  Tiles on and below the
 * diagonal are computed, in an order of rows that no thread changes, and mirrored at the end. */

#include "fit/pca.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T = FXI_LANES, CHUNK = 256 };

typedef struct moment {
    const fxi_pca_panels *M;
    double *z;                          /* [panels][CHUNK][T] rows that wait */
    size_t pending;
} moment;

static bool numbers(size_t *out, size_t features)
{
    return fxi_size_add(out, features, T) && fxi_size_mul(out, *out, CHUNK);
}

bool fxi_fit_pca_moment_bytes(size_t *bytes, size_t features)
{
    size_t matrix;

    return numbers(bytes, features) && fxi_size_mul(bytes, *bytes, sizeof(double))
           && fxi_fit_pca_panels_bytes(&matrix, features) && fxi_size_add(bytes, *bytes, matrix);
}

/* Tile (i, j) lies as [16 columns from 16 j on][16 rows from 16 i on]. */
static double *tile_at(const fxi_pca_panels *M, size_t i, size_t j)
{
    return M->A + (i * M->panels + j) * T * T;
}

static fx_status add_panel(void *ctx, size_t k, fxi_team *team)
{
    const moment *a = ctx;
    size_t i = a->M->panels - 1 - k;    /* long ones first */

    for (size_t j = 0; j <= i && !fxi_parallel_cancelled(team); j++)
        a->M->simd->linalg_cholesky_tile(tile_at(a->M, i, j), a->z + j * CHUNK * T,
                                         a->z + i * CHUNK * T, a->pending, 1);
    return FX_OK;
}

static fx_status flush(moment *a, const fx_run *run)
{
    double n = (double)a->M->n;
    fx_run how = fxi_parallel_run(run, n * n * (double)a->pending / 2);
    fx_status st = a->pending ? fxi_parallel(a->M->panels, add_panel, a, &how) : FX_OK;

    a->pending = 0;
    return st;
}

static void enqueue(moment *a, fxi_row r, double by, const double *mean)
{
    double *to = a->z + a->pending++ * T;

    for (size_t k = 0; k < a->M->panels; k++)
        for (size_t e = 0; e < T; e++)
            to[k * CHUNK * T + e] = -by * mean[k * T + e];
    for (size_t q = 0; q < r.n; q++) {
        size_t j = (size_t)fxi_row_column(r, q);
        to[j / T * CHUNK * T + j % T] = by * (fxi_row_value(r, q) - mean[j]);
    }
}

static void mirror(const fxi_pca_panels *M)
{
    for (size_t i = 0; i < M->panels; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t e = 0; e < T * T; e++)
                tile_at(M, j, i)[e] = tile_at(M, i, j)[e % T * T + e / T];
}

fx_status fxi_fit_pca_moment(fxi_pca_panels *M, const fxi_pca *a, const fx_run *run)
{
    const fxi_source *s = a->s;
    moment m = {.M = M};
    size_t all;
    fx_status st = FX_OK;

    if (!numbers(&all, s->features) || !(m.z = fxi_alloc(all, sizeof *m.z)))
        return FX_ENOMEM;
    memset(M->A, 0, M->wide * M->wide * sizeof *M->A);
    for (size_t b = 0; b < s->blocks && !st; b++) {
        fx_matrix Z;
        st = fxi_fit_source_block(&Z, s, b, a->buffer, run);
        for (size_t i = 0; !st && i < Z.rows; i++) {
            double c = a->c[b * s->block + i];
            if (c > 0)
                enqueue(&m, fxi_data_row(&Z, i), sqrt(c / a->total), a->mean);
            if (m.pending == CHUNK)
                st = flush(&m, run);
        }
    }
    if (!st && !(st = flush(&m, run)))
        mirror(M);
    free(m.z);
    return st;
}
