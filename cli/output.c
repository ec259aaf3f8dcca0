/* SPDX-License-Identifier: BSD-3-Clause
 * output.c - bytes out: a file appears complete or not at all.
 *
 * Content goes to a temporary file beside the target, which is created before the work starts
 * (so that a missing directory is found first) and takes the target's name at the end.
 * Whatever is still unfinished when the program ends, for any reason, is removed by
 * output_drop.  Pipes, devices and stdout are written directly.  npz is a zip file, written by
 * libarchive. */

#define _XOPEN_SOURCE 700               /* realpath */
#include "cli.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUTS = 4 };
static output outputs[OUTPUTS];         /* here, so that a signal handler finds them */

const char *output_format(const char *path, const char *format, const char *fallback)
{
    static const struct { const char *extension, *format; } known[] = {
        {".svm", "svmlight"}, {".libsvm", "svmlight"}, {".svmlight", "svmlight"}, {".csv", "csv"},
        {".tsv", "tsv"},      {".npy", "npy"},         {".npz", "npz"}};
    size_t len = path ? strlen(path) : 0;

    if (format)
        return format;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].extension);
        if (len > n && !strcmp(path + len - n, known[i].extension))
            return known[i].format;
    }
    return fallback;
}

/* ---- Sinks -------------------------------------------------------------------------------- */
static int put(void *ctx, const void *bytes, size_t len)
{
    output *o = ctx;
    struct pollfd p = {o->fd, POLLOUT, 0};

    while (len && !o->error) {
        int ready = o->direct ? poll(&p, 1, 100) : 1;
        if (progress_interrupted())
            return o->error = EINTR;
        if (ready == 0)
            continue;
        ssize_t n = write(o->fd, bytes, len);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            o->error = errno;
        if (n > 0) {
            bytes = (const char *)bytes + n;
            len -= (size_t)n;
        }
    }
    return o->error;
}

static la_ssize_t zip_put(struct archive *a, void *ctx, const void *bytes, size_t len)
{
    output *o = ctx;

    if (!put(o, bytes, len))
        return (la_ssize_t)len;
    archive_set_error(a, o->error, "%s", strerror(o->error));
    return -1;
}

static int zip_member(void *ctx, const char *name, uint64_t size)
{
    output *o = ctx;
    struct archive_entry *e = archive_entry_new();
    int r = ARCHIVE_FATAL;

    if (e) {
        archive_entry_set_pathname(e, name);
        archive_entry_set_size(e, (la_int64_t)size);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_mtime(e, 315619200, 0);       /* 2 January 1980: same bytes every day */
        r = archive_write_header(o->zip, e);
        archive_entry_free(e);
    }
    if (r != ARCHIVE_OK && !o->error)
        o->error = e ? EIO : ENOMEM;
    return o->error;
}

static int zip_data(void *ctx, const void *bytes, size_t len)
{
    output *o = ctx;

    for (size_t done = 0; done < len && !o->error;) {
        la_ssize_t n = archive_write_data(o->zip, (const char *)bytes + done, len - done);
        if (n <= 0 && !o->error)
            o->error = EIO;
        done += n > 0 ? (size_t)n : 0;
    }
    return o->error;
}

static bool zip_open(output *o)
{
    if (!(o->zip = archive_write_new()))
        return false;
    archive_write_set_bytes_per_block(o->zip, 0);
    return archive_write_set_format_zip(o->zip) == ARCHIVE_OK
           && archive_write_zip_set_compression_store(o->zip) == ARCHIVE_OK
           && archive_write_open(o->zip, o, NULL, zip_put, NULL) == ARCHIVE_OK;
}

/* ---- Files -------------------------------------------------------------------------------- */
static bool binary(const char *format) { return !strcmp(format, "npy") || !strcmp(format, "npz"); }

static bool open_direct(output *o)
{
    o->direct = true;
    o->fd = !strcmp(o->path, "-") ? 1 : open(o->path, O_WRONLY | O_CLOEXEC);
    return o->fd >= 0;
}

static bool open_temp(output *o, const struct stat *old)
{
    const char *slash = strrchr(o->target, '/');
    int stem = slash ? (int)(slash - o->target) + 1 : 0;
    char name[sizeof o->temp];
    mode_t mask = umask(0);

    umask(mask);
    if ((size_t)snprintf(name, sizeof name, "%.*s.%s.tmpXXXXXX", stem, o->target, o->target + stem)
        >= sizeof name) {
        errno = ENAMETOOLONG;
        return false;
    }
    o->fd = mkstemp(name);
    if (o->fd < 0)
        return false;
    fchmod(o->fd, old ? old->st_mode & 07777 : 0666 & ~mask);
    memcpy(o->temp, name, sizeof name);
    return true;
}

static int no_output(output *o, const char *reason)
{
    say_error("%s: %s", !strcmp(o->path, "-") ? "stdout" : o->path, reason);
    if (o->temp[0])
        unlink(o->temp);
    if (o->fd > 1)
        close(o->fd);
    if (o->zip)
        archive_write_free(o->zip);
    *o = (output){0};
    return EXIT_USAGE;
}

output *output_open(const char *path, const char *format)
{
    output *o = outputs;
    struct stat st;

    while (o->used)                     /* no command has more than OUTPUTS of them */
        o++;
    *o = (output){.used = true, .fd = -1, .sink = {put, NULL, o}};
    if (strlen(path) >= sizeof o->path) {
        no_output(o, strerror(ENAMETOOLONG));
        return NULL;
    }
    snprintf(o->path, sizeof o->path, "%s", path);
    bool exists = strcmp(path, "-") && stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        no_output(o, strerror(EISDIR));
        return NULL;
    }
    /* A link stays a link: what it points to is replaced. */
    char *real = exists ? realpath(path, NULL) : NULL;
    snprintf(o->target, sizeof o->target, "%s", real ? real : path);
    free(real);
    if (!strcmp(path, "-") || (exists && !S_ISREG(st.st_mode))
            ? !open_direct(o)
            : !open_temp(o, exists ? &st : NULL)) {
        no_output(o, strerror(errno));
        return NULL;
    }
    if (binary(format) && isatty(o->fd)) {
        no_output(o, "a terminal cannot show npy or npz; use -o FILE");
        return NULL;
    }
    if (!strcmp(format, "npz")) {
        if (!zip_open(o)) {
            no_output(o, "cannot begin a zip file");
            return NULL;
        }
        o->sink = (fx_sink){zip_data, zip_member, o};
    }
    return o;
}

static int failed(output *o)
{
    if (progress_interrupted())
        return progress_stop();         /* output_drop removes the file */
    return no_output(o, strerror(o->error));
}

int output_table(output *o, const char *spec, const fx_table *t)
{
    fx_run run = progress_run();

    progress_begin("write", "rows", (double)t->rows);
    fx_status st = fx_data_write(&o->sink, spec, t, &run);
    progress_end();
    if (st == FX_EOUTPUT && o->error)
        return failed(o);
    return st ? say_failure(st) : 0;
}

int output_text(output *o, const char *text) { return put(o, text, strlen(text)) ? failed(o) : 0; }

int output_close(output *o)
{
    if (o->zip) {
        int r = archive_write_close(o->zip);
        archive_write_free(o->zip);
        o->zip = NULL;
        if (r != ARCHIVE_OK && !o->error)
            o->error = EIO;
    }
    if (!o->error && o->fd > 1) {
        if (close(o->fd) < 0)
            o->error = errno;
        o->fd = -1;
    }
    if (!o->error && o->temp[0] && rename(o->temp, o->target) < 0)
        o->error = errno;
    if (o->error)
        return failed(o);
    o->temp[0] = '\0';
    *o = (output){0};
    return 0;
}

void output_drop(void)
{
    for (output *o = outputs; o < outputs + OUTPUTS; o++)
        if (o->temp[0])
            unlink(o->temp);
}
