/* SPDX-License-Identifier: BSD-3-Clause
 * t_number.c - the public face of base/decimal.c: shortest text, read back exactly. */

#include "base/test.h"
#include "featcross.h"

#include <string.h>

int main(void)
{
    char buf[32];

    test_init();
    CHECK(fx_data_number(buf, 0.1) == 3 && !strcmp(buf, "0.1"));
    CHECK(fx_data_number(buf, -1234567) == 8 && !strcmp(buf, "-1234567"));
    for (int i = 0, n = test_cases(20000); i < n; i++) {
        double x;
        uint64_t bits = test_u64();
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        int len = fx_data_number(buf, x);
        CHECK(len > 0 && len < 32 && strlen(buf) == (size_t)len);
        CHECK(strtod(buf, NULL) == x);
    }
    return 0;
}
