/* SPDX-License-Identifier: BSD-3-Clause
 * couple.c - probabilities of k classes from those of their pairs.
 *
 * With r_ab the probability of class a where it is a or b, p is the solution of
 *
 *   min over p of  sum over a, b != a of (r_ba p_a - r_ab p_b)^2,    sum_a p_a = 1,
 *
 * half of which is p'Qp with Q_aa = sum over b of r_ba^2, Q_ab = -r_ba r_ab.  At the optimum Qp is
 * the same number p'Qp in every place.  One sweep sets p_a for one a after the other to what makes
 * that so for it, and divides by the sum; terms are all positive, so p is.  Probabilities of pairs
 * are clipped to NEAR away from 0 and 1, where the optimum would not be unique.
 *
 * Cost: a sweep takes k^2 steps; typically tens of sweeps, at most SWEEPS.  Accuracy: Qp is even to
 * TOL.
 *
 * Reference: Wu, Lin, Weng 2004, Probability estimates for multi-class classification by pairwise
 * coupling (second method). */

#include "model/model.h"

#include <math.h>

enum { SWEEPS = 1000 };
static const double NEAR = 1e-7, TOL = 1e-12;

/* Probability of class a against b. */
static double against(const double *r, size_t k, size_t a, size_t b)
{
    size_t low = a < b ? a : b, high = a < b ? b : a;
    double second = r[fxi_model_pairs_number(k, low, high)];

    second = fmax(NEAR, fmin(1 - NEAR, second));
    return a < b ? 1 - second : second;
}

static double square(const double *p, const double *Qp, size_t k)
{
    double sum = 0;

    for (size_t a = 0; a < k; a++)
        sum += p[a] * Qp[a];
    return sum;
}

static void multiply(double *Qp, const double *p, const double *Q, const double *r, size_t k)
{
    for (size_t a = 0; a < k; a++) {
        Qp[a] = Q[a] * p[a];
        for (size_t b = 0; b < k; b++)
            if (b != a)
                Qp[a] -= against(r, k, b, a) * against(r, k, a, b) * p[b];
    }
}

void fxi_model_couple(double *p, const double *r, size_t classes, double *work, fxi_team *team)
{
    size_t k = classes;
    double *Q = work, *Qp = work + k;   /* the diagonal */

    for (size_t a = 0; a < k; a++) {
        p[a] = 1 / (double)k;
        Q[a] = 0;
        for (size_t b = 0; b < k; b++)
            if (b != a)
                Q[a] += against(r, k, b, a) * against(r, k, b, a);
    }
    for (int sweep = 0; sweep < SWEEPS && !(team && fxi_parallel_cancelled(team)); sweep++) {
        multiply(Qp, p, Q, r, k);
        double even = square(p, Qp, k), worst = 0;
        for (size_t a = 0; a < k; a++)
            worst = fmax(worst, fabs(Qp[a] - even));
        if (worst < TOL)
            return;
        for (size_t a = 0; a < k; a++) {
            double d = (even - Qp[a]) / Q[a], sum = 1 + d;
            p[a] += d;
            for (size_t b = 0; b < k; b++) {
                Qp[b] += b == a ? d * Q[a] : -d * against(r, k, b, a) * against(r, k, a, b);
                Qp[b] /= sum;
                p[b] /= sum;
            }
            even = square(p, Qp, k);
        }
    }
}
