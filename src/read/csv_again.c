/* SPDX-License-Identifier: BSD-3-Clause
 * csv_again.c - the first line of a file that is not the first of its input: the same header again.
 *
 * Rows of all files are read by the columns of the first, so a header with other names, or the same
 * in another order, is an error. */

#include "read/csv.h"

#include <stdio.h>
#include <stdlib.h>

/* The header of the first file must be known by now; its lines may still be held back. */
fx_status fxi_read_csv_again(fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;
    fx_status s = t->fields ? FX_OK : fxi_read_csv_header_held(r);

    r->opening = t->fields && t->named;
    return s;
}

static fx_status reject(const fx_reader *r, size_t column, const char *reason)
{
    const fxi_read_file *f = &r->file[r->files - 1];

    return fxi_error(FX_EFORMAT, "%s:%llu:%zu: %s", f->name, (unsigned long long)f->skipped, column,
                     reason);
}

static const char *first_name(char buf[FXI_READ_PLACE], const fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;
    uint64_t line;

    snprintf(buf, FXI_READ_PLACE, "%s", fxi_read_sources_name(&line, r, t->line));
    return buf;
}

/* A column without a name is named by its position, as in the first file. */
static bool is(const fxi_read_csv_column *c, const fxi_read_csv_field *f, size_t j, char *copy)
{
    char place[24];

    snprintf(place, sizeof place, "c%zu", j + 1);
    if (!f->len)
        return !c->len || !strcmp(place, c->name);
    size_t len = fxi_read_csv_field_copy(copy, f);
    return len == c->len && !memcmp(copy, c->name, len);
}

static fx_status compare(const fx_reader *r, const char *line, const char *stop, char *copy)
{
    const fxi_read_csv_state *t = r->state;
    char reason[2 * FXI_EXCERPT + FXI_READ_PLACE + 96], name[FXI_READ_PLACE];
    char here[FXI_EXCERPT], there[FXI_EXCERPT];
    fxi_read_csv_field f;
    size_t j = 0;

    for (const char *p = line;; p = f.next + 1, j++) {
        size_t at = (size_t)(p - line) + 1;
        if (!fxi_read_csv_field_read(&f, p, stop, t->separator))
            return reject(r, at, "a quote that does not end its field");
        if (j < t->fields && !is(&t->column[j], &f, j, copy)) {
            snprintf(reason, sizeof reason,
                     "column %zu is '%s' here, but '%s' in %s: all files need the same header",
                     j + 1, fxi_data_text_excerpt(here, f.text, f.len),
                     fxi_data_text_excerpt(there, t->column[j].name, t->column[j].len),
                     first_name(name, r));
            return reject(r, at, reason);
        }
        if (f.next == stop)
            break;
    }
    if (++j == t->fields)
        return FX_OK;
    snprintf(reason, sizeof reason,
             "%zu columns here, but %zu in %s: all files need the same header", j, t->fields,
             first_name(name, r));
    return reject(r, 1, reason);
}

fx_status fxi_read_csv_again_skip(fx_reader *r, const char **p, const char *end)
{
    const fxi_read_csv_state *t = r->state;
    fxi_read_file *f = &r->file[r->files - 1];
    const char *line, *stop;

    while (r->opening && fxi_data_text_line(&line, &stop, p, end)) {
        f->skipped++;
        if (fxi_read_csv_skip(line, stop, t->separator) == stop)
            continue;
        char *copy = fxi_alloc((size_t)(stop - line), 1);
        fx_status s = copy ? compare(r, line, stop, copy) : FX_ENOMEM;
        free(copy);
        if (s)
            return s;
        r->opening = false;
    }
    return FX_OK;
}
