/* SPDX-License-Identifier: BSD-3-Clause
 * input_packed.c - inputs that are compressed (decode.c) or zip files (zip_read.c).  The directory
 * of a zip file is at its end, so a zip file from a pipe is read into memory first. */

#include "input_file.h"
#include "zip_read.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <unistd.h>

/* Turns the status of a decoder or zip reader into a message. */
static int status_of(const input *s, decode_result r)
{
    const char *reason = s->decoder ? s->decoder->error : s->members ? zip_error(s->members) : NULL;
    uint64_t need = s->decoder ? s->decoder->need : s->members ? zip_need(s->members) : 0;

    switch (r) {
    case DECODE_OK:
    case DECODE_END: return 0;
    case DECODE_MEMORY: return say_no_memory(s->name);
    case DECODE_LIMIT:
        return s->zip ? say_limit((double)need, "%s: unpacking this zip file takes", s->name)
                      : say_limit(2 * (double)need, "%s: unpacking this %s file, and as much for "
                                  "what is in it, takes", s->name, s->compression);
    case DECODE_READ: return input_failed(s);
    default: say_error("%s: %s", s->name, reason); return EXIT_USAGE;
    }
}

static int read_packed(input *s, size_t *got, void *buf, size_t requested)
{
    decoder *d = s->decoder;
    bool warned = d && d->unchecked;

    *got = 0;
    while (*got < requested) {          /* in pieces, so that an interruption does not wait */
        size_t n, piece = requested - *got < DECODE_CHUNK ? requested - *got : DECODE_CHUNK;
        char *to = (char *)buf + *got;
        decode_result r = d ? decode_read(d, to, piece, &n) : zip_read(s->members, to, piece, &n);
        if (r)
            return status_of(s, r);
        *got += n;
        if (n < piece)
            break;
        if (progress_interrupted())
            return progress_stop();
    }
    if (d && d->unchecked && !warned)
        say_warning("%s: %s data without a checksum: damage to it may go unnoticed", s->name,
                    s->compression);
    return 0;
}

int input_packed_open(input *s, const decode_format *f)
{
    s->compression = f->name;
    s->read = read_packed;
    if (!(s->decoder = malloc(sizeof *s->decoder)))
        return say_no_memory(s->name);
    /* The other half is for what is read: the rows of a batch and those that wait for others. */
    return status_of(s, decode_open(s->decoder, f, cli.max_memory / 2, input_fill, s));
}

int input_packed_open_zip(input *s)
{
    uint64_t size = 0;
    int status = 0;

    s->zip = true;
    if (s->regular) {
        off_t here = lseek(s->fd, 0, SEEK_CUR), end = lseek(s->fd, 0, SEEK_END);
        if (here < 0 || end < 0)
            return input_failed(s);
        s->begin = (uint64_t)here - s->head_len;
        size = (uint64_t)end - s->begin;
    } else {
        size_t len = 0;
        status = input_bytes(&s->memory, &len, s, cli.max_memory);
        size = len;
    }
    if (status)
        return status;
    s->read = read_packed;
    return status_of(s, zip_open(&s->members, size, cli.max_memory, input_at, s));
}

int input_member(input *s, const char **name) { return status_of(s, zip_next(s->members, name)); }

void input_packed_close(input *s)
{
    if (s->decoder)
        decode_close(s->decoder);
    free(s->decoder);
    zip_close(s->members);
    s->decoder = NULL;
    s->members = NULL;
}

/* ---- For --version ------------------------------------------------------------------------ */
bool input_codec(const char **library, const char **version, size_t i)
{
    const decode_format *f = decode_formats[i];

    if (!f)
        return false;
    *library = f->library;
    *version = f->version();
    return true;
}
