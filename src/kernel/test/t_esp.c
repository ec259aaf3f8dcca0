/* SPDX-License-Identifier: BSD-3-Clause
 * t_esp.c - insertion against the definition by enumeration. */

#include "base/test.h"
#include "kernel/kernel.h"

#include <float.h>
#include <string.h>

enum { N = 10 };

static long double enumerate(const double *z, int n, int t, bool absolute)
{
    long double sum = 0;

    for (unsigned s = 0; s < 1u << n; s++) {
        long double prod = 1;
        for (int j = 0; j < n; j++)
            if (s >> j & 1)
                prod *= absolute ? fabs(z[j]) : z[j];
        if (__builtin_popcount(s) == t)
            sum += prod;
    }
    return sum;
}

int main(void)
{
    test_init();
    for (int c = 0; c < test_cases(200); c++) {
        double z[N], e[N + 2] = {1};
        int n = (int)test_below(N + 1), m = N + 1;
        for (int j = 0; j < n; j++) {
            z[j] = test_below(5) ? (test_unit() - 0.5) * pow(10, (double)test_below(4) - 2) : 0;
            fxi_kernel_esp_insert(e, m, z[j]);
        }
        for (int t = 0; t <= m; t++)
            CHECK_NEAR(e[t], (double)enumerate(z, n, t, false),
                       (n + 2 * t + 1) * DBL_EPSILON * (double)enumerate(z, n, t, true));
        for (int t = n + 1; t <= m; t++)
            CHECK(e[t] == 0);           /* exactly, not noise */
    }
    return 0;
}
