/* SPDX-License-Identifier: BSD-3-Clause
 * svmlight_error.c - describes a token that is not index:value.
 *
 * Files that fail here are mostly valid files of another kind (CSV, tab-separated, field-aware)
 * or lines cut by accident; a message that names the kind saves the search. */

#include "read/read.h"

#include <string.h>

fx_status fxi_read_svmlight_error_pair(fxi_read_chunk *c, const char *line, const char *stop,
                                       const char *p, const char *q)
{
    char excerpt[FXI_EXCERPT];
    const size_t len = (size_t)(q - p), all = (size_t)(stop - line);
    const char *byte, *odd = fxi_data_text_odd(&byte, p, len), *d = p, *hint = "";

    while (d < q && *d >= '0' && *d <= '9')
        d++;
    fxi_data_text_excerpt(excerpt, p, len);
    if (odd)
        return fxi_read_fail(c, line, byte, "%s", odd);
    if (memchr(p, ',', len) || memchr(p, ';', len))
        return fxi_read_fail(c, line, p, "'%s': this looks like CSV, not svmlight", excerpt);
    if (*p == '-' && len > 1 && p[1] >= '0' && p[1] <= '9')
        return fxi_read_fail(c, line, p, "the index in '%s' is negative", excerpt);
    if (*p == ':')
        return fxi_read_fail(c, line, p, "no index before '%s'", excerpt);
    if (d > p && d < q && *d == ':')
        return fxi_read_fail(c, line, p, "the index in '%s' exceeds %d", excerpt, FX_INDEX_MAX);
    c->words = c->rows == 0 && c->kind == FXI_LABEL_TEXT;
    if (!memchr(line, ':', all) && memchr(line, '\t', all))
        hint = "; this looks like tab-separated values";
    return fxi_read_fail(c, line, p, "expected index:value, found '%s'%s", excerpt, hint);
}

fx_status fxi_read_svmlight_error_value(fxi_read_chunk *c, const char *line, const char *token,
                                        const char *p, const char *q)
{
    char excerpt[FXI_EXCERPT];
    const char *byte, *odd = fxi_data_text_odd(&byte, p, (size_t)(q - p)), *after;
    double x;

    if (odd)
        return fxi_read_fail(c, line, byte, "%s", odd);
    fxi_data_text_excerpt(excerpt, token, (size_t)(q - token));
    if (p == q)
        return fxi_read_fail(c, line, p, "no value after '%s'", excerpt);
    after = fxi_decimal_read(&x, p, q);
    if (after && after < q && *after == ':')
        return fxi_read_fail(c, line, token,
                             "'%s' is the field-aware format "
                             "field:index:value (use fields=ignore)",
                             excerpt);
    return fxi_read_fail(c, line, p, "'%s' is not a number",
                         fxi_data_text_excerpt(excerpt, p, (size_t)(q - p)));
}

static const char *read_digits(uint64_t *n, const char *p, const char *stop)
{
    for (*n = 0; p < stop && *p >= '0' && *p <= '9'; p++)
        *n = *n * 10 + (uint64_t)(*p - '0');    /* wraps in a label of many digits */
    return p;
}

const char *fxi_read_svmlight_error_second(const char *line, const char *stop, bool fields,
                                           int64_t index)
{
    const char *p = line;
    int seen = 0;

    for (; p < stop && *p != '#'; p++) {
        uint64_t n, inner;
        double x;
        if (p > line && p[-1] != ' ' && p[-1] != '\t')
            continue;                   /* within a token */
        const char *q = read_digits(&n, p, stop);
        if (fields && q > p && q < stop && *q == ':') {
            const char *r = read_digits(&inner, q + 1, stop);
            if (r > q + 1 && r < stop && *r == ':') {
                q = r;
                n = inner;
            }
        }
        if (n == (uint64_t)index && q < stop && *q == ':' && fxi_decimal_read(&x, q + 1, stop)
            && fxi_read_usable(x) && ++seen == 2)
            break;
    }
    return p;
}
