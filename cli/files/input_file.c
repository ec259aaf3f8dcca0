/* SPDX-License-Identifier: BSD-3-Clause
 * input_file.c - bytes in: the one way by which files, pipes, stdin and archives are read.
 *
 * The first bytes decide: gzip, xz, zstd and bzip2 streams go through decode.c, zip files through
 * zip_read.c, all else is read(2).  A zip file has its directory at the end: one that comes by a
 * pipe is read into memory first.
 *
 * A request is filled completely unless the input ends, so what a caller sees never depends on
 * how a pipe cut its bytes.  Every wait is a poll of 100 ms, after which the interruption flag
 * and the progress bar get their turn; a signal between check and read cannot be lost. */

#include "decode.h"
#include "files.h"
#include "zip_read.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 1 << 16, SLURP_MAX = 1 << 30 };

static int failed(const input *s, int error)
{
    say_error("%s: %s", s->name, strerror(error));
    return error == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

/* One read(2) once there is something; EINTR with the flag set is reported as such. */
static ssize_t read_chunk(input *s, void *buf, size_t requested)
{
    struct pollfd p = {s->fd, POLLIN, 0};

    if (s->head_used < s->head_len) {
        size_t n = s->head_len - s->head_used < requested ? s->head_len - s->head_used : requested;
        memcpy(buf, s->head + s->head_used, n);
        s->head_used += n;
        return (ssize_t)n;
    }
    for (;;) {
        int ready = s->regular ? 1 : poll(&p, 1, 100);
        if (progress_at((double)s->taken)) {
            errno = EINTR;
            return -1;
        }
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t n = read(s->fd, buf, requested);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n > 0)
            s->taken += (uint64_t)n;
        return n;
    }
}

/* ---- Compressed streams and zip files ------------------------------------------------------ */
static ssize_t fill(void *ctx, void *buf, size_t requested)
{
    return read_chunk(ctx, buf, requested);
}

/* Of a file: pread; of a pipe: what was read from it. */
static ssize_t at(void *ctx, void *buf, size_t requested, uint64_t offset)
{
    input *s = ctx;

    if (s->memory) {
        memcpy(buf, s->memory + offset, requested);
        return (ssize_t)requested;
    }
    for (;;) {
        if (progress_at((double)s->taken)) {
            errno = EINTR;
            return -1;
        }
        ssize_t n = pread(s->fd, buf, requested, (off_t)(s->begin + offset));
        if (n < 0 && errno == EINTR)
            continue;
        s->taken += n > 0 ? (uint64_t)n : 0;
        return n;
    }
}

/* What a decoder or a zip reader answered, as a message; what: "gzip", "zip". */
static int decode_status(const input *s, decode_result r, const char *what, const char *reason,
                         uint64_t need)
{
    switch (r) {
    case DECODE_OK:
    case DECODE_END: return 0;
    case DECODE_MEMORY: return say_no_memory(s->name);
    case DECODE_LIMIT:
        return say_limit((double)need, "%s: unpacking this %s file takes", s->name, what);
    case DECODE_READ: return progress_interrupted() ? progress_stop() : failed(s, errno);
    default: say_error("%s: %s", s->name, reason); return EXIT_USAGE;
    }
}

static int open_compressed(input *s, const decode_format *f)
{
    s->compression = f->name;
    if (!(s->decoder = malloc(sizeof *s->decoder)))
        return say_no_memory(s->name);
    decode_result r = decode_open(s->decoder, f, cli.max_memory, fill, s);
    return decode_status(s, r, f->name, NULL, 0);
}

static int read_compressed(input *s, size_t *got, void *buf, size_t requested)
{
    decoder *d = s->decoder;
    bool warned = d->unchecked;

    *got = 0;
    while (*got < requested) {          /* in pieces, so that an interruption does not wait */
        size_t n, piece = requested - *got < DECODE_CHUNK ? requested - *got : DECODE_CHUNK;
        decode_result r = decode_read(d, (char *)buf + *got, piece, &n);
        if (r)
            return decode_status(s, r, d->format->name, d->error, d->need);
        *got += n;
        if (n < piece)
            break;
        if (progress_interrupted())
            return progress_stop();
    }
    if (d->unchecked && !warned)
        say_warning("%s: %s data without a checksum: damage to it may go unnoticed", s->name,
                    d->format->name);
    return 0;
}

static int open_zip(input *s)
{
    uint64_t size = 0;
    int status = 0;

    s->zip = true;
    if (s->regular) {
        off_t here = lseek(s->fd, 0, SEEK_CUR), end = lseek(s->fd, 0, SEEK_END);
        if (here < 0 || end < 0)
            return failed(s, errno);
        s->begin = (uint64_t)here - s->head_len;
        size = (uint64_t)end - s->begin;
    } else {
        size_t len = 0;
        status = input_bytes(&s->memory, &len, s, cli.max_memory);
        size = len;
    }
    if (status)
        return status;
    decode_result r = zip_open(&s->members, size, cli.max_memory, at, s);
    return r ? decode_status(s, r, "zip", s->members ? zip_error(s->members) : NULL,
                             s->members ? zip_need(s->members) : 0)
             : 0;
}

static int read_member(input *s, size_t *got, void *buf, size_t requested)
{
    *got = 0;
    while (*got < requested) {
        size_t n, piece = requested - *got < DECODE_CHUNK ? requested - *got : DECODE_CHUNK;
        decode_result r = zip_read(s->members, (char *)buf + *got, piece, &n);
        if (r)
            return decode_status(s, r, "zip", zip_error(s->members), 0);
        *got += n;
        if (n < piece)
            break;
        if (progress_interrupted())
            return progress_stop();
    }
    return 0;
}

/* ---- An input ---------------------------------------------------------------------------- */
/* By its first bytes.  A packed file whose first bytes are damaged must not pass for text. */
static int detect(input *s, const char *path)
{
    const decode_format *f = decode_find(s->head, s->head_len);
    const char *extension = extension_compression(path);

    if (f)
        return open_compressed(s, f);
    if (s->head_len >= 4 && (!memcmp(s->head, "PK\3\4", 4) || !memcmp(s->head, "PK\5\6", 4)))
        return open_zip(s);             /* PK56: an empty one */
    if (decode_is_cut(s->head, s->head_len)) {
        say_error("%s: byte %zu: compressed data ends too early; the file is incomplete", s->name,
                  s->head_len);
        return EXIT_USAGE;
    }
    if (s->head_len && extension) {
        say_error("%s does not begin like a compressed file; it is damaged, or plain and needs a "
                  "name without %s",
                  s->name, extension);
        return EXIT_USAGE;
    }
    return 0;
}

int input_open(input *s, const char *path)
{
    struct stat st;
    int status;

    *s = (input){.name = !strcmp(path, "-") ? "stdin" : path};
    do
        s->fd = !strcmp(path, "-") ? 0 : open(path, O_RDONLY | O_CLOEXEC);
    while (s->fd < 0 && errno == EINTR && !progress_interrupted());
    if (s->fd < 0)
        return progress_interrupted() ? progress_stop() : failed(s, errno);
    if (fstat(s->fd, &st) < 0)
        status = failed(s, errno);
    else if (S_ISDIR(st.st_mode))
        status = failed(s, EISDIR);
    else if (!(status = same_file_read(s->name, &st))) {
        s->regular = S_ISREG(st.st_mode);
        s->size = s->regular ? (uint64_t)st.st_size : 0;
        status = input_read(s, &s->head_len, s->head, sizeof s->head);
        s->head_used = 0;
        if (!status)
            status = detect(s, path);
    }
    if (status)
        input_close(s);
    return status;
}

int input_member(input *s, const char **name)
{
    decode_result r = zip_next(s->members, name);

    return decode_status(s, r, "zip", zip_error(s->members), 0);
}

static int read_plain(input *s, size_t *got, void *buf, size_t requested)
{
    size_t n = 0;

    while (n < requested) {
        ssize_t r = read_chunk(s, (char *)buf + n, requested - n);
        if (r == 0)
            break;
        if (r < 0)
            return progress_interrupted() ? progress_stop() : failed(s, errno);
        n += (size_t)r;
    }
    *got = n;
    return 0;
}

int input_read(input *s, size_t *got, void *buf, size_t requested)
{
    return s->decoder   ? read_compressed(s, got, buf, requested)
           : s->members ? read_member(s, got, buf, requested)
                        : read_plain(s, got, buf, requested);
}

void input_close(input *s)
{
    if (s->decoder)
        decode_close(s->decoder);
    free(s->decoder);
    zip_close(s->members);
    free(s->memory);
    if (s->fd > 0)
        close(s->fd);
    s->decoder = NULL;
    s->members = NULL;
    s->memory = NULL;
    s->fd = -1;
}

/* Why buf is not text, or NULL. */
static const char *not_text(const input *s, const char *buf, size_t len)
{
    return s->zip ? "a zip file, not text" : memchr(buf, '\0', len) ? "not text: a NUL byte" : NULL;
}

int input_bytes(char **bytes, size_t *len, input *s, uint64_t max_bytes)
{
    char *buf = NULL, size[32];
    size_t have = 0, capacity = 0, got = 0;
    int status = 0;

    max_bytes = max_bytes < SIZE_MAX / 4 ? max_bytes : SIZE_MAX / 4;
    do {
        size_t more = capacity ? 2 * capacity : FIRST;
        more = more < max_bytes ? more : (size_t)max_bytes + 1;
        char *grown = realloc(buf, more + 1);
        if (!grown) {
            free(buf);
            return say_no_memory(s->name);
        }
        buf = grown;
        capacity = more;
        status = input_read(s, &got, buf + have, capacity - have);
        have += status ? 0 : got;
    } while (!status && have == capacity && have <= max_bytes);
    if (!status && have > max_bytes) {
        say_error("%s: more than %s cannot be read into memory", s->name,
                  say_bytes(size, (double)max_bytes));
        status = EXIT_MEMORY;
    }
    if (status) {
        free(buf);
        return status;
    }
    buf[have] = '\0';
    *bytes = buf;
    *len = have;
    return 0;
}

int input_slurp(char **text, const char *path)
{
    static const char bom[] = "\xef\xbb\xbf";
    input s;
    char *buf = NULL;
    size_t have = 0;
    int status = input_open(&s, path);

    if (status)
        return status;
    if (!s.zip)
        status = input_bytes(&buf, &have, &s, SLURP_MAX);
    if (!status && not_text(&s, buf, have)) {
        say_error("%s: %s", s.name, not_text(&s, buf, have));
        status = EXIT_USAGE;
    }
    input_close(&s);
    if (status) {
        free(buf);
        return status;
    }
    size_t skip = have >= 3 && !memcmp(buf, bom, 3) ? 3 : 0;
    memmove(buf, buf + skip, have - skip + 1);
    *text = buf;
    return 0;
}

size_t input_peek(const char *path, void *buf, size_t n)
{
    struct stat st;
    bool file = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    int fd = file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = fd < 0 ? 0 : read(fd, buf, n);

    if (fd >= 0)
        close(fd);
    return got < 0 ? 0 : (size_t)got;
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
