/* SPDX-License-Identifier: BSD-3-Clause
 * insensitive.c - max(0, |y - f| - epsilon): support vector regression.
 *
 * Dual: beta in [-c, c], conjugate epsilon |beta| - y beta. */

#include "loss/loss.h"

#include <math.h>

static double value(double y, double f, double epsilon)
{
    double m = fabs(y - f) - epsilon;

    return m > 0 ? m : 0;
}

static double slope(double y, double f, double epsilon)
{
    return fabs(y - f) <= epsilon ? 0 : f > y ? 1 : -1;
}

static double conjugate(double y, double beta, double c, double epsilon)
{
    (void)c;
    return epsilon * fabs(beta) - y * beta;
}

/* Minimise 0.5 q (t - beta)^2 - (y - f)(t - beta) + epsilon |t| over t: a shrunk Newton step. */
static double step(double y, double beta, double f, double q, double c, double epsilon)
{
    double t = beta + (y - f) / q, shrink = epsilon / q;

    t = t > shrink ? t - shrink : t < -shrink ? t + shrink : 0;
    return t < -c ? -c : t > c ? c : t;
}

const fxi_loss fxi_loss_insensitive = {"epsilon-insensitive", true, value, slope, NULL, conjugate,
                                       step, &fxi_loss_huber_insensitive};
