/* SPDX-License-Identifier: BSD-3-Clause
 * load.c - bytes to rows: finds the format, builds the reader's spec string, feeds the reader.
 *
 * Text goes to the reader in batches of whole lines: 8 MiB are filled completely and cut at the
 * last line end; a longer line makes the batch grow.  Formats are told apart by their first
 * bytes (npy, zip), then by the file's extension, then by the first line. */

#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 8 << 20 };

static const char *format, *index_base, *nan_values, *label;
static bool sort, sum_duplicates, ignore_fields, header, no_header;

static const opt reading[] = {
    {"format", 'f', "auto|svmlight|csv|tsv|npy|npz", OPT_CHOICE, &format, "auto",
     "format of the input; auto looks at its first bytes, its name and its first line", 0, 0},
    {"index-base", 0, "0|1|auto", OPT_CHOICE, &index_base, NULL,
     "svmlight: number of the first feature; auto: 0 if index 0 occurs, else 1 (default auto)",
     0, 0},
    {"sort", 0, NULL, OPT_FLAG, &sort, NULL, "svmlight: accept indices out of order", 0, 0},
    {"sum-duplicates", 0, NULL, OPT_FLAG, &sum_duplicates, NULL,
     "svmlight: add up values of an index that is repeated in a row", 0, 0},
    {"ignore-fields", 0, NULL, OPT_FLAG, &ignore_fields, NULL,
     "svmlight: accept field:index:value and leave the field out", 0, 0},
    {"nan", 0, "error|drop", OPT_CHOICE, &nan_values, NULL,
     "text: what to do with values that are not finite (default error)", 0, 0},
    {"label", 0, "NAME|first|last|none", OPT_TEXT, &label, NULL,
     "csv, tsv: column of the label (default last)", 0, 0},
    {"header", 0, NULL, OPT_FLAG, &header, NULL, "csv, tsv: the first line holds names", 0, 0},
    {"no-header", 0, NULL, OPT_FLAG, &no_header, NULL,
     "csv, tsv: the first line holds numbers (default: decided by looking)", 0, 0},
    {0},
};
const opt_group reading_options = {"Reading options", reading};

/* ---- Which format ------------------------------------------------------------------------- */
typedef struct line {
    const char *p, *end;
} line;

/* The first line with something on it, comment lines left out. */
static line first_line(const char *p, const char *end)
{
    if (end - p >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
        p += 3;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *q = p;
        stop = stop ? stop : end;
        while (q < stop && (*q == ' ' || *q == '\t' || *q == '\r'))
            q++;
        if (q < stop && *q != '#')
            return (line){p, stop};
        p = stop < end ? stop + 1 : end;
    }
    return (line){end, end};
}

static bool has(line l, char c) { return memchr(l.p, c, (size_t)(l.end - l.p)) != NULL; }

/* Is there a token that begins like 12:  ? */
static bool has_pair(line l)
{
    for (const char *p = l.p; p < l.end; p++)
        if ((*p == ' ' || *p == '\t') && p + 1 < l.end && p[1] >= '0' && p[1] <= '9') {
            const char *q = p + 1;
            while (q < l.end && *q >= '0' && *q <= '9')
                q++;
            if (q < l.end && *q == ':')
                return true;
        }
    return false;
}

static const char *by_content(const char *bytes, size_t len)
{
    line l = first_line(bytes, bytes + len);

    if (len >= 6 && !memcmp(bytes, "\x93NUMPY", 6))
        return "npy";
    if (has_pair(l))
        return "svmlight";
    return has(l, ',') || has(l, ';') ? "csv" : has(l, '\t') ? "tsv" : "svmlight";
}

static const char *choose(const source *s, const char *path, const char *bytes, size_t len)
{
    const char *named = strcmp(path, "-") ? format_named(path) : NULL;

    if (strcmp(format, "auto") != 0)
        return format;
    if (s->zip)
        return "npz";
    return len >= 6 && !memcmp(bytes, "\x93NUMPY", 6) ? "npy"
           : named                                    ? named
                                                      : by_content(bytes, len);
}

/* ---- The reader's spec -------------------------------------------------------------------- */
typedef struct text {
    char s[1024];
    size_t n;
    bool cut;
} text;

static void add(text *t, const char *key, const char *value)
{
    int n = snprintf(t->s + t->n, sizeof t->s - t->n, "%c%s=%s", strchr(t->s, ':') ? ',' : ':', key,
                     value);
    if (n < 0 || (size_t)n >= sizeof t->s - t->n)
        t->cut = true;
    else
        t->n += (size_t)n;
}

static int misplaced(const char *option, const char *formats, const char *kind)
{
    say_error("--%s is for %s, but the input is %s", option, formats, kind);
    return EXIT_USAGE;
}

static int make_spec(text *t, const char *kind, int base, const char *bytes, size_t len)
{
    bool svmlight = !strcmp(kind, "svmlight"), tsv = !strcmp(kind, "tsv");
    bool csv = tsv || !strcmp(kind, "csv");
    const char *of_svmlight = index_base       ? "index-base"
                              : sort           ? "sort"
                              : sum_duplicates ? "sum-duplicates"
                              : ignore_fields  ? "ignore-fields"
                                               : NULL;
    const char *of_csv = label ? "label" : header ? "header" : no_header ? "no-header" : NULL;

    if (of_svmlight && !svmlight)
        return misplaced(of_svmlight, "svmlight", kind);
    if (of_csv && !csv)
        return misplaced(of_csv, "csv and tsv", kind);
    if (nan_values && !csv && !svmlight)
        return misplaced("nan", "text", kind);
    if (header && no_header) {
        say_error("--header and --no-header contradict each other");
        return EXIT_USAGE;
    }
    *t = (text){.cut = false};
    t->n = (size_t)snprintf(t->s, sizeof t->s, "%s", csv ? "csv" : kind);
    if (svmlight && base >= 0)
        add(t, "base", base ? "1" : "0");
    else if (index_base)
        add(t, "base", index_base);
    if (sort)
        add(t, "sort", "yes");
    if (sum_duplicates)
        add(t, "duplicates", "sum");
    if (ignore_fields)
        add(t, "fields", "ignore");
    if (nan_values)
        add(t, "nan", nan_values);
    if (csv) {
        line l = first_line(bytes, bytes + len);
        add(t, "separator",
            tsv            ? "tab"
            : has(l, ',')  ? "comma"
            : has(l, ';')  ? "semicolon"
            : has(l, '\t') ? "tab"
                           : "comma");
    }
    if (label)
        add(t, "label", label);
    if (header || no_header)
        add(t, "header", header ? "yes" : "no");
    if (t->cut)
        say_error("--label %.20s... is too long", label);
    return t->cut ? EXIT_USAGE : 0;
}

/* ---- Feeding ------------------------------------------------------------------------------ */
typedef struct batch {
    char *buf;
    size_t room, have;
    bool end;
} batch;

/* Fill the batch; for text, until it holds a line end. */
static int fill(batch *b, source *s, bool whole_lines, size_t *cut)
{
    for (;;) {
        size_t got, from = b->have;
        int status = source_read(s, &got, b->buf + b->have, b->room - b->have);
        if (status)
            return status;
        b->have += got;
        b->end = b->have < b->room;
        *cut = b->have;
        if (b->end || !whole_lines)
            return 0;
        while (*cut > from && b->buf[*cut - 1] != '\n')
            --*cut;
        if (*cut > from)
            return 0;
        char *more = b->room < cli.max_memory / 2 ? realloc(b->buf, 2 * b->room) : NULL;
        if (!more) {
            char size[32];
            say_error("%s: a line of more than %s", s->name, say_bytes(size, (double)b->room));
            return EXIT_MEMORY;
        }
        b->buf = more;
        b->room *= 2;
    }
}

static int feed(fx_reader *r, source *s, batch *b, size_t cut, double before)
{
    fx_run run = progress_run();

    progress_part(before, (double)s->taken);
    fx_status st = fx_data_reader_feed(r, b->buf, cut, &run);
    if (st)
        return say_failure(st);
    fx_reading c = fx_data_reader_count(r);
    double bytes = 8 * (double)c.entries + 16 * (double)c.rows; /* the least that they can take */
    if (say_limit(bytes, "%s: %llu rows so far take", s->name, (unsigned long long)c.rows))
        return EXIT_MEMORY;
    b->have -= cut;
    memmove(b->buf, b->buf + cut, b->have);
    return progress_interrupted() ? progress_stop() : 0;
}

static int feed_zip(fx_reader *r, source *s, batch *b)
{
    const char *member;
    size_t cut;
    int status;

    while (!(status = source_member(s, &member)) && member) {
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

static int read_all(loaded *l, fx_reader **r, source *s, const char *path, batch *b, int base)
{
    text spec;
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
    l->format = choose(s, path, b->buf, cut);
    if (s->zip != !strcmp(l->format, "npz")) {
        say_error("%s is %s zip file, so it cannot be read as %s", s->name, s->zip ? "a" : "not a",
                  l->format);
        return EXIT_USAGE;
    }
    if ((status = make_spec(&spec, l->format, base, b->buf, cut)))
        return status;
    l->base_given = strstr(spec.s, "base=0") || strstr(spec.s, "base=1");
    fx_status st = fx_data_reader_new(r, spec.s, s->name);
    if (st)
        return say_failure(st);
    if (s->zip)
        return feed_zip(*r, s, b);
    for (;;) {
        if ((status = feed(*r, s, b, cut, before)) || b->end)
            return status;
        before = (double)s->taken;
        if ((status = fill(b, s, whole_lines, &cut)))
            return status;
    }
}

/* One huge index makes every vector of the table's width huge: say so, and refuse in time. */
static int check_width(const loaded *l)
{
    double bytes = 8 * (double)l->table.cols;
    char need[32], where[64] = "";

    if (l->reading.widest_line)
        snprintf(where, sizeof where, " (its largest index is on line %llu)",
                 (unsigned long long)l->reading.widest_line);
    if (say_limit(bytes, "%s: %zu columns%s: one dense row needs", l->name, l->table.cols, where))
        return EXIT_MEMORY;
    if (bytes > 1 << 20 && (double)l->table.cols > 100 * (double)l->reading.entries)
        say_warning("%s: %zu columns for %llu entries%s; one dense row needs %s", l->name,
                    l->table.cols, (unsigned long long)l->reading.entries, where,
                    say_bytes(need, bytes));
    return 0;
}

int load(loaded *out, const char *path, int base)
{
    source s;
    fx_reader *r = NULL;
    batch b = {.room = BATCH};
    loaded l = {0};
    double start = say_clock();
    int status = source_open(&s, path);

    if (status)
        return status;
    l.name = s.name;
    l.compression = s.compression;
    progress_begin("read", "B", (double)s.size);
    if (!(b.buf = malloc(BATCH)))
        status = say_no_memory("reading");
    if (!status)
        status = read_all(&l, &r, &s, path, &b, base);
    free(b.buf);
    source_close(&s);
    progress_end();
    if (!status) {
        fx_run run = progress_run();
        fx_status st = fx_data_reader_take(&l.data, r, 1, &run);
        if (st)
            status = say_failure(st);
    }
    if (!status) {
        l.table = fx_data_table(l.data);
        l.reading = fx_data_reader_count(r);
        l.seconds = say_clock() - start;
        status = check_width(&l);
    }
    fx_data_reader_free(r);
    if (status)
        fx_data_free(l.data);
    else
        *out = l;
    return status;
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
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (odd[i].count)
            n += (size_t)snprintf(rest + n, sizeof rest - n, ", %llu %s",
                                  (unsigned long long)odd[i].count, odd[i].what);
    say_note("%s: %s%s%s, %zu rows x %zu columns%s", l->name, l->format,
             l->compression ? " in " : "", l->compression ? l->compression : "", l->table.rows,
             l->table.cols, rest);
}

void load_replace(loaded *l, fx_data *data)
{
    load_free(l);
    l->data = data;
    l->table = fx_data_table(data);
}

/* Views alone change: a sparse row says nothing of the columns that it lacks. */
int load_widen(loaded *l, size_t cols, const char *other)
{
    size_t blocks = l->table.blocks;

    if (l->table.cols >= cols)
        return 0;
    if (!l->table.block[0].ptr) {
        say_error("%s has %zu columns, %s has %zu", l->name, l->table.cols, other, cols);
        return EXIT_USAGE;
    }
    fx_matrix *wide = malloc(blocks * sizeof *wide);
    if (!wide)
        return say_no_memory("wider rows");
    for (size_t b = 0; b < blocks; b++) {
        wide[b] = l->table.block[b];
        wide[b].cols = cols;
    }
    l->wide = wide;
    l->table.block = wide;
    l->table.cols = cols;
    l->table.name = NULL;               /* there are none for the new columns */
    return 0;
}

int load_fit(fx_scale **out, const char *spec, const loaded *l)
{
    fx_run run = progress_run();

    progress_begin("fit", "rows", (double)l->table.rows);
    fx_status st = fx_data_scale_fit(out, spec, &l->table, &run);
    progress_end();
    return st ? say_failure(st) : 0;
}

int load_scale(loaded *l, const fx_scale *scale)
{
    fx_run run = progress_run();
    fx_data *scaled;

    progress_begin("scale", "rows", (double)l->table.rows);
    fx_status st = fx_data_scale_apply(&scaled, scale, &l->table, &run);
    progress_end();
    if (st)
        return say_failure(st);
    load_replace(l, scaled);
    return 0;
}

int load_join(loaded *l)
{
    fx_run run = progress_run();
    fx_data *one;

    if (l->table.blocks == 1)
        return 0;
    fx_status st = fx_data_select(&one, &l->table, NULL, 0, &run);
    if (st)
        return say_failure(st);
    load_replace(l, one);
    return 0;
}

int load_ready(loaded *l, const char *path, const char *scale)
{
    fx_scale *s = NULL;
    int status = load(l, path, -1);

    if (status)
        return status;
    load_say(l);
    if (strcmp(scale, "none") != 0 && !(status = load_fit(&s, scale, l)))
        status = load_scale(l, s);
    fx_data_scale_free(s);
    return status ? status : load_join(l);
}

fx_matrix load_rows(const fx_matrix *X, size_t first, size_t n)
{
    fx_matrix part = *X;

    part.rows = n;
    if (X->ptr)
        part.ptr += first;
    else if (X->val)
        part.val = (const char *)X->val
                   + first * X->stride * (X->type == FX_F64 ? sizeof(double) : sizeof(float));
    return part;
}

void load_free(loaded *l)
{
    fx_data_free(l->data);
    free(l->wide);
    l->data = NULL;
    l->wide = NULL;
}
