/* SPDX-License-Identifier: BSD-3-Clause
 * csv_look.c - finds from the first rows of a CSV file, before any is read, which columns are
 * numbers.  One row is not enough for that, since its field may be missing.
 *
 * A column is one of categories if most of its fields are words.  Where most are numbers, words
 * among them are an error: they may be categories, or a sign for missing numbers, and a wrong guess
 * would silently spoil the fit.  Numbers with decimal commas are an error, too. */

#include "read/csv.h"

#include <stdio.h>

static void look_at(fxi_read_csv_seen *seen, const fxi_read_csv_state *t,
                    const fxi_read_csv_field *f, uint64_t line, size_t at)
{
    double x;

    if (fxi_read_csv_field_missing(t, f))
        return;
    if (fxi_read_csv_field_number(&x, t, f)) {
        seen->numbers++;
        return;
    }
    if (!seen->words++) {
        seen->line = line;
        seen->at = at;
        fxi_data_text_excerpt(seen->word, f->text, f->len);
    }
    seen->commas += fxi_read_csv_field_comma(f);
}

void fxi_read_csv_look(fxi_read_csv_seen *seen, const fx_reader *r, const char *line,
                       const char *limit, const char *end)
{
    const fxi_read_csv_state *t = r->state;
    const char *p = line, *stop;
    uint64_t number = r->count.lines;   /* of the first row */

    for (bool more = true; more && fxi_data_text_line(&line, &stop, &p, end); number++) {
        fxi_read_csv_field f = {.next = line};
        const char *from = line;
        for (size_t j = 0; j < t->fields && from <= stop; j++, from = f.next + 1) {
            if (!fxi_read_csv_field_read(&f, from, stop, t->separator))
                break;                  /* an error when the row is read */
            look_at(&seen[j], t, &f, number, (size_t)(f.text - line) + 1);
            if (f.next == stop)
                break;
        }
        more = p < limit;
    }
}

fx_status fxi_read_csv_look_mixed(const fx_reader *r, const fxi_read_csv_column *c,
                                  const fxi_read_csv_seen *seen)
{
    char name[FXI_EXCERPT], reason[384];

    fxi_data_text_excerpt(name, c->name, c->len);
    if (seen->commas == seen->words)
        snprintf(reason, sizeof reason,
                 "'%s' in the column '%s': use decimal=comma if that is a number, cat=+%s if it is "
                 "a category", seen->word, name, name);
    else
        snprintf(reason, sizeof reason,
                 "'%s' is not a number, but %zu of the first fields of the column '%s' are: use "
                 "cat=+%s if they are all categories, na=%s if it stands for a missing number",
                 seen->word, seen->numbers, name, name, seen->word);
    return fxi_read_error(r, seen->line, seen->at, reason);
}
