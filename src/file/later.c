/* SPDX-License-Identifier: BSD-3-Clause
 * later.c - which columns came after the training, in a model's file: the string `later`, runs of
 * columns from 0, ascending: 7,20-24.  Readers that do not know it predict the same. */

#include "file/file.h"

#include <stdio.h>
#include <string.h>

void fxi_file_later_dump(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;
    char run[24];
    bool any = false;

    for (size_t j = 0, end; c->later && j < c->cols; j = end + 1) {
        for (end = j; end < c->cols && c->later[end];)
            end++;
        if (end == j)
            continue;
        if (!any)
            fxi_file_dump_header_begin(d, "later");
        snprintf(run, sizeof run, "%s%zu", any ? "," : "", j);
        fxi_file_dump_header_add(d, run);
        any = true;
        if (end == j + 1)
            continue;
        snprintf(run, sizeof run, "-%zu", end - 1);
        fxi_file_dump_header_add(d, run);
    }
    if (any)
        fxi_file_dump_header_end(d);
}

/* A column before `end` at *p, which moves behind it; or `end`. */
static size_t read_column(const char **p, size_t end)
{
    size_t j = 0, digits = 0;

    for (; **p >= '0' && **p <= '9' && j < end; (*p)++, digits++)
        j = 10 * j + (size_t)(**p - '0');
    return digits ? j : end;
}

fx_status fxi_file_later_parse(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    const char *text;
    size_t next = 0;
    fx_status st;

    if (!fxi_json_get(p->meta, "later"))
        return FX_OK;
    if ((st = fxi_file_header_text(&text, p, "later")))
        return st;
    unsigned char *later = fxi_zalloc(c->cols, 1);
    if ((st = fxi_model_own(p->m, later)))
        return st;
    for (const char *at = text;; at++) {
        size_t first = read_column(&at, c->cols), last = first;
        if (*at == '-') {
            at++;
            last = read_column(&at, c->cols);
        }
        if (first < next || last < first || last >= c->cols || (*at && *at != ','))
            return fxi_error(FX_EFORMAT, "model: `later` is no ascending runs of columns below %zu",
                             c->cols);
        memset(later + first, 1, last - first + 1);
        next = last + 1;
        if (!*at)
            break;
    }
    c->later = later;
    return FX_OK;
}
