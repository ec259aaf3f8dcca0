/* SPDX-License-Identifier: BSD-3-Clause
 * decode.c - from member to member of a compressed stream; see decode.h. */

#include "decode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 17 };

const decode_format *const decode_formats[] = {&decode_gzip, &decode_xz, &decode_zstd,
                                               &decode_bzip2, NULL};

const decode_format *decode_find(const unsigned char *head, size_t len)
{
    for (const decode_format *const *f = decode_formats; *f; f++)
        if ((*f)->begins(head, len))
            return *f;
    return NULL;
}

bool decode_is_cut(const unsigned char *head, size_t len)
{
    static const struct {
        const char *magic;
        size_t len;
    } known[] = {{"\x1f\x8b", 2}, {"\xfd" "7zXZ", 6}, {"\x28\xb5\x2f\xfd", 4}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (len && len < known[i].len && !memcmp(head, known[i].magic, len)
            && (len > 1 || *head != '('))
            return true;
    return false;
}

decode_result decode_open(decoder *d, const decode_format *f, uint64_t limit, decode_fill *fill,
                          void *ctx)
{
    *d = (decoder){.format = f, .fill = fill, .ctx = ctx, .limit = limit};
    d->window = malloc(WINDOW);
    return d->window ? DECODE_OK : DECODE_MEMORY;
}

void decode_close(decoder *d)
{
    if (d->member)
        d->format->close(d->member);
    free(d->window);
    d->member = NULL;
    d->window = NULL;
}

static uint64_t position(const decoder *d) { return d->offset + d->at; }

static decode_result damaged(decoder *d, uint64_t offset, const char *what, const char *reason)
{
    snprintf(d->error, sizeof d->error, "byte %" PRIu64 ": %s %s%s%s%s", offset, d->format->name,
             what, reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
    return DECODE_DAMAGED;
}

/* Fills the window to at least n bytes, unless the input ends. */
static decode_result ahead(decoder *d, size_t n)
{
    if (d->have - d->at >= n || d->input_ended)
        return DECODE_OK;
    memmove(d->window, d->window + d->at, d->have - d->at);
    d->offset += d->at;
    d->have -= d->at;
    d->at = 0;
    while (d->have < n && !d->input_ended) {
        ssize_t got = d->fill(d->ctx, d->window + d->have, WINDOW - d->have);
        if (got < 0)
            return DECODE_READ;
        d->input_ended = got == 0;
        d->have += (size_t)got;
    }
    return DECODE_OK;
}

/* Skips zero bytes between members, if the format allows them. */
static decode_result skip_padding(decoder *d)
{
    size_t skipped = 0;
    decode_result r = DECODE_OK;

    if (!d->format->padding || !d->members)
        return DECODE_OK;
    while (!(r = ahead(d, 1)) && d->at < d->have && !d->window[d->at]) {
        d->at++;
        skipped = (skipped + 1) % d->format->padding;
    }
    return !r && skipped ? damaged(d, position(d), "padding has a wrong length", NULL) : r;
}

static decode_step step_of(const decoder *d, unsigned char *out, size_t capacity)
{
    return (decode_step){d->window + d->at, d->have - d->at, out, capacity, .limit = d->limit};
}

static decode_result failed(decoder *d, decode_result r, const decode_step *s)
{
    d->need = s->need;
    return r == DECODE_DAMAGED ? damaged(d, position(d), "data is damaged", s->reason) : r;
}

/* Opens the next member; at the end of the input there is none, and d->done. */
static decode_result next(decoder *d)
{
    decode_result r = skip_padding(d);

    if (!r)
        r = ahead(d, d->format->head);
    if (r)
        return r;
    if (d->at == d->have) {
        d->done = true;
        return DECODE_OK;
    }
    decode_step s = step_of(d, NULL, 0);
    if (!d->format->begins(s.in, s.in_len))
        return damaged(d, position(d), "data ends here, but other bytes follow", NULL);
    r = d->format->open(&d->member, &s);
    d->unchecked |= s.unchecked;
    return r ? failed(d, r, &s) : DECODE_OK;
}

/* Decodes some bytes of a member; *made: how many. */
static decode_result read_chunk(decoder *d, unsigned char *out, size_t capacity, size_t *made)
{
    decode_result r = ahead(d, 1);

    *made = 0;
    if (r)
        return r;
    decode_step s = step_of(d, out, capacity);
    r = d->format->decode(d->member, &s);
    size_t used = d->have - d->at - s.in_len;
    d->at += used;
    d->unchecked |= s.unchecked;
    *made = capacity - s.out_len;
    if (r == DECODE_END) {
        d->format->close(d->member);
        d->member = NULL;
        d->members++;
        return DECODE_OK;
    }
    if (r)
        return failed(d, r, &s);
    if (!used && !*made && d->at == d->have)
        return damaged(d, position(d), "data ends too early; the file is incomplete", NULL);
    return !used && !*made ? failed(d, DECODE_DAMAGED, &s) : DECODE_OK;
}

decode_result decode_read(decoder *d, void *buf, size_t requested, size_t *got)
{
    decode_result r = DECODE_OK;

    *got = 0;
    while (!r && *got < requested && !d->done) {
        size_t made = 0, capacity = requested - *got;
        r = d->member ? read_chunk(d, (unsigned char *)buf + *got,
                                   capacity < DECODE_CHUNK ? capacity : DECODE_CHUNK, &made)
                      : next(d);
        *got += made;
    }
    return r;
}
