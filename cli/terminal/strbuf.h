/* SPDX-License-Identifier: BSD-3-Clause
 * strbuf.h - a text that grows.  Start with {0}; if memory ends, failed is set and adding does
 * nothing, so that only the end needs to look. */
#ifndef TEXT_H
#define TEXT_H
#include <stdbool.h>
#include <stddef.h>

typedef struct text {
    char *s;                            /* ends with a NUL; NULL: nothing was added */
    size_t n, room;
    bool failed;
} text;
void text_add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(text *t);
#endif
