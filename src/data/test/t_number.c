/* SPDX-License-Identifier: BSD-3-Clause
 * t_number.c - the public face of base/decimal.c: the shortest text that reads back exactly. */

#include "base/test.h"
#include "featcross.h"

#include <string.h>

/* Significant digits of a number as text. */
static int digits(const char *p)
{
    int n = 0, zeros = 0;

    for (; *p && *p != 'e'; p++) {
        if (*p >= '1' && *p <= '9') {
            n += zeros + 1;
            zeros = 0;
        } else if (*p == '0' && n)
            zeros++;                    /* counted if a digit follows */
    }
    return n;
}

/* The fewest digits by which the C library's correct rounding gets x across. */
static void shortest(double x)
{
    char got[32], expected[64];
    int precision = 1;

    fx_data_number(got, x);
    do
        snprintf(expected, sizeof expected, "%.*e", precision - 1, x);
    while (strtod(expected, NULL) != x && ++precision);
    if (digits(got) > digits(expected) || strtod(got, NULL) != x) {
        fprintf(stderr, "%a: got %s, want %s\n", x, got, expected);
        exit(1);
    }
}

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
        shortest(x);
        x = ldexp((double)(test_u64() >> 11), (int)test_below(100) - 100);
        shortest(x);                    /* 52 random bits, 1e-30 to 1e15 */
        shortest((double)test_below(100000) / pow(10, (double)test_below(16)));
        shortest((double)(test_u64() >> 8 >> test_below(40)) / 1e3); /* 16 and 17 digits */
    }
    for (int e = -1074; e < 1024; e++) {        /* powers of two: the gap below is half as wide */
        double x = ldexp(1, e);
        shortest(x), shortest(nextafter(x, 0)), shortest(nextafter(x, INFINITY));
    }
    return 0;
}
