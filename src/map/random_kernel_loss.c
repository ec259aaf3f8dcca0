/* SPDX-License-Identifier: BSD-3-Clause
 * random_kernel_loss.c - when power sums are accurate enough.
 *
 * Newton's recursion adds and subtracts terms whose absolute values sum up to h_m(|x|), the
 * complete symmetric polynomial, so that errors of c u in the power sums become at most
 * c m u h_m(|x|); insertion stays within c u e_m(|x|).  The ratio of the two is the loss.
 *
 * Among rows with sum 1 and largest number q, the row (q, .., q, rest) majorises all others; h_m is
 * Schur-convex and e_m Schur-concave, so the loss is largest there: a function of q = rho/(1 + rho)
 * alone, growing with it.  doc/math.md#random_kernel_loss */

#include "map/random_kernel.h"

#include <math.h>

enum { LOSS = 64 };                     /* six bits of 24 */

double fxi_map_random_kernel_loss(double rho, int m)
{
    double q = 1 / (1 + 1 / rho), k = floor(1 / q), rest = fmax(0, 1 - k * q);
    double e = 1, before = 1, c = 1, h = 1;

    /* e_t = C(k,t) q^t + C(k,t-1) q^{t-1} rest;  h_t = C(k+t-1,t) q^t + rest h_{t-1} */
    for (int t = 1; t <= m; t++) {
        double all = before * fmax(0, k - t + 1) / t * q;
        e = all + before * rest;
        before = all;
        c *= (k + t - 1) / t * q;
        h = c + rest * h;
    }
    return e > 0 ? h / e : INFINITY;
}

double fxi_map_random_kernel_loss_limit(int m)
{
    double low = 0, high = 1e3;         /* of rho; at the high end even order 2 loses more */

    if (m < 2)
        return INFINITY;
    for (int i = 0; i < 60; i++) {
        double rho = (low + high) / 2;
        if (fxi_map_random_kernel_loss(rho, m) <= LOSS)
            low = rho;
        else
            high = rho;
    }
    return low;
}
