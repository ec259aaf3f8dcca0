/* SPDX-License-Identifier: BSD-3-Clause
 * error.c - one line about the last failure, kept per thread. */

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char detail[512];

fx_status fxi_error(fx_status s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    for (char *p = detail; *p; p++)     /* bytes quoted from input must not break the line */
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return s;
}

void fxi_error_row(size_t first)
{
    const char name[] = "row ";
    char *at = strstr(detail, "(from 0)") ? strstr(detail, name) : NULL, *end, rest[sizeof detail];

    if (!at || !first)
        return;
    at += sizeof name - 1;
    unsigned long long row = strtoull(at, &end, 10);
    if (end == at)
        return;
    memcpy(rest, end, strlen(end) + 1);
    snprintf(at, sizeof detail - (size_t)(at - detail), "%llu%s", row + first, rest);
}

const char *fx_error_detail(void) { return detail; }
