/* SPDX-License-Identifier: BSD-3-Clause
 * memory.c - every allocation of the library passes here.
 *
 * Arrays are 64-byte aligned (a cache line, and one AVX-512 register).  free() frees all. */

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static fx_status no_memory(size_t n, size_t size)
{
    return fxi_error(FX_ENOMEM, "out of memory: %zu items of %zu bytes", n, size);
}

void *fxi_alloc(size_t n, size_t size)
{
    size_t bytes, padded;
    void *p = NULL;

    if (fxi_size_mul(&bytes, n, size) && fxi_size_add(&padded, bytes, 63))
        p = aligned_alloc(64, padded < 64 ? 64 : padded & ~(size_t)63);
    if (!p)
        no_memory(n, size);
    return p;
}

void *fxi_zalloc(size_t n, size_t size)
{
    void *p = fxi_alloc(n, size);

    if (p)
        memset(p, 0, n * size);
    return p;
}

void *fxi_realloc(void *old, size_t n, size_t size)
{
    size_t bytes;
    void *p = NULL;

    if (fxi_size_mul(&bytes, n, size))
        p = realloc(old, bytes ? bytes : 1);
    if (!p)
        no_memory(n, size);
    return p;
}

char *fxi_strndup(const char *s, size_t n)
{
    char *copy = fxi_realloc(NULL, n + 1, 1);

    if (copy) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

void fxi_memory_free(void *const *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(p[i]);
}

fx_status fxi_memory_check(const fx_run *run, size_t bytes, const char *what)
{
    fx_status st = fxi_sized_run_check(run);
    uint64_t limit = fxi_sized_run(run).max_memory;

    if (!st && limit && bytes > limit)
        return fxi_error(FX_ELIMIT, "%s needs %zu bytes, the limit is %llu", what, bytes,
                         (unsigned long long)limit);
    return st;
}

void *fxi_alloc_within(fx_status *st, size_t n, size_t size, const fx_run *run, const char *what)
{
    size_t bytes = fxi_size_mul(&bytes, n, size) ? bytes : SIZE_MAX;
    void *p;

    if (*st || (*st = fxi_memory_check(run, bytes, what)))
        return NULL;
    if (!(p = fxi_alloc(n, size)))
        *st = FX_ENOMEM;
    return p;
}
