/* SPDX-License-Identifier: BSD-3-Clause
 * score_inverted.c - vectors z stored by columns: the inner products with a sparse row x need only
 * the vectors' entries in the columns of x.  A panel instead needs a look-up for each entry of x,
 * whether it has that column or not.
 *
 * A sum <x, z> runs over the entries of x, as with panels, and leaves out only zeros: the same
 * bits.  Norms are summed in the same way, too. */

#include "kernel/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 1 << 20 };             /* more take too much memory for the values of one row */
enum { LONG = 8 };                      /* columns with 1/LONG of all vectors: panels are as fast */
enum { POLL = 1 << 20 };                /* steps */

static size_t padded(const fxi_inverted *z)
{
    return (z->vectors + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
}

/* ptr[j + 1]: entries of column j that are not 0. */
static void count(fxi_inverted *z, const fx_matrix *Z)
{
    for (size_t i = 0; i < Z->rows; i++) {
        fxi_row r = fxi_data_row(Z, i);
        for (size_t q = 0; q < r.n; q++)
            z->ptr[fxi_row_column(r, q) + 1] += fxi_row_value(r, q) != 0;
    }
}

/* A row like the vectors visits sum_j ptr[j]^2 / vectors entries. */
static bool pays(const fxi_inverted *z)
{
    double entries = 0, met = 0;

    for (size_t j = 1; j <= z->cols; j++) {
        entries += (double)z->ptr[j];
        met += (double)z->ptr[j] * (double)z->ptr[j];
    }
    return met * LONG <= entries * (double)z->vectors;
}

static void measure(fxi_inverted *z, const fx_matrix *Z, double *x, const fxi_simd *simd)
{
    const double *rows[] = {x};

    for (size_t i = 0; i < Z->rows; i++) {
        fxi_row r = fxi_data_row(Z, i);
        for (size_t q = 0; q < r.n; q++)
            x[q] = fxi_row_value(r, q);
        simd->kernel_norms(z->norms + i, rows, &r.n, 1);
        z->z_max = fmax(z->z_max, z->norms[i]);
    }
}

static void fill(fxi_inverted *z, const fx_matrix *Z)
{
    for (size_t j = 0; j < z->cols; j++)
        z->ptr[j + 1] += z->ptr[j];
    for (size_t i = 0; i < Z->rows; i++) {
        fxi_row r = fxi_data_row(Z, i);
        for (size_t q = 0; q < r.n; q++) {
            double v = fxi_row_value(r, q);
            if (v == 0)
                continue;
            size_t at = z->ptr[fxi_row_column(r, q)]++;
            z->row[at] = (int32_t)i;
            z->val[at] = v;
        }
    }
    memmove(z->ptr + 1, z->ptr, z->cols * sizeof *z->ptr); /* each is the end of its column */
    z->ptr[0] = 0;
}

static fx_status make(fxi_inverted **out, fxi_inverted *z, const fx_matrix *Z)
{
    size_t stored = fxi_data_stored(Z);

    if (!(z->ptr = fxi_zalloc(z->cols + 1, sizeof *z->ptr)))
        return FX_ENOMEM;
    count(z, Z);
    if (!pays(z))
        return FX_OK;
    if (!(z->row = fxi_alloc(stored, sizeof *z->row))
        || !(z->val = fxi_alloc(stored, sizeof *z->val)))
        return FX_ENOMEM;
    if (z->gamma > 0) {
        double *x = fxi_alloc(fxi_data_rows_max(Z, 1), sizeof *x);
        if (!x || !(z->norms = fxi_zalloc(padded(z), sizeof *z->norms))) {
            free(x);
            return FX_ENOMEM;
        }
        measure(z, Z, x, fxi_simd_get());
        free(x);
        if (z->gamma * 2 * z->z_max > FXI_KERNEL_NEAR)
            return FX_OK;               /* rows like the vectors would need panels */
    }
    fill(z, Z);
    *out = z;
    return FX_OK;
}

fx_status fxi_kernel_score_inverted_new(fxi_inverted **out, const fx_kernel *k, const fx_matrix *Z,
                                  size_t limit)
{
    double gamma = fxi_kernel_squares(k);
    size_t bytes, all;

    *out = NULL;
    if (!Z->ptr || Z->cols <= FXI_PANEL_WHOLE || Z->rows > VECTORS
        || !(fxi_kernel_products(k) || gamma > 0)
        || !fxi_size_mul(&bytes, fxi_data_stored(Z), sizeof(double) + sizeof(int32_t))
        || !fxi_size_mul(&all, Z->cols + 1, sizeof(size_t)) || !fxi_size_add(&all, all, bytes)
        || all > limit)
        return FX_OK;
    fxi_inverted *z = fxi_zalloc(1, sizeof *z);
    if (!z)
        return FX_ENOMEM;
    *z = (fxi_inverted){.vectors = Z->rows, .cols = Z->cols, .gamma = gamma};
    fx_status st = make(out, z, Z);
    if (!*out)
        fxi_kernel_score_inverted_free(z);
    return st;
}

void fxi_kernel_score_inverted_free(fxi_inverted *z)
{
    if (z)
        fxi_free(z->ptr, z->row, z->val, z->norms);
    free(z);
}

bool fxi_kernel_score_inverted_row(double *v, const fxi_inverted *z, const fx_kernel *k, fxi_row x,
                             const fxi_simd *simd, fxi_team *team)
{
    size_t n = padded(z), since = 0;
    double norm = 0;

    memset(v, 0, n * sizeof *v);
    for (size_t q = 0; q < x.n; q++) {
        size_t j = (size_t)fxi_row_column(x, q), first = z->ptr[j], count = z->ptr[j + 1] - first;
        double value = fxi_row_value(x, q);
        simd->kernel_inverted(v, value, z->row + first, z->val + first, count);
        if (z->gamma > 0)
            simd->kernel_inverted(&norm, value, &(int32_t){0}, &value, 1);
        since += count + 1;
        if (since >= POLL && fxi_parallel_cancelled(team))
            return false;
        since = since >= POLL ? 0 : since;
    }
    if (z->gamma > 0 && z->gamma * (norm + z->z_max) > FXI_KERNEL_NEAR)
        return false;
    for (size_t j = 0; j < n && z->gamma > 0; j += FXI_LANES)
        simd->kernel_sides(v + j, &norm, z->norms + j, 1);
    fxi_kernel_finish(v, n, k, simd);
    return true;
}
