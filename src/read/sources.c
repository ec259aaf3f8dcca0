/* SPDX-License-Identifier: BSD-3-Clause
 * sources.c - several files as one input: which of them a line is in, for messages.
 *
 * Lines are counted over all files, and those that are held back are not counted yet; so a file's
 * first line is known when the file begins, whatever is held back. */

#include "read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of a long name says more than its start, and messages have one line. */
char *fxi_read_sources_short(const char *name)
{
    enum { KEEP = 160 };
    size_t len = strlen(name);
    char *copy = fxi_strndup(len > KEEP ? name + len - KEEP : name, len > KEEP ? KEEP : len);

    if (copy && len > KEEP)
        memcpy(copy, "...", 3);
    return copy;
}

/* The last line of the file before ends here, if it has not. */
static fx_status end_line(fx_reader *r)
{
    if (!r->open_line)
        return FX_OK;
    r->open_line = false;
    r->count.bytes++;
    char *end = r->held.len ? fxi_read_text_room(&r->held, 1) : NULL;
    if (r->held.len && !end)
        return FX_ENOMEM;
    if (end) {
        *end = '\n';
        r->held.len++;
    }
    return FX_OK;
}

fx_status fxi_read_sources_add(fx_reader *r, const char *name)
{
    size_t lines = 0, marks;
    fxi_read_file *more = fxi_realloc(r->file, r->files + 1, sizeof *more);

    if (!more)
        return FX_ENOMEM;
    r->file = more;
    char *copy = fxi_read_sources_short(name);
    fx_status s = copy ? end_line(r) : FX_ENOMEM;
    if (!s)
        s = r->format->file ? r->format->file(r) : FX_OK;
    if (s) {
        free(copy);
        return s;
    }
    if (r->held.len)
        fxi_data_text_count(&lines, &marks, r->held.at, r->held.at + r->held.len, r->mark);
    more[r->files++] = (fxi_read_file){.name = copy, .before = r->count.lines + lines};
    r->begun = false;
    return FX_OK;
}

const char *fxi_read_sources_name(uint64_t *of_file, const fx_reader *r, uint64_t line)
{
    size_t k = r->files;

    while (k && r->file[k - 1].before >= line)
        k--;
    *of_file = k ? line - r->file[k - 1].before + r->file[k - 1].skipped : line;
    return k ? r->file[k - 1].name : r->name;
}

const char *fxi_read_sources_line(char buf[FXI_READ_PLACE], const fx_reader *r, uint64_t line,
                                  uint64_t other)
{
    uint64_t at, unused;
    const char *name = fxi_read_sources_name(&at, r, line);
    bool same = name == fxi_read_sources_name(&unused, r, other);

    if (r->batches) {
        snprintf(buf, FXI_READ_PLACE, "row %llu", (unsigned long long)at - 1);
        return buf;
    }
    snprintf(buf, FXI_READ_PLACE, "line %llu%s%s", (unsigned long long)at, same ? "" : " of ",
             same ? "" : name);
    return buf;
}

void fxi_read_sources_free(fx_reader *r)
{
    for (size_t k = 0; k < r->files; k++)
        free(r->file[k].name);
    free(r->file);
}
