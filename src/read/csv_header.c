/* SPDX-License-Identifier: BSD-3-Clause
 * csv_header.c - the first line of a CSV file that is not blank.
 *
 * It gives the number of fields, their names and where the label is, and is a header if header=yes,
 * if label= names a column, or (auto) if any field outside the label is not a number: a file of
 * numbers with text labels has no header.  `0,1,label` is rejected: tables without names are
 * written in this way, and it would be taken for a row whose class is `label`. */

#include "read/csv.h"

#include <stdio.h>

/* A word of the form digits:number after a space that separates no fields, as svmlight has them;
 * NULL: none. */
static const char *svmlight_word(const char *p, const char *stop, char separator)
{
    for (; p < stop; p++)
        if ((*p == ' ' || *p == '\t') && *p != separator) {
            const char *word = p + 1, *d = word;
            double x;
            while (d < stop && *d >= '0' && *d <= '9')
                d++;
            if (d > word && d < stop && *d == ':' && fxi_decimal_read(&x, d + 1, stop))
                return word;
        }
    return NULL;
}

static fx_status reject(const fx_reader *r, const char *line, const char *at, const char *reason)
{
    return fxi_read_error(r, r->count.lines, (size_t)(at - line) + 1, reason);
}

/* True if the names that are given have an empty one, or a category of an empty name. */
static bool has_unnamed(const fx_reader *r)
{
    const fxi_data_classes *all = &r->names.all;
    bool found = false;

    for (size_t i = 0; i < all->n && r->names.given; i++)
        found |= !all->text[all->at[i]] || all->text[all->at[i]] == '=';
    return found;
}

/* Names of all columns: the header's, or c1, c2, ..  A column without a name in the header is named
 * by its position, too, but not for a model of an earlier version, which has the empty name. */
static fx_status keep_names(const fx_reader *r, const char *line, const char *stop, bool header)
{
    enum { NUMBER = 24 };               /* bytes of c1, ... */
    fxi_read_csv_state *t = r->state;
    const char *p = line;
    fxi_read_csv_field f;
    size_t bytes;
    bool empty = has_unnamed(r);

    if (!fxi_size_mul(&bytes, t->fields, NUMBER)
        || !fxi_size_add(&bytes, bytes, (size_t)(stop - line)))
        return FX_ENOMEM;
    t->names = fxi_alloc(bytes, 1);
    t->column = fxi_zalloc(t->fields, sizeof *t->column);
    if (!t->names || !t->column)
        return FX_ENOMEM;
    char *to = t->names;
    for (size_t j = 0; j < t->fields; j++, p = f.next + (f.next < stop)) {
        fxi_read_csv_column *c = &t->column[j];
        fxi_read_csv_field_read(&f, p, stop, t->separator); /* read before: well formed */
        c->name = to;
        c->len = header && (f.len || empty) ? fxi_read_csv_field_copy(to, &f)
                                            : (size_t)snprintf(to, NUMBER, "c%zu", j + 1);
        to[c->len] = '\0';
        to += c->len + 1;
        t->longest = c->len > t->longest ? c->len : t->longest;
    }
    return FX_OK;
}

/* One field only: no features.  Often the separator is another. */
static fx_status one_field(const fx_reader *r, const fxi_read_csv_state *t, const char *line,
                           const char *stop)
{
    static const struct { char byte; const char *name; } other[] = {
        {',', "comma"}, {'\t', "tab"}, {';', "semicolon"}};
    size_t len = (size_t)(stop - line);

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].byte != t->separator && memchr(line, other[i].byte, len)) {
            char reason[128];
            snprintf(reason, sizeof reason, "one field only; is it separator=%s?", other[i].name);
            return reject(r, line, line, reason);
        }
    return reject(r, line, line, "one field only: no features beside the label (use label=none?)");
}

/* True if the fields next to a text label are 0, 1, 2, ... or 1, 2, 3, ... */
static bool numbered(const fxi_read_csv_state *t, const char *line, const char *stop)
{
    const char *p = line;
    size_t next = 0, start = 0;
    bool text = false;
    double x;
    fxi_read_csv_field f;

    for (size_t j = 0; j < t->fields; j++, p = f.next + (f.next < stop)) {
        char expected[24];
        fxi_read_csv_field_read(&f, p, stop, t->separator);
        if (j == t->label_at) {
            text = f.len && !fxi_read_csv_field_number(&x, t, &f);
            continue;
        }
        if (next == 0)
            start = f.len == 1 && *f.text == '1';
        size_t len = (size_t)snprintf(expected, sizeof expected, "%zu", start + next++);
        if (f.len != len || memcmp(f.text, expected, len))
            return false;
    }
    return text;
}

fx_status fxi_read_csv_header_line(fx_reader *r, const char *line, const char *stop, bool *header)
{
    fxi_read_csv_state *t = r->state;
    const char *p = line;
    fxi_read_csv_field f;
    const char *byte, *odd = fxi_data_text_odd(&byte, line, (size_t)(stop - line));
    bool words = false;
    double x;

    if (odd)
        return reject(r, line, byte, odd);
    if ((byte = svmlight_word(line, stop, t->separator)))
        return reject(r, line, byte, "this looks like svmlight, not CSV");
    for (;; p = f.next + (f.next < stop)) {
        if (!fxi_read_csv_field_read(&f, p, stop, t->separator))
            return reject(r, line, p, "a quote that does not end its field");
        t->fields++;
        if (f.next == stop)
            break;
    }
    t->line = r->count.lines;
    bool by_name = false;
    t->label_at = FXI_CSV_NONE;
    if (!strcmp(t->label, "first") || !strcmp(t->label, "last"))
        t->label_at = *t->label == 'f' ? 0 : t->fields - 1;
    else
        by_name = strcmp(t->label, "none") != 0;        /* then this line is a header */
    if (t->fields == 1 && (by_name || t->label_at == 0) && !r->names.given)
        return one_field(r, t, line, stop);
    p = line;
    for (size_t j = 0; j < t->fields; j++, p = f.next + (f.next < stop)) {
        fxi_read_csv_field_read(&f, p, stop, t->separator);
        bool number = fxi_read_csv_field_number(&x, t, &f);
        words |= j != t->label_at && f.len && !number;
        t->mixed |= j != t->label_at && number;
    }
    if (!t->header && !t->no_header && numbered(t, line, stop))
        return reject(r, line, line, "is this line a header? (header=yes or header=no)");
    *header = t->named = t->header || (words && !t->no_header);
    t->mixed &= !t->header;
    fx_status s = keep_names(r, line, stop, t->named);
    if (!s)
        s = fxi_read_csv_names_columns(r);
    char reason[FXI_CSV_REASON];
    if (!s && (s = fxi_read_csv_columns_label(r, reason)) == FX_EFORMAT)
        return reject(r, line, line, reason);
    return s;
}

fx_status fxi_read_csv_header(fx_reader *r, const char **p, const char *end)
{
    fxi_read_csv_state *t = r->state;
    const char *next = *p, *line, *stop;
    const uint64_t left = (uint64_t)(end - *p), before = r->count.bytes - left;
    const uint64_t look = before < FXI_CSV_LOOK ? FXI_CSV_LOOK - before : 0;
    const char *limit = look < left ? *p + look : end;  /* counted from the start of the input */

    while (!t->resolved && fxi_data_text_line(&line, &stop, &next, end)) {
        bool header = true;             /* or a blank line: consumed */
        fx_status s = FX_OK;
        r->count.lines++;
        if (fxi_read_csv_skip(line, stop, t->separator) == stop)
            r->count.blank++;
        else if (!t->fields)
            s = fxi_read_csv_header_line(r, line, stop, &header);
        else
            header = false;
        if (!s && !header) {            /* a row: read again with the others */
            s = fxi_read_csv_columns(r, line, stop, limit, end);
            r->count.lines--;
        }
        if (s)
            return s;
        if (header)
            *p = next;
    }
    return FX_OK;
}

fx_status fxi_read_csv_header_held(fx_reader *r)
{
    fxi_read_csv_state *t = r->state;
    const char *at = r->held.at, *next = at, *line, *stop;

    if (!r->held.len)
        return FX_OK;
    const char *end = at + r->held.len;
    while (!t->fields && fxi_data_text_line(&line, &stop, &next, end)) {
        bool header = true;
        fx_status s = FX_OK;
        r->count.lines++;
        if (fxi_read_csv_skip(line, stop, t->separator) == stop)
            r->count.blank++;
        else
            s = fxi_read_csv_header_line(r, line, stop, &header);
        if (s)
            return s;
        if (header)
            at = next;
        else
            r->count.lines--;           /* a row: read again with the others */
    }
    r->held.len = (size_t)(end - at);
    memmove(r->held.at, at, r->held.len);
    return FX_OK;
}
