/* SPDX-License-Identifier: BSD-3-Clause
 * strbuf.c - a text that grows. */

#include "terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *strbuf_reserve(strbuf *t, size_t n)
{
    if (!t->failed && t->n + n >= t->capacity) {
        size_t capacity = 2 * (t->n + n) + 256;
        char *s = realloc(t->s, capacity);
        t->failed = !s;
        t->s = s ? s : t->s;
        t->capacity = s ? capacity : t->capacity;
    }
    return t->failed ? NULL : t->s + t->n;
}

void strbuf_bytes(strbuf *t, const void *bytes, size_t n)
{
    char *to = strbuf_reserve(t, n);

    if (to)
        memcpy(to, bytes, n);
    t->n += to ? n : 0;
}

void strbuf_add(strbuf *t, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    t->failed |= n < 0;
    if (strbuf_reserve(t, (size_t)n))
        t->n += (size_t)vsnprintf(t->s + t->n, t->capacity - t->n, format, again);
    va_end(again);
}

void strbuf_field(strbuf *t, const char *field) /* RFC 4180 */
{
    if (!strpbrk(field, ",\"\r\n")) {
        strbuf_bytes(t, field, strlen(field));
        return;
    }
    strbuf_bytes(t, "\"", 1);
    for (; *field; field++)
        strbuf_bytes(t, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    strbuf_bytes(t, "\"", 1);
}

void strbuf_free(strbuf *t)
{
    free(t->s);
    *t = (strbuf){0};
}
