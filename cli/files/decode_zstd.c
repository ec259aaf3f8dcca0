/* SPDX-License-Identifier: BSD-3-Clause
 * decode_zstd.c - one frame of a zstd file, by libzstd; skippable frames give no bytes.
 *
 * The header is read here because libzstd does not report two things: the size of the window before
 * it is allocated, and whether the frame has a checksum.  RFC 8878, section 3.1.1.1. */

#include "decode.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { HEAD = 18 };                     /* the longest header */

static bool skippable(const unsigned char *p)
{
    return (p[0] & 0xf0) == 0x50 && !memcmp(p + 1, "\x2a\x4d\x18", 3);
}

static bool begins(const unsigned char *p, size_t len)
{
    return len >= 4 && (!memcmp(p, "\x28\xb5\x2f\xfd", 4) || skippable(p));
}

/* Size of the window in bytes.  Missing bytes of a truncated header count as 0; libzstd rejects it
 * later. */
static uint64_t window(const unsigned char *p, size_t len)
{
    static const unsigned char id_bytes[] = {0, 1, 2, 4}, size_bytes[] = {1, 2, 4, 8};
    unsigned char head[HEAD] = {0};
    uint64_t size = 0;

    memcpy(head, p, len < HEAD ? len : HEAD);
    if (!(head[4] & 0x20)) {
        uint64_t base = UINT64_C(1) << (10 + (head[5] >> 3));
        return base + base / 8 * (head[5] & 7);
    }
    const unsigned char *q = head + 5 + id_bytes[head[4] & 3];  /* one segment: the content */
    for (size_t i = size_bytes[head[4] >> 6]; i-- > 0;)
        size = size << 8 | q[i];
    return size;
}

static decode_result open_zstd(void **state, decode_step *s)
{
    bool frame = !skippable(s->in);
    ZSTD_DCtx *z;

    s->need = frame ? window(s->in, s->in_len) : 0;
    if (s->need > s->limit)
        return DECODE_LIMIT;
    s->unchecked = frame && s->in_len > 4 && !(s->in[4] & 4);
    if (!(z = ZSTD_createDCtx()))
        return DECODE_MEMORY;
    ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax,
                           ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    *state = z;
    return DECODE_OK;
}

static decode_result decode(void *state, decode_step *s)
{
    ZSTD_inBuffer in = {s->in, s->in_len, 0};
    ZSTD_outBuffer out = {s->out, s->out_len, 0};
    size_t r = ZSTD_decompressStream(state, &out, &in);

    s->in += in.pos;
    s->in_len -= in.pos;
    s->out += out.pos;
    s->out_len -= out.pos;
    if (ZSTD_isError(r)) {
        s->reason = ZSTD_getErrorName(r);
        return ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation ? DECODE_MEMORY
                                                                    : DECODE_DAMAGED;
    }
    return r == 0 ? DECODE_END : DECODE_OK;
}

static void close_zstd(void *state) { ZSTD_freeDCtx(state); }

const decode_format decode_zstd = {.name = "zstd", .extension = ".zst", .library = "libzstd",
                                   .version = ZSTD_versionString, .head = HEAD, .begins = begins,
                                   .open = open_zstd, .decode = decode, .close = close_zstd};
