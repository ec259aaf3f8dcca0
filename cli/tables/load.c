/* SPDX-License-Identifier: BSD-3-Clause
 * load.c - bytes to rows: feeds the reader.
 *
 * Text goes to the reader in batches of whole lines: 8 MiB, or less with a small --max-memory, are
 * filled completely and cut at the last line end; a longer line makes the batch grow. */

#include "load.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 8 << 20, CHUNK = 1 << 20, MIN_BATCH = 1 << 16 };
enum { PARSED = 16 };                   /* times the bytes of a batch: more than parsing it takes */

/* ---- Feeding ------------------------------------------------------------------------------ */
typedef struct batch {
    char *buf;
    size_t capacity, have;
    bool end;
    bool words;                         /* lines of words, taken for svmlight */
    bool keep_rows;                     /* rows stay in memory */
    bool dense;                         /* rows may be stored as floats alone, without columns */
} batch;

/* Bytes: of all rows, or of rows that pass by; less where memory is short. */
static size_t batch_capacity(bool streaming)
{
    size_t max_bytes = streaming ? CHUNK : BATCH;
    uint64_t share = cli.max_memory / PARSED;

    return share >= max_bytes ? max_bytes : share > MIN_BATCH ? (size_t)share : MIN_BATCH;
}

/* Fill the batch; for text, until it holds a line end. */
static int fill(batch *b, input *s, bool whole_lines, size_t *cut)
{
    for (;;) {
        size_t got, from = b->have;
        int status = input_read(s, &got, b->buf + b->have, b->capacity - b->have);
        if (status)
            return status;
        b->have += got;
        b->end = b->have < b->capacity;
        *cut = b->have;
        if (b->end || !whole_lines)
            return 0;
        while (*cut > from && b->buf[*cut - 1] != '\n')
            --*cut;
        if (*cut > from)
            return 0;
        char *more = b->capacity < cli.max_memory / 2 ? realloc(b->buf, 2 * b->capacity) : NULL;
        if (!more) {
            char size[32];
            say_error("%s: a line of more than %s", s->name, say_bytes(size, (double)b->capacity));
            return EXIT_MEMORY;
        }
        b->buf = more;
        b->capacity *= 2;
    }
}

static int feed(fx_reader *r, input *s, batch *b, size_t cut, double before)
{
    fx_run run = progress_run();

    progress_part(before, (double)s->taken);
    fx_status st = fx_data_reader_feed(r, b->buf, cut, &run);
    if (st)
        return say_failure(st);
    fx_reading c = fx_data_reader_count(r);
    /* The least that they can take: floats; in sparse rows also columns, starts and labels. */
    double bytes = b->dense ? 4 * (double)c.entries : 8 * (double)c.entries + 16 * (double)c.rows;
    if (b->keep_rows
        && say_limit(bytes, "%s: %llu rows so far take", s->name, (unsigned long long)c.rows))
        return EXIT_MEMORY;
    b->have -= cut;
    memmove(b->buf, b->buf + cut, b->have);
    return progress_interrupted() ? progress_stop() : 0;
}

static int feed_zip(fx_reader *r, input *s, batch *b)
{
    const char *member;
    size_t cut;
    int status;

    while (!(status = input_member(s, &member)) && member) {
        fx_status st = fx_data_reader_member(r, member);
        if (st)
            return say_failure(st);
        do {
            double before = (double)s->taken;
            if ((status = fill(b, s, false, &cut)) || (status = feed(r, s, b, cut, before)))
                return status;
        } while (!b->end);
    }
    return status;
}

/* Rows so far, to who wants them as they pass by. */
static int pass(loaded *l, fx_reader *r, const load_options *like, bool end)
{
    fx_run run = progress_run();
    fx_data *data = NULL;
    fx_status st = fx_data_reader_take(&data, r, end, &run);

    if (st)
        return say_failure(st);
    l->table = fx_data_table(data);
    l->reading = fx_data_reader_count(r);
    int status = l->table.rows ? like->each(like->ctx, l) : 0;
    fx_data_free(data);
    return status;
}

static int begin(loaded *l, fx_reader **r, input *s, const load_options *like, const batch *b,
                 size_t cut)
{
    strbuf spec = {0};
    int status = reading_make(&spec, l->format, like, b->buf, cut);

    if (!status) {
        size_t n = strcspn(spec.s, ":");
        bool named = like && like->reader && like->name
                     && (!strncmp(spec.s, "csv", n) || !strncmp(spec.s, "text", n))
                     && !strncmp(like->reader, spec.s, n);
        l->base_given = strstr(spec.s, "base=0") || strstr(spec.s, "base=1");
        fx_status st = fx_data_reader_new(r, spec.s, s->name);
        if (!st && named)
            st = fx_data_reader_names(*r, like->name, like->names);
        status = st ? say_failure(st) : 0;
    }
    strbuf_free(&spec);
    return status;
}

static int read_all(loaded *l, fx_reader **r, input *s, const char *path, batch *b,
                    const load_options *like)
{
    size_t cut = 0;
    double before = 0;
    bool whole_lines = !s->zip;
    int status = s->zip ? 0 : fill(b, s, true, &cut);

    if (status)
        return status;
    if (cut >= 6 && !memcmp(b->buf, "\x93NUMPY", 6)) {  /* no lines there: nothing is held back */
        whole_lines = false;
        cut = b->have;
    }
    if (!s->zip && !strcmp(reading_format, "auto") && format_is_model(b->buf, b->have)) {
        say_error("%s is a model; rows of data are wanted here", s->name);
        return EXIT_USAGE;
    }
    l->format = strcmp(reading_format, "auto") ? reading_format
                : format_found(s->zip, path, b->buf, cut, like ? like->reader : NULL);
    b->dense = !strcmp(l->format, "csv") || !strcmp(l->format, "tsv") || !strcmp(l->format, "npy");
    b->words = !strcmp(l->format, "svmlight") && format_words(b->buf, cut);
    if (s->zip != !strcmp(l->format, "npz")) {
        say_error("%s is %s zip file, so it cannot be read as %s", s->name, s->zip ? "a" : "not a",
                  l->format);
        return EXIT_USAGE;
    }
    if ((status = begin(l, r, s, like, b, cut)))
        return status;
    if (s->zip)
        return feed_zip(*r, s, b);
    for (;;) {
        if ((status = feed(*r, s, b, cut, before)) || b->end)
            return status;
        if (like && like->each && whole_lines && (status = pass(l, *r, like, false)))
            return status;
        before = (double)s->taken;
        if ((status = fill(b, s, whole_lines, &cut)))
            return status;
    }
}

/* One huge index makes every vector of the table's width huge: say so, and refuse in time. */
static int check_width(const loaded *l, bool any)
{
    double bytes = 8 * (double)l->table.cols;
    char need[32], where[64] = "";

    if (l->reading.widest_line)
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

static int finish(loaded *l, fx_reader *r, const load_options *like, double start)
{
    fx_run run = progress_run();

    if (like && like->each)
        return pass(l, r, like, true);
    fx_status st = fx_data_reader_take(&l->data, r, 1, &run);
    if (st)
        return say_failure(st);
    l->table = fx_data_table(l->data);
    l->reading = fx_data_reader_count(r);
    l->seconds = say_clock() - start;
    if (!(l->spec = strdup(fx_data_reader_spec(r))))
        return say_no_memory("reading");
    return check_width(l, like && like->any_width);
}

/* A directory with MovieLens' files. */
static int load_movielens(loaded *out, const char *path, const load_options *like)
{
    loaded l = {.name = path, .format = "movielens", .part = reading_part("all")};
    double start = say_clock();
    int status = movielens_dir_read(&l, path, l.part);

    l.seconds = say_clock() - start;
    if (!status && like && like->name && (l.table.cols != like->names))
        status = rows_widen(&l, like->names, "the model");
    if (!status && like && like->each) {
        status = like->each(like->ctx, &l);
        fx_data_free(l.data);
        l.data = NULL;
    }
    if (status)
        load_free(&l);
    else
        *out = l;
    return status;
}

int load_as(loaded *out, const char *path, const load_options *like)
{
    input s;
    fx_reader *r = NULL;
    batch b = {.capacity = batch_capacity(like && like->each), .keep_rows = !(like && like->each)};
    loaded l = {0};
    double start = say_clock();

    if (movielens_dir_is(path))
        return load_movielens(out, path, like);
    int status = input_open(&s, path);
    if (status)
        return status;
    l.name = s.name;
    l.compression = s.compression;
    progress_begin("read", "B", (double)s.size);
    if (!(b.buf = malloc(b.capacity)))
        status = say_no_memory("reading");
    if (!status)
        status = read_all(&l, &r, &s, path, &b, like);
    if (status == EXIT_USAGE && b.words)
        say_hint("--format text reads lines of a label and words");
    if (!status)
        status = finish(&l, r, like, start);
    free(b.buf);
    input_close(&s);
    progress_end();
    fx_data_reader_free(r);
    if (status)
        load_free(&l);
    else
        *out = l;
    return status;
}

int load(loaded *out, const char *path, int base)
{
    return load_as(out, path, base < 0 ? NULL : &(load_options){.base = base});
}

void load_free(loaded *l)
{
    fx_data_free(l->data);
    free(l->wide);
    free(l->spec);
    l->data = NULL;
    l->wide = NULL;
    l->spec = NULL;
}

/* ---- Saying what was read ----------------------------------------------------------------- */
/* How many names of the table begin with the column's name and `=`. */
static size_t count_values(const fx_table *t, const char *column)
{
    size_t n = 0, len = strlen(column);

    for (size_t j = 0; t->name && j < t->cols; j++)
        n += !strncmp(t->name[j], column, len) && t->name[j][len] == '=';
    return n;
}

/* Which columns became categories, and of how many values. */
static void say_categories(const loaded *l)
{
    const char *list = l->spec ? strstr(l->spec, ",cat=") : NULL;
    char shown[512] = "";
    size_t n = 0, columns = 0;

    if (!list || !strncmp(list, ",cat=none,", 10) || !strncmp(list, ",cat=auto,", 10))
        return;
    for (list += 5; *list && *list != ',';) {
        size_t len = strcspn(list, "/,");
        char name[256];
        reading_name(name, sizeof name, list, len);
        if (n + strlen(name) + 32 < sizeof shown) {
            n += (size_t)snprintf(shown + n, sizeof shown - n, "%s%s", n ? ", " : "", name);
            if (!l->reading.names)
                n += (size_t)snprintf(shown + n, sizeof shown - n, " (%zu)",
                                      count_values(&l->table, name));
        } else if (shown[n - 1] != '.')
            n += (size_t)snprintf(shown + n, sizeof shown - n, ", ...");
        columns++;
        list += len + (list[len] == '/');
    }
    say_note("%s: %zu categorical column%s: %s", l->name, columns, columns == 1 ? "" : "s", shown);
}

void load_say(const loaded *l)
{
    const fx_reading *c = &l->reading;
    char rest[256] = "";
    size_t n = 0;
    const struct { uint64_t count; const char *what; } odd[] = {
        {c->blank, "blank lines skipped"}, {c->dropped, "values dropped"},
        {c->summed, "duplicates added up"}, {c->sorted, "rows sorted"}};

    if (!strcmp(l->format, "svmlight"))
        n = (size_t)snprintf(rest, sizeof rest, ", indices from %d (%s)", l->table.base,
                             l->base_given ? "given" : "found");
    if (!strcmp(l->format, "movielens") || !strcmp(l->format, "links"))
        n = (size_t)snprintf(rest, sizeof rest, ", part %s, seed %llu", l->part,
                             (unsigned long long)cli.seed);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (odd[i].count)
            n += (size_t)snprintf(rest + n, sizeof rest - n, ", %llu %s",
                                  (unsigned long long)odd[i].count, odd[i].what);
    say_note("%s: %s%s%s, %zu rows x %zu columns%s", l->name, l->format,
             l->compression ? " in " : "", l->compression ? l->compression : "", l->table.rows,
             l->table.cols, rest);
    say_categories(l);
    if (c->names)
        say_note("%s: %llu names hashed to %zu columns, %llu of them share one", l->name,
                 (unsigned long long)c->names, l->table.cols, (unsigned long long)c->collisions);
}
