/* SPDX-License-Identifier: BSD-3-Clause
 * t_elementary.c - elementary.c against libm in long double. */

#include "base/base.h"
#include "base/test.h"

#include <float.h>

static double ulps(double got, long double want)
{
    return (double)(fabsl((long double)got - want) / (fabsl(want) * DBL_EPSILON));
}

int main(void)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    double worst_log = 0, worst_tan = 0;

    test_init();
    for (int i = 0, n = test_cases(200000); i < n; i++) {
        double x = test_unit() + 0x1p-54, wide = ldexp(x + 0.5, (int)test_below(2000) - 1000);
        worst_log = fmax(worst_log, ulps(fxi_elementary_log(x), logl(x)));
        worst_log = fmax(worst_log, ulps(fxi_elementary_log(wide), logl(wide)));
        double y = x - 0.5;
        long double far = 0.5L - fabsl(y);      /* exact, where pi y itself would round */
        long double t = far < 0.25L ? copysignl(1 / tanl(pi * far), y) : tanl(pi * y);
        worst_tan = fmax(worst_tan, ulps(fxi_elementary_tanpi(y), t));
    }
    CHECK_NEAR(worst_log, 0, 2);
    CHECK_NEAR(worst_tan, 0, 4);
    CHECK(fxi_elementary_log(1) == 0 && fxi_elementary_tanpi(0) == 0);
    CHECK(isfinite(fxi_elementary_tanpi(0.5 - 0x1p-53)));
    return 0;
}
