/* SPDX-License-Identifier: BSD-3-Clause
 * crc.c - CRC-32 of zlib, gzip and PNG: the remainder modulo the reflected polynomial 0xedb88320,
 * begun with and ended by an exclusive or with 2^32 - 1.
 *
 * Eight bytes per step: entry [k][b] of the tables is the effect of byte b on the remainder when k
 * more bytes follow it, and the eight effects are combined by exclusive or [1].  The tables are
 * made on the stack by every call, so that there is no global state; this costs as much as 3 kB of
 * input.
 *
 * [1] M. Kounavis, F. Berry. Novel table lookup-based algorithms for high-performance CRC
 *     generation. IEEE Transactions on Computers 57 (2008). */

#include "base/base.h"

#include <string.h>

uint32_t fxi_crc(uint32_t crc, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    uint32_t t[8][256];

    for (uint32_t b = 0; b < 256; b++) {
        uint32_t r = b;
        for (int bit = 0; bit < 8; bit++)
            r = r >> 1 ^ (r & 1 ? 0xedb88320u : 0);
        t[0][b] = r;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 255];
    crc = ~crc;
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t w;                     /* the first byte lowest: little-endian, see decimal.c */
        memcpy(&w, p, 8);
        w ^= crc;
        crc = t[7][w & 255] ^ t[6][w >> 8 & 255] ^ t[5][w >> 16 & 255] ^ t[4][w >> 24 & 255]
              ^ t[3][w >> 32 & 255] ^ t[2][w >> 40 & 255] ^ t[1][w >> 48 & 255] ^ t[0][w >> 56];
    }
    for (; len; len--, p++)
        crc = crc >> 8 ^ t[0][(crc ^ *p) & 255];
    return ~crc;
}
