/* SPDX-License-Identifier: BSD-3-Clause
 * half_hinge.c - the squared hinge for fit/proximal.c: with m = |y| - sign(y) f
 *
 *   0 for m <= 0,   m^2/2 beyond.
 *
 * |y| is the required margin. */

#include "loss/loss.h"

static double shortfall(double y, double f) { return y > 0 ? y - f : f - y; }

static double value(double y, double f, double epsilon)
{
    double m = shortfall(y, f);

    (void)epsilon;
    return m <= 0 ? 0 : 0.5 * m * m;
}

static double slope(double y, double f, double epsilon)
{
    double m = shortfall(y, f);

    (void)epsilon;
    return m <= 0 ? 0 : y > 0 ? -m : m;
}

static double curve(double y, double f, double epsilon)
{
    (void)epsilon;
    return shortfall(y, f) > 0;
}

const fxi_loss fxi_loss_half_hinge = {"half_hinge", false, value, slope, curve, NULL, NULL, NULL};
