/* SPDX-License-Identifier: BSD-3-Clause
 * input_file.c - bytes in: all files, pipes, stdin and archives are read here.
 *
 * The first bytes decide: compressed streams and zip files are read by input_packed.c, which gets
 * their bytes from here; everything else is read with read(2).
 *
 * A request is filled completely unless the input ends, so the result never depends on how a pipe
 * splits its bytes.  A caller that answers while it reads asks for live input, which returns the
 * bytes that have arrived.  Every wait is a poll of 100 ms, after which the interruption flag and
 * the progress bar are updated; a signal between check and read cannot be lost. */

#include "input_file.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 1 << 16, SLURP_MAX = 1 << 30, BULK = 1 << 14 };

int input_failed(const input *s)
{
    int error = errno;

    if (progress_interrupted())
        return progress_stop();
    say_error("%s: %s", s->name, strerror(error));
    return error == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

/* ---- Bytes as they are in the file ------------------------------------------------------- */
/* One read(2) once there is something; EINTR with the flag set is reported as such. */
ssize_t input_fill(void *ctx, void *buf, size_t requested)
{
    input *s = ctx;
    struct pollfd p = {s->fd, POLLIN, 0};

    if (s->head_used < s->head_len) {
        size_t n = s->head_len - s->head_used < requested ? s->head_len - s->head_used : requested;
        memcpy(buf, s->head + s->head_used, n);
        s->head_used += n;
        return (ssize_t)n;
    }
    for (;;) {
        int ready = s->regular ? 1 : poll(&p, 1, 100);
        if (progress_at((double)(s->before + s->taken))) {
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
        if (n > 0 && s->hashed)
            s->hash = file_hash_add(s->hash, buf, (size_t)n);
        return n;
    }
}

/* Of a file: pread; of a pipe: what was read from it. */
ssize_t input_at(void *ctx, void *buf, size_t requested, uint64_t offset)
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

/* True if the next read gives bytes without waiting.  After BULK bytes it waits up to a
 * millisecond: a program that writes so much will write more, and large batches are faster. */
static bool has_more(const input *s, size_t so_far)
{
    struct pollfd p = {s->fd, POLLIN, 0};

    return s->head_used < s->head_len || poll(&p, 1, so_far < BULK ? 0 : 1) > 0;
}

static int read_plain(input *s, size_t *got, void *buf, size_t requested)
{
    size_t n = 0;

    while (n < requested && (n == 0 || !s->live || has_more(s, n))) {
        ssize_t r = input_fill(s, (char *)buf + n, requested - n);
        if (r == 0)
            break;
        if (r < 0)
            return input_failed(s);
        n += (size_t)r;
    }
    *got = n;
    return 0;
}

/* ---- An input ---------------------------------------------------------------------------- */
/* Detects the format by the first bytes.  A compressed file whose first bytes are damaged must not
 * be taken for text. */
static int detect(input *s, const char *path)
{
    const decode_format *f = decode_find(s->head, s->head_len);
    const char *extension = extension_compression(path);

    if (f)
        return input_packed_open(s, f);
    if (s->head_len >= 4 && (!memcmp(s->head, "PK\3\4", 4) || !memcmp(s->head, "PK\5\6", 4)))
        return input_packed_open_zip(s); /* PK56: an empty one */
    if (decode_is_cut(s->head, s->head_len))
        return say_error("%s: byte %zu: compressed data ends too early; the file is incomplete",
                         s->name, s->head_len);
    if (s->head_len && extension)
        return say_error(
            "%s does not begin like a compressed file; it is damaged, or plain and needs a "
            "name without %s",
            s->name, extension);
    return 0;
}

/* Reads the first bytes, up to a line end.  The magic number of a compressed file contains no line
 * end, and a short line from a pipe need not wait for the next one. */
static int read_head(input *s)
{
    size_t n = 0, got = 1;
    int status = 0;

    while (!status && got && n < sizeof s->head && (!n || s->head[n - 1] != '\n')) {
        status = s->read(s, &got, s->head + n, 1);
        n += status ? 0 : got;
    }
    s->head_len = n;
    return status;
}

int input_open(input *s, const char *path)
{
    struct stat st;
    int status;

    *s = (input){.name = !strcmp(path, "-") ? "stdin" : path, .read = read_plain};
    s->fd = input_again_open(path);
    while (s->fd < 0) {
        s->fd = !strcmp(path, "-") ? 0 : open(path, O_RDONLY | O_CLOEXEC);
        if (s->fd < 0 && (errno != EINTR || progress_interrupted()))
            break;
    }
    if (s->fd < 0)
        return input_failed(s);
    bool known = fstat(s->fd, &st) == 0;
    if (known && S_ISDIR(st.st_mode))
        errno = EISDIR;
    if (!known || S_ISDIR(st.st_mode))
        status = input_failed(s);
    else if (!(status = same_file_read(s->name, &st))) {
        s->regular = S_ISREG(st.st_mode);
        s->size = s->regular ? (uint64_t)st.st_size : 0;
        if (!(status = read_head(s)))
            status = detect(s, path);
    }
    if (status)
        input_close(s);
    return status;
}

/* No more than the first bytes have been read. */
void input_hash(input *s)
{
    s->hashed = true;
    s->hash = file_hash_add(0, s->head, s->head_len);
}

void input_close(input *s)
{
    input_packed_close(s);
    free(s->memory);
    if (s->fd > 0)
        close(s->fd);
    s->memory = NULL;
    s->fd = -1;
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
        status = s->read(s, &got, buf + have, capacity - have);
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
    if (!status && (s.zip || memchr(buf, '\0', have)))
        status = say_error("%s: %s", s.name,
                           s.zip ? "a zip file, not text" : "not text: a NUL byte");
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
