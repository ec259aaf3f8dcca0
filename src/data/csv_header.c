/* SPDX-License-Identifier: BSD-3-Clause
 * csv_header.c - the first line of a CSV file that is not blank.
 *
 * It settles the number of fields and where the label stands, and is a header if header=yes, if
 * label= names a column, or (auto) if any field outside the label is not a number: a file of
 * numbers with text labels has no header.  `0,1,label` is refused: tables without names are
 * written so, and it would pass for a row whose class is `label`. */

#include "data/csv.h"

#include <stdio.h>
#include <stdlib.h>

/* A word of the form digits:number after a blank that separates no fields, as svmlight has them;
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

static fx_status refuse(const fx_reader *r, const char *line, const char *at, const char *reason)
{
    return fxi_data_text_error(r, r->count.lines, (size_t)(at - line) + 1, reason);
}

static fx_status find_label(const fx_reader *r, fxi_data_csv_state *t, const char *line,
                            const char *stop)
{
    const char *p = line;
    fxi_data_csv_field f;

    if (!strcmp(t->label, "none"))
        t->label_at = FXI_CSV_NO_LABEL;
    else if (!strcmp(t->label, "first"))
        t->label_at = 0;
    else if (!strcmp(t->label, "last"))
        t->label_at = t->fields - 1;
    else {
        char *name = fxi_alloc((size_t)(stop - line) + 1, 1);
        size_t len = strlen(t->label), at = 0;
        if (!name)
            return FX_ENOMEM;
        for (; at < t->fields; at++, p = f.next + (f.next < stop))
            if (fxi_data_csv_field_read(&f, p, stop, t->separator)
                && fxi_data_csv_field_copy(name, &f) == len && !memcmp(name, t->label, len))
                break;
        free(name);
        if (at == t->fields) {
            char reason[128];
            snprintf(reason, sizeof reason, "no column is named '%.64s'", t->label);
            return refuse(r, line, line, reason);
        }
        t->label_at = at;
    }
    return FX_OK;
}

static fx_status keep_names(fxi_data_csv_state *t, const char *line, const char *stop)
{
    const char *p = line;
    fxi_data_csv_field f;

    t->names = fxi_alloc((size_t)(stop - line) + t->fields + 1, 1);
    if (!t->names)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields; j++, p = f.next + (f.next < stop)) {
        fxi_data_csv_field_read(&f, p, stop, t->separator); /* read before: well formed */
        if (j == t->label_at)
            continue;
        t->names_len += fxi_data_csv_field_copy(t->names + t->names_len, &f);
        t->names[t->names_len++] = '\0';
    }
    return FX_OK;
}

/* One field only: no features.  Often the separator is another. */
static fx_status one_field(const fx_reader *r, const fxi_data_csv_state *t, const char *line,
                           const char *stop)
{
    static const struct { char byte; const char *name; } other[] = {
        {',', "comma"}, {'\t', "tab"}, {';', "semicolon"}};
    size_t len = (size_t)(stop - line);

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].byte != t->separator && memchr(line, other[i].byte, len)) {
            char reason[128];
            snprintf(reason, sizeof reason, "one field only; is it separator=%s?", other[i].name);
            return refuse(r, line, line, reason);
        }
    return refuse(r, line, line, "one field only: no features beside the label (use label=none?)");
}

/* Are the fields beside a label that is text 0, 1, 2, ... or 1, 2, 3, ...? */
static bool numbered(const fxi_data_csv_state *t, const char *line, const char *stop)
{
    const char *p = line;
    size_t next = 0, start = 0;
    bool text = false;
    double x;
    fxi_data_csv_field f;

    for (size_t j = 0; j < t->fields; j++, p = f.next + (f.next < stop)) {
        char want[24];
        fxi_data_csv_field_read(&f, p, stop, t->separator);
        if (j == t->label_at) {
            text = f.len && !fxi_data_csv_field_number(&x, &f);
            continue;
        }
        if (next == 0)
            start = f.len == 1 && *f.text == '1';
        size_t len = (size_t)snprintf(want, sizeof want, "%zu", start + next++);
        if (f.len != len || memcmp(f.text, want, len))
            return false;
    }
    return text;
}

static fx_status first_line(fx_reader *r, const char *line, const char *stop, bool *header)
{
    fxi_data_csv_state *t = r->state;
    const char *p = line;
    fxi_data_csv_field f;
    const char *byte, *odd = fxi_data_text_odd(&byte, line, (size_t)(stop - line));
    bool words = false;
    double x;

    if (odd)
        return refuse(r, line, byte, odd);
    if ((byte = svmlight_word(line, stop, t->separator)))
        return refuse(r, line, byte, "this looks like svmlight, not CSV");
    for (;; p = f.next + (f.next < stop)) {
        if (!fxi_data_csv_field_read(&f, p, stop, t->separator))
            return refuse(r, line, p, "a quote that does not end its field");
        t->fields++;
        if (f.next == stop)
            break;
    }
    t->line = r->count.lines;
    fx_status s = find_label(r, t, line, stop);
    if (s)
        return s;
    if (t->fields == 1 && t->label_at != FXI_CSV_NO_LABEL)
        return one_field(r, t, line, stop);
    p = line;
    for (size_t j = 0; j < t->fields; j++, p = f.next + (f.next < stop)) {
        fxi_data_csv_field_read(&f, p, stop, t->separator);
        words |= j != t->label_at && f.len && !fxi_data_csv_field_number(&x, &f);
    }
    if (!t->header && !t->no_header && numbered(t, line, stop))
        return refuse(r, line, line, "is this line a header? (header=yes or header=no)");
    *header = t->header || (words && !t->no_header);
    r->cols = t->fields - (t->label_at != FXI_CSV_NO_LABEL);
    return *header ? keep_names(t, line, stop) : FX_OK;
}

fx_status fxi_data_csv_header(fx_reader *r, const char **p, const char *end)
{
    fxi_data_csv_state *t = r->state;
    const char *next = *p, *line, *stop;

    while (!t->fields && fxi_data_text_line(&line, &stop, &next, end)) {
        bool header = true;             /* or a blank line: consumed */
        r->count.lines++;
        if (fxi_data_csv_skip(line, stop, t->separator) == stop)
            r->count.blank++;
        else {
            fx_status s = first_line(r, line, stop, &header);
            if (s)
                return s;
        }
        if (header)
            *p = next;
        else
            r->count.lines--;           /* a row: read again with the others */
    }
    return FX_OK;
}

