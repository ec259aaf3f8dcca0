/* SPDX-License-Identifier: BSD-3-Clause
 * checkpoint.c - the answers of a fit's passes, kept in a file, so that a fit that was ended goes
 * on where it was.
 *
 * A fit asks for passes and knows nothing of its rows but the answers.  So their list is all there
 * is to keep, for any solver: a fit that is given the same answers again asks the same questions,
 * until it comes to one that was not answered before.
 *
 * The file begins with what the answers depend on besides the questions: the rows, the version, the
 * instruction set.  Each record has a checksum.  If the program was killed while it wrote one, the
 * record is not complete and is written again; anything else that is wrong ends the fit. */

#define _GNU_SOURCE                     /* flock */
#include "models.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef struct head {
    char magic[8];
    uint64_t rows, parts, hash;         /* of the spill */
    uint64_t version;
    char target[24];
    uint32_t crc, zero;
} head;
#define MAGIC "fxckpt1\n"

typedef struct record {
    uint64_t request, bytes;            /* hash of the request; bytes of the answer, which
                                         * follows */
    uint32_t answer, crc;               /* checksums of the answer and of these numbers before */
} record;

/* A message about the file, which is kept. */
static fx_status fail(checkpoint *c, const char *what)
{
    int error = errno;

    say_error("%s checkpoint %s: %s", what, c->path, strerror(error));
    *c->status = EXIT_USAGE;
    return FX_ECANCELLED;
}

static fx_status refuse(checkpoint *c, const char *why)
{
    say_error("checkpoint %s %s", c->path, why);
    say_hint("delete it, or leave out --resume and give another name, to begin again");
    *c->status = EXIT_USAGE;
    return FX_ECANCELLED;
}

static uint64_t hash(uint64_t h, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (uint64_t x; len; at += len < 8 ? len : 8, len -= len < 8 ? len : 8) {
        x = 0;
        memcpy(&x, at, len < 8 ? len : 8);
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static uint32_t checksum(const void *bytes, size_t len)
{
    return (uint32_t)crc32_z(0, bytes, len);
}

/* Bytes from `at` on: how many there are, or -1. */
static ssize_t read_at(int fd, void *to, size_t len, uint64_t at)
{
    size_t have = 0;

    while (have < len) {
        ssize_t n = pread(fd, (char *)to + have, len - have, (off_t)(at + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -1 : (ssize_t)have;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

static bool write_at(int fd, const void *from, size_t len, uint64_t at)
{
    while (len) {
        ssize_t n = pwrite(fd, from, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n ? errno : ENOSPC;
            return false;
        }
        from = (const char *)from + n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

/* The text that they were read from stands for the rows, since parts also depend on the memory.
 * Where there is no text: packed rows begin with their sizes and a checksum. */
static bool head_of(head *h, const spill *s)
{
    char begin[80];

    memset(h, 0, sizeof *h);
    memcpy(h->magic, MAGIC, sizeof h->magic);
    h->rows = s->rows;
    h->parts = spill_blocks(s);
    h->hash = s->text;
    for (size_t k = 0; k < s->parts && !s->text; k++) {
        size_t len = s->part[k].bytes < sizeof begin ? s->part[k].bytes : sizeof begin;
        if (read_at(s->fd, begin, len, s->part[k].begin) != (ssize_t)len)
            return false;
        h->hash = hash(h->hash, begin, len);
    }
    h->version = (uint64_t)fx_version();
    snprintf(h->target, sizeof h->target, "%s", fx_simd_target());
    h->crc = checksum(h, sizeof *h);
    return true;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* What the file says of itself against what it should. */
static fx_status check_head(checkpoint *c, const head *want)
{
    head got;
    ssize_t n = read_at(c->fd, &got, sizeof got, 0);

    if (n < 0)
        return fail(c, "reading");
    uint32_t crc = got.crc;
    got.crc = 0;
    if ((size_t)n < sizeof got || memcmp(got.magic, MAGIC, sizeof got.magic) != 0
        || checksum(&got, sizeof got) != crc)
        return refuse(c, "is damaged, or something else");
    if (got.rows != want->rows || got.parts != want->parts || got.hash != want->hash)
        return refuse(c, "belongs to other rows: the data or the options that read it changed");
    if (got.version != want->version || memcmp(got.target, want->target, sizeof got.target) != 0)
        return refuse(c, "was made by another version, or for another instruction set (FX_TARGET)");
    return FX_OK;
}

int checkpoint_open(checkpoint *c, const char *path, bool resume, int *status)
{
    struct stat st, named;

    if (output_is_stdout(path))
        return say_error("checkpoint %s: standard output cannot be read again", path);
    if (output_takes(path))             /* which would be removed at the end */
        return say_error("checkpoint %s: two outputs cannot have one name", path);
    *c = (checkpoint){.path = path, .status = status, .at = sizeof(head)};
    c->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : O_EXCL), 0666);
    if (c->fd < 0 && errno == EEXIST)
        return say_error("checkpoint %s exists; continue it with --resume, or delete it", path);
    if (c->fd < 0)
        return fail(c, "opening"), EXIT_USAGE;
    if (flock(c->fd, LOCK_EX | LOCK_NB))
        return say_error("checkpoint %s is in use by another fit", path);
    /* The fit that had the lock before may have removed it. */
    if (fstat(c->fd, &st))
        return fail(c, "reading"), EXIT_USAGE;
    if (!S_ISREG(st.st_mode))
        return say_error("checkpoint %s is no file that can be read again", path);
    if (stat(path, &named) || st.st_ino != named.st_ino
        || st.st_dev != named.st_dev)
        return say_error("checkpoint %s was removed by another fit, which ended now", path);
    c->replays = st.st_size > 0;
    c->fresh = !c->replays;
    if (resume && !c->replays)
        say_note("checkpoint %s is new: the fit begins from the start", path);
    return same_file_write(c, path, &st);
}

int checkpoint_begin(checkpoint *c, const spill *rows)
{
    head want;

    if (!head_of(&want, rows))
        return spill_failed(rows, "reading");
    if (c->replays)
        return check_head(c, &want) ? EXIT_USAGE : 0;
    return write_at(c->fd, &want, sizeof want, 0) ? 0 : (fail(c, "writing"), EXIT_USAGE);
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* The answer that is stored next; *found is false where the file ends. */
static fx_status replay(checkpoint *c, bool *found, uint64_t request, const fx_sink *answer)
{
    record r;
    ssize_t n = read_at(c->fd, &r, sizeof r, c->at);
    struct stat st;

    *found = false;
    if (n < 0 || fstat(c->fd, &st))
        return fail(c, "reading");
    if ((size_t)n < sizeof r)
        return FX_OK;                   /* the end, or a record that was not completed */
    if (checksum(&r, sizeof r - sizeof r.crc) != r.crc)
        return refuse(c, "is damaged");
    if (r.request != request)
        return refuse(c, "belongs to a fit with other options");
    if (r.bytes > (uint64_t)st.st_size - c->at - sizeof r)
        return FX_OK;
    char *bytes = malloc(r.bytes ? r.bytes : 1);
    if (!bytes) {
        *c->status = say_no_memory("an answer of the checkpoint");
        return FX_ECANCELLED;
    }
    fx_status s = read_at(c->fd, bytes, r.bytes, c->at + sizeof r) != (ssize_t)r.bytes
                      ? fail(c, "reading")
                  : checksum(bytes, r.bytes) != r.answer ? refuse(c, "is damaged")
                  : answer->write(answer->ctx, bytes, r.bytes) ? FX_EOUTPUT
                                                               : FX_OK;
    free(bytes);
    *found = !s;
    c->at += sizeof r + r.bytes;
    c->replayed += !s;
    return s;
}

typedef struct kept { checkpoint *c; const fx_sink *to; char *bytes; size_t len; } kept;

static int keep(void *ctx, const void *bytes, size_t len)
{
    kept *k = ctx;
    char *more = realloc(k->bytes, k->len + len);

    if (!more) {
        *k->c->status = say_no_memory("an answer of the checkpoint");
        return ENOMEM;
    }
    k->bytes = more;
    memcpy(more + k->len, bytes, len);
    k->len += len;
    return k->to->write(k->to->ctx, bytes, len);
}

static fx_status append(checkpoint *c, uint64_t request, const kept *k)
{
    record r = {.request = request, .bytes = k->len, .answer = checksum(k->bytes, k->len)};

    r.crc = checksum(&r, sizeof r - sizeof r.crc);
    if (ftruncate(c->fd, (off_t)c->at) || !write_at(c->fd, &r, sizeof r, c->at)
        || !write_at(c->fd, k->bytes, k->len, c->at + sizeof r) || fdatasync(c->fd)) {
        int error = errno;
        if (ftruncate(c->fd, (off_t)c->at) == 0)
            errno = error;
        return fail(c, "writing");
    }
    c->at += sizeof r + k->len;
    return FX_OK;
}

fx_status checkpoint_answer(void *ctx, const void *request, size_t bytes, const fx_sink *answer)
{
    checkpoint *c = ctx;
    kept k = {.c = c, .to = answer};
    uint64_t name = hash(bytes, request, bytes);
    bool found = false;
    fx_status st = c->replays ? replay(c, &found, name, answer) : FX_OK;

    if (st || found)
        return st;
    if (c->replays)
        say_note("checkpoint %s: %llu passes were done before", c->path,
                 (unsigned long long)c->replayed);
    c->replays = false;
    if (!(st = c->ask(c->rows, request, bytes, &(fx_sink){sizeof(fx_sink), keep, NULL, &k})))
        st = append(c, name, &k);
    free(k.bytes);
    return st;
}

void checkpoint_close(checkpoint *c, bool done)
{
    if (!c->path)
        return;
    if (done || (c->fresh && c->at == sizeof(head)))    /* nothing is in it */
        unlink(c->path);
    else if (c->at > sizeof(head) && !c->replays)
        say_note("checkpoint %s has what was done; train again with --resume to continue", c->path);
    same_file_release(c);
    if (c->fd >= 0)
        close(c->fd);
    *c = (checkpoint){.fd = -1};
}
