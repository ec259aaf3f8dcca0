/* SPDX-License-Identifier: BSD-3-Clause
 * process.h - makes the n-th allocation of the whole process fail: the program's, and those of the
 * libraries that it links, the C library included.
 *
 * The test defines malloc and its relatives itself, which replaces them everywhere.  With
 * AddressSanitizer, which does the same, the linker wraps them instead (--wrap), and allocations of
 * shared libraries do not fail. */
#ifndef PROCESS_H
#define PROCESS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum process_what {
    PROCESS_NOTHING,
    PROCESS_ONE,
    PROCESS_ALL_FROM,
    PROCESS_LIST                        /* nothing fails; see process_sites */
} process_what;
/* From now on; n counts from 1. */
void process_fail(process_what what, long n);
/* Where allocations come from, as hashes of their call stacks. */
enum { PROCESS_SITES = 1 << 16 };
typedef struct process_sites {
    long n;                             /* allocations; the first PROCESS_SITES are hashed */
    uint64_t hash[PROCESS_SITES];
} process_sites;
extern process_sites *process_shared;   /* in memory that the parent process sees */
#endif
