/* SPDX-License-Identifier: BSD-3-Clause
 * components.h - what tests of PCA share: covariance and eigenvectors written out. */
#ifndef COMPONENTS_H
#define COMPONENTS_H
#include "base/test.h"
#include "fit/fit.h"

#include <float.h>
#include <string.h>

/* Eigenvalues d[n], descending, and eigenvectors as columns of V, by Jacobi's rotations; A ends as
 * a diagonal matrix. */
static inline void components_jacobi(double *d, double *V, double *A, size_t n)
{
    for (size_t i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 40; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double a = A[p * n + q];
                if (a == 0)
                    continue;
                double h = (A[q * n + q] - A[p * n + p]) / (2 * a);
                double t = (h < 0 ? -1 : 1) / (fabs(h) + sqrt(h * h + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (size_t k = 0; k < n; k++) {
                    double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y;
                    A[k * n + q] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y;
                    A[q * n + k] = s * x + c * y;
                    x = V[k * n + p], y = V[k * n + q];
                    V[k * n + p] = c * x - s * y;
                    V[k * n + q] = s * x + c * y;
                }
            }
    for (size_t i = 0; i < n; i++)
        d[i] = A[i * n + i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (d[j] > d[i]) {
                double t = d[i];
                d[i] = d[j];
                d[j] = t;
                for (size_t k = 0; k < n; k++) {
                    t = V[k * n + i];
                    V[k * n + i] = V[k * n + j];
                    V[k * n + j] = t;
                }
            }
}

/* Components P[rows][k] have weighted mean 0, variances `value`, and no correlation. */
static inline void components_moments(const double *P, const double *c, size_t rows, size_t k,
                                      const double *value, double tol)
{
    double total = 0;

    for (size_t i = 0; i < rows; i++)
        total += c[i];
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b <= a; b++) {
            double mean = 0, sum = 0;
            for (size_t i = 0; i < rows; i++) {
                mean += c[i] / total * P[i * k + a];
                sum += c[i] / total * P[i * k + a] * P[i * k + b];
            }
            CHECK_NEAR(mean, 0, tol * sqrt(value[0]));
            CHECK_NEAR(sum, a == b ? value[a] : 0, tol * value[0]);
        }
}
#endif
