/* SPDX-License-Identifier: BSD-3-Clause
 * huber_insensitive.c - the epsilon-insensitive loss rounded off, for fit/proximal.c: with
 * m = |y - f| - epsilon
 *
 *   0 for m <= 0,   m^2/2 for m <= 1,   m - 1/2 beyond,
 *
 * the least over s of max(0, |y - s| - epsilon) + (s - f)^2/2. */

#include "loss/loss.h"

#include <math.h>

static double value(double y, double f, double epsilon)
{
    double m = fabs(y - f) - epsilon;

    return m <= 0 ? 0 : m <= 1 ? 0.5 * m * m : m - 0.5;
}

static double slope(double y, double f, double epsilon)
{
    double m = fabs(y - f) - epsilon;

    return m <= 0 ? 0 : copysign(m < 1 ? m : 1, f - y);
}

static double curve(double y, double f, double epsilon)
{
    double m = fabs(y - f) - epsilon;

    return m > 0 && m < 1;
}

const fxi_loss fxi_loss_huber_insensitive = {"huber_insensitive", true, value, slope, curve, NULL,
                                             NULL, NULL};
