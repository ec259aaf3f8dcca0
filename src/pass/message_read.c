/* SPDX-License-Identifier: BSD-3-Clause
 * message_read.c - reads a message that message.c wrote; lengths in it may lie. */

#include "pass/pass.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 8, SUM_AT = 16 };         /* the header: name, length, checksum */

static bool is_whole(const unsigned char *at, size_t len, const char name[8])
{
    enum { FIRST = 64 };                /* as much as checksums take at a time */
    unsigned char first[FIRST];
    size_t n = len < FIRST ? len : FIRST;
    uint64_t stated, sum;
    fxi_checksum c = {0};

    if (len < FXI_MESSAGE_HEADER || len % 8 || memcmp(at, name, NAME) != 0)
        return false;
    memcpy(&stated, at + NAME, sizeof stated);
    memcpy(&sum, at + SUM_AT, sizeof sum);
    if (stated != len)
        return false;
    memcpy(first, at, n);
    memset(first + SUM_AT, 0, sizeof sum);
    fxi_checksum_add(&c, first, n);
    fxi_checksum_add(&c, at + n, len - n);
    return sum == fxi_checksum_end(&c);
}

fx_status fxi_pass_message_read(fxi_reading *r, const void *bytes, size_t len, const char name[8],
                           const char *what)
{
    *r = (fxi_reading){0};
    if (!bytes || !is_whole(bytes, len, name))
        return fxi_error(FX_EFORMAT, "%s: %zu bytes that are damaged, cut short or something else",
                         what, len);
    if ((uintptr_t)bytes % 8) {
        if (!(r->copy = fxi_alloc(len, 1)))
            return FX_ENOMEM;
        memcpy(r->copy, bytes, len);
        bytes = r->copy;
    }
    r->at = (const unsigned char *)bytes + FXI_MESSAGE_HEADER;
    r->left = len - FXI_MESSAGE_HEADER;
    return FX_OK;
}

const void *fxi_pass_message_read_take(fxi_reading *r, size_t len)
{
    size_t padded = len > SIZE_MAX - 8 ? SIZE_MAX : (len + 7) / 8 * 8;
    const void *at = r->at;

    if (r->bad || padded > r->left) {
        r->bad = true;
        return NULL;
    }
    r->at += padded;
    r->left -= padded;
    return at;
}

uint64_t fxi_pass_message_read_count(fxi_reading *r)
{
    const uint64_t *x = fxi_pass_message_read_take(r, sizeof *x);

    return x ? *x : 0;
}

double fxi_pass_message_read_number(fxi_reading *r)
{
    const double *x = fxi_pass_message_read_take(r, sizeof *x);

    return x ? *x : 0;
}

const double *fxi_pass_message_read_numbers(fxi_reading *r, size_t *n)
{
    uint64_t len = fxi_pass_message_read_count(r);

    *n = 0;
    if (!len || r->bad)
        return NULL;
    if (len - 1 > r->left / sizeof(double)) {
        r->bad = true;
        return NULL;
    }
    *n = (size_t)len - 1;
    return fxi_pass_message_read_take(r, *n * sizeof(double));
}

const char *fxi_pass_message_read_text(fxi_reading *r)
{
    uint64_t len = fxi_pass_message_read_count(r);
    const char *text = len && !r->bad ? fxi_pass_message_read_take(r, (size_t)len) : NULL;

    if (text && memchr(text, 0, (size_t)len) != text + len - 1) {
        r->bad = true;
        return NULL;
    }
    return text;
}

fx_status fxi_pass_message_read_end(fxi_reading *r, const char *what)
{
    bool bad = r->bad || r->left;

    free(r->copy);
    *r = (fxi_reading){0};
    return bad ? fxi_error(FX_EFORMAT, "%s: bytes that do not belong together", what) : FX_OK;
}
