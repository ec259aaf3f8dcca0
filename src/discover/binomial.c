/* SPDX-License-Identifier: BSD-3-Clause
 * binomial.c - the interval of a probability by Clopper and Pearson. */

#include "discover/discover.h"

enum { HALVINGS = 100 };

/* That a binomial number of n trials is at most k. */
static double at_most(uint64_t k, uint64_t n, double p)
{
    double one = (double)n * log1p(-p), odds = log(p) - log1p(-p), sum = exp(one);

    for (uint64_t i = 0; i < k; i++) {
        one += log((double)(n - i) / (double)(i + 1)) + odds;
        sum += exp(one);
    }
    return sum;
}

/* The p with at_most(k, n, p) == share, which falls with p. */
static double inverse(uint64_t k, uint64_t n, double share)
{
    double low = 0, high = 1;

    for (int i = 0; i < HALVINGS; i++) {
        double p = (low + high) / 2;
        if (at_most(k, n, p) > share)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

void fx_discover_binomial(double *low, double *high, uint64_t k, uint64_t n)
{
    *low = k ? inverse(k - 1, n, 0.975) : 0;
    *high = k < n ? inverse(k, n, 0.025) : 1;
}
