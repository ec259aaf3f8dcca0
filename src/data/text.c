/* SPDX-License-Identifier: BSD-3-Clause
 * text.c - lines of a text, and what messages quote of it. */

#include "data/data.h"

#include <string.h>

bool fxi_data_text_line(const char **line, const char **stop, const char **p, const char *end)
{
    if (*p == end)
        return false;
    const char *feed = memchr(*p, '\n', (size_t)(end - *p));
    *line = *p;
    *stop = feed ? feed : end;
    *p = feed ? feed + 1 : end;
    if (*stop > *line && (*stop)[-1] == '\r')
        --*stop;
    return true;
}

size_t fxi_data_text_lines(const char *text)
{
    size_t n = 1;

    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

const char *fxi_data_text_excerpt(char buf[FXI_EXCERPT], const char *s, size_t len)
{
    size_t n = len < FXI_EXCERPT - 4 ? len : FXI_EXCERPT - 4;

    while (n < len && n && ((unsigned char)s[n] & 0xc0) == 0x80)
        n--;                            /* not in the middle of a UTF-8 character */
    memcpy(buf, s, n);
    memcpy(buf + n, n < len ? "..." : "", n < len ? 4 : 1);
    for (size_t i = 0; i < n; i++)
        if (!buf[i])
            buf[i] = '?';
    return buf;
}

const char *fxi_data_text_odd(const char **at, const char *s, size_t len)
{
    if ((*at = memchr(s, '\0', len)))
        return "a NUL byte: this is not text";
    if ((*at = memchr(s, '\r', len)))
        return "a carriage return inside a line; lines must end with \\n or \\r\\n";
    return NULL;
}

/* One bit 7 for each byte of w that equals the byte repeated in `pattern`, nothing else. */
static uint64_t equal_bytes(uint64_t w, uint64_t pattern)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t x = w ^ pattern;

    return ~(((x & low) + low) | x | low);
}

static size_t sum_bytes(uint64_t w)     /* eight counts of at most 255 */
{
    w = (w & 0x00ff00ff00ff00ffu) + (w >> 8 & 0x00ff00ff00ff00ffu);
    return (size_t)((w * 0x0001000100010001u) >> 48);
}

void fxi_data_text_count(size_t *lines, size_t *marks, const char *p, const char *end, char mark)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t feed = ones * '\n', other = ones * (unsigned char)mark;
    const bool open = end > p && end[-1] != '\n';

    *lines = *marks = 0;
    while (end - p >= 8) {
        uint64_t a = 0, b = 0, w;
        for (int i = 0; i < 255 && end - p >= 8; i++, p += 8) {
            memcpy(&w, p, 8);
            a += equal_bytes(w, feed) >> 7;
            b += equal_bytes(w, other) >> 7;
        }
        *lines += sum_bytes(a);
        *marks += sum_bytes(b);
    }
    for (; p < end; p++) {
        *lines += *p == '\n';
        *marks += *p == mark;
    }
    *lines += open;
}
