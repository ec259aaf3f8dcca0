/* SPDX-License-Identifier: BSD-3-Clause
 * zip_write.h - a zip file of stored members, written from front to back, to files and pipes.
 *
 * The same content gives the same bytes: every member is dated 2 January 1980.  Functions return 0
 * or an errno. */
#ifndef ZIP_WRITE_H
#define ZIP_WRITE_H
#include <stddef.h>
#include <stdint.h>

typedef struct zip_writer {
    int (*put)(void *ctx, const void *bytes, size_t len);       /* 0 or an errno */
    void *ctx;
    uint64_t wide;                      /* what is not less is written as zip64; 0: as usual */
    /* the rest is zip_write.c's */
    uint64_t offset, members;           /* bytes and members so far */
    unsigned char *directory;
    size_t used, capacity;
    char name[256];                     /* of the member that is being written, "": none */
    uint64_t start, size, got;
    uint32_t crc;
} zip_writer;
int zip_write_member(zip_writer *z, const char *name, uint64_t size);
int zip_write_data(zip_writer *z, const void *bytes, size_t len);
int zip_write_end(zip_writer *z);       /* the last member is complete: the directory */
void zip_write_free(zip_writer *z);
#endif
