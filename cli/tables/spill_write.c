/* SPDX-License-Identifier: BSD-3-Clause
 * spill_write.c - rows as they are read go to a file, packed in blocks of FX_PASS_BLOCK.
 *
 * The file is beside the output and has no name: it is removed as soon as it is made, so nothing is
 * left of it, however the program ends.  One that is kept is written as any other output.
 *
 * Memory holds the batches whose rows are not in a block yet; it does not grow with the rows. */

#define _XOPEN_SOURCE 700               /* mkstemp */
#include "files/files.h"
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM = 8 << 20 };             /* bytes, while it reads, at least */

/* ---- The file ------------------------------------------------------------------------------ */

typedef struct writing {
    spill *s;
    output *kept;                       /* or NULL: s->fd */
    int said;                           /* the status of its failure, after a message */
    class_list classes;                 /* of all batches so far: each knows only its own */
    const char **class_name;            /* [classes.n], or NULL */
} writing;

static int create(writing *w, const char *beside, const char *kept)
{
    spill *s = w->s;
    const char *folder = getenv("TMPDIR");
    char path[4200];

    s->kept = kept;
    s->loose = !kept && output_is_stdout(beside);
    beside = !s->loose ? beside : folder && *folder ? folder : "/tmp";
    snprintf(s->beside, sizeof s->beside, "%s", kept ? kept : beside);
    if (kept) {
        int status = output_is_stdout(kept)
                         ? say_error("--spill %s: standard output cannot be read again", kept)
                         : output_open(&w->kept, kept, OUTPUT_BINARY);
        if (!status && (s->fd = open(output_name(w->kept), O_RDONLY | O_CLOEXEC)) < 0)
            status = spill_failed(s, "storing");
        s->bytes = SPILL_HEAD;
        return status ? status : output_bytes(w->kept, spill_head, SPILL_HEAD);
    }
    snprintf(path, sizeof path, "%s%s.XXXXXX", beside, s->loose ? "/featcross" : "");
    s->fd = mkstemp(path);
    if (s->fd < 0)
        return spill_failed(s, "storing");
    fcntl(s->fd, F_SETFD, FD_CLOEXEC);
    unlink(path);
    return 0;
}

static int put(void *ctx, const void *bytes, size_t len)
{
    writing *w = ctx;
    spill *s = w->s;

    if (w->kept) {                      /* which is gone after a failure */
        w->said = w->said ? w->said : output_bytes(w->kept, bytes, len);
        s->bytes += len;
        return w->said;
    }
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

/* The table at the end of the file, and where it is. */
static int pack(spill_part *where, writing *w, const fx_table *t, uint64_t first)
{
    uint64_t begin = w->s->bytes;
    fx_status st = fx_data_pack(&(fx_sink){sizeof(fx_sink), put, NULL, w}, t, &cli.run);

    *where = (spill_part){begin, w->s->bytes - begin, first};
    return !st                ? 0
           : st != FX_EOUTPUT ? say_failure(st)
           : w->said          ? w->said
                              : spill_failed(w->s, "storing");
}

static int add_part(writing *w, const fx_table *t)
{
    spill *s = w->s;

    if (!spill_share_has(s)) {
        s->rows += t->rows;
        return 0;
    }
    if (s->parts == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64;
        spill_part *more = realloc(s->part, capacity * sizeof *more);
        if (!more)
            return say_no_memory("the list of parts");
        s->part = more;
        s->capacity = capacity;
    }
    int status = pack(&s->part[s->parts], w, t, s->rows);
    s->parts++;
    s->rows += t->rows;
    return status;
}

/* ---- Blocks of rows ------------------------------------------------------------------------- */

typedef struct batch {                  /* rows that wait for their block */
    fx_data *data;
    fx_table t;
    double bytes;
    size_t used;                        /* rows that are in blocks already */
    size_t block, row;                  /* the next one: in t.block[block] */
} batch;

typedef struct queue {
    batch *at;
    size_t n, capacity, rows;
    double bytes;                       /* of the batches */
    fx_matrix *piece;                   /* [pieces] of the block that is made */
    size_t pieces, room;
    double label[FX_PASS_BLOCK], weight[FX_PASS_BLOCK];
    int64_t qid[FX_PASS_BLOCK];
} queue;

static int add_piece(queue *q, fx_matrix piece)
{
    if (q->pieces == q->room) {
        size_t room = q->room ? 2 * q->room : 16;
        fx_matrix *more = realloc(q->piece, room * sizeof *more);
        if (!more)
            return say_no_memory("a block of rows");
        q->piece = more;
        q->room = room;
    }
    q->piece[q->pieces++] = piece;
    return 0;
}

/* The next n rows of b become rows `at` and on of the block. */
static int take(queue *q, const fx_table *all, batch *b, size_t n, size_t at)
{
    int status = 0;

    for (size_t i = 0; i < n; i++, b->used++) {
        if (all->label)
            q->label[at + i] = spill_label(all, &b->t, b->used);
        if (all->weight)
            q->weight[at + i] = b->t.weight[b->used];
        if (all->qid)                   /* none before the first that has one */
            q->qid[at + i] = b->t.qid ? b->t.qid[b->used] : -1;
    }
    while (n && !status) {
        const fx_matrix *X = &b->t.block[b->block];
        size_t rows = X->rows - b->row < n ? X->rows - b->row : n;
        fx_matrix piece = rows_part(X, b->row, rows);
        piece.cols = all->cols;
        status = rows ? add_piece(q, piece) : 0;
        n -= rows;
        b->row += rows;
        if (b->row == X->rows) {
            b->block++;
            b->row = 0;
        }
    }
    return status;
}

/* The first `rows` rows of the queue. */
static int write_block(writing *w, queue *q, size_t rows)
{
    fx_table last = q->at[q->n - 1].t;  /* the widest */
    const fx_table *all = &last;
    int status = 0;

    last.classes = w->classes.n;
    last.class_name = w->class_name;

    q->pieces = 0;
    for (size_t at = 0, k = 0; at < rows && !status; k++) {
        batch *b = &q->at[k];
        size_t n = b->t.rows - b->used < rows - at ? b->t.rows - b->used : rows - at;
        status = take(q, all, b, n, at);
        at += n;
    }
    if (status)
        return status;
    q->rows -= rows;
    return add_part(w, &(fx_table){.rows = rows,
                                   .cols = all->cols,
                                   .blocks = q->pieces,
                                   .block = q->piece,
                                   .label = all->label ? q->label : NULL,
                                   .classes = all->classes,
                                   .class_name = all->class_name,
                                   .weight = all->weight ? q->weight : NULL,
                                   .qid = all->qid ? q->qid : NULL,
                                   .base = all->base});
}

static int add_classes(writing *w, const fx_table *t)
{
    size_t *id = malloc((t->classes + 1) * sizeof *id);
    int status = !t->classes ? 0 : id ? class_list_merge(&w->classes, id, t)
                                      : say_no_memory("classes");

    free(id);
    free(w->class_name);
    w->class_name = w->classes.n ? class_list_names(&w->classes) : NULL;
    return status                           ? status
           : w->classes.n && !w->class_name ? say_no_memory("classes")
                                            : 0;
}

/* All whole blocks, and at the end what is left. */
static int write_blocks(writing *w, queue *q, bool end)
{
    size_t gone = 0;
    int status = 0;

    while (!status && q->rows >= (end ? 1 : FX_PASS_BLOCK)) {
        status = write_block(w, q, q->rows < FX_PASS_BLOCK ? q->rows : FX_PASS_BLOCK);
        if (!status && progress_interrupted())
            status = progress_stop();
    }
    for (; gone + 1 < q->n && q->at[gone].used == q->at[gone].t.rows; gone++) {
        fx_data_free(q->at[gone].data); /* the last has the names and classes of the next block */
        q->bytes -= q->at[gone].bytes;
    }
    q->n -= gone;
    memmove(q->at, q->at + gone, q->n * sizeof *q->at);
    return status;
}

static double bytes_of(const fx_table *t)
{
    double bytes = 0;

    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        size_t number = X->type == FX_F64 ? sizeof(double) : sizeof(float);
        size_t column = X->wide ? sizeof(int64_t) : sizeof(int32_t);
        bytes += X->ptr ? (double)(X->ptr[X->rows] - X->ptr[0]) * (double)(number + column)
                        : (double)X->rows * (double)X->cols * (double)number;
    }
    return bytes;
}

/* Rows that fill no block yet need memory for those that come next, too: as many as the last ones.
 * Of a small limit the program gets at most half. */
static int check_limit(double bytes, size_t rows, const loaded *l)
{
    double half = (double)cli.max_memory / 2;
    double next = rows < FX_PASS_BLOCK ? bytes_of(&l->table) : 0;

    if (bytes + next <= half)           /* nearly always: the system need not be asked */
        return 0;
    double own = fmax(PROGRAM, (double)machine_held() - bytes);
    return say_limit(bytes + next + fmin(own, half), "%s: rows are packed %d at a time; the "
                     "program and the rows that wait take", l->name, (int)FX_PASS_BLOCK);
}

/* Takes over the rows of l. */
static int wait_for_block(queue *q, loaded *l)
{
    double bytes = bytes_of(&l->table);
    int status = check_limit(q->bytes + bytes, q->rows + l->table.rows, l);

    if (status)
        return status;
    if (q->n == q->capacity) {
        size_t capacity = q->capacity ? 2 * q->capacity : 16;
        batch *more = realloc(q->at, capacity * sizeof *more);
        if (!more)
            return say_no_memory("rows");
        q->at = more;
        q->capacity = capacity;
    }
    q->at[q->n++] = (batch){.data = l->data, .t = l->table, .bytes = bytes};
    q->bytes += bytes;
    q->rows += l->table.rows;
    l->data = NULL;
    l->table = (fx_table){0};
    return 0;
}

static void free_queue(queue *q)
{
    for (size_t k = 0; q && k < q->n; k++)
        fx_data_free(q->at[k].data);
    if (q) {
        free(q->at);
        free(q->piece);
    }
    free(q);
}

/* ---- An index 0 that comes late ------------------------------------------------------------- */

/* Indices were counted from 1: columns move by one. */
static void shift(const fx_table *t)
{
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        for (int64_t i = X->ptr[0]; i < X->ptr[X->rows]; i++)
            if (X->wide)
                ((int64_t *)X->col)[i]++;
            else
                ((int32_t *)X->col)[i]++;
    }
}

/* Parts that were written are written again, at the end. */
static int shift_parts(writing *w)
{
    spill *s = w->s;
    spill_buffer buffer = {0};
    int status = 0;

    for (size_t k = 0; k < s->parts && !status; k++) {
        fx_data *d = NULL;
        if (!(status = spill_unpack(&d, &buffer, s, &s->part[k]))) {
            fx_table t = fx_data_table(d);
            shift(&t);
            t.base = 0;
            fx_matrix *wider = rows_wider(&t, t.cols + 1);
            status = wider ? pack(&s->part[k], w, &t, s->part[k].first) : say_no_memory("rows");
            free(wider);
        }
        fx_data_free(d);
        if (!status && progress_interrupted())
            status = progress_stop();
    }
    free(buffer.at);
    return status;
}

static int follow_base(writing *w, queue *q, const loaded *l)
{
    spill *s = w->s;
    bool late = s->base == 1 && l->table.base == 0 && (s->parts || q->n);

    s->base = l->table.base;
    s->cols = l->table.cols;
    for (size_t k = 0; k < q->n && late; k++) {
        shift(&q->at[k].t);
        q->at[k].t.base = 0;
    }
    return late ? shift_parts(w) : 0;
}

/* ---- All rows ------------------------------------------------------------------------------- */

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

static int write_all(writing *w, queue *q, loaded *l, rows_survey *missing)
{
    const load_options like = {.filled = true};
    int status = spill_share_begin(w->s, l);

    while (!status && l->table.rows) {
        if ((status = follow_base(w, q, l)) || (status = keep_names(w->s, &l->table))
            || (status = rows_missing_batch(l, &like, missing))
            || (status = add_classes(w, &l->table)) || (status = wait_for_block(q, l))
            || (status = write_blocks(w, q, false)))
            return status;
        if (l->stream)
            status = load_next(l);
    }
    return status ? status : write_blocks(w, q, true);
}

static int finish(writing *w, const loaded *l)
{
    strbuf end = {0};
    int status = spill_file_end(&end, w->s, l);

    if (!status)
        status = output_bytes(w->kept, end.s, end.n);
    strbuf_free(&end);
    return status ? status : output_close(w->kept);
}

int spill_write(spill *s, loaded *l, const char *beside, const char *kept)
{
    writing w = {.s = s};
    queue *q = calloc(1, sizeof *q);
    rows_survey missing = {0};
    char size[32], limit[32];

    *s = (spill){.fd = -1, .group = s->group, .combines = s->combines};
    int status = q ? create(&w, beside, kept) : say_no_memory("rows");
    if (!status)
        status = write_all(&w, q, l, &missing);
    free_queue(q);
    class_list_free(&w.classes);
    free(w.class_name);
    fx_data_free(l->data);
    l->data = NULL;
    l->table = (fx_table){.rows = s->rows, .cols = s->cols, .name = s->name, .base = s->base};
    if (!status && l->sources && l->lines) {
        s->text = file_hash_add(0, l->asked, strlen(l->asked));
        for (size_t k = 0; k < l->sources; k++)
            s->text = file_hash_add(s->text, &l->source[k].hash, sizeof l->source[k].hash);
    }
    if (!status && kept)
        status = finish(&w, l);
    if (!status) {
        load_say(l);
        status = rows_missing_end(l, &(load_options){.filled = true}, &missing);
    }
    rows_missing_free(&missing);
    if (status)
        return status;
    say_bytes(size, (double)s->bytes);
    if (team_ranks() > 1)
        return spill_share_say(s, l);
    double bytes = 12 * (double)l->reading.entries + 24 * (double)s->rows;
    bool large = !kept && bytes > spill_most(s->combines);
    say_note("%s: %s%s%sthe rows were packed into %s%s, %s, which every pass reads", l->name,
             large ? "too large for --max-memory " : "",
             large ? say_bytes(limit, (double)cli.max_memory) : "", large ? "; " : "",
             kept ? "" : s->loose ? "a file in " : "a file beside ", s->beside, size);
    for (size_t k = 0; kept && k < l->sources; k++)
        if (l->source[k].once)
            say_warning("%s cannot be used again: rows of a pipe cannot be compared with it", kept);
    return 0;
}
