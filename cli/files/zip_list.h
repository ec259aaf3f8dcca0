/* SPDX-License-Identifier: BSD-3-Clause
 * zip_list.h - the directory of a zip file, checked; for zip_read.c. */
#ifndef ZIP_LIST_H
#define ZIP_LIST_H
#include "zip_read.h"

enum { ZIP_NAME = 256 };                /* bytes of the longest name, with its NUL */

typedef struct zip_member {
    uint64_t header, start, compressed, size; /* offsets of header and data; bytes of data */
    uint32_t crc;
    uint16_t name_len, method, flags;
    bool deflated;
    size_t name;                        /* offset in the directory */
} zip_member;

typedef struct zip_list {
    zip_member *member;                 /* [n] in the order of the directory */
    size_t n;
    uint64_t size, need;                /* bytes of the file; of memory, for DECODE_LIMIT */
    zip_at *at;
    void *ctx;
    unsigned char *directory;
    uint64_t directory_at, directory_len;
    char name[ZIP_NAME];                /* zip_list_name's answer */
    char error[DECODE_ERROR];
} zip_list;
decode_result zip_list_read(zip_list *l, uint64_t size, uint64_t limit, zip_at *at, void *ctx);
const char *zip_list_name(zip_list *l, const zip_member *m);     /* until the next call */
/* Exactly n bytes from there on. */
decode_result zip_list_at(zip_list *l, void *buf, size_t n, uint64_t offset);
decode_result zip_list_damaged(zip_list *l, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void zip_list_free(zip_list *l);
#endif
