/* SPDX-License-Identifier: BSD-3-Clause
 * strbuf.c - a text that grows. */

#include "terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void strbuf_add(strbuf *t, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    t->failed |= n < 0;
    if (!t->failed && t->n + (size_t)n >= t->room) {
        size_t room = 2 * (t->n + (size_t)n) + 256;
        char *s = realloc(t->s, room);
        t->failed = !s;
        t->s = s ? s : t->s;
        t->room = s ? room : t->room;
    }
    if (!t->failed)
        t->n += (size_t)vsnprintf(t->s + t->n, t->room - t->n, format, again);
    va_end(again);
}

void strbuf_free(strbuf *t)
{
    free(t->s);
    *t = (strbuf){0};
}
