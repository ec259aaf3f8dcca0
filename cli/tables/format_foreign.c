/* SPDX-License-Identifier: BSD-3-Clause
 * format_foreign.c - files that people have and that are not read as rows: what they are, and what
 * to do.  They are told apart by their first bytes; where these do not suffice, by the extension,
 * too. */

#include "files/files.h"
#include "load.h"
#include "spill.h"
#include "terminal/terminal.h"

#include <string.h>

#define AS_CSV "write the table as CSV, with pandas by to_csv(.., index=False)"
#define AS_UTF8 "convert it with iconv -f UTF-16 -t UTF-8"
#define UNPACK "unpack it first"
#define ITS_SOURCE "name the files that it was made of"

static const struct {
    const char *extension, *begin;
    size_t len;
    const char *is, *cure;
} known[] = {
    {"", "PAR1", 4, "a Parquet file", AS_CSV},
    {"", "ARROW1", 6, "an Arrow or Feather file", AS_CSV},
    {"", "\x89HDF\r\n", 6, "an HDF5 file", AS_CSV},
    {"", "SQLite format 3", 15, "an SQLite database", AS_CSV},
    {"", spill_head, 16, "a file of packed rows (--spill)", ITS_SOURCE},
    {"", "fxckpt1\n", 8, "a file of --checkpoint", ITS_SOURCE},
    {".pkl", "\x80", 1, "a Python pickle", AS_CSV},
    {".xlsx", "PK\3\4", 4, "a spreadsheet", AS_CSV},
    {".ods", "PK\3\4", 4, "a spreadsheet", AS_CSV},
    {".zip", "PK\3\4", 4, "a zip archive", UNPACK},
    {"", "\x04\x22\x4d\x18", 4, "compressed by lz4", UNPACK},
    {"", "\xff\xfe", 2, "text in UTF-16", AS_UTF8},
    {"", "\xfe\xff", 2, "text in UTF-16", AS_UTF8},
    {".json", "[", 1, "JSON", AS_CSV},
    {".json", "{", 1, "JSON", AS_CSV},
    {".jsonl", "{", 1, "JSON", AS_CSV},
};

static bool ends_with(const char *path, const char *extension)
{
    size_t n = strlen(path), tail = strlen(extension);

    return n >= tail && !strcmp(path + n - tail, extension);
}

int format_foreign(const char *path)
{
    char head[16];
    size_t len = input_peek(path, head, sizeof head);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (len >= known[i].len && !memcmp(head, known[i].begin, known[i].len)
            && ends_with(path, known[i].extension))
            return say_error("%s is %s, which is not read; %s", path, known[i].is, known[i].cure);
    return 0;
}
