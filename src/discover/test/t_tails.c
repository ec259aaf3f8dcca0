/* SPDX-License-Identifier: BSD-3-Clause
 * t_tails.c - probabilities against tables and definitions.
 *
 * Covers: binomial.c */

#include "discover/discover.h"
#include "base/test.h"

/* That a binomial number of n trials is from a to b, term by term. */
static double between(uint64_t a, uint64_t b, uint64_t n, double p)
{
    double sum = 0;

    for (uint64_t k = a; k <= b; k++) {
        double one = 1;
        for (uint64_t i = 0; i < k; i++)
            one *= (double)(n - i) / (double)(i + 1) * p;
        sum += one * pow(1 - p, (double)(n - k));
    }
    return sum;
}

int main(void)
{
    double low, high;

    test_init();
    /* Quantiles of the normal and the chi-squared distribution, from tables of 6 digits. */
    CHECK_NEAR(fxi_discover_tails_normal(0.025), 1.959964, 1e-6);
    CHECK_NEAR(fxi_discover_tails_normal(0.5), 0, 1e-9);
    CHECK_NEAR(fxi_discover_tails_normal(0.9), -1.281552, 1e-6);
    CHECK_NEAR(fxi_discover_tails_ratio(3.841459), 0.05, 1e-7);
    CHECK_NEAR(fxi_discover_tails_ratio(10.827566), 0.001, 1e-8);
    CHECK(fxi_discover_tails_ratio(0) == 1 && fxi_discover_tails_ratio(-1) == 1);
    fx_discover_binomial(&low, &high, 0, 10);
    CHECK(low == 0);
    CHECK_NEAR(high, 1 - pow(0.025, 0.1), 1e-9);
    fx_discover_binomial(&low, &high, 10, 10);
    CHECK(high == 1);
    CHECK_NEAR(low, pow(0.025, 0.1), 1e-9);
    for (int i = 0; i < test_cases(100); i++) {
        uint64_t n = 1 + test_below(60), k = test_below(n + 1);
        fx_discover_binomial(&low, &high, k, n);
        CHECK(low <= (double)k / (double)n && high >= (double)k / (double)n);
        if (k)
            CHECK_NEAR(between(k, n, n, low), 0.025, 1e-9);
        if (k < n)
            CHECK_NEAR(between(0, k, n, high), 0.025, 1e-9);
    }
    return 0;
}
