/* SPDX-License-Identifier: BSD-3-Clause
 * tails.c - probabilities of the tests. */

#include "discover/discover.h"

enum { HALVINGS = 100 };

double fxi_discover_tails_ratio(double ratio) { return erfc(sqrt(fmax(ratio, 0) / 2)); }

double fxi_discover_tails_normal(double p)
{
    double low = -40, high = 40;

    for (int i = 0; i < HALVINGS; i++) {
        double z = (low + high) / 2;
        if (erfc(z / sqrt(2)) / 2 > p)
            low = z;
        else
            high = z;
    }
    return high;
}
