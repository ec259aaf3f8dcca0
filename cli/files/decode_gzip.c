/* SPDX-License-Identifier: BSD-3-Clause
 * decode_gzip.c - one member of a gzip file, by zlib, which checks CRC-32 and length. */

#define ZLIB_CONST
#include "decode.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP = 16 };                     /* added to the bits of the window: a gzip header */

static bool begins(const unsigned char *p, size_t len)
{
    return len >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

static decode_result open_gzip(void **state, decode_step *s)
{
    z_stream *z = calloc(1, sizeof *z);

    (void)s;
    if (!z || inflateInit2(z, MAX_WBITS + GZIP) != Z_OK) {
        free(z);
        return DECODE_MEMORY;
    }
    *state = z;
    return DECODE_OK;
}

static decode_result decode(void *state, decode_step *s)
{
    z_stream *z = state;

    z->next_in = s->in;
    z->avail_in = (uInt)s->in_len;
    z->next_out = s->out;
    z->avail_out = (uInt)s->out_len;
    int r = inflate(z, Z_NO_FLUSH);
    s->in = z->next_in;
    s->in_len = z->avail_in;
    s->out = z->next_out;
    s->out_len = z->avail_out;
    s->reason = z->msg;
    return r == Z_STREAM_END               ? DECODE_END
           : r == Z_OK || r == Z_BUF_ERROR ? DECODE_OK
           : r == Z_MEM_ERROR              ? DECODE_MEMORY
                                           : DECODE_DAMAGED;
}

static void close_gzip(void *state)
{
    inflateEnd(state);
    free(state);
}

const decode_format decode_gzip = {.name = "gzip", .extension = ".gz", .library = "zlib",
                                   .version = zlibVersion, .head = 2, .begins = begins,
                                   .open = open_gzip, .decode = decode, .close = close_gzip};
