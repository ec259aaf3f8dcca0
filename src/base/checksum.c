/* SPDX-License-Identifier: BSD-3-Clause
 * checksum.c - 64 bits that stand for bytes, at the speed of memory: for rows and sums that are
 * written and read again.  CRC-32 (crc.c) takes several times as long.
 *
 * Eight lanes, x the next 8 bytes of a lane:  h = rotate((h ^ x) K, 31), K odd.  Each step is a
 * bijection of h for given x and of x for given h.  So two inputs that differ in one word of 8
 * bytes always differ in the result; others agree with probability 2^-64. */

#include "base/base.h"

#include <string.h>

enum { LANES = 8, STEP = 8 * LANES };
#define K 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * K;
    return h << 31 | h >> 33;
}

static uint64_t word(const unsigned char *at)
{
    uint64_t x;

    memcpy(&x, at, sizeof x);
    return x;
}

/* Lanes in registers: each is a variable. */
static void add(uint64_t h[LANES], const unsigned char *at, size_t steps)
{
    uint64_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], i = h[7];

    for (; steps; steps--, at += STEP) {
        a = mix(a, word(at)), b = mix(b, word(at + 8));
        c = mix(c, word(at + 16)), d = mix(d, word(at + 24));
        e = mix(e, word(at + 32)), f = mix(f, word(at + 40));
        g = mix(g, word(at + 48)), i = mix(i, word(at + 56));
    }
    h[0] = a, h[1] = b, h[2] = c, h[3] = d, h[4] = e, h[5] = f, h[6] = g, h[7] = i;
}

void fxi_checksum_add(fxi_checksum *c, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    unsigned char last[STEP] = {0};

    add(c->lane, at, len / STEP);
    if (len % STEP) {
        memcpy(last, at + len / STEP * STEP, len % STEP);
        add(c->lane, last, 1);
    }
}

uint64_t fxi_checksum_end(const fxi_checksum *c)
{
    uint64_t h = 1;

    for (size_t k = 0; k < LANES; k++)
        h = mix(h, c->lane[k]);
    return h;
}
