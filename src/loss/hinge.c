/* SPDX-License-Identifier: BSD-3-Clause
 * hinge.c - max(0, 1 - y f): the support vector machine's loss.
 *
 * Dual: alpha = y beta in [0, c], conjugate -alpha. */

#include "loss/loss.h"

static double value(double y, double f, double epsilon)
{
    (void)epsilon;
    return y * f < 1 ? 1 - y * f : 0;
}

static double slope(double y, double f, double epsilon)
{
    (void)epsilon;
    return y * f < 1 ? -y : 0;
}

static double conjugate(double y, double beta, double c, double epsilon)
{
    (void)c, (void)epsilon;
    return -y * beta;
}

static double step(double y, double beta, double f, double q, double c, double epsilon)
{
    double alpha = y * beta + (1 - y * f) / q;

    (void)epsilon;
    return y * (alpha < 0 ? 0 : alpha > c ? c : alpha);
}

const fxi_loss fxi_loss_hinge = {"hinge", false, value, slope, NULL, conjugate, step,
                                 &fxi_loss_huber_hinge};
