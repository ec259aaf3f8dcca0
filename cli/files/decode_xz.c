/* SPDX-License-Identifier: BSD-3-Clause
 * decode_xz.c - one stream of an xz file, by liblzma.  Streams may be followed by padding. */

#include "decode.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = LZMA_TELL_NO_CHECK | LZMA_TELL_UNSUPPORTED_CHECK };

static bool begins(const unsigned char *p, size_t len)
{
    return len >= 6 && !memcmp(p, (const unsigned char[]){0xfd, '7', 'z', 'X', 'Z', 0}, 6);
}

static decode_result open_xz(void **state, decode_step *s)
{
    const lzma_stream none = LZMA_STREAM_INIT;
    lzma_stream *z = malloc(sizeof *z);

    if (z)
        *z = none;
    if (!z || lzma_stream_decoder(z, s->limit ? s->limit : 1, FLAGS) != LZMA_OK) {
        free(z);
        return DECODE_MEMORY;
    }
    *state = z;
    return DECODE_OK;
}

static const char *reason(lzma_ret r)
{
    return r == LZMA_FORMAT_ERROR    ? "not an xz header"
           : r == LZMA_OPTIONS_ERROR ? "options that liblzma does not know"
                                     : NULL;
}

static decode_result decode(void *state, decode_step *s)
{
    lzma_stream *z = state;
    lzma_ret r;

    z->next_in = s->in;
    z->avail_in = s->in_len;
    z->next_out = s->out;
    z->avail_out = s->out_len;
    while ((r = lzma_code(z, LZMA_RUN)) == LZMA_NO_CHECK || r == LZMA_UNSUPPORTED_CHECK)
        s->unchecked = true;            /* told once, before the first byte */
    s->in = z->next_in;
    s->in_len = z->avail_in;
    s->out = z->next_out;
    s->out_len = z->avail_out;
    s->reason = reason(r);
    s->need = r == LZMA_MEMLIMIT_ERROR ? lzma_memusage(z) : 0;
    return r == LZMA_STREAM_END                  ? DECODE_END
           : r == LZMA_OK || r == LZMA_BUF_ERROR ? DECODE_OK
           : r == LZMA_MEM_ERROR                 ? DECODE_MEMORY
           : r == LZMA_MEMLIMIT_ERROR            ? DECODE_LIMIT
                                                 : DECODE_DAMAGED;
}

static void close_xz(void *state)
{
    lzma_end(state);
    free(state);
}

const decode_format decode_xz = {.name = "xz", .extension = ".xz", .library = "liblzma",
                                 .version = lzma_version_string, .head = 6, .padding = 4,
                                 .begins = begins, .open = open_xz, .decode = decode,
                                 .close = close_xz};
