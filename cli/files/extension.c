/* SPDX-License-Identifier: BSD-3-Clause
 * extension.c - what a file's name says of its format and compression: x.svm, x.csv.gz; files that
 * may be packed. */

#include "decode.h"
#include "files.h"

#include <stdio.h>
#include <string.h>

static const struct { const char *extension, *format; } known[] = {
    {".svm", "svmlight"}, {".libsvm", "svmlight"}, {".svmlight", "svmlight"}, {".csv", "csv"},
    {".tsv", "tsv"},      {".npy", "npy"},         {".npz", "npz"},
};

/* Does path[0..len) end with it, and is there a name before it? */
static bool ends(const char *path, size_t len, const char *extension)
{
    size_t n = strlen(extension);

    return len > n && path[len - n - 1] != '/' && !memcmp(path + len - n, extension, n);
}

const char *extension_compression(const char *path)
{
    for (const decode_format *const *f = decode_formats; *f; f++)
        if (ends(path, strlen(path), (*f)->extension))
            return (*f)->extension;
    return NULL;
}

const char *extension_format(const char *path)
{
    const char *pack = extension_compression(path);
    size_t len = strlen(path) - (pack ? strlen(pack) : 0);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends(path, len, known[i].extension))
            return known[i].format;
    return NULL;
}

const char *extension_unknown(const char *path)
{
    const char *name = strrchr(path, '/'), *dot;

    name = name ? name + 1 : path;
    dot = strrchr(name, '.');
    if (!dot || dot == name || !dot[1] || !strncmp(path, "/dev/", 5))
        return NULL;
    return extension_format(path) || extension_compression(path) ? NULL : dot;
}

bool extension_find(char path[4096], const char *directory, const char *name)
{
    static const char *const extensions[] = {"", ".xz", ".gz", ".zst", ".bz2"};
    struct stat st;

    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        int n = snprintf(path, 4096, "%s/%s%s", directory, name, extensions[i]);
        if (n > 0 && n < 4096 && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
            return true;
    }
    return false;
}
