/* SPDX-License-Identifier: BSD-3-Clause
 * process.c - see process.h. */

#include "process.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unwind.h>

process_sites *process_shared;
static atomic_int failing = PROCESS_NOTHING;
static atomic_long count, chosen;
static _Thread_local bool inside;       /* the unwinder may allocate */

void process_fail(process_what what, long n)
{
    count = 0;
    chosen = n;
    failing = what;
}

typedef struct stack {
    uint64_t hash;
    int depth;
} stack;

static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *ctx)
{
    stack *s = ctx;

    s->hash = (s->hash ^ (uint64_t)_Unwind_GetIP(c)) * 0x100000001b3u;
    s->hash ^= s->hash >> 29;
    return ++s->depth < 32 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void list(void)
{
    stack s = {0xcbf29ce484222325u, 0};
    long at = count++;

    inside = true;
    if (at < PROCESS_SITES) {
        _Unwind_Backtrace(frame, &s);
        process_shared->hash[at] = s.hash;
    }
    inside = false;
    process_shared->n = at + 1;
}

static bool fails(void)
{
    process_what what = (process_what)failing;

    if (what == PROCESS_NOTHING || inside)
        return false;
    if (what == PROCESS_LIST) {
        list();
        return false;
    }
    long n = ++count;
    if (n < chosen || (n > chosen && what == PROCESS_ONE))
        return false;
    errno = ENOMEM;
    return true;
}

#pragma GCC visibility push(default)    /* shared libraries must find them */
#ifdef PROCESS_WRAP
#define OURS(name) __wrap_##name
#define REAL(name) __real_##name
#else
#define OURS(name) name
#define REAL(name) __libc_##name
#endif
void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t n, size_t size);
void *REAL(realloc)(void *p, size_t size);
void *OURS(malloc)(size_t size);
void *OURS(calloc)(size_t n, size_t size);
void *OURS(realloc)(void *p, size_t size);
void *OURS(aligned_alloc)(size_t alignment, size_t size);

void *OURS(malloc)(size_t size) { return fails() ? NULL : REAL(malloc)(size); }
void *OURS(calloc)(size_t n, size_t size) { return fails() ? NULL : REAL(calloc)(n, size); }
void *OURS(realloc)(void *p, size_t size) { return fails() ? NULL : REAL(realloc)(p, size); }

#ifdef PROCESS_WRAP
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *s) { return fails() ? NULL : __real_strdup(s); }
#else
void *__libc_memalign(size_t alignment, size_t size);
int posix_memalign(void **p, size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *q = memalign(alignment, size);

    if (q)
        *p = q;
    return q ? 0 : ENOMEM;
}
#endif
#pragma GCC visibility pop
