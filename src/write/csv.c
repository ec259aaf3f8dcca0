/* SPDX-License-Identifier: BSD-3-Clause
 * csv.c - a header line and one line per row, separated by commas or tabs.
 *
 * The header (header=no leaves it out) names the features (x1, x2, ... if they have no names), then
 * `weight` if there are weights and, last, `label` if there are labels.  A text that holds the
 * separator or a quote, begins or ends with a space, or begins with a byte order mark is quoted,
 * with quotes doubled (RFC 4180).  Texts with line ends, class names that are empty or numbers, and
 * headers of numbers alone are rejected, because no reader here would read them back.  This format
 * cannot store queries. */

#include "write/write.h"

#include <string.h>

static fx_status check_texts(const char *const *text, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (strpbrk(text[i], "\r\n"))
            return fxi_error(FX_EUNSUPPORTED,
                             "the %s '%s' holds a line end, which cannot stand in "
                             "this format",
                             what, text[i]);
    return FX_OK;
}

/* A first line of numbers would be read as a row. */
static fx_status check_header(const fx_table *t)
{
    for (size_t j = 0; j < t->cols; j++)
        if (t->name[j][0] && !fxi_write_is_number(t->name[j]))
            return FX_OK;
    return fxi_error(FX_EUNSUPPORTED,
                     "feature names '%s'.. that are all numbers or empty would be "
                     "read as a row (use header=no)",
                     t->name[0]);
}

static fx_status start(fxi_writer *w, const fxi_spec *s, const fx_key *keys, char separator)
{
    const fx_table *t = w->t;
    fx_status st = fxi_key_choice(&w->headless, s, keys, "header");

    w->separator = separator;
    if (!st && t->name && !w->headless)
        st = check_texts(t->name, t->cols, "feature name");
    if (!st)
        st = check_texts(t->class_name, t->classes, "class name");
    for (size_t c = 0; !st && c < t->classes; c++)
        if (!t->class_name[c][0] || fxi_write_is_number(t->class_name[c]))
            st = fxi_error(FX_EUNSUPPORTED,
                           "class name '%s' cannot stand in this format (empty or "
                           "a number)",
                           t->class_name[c]);
    if (!st && t->name && t->cols && !w->headless)
        st = check_header(t);
    return st;
}

static fx_status start_csv(fxi_writer *w, const fxi_spec *s, const fx_key *keys)
{
    return start(w, s, keys, ',');
}

static fx_status start_tsv(fxi_writer *w, const fxi_spec *s, const fx_key *keys)
{
    return start(w, s, keys, '\t');
}

static bool is_space(char b) { return b == ' ' || b == '\t'; }

/* True if a reader would strip something at either end. */
static bool loose(const char *text, size_t len)
{
    return len
           && (is_space(text[0]) || is_space(text[len - 1]) || !strncmp(text, FXI_WRITE_MARK, 3));
}

static fx_status write_text(fxi_writer *w, const char *text)
{
    const char special[] = {w->separator, '"', '\0'};
    const size_t len = strlen(text);

    if (!strpbrk(text, special) && !loose(text, len))
        return fxi_write_bytes(w, text, len);
    fx_status s = fxi_write_bytes(w, "\"", 1);
    while (!s) {
        size_t n = strcspn(text, "\"");
        s = fxi_write_bytes(w, text, n);
        if (!s)
            s = fxi_write_bytes(w, "\"\"", text[n] ? 2 : 1);
        if (!text[n])
            break;
        text += n + 1;
    }
    return s;
}

static fx_status header(fxi_writer *w, size_t pass)
{
    const fx_table *t = w->t;
    fx_status s = FX_OK;

    (void)pass;
    if (w->headless)
        return FX_OK;
    for (size_t j = 0; !s && j < t->cols; j++) {
        if ((s = fxi_write_reserve(w)))
            break;
        if (j)
            fxi_write_char(w, w->separator);
        if (t->name)
            s = write_text(w, t->name[j]);
        else {
            fxi_write_char(w, 'x');
            fxi_write_integer(w, (uint64_t)j + 1);
        }
    }
    if (!s)
        s = fxi_write_reserve(w);
    if (s)
        return s;
    if (t->weight) {
        if (t->cols)
            fxi_write_char(w, w->separator);
        s = fxi_write_bytes(w, "weight", 6);
    }
    if (!s && t->label) {
        if (t->cols || t->weight)
            fxi_write_char(w, w->separator);
        s = fxi_write_bytes(w, "label", 5);
    }
    return s ? s : fxi_write_bytes(w, "\n", 1);
}

static fx_status row(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    const fx_table *t = w->t;
    fx_status s = FX_OK;

    (void)pass;
    for (size_t j = 0, q = 0; j < t->cols; j++) {
        bool here = q < r.n && (size_t)fxi_row_column(r, q) == j;
        if ((s = fxi_write_reserve(w)))
            return s;
        if (j)
            fxi_write_char(w, w->separator);
        fxi_write_number(w, here ? fxi_row_value(r, q) : 0);
        q += here;
    }
    if ((s = fxi_write_reserve(w)))
        return s;
    if (t->weight) {
        if (t->cols)
            fxi_write_char(w, w->separator);
        fxi_write_number(w, t->weight[i]);
        if ((s = fxi_write_reserve(w)))
            return s;
    }
    if (t->label) {
        if (t->cols || t->weight)
            fxi_write_char(w, w->separator);
        if (t->classes)
            s = write_text(w, t->class_name[(size_t)t->label[i]]);
        else
            fxi_write_number(w, t->label[i]);
    }
    return s ? s : fxi_write_bytes(w, "\n", 1);
}

static const fx_key keys[] = {
    {"header", "yes", FXI_CHOICE("yes|no"), "is the first line the names of columns?"}, {0}};

const fxi_write_format fxi_write_csv = {.about = {.name = "csv",
                                                  .help = "fields between commas",
                                                  .key = keys,
                                                  .dense = 1,
                                                  .labels = 1,
                                                  .weights = 1},
                                        .passes = 1,
                                        .start = start_csv,
                                        .before = header,
                                        .row = row};
const fxi_write_format fxi_write_tsv = {.about = {.name = "tsv",
                                                  .help = "fields between tabs",
                                                  .key = keys,
                                                  .dense = 1,
                                                  .labels = 1,
                                                  .weights = 1},
                                        .passes = 1,
                                        .start = start_tsv,
                                        .before = header,
                                        .row = row};
