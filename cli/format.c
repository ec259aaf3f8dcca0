/* SPDX-License-Identifier: BSD-3-Clause
 * format.c - what a file's name says of its format: x.svm, x.csv.gz. */

#include "cli.h"

#include <string.h>

static const struct { const char *extension, *format; } known[] = {
    {".svm", "svmlight"}, {".libsvm", "svmlight"}, {".svmlight", "svmlight"}, {".csv", "csv"},
    {".tsv", "tsv"},      {".npy", "npy"},         {".npz", "npz"},
};
static const char *const packed[] = {".gz", ".xz", ".zst", ".bz2"};

/* Does path[0..len) end with it, and is there a name before it? */
static bool ends(const char *path, size_t len, const char *extension)
{
    size_t n = strlen(extension);

    return len > n && path[len - n - 1] != '/' && !memcmp(path + len - n, extension, n);
}

const char *format_packed(const char *path)
{
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends(path, strlen(path), packed[i]))
            return packed[i];
    return NULL;
}

const char *format_named(const char *path)
{
    const char *pack = format_packed(path);
    size_t len = strlen(path) - (pack ? strlen(pack) : 0);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends(path, len, known[i].extension))
            return known[i].format;
    return NULL;
}
