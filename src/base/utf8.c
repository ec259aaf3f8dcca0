/* SPDX-License-Identifier: BSD-3-Clause
 * utf8.c - UTF-8 as RFC 3629 defines it: the shortest form of a code point up to U+10FFFF that is
 * not half of a surrogate pair. */

#include "base/base.h"

size_t fxi_utf8(const char *text, const char *end)
{
    static const uint32_t min_code[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    size_t more;

    if (text == end)
        return 0;
    if (*p < 0x80)
        return 1;
    if (*p >> 5 == 6)
        more = 1;
    else if (*p >> 4 == 14)
        more = 2;
    else if (*p >> 3 == 30)
        more = 3;
    else
        return 0;
    if ((size_t)(end - text) <= more)
        return 0;
    uint32_t c = *p & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    return c < min_code[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : more + 1;
}
