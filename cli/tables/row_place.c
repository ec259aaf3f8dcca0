/* SPDX-License-Identifier: BSD-3-Clause
 * row_place.c - where in its file a row is, for messages about rows that were read without error.
 *
 * Rows do not carry the numbers of their lines, which would cost memory for a rare message.  A file
 * without blank lines and comments has a row on each line.  Any other file is read again until the
 * reader has counted as many rows. */

#include "tables.h"
#include "files/files.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

/* The end of the next n lines, or of the text. */
static const char *skip_lines(const char *text, const char *end, size_t n)
{
    for (; n && text < end; n--) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        text = feed ? feed + 1 : end;
    }
    return text;
}

/* The first row - 1 lines have fewer rows than `row`, so they are fed at once, later lines one by
 * one. */
static size_t find_line(fx_reader *r, const char *text, const char *end, size_t row)
{
    fx_read_counts c = FX_INIT(fx_read_counts);
    size_t line = 0;

    for (size_t n = row > 1 ? row - 1 : 1; text < end && c.rows < row; n = 1) {
        const char *next = skip_lines(text, end, n);
        if (fx_data_reader_feed(r, text, (size_t)(next - text), &cli.run))
            return 0;
        fx_data_reader_counts(&c, r);
        text = next;
        line += n;
    }
    return c.rows == row ? line : 0;
}

static size_t read_again(const loaded *l, size_t row)
{
    input in;
    fx_reader *r = NULL;
    char *text = NULL;
    size_t len = 0, line = 0;

    if (!l->path || input_open(&in, l->path))
        return 0;
    if (in.size > cli.max_memory) {
        input_close(&in);
        return 0;
    }
    if (!input_bytes(&text, &len, &in, cli.max_memory)
        && !fx_data_reader_new(&r, l->spec, l->name))
        line = find_line(r, text, text + len, row);
    fx_data_reader_free(r);
    free(text);
    input_close(&in);
    return line;
}

static size_t line_of(const loaded *l, size_t row)
{
    if (!l->lines || l->part || l->reading.rows != l->so_far.rows + l->table.rows)
        return 0;                       /* rows were made, or left out */
    return l->reading.blank ? read_again(l, row) : row + spec_says(l->spec, "header", "yes");
}

const char *row_place(char buf[ROW_PLACE], const loaded *l, size_t row)
{
    size_t line = line_of(l, row);

    if (line)
        snprintf(buf, ROW_PLACE, "%s:%zu", l->name, line);
    else
        snprintf(buf, ROW_PLACE, "%s", l->name);
    return buf;
}
