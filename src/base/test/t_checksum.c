/* SPDX-License-Identifier: BSD-3-Clause
 * t_checksum.c - checksums: pieces are as the whole; every bit counts, and so does the order. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>

static uint64_t sum(const void *bytes, size_t len)
{
    fxi_checksum c = {0};

    fxi_checksum_add(&c, bytes, len);
    return fxi_checksum_end(&c);
}

int main(void)
{
    unsigned char x[512];

    test_init();
    for (size_t i = 0; i < sizeof x; i++)
        x[i] = (unsigned char)test_below(256);
    for (size_t len = 1; len <= sizeof x; len += 37) {
        uint64_t whole = sum(x, len);
        for (size_t cut = 0; cut <= len; cut += 64) {
            fxi_checksum c = {0};
            fxi_checksum_add(&c, x, cut);
            fxi_checksum_add(&c, x + cut, len - cut);
            CHECK(fxi_checksum_end(&c) == whole);
        }
        for (size_t bit = 0; bit < 8 * len; bit++) {
            x[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(sum(x, len) != whole);
            x[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
    uint64_t before = sum(x, sizeof x);
    for (size_t a = 0; a < 64; a++)     /* two words change places, also between lanes */
        for (size_t b = 0; b < a; b++) {
            unsigned char y[sizeof x];
            memcpy(y, x, sizeof y);
            memcpy(y + 8 * a, x + 8 * b, 8);
            memcpy(y + 8 * b, x + 8 * a, 8);
            CHECK(sum(y, sizeof y) != before);
        }
    return 0;
}
