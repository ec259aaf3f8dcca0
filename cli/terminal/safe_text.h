/* SPDX-License-Identifier: BSD-3-Clause
 * safe_text.h - names from files and arguments, as a terminal or a picture may show them.
 *
 * Valid UTF-8 stays as it is.  Control characters, invalid bytes, and characters that end a line or
 * reverse the direction of writing become \xNN (a byte) or \uNNNN (a character). */
#ifndef SAFE_TEXT_H
#define SAFE_TEXT_H
#include <stdarg.h>
#include <stdio.h>

struct strbuf;                            /* strbuf.h */

enum { SAFE_ROOM = 8 };                 /* bytes that one character can become, and a NUL */
/* Bytes of the character at p, before end, if it may be shown as it is; else 0. */
size_t safe_length(const char *p, const char *end);
/* The character at p as it may be shown; returns how many bytes of p that was. */
size_t safe_next(char out[SAFE_ROOM], const char *p, const char *end);
/* How many of the last bytes of s[n] begin a character that does not end there. */
size_t safe_tail(const char *s, size_t n);
size_t safe_cut(const char *s, size_t most);    /* bytes of s, in whole characters, up to `most` */
void safe_add(struct strbuf *t, const char *s, size_t n);

/* printf, where what %s and %c print is made safe; text of the format itself is printed as it is.
 * Width and precision of %s count the bytes of the argument.  Knows the conversions of
 * numbers that the program uses; returns the bytes printed. */
int safe_print(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int safe_vprint(FILE *f, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
#endif
