/* SPDX-License-Identifier: BSD-3-Clause
 * csv_field.c - one field of a line: spaces around it left out, perhaps in double quotes. */

#include "read/csv.h"

bool fxi_read_csv_field_read(fxi_read_csv_field *f, const char *p, const char *stop,
                             char separator)
{
    p = fxi_read_csv_skip(p, stop, separator);
    f->quoted = p < stop && *p == '"';
    if (f->quoted) {
        f->text = ++p;
        for (; p < stop && (*p != '"' || (p + 1 < stop && p[1] == '"')); p++)
            p += *p == '"';
        if (p >= stop)
            return false;
        f->len = (size_t)(p - f->text);
        f->next = fxi_read_csv_skip(p + 1, stop, separator);
        return f->next == stop || *f->next == separator;
    }
    f->text = p;
    f->next = memchr(p, separator, (size_t)(stop - p));
    if (!f->next)
        f->next = stop;
    for (p = f->next; p > f->text && (p[-1] == ' ' || p[-1] == '\t');)
        p--;
    f->len = (size_t)(p - f->text);
    return true;
}

size_t fxi_read_csv_field_copy(char *out, const fxi_read_csv_field *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->len; i++) {
        out[n++] = f->text[i];
        i += f->quoted && f->text[i] == '"';
    }
    return n;
}

/* With one comma for the point. */
static bool comma_number(double *x, const fxi_read_csv_field *f)
{
    char text[64];
    const char *comma = f->len < sizeof text ? memchr(f->text, ',', f->len) : NULL;

    if (!comma || memchr(f->text, '.', f->len))
        return false;
    memcpy(text, f->text, f->len);
    text[comma - f->text] = '.';
    return fxi_decimal_read(x, text, text + f->len) == text + f->len;
}

bool fxi_read_csv_field_comma(const fxi_read_csv_field *f)
{
    double x;

    return comma_number(&x, f);
}

bool fxi_read_csv_field_number(double *x, const fxi_read_csv_state *t, const fxi_read_csv_field *f)
{
    const char *stop = f->text + f->len;

    return f->len
           && (fxi_decimal_read(x, f->text, stop) == stop
               || (t->decimal_comma && comma_number(x, f)));
}

static bool same_letters(const char *text, size_t len, const char *word)
{
    size_t i = 0;

    for (; i < len && word[i]; i++) {
        char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c) != word[i])
            return false;
    }
    return i == len && !word[i];
}

bool fxi_read_csv_field_missing(const fxi_read_csv_state *t, const fxi_read_csv_field *f)
{
    static const char *const words[] = {"na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"};

    if (!f->len)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (same_letters(f->text, f->len, words[i]))
            return true;
    return fxi_read_csv_names_listed(&t->nas, f->text, f->len);
}

const char *fxi_read_csv_field_value(char buf[FXI_CSV_VALUE], const char word[FXI_EXCERPT])
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+:%";
    char value[FXI_CSV_VALUE];
    size_t n = 0;

    fxi_spec_escape(value, word, strlen(word), "none|auto|all");
    if (strspn(value, plain) == strlen(value))
        return strcpy(buf, value);
    buf[n++] = '\'';
    for (const char *p = value; *p && n + 5 < FXI_CSV_VALUE; p++)
        if (*p == '\'') {
            memcpy(buf + n, "%27", 3);
            n += 3;
        } else
            buf[n++] = *p;
    buf[n++] = '\'';
    buf[n] = '\0';
    return buf;
}
