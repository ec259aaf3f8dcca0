/* SPDX-License-Identifier: BSD-3-Clause
 * row.c - inner products and updates with one row, whatever its form.
 *
 * Features are floats or doubles, weights and sums doubles.  Dense rows use the hot functions of
 * this processor; a sparse row is limited by its gathers, so plain loops are enough. */

#include "fit/fit.h"

/* `body` for every stored number x in column j of a sparse row; most rows have the first form, for
 * which nothing is chosen within the loop. */
#define EACH(n, value, column, body)                                                               \
    for (size_t q = 0; q < (n); q++) {                                                             \
        double x = value;                                                                          \
        int64_t j = column;                                                                        \
        body;                                                                                      \
    }
#define SPARSE(r, body)                                                                            \
    if ((r).col32 && (r).f32)                                                                      \
        EACH((r).n, (double)(r).f32[q], (r).col32[q], body)                                        \
    else                                                                                           \
        EACH((r).n, fxi_row_value(r, q), fxi_row_column(r, q), body)

double fxi_fit_row_dot(fxi_row r, const double *w, const fxi_simd *simd)
{
    double sum = 0;

    if (r.col32 || r.col64) {
        SPARSE(r, sum += x * w[j])
    } else if (r.f32)
        simd->fit_dot(&sum, r.f32, w, r.n);
    else
        simd->fit_dot_double(&sum, r.f64, w, r.n);
    return sum;
}

/* Four rows of the same length and more: additions of one row wait for each other, those of four do
 * not.  Each row's sum has the terms and the order of fxi_fit_row_dot. */
static void dot_sparse(double out[4], const fxi_row r[4], const double *w, size_t n)
{
    double a = 0, b = 0, c = 0, d = 0;

    for (size_t q = 0; q < n; q++) {
        a += (double)r[0].f32[q] * w[r[0].col32[q]];
        b += (double)r[1].f32[q] * w[r[1].col32[q]];
        c += (double)r[2].f32[q] * w[r[2].col32[q]];
        d += (double)r[3].f32[q] * w[r[3].col32[q]];
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
    for (size_t k = 0; k < 4; k++)
        for (size_t q = n; q < r[k].n; q++)
            out[k] += (double)r[k].f32[q] * w[r[k].col32[q]];
}

void fxi_fit_row_dots(double out[4], const fxi_row r[4], const double *w, const fxi_simd *simd)
{
    size_t least = SIZE_MAX;

    for (size_t k = 0; k < 4; k++)
        least = !r[k].col32 || !r[k].f32 ? 0 : r[k].n < least ? r[k].n : least;
    if (least)
        dot_sparse(out, r, w, least);
    else
        for (size_t k = 0; k < 4; k++)
            out[k] = fxi_fit_row_dot(r[k], w, simd);
}

void fxi_fit_row_add(double *w, double a, fxi_row r, const fxi_simd *simd)
{
    if (r.col32 || r.col64) {
        SPARSE(r, w[j] += a * x)
    } else if (r.f32)
        simd->fit_add(w, a, r.f32, r.n);
    else
        simd->fit_add_double(w, a, r.f64, r.n);
}

double fxi_fit_row_square(fxi_row r, const fxi_simd *simd)
{
    double sum = 0;

    if (r.col32 || r.col64) {
        SPARSE(r, (void)j; sum += x * x)
    } else if (r.f32)
        simd->fit_square(&sum, r.f32, r.n);
    else
        simd->fit_dot_double(&sum, r.f64, r.f64, r.n);
    return sum;
}
