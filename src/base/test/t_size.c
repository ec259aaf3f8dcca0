/* SPDX-License-Identifier: BSD-3-Clause
 * t_size.c - sums and products of sizes against 128-bit arithmetic. */

#include "base/base.h"
#include "base/test.h"

__extension__ typedef unsigned __int128 u128;

static size_t draw(void)                /* small, large, near the end */
{
    size_t x = (size_t)(test_u64() >> test_below(64));

    return test_below(4) ? x : SIZE_MAX - x % 4;
}

int main(void)
{
    test_init();
    for (int i = 0, n = test_cases(100000); i < n; i++) {
        size_t a = draw(), b = draw(), out = 7;
        u128 sum = (u128)a + b, product = (u128)a * b;
        CHECK(fxi_size_add(&out, a, b) == (sum <= SIZE_MAX));
        CHECK(sum > SIZE_MAX || out == (size_t)sum);
        CHECK(fxi_size_mul(&out, a, b) == (product <= SIZE_MAX));
        CHECK(product > SIZE_MAX || out == (size_t)product);
    }
    return 0;
}
