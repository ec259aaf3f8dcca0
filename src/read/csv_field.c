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

bool fxi_read_csv_field_number(double *x, const fxi_read_csv_field *f)
{
    const char *stop = f->text + f->len;

    return f->len && fxi_decimal_read(x, f->text, stop) == stop;
}
