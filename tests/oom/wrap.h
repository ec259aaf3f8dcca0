/* SPDX-License-Identifier: BSD-3-Clause
 * wrap.h - makes the n-th allocation, or the n-th thread, fail.
 *
 * The linker sends every call of malloc, calloc, realloc, aligned_alloc, free and pthread_create in
 * the test and in the static library to wrap.c (--wrap), so no hook is needed in the library. */
#ifndef WRAP_H
#define WRAP_H
#include <stdbool.h>

typedef enum wrap_what { WRAP_NOTHING, WRAP_ONE, WRAP_ALL_FROM, WRAP_THREAD } wrap_what;

void wrap_fail(wrap_what what, long n); /* from now on; n counts from 1; WRAP_NOTHING: stop */
bool wrap_failed(void);                 /* has something failed since wrap_fail? */
long wrap_live(void);                   /* allocations not yet freed */
#endif
