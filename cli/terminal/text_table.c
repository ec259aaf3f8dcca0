/* SPDX-License-Identifier: BSD-3-Clause
 * text_table.c - tables that fit the terminal.
 *
 * What goes to a file or a pipe is as wide as it is.  On a terminal that is too narrow, columns are
 * left out first, those with the largest `spare` before others; then long texts are cut.  A remark
 * is never lost: where it does not fit behind its row, it has a line of its own below it. */

#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_MAX = 16, GAP = 2, UNKNOWN = 80 };

size_t text_table_width(FILE *f)
{
    struct winsize size = {0};
    const char *set = getenv("COLUMNS");
    long columns = set ? strtol(set, NULL, 10) : 0;

    if (!isatty(fileno(f)))
        return SIZE_MAX;
    if (columns <= 0 && ioctl(fileno(f), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns > 0 ? (size_t)columns : UNKNOWN;
}

void text_table_cell(text_table *t, const char *format, ...)
{
    strbuf plain = {0};
    va_list args;

    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *to = n < 0 ? NULL : strbuf_reserve(&plain, (size_t)n);
    if (to) {
        va_start(args, format);
        vsnprintf(to, (size_t)n + 1, format, args);
        va_end(args);
        safe_add(&t->text, to, (size_t)n);
        strbuf_bytes(&t->text, "", 1);
    }
    t->text.failed |= !to;
    strbuf_free(&plain);
}

void text_table_free(text_table *t) { strbuf_free(&t->text); }

/* ---- Widths ------------------------------------------------------------------------------- */
static bool begins_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

static size_t characters(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += begins_character(*s);
    return n;
}

static const char *end_of(const text_table *t) { return t->text.s + t->text.n; }

/* Of each column: that of its longest cell or its head; 0 if all cells are empty. */
static void measure(size_t *width, const text_table *t)
{
    size_t i = 0;

    for (size_t k = 0; k < t->columns; k++)
        width[k] = 0;
    for (const char *s = t->text.s; s < end_of(t); s += strlen(s) + 1, i++) {
        size_t k = i % (t->columns + 1), n = characters(s);
        if (k < t->columns && n > width[k])
            width[k] = n;
    }
    for (size_t k = 0; k < t->columns; k++) {
        size_t n = characters(t->column[k].head);
        width[k] = width[k] && width[k] < n ? n : width[k];
    }
}

static size_t sum(const size_t *width, const text_table *t)
{
    size_t all = 0;

    for (size_t k = 0; k < t->columns; k++)
        all += width[k] ? width[k] + (all ? GAP : 0) : 0;
    return all;
}

static void leave_out(size_t *width, const text_table *t, size_t limit)
{
    while (sum(width, t) > limit) {
        size_t worst = t->columns;
        for (size_t k = 0; k < t->columns; k++)
            if (width[k] && t->column[k].spare
                && (worst == t->columns || t->column[k].spare >= t->column[worst].spare))
                worst = k;
        if (worst == t->columns)
            return;
        width[worst] = 0;
    }
}

static void shorten(size_t *width, const text_table *t, size_t limit)
{
    for (size_t k = t->columns; k-- > 0;) {
        size_t all = sum(width, t), least = t->column[k].least;
        if (all <= limit || !least || width[k] <= least)
            continue;
        size_t spare = width[k] - least;
        width[k] -= all - limit < spare ? all - limit : spare;
    }
}

/* ---- Lines -------------------------------------------------------------------------------- */
static void put_spaces(FILE *f, size_t n)
{
    while (n-- > 0)
        fputc(' ', f);
}

/* The cell in `width` characters; what is cut ends with two dots. */
static void put_cell(FILE *f, const char *s, size_t width, bool left, bool pad)
{
    size_t n = characters(s);

    if (n <= width) {
        put_spaces(f, left ? 0 : width - n);
        fputs(s, f);
        put_spaces(f, left && pad ? width - n : 0);
        return;
    }
    for (size_t shown = 0; *s; s++) {
        shown += begins_character(*s);
        if (shown + 2 > width)
            break;
        fputc(*s, f);
    }
    fputs("..", f);
}

/* Cells of a row; NULL: the heads.  Returns the row's remark. */
static const char *put_cells(FILE *f, const text_table *t, const size_t *width, const char *s)
{
    size_t left = sum(width, t);        /* to be printed */

    for (size_t k = 0; k < t->columns; k++) {
        if (width[k]) {
            bool last = left == width[k];
            put_cell(f, s ? s : t->column[k].head, width[k], t->column[k].left, !last);
            put_spaces(f, last ? 0 : GAP);
            left -= last ? left : width[k] + GAP;
        }
        if (s)
            s += strlen(s) + 1;
    }
    return s;
}

int text_table_print(FILE *f, const text_table *t)
{
    size_t width[COLUMNS_MAX], limit = text_table_width(f);

    if (t->text.failed)
        return say_no_memory("the table");
    measure(width, t);
    leave_out(width, t, limit);
    shorten(width, t, limit);
    put_cells(f, t, width, NULL);
    fputc('\n', f);
    for (const char *s = t->text.s; s < end_of(t); s += strlen(s) + 1) {
        s = put_cells(f, t, width, s);
        if (*s) {
            bool fits = sum(width, t) + GAP + characters(s) <= limit;
            fputs(fits ? "  " : "\n    ", f);
            fputs(s, f);
        }
        fputc('\n', f);
    }
    return 0;
}
