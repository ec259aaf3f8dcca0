/* SPDX-License-Identifier: BSD-3-Clause
 * squared_hinge.c - max(0, 1 - y f)^2.
 *
 * Dual: alpha = y beta >= 0, conjugate alpha^2/(4c) - alpha. */

#include "loss/loss.h"

static double value(double y, double f, double epsilon)
{
    double m = 1 - y * f;

    (void)epsilon;
    return m > 0 ? m * m : 0;
}

static double slope(double y, double f, double epsilon)
{
    double m = 1 - y * f;

    (void)epsilon;
    return m > 0 ? -2 * y * m : 0;
}

static double curve(double y, double f, double epsilon)
{
    (void)epsilon;
    return y * f < 1 ? 2 : 0;
}

static double conjugate(double y, double beta, double c, double epsilon)
{
    double alpha = y * beta;

    (void)epsilon;
    return alpha * alpha / (4 * c) - alpha;
}

static double step(double y, double beta, double f, double q, double c, double epsilon)
{
    double alpha = y * beta;

    (void)epsilon;
    alpha += (1 - y * f - alpha / (2 * c)) / (q + 1 / (2 * c));
    return alpha > 0 ? y * alpha : 0;
}

const fxi_loss fxi_loss_squared_hinge = {"squared-hinge", false, value, slope, curve, conjugate,
                                         step, &fxi_loss_half_hinge};
