/* SPDX-License-Identifier: BSD-3-Clause
 * output_file.c - bytes out: a file appears complete or not at all.
 *
 * Content goes to a temporary file beside the target, which is created before the work starts
 * (so that a missing directory is found first) and takes the target's name at the end.
 * When the program ends, for any reason, output_drop removes all unfinished files.  Success is
 * reported only when the content and the new name are on disk.  Pipes, devices and stdout are
 * written directly; names from files are made safe for a terminal.  npz is a zip file, written by
 * zip_write.c. */

#define _XOPEN_SOURCE 700               /* mkstemp */
#include "output_file.h"
#include "options/options.h"
#include "output_target.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUTS = 8 };
static output outputs[OUTPUTS];         /* here, so that a signal handler finds them */

const char *output_format(const char *path, const char *format, const char *fallback)
{
    const char *named = path ? extension_format(path) : NULL;
    const char *unknown = !format && !named && path ? extension_unknown(path) : NULL;

    if (unknown) {
        say_error("%s: %s is no extension of a format that can be written; these are .svm, .csv, "
                  ".tsv, .npy and .npz, and --to names any format (%s)", path, unknown,
                  OUTPUT_FORMATS);
        return NULL;
    }
    return format ? format : named ? named : fallback;
}

bool output_is_stdout(const char *path)
{
    return !strcmp(path, "-") || !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/fd/1")
           || !strcmp(path, "/proc/self/fd/1");
}

/* ---- Sinks -------------------------------------------------------------------------------- */
static int put_raw(output *o, const void *bytes, size_t len)
{
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

/* Writes to a terminal: line ends and tabs stay, other control characters are made safe.  An
 * incomplete character at the end waits for the next bytes, unless these are the last. */
static int put_shown(output *o, const char *bytes, size_t len, bool last)
{
    strbuf t = {0};
    char *all = malloc(o->held + len + 1), one[SAFE_SIZE];

    if (!all)
        return o->error = ENOMEM;
    memcpy(all, o->hold, o->held);
    memcpy(all + o->held, bytes, len);
    size_t n = o->held + len;
    o->held = last ? 0 : safe_tail(all, n);
    n -= o->held;
    memcpy(o->hold, all + n, o->held);
    for (const char *p = all; p < all + n;) {
        bool plain = *p == '\n' || *p == '\t';
        size_t used = safe_next(one, p, all + n);
        strbuf_add(&t, "%s", plain ? (const char[]){*p, '\0'} : one);
        p += used;
    }
    free(all);
    if (t.failed)
        o->error = ENOMEM;
    int error = t.n ? put_raw(o, t.s, t.n) : o->error;
    strbuf_free(&t);
    return error;
}

static int put(void *ctx, const void *bytes, size_t len)
{
    output *o = ctx;

    return o->terminal ? put_shown(o, bytes, len, false) : put_raw(o, bytes, len);
}

static int zip_member(void *ctx, const char *name, uint64_t size)
{
    output *o = ctx;
    int error = zip_write_member(&o->zip, name, size);

    return o->error = o->error ? o->error : error;
}

static int zip_data(void *ctx, const void *bytes, size_t len)
{
    output *o = ctx;
    int error = zip_write_data(&o->zip, bytes, len);

    return o->error = o->error ? o->error : error;
}

/* ---- Files -------------------------------------------------------------------------------- */
output_kind output_kind_of(const char *format)
{
    fx_description d = spec_line(fx_data_write_describe, format);

    return d.members ? OUTPUT_ZIP : d.binary ? OUTPUT_BINARY : OUTPUT_TEXT;
}

/* Appends and never overwrites: /dev/fd/3 may be a file that others have written to. */
static bool open_direct(output *o)
{
    o->direct = true;
    do
        o->fd = output_is_stdout(o->path) ? 1 : open(o->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    while (o->fd < 0 && errno == EINTR && !progress_interrupted());
    return o->fd >= 0;
}

static bool open_temp(output *o, const struct stat *old)
{
    int stem = (int)(strrchr(o->target, '/') - o->target);
    char name[sizeof o->temp];
    mode_t mask = umask(0);

    umask(mask);
    if ((size_t)snprintf(name, sizeof name, "%.*s/.featcross.tmpXXXXXX", stem, o->target)
        >= sizeof name) {
        errno = ENAMETOOLONG;
        return false;
    }
    sigset_t all, before;               /* so that no signal handler misses a file that is not
                                         * registered yet */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    o->fd = mkstemp(name);
    if (o->fd >= 0)
        memcpy(o->temp, name, sizeof name);
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    if (o->fd < 0)
        return false;
    fcntl(o->fd, F_SETFD, FD_CLOEXEC);
    fchmod(o->fd, old ? old->st_mode & 07777 : 0666 & ~mask);
    return true;
}

static void discard(output *o)
{
    if (o->temp[0])
        unlink(o->temp);
    if (o->fd > 2)
        close(o->fd);
    zip_write_free(&o->zip);
    same_file_release(o);
    *o = (output){0};
}

static int no_output(output *o, const char *reason)
{
    if (progress_interrupted()) {
        discard(o);
        return progress_stop();
    }
    say_error("%s: %s", output_is_stdout(o->path) ? "stdout" : *o->path ? o->path : "''", reason);
    discard(o);
    return EXIT_USAGE;
}

static int failed(output *o, int error)
{
    int status = no_output(o, strerror(error));

    return error == ENOMEM && status == EXIT_USAGE ? EXIT_MEMORY : status;
}

static int no_target(output *o, int error)
{
    if (error == ENOENT && readlink(o->path, (char[1]){0}, 1) > 0)
        return no_output(o, "a symbolic link into a directory that does not exist");
    return failed(o, error);
}

static bool taken(const output *o)
{
    for (const output *other = outputs; other < outputs + OUTPUTS; other++)
        if (other != o && other->used && !strcmp(other->target, o->target))
            return true;
    return false;
}

bool output_takes(const char *path)
{
    output o = {.fd = -1};

    return output_target_resolve(o.target, sizeof o.target, path, access(path, F_OK) == 0)
           && o.target[0] && taken(&o);
}

static int begin(output *o, output_kind kind)
{
    struct stat st;
    const char *pack = extension_compression(o->path);
    bool is_stdout = output_is_stdout(o->path);
    bool exists = !is_stdout && stat(o->path, &st) == 0;

    if (pack) {
        char reason[80];
        snprintf(reason, sizeof reason, "output is not packed; leave out %s and pack it later",
                 pack);
        return no_output(o, reason);
    }
    if (!*o->path)
        return no_output(o, "the name of the output is empty");
    if (exists && S_ISDIR(st.st_mode))
        return failed(o, EISDIR);
    bool file = !is_stdout && (!exists || S_ISREG(st.st_mode));
    if (is_stdout)
        snprintf(o->target, sizeof o->target, "-");
    else if (file && !output_target_resolve(o->target, sizeof o->target, o->path, exists))
        return no_target(o, errno);
    if (o->target[0] && taken(o))
        return no_output(o, "two outputs cannot have one name");
    if (file && o->target[0] ? !open_temp(o, exists ? &st : NULL) : !open_direct(o))
        return failed(o, errno);
    bool known = o->direct ? fstat(o->fd, &st) == 0 : exists;
    if (known && same_file_write(o, is_stdout ? "stdout" : o->path, &st)) {
        discard(o);
        return EXIT_USAGE;
    }
    o->terminal = isatty(o->fd);
    if (kind != OUTPUT_TEXT && o->terminal)
        return no_output(o, "a terminal cannot show binary numbers; use -o FILE");
    if (kind == OUTPUT_ZIP) {
        o->zipped = true;
        o->zip = (zip_writer){.put = put, .ctx = o};
        o->sink = (fx_sink){
            .size = sizeof(fx_sink), .write = zip_data, .member = zip_member, .ctx = o};
    }
    return 0;
}

int output_open(output **out, const char *path, output_kind kind)
{
    output *o = outputs;

    while (o->used)                     /* no command has more than OUTPUTS of them */
        o++;
    *o = (output){
        .used = true, .fd = -1, .sink = {.size = sizeof(fx_sink), .write = put, .ctx = o}};
    snprintf(o->path, sizeof o->path, "%s", path);
    int status = strlen(path) < sizeof o->path ? begin(o, kind) : failed(o, ENAMETOOLONG);
    if (!status)
        *out = o;
    return status;
}

const char *output_name(const output *o) { return o->temp[0] ? o->temp : o->path; }

/* Labels in LIBSVM's text are numbers, so classes are written as their positions. */
static fx_table numbered(const output *o, const fx_table *t)
{
    enum { SHOWN = 20 };
    fx_table u = *t;

    for (size_t i = 0; i < t->classes && i < SHOWN; i++)
        say_note("%s: label %zu is '%s'", o->path, i, t->class_name[i]);
    if (t->classes > SHOWN)
        say_note("%s: and so on, %zu labels in bytewise order", o->path, t->classes);
    u.classes = 0;
    u.class_name = NULL;
    return u;
}

int output_part(output *o, const char *spec, const fx_table *t)
{
    fx_status st = fx_data_write(&o->sink, spec, t, &cli.run);

    if (st == FX_EOUTPUT && o->error)
        return failed(o, o->error);
    return st ? say_failure(st) : 0;
}

int output_table(output *o, const char *spec, const fx_table *t)
{
    bool numbers = spec_line(fx_data_write_describe, spec).precomputed;
    fx_table u = numbers ? numbered(o, t) : *t;

    int status = output_size_check_table(o, spec, &u);
    if (status)
        return status;
    progress_begin("write", "rows", (double)t->rows);
    status = output_part(o, spec, &u);
    progress_end();
    return status;
}

int output_bytes(output *o, const void *bytes, size_t n)
{
    return put(o, bytes, n) ? failed(o, o->error) : 0;
}

int output_text(output *o, const char *s) { return output_bytes(o, s, strlen(s)); }

/* The header is padded to 128 bytes: numbers begin at a multiple of 64, as NumPy has it. */
int output_npy(output *o, fx_type type, size_t rows, size_t cols)
{
    char head[129], second[24] = "";

    if (cols)
        snprintf(second, sizeof second, " %zu", cols);
    memcpy(head, "\x93NUMPY\x01\0v\0", 10);     /* version 1.0, 'v' = 118 bytes follow */
    int n = snprintf(head + 10, sizeof head - 10,
                     "{'descr': '<f%d', 'fortran_order': False, 'shape': (%zu,%s), }",
                     type == FX_F64 ? 8 : 4, rows, second);
    memset(head + 10 + n, ' ', (size_t)(117 - n));
    head[127] = '\n';
    return output_bytes(o, head, 128);
}

typedef struct counted {
    output *o;
    size_t bytes;
} counted;

static int count(void *ctx, const void *bytes, size_t len)
{
    counted *c = ctx;

    c->bytes += len;
    return put(c->o, bytes, len);
}

int output_model(output *o, size_t *bytes, const fx_model *m, const char *format)
{
    counted c = {.o = o};
    const fx_sink sink = {.size = sizeof(fx_sink), .write = count, .ctx = &c};
    fx_status s = format ? fx_model_export(&sink, m, format) : fx_model_dump(&sink, m);

    *bytes = c.bytes;
    if (s == FX_EOUTPUT && o->error)
        return failed(o, o->error);
    return s ? say_failure(s) : 0;
}

int output_close(output *o)
{
    if (o->zipped && !o->error)
        o->error = zip_write_end(&o->zip);
    zip_write_free(&o->zip);
    if (!o->error && o->terminal)
        put_shown(o, "", 0, true);
    if (!o->error && !o->direct && fsync(o->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
        o->error = errno;
    if (!o->error && o->fd > 2) {
        if (close(o->fd) < 0)
            o->error = errno;
        o->fd = -1;
    }
    if (!o->error && o->temp[0]) {
        if (rename(o->temp, o->target) < 0)
            o->error = errno;
        else {
            o->temp[0] = '\0';
            o->error = output_target_sync(o->target);
        }
    }
    if (o->error)
        return failed(o, o->error);
    same_file_release(o);
    *o = (output){0};
    return 0;
}

void output_drop(void)
{
    for (output *o = outputs; o < outputs + OUTPUTS; o++)
        if (o->temp[0])
            unlink(o->temp);
}
