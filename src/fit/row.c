/* SPDX-License-Identifier: BSD-3-Clause
 * row.c - inner products and updates with one row, whatever its form.
 *
 * Features are floats or doubles, weights and sums doubles.  Dense rows use the hot functions of
 * this processor; a sparse row is limited by its gathers, so plain loops are enough. */

#include "fit/fit.h"

/* `body` for every stored number x in column j of a sparse row. */
#define SPARSE(r, body)                                                                            \
    for (size_t q = 0; q < (r).n; q++) {                                                           \
        double x = fxi_row_value(r, q);                                                            \
        int64_t j = fxi_row_column(r, q);                                                          \
        body;                                                                                      \
    }

double fxi_fit_row_dot(fxi_row r, const double *w, const fxi_simd *simd)
{
    double sum = 0;

    if (r.col32 || r.col64)
        SPARSE(r, sum += x * w[j])
    else if (r.f32)
        simd->fit_dot(&sum, r.f32, w, r.n);
    else
        simd->fit_dot_double(&sum, r.f64, w, r.n);
    return sum;
}

void fxi_fit_row_add(double *w, double a, fxi_row r, const fxi_simd *simd)
{
    if (r.col32 || r.col64)
        SPARSE(r, w[j] += a * x)
    else if (r.f32)
        simd->fit_add(w, a, r.f32, r.n);
    else
        simd->fit_add_double(w, a, r.f64, r.n);
}

double fxi_fit_row_square(fxi_row r, const fxi_simd *simd)
{
    double sum = 0;

    if (r.col32 || r.col64)
        SPARSE(r, (void)j; sum += x * x)
    else if (r.f32)
        simd->fit_square(&sum, r.f32, r.n);
    else
        simd->fit_dot_double(&sum, r.f64, r.f64, r.n);
    return sum;
}
