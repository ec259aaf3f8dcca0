/* SPDX-License-Identifier: BSD-3-Clause
 * csv_look.c - finds from the first rows of a CSV file, before any is read, which columns are
 * numbers.  One row is not enough for that, since its field may be missing.
 *
 * A column is one of categories if most of its fields are words.  Where most are numbers, words
 * among them are an error: they may be categories, or a sign for missing numbers, and a wrong guess
 * would silently spoil the fit.  Numbers with decimal commas are an error, too. */

#include "read/csv.h"

#include <stdio.h>
#include <string.h>

static void note_word(fxi_read_csv_seen *seen, const fxi_read_csv_field *f)
{
    char word[FXI_EXCERPT];

    if (seen->kinds > FXI_CSV_WORDS)
        return;
    fxi_data_text_excerpt(word, f->text, f->len);
    for (size_t i = 0; i < seen->kinds; i++)
        if (!strcmp(seen->word[i], word))
            return;
    if (seen->kinds < FXI_CSV_WORDS)
        memcpy(seen->word[seen->kinds], word, sizeof word);
    seen->kinds++;
}

static void look_at(fxi_read_csv_seen *seen, const fxi_read_csv_state *t,
                    const fxi_read_csv_field *f, uint64_t line, size_t at)
{
    const char *byte;
    double x;

    if (fxi_read_csv_field_missing(t, f) || fxi_data_text_odd(&byte, f->text, f->len))
        return;                         /* not text: an error when the row is read */
    if (fxi_read_csv_field_number(&x, t, f)) {
        seen->numbers++;
        return;
    }
    if (!seen->words++) {
        seen->line = line;
        seen->at = at;
    }
    seen->commas += fxi_read_csv_field_comma(f);
    note_word(seen, f);
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
            if (!fxi_read_csv_field_read(&f, from, stop, t->separator)) {
                p = end;                /* an error when the row is read; the rest may be no rows */
                break;
            }
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
    char name[FXI_EXCERPT], cat[FXI_CSV_VALUE], one[FXI_CSV_VALUE], reason[1024];
    char words[FXI_CSV_WORDS * (FXI_EXCERPT + 4) + 16] = "", na[FXI_CSV_WORDS * FXI_CSV_VALUE] = "";
    const bool several = seen->kinds > 1;

    fxi_data_text_excerpt(name, c->name, c->len);
    fxi_read_csv_field_value(cat, name);
    for (size_t i = 0; i < seen->kinds && i < FXI_CSV_WORDS; i++) {
        size_t n = strlen(words), m = strlen(na);
        snprintf(words + n, sizeof words - n, "%s'%s'", i ? ", " : "", seen->word[i]);
        snprintf(na + m, sizeof na - m, "%s%s", i ? "/" : "",
                 fxi_read_csv_field_value(one, seen->word[i]));
    }
    if (seen->commas == seen->words)
        snprintf(reason, sizeof reason,
                 "'%s' in the column '%s': use decimal=comma if that is a number, cat=+%s if it is "
                 "a category", seen->word[0], name, cat);
    else
        snprintf(reason, sizeof reason,
                 "%s%s %s, but the column '%s' has %zu number%s in its first rows: use cat=+%s if "
                 "all its fields are categories, na=%s if %s", words,
                 seen->kinds > FXI_CSV_WORDS ? " and others" : "",
                 several ? "are not numbers" : "is not a number", name, seen->numbers,
                 seen->numbers == 1 ? "" : "s", cat, na,
                 several ? "these words mean missing numbers" : "that means a missing number");
    return fxi_read_error(r, seen->line, seen->at, reason);
}
