/* SPDX-License-Identifier: BSD-3-Clause
 * spill_file.c - a spill that is kept: what follows its parts, and opening it again.
 *
 *   head, parts, description, foot
 *
 * The description has the sources, how they were read, what was found, and where the parts are.
 * Its checksum is in the foot; each part has its own, which is checked when it is read.  So a file
 * that is cut, or of which a bit has changed, is never used, and opening reads only its end.
 *
 * A source is the same if its path, size and time are.  If only its size is, or the time tells
 * nothing because it is that of the spill itself, its hash decides. */

#include "files/files.h"
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char spill_head[SPILL_HEAD + 1] = "featcross rows, format 1\n\n\n\n\n\n\n\n";

typedef struct foot {
    uint64_t begin, bytes, hash;        /* of the description */
    char mark[8];
} foot;
static const char mark[8] = "fx rows";

/* ---- Writing -------------------------------------------------------------------------------- */

static void put(strbuf *o, uint64_t x) { strbuf_bytes(o, &x, sizeof x); }

static void put_text(strbuf *o, const char *text)
{
    put(o, strlen(text));
    strbuf_bytes(o, text, strlen(text));
}

static void put_counts(strbuf *o, const fx_read_counts *c)
{
    const uint64_t all[] = {c->bytes,   c->lines,  c->rows,   c->entries,     c->blank,
                            c->dropped, c->summed, c->sorted, c->widest_line, c->unseen,
                            c->names,   c->collisions};

    strbuf_bytes(o, all, sizeof all);
}

int spill_file_end(strbuf *o, const spill *s, const loaded *l)
{
    foot f = {.begin = s->bytes};

    put(o, (uint64_t)fx_version());
    put(o, l->sources);
    for (size_t k = 0; k < l->sources; k++) {
        const load_source *x = &l->source[k];
        put_text(o, x->path);
        put(o, x->size);
        put(o, (uint64_t)x->seconds);
        put(o, (uint64_t)x->nanoseconds);
        put(o, x->hash);
    }
    put_text(o, l->asked);
    put_text(o, l->format);
    put_text(o, l->spec);
    put(o, l->numbered);
    put(o, l->base_given);
    put_counts(o, &l->reading);
    put(o, s->rows);
    put(o, s->cols);
    put(o, (uint64_t)s->base);
    put(o, s->names);
    for (size_t j = 0; j < s->names; j++)
        put_text(o, s->name[j]);
    put(o, s->parts);
    strbuf_bytes(o, s->part, s->parts * sizeof *s->part);
    f.bytes = o->n;
    f.hash = o->failed ? 0 : file_hash_add(0, o->s, o->n);
    memcpy(f.mark, mark, sizeof f.mark);
    strbuf_bytes(o, &f, sizeof f);
    return o->failed ? say_no_memory("the list of parts") : 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct description {
    const char *path;                   /* of the file, for messages */
    char *bytes;
    size_t n, at;
    bool bad;                           /* ends too early .. */
    bool lacking;                       /* .. or there was no memory for a part of it */
    int64_t made;                       /* when it was written, in seconds */
} description;

static int refuse(const char *path, const char *reason)
{
    say_error("%s %s", path, reason);
    say_hint("delete it, or give --spill another name");
    return EXIT_USAGE;
}

static int damaged(const description *d)
{
    return d->lacking ? say_no_memory("the list of parts") : refuse(d->path, "is damaged");
}

static const void *get_bytes(description *d, uint64_t n)
{
    if (d->bad || n > d->n - d->at) {
        d->bad = true;
        return NULL;
    }
    d->at += n;
    return d->bytes + d->at - n;
}

static uint64_t get(description *d)
{
    const void *p = get_bytes(d, sizeof(uint64_t));
    uint64_t x = 0;

    if (p)
        memcpy(&x, p, sizeof x);
    return x;
}

static char *get_text(description *d)   /* a copy */
{
    uint64_t n = get(d);
    const char *p = get_bytes(d, n);
    char *copy = p ? malloc(n + 1) : NULL;

    d->lacking |= p && !copy;
    d->bad |= !copy;
    if (copy) {
        memcpy(copy, p, n);
        copy[n] = '\0';
    }
    return copy;
}

static bool read_at(int fd, void *buf, size_t n, uint64_t at)
{
    const spill s = {.fd = fd};

    return !spill_read(&s, &(spill_part){at, n, 0}, buf);
}

static int read_description(description *d, spill *s)
{
    static const char not_ours[] = "is not a file of rows that train --spill has written";
    char head[SPILL_HEAD];
    struct stat st;
    foot f;

    if (fstat(s->fd, &st) < 0)
        return say_error("%s: %s", d->path, strerror(errno));
    uint64_t size = (uint64_t)st.st_size;
    if (!S_ISREG(st.st_mode) || size < SPILL_HEAD || !read_at(s->fd, head, SPILL_HEAD, 0)
        || memcmp(head, spill_head, SPILL_HEAD))
        return say_error("%s %s; give --spill another name", d->path, not_ours);
    int status = same_file_read(d->path, &st);
    if (status)
        return status;
    if (size < SPILL_HEAD + sizeof f || !read_at(s->fd, &f, sizeof f, size - sizeof f)
        || memcmp(f.mark, mark, sizeof mark) || f.bytes > size || f.begin > size
        || f.begin + f.bytes + sizeof f != size)
        return refuse(d->path, "is incomplete or damaged");
    if (!(d->bytes = malloc(f.bytes + 1)))
        return say_no_memory("the list of parts");
    d->n = f.bytes;
    if (!read_at(s->fd, d->bytes, f.bytes, f.begin) || file_hash_add(0, d->bytes, d->n) != f.hash)
        return refuse(d->path, "is damaged");
    s->bytes = f.begin;
    d->made = (int64_t)st.st_mtim.tv_sec;
    return 0;
}

static int differs(const char *kept, const char *old, const char *path, const char *how)
{
    char text[4200];
    bool same = !strcmp(old, path);

    snprintf(text, sizeof text, "holds the rows of %s, %s%s", old, same ? how : "not of ",
             same ? "" : path);
    return refuse(kept, text);
}

static int compare_source(description *d, spill *s, const char *path)
{
    load_source now;
    char *old = get_text(d);
    uint64_t size = get(d), hash;
    int64_t seconds = (int64_t)get(d), nanoseconds = (int64_t)get(d);
    uint64_t want = get(d);
    s->text = file_hash_add(s->text, &want, sizeof want);
    int status = d->bad ? damaged(d) : load_files_now(&now, path);

    if (!status && now.once)
        status = refuse(d->path, "is there, and rows of a pipe cannot be compared with it");
    else if (!status && now.size != size)
        status = differs(d->path, old, path, "whose size has changed");
    else if (!status
             && (strcmp(path, old) != 0 || now.seconds != seconds || now.nanoseconds != nanoseconds
                 || now.seconds + 1 >= d->made)
             && !(status = file_hash(&hash, path)) && hash != want)
        status = differs(d->path, old, path, "which has changed");
    free(old);
    return status;
}

/* The first key of two complete specs of one format that is not the same, or all of them. */
static int other_options(const char *kept, const char *there, const char *here)
{
    size_t n = 0, m;

    while (there[n] && there[n] == here[n])
        n++;
    while (n && !strchr(":,", there[n - 1]))
        n--;
    m = n + strcspn(here + n, ",");
    say_error("%s: its rows were read by other options: %.*s, not %.*s", kept,
              (int)strcspn(there + n, ","), there + n, (int)(m - n), here + n);
    say_hint("delete it, or give --spill another name");
    return EXIT_USAGE;
}

static int compare(description *d, spill *s, const loaded *l, const char *path,
                   const load_options *like)
{
    char text[128];

    if (get(d) != (uint64_t)fx_version())
        return refuse(d->path, "was written by another version");
    uint64_t sources = get(d);
    if (sources != 1 + like->mores) {
        snprintf(text, sizeof text, "holds the rows of %llu file%s, not of %zu",
                 (unsigned long long)sources, sources == 1 ? "" : "s", 1 + like->mores);
        return refuse(d->path, text);
    }
    s->text = file_hash_add(0, l->asked, strlen(l->asked));      /* as spill_write.c has it */
    for (size_t k = 0; k < sources; k++) {
        int status = compare_source(d, s, k ? like->more[k - 1] : path);
        if (status)
            return status;
    }
    char *asked = get_text(d);
    int status = asked ? 0 : damaged(d);
    if (!status && strcmp(asked, l->asked) != 0)
        status = other_options(d->path, asked, l->asked);
    free(asked);
    return status;
}

static void get_counts(description *d, fx_read_counts *c)
{
    uint64_t *const all[] = {&c->bytes,   &c->lines,  &c->rows,   &c->entries,     &c->blank,
                             &c->dropped, &c->summed, &c->sorted, &c->widest_line, &c->unseen,
                             &c->names,   &c->collisions};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = get(d);
}

static void get_rows(description *d, spill *s, loaded *l)
{
    char *format = get_text(d);

    if (format && l->format && strcmp(format, l->format) != 0)
        d->bad = true;                  /* then l->asked would differ, too */
    free(format);
    l->spec = get_text(d);
    l->numbered = get(d);
    l->base_given = get(d);
    get_counts(d, &l->reading);
    s->rows = get(d);
    s->cols = get(d);
    s->base = (int)get(d);
    uint64_t names = get(d);
    d->bad |= names > d->n;
    s->name = names && !d->bad ? malloc(names * sizeof *s->name) : NULL;
    d->lacking |= !d->bad && names && !s->name;
    d->bad |= names && !s->name;
    while (s->names < names && !d->bad && (s->name[s->names] = get_text(d)))
        s->names++;
    s->parts = s->capacity = get(d);
    const void *list = s->parts <= d->n ? get_bytes(d, s->parts * sizeof *s->part) : NULL;
    s->part = list ? malloc(s->parts * sizeof *s->part + 1) : NULL;
    d->lacking |= list && !s->part;
    d->bad |= !s->part;
    if (s->part)
        memcpy(s->part, list, s->parts * sizeof *s->part);
}

/* The checksum is right, so this is only about files that were made to deceive. */
static bool fits(const description *d, const spill *s)
{
    bool good = !d->bad && d->at == d->n && (!s->names || s->names == s->cols)
                && s->parts == s->rows / FX_PASS_BLOCK + (s->rows % FX_PASS_BLOCK > 0);

    for (size_t k = 0; k < s->parts && good; k++)
        good = s->part[k].first == k * FX_PASS_BLOCK && s->part[k].begin <= s->bytes
               && s->part[k].bytes <= s->bytes - s->part[k].begin;
    return good;
}

int spill_file_open(spill *s, loaded *l, const char *kept, const char *path,
                    const load_options *like)
{
    description d = {.path = kept};
    char size[32];

    /* It does not wait for one who writes to a pipe; a file that is no spill is refused. */
    *s = (spill){.fd = open(kept, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .kept = true};
    snprintf(s->beside, sizeof s->beside, "%s", kept);
    int status = s->fd < 0 ? say_error("%s: %s", kept, strerror(errno)) : read_description(&d, s);
    if (!status)
        status = compare(&d, s, l, path, like);
    if (!status) {
        get_rows(&d, s, l);
        status = fits(&d, s) ? 0 : damaged(&d);
    }
    free(d.bytes);
    if (status)
        return status;
    l->table = (fx_table){.rows = s->rows, .cols = s->cols, .name = s->name, .base = s->base};
    load_say(l);
    say_note("%s: the rows are taken from %s, %s, and nothing is read again", l->name, kept,
             say_bytes(size, (double)s->bytes));
    return 0;
}
