/* SPDX-License-Identifier: BSD-3-Clause
 * wrap.c - see wrap.h. */

#include "wrap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int failing = WRAP_NOTHING;
static atomic_long countdown, live;
static atomic_bool failed;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);

void wrap_fail(wrap_what what, long n)
{
    countdown = n;
    failed = false;
    failing = what;
}

bool wrap_failed(void) { return failed; }
long wrap_live(void) { return live; }

static bool fails(bool thread)
{
    wrap_what what = (wrap_what)failing;

    if (what == WRAP_NOTHING || (what == WRAP_THREAD) != thread)
        return false;
    long left = --countdown;
    if (left > 0 || (left < 0 && what == WRAP_ONE))
        return false;
    failed = true;
    return true;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *__wrap_malloc(size_t size) { return fails(false) ? NULL : counted(__real_malloc(size)); }

void *__wrap_calloc(size_t n, size_t size)
{
    return fails(false) ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    if (fails(false))
        return NULL;
    return p ? __real_realloc(p, size) : counted(__real_realloc(p, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(false) ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    return fails(true) ? EAGAIN : __real_pthread_create(id, attr, fn, arg);
}
