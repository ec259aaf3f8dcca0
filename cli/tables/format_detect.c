/* SPDX-License-Identifier: BSD-3-Clause
 * format_detect.c - formats, told apart by first bytes (npy, zip), then by the name (extension.c),
 * then by the first line. */

#include "load.h"
#include "files/files.h"

#include <string.h>

format_line format_first_line(const char *p, const char *end)
{
    if (end - p >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
        p += 3;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *q = p;
        stop = stop ? stop : end;
        while (q < stop && (*q == ' ' || *q == '\t' || *q == '\r'))
            q++;
        if (q < stop && *q != '#')
            return (format_line){p, stop};
        p = stop < end ? stop + 1 : end;
    }
    return (format_line){end, end};
}

bool format_has(format_line l, char c) { return memchr(l.p, c, (size_t)(l.end - l.p)) != NULL; }

/* Is there a token that begins like 12:  ? */
static bool has_pair(format_line l)
{
    for (const char *p = l.p; p < l.end; p++)
        if ((*p == ' ' || *p == '\t') && p + 1 < l.end && p[1] >= '0' && p[1] <= '9') {
            const char *q = p + 1;
            while (q < l.end && *q >= '0' && *q <= '9')
                q++;
            if (q < l.end && *q == ':')
                return true;
        }
    return false;
}

bool format_words(const char *bytes, size_t len)
{
    format_line l = format_first_line(bytes, bytes + len);
    bool space = false;

    for (const char *p = l.p; p < l.end; p++) {
        space |= *p == ' ' || *p == '\t';
        if (space && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
            return !has_pair(l);
    }
    return false;
}

static const char *by_content(const char *bytes, size_t len)
{
    format_line l = format_first_line(bytes, bytes + len);

    return has_pair(l)                                ? "svmlight"
           : format_has(l, ',') || format_has(l, ';') ? "csv"
           : format_has(l, '\t')                      ? "tsv"
                                                      : "svmlight";
}

/* The safetensors layout: the header's length in 8 bytes, then JSON. */
bool format_is_model(const void *bytes, size_t len)
{
    const unsigned char *p = bytes;

    return len >= 10 && !p[6] && !p[7] && !memcmp(p + 8, "{\"", 2);
}

const char *format_found(bool zip, const char *path, const char *bytes, size_t len,
                         const char *reader)
{
    const char *named = strcmp(path, "-") ? extension_format(path) : NULL;

    if (zip)
        return "npz";
    return len >= 6 && !memcmp(bytes, "\x93NUMPY", 6) ? "npy"
           : named                                    ? named
           : spec_says(reader, "", "text")            ? "text"
                                                      : by_content(bytes, len);
}
