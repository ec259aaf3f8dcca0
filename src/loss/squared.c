/* SPDX-License-Identifier: BSD-3-Clause
 * squared.c - (y - f)^2: ridge regression.
 *
 * Dual: any beta, conjugate beta^2/(4c) - y beta. */

#include "loss/loss.h"

static double value(double y, double f, double epsilon)
{
    (void)epsilon;
    return (y - f) * (y - f);
}

static double slope(double y, double f, double epsilon)
{
    (void)epsilon;
    return 2 * (f - y);
}

static double curve(double y, double f, double epsilon)
{
    (void)y, (void)f, (void)epsilon;
    return 2;
}

static double conjugate(double y, double beta, double c, double epsilon)
{
    (void)epsilon;
    return beta * beta / (4 * c) - y * beta;
}

static double step(double y, double beta, double f, double q, double c, double epsilon)
{
    (void)epsilon;
    return beta + (y - f - beta / (2 * c)) / (q + 1 / (2 * c));
}

const fxi_loss fxi_loss_squared = {"squared", true, value, slope, curve, conjugate, step, NULL};
