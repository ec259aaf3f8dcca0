/* SPDX-License-Identifier: BSD-3-Clause
 * huber_hinge.c - the hinge rounded off, for fit/proximal.c: with m = |y| - sign(y) f
 *
 *   0 for m <= 0,   m^2/2 for m <= 1,   m - 1/2 beyond,
 *
 * the least over s of max(0, |y| - sign(y) s) + (s - f)^2/2.  |y| is the required margin. */

#include "loss/loss.h"

#include <math.h>

static double shortfall(double y, double f) { return y > 0 ? y - f : f - y; }

static double value(double y, double f, double epsilon)
{
    double m = shortfall(y, f);

    (void)epsilon;
    return m <= 0 ? 0 : m <= 1 ? 0.5 * m * m : m - 0.5;
}

static double slope(double y, double f, double epsilon)
{
    double m = shortfall(y, f);

    (void)epsilon;
    return m <= 0 ? 0 : copysign(m < 1 ? m : 1, -y);
}

static double curve(double y, double f, double epsilon)
{
    double m = shortfall(y, f);

    (void)epsilon;
    return m > 0 && m < 1;
}

const fxi_loss fxi_loss_huber_hinge = {"huber_hinge", false, value, slope, curve, NULL, NULL, NULL};
