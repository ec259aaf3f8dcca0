/* SPDX-License-Identifier: BSD-3-Clause
 * strbuf.h - a text that grows.  Start with {0}; if memory ends, failed is set and adding does
 * nothing, so that only the end needs to look. */
#ifndef STRBUF_H
#define STRBUF_H
#include <stdbool.h>
#include <stddef.h>

typedef struct strbuf {
    char *s;                            /* ends with a NUL; NULL: nothing was added */
    size_t n, room;
    bool failed;
} strbuf;
void strbuf_add(strbuf *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_free(strbuf *t);
#endif
