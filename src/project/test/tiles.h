/* SPDX-License-Identifier: BSD-3-Clause
 * tiles.h - for tests of projections: random tiles, and W x by the entries, in doubles. */
#ifndef FXI_PROJECT_TILES_H
#define FXI_PROJECT_TILES_H
#include "base/test.h"
#include "project/project.h"

#include <string.h>

typedef struct tiles_tile {
    fxi_tile t;
    int64_t *col;
    float *x;
} tiles_tile;

/* Rows of `cols` columns, dense, or each entry there with the given probability. */
static inline tiles_tile tiles_new(size_t rows, size_t cols, double density, bool dense)
{
    tiles_tile a = {.t = {.rows = rows, .cols = cols}};
    size_t n = 0;

    a.col = fxi_alloc(rows * cols, sizeof *a.col);
    a.x = fxi_alloc(rows * cols, sizeof *a.x);
    CHECK(a.col && a.x);
    for (size_t r = 0; r < rows; r++) {
        a.t.first[r] = n;
        for (size_t j = 0; j < cols; j++)
            if (dense || test_unit() < density) {
                a.col[n] = (int64_t)j;
                a.x[n++] = (float)(2 * test_unit() - 1);
            }
    }
    a.t.first[rows] = n;
    a.t.col = dense ? NULL : a.col;
    return a;
}

static inline void tiles_free(tiles_tile *a)
{
    free(a->col);
    free(a->x);
}

/* All outputs of the tile, [rows][blocks * width]. */
static inline float *tiles_apply(const fxi_project *p, const tiles_tile *a)
{
    size_t total = p->blocks * p->width;
    float *z = fxi_alloc(p->width * FXI_LANES, sizeof *z), *out = fxi_alloc(a->t.rows * total, 4);
    void *space = fxi_alloc(p->space, 1);

    CHECK(z && out && space && p->width % FXI_LANES == 0 && total >= p->rows);
    memset(space, 0xff, p->space);      /* whatever is there before */
    memset(z, 0xff, p->width * FXI_LANES * sizeof *z);
    p->type->prepare(space, p, &a->t, a->x);
    for (size_t b = 0; b < p->blocks; b++) {
        p->type->apply(z, p, space, b);
        for (size_t i = 0; i < p->width; i++)
            for (size_t r = 0; r < (a->t.rows == 1 ? 1 : FXI_LANES); r++) {
                float value = p->lanes ? z[i * fxi_tile_lanes(&a->t) + r] : z[r * p->width + i];
                CHECK(isfinite(value));
                if (r < a->t.rows)
                    out[r * total + b * p->width + i] = value;
            }
    }
    free(z);
    free(space);
    return out;
}

/* z of row r by the definition; *size: sum of the moduli, *norm: |x|_2. */
static inline void tiles_exact(double *z, double *size, double *norm, const fxi_project *p,
                               const tiles_tile *a, size_t r)
{
    double w[FXI_LANES], sum = 0;

    for (size_t s = 0; s < p->rows; s++)
        z[s] = size[s] = 0;
    for (size_t k = a->t.first[r]; k < a->t.first[r + 1]; k++) {
        int64_t j = a->col[k];
        sum += (double)a->x[k] * a->x[k];
        for (size_t s = 0; s < p->rows; s += FXI_LANES) {
            p->type->entries(w, p, s, j);
            for (size_t i = 0; i < FXI_LANES && s + i < p->rows; i++) {
                z[s + i] += w[i] * a->x[k];
                size[s + i] += fabs(w[i] * a->x[k]);
            }
        }
    }
    *norm = sqrt(sum);
}

/* Row r of `from`, alone in a tile. */
static inline tiles_tile tiles_single(const tiles_tile *from, size_t r)
{
    tiles_tile a = {.t = {.rows = 1, .cols = from->t.cols}};
    size_t n = from->t.first[r + 1] - from->t.first[r];

    a.t.first[1] = n;
    a.col = fxi_alloc(n, sizeof *a.col);
    a.x = fxi_alloc(n, sizeof *a.x);
    CHECK(a.col && a.x);
    memcpy(a.col, from->col + from->t.first[r], n * sizeof *a.col);
    memcpy(a.x, from->x + from->t.first[r], n * sizeof *a.x);
    a.t.col = from->t.col ? a.col : NULL;
    return a;
}
#endif
