/* SPDX-License-Identifier: BSD-3-Clause
 * io.c - bytes in: the one way by which files, pipes, stdin and archives are read.
 *
 * The first bytes decide: gzip, xz, zstd and bzip2 streams and zip files go through libarchive,
 * all else is read(2).  Only these four filters are switched on: others would make libarchive
 * start helper programs because of what a file begins with.
 *
 * A request is filled completely unless the input ends, so what a caller sees never depends on
 * how a pipe cut its bytes.  Every wait is a poll of 100 ms, after which the interruption flag
 * and the progress bar get their turn; a signal between check and read cannot be lost. */

#include "cli.h"
#include "same_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 1 << 16, SLURP_MAX = 1 << 30 };

static int failed(const source *s, int error)
{
    say_error("%s: %s", s->name, strerror(error));
    return EXIT_USAGE;
}

/* One read(2) once there is something; EINTR with the flag set is reported as such. */
static ssize_t read_some(source *s, void *buf, size_t want)
{
    struct pollfd p = {s->fd, POLLIN, 0};

    if (s->head_used < s->head_len) {
        size_t n = s->head_len - s->head_used < want ? s->head_len - s->head_used : want;
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
        ssize_t n = read(s->fd, buf, want);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n > 0)
            s->taken += (uint64_t)n;
        return n;
    }
}

/* ---- libarchive asks for bytes ------------------------------------------------------------ */
static la_ssize_t window(struct archive *a, void *ctx, const void **bytes)
{
    source *s = ctx;
    ssize_t n = read_some(s, s->block, WINDOW);

    if (n < 0)
        archive_set_error(a, errno, "%s", strerror(errno));
    *bytes = s->block;
    return n;
}

/* Zip files have their directory at the end: where the file can seek, libarchive reads it. */
static la_int64_t seek(struct archive *a, void *ctx, la_int64_t offset, int whence)
{
    source *s = ctx;
    off_t at = lseek(s->fd, (off_t)offset, whence);

    s->head_used = s->head_len;
    if (at < 0)
        archive_set_error(a, errno, "%s", strerror(errno));
    return at < 0 ? ARCHIVE_FATAL : at;
}

static int archive_failed(const source *s)
{
    const char *reason = archive_error_string(s->archive);

    if (progress_interrupted())
        return progress_stop();
    say_error("%s: %s", s->name, reason ? reason : "cannot be unpacked");
    return archive_errno(s->archive) == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

static int open_archive(source *s)
{
    struct archive_entry *entry;

    s->block = malloc(WINDOW);
    s->archive = archive_read_new();
    if (!s->block || !s->archive)
        return say_no_memory("unpacking");
    if (s->zip) {
        archive_read_support_format_zip(s->archive);
    } else {
        archive_read_support_format_raw(s->archive);
        archive_read_support_format_empty(s->archive);
        archive_read_support_filter_gzip(s->archive);
        archive_read_support_filter_xz(s->archive);
        archive_read_support_filter_zstd(s->archive);
        archive_read_support_filter_bzip2(s->archive);
    }
    if (s->regular)
        archive_read_set_seek_callback(s->archive, seek);
    archive_read_set_read_callback(s->archive, window);
    archive_read_set_callback_data(s->archive, s);
    if (archive_read_open1(s->archive) != ARCHIVE_OK)
        return archive_failed(s);
    if (!s->zip) {                      /* the stream is its own only member */
        int r = archive_read_next_header(s->archive, &entry);
        if (r != ARCHIVE_OK && r != ARCHIVE_EOF && r != ARCHIVE_WARN)
            return archive_failed(s);
        s->empty = r == ARCHIVE_EOF;
    }
    return 0;
}

/* ---- The source --------------------------------------------------------------------------- */
static void look(source *s)
{
    static const struct {
        const char *name, *magic;
        size_t len;
    } known[] = {
        {"gzip", "\x1f\x8b", 2},
        {"xz", "\xfd" "7zXZ\0", 6},
        {"zstd", "\x28\xb5\x2f\xfd", 4},
        {"bzip2", "BZh", 3},
        {"zip", "PK\3\4", 4},
        {"zip", "PK\5\6", 4},           /* an empty one */
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (s->head_len >= known[i].len && !memcmp(s->head, known[i].magic, known[i].len))
            s->compression = known[i].name;
    if (s->compression && !strcmp(s->compression, "zip")) {
        s->compression = NULL;
        s->zip = true;
    }
}

int source_open(source *s, const char *path)
{
    struct stat st;
    int status;

    *s = (source){.name = !strcmp(path, "-") ? "stdin" : path};
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
        status = source_read(s, &s->head_len, s->head, sizeof s->head);
        s->head_used = 0;
        if (!status)
            look(s);
        if (!status && (s->compression || s->zip))
            status = open_archive(s);
    }
    if (status)
        source_close(s);
    return status;
}

int source_member(source *s, const char **name)
{
    struct archive_entry *entry;
    int r = archive_read_next_header(s->archive, &entry);

    *name = NULL;
    if (r == ARCHIVE_EOF)
        return 0;
    if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
        return archive_failed(s);
    *name = archive_entry_pathname(entry);
    if (!*name) {
        say_error("%s: a member without a name", s->name);
        return EXIT_USAGE;
    }
    return 0;
}

int source_read(source *s, size_t *got, void *buf, size_t want)
{
    size_t n = 0;

    while (n < want && !s->empty) {
        ssize_t r = s->archive ? archive_read_data(s->archive, (char *)buf + n, want - n)
                               : read_some(s, (char *)buf + n, want - n);
        if (r == 0)
            break;
        if (r < 0 && s->archive)
            return archive_failed(s);
        if (r < 0)
            return progress_interrupted() ? progress_stop() : failed(s, errno);
        n += (size_t)r;
    }
    *got = n;
    return 0;
}

void source_close(source *s)
{
    if (s->archive)
        archive_read_free(s->archive);
    free(s->block);
    if (s->fd > 0)
        close(s->fd);
    s->archive = NULL;
    s->block = NULL;
    s->fd = -1;
}

/* Why buf is not text, or NULL. */
static const char *not_text(const source *s, const char *buf, size_t len)
{
    return s->zip ? "a zip file, not text" : memchr(buf, '\0', len) ? "not text: a NUL byte" : NULL;
}

int source_bytes(char **bytes, size_t *len, source *s, uint64_t most)
{
    char *buf = NULL;
    size_t have = 0, room = 0, got = 0;
    int status = 0;

    do {
        size_t more = room ? 2 * room : WINDOW;
        char *grown = have <= most ? realloc(buf, more + 1) : NULL;
        if (!grown) {
            free(buf);
            return say_no_memory(s->name);
        }
        buf = grown;
        room = more;
        status = source_read(s, &got, buf + have, room - have);
        have += status ? 0 : got;
    } while (!status && have == room);
    if (status) {
        free(buf);
        return status;
    }
    buf[have] = '\0';
    *bytes = buf;
    *len = have;
    return 0;
}

int source_slurp(char **text, const char *path)
{
    static const char bom[] = "\xef\xbb\xbf";
    source s;
    char *buf = NULL;
    size_t have = 0;
    int status = source_open(&s, path);

    if (status)
        return status;
    if (!s.zip)
        status = source_bytes(&buf, &have, &s, SLURP_MAX);
    if (!status && not_text(&s, buf, have)) {
        say_error("%s: %s", s.name, not_text(&s, buf, have));
        status = EXIT_USAGE;
    }
    source_close(&s);
    if (status) {
        free(buf);
        return status;
    }
    size_t skip = have >= 3 && !memcmp(buf, bom, 3) ? 3 : 0;
    memmove(buf, buf + skip, have - skip + 1);
    *text = buf;
    return 0;
}
