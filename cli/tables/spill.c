/* SPDX-License-Identifier: BSD-3-Clause
 * spill.c - rows that exceed the memory: read once, packed into a file, brought from there as often
 * as a fit asks for them.
 *
 * The file is beside the output and has no name: it is removed as soon as it is made, so nothing is
 * left of it, however the program ends.  It holds parts of whole blocks of rows (FX_PASS_BLOCK), so
 * where the batches of the reader end does not matter.  While a part is used, the next one is
 * read. */

#define _XOPEN_SOURCE 700               /* mkstemp */
#include "files/files.h"
#include "tables.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART = 8 << 20, SHARE = 32 };    /* bytes of a part, or this share of --max-memory */
enum { PARSED = 2, COPIES = 3, PACKED = 8 };    /* rows take so many times the bytes of a text; a
                                                 * fit in memory, times that; compressed texts */

bool spill_exceeds(const char *path)
{
    unsigned char head[4];
    struct stat st;
    bool packed = input_peek(path, head, sizeof head) == sizeof head
                  && (!memcmp(head, "\x1f\x8b", 2) || !memcmp(head, "\xfd" "7zX", 4)
                      || !memcmp(head, "BZh", 3) || !memcmp(head, "\x28\xb5\x2f\xfd", 4));

    return strcmp(path, "-") != 0 && !stat(path, &st) && S_ISREG(st.st_mode)
           && (double)st.st_size * PARSED * COPIES * (packed ? PACKED : 1)
                  > (double)cli.max_memory;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static int failed(const spill *s, const char *what)
{
    int error = errno;

    say_error("%s rows beside %s: %s", what, s->beside, strerror(error));
    return EXIT_USAGE;
}

static int create(spill *s, const char *beside)
{
    char path[4200];

    snprintf(s->beside, sizeof s->beside, "%s", beside);
    snprintf(path, sizeof path, "%s.XXXXXX", output_is_stdout(beside) ? "/tmp/featcross" : beside);
    s->fd = mkstemp(path);
    if (s->fd < 0)
        return failed(s, "storing");
    fcntl(s->fd, F_SETFD, FD_CLOEXEC);
    unlink(path);
    return 0;
}

static int put(void *ctx, const void *bytes, size_t len)
{
    spill *s = ctx;

    while (len) {
        ssize_t n = write(s->fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        bytes = (const char *)bytes + n;
        len -= (size_t)n;
        s->bytes += (uint64_t)n;
    }
    return 0;
}

/* ---- Parts --------------------------------------------------------------------------------- */

typedef struct batch {                  /* rows that wait for their part */
    fx_data *data;
    fx_table t;
    size_t used;                        /* rows that are in parts already */
} batch;

typedef struct queue {
    batch *at;
    size_t n, capacity, rows;
    double bytes;
} queue;

static int by_name(const void *name, const void *item)
{
    return strcmp(name, *(const char *const *)item);
}

/* The position of a label of t among the classes of `all`, of which t's are some. */
static double label_in(const fx_table *all, const fx_table *t, size_t i)
{
    if (!t->classes)
        return t->label[i];
    const char *const *at = bsearch(t->class_name[(size_t)t->label[i]], all->class_name,
                                    all->classes, sizeof *all->class_name, by_name);
    return (double)(at - all->class_name);
}

typedef struct joined {
    fx_matrix *block;
    size_t blocks;
    double *label, *weight;
    int64_t *qid;
} joined;

static void join_rows(joined *o, const fx_table *all, const batch *b, size_t n, size_t at)
{
    size_t skip = b->used, left = n;

    for (size_t k = 0; k < b->t.blocks && left; k++) {
        const fx_matrix *X = &b->t.block[k];
        size_t rows = skip < X->rows ? X->rows - skip : 0;
        rows = rows < left ? rows : left;
        if (rows) {
            o->block[o->blocks] = rows_part(X, skip, rows);
            o->block[o->blocks++].cols = all->cols;
        }
        skip -= skip < X->rows ? skip : X->rows;
        left -= rows;
    }
    for (size_t i = 0; i < n; i++) {
        size_t from = b->used + i;
        if (all->label)
            o->label[at + i] = label_in(all, &b->t, from);
        if (all->weight)
            o->weight[at + i] = b->t.weight[from];
        if (all->qid)
            o->qid[at + i] = b->t.qid[from];
    }
}

static bool index_part(spill *s, uint64_t begin, size_t rows)
{
    if (s->parts == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64;
        spill_part *more = realloc(s->part, capacity * sizeof *more);
        if (!more)
            return false;
        s->part = more;
        s->capacity = capacity;
    }
    s->part[s->parts++] = (spill_part){begin, s->bytes - begin, s->rows};
    s->rows += rows;
    return true;
}

/* The first `rows` rows of the queue become a part. */
static int write_part(spill *s, queue *q, size_t rows)
{
    const fx_table *all = &q->at[q->n - 1].t;   /* the widest, with all classes so far */
    size_t blocks = 0, at = 0;
    uint64_t begin = s->bytes;
    int status = 0;

    for (size_t k = 0; k < q->n; k++)
        blocks += q->at[k].t.blocks;
    joined o = {malloc(blocks * sizeof *o.block), 0, malloc(rows * sizeof *o.label),
                malloc(rows * sizeof *o.weight), malloc(rows * sizeof *o.qid)};
    if (!o.block || !o.label || !o.weight || !o.qid)
        status = say_no_memory("a part of the rows");
    for (batch *b = q->at; at < rows && !status; b++) {
        size_t n = b->t.rows - b->used < rows - at ? b->t.rows - b->used : rows - at;
        join_rows(&o, all, b, n, at);
        b->used += n;
        at += n;
    }
    if (!status) {
        fx_table t = {.rows = rows, .cols = all->cols, .blocks = o.blocks, .block = o.block,
                      .label = all->label ? o.label : NULL, .classes = all->classes,
                      .class_name = all->class_name, .weight = all->weight ? o.weight : NULL,
                      .qid = all->qid ? o.qid : NULL, .base = all->base};
        fx_status st = fx_data_pack(&(fx_sink){sizeof(fx_sink), put, NULL, s}, &t, &cli.run);
        if (st)
            status = st == FX_EOUTPUT ? failed(s, "storing") : say_failure(st);
        else if (!index_part(s, begin, rows))
            status = say_no_memory("the list of parts");
    }
    free(o.block), free(o.label), free(o.weight), free(o.qid);
    return status;
}

/* Whole blocks of the rows that wait, or all of them. */
static int write_parts(spill *s, queue *q, bool all)
{
    double room = (double)cli.max_memory / SHARE;
    size_t rows = all ? q->rows : q->rows / FX_PASS_BLOCK * FX_PASS_BLOCK, gone = 0;

    if (!rows || (!all && q->bytes < (room < PART ? room : PART)))
        return 0;
    int status = write_part(s, q, rows);
    for (; gone < q->n && q->at[gone].used == q->at[gone].t.rows; gone++)
        if (gone + 1 < q->n || all)     /* names and classes are those of the last one */
            fx_data_free(q->at[gone].data);
        else
            break;
    memmove(q->at, q->at + gone, (q->n - gone) * sizeof *q->at);
    q->n -= gone;
    q->rows -= rows;
    q->bytes = 0;
    for (size_t k = 0; k < q->n && q->rows; k++)
        q->bytes += 8 * (double)(q->at[k].t.rows - q->at[k].used);
    return status;
}

/* Takes over the rows of l. */
static int wait_for_part(queue *q, loaded *l)
{
    if (q->n == q->capacity) {
        size_t capacity = q->capacity ? 2 * q->capacity : 16;
        batch *more = realloc(q->at, capacity * sizeof *more);
        if (!more)
            return say_no_memory("rows");
        q->at = more;
        q->capacity = capacity;
    }
    q->at[q->n++] = (batch){l->data, l->table, 0};
    q->rows += l->table.rows;
    for (size_t b = 0; b < l->table.blocks; b++) {
        const fx_matrix *X = &l->table.block[b];
        q->bytes += 24 * (double)X->rows
                    + (X->ptr ? 8 * (double)(X->ptr[X->rows] - X->ptr[0])
                              : 4 * (double)X->rows * (double)X->cols);
    }
    l->data = NULL;
    return 0;
}

/* Names of columns, which grow while a file is read. */
static int keep_names(spill *s, const fx_table *t)
{
    if (!t->name || s->names == t->cols)
        return 0;
    const char **name = realloc(s->name, t->cols * sizeof *name);
    if (!name)
        return say_no_memory("names of columns");
    s->name = name;
    for (; s->names < t->cols; s->names++)
        if (!(name[s->names] = strdup(t->name[s->names])))
            return say_no_memory("names of columns");
    return 0;
}

int spill_rows(spill *s, loaded *l, const char *path, const load_options *like,
               const char *beside)
{
    load_options how = *like;
    queue q = {0};
    char size[32], limit[32];

    *s = (spill){.fd = -1};
    how.streamed = true;
    int status = create(s, beside);
    if (!status)
        status = load_as(l, path, &how);
    while (!status && l->table.rows) {
        s->cols = l->table.cols;
        s->base = l->table.base;
        if (!(status = keep_names(s, &l->table)) && !(status = wait_for_part(&q, l))
            && !(status = write_parts(s, &q, false)))
            status = l->stream ? load_next(l) : 0;
        if (!l->stream && !l->data)
            break;
    }
    if (!status)
        status = write_parts(s, &q, true);
    for (size_t k = 0; k < q.n; k++)
        fx_data_free(q.at[k].data);
    free(q.at);
    l->table = (fx_table){.rows = s->rows, .cols = s->cols, .name = s->name, .base = s->base};
    if (status)
        return status;
    load_say(l);
    say_note("%s: too large for --max-memory %s; the rows were packed into a file beside %s, %s, "
             "which every pass reads", l->name, say_bytes(limit, (double)cli.max_memory), s->beside,
             say_bytes(size, (double)s->bytes));
    return 0;
}

/* ---- Bringing ------------------------------------------------------------------------------ */

/* A part that is being read, by a thread of its own unless one thread was asked for. */
typedef struct fetch {
    const spill *s;
    const spill_part *part;
    char *buf;
    size_t room;
    fx_data *data;
    int error;                          /* errno of a read that failed */
    fx_status status;
    char detail[256];                   /* of the library, which knows its last error by thread */
    pthread_t thread;
    bool started;
} fetch;

static int read_bytes(const fetch *f)
{
    for (uint64_t have = 0; have < f->part->bytes;) {
        ssize_t n = pread(f->s->fd, f->buf + have, f->part->bytes - have,
                          (off_t)(f->part->begin + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        have += (uint64_t)n;
    }
    return 0;
}

static void *fetch_part(void *ctx)
{
    fetch *f = ctx;
    char *more = f->room < f->part->bytes ? realloc(f->buf, f->part->bytes) : f->buf;

    f->data = NULL;
    f->status = FX_OK;
    if (!more) {
        f->error = ENOMEM;
        return NULL;
    }
    f->buf = more;
    f->room = f->room < f->part->bytes ? f->part->bytes : f->room;
    if (!(f->error = read_bytes(f)))
        f->status = fx_data_unpack(&f->data, f->buf, f->part->bytes, NULL);
    if (f->status)
        snprintf(f->detail, sizeof f->detail, "%s", fx_error_detail());
    return NULL;
}

static void begin_fetch(fetch *f, const spill *s, const spill_part *part)
{
    f->s = s;
    f->part = part;
    f->started = progress_threads() > 1 && !pthread_create(&f->thread, NULL, fetch_part, f);
    if (!f->started)
        fetch_part(f);
}

static int end_fetch(fetch *f)
{
    if (f->started)
        pthread_join(f->thread, NULL);
    f->started = false;
    errno = f->error;
    if (f->error)
        return failed(f->s, "reading");
    if (f->status) {
        say_error("reading rows beside %s: %s", f->s->beside, f->detail);
        return f->status == FX_ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
    }
    return 0;
}

/* All parts; while one is used, the next is read. */
static fx_status bring_parts(spill *s, fx_pass *pass, fetch f[2])
{
    fx_status st = FX_OK;

    begin_fetch(&f[0], s, &s->part[0]);
    for (size_t k = 0; k < s->parts && !st; k++) {
        fetch *now = &f[k % 2], *next = &f[(k + 1) % 2];
        const spill_part *p = now->part;
        if ((s->status = end_fetch(now)))
            return FX_ECANCELLED;
        if (k + 1 < s->parts)
            begin_fetch(next, s, p + 1);
        progress_part((double)p->begin, (double)(p->begin + p->bytes));
        fx_table t = fx_data_table(now->data);
        t.name = s->name;
        st = fx_model_passes_add(pass, &t, p->first);
        fx_data_free(now->data);
        now->data = NULL;
        if (!st && progress_interrupted())
            st = FX_ECANCELLED;
    }
    return st;
}

fx_status spill_bring(void *ctx, fx_pass *pass)
{
    spill *s = ctx;
    char what[32];
    fetch f[2] = {{0}};

    snprintf(what, sizeof what, "pass %llu", 1 + (unsigned long long)fx_model_passes_number(pass));
    progress_end();
    progress_begin(what, "B", (double)s->bytes);
    s->passes++;
    fx_status st = s->parts ? bring_parts(s, pass, f) : FX_OK;
    for (int k = 0; k < 2; k++) {
        if (f[k].started)
            pthread_join(f[k].thread, NULL);
        fx_data_free(f[k].data);
        free(f[k].buf);
    }
    return st;
}

void spill_free(spill *s)
{
    if (s->fd >= 0)
        close(s->fd);
    for (size_t j = 0; j < s->names; j++)
        free((void *)s->name[j]);
    free(s->name);
    free(s->part);
    *s = (spill){.fd = -1};
}
