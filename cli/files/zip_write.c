/* SPDX-License-Identifier: BSD-3-Clause
 * zip_write.c - a zip file of stored members; see zip_write.h.
 *
 * The size of a member is known before its data, the checksum only afterwards; so the checksum
 * follows the data (bit 3 of the flags), as a pipe demands.  Files get the same bytes.  APPNOTE.TXT
 * of PKWARE, sections 4.3 and 4.5.3. */

#include "zip_write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DESCRIPTOR = 1 << 3, DATE = 1 << 5 | 2, UNIX = 3 << 8, PLAIN = 20, ZIP64 = 45 };
static const uint32_t WIDE = 0xffffffff;        /* the value is among the zip64 fields */
static const uint32_t MODE = 0100644;           /* a regular file, rw-r--r-- */

typedef struct record {                 /* of the file, being put together */
    unsigned char bytes[128 + sizeof((zip_writer *)0)->name];
    size_t len;
} record;

static void add(record *r, size_t bytes, uint64_t v)
{
    for (; bytes-- > 0; v >>= 8)
        r->bytes[r->len++] = (unsigned char)v;
}

static void add_name(record *r, const char *name)
{
    memcpy(r->bytes + r->len, name, strlen(name));
    r->len += strlen(name);
}

static bool wide(const zip_writer *z, uint64_t v) { return v >= (z->wide ? z->wide : WIDE); }

/* v in four bytes, or the mark that it is among the zip64 fields */
static void add_or_mark(record *r, const zip_writer *z, uint64_t v)
{
    add(r, 4, wide(z, v) ? WIDE : v);
}

static int put(zip_writer *z, const void *bytes, size_t len)
{
    z->offset += len;
    return z->put(z->ctx, bytes, len);
}

/* From the version that a reader needs to the date: what both headers of a member begin with. */
static void add_kind(record *r, bool is_wide)
{
    add(r, 2, is_wide ? ZIP64 : PLAIN);
    add(r, 2, DESCRIPTOR);
    add(r, 2, 0);                       /* stored */
    add(r, 2, 0);                       /* midnight */
    add(r, 2, DATE);
}

/* The checksum of the member's data, and its entry for the directory. */
static int end_member(zip_writer *z)
{
    record r = {.len = 0}, e = {.len = 0};
    bool big = wide(z, z->size), far = wide(z, z->start);
    size_t extra = (big ? 16u : 0u) + (far ? 8u : 0u);

    if (!*z->name)
        return 0;
    if (z->got != z->size)
        return EIO;
    add(&r, 4, 0x08074b50);
    add(&r, 4, z->crc);
    add(&r, big ? 8 : 4, z->size);
    add(&r, big ? 8 : 4, z->size);

    add(&e, 4, 0x02014b50);
    add(&e, 2, UNIX | (big || far ? ZIP64 : PLAIN));
    add_kind(&e, big || far);
    add(&e, 4, z->crc);
    add_or_mark(&e, z, z->size);
    add_or_mark(&e, z, z->size);
    add(&e, 2, strlen(z->name));
    add(&e, 2, extra ? extra + 4 : 0);
    add(&e, 2, 0);                      /* comment */
    add(&e, 2, 0);                      /* disk */
    add(&e, 2, 0);
    add(&e, 4, (uint64_t)MODE << 16);
    add_or_mark(&e, z, z->start);
    add_name(&e, z->name);
    if (extra) {
        add(&e, 2, 1);
        add(&e, 2, extra);
        if (big) {
            add(&e, 8, z->size);
            add(&e, 8, z->size);
        }
        if (far)
            add(&e, 8, z->start);
    }
    if (z->capacity - z->used < e.len) {
        size_t capacity = 2 * z->capacity + sizeof e.bytes;
        unsigned char *more = realloc(z->directory, capacity);
        if (!more)
            return ENOMEM;
        z->directory = more;
        z->capacity = capacity;
    }
    memcpy(z->directory + z->used, e.bytes, e.len);
    z->used += e.len;
    z->members++;
    z->name[0] = '\0';
    return put(z, r.bytes, r.len);
}

int zip_write_member(zip_writer *z, const char *name, uint64_t size)
{
    record r = {.len = 0};
    bool big = wide(z, size);
    int error = end_member(z);

    if (error)
        return error;
    if (!*name || strlen(name) >= sizeof z->name)
        return ENAMETOOLONG;
    memcpy(z->name, name, strlen(name) + 1);
    z->start = z->offset;
    z->size = size;
    z->got = 0;
    z->crc = (uint32_t)crc32(0, NULL, 0);
    add(&r, 4, 0x04034b50);
    add_kind(&r, big);
    add(&r, 4, 0);                      /* the checksum follows */
    add_or_mark(&r, z, size);
    add_or_mark(&r, z, size);
    add(&r, 2, strlen(name));
    add(&r, 2, big ? 20 : 0);
    add_name(&r, name);
    if (big) {
        add(&r, 2, 1);
        add(&r, 2, 16);
        add(&r, 8, size);
        add(&r, 8, size);
    }
    return put(z, r.bytes, r.len);
}

int zip_write_data(zip_writer *z, const void *bytes, size_t len)
{
    if (len > z->size - z->got)
        return EIO;
    z->got += len;
    z->crc = (uint32_t)crc32_z(z->crc, bytes, len);
    return put(z, bytes, len);
}

int zip_write_end(zip_writer *z)
{
    record r = {.len = 0};
    int error = end_member(z);
    uint64_t at = z->offset, end;

    if (!error)
        error = put(z, z->directory, z->used);
    if (error)
        return error;
    end = z->offset;
    bool many = z->members >= (z->wide ? z->wide : 0xffff);
    if (many || wide(z, z->used) || wide(z, at)) {
        add(&r, 4, 0x06064b50);
        add(&r, 8, 44);                 /* bytes that follow in this record */
        add(&r, 2, UNIX | ZIP64);
        add(&r, 2, ZIP64);
        add(&r, 4, 0);                  /* disks */
        add(&r, 4, 0);
        add(&r, 8, z->members);
        add(&r, 8, z->members);
        add(&r, 8, z->used);
        add(&r, 8, at);
        add(&r, 4, 0x07064b50);         /* where that record is */
        add(&r, 4, 0);
        add(&r, 8, end);
        add(&r, 4, 1);                  /* disks in all */
    }
    add(&r, 4, 0x06054b50);
    add(&r, 2, 0);                      /* disks */
    add(&r, 2, 0);
    add(&r, 2, many ? 0xffff : z->members);
    add(&r, 2, many ? 0xffff : z->members);
    add_or_mark(&r, z, z->used);
    add_or_mark(&r, z, at);
    add(&r, 2, 0);                      /* comment */
    return put(z, r.bytes, r.len);
}

void zip_write_free(zip_writer *z)
{
    free(z->directory);
    *z = (zip_writer){0};
}
