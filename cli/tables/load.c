/* SPDX-License-Identifier: BSD-3-Clause
 * load.c - bytes to rows: pulls bytes from the input, feeds them to the reader and takes its rows.
 *
 * Text goes to the reader in batches of whole lines, which are filled completely and cut at the
 * last line end; a longer line makes the batch grow.  Rows that are streamed are taken after each
 * batch, all others at the end; so are those of arrays, which have no lines.  Where rows are
 * streamed from a pipe or a terminal, a batch is what has come: a row waits for no other. */

#include "load.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 8 << 20, STREAMED_BATCH = 1 << 20, MIN_BATCH = 1 << 16 };        /* bytes */
enum { PARSED = 16 };                   /* times the bytes of a batch: more than parsing it takes */

typedef struct load_stream {            /* rows that are being read */
    input in;
    fx_reader *reader;
    bool streamed;                      /* rows are taken after each batch */
    bool whole_lines;                   /* text */
    bool dense;                         /* rows may be stored as floats alone, without columns */
    bool words;                         /* lines of words, taken for svmlight */
    const char *const *more;            /* [mores] files that follow */
    size_t mores;
    double most;                        /* bytes of rows: more of them are streamed; 0: any */
    bool hashed;
    char *buf;
    size_t capacity, have, cut;         /* of buf; cut: bytes to be fed next */
    bool end;                           /* no bytes of this file follow those in buf */
    bool all;                           /* those of the last file were fed */
    double start, before;               /* seconds; bytes of the input that were fed */
    double total;                       /* bytes of all files; 0: unknown */
} stream;

/* ---- Batches ------------------------------------------------------------------------------ */
/* Less where --max-memory is small; a command that takes batches needs memory for more. */
static size_t batch_capacity(const load_options *like)
{
    size_t max_bytes = like->streamed && !like->batched ? STREAMED_BATCH : BATCH;
    uint64_t share = cli.max_memory / PARSED / (like->batched ? 2 : 1);

    return share >= max_bytes ? max_bytes : share > MIN_BATCH ? (size_t)share : MIN_BATCH;
}

static int grow(stream *s)
{
    char *more = s->capacity < cli.max_memory / 2 ? realloc(s->buf, 2 * s->capacity) : NULL;
    char size[32];

    if (!more) {
        say_error("%s: a line of more than %s", s->in.name, say_bytes(size, (double)s->capacity));
        return EXIT_MEMORY;
    }
    s->buf = more;
    s->capacity *= 2;
    return 0;
}

/* Fills the batch or, if live, adds the bytes that have arrived; for text, until it contains a line
 * end. */
static int fill(stream *s)
{
    for (;;) {
        size_t got, from = s->have;
        int status = s->have < s->capacity ? 0 : grow(s);
        if (!status)
            status = s->in.read(&s->in, &got, s->buf + s->have, s->capacity - s->have);
        if (status)
            return status;
        s->have += got;
        s->end = s->in.live ? got == 0 : s->have < s->capacity;
        s->cut = s->have;
        if (s->end || !s->whole_lines)
            return 0;
        while (s->cut > from && s->buf[s->cut - 1] != '\n')
            s->cut--;
        if (s->cut > from)
            return 0;
    }
}

/* The first batch.  Formats are found by a line with something on it, so live input must hold
 * one. */
static int fill_first(stream *s)
{
    int status = fill(s);

    for (format_line l; !status && !s->end; status = fill(s)) {
        l = format_first_line(s->buf, s->buf + s->cut);
        if (!s->in.live || l.p < l.end)
            break;
    }
    return status;
}

/* The memory of rows, the least it can be: floats; of sparse rows also columns, row starts and
 * labels.  Or the most: doubles with columns, which formats of dense rows have if that is less, and
 * weights. */
static double bytes_of(const stream *s, const fx_read_counts *c, bool most)
{
    double each = most ? 12 : s->dense ? 4 : 8, row = most ? 24 : s->dense ? 0 : 16;

    return each * (double)c->entries + row * (double)c->rows;
}

/* The file ends: the next one follows, if there is one. */
static int next_file(loaded *l)
{
    stream *s = l->stream;
    int status = s->hashed ? load_files_read(l, &s->in) : 0;

    s->all = !s->mores;
    if (status || !s->mores)
        return status;
    const char *path = *s->more++;
    s->mores--;
    s->end = false;
    if ((status = load_files_next(&s->in, path))
        || (s->hashed && (status = load_files_opened(l, &s->in, path))))
        return status;
    fx_status st = fx_data_reader_file(s->reader, s->in.name);
    if (st)
        return say_failure(st);
    s->before = (double)s->in.before;
    if ((status = fill(s)))
        return status;
    if (format_is_model(s->buf, s->have)
        || (s->have >= 6 && !memcmp(s->buf, "\x93NUMPY", 6)))
        return say_error("%s is %s; several files must be text", s->in.name,
                         *s->buf == '\x93' ? "an array" : "a model");
    return 0;
}

/* Feeds one batch, which is filled first unless bytes wait in it. */
static int feed(loaded *l)
{
    stream *s = l->stream;
    int status = s->cut || s->end ? 0 : fill(s);

    if (status)
        return status;
    progress_part(s->before, (double)(s->in.before + s->in.taken));
    fx_status st = fx_data_reader_feed(s->reader, s->buf, s->cut, &cli.run);
    if (st)
        return say_failure(st);
    fx_read_counts c = FX_INIT(fx_read_counts);
    fx_data_reader_counts(&c, s->reader);
    s->streamed |= s->whole_lines && s->most > 0 && bytes_of(s, &c, true) > s->most;
    if (!(s->streamed && s->whole_lines)
        && say_limit(bytes_of(s, &c, false), "%s: %llu rows so far take", s->in.name,
                     (unsigned long long)c.rows))
        return EXIT_MEMORY;
    s->have -= s->cut;
    memmove(s->buf, s->buf + s->cut, s->have);
    s->cut = 0;
    s->before = (double)(s->in.before + s->in.taken);
    if (progress_interrupted())
        return progress_stop();
    return s->end && !s->in.zip ? next_file(l) : 0;
}

static int feed_zip(loaded *l)
{
    stream *s = l->stream;
    const char *member;
    int status;

    while (!(status = input_member(&s->in, &member)) && member) {
        fx_status st = fx_data_reader_member(s->reader, member);
        if (st)
            return say_failure(st);
        for (s->end = false; !s->end;)
            if ((status = feed(l)))
                return status;
    }
    s->all = true;
    return status;
}

/* ---- Rows --------------------------------------------------------------------------------- */
static void close_stream(loaded *l)
{
    stream *s = l->stream;

    l->stream = NULL;
    if (!s)
        return;
    free(s->buf);
    input_close(&s->in);
    progress_end();
    fx_data_reader_free(s->reader);
    free(s);
}

int load_next(loaded *l)
{
    stream *s = l->stream;
    uint64_t before = l->reading.rows;
    int status = 0;

    fx_data_free(l->data);
    l->data = NULL;
    l->table = (fx_table){0};
    if (!s)
        return 0;
    do {
        status = s->in.zip ? feed_zip(l) : feed(l);
        l->reading.size = sizeof l->reading;
        fx_data_reader_counts(&l->reading, s->reader);
    } while (!status && !s->all && !(s->streamed && s->whole_lines && l->reading.rows > before));
    if (status)
        return status;
    fx_status st = fx_data_reader_take(&l->data, s->reader, s->all, &cli.run);
    if (st)
        return say_failure(st);
    fx_data_reader_counts(&l->reading, s->reader);      /* with lines that were held back */
    l->exceeds = s->whole_lines && s->most > 0 && bytes_of(s, &l->reading, true) > s->most;
    l->table = fx_data_table(l->data);
    l->seconds = say_clock() - s->start;
    free(l->spec);
    if (!(l->spec = strdup(fx_data_reader_spec(s->reader))))
        return say_no_memory("reading");
    if (s->all)
        close_stream(l);
    return 0;
}

/* ---- The beginning ------------------------------------------------------------------------ */
static int open_reader(loaded *l, const fx_description *d, const load_options *like)
{
    stream *s = l->stream;
    strbuf spec = {0};
    load_options how = *like;
    int status = reading_make(&spec, l->format, d, &how, s->buf, s->cut);

    /* A base is found by all rows, so none of the first ones may be taken for it. */
    l->late_base = !status && like->batched && spec_key(d, "base")
                   && (!spec_get(spec.s, "base").p || spec_says(spec.s, "base", "auto"));
    if (l->late_base) {
        strbuf_free(&spec);
        spec = (strbuf){0};
        how.base = 0;
        status = reading_make(&spec, l->format, d, &how, s->buf, s->cut);
    }
    if (!status) {
        bool names = like->name && d->names && spec_says(like->reader, "", d->name);
        l->base_given = !l->late_base && spec_get(spec.s, "base").p
                        && !spec_says(spec.s, "base", "auto") && !spec_says(spec.s, "base", "late");
        fx_status st = fx_data_reader_new(&s->reader, spec.s, s->in.name);
        l->known = names;
        if (!st && names)
            st = fx_data_reader_names(s->reader, like->name, like->names);
        if (!st && names && like->grows)
            st = fx_data_reader_names_more(s->reader);
        status = st ? say_failure(st) : 0;
    }
    if (!status && !(l->asked = strdup(fx_data_reader_spec(s->reader))))
        status = say_no_memory("the reader");
    strbuf_free(&spec);
    return status;
}

/* The first bytes decide how the rest is read. */
static int detect(loaded *l, const char *path, const load_options *like)
{
    stream *s = l->stream;
    bool zip = s->in.zip, any = !strcmp(reading_format, "auto");
    int status = zip ? 0 : fill_first(s);
    fx_description d = FX_INIT(fx_description);

    if (status)
        return status;
    if (s->cut >= 6 && !memcmp(s->buf, "\x93NUMPY", 6)) {       /* no lines there */
        s->whole_lines = false;
        s->cut = s->have;
    }
    if (!zip && any && format_is_model(s->buf, s->have))
        return say_error("%s is a model; rows of data are wanted here", l->name);
    l->format = any ? format_found(zip, path, s->buf, s->cut, like->reader)
                    : reading_format;
    fx_status st = reading_about(&d, l->format);
    if (st)
        return say_failure(st);
    l->numbered = spec_key(&d, "base");
    s->dense = d.dense;
    s->words = l->numbered && format_words(s->buf, s->cut);
    if (zip != d.members)
        return say_error("%s is %s zip file, so it cannot be read as %s", l->name,
                         zip ? "a" : "not a", l->format);
    if (s->mores && !s->whole_lines)
        return say_error("%s is %s; several files must be text", s->in.name,
                         zip ? "a zip file" : "an array");
    l->lines = s->whole_lines;
    return open_reader(l, &d, like);
}

static int open_stream(loaded *l, const char *path, const load_options *like)
{
    stream *s = calloc(1, sizeof *s);
    uint64_t size = 0;
    int status = s ? load_files_check(l, &size, path, like) : say_no_memory("reading");

    if (!status && !strcmp(reading_format, "auto"))
        status = format_foreign(path);
    if (!status)
        status = input_open(&s->in, path);
    if (status) {
        free(s);
        return status;
    }
    l->stream = s;
    l->name = like->mores ? l->names : s->in.name;
    l->path = s->in.regular && !like->mores && strcmp(path, "-") != 0 ? path : NULL;
    l->compression = like->mores ? NULL : s->in.compression;
    s->more = like->more;
    s->mores = like->mores;
    s->most = like->most;
    s->hashed = like->hashed;
    if (s->hashed && (status = load_files_opened(l, &s->in, path)))
        return status;
    s->streamed = like->streamed;
    s->in.live = s->streamed && !like->batched && !s->in.regular && !s->in.compression
                 && !s->in.zip;
    s->whole_lines = !s->in.zip;
    s->start = say_clock();
    s->total = (double)(like->mores ? size : s->in.size);
    if (!isatty(s->in.fd))              /* a bar would be drawn over what is typed */
        progress_begin("read", "B", s->total);
    s->capacity = batch_capacity(like);
    s->buf = malloc(s->capacity);
    return s->buf ? detect(l, path, like) : say_no_memory("reading");
}

/* One huge index makes every vector of the table's width huge.  Report this before memory runs
 * out. */
int load_check_width(const loaded *l, bool any)
{
    double bytes = 8 * (double)l->table.cols;
    char need[32], where[64] = "";

    if (l->reading.widest_line && !l->names)
        snprintf(where, sizeof where, " (its largest index is on line %llu)",
                 (unsigned long long)l->reading.widest_line);
    if (!any && say_limit(bytes, "%s: %zu columns%s: one dense row needs", l->name, l->table.cols,
                          where))
        return EXIT_MEMORY;
    if (bytes > 1 << 20 && (double)l->table.cols > 100 * (double)l->reading.entries)
        say_warning("%s: %zu columns for %llu entries%s; one dense row needs %s", l->name,
                    l->table.cols, (unsigned long long)l->reading.entries, where,
                    say_bytes(need, bytes));
    return 0;
}

int load_as(loaded *l, const char *path, const load_options *like)
{
    int status;

    *l = (loaded){.nodes = like->nodes};
    if ((status = rows_missing_check(like)))
        return status;
    if (movielens_dir_is(path) && !like->mores)
        status = movielens_dir_read(l, path, like);
    else if (!(status = open_stream(l, path, like)))
        status = load_next(l);
    if (status == EXIT_USAGE && l->stream && l->stream->words)
        say_hint("--format text reads lines of a label and words");
    if (!status && like->reader && !like->filled)       /* rows for a model */
        status = reading_check(l);
    if (!status && !like->streamed && !like->again && !l->exceeds)
        status = load_check_width(l, like->any_width);
    if (!status)
        status = rows_missing_settle(l, like);
    if (status)
        load_free(l);
    return status;
}

int load_ask(loaded *l, const char *path, const load_options *like)
{
    *l = (loaded){0};
    int status = open_stream(l, path, like);
    close_stream(l);
    return status;
}

int load(loaded *l, const char *path, int base)
{
    return load_as(l, path, &(load_options){.base = base});
}

int load_failed(const loaded *l, fx_status s)
{
    size_t row = say_failed_row(s);
    char place[ROW_PLACE], reason[SAY_REASON];

    if (!row)
        return say_failure_from(s, l->so_far.rows);
    say_reason(reason, l->so_far.rows);
    return say_error("%s: %s", row_place(place, l, l->so_far.rows + row), reason);
}

double load_expected(const loaded *l)
{
    const stream *s = l->stream;
    double rows = (double)(s ? l->reading.rows : l->table.rows);

    return s && s->total > s->before && s->before > 0 ? rows * (s->total / s->before) : rows;
}

int load_base(const loaded *l) { return l->late_base ? !l->reading.zero : l->table.base; }

void load_free(loaded *l)
{
    close_stream(l);
    batches_free(&l->so_far);
    fx_data_free(l->data);
    free(l->wide);
    free(l->spec);
    free(l->asked);
    free(l->names);
    free(l->node_spec[0]);
    free(l->node_spec[1]);
    free(l->source);
    l->data = NULL;
    l->wide = NULL;
    l->spec = l->asked = l->names = l->node_spec[0] = l->node_spec[1] = NULL;
    l->source = NULL;
}
