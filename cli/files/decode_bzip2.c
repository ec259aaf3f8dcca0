/* SPDX-License-Identifier: BSD-3-Clause
 * decode_bzip2.c - one stream of a bzip2 file, by libbz2, which checks the CRC of each block and
 * of all. */

#include "decode.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const unsigned char *p, size_t len)
{
    return len >= 4 && !memcmp(p, "BZh", 3) && p[3] >= '1' && p[3] <= '9';
}

static decode_result open_bzip2(void **state, decode_step *s)
{
    bz_stream *z = calloc(1, sizeof *z);

    (void)s;
    if (!z || BZ2_bzDecompressInit(z, 0, 0) != BZ_OK) {
        free(z);
        return DECODE_MEMORY;
    }
    *state = z;
    return DECODE_OK;
}

static decode_result decode(void *state, decode_step *s)
{
    bz_stream *z = state;
    char *in = (char *)(uintptr_t)s->in;        /* libbz2 only reads there */

    z->next_in = in;
    z->avail_in = (unsigned)s->in_len;
    z->next_out = (char *)s->out;
    z->avail_out = (unsigned)s->out_len;
    int r = BZ2_bzDecompress(z);
    s->in += s->in_len - z->avail_in;
    s->in_len = z->avail_in;
    s->out += s->out_len - z->avail_out;
    s->out_len = z->avail_out;
    return r == BZ_STREAM_END  ? DECODE_END
           : r == BZ_OK        ? DECODE_OK
           : r == BZ_MEM_ERROR ? DECODE_MEMORY
                               : DECODE_DAMAGED;
}

static void close_bzip2(void *state)
{
    BZ2_bzDecompressEnd(state);
    free(state);
}

static const char *version(void) { return BZ2_bzlibVersion(); }

const decode_format decode_bzip2 = {.name = "bzip2", .extension = ".bz2", .library = "libbz2",
                                    .version = version, .head = 4, .begins = begins,
                                    .open = open_bzip2, .decode = decode, .close = close_bzip2};
