/* SPDX-License-Identifier: BSD-3-Clause
 * dense.c - W stored as it is: independent entries of any law, in floats.
 *
 *   W[s][j] = scale * draw(law, s * cols + j), rounded to a float
 *
 * The reference for every other form, and the only one for laws and spectra without structure.  W
 * lies in panels of FXI_PROJECT_PANEL outputs, [panel][column][output]: a tile reads a panel from
 * memory once, in order, and the panel of a thousand columns stays in the second-level cache while
 * all rows of the tile are multiplied by it.  A sparse row reads the columns that it has; rows with
 * more than a quarter of their columns are cheaper as dense ones.
 *
 * Cost: 2 rows cols operations per row (nz for cols if sparse), 4 rows cols bytes.  Sixteen rows
 * share one read of W, so a matrix beyond the caches is bound by memory.
 *
 * Accuracy: each sum runs over the columns in order, in floats: |error| <= (n + 1) u sum |W_sj x_j|
 * with n entries, u = 2^-24, the last one for W's own rounding.  The order does not depend on the
 * tile, on threads or on whether the row is stored dense or sparse: same bits. */

#include "project/dense.h"
#include "project/project.h"

#include <stdlib.h>
#include <string.h>

enum { PANEL = FXI_PROJECT_PANEL, WIDTH = 4 * PANEL };
enum { SHARE = FXI_LANES / 2 };         /* rows between two polls; dense_hot.c reads W once for at
                                         * most as many rows */
enum { CHUNK = 1 << 14 };               /* columns drawn between two polls */

typedef struct scratch {
    const fxi_tile *t;
    const float *x;
    float *lanes;                       /* [cols][FXI_LANES], or NULL: row by row */
} scratch;

typedef struct filling {
    fxi_project *p;
    float *W;
} filling;

static fx_status fill(void *ctx, size_t panel, fxi_team *team)
{
    fxi_project *p = ((filling *)ctx)->p;
    float *w = ((filling *)ctx)->W + panel * p->cols * PANEL;
    fxi_rng rng = fxi_project_rng(p, p->part, 0);

    for (size_t i = 0; i < PANEL; i++) {
        size_t s = panel * PANEL + i;
        for (size_t j = 0; j < p->cols; j++) {
            double v = s < p->rows ? fxi_project_draw(p->law, rng, s * p->cols + j) : 0;
            if (j % CHUNK == 0 && fxi_parallel_cancelled(team))
                return FX_OK;           /* fxi_parallel reports it */
            w[j * PANEL + i] = (float)(p->scale * v);
        }
    }
    return FX_OK;
}

static fx_status init(fxi_project *p, const fx_run *run)
{
    size_t panels, lanes;
    fx_status st;

    p->width = WIDTH;
    p->lanes = false;
    p->blocks = p->rows / WIDTH + (p->rows % WIDTH != 0);
    if (!fxi_size_mul(&panels, p->blocks, WIDTH / PANEL)
        || !fxi_size_mul(&p->bytes, panels * PANEL, p->cols)
        || !fxi_size_mul(&p->bytes, p->bytes, sizeof(float))
        || !fxi_size_mul(&lanes, p->cols, FXI_LANES * sizeof(float))
        || !fxi_size_add(&p->space, lanes, 64))
        return fxi_error(FX_ELIMIT, "a dense %zu x %zu matrix", p->rows, p->cols);
    if ((st = fxi_memory_check(run, p->bytes, "the dense random matrix")) != 0)
        return st;
    if (!(p->state = fxi_alloc(p->bytes, 1)))
        return FX_ENOMEM;
    return fxi_parallel(panels, fill, &(filling){p, p->state}, run);
}

static void release(fxi_project *p) { free(p->state); }

static void prepare(void *space, const fxi_project *p, const fxi_tile *t, const float *x)
{
    char *rest = space;
    scratch *s = fxi_project_carve(&rest, sizeof *s);
    size_t entries = t->first[t->rows] - t->first[0];

    *s = (scratch){t, x, NULL};
    if (t->col && entries <= t->rows * p->cols / 4)
        return;
    s->lanes = (float *)(void *)rest;
    memset(s->lanes, 0, p->cols * FXI_LANES * sizeof *s->lanes);
    for (size_t r = 0; r < t->rows && !fxi_tile_stopped_long(t, p->cols); r++)
        for (size_t k = t->first[r]; k < t->first[r + 1]; k++)
            s->lanes[(t->col ? (size_t)t->col[k] : k - t->first[r]) * FXI_LANES + r] = x[k];
}

static void apply(float *z, const fxi_project *p, void *space, size_t block)
{
    const scratch *s = space;
    const fxi_tile *t = s->t;
    const float *W = p->state;

    for (size_t i = 0; i < WIDTH; i += PANEL) {
        const float *w = W + (block * WIDTH + i) * p->cols;
        if (s->lanes)
            for (size_t r = 0; r < t->rows && !fxi_tile_stopped_long(t, p->cols); r += SHARE)
                p->simd->project_dense(z + r * WIDTH + i, WIDTH, w, s->lanes + r, p->cols,
                                       t->rows - r < SHARE ? t->rows - r : SHARE);
        else
            for (size_t r = 0; r < t->rows; r++)
                p->simd->project_dense_sparse(z + r * WIDTH + i, w, s->x + t->first[r],
                                              t->col + t->first[r], t->first[r + 1] - t->first[r]);
    }
    for (size_t r = t->rows; r < FXI_LANES; r++)        /* finite, as promised */
        memset(z + r * WIDTH, 0, WIDTH * sizeof *z);
}

static void entries(double *w, const fxi_project *p, size_t s, int64_t j)
{
    const float *W = p->state;

    for (size_t i = 0; i < FXI_LANES; i++, s++)
        w[i] = s < p->rows ? W[(s / PANEL * p->cols + (size_t)j) * PANEL + s % PANEL] : 0;
}

const fxi_project_type fxi_project_dense = {
    .name = "dense", .init = init, .free = release, .prepare = prepare, .apply = apply,
    .entries = entries,
};
