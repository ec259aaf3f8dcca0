/* SPDX-License-Identifier: BSD-3-Clause
 * pca_moment.c - the centred moment matrix of few features, formed once.
 *
 * CHUNK rows at a time, their mean taken off, are packed in panels of 16 features; each tile of
 * 16 x 16 sums is then a sum of outer products, as in newton_hessian.c.  Tiles on and below the
 * diagonal are computed, in the order of rows, and mirrored at the end.
 *
 * The matrix must not depend on how rows are divided.  Column j has a unit, a power of two with
 * unit_j^2 >= A_jj, so |A_jk| <= unit_j unit_k.  The sums over a block of rows are rounded to
 * multiples of unit_j unit_k / HIGH, what is left of them to multiples of that / LOW: whole numbers
 * that stay below 2^53, so adding them is exact in any order.  What is lost, 2^-76 unit_j unit_k a
 * block, is far below the rounding of the sums over a block. */

#include "fit/pca.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { T = FXI_TILE, CHUNK = 256 };
#define HIGH  0x1p48
#define LOW   0x1p28
#define MAGIC 0x1.8p52                  /* x + MAGIC is a whole number, |x| < 2^51 */
#define SLACK 0x1p-30                   /* of the mean square: more than rounding took from A_jj */

typedef struct moment {
    double *sum;                        /* tiles of a block of rows */
    double *high, *low;                 /* counts */
    const double *mean, *unit;
    double total;
    size_t d, panels;
    double *z;                          /* [panels][CHUNK][T] rows that wait */
    size_t pending;
    const fx_run *run;
    const fxi_simd *simd;
} moment;

bool fxi_fit_pca_moment_numbers(size_t *out, size_t features)
{
    return fxi_linalg_cholesky_size(out, features) && fxi_size_mul(out, *out, 2);
}

/* ---- Units ---------------------------------------------------------------------------------- */

void fxi_fit_pca_moment_units(double *unit, const double *mean, double *sums, double total,
                              size_t features)
{
    const double *squares = fxi_mean_vector(sums, 1, features);

    for (size_t j = 0; j < features; j++) {
        double square = squares[j] / total;
        double most = fmax(square - mean[j] * mean[j], 0) + SLACK * square;
        unit[j] = most > 0 && isfinite(most) ? ldexp(1, (ilogb(most) + 2) >> 1) : 1;
    }
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static fx_status add_panel(void *ctx, size_t k, fxi_team *team)
{
    const moment *a = ctx;
    size_t i = a->panels - 1 - k;       /* long ones first */

    for (size_t j = 0; j <= i && !fxi_parallel_cancelled(team); j++)
        a->simd->linalg_cholesky_tile(fxi_cholesky_at(a->sum, i, j), a->z + j * CHUNK * T,
                                      a->z + i * CHUNK * T, a->pending, 1);
    return FX_OK;
}

static fx_status flush(moment *a)
{
    double n = (double)a->d;
    fx_run how = fxi_parallel_run(a->run, n * n * (double)a->pending / 2);
    fx_status st = a->pending ? fxi_parallel(a->panels, add_panel, a, &how) : FX_OK;

    a->pending = 0;
    return st;
}

static void enqueue(moment *a, fxi_row r, double by)
{
    double *to = a->z + a->pending++ * T;
    const double *mean = a->mean;

    for (size_t j = 0; j < a->d; j += T) {
        size_t n = a->d - j < T ? a->d - j : T;
        for (size_t e = 0; e < n; e++)
            to[j * CHUNK + e] = -by * mean[j + e];
        for (size_t e = n; e < T; e++)
            to[j * CHUNK + e] = 0;
    }
    for (size_t q = 0; q < r.n; q++) {
        size_t j = (size_t)fxi_row_column(r, q);
        to[j / T * CHUNK * T + j % T] = by * (fxi_row_value(r, q) - mean[j]);
    }
}

/* The sums of a block of rows to the counts. */
static fx_status count_panel(void *ctx, size_t i, fxi_team *team)
{
    const moment *a = ctx;
    double by[T];                       /* of the rows of the panel: 1 / unit */

    for (size_t r = 0; r < T; r++)
        by[r] = i * T + r < a->d ? 1 / a->unit[i * T + r] : 0;
    for (size_t j = 0; j <= i && !fxi_parallel_cancelled(team); j++) {
        double *sum = fxi_cholesky_at(a->sum, i, j), *high = fxi_cholesky_at(a->high, i, j);
        double *low = fxi_cholesky_at(a->low, i, j);
        for (size_t c = 0; c < T && j * T + c < a->d; c++) {
            double column = 1 / a->unit[j * T + c];
            for (size_t r = 0; r < T; r++) {
                size_t k = c * T + r;
                double x = sum[k] * by[r] * column * HIGH, whole = (x + MAGIC) - MAGIC;
                high[k] += whole;
                low[k] += ((x - whole) * LOW + MAGIC) - MAGIC;
            }
        }
        memset(sum, 0, T * T * sizeof *sum);
    }
    return FX_OK;
}

static fx_status add_block(moment *a, const fxi_source *z, const double *c, size_t i, size_t end,
                           float *buffer)
{
    double n = (double)a->d;
    fx_run how = fxi_parallel_run(a->run, 4 * n * n);
    fx_status st = FX_OK;

    for (; i < end && !st; i += z->piece) {
        size_t rows = end - i < z->piece ? end - i : z->piece;
        fx_matrix Z;
        st = fxi_fit_source_run(&Z, z, i, rows, buffer, a->run);
        for (size_t r = 0; r < rows && !st; r++) {
            if (c[i + r] > 0)
                enqueue(a, fxi_data_row(&Z, r), sqrt(c[i + r] / a->total));
            if (a->pending == CHUNK)
                st = flush(a);
        }
    }
    if (!st)
        st = flush(a);
    return st ? st : fxi_parallel(a->panels, count_panel, a, &how);
}

fx_status fxi_fit_pca_moment_add(fxi_answer *answer, const fxi_question *q, const fxi_source *z,
                                 const double *c)
{
    size_t half = answer->numbers / 2;
    moment a = {.high = answer->count, .low = answer->count + half, .mean = q->w, .unit = q->v,
                .total = q->t, .d = z->features, .panels = fxi_cholesky_panels(z->features),
                .run = &answer->how, .simd = fxi_simd_get()};
    float *buffer = z->buffer ? fxi_alloc(z->buffer, sizeof *buffer) : NULL;
    fx_status st = FX_OK;

    a.z = fxi_alloc(a.panels * T * CHUNK, sizeof *a.z);
    a.sum = fxi_zalloc(half, sizeof *a.sum);
    if (!a.z || !a.sum || (z->buffer && !buffer))
        st = FX_ENOMEM;
    for (size_t b = 0; b < z->rows && !st; b += FXI_PASS_BLOCK)
        st = add_block(&a, z, c, b, z->rows - b < FXI_PASS_BLOCK ? z->rows : b + FXI_PASS_BLOCK,
                       buffer);
    answer->rows += z->rows;
    fxi_free(a.z, a.sum, buffer);
    return st;
}

/* ---- The matrix ----------------------------------------------------------------------------- */

void fxi_fit_pca_moment(fxi_pca_panels *M, const double *counts, const double *unit)
{
    size_t half = 0, d = M->n;

    fxi_linalg_cholesky_size(&half, d);
    for (size_t k = 0; k < M->panels * M->panels; k++) {
        size_t i = k / M->panels, j = k % M->panels;
        const double *high = fxi_cholesky_at(counts, i, j);
        double *to = M->A + (i * M->wide + j * T) * T, *mirror = M->A + (j * M->wide + i * T) * T;
        for (size_t e = 0; e < T * T && j <= i; e++) {
            size_t row = i * T + e % T, col = j * T + e / T;
            double x = row < d && col < d ? (high[e] + high[half + e] / LOW) / HIGH : 0;
            to[e] = mirror[e % T * T + e / T] = x != 0 ? x * unit[row] * unit[col] : 0;
        }
    }
}
