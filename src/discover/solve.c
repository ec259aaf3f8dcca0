/* SPDX-License-Identifier: BSD-3-Clause
 * solve.c - symmetric systems of a few dozen unknowns, of which some columns may depend on others:
 * these are found and left out, which linalg/cholesky.c cannot do. */

#include "discover/discover.h"

void fxi_discover_solve_factor(double *A, bool *out, size_t n, double tol)
{
    for (size_t i = 0; i < n; i++) {
        double *Ai = A + i * n, whole = Ai[i];
        for (size_t j = 0; j < i; j++) {
            double s = Ai[j];
            for (size_t k = 0; k < j; k++)
                s -= Ai[k] * A[j * n + k];      /* Ai[k] is still L(i, k) D(k) */
            Ai[j] = out[j] ? 0 : s;
        }
        double d = whole;
        for (size_t j = 0; j < i; j++) {
            double s = Ai[j];
            Ai[j] = out[j] ? 0 : s / A[j * n + j];
            d -= s * Ai[j];
        }
        out[i] |= !(d > tol * whole);
        Ai[i] = out[i] ? 1 : d;
    }
}

void fxi_discover_solve(double *x, const double *LD, const bool *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= LD[i * n + k] * x[k];
        x[i] = out[i] ? 0 : x[i];
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= LD[i * n + i];
    for (size_t i = n; i-- > 0;)
        for (size_t k = i + 1; k < n; k++)
            x[i] -= out[i] || out[k] ? 0 : LD[k * n + i] * x[k];
}
