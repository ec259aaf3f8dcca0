/* SPDX-License-Identifier: BSD-3-Clause
 * store.c - records on disk.
 *
 * Cells, a case and a seed each, are measured in one order, so what is there is always a beginning
 * of it.  PATH.part.csv grows by the lines of one cell and an empty one that says that the cell is
 * complete; what follows the last of these was cut off, and is measured again.  The finished
 * PATH.csv is the same without empty lines. */

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void store_cell(const store *s, size_t k, size_t *cell, uint64_t *seed)
{
    *cell = 0;
    while (k >= recipe_seeds(s->r, *cell))
        k -= (size_t)recipe_seeds(s->r, (*cell)++);
    *seed = s->seed + k;
}

/* Rounds to six digits, except counts.  The value in memory is rounded too, so that it equals the
 * one in the file. */
static double short_of(double x)
{
    char word[32];

    snprintf(word, sizeof word, "%.6g", x);
    return x == floor(x) ? x : strtod(word, NULL);
}

int store_emit(void *ctx, const double *value)
{
    store *s = ctx;
    struct record p = {.point = s->known.n - s->saved};

    store_cell(s, s->done, &p.cell, &p.seed);
    for (size_t i = 0; i < RECIPE_VALUES; i++)
        p.value[i] = i < store_lines_width(s->r) ? short_of(value[i]) : NAN;
    return records_push(&s->known, &p);
}

/* ---- Reading ------------------------------------------------------------------------------ */
static int slurp(char **out, int fd, const char *path)
{
    struct stat st;
    size_t len = 0, size = fstat(fd, &st) ? 0 : (size_t)st.st_size;
    ssize_t n = 0;

    if (!(*out = malloc(size + 1)))
        return say_no_memory(path);
    while (len < size && (n = read(fd, *out + len, size - len)) > 0)
        len += (size_t)n;
    (*out)[len] = '\0';
    if (n >= 0)
        return 0;
    return say_error("%s: %s", path, strerror(errno));
}

static void complete(store *s)
{
    s->done++;
    s->saved = s->known.n;
}

/* Reads the cells of body; a complete file has no empty lines between them. *end: position after
 * the last complete cell. */
static int take_cells(store *s, char *body, bool whole, size_t *end)
{
    size_t point = 0;
    struct record p;
    char *next, *line = body;
    const char *by = NULL;
    int status = 0;

    for (; !status && (next = strchr(line, '\n')); line = next + 1) {
        *next = '\0';
        if (!whole && !*line && point) {
            complete(s);
            if (by)
                store_lines_origin(s, by);
            by = NULL;
            *end = (size_t)(next + 1 - body);
            point = 0;
            continue;
        }
        if (!whole && !point && store_lines_by(line)) {
            by = store_lines_by(line);
            continue;
        }
        if (whole && point && store_lines_take(&p, s, s->done + 1, 0, line)) {
            complete(s);
            point = 0;
        } else if (!store_lines_take(&p, s, s->done, point, line))
            break;
        status = records_push(&s->known, &p);
        point++;
    }
    if (whole && !*line && point)
        complete(s);
    s->known.n = s->saved;
    return status;
}

static int read_cells(store *s, int fd, const char *path, bool whole)
{
    char *bytes = NULL;
    size_t head, end = 0;
    int status = slurp(&bytes, fd, path);

    if (!status && (whole || strchr(bytes, '\n'))) {    /* a head that was cut off says nothing */
        head = store_lines_check(s, path, bytes);
        status = head ? take_cells(s, bytes + head, whole, &end) : EXIT_USAGE;
        s->end = head + end;
        if (!status && whole && s->done < s->cells) {
            say_error("%s: only %zu of %zu cells can be read", path, s->done, s->cells);
            say_hint("--restart measures again");
            status = EXIT_USAGE;
        }
    }
    free(bytes);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------ */
/* Writes at s->end; a record that cannot be written completely is removed again. */
static int append(store *s, strbuf *t)
{
    size_t done = 0;
    int error = t->failed ? ENOMEM : 0;

    while (done < t->n && !error) {
        ssize_t n = pwrite(s->fd, t->s + done, t->n - done, (off_t)(s->end + done));
        if (n < 0 && errno != EINTR)
            error = errno;
        done += n > 0 ? (size_t)n : 0;
    }
    strbuf_free(t);
    if (!error && fdatasync(s->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
        error = errno;
    if (!error) {
        s->end += done;
        return 0;
    }
    say_error("%s: %s", s->part, strerror(error));
    if (ftruncate(s->fd, (off_t)s->end) < 0)
        say_error("%s: %s", s->part, strerror(errno));
    return error == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

int store_save(store *s)
{
    strbuf t = {0};

    if (s->known.n == s->saved) {
        say_error("%s: measure %s gave nothing", s->r->name, s->r->measure->name);
        return EXIT_NUMERIC;
    }
    if (s->resumed) {
        strbuf_add(&t, STORE_BY "%s\n", s->now);
        store_lines_origin(s, s->now);
    }
    for (size_t i = s->saved; i < s->known.n; i++)
        store_lines_record(&t, s->r, &s->known.at[i]);
    strbuf_add(&t, "\n");
    int status = append(s, &t);
    if (!status)
        complete(s);
    return status;
}

int store_finish(store *s)
{
    strbuf t = {0};
    output *o = NULL;
    int status = output_open(&o, s->path, OUTPUT_TEXT);

    store_lines_head(&t, s);
    for (size_t i = 0; i < s->known.n; i++)
        store_lines_record(&t, s->r, &s->known.at[i]);
    if (!status)
        status = t.failed ? say_no_memory("records") : output_bytes(o, t.s, t.n);
    strbuf_free(&t);
    if (!status && !(status = output_close(o)))
        unlink(s->part);
    return status;
}

/* ---- Opening ------------------------------------------------------------------------------ */
static int open_part(store *s, bool restart)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    strbuf head = {0};
    int status = 0;

    s->fd = open(s->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool taken = s->fd >= 0 && fcntl(s->fd, F_SETLK, &lock) < 0
                 && (errno == EACCES || errno == EAGAIN);       /* else: there are no locks here */
    if (s->fd < 0 || taken)
        return say_error("%s: %s", s->part,
                         taken ? "another featcross is writing it" : strerror(errno));
    struct stat st;
    if (fstat(s->fd, &st) == 0 && (status = same_file_write(s, s->part, &st)))
        return status;
    if (!restart)
        status = read_cells(s, s->fd, s->part, false);
    if (!status && ftruncate(s->fd, (off_t)s->end) < 0)
        status = say_error("%s: %s", s->part, strerror(errno));
    if (status || s->end)
        return status;
    store_lines_head(&head, s);
    return append(s, &head);
}

int store_open(store *s, const recipe *r, uint64_t seed, const char *path, bool restart)
{
    int whole;

    *s = (store){.r = r, .seed = seed, .fd = -1};
    machine_origin(s->now);
    snprintf(s->known.origin, sizeof s->known.origin, "%s", s->now);
    for (size_t i = 0; i < r->cells; i++)
        s->cells += (size_t)recipe_seeds(r, i);
    if ((size_t)snprintf(s->path, sizeof s->path, "%s.csv", path) >= sizeof s->path
        || (size_t)snprintf(s->part, sizeof s->part, "%s.part.csv", path) >= sizeof s->part)
        return say_error("%s: %s", path, strerror(ENAMETOOLONG));
    if (restart || access(s->part, F_OK) == 0 || (whole = open(s->path, O_RDONLY | O_CLOEXEC)) < 0)
        return open_part(s, restart);
    int status = read_cells(s, whole, s->path, true);
    close(whole);
    return status;
}

void store_close(store *s)
{
    if (s->end && !s->done)             /* ours, and there is nothing in it */
        unlink(s->part);
    if (s->fd >= 0)
        close(s->fd);
    same_file_release(s);
    free(s->known.at);
    *s = (store){.fd = -1};
}
