/* SPDX-License-Identifier: BSD-3-Clause
 * t_crc.c - known remainders, the definition bit by bit, and texts in pieces. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>

static uint32_t slow(const unsigned char *p, size_t n)
{
    uint32_t r = UINT32_MAX;

    for (size_t i = 0; i < 8 * n; i++) {
        uint32_t bit = (uint32_t)(p[i / 8] >> i % 8 & 1);
        r = (r ^ bit) & 1 ? r >> 1 ^ 0xedb88320u : r >> 1;
    }
    return ~r;
}

int main(void)
{
    unsigned char text[300];

    test_init();
    CHECK(fxi_crc(0, "", 0) == 0);
    CHECK(fxi_crc(0, "a", 1) == 0xe8b7be43);
    CHECK(fxi_crc(0, "123456789", 9) == 0xcbf43926);
    CHECK(fxi_crc(0, "The quick brown fox jumps over the lazy dog", 43) == 0x414fa339);
    for (int c = 0; c < test_cases(300); c++) {
        size_t n = test_below(sizeof text + 1), cut = test_below(n + 1);
        for (size_t i = 0; i < n; i++)
            text[i] = (unsigned char)test_u64();
        CHECK(fxi_crc(0, text, n) == slow(text, n));
        CHECK(fxi_crc(fxi_crc(0, text, cut), text + cut, n - cut) == slow(text, n));
    }
    return 0;
}
