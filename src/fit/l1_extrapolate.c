/* SPDX-License-Identifier: BSD-3-Clause
 * l1_extrapolate.c - sweeps of coordinate descent, extrapolated.
 *
 * Once the set of zero weights no longer changes, a sweep is an affine map of the other weights,
 * and correlated columns need many sweeps.  Of the last K differences of scores the affine
 * combination with the least norm (weights D) is taken, and the same combination of the points is
 * tried: it is accepted only if the model is lower there, so it can do no harm.  Zeros stay zeros.
 * O(K (rows + features)) memory, O(K^2 rows) time once in K sweeps: negligible compared with the
 * sweeps.
 *
 * Reference: Bertrand, Massias 2021. */

#include "fit/l1.h"

#include <math.h>
#include <string.h>

enum { K = FXI_L1_PAST - 1 };

static double *past(const fxi_l1 *a, size_t k)
{
    return a->past + k * (a->d + a->p->source->rows + 2);
}

/* Point k: weights, scores, sum, B. */
static void store(fxi_l1 *a, size_t k)
{
    size_t rows = a->p->source->rows;
    double *x = past(a, k);

    memcpy(x, a->u, a->d * sizeof *x);
    memcpy(x + a->d, a->q, rows * sizeof *x);
    x[a->d + rows] = a->sum;
    x[a->d + rows + 1] = a->B;
}

/* The model, and the penalty, at weights u, scores q without B, intercept moved by B. */
static double model(const fxi_l1 *a, const double *u, const double *q, double B)
{
    double sum = a->p->intercept == FXI_APPENDED ? fabs(a->w[a->d] + B) : 0;

    for (size_t j = 0; j < a->d; j++)
        sum += fabs(u[j]);
    for (size_t i = 0; i < a->p->source->rows; i++)
        sum += (q[i] + B) * (a->slope[i] + 0.5 * a->D[i] * (q[i] + B));
    return sum;
}

/* Minimises |sum_k c_k (x_k+1 - x_k)|, sum_k c_k = 1, by elimination; false: no such c. */
static bool combine(double c[K], const fxi_l1 *a)
{
    double G[K][K] = {{0}}, total = 0, trace = 0;

    for (size_t i = 0; i < a->p->source->rows; i++) {
        double e[K];
        for (size_t k = 0; k < K; k++)
            e[k] = past(a, k + 1)[a->d + i] - past(a, k)[a->d + i];
        for (size_t k = 0; k < K; k++)
            for (size_t l = 0; l <= k; l++)
                G[k][l] += a->D[i] * e[k] * e[l];
    }
    for (size_t k = 0; k < K; k++)
        trace += G[k][k];
    for (size_t k = 0; k < K; k++) {            /* Cholesky; c = G^-1 1 */
        c[k] = 1;
        for (size_t l = 0; l <= k; l++) {
            double v = G[k][l] + (k == l ? 1e-10 * trace : 0);
            for (size_t e = 0; e < l; e++)
                v -= G[k][e] * G[l][e];
            if (k == l && !(v > 0))
                return false;
            G[k][l] = k == l ? sqrt(v) : v / G[l][l];
            c[k] -= l < k ? G[k][l] * c[l] : 0;
        }
        c[k] /= G[k][k];
    }
    for (size_t k = K; k-- > 0;) {
        for (size_t e = k + 1; e < K; e++)
            c[k] -= G[e][k] * c[e];
        c[k] /= G[k][k];
        total += c[k];
    }
    for (size_t k = 0; k < K; k++) {
        c[k] /= total;
        if (!(fabs(c[k]) < 1e6))        /* rounding would show */
            return false;
    }
    return true;
}

void fxi_fit_l1_extrapolate(fxi_l1 *a, size_t sweeps)
{
    size_t rows = a->p->source->rows, n = a->d + rows + 2;
    double c[K], *x = past(a, 0);

    store(a, sweeps ? (sweeps - 1) % K + 1 : 0);
    if (sweeps == 0 || sweeps % K)
        return;
    if (combine(c, a)) {
        for (size_t e = 0; e < n; e++) {
            double v = 0;
            for (size_t k = 0; k < K; k++)
                v += c[k] * past(a, k + 1)[e];
            x[e] = v;
        }
        if (model(a, x, x + a->d, x[n - 1]) < model(a, a->u, a->q, a->B)) {
            memcpy(a->u, x, a->d * sizeof *x);
            memcpy(a->q, x + a->d, rows * sizeof *x);
            a->sum = x[n - 2];
            a->B = x[n - 1];
            for (size_t i = 0; i < rows; i++)
                a->r[i] = a->slope[i] + a->D[i] * a->q[i];
        }
    }
    store(a, 0);
}
