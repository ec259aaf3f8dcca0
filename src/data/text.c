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
