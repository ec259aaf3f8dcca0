/* SPDX-License-Identifier: BSD-3-Clause
 * logistic.c - log(1 + exp(-y f)), in forms that never overflow.
 *
 * Dual: alpha = y beta in [0, c], conjugate alpha log(alpha/c) + (c - alpha) log(1 - alpha/c).  The
 * maximum over one coordinate has no closed form, so there is no step: Newton's method is used. */

#include "loss/loss.h"

#include <math.h>

static double value(double y, double f, double epsilon)
{
    double m = y * f;

    (void)epsilon;
    return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
}

/* 1/(1 + exp(m)) */
static double wrong(double m)
{
    double e = exp(-fabs(m));

    return m > 0 ? e / (1 + e) : 1 / (1 + e);
}

static double slope(double y, double f, double epsilon)
{
    (void)epsilon;
    return -y * wrong(y * f);
}

static double curve(double y, double f, double epsilon)
{
    (void)epsilon;
    return wrong(y * f) * wrong(-y * f);
}

static double times_log(double a, double share) { return a > 0 ? a * log(share) : 0; }

static double conjugate(double y, double beta, double c, double epsilon)
{
    double alpha = y * beta;

    (void)epsilon;
    return times_log(alpha, alpha / c) + times_log(c - alpha, 1 - alpha / c);
}

const fxi_loss fxi_loss_logistic = {"logistic", false, value, slope, curve, conjugate, NULL, NULL};
