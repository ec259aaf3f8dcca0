/* SPDX-License-Identifier: BSD-3-Clause
 * zip_read.c - the content of the members of a zip file; their places: zip_list.c. */

#define ZLIB_CONST
#include "zip_list.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WINDOW = 1 << 16 };

struct zip_reader {
    zip_list list;
    size_t next;                        /* member */
    const zip_member *now;              /* NULL: none is open */
    uint64_t at, left;                  /* of the member: packed bytes read; bytes still to come */
    uint32_t crc;
    bool checked, inflating;
    z_stream z;
    unsigned char window[WINDOW];
};

const char *zip_error(const zip_reader *z) { return z->list.error; }
uint64_t zip_need(const zip_reader *z) { return z->list.need; }

static void end_member(zip_reader *z)
{
    if (z->inflating)
        inflateEnd(&z->z);
    z->inflating = false;
    z->now = NULL;
}

void zip_close(zip_reader *z)
{
    if (!z)
        return;
    end_member(z);
    zip_list_free(&z->list);
    free(z);
}

decode_result zip_open(zip_reader **out, uint64_t size, uint64_t limit, zip_at *at, void *ctx)
{
    zip_reader *z = *out = calloc(1, sizeof *z);

    return z ? zip_list_read(&z->list, size, limit, at, ctx) : DECODE_MEMORY;
}

decode_result zip_next(zip_reader *z, const char **name)
{
    end_member(z);
    *name = NULL;
    if (z->next == z->list.n)
        return DECODE_OK;
    z->now = &z->list.member[z->next++];
    z->at = 0;
    z->left = z->now->size;
    z->crc = (uint32_t)crc32(0, NULL, 0);
    z->checked = false;
    if (z->now->deflated) {
        z->z = (z_stream){0};
        if (inflateInit2(&z->z, -MAX_WBITS) != Z_OK)
            return DECODE_MEMORY;
        z->inflating = true;
    }
    *name = zip_list_name(&z->list, z->now);
    return DECODE_OK;
}

static decode_result damaged(zip_reader *z, const char *what)
{
    return zip_list_damaged(&z->list, z->now->start + z->at, "member '%s': %s",
                            zip_list_name(&z->list, z->now), what);
}

/* The next packed bytes, at most `requested`. */
static decode_result read_compressed(zip_reader *z, void *buf, size_t requested)
{
    decode_result r = zip_list_at(&z->list, buf, requested, z->now->start + z->at);

    z->at += r ? 0 : requested;
    return r;
}

/* Inflates into buf; *made may be less than `requested`.  *end: the deflated data is complete. */
static decode_result inflate_chunk(zip_reader *z, void *buf, size_t requested, size_t *made,
                                   bool *end)
{
    uint64_t rest = z->now->compressed - z->at;

    if (!z->z.avail_in && rest) {
        size_t n = rest < WINDOW ? (size_t)rest : WINDOW;
        decode_result r = read_compressed(z, z->window, n);
        if (r)
            return r;
        z->z.next_in = z->window;
        z->z.avail_in = (uInt)n;
    }
    z->z.next_out = buf;
    z->z.avail_out = (uInt)requested;
    int r = inflate(&z->z, Z_NO_FLUSH);
    *made = requested - z->z.avail_out;
    *end = r == Z_STREAM_END;
    if (r == Z_MEM_ERROR)
        return DECODE_MEMORY;
    if (r == Z_OK || *end)
        return DECODE_OK;
    return damaged(z, r == Z_BUF_ERROR ? "its data ends too early" : "its data is damaged");
}

static decode_result read_chunk(zip_reader *z, unsigned char *buf, size_t requested, size_t *made)
{
    bool end = false;
    decode_result r;

    *made = 0;
    if (z->now->deflated)
        r = inflate_chunk(z, buf, requested, made, &end);
    else if (!(r = read_compressed(z, buf, requested)))
        *made = requested;
    if (!r && end && *made < z->left)
        r = damaged(z, "it holds less than the directory says");
    if (r)
        return r;
    z->crc = (uint32_t)crc32(z->crc, buf, (uInt)*made);
    z->left -= *made;
    return DECODE_OK;
}

/* All bytes are out: does the deflated data end here, is the checksum right? */
static decode_result check(zip_reader *z)
{
    bool end = !z->now->deflated;

    while (!end) {
        unsigned char more;
        size_t made;
        decode_result r = inflate_chunk(z, &more, 1, &made, &end);
        if (r)
            return r;
        if (made)
            return damaged(z, "it holds more than the directory says");
    }
    if (z->inflating && (z->z.avail_in || z->at < z->now->compressed))
        return damaged(z, "other bytes follow its data");
    if (z->crc != z->now->crc)
        return damaged(z, "its checksum is wrong; the data is damaged");
    z->checked = true;
    return DECODE_OK;
}

decode_result zip_read(zip_reader *z, void *buf, size_t requested, size_t *got)
{
    decode_result r = DECODE_OK;

    *got = 0;
    while (!r && *got < requested && z->left) {
        uint64_t left = requested - *got < z->left ? requested - *got : z->left;
        size_t made;
        r = read_chunk(z, (unsigned char *)buf + *got,
                       left < DECODE_CHUNK ? (size_t)left : DECODE_CHUNK, &made);
        *got += made;
    }
    return !r && !z->left && !z->checked ? check(z) : r;
}
