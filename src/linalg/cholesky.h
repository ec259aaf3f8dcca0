/* SPDX-License-Identifier: BSD-3-Clause
 * cholesky.h - inside the library: factors of symmetric positive definite matrices.
 *
 * A matrix of n rows is stored in panels of 16 rows, each with the columns up to its diagonal only:
 * A[panel][column][16], tiles of 16 x 16 one after the other; about n^2/2 + 8 n numbers. */
#ifndef FXI_LINALG_CHOLESKY_H
#define FXI_LINALG_CHOLESKY_H
#include "simd/simd.h"

enum { FXI_TILE = FXI_LANES };

static inline size_t fxi_cholesky_panels(size_t n) { return (n + FXI_TILE - 1) / FXI_TILE; }
/* Tile j <= i of panel i: number [c*FXI_TILE + r] is A(i*FXI_TILE + r, j*FXI_TILE + c). */
static inline double *fxi_cholesky_at(const double *A, size_t i, size_t j)
{
    return (double *)A + (i * (i + 1) / 2 + j) * FXI_TILE * FXI_TILE;
}
bool fxi_linalg_cholesky_size(size_t *numbers, size_t n);       /* false: does not fit size_t */
/* A = LL' in its place, 64-byte aligned.  Of diagonal tiles the lower triangle is read; the rows
 * beyond n are set here.  FX_ENUMERIC: not positive definite; A is then destroyed. */
fx_status fxi_linalg_cholesky(double *A, size_t n, const fx_run *run);
/* x = (LL')^-1 x; x has space for whole panels after x[n]. */
fx_status fxi_linalg_cholesky_solve(double *x, const double *L, size_t n, const fx_run *run);
#endif
